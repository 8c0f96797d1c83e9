/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 05_own_source.c - an informer without a server: the program itself is what is listed and watched.
 *
 * Here that is a table of rooms with their temperatures.  What informers can do they do with it:
 * indexes, snapshots, handlers that are told what changes, and what was there a moment ago.
 */
#include <kin/kin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOMS_MAX 8

typedef struct room {
    char name[16];
    kin_object *object;
} room;

/* What is listed and watched; and the call that is under way. */
typedef struct house {
    kin_loop *loop;
    room rooms[ROOMS_MAX];
    size_t count;
    unsigned version;
    kin_verb verb; /* 0: no call is */
    bool is_cancelled;
    kin_handler handler;
} house;

static void fail(const kin_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* ---- the list watcher ------------------------------------------------------------------------ */

static void end_call(house *h, const kin_error *err)
{
    char version[16];
    kin_reply reply = KIN_REPLY_INIT;
    kin_handler handler = h->handler;

    snprintf(version, sizeof version, "%u", h->version);
    reply.resource_version = version;
    h->verb = (kin_verb) 0;
    h->is_cancelled = false;
    handler.on_done(handler.context, &reply, err);
}

/* Runs on the loop after start_call() has returned: only then may the handler be called. */
static void answer(void *context)
{
    house *h = context;

    if (h->verb == KIN_VERB_WATCH) {
        (void) h->handler.on_open(h->handler.context);
    } else if (h->verb == KIN_VERB_LIST) {
        for (size_t i = 0; i < h->count; i++) {
            (void) h->handler.on_object(h->handler.context, h->rooms[i].object);
        }
        end_call(h, NULL);
    }
}

static kin_err start_call(void *context, const kin_request *request, const kin_handler *handler,
                          void **out_call, kin_error *err)
{
    house *h = context;

    /* A table has no history: a watch begins where it stands, or not at all. */
    if (request->verb == KIN_VERB_WATCH &&
        strtoul(request->resource_version, NULL, 10) != h->version) {
        return kin_error_set(err, KIN_ERR_EXPIRED, "nobody knows what has been since then");
    }
    h->verb = request->verb;
    h->handler = *handler;
    *out_call = h;
    return kin_loop_post(h->loop, answer, h, err);
}

/* Its answer may have come first. */
static void end_cancelled(void *context)
{
    house *h = context;
    kin_error err = { KIN_ERR_CANCELLED, 0, 0, "", "cancelled" };

    if (h->is_cancelled) {
        end_call(h, &err);
    }
}

static void cancel_call(void *context, void *call)
{
    house *h = context;
    kin_error err;

    (void) call;
    h->is_cancelled = true;
    if (kin_loop_post(h->loop, end_cancelled, h, &err) != KIN_OK) {
        fail(&err);
    }
}

/* ---- what happens in the house --------------------------------------------------------------- */

static kin_object *make_room(house *h, const char *name, int degrees)
{
    char json[256];
    kin_object *object = NULL;
    kin_error err;

    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"house/v1\",\"kind\":\"Room\",\"metadata\":{\"name\":"
                       "\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"%u\"},\"degrees\":%d}",
                       name, name, ++h->version, degrees);
    if (kin_object_from_json(json, (size_t) len, NULL, &object, &err) != KIN_OK) {
        fail(&err);
    }
    return object;
}

static void tell(house *h, kin_event_type type, kin_object *object)
{
    kin_event event = { type, false, object, kin_object_resource_version(object), NULL };

    if (h->verb == KIN_VERB_WATCH) {
        (void) h->handler.on_event(h->handler.context, &event);
    }
}

static void set_degrees(house *h, const char *name, int degrees)
{
    size_t i = 0;

    while (i < h->count && strcmp(h->rooms[i].name, name) != 0) {
        i++;
    }
    kin_event_type type = i < h->count ? KIN_EVENT_MODIFIED : KIN_EVENT_ADDED;
    if (type == KIN_EVENT_ADDED) {
        snprintf(h->rooms[h->count++].name, sizeof h->rooms[0].name, "%s", name);
    }
    kin_object_unref(h->rooms[i].object);
    h->rooms[i].object = make_room(h, name, degrees);
    tell(h, type, h->rooms[i].object);
}

