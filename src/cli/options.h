/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/options.h - the words after `kin`: a command, its options, and the rest.
 *
 * Options stand anywhere, before the command too.  A value follows its option ("-n shop",
 * "--namespace shop") or is part of the word ("-nshop", "-n=shop", "--namespace=shop").  Flags may
 * be put together ("-Ah") and take "=true" and "=false".  After "--" nothing is an option.  Of an
 * option that is repeated the last one counts.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_OPTIONS_H
#define KIN_CLI_OPTIONS_H

#include "cli/text.h"
#include "kin/common.h"

/* The commands, as bits: which of them an option is for. */
enum {
    KIN__CLI_GET = 1,
    KIN__CLI_WATCH = 2,
    KIN__CLI_SERVER = 4,
    KIN__CLI_DEMO = 8,
    KIN__CLI_VERSION = 16,
    KIN__CLI_ALL = 31
};

/* Texts are borrowed from the words that were parsed; NULL: not given. */
typedef struct kin__cli_options {
    bool wants_help;
    bool wants_version;
    const char *kubeconfig;
    const char *context;
    const char *ns;
    bool has_all_namespaces;
    const char *label_selector;
    const char *field_selector;
    const char *output;
    bool has_no_headers;
    bool has_managed_fields;
    bool is_watch; /* `kin get -w` */
    bool is_once;
    int64_t timeout_ms; /* 0: none */

    const char *address;
    int64_t port;
    const char *token;
    bool is_http;
    const char *kubeconfig_out;
    int64_t history;
    bool is_bare;
    bool has_collector;

    int64_t pods; /* -1: not given, as the next three */
    int64_t nodes;
    int64_t rate;
    int64_t seed;
    int64_t duration_ms; /* -1: not given */

    const char **words; /* what is no option, the command first; owned, ends with NULL */
    size_t word_count;
    uint64_t given; /* which were: the bits are the places in the table */
} kin__cli_options;

/* Reads `words`, of which there are `count`: those after the program's name, which ends with NULL.
 * `out` is filled in anyway; release with kin__cli_options_fini().  Fails with USAGE, in a sentence
 * for people. */
kin_err kin__cli_options_parse(int count, char *const *words, kin__cli_options *out,
                               kin_error *err) KIN_MUST_CHECK;
void kin__cli_options_fini(kin__cli_options *options);

/* Whether all that were given are for one of these commands; USAGE names the first that is not. */
kin_err kin__cli_options_check(const kin__cli_options *options, unsigned commands, const char *name,
                               kin_error *err) KIN_MUST_CHECK;

/* A line for each option that is for one of these commands. */
void kin__cli_options_explain(unsigned commands, kin__cli_text *out);

#endif /* KIN_CLI_OPTIONS_H */
