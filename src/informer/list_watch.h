/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer/list_watch.h - drives a reflector: carries out what it asks for, on the loop.
 *
 * First it finds out what the resource is.  Then each list and watch of the reflector is a call,
 * each wait a timer, and what comes of them goes back in.  What the reflector tells goes to its
 * sink.
 *
 * What it promises
 *   - A resource that the server does not have, or does not tell, is tried again as a list is: the
 *     same waits, the same states, the same trouble told.
 *   - When the server does not know it any more (404) what its name means is asked anew before the
 *     next attempt: it may have come back as another version.
 *   - Calls are not repeated by the client: waiting is the reflector's business.
 *   - It stops for want of nothing: without memory for a timer it looks again in the next round.
 *
 * Threading: everything on the loop, new and free included.
 */
#ifndef KIN_INFORMER_LIST_WATCH_H
#define KIN_INFORMER_LIST_WATCH_H

#include "cache/reflector.h"
#include "informer/caller.h"
#include "kin/informer.h"

typedef struct kin__list_watch kin__list_watch;

typedef struct kin__list_watch_options {
    kin_loop *loop;
    kin__caller caller;
    /* What all calls have in common: resource or `of`, namespace, selectors, mask, encoding, ...
     * Borrowed until free. */
    const kin_request *request;
    bool needs_namespaces; /* a resource without them will not do */
    /* All but is_protobuf, which is found out.  What it points to is borrowed until free. */
    kin__reflector_options reflector;
    /* An object that is there already, in that very version (shared); asked for each one that comes
     * as part of a whole state after the first.  NULL: nothing is. */
    kin_object *(*known)(void *context, kin_str ns, kin_str name, kin_str uid,
                         kin_str resource_version);
    /* The sink was told something, or it stands otherwise than before.  May be called often; must
     * not call back. */
    void (*changed)(void *context);
    /* A call has ended, well or not.  Must not call back.  NULL: nobody is told. */
    void (*ended)(void *context, bool is_watch, int64_t took_ms);
    void *context;
} kin__list_watch_options;

/* Fails with NO_MEMORY. */
kin_err kin__list_watch_new(const kin__list_watch_options *options, kin__list_watch **out,
                            kin_error *err) KIN_MUST_CHECK;

/* It has stopped, or was never started.  NULL is ignored. */
void kin__list_watch_free(kin__list_watch *driver);
KIN__DEFINE_AUTO(kin__list_watch, kin__list_watch_free)

/* Begins, or goes on where it was stopped.  Does nothing when it runs. */
void kin__list_watch_start(kin__list_watch *driver);

/* Nothing is told to the sink from here on; it has stopped when the call under way has ended. */
void kin__list_watch_stop(kin__list_watch *driver);
bool kin__list_watch_has_stopped(const kin__list_watch *driver);

typedef struct kin__list_watch_status {
    kin_informer_state state; /* BLOCKED excepted */
    kin__reflector_status reflector;
    const kin_error *error; /* the last one, also of finding out; borrowed; NULL: none */
    int64_t error_at_ms;
    int64_t heard_at_ms;  /* when the last thing came; -1: no watch is open */
    int64_t opened_at_ms; /* when the watch was; likewise */
    uint64_t failures;
} kin__list_watch_status;

/* What it follows, borrowed until the next call; NULL: that is not known yet. */
const kin_resource *kin__list_watch_resource(const kin__list_watch *driver);

kin__list_watch_status kin__list_watch_look(const kin__list_watch *driver);

#endif /* KIN_INFORMER_LIST_WATCH_H */
