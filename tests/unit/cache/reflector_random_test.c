/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflector_random_test.c - a reflector against a server that does whatever servers do.
 *
 * The server keeps its state at every version, knows the last 200 changes, and fails in all ways of
 * the protocol by chance: connections refused and cut, ends without a reason, events twice, 403 and
 * 429 and 500, pages that expire, restarts, backups that are restored, streaming lists without an
 * end.  The sink refuses things by chance.  Whatever happens, the sink must be told each change in
 * its order, none twice, and in the end hold what the server holds.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cache/reflector.h"
#include "support/random.h"
#include "support/test.h"
#include "unit/cache/reflector_script.h"

enum { NAMES = 12, VERSIONS = 6000, HISTORY = 200, PAGE = 4, RESTORE_MS = 5000 };

/* The version of each object; 0: not there. */
typedef struct state {
    int of[NAMES];
} state;

typedef enum call { NO_CALL, LIST, PROBE, WATCH, STREAM } call;

typedef struct world {
    uint64_t random;
    int64_t now_ms;
    bool is_calm; /* nothing fails any more */

    /* The server. */
    state at[VERSIONS]; /* at[0] is unused */
    int version;
    bool is_up;
    int64_t away_at; /* since when it is not */
    int life;        /* one more with each backup that is restored */
    bool never_ends_streams;

    /* What is under way. */
    call call;
    int asked; /* version; 0: any or the newest */
    bool is_limited;
    int list_life; /* ... of which life */
    int list_at;   /* of a list or stream: the version of its state */
    int list_next; /* of a list or stream: the next name */
    bool is_open;
    int cursor; /* of a watch: told up to here */
    bool is_cancelled;
    char token[32];

    /* The sink. */
    state held;
    int told; /* version */
    bool has_replaced;
    uint64_t requests;
} world;

static size_t below(world *w, size_t end)
{
    return random_below(&w->random, end);
}

/* One in `n`, while things may fail. */
static bool chance(world *w, size_t n)
{
    return !w->is_calm && below(w, n) == 0;
}

/* ---- the sink ------------------------------------------------------------------------------ */

static int number_of(kin_str s)
{
    int number = 0;

    for (size_t i = 0; i < s.len; i++) {
        number = number * 10 + (s.data[i] - '0');
    }
    return number;
}

static int name_of(const kin_object *object)
{
    kin_str name = kin_object_name(object);

    return number_of((kin_str){ name.data + 1, name.len - 1 });
}

static kin_err maybe(world *w, kin_error *err)
{
    return chance(w, 50) ? kin__error_no_memory(err) : KIN_OK;
}

static kin_err on_replace(void *context, kin_object *const *objects, size_t count, kin_str version,
                          kin_error *err)
{
    world *w = context;

    if (maybe(w, err) != KIN_OK) {
        return err->code;
    }
    w->held = (state){ 0 };
    for (size_t i = 0; i < count; i++) {
        int *place = &w->held.of[name_of(objects[i])];

        ASSERT_EQ(*place, 0);
        *place = number_of(kin_object_resource_version(objects[i]));
    }
    w->told = number_of(version);
    w->has_replaced = true;
    ASSERT_TRUE(memcmp(&w->held, &w->at[w->told], sizeof w->held) == 0);
    return KIN_OK;
}

static kin_err change(world *w, const kin_object *object, bool was_there, bool is_there,
                      kin_error *err)
{
    int version = number_of(kin_object_resource_version(object));
    int *place = &w->held.of[name_of(object)];

    ASSERT_TRUE(version > w->told);
    ASSERT_EQ(*place != 0, was_there);
    if (maybe(w, err) != KIN_OK) {
        return err->code;
    }
    *place = is_there ? version : 0;
    w->told = version;
    return KIN_OK;
}

static kin_err on_add(void *context, kin_object *object, kin_error *err)
{
    return change(context, object, false, true, err);
}

static kin_err on_update(void *context, kin_object *object, kin_error *err)
{
    return change(context, object, true, true, err);
}