static void tear_down(house *h, const char *name)
{
    for (size_t i = 0; i < h->count; i++) {
        if (strcmp(h->rooms[i].name, name) == 0) {
            kin_object *last = make_room(h, name, 0);
            kin_object_unref(h->rooms[i].object);
            h->rooms[i] = h->rooms[--h->count];
            tell(h, KIN_EVENT_DELETED, last);
            kin_object_unref(last);
            return;
        }
    }
}

/* ---- who wants to know ------------------------------------------------------------------------
 */

static void print_change(void *context, const kin_notification *n)
{
    static const char *const words[] = { "", "new", "now", "gone" };
    int64_t degrees;

    (void) context;
    printf("%s: %.*s", words[n->type], KIN_STR_ARG(n->key));
    if (n->type != KIN_NOTIFICATION_DELETED &&
        kin_value_int64(kin_object_at(n->object, "degrees"), &degrees) == KIN_OK) {
        printf(" %d", (int) degrees);
    }
    printf("\n");
}

/* The loop is ours: it runs when we let it. */
static void run(kin_loop *loop)
{
    kin_error err;

    for (int i = 0; i < 16; i++) {
        if (kin_loop_dispatch(loop, 0, &err) != KIN_OK) {
            fail(&err);
        }
    }
}

static void live(house *h, kin_informer *informer)
{
    set_degrees(h, "kitchen", 21);
    set_degrees(h, "attic", 31);
    run(h->loop);
    set_degrees(h, "kitchen", 22);
    set_degrees(h, "cellar", 12);
    run(h->loop);
    tear_down(h, "attic");
    run(h->loop);

    kin_view view = kin_store_read(kin_informer_store(informer));
    kin_view gone = kin_store_read(kin_informer_deleted(informer));
    kin_str attic = kin_str_of("attic");
    printf("%zu rooms; the attic is %s, and was there a moment ago: %s\n", kin_view_count(&view),
           kin_view_get(&view, attic) == NULL ? "gone" : "there",
           kin_deleted_get(&gone, attic).object != NULL ? "yes" : "no");
    kin_store_done(&gone);
    kin_store_done(&view);
}

int main(void)
{
    house h = { 0 };
    kin_resource *rooms = NULL;
    kin_source *source = NULL;
    kin_informer *informer = NULL;
    kin_registration *registration = NULL;
    kin_error err;

    kin_list_watcher watcher = KIN_LIST_WATCHER_INIT;
    watcher.context = &h;
    watcher.start = start_call;
    watcher.cancel = cancel_call;

    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    handler.on_add = handler.on_update = handler.on_delete = print_change;
    handler.mode = KIN_DELIVERY_INLINE;

    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.keep_deleted_ms = 60000;

    if (kin_loop_new(NULL, &h.loop, &err) != KIN_OK ||
        kin_resource_new("house", "v1", "rooms", "Room", false, &rooms, &err) != KIN_OK ||
        kin_source_new(h.loop, &watcher, &source, &err) != KIN_OK) {
        fail(&err);
    }
    options.of = rooms;
    if (kin_informer_new_of_source(source, &options, &informer, &err) != KIN_OK ||
        kin_informer_add_handler(informer, &handler, &registration, &err) != KIN_OK ||
        kin_informer_start(informer, &err) != KIN_OK) {
        fail(&err);
    }
    live(&h, informer);

    kin_registration_free(registration);
    kin_informer_free(informer);
    kin_source_free(source);
    kin_resource_unref(rooms);
    kin_loop_free(h.loop);
    for (size_t i = 0; i < h.count; i++) {
        kin_object_unref(h.rooms[i].object);
    }
    return 0;
}
