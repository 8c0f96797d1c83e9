/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover.c - stores that are as new as the lead.
 *
 * Who has led until now may have written to the last moment, and a store that synced long ago may
 * lag behind: reconciled on it, what is there already would be made once more.  So after the lead
 * was gained the server is asked what there is, and the gate stays shut until each store shows it.
 *
 * A consistent list says at which version X it was made; a store that stands at X or later has all
 * that was written before.  But stores come to X only by an event or a bookmark of their resource,
 * and where nothing happens these are a minute apart.  Hence the second way: no object of the list
 * is newer than the store, and there are as many here as there.  The list's objects are then those
 * of the store, for what was deleted in between would be one too many.
 *
 * Large collections are busy ones: of these only the first page is asked for, and the others when
 * the store has not come to X by itself after a moment.
 */
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "controller/reconcile.h"
#include "controller/runtime.h"
#include "kin/key.h"

#define PAGE 500
#define MOMENT_MS 250 /* for an event to come */
#define RETRY_MS 1000 /* after a failure */

/* When it is to be over, and for which term. */
typedef struct wish {
    bool is_due;
    uint64_t term;
    int64_t by_ms;
} wish;

static wish make_wish(kin_controller *controller, int64_t now_ms);
static const kin__handover *look_at_all(kin_controller *controller, const wish *wished,
                                        int64_t now_ms, int64_t *next_ms);
static bool look(kin__handover *handover, uint64_t term, int64_t now_ms);
static bool is_abreast(const kin__handover *handover);
static bool has_come_to(const char *version, kin_str stands_at);
static size_t count_objects(const kin__handover *handover, const kin_view *view);
static void ask(kin__handover *handover, int64_t now_ms);
static bool on_object(void *context, kin_object *object);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static void take_answer(kin__handover *handover, const kin_reply *reply, const kin_error *err);
static void note_version(char *out, kin_str version);
static void open_gate(kin_controller *controller, const wish *wished, const kin__handover *behind);

int64_t kin__handover_turn(kin_controller *controller, int64_t now_ms)
{
    wish wished = make_wish(controller, now_ms);
    int64_t next_ms = wished.by_ms;

    if (!wished.is_due) {
        return INT64_MAX;
    }
    const kin__handover *behind = look_at_all(controller, &wished, now_ms, &next_ms);
    if (behind == NULL || now_ms >= wished.by_ms) {
        open_gate(controller, &wished, behind);
        return INT64_MAX;
    }
    return next_ms;
}

bool kin__handover_leave(kin_controller *controller)
{
    controller->is_leaving = true;
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        const kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        for (size_t i = 0; i < watch->handover_count; i++) {
            if (watch->handovers[i].call != NULL) {
                kin_call_cancel(watch->handovers[i].call);
            }
        }
    }
    return controller->asking == 0;
}

/* The time counts from when all has synced: before that there is nothing to look at. */
static wish make_wish(kin_controller *controller, int64_t now_ms)
{
    kin__mutex_lock(&controller->lock);
    bool is_due = controller->is_synced && controller->is_seated && !controller->is_abreast &&
                  !controller->is_stopping;
    if (is_due && controller->abreast_by_ms == INT64_MAX) {
        uint32_t wait_ms = controller->options.write_wait_ms;
        controller->abreast_by_ms = now_ms > INT64_MAX - wait_ms ? INT64_MAX : now_ms + wait_ms;
    }
    wish wished = { is_due, controller->term, controller->abreast_by_ms };
    kin__mutex_unlock(&controller->lock);
    return wished;
}

/* One that is behind; NULL: none is.  `next_ms`: is set to when there is something to do, if that
 * is earlier. */
static const kin__handover *look_at_all(kin_controller *controller, const wish *wished,
                                        int64_t now_ms, int64_t *next_ms)
{
    const kin__handover *behind = NULL;

    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        size_t count = kin__reconcile_is_of_server(watch) ? watch->handover_count : 0;
        for (size_t i = 0; i < count; i++) {
            kin__handover *handover = &watch->handovers[i];
            if (!look(handover, wished->term, now_ms)) {
                behind = handover;
                *next_ms = handover->again_at_ms < *next_ms ? handover->again_at_ms : *next_ms;
            }
        }
    }
    return behind;
}

/* True: it is as new.  What was asked in an earlier term says nothing about this one. */
static bool look(kin__handover *handover, uint64_t term, int64_t now_ms)
{
    if (handover->term != term) {
        if (handover->call != NULL) {
            kin_call_cancel(handover->call);
            return false; /* its end brings another turn */
        }
        *handover =
            (kin__handover){ .watch = handover->watch, .source = handover->source, .term = term };
    }
    handover->is_over = handover->is_over || is_abreast(handover);
    if (!handover->is_over && handover->call == NULL && now_ms >= handover->again_at_ms) {
        ask(handover, now_ms);
    }
    return handover->is_over;
}

