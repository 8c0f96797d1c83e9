/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vault.c - memory for secrets: blocks that are overwritten before they go.
 *
 * Blocks never move, so no copy of a secret is left behind when more is needed.
 */
#include "config/vault.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"

#define BLOCK_BYTES ((size_t) 4096) /* of an ordinary block; what is larger gets its own */

typedef struct kin__vault_block {
    struct kin__vault_block *next;
    size_t size; /* of `bytes` */
    size_t used;
    alignas(max_align_t) char bytes[];
} kin__vault_block;

static kin__vault_block *block_with_room(kin__vault *vault, size_t bytes);

void kin__vault_fini(kin__vault *vault)
{
    while (vault->blocks != NULL) {
        kin__vault_block *block = vault->blocks;
        vault->blocks = block->next;
        explicit_bzero(block->bytes, block->used);
        kin__free(block);
    }
}

void *kin__vault_alloc(kin__vault *vault, size_t bytes)
{
    size_t rounded;

    if (__builtin_add_overflow(bytes, alignof(max_align_t) - 1, &rounded)) {
        return NULL;
    }
    rounded -= rounded % alignof(max_align_t);
    kin__vault_block *block = block_with_room(vault, rounded);
    if (block == NULL) {
        return NULL;
    }
    void *piece = block->bytes + block->used;
    block->used += rounded;
    memset(piece, 0, rounded);
    return piece;
}

char *kin__vault_copy(kin__vault *vault, kin_str text)
{
    char *copy = kin__vault_alloc(vault, text.len + 1);

    if (copy != NULL && text.len != 0) {
        memcpy(copy, text.data, text.len);
    }
    return copy;
}

void kin__vault_move(kin__vault *to, kin__vault *from)
{
    kin__vault_block **end = &from->blocks;

    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = to->blocks;
    to->blocks = from->blocks;
    from->blocks = NULL;
}

static kin__vault_block *block_with_room(kin__vault *vault, size_t bytes)
{
    kin__vault_block *newest = vault->blocks;
    size_t size = bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes;
    size_t whole;

    if (newest != NULL && newest->size - newest->used >= bytes) {
        return newest;
    }
    if (__builtin_add_overflow(size, sizeof *newest, &whole)) {
        return NULL;
    }
    kin__vault_block *block = kin__alloc(whole);
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    block->used = 0;
    block->next = newest;
    vault->blocks = block;
    return block;
}
