/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/reconcile.h - one call of the program's function.
 */
#ifndef KIN_CONTROLLER_RECONCILE_H
#define KIN_CONTROLLER_RECONCILE_H

#include "controller/runtime.h"

KIN__DEFINE_AUTO(const kin_object, kin_object_unref)

/* On the worker's stack. */
struct kin_reconcile {
    kin_controller *controller;
    const kin_queue_item *item;
    kin_str ns;
    kin_str name;
    int64_t deadline_at_ms;   /* INT64_MAX: none */
    int64_t again_at_ms;      /* INT64_MAX: not wanted */
    bool has_looked;          /* for the object */
    const kin_object *object; /* shared */
    kin__link link;     /* in the controller's running; guarded by its lock, as are the next */
    kin_call *call;     /* owned: what it waits for; NULL: nothing */
    bool was_cancelled; /* what it waited for */
};

/* Runs a call for it, within its deadline; can be cancelled by who stops the controller.  Fails as
 * kin_client_run(), and with TIMEOUT or CANCELLED when the reconcile is over. */
kin_err kin__reconcile_call(kin_reconcile *r, kin_request *request, const kin_handler *handler,
                            kin_reply *reply, kin_error *err) KIN_MUST_CHECK;

/* A write that the server has accepted. */
typedef struct kin__reconcile_write {
    kin_str group; /* of the resource */
    kin_str kind;
    kin_str key;              /* of the object */
    kin_str version;          /* what it has now; empty: not known */
    bool is_gone;             /* it was deleted ... */
    kin_str uid;              /* ... this one; empty: whichever the store has */
    const kin_object *object; /* as it is now; NULL: not known */
} kin__reconcile_write;

/* The next reconcile of this key waits until it is in the stores of all informers that follow the
 * object. */
void kin__reconcile_record(kin_reconcile *r, const kin__reconcile_write *write);

/* The informer is of the controller's server. */
bool kin__reconcile_is_of_server(const kin__runtime_watch *watch);

/* What an object is, as far as the controller's informers know; shared; NULL: they do not. */
const kin_resource *kin__reconcile_resource(const kin_reconcile *r, const kin_object *object);

/* "apps" of "apps/v1", nothing of "v1". */
kin_str kin__reconcile_group(kin_str api_version);

#endif /* KIN_CONTROLLER_RECONCILE_H */
