/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.c - an informer, and a server that says what the test wants, without a socket.
 */
#include "unit/informer/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Something that is said on the loop. */
typedef struct saying {
    kin__job job;
    scene *s;
    kin_event_type type; /* 0: of a list */
    kin_object *object;
    const char *version;
    const char *token;
    const char *cause;
    bool is_initial_end;
    const kin_error *error;
    enum { SAY_OBJECT, SAY_OPEN, SAY_EVENT, SAY_END, SAY_RESOURCE } what;
    _Atomic bool is_done;
} saying;

static void describe(const kin_request *request, char *out, size_t size)
{
    const char *verb = request->verb == KIN_VERB_LIST ? "list"
                       : request->initial_events == 1 ? "stream"
                                                      : "watch";

    (void) snprintf(out, size, "%s %s%s%s rv=%s%s%s", verb,
                    request->of != NULL ? kin_resource_name(request->of) : request->resource,
                    request->ns != NULL ? " in " : "", request->ns != NULL ? request->ns : "",
                    request->resource_version != NULL ? request->resource_version : "",
                    request->continue_token != NULL ? " continue=" : "",
                    request->continue_token != NULL ? request->continue_token : "");
}

static void resolve(void *context, kin__directory_wait *question)
{
    scene *s = context;

    if (s->has_no_resources) {
        kin__list_push(&s->questions, &question->link);
    } else {
        question->tell(question, s->pods, NULL);
    }
}

static void on_cancelled(kin__job *job, void *context)
{
    scene_call *call = context;
    kin_reply reply = KIN_REPLY_INIT;
    kin_error err;

    (void) job;
    if (!call->is_over) {
        call->is_over = true;
        kin__error_set(&err, KIN_ERR_CANCELLED, "cancelled");
        call->handler.on_done(call->handler.context, &reply, &err);
    }
}

static scene_call *call_at(scene *s, int number)
{
    return &s->calls[number % CALLS_MAX];
}

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err)
{
    scene *s = context;

    if (s->start_says != KIN_OK) {
        return kin__error_set(err, s->start_says, "not now");
    }
    scene_call *call = call_at(s, s->call_count);
    if (s->call_count >= CALLS_MAX && !call->is_over) {
        FAIL("too many calls at once");
    }
    s->call_count++;
    *call = (scene_call){ .scene = s,
                          .handler = *handler,
                          .options = *options,
                          .verb = request->verb,
                          .request = *request };
    call->request.resource_version = call->request.continue_token = NULL;
    call->cancel_job = (kin__job){ .run = on_cancelled, .context = call };
    describe(request, call->words, sizeof call->words);
    *out = (kin_call *) (void *) call;
    return KIN_OK;
}

static void cancel(kin_call *its)
{
    scene_call *call = (scene_call *) (void *) its;

    kin__loop_post_job(call->scene->loop, &call->cancel_job);
}

static void release(kin_call *its)
{
    (void) its;
}

/* ---- the scene ------------------------------------------------------------------------------ */

static kin_err open_parts(scene *s)
{
    if (kin__pool_new(NULL, &s->pool, &s->err) != KIN_OK) {
        return s->err.code;
    }
    return kin_resource_new("", "v1", "pods", "Pod", true, &s->pods, &s->err);
}

kin_err scene_try_to_open(scene *s)
{
    memset(s, 0, sizeof *s);
    kin__virtual_clock_init(&s->clock, 1000000, (kin_time){ 0 });
    if (kin__loop_new_with_clock(NULL, &s->clock.clock, &s->loop, &s->err) != KIN_OK) {
        return s->err.code;
    }
    return open_parts(s);
}

void scene_open(scene *s)
{
    ASSERT_OK(scene_try_to_open(s));
}

void scene_open_alone(scene *s)
{
    memset(s, 0, sizeof *s);
    s->is_alone = true;
    ASSERT_OK(kin_loop_new(NULL, &s->loop, &s->err));
    ASSERT_OK(open_parts(s));
    ASSERT_OK(kin_loop_start(s->loop, &s->err));
}

