/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/cuts.h - what is cut out of some bytes, and where the rest comes to lie.
 *
 * Cuts are added from front to back.
 *
 * Threading: confined.
 */
#ifndef KIN_OBJECT_CUTS_H
#define KIN_OBJECT_CUTS_H

#include "kin/common.h"

#define KIN__CUTS_FEW 8

typedef struct kin__cut {
    uint32_t from;
    uint32_t to;
    uint32_t removed; /* bytes cut out up to `to` */
} kin__cut;

typedef struct kin__cuts {
    size_t count;
    size_t capacity;
    kin__cut *items; /* `few`, or owned */
    kin__cut few[KIN__CUTS_FEW];
} kin__cuts;

/* A struct that has been initialised must stay where it is. */
void kin__cuts_init(kin__cuts *cuts);
void kin__cuts_fini(kin__cuts *cuts);

/* Cuts out the bytes from `from` to before `to`; `from` is not before the end of the last cut.
 * False when there is no memory. */
bool kin__cuts_add(kin__cuts *cuts, uint32_t from, uint32_t to) KIN_MUST_CHECK;

/* How many bytes are cut out in all. */
uint32_t kin__cuts_removed(const kin__cuts *cuts);

/* Where the byte at `place`, which is not cut out, comes to lie. */
uint32_t kin__cuts_map(const kin__cuts *cuts, uint32_t place);

/* Writes what is left of the bytes from `from` to before `to` to `out`.  All cuts lie between
 * the two. */
void kin__cuts_copy(const kin__cuts *cuts, const char *bytes, uint32_t from, uint32_t to,
                    char *out);

#endif /* KIN_OBJECT_CUTS_H */
