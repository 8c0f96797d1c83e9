/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the words after `kin`: a command, its options, and the rest.
 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/fault.h"
#include "cli/memory.h"

enum { READS = KIN__CLI_GET | KIN__CLI_WATCH };
enum { CLUSTER = READS | KIN__CLI_DEMO };
enum { SIMULATES = KIN__CLI_SERVER | KIN__CLI_DEMO };

typedef enum form { FLAG, TEXT, NUMBER, DURATION } form;

typedef struct option {
    const char *name;
    char letter; /* 0: none */
    form form;
    unsigned commands;
    size_t place; /* in kin__cli_options */
    const char *value;
    const char *help;
    int64_t least, most; /* of a number */
} option;

#define AT(field) offsetof(kin__cli_options, field)

static const option table[] = {
    { "namespace", 'n', TEXT, CLUSTER, AT(ns), "NS", "the namespace; else the context's", 0, 0 },
    { "all-namespaces", 'A', FLAG, READS, AT(has_all_namespaces), "", "all namespaces", 0, 0 },
    { "selector", 'l', TEXT, READS, AT(label_selector), "SEL",
      "only what has these labels: app=web,tier!=cache", 0, 0 },
    { "field-selector", 0, TEXT, READS, AT(field_selector), "SEL",
      "only what has these fields: status.phase=Running", 0, 0 },
    { "output", 'o', TEXT, READS, AT(output), "FORM", "table, json, name, or a path: spec.nodeName",
      0, 0 },
    { "no-headers", 0, FLAG, READS, AT(has_no_headers), "", "tables without their first line", 0,
      0 },
    { "show-managed-fields", 0, FLAG, READS, AT(has_managed_fields), "",
      "metadata.managedFields too", 0, 0 },
    { "watch", 'w', FLAG, KIN__CLI_GET, AT(is_watch), "", "the same as kin watch", 0, 0 },
    { "once", 0, FLAG, READS, AT(is_once), "", "watch: end when all that is there has been told", 0,
      0 },
    { "timeout", 0, DURATION, READS, AT(timeout_ms), "TIME", "watch: end after 30s, 5m, 1h30m", 0,
      0 },
    { "port", 0, NUMBER, KIN__CLI_SERVER, AT(port), "N", "the port to listen on; else a free one",
      0, 65535 },
    { "address", 0, TEXT, KIN__CLI_SERVER, AT(address), "A",
      "the address to listen on; else 127.0.0.1", 0, 0 },
    { "token", 0, TEXT, KIN__CLI_SERVER, AT(token), "T",
      "what requests must carry; else made up; \"\": anybody may come", 0, 0 },
    { "insecure-http", 0, FLAG, KIN__CLI_SERVER, AT(is_http), "",
      "no TLS; without a token unless one is given", 0, 0 },
    { "kubeconfig-out", 0, TEXT, KIN__CLI_SERVER, AT(kubeconfig_out), "FILE",
      "write the kubeconfig for it there; else into a temporary file", 0, 0 },
    { "history", 0, NUMBER, KIN__CLI_SERVER, AT(history), "N",
      "how many changes of each resource to keep; else 10000", 1, UINT32_MAX },
    { "bare", 0, FLAG, KIN__CLI_SERVER, AT(is_bare), "",
      "with nothing in it but four namespaces, not what every cluster has", 0, 0 },
    { "collector", 0, FLAG, KIN__CLI_SERVER, AT(has_collector), "",
      "a garbage collector runs beside it: leave owned objects to it", 0, 0 },
    { "pods", 0, NUMBER, SIMULATES, AT(pods), "N", "simulate a cluster with so many pods", 0,
      1000000 },
    { "nodes", 0, NUMBER, SIMULATES, AT(nodes), "N", "... and so many nodes", 0, 100000 },
    { "rate", 0, NUMBER, SIMULATES, AT(rate), "N", "... in which so much changes in a second", 0,
      1000000 },
    { "seed", 0, NUMBER, SIMULATES, AT(seed), "N", "... the same way for the same number", 0,
      INT64_MAX },
    { "duration", 0, DURATION, KIN__CLI_DEMO, AT(duration_ms), "TIME",
      "end after this; 0: not by itself; else $DEMO_SECONDS, else 30s", 0, 0 },
    { "kubeconfig", 0, TEXT, CLUSTER, AT(kubeconfig), "FILE",
      "else $KUBECONFIG, ~/.kube/config, or the pod's own", 0, 0 },
    { "context", 0, TEXT, CLUSTER, AT(context), "NAME", "of the kubeconfig; else its current one",
      0, 0 },
    { "version", 0, FLAG, KIN__CLI_VERSION, AT(wants_version), "", "the same as kin version", 0,
      0 },
    { "help", 'h', FLAG, KIN__CLI_ALL, AT(wants_help), "", "this text", 0, 0 },
};
enum { OPTIONS = sizeof table / sizeof table[0] };
_Static_assert(OPTIONS <= 64, "their places are the bits of `given`");

/* The words, and how far they have been read. */
typedef struct reader {
    char *const *words;
    int count;
    int at;
} reader;

static kin_err read_long(reader *r, kin__cli_options *out, kin_error *err);
static kin_err read_short(reader *r, kin__cli_options *out, kin_error *err);
static kin_err read_value(reader *r, const option *o, const char *given, kin__cli_options *out,
                          kin_error *err);
static kin_err set_flag(const option *o, const char *value, kin__cli_options *out, kin_error *err);
static kin_err set_value(const option *o, const char *value, kin__cli_options *out, kin_error *err);
static kin_err set_number(const option *o, const char *value, int64_t *out, kin_error *err);
static const option *find_name(const char *name, size_t len);
static const option *find_letter(char letter);
static void add_word(kin__cli_options *out, const char *word);

