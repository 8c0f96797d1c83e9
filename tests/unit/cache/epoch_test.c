/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoch_test.c - who is inside, and what that holds up.
 */
#include "cache/epoch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "support/test.h"

/* A thread that does as it is told, one thing at a time. */
typedef struct puppet {
    pthread_t thread;
    kin__mutex lock;
    kin__cond changed;
    int told; /* what it is to do next; 0: it was done */
} puppet;

enum { ENTER = 1, LEAVE, END };

static void *obey(void *context)
{
    puppet *p = context;
    kin__reader *reader = NULL;
    int told = 0;

    while (told != END) {
        kin__mutex_lock(&p->lock);
        while (p->told == 0) {
            kin__cond_wait(&p->changed, &p->lock);
        }
        told = p->told;
        if (told == ENTER) {
            reader = kin__epoch_enter();
        } else if (told == LEAVE) {
            kin__epoch_leave(reader);
        }
        p->told = 0;
        kin__cond_signal(&p->changed);
        kin__mutex_unlock(&p->lock);
    }
    return NULL;
}

static void tell(puppet *p, int what)
{
    kin__mutex_lock(&p->lock);
    p->told = what;
    kin__cond_signal(&p->changed);
    while (p->told != 0) {
        kin__cond_wait(&p->changed, &p->lock);
    }
    kin__mutex_unlock(&p->lock);
}

static void raise_puppet(puppet *p)
{
    kin__mutex_init(&p->lock);
    kin__cond_init(&p->changed);
    p->told = 0;
    ASSERT_EQ(pthread_create(&p->thread, NULL, obey, p), 0);
}

static void bury(puppet *p)
{
    tell(p, END);
    ASSERT_EQ(pthread_join(p->thread, NULL), 0);
    kin__mutex_fini(&p->lock);
    kin__cond_fini(&p->changed);
}

TEST(epoch, is_over_at_once_when_nobody_is_inside)
{
    ASSERT_TRUE(kin__epoch_is_over(kin__epoch_turn()));

    kin__epoch_leave(kin__epoch_enter());

    ASSERT_TRUE(kin__epoch_is_over(kin__epoch_turn()));
}

TEST(epoch, is_not_over_while_one_from_before_is_inside)
{
    kin__reader *reader = kin__epoch_enter();
    uint64_t turn = kin__epoch_turn();

    ASSERT_FALSE(kin__epoch_is_over(turn));
    kin__epoch_leave(reader);

    ASSERT_TRUE(kin__epoch_is_over(turn));
}

TEST(epoch, is_not_held_up_by_those_who_come_later)
{
    uint64_t turn = kin__epoch_turn();
    kin__reader *reader = kin__epoch_enter();

    ASSERT_TRUE(kin__epoch_is_over(turn));
    kin__epoch_leave(reader);
}

TEST(epoch, counts_the_outermost_of_those_inside_each_other)
{
    kin__reader *outer = kin__epoch_enter();
    uint64_t turn = kin__epoch_turn();
    kin__reader *inner = kin__epoch_enter();

    kin__epoch_leave(inner);
    ASSERT_FALSE(kin__epoch_is_over(turn));
    kin__epoch_leave(outer);

    ASSERT_TRUE(kin__epoch_is_over(turn));
}

TEST(epoch, sees_other_threads)
{
    puppet p;
    raise_puppet(&p);
    tell(&p, ENTER);
    uint64_t turn = kin__epoch_turn();

    ASSERT_FALSE(kin__epoch_is_over(turn));
    tell(&p, LEAVE);
    ASSERT_TRUE(kin__epoch_is_over(turn));
    bury(&p);
}

TEST(epoch, takes_out_a_thread_that_ends_inside)
{
    puppet p;
    raise_puppet(&p);
    tell(&p, ENTER);
    tell(&p, ENTER);
    uint64_t turn = kin__epoch_turn();
    ASSERT_FALSE(kin__epoch_is_over(turn));

    bury(&p);

    ASSERT_TRUE(kin__epoch_is_over(turn));
}

TEST(epoch, gives_the_place_of_a_thread_that_ended_to_another)
{
    for (size_t i = 0; i < 3 * KIN__EPOCH_THREADS; i++) {
        puppet p;
        raise_puppet(&p);
        tell(&p, ENTER);
        tell(&p, LEAVE);
        bury(&p);
    }
    puppet late;
    raise_puppet(&late);
    tell(&late, ENTER);
    uint64_t turn = kin__epoch_turn();
    tell(&late, LEAVE);
    tell(&late, ENTER);

    /* One of the crowd would hold it up. */
    ASSERT_TRUE(kin__epoch_is_over(turn));
    bury(&late);
}

TEST(epoch, has_room_for_more_threads_than_places)
{
    enum { THREADS = KIN__EPOCH_THREADS + 3 };
    static puppet puppets[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        raise_puppet(&puppets[i]);
        tell(&puppets[i], ENTER);
    }
    uint64_t turn = kin__epoch_turn();

    for (size_t i = 0; i < THREADS - 1; i++) {
        tell(&puppets[i], LEAVE);
    }
    ASSERT_FALSE(kin__epoch_is_over(turn));
    bury(&puppets[THREADS - 1]); /* ends inside */
    ASSERT_TRUE(kin__epoch_is_over(turn));
    for (size_t i = 0; i < THREADS - 1; i++) {
        bury(&puppets[i]);
    }
}

TEST(epoch, forgets_the_threads_that_a_child_does_not_have)
{
    puppet p;
    raise_puppet(&p);
    tell(&p, ENTER);
    uint64_t turn = kin__epoch_turn();

    pid_t child = fork();
    if (child == 0) {
        kin__epoch_forget_others();
        _exit(kin__epoch_is_over(turn) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    bury(&p);
}
