/* SPDX-License-Identifier: Apache-2.0 */
/*
 * round_test.c - timers by virtual time, and descriptors that are pipes.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "net/loop_state.h"
#include "support/allocator.h"
#include "support/test.h"

#define START_MS 1000

static kin__virtual_clock virtual_clock;
static text told; /* by callbacks, a letter each */

static kin_loop *new_loop(void)
{
    kin_loop *loop;
    kin_error err;
    kin__virtual_clock_init(&virtual_clock, START_MS, (kin_time){ 0 });
    text_clear(&told);
    ASSERT_OK(kin__loop_new_with_clock(NULL, &virtual_clock.clock, &loop, &err));
    return loop;
}

static void turn(kin_loop *loop)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(loop, 0, &err));
}

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    int count = poll(&poll_fd, 1, timeout_ms);
    ASSERT_TRUE(count >= 0);
    return count == 1;
}

/* ---- timers -------------------------------------------------------------------------------- */

static void tell(kin__timer *timer, void *context)
{
    (void) timer;
    text_append(&told, "%s", (const char *) context);
}

static kin__timer teller(const char *name)
{
    return (kin__timer){ .fire = tell, .context = (void *) (uintptr_t) name };
}

static void set(kin_loop *loop, kin__timer *timer, int64_t due_ms)
{
    kin_error err;
    ASSERT_OK(kin__timer_set(loop, timer, due_ms, &err));
}

TEST(timer, fires_once_when_it_is_due)
{
    kin_loop *loop = new_loop();
    kin__timer a = teller("a");
    set(loop, &a, START_MS + 10);
    ASSERT_TRUE(kin__timer_is_set(&a));

    kin__virtual_clock_advance(&virtual_clock, 9);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "");
    kin__virtual_clock_advance(&virtual_clock, 1);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "a");
    ASSERT_FALSE(kin__timer_is_set(&a));
    kin__virtual_clock_advance(&virtual_clock, 100);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "a");
    kin_loop_free(loop);
}

TEST(timer, fires_in_the_order_of_time_and_then_of_setting)
{
    kin_loop *loop = new_loop();
    kin__timer timers[] = { teller("a"), teller("b"), teller("c"), teller("d"), teller("e") };
    set(loop, &timers[0], START_MS + 30);
    set(loop, &timers[1], START_MS + 10);
    set(loop, &timers[2], START_MS + 20);
    set(loop, &timers[3], START_MS + 10);
    set(loop, &timers[4], START_MS - 500);

    kin__virtual_clock_advance(&virtual_clock, 30);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "ebdca");
    kin_loop_free(loop);
}

TEST(timer, is_moved_and_cleared)
{
    kin_loop *loop = new_loop();
    kin__timer a = teller("a");
    kin__timer b = teller("b");
    kin__timer c = teller("c");
    set(loop, &a, START_MS + 10);
    set(loop, &b, START_MS + 20);
    set(loop, &c, START_MS + 15);

    set(loop, &a, START_MS + 30);
    kin__timer_clear(loop, &c);
    kin__timer_clear(loop, &c);
    kin__virtual_clock_advance(&virtual_clock, 29);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "b");
    kin__virtual_clock_advance(&virtual_clock, 1);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "ba");
    kin_loop_free(loop);
}

static kin_loop *current;

/* Into the past, before those that are due in the same round. */
static void set_again(kin__timer *timer, void *context)
{
    text_append(&told, "%s", (const char *) context);
    set(current, timer, 0);
}

TEST(timer, that_sets_itself_lets_the_others_have_their_turn)
{
    kin_loop *loop = current = new_loop();
    kin__timer again = teller("r");
    kin__timer others[] = { teller("a"), teller("b") };
    again.fire = set_again;
    set(loop, &again, START_MS + 5);
    set(loop, &others[0], START_MS + 6);
    set(loop, &others[1], START_MS + 7);

    kin__virtual_clock_advance(&virtual_clock, 7);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "rab");
    turn(loop);

    ASSERT_STR_EQ(told.chars, "rabr");
    kin_loop_free(loop);
}

static void clear_other(kin__timer *timer, void *context)
{
    (void) timer;
    text_append(&told, "x");
    kin__timer_clear(current, context);
}

TEST(timer, that_another_cleared_in_the_same_round_does_not_fire)
{
    kin_loop *loop = current = new_loop();
    kin__timer victim = teller("v");
    kin__timer first = { .fire = clear_other, .context = &victim };
    set(loop, &first, START_MS + 1);
    set(loop, &victim, START_MS + 1);

    kin__virtual_clock_advance(&virtual_clock, 1);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "x");
    kin_loop_free(loop);
}

