/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/upkeep.h - what the server does by itself: it empties and removes namespaces, and brings
 * custom resources in and out of service.
 *
 * On a real cluster these are controllers.  Here it is a job on the loop that does a bounded piece
 * of work at a time, and rests while there is nothing to do or finalizers hold everything up.
 *
 * And every five minutes it puts an end to lists at revisions that are older than that, as
 * kube-apiserver has etcd compacted: pages that were begun then can only be continued
 * inconsistently.  Watches begin at any revision that is still in the history, as a real server's
 * do from its cache.
 *
 * Other than the real ones, it deletes pods without grace: there is no kubelet that would end them.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_UPKEEP_H
#define KIN_SERVER_UPKEEP_H

#include "server/deed.h"

/* At most so many objects are deleted in one turn. */
#define KIN__UPKEEP_STEP 256

typedef struct kin__upkeep kin__upkeep;

/* For engine->upkeep; `engine` is borrowed for its life. */
kin_err kin__upkeep_new(kin__engine *engine, kin__upkeep **out, kin_error *err) KIN_MUST_CHECK;
void kin__upkeep_free(kin__upkeep *upkeep); /* NULL is ignored */
KIN__DEFINE_AUTO(kin__upkeep, kin__upkeep_free)

/* There may be something to do: in one of the next turns it is done.  An engine without upkeep
 * (NULL) does nothing. */
void kin__upkeep_wake(kin__engine *engine);

/* An object is gone: somebody may have waited for that. */
void kin__upkeep_removed(kin__engine *engine);

/* A custom resource definition was written: its versions are served from now on, and it will be
 * told so. */
void kin__upkeep_definition(kin__engine *engine, kin__record *definition);

/* One piece of work, as the job does it; true when there is more that can be done now. */
bool kin__upkeep_step(kin__engine *engine);

#endif /* KIN_SERVER_UPKEEP_H */