void scene_close(scene *s)
{
    kin_informer_free(s->informer);
    kin_registration_free(s->registration);
    kin__pool_free(s->pool);
    kin_loop_free(s->loop);
    kin_resource_unref(s->pods);
}

kin_informer_options pods_options(scene *s)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "pods";
    options.encoding = KIN_ENCODING_JSON;
    options.context = s;
    return options;
}

static void write_trouble(void *context, const kin_error *err, int64_t retry_ms)
{
    scene *s = context;

    text_append(&s->troubles, "%s%s%s", s->troubles.len == 0 ? "" : "; ", kin_err_name(err->code),
                retry_ms < 0 ? " for good" : "");
    s->retry_ms = retry_ms;
}

kin_err make_informer(scene *s, const kin_informer_options *options)
{
    kin_informer_options mine = options != NULL ? *options : pods_options(s);
    kin__informer_parts parts = {
        .loop = s->loop,
        .caller = { s, resolve, start, cancel, release },
        .pool = s->pool,
        .logger = KIN_LOGGER_INIT,
        .seed = 1,
    };

    if (mine.on_trouble == NULL && mine.context == s) {
        mine.on_trouble = write_trouble;
    }
    return kin__informer_make(&parts, &mine, &s->informer, &s->err);
}

static void name_object(scene *s, const kin_object *object)
{
    text_append(&s->told, " %.*s@%.*s", KIN_STR_ARG(kin_object_name(object)),
                KIN_STR_ARG(kin_object_resource_version(object)));
}

static void write_told(void *context, const kin_notification *n)
{
    scene *s = context;
    const char *word = n->type == KIN_NOTIFICATION_ADDED ? "add"
                       : n->type == KIN_NOTIFICATION_DELETED
                           ? n->is_tombstone ? "tombstone" : "delete"
                       : n->is_resync ? "resync"
                                      : "update";

    text_append(&s->told, "%s%s", s->told.len == 0 ? "" : "; ", word);
    if (n->type == KIN_NOTIFICATION_UPDATED && !n->is_resync) {
        name_object(s, n->before);
    }
    name_object(s, n->object);
    text_append(&s->told, "%s", n->is_initial ? " first" : "");
}

static void write_synced(void *context)
{
    scene *s = context;

    text_append(&s->told, "%ssynced", s->told.len == 0 ? "" : "; ");
}

kin_registration_options recorder(scene *s)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.context = s;
    options.on_add = options.on_update = options.on_delete = write_told;
    options.on_synced = write_synced;
    options.mode = KIN_DELIVERY_INLINE;
    return options;
}

void add_recorder(scene *s)
{
    kin_registration_options options = recorder(s);

    ASSERT_OK(kin_informer_add_handler(s->informer, &options, &s->registration, &s->err));
}

void begin_informer(scene *s, const kin_informer_options *options)
{
    ASSERT_OK(make_informer(s, options));
    add_recorder(s);
    ASSERT_OK(kin_informer_start(s->informer, &s->err));
    settle(s);
}

void settle(scene *s)
{
    for (int i = 0; i < 8 && !s->is_alone; i++) {
        ASSERT_OK(kin_loop_dispatch(s->loop, 0, &s->err));
    }
}

void pass(scene *s, int64_t ms)
{
    kin__virtual_clock_advance(&s->clock, ms);
    settle(s);
}

/* ---- calls ---------------------------------------------------------------------------------- */

bool take_call(scene *s)
{
    settle(s);
    if (s->seen == s->call_count) {
        return false;
    }
    s->at = call_at(s, s->seen++);
    return true;
}

void expect_call(scene *s, const char *words)
{
    if (!take_call(s)) {
        FAIL("no call, where \"%s\" was expected", words);
    }
    ASSERT_STR_EQ(s->at->words, words);
}

void expect_no_call(scene *s)
{
    settle(s);
    if (s->seen != s->call_count) {
        FAIL("a call that was not expected: %s", call_at(s, s->seen)->words);
    }
}

