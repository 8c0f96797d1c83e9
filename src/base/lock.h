/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/lock.h - mutexes, condition variables, and the words that let clang check their use.
 *
 *     struct kin__thing {
 *         kin__mutex lock;
 *         size_t count GUARDED_BY(lock);
 *     };
 *     static void grow_locked(kin__thing *thing) REQUIRES(thing->lock);
 *
 * With clang -Wthread-safety a member that is touched, or a _locked function that is called,
 * without a lock is an error.  In C clang cannot name a sibling member, so GUARDED_BY checks
 * that some lock is held and tells the reader which; REQUIRES is exact.
 *
 * A debug build asserts that nobody locks twice or unlocks what is not theirs.
 */
#ifndef KIN_BASE_LOCK_H
#define KIN_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#define KIN__TSA(attribute) __attribute__((attribute))
#else
#define KIN__TSA(attribute)
#endif

#define LOCKABLE KIN__TSA(capability("mutex"))
#define GUARDED_BY(lock) KIN__TSA(guarded_var)
#define REQUIRES(...) KIN__TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) KIN__TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRES(...) KIN__TSA(acquire_capability(__VA_ARGS__))
#define RELEASES(...) KIN__TSA(release_capability(__VA_ARGS__))
/* For the three functions that are the locks, and for whoever is alone: new and free. */
#define UNCHECKED_LOCKS KIN__TSA(no_thread_safety_analysis)

/* Not recursive.  Does not move while in use. */
typedef struct LOCKABLE kin__mutex {
    pthread_mutex_t os;
} kin__mutex;

/* Cannot fail: neither glibc nor musl allocates for a mutex or a condition variable. */
void kin__mutex_init(kin__mutex *mutex);
void kin__mutex_fini(kin__mutex *mutex);
void kin__mutex_lock(kin__mutex *mutex) ACQUIRES(*mutex);
void kin__mutex_unlock(kin__mutex *mutex) RELEASES(*mutex);

typedef struct kin__cond {
    pthread_cond_t os;
} kin__cond;

void kin__cond_init(kin__cond *cond);
void kin__cond_fini(kin__cond *cond);
void kin__cond_signal(kin__cond *cond);
void kin__cond_broadcast(kin__cond *cond);

/* Both may return for no reason: wait in a `while` on what is waited for. */
void kin__cond_wait(kin__cond *cond, kin__mutex *mutex) REQUIRES(*mutex);

/* False once `deadline_ms` of kin__clock_real()'s monotonic time has passed. */
bool kin__cond_wait_until(kin__cond *cond, kin__mutex *mutex, int64_t deadline_ms) REQUIRES(*mutex);

#endif /* KIN_BASE_LOCK_H */
