/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.c - a controller: made, told what to look at, freed.
 *
 * life.c starts and stops it, watch.c turns changes into keys, turn.c is what it does on the loop,
 * worker.c has keys reconciled.
 */
#include <string.h>

#include "api/client.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "controller/runtime.h"

#define WORKERS_MAX 1000
#define WRITE_WAIT_MS 30000
#define REST_MS 10 /* after a lack of memory */

/* What is wanted of an informer. */
typedef struct wish {
    kin__runtime_role role;
    const kin_predicate *predicate;
    kin_map_fn map;
    void *context;
} wish;

static kin_err check(const kin_controller_options *options, kin_error *err);
static kin_err furnish(kin_controller *controller, const kin_controller_options *options,
                       kin_error *err);
static bool has_seat(kin_controller *controller);
static void release(kin_controller *controller);
static void drop_written(kin_controller *controller);
static kin_err look_at(kin_controller *controller, kin_informer *informer, const wish *wanted,
                       kin_error *err);
static kin_err check_look_locked(const kin_controller *controller, const kin_informer *informer,
                                 const wish *wanted, kin_error *err) REQUIRES(controller->lock);
static kin_err make_watch(kin_controller *controller, kin_informer *informer, const wish *wanted,
                          kin__runtime_watch **out, kin_error *err);

KIN__DEFINE_AUTO(kin_controller, release)

kin_err kin_controller_new(kin_client *client, const kin_controller_options *options,
                           kin_controller **out, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (client == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "make a controller: there is no client");
    }
    return kin__runtime_new(client, options, kin__loop_clock(client->loop), out, err);
}

UNCHECKED_LOCKS kin_err kin__runtime_new(kin_client *client, const kin_controller_options *options,
                                         const kin__clock *clock, kin_controller **out,
                                         kin_error *err)
{
    kin_controller_options ours;

    if (kin__options_read(&ours, sizeof ours, options, "kin_controller_options", err) != KIN_OK ||
        check(&ours, err) != KIN_OK) {
        return kin__error_prefix(err, "make a controller");
    }
    AUTO(release) kin_controller *controller = kin__alloc_zero(1, sizeof *controller);
    if (controller == NULL) {
        return kin__error_no_memory(err);
    }
    controller->client = client;
    controller->loop = client->loop;
    controller->clock = clock;
    kin__mutex_init(&controller->lock);
    kin__cond_init(&controller->changed);
    controller->cancel_at_ms = INT64_MAX;
    controller->is_abreast = ours.leader == NULL;
    kin__runtime_turn_prepare(controller);
    if (furnish(controller, &ours, err) != KIN_OK) {
        return kin__error_prefix(err, "controller \"%s\"", ours.name);
    }
    *out = STEAL(controller);
    return KIN_OK;
}

kin_err kin_controller_about(kin_controller *controller, kin_informer *informer,
                             const kin_predicate *predicate, kin_error *err)
{
    kin_error unwanted;
    const wish about = { KIN__RUNTIME_ABOUT, predicate, NULL, NULL };

    return look_at(controller, informer, &about, kin__error_or(err, &unwanted));
}

kin_err kin_controller_owns(kin_controller *controller, kin_informer *informer,
                            const kin_predicate *predicate, kin_error *err)
{
    kin_error unwanted;
    const wish owns = { KIN__RUNTIME_OWNS, predicate, NULL, NULL };

    return look_at(controller, informer, &owns, kin__error_or(err, &unwanted));
}

kin_err kin_controller_maps(kin_controller *controller, kin_informer *informer,
                            const kin_predicate *predicate, kin_map_fn map, void *context,
                            kin_error *err)
{
    kin_error unwanted;
    const wish maps = { KIN__RUNTIME_MAPS, predicate, map, context };

    return look_at(controller, informer, &maps, kin__error_or(err, &unwanted));
}

kin_err kin_controller_reads(kin_controller *controller, kin_informer *informer, kin_error *err)
{
    kin_error unwanted;
    const wish reads = { KIN__RUNTIME_READS, NULL, NULL, NULL };

    return look_at(controller, informer, &reads, kin__error_or(err, &unwanted));
}

kin_err kin_controller_add(kin_controller *controller, kin_str key,
                           const kin_queue_add_options *options, kin_error *err)
{
    return kin_queue_add(controller->queue, key, options, err);
}

