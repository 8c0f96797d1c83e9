/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/informer.h - making an informer of parts.
 */
#ifndef KIN_INFORMER_INFORMER_H
#define KIN_INFORMER_INFORMER_H

#include "base/cleanup.h"
#include "base/list.h"
#include "cache/pending.h"
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

/* Somebody who looks at an informer after each of its turns: what its store holds by then, whether
 * it has synced.  `fn` runs on the loop, with a lock of the informer's held: it posts a job, and
 * that is all. */
typedef struct kin__informer_observer {
    kin__link link; /* all zero at first */
    void (*fn)(void *context);
    void *context;
} kin__informer_observer;

/* Both on any thread; when the second has returned `fn` does not run, and is not called any more.
 * One that observes nothing is ignored there. */
void kin__informer_observe(kin_informer *informer, kin__informer_observer *observer);
void kin__informer_unobserve(kin_informer *informer, kin__informer_observer *observer);

/* What it is about.  Any thread. */
const kin_resource *
kin__informer_resource(kin_informer *informer); /* shared; NULL: not known yet */
const kin_informer_options *kin__informer_options(const kin_informer *informer); /* no namespaces */
const kin_client *kin__informer_client(const kin_informer *informer);       /* NULL: it has none */
bool kin__informer_has_namespace(const kin_informer *informer, kin_str ns); /* follows it */
size_t kin__informer_source_count(const kin_informer *informer); /* its namespaces; all: 1 */
/* Of one of these; NULL: all. */
const char *kin__informer_namespace(const kin_informer *informer, size_t source);

/* The store has all that happened to the object `key` up to this version, as
 * kin_informer_wait_for().  Any thread; waits for nobody. */
bool kin__informer_has_seen(const kin_informer *informer, kin_str key, kin_str resource_version);

/* At which version the store stands, as far as the object `key` goes; copied.  Cut to nothing when
 * it is too long.  Any thread. */
kin_str kin__informer_stands_at(const kin_informer *informer, kin_str key, char *buffer,
                                size_t size);

/* As kin_informer_add_handler(); `may_merge` is asked before notifications are merged, on the loop
 * and with the registration's lock held: it must not wait, nor call the registration. */
kin_err kin__informer_add_handler(kin_informer *informer, const kin_registration_options *options,
                                  kin__may_merge_fn may_merge, kin_registration **out,
                                  kin_error *err) KIN_MUST_CHECK;

/* As kin_informer_stop() and kin_informer_stop_and_drop(), and wait for nobody.  Any thread. */
void kin__informer_begin_stop(kin_informer *informer);
void kin__informer_begin_drop(kin_informer *informer);

#endif /* KIN_INFORMER_INFORMER_H */
