/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard_test.c - errands of a loop's own thread, and who runs the loop meanwhile.
 */
#include "net/guard.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "net/loop.h"
#include "net/loop_state.h"
#include "support/test.h"

/* A loop with a thread of its own and one that stands guard; errands wait at a gate. */
typedef struct house {
    kin_loop *loop;
    kin__errand errand;
    pthread_t guard;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int run;
    int fired;                     /* timers */
    int more;                      /* errands on which each sends the thread again */
    bool is_open;                  /* the gate */
    bool was_inside;               /* the loop, in the errand */
    bool was_dismissed;            /* what the guard was told */
    pthread_t by;                  /* who did the errand */
    char name[16];                 /* of that thread */
    void (*work)(struct house *h); /* of an errand, before the gate */
    text log;
} house;

#define HOUSE                                                                                      \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .is_open = true    \
    }

static void run_errand(void *context)
{
    house *h = context;

    if (h->more > 0) {
        h->more--;
        ASSERT_TRUE(kin__loop_send(h->loop, &h->errand));
    }
    if (h->work != NULL) {
        h->work(h);
    }
    pthread_mutex_lock(&h->lock);
    h->was_inside = kin_loop_is_inside(h->loop);
    h->by = pthread_self();
    (void) pthread_getname_np(h->by, h->name, sizeof h->name);
    h->run++;
    pthread_cond_broadcast(&h->changed);
    while (!h->is_open) {
        pthread_cond_wait(&h->changed, &h->lock);
    }
    pthread_mutex_unlock(&h->lock);
}

static void await(house *h, const int *count, int wanted)
{
    pthread_mutex_lock(&h->lock);
    while (*count < wanted) {
        pthread_cond_wait(&h->changed, &h->lock);
    }
    pthread_mutex_unlock(&h->lock);
}

static void open_gate(house *h)
{
    pthread_mutex_lock(&h->lock);
    h->is_open = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static void say(void *context, kin_log_level level, const char *component, const char *message)
{
    (void) level;
    text_append(context, "%s: %s", component, message);
}

static void build(house *h)
{
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_error err;

    options.logger.log = say;
    options.logger.context = &h->log;
    h->errand = (kin__errand){ run_errand, h };
    ASSERT_OK(kin_loop_new(&options, &h->loop, &err));
    ASSERT_OK(kin_loop_start(h->loop, &err));
}

static void *stand(void *context)
{
    house *h = context;
    h->was_dismissed = kin__loop_stand_guard(h->loop);
    return NULL;
}

static bool is_guarded(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->has_guard;
    kin__mutex_unlock(&loop->lock);
    return is;
}

static void post_guard(house *h)
{
    ASSERT_EQ(pthread_create(&h->guard, NULL, stand, h), 0);
    while (!is_guarded(h->loop)) {
        (void) sched_yield();
    }
}

/* Something that is done on the loop. */
typedef struct task {
    house *house;
    void (*work)(struct task *t);
    _Atomic bool is_done;
    pthread_t by;
    bool answer;
    bool second;
} task;

static void run_task(void *context)
{
    task *t = context;
    kin_loop *loop = t->house->loop;

    t->by = pthread_self();
    if (t->work != NULL) {
        t->work(t);
    }
    atomic_store(&t->is_done, true);
    kin__loop_wake_waiters(loop);
}

static task on_loop(house *h, void (*work)(task *t))
{
    task t = { .house = h, .work = work };
    kin_error err;

    ASSERT_OK(kin_loop_post(h->loop, run_task, &t, &err));
    ASSERT_OK(kin__loop_wait(h->loop, &t.is_done, &err));
    return t;
}

static void send(task *t)
{
    t->answer = kin__loop_send(t->house->loop, &t->house->errand);
}

static void send_two(task *t)
{
    send(t);
    t->second = kin__loop_send(t->house->loop, &t->house->errand);
}

static void send_and_dismiss(task *t)
{
    send(t);
    t->second = kin__loop_dismiss_guard(t->house->loop);
}

/* The gate is shut: the thread stays away. */
static pthread_t send_away(house *h)
{
    h->is_open = false;
    task t = on_loop(h, send);
    ASSERT_TRUE(t.answer);
    await(h, &h->run, 1);
    return t.by;
}

static void dismiss(house *h)
{
    (void) kin__loop_dismiss_guard(h->loop); /* false: the thread has yet to come back */
    pthread_join(h->guard, NULL);
    ASSERT_TRUE(h->was_dismissed);
}

TEST(guard, lets_the_loops_own_thread_do_something_outside_of_the_loop)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);

    task t = on_loop(&h, send);
    await(&h, &h.run, 1);

    ASSERT_TRUE(t.answer);
    ASSERT_TRUE(pthread_equal(h.by, t.by));
    ASSERT_STR_EQ(h.name, "kin-loop");
    ASSERT_FALSE(h.was_inside);
    dismiss(&h);
    kin_loop_free(h.loop);
}

