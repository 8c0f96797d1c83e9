/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 09_replay.c - plays a recording to an informer: what happened in a cluster happens again, here.
 *
 *     kin watch pods -A -o json >recording        in the cluster, for as long as it takes
 *     09_replay recording                         anywhere, as often as you like
 *
 * A recording has a line for each event, as a watch of the API has it: {"type":"ADDED",
 * "object":{...}}.  The additions that it begins with are the list; all else is the watch.  To see
 * what your own handlers make of it, put them in the place of print_change().
 */
#include <kin/kin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    kin_event_type type;
    kin_object *object;
} line;

/* What was recorded.  The version of an event is its line: those that the objects carry need not
 * rise, because of what went away while nobody looked only the last state is known. */
typedef struct recording {
    line *lines;
    size_t count;
    size_t listed; /* of these, the list */
    size_t played; /* lines; the watch is at this one */
    kin_loop *loop;
    kin_verb verb; /* of the call under way; 0: none is */
    bool is_open;  /* the watch, and the handler knows */
    kin_handler handler;
} recording;

static void fail(const char *what, size_t number, const kin_error *err)
{
    fprintf(stderr, "%s:%zu: %s\n", what, number, err->message);
    exit(1);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* {"type":"ADDED","object":{...}}: the words before the object are always the same. */
static bool split(char *text, kin_event_type *type, char **object)
{
    static const struct {
        const char *words;
        kin_event_type type;
    } beginnings[] = {
        { "{\"type\":\"ADDED\",\"object\":", KIN_EVENT_ADDED },
        { "{\"type\":\"MODIFIED\",\"object\":", KIN_EVENT_MODIFIED },
        { "{\"type\":\"DELETED\",\"object\":", KIN_EVENT_DELETED },
    };

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        size_t len = strlen(beginnings[i].words);

        if (strncmp(text, beginnings[i].words, len) == 0) {
            *type = beginnings[i].type;
            *object = text + len;
            return true;
        }
    }
    return false;
}

static bool read_line(char *text, line *out, kin_error *err)
{
    char *object;
    char *end = strrchr(text, '}');

    if (end == NULL || !split(text, &out->type, &object) || object > end) {
        (void) kin_error_set(err, KIN_ERR_MALFORMED, "this is no event of a watch");
        return false;
    }
    return kin_object_from_json(object, (size_t) (end - object), NULL, &out->object, err) == KIN_OK;
}

static void read_recording(recording *r, const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;
    kin_error err;

    if (file == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", name);
        exit(1);
    }
    while (getline(&text, &size, file) > 0) {
        line *more = realloc(r->lines, (r->count + 1) * sizeof *more);
        if (more == NULL) {
            abort();
        }
        r->lines = more;
        if (!read_line(text, &r->lines[r->count], &err)) {
            fail(name, r->count + 1, &err);
        }
        r->count++;
    }
    while (r->listed < r->count && r->lines[r->listed].type == KIN_EVENT_ADDED) {
        r->listed++;
    }
    free(text);
    (void) fclose(file);
}

/* ---- the list watcher ------------------------------------------------------------------------ */

static void end_call(recording *r, const kin_error *err)
{
    char version[24];
    kin_reply reply = KIN_REPLY_INIT;

    /* A version is never 0, which would be any. */
    snprintf(version, sizeof version, "%zu", r->listed + 1);
    reply.resource_version = version;
    r->verb = (kin_verb) 0;
    r->handler.on_done(r->handler.context, &reply, err);
}

static void play_list(recording *r)
{
    for (size_t i = 0; i < r->listed; i++) {
        (void) r->handler.on_object(r->handler.context, r->lines[i].object);
    }
    end_call(r, NULL);
}

/* One event for each turn of the loop, so that every one of them is seen.  At the end the watch
 * stays open, as any watch would. */
static void play(void *context)
{
    recording *r = context;
    char version[24];
    kin_error err;

    if (r->verb == KIN_VERB_LIST) {
        play_list(r);
        return;
    }
    if (r->verb == KIN_VERB_WATCH && !r->is_open) {
        r->is_open = true;
        (void) r->handler.on_open(r->handler.context);
    }
    if (r->verb != KIN_VERB_WATCH || r->played == r->count) {
        return;
    }
    snprintf(version, sizeof version, "%zu", r->played + 2);
    kin_event event = { r->lines[r->played].type, false, r->lines[r->played].object,
                        kin_str_of(version), NULL };
    r->played++;
    (void) r->handler.on_event(r->handler.context, &event);
    if (kin_loop_post(r->loop, play, r, &err) != KIN_OK) {
        fail("play", r->played, &err);
    }
}

