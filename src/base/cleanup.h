/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/cleanup.h - locals that release themselves.
 *
 *     AUTO(kin__thing_free) kin__thing *thing = NULL;
 *     ...
 *     *out = STEAL(thing);
 */
#ifndef KIN_BASE_CLEANUP_H
#define KIN_BASE_CLEANUP_H

#include <stddef.h>

/* Stands beside the type: makes AUTO(release) work for `type *`. */
#define KIN__DEFINE_AUTO(type, release)                                                            \
    static inline void release##_auto(type **p)                                                    \
    {                                                                                              \
        release(*p);                                                                               \
    }

/* The same for a struct that is embedded: AUTO(fini) type x = ...; */
#define KIN__DEFINE_AUTO_FINI(type, fini)                                                          \
    static inline void fini##_auto(type *p)                                                        \
    {                                                                                              \
        fini(p);                                                                                   \
    }

#define AUTO(release) __attribute__((cleanup(release##_auto)))
#define STEAL(p)                                                                                   \
    (__extension__({                                                                               \
        __typeof__(p) stolen_ = (p);                                                               \
        (p) = NULL;                                                                                \
        stolen_;                                                                                   \
    }))

#endif /* KIN_BASE_CLEANUP_H */
