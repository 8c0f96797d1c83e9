/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer.c - an informer's life, in turns.
 *
 * Drivers put what arrives into the controller's fifos and ask for a turn; one turn takes all that
 * a round of the loop has brought.  While a handler that blocks is behind, turns take nothing, and
 * what arrives is merged in the fifos: the watch itself is never held up.
 *
 * To free it three things must end, in this order: the drivers' calls (on the loop), the handlers'
 * calls (wherever they run: they may still use the informer), and what lies on the loop.  Whoever
 * frees waits for each; from a place that cannot wait, a thread of the pool does it.
 */
#include "informer/informer.h"

#include "base/error.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/informer_state.h"
#include "informer/wait.h"

#define RETRY_MS 100 /* after a lack of memory */
/* When something waits for its readers; they are looked at half as often each time. */
#define COLLECT_MS 50
#define COLLECT_MAX_MS 6400

typedef kin_err (*await_fn)(kin__processor *processor, int64_t deadline_ms, kin_error *err);

static kin_err await_stop(kin_informer *informer, await_fn await_handlers, int64_t deadline_ms,
                          kin_error *err);
static void take_turn(kin__job *job, void *context);
static void obey(kin_informer *informer);
static void process(kin_informer *informer);
static void retry_later(kin_informer *informer);
static void on_retry(kin__timer *timer, void *context);
static void arm_resync(kin_informer *informer);
static void on_resync(kin__timer *timer, void *context);
static void resync_sources(kin_informer *informer);
static void expire(kin_informer *informer);
static void on_expiry(kin__timer *timer, void *context);
static void collect(kin_informer *informer);
static void on_collect(kin__timer *timer, void *context);
static void free_on_pool(kin__pool_job *job);
static void free_now(kin_informer *informer);

kin_err kin_informer_start(kin_informer *informer, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (kin__loop_is_forked(informer->parts.loop) || atomic_load(&informer->is_freeing)) {
        return kin__error_set(err, KIN_ERR_USAGE, "start informer \"%s\": %s", informer->name,
                              kin__loop_is_forked(informer->parts.loop) ? "not after a fork"
                                                                        : "it is being freed");
    }
    atomic_store(&informer->is_wanted, true);
    kin__informer_wake(informer);
    return KIN_OK;
}

void kin__informer_begin_stop(kin_informer *informer)
{
    atomic_store(&informer->is_wanted, false);
    kin__informer_wake(informer);
}

/* In a forked child nobody knows who holds the handlers' locks. */
void kin__informer_begin_drop(kin_informer *informer)
{
    kin__informer_begin_stop(informer);
    if (!kin__loop_is_forked(informer->parts.loop)) {
        kin__processor_drop(informer->processor);
    }
}

kin_err kin_informer_stop(kin_informer *informer, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;

    kin__informer_begin_stop(informer);
    return await_stop(informer, kin__processor_await, deadline_ms, kin__error_or(err, &unwanted));
}

kin_err kin_informer_stop_and_drop(kin_informer *informer, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;

    kin__informer_begin_drop(informer);
    return await_stop(informer, kin__processor_await_ended, deadline_ms,
                      kin__error_or(err, &unwanted));
}

/* In a forked child nobody knows who holds the locks, and nothing of it runs: its memory stays. */
void kin_informer_free(kin_informer *informer)
{
    kin_error err;

    if (informer == NULL || kin__loop_is_forked(informer->parts.loop)) {
        return;
    }
    atomic_store(&informer->is_freeing, true);
    kin__informer_begin_stop(informer);
    if (!kin__inside_is_any()) {
        free_now(informer);
    } else if (kin__pool_prepare(informer->parts.pool, &err) == KIN_OK) {
        informer->free_job.run = free_on_pool;
        kin__pool_submit(informer->parts.pool, &informer->free_job);
    } else {
        kin__log(&informer->parts.logger, KIN_LOG_ERROR, "informer",
                 "%s: stopped, but never freed: %s", informer->name, err.message);
    }
}

kin_store *kin_informer_store(const kin_informer *informer)
{
    return informer->store;
}

kin_store *kin_informer_deleted(const kin_informer *informer)
{
    return kin__graveyard_store(informer->graveyard);
}

kin_err kin_informer_add_handler(kin_informer *informer, const kin_registration_options *options,
                                 kin_registration **out, kin_error *err)
{
    return kin__informer_add_handler(informer, options, NULL, out, err);
}

kin_err kin__informer_add_handler(kin_informer *informer, const kin_registration_options *options,
                                  kin__may_merge_fn may_merge, kin_registration **out,
                                  kin_error *err)
{
    kin_error unwanted;
    int64_t now_ms = kin__clock_now_ms(kin__loop_clock(informer->parts.loop));

    err = kin__error_or(err, &unwanted);
    if (kin__loop_is_forked(informer->parts.loop)) {
        return kin__error_set(err, KIN_ERR_USAGE, "add a handler to informer \"%s\": after a fork",
                              informer->name);
    }
    if (kin__processor_add_guarded(informer->processor, options, may_merge, now_ms, out, err) !=
        KIN_OK) {
        return kin__error_prefix(err, "informer \"%s\"", informer->name);
    }
    kin__informer_wake(informer);
    return KIN_OK;
}

