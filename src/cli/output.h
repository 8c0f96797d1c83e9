/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/output.h - what `-o` means.
 *
 *     table, or nothing      columns
 *     json                   JSON
 *     name                   pod/web-0
 *     spec.nodeName          what a path of kin/path.h leads to
 *     {.spec.nodeName}       the same in kubectl's words, as far as they say no more than a path
 *     jsonpath={...}         the same
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_OUTPUT_H
#define KIN_CLI_OUTPUT_H

#include "kin/common.h"
#include "kin/path.h"

typedef enum kin__cli_form {
    KIN__CLI_TABLE = 0,
    KIN__CLI_JSON = 1,
    KIN__CLI_NAME = 2,
    KIN__CLI_PATH = 3
} kin__cli_form;

typedef struct kin__cli_output {
    kin__cli_form form;
    kin_path *path; /* owned; NULL unless that is the form */
} kin__cli_output;

/* `text` may be NULL.  Release with kin__cli_output_fini().  Fails with USAGE, in a sentence for
 * people. */
kin_err kin__cli_output_parse(const char *text, kin__cli_output *out,
                              kin_error *err) KIN_MUST_CHECK;
void kin__cli_output_fini(kin__cli_output *output);

#endif /* KIN_CLI_OUTPUT_H */
