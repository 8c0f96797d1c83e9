/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_fuzz.c - a reflector with any server, any sink and any sequence of inputs.
 *
 * The first byte of the input says how the reflector is made.  Each that follows is an input: the
 * high half says which, the low half with what.  After each of them all actions are taken.
 *
 * What must hold: one call is under way at a time, and only what is under way is cancelled, once;
 * between two whole states versions that are numbers rise; nothing is told while it is stopped;
 * requests that fail are not repeated at once more than a few times.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cache/reflector.h"
#include "kin/key.h"

#define AT_ONCE_MAX 10
#define VERSION_SIZE 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

static const char *const versions[] = { "",   "0",  "1",  "2",   "3",   "7",  "9",    "10",
                                        "11", "12", "40", "100", "101", "0x", "0012", "x" };

static const kin_error failures[] = {
    { .code = KIN_ERR_CONNECT },
    { .code = KIN_ERR_CLOSED, .http_status = 200 },
    { .code = KIN_ERR_TIMEOUT },
    { .code = KIN_ERR_EXPIRED, .http_status = 410, .reason = "Expired" },
    { .code = KIN_ERR_SERVER, .http_status = 504, .message = "Too large resource version: 9" },
    { .code = KIN_ERR_THROTTLED, .http_status = 429 },
    { .code = KIN_ERR_THROTTLED, .http_status = 429, .retry_after_ms = UINT32_MAX },
    { .code = KIN_ERR_UNAUTHORIZED, .http_status = 401 },
    { .code = KIN_ERR_FORBIDDEN, .http_status = 403 },
    { .code = KIN_ERR_NOT_FOUND, .http_status = 404 },
    { .code = KIN_ERR_INVALID, .http_status = 422, .reason = "Invalid" },
    { .code = KIN_ERR_REFUSED, .http_status = 405 },
    { .code = KIN_ERR_SERVER, .http_status = 500, .reason = "InternalError" },
    { .code = KIN_ERR_SERVER, .http_status = 503 },
    { .code = KIN_ERR_MALFORMED, .http_status = 200 },
    { .code = KIN_ERR_NO_MEMORY },
};

typedef struct world {
    kin__reflector *reflector;
    int64_t now_ms;
    bool is_under_way;
    bool is_cancelled;
    bool is_stopped;
    bool sink_refuses;
    char told[VERSION_SIZE]; /* the last version, when it is a number */
    unsigned at_once;        /* requests since time passed or something worked */
} world;

static kin_err say(const world *w, kin_error *err)
{
    MUST(!w->is_stopped);
    return w->sink_refuses ? kin__error_no_memory(err) : KIN_OK;
}

static void note_version(world *w, kin_str version)
{
    MUST(version.len < VERSION_SIZE);
    if (version.len > 0) {
        memcpy(w->told, version.data, version.len);
    }
    w->told[version.len] = '\0';
}

static kin_err on_replace(void *context, kin_object *const *objects, size_t count, kin_str version,
                          kin_error *err)
{
    world *w = context;

    for (size_t i = 0; i < count; i++) {
        MUST(kin_object_name(objects[i]).len == 1);
    }
    if (say(w, err) == KIN_OK) {
        note_version(w, version);
    }
    return w->sink_refuses ? err->code : KIN_OK;
}

static kin_err on_version(world *w, kin_str version, kin_error *err)
{
    kin_error unwanted;
    int order;

    if (kin_resource_version_compare(version, kin_str_of(w->told), &order, &unwanted) == KIN_OK) {
        MUST(order > 0);
    }
    if (say(w, err) == KIN_OK && version.len > 0) {
        note_version(w, version);
    }
    return w->sink_refuses ? err->code : KIN_OK;
}

/* The objects at the beginning of a watch without a version come in any order. */
static kin_err on_change(void *context, kin_object *object, kin_error *err)
{
    world *w = context;

    if (kin__reflector_look(w->reflector).resource_version.len == 0) {
        return say(w, err);
    }
    return on_version(w, kin_object_resource_version(object), err);
}

static kin_err on_bookmark(void *context, kin_str version, kin_error *err)
{
    world *w = context;

    if (kin__reflector_look(w->reflector).resource_version.len == 0) {
        note_version(w, version);
        return say(w, err);
    }
    return on_version(w, version, err);
}

static void on_trouble(void *context, const kin__reflector_trouble *trouble)
{
    world *w = context;

    MUST(trouble->error != NULL && trouble->retry_at_ms >= w->now_ms);
}

static void act(world *w)
{
    for (;;) {
        kin__action action = kin__reflector_next(w->reflector, w->now_ms);

        switch (action.type) {
        case KIN__ACTION_LIST:
        case KIN__ACTION_WATCH:
            MUST(!w->is_under_way && !w->is_stopped);
            MUST(++w->at_once <= AT_ONCE_MAX);
            w->is_under_way = true;
            w->is_cancelled = false;
            continue;
        case KIN__ACTION_CANCEL:
            MUST(w->is_under_way && !w->is_cancelled);
            w->is_cancelled = true;
            continue;
        case KIN__ACTION_STOPPED:
            MUST(w->is_stopped && !w->is_under_way);
            return;
        case KIN__ACTION_WAIT:
            MUST(w->is_under_way || action.until_ms != KIN__NEVER);
            MUST(action.until_ms > w->now_ms);
            return;
        }
    }
}

