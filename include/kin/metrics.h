/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/metrics.h - the numbers the library keeps about itself.
 *
 * A kin_metrics is a registry that a program makes and gives to the objects whose
 * numbers it wants to see together.  Counting is an atomic addition; reading walks the
 * registry under its lock and never stops those who count.
 *
 *     kin_client_...    of a client: requests by verb and code, how long answers take to begin
 *     kin_loop_...      of a loop, a client's own included: how long its rounds take, which is what
 *                       all others on it wait for
 *     kin_informer_...  {informer="pods"}: the store's objects, bytes, indexes and version; lists,
 *                       watches, restarts, bookmarks and how long they took; failures by reason;
 *                       when something was heard last
 *     kin_handler_...   {informer="pods",handler="web"}: what is pending, was told by type, merged,
 *                       filtered, dropped; how long calls take, and how long notifications wait
 *     workqueue_...     {name="pods"}: of a work queue, under client-go's names: keys that wait,
 *                       were added and retried; how long they wait and are worked on
 *     controller_runtime_...
 *                       {controller="foo"}: of a controller, under controller-runtime's names:
 *                       reconcile_total by result (success, error, requeue, requeue_after),
 *                       reconcile_errors_total, reconcile_time_seconds, active_workers,
 *                       max_concurrent_reconciles; its queue is a workqueue of the same name
 *     kin_events_...    {controller="example.com/foo"}: of a recorder: events that wait, and what
 *                       became of the others
 *     leader_election_...  {name="foo"}: of a leader, under client-go's names: whether it leads,
 *                       and renewals for which the Lease had to be read first
 *
 * The HELP lines of the text say what each is.  The same numbers as structs: kin_informer_status,
 * kin_registration_status, kin_controller_status.
 *
 * Threading: thread-safe.
 */
#ifndef KIN_METRICS_H
#define KIN_METRICS_H

#include "kin/common.h"

KIN_BEGIN_DECLS

typedef struct kin_metrics kin_metrics;

/* `out` is owned by the caller; release with kin_metrics_free().  Fails with NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_metrics_new(kin_metrics **out, kin_error *err);

/* What still counts into it keeps it alive, unseen, until it is gone.  NULL is ignored. */
KIN_API void kin_metrics_free(kin_metrics *metrics);

/*
 * All metrics in the Prometheus text format (version 0.0.4), families sorted by name.  What is
 * called the same (informers of one name, and their handlers) counts together.
 * `out` is owned by the caller, terminated, `out_len` bytes long; release with kin_free().
 * Fails with NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_metrics_text(kin_metrics *metrics, char **out, size_t *out_len,
                                                kin_error *err);

KIN_END_DECLS
#endif /* KIN_METRICS_H */
