/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - starting and joining.
 *
 * A thread inherits the mask of whoever makes it.  So the maker's mask is set for the moment of
 * making and put back: there is no instant at which the new thread could take a signal.
 */
#include "base/thread.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"

static kin_err start(pthread_t *os, const pthread_attr_t *attributes, kin__thread *thread,
                     kin_error *err);
static void prepare(kin__thread *thread, const char *name, void (*run)(void *context),
                    void *context);
static void *thread_main(void *argument);
static sigset_t signals_to_block(void);

kin_err kin__thread_start(kin__thread *thread, const char *name, void (*run)(void *context),
                          void *context, kin_error *err)
{
    prepare(thread, name, run, context);
    return start(&thread->os, NULL, thread, err);
}

/* Its number goes where the thread itself cannot have released it. */
kin_err kin__thread_start_alone(kin__thread *thread, const char *name, void (*run)(void *context),
                                void *context, kin_error *err)
{
    pthread_attr_t attributes;
    pthread_t os;

    prepare(thread, name, run, context);
    if (pthread_attr_init(&attributes) != 0) {
        return kin__error_no_memory(err);
    }
    (void) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED); /* is a valid state */
    kin_err code = start(&os, &attributes, thread, err);
    (void) pthread_attr_destroy(&attributes);
    return code;
}

void kin__thread_join(kin__thread *thread)
{
    int result = pthread_join(thread->os, NULL);
    assert(result == 0);
    (void) result;
}

static void prepare(kin__thread *thread, const char *name, void (*run)(void *context),
                    void *context)
{
    size_t name_len = strnlen(name, KIN__THREAD_NAME_MAX);
    assert(name[name_len] == '\0');
    memcpy(thread->name, name, name_len);
    thread->name[name_len] = '\0';
    thread->run = run;
    thread->context = context;
}

/* `thread` may be gone when it has started. */
static kin_err start(pthread_t *os, const pthread_attr_t *attributes, kin__thread *thread,
                     kin_error *err)
{
    char name[KIN__THREAD_NAME_MAX + 1];
    memcpy(name, thread->name, sizeof name);

    sigset_t blocked = signals_to_block();
    sigset_t before;
    int masked = pthread_sigmask(SIG_SETMASK, &blocked, &before);
    assert(masked == 0);
    (void) masked;
    int result = pthread_create(os, attributes, thread_main, thread);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL); /* what was set before can be set again */
    if (result != 0) {
        return kin__error_set(err, KIN_ERR_LIMIT, "start thread \"%s\": error %d of the system",
                              name, result);
    }
    return KIN_OK;
}

static void *thread_main(void *argument)
{
    kin__thread *thread = argument;
    (void) pthread_setname_np(pthread_self(), thread->name); /* a name is a courtesy */
    thread->run(thread->context);
    return NULL;
}

/*
 * All but the signals that a thread brings upon itself: those come to the thread that faults and
 * to no other, and while blocked they would end the process without asking the program's handler.
 */
static sigset_t signals_to_block(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    sigset_t signals;

    (void) sigfillset(&signals); /* these two fail only for numbers that are no signals */
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        (void) sigdelset(&signals, faults[i]);
    }
    return signals;
}
