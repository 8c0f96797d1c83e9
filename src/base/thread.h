/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/thread.h - the library's own threads.
 *
 * They have a name, and block every signal but those of a fault of their own, so that the
 * program's handlers run on the program's threads.
 */
#ifndef KIN_BASE_THREAD_H
#define KIN_BASE_THREAD_H

#include <pthread.h>

#include "kin/common.h"

#define KIN__THREAD_NAME_MAX 15 /* characters; what Linux keeps */

/* Does not move between start and join. */
typedef struct kin__thread {
    pthread_t os;
    void (*run)(void *context);
    void *context;
    char name[KIN__THREAD_NAME_MAX + 1];
} kin__thread;

/*
 * Runs `run(context)` on a new thread called `name` ("kin-loop", at most 15 characters).  The
 * caller joins it.  Fails with LIMIT when the system has no room for one more.
 */
kin_err kin__thread_start(kin__thread *thread, const char *name, void (*run)(void *context),
                          void *context, kin_error *err) KIN_MUST_CHECK;

/* The same, but nobody joins it, and `thread` may go as soon as `run` has been called. */
kin_err kin__thread_start_alone(kin__thread *thread, const char *name, void (*run)(void *context),
                                void *context, kin_error *err) KIN_MUST_CHECK;

/* Waits until `run` has returned.  Once for each start, and not from the thread itself. */
void kin__thread_join(kin__thread *thread);

#endif /* KIN_BASE_THREAD_H */
