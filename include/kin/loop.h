/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/loop.h - the event loop on which clients and informers do their work.
 *
 * A loop waits for sockets, timers and calls from other threads, on one thread at a time.  Any
 * number of clients of any number of clusters share one.  There are two ways to run it:
 *
 *   - a thread of ours: kin_loop_start().  A client that is given no loop makes one of these.
 *   - the program's own event loop: put kin_loop_fd() into its poll, epoll or the like, and call
 *     kin_loop_dispatch() when it is readable.  It is readable when there is something to do,
 *     due timers included, so no time-out has to be computed.
 *
 * What it promises
 *   - Nothing that runs on it blocks; names are resolved on threads of libcurl.
 *   - The program's signal dispositions are not touched.  While a loop runs on a thread of the
 *     program, SIGPIPE is blocked there, and what a broken connection raised is taken back.
 *   - After fork() the child may free what it holds, or exec; anything else is refused.  Freeing
 *     there does not disturb the parent's connections.
 *
 * A program may leave main() or call exit() while a loop runs on another thread: OpenSSL is kept
 * from taking itself down there.  Only a program that has used OpenSSL before its first client must
 * see to that itself (OPENSSL_INIT_NO_ATEXIT), or free its clients first.
 *
 * Threading: thread-safe, but for kin_loop_free(), which is the last call of all.
 */
#ifndef KIN_LOOP_H
#define KIN_LOOP_H

#include "kin/common.h"
#include "kin/log.h"
#include "kin/metrics.h"

KIN_BEGIN_DECLS

typedef struct kin_loop kin_loop;

/* Zero means the default for every field. */
typedef struct kin_loop_options {
    size_t size;          /* set by KIN_LOOP_OPTIONS_INIT */
    kin_logger logger;    /* copied */
    kin_metrics *metrics; /* how long rounds take; NULL: nothing is counted */
} kin_loop_options;

#define KIN_LOOP_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(kin_loop_options), KIN_LOGGER_INIT, NULL                                            \
    }

/*
 * options  borrowed for the call; NULL for the defaults
 * out      owned by the caller; release with kin_loop_free()
 *
 * Fails with SYSTEM (no file descriptors left), USAGE (options not initialised), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_loop_new(const kin_loop_options *options, kin_loop **out,
                                            kin_error *err);

/* Stops the thread if there is one.  Clients on it must have been freed before; calls that were
 * posted and have not run are dropped.  NULL is ignored.  From a loop, this or another, from an
 * index function, and from a handler that the loop's thread calls, nothing is freed, and an error
 * is logged. */
KIN_API void kin_loop_free(kin_loop *loop);

/* Runs the loop on a thread called "kin-loop".  Fails with USAGE (it is already running), LIMIT (no
 * more threads). */
KIN_API KIN_MUST_CHECK kin_err kin_loop_start(kin_loop *loop, kin_error *err);

/* Ends the thread and waits for it; work that is under way rests until the loop runs again.  Does
 * nothing when no thread runs.  From a loop, this or another, from an index function, and from a
 * handler that the loop's thread calls: the thread ends after the current call, and nobody waits.
 */
KIN_API void kin_loop_stop(kin_loop *loop);

/* Readable when kin_loop_dispatch() has something to do.  Borrowed; the same for the loop's whole
 * life.  -1 in a forked child. */
KIN_API int kin_loop_fd(const kin_loop *loop);

/*
 * Does what is due and returns; waits for up to `timeout_ms` for something to do (0: not at all,
 * -1: without end), or until a signal is handled on this thread.  Where another thread runs the
 * loop only because it waits for an answer, it is this one's turn after the call under way there.
 * (Such a thread is one of the library's while something goes that was freed from the loop or a
 * handler: between two dispatches, functions of the program are then called on that.)
 * Fails with USAGE when the loop runs on its own thread, is being dispatched on another one, or
 * runs further up on this one, and from an index function; with SYSTEM when the program has closed
 * the loop's descriptors.
 */
KIN_API KIN_MUST_CHECK kin_err kin_loop_dispatch(kin_loop *loop, int timeout_ms, kin_error *err);

/* Runs `fn(context)` on the loop, soon, in the order of the posts.  From any thread, and from a
 * signal handler never.  Fails with NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_loop_post(kin_loop *loop, void (*fn)(void *context),
                                             void *context, kin_error *err);

/* True on the thread that is running the loop at this moment. */
KIN_API bool kin_loop_is_inside(const kin_loop *loop);

KIN_END_DECLS
#endif /* KIN_LOOP_H */
