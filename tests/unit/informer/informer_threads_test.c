/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_threads_test.c - an informer whose loop has a thread of its own.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/thread.h"
#include "unit/informer/scene.h"

static scene s;
static _Atomic int calls;
static _Atomic bool is_let_go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void announce(void)
{
    (void) pthread_mutex_lock(&lock);
    (void) pthread_cond_broadcast(&changed);
    (void) pthread_mutex_unlock(&lock);
}

static void await_calls(int count)
{
    (void) pthread_mutex_lock(&lock);
    while (atomic_load(&calls) < count) {
        (void) pthread_cond_wait(&changed, &lock);
    }
    (void) pthread_mutex_unlock(&lock);
}

static void await_release(void)
{
    (void) pthread_mutex_lock(&lock);
    while (!atomic_load(&is_let_go)) {
        (void) pthread_cond_wait(&changed, &lock);
    }
    (void) pthread_mutex_unlock(&lock);
}

static void let_go(void)
{
    atomic_store(&is_let_go, true);
    announce();
}

static void count(void *context, const kin_notification *n)
{
    (void) context;
    (void) n;
    atomic_fetch_add(&calls, 1);
    announce();
}

/* The calls the informer makes are the loop's: wait until there are so many. */
static void await_scene_calls(int wanted)
{
    for (;;) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        ASSERT_OK(kin_informer_get_status(s.informer, &status, &s.err));
        if (status.lists + status.watches >= (uint64_t) wanted) {
            return;
        }
    }
}

static void await_pending(const kin_registration *registration, size_t wanted)
{
    for (;;) {
        kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;

        ASSERT_OK(kin_registration_get_status(registration, &status, &s.err));
        if (status.pending >= wanted) {
            return;
        }
    }
}

static void begin(kin_notification_fn on_add, kin_delivery mode)
{
    scene_open_alone(&s);
    ASSERT_OK(make_informer(&s, NULL));
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.on_add = options.on_update = options.on_delete = on_add;
    options.mode = mode;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &s.registration, &s.err));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    await_scene_calls(1);
    speak_to(&s, 0);
    send_object(&s, "a@5");
}

TEST(informer_threads, calls_handlers_on_the_pool)
{
    begin(count, KIN_DELIVERY_POOL);

    end_page(&s, "12");

    ASSERT_OK(kin_informer_wait_synced(s.informer, -1, &s.err));
    await_calls(1);
    scene_close(&s);
}

static void hang(void *context, const kin_notification *n)
{
    (void) context;
    (void) n;
    atomic_fetch_add(&calls, 1);
    announce();
    await_release();
}

TEST(informer_threads, waits_for_handlers_until_the_deadline_of_a_stop)
{
    begin(hang, KIN_DELIVERY_POOL);
    end_page(&s, "12");
    await_calls(1);

    ASSERT_ERR(kin_informer_stop(s.informer, 20, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_OK(kin_informer_stop(s.informer, 0, &s.err));
    let_go();
    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));
    scene_close(&s);
}

TEST(informer_threads, waits_for_the_call_under_way_when_a_stop_drops_the_rest)
{
    begin(hang, KIN_DELIVERY_POOL);
    send_object(&s, "b@6");
    end_page(&s, "12");
    await_calls(1);

    ASSERT_ERR(kin_informer_stop_and_drop(s.informer, 20, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_OK(kin_informer_stop_and_drop(s.informer, 0, &s.err));
    let_go();
    ASSERT_OK(kin_informer_stop_and_drop(s.informer, -1, &s.err));

    ASSERT_EQ(atomic_load(&calls), 1);
    scene_close(&s);
}

TEST(informer_threads, says_when_a_stop_leaves_something_to_be_told)
{
    kin_registration *slow = NULL;
    begin(count, KIN_DELIVERY_INLINE);
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = KIN_BACKLOG_BLOCK;
    options.bound = 1;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &slow, &s.err));
    end_page(&s, "12");
    await_scene_calls(2);
    speak_to(&s, 1);
    send_open(&s);
    send_added(&s, "b@13");
    await_pending(slow, 2);
    send_added(&s, "c@14");

    ASSERT_ERR(kin_informer_stop(s.informer, 20, &s.err), KIN_ERR_TIMEOUT);

    ASSERT_MESSAGE(&s.err, "stop informer \"pods\": handlers have yet to be told something");
    ASSERT_OK(kin_registration_dispatch(slow, 0, NULL, &s.err));
    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));
    kin_registration_free(slow);
    scene_close(&s);
}

static _Atomic bool has_returned;

/* As long as it is called the informer is there: it goes on for a while after that is being freed.
 */
static void outlast_the_beginning_of_free(void *context, const kin_notification *n)
{
    kin_informer *informer = s.informer;

    count(context, n);
    while (kin_informer_start(informer, NULL) == KIN_OK) {
    }
    int64_t until_ms = kin__clock_now_ms(kin__clock_real()) + 30;
    while (kin__clock_now_ms(kin__clock_real()) < until_ms) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        ASSERT_OK(kin_informer_get_status(informer, &status, NULL));
    }
    atomic_store(&has_returned, true);
}

