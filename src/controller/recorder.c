/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - tells people what a program did: made, told, waited for, freed.
 */
#include "controller/recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "object/label_name.h"

/* client-go: of an object tools/record (defaultSpamBurst, defaultSpamQPS), else tools/events
 * (finishTime, maxQueuedEvents). */
#define BURST 25
#define REFILL_MS 300000
#define SERIES_MS 360000
#define WAITING 1000

#define INSTANCE_MAX 128 /* bytes; what kube-apiserver 1.36 accepts */
#define HOST_MAX 255

static kin_err make(kin_recorder *recorder, const kin_recorder_options *options, kin_error *err);
static kin_err check_options(const kin_recorder_options *options, kin_error *err);
static kin_err make_names(kin_recorder *recorder, const kin_recorder_options *options,
                          kin_error *err);
static char *copy(kin_str text);
static bool name_object(const kin_object *object, kin_str texts[]);
static bool name_word(const char *word, kin_str *out);
static void tell(kin_recorder *recorder, const kin__told *told);
static void drop(kin_recorder *recorder, const char *why);
static void count_locked(kin_recorder *recorder, kin__book_outcome outcome)
    REQUIRES(recorder->lock);

kin_err kin_recorder_new(kin_client *client, const kin_recorder_options *options,
                         kin_recorder **out, kin_error *err)
{
    kin_error unwanted;
    kin_recorder_options ours;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&ours, sizeof ours, options, "kin_recorder_options", err) != KIN_OK) {
        return err->code;
    }
    if (check_options(&ours, err) != KIN_OK) {
        return kin__error_prefix(err, "make a recorder");
    }
    kin_recorder *recorder = kin__alloc_zero(1, sizeof *recorder);
    if (recorder == NULL) {
        return kin__error_no_memory(err);
    }
    recorder->client = client;
    recorder->loop = kin_client_loop(client);
    kin__mutex_init(&recorder->lock);
    if (make(recorder, &ours, err) != KIN_OK) {
        kin__recorder_release(recorder);
        return kin__error_prefix(err, "make a recorder");
    }
    *out = recorder;
    return KIN_OK;
}

void kin_recorder_free(kin_recorder *recorder)
{
    kin_error err;

    if (recorder == NULL) {
        return;
    }
    if (kin__loop_is_forked(recorder->loop)) {
        kin__recorder_release(recorder);
        return;
    }
    bool can_wait = !kin__inside_is_any();
    recorder->is_left = !can_wait;
    recorder->close_job = (kin__job){ .run = kin__recorder_on_close, .context = recorder };
    kin_loop *loop = recorder->loop;
    kin__loop_post_job(loop, &recorder->close_job);
    if (can_wait && kin__loop_wait(loop, &recorder->is_closed, &err) == KIN_OK) {
        kin__recorder_release(recorder);
    }
}

void kin_recorder_tell(kin_recorder *recorder, const kin_object *regarding,
                       const kin_object *related, kin_severity severity, const char *reason,
                       const char *action, const char *format, ...)
{
    char note[KIN__TOLD_NOTE_MAX + 4]; /* one more whole character than is kept */
    kin__told told = { .severity = severity };
    va_list arguments;

    if (!name_object(regarding, told.texts + KIN__TOLD_REGARDING)) {
        drop(recorder, "an event is not about any object");
        return;
    }
    if (!name_word(reason, &told.texts[KIN__TOLD_REASON]) ||
        !name_word(action, &told.texts[KIN__TOLD_ACTION])) {
        drop(recorder, "an event has no reason or no action");
        return;
    }
    (void) name_object(related, told.texts + KIN__TOLD_RELATED);
    va_start(arguments, format);
    int len = vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    if (len < 0) {
        drop(recorder, "the note of an event cannot be formatted");
        return;
    }
    told.note = kin__str(note, (size_t) len < sizeof note ? (size_t) len : sizeof note - 1);
    told.note.len = kin__told_cut(told.note, KIN__TOLD_NOTE_MAX);
    tell(recorder, &told);
}