const char *kin__informer_name(const kin_informer *informer)
{
    return informer->name;
}

static kin_err await_stop(kin_informer *informer, await_fn await_handlers, int64_t deadline_ms,
                          kin_error *err)
{
    kin__informer_wait wait = {
        .kind = deadline_ms == 0 ? KIN__WAIT_STOPPED : KIN__WAIT_DRAINED,
        .deadline_ms = deadline_ms == 0 ? -1 : deadline_ms,
    };
    int64_t now_ms = kin__clock_now_ms(kin__clock_real());
    bool is_endless = deadline_ms < 0 || deadline_ms > INT64_MAX - now_ms;
    int64_t until_ms = is_endless ? INT64_MAX : now_ms + deadline_ms;

    if (kin__inside_is_any()) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "stop informer \"%s\" and wait: not from a handler or the loop; it "
                              "stops",
                              informer->name);
    }
    kin_err code = kin__informer_wait_for(informer, &wait, err);
    if (code == KIN_OK && deadline_ms != 0) {
        code = await_handlers(informer->processor, until_ms, err);
    }
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "stop informer \"%s\"", informer->name);
}

/* ---- turns ---------------------------------------------------------------------------------- */

void kin__informer_prepare(kin_informer *informer)
{
    informer->turn_job = (kin__job){ .run = take_turn, .context = informer };
    informer->retry_timer.fire = on_retry;
    informer->retry_timer.context = informer;
    informer->resync_timer.fire = on_resync;
    informer->resync_timer.context = informer;
    informer->expiry_timer.fire = on_expiry;
    informer->expiry_timer.context = informer;
    informer->collect_timer.fire = on_collect;
    informer->collect_timer.context = informer;
}

void kin__informer_wake(kin_informer *informer)
{
    kin__loop_post_job(informer->parts.loop, &informer->turn_job);
}

void kin__informer_wake_on_loop(kin_informer *informer)
{
    if (!informer->has_turn) {
        informer->has_turn = true;
        kin__informer_wake(informer);
    }
}

bool kin__informer_has_stopped(const kin_informer *informer)
{
    for (size_t i = 0; i < informer->source_count; i++) {
        if (!kin__list_watch_has_stopped(informer->sources[i].driver)) {
            return false;
        }
    }
    return !informer->is_running;
}

void kin__informer_leave_loop(kin_informer *informer)
{
    kin_loop *loop = informer->parts.loop;

    kin__processor_free(informer->processor);
    informer->processor = NULL;
    for (size_t i = 0; i < informer->source_count; i++) {
        kin__list_watch_free(informer->sources[i].driver);
        informer->sources[i].driver = NULL;
    }
    kin__timer_clear(loop, &informer->retry_timer);
    kin__timer_clear(loop, &informer->resync_timer);
    kin__timer_clear(loop, &informer->expiry_timer);
    kin__timer_clear(loop, &informer->collect_timer);
    kin__store_mute(informer->store);
    if (informer->graveyard != NULL) {
        kin__store_mute(kin__graveyard_store(informer->graveyard));
    }
    (void) kin__loop_cancel_job(loop, &informer->turn_job);
}

static void take_turn(kin__job *job, void *context)
{
    kin_informer *informer = context;

    (void) job;
    informer->has_turn = false;
    obey(informer);
    process(informer);
    kin__processor_run(informer->processor);
    arm_resync(informer);
    expire(informer);
    collect(informer);
    kin__informer_note_facts(informer);
    kin__informer_serve_waits(informer);
    kin__informer_tell_observers(informer);
}

static void obey(kin_informer *informer)
{
    bool is_wanted = kin__informer_is_wanted(informer);

    if (is_wanted == informer->is_running) {
        return;
    }
    informer->is_running = is_wanted;
    for (size_t i = 0; i < informer->source_count; i++) {
        if (is_wanted) {
            kin__list_watch_start(informer->sources[i].driver);
        } else {
            kin__list_watch_stop(informer->sources[i].driver);
        }
    }
    if (is_wanted && !informer->has_resyncs) {
        informer->has_resyncs = true;
        kin__processor_start_resync(informer->processor, kin__loop_now_ms(informer->parts.loop));
    }
}

/* Takes no batch while a handler that blocks is at its bound; when there is room again its wake
 * brings another turn. */
static void process(kin_informer *informer)
{
    kin_error err;

    resync_sources(informer);
    if (kin__controller_is_pending(informer->controller) &&
        !kin__processor_is_blocked(informer->processor) &&
        kin__controller_process(informer->controller, &err) != KIN_OK) {
        retry_later(informer);
    }
}