static kin_err on_remove(void *context, kin_object *object, kin_error *err)
{
    return change(context, object, true, false, err);
}

static kin_err on_bookmark(void *context, kin_str version, kin_error *err)
{
    world *w = context;

    ASSERT_TRUE(number_of(version) > w->told);
    if (maybe(w, err) != KIN_OK) {
        return err->code;
    }
    w->told = number_of(version);
    return KIN_OK;
}

/* ---- the server ---------------------------------------------------------------------------- */

/* Writes something, or something of another resource. */
static void write_something(world *w)
{
    if (w->version + 1 >= VERSIONS) {
        return;
    }
    w->at[w->version + 1] = w->at[w->version];
    w->version++;
    if (below(w, 4) != 0) {
        int *place = &w->at[w->version].of[below(w, NAMES)];

        *place = *place != 0 && below(w, 3) == 0 ? 0 : w->version;
    }
}

static kin_object *object_of(int name, int version)
{
    char words[32];

    (void) snprintf(words, sizeof words, "p%d@%d", name, version);
    return script_object("v1", "Pod", words);
}

static void end(world *w, kin__reflector *r, const kin_error *err)
{
    w->call = NO_CALL;
    kin__reflector_end(r, &(kin__call_end){ .error = err }, w->now_ms);
}

static void fail(world *w, kin__reflector *r, kin_error err)
{
    end(w, r, &err);
}

static void send_event(world *w, kin__reflector *r, kin_event_type type, int name, int version)
{
    kin_object *object = object_of(name, version);
    kin_event event = { .type = type,
                        .object = object,
                        .resource_version = kin_object_resource_version(object) };

    kin__reflector_event(r, &event, w->now_ms);
    kin_object_unref(object);
}

static void send_mark(world *w, kin__reflector *r, int version, bool is_end)
{
    char words[16];

    (void) snprintf(words, sizeof words, "%d", version);
    kin_event event = { .type = KIN_EVENT_BOOKMARK,
                        .is_initial_end = is_end,
                        .resource_version = kin_str_of(words) };
    kin__reflector_event(r, &event, w->now_ms);
}

/* What happened at `version`, if it was of our resource. */
static void send_change(world *w, kin__reflector *r, int version)
{
    const state *before = &w->at[version - 1];
    const state *after = &w->at[version];

    for (int i = 0; i < NAMES; i++) {
        if (before->of[i] != after->of[i]) {
            send_event(w, r,
                       before->of[i] == 0  ? KIN_EVENT_ADDED
                       : after->of[i] == 0 ? KIN_EVENT_DELETED
                                           : KIN_EVENT_MODIFIED,
                       i, version);
        }
    }
}

static kin_error random_refusal(world *w)
{
    switch (below(w, 6)) {
    case 0:
        return answer(KIN_ERR_FORBIDDEN, 403, "Forbidden");
    case 1:
        return throttled(below(w, 2) == 0 ? 1000 : 0);
    case 2:
        return answer(KIN_ERR_SERVER, 500, "InternalError");
    case 3:
        return answer(KIN_ERR_SERVER, 503, "");
    case 4:
        return answer(KIN_ERR_MALFORMED, 200, "");
    default:
        return cut();
    }
}

static void serve_page(world *w, kin__reflector *r)
{
    char version[16];
    bool has_more = false;
    int sent = 0;

    for (; w->list_next < NAMES; w->list_next++) {
        if (w->at[w->list_at].of[w->list_next] == 0) {
            continue;
        }
        if (w->is_limited && sent == PAGE) {
            has_more = true;
            break;
        }
        kin_object *object = object_of(w->list_next, w->at[w->list_at].of[w->list_next]);
        kin__reflector_object(r, object, w->now_ms);
        kin_object_unref(object);
        sent++;
        if (chance(w, 40)) {
            fail(w, r, random_refusal(w));
            return;
        }
    }
    (void) snprintf(version, sizeof version, "%d", w->list_at);
    (void) snprintf(w->token, sizeof w->token, "%d.%d.%d", w->life, w->list_at, w->list_next);
    w->call = NO_CALL;
    kin__reflector_end(r,
                       &(kin__call_end){ .resource_version = version,
                                         .continue_token = has_more ? w->token : NULL },
                       w->now_ms);
}

