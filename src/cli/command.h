/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/command.h - the command `kin`: which of its commands is meant, and how it ends.
 *
 * What was asked for goes to `out`, everything else to `err`, in lines that begin with "kin: ".
 *
 * Threading: confined to the thread that runs the command.
 */
#ifndef KIN_CLI_COMMAND_H
#define KIN_CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"
#include "kin/client.h"

enum { KIN__CLI_DONE = 0, KIN__CLI_FAILED = 1, KIN__CLI_MISUSED = 2 }; /* statuses to end with */

typedef struct kin__cli {
    FILE *out;
    FILE *err;
    kin__cli_options options;
    const char *const *words; /* what comes after the command; ends with NULL */
    const char *name;         /* of the command */
} kin__cli;

/* All of it: `words` are those after the program's name.  Returns the status to end with. */
int kin__cli_run(int count, char *const *words, FILE *out, FILE *err);

/* The commands; each returns its status. */
int kin__cli_get(kin__cli *cli);
int kin__cli_watch(kin__cli *cli);
int kin__cli_server(kin__cli *cli);
int kin__cli_demo(kin__cli *cli);

/* ---- for them ----------------------------------------------------------------------------- */

/* Says what went wrong; returns KIN__CLI_FAILED. */
int kin__cli_fail(kin__cli *cli, const kin_error *err);

/* The same, and where to read more; returns KIN__CLI_MISUSED. */
int kin__cli_misuse(kin__cli *cli, const kin_error *err);

/* A line on `err`. */
void kin__cli_note(kin__cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the text to `out`, and clears it.  Whether it arrived is asked at the end of all. */
void kin__cli_print(kin__cli *cli, kin__cli_text *text);

/* The client that the options ask for; release with kin_client_free(). */
kin_err kin__cli_connect(kin__cli *cli, kin_client **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CLI_COMMAND_H */