/* In a forked child nobody knows who holds the locks: its memory stays. */
void kin_controller_free(kin_controller *controller)
{
    kin_error err;

    if (controller == NULL || kin__loop_is_forked(controller->loop)) {
        return;
    }
    if (kin__inside_is_any() || kin__inside_is(KIN__INSIDE_RECONCILE)) {
        kin__log(&controller->logger, KIN_LOG_ERROR, "controller",
                 "%s: not freed: not from a reconcile, a handler or the loop",
                 controller->options.name);
        return;
    }
    (void) !kin_controller_stop(controller, -1, &err);
    kin__runtime_join_workers(controller);
    if (has_seat(controller)) {
        kin__leader_leave(controller->options.leader, &controller->seat);
    }
    /* First, so that no turn makes another handler; then, because handlers ask for turns. */
    if (kin__runtime_leave_loop(controller)) {
        kin__runtime_end_watches(controller);
        if (kin__runtime_leave_loop(controller)) {
            release(controller);
        }
    }
}

/* ---- what the parts share ------------------------------------------------------------------- */

int64_t kin__runtime_now_ms(const kin_controller *controller)
{
    return kin__clock_now_ms(controller->clock);
}

int64_t kin__runtime_moment(const kin_controller *controller, int64_t ms)
{
    int64_t now_ms = kin__runtime_now_ms(controller);

    return ms < 0 || ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + ms;
}

/* As long by the system's clock; whoever waits looks again then. */
void kin__runtime_wait_locked(kin_controller *controller, int64_t until_ms)
{
    controller->waiters++;
    if (until_ms == INT64_MAX) {
        kin__cond_wait(&controller->changed, &controller->lock);
    } else {
        int64_t left_ms = until_ms - kin__runtime_now_ms(controller);
        int64_t real_ms = kin__clock_now_ms(kin__clock_real());
        if (left_ms > 0 && left_ms < INT64_MAX - real_ms) {
            (void) kin__cond_wait_until(&controller->changed, &controller->lock,
                                        real_ms + left_ms + 1);
        }
    }
    controller->waiters--;
}

void kin__runtime_wait_real_locked(kin_controller *controller, int64_t until_real_ms)
{
    controller->waiters++;
    (void) kin__cond_wait_until(&controller->changed, &controller->lock, until_real_ms);
    controller->waiters--;
}

void kin__runtime_announce_locked(kin_controller *controller)
{
    if (controller->waiters > 0) {
        kin__cond_broadcast(&controller->changed);
    }
}

/* By the system's clock: memory does not come back by another. */
bool kin__runtime_rest(kin_controller *controller)
{
    int64_t until_ms = kin__clock_now_ms(kin__clock_real()) + REST_MS;

    kin__mutex_lock(&controller->lock);
    kin__runtime_wait_real_locked(controller, until_ms);
    bool goes_on = !controller->is_stopping;
    kin__mutex_unlock(&controller->lock);
    return goes_on;
}

bool kin__runtime_leads_locked(const kin_controller *controller)
{
    const kin_leader *leader = controller->options.leader;

    return leader == NULL || (controller->is_seated && kin_leader_is_leading(leader));
}

bool kin__runtime_is_open_locked(const kin_controller *controller)
{
    return controller->is_synced && controller->is_abreast && !controller->is_stopping &&
           kin__runtime_leads_locked(controller);
}

/* ---- making it ------------------------------------------------------------------------------ */

static kin_err check(const kin_controller_options *options, kin_error *err)
{
    if (options->name == NULL || options->name[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_controller_options: `name` is needed");
    }
    if (options->reconcile == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_controller_options: `reconcile` is needed");
    }
    if (options->workers > WORKERS_MAX) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_controller_options: `workers`: %d at most, not %u", WORKERS_MAX,
                              options->workers);
    }
    return KIN_OK;
}

static kin_err furnish(kin_controller *controller, const kin_controller_options *options,
                       kin_error *err)
{
    kin_controller_options *ours = &controller->options;
    size_t bytes = strlen(options->name) + 1;
    char *name = kin__alloc(bytes);

    if (name == NULL) {
        return kin__error_no_memory(err);
    }
    *ours = *options;
    ours->name = memcpy(name, options->name, bytes);
    ours->limiter = NULL;
    ours->workers = options->workers == 0 ? 1 : options->workers;
    ours->write_wait_ms = options->write_wait_ms == 0 ? WRITE_WAIT_MS : options->write_wait_ms;
    bool has_logger = ours->logger.size != 0 && ours->logger.log != NULL;
    controller->logger = has_logger ? ours->logger : controller->client->logger;

    kin_queue_options queue = KIN_QUEUE_OPTIONS_INIT;
    queue.name = name;
    queue.limiter = options->limiter;
    queue.metrics = options->metrics;
    if (kin__queue_new(&queue, controller->clock, &controller->queue, err) != KIN_OK) {
        return err->code;
    }
    return kin__runtime_metrics_init(&controller->metrics, options->metrics, name, ours->workers,
                                     err);
}

