/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belongings.c - finding what a test has left behind.
 *
 * File descriptors and threads are read from /proc.
 */
#include "support/belongings.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

/* A thread that was joined may still be listed for a moment: the kernel wakes the joiner before it
 * takes the thread off the list. */
#define THREAD_PATIENCE_MS 1000

static bool check_blocks(const belongings *before);
static bool check_fds(const belongings *before);
static bool check_threads(const belongings *before);
static bool check_heap(void);
static int note_fds(bool *has_fd);
static int count_threads(void);
static void start_sanitizer_thread(void);
static void *end_at_once(void *context);

/* In the runtimes of AddressSanitizer and ThreadSanitizer; NULL in other builds. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

void belongings_note(belongings *b)
{
    b->blocks = live_blocks();
    b->high_fd_count = note_fds(b->has_fd);
    start_sanitizer_thread();
    b->thread_count = count_threads();
}

bool belongings_check(const belongings *before)
{
    bool has_blocks = check_blocks(before);
    bool has_fds = check_fds(before);
    bool has_threads = check_threads(before);
    return check_heap() && has_blocks && has_fds && has_threads;
}

static bool check_blocks(const belongings *before)
{
    long long more = live_blocks() - before->blocks;
    if (more > 0) {
        (void) printf("leaked memory: %lld block%s of the library's allocator\n", more,
                      more == 1 ? "" : "s");
    }
    if (more < 0) {
        (void) printf("released %lld more blocks than were allocated\n", -more);
    }
    return more == 0;
}

static bool check_fds(const belongings *before)
{
    bool has_fd[BELONGINGS_FD_COUNT];
    bool is_clean = true;

    int high_fd_count = note_fds(has_fd);
    for (int fd = 0; fd < BELONGINGS_FD_COUNT; fd++) {
        if (has_fd[fd] && !before->has_fd[fd]) {
            char link[64];
            char target[256];
            (void) snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t len = readlink(link, target, sizeof target);
            (void) printf("lost file descriptor %d (%.*s)\n", fd, len < 0 ? 0 : (int) len, target);
            is_clean = false;
        }
        if (!has_fd[fd] && before->has_fd[fd]) {
            (void) printf("closed file descriptor %d, which is not its own\n", fd);
            is_clean = false;
        }
    }
    if (high_fd_count > before->high_fd_count) {
        (void) printf("lost a file descriptor beyond %d\n", BELONGINGS_FD_COUNT);
        is_clean = false;
    }
    return is_clean;
}

static bool check_threads(const belongings *before)
{
    const struct timespec one_ms = { .tv_nsec = 1000000 };

    for (int waited_ms = 0; waited_ms < THREAD_PATIENCE_MS; waited_ms++) {
        if (count_threads() <= before->thread_count) {
            return true;
        }
        (void) nanosleep(&one_ms, NULL);
    }
    (void) printf("threads still running: %d\n", count_threads() - before->thread_count);
    return false;
}

static bool check_heap(void)
{
    (void) fflush(stdout);
    return __lsan_do_recoverable_leak_check == NULL || __lsan_do_recoverable_leak_check() == 0;
}

/* Returns how many there are beyond the array. */
static int note_fds(bool *has_fd)
{
    int high_count = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL) {
        FAIL("cannot list /proc/self/fd");
    }
    for (int fd = 0; fd < BELONGINGS_FD_COUNT; fd++) {
        has_fd[fd] = false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        long fd = strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] == '.' || fd == dirfd(dir)) {
            continue;
        }
        if (fd < BELONGINGS_FD_COUNT) {
            has_fd[fd] = true;
        } else {
            high_count++;
        }
    }
    (void) closedir(dir);
    return high_count;
}

static int count_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int count = 0;

    if (dir == NULL) {
        FAIL("cannot list /proc/self/task");
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        count += entry->d_name[0] != '.';
    }
    (void) closedir(dir);
    return count;
}

/* ThreadSanitizer has a thread of its own, which it starts with the first of ours. */
static void start_sanitizer_thread(void)
{
    pthread_t thread;

    if (__tsan_init != NULL && pthread_create(&thread, NULL, end_at_once, NULL) == 0) {
        (void) pthread_join(thread, NULL);
    }
}

static void *end_at_once(void *context)
{
    return context;
}
