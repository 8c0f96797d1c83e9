/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - what the server says of an object, where a store may be too old.
 */
#ifndef REPLICASET_CONTROLLER_LOOKUP_H
#define REPLICASET_CONTROLLER_LOOKUP_H

#include "work.h"

/* One of the ReplicaSet's namespace.  `reply` is to be released with kin_reply_fini(), also after a
 * failure.  Fails as kin_reconcile_run(). */
kin_err lookup(const work *w, const char *resource, kin_str name, kin_reply *reply, kin_error *err);

#endif /* REPLICASET_CONTROLLER_LOOKUP_H */