static void serve_list(world *w, kin__reflector *r)
{
    if (w->asked > w->version) {
        w->now_ms += 3000;
        fail(w, r, too_large());
    } else if (chance(w, 8)) {
        fail(w, r, random_refusal(w));
    } else if (w->list_life != w->life ||
               (w->token[0] != '\0' && w->list_next > 0 && chance(w, 4))) {
        fail(w, r, expired());
    } else {
        serve_page(w, r);
    }
}

static void serve_stream(world *w, kin__reflector *r)
{
    if (!w->is_open) {
        if (w->asked > w->version) {
            w->now_ms += 3000;
            send_error(&(script){ .reflector = r, .now_ms = w->now_ms }, too_large());
            end(w, r, NULL);
            return;
        }
        w->is_open = true;
        kin__reflector_opened(r, w->now_ms);
        w->list_at = w->cursor = w->version;
        w->list_next = 0;
        return;
    }
    if (w->list_next < NAMES) {
        /* From both ends, as servers before 1.29 send them in no order. */
        int name = w->list_next % 2 == 0 ? w->list_next / 2 : NAMES - 1 - w->list_next / 2;

        w->list_next++;
        if (w->at[w->list_at].of[name] != 0) {
            send_event(w, r, KIN_EVENT_ADDED, name, w->at[w->list_at].of[name]);
        }
    } else if (w->cursor < w->version && below(w, 2) == 0) {
        send_change(w, r, ++w->cursor);
    } else if (!w->never_ends_streams) {
        send_mark(w, r, w->cursor, true);
        w->call = WATCH;
    }
}

static void serve_watch(world *w, kin__reflector *r)
{
    if (!w->is_open) {
        w->is_open = true;
        kin__reflector_opened(r, w->now_ms);
        if (w->cursor < w->version - HISTORY) {
            send_error(&(script){ .reflector = r, .now_ms = w->now_ms }, expired());
            end(w, r, NULL);
        }
        return;
    }
    for (size_t i = 1 + below(w, 4); i > 0 && w->cursor < w->version; i--) {
        send_change(w, r, ++w->cursor);
        if (chance(w, 20)) {
            send_change(w, r, w->cursor);
        }
    }
    if (below(w, 10) == 0 && w->cursor == w->version) {
        send_mark(w, r, w->version, false);
    }
}

static void serve(world *w, kin__reflector *r)
{
    bool is_watch = w->call == WATCH || w->call == STREAM;

    if (!w->is_up) {
        fail(w, r, is_watch && w->is_open ? cut() : refused());
    } else if (w->is_cancelled) {
        fail(w, r, answer(KIN_ERR_CANCELLED, 200, ""));
    } else if (is_watch && w->is_open && chance(w, 60)) {
        end(w, r, NULL);
    } else if (is_watch && w->is_open && chance(w, 60)) {
        fail(w, r, cut());
    } else if (is_watch && chance(w, w->is_open ? 100 : 8)) {
        fail(w, r, random_refusal(w));
    } else if (w->call == WATCH) {
        serve_watch(w, r);
    } else if (w->call == STREAM) {
        serve_stream(w, r);
    } else {
        serve_list(w, r);
    }
}

/* It goes away, with all connections; it comes back, and sometimes as it was a while ago: to
 * restore a backup takes its time. */
static void switch_server(world *w, kin__reflector *r)
{
    w->is_up = !w->is_up;
    if (!w->is_up) {
        w->away_at = w->now_ms;
        if (w->call != NO_CALL) {
            fail(w, r, cut());
        }
    } else if (w->now_ms - w->away_at >= RESTORE_MS && below(w, 3) == 0 && w->version > 300) {
        w->version -= 100 + (int) below(w, 200);
        w->life++;
    }
}