void speak_to(scene *s, int number)
{
    s->at = call_at(s, number);
}

kin_object *scene_object(const char *object)
{
    const char *slash = strchr(object, '/');
    const char *name = slash == NULL ? object : slash + 1;
    const char *at = strchr(name, '@');
    const char *mark = strchr(name, '#');
    int name_len = (int) ((mark != NULL ? mark : at) - name);
    char json[512];
    kin_object *made = NULL;

    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s\","
                       "\"namespace\":\"%.*s\",\"uid\":\"u-%.*s\",\"resourceVersion\":\"%s\"}}",
                       name_len, name, slash == NULL ? 4 : (int) (slash - object),
                       slash == NULL ? "shop" : object, (int) (at - name), name, at + 1);
    return kin_object_from_json(json, (size_t) len, NULL, &made, NULL) == KIN_OK ? made : NULL;
}

/* As the decoder does: one that is there already is taken in its place. */
static kin_object *look_up(scene *s, kin_object *object)
{
    const scene_call *call = s->at;
    kin_object *known =
        call->options.known == NULL
            ? NULL
            : call->options.known(call->handler.context, kin_object_namespace(object),
                                  kin_object_name(object), kin_object_uid(object),
                                  kin_object_resource_version(object));

    s->known_count += known != NULL;
    return known;
}

static void say_end(scene *s, const saying *what)
{
    kin_reply reply = KIN_REPLY_INIT;

    reply.resource_version = (char *) (uintptr_t) what->version;
    reply.continue_token = (char *) (uintptr_t) what->token;
    reply.cause = (char *) (uintptr_t) what->cause;
    s->at->is_over = true;
    s->at->handler.on_done(s->at->handler.context, &reply, what->error);
}

static void say(kin__job *job, void *context)
{
    saying *what = context;
    scene *s = what->s;
    const kin_handler *handler = s->at != NULL ? &s->at->handler : NULL;

    (void) job;
    if (what->what == SAY_OBJECT) {
        kin_object *known = look_up(s, what->object);
        (void) handler->on_object(handler->context, known != NULL ? known : what->object);
        kin_object_unref(known);
    } else if (what->what == SAY_OPEN) {
        (void) handler->on_open(handler->context);
    } else if (what->what == SAY_EVENT) {
        kin_event event = { .type = what->type,
                            .is_initial_end = what->is_initial_end,
                            .object = what->object,
                            .error = what->error };
        event.resource_version = what->object != NULL ? kin_object_resource_version(what->object)
                                                      : kin_str_of(what->version);
        (void) handler->on_event(handler->context, &event);
    } else if (what->what == SAY_END) {
        say_end(s, what);
    } else {
        for (kin__link *link; (link = kin__list_first(&s->questions)) != NULL;) {
            kin__directory_wait *question = KIN__OWNER(link, kin__directory_wait, link);
            kin__list_remove(link);
            question->tell(question, what->error == NULL ? s->pods : NULL, what->error);
        }
    }
    atomic_store(&what->is_done, true);
    kin__loop_wake_waiters(s->loop);
}

static void say_on_loop(scene *s, saying *what)
{
    what->s = s;
    what->job = (kin__job){ .run = say, .context = what };
    kin__loop_post_job(s->loop, &what->job);
    ASSERT_OK(kin__loop_wait(s->loop, &what->is_done, &s->err));
    kin_object_unref(what->object);
    settle(s);
}

void send_object(scene *s, const char *object)
{
    say_on_loop(s, &(saying){ .what = SAY_OBJECT, .object = scene_object(object) });
}

void end_page(scene *s, const char *version)
{
    say_on_loop(s, &(saying){ .what = SAY_END, .version = version });
}

void end_page_with_token(scene *s, const char *version, const char *token)
{
    say_on_loop(s, &(saying){ .what = SAY_END, .version = version, .token = token });
}

