/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_sample.c - what clang must refuse.
 *
 * Compiled when the build is configured with clang: as it stands it is right, and with any of
 * the three mistakes defined it must not compile.
 */
#include "base/lock.h"

typedef struct box {
    kin__mutex lock;
    int content GUARDED_BY(lock);
} box;

static void change_locked(box *b) REQUIRES(b->lock);
int take(box *b) EXCLUDES(b->lock);

int take(box *b)
{
#ifndef MISTAKE_NO_LOCK
    kin__mutex_lock(&b->lock);
#endif
    int content = b->content;
#ifdef MISTAKE_CALL_WITHOUT_LOCK
    kin__mutex_unlock(&b->lock);
    change_locked(b);
#else
    change_locked(b);
#ifndef MISTAKE_NO_UNLOCK
    kin__mutex_unlock(&b->lock);
#endif
#endif
    return content;
}

static void change_locked(box *b)
{
    b->content = 0;
}