TEST(timer, moves_without_memory)
{
    kin_loop *loop = new_loop();
    kin__timer a = teller("a");
    set(loop, &a, START_MS + 10);

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    set(loop, &a, START_MS + 5);
    test_allocator_plan((alloc_failure){ 0 });
    kin__virtual_clock_advance(&virtual_clock, 5);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "a");
    kin_loop_free(loop);
}

TEST_FAILING_ALLOC(timer, fails_without_a_leak)
{
    kin_loop *loop;
    kin_error err;
    kin__timer timers[40] = { 0 };
    if (kin_loop_new(NULL, &loop, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = KIN_OK;
    for (size_t i = 0; code == KIN_OK && i < 40; i++) {
        code = kin__timer_set(loop, &timers[i], INT64_MAX, &err);
    }
    kin_loop_free(loop);
    return code;
}

/* Real time: the descriptor is what is waited for. */
TEST(timer, makes_the_loops_descriptor_readable_when_it_is_due)
{
    kin_loop *loop;
    kin_error err;
    ASSERT_OK(kin_loop_new(NULL, &loop, &err));
    text_clear(&told);
    kin__timer far = teller("f");
    kin__timer near = teller("n");
    set(loop, &far, kin__clock_now_ms(kin__clock_real()) + 3600 * 1000);
    ASSERT_FALSE(is_readable(kin_loop_fd(loop), 0));

    set(loop, &near, kin__clock_now_ms(kin__clock_real()) + 1);
    ASSERT_TRUE(is_readable(kin_loop_fd(loop), -1));
    turn(loop);

    ASSERT_STR_EQ(told.chars, "n");
    ASSERT_FALSE(is_readable(kin_loop_fd(loop), 0));
    kin_loop_free(loop);
}

TEST(timer, that_is_set_to_the_past_by_its_own_function_makes_the_descriptor_readable)
{
    kin_loop *loop;
    kin_error err;
    ASSERT_OK(kin_loop_new(NULL, &loop, &err));
    text_clear(&told);
    current = loop;
    kin__timer again = teller("r");
    again.fire = set_again;
    set(loop, &again, 0);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "r");

    ASSERT_TRUE(is_readable(kin_loop_fd(loop), -1));
    turn(loop);

    ASSERT_STR_EQ(told.chars, "rr");
    kin__timer_clear(loop, &again);
    turn(loop);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "rr");
    ASSERT_FALSE(is_readable(kin_loop_fd(loop), 0));
    kin_loop_free(loop);
}

TEST(timer, ends_an_endless_wait)
{
    kin_loop *loop;
    kin_error err;
    ASSERT_OK(kin_loop_new(NULL, &loop, &err));
    text_clear(&told);
    kin__timer a = teller("a");
    set(loop, &a, kin__clock_now_ms(kin__clock_real()) + 2);

    while (told.len == 0) {
        ASSERT_OK(kin_loop_dispatch(loop, -1, &err));
    }

    ASSERT_STR_EQ(told.chars, "a");
    kin_loop_free(loop);
}

TEST(timer, that_is_due_lets_nobody_wait)
{
    kin_loop *loop = new_loop();
    kin_error err;
    kin__timer a = teller("a");
    set(loop, &a, START_MS + 10);
    kin__virtual_clock_advance(&virtual_clock, 10);

    ASSERT_OK(kin_loop_dispatch(loop, -1, &err));

    ASSERT_STR_EQ(told.chars, "a");
    kin_loop_free(loop);
}

/* ---- descriptors --------------------------------------------------------------------------- */

typedef struct spy {
    kin__watched watched;
    const char *name;
    struct spy *victim;    /* is taken off */
    unsigned victim_wants; /* ... or told to want this */
} spy;

static void notice(kin__watched *watched, unsigned what, void *context)
{
    (void) watched;
    spy *s = context;
    kin_error err;
    text_append(&told, "%s%s%s%s", s->name, (what & KIN__READABLE) != 0 ? "r" : "",
                (what & KIN__WRITABLE) != 0 ? "w" : "", (what & KIN__BROKEN) != 0 ? "b" : "");
    if (s->victim != NULL) {
        ASSERT_OK(kin__watch(current, &s->victim->watched, s->victim_wants, &err));
    }
}

static void watch(kin_loop *loop, spy *s, const char *name, int fd, unsigned wanted)
{
    kin_error err;
    current = loop;
    s->name = name;
    s->watched = (kin__watched){ .ready = notice, .context = s, .fd = fd };
    ASSERT_OK(kin__watch(loop, &s->watched, wanted, &err));
}

static void unwatch(kin_loop *loop, spy *s)
{
    kin_error err;
    ASSERT_OK(kin__watch(loop, &s->watched, 0, &err));
}