TEST(guard, is_needed_for_an_errand)
{
    house h = HOUSE;
    build(&h);

    ASSERT_FALSE(on_loop(&h, send).answer);
    post_guard(&h);
    ASSERT_FALSE(kin__loop_send(h.loop, &h.errand)); /* not the loop's thread */
    dismiss(&h);
    ASSERT_FALSE(on_loop(&h, send).answer);

    ASSERT_EQ(h.run, 0);
    kin_loop_free(h.loop);
}

TEST(guard, is_for_one_errand_at_a_time)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);

    task t = on_loop(&h, send_two);
    await(&h, &h.run, 1);

    ASSERT_TRUE(t.answer);
    ASSERT_FALSE(t.second);
    dismiss(&h);
    kin_loop_free(h.loop);
    ASSERT_EQ(h.run, 1);
}

TEST(guard, lets_an_errand_lead_to_the_next)
{
    house h = HOUSE;
    h.more = 2;
    build(&h);
    post_guard(&h);

    ASSERT_TRUE(on_loop(&h, send).answer);
    await(&h, &h.run, 3);

    dismiss(&h);
    kin_loop_free(h.loop);
    ASSERT_EQ(h.run, 3);
}

TEST(guard, stays_for_an_errand_that_has_yet_to_begin)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);

    task t = on_loop(&h, send_and_dismiss);
    await(&h, &h.run, 1);

    ASSERT_TRUE(t.answer);
    ASSERT_FALSE(t.second);
    pthread_join(h.guard, NULL);
    ASSERT_TRUE(h.was_dismissed);
    kin_loop_free(h.loop);
}

TEST(guard, runs_the_loop_while_its_thread_is_away)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);
    pthread_t own = send_away(&h);

    task first = on_loop(&h, NULL);
    task second = on_loop(&h, NULL);

    ASSERT_TRUE(pthread_equal(first.by, h.guard));
    ASSERT_TRUE(pthread_equal(second.by, h.guard));
    open_gate(&h);
    dismiss(&h);
    ASSERT_TRUE(pthread_equal(on_loop(&h, NULL).by, own));
    kin_loop_free(h.loop);
}

/* The round that is under way when it comes home is still the guard's. */
TEST(guard, gives_the_loop_back)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);
    pthread_t own = send_away(&h);
    ASSERT_TRUE(pthread_equal(on_loop(&h, NULL).by, h.guard));

    open_gate(&h);
    while (!pthread_equal(on_loop(&h, NULL).by, own)) {
    }

    ASSERT_TRUE(on_loop(&h, send).answer); /* it is guarded as before */
    await(&h, &h.run, 2);
    dismiss(&h);
    kin_loop_free(h.loop);
}

static void note_fired(kin__timer *timer, void *context)
{
    house *h = context;

    (void) timer;
    pthread_mutex_lock(&h->lock);
    h->fired++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static kin__timer timer;

static void send_with_timer(task *t)
{
    kin_error err;

    timer = (kin__timer){ .fire = note_fired, .context = t->house };
    ASSERT_OK(kin__timer_set(t->house->loop, &timer, kin__loop_now_ms(t->house->loop) + 1, &err));
    send(t);
}

TEST(guard, sees_to_timers)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);
    h.is_open = false;

    ASSERT_TRUE(on_loop(&h, send_with_timer).answer);
    await(&h, &h.fired, 1);

    open_gate(&h);
    dismiss(&h);
    kin_loop_free(h.loop);
}

TEST(guard, stays_until_the_thread_is_back)
{
    house h = HOUSE;
    build(&h);
    post_guard(&h);
    pthread_t own = send_away(&h);

    ASSERT_FALSE(kin__loop_dismiss_guard(h.loop));
    ASSERT_TRUE(is_guarded(h.loop));
    ASSERT_TRUE(pthread_equal(on_loop(&h, NULL).by, h.guard));
    open_gate(&h);
    pthread_join(h.guard, NULL);

    ASSERT_TRUE(h.was_dismissed);
    ASSERT_TRUE(pthread_equal(on_loop(&h, NULL).by, own));
    kin_loop_free(h.loop);
}

TEST(guard, is_dismissed_also_before_it_stands)
{
    house h = HOUSE;
    build(&h);

    ASSERT_TRUE(kin__loop_dismiss_guard(h.loop));
    ASSERT_TRUE(kin__loop_stand_guard(h.loop));

    kin_loop_free(h.loop);
}

TEST(guard, is_one_and_only_where_there_is_a_thread)
{
    house h = HOUSE;
    kin_error err;
    kin_loop *alone;
    build(&h);
    post_guard(&h);

    ASSERT_FALSE(kin__loop_stand_guard(h.loop));
    ASSERT_OK(kin_loop_new(NULL, &alone, &err));
    ASSERT_FALSE(kin__loop_stand_guard(alone));

    kin_loop_free(alone);
    dismiss(&h);
    kin_loop_free(h.loop);
}

