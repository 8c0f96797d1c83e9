/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/text.h - JSON out of templates.
 *
 * A template is JSON that can be read in C: ' stands for a quotation mark, ` for one that is
 * escaped
 * (\"), and <name> for a word.  None of the three occurs in what is written here otherwise.
 *
 *     "{'kind':'Pod','metadata':{'name':'<pod>'},'fields':'{`name`:1}'}"
 *
 * All zero is an empty text.  It remembers a lack of memory, so that a writer may go on and ask
 * once.
 */
#ifndef KIN_SIMULATE_TEXT_H
#define KIN_SIMULATE_TEXT_H

#include "kin/common.h"
#include "simulate/words.h"

typedef struct kin__sim_text {
    char *data; /* owned */
    size_t len;
    size_t capacity;
    bool has_failed;
} kin__sim_text;

void kin__sim_text_fini(kin__sim_text *text);

/* Forgets the content and any failure, keeps the memory. */
void kin__sim_text_clear(kin__sim_text *text);

void kin__sim_text_add(kin__sim_text *text, kin_str bytes);

/* A word that is missing is a fault of this layer, and asserted. */
void kin__sim_text_fill(kin__sim_text *text, const char *template, const kin__sim_words *words);

/* The content; NO_MEMORY when something is missing from it. */
kin_err kin__sim_text_get(const kin__sim_text *text, kin_str *out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SIMULATE_TEXT_H */
