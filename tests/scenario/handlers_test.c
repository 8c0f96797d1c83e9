/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handlers_test.c - handlers that are called where the library likes: by the thread of the client's
 * loop, if they are quick, while another stands in for it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "scenario/world.h"

static world w;
static kin_error err;

/* A handler, and what it does when it is told something. */
typedef struct listener {
    kin_registration *registration;
    _Atomic unsigned calls;
    _Atomic unsigned by_loop; /* calls on the thread of the client's loop */
    _Atomic bool is_shut;     /* calls wait until it is not */
    _Atomic bool is_inside;
    void (*act)(struct listener *l);
} listener;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void await_opening(listener *l)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&l->is_shut)) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void open_gate(listener *l)
{
    pthread_mutex_lock(&lock);
    atomic_store(&l->is_shut, false);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_change(void *context, const kin_notification *n)
{
    listener *l = context;
    char name[16];

    (void) n;
    ASSERT_FALSE(atomic_exchange(&l->is_inside, true)); /* calls never overlap */
    ASSERT_FALSE(kin_loop_is_inside(kin_client_loop(w.client)));
    (void) pthread_getname_np(pthread_self(), name, sizeof name);
    atomic_fetch_add(&l->by_loop, strcmp(name, "kin-loop") == 0);
    if (l->act != NULL) {
        l->act(l);
    }
    atomic_fetch_add(&l->calls, 1);
    await_opening(l);
    atomic_store(&l->is_inside, false);
}

static void listen_to(follower *f, listener *l)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.on_add = options.on_update = options.on_delete = on_change;
    options.context = l;
    ASSERT_OK(kin_informer_add_handler(f->informer, &options, &l->registration, &err));
}

static void begin(void)
{
    world_open(&w, NULL, REAL);
    (void) world_follow(&w, NULL, maps_options(), MAPS);
    world_await_watching(&w);
    world_await_equal(&w);
    ASSERT_OK(
        kin_registration_remove_and_wait(w.followers[0].registration, &err)); /* one too many */
}

static void end(listener *l)
{
    ASSERT_OK(kin_registration_remove_and_wait(l->registration, &err));
    kin_registration_free(l->registration);
}

/* Nobody else has to be woken: almost always.  By chance something comes just while it is called;
 * then the next call is another thread's. */
TEST(scenario_handlers, that_are_quick_and_called_by_the_loops_thread)
{
    listener quick = { 0 };
    begin();
    listen_to(&w.followers[0], &quick);

    for (unsigned i = 0; i < 200; i++) {
        (void) put_map(&w, "a", i % 2 == 0 ? "0" : "1");
        AWAIT(&w, atomic_load(&quick.calls) >= i + 1)
    }

    ASSERT_TRUE(atomic_load(&quick.by_loop) > 100);
    end(&quick);
    world_close(&w);
}

TEST(scenario_handlers, of_which_one_never_returns)
{
    listener stuck = { .is_shut = true };
    listener other = { 0 };
    begin();
    listen_to(&w.followers[0], &stuck);
    (void) put_map(&w, "a", "0");
    AWAIT(&w, atomic_load(&stuck.calls) == 1)

    listen_to(&w.followers[0], &other);
    AWAIT(&w, atomic_load(&other.calls) == 1)
    for (unsigned i = 0; i < 50; i++) {
        (void) put_map(&w, "a", i % 2 == 0 ? "1" : "0");
        AWAIT(&w, atomic_load(&other.calls) >= i + 2)
    }

    ASSERT_EQ(atomic_load(&stuck.calls), 1);
    open_gate(&stuck);
    AWAIT(&w, atomic_load(&stuck.calls) == 51)
    end(&other);
    end(&stuck);
    world_close(&w);
}

/* From the pool a handler may wait for the server, whoever calls it. */
static void read_a_map(listener *l)
{
    kin_object *got = NULL;
    kin_error mine;

    (void) l;
    ASSERT_OK(kin_client_get(w.client, "configmaps", "default", "a", &got, &mine));
    kin_object_unref(got);
}

TEST(scenario_handlers, that_ask_the_server_something)
{
    listener curious = { .act = read_a_map };
    begin();
    listen_to(&w.followers[0], &curious);

    for (unsigned i = 0; i < 50; i++) {
        (void) put_map(&w, "a", i % 2 == 0 ? "0" : "1");
        AWAIT(&w, atomic_load(&curious.calls) >= i + 1)
    }

    end(&curious);
    world_close(&w);
}

/* Two, which one thread cannot serve at once, and a stream that hardly pauses. */
TEST(scenario_handlers, two_of_them_under_many_changes)
{
    listener first = { 0 };
    listener second = { 0 };
    begin();
    listen_to(&w.followers[0], &first);
    listen_to(&w.followers[0], &second);

    for (unsigned i = 0; i < 500; i++) {
        (void) put_map(&w, "a", i % 2 == 0 ? "0" : "1");
    }
    AWAIT(&w, atomic_load(&first.calls) == 500)
    AWAIT(&w, atomic_load(&second.calls) == 500)

    end(&second);
    end(&first);
    world_close(&w);
}