static kin_err start_call(void *context, const kin_request *request, const kin_handler *handler,
                          void **out_call, kin_error *err)
{
    recording *r = context;

    r->verb = request->verb;
    r->is_open = false;
    r->handler = *handler;
    if (r->verb == KIN_VERB_WATCH) {
        r->played = strtoul(request->resource_version, NULL, 10) - 1;
    }
    *out_call = r;
    return kin_loop_post(r->loop, play, r, err);
}

static void end_cancelled(void *context)
{
    kin_error err = { KIN_ERR_CANCELLED, 0, 0, "", "cancelled" };

    end_call(context, &err);
}

static void cancel_call(void *context, void *call)
{
    recording *r = context;
    kin_error err;

    (void) call;
    r->verb = (kin_verb) 0;
    if (kin_loop_post(r->loop, end_cancelled, r, &err) != KIN_OK) {
        fail("cancel", r->played, &err);
    }
}

/* ---- who is told ----------------------------------------------------------------------------- */

static void print_change(void *context, const kin_notification *n)
{
    static const char *const words[] = { "", "added", "updated", "deleted" };
    kin_str phase;
    char scratch[64];

    (void) context;
    printf("%s %.*s", words[n->type], KIN_STR_ARG(n->key));
    if (kin_value_str(kin_object_at(n->object, "status.phase"), scratch, sizeof scratch, &phase) ==
        KIN_OK) {
        printf(" (%.*s)", KIN_STR_ARG(phase));
    }
    printf("%s\n", n->is_initial ? ", from the beginning" : "");
}

static void replay(recording *r, kin_source *source, const kin_resource *resource)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_informer *informer = NULL;
    kin_registration *registration = NULL;
    kin_error err;

    options.of = resource;
    handler.mode = KIN_DELIVERY_INLINE;
    handler.on_add = handler.on_update = handler.on_delete = print_change;
    kin_err code = kin_informer_new_of_source(source, &options, &informer, &err);
    if (code == KIN_OK) {
        code = kin_informer_add_handler(informer, &handler, &registration, &err);
    }
    if (code == KIN_OK) {
        code = kin_informer_start(informer, &err);
    }
    /* What was played last is told with the turn after it. */
    while (code == KIN_OK && (r->verb != KIN_VERB_WATCH || r->played < r->count)) {
        code = kin_loop_dispatch(r->loop, -1, &err);
    }
    if (code == KIN_OK) {
        code = kin_informer_stop(informer, -1, &err);
    }
    if (code != KIN_OK) {
        fail("replay", r->played, &err);
    }
    kin_view view = kin_store_read(kin_informer_store(informer));
    printf("events: %zu, objects left: %zu\n", r->count, kin_view_count(&view));
    kin_store_done(&view);
    kin_registration_free(registration);
    kin_informer_free(informer);
}

int main(int argc, char **argv)
{
    recording r = { 0 };
    kin_list_watcher watcher = KIN_LIST_WATCHER_INIT;
    kin_resource *resource = NULL;
    kin_source *source = NULL;
    kin_error err;

    if (argc != 2) {
        fprintf(stderr, "usage: 09_replay RECORDING\n");
        return 2;
    }
    read_recording(&r, argv[1]);
    watcher.context = &r;
    watcher.start = start_call;
    watcher.cancel = cancel_call;
    /* Nobody is asked for it, so its name does not matter. */
    if (kin_loop_new(NULL, &r.loop, &err) != KIN_OK ||
        kin_resource_new("", "v1", "recorded", "Recorded", true, &resource, &err) != KIN_OK ||
        kin_source_new(r.loop, &watcher, &source, &err) != KIN_OK) {
        fail(argv[1], 0, &err);
    }
    replay(&r, source, resource);
    kin_source_free(source);
    kin_resource_unref(resource);
    kin_loop_free(r.loop);
    for (size_t i = 0; i < r.count; i++) {
        kin_object_unref(r.lines[i].object);
    }
    free(r.lines);
    return 0;
}
