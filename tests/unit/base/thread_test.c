/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_test.c - what a thread of the library is like.
 */
#include "base/thread.h"

#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "support/test.h"

typedef struct seen {
    pthread_t self;
    char name[32];
    sigset_t blocked;
} seen;

static void look_around(void *context)
{
    seen *s = context;
    s->self = pthread_self();
    (void) pthread_getname_np(s->self, s->name, sizeof s->name);
    (void) pthread_sigmask(SIG_SETMASK, NULL, &s->blocked);
}

static seen look_from_a_thread(const char *name)
{
    kin__thread thread;
    seen s = { 0 };
    kin_error err;

    ASSERT_OK(kin__thread_start(&thread, name, look_around, &s, &err));
    kin__thread_join(&thread);
    return s;
}

TEST(thread, runs_elsewhere_and_is_waited_for)
{
    seen s = look_from_a_thread("kin-test");

    ASSERT_FALSE(pthread_equal(s.self, pthread_self()));
}

TEST(thread, has_its_name)
{
    seen s = look_from_a_thread("kin-test");
    ASSERT_STR_EQ(s.name, "kin-test");

    s = look_from_a_thread("kin-with-15-chr");
    ASSERT_STR_EQ(s.name, "kin-with-15-chr");
}

TEST(thread, blocks_every_signal_but_those_of_its_own_faults)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    seen s = look_from_a_thread("kin-test");

    /* Less the last two: qemu takes them for itself when it runs this for another processor. */
    for (int number = 1; number <= SIGRTMAX - 2; number++) {
        bool is_fault = false;
        for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
            is_fault = is_fault || faults[i] == number;
        }
        /* Nobody can block the first two; those between 31 and SIGRTMIN are the C library's. */
        bool is_blockable =
            number != SIGKILL && number != SIGSTOP && (number < 32 || number >= SIGRTMIN);
        if (sigismember(&s.blocked, number) != (is_blockable && !is_fault)) {
            FAIL("signal %d is %sblocked", number, is_fault || !is_blockable ? "" : "not ");
        }
    }
}

TEST(thread, leaves_the_callers_signals_as_they_were)
{
    sigset_t original;
    sigset_t before;
    sigset_t after;
    (void) sigemptyset(&before);
    (void) sigaddset(&before, SIGUSR1);
    (void) pthread_sigmask(SIG_SETMASK, &before, &original);

    (void) look_from_a_thread("kin-test");

    (void) pthread_sigmask(SIG_SETMASK, &original, &after);
    for (int number = 1; number < 32; number++) {
        ASSERT_EQ(sigismember(&after, number), number == SIGUSR1);
    }
}

/* A stack larger than the address space stands for any system that has no room. */
TEST(thread, is_refused_with_an_error_when_there_is_no_room_for_it)
{
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, (size_t) 1 << 48), 0);
    ASSERT_EQ(pthread_setattr_default_np(&attributes), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
    kin__thread thread;
    seen s = { 0 };
    kin_error err;
    sigset_t mask;

    ASSERT_ERR(kin__thread_start(&thread, "kin-test", look_around, &s, &err), KIN_ERR_LIMIT);

    ASSERT_MESSAGE(&err, "start thread \"kin-test\": error 11 of the system");
    (void) pthread_sigmask(SIG_SETMASK, NULL, &mask);
    ASSERT_EQ(sigismember(&mask, SIGUSR1), 0);
    ASSERT_STR_EQ(s.name, "");
}

typedef struct loner {
    kin__thread thread;
    seen s;
    sem_t is_over;
} loner;

static void look_alone(void *context)
{
    loner *l = context;

    memset(&l->thread, 0xff, sizeof l->thread); /* may be gone from here on */
    look_around(&l->s);
    (void) sem_post(&l->is_over);
}

TEST(thread, may_be_left_alone)
{
    loner l = { 0 };
    kin_error err;
    (void) sem_init(&l.is_over, 0, 0);

    ASSERT_OK(kin__thread_start_alone(&l.thread, "kin-alone", look_alone, &l, &err));

    (void) sem_wait(&l.is_over);
    ASSERT_STR_EQ(l.s.name, "kin-alone");
    ASSERT_EQ(sigismember(&l.s.blocked, SIGUSR1), 1);
    (void) sem_destroy(&l.is_over);
}
