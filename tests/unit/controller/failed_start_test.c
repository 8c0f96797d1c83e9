/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed_start_test.c - a start for which the system has no thread left, and who says stop
 * meanwhile.
 *
 * The linker puts the two functions below between the controller and its threads: its last worker
 * does not start, and somebody else comes in where the test wants that.
 */
#include "unit/controller/workshop.h"

#define WORKERS 3

typedef enum place {
    NOWHERE,
    AT_START, /* before the start knows that it has failed */
    AT_JOIN   /* while it gives up */
} place;

static workshop w;
static place stops_at; /* where another thread stops the controller, once */
static size_t started; /* workers */
static bool is_full;   /* the last worker is not to start */

kin_err __real_kin__thread_start(kin__thread *thread, const char *name, void (*run)(void *context),
                                 void *context, kin_error *err) KIN_MUST_CHECK;
kin_err __wrap_kin__thread_start(kin__thread *thread, const char *name, void (*run)(void *context),
                                 void *context, kin_error *err) KIN_MUST_CHECK;
void __real_kin__thread_join(kin__thread *thread);
void __wrap_kin__thread_join(kin__thread *thread);

static void *stop(void *context)
{
    kin_error err;

    (void) context;
    ASSERT_OK(kin_controller_stop(w.controller, -1, &err));
    return NULL;
}

/* Returns when it has been stopped: all of it happens in the middle of the start. */
static void have_stopped(place here)
{
    pthread_t other;

    if (stops_at == here) {
        stops_at = NOWHERE;
        ASSERT_EQ(pthread_create(&other, NULL, stop, NULL), 0);
        ASSERT_EQ(pthread_join(other, NULL), 0);
    }
}

kin_err __wrap_kin__thread_start(kin__thread *thread, const char *name, void (*run)(void *context),
                                 void *context, kin_error *err)
{
    if (strcmp(name, "test") == 0 && ++started == WORKERS && is_full) {
        have_stopped(AT_START);
        *err = (kin_error){ .code = KIN_ERR_LIMIT, .message = "no room" };
        return KIN_ERR_LIMIT;
    }
    return __real_kin__thread_start(thread, name, run, context, err);
}

void __wrap_kin__thread_join(kin__thread *thread)
{
    if (strcmp(thread->name, "test") == 0) {
        have_stopped(AT_JOIN);
    }
    __real_kin__thread_join(thread);
}

static void open_and_fail(place here)
{
    workshop_open(&w);
    w.options.workers = WORKERS;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    ASSERT_OK(kin_informer_start(w.maps, &w.err));
    is_full = true;
    stops_at = here;

    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_LIMIT);

    ASSERT_MESSAGE(&w.err, "start controller \"test\": no room");
    ASSERT_EQ(started, WORKERS);
    is_full = false;
    started = 0;
}

/* Who has said stop is not overruled: not even a second start begins. */
static void expect_stopped(void)
{
    ASSERT_TRUE(status_of(&w).is_stopped);
    ASSERT_ERR(kin_controller_start(w.controller, &w.err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&w.err, "start controller \"test\": it was stopped before");
    ASSERT_EQ(started, 0);
    ASSERT_ERR(kin_controller_add(w.controller, kin_str_of("x"), NULL, &w.err), KIN_ERR_CANCELLED);
    ASSERT_OK(kin_controller_stop(w.controller, -1, &w.err));
    expect_seen(&w, "");
}

TEST(failed_start, is_as_if_it_had_not_been_tried)
{
    open_and_fail(NOWHERE);
    ASSERT_FALSE(status_of(&w).is_stopped);
    ASSERT_ERR(kin_controller_wait_idle(w.controller, -1, &w.err), KIN_ERR_USAGE);

    ASSERT_OK(kin_controller_start(w.controller, &w.err));
    await_idle(&w);

    ASSERT_EQ(started, WORKERS);
    expect_seen(&w, "default/a");
    workshop_close(&w);
}

TEST(failed_start, leaves_a_controller_stopped_that_was_stopped_before_it_failed)
{
    open_and_fail(AT_START);

    expect_stopped();

    workshop_close(&w);
}

TEST(failed_start, leaves_a_controller_stopped_that_was_stopped_while_it_gave_up)
{
    open_and_fail(AT_JOIN);

    expect_stopped();

    workshop_close(&w);
}