static void wait_for_the_loop(house *h)
{
    (void) on_loop(h, NULL);
}

TEST(guard, lets_an_errand_wait_for_the_loop)
{
    house h = HOUSE;
    h.work = wait_for_the_loop;
    build(&h);
    post_guard(&h);

    ASSERT_TRUE(on_loop(&h, send).answer);
    await(&h, &h.run, 1);

    dismiss(&h);
    kin_loop_free(h.loop);
}

TEST(guard, returns_when_the_loop_stops)
{
    house h = HOUSE;
    kin_error err;
    build(&h);
    post_guard(&h);

    kin_loop_stop(h.loop);
    pthread_join(h.guard, NULL);

    ASSERT_FALSE(h.was_dismissed);
    ASSERT_OK(kin_loop_start(h.loop, &err));
    post_guard(&h);
    ASSERT_TRUE(on_loop(&h, send).answer);
    await(&h, &h.run, 1);
    dismiss(&h);
    kin_loop_free(h.loop);
}

static void *stop(void *context)
{
    kin_loop_stop(context);
    return NULL;
}

static bool is_stopping(kin_loop *loop)
{
    kin__mutex_lock(&loop->lock);
    bool is = loop->is_stopping;
    kin__mutex_unlock(&loop->lock);
    return is;
}

TEST(guard, stays_with_a_loop_that_stops_until_the_thread_is_back)
{
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        house h = HOUSE;
        pthread_t stopper;
        build(&h);
        post_guard(&h);
        (void) send_away(&h);
        if (is_busy) {
            (void) on_loop(&h, NULL);
        }

        ASSERT_EQ(pthread_create(&stopper, NULL, stop, h.loop), 0);
        while (!is_stopping(h.loop)) {
            (void) sched_yield();
        }
        ASSERT_TRUE(is_guarded(h.loop));
        open_gate(&h);
        pthread_join(stopper, NULL);
        pthread_join(h.guard, NULL);

        kin_loop_free(h.loop);
    }
}

static void stop_and_free_own_loop(house *h)
{
    kin_loop_free(h->loop);
    kin_loop_stop(h->loop);
}

TEST(guard, does_not_let_a_thread_wait_for_its_own_end)
{
    house h = HOUSE;
    h.work = stop_and_free_own_loop;
    build(&h);
    post_guard(&h);

    ASSERT_TRUE(on_loop(&h, send).answer);
    await(&h, &h.run, 1);
    pthread_join(h.guard, NULL);

    kin_loop_free(h.loop);
    ASSERT_STR_EQ(h.log.chars,
                  "loop: not freed: the call came from a handler that its thread has called");
}

/* ---- all at once --------------------------------------------------------------------------- */

#define ROUNDS 2000

typedef struct crowd {
    house house;
    _Atomic int done; /* errands, by whomever */
    _Atomic bool is_over;
} crowd;

static void count_one(void *context)
{
    crowd *c = context;
    atomic_fetch_add(&c->done, 1);
}

static void send_or_do(void *context)
{
    crowd *c = context;
    kin__errand errand = { count_one, c };

    if (!kin__loop_send(c->house.loop, &errand)) {
        count_one(c);
    }
}

static void *stand_again_and_again(void *context)
{
    crowd *c = context;

    while (!atomic_load(&c->is_over)) {
        (void) kin__loop_stand_guard(c->house.loop);
    }
    return NULL;
}

static void *dismiss_again_and_again(void *context)
{
    crowd *c = context;

    while (!atomic_load(&c->is_over)) {
        (void) kin__loop_dismiss_guard(c->house.loop);
        (void) sched_yield();
    }
    (void) kin__loop_dismiss_guard(c->house.loop);
    return NULL;
}

TEST(guard, loses_nothing_whoever_comes_and_goes)
{
    static crowd c = { .house = HOUSE };
    pthread_t threads[2];
    kin_error err;
    build(&c.house);

    ASSERT_EQ(pthread_create(&threads[0], NULL, stand_again_and_again, &c), 0);
    ASSERT_EQ(pthread_create(&threads[1], NULL, dismiss_again_and_again, &c), 0);
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_OK(kin_loop_post(c.house.loop, send_or_do, &c, &err));
        if (i % 16 == 0) {
            (void) on_loop(&c.house, NULL);
        }
    }
    while (atomic_load(&c.done) < ROUNDS) {
        (void) sched_yield();
    }
    atomic_store(&c.is_over, true);
    pthread_join(threads[1], NULL);
    pthread_join(threads[0], NULL);
    kin_loop_free(c.house.loop);

    ASSERT_EQ(c.done, ROUNDS);
}
