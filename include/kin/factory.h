/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/factory.h - one informer for each resource, shared by all parts of a program.
 *
 * Who asks for the same resource, namespaces and selectors gets the same informer, in whichever
 * words:
 *   - "po", "pods", "Pod", "pods.v1." and `of`.  Names of stable built-in resources are known
 *     beforehand; those of others once the server was asked what it has, which the first informer
 *     that starts does.  So of a custom resource two may be made before the start, under two names;
 *     each of them stays what its own name gives.  Where the server serves several stable versions
 *     of a built-in resource, one that is asked for by version is the same as one without only from
 *     then on.
 *   - Selectors by their canonical text (kin_selector_text()): "a=b,c" and "c, a=b".
 *   - Several namespaces in any order.
 *
 * Threading: thread-safe.
 */
#ifndef KIN_FACTORY_H
#define KIN_FACTORY_H

#include "kin/informer.h"

KIN_BEGIN_DECLS

typedef struct kin_factory kin_factory;

/*
 * defaults  what informers get that are asked for with less: every field that the request leaves
 *           zero is taken from here (resource, `of` and name excepted; `ns` and `namespaces` go
 *           together, and so do `keep_deleted_ms` and `keep_deleted_max`).  What it points to is
 *           borrowed until the factory and its informers are freed; NULL: nothing
 * out       owned by the caller; release with kin_factory_free()
 */
KIN_API KIN_MUST_CHECK kin_err kin_factory_new(kin_client *client,
                                               const kin_informer_options *defaults,
                                               kin_factory **out, kin_error *err);

/* Stops and frees all its informers, as kin_informer_free().  NULL is ignored. */
KIN_API void kin_factory_free(kin_factory *factory);

/*
 * The informer for that, made at the first request; borrowed from the factory until it is removed.
 * Indexes that are asked for and not there yet are added.  One that is asked for differently in
 * what it keeps (mask, transform, metadata_only, key, encoding, keep_deleted_ms, keep_deleted_max)
 * is another; all else is as the first request had it.  At any time; a new one is started at once
 * when the factory has been started. Fails as kin_informer_new() and kin_store_add_index().
 */
KIN_API KIN_MUST_CHECK kin_err kin_factory_informer(kin_factory *factory,
                                                    const kin_informer_options *options,
                                                    kin_informer **out, kin_error *err);

/* Starts those that do not run. */
KIN_API KIN_MUST_CHECK kin_err kin_factory_start(kin_factory *factory, kin_error *err);

/* Waits until all are synced.  Fails with TIMEOUT: the message names those that are not, and why.
 */
KIN_API KIN_MUST_CHECK kin_err kin_factory_wait_synced(kin_factory *factory, int64_t deadline_ms,
                                                       kin_error *err);

/* As kin_informer_stop() of all. */
KIN_API KIN_MUST_CHECK kin_err kin_factory_stop(kin_factory *factory, int64_t deadline_ms,
                                                kin_error *err);

/* As kin_informer_stop_and_drop() of all. */
KIN_API KIN_MUST_CHECK kin_err kin_factory_stop_and_drop(kin_factory *factory, int64_t deadline_ms,
                                                         kin_error *err);

/* Stops and frees one; whoever has asked for it must have let go of it.  Fails with NOT_FOUND. */
KIN_API KIN_MUST_CHECK kin_err kin_factory_remove(kin_factory *factory, kin_informer *informer,
                                                  kin_error *err);

KIN_END_DECLS
#endif /* KIN_FACTORY_H */
