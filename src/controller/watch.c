/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - an informer that a controller looks at: whom its changes concern.
 *
 * Handlers run on threads of the pool.  A key that cannot be queued for want of memory is tried
 * again until it can: a change is never lost, and who waits is this handler alone.
 *
 * Nor is it lost when a handler falls behind.  A reconcile may have seen every state that the store
 * has shown, so whom a state concerned must be told when it has passed; but merged notifications
 * know the first and the last state only.  Before two are merged their keys are therefore queued
 * (of what the controller is about, and what it owns: both need no function of the program), and
 * where only a map could name them nothing is merged: the informer rests instead.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "controller/reconcile.h"
#include "controller/runtime.h"
#include "kin/key.h"

#define NAME_BYTES 253 /* of a name or kind, at most */
#define KEY_BYTES 512

/* Where a change leads. */
struct kin_concerned {
    kin_controller *controller;
    kin_priority priority;
    bool is_change; /* not what was there, nor a resync */
    bool is_twice;  /* what was is asked as well as what is: most keys come from both ... */
    kin__map seen;  /* ... and are queued once */
};

/* An owner's key, or none. */
typedef struct owner {
    kin_str key; /* in `bytes` */
    char bytes[KEY_BYTES];
} owner;

static bool is_seen(kin_concerned *concerned, kin_str key);
static bool may_merge(void *context, const kin_notification *older, const kin_notification *newer);
static bool queue_at_once(const kin__runtime_watch *watch, const kin_notification *n);
static bool queue_owner_at_once(const kin__runtime_watch *watch, const kin_object *object,
                                kin_priority priority);
static bool queue_key_at_once(const kin__runtime_watch *watch, kin_str key, kin_priority priority);
static kin_priority priority_of(const kin_notification *n);
static kin_err replace_handler(kin__runtime_watch *watch, kin_error *err);
static kin_err queue_all(kin_controller *controller, kin_error *err);
static void on_change(void *context, const kin_notification *n);
static void on_synced(void *context);
static void on_end(void *context);
static void tell_owners(const kin__runtime_watch *watch, const kin_notification *n,
                        kin_concerned *concerned);
static bool find_owner(const kin_resource *primary, const kin_object *object, owner *out);
static bool is_of(kin_value reference, const kin_resource *primary);
static kin_err add(const kin_concerned *concerned, kin_str key, kin_error *err);

void kin__runtime_watch_free(kin__runtime_watch *watch)
{
    if (watch != NULL) {
        kin_selector_free(watch->labels);
        kin_field_selector_free(watch->fields);
        kin__free(watch);
    }
}

kin_err kin__runtime_watch_begin(kin__runtime_watch *watch, kin_error *err)
{
    kin_controller *controller = watch->controller;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.name = controller->options.name;
    options.context = watch;
    options.on_add = options.on_update = options.on_delete = on_change;
    options.on_synced = on_synced;
    options.on_end = on_end;
    options.policy = watch->role == KIN__RUNTIME_MAPS ? KIN_BACKLOG_BLOCK : KIN_BACKLOG_COALESCE;
    atomic_store(&watch->is_told, false); /* that of a start that failed may have been */
    kin__mutex_lock(&controller->lock);
    controller->live++;
    kin__mutex_unlock(&controller->lock);
    kin_registration *registration = NULL;
    kin_err code =
        kin__informer_add_handler(watch->informer, &options, may_merge, &registration, err);
    if (code == KIN_OK) {
        atomic_store(&watch->registration, registration);
    } else {
        kin__mutex_lock(&controller->lock);
        controller->live--;
        kin__mutex_unlock(&controller->lock);
    }
    return code;
}

/* What was pending is lost with the handler, and nobody knows whom it concerned: all keys come. The
 * new one tells of those itself that it is about. */
kin_err kin__runtime_watch_renew(kin__runtime_watch *watch, kin_error *err)
{
    if (atomic_exchange(&watch->has_ended, false)) {
        if (replace_handler(watch, err) != KIN_OK) {
            atomic_store(&watch->has_ended, true);
            return err->code;
        }
        watch->owes_all = watch->role != KIN__RUNTIME_ABOUT;
    }
    if (watch->owes_all && queue_all(watch->controller, err) != KIN_OK) {
        return err->code;
    }
    watch->owes_all = false;
    return KIN_OK;
}

void kin__runtime_end_watches(kin_controller *controller)
{
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        kin__informer_unobserve(watch->informer, &watch->observer);
        kin_registration_free(atomic_exchange(&watch->registration, NULL));
    }
    kin__mutex_lock(&controller->lock);
    while (controller->live > 0) {
        kin__runtime_wait_locked(controller, INT64_MAX);
    }
    kin__mutex_unlock(&controller->lock);
}

