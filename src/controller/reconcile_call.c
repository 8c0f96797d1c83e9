/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_call.c - a reconcile's calls to the server.
 */
#include "api/client.h"
#include "base/error.h"
#include "controller/reconcile.h"

static kin_err check_going_on(const kin_reconcile *r, kin_error *err);
static void on_started(void *context, kin_call *call);
static void forget_call(kin_reconcile *r);

kin_err kin__reconcile_call(kin_reconcile *r, kin_request *request, const kin_handler *handler,
                            kin_reply *reply, kin_error *err)
{
    int64_t left_ms = kin_reconcile_left_ms(r);

    if (check_going_on(r, err) != KIN_OK) {
        return kin__error_prefix(err, "reconcile %.*s", KIN_STR_ARG(r->item->key));
    }
    if (left_ms >= 0 && (request->deadline_ms == 0 || request->deadline_ms > left_ms)) {
        request->deadline_ms = left_ms == 0 ? 1 : (uint32_t) left_ms;
    }
    kin_err code =
        kin__client_run(r->controller->client, request, handler, reply, on_started, r, err);
    forget_call(r);
    return code;
}

static kin_err check_going_on(const kin_reconcile *r, kin_error *err)
{
    kin_controller *controller = r->controller;

    if (kin__runtime_now_ms(controller) >= r->deadline_at_ms) {
        return kin__error_set(err, KIN_ERR_TIMEOUT, "its deadline has passed");
    }
    if (kin_reconcile_is_over(r)) {
        kin__mutex_lock(&controller->lock);
        bool is_stopping = controller->is_stopping;
        kin__mutex_unlock(&controller->lock);
        return kin__error_set(err, KIN_ERR_CANCELLED,
                              is_stopping ? "the controller is to stop" : "it leads no more");
    }
    return KIN_OK;
}

/* Who wanted to cancel it meanwhile has not found it. */
static void on_started(void *context, kin_call *call)
{
    kin_reconcile *r = context;
    kin_controller *controller = r->controller;

    kin__mutex_lock(&controller->lock);
    r->call = call;
    if (!kin__runtime_leads_locked(controller) ||
        kin__runtime_now_ms(controller) >= controller->cancel_at_ms) {
        kin_call_cancel(call);
        r->was_cancelled = true;
    }
    kin__mutex_unlock(&controller->lock);
}

static void forget_call(kin_reconcile *r)
{
    kin_controller *controller = r->controller;

    kin__mutex_lock(&controller->lock);
    kin_call *call = r->call;
    r->call = NULL;
    kin__mutex_unlock(&controller->lock);
    kin_call_free(call);
}
