/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_test.c - informers of a program's own list watcher.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "kin/list_watcher.h"
#include "net/loop_state.h"
#include "unit/informer/scene.h"

/* A list watcher that writes down what it is asked, and says what the test wants. */
typedef struct own {
    kin_loop *loop;
    kin_source *source;
    kin_resource *things;
    kin_informer *informer;
    kin_handler handler; /* of the call under way */
    bool is_under_way;
    bool is_cancelled;
    kin_err start_says;
    bool start_gives_no_reason;
    text asked;
    kin_error err;
} own;

static own o;

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     void **out_call, kin_error *err)
{
    own *its = context;

    if (its->start_says != KIN_OK && its->start_gives_no_reason) {
        return its->start_says;
    }
    if (its->start_says != KIN_OK) {
        return kin__error_set(err, its->start_says, "not now");
    }
    text_append(&its->asked, "%s%s %s %s", its->asked.len == 0 ? "" : "; ",
                request->verb == KIN_VERB_LIST ? "list" : "watch", kin_resource_name(request->of),
                request->resource_version);
    its->handler = *handler;
    its->is_under_way = true;
    *out_call = &its->handler;
    return KIN_OK;
}

static void end_cancelled(void *context)
{
    kin_error err;
    kin_reply reply = KIN_REPLY_INIT;

    (void) context;
    kin__error_set(&err, KIN_ERR_CANCELLED, "cancelled");
    o.is_under_way = false;
    o.handler.on_done(o.handler.context, &reply, &err);
}

static void cancel(void *context, void *call)
{
    own *its = context;

    ASSERT_TRUE(call == &its->handler);
    its->is_cancelled = true;
    ASSERT_OK(kin_loop_post(its->loop, end_cancelled, NULL, &its->err));
}

static kin_list_watcher watcher_of(own *its)
{
    kin_list_watcher watcher = KIN_LIST_WATCHER_INIT;

    watcher.context = its;
    watcher.start = start;
    watcher.cancel = cancel;
    return watcher;
}

static kin_err try_to_open(void)
{
    kin_list_watcher watcher = watcher_of(&o);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    memset(&o, 0, sizeof o);
    kin_err code = kin_loop_new(NULL, &o.loop, &o.err);
    if (code == KIN_OK) {
        code = kin_resource_new("x", "v1", "things", "Thing", true, &o.things, &o.err);
    }
    if (code == KIN_OK) {
        code = kin_source_new(o.loop, &watcher, &o.source, &o.err);
    }
    options.of = o.things;
    if (code == KIN_OK) {
        code = kin_informer_new_of_source(o.source, &options, &o.informer, &o.err);
    }
    return code;
}

static void turn(void)
{
    for (int i = 0; i < 8; i++) {
        ASSERT_OK(kin_loop_dispatch(o.loop, 0, &o.err));
    }
}

static void end_call(const char *version, const kin_error *err)
{
    kin_reply reply = KIN_REPLY_INIT;
    char copy[16];

    (void) snprintf(copy, sizeof copy, "%s", version);
    reply.resource_version = copy;
    ASSERT_TRUE(o.is_under_way);
    o.is_under_way = false;
    o.handler.on_done(o.handler.context, &reply, err);
    turn();
}

/* On the thread that dispatches the loop, but not inside it: posted, as a program would. */
typedef struct news {
    char type; /* 'o' object of a list, '+' and '-' of a watch, '^' it is open */
    const char *word;
} news;

static void say_on_loop(void *context)
{
    const news *what = context;
    kin_object *object = strchr("o+-", what->type) != NULL ? scene_object(what->word) : NULL;

    if (what->type == 'o') {
        (void) o.handler.on_object(o.handler.context, object);
    } else if (what->type == '^') {
        (void) o.handler.on_open(o.handler.context);
    } else {
        kin_event event = { .type = what->type == '+' ? KIN_EVENT_ADDED : KIN_EVENT_DELETED };
        event.object = object;
        event.resource_version = kin_object_resource_version(object);
        (void) o.handler.on_event(o.handler.context, &event);
    }
    kin_object_unref(object);
}

static void say(char type, const char *word)
{
    news what = { type, word };

    ASSERT_OK(kin_loop_post(o.loop, say_on_loop, &what, &o.err));
    turn();
}

static void close_own(void)
{
    kin_informer_free(o.informer);
    kin_source_free(o.source);
    kin_resource_unref(o.things);
    kin_loop_free(o.loop);
}

static size_t count_objects(void)
{
    kin_view view = kin_store_read(kin_informer_store(o.informer));
    size_t count = kin_view_count(&view);

    kin_store_done(&view);
    return count;
}