static void make_pipe(int ends[2])
{
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
}

static void close_pipe(const int ends[2])
{
    (void) close(ends[0]);
    (void) close(ends[1]);
}

TEST(watched, is_told_as_long_as_there_is_something_to_read)
{
    kin_loop *loop = new_loop();
    int ends[2];
    char byte;
    spy a = { 0 };
    make_pipe(ends);
    watch(loop, &a, "a", ends[0], KIN__READABLE);

    turn(loop);
    ASSERT_STR_EQ(told.chars, "");
    ASSERT_FALSE(is_readable(kin_loop_fd(loop), 0));
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    ASSERT_TRUE(is_readable(kin_loop_fd(loop), 0));
    turn(loop);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "arar");
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "arar");
    kin_loop_free(loop);
    close_pipe(ends);
}

TEST(watched, changes_its_wish)
{
    kin_loop *loop = new_loop();
    kin_error err;
    int ends[2];
    spy a = { 0 };
    make_pipe(ends);
    watch(loop, &a, "a", ends[1], KIN__READABLE);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "");

    ASSERT_OK(kin__watch(loop, &a.watched, KIN__WRITABLE | KIN__READABLE, &err));
    turn(loop);
    ASSERT_STR_EQ(told.chars, "aw");
    unwatch(loop, &a);
    ASSERT_EQ(a.watched.wanted, 0);
    turn(loop);
    ASSERT_STR_EQ(told.chars, "aw");
    ASSERT_OK(kin__watch(loop, &a.watched, KIN__WRITABLE, &err));
    turn(loop);

    ASSERT_STR_EQ(told.chars, "awaw");
    kin_loop_free(loop);
    close_pipe(ends);
}

TEST(watched, is_told_when_the_other_side_is_gone)
{
    kin_loop *loop = new_loop();
    int ends[2];
    spy a = { 0 };
    make_pipe(ends);
    watch(loop, &a, "a", ends[0], KIN__READABLE);

    (void) close(ends[1]);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "ab");
    kin_loop_free(loop);
    (void) close(ends[0]);
}

TEST(watched, is_not_called_once_another_has_taken_it_off_in_the_same_round)
{
    kin_loop *loop = new_loop();
    int pipes[2][2];
    spy spies[2] = { 0 };
    for (size_t i = 0; i < 2; i++) {
        make_pipe(pipes[i]);
        ASSERT_EQ(write(pipes[i][1], "x", 1), 1);
        watch(loop, &spies[i], "s", pipes[i][0], KIN__READABLE);
        spies[i].victim = &spies[1 - i];
    }

    turn(loop);

    ASSERT_STR_EQ(told.chars, "sr");
    kin_loop_free(loop);
    close_pipe(pipes[0]);
    close_pipe(pipes[1]);
}

TEST(watched, is_not_told_what_it_no_longer_wants)
{
    kin_loop *loop = new_loop();
    int pipes[2][2];
    spy spies[2] = { 0 };
    for (size_t i = 0; i < 2; i++) {
        make_pipe(pipes[i]);
        watch(loop, &spies[i], "s", pipes[i][1], KIN__WRITABLE);
        spies[i].victim = &spies[1 - i];
        spies[i].victim_wants = KIN__READABLE;
    }

    turn(loop);

    ASSERT_STR_EQ(told.chars, "sw");
    kin_loop_free(loop);
    close_pipe(pipes[0]);
    close_pipe(pipes[1]);
}

/* Whichever of the two is called first replaces the other by a new pipe under the same number. */
typedef struct swapper {
    kin__watched watched;
    struct swapper *other;
    int *ends;
} swapper;

static void swap_other(kin__watched *watched, unsigned what, void *context)
{
    (void) watched;
    (void) what;
    swapper *other = ((swapper *) context)->other;
    kin_error err;
    int number = other->watched.fd;
    int fresh[2];
    text_append(&told, "s");
    ASSERT_OK(kin__watch(current, &other->watched, 0, &err));
    make_pipe(fresh);
    ASSERT_EQ(dup3(fresh[0], number, O_CLOEXEC), number);
    (void) close(fresh[0]);
    (void) close(other->ends[1]);
    other->ends[1] = fresh[1];
    ASSERT_OK(kin__watch(current, &other->watched, KIN__READABLE, &err));
}