static void retry_later(kin_informer *informer)
{
    kin_loop *loop = informer->parts.loop;
    kin_error err;

    if (kin__timer_set(loop, &informer->retry_timer, kin__loop_now_ms(loop) + RETRY_MS, &err) !=
        KIN_OK) {
        kin__informer_wake_on_loop(informer);
    }
}

static void on_retry(kin__timer *timer, void *context)
{
    (void) timer;
    kin__informer_wake_on_loop(context);
}

/* ---- resyncs -------------------------------------------------------------------------------- */

static void arm_resync(kin_informer *informer)
{
    kin_loop *loop = informer->parts.loop;
    int64_t next_ms = informer->is_running ? kin__processor_next_resync_ms(informer->processor)
                                           : KIN__RESYNC_NO_TICK;
    kin_error err;

    if (next_ms == KIN__RESYNC_NO_TICK) {
        kin__timer_clear(loop, &informer->resync_timer);
    } else if (kin__timer_set(loop, &informer->resync_timer, next_ms, &err) != KIN_OK) {
        retry_later(informer);
    }
}

/* Before the first state has come there is nothing to tell. */
static void on_resync(kin__timer *timer, void *context)
{
    kin_informer *informer = context;

    (void) timer;
    if (kin__processor_tick_resync(informer->processor, kin__loop_now_ms(informer->parts.loop))) {
        for (size_t i = 0; i < informer->source_count; i++) {
            informer->sources[i].owes_resync = true;
        }
    }
    kin__informer_wake_on_loop(informer);
}

static void resync_sources(kin_informer *informer)
{
    kin_error err;

    for (size_t i = 0; i < informer->source_count; i++) {
        kin__informer_source *source = &informer->sources[i];

        if (source->owes_resync) {
            source->owes_resync = kin__controller_resync(informer->controller, i, &err) != KIN_OK;
            if (source->owes_resync) {
                retry_later(informer);
            }
        }
    }
}

/* ---- what is not needed any more ------------------------------------------------------------- */

static void expire(kin_informer *informer)
{
    kin_loop *loop = informer->parts.loop;
    kin_error err;

    if (kin__graveyard_expire(informer->graveyard, kin__loop_now_ms(loop), &err) != KIN_OK) {
        retry_later(informer);
        return;
    }
    int64_t due_ms = kin__graveyard_due_ms(informer->graveyard);
    if (due_ms == INT64_MAX) {
        kin__timer_clear(loop, &informer->expiry_timer);
    } else if (kin__timer_set(loop, &informer->expiry_timer, due_ms, &err) != KIN_OK) {
        retry_later(informer);
    }
}

static void on_expiry(kin__timer *timer, void *context)
{
    (void) timer;
    kin__informer_wake_on_loop(context);
}

/* What a version has dropped goes with the next one; when none comes, with this.  Nothing tells
 * that a read section has ended, so it is looked for, while there is something to release. */
static void collect(kin_informer *informer)
{
    kin_loop *loop = informer->parts.loop;
    kin_error err;
    bool is_waiting = kin__store_collect(informer->store);

    if (informer->graveyard != NULL) {
        is_waiting = kin__store_collect(kin__graveyard_store(informer->graveyard)) || is_waiting;
    }
    if (!is_waiting) {
        informer->collect_ms = 0;
        kin__timer_clear(loop, &informer->collect_timer);
        return;
    }
    informer->collect_ms = informer->collect_ms == 0 ? COLLECT_MS : informer->collect_ms;
    if (!kin__timer_is_set(&informer->collect_timer) &&
        kin__timer_set(loop, &informer->collect_timer,
                       kin__loop_now_ms(loop) + informer->collect_ms, &err) != KIN_OK) {
        retry_later(informer);
    }
}

static void on_collect(kin__timer *timer, void *context)
{
    kin_informer *informer = context;
    int64_t twice = informer->collect_ms * 2;

    (void) timer;
    informer->collect_ms = twice > COLLECT_MAX_MS ? COLLECT_MAX_MS : twice;
    kin__informer_wake_on_loop(informer);
}

/* ---- freeing -------------------------------------------------------------------------------- */

static void free_on_pool(kin__pool_job *job)
{
    free_now(KIN__OWNER(job, kin_informer, free_job));
}

/* Where the loop cannot be waited for any more (the program closed its descriptors), the memory
 * stays. */
static void free_now(kin_informer *informer)
{
    kin__informer_wait stopped = { .kind = KIN__WAIT_STOPPED, .deadline_ms = -1 };
    kin__informer_wait gone = { .kind = KIN__WAIT_GONE, .deadline_ms = -1 };
    kin_error err;

    if (kin__informer_wait_for(informer, &stopped, &err) != KIN_OK) {
        return;
    }
    if (kin__processor_stop(informer->processor, false, INT64_MAX, &err) == KIN_OK &&
        kin__informer_wait_for(informer, &gone, &err) == KIN_OK) {
        kin__informer_release(informer);
    }
}
