/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - a child process on the loop.
 *
 * It is over when the process has ended and both pipes are at their end.  A grandchild may hold a
 * pipe open for ever: so LINGER_MS after the process has ended it is over in any case.  The same
 * holds after it was killed, by the time-out or for writing too much.
 *
 * The process is waited for only when all is over.  Until then its number is taken, by a zombie if
 * need be, and killing the group of that number hits nobody else.
 */
#include "net/process.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "net/spawn.h"

#define LINGER_MS 100
#define DEATH_MS 200 /* how long a killed process may take to be gone */
#define BY_PIDFD 3   /* P_PIDFD of waitid(2), which C libraries got to know late */
#define FIRST_CAPACITY ((size_t) 4 * 1024)

/* Grows without leaving copies behind. */
typedef struct output {
    char *data; /* owned */
    size_t len;
    size_t capacity;
} output;

struct kin__process {
    kin_loop *loop;
    void (*on_end)(void *context, const kin__process_end *end);
    void *context;
    pid_t pid;
    bool is_running; /* as far as we know */
    kin_err code;    /* why it was killed; KIN_OK: it was not */
    int status;
    kin__watched ended; /* the pidfd */
    kin__watched out;
    kin__watched errs;
    kin__timer deadline;
    kin__timer linger;
    output output;
    size_t errors_len;
    char errors[KIN__PROCESS_ERRORS_MAX];
};

static kin_err watch_all(kin__process *process, const kin__process_options *options,
                         kin_error *err);
static void note_end(kin__watched *watched, unsigned what, void *context);
static void read_output(kin__watched *watched, unsigned what, void *context);
static void read_errors(kin__watched *watched, unsigned what, void *context);
static void time_out(kin__timer *timer, void *context);
static void stop_lingering(kin__timer *timer, void *context);
static void pull_output(kin__process *process);
static void pull_errors(kin__process *process);
static void give_up(kin__process *process, kin_err code);
static void end_within(kin__process *process, int64_t ms);
static void finish_if_over(kin__process *process);
static void finish(kin__process *process);
static void release_system(kin__process *process);
static void kill_group(const kin__process *process);
static void wait_for(kin__process *process);
static void unwatch(kin__process *process, kin__watched *watched);
static void keep_last(kin__process *process, const char *bytes, size_t len);
static bool grow(output *o);
static void wipe(output *o);

kin_err kin__process_start(kin_loop *loop, const kin__process_options *options, kin__process **out,
                           kin_error *err)
{
    if (kin__loop_is_forked(loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "run \"%s\": not after a fork",
                              options->arguments[0]);
    }
    kin__process *process = kin__alloc_zero(1, sizeof *process);
    if (process == NULL) {
        return kin__error_no_memory(err);
    }
    kin__spawned spawned;
    if (kin__spawn(options->arguments, options->environment, options->directory, &spawned, err) !=
        KIN_OK) {
        kin__free(process);
        return err->code;
    }
    process->loop = loop;
    process->on_end = options->on_end;
    process->context = options->context;
    process->pid = spawned.pid;
    process->is_running = true;
    process->status = -1;
    process->ended = (kin__watched){ .ready = note_end, .context = process, .fd = spawned.pidfd };
    process->out =
        (kin__watched){ .ready = read_output, .context = process, .fd = spawned.output_fd };
    process->errs =
        (kin__watched){ .ready = read_errors, .context = process, .fd = spawned.errors_fd };
    process->deadline = (kin__timer){ .fire = time_out, .context = process };
    process->linger = (kin__timer){ .fire = stop_lingering, .context = process };
    if (watch_all(process, options, err) != KIN_OK) {
        kin__process_free(process);
        return err->code;
    }
    *out = process;
    return KIN_OK;
}

void kin__process_free(kin__process *process)
{
    if (process == NULL) {
        return;
    }
    if (process->is_running && !kin__loop_is_forked(process->loop)) {
        kill_group(process);
    }
    release_system(process);
    wipe(&process->output);
    explicit_bzero(process, sizeof *process);
    kin__free(process);
}

