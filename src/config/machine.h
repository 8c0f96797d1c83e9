/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/machine.h - what the configuration asks of the machine: variables and files.
 *
 * The seam for tests: nothing else in this layer touches either.
 *
 * Threading: thread-safe, as far as the program does not change its variables meanwhile.
 */
#ifndef KIN_CONFIG_MACHINE_H
#define KIN_CONFIG_MACHINE_H

#include "config/vault.h"
#include "kin/common.h"

/* What tells whether a file is another one now. */
typedef struct kin__file_state {
    uint64_t device;
    uint64_t inode;
    int64_t size; /* in bytes */
    int64_t changed_s;
    int64_t changed_ns;
    bool is_regular; /* a file, or a link to one: no pipe, device or directory */
} kin__file_state;

typedef struct kin__machine {
    void *context;

    /* The value of an environment variable, borrowed; NULL: it is not set. */
    const char *(*variable)(void *context, const char *name);

    /* All variables as "NAME=value", ending with NULL; borrowed. */
    const char *const *(*variables)(void *context);

    /* The working directory into `vault`, absolute. */
    kin_err (*directory)(void *context, kin__vault *vault, const char **out, kin_error *err);

    /* The content, terminated, into `vault`; of at most `max` bytes.  Fails with NOT_FOUND, SYSTEM,
     * LIMIT, NO_MEMORY; the message names no file. */
    kin_err (*read)(void *context, const char *path, size_t max, kin__vault *vault, kin_str *out,
                    kin_error *err);

    /* Fails with NOT_FOUND, SYSTEM; the message names no file. */
    kin_err (*state)(void *context, const char *path, kin__file_state *out, kin_error *err);
} kin__machine;

/* The one this program runs on. */
const kin__machine *kin__machine_real(void);

/* Shorthands for the functions above. */
const char *kin__machine_variable(const kin__machine *machine, const char *name); /* "" is NULL */
kin_err kin__machine_read(const kin__machine *machine, const char *path, size_t max,
                          kin__vault *vault, kin_str *out, kin_error *err) KIN_MUST_CHECK;
kin_err kin__machine_state(const kin__machine *machine, const char *path, kin__file_state *out,
                           kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_MACHINE_H */