bool kin__runtime_watch_has_synced(const kin__runtime_watch *watch)
{
    return kin_informer_has_synced(watch->informer) &&
           (watch->role == KIN__RUNTIME_READS || atomic_load(&watch->is_told));
}

bool kin__runtime_watch_is_behind(const kin__runtime_watch *watch)
{
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    const kin_registration *registration = atomic_load(&watch->registration);

    if (atomic_load(&watch->has_ended)) {
        return true;
    }
    return registration != NULL &&
           kin_registration_get_status(registration, &status, NULL) == KIN_OK &&
           (status.pending > 0 || status.is_running);
}

void kin_concerned_add(kin_concerned *concerned, kin_str key)
{
    kin_controller *controller = concerned->controller;
    kin_error err;

    if (concerned->is_twice && is_seen(concerned, key)) {
        return;
    }
    kin_err code = add(concerned, key, &err);

    while (code == KIN_ERR_NO_MEMORY && kin__runtime_rest(controller)) {
        code = add(concerned, key, &err);
    }
    if (code != KIN_OK && code != KIN_ERR_CANCELLED) {
        kin__log(&controller->logger, KIN_LOG_ERROR, "controller", "%s: a change is dropped: %s",
                 controller->options.name, err.message);
    }
}

/* Without memory to remember it a key is queued again: it is reconciled once more, that is all. */
static bool is_seen(kin_concerned *concerned, kin_str key)
{
    bool is_there = kin__map_get(&concerned->seen, key) != NULL;
    kin_error err;

    if (!is_there) {
        (void) !kin__map_put(&concerned->seen, key, concerned, NULL, &err);
    }
    return is_there;
}

/* ---- one that falls behind ------------------------------------------------------------------ */

/* On the loop, with the handler's lock held: asks neither a predicate nor the controller's lock,
 * which is taken before that one.  Hence a key is queued that may not matter, and without being
 * debounced.  False, for want of memory: both wait by themselves. */
static bool may_merge(void *context, const kin_notification *older, const kin_notification *newer)
{
    const kin__runtime_watch *watch = context;

    return queue_at_once(watch, older) && queue_at_once(watch, newer);
}

static bool queue_at_once(const kin__runtime_watch *watch, const kin_notification *n)
{
    kin_priority priority = priority_of(n);

    if (watch->role == KIN__RUNTIME_ABOUT) {
        return queue_key_at_once(watch, n->key, priority);
    }
    return queue_owner_at_once(watch, n->object, priority) &&
           (n->before == NULL || queue_owner_at_once(watch, n->before, priority));
}

static bool queue_owner_at_once(const kin__runtime_watch *watch, const kin_object *object,
                                kin_priority priority)
{
    owner found;

    return !find_owner(watch->controller->primary, object, &found) ||
           queue_key_at_once(watch, found.key, priority);
}

/* After a stop nothing is queued any more. */
static bool queue_key_at_once(const kin__runtime_watch *watch, kin_str key, kin_priority priority)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    options.priority = priority;
    return kin_queue_add(watch->controller->queue, key, &options, NULL) != KIN_ERR_NO_MEMORY;
}

/* What was there, and resyncs, come after what has changed. */
static kin_priority priority_of(const kin_notification *n)
{
    return n->is_initial || n->is_resync ? KIN_PRIORITY_LOW : KIN_PRIORITY_NORMAL;
}

/* ---- one that was dropped ------------------------------------------------------------------- */

/* The lock, because those who look how it fares have it. */
static kin_err replace_handler(kin__runtime_watch *watch, kin_error *err)
{
    kin_controller *controller = watch->controller;

    kin__mutex_lock(&controller->lock);
    kin_registration_free(atomic_exchange(&watch->registration, NULL));
    kin__mutex_unlock(&controller->lock);
    if (kin__runtime_watch_begin(watch, err) != KIN_OK) {
        return err->code;
    }
    kin__log(&controller->logger, KIN_LOG_WARNING, "controller",
             "%s: informer \"%s\" has dropped its handler: begins anew, with all keys",
             controller->options.name, kin__informer_name(watch->informer));
    return KIN_OK;
}

/* Of all that it is about. */
static kin_err queue_all(kin_controller *controller, kin_error *err)
{
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    kin_view view = kin_store_read(kin_informer_store(controller->about->informer));
    kin_view_iter all = kin_view_all(&view);
    kin_err code = KIN_OK;

    options.priority = KIN_PRIORITY_LOW;
    while (code != KIN_ERR_NO_MEMORY && kin_view_next(&all)) {
        code = kin_queue_add(controller->queue, all.key, &options, err);
    }
    kin_store_done(&view);
    return code == KIN_ERR_NO_MEMORY ? code : KIN_OK;
}

