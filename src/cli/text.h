/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/text.h - a text that grows, and what may be shown of texts that others wrote.
 *
 * Names and messages come from a server, and whoever may write there may write anything.  What is
 * shown to people goes through kin__cli_text_safe(): no byte of it moves a cursor, changes a colour
 * or turns the direction of writing.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_TEXT_H
#define KIN_CLI_TEXT_H

#include <stdio.h>

#include "kin/common.h"

/* All zero is an empty one. */
typedef struct kin__cli_text {
    char *chars; /* terminated; NULL while nothing was appended */
    size_t len;
    size_t capacity;
} kin__cli_text;

void kin__cli_text_fini(kin__cli_text *text);

/* Forgets the content, keeps the memory. */
void kin__cli_text_clear(kin__cli_text *text);

void kin__cli_text_append(kin__cli_text *text, kin_str s);
void kin__cli_text_say(kin__cli_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts a '?' in place of each control character (C0, DEL, C1), of each that turns the direction of
 * writing or ends a line, and of each byte that is no UTF-8. */
void kin__cli_text_safe(kin__cli_text *text, kin_str s);

/* The same, but newlines and tabs stay. */
void kin__cli_text_safe_lines(kin__cli_text *text, kin_str s);

/* JSON that means the same, with "\\u009b" for what would not be shown; without line ends. */
void kin__cli_text_json(kin__cli_text *text, kin_str json);

/* What is in it; empty rather than NULL. */
kin_str kin__cli_text_str(const kin__cli_text *text);
const char *kin__cli_text_chars(const kin__cli_text *text);

/* How many columns of a terminal it takes, each character counted as one.  `s` is UTF-8. */
size_t kin__cli_text_width(kin_str s);

/* How many of the first bytes of `s` make at most `width` characters. */
size_t kin__cli_text_cut(kin_str s, size_t width);

#endif /* KIN_CLI_TEXT_H */