static bool has_seat(kin_controller *controller)
{
    kin__mutex_lock(&controller->lock);
    bool is_begun = controller->is_begun;
    kin__mutex_unlock(&controller->lock);
    return is_begun && controller->options.leader != NULL;
}

/* Nothing of it runs any more. */
UNCHECKED_LOCKS static void release(kin_controller *controller)
{
    if (controller == NULL) {
        return;
    }
    drop_written(controller);
    for (kin__link *link; (link = kin__list_first(&controller->watches)) != NULL;) {
        kin__list_remove(link);
        kin__runtime_watch_free(KIN__OWNER(link, kin__runtime_watch, link));
    }
    kin__debounce_clear(&controller->debounce);
    (void) kin_resource_unref(controller->primary);
    kin__runtime_metrics_fini(&controller->metrics);
    kin_queue_free(controller->queue);
    kin__kept_error_clear(&controller->error);
    kin__cond_fini(&controller->changed);
    kin__mutex_fini(&controller->lock);
    kin__free(controller->threads);
    kin__free((char *) controller->options.name);
    kin__free(controller);
}

UNCHECKED_LOCKS static void drop_written(kin_controller *controller)
{
    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        kin__written_drop(&controller->written, &watch->written);
    }
    kin__written_clear(&controller->written);
}

/* ---- what it looks at ----------------------------------------------------------------------- */

static kin_err look_at(kin_controller *controller, kin_informer *informer, const wish *wanted,
                       kin_error *err)
{
    AUTO(kin__runtime_watch_free) kin__runtime_watch *watch = NULL;

    if (make_watch(controller, informer, wanted, &watch, err) != KIN_OK) {
        return kin__error_prefix(err, "controller \"%s\"", controller->options.name);
    }
    kin__mutex_lock(&controller->lock);
    kin_err code = check_look_locked(controller, informer, wanted, err);
    if (code == KIN_OK) {
        kin__list_push(&controller->watches, &watch->link);
        if (wanted->role == KIN__RUNTIME_ABOUT) {
            controller->about = watch;
        }
        watch = NULL;
    }
    kin__mutex_unlock(&controller->lock);
    return code == KIN_OK ? KIN_OK
                          : kin__error_prefix(err, "controller \"%s\"", controller->options.name);
}

static kin_err check_look_locked(const kin_controller *controller, const kin_informer *informer,
                                 const wish *wanted, kin_error *err)
{
    const char *name = kin__informer_name(informer);

    if (controller->is_started || controller->is_stopping) {
        return kin__error_set(err, KIN_ERR_USAGE, "look at \"%s\": it was started before", name);
    }
    if (kin__informer_options(informer)->key != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "look at \"%s\": it has keys of its own", name);
    }
    if (wanted->role == KIN__RUNTIME_ABOUT && controller->about != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "be about \"%s\": it is about \"%s\" already",
                              name, kin__informer_name(controller->about->informer));
    }
    if (wanted->role == KIN__RUNTIME_MAPS && wanted->map == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "map \"%s\": without a function", name);
    }
    return KIN_OK;
}

static kin_err make_watch(kin_controller *controller, kin_informer *informer, const wish *wanted,
                          kin__runtime_watch **out, kin_error *err)
{
    const kin_informer_options *options = kin__informer_options(informer);
    size_t count = kin__informer_source_count(informer);
    AUTO(kin__runtime_watch_free)
    kin__runtime_watch *watch =
        kin__alloc_zero(1, sizeof *watch + count * sizeof watch->handovers[0]);

    if (watch == NULL) {
        return kin__error_no_memory(err);
    }
    watch->handover_count = count;
    for (size_t i = 0; i < count; i++) {
        watch->handovers[i] = (kin__handover){ .watch = watch, .source = i };
    }
    watch->controller = controller;
    watch->informer = informer;
    watch->written.informer = informer;
    watch->role = wanted->role;
    watch->predicate =
        wanted->predicate != NULL ? *wanted->predicate : (kin_predicate){ NULL, NULL };
    watch->map = wanted->map;
    watch->map_context = wanted->context;
    if (options->label_selector != NULL &&
        kin_selector_parse(options->label_selector, &watch->labels, err) != KIN_OK) {
        return err->code;
    }
    if (options->field_selector != NULL &&
        kin_field_selector_parse(options->field_selector, &watch->fields, err) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(watch);
    return KIN_OK;
}
