/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/sys/allocator.h - where the library's memory comes from.
 *
 * Every allocation of the library goes through one allocator: malloc, realloc and
 * free unless a program sets its own.  When the allocator returns NULL the call that
 * needed the memory returns KIN_ERR_NO_MEMORY and leaves its inputs as they were.
 * What libcurl, OpenSSL and libyaml need they take from malloc themselves; so does
 * libkin-testing, which has a copy of its own of what lies below it.
 *
 * Stability: promised within a minor release only, as everything under kin/sys/.
 */
#ifndef KIN_SYS_ALLOCATOR_H
#define KIN_SYS_ALLOCATOR_H

#include "kin/common.h"

KIN_BEGIN_DECLS

/* All three functions are required, may be called from any thread, and must not call back
 * into the library.  `context` is passed through. */
typedef struct kin_allocator {
    size_t size; /* set by KIN_ALLOCATOR_INIT */
    void *context;
    void *(*alloc)(void *context, size_t bytes);                 /* as malloc; bytes > 0 */
    void *(*realloc)(void *context, void *memory, size_t bytes); /* as realloc; bytes > 0 */
    void (*release)(void *context, void *memory);                /* as free; never NULL */
} kin_allocator;

#define KIN_ALLOCATOR_INIT                                                                         \
    {                                                                                              \
        sizeof(kin_allocator), NULL, NULL, NULL, NULL                                              \
    }

/*
 * Uses `allocator` (copied) from now on; NULL goes back to malloc.  To be called before
 * anything else of the library, or while it holds no memory: a block is released by the
 * allocator that is set at that moment.  Not thread-safe, unlike what it sets.
 *
 * Fails with USAGE when a function is missing or the struct was not initialised.
 */
KIN_API KIN_MUST_CHECK kin_err kin_allocator_set(const kin_allocator *allocator, kin_error *err);

KIN_END_DECLS
#endif /* KIN_SYS_ALLOCATOR_H */
