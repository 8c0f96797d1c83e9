/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/target.h - what is to be shown: "pods", "pods web-0 web-1", "pods,services", "pods/web-0
 * services/web".
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_TARGET_H
#define KIN_CLI_TARGET_H

#include "kin/common.h"

/* Some objects of one resource. */
typedef struct kin__cli_target {
    char *resource;     /* as it was written; owned */
    const char **names; /* owned, the names themselves borrowed from the words; ends with NULL */
    size_t name_count;  /* 0: all there are */
} kin__cli_target;

typedef struct kin__cli_targets {
    kin__cli_target *list; /* owned */
    size_t count;          /* at least 1 */
} kin__cli_targets;

/* `words` ends with NULL.  `out` is filled in anyway; release with kin__cli_targets_fini().  Fails
 * with USAGE, in a sentence for people. */
kin_err kin__cli_targets_parse(const char *const *words, kin__cli_targets *out,
                               kin_error *err) KIN_MUST_CHECK;
void kin__cli_targets_fini(kin__cli_targets *targets);

#endif /* KIN_CLI_TARGET_H */