kin_err kin__cli_options_parse(int count, char *const *words, kin__cli_options *out, kin_error *err)
{
    reader r = { words, count, 0 };
    bool has_options = true;
    kin_err code = KIN_OK;

    memset(out, 0, sizeof *out);
    out->pods = out->nodes = out->rate = out->seed = out->duration_ms = -1;
    out->words = kin__cli_alloc((size_t) count + 1, sizeof *out->words);
    while (code == KIN_OK && r.at < r.count) {
        const char *word = r.words[r.at];
        if (!has_options || word[0] != '-' || word[1] == '\0') {
            add_word(out, word);
            r.at++;
        } else if (strcmp(word, "--") == 0) {
            has_options = false;
            r.at++;
        } else {
            code = word[1] == '-' ? read_long(&r, out, err) : read_short(&r, out, err);
        }
    }
    return code;
}

void kin__cli_options_fini(kin__cli_options *options)
{
    kin__cli_free(options->words);
    memset(options, 0, sizeof *options);
}

kin_err kin__cli_options_check(const kin__cli_options *options, unsigned commands, const char *name,
                               kin_error *err)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        bool is_given = (options->given >> i & 1) != 0;
        if (is_given && (table[i].commands & commands) == 0) {
            return kin__cli_refuse(err, "%s has no option --%s", name, table[i].name);
        }
    }
    return KIN_OK;
}

void kin__cli_options_explain(unsigned commands, kin__cli_text *out)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        char words[64];
        if ((o->commands & commands) == 0) {
            continue;
        }
        snprintf(words, sizeof words, "--%s%s%s", o->name, o->value[0] != '\0' ? " " : "",
                 o->value);
        if (o->letter != 0) {
            kin__cli_text_say(out, "  -%c, %-24s %s\n", o->letter, words, o->help);
        } else {
            kin__cli_text_say(out, "      %-24s %s\n", words, o->help);
        }
    }
}

/* "--name", "--name=value", "--name value". */
static kin_err read_long(reader *r, kin__cli_options *out, kin_error *err)
{
    const char *name = r->words[r->at++] + 2;
    size_t len = strcspn(name, "=");
    const option *o = find_name(name, len);

    if (o == NULL) {
        return kin__cli_refuse(err, "unknown option --%.*s", (int) len, name);
    }
    return read_value(r, o, name[len] == '=' ? name + len + 1 : NULL, out, err);
}

/* "-n value", "-nvalue", "-n=value"; flags go together, and a last one may have a value. */
static kin_err read_short(reader *r, kin__cli_options *out, kin_error *err)
{
    const char *letters = r->words[r->at++] + 1;
    kin_err code = KIN_OK;

    while (code == KIN_OK && *letters != '\0') {
        const option *o = find_letter(*letters);
        if (o == NULL) {
            return kin__cli_refuse(err, "unknown option -%c", *letters);
        }
        letters++;
        const char *given = *letters == '=' ? letters + 1 : *letters != '\0' ? letters : NULL;
        if (o->form == FLAG && *letters != '=') {
            code = read_value(r, o, NULL, out, err);
        } else {
            return read_value(r, o, given, out, err);
        }
    }
    return code;
}

/* `given`: the value that is part of the word; NULL: there is none. */
static kin_err read_value(reader *r, const option *o, const char *given, kin__cli_options *out,
                          kin_error *err)
{
    out->given |= (uint64_t) 1 << (o - table);
    if (o->form == FLAG) {
        return set_flag(o, given, out, err);
    }
    if (given == NULL) {
        if (r->at == r->count) {
            return kin__cli_refuse(err, "option --%s needs a value", o->name);
        }
        given = r->words[r->at++];
    }
    return set_value(o, given, out, err);
}

static kin_err set_flag(const option *o, const char *value, kin__cli_options *out, kin_error *err)
{
    bool is_on = value == NULL || strcmp(value, "true") == 0;

    if (!is_on && strcmp(value, "false") != 0) {
        return kin__cli_refuse(err, "option --%s takes no value", o->name);
    }
    memcpy((char *) out + o->place, &is_on, sizeof is_on);
    return KIN_OK;
}

static kin_err set_value(const option *o, const char *value, kin__cli_options *out, kin_error *err)
{
    char *place = (char *) out + o->place;
    int64_t number = 0;

    if (o->form == TEXT) {
        memcpy(place, &value, sizeof value);
        return KIN_OK;
    }
    if (o->form == DURATION) {
        if (!kin__cli_duration_parse(value, &number)) {
            return kin__cli_refuse(err, "option --%s needs a time as 30s or 1h30m, not \"%s\"",
                                   o->name, value);
        }
    } else if (set_number(o, value, &number, err) != KIN_OK) {
        return err->code;
    }
    memcpy(place, &number, sizeof number);
    return KIN_OK;
}

static kin_err set_number(const option *o, const char *value, int64_t *out, kin_error *err)
{
    char *end = NULL;

    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < o->least ||
        number > o->most) {
        return kin__cli_refuse(
            err, "option --%s needs a number from %" PRId64 " to %" PRId64 ", not \"%s\"", o->name,
            o->least, o->most, value);
    }
    *out = number;
    return KIN_OK;
}

static const option *find_name(const char *name, size_t len)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strlen(table[i].name) == len && strncmp(table[i].name, name, len) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static const option *find_letter(char letter)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (table[i].letter == letter && letter != 0) {
            return &table[i];
        }
    }
    return NULL;
}

static void add_word(kin__cli_options *out, const char *word)
{
    out->words[out->word_count++] = word;
}
