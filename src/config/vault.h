/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/vault.h - memory for secrets, and for what lies among them.
 *
 * Pieces are handed out of larger blocks, stay where they are, and go all at once: then every block
 * is overwritten before it is released.  All zero is an empty vault.
 *
 * Threading: confined.
 */
#ifndef KIN_CONFIG_VAULT_H
#define KIN_CONFIG_VAULT_H

#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__vault {
    struct kin__vault_block *blocks; /* owned; the newest first */
} kin__vault;

/* Overwrites and releases everything; leaves an empty vault. */
void kin__vault_fini(kin__vault *vault);
KIN__DEFINE_AUTO_FINI(kin__vault, kin__vault_fini)

/* Zeroed, aligned for anything; NULL when there is no memory.  `bytes` may be 0. */
void *kin__vault_alloc(kin__vault *vault, size_t bytes) KIN_MUST_CHECK;

/* A terminated copy; NULL when there is no memory. */
char *kin__vault_copy(kin__vault *vault, kin_str text) KIN_MUST_CHECK;

/* All of `from` becomes part of `to`, and `from` empty. */
void kin__vault_move(kin__vault *to, kin__vault *from);

#endif /* KIN_CONFIG_VAULT_H */
