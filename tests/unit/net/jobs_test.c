/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs_test.c - calls from other threads.
 */
#include <poll.h>
#include <string.h>

#include "net/loop_state.h"
#include "support/test.h"

static text told;

static kin_loop *new_loop(void)
{
    kin_loop *loop;
    kin_error err;
    text_clear(&told);
    ASSERT_OK(kin_loop_new(NULL, &loop, &err));
    return loop;
}

static void turn(kin_loop *loop)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
}

static bool is_readable(int fd)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    return poll(&poll_fd, 1, 0) == 1;
}

static void tell(void *context)
{
    text_append(&told, "%s", (const char *) context);
}

static void tell_job(kin__job *job, void *context)
{
    (void) job;
    tell(context);
}

static kin__job teller(const char *name)
{
    return (kin__job){ .run = tell_job, .context = (void *) (uintptr_t) name };
}

static void post(kin_loop *loop, const char *name)
{
    kin_error err;
    ASSERT_OK(kin_loop_post(loop, tell, (void *) (uintptr_t) name, &err));
}

TEST(job, runs_in_the_order_of_the_posts)
{
    kin_loop *loop = new_loop();
    kin__job b = teller("b");

    post(loop, "a");
    kin__loop_post_job(loop, &b);
    post(loop, "c");
    ASSERT_STR_EQ(told.chars, "");
    turn(loop);

    ASSERT_STR_EQ(told.chars, "abc");
    kin_loop_free(loop);
}

TEST(job, makes_the_loops_descriptor_readable_until_it_has_run)
{
    kin_loop *loop = new_loop();
    ASSERT_FALSE(is_readable(kin_loop_fd(loop)));

    post(loop, "a");
    ASSERT_TRUE(is_readable(kin_loop_fd(loop)));
    turn(loop);

    ASSERT_FALSE(is_readable(kin_loop_fd(loop)));
    kin_loop_free(loop);
}

TEST(job, is_in_the_queue_once)
{
    kin_loop *loop = new_loop();
    kin__job a = teller("a");

    kin__loop_post_job(loop, &a);
    kin__loop_post_job(loop, &a);
    turn(loop);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "a");
    kin__loop_post_job(loop, &a);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "aa");
    kin_loop_free(loop);
}

TEST(job, is_taken_back_from_any_place_in_the_queue)
{
    for (size_t place = 0; place < 3; place++) {
        kin_loop *loop = new_loop();
        kin__job jobs[3] = { teller("a"), teller("b"), teller("c") };
        for (size_t i = 0; i < 3; i++) {
            kin__loop_post_job(loop, &jobs[i]);
        }

        ASSERT_TRUE(kin__loop_cancel_job(loop, &jobs[place]));
        ASSERT_FALSE(kin__loop_cancel_job(loop, &jobs[place]));
        turn(loop);

        ASSERT_STR_EQ(told.chars, place == 0 ? "bc" : place == 1 ? "ac" : "ab");
        ASSERT_FALSE(kin__loop_cancel_job(loop, &jobs[(place + 1) % 3]));
        kin_loop_free(loop);
    }
}

static kin_loop *current;

static void post_again(kin__job *job, void *context)
{
    tell(context);
    kin__loop_post_job(current, job);
}

TEST(job, that_posts_itself_runs_once_a_round)
{
    kin_loop *loop = current = new_loop();
    kin__job again = teller("r");
    again.run = post_again;
    kin__loop_post_job(loop, &again);
    post(loop, "a");

    turn(loop);
    ASSERT_STR_EQ(told.chars, "ra");
    ASSERT_TRUE(is_readable(kin_loop_fd(loop)));
    turn(loop);

    ASSERT_STR_EQ(told.chars, "rar");
    kin_loop_free(loop);
}

static void cancel_other(kin__job *job, void *context)
{
    (void) job;
    tell("x");
    ASSERT_TRUE(kin__loop_cancel_job(current, context));
}

TEST(job, that_another_took_back_in_the_same_round_does_not_run)
{
    kin_loop *loop = current = new_loop();
    kin__job victim = teller("v");
    kin__job first = { .run = cancel_other, .context = &victim };
    kin__loop_post_job(loop, &first);
    kin__loop_post_job(loop, &victim);

    turn(loop);

    ASSERT_STR_EQ(told.chars, "x");
    kin_loop_free(loop);
}

/* The harness counts what a dropped post would leave behind. */
TEST(job, is_dropped_with_the_loop)
{
    kin_loop *loop = new_loop();
    kin__job own = teller("o");
    post(loop, "a");
    kin__loop_post_job(loop, &own);
    post(loop, "b");

    kin_loop_free(loop);

    ASSERT_STR_EQ(told.chars, "");
}

TEST_FAILING_ALLOC(job, fails_without_a_leak)
{
    kin_loop *loop;
    kin_error err;
    if (kin_loop_new(NULL, &loop, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = kin_loop_post(loop, tell, "a", &err);
    if (code == KIN_OK) {
        code = kin_loop_post(loop, tell, "b", &err);
    }
    kin_loop_free(loop);
    return code;
}

/* ---- from several threads ------------------------------------------------------------------ */

#define THREADS 4
#define POSTS 500

typedef struct poster {
    kin__thread thread;
    kin_loop *loop;
    size_t next; /* of the loop: what comes next from this thread */
    struct {
        struct poster *of;
        size_t number;
    } posts[POSTS];
    kin__job job;
    size_t job_runs;
} poster;

static size_t seen;
static _Atomic bool all_seen;

static void note_post(void *context)
{
    __typeof__(((poster *) 0)->posts[0]) *p = context;
    ASSERT_EQ(p->of->next, p->number);
    p->of->next++;
    if (++seen == (size_t) THREADS * POSTS) {
        atomic_store(&all_seen, true);
        kin__loop_wake_waiters(p->of->loop);
    }
}

static void note_job(kin__job *job, void *context)
{
    (void) job;
    ((poster *) context)->job_runs++;
}

static void post_many(void *context)
{
    poster *p = context;
    kin_error err;
    for (size_t i = 0; i < POSTS; i++) {
        p->posts[i].of = p;
        p->posts[i].number = i;
        kin__loop_post_job(p->loop, &p->job);
        ASSERT_OK(kin_loop_post(p->loop, note_post, &p->posts[i], &err));
    }
}

static void post_from_threads(bool has_own_thread)
{
    static poster posters[THREADS];
    kin_loop *loop = new_loop();
    kin_error err;
    memset(posters, 0, sizeof posters);
    if (has_own_thread) {
        ASSERT_OK(kin_loop_start(loop, &err));
    }

    for (size_t i = 0; i < THREADS; i++) {
        posters[i].loop = loop;
        posters[i].job = (kin__job){ .run = note_job, .context = &posters[i] };
        ASSERT_OK(kin__thread_start(&posters[i].thread, "poster", post_many, &posters[i], &err));
    }
    ASSERT_OK(kin__loop_wait(loop, &all_seen, &err));
    for (size_t i = 0; i < THREADS; i++) {
        kin__thread_join(&posters[i].thread);
    }
    kin_loop_free(loop);

    for (size_t i = 0; i < THREADS; i++) {
        ASSERT_EQ(posters[i].next, POSTS);
        ASSERT_TRUE(posters[i].job_runs >= 1);
    }
}

TEST(job, comes_from_any_thread_in_the_order_of_that_thread)
{
    post_from_threads(true);
}

TEST(job, comes_from_any_thread_also_while_the_program_runs_the_loop)
{
    post_from_threads(false);
}