kin_err kin_recorder_flush(kin_recorder *recorder, int64_t deadline_ms, kin_error *err)
{
    kin_error unwanted;
    kin__recorder_flush flush = { .recorder = recorder, .deadline_ms = deadline_ms };

    err = kin__error_or(err, &unwanted);
    if (kin__inside_is_any()) {
        kin__error_set(err, KIN_ERR_USAGE,
                       "this waits, and is not allowed on a loop or in a "
                       "handler");
    } else if (kin__loop_check_wait(recorder->loop, err) == KIN_OK) {
        flush.job = (kin__job){ .run = kin__recorder_on_flush, .context = &flush };
        kin__loop_post_job(recorder->loop, &flush.job);
        if (kin__loop_wait(recorder->loop, &flush.is_done, err) == KIN_OK) {
            *err = flush.error;
        }
    }
    return err->code == KIN_OK ? KIN_OK : kin__error_prefix(err, "write the events that were told");
}

kin_err kin_recorder_get_status(const kin_recorder *recorder, kin_recorder_status *out,
                                kin_error *err)
{
    kin_recorder *locked = (kin_recorder *) (uintptr_t) recorder;
    kin_recorder_status status;
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (out == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_recorder_status: there is none");
    }
    size_t their_size = out->size;
    if (kin__options_read(&status, sizeof status, out, "kin_recorder_status", err) != KIN_OK) {
        return err->code;
    }
    kin__mutex_lock(&locked->lock);
    status = recorder->status;
    status.waiting = recorder->book.waiting_count;
    kin__mutex_unlock(&locked->lock);
    status.size = their_size;
    memcpy(out, &status, their_size < sizeof status ? their_size : sizeof status);
    return KIN_OK;
}

/* Nothing of it is on the loop, or this is a forked child. */
void kin__recorder_release(kin_recorder *recorder) UNCHECKED_LOCKS
{
    kin__book_fini(&recorder->book);
    if (!kin__loop_is_forked(recorder->loop)) {
        kin__recorder_metrics_fini(&recorder->metrics); /* locks */
        kin__mutex_fini(&recorder->lock);
    }
    (void) kin_resource_unref(recorder->events);
    kin__free(recorder->controller);
    kin__free(recorder->instance);
    kin__free(recorder);
}

static kin_err make(kin_recorder *recorder, const kin_recorder_options *options,
                    kin_error *err) UNCHECKED_LOCKS
{
    recorder->status = (kin_recorder_status) KIN_RECORDER_STATUS_INIT;
    recorder->logger = options->logger.log != NULL ? options->logger : recorder->client->logger;
    recorder->book.options = (kin__book_options){
        .burst = options->burst != 0 ? options->burst : BURST,
        .refill_ms = options->refill_ms != 0 ? options->refill_ms : REFILL_MS,
        .series_ms = options->series_ms != 0 ? options->series_ms : SERIES_MS,
        .waiting = options->waiting != 0 ? options->waiting : WAITING,
    };
    recorder->work_job = (kin__job){ .run = kin__recorder_on_work, .context = recorder };
    recorder->timer.fire = kin__recorder_on_timer;
    recorder->timer.context = recorder;
    recorder->random = kin__hash(&recorder, sizeof recorder, kin__hash_seed());
    if (make_names(recorder, options, err) != KIN_OK ||
        kin_resource_new("events.k8s.io", "v1", "events", "Event", true, &recorder->events, err) !=
            KIN_OK) {
        return err->code;
    }
    return kin__recorder_metrics_init(&recorder->metrics, options->metrics, recorder->controller,
                                      err);
}

/* A server refuses every event whose controller is called otherwise. */
static kin_err check_options(const kin_recorder_options *options, kin_error *err)
{
    if (!kin__label_key_is_valid(kin_str_of(options->controller))) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "controller \"%.*s\" is no name such as \"example.com/foo\"", 100,
                              options->controller != NULL ? options->controller : "");
    }
    if (kin_str_of(options->instance).len > INSTANCE_MAX) {
        return kin__error_set(err, KIN_ERR_USAGE, "instance is longer than %d bytes", INSTANCE_MAX);
    }
    return KIN_OK;
}

