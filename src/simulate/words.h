/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/words.h - what the names in a template stand for.
 *
 * A small dictionary without memory of its own: names are literals, values are borrowed or are
 * written into the dictionary's own characters.  More words than it has room for is a fault of this
 * layer, and asserted.
 */
#ifndef KIN_SIMULATE_WORDS_H
#define KIN_SIMULATE_WORDS_H

#include "kin/common.h"

#define KIN__SIM_WORDS_MAX 64

/* The 128 bits of a UUID; all zero is none. */
typedef struct kin__sim_uid {
    uint64_t high;
    uint64_t low;
} kin__sim_uid;

typedef struct kin__sim_word {
    kin_str name;
    kin_str value;
} kin__sim_word;

typedef struct kin__sim_words {
    size_t count;
    size_t used; /* of chars */
    kin__sim_word words[KIN__SIM_WORDS_MAX];
    char chars[3072];
} kin__sim_words;

void kin__sim_words_clear(kin__sim_words *words);

/* Of two words with one name the last one counts. */
void kin__sim_words_str(kin__sim_words *words, const char *name, kin_str value);      /* borrowed */
void kin__sim_words_text(kin__sim_words *words, const char *name, const char *value); /* borrowed */
void kin__sim_words_number(kin__sim_words *words, const char *name, uint64_t value);
void kin__sim_words_time(kin__sim_words *words, const char *name, int64_t seconds);
void kin__sim_words_micro(kin__sim_words *words, const char *name, int64_t micros);
void kin__sim_words_uid(kin__sim_words *words, const char *name, kin__sim_uid uid);
void kin__sim_words_address(kin__sim_words *words, const char *name, uint32_t ipv4);

/* 64 hexadecimal digits that look like no others: of an image, a container. */
void kin__sim_words_digest(kin__sim_words *words, const char *name, uint64_t of);

void kin__sim_words_print(kin__sim_words *words, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `len` characters of the dictionary's own, for a word that the caller writes at once. */
char *kin__sim_words_room(kin__sim_words *words, const char *name, size_t len);

/* NULL when there is no such word. */
const kin_str *kin__sim_words_find(const kin__sim_words *words, kin_str name);

#endif /* KIN_SIMULATE_WORDS_H */
