/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - a dictionary for one object.
 */
#include "simulate/words.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simulate/calendar.h"
#include "simulate/random.h"

#define UID_LEN 36
#define NUMBER_LEN 20 /* of 2^64 - 1 */

static void hex_write(char *out, int count, uint64_t value);

void kin__sim_words_clear(kin__sim_words *words)
{
    words->count = 0;
    words->used = 0;
}

void kin__sim_words_str(kin__sim_words *words, const char *name, kin_str value)
{
    assert(words->count < KIN__SIM_WORDS_MAX);
    words->words[words->count++] = (kin__sim_word){ { name, strlen(name) }, value };
}

void kin__sim_words_text(kin__sim_words *words, const char *name, const char *value)
{
    kin__sim_words_str(words, name, (kin_str){ value, strlen(value) });
}

void kin__sim_words_number(kin__sim_words *words, const char *name, uint64_t value)
{
    char digits[NUMBER_LEN];
    size_t first = NUMBER_LEN;

    do {
        digits[--first] = (char) ('0' + value % 10);
        value /= 10;
    } while (value != 0);
    memcpy(kin__sim_words_room(words, name, NUMBER_LEN - first), digits + first,
           NUMBER_LEN - first);
}

void kin__sim_words_time(kin__sim_words *words, const char *name, int64_t seconds)
{
    kin__sim_time_write(seconds, kin__sim_words_room(words, name, KIN__SIM_TIME_LEN));
}

void kin__sim_words_micro(kin__sim_words *words, const char *name, int64_t micros)
{
    kin__sim_micro_write(micros, kin__sim_words_room(words, name, KIN__SIM_MICRO_LEN));
}

void kin__sim_words_uid(kin__sim_words *words, const char *name, kin__sim_uid uid)
{
    char *out = kin__sim_words_room(words, name, UID_LEN);

    hex_write(out, 8, uid.high >> 32);
    out[8] = '-';
    hex_write(out + 9, 4, uid.high >> 16);
    out[13] = '-';
    hex_write(out + 14, 4, uid.high);
    out[18] = '-';
    hex_write(out + 19, 4, uid.low >> 48);
    out[23] = '-';
    hex_write(out + 24, 12, uid.low);
}

void kin__sim_words_address(kin__sim_words *words, const char *name, uint32_t ipv4)
{
    kin__sim_words_print(words, name, "%u.%u.%u.%u", ipv4 >> 24, ipv4 >> 16 & 255, ipv4 >> 8 & 255,
                         ipv4 & 255);
}

void kin__sim_words_digest(kin__sim_words *words, const char *name, uint64_t of)
{
    char *out = kin__sim_words_room(words, name, 64);

    for (int i = 0; i < 4; i++) {
        hex_write(out + 16 * i, 16, kin__sim_draw(&of));
    }
}

void kin__sim_words_print(kin__sim_words *words, const char *name, const char *format, ...)
{
    va_list args;
    size_t left = sizeof words->chars - words->used;

    va_start(args, format);
    int len = vsnprintf(words->chars + words->used, left, format, args);
    va_end(args);
    assert(len >= 0 && (size_t) len < left);
    (void) kin__sim_words_room(words, name, (size_t) len);
}

char *kin__sim_words_room(kin__sim_words *words, const char *name, size_t len)
{
    char *room = words->chars + words->used;

    assert(sizeof words->chars - words->used >= len);
    words->used += len;
    kin__sim_words_str(words, name, (kin_str){ room, len });
    return room;
}

const kin_str *kin__sim_words_find(const kin__sim_words *words, kin_str name)
{
    for (size_t i = words->count; i-- > 0;) {
        const kin__sim_word *word = &words->words[i];
        if (word->name.len == name.len && memcmp(word->name.data, name.data, name.len) == 0) {
            return &word->value;
        }
    }
    return NULL;
}

static void hex_write(char *out, int count, uint64_t value)
{
    for (int i = count - 1; i >= 0; i--) {
        out[i] = "0123456789abcdef"[value & 15];
        value >>= 4;
    }
}
