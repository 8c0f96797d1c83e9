/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile.c - one call of the program's function: what it is about, and how much time is left.
 */
#include "controller/reconcile.h"

#include <string.h>

#include "base/str.h"

kin_str kin_reconcile_key(const kin_reconcile *r)
{
    return r->item->key;
}

kin_str kin_reconcile_namespace(const kin_reconcile *r)
{
    return r->ns;
}

kin_str kin_reconcile_name(const kin_reconcile *r)
{
    return r->name;
}

kin_client *kin_reconcile_client(const kin_reconcile *r)
{
    return r->controller->client;
}

uint32_t kin_reconcile_failures(const kin_reconcile *r)
{
    return r->item->failures;
}

/* The same for the whole call. */
const kin_object *kin_reconcile_object(kin_reconcile *r)
{
    if (!r->has_looked) {
        kin_view view = kin_store_read(kin_informer_store(r->controller->about->informer));
        r->object = kin_object_ref(kin_view_get(&view, r->item->key));
        kin_store_done(&view);
        r->has_looked = true;
    }
    return r->object;
}

void kin_reconcile_again(kin_reconcile *r, int64_t after_ms)
{
    int64_t at_ms = kin__runtime_moment(r->controller, after_ms < 0 ? 0 : after_ms);

    if (at_ms == INT64_MAX) {
        at_ms--; /* later than anybody lives, but wanted */
    }
    r->again_at_ms = at_ms < r->again_at_ms ? at_ms : r->again_at_ms;
}

bool kin_reconcile_is_over(const kin_reconcile *r)
{
    kin_controller *controller = r->controller;

    if (kin__runtime_now_ms(controller) >= r->deadline_at_ms) {
        return true;
    }
    kin__mutex_lock(&controller->lock);
    bool is_open = kin__runtime_is_open_locked(controller);
    kin__mutex_unlock(&controller->lock);
    return !is_open;
}

int64_t kin_reconcile_left_ms(const kin_reconcile *r)
{
    if (r->deadline_at_ms == INT64_MAX) {
        return -1;
    }
    int64_t left_ms = r->deadline_at_ms - kin__runtime_now_ms(r->controller);
    return left_ms < 0 ? 0 : left_ms;
}

kin_str kin__reconcile_group(kin_str api_version)
{
    const char *slash =
        api_version.len == 0 ? NULL : memchr(api_version.data, '/', api_version.len);

    return kin__str(api_version.data, slash == NULL ? 0 : (size_t) (slash - api_version.data));
}
