/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/alloc.h - the only way to memory inside the library.
 *
 * Everything goes to the allocator of kin/sys/allocator.h.  NULL means that there is no memory.
 */
#ifndef KIN_BASE_ALLOC_H
#define KIN_BASE_ALLOC_H

#include <stddef.h>

#include "kin/sys/allocator.h"

/* `bytes` may be 0 and then gives a block as well. */
void *kin__alloc(size_t bytes) KIN_MUST_CHECK;

/* `count` elements of `bytes` each, zeroed; NULL also when the product overflows. */
void *kin__alloc_zero(size_t count, size_t bytes) KIN_MUST_CHECK;

/* `memory` may be NULL.  On failure the old block stays as it was. */
void *kin__realloc(void *memory, size_t bytes) KIN_MUST_CHECK;

/* NULL is ignored. */
void kin__free(void *memory);

/*
 * Many small blocks are about to be asked for and kept: KIN__ALLOC_STEP bytes in all, again and
 * again.  Lets the default allocator grow once for all of them.  Changes nothing else.
 */
#define KIN__ALLOC_STEP (96u << 10)
void kin__alloc_expect(void);

#endif /* KIN_BASE_ALLOC_H */
