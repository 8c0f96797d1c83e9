/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_script.c - a reflector, a server that says what the test wants, and a sink that writes
 * down what it is told.
 */
#include "unit/cache/reflector_script.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define START_MS 1000000
#define SHOWN_MAX 100 /* of more objects, only how many */

static void note(script *s, const char *what)
{
    text_append(&s->told, "%s%s", s->told.len > 0 ? "; " : "", what);
}

static void note_object(script *s, const kin_object *object)
{
    text_append(&s->told, "%.*s@%.*s", KIN_STR_ARG(kin_object_name(object)),
                KIN_STR_ARG(kin_object_resource_version(object)));
}

static kin_err answer_of_sink(const script *s, kin_error *err)
{
    return s->sink_says == KIN_OK ? KIN_OK : kin__error_set(err, s->sink_says, "the sink says no");
}

static kin_err on_replace(void *context, kin_object *const *objects, size_t count, kin_str version,
                          kin_error *err)
{
    script *s = context;

    note(s, "replace@");
    text_append(&s->told, "%.*s [", KIN_STR_ARG(version));
    if (count > SHOWN_MAX) {
        text_append(&s->told, "%zu objects", count);
    }
    for (size_t i = 0; i < count && count <= SHOWN_MAX; i++) {
        text_append(&s->told, "%s", i > 0 ? " " : "");
        note_object(s, objects[i]);
    }
    text_append(&s->told, "]");
    return answer_of_sink(s, err);
}

static kin_err on_change(script *s, const char *what, const kin_object *object, kin_error *err)
{
    note(s, what);
    note_object(s, object);
    return answer_of_sink(s, err);
}

static kin_err on_add(void *context, kin_object *object, kin_error *err)
{
    return on_change(context, "add ", object, err);
}

static kin_err on_update(void *context, kin_object *object, kin_error *err)
{
    return on_change(context, "update ", object, err);
}

static kin_err on_remove(void *context, kin_object *object, kin_error *err)
{
    return on_change(context, "remove ", object, err);
}

static kin_err on_bookmark(void *context, kin_str version, kin_error *err)
{
    script *s = context;

    note(s, "bookmark ");
    text_append(&s->told, "%.*s", KIN_STR_ARG(version));
    return answer_of_sink(s, err);
}

static void on_trouble(void *context, const kin__reflector_trouble *trouble)
{
    script *s = context;

    note(s, trouble->is_routine ? "routine " : "trouble ");
    text_append(&s->told, "%s %s", kin_err_name(trouble->error->code),
                kin__reflector_state_name(trouble->doing));
}

void script_begin(script *s, const kin__reflector_options *options)
{
    kin__reflector_options mine = { 0 };
    kin_error err;

    *s = (script){ .now_ms = START_MS };
    if (options != NULL) {
        mine = *options;
    }
    if (mine.refused.jitter_percent == 0) {
        mine.refused.jitter_percent = -1;
    }
    if (mine.away.jitter_percent == 0) {
        mine.away.jitter_percent = -1;
    }
    mine.sink = (kin__reflector_sink){ s,         on_replace,  on_add,    on_update,
                                       on_remove, on_bookmark, on_trouble };
    ASSERT_OK(kin__reflector_new(&mine, &s->reflector, &err));
    kin__reflector_start(s->reflector, s->now_ms);
}

void script_end(script *s)
{
    kin__reflector_free(s->reflector);
}

static void describe_list(const kin__list_ask *list, text *out)
{
    if (list->is_probe) {
        ASSERT_EQ(list->limit, 1);
        ASSERT_STR_EQ(list->match, "NotOlderThan");
        text_append(out, "probe rv=%s", list->resource_version);
        return;
    }
    text_append(out, "list rv=%s limit=%u", list->resource_version, list->limit);
    if (list->match != NULL) {
        text_append(out, " match=%s", list->match);
    }
    if (list->continue_token != NULL) {
        text_append(out, " continue=%s", list->continue_token);
    }
}

static void describe(const kin__action *action, text *out)
{
    switch (action->type) {
    case KIN__ACTION_WAIT:
        text_append(out, "wait");
        break;
    case KIN__ACTION_LIST:
        describe_list(&action->list, out);
        break;
    case KIN__ACTION_WATCH:
        text_append(out, "%s rv=%s", action->watch.initial_events ? "stream" : "watch",
                    action->watch.resource_version);
        ASSERT_STR_EQ(action->watch.match, action->watch.initial_events ? "NotOlderThan" : NULL);
        break;
    case KIN__ACTION_CANCEL:
        text_append(out, "cancel");
        break;
    case KIN__ACTION_STOPPED:
        text_append(out, "stopped");
        break;
    }
}

void expect(script *s, const char *wanted)
{
    kin__action action = kin__reflector_next(s->reflector, s->now_ms);
    text words = { 0 };

    describe(&action, &words);
    if (action.type == KIN__ACTION_WAIT && action.until_ms != KIN__NEVER &&
        strcmp(wanted, "wait") != 0) {
        text_append(&words, " for %lld ms", (long long) (action.until_ms - s->now_ms));
    }
    s->timeout_seconds = action.watch.timeout_seconds;
    ASSERT_STR_EQ(words.chars, wanted);
}