static kin_object *make(const char *version, unsigned which)
{
    char json[128] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
                     "\"resourceVersion\":\"";
    kin_object *object;
    kin_error err;

    *(strstr(json, "\"a\"") + 1) = (char) ('a' + which % 4);
    size_t len = strlen(json);
    memcpy(json + len, version, strlen(version));
    memcpy(json + len + strlen(version), "\"}}", 4);
    MUST(kin_object_from_json(json, strlen(json), NULL, &object, &err) == KIN_OK);
    return object;
}

static void send_event(world *w, kin_event_type type, unsigned low)
{
    kin_object *object = make(versions[low], low * 7 + (unsigned) type);
    kin_event event = { .type = type,
                        .object = object,
                        .resource_version = kin_object_resource_version(object) };

    kin__reflector_event(w->reflector, &event, w->now_ms);
    kin_object_unref(object);
    w->at_once = 0;
}

static void send_bookmark(world *w, bool is_end, unsigned low)
{
    kin_event event = { .type = KIN_EVENT_BOOKMARK,
                        .is_initial_end = is_end,
                        .resource_version = kin_str_of(versions[low]) };

    kin__reflector_event(w->reflector, &event, w->now_ms);
    w->at_once = 0;
}

static void end(world *w, const kin__call_end *call_end)
{
    if (w->is_under_way) {
        w->is_under_way = false;
        kin__reflector_end(w->reflector, call_end, w->now_ms);
    }
}

static void turn(world *w)
{
    if (w->is_stopped) {
        w->is_stopped = false;
        kin__reflector_start(w->reflector, w->now_ms);
    } else {
        w->is_stopped = true;
        kin__reflector_stop(w->reflector, w->now_ms);
    }
    w->at_once = 0;
}

static void pass(world *w, unsigned low)
{
    static const int64_t times[] = { 1, 100, 999, 1000, 3000, 10000, 30000, 75000, 3600000 };

    w->now_ms += times[low % (sizeof times / sizeof times[0])];
    w->at_once = 0;
}

static void take(world *w, unsigned high, unsigned low)
{
    kin_object *object;

    switch (high) {
    case 0:
    case 1:
    case 2:
        send_event(w, (kin_event_type) (KIN_EVENT_ADDED + high), low);
        break;
    case 3:
    case 4:
        send_bookmark(w, high == 4, low);
        break;
    case 5:
        kin__reflector_event(w->reflector,
                             &(kin_event){ .type = KIN_EVENT_ERROR, .error = &failures[low] },
                             w->now_ms);
        break;
    case 6:
        object = make(versions[low], low);
        kin__reflector_object(w->reflector, object, w->now_ms);
        kin_object_unref(object);
        break;
    case 7:
        w->at_once = 0;
        end(w, &(kin__call_end){ .resource_version = versions[low] });
        break;
    case 8:
        w->at_once = 0;
        end(w, &(kin__call_end){ .resource_version = "9", .continue_token = versions[low] });
        break;
    case 9:
    case 10:
        end(w, &(kin__call_end){ .error = &failures[low] });
        break;
    case 11:
        end(w, &(kin__call_end){ .error = &failures[low], .cause = "ResourceVersionTooLarge" });
        break;
    case 12:
        kin__reflector_opened(w->reflector, w->now_ms);
        break;
    case 13:
        pass(w, low);
        break;
    case 14:
        turn(w);
        break;
    default:
        w->sink_refuses = low % 2 == 1;
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = { .now_ms = 1000 };
    kin_error err;

    if (size == 0) {
        return 0;
    }
    kin__reflector_options options = {
        .mode = (data[0] & 1) != 0 ? KIN__START_LIST : KIN__START_WATCH_LIST,
        .page_size = (data[0] & 2) != 0 ? 1 : 0,
        .resource_version = (data[0] & 4) != 0 ? "7" : NULL,
        .internal_retry_ms = (data[0] & 8) != 0 ? 30000 : 0,
        .seed = data[0],
        .sink = { &w, on_replace, on_change, on_change, on_change, on_bookmark, on_trouble },
    };
    memcpy(w.told, "7", (data[0] & 4) != 0 ? 2 : 0);
    MUST(kin__reflector_new(&options, &w.reflector, &err) == KIN_OK);
    kin__reflector_start(w.reflector, w.now_ms);
    act(&w);
    for (size_t i = 1; i < size; i++) {
        take(&w, data[i] >> 4, data[i] & 15);
        act(&w);
    }
    kin__reflector_free(w.reflector);
    return 0;
}
