/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/error.h - filling in a kin_error.
 *
 * A message reads from what was wanted to what went wrong: whoever finds the fault sets it, and
 * each caller on the way up puts its own words in front.  Inside the library `err` is never
 * NULL: a public function begins with kin__error_or().
 *
 * A message is one line of valid UTF-8 whatever bytes it quotes (base/utf8.h), and is cut where
 * it is too long.
 */
#ifndef KIN_BASE_ERROR_H
#define KIN_BASE_ERROR_H

#include "kin/common.h"

#define KIN__PRINTF(text, first) __attribute__((format(printf, text, first)))

/* `err`, or `unwanted` when the caller wants no details. */
kin_error *kin__error_or(kin_error *err, kin_error *unwanted);

/* Sets code and message and clears the rest; returns `code`.  Arguments may come
 * from `err` itself. */
kin_err kin__error_set(kin_error *err, kin_err code, const char *format, ...) KIN__PRINTF(3, 4);

/* Puts "words: " before the message; returns the code that was set. */
kin_err kin__error_prefix(kin_error *err, const char *format, ...) KIN__PRINTF(2, 3);

/* SYSTEM with ": " and what `number`, an errno, means behind the words; returns the code. */
kin_err kin__error_system(kin_error *err, int number, const char *format, ...) KIN__PRINTF(3, 4);

/* After a function of the program, `who`, has failed with `code`, and has or has not said why in
 * `err`, which was cleared before: what it returned is what counts, and there is a message.
 * Returns `code`. */
kin_err kin__error_told(kin_error *err, kin_err code, const char *who);

/* The one message for failed allocations; returns KIN_ERR_NO_MEMORY. */
kin_err kin__error_no_memory(kin_error *err);

#endif /* KIN_BASE_ERROR_H */