/* ---- the handler ---------------------------------------------------------------------------- */

static void on_change(void *context, const kin_notification *n)
{
    kin__runtime_watch *watch = context;
    kin_concerned concerned = {
        .controller = watch->controller,
        .priority = priority_of(n),
        .is_change = !n->is_initial && !n->is_resync,
        .is_twice = n->before != NULL && n->before != n->object,
    };

    if (watch->predicate.fn != NULL && !watch->predicate.fn(watch->predicate.context, n)) {
        return;
    }
    switch (watch->role) {
    case KIN__RUNTIME_ABOUT:
        concerned.is_twice = false;
        kin_concerned_add(&concerned, n->key);
        break;
    case KIN__RUNTIME_OWNS:
        tell_owners(watch, n, &concerned);
        break;
    case KIN__RUNTIME_MAPS:
        if (concerned.is_twice) {
            watch->map(watch->map_context, n->before, &concerned);
        }
        watch->map(watch->map_context, n->object, &concerned);
        break;
    case KIN__RUNTIME_READS:
        break;
    }
    kin__map_clear(&concerned.seen);
}

static void on_synced(void *context)
{
    kin__runtime_watch *watch = context;

    atomic_store(&watch->is_told, true);
    kin__runtime_wake(watch->controller);
}

/* The last that is heard of it: the controller may be gone once this has unlocked.  While nobody
 * has said stop it was the informer's end (kin_informer_stop_and_drop()), and that may be started
 * again. */
static void on_end(void *context)
{
    kin__runtime_watch *watch = context;
    kin_controller *controller = watch->controller;

    kin__mutex_lock(&controller->lock);
    controller->live--;
    if (!controller->is_stopping) {
        atomic_store(&watch->has_ended, true);
        kin__runtime_wake(controller);
    }
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);
}

/* ---- owners --------------------------------------------------------------------------------- */

static void tell_owners(const kin__runtime_watch *watch, const kin_notification *n,
                        kin_concerned *concerned)
{
    const kin_resource *primary = watch->controller->primary;
    owner found;

    if (find_owner(primary, n->object, &found)) {
        kin_concerned_add(concerned, found.key);
    }
    if (concerned->is_twice && find_owner(primary, n->before, &found)) {
        kin_concerned_add(concerned, found.key);
    }
}

/* What is no reference, or names what cannot be, is none. */
static bool find_owner(const kin_resource *primary, const kin_object *object, owner *out)
{
    char scratch[NAME_BYTES + 1];
    kin_str ns = kin_object_namespace(object);
    kin_str name;
    kin_value reference = kin_object_controller_owner(object);

    if (!is_of(reference, primary) || kin_value_str(kin_value_member(reference, STR("name")),
                                                    scratch, sizeof scratch, &name) != KIN_OK) {
        return false;
    }
    if (!kin_resource_is_namespaced(primary)) {
        ns.len = 0;
    } else if (ns.len == 0) {
        return false; /* what has no namespace is owned by nothing that has one */
    }
    return name.len <= NAME_BYTES &&
           kin_key_make(ns, name, out->bytes, sizeof out->bytes, &out->key, NULL) == KIN_OK;
}

static bool is_of(kin_value reference, const kin_resource *primary)
{
    char scratch[2][NAME_BYTES + 1];
    kin_str api_version;
    kin_str kind;

    return kin_value_str(kin_value_member(reference, STR("kind")), scratch[0], sizeof scratch[0],
                         &kind) == KIN_OK &&
           kin_value_str(kin_value_member(reference, STR("apiVersion")), scratch[1],
                         sizeof scratch[1], &api_version) == KIN_OK &&
           kin__str_equal(kind, kin_str_of(kin_resource_kind(primary))) &&
           kin__str_equal(kin__reconcile_group(api_version),
                          kin_str_of(kin_resource_group(primary)));
}

/* ---- into the queue ------------------------------------------------------------------------- */

static kin_err add(const kin_concerned *concerned, kin_str key, kin_error *err)
{
    kin_controller *controller = concerned->controller;
    uint32_t debounce_ms = controller->options.debounce_ms;
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;

    if (!concerned->is_change || debounce_ms == 0) {
        options.priority = concerned->priority;
        return kin_queue_add(controller->queue, key, &options, err);
    }
    kin__mutex_lock(&controller->lock);
    kin_err code = kin__debounce_add(&controller->debounce, key, concerned->priority,
                                     kin__runtime_moment(controller, debounce_ms), err);
    kin__mutex_unlock(&controller->lock);
    kin__runtime_wake(controller);
    return code;
}