/*
 * Both timers are set here, so that nothing needs memory later: moving a timer that is set cannot
 * fail.
 */
static kin_err watch_all(kin__process *process, const kin__process_options *options, kin_error *err)
{
    kin_loop *loop = process->loop;
    int64_t now_ms = kin__loop_now_ms(loop);
    int64_t deadline_ms =
        options->timeout_ms == 0 ? INT64_MAX : now_ms + (int64_t) options->timeout_ms;
    bool is_gone = process->ended.fd < 0;
    if (kin__watch(loop, &process->out, KIN__READABLE, err) != KIN_OK ||
        kin__watch(loop, &process->errs, KIN__READABLE, err) != KIN_OK ||
        kin__timer_set(loop, &process->deadline, deadline_ms, err) != KIN_OK ||
        kin__timer_set(loop, &process->linger, is_gone ? now_ms + LINGER_MS : INT64_MAX, err) !=
            KIN_OK) {
        return err->code;
    }
    if (is_gone) {
        process->is_running = false;
        return KIN_OK;
    }
    return kin__watch(loop, &process->ended, KIN__READABLE, err);
}

static void note_end(kin__watched *watched, unsigned what, void *context)
{
    (void) what;
    kin__process *process = context;

    unwatch(process, watched);
    process->is_running = false;
    kin__timer_clear(process->loop, &process->deadline);
    end_within(process, LINGER_MS);
    finish_if_over(process);
}

static void read_output(kin__watched *watched, unsigned what, void *context)
{
    (void) watched;
    (void) what;
    kin__process *process = context;

    pull_output(process);
    finish_if_over(process);
}

static void read_errors(kin__watched *watched, unsigned what, void *context)
{
    (void) watched;
    (void) what;
    kin__process *process = context;

    pull_errors(process);
    finish_if_over(process);
}

static void time_out(kin__timer *timer, void *context)
{
    (void) timer;
    give_up(context, KIN_ERR_TIMEOUT);
}

/* With a last look: this round may not have come to the pipes. */
static void stop_lingering(kin__timer *timer, void *context)
{
    (void) timer;
    kin__process *process = context;

    pull_output(process);
    pull_errors(process);
    finish(process);
}

static void pull_output(kin__process *process)
{
    output *o = &process->output;
    if (process->out.wanted == 0) {
        return;
    }
    if (o->len == o->capacity && !grow(o)) {
        unwatch(process, &process->out);
        give_up(process, KIN_ERR_NO_MEMORY);
        return;
    }
    ssize_t got = read(process->out.fd, o->data + o->len, o->capacity - o->len);
    if (got > 0) {
        o->len += (size_t) got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        unwatch(process, &process->out);
    }
    if (o->len > KIN__PROCESS_OUTPUT_MAX) {
        o->len = KIN__PROCESS_OUTPUT_MAX;
        unwatch(process, &process->out);
        give_up(process, KIN_ERR_LIMIT);
    }
}