static bool is_abreast(const kin__handover *handover)
{
    if (handover->version[0] == '\0') {
        return false;
    }
    kin_view view = kin_store_read(kin_informer_store(handover->watch->informer));
    kin_str stands_at = kin_view_resource_version(&view, handover->source);
    bool is_it = has_come_to(handover->version, stands_at) ||
                 (handover->is_whole && has_come_to(handover->newest, stands_at) &&
                  handover->count == count_objects(handover, &view));
    kin_store_done(&view);
    return is_it;
}

/* Nothing: every store has. */
static bool has_come_to(const char *version, kin_str stands_at)
{
    int order = 0;

    return version[0] == '\0' ||
           (kin_resource_version_compare(stands_at, kin_str_of(version), &order, NULL) == KIN_OK
                ? order >= 0
                : kin__str_equal(stands_at, kin_str_of(version)));
}

static size_t count_objects(const kin__handover *handover, const kin_view *view)
{
    size_t count = 0;

    if (handover->watch->handover_count == 1) {
        return kin_view_count(view);
    }
    kin_view_iter all = kin_view_in_namespace(
        view, kin_str_of(kin__informer_namespace(handover->watch->informer, handover->source)));
    while (kin_view_next(&all)) {
        count++;
    }
    return count;
}

/* ---- what there is -------------------------------------------------------------------------- */

/* The first time a page, then all. */
static void ask(kin__handover *handover, int64_t now_ms)
{
    kin_controller *controller = handover->watch->controller;
    kin_informer *informer = handover->watch->informer;
    const kin_informer_options *options = kin__informer_options(informer);
    AUTO(kin_resource_unref) const kin_resource *of = kin__informer_resource(informer);
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;

    request.verb = KIN_VERB_LIST;
    request.of = of;
    request.ns = kin__informer_namespace(informer, handover->source);
    request.label_selector = options->label_selector;
    request.field_selector = options->field_selector;
    request.limit = PAGE;
    request.one_page = !handover->wants_whole;
    request.metadata_only = true;
    request.encoding = options->encoding;
    handler.context = handover;
    handler.on_object = on_object;
    handler.on_done = on_done;
    handover->count = 0;
    handover->newest[0] = '\0';
    handover->is_whole = false;
    handover->again_at_ms = INT64_MAX;
    if (of == NULL ||
        kin_client_start(controller->client, &request, &handler, &handover->call, NULL) != KIN_OK) {
        handover->again_at_ms = now_ms + RETRY_MS;
        return;
    }
    controller->asking++;
}

static bool on_object(void *context, kin_object *object)
{
    kin__handover *handover = context;
    kin_str version = kin_object_resource_version(object);

    handover->count++;
    if (has_come_to(handover->newest, version)) {
        note_version(handover->newest, version);
    }
    return true;
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    kin__handover *handover = context;
    kin_controller *controller = handover->watch->controller;

    kin_call_free(handover->call);
    handover->call = NULL;
    controller->asking--;
    if (!controller->is_leaving) {
        take_answer(handover, reply, err);
        kin__runtime_wake(controller);
    } else if (controller->asking == 0) {
        kin__runtime_finish_leaving(controller);
    }
}

static void take_answer(kin__handover *handover, const kin_reply *reply, const kin_error *err)
{
    kin_controller *controller = handover->watch->controller;
    int64_t now_ms = kin__runtime_now_ms(controller);

    if (err != NULL || reply->resource_version == NULL) {
        kin__log(&controller->logger, KIN_LOG_INFO, "controller",
                 "%s: it leads, and cannot see yet what there is: %s", controller->options.name,
                 err != NULL ? err->message : "a list without a version");
        handover->again_at_ms = now_ms + RETRY_MS;
        return;
    }
    note_version(handover->version, kin_str_of(reply->resource_version));
    handover->is_whole = reply->continue_token == NULL;
    handover->again_at_ms = handover->is_whole ? INT64_MAX : now_ms + MOMENT_MS;
    handover->wants_whole = true;
}

/* One that is too long cannot be waited for: it is as none. */
static void note_version(char *out, kin_str version)
{
    size_t len = version.len < KIN__HANDOVER_VERSION_MAX ? version.len : 0;

    if (len != 0) {
        memcpy(out, version.data, len);
    }
    out[len] = '\0';
}

/* ---- in the end ----------------------------------------------------------------------------- */

static void open_gate(kin_controller *controller, const wish *wished, const kin__handover *behind)
{
    if (behind != NULL) {
        kin__log(&controller->logger, KIN_LOG_WARNING, "controller",
                 "%s: begins though informer \"%s\" is not as new as its lead after %u ms: what "
                 "was written last may not be there",
                 controller->options.name, kin__informer_name(behind->watch->informer),
                 controller->options.write_wait_ms);
    }
    kin__mutex_lock(&controller->lock);
    controller->is_abreast = controller->is_seated && controller->term == wished->term;
    kin__runtime_announce_locked(controller);
    kin__mutex_unlock(&controller->lock);
}
