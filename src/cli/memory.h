/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/memory.h - the command's own memory.
 *
 * A command can do nothing without memory but say so: when there is none, these print "kin: out of
 * memory" and end the program with status 1.  Functions of the library still return NO_MEMORY.
 */
#ifndef KIN_CLI_MEMORY_H
#define KIN_CLI_MEMORY_H

#include "kin/common.h"

/* Zeroed; release with kin__cli_free(). */
void *kin__cli_alloc(size_t count, size_t bytes);

/* Room for `count` elements of `bytes` each, with what was there; `memory` may be NULL. */
void *kin__cli_grow(void *memory, size_t count, size_t bytes);

/* A terminated copy. */
char *kin__cli_copy(kin_str text);

/* NULL is ignored. */
void kin__cli_free(void *memory);

#endif /* KIN_CLI_MEMORY_H */