void send_open(scene *s)
{
    say_on_loop(s, &(saying){ .what = SAY_OPEN });
}

static void send_event(scene *s, kin_event_type type, const char *object)
{
    say_on_loop(s, &(saying){ .what = SAY_EVENT, .type = type, .object = scene_object(object) });
}

void send_added(scene *s, const char *object)
{
    send_event(s, KIN_EVENT_ADDED, object);
}

void send_modified(scene *s, const char *object)
{
    send_event(s, KIN_EVENT_MODIFIED, object);
}

void send_deleted(scene *s, const char *object)
{
    send_event(s, KIN_EVENT_DELETED, object);
}

void send_bookmark(scene *s, const char *version)
{
    say_on_loop(s, &(saying){ .what = SAY_EVENT, .type = KIN_EVENT_BOOKMARK, .version = version });
}

void send_initial_end(scene *s, const char *version)
{
    say_on_loop(s, &(saying){ .what = SAY_EVENT,
                              .type = KIN_EVENT_BOOKMARK,
                              .version = version,
                              .is_initial_end = true });
}

void send_error(scene *s, kin_err code, int http_status, const char *message)
{
    kin_error err;

    kin__error_set(&err, code, "%s", message);
    err.http_status = http_status;
    say_on_loop(s, &(saying){ .what = SAY_EVENT, .type = KIN_EVENT_ERROR, .error = &err });
}

void end_well(scene *s)
{
    say_on_loop(s, &(saying){ .what = SAY_END });
}

void end_badly(scene *s, kin_err code, int http_status, const char *message)
{
    kin_error err;

    kin__error_set(&err, code, "%s", message);
    err.http_status = http_status;
    end_with(s, &err);
}

void end_with(scene *s, const kin_error *err)
{
    say_on_loop(s, &(saying){ .what = SAY_END, .error = err });
}

void end_with_cause(scene *s, const kin_error *err, const char *cause)
{
    say_on_loop(s, &(saying){ .what = SAY_END, .error = err, .cause = cause });
}

void answer_resource(scene *s, const kin_error *err)
{
    say_on_loop(s, &(saying){ .what = SAY_RESOURCE, .error = err });
}

/* ---- what is seen --------------------------------------------------------------------------- */

void expect_told(scene *s, const char *words)
{
    ASSERT_STR_EQ(s->told.chars, words);
    text_clear(&s->told);
}

void expect_trouble(scene *s, const char *words)
{
    ASSERT_STR_EQ(s->troubles.chars, words);
    text_clear(&s->troubles);
}

kin_informer_status status_of(scene *s)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    settle(s);
    ASSERT_OK(kin_informer_get_status(s->informer, &status, &s->err));
    return status;
}

void expect_state(scene *s, kin_informer_state state)
{
    ASSERT_STR_EQ(kin_informer_state_name(status_of(s).state), kin_informer_state_name(state));
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

void expect_store(scene *s, const char *objects)
{
    static char words[256][64];
    static text all;
    size_t count = 0;
    kin_view view = kin_store_read(kin_informer_store(s->informer));
    kin_view_iter iter = kin_view_all(&view);

    while (kin_view_next(&iter) && count < 256) {
        (void) snprintf(words[count++], sizeof words[0], "%.*s@%.*s",
                        KIN_STR_ARG(kin_object_name(iter.object)),
                        KIN_STR_ARG(kin_object_resource_version(iter.object)));
    }
    kin_store_done(&view);
    qsort(words, count, sizeof words[0], compare_words);
    text_clear(&all);
    for (size_t i = 0; i < count; i++) {
        text_append(&all, "%s%s", i == 0 ? "" : " ", words[i]);
    }
    ASSERT_STR_EQ(all.chars, objects);
}

void sync_informer(scene *s)
{
    begin_informer(s, NULL);
    expect_call(s, "list pods rv=0");
    send_object(s, "a@5");
    end_page(s, "12");
    expect_told(s, "add a@5 first; synced");
    expect_call(s, "watch pods rv=12");
    send_open(s);
}
