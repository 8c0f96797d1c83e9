/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/informer.h - making an informer of parts.
 */
#ifndef KIN_INFORMER_INFORMER_H
#define KIN_INFORMER_INFORMER_H

#include "base/cleanup.h"
#include "cache/pool.h"
#include "informer/caller.h"
#include "kin/informer.h"

/* What an informer works with; borrowed until it is freed. */
typedef struct kin__informer_parts {
    kin_loop *loop;
    kin__caller caller;
    kin__pool *pool;
    kin_logger logger; /* for one that has none */
    uint64_t seed;     /* of all that is left to chance */
} kin__informer_parts;

/* As kin_informer_new(). */
kin_err kin__informer_make(const kin__informer_parts *parts, const kin_informer_options *options,
                           kin_informer **out, kin_error *err) KIN_MUST_CHECK;
KIN__DEFINE_AUTO(kin_informer, kin_informer_free)

const char *kin__informer_name(const kin_informer *informer);

/* As kin_informer_stop(), and waits for nobody.  Any thread. */
void kin__informer_begin_stop(kin_informer *informer);

#endif /* KIN_INFORMER_INFORMER_H */