TEST(informer_threads, waits_for_the_calls_of_handlers_when_it_is_freed)
{
    begin(outlast_the_beginning_of_free, KIN_DELIVERY_POOL);
    end_page(&s, "12");
    await_calls(1);

    kin_informer_free(s.informer);

    ASSERT_TRUE(atomic_load(&has_returned));
    s.informer = NULL;
    scene_close(&s);
}

static void free_it(void *context, const kin_notification *n)
{
    (void) n;
    (void) context;
    kin_informer_free(s.informer);
    s.informer = NULL;
    atomic_fetch_add(&calls, 1);
    announce();
}

TEST(informer_threads, may_be_freed_by_its_handler_on_the_pool)
{
    begin(free_it, KIN_DELIVERY_POOL);

    end_page(&s, "12");

    await_calls(1);
    scene_close(&s); /* the pool runs what was left to it first */
}

TEST(informer_threads, may_be_freed_by_its_handler_on_the_loop)
{
    begin(free_it, KIN_DELIVERY_INLINE);

    end_page(&s, "12");

    await_calls(1);
    scene_close(&s);
}

/* Nobody but the test runs the loop: a thread of the pool does it, for as long as it takes. */
TEST(informer_threads, may_be_freed_by_its_handler_on_a_loop_of_the_program)
{
    scene_open(&s);
    ASSERT_OK(make_informer(&s, NULL));
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.on_add = free_it;
    options.mode = KIN_DELIVERY_INLINE;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &s.registration, &s.err));
    ASSERT_OK(kin_informer_start(s.informer, &s.err));
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");

    end_page(&s, "12");

    ASSERT_EQ(atomic_load(&calls), 1);
    scene_close(&s);
}

static void wait_for_next(void *context, const kin_notification *n)
{
    (void) context;
    if (kin_str_equal(kin_object_name(n->object), kin_str_of("a"))) {
        ASSERT_OK(
            kin_informer_wait_for(s.informer, kin_str_of("shop/b"), kin_str_of("13"), -1, NULL));
        kin_view view = kin_store_read(kin_informer_store(s.informer));
        ASSERT_TRUE(kin_view_get(&view, kin_str_of("shop/b")) != NULL);
        kin_store_done(&view);
    }
    count(context, n);
}

TEST(informer_threads, lets_a_handler_wait_for_a_version)
{
    begin(wait_for_next, KIN_DELIVERY_POOL);
    end_page(&s, "12");
    await_scene_calls(2);
    speak_to(&s, 1);
    send_open(&s);

    send_added(&s, "b@13");

    await_calls(2);
    scene_close(&s);
}

static void wait_for_bookmark(void *context)
{
    (void) context;
    atomic_fetch_add(&calls, 1);
    announce();
    ASSERT_OK(kin_informer_wait_for(s.informer, kin_str_of("shop/b"), kin_str_of("99"), -1, NULL));
    atomic_store(&has_returned, true);
}

TEST(informer_threads, wakes_who_waits_by_a_bookmark)
{
    kin__thread waiting;
    begin(count, KIN_DELIVERY_INLINE);
    end_page(&s, "12");
    await_scene_calls(2);
    speak_to(&s, 1);
    send_open(&s);
    ASSERT_OK(kin__thread_start(&waiting, "test", wait_for_bookmark, NULL, &s.err));
    await_calls(2);
    for (int i = 0; i < 86; i++) {
        char version[8];
        (void) snprintf(version, sizeof version, "%d", 13 + i);
        send_bookmark(&s, version);
    }
    ASSERT_FALSE(atomic_load(&has_returned));

    send_bookmark(&s, "99");

    kin__thread_join(&waiting);
    ASSERT_TRUE(atomic_load(&has_returned));
    scene_close(&s);
}

static kin_err wait_code;

static void wait_in_vain(void *context, const kin_notification *n)
{
    (void) n;
    (void) context;
    atomic_fetch_add(&calls, 1);
    announce();
    wait_code = kin_informer_wait_for(s.informer, kin_str_of("shop/b"), kin_str_of("99"), -1, NULL);
}

TEST(informer_threads, ends_the_waits_of_handlers_when_it_is_freed)
{
    begin(wait_in_vain, KIN_DELIVERY_POOL);
    end_page(&s, "12");
    await_calls(1);

    scene_close(&s);

    ASSERT_TRUE(wait_code == KIN_ERR_CANCELLED || wait_code == KIN_ERR_USAGE);
}

typedef struct waiter {
    kin__thread thread;
    enum { FOR_SYNC, FOR_VERSION, FOR_STOP } kind;
    _Atomic bool is_done;
    kin_err code;
} waiter;

static void wait_as_told(void *context)
{
    waiter *w = context;

    atomic_fetch_add(&calls, 1);
    announce();
    switch (w->kind) {
    case FOR_SYNC:
        w->code = kin_informer_wait_synced(s.informer, -1, NULL);
        break;
    case FOR_VERSION:
        w->code =
            kin_informer_wait_for(s.informer, kin_str_of("shop/b"), kin_str_of("99"), -1, NULL);
        break;
    case FOR_STOP:
        w->code = kin_informer_stop(s.informer, -1, NULL);
        break;
    }
    atomic_store(&w->is_done, true);
}