/* ---- the two together ---------------------------------------------------------------------- */

static void begin_call(world *w, const kin__action *action)
{
    bool is_watch = action->type == KIN__ACTION_WATCH;
    const char *version = is_watch ? action->watch.resource_version : action->list.resource_version;
    const char *token = is_watch ? NULL : action->list.continue_token;

    w->requests++;
    w->asked = number_of(kin_str_of(version));
    w->is_open = w->is_cancelled = false;
    w->cursor = w->asked;
    w->call = is_watch ? (action->watch.initial_events ? STREAM : WATCH)
                       : (action->list.is_probe ? PROBE : LIST);
    if (is_watch) {
        return;
    }
    w->is_limited = action->list.limit > 0;
    if (token != NULL) {
        ASSERT_EQ(sscanf(token, "%d.%d.%d", &w->list_life, &w->list_at, &w->list_next), 3);
        return;
    }
    w->token[0] = '\0';
    w->list_life = w->life;
    w->list_next = 0;
    w->list_at = w->version;
    if (strcmp(version, "0") == 0 && w->version > 5) {
        w->list_at -= (int) below(w, 5);
    }
}

static void step(world *w, kin__reflector *r)
{
    kin__action action = kin__reflector_next(r, w->now_ms);

    switch (action.type) {
    case KIN__ACTION_LIST:
    case KIN__ACTION_WATCH:
        ASSERT_EQ(w->call, NO_CALL);
        begin_call(w, &action);
        return;
    case KIN__ACTION_CANCEL:
        ASSERT_TRUE(w->call != NO_CALL && !w->is_cancelled);
        w->is_cancelled = true;
        return;
    case KIN__ACTION_STOPPED:
        FAIL("it has stopped");
    case KIN__ACTION_WAIT:
        break;
    }
    ASSERT_TRUE(w->call != NO_CALL || action.until_ms != KIN__NEVER);
    int64_t passes = 1 + (int64_t) below(w, 400);
    if (w->call == NO_CALL || w->now_ms + passes > action.until_ms) {
        w->now_ms = action.until_ms;
    } else {
        w->now_ms += passes;
    }
    if (!w->is_calm && below(w, 2) == 0) {
        write_something(w);
    }
    if (chance(w, 150) || (!w->is_up && below(w, 5) == 0)) {
        switch_server(w, r);
    }
    if (w->call != NO_CALL) {
        serve(w, r);
    }
}

static void run(uint64_t seed, kin__start_mode mode)
{
    static world w;
    AUTO(kin__reflector_free) kin__reflector *r = NULL;
    kin_error err;

    w = (world){
        .random = seed, .version = 10, .is_up = true, .never_ends_streams = seed % 3 == 0
    };
    kin__reflector_options options = {
        .mode = mode,
        .page_size = seed % 2 == 0 ? PAGE : 0,
        .seed = seed,
        .sink = { &w, on_replace, on_add, on_update, on_remove, on_bookmark, NULL },
    };
    ASSERT_OK(kin__reflector_new(&options, &r, &err));
    kin__reflector_start(r, w.now_ms);
    for (int i = 0; i < 4000; i++) {
        step(&w, r);
    }
    ASSERT_TRUE((int64_t) w.requests * 1000 < w.now_ms * 3);
    w.is_calm = w.is_up = true;
    for (int i = 0; i < 2000; i++) {
        step(&w, r);
    }

    ASSERT_TRUE(w.has_replaced);
    ASSERT_TRUE(memcmp(&w.held, &w.at[w.version], sizeof w.held) == 0);
    ASSERT_EQ(w.told, w.version);
}

TEST(reflector_random, keeps_its_promises_with_lists)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        (void) printf("seed %llu\n", (unsigned long long) seed);
        run(seed, KIN__START_LIST);
    }
}

TEST(reflector_random, keeps_its_promises_with_streams)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        (void) printf("seed %llu\n", (unsigned long long) seed);
        run(seed, KIN__START_WATCH_LIST);
    }
}