static kin_err make_names(kin_recorder *recorder, const kin_recorder_options *options,
                          kin_error *err)
{
    char name[KIN__LABEL_KEY_MAX + 1 + HOST_MAX + 1];
    char host[HOST_MAX + 1] = "";

    if (options->instance != NULL && options->instance[0] != '\0') {
        (void) snprintf(name, sizeof name, "%s", options->instance);
    } else {
        (void) gethostname(host, HOST_MAX);
        (void) snprintf(name, sizeof name, "%s-%s", options->controller,
                        host[0] != '\0' ? host : "localhost");
    }
    kin_str instance = kin_str_of(name);
    instance.len = kin__told_cut(instance, INSTANCE_MAX);
    recorder->controller = copy(kin_str_of(options->controller));
    recorder->instance = copy(instance);
    if (recorder->controller == NULL || recorder->instance == NULL) {
        return kin__error_no_memory(err);
    }
    return KIN_OK;
}

static char *copy(kin_str text)
{
    char *chars = kin__alloc_zero(1, text.len + 1);

    if (chars != NULL) {
        memcpy(chars, text.data, text.len);
    }
    return chars;
}

static bool name_object(const kin_object *object, kin_str texts[])
{
    if (object == NULL) {
        return false;
    }
    texts[KIN__TOLD_API_VERSION] = kin_object_api_version(object);
    texts[KIN__TOLD_KIND] = kin_object_kind(object);
    texts[KIN__TOLD_NAMESPACE] = kin_object_namespace(object);
    texts[KIN__TOLD_NAME] = kin_object_name(object);
    texts[KIN__TOLD_UID] = kin_object_uid(object);
    return true;
}

static bool name_word(const char *word, kin_str *out)
{
    *out = kin_str_of(word);
    out->len = kin__told_cut(*out, KIN__TOLD_WORD_MAX);
    return out->len != 0;
}

static void tell(kin_recorder *recorder, const kin__told *told)
{
    const kin__clock *clock = kin__loop_clock(recorder->loop);
    int64_t now_ms = kin__clock_now_ms(clock);
    kin_time wall = kin__clock_wall(clock);

    kin__mutex_lock(&recorder->lock);
    kin__book_outcome outcome = kin__book_tell(&recorder->book, told, now_ms, wall);
    recorder->status.told++;
    count_locked(recorder, outcome);
    kin__mutex_unlock(&recorder->lock);
    if (outcome == KIN__BOOK_WAITS) {
        kin__loop_post_job(recorder->loop, &recorder->work_job);
    }
}

/* What cannot become an event at all. */
static void drop(kin_recorder *recorder, const char *why)
{
    kin__mutex_lock(&recorder->lock);
    recorder->status.told++;
    recorder->status.dropped++;
    kin__recorder_metrics_count(&recorder->metrics, KIN__RECORDER_DROPPED);
    (void) kin__error_set(&recorder->status.error, KIN_ERR_USAGE, "%s", why);
    kin__mutex_unlock(&recorder->lock);
}

static void count_locked(kin_recorder *recorder, kin__book_outcome outcome)
{
    kin_recorder_status *status = &recorder->status;
    kin__recorder_result result = KIN__RECORDER_DROPPED;

    switch (outcome) {
    case KIN__BOOK_WAITS:
        kin__recorder_metrics_wait(&recorder->metrics, recorder->book.waiting_count);
        return;
    case KIN__BOOK_MERGED:
        status->merged++;
        result = KIN__RECORDER_MERGED;
        break;
    case KIN__BOOK_LIMITED:
        status->limited++;
        result = KIN__RECORDER_LIMITED;
        break;
    case KIN__BOOK_FULL:
        status->dropped++;
        (void) kin__error_set(&status->error, KIN_ERR_LIMIT, "too many events wait: %zu",
                              recorder->book.waiting_count);
        break;
    case KIN__BOOK_TOO_LONG:
        status->dropped++;
        (void) kin__error_set(&status->error, KIN_ERR_LIMIT,
                              "the names in an event are longer than %d bytes", KIN__TOLD_KEY_MAX);
        break;
    case KIN__BOOK_NO_MEMORY:
        status->dropped++;
        (void) kin__error_no_memory(&status->error);
        break;
    }
    kin__recorder_metrics_count(&recorder->metrics, result);
}
