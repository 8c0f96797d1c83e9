/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/screen.h - a page on a terminal that is written over and over.
 *
 * The page has the terminal for itself; what was there comes back when it is closed, and also when
 * the program exits or crashes with it open.  There is one at a time.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_SCREEN_H
#define KIN_CLI_SCREEN_H

#include <stdio.h>

#include "cli/text.h"

/* Whether pages can be shown there: a terminal that is not a "dumb" one. */
bool kin__cli_screen_is_possible(FILE *out);

void kin__cli_screen_open(FILE *out);
void kin__cli_screen_close(void);

/* Gives the terminal back, stops the program until it is continued (as Ctrl-Z does), and takes the
 * terminal again. */
void kin__cli_screen_suspend(FILE *out);

/* Shows `page`, cut to the size of the terminal. */
void kin__cli_screen_show(kin_str page);

/* The bytes that show `page` on a terminal of that size; 0: without bounds. */
void kin__cli_screen_draw(kin_str page, size_t columns, size_t lines, kin__cli_text *out);

#endif /* KIN_CLI_SCREEN_H */
