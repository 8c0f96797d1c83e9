/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/wish.h - what is asked of a factory, and whether two ask for the same.
 *
 * Two wishes are the same when their rests are, and they mean the same resource.  What a name means
 * may be known only later: so it is kept in its own words, and its meaning written when it is
 * needed.
 */
#ifndef KIN_INFORMER_WISH_H
#define KIN_INFORMER_WISH_H

#include "api/directory.h"
#include "base/buf.h"
#include "kin/informer.h"

/* All zero is none. */
typedef struct kin__wish {
    kin__buf words;         /* the resource's name as it was written, terminated; empty: `of` */
    const kin_resource *of; /* shared */
    kin__buf rest; /* all else that tells informers apart: namespaces in order, selectors by what
                      they mean, what is kept of objects */
} kin__wish;

/* `out` is all zero, and to be released also when this fails.  What makes no sense is taken as it
 * is: the informer that is to be made of it says what is wrong.  Fails with NO_MEMORY. */
kin_err kin__wish_make(const kin_informer_options *options, kin__wish *out,
                       kin_error *err) KIN_MUST_CHECK;
void kin__wish_fini(kin__wish *wish);
KIN__DEFINE_AUTO_FINI(kin__wish, kin__wish_fini)

/* The same rest, and the resource by the same name. */
bool kin__wish_has_words_of(const kin__wish *wish, const kin__wish *other);
bool kin__wish_has_rest_of(const kin__wish *wish, const kin__wish *other);

/* Which resource is meant, as far as that is known now: from the server, else built in, else its
 * words.  Equal bytes for what is the same. */
void kin__wish_write_meaning(const kin__wish *wish, kin__directory *directory, kin__buf *out);

#endif /* KIN_INFORMER_WISH_H */