void expect_wait(script *s, int64_t ms)
{
    kin__action action = kin__reflector_next(s->reflector, s->now_ms);

    ASSERT_EQ(action.type, KIN__ACTION_WAIT);
    ASSERT_EQ(action.until_ms - s->now_ms, ms);
    action = kin__reflector_next(s->reflector, action.until_ms - 1);
    ASSERT_EQ(action.type, KIN__ACTION_WAIT);
    s->now_ms += ms;
}

void pass(script *s, int64_t ms)
{
    s->now_ms += ms;
}

void expect_told(script *s, const char *words)
{
    ASSERT_STR_EQ(s->told.chars, words);
    text_clear(&s->told);
}

void expect_state(script *s, kin__reflector_state state)
{
    ASSERT_STR_EQ(kin__reflector_state_name(kin__reflector_look(s->reflector).state),
                  kin__reflector_state_name(state));
}

void expect_version(script *s, const char *version)
{
    ASSERT_SLICE_EQ(kin__reflector_look(s->reflector).resource_version, version);
}

kin_object *script_object(const char *api_version, const char *kind, const char *object)
{
    const char *at = strchr(object, '@');
    char json[512];
    kin_object *made = NULL;
    kin_error err;

    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%.*s\","
                       "\"namespace\":\"shop\",\"resourceVersion\":\"%s\"}}",
                       api_version, kind, (int) (at - object), object, at + 1);
    ASSERT_OK(kin_object_from_json(json, (size_t) len, NULL, &made, &err));
    return made;
}

void send_object(script *s, const char *object)
{
    kin_object *made = script_object("v1", "Pod", object);

    kin__reflector_object(s->reflector, made, s->now_ms);
    kin_object_unref(made);
}

static void end_call(script *s, const kin__call_end *end)
{
    kin__reflector_end(s->reflector, end, s->now_ms);
}

void end_page(script *s, const char *version, const char *token)
{
    end_call(s, &(kin__call_end){ .resource_version = version, .continue_token = token });
}

void send_open(script *s)
{
    kin__reflector_opened(s->reflector, s->now_ms);
}

static void send_change(script *s, kin_event_type type, const char *object)
{
    kin_object *made = script_object("v1", "Pod", object);
    kin_event event = { .type = type,
                        .object = made,
                        .resource_version = kin_object_resource_version(made) };

    kin__reflector_event(s->reflector, &event, s->now_ms);
    kin_object_unref(made);
}

void send_added(script *s, const char *object)
{
    send_change(s, KIN_EVENT_ADDED, object);
}

void send_modified(script *s, const char *object)
{
    send_change(s, KIN_EVENT_MODIFIED, object);
}

void send_deleted(script *s, const char *object)
{
    send_change(s, KIN_EVENT_DELETED, object);
}

static void send_mark(script *s, const char *version, bool is_end)
{
    kin_event event = { .type = KIN_EVENT_BOOKMARK,
                        .is_initial_end = is_end,
                        .resource_version = kin_str_of(version) };

    kin__reflector_event(s->reflector, &event, s->now_ms);
}

void send_bookmark(script *s, const char *version)
{
    send_mark(s, version, false);
}

void send_initial_end(script *s, const char *version)
{
    send_mark(s, version, true);
}

void send_error(script *s, kin_error error)
{
    kin_event event = { .type = KIN_EVENT_ERROR, .error = &error };

    kin__reflector_event(s->reflector, &event, s->now_ms);
}

void end_well(script *s)
{
    end_call(s, &(kin__call_end){ 0 });
}

void end_badly(script *s, kin_error error)
{
    end_with_cause(s, error, NULL);
}

void end_with_cause(script *s, kin_error error, const char *cause)
{
    end_call(s, &(kin__call_end){ .error = &error, .cause = cause });
}

void end_cancelled(script *s)
{
    end_badly(s, answer(KIN_ERR_CANCELLED, 200, ""));
}

kin_error refused(void)
{
    return answer(KIN_ERR_CONNECT, 0, "");
}

kin_error cut(void)
{
    return answer(KIN_ERR_CLOSED, 200, "");
}

kin_error expired(void)
{
    return answer(KIN_ERR_EXPIRED, 410, "Expired");
}

kin_error too_large(void)
{
    kin_error err = answer(KIN_ERR_SERVER, 504, "Timeout");

    (void) snprintf(err.message, sizeof err.message,
                    "Timeout: Too large resource version: 999, current: 12");
    return err;
}

kin_error throttled(uint32_t retry_after_ms)
{
    kin_error err = answer(KIN_ERR_THROTTLED, 429, "");

    err.retry_after_ms = retry_after_ms;
    return err;
}

kin_error answer(kin_err code, int http_status, const char *reason)
{
    kin_error err = { .code = code, .http_status = http_status };

    (void) snprintf(err.reason, sizeof err.reason, "%s", reason);
    (void) snprintf(err.message, sizeof err.message, "the server says no");
    return err;
}

void sync_by_list(script *s)
{
    expect(s, "list rv=0 limit=500");
    send_object(s, "a@5");
    end_page(s, "12", NULL);
    expect_told(s, "replace@12 [a@5]");
    expect(s, "watch rv=12");
    send_open(s);
}

void sync_by_stream(script *s)
{
    expect(s, "stream rv=");
    send_added(s, "a@5");
    send_initial_end(s, "12");
    expect_told(s, "replace@12 [a@5]");
}

void begin_synced(script *s)
{
    script_begin(s, NULL);
    sync_by_list(s);
}