static void pull_errors(kin__process *process)
{
    char bytes[2 * KIN__PROCESS_ERRORS_MAX];
    if (process->errs.wanted == 0) {
        return;
    }
    ssize_t got = read(process->errs.fd, bytes, sizeof bytes);
    if (got > 0) {
        keep_last(process, bytes, (size_t) got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        unwatch(process, &process->errs);
    }
    explicit_bzero(bytes, sizeof bytes);
}

/* The first reason is the one that is told. */
static void give_up(kin__process *process, kin_err code)
{
    if (process->code == KIN_OK) {
        process->code = code;
    }
    kill_group(process);
    kin__timer_clear(process->loop, &process->deadline);
    end_within(process, LINGER_MS);
}

/* Not later than it would have been anyway.  The timer is set unless it is firing. */
static void end_within(kin__process *process, int64_t ms)
{
    int64_t until_ms = kin__loop_now_ms(process->loop) + ms;
    kin_error err;
    if (kin__timer_is_set(&process->linger) && process->linger.node.due > until_ms) {
        kin_err moved = kin__timer_set(process->loop, &process->linger, until_ms, &err);
        assert(moved == KIN_OK);
        (void) moved;
    }
}

static void finish_if_over(kin__process *process)
{
    if (!process->is_running && process->out.wanted == 0 && process->errs.wanted == 0) {
        finish(process);
    }
}

/* `on_end` may free the process: what it is shown lies elsewhere. */
static void finish(kin__process *process)
{
    release_system(process);
    process->is_running = false;

    char errors[KIN__PROCESS_ERRORS_MAX];
    memcpy(errors, process->errors, process->errors_len);
    output o = process->output;
    process->output = (output){ 0 };
    kin__process_end end = {
        .code = process->code,
        .status = process->status,
        .output = { o.data, o.len },
        .errors = { errors, process->errors_len },
    };
    process->on_end(process->context, &end);
    wipe(&o);
    explicit_bzero(errors, sizeof errors);
}

/* All that the process has on the loop and in the system. */
static void release_system(kin__process *process)
{
    kin__timer_clear(process->loop, &process->deadline);
    kin__timer_clear(process->loop, &process->linger);
    unwatch(process, &process->ended);
    unwatch(process, &process->out);
    unwatch(process, &process->errs);
    if (!kin__loop_is_forked(process->loop)) {
        wait_for(process);
    }
    kin__watched *all[] = { &process->ended, &process->out, &process->errs };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i]->fd >= 0) {
            (void) close(all[i]->fd);
            all[i]->fd = -1;
        }
    }
}

/* Asks the pidfd first: where the program has waited for our process the number may be somebody
 * else's by now. */
static void kill_group(const kin__process *process)
{
    int pidfd = process->ended.fd;
    if (pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0) {
        (void) kill(-process->pid, SIGKILL);
        (void) syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0); /* if it left its group */
    }
}

/* Only a process that hangs in the kernel survives being killed for longer than a moment. */
static void wait_for(kin__process *process)
{
    struct pollfd ended = { .fd = process->ended.fd, .events = POLLIN };
    siginfo_t info = { 0 };

    if (process->ended.fd < 0) {
        return;
    }
    (void) poll(&ended, 1, process->is_running ? DEATH_MS : 0);
    if (waitid((idtype_t) BY_PIDFD, (id_t) process->ended.fd, &info, WEXITED | WNOHANG) != 0) {
        return;
    }
    if (info.si_pid == 0) {
        kin__log(kin__loop_logger(process->loop), KIN_LOG_WARNING, "process",
                 "process %d was killed and does not end; it is left alone", (int) process->pid);
        return;
    }
    process->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

/* Its descriptor stays open until all is over. */
static void unwatch(kin__process *process, kin__watched *watched)
{
    kin_error err;
    kin_err code = kin__watch(process->loop, watched, 0, &err);
    assert(code == KIN_OK);
    (void) code;
}

static void keep_last(kin__process *process, const char *bytes, size_t len)
{
    const size_t max = KIN__PROCESS_ERRORS_MAX;
    if (len > max) {
        bytes += len - max;
        len = max;
    }
    size_t kept = process->errors_len < max - len ? process->errors_len : max - len;
    memmove(process->errors, process->errors + process->errors_len - kept, kept);
    memcpy(process->errors + kept, bytes, len);
    process->errors_len = kept + len;
}

/* To one byte more than is allowed, which tells that there was more. */
static bool grow(output *o)
{
    size_t capacity = o->capacity == 0 ? FIRST_CAPACITY : o->capacity * 4;
    if (capacity > KIN__PROCESS_OUTPUT_MAX) {
        capacity = KIN__PROCESS_OUTPUT_MAX + 1;
    }
    output larger = { .data = kin__alloc(capacity), .len = o->len, .capacity = capacity };
    if (larger.data == NULL) {
        return false;
    }
    if (o->len > 0) {
        memcpy(larger.data, o->data, o->len);
    }
    wipe(o);
    *o = larger;
    return true;
}

static void wipe(output *o)
{
    if (o->data != NULL) {
        explicit_bzero(o->data, o->capacity);
    }
    kin__free(o->data);
    *o = (output){ 0 };
}