TEST(watched, is_not_confused_by_a_new_descriptor_with_an_old_number)
{
    kin_loop *loop = current = new_loop();
    int pipes[2][2];
    swapper swappers[2] = { 0 };
    kin_error err;
    for (size_t i = 0; i < 2; i++) {
        make_pipe(pipes[i]);
        ASSERT_EQ(write(pipes[i][1], "x", 1), 1);
        swappers[i] = (swapper){ .other = &swappers[1 - i], .ends = pipes[i] };
        swappers[i].watched =
            (kin__watched){ .ready = swap_other, .context = &swappers[i], .fd = pipes[i][0] };
        ASSERT_OK(kin__watch(loop, &swappers[i].watched, KIN__READABLE, &err));
    }

    turn(loop);

    ASSERT_STR_EQ(told.chars, "s");
    kin_loop_free(loop);
    close_pipe(pipes[0]);
    close_pipe(pipes[1]);
}

TEST(watched, that_was_closed_too_early_can_be_taken_off_and_used_again)
{
    kin_loop *loop = new_loop();
    kin_error err;
    int ends[2];
    int fresh[2];
    spy a = { 0 };
    make_pipe(ends);
    make_pipe(fresh);
    watch(loop, &a, "a", ends[0], KIN__READABLE);

    ASSERT_EQ(dup3(fresh[1], ends[0], O_CLOEXEC), ends[0]);
    ASSERT_OK(kin__watch(loop, &a.watched, KIN__WRITABLE, &err));
    turn(loop);
    ASSERT_STR_EQ(told.chars, "aw");
    (void) close(ends[0]);
    unwatch(loop, &a);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "aw");
    kin_loop_free(loop);
    (void) close(ends[1]);
    close_pipe(fresh);
}

TEST(watched, that_was_closed_too_early_leaves_its_number_to_another)
{
    kin_loop *loop = new_loop();
    int ends[2];
    int fresh[2];
    spy a = { 0 };
    spy b = { 0 };
    make_pipe(ends);
    make_pipe(fresh);
    watch(loop, &a, "a", ends[0], KIN__READABLE);
    ASSERT_EQ(dup3(fresh[0], ends[0], O_CLOEXEC), ends[0]);
    watch(loop, &b, "b", ends[0], KIN__READABLE);

    kin__watch_forget(loop, &a.watched);
    ASSERT_EQ(a.watched.wanted, 0);
    ASSERT_EQ(write(fresh[1], "x", 1), 1);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "br");
    unwatch(loop, &b);
    kin_loop_free(loop);
    close_pipe(ends);
    close_pipe(fresh);
}

TEST(watched, must_be_a_descriptor)
{
    kin_loop *loop = new_loop();
    kin_error err;
    spy a = { .watched = { .ready = notice, .fd = 900 } };

    ASSERT_ERR(kin__watch(loop, &a.watched, KIN__READABLE, &err), KIN_ERR_SYSTEM);

    ASSERT_MESSAGE(&err, "wait for descriptor 900: Bad file descriptor");
    ASSERT_EQ(a.watched.wanted, 0);
    kin_loop_free(loop);
}

TEST(watched, has_its_turn_among_many)
{
    enum { MANY = 150 };
    static spy spies[MANY];
    kin_loop *loop = new_loop();
    int ends[2];
    int copies[MANY];
    memset(spies, 0, sizeof spies);
    make_pipe(ends);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    for (size_t i = 0; i < MANY; i++) {
        copies[i] = dup(ends[0]);
        ASSERT_TRUE(copies[i] >= 0);
        watch(loop, &spies[i], "", copies[i], KIN__READABLE);
        spies[i].victim = &spies[i];
    }

    for (size_t round = 0; round < 3; round++) {
        turn(loop);
    }

    ASSERT_EQ(told.len, MANY);
    kin_loop_free(loop);
    for (size_t i = 0; i < MANY; i++) {
        (void) close(copies[i]);
    }
    close_pipe(ends);
}

static void tell_on_timer(kin__timer *timer, void *context)
{
    (void) context;
    (void) timer;
    text_append(&told, "t");
}

TEST(round, reads_what_came_before_it_says_that_the_time_is_up)
{
    kin_loop *loop = new_loop();
    int ends[2];
    spy a = { 0 };
    kin__timer timer = { .fire = tell_on_timer };
    make_pipe(ends);
    watch(loop, &a, "a", ends[0], KIN__READABLE);
    set(loop, &timer, START_MS + 1);

    kin__virtual_clock_advance(&virtual_clock, 60 * 1000);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    turn(loop);

    ASSERT_STR_EQ(told.chars, "art");
    kin_loop_free(loop);
    close_pipe(ends);
}

TEST(round, has_one_time)
{
    kin_loop *loop = new_loop();

    kin__virtual_clock_advance(&virtual_clock, 5);
    ASSERT_EQ(kin__loop_now_ms(loop), START_MS);
    turn(loop);

    ASSERT_EQ(kin__loop_now_ms(loop), START_MS + 5);
    kin_loop_free(loop);
}
