/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/fault.h - what is wrong with a selector, in the API server's words.
 *
 * Whoever reads a selector puts the words together here, piece by piece, without an allocation.
 * There is room for as much as a kin_error holds; what goes beyond is dropped.  A quoted piece of
 * input is cut at KIN__FAULT_QUOTE_MAX bytes, so that hostile input cannot push the words out.
 *
 * All zero is a fault without words.
 */
#ifndef KIN_OBJECT_FAULT_H
#define KIN_OBJECT_FAULT_H

#include "base/error.h"
#include "kin/common.h"

#define KIN__FAULT_QUOTE_MAX 128

typedef struct kin__fault {
    size_t at; /* the byte of the text where it went wrong */
    size_t len;
    char words[sizeof(((kin_error *) 0)->message)]; /* terminated */
} kin__fault;

/* Appends words. */
void kin__fault_say(kin__fault *fault, const char *format, ...) KIN__PRINTF(2, 3);

/* Appends a piece of input as it is. */
void kin__fault_show(kin__fault *fault, kin_str input);

/* Appends a piece of input as Go's %q writes it, except that all characters above U+009F stand for
 * themselves. */
void kin__fault_quote(kin__fault *fault, kin_str input);

/* Puts [ ] around what was appended since the length was `from`. */
void kin__fault_enclose(kin__fault *fault, size_t from);

/* True when more words would be dropped. */
bool kin__fault_is_full(const kin__fault *fault);

/*
 * Sets MALFORMED and the message `wanted "text": words at byte N`, and returns MALFORMED.  Where
 * that is too long, first the text and then the words are cut, with "..." in place of the rest.
 */
kin_err kin__fault_raise(const kin__fault *fault, const char *wanted, kin_str text, kin_error *err);

/* How many bytes of `text` to show when there is room for `room`: no character is cut in two. */
size_t kin__fault_clip(kin_str text, size_t room);

#endif /* KIN_OBJECT_FAULT_H */
