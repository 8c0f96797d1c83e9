/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/slab.h - memory for the small parts of which stores are made.
 *
 * One for the whole process: a thousand small stores share what one large one would fill.  Pieces
 * of one size, rounded up to 64 bytes, lie in blocks of 16 KB; blocks lie in regions that come from
 * base/alloc.h and go back there when nothing in them is in use.  Regions get larger with what is
 * held; once that is 8 MB they ask for huge pages.  New pieces go into the fullest blocks, so that
 * the others may become empty.
 *
 * Threading: thread-safe.
 */
#ifndef KIN_BASE_SLAB_H
#define KIN_BASE_SLAB_H

#include "kin/common.h"

#define KIN__SLAB_ALIGN 64

/* Aligned to KIN__SLAB_ALIGN; NULL when there is no memory. */
void *kin__slab_alloc(size_t bytes) KIN_MUST_CHECK;

/* `bytes` is what was asked for, or anything that rounds up to the same. */
void kin__slab_free(void *memory, size_t bytes);

/* Bytes of regions that are held at the moment; pieces too large for a block do not count. */
size_t kin__slab_held(void);

/* Between these, new pieces do not go into regions that were there before: whoever copies what is
 * left of much and releases the rest, gives those back.  Pairs may overlap. */
void kin__slab_begin_gathering(void);
void kin__slab_end_gathering(void);

/* For tests, while no piece is in use: each piece is an allocation of its own, so that each can
 * fail, and AddressSanitizer sees its use after release. */
void kin__slab_set_apart(bool is_apart);

/* Around fork(), so that the child finds everything whole. */
void kin__slab_before_fork(void);
void kin__slab_after_fork(void);

#endif /* KIN_BASE_SLAB_H */