static void let_wait(waiter *w)
{
    int before = atomic_load(&calls);

    ASSERT_OK(kin__thread_start(&w->thread, "test", wait_as_told, w, &s.err));
    await_calls(before + 1);
}

TEST(informer_threads, ends_waits_when_it_is_stopped)
{
    waiter for_sync = { .kind = FOR_SYNC };
    waiter for_version = { .kind = FOR_VERSION };
    begin(count, KIN_DELIVERY_INLINE);
    let_wait(&for_sync);
    let_wait(&for_version);
    send_object(&s, "b@6"); /* a turn of the loop: by now they wait */

    ASSERT_OK(kin_informer_stop(s.informer, -1, &s.err));

    kin__thread_join(&for_sync.thread);
    kin__thread_join(&for_version.thread);
    ASSERT_TRUE(for_sync.code == KIN_ERR_CANCELLED || for_sync.code == KIN_ERR_USAGE);
    ASSERT_TRUE(for_version.code == KIN_ERR_CANCELLED || for_version.code == KIN_ERR_USAGE);
    scene_close(&s);
}

/* The handler has room for one, and is told nothing: the stop could wait for ever. */
TEST(informer_threads, ends_a_stop_when_it_is_started_again)
{
    waiter for_stop = { .kind = FOR_STOP };
    kin_registration *slow = NULL;
    begin(count, KIN_DELIVERY_INLINE);
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = KIN_BACKLOG_BLOCK;
    options.bound = 1;
    ASSERT_OK(kin_informer_add_handler(s.informer, &options, &slow, &s.err));
    end_page(&s, "12");
    await_scene_calls(2);
    speak_to(&s, 1);
    send_open(&s);
    send_added(&s, "b@13");
    await_pending(slow, 2);
    send_added(&s, "c@14");
    let_wait(&for_stop);
    for (kin_informer_status status = KIN_INFORMER_STATUS_INIT;
         status.state != KIN_INFORMER_STOPPED && status.state != KIN_INFORMER_BLOCKED;) {
        ASSERT_OK(kin_informer_get_status(s.informer, &status, &s.err));
    }
    ASSERT_FALSE(atomic_load(&for_stop.is_done));

    while (!atomic_load(&for_stop.is_done)) {
        ASSERT_OK(kin_informer_start(s.informer, &s.err));
    }

    kin__thread_join(&for_stop.thread);
    ASSERT_ERR(for_stop.code, KIN_ERR_CANCELLED);
    kin_registration_free(slow);
    scene_close(&s);
}

static void start_and_stop(void *context)
{
    kin_informer *informer = context;

    for (int i = 0; i < 50; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        ASSERT_OK(kin_informer_start(informer, NULL));
        ASSERT_OK(kin_informer_get_status(informer, &status, NULL));
        (void) !kin_informer_wait_synced(informer, 0, NULL);
        (void) !kin_informer_stop(informer, 1, NULL);
    }
}

static void add_and_remove(void *context)
{
    kin_informer *informer = context;

    for (int i = 0; i < 50; i++) {
        kin_registration *registration = NULL;
        kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

        options.on_add = count;
        ASSERT_OK(kin_informer_add_handler(informer, &options, &registration, NULL));
        kin_registration_free(registration);
    }
}

TEST(informer_threads, may_be_used_from_many_threads_at_once)
{
    kin__thread threads[4];
    scene_open_alone(&s);
    ASSERT_OK(make_informer(&s, NULL));
    s.start_says = KIN_ERR_CONNECT;

    for (int i = 0; i < 4; i++) {
        ASSERT_OK(kin__thread_start(&threads[i], "test", i < 2 ? start_and_stop : add_and_remove,
                                    s.informer, &s.err));
    }
    for (int i = 0; i < 4; i++) {
        kin__thread_join(&threads[i]);
    }
    scene_close(&s);
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int threads = -2; /* "." and ".." */

    ASSERT_TRUE(tasks != NULL);
    while (readdir(tasks) != NULL) {
        threads++;
    }
    (void) closedir(tasks);
    return threads;
}

TEST(informer_threads, are_two_for_a_thousand_informers)
{
    enum { MANY = 1000 };
    static kin_informer *informers[MANY];
    static kin_registration *registrations[MANY];
    int before = count_threads();
    scene_open_alone(&s);
    s.has_no_resources = true;
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.on_add = count;

    for (int i = 0; i < MANY; i++) {
        ASSERT_OK(make_informer(&s, NULL));
        informers[i] = s.informer;
        ASSERT_OK(kin_informer_add_handler(informers[i], &options, &registrations[i], &s.err));
        ASSERT_OK(kin_informer_start(informers[i], &s.err));
    }

    ASSERT_TRUE(count_threads() - before <= 2);
    for (int i = 0; i < MANY; i++) {
        kin_informer_free(informers[i]);
        kin_registration_free(registrations[i]);
    }
    s.informer = NULL;
    scene_close(&s);
}