TEST(source, is_listed_and_watched)
{
    ASSERT_OK(try_to_open());
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();
    say('o', "a@5");
    end_call("12", NULL);
    ASSERT_TRUE(kin_informer_has_synced(o.informer));
    say('^', NULL);
    say('+', "b@13");
    ASSERT_EQ(count_objects(), 2);
    say('-', "a@14");

    ASSERT_EQ(count_objects(), 1);
    ASSERT_STR_EQ(o.asked.chars, "list things 0; watch things 12");
    close_own();
}

TEST(source, is_listed_again_when_a_watch_has_expired)
{
    kin_error expired;
    ASSERT_OK(try_to_open());
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();
    say('o', "a@5");
    end_call("12", NULL);

    kin__error_set(&expired, KIN_ERR_EXPIRED, "nobody knows");
    end_call("", &expired);

    ASSERT_STR_EQ(o.asked.chars, "list things 0; watch things 12; list things 12");
    close_own();
}

TEST(source, is_told_to_cancel_when_the_informer_stops)
{
    ASSERT_OK(try_to_open());
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();

    ASSERT_OK(kin_informer_stop(o.informer, -1, &o.err));

    ASSERT_TRUE(o.is_cancelled);
    ASSERT_FALSE(o.is_under_way);
    close_own();
}

static _Atomic bool is_let_go_of;

static void let_go_of_all(void *context, const kin_notification *n)
{
    (void) context;
    (void) n;
    kin_informer_free(o.informer);
    kin_source_free(o.source);
    atomic_store(&is_let_go_of, true);
}

static bool is_held(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->holders > 0;
    kin__mutex_unlock(&loop->lock);
    return is;
}

TEST(source, is_freed_after_a_handler_that_frees_it)
{
    kin_registration *registration = NULL;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    handler.on_add = let_go_of_all;
    ASSERT_OK(try_to_open());
    ASSERT_OK(kin_informer_add_handler(o.informer, &handler, &registration, &o.err));
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();
    say('o', "a@5");
    end_call("5", NULL);

    while (!atomic_load(&is_let_go_of) || is_held(o.loop)) {
        (void) sched_yield();
    }
    kin_registration_free(registration);
    o.informer = NULL;
    o.source = NULL;
    close_own();
}

TEST(source, that_cannot_begin_is_asked_again_later)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    ASSERT_OK(try_to_open());
    o.start_says = KIN_ERR_SYSTEM;
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();

    ASSERT_OK(kin_informer_get_status(o.informer, &status, &o.err));
    ASSERT_EQ(status.failures, 1);
    ASSERT_CONTAINS(status.error.message, "not now");
    ASSERT_FALSE(o.is_under_way);
    close_own();
}

TEST(source, that_cannot_begin_need_not_say_why)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    ASSERT_OK(try_to_open());
    o.start_says = KIN_ERR_FORBIDDEN;
    o.start_gives_no_reason = true;
    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();

    ASSERT_OK(kin_informer_get_status(o.informer, &status, &o.err));
    ASSERT_EQ(status.state, KIN_INFORMER_FORBIDDEN);
    ASSERT_ERR(status.error.code, KIN_ERR_FORBIDDEN);
    ASSERT_CONTAINS(status.error.message, "the list watcher does not say why it failed");
    close_own();
}

/* Objects of built-in kinds would come as protobuf from a server, and so in a stream. */
TEST(source, is_listed_whatever_the_kind)
{
    kin_resource *pods;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    ASSERT_OK(try_to_open());
    kin_informer_free(o.informer);
    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &pods, &o.err));
    options.of = pods;
    ASSERT_OK(kin_informer_new_of_source(o.source, &options, &o.informer, &o.err));

    ASSERT_OK(kin_informer_start(o.informer, &o.err));
    turn();

    ASSERT_STR_EQ(o.asked.chars, "list pods 0");
    kin_resource_unref(pods);
    close_own();
}

TEST(source, needs_its_functions_and_a_resource)
{
    kin_source *none = NULL;
    kin_informer *informer = NULL;
    kin_list_watcher watcher = watcher_of(&o);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    ASSERT_OK(try_to_open());

    watcher.cancel = NULL;
    ASSERT_ERR(kin_source_new(o.loop, &watcher, &none, &o.err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_source_new(o.loop, NULL, &none, &o.err), KIN_ERR_USAGE);
    options.resource = "things";
    ASSERT_ERR(kin_informer_new_of_source(o.source, &options, &informer, &o.err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(o.err.message, "`of` is needed");
    close_own();
}

TEST_FAILING_ALLOC(source, is_made_or_says_that_there_is_no_memory)
{
    kin_err code = try_to_open();

    close_own();
    return code;
}
