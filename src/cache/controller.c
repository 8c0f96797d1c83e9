/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.c - from fifos into a store, and who is told.
 *
 * A change is staged before it is put, and taken back when the put fails: so whatever fails, the
 * batch stands before a change or behind it, and the next call goes on from there.  In between it
 * is paused.  Should somebody else have written the store meanwhile, the store has dropped it: then
 * all that was staged is taken back, and it begins anew.
 */
#include "cache/controller.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/controller_state.h"
#include "kin/key.h"

static kin_err check_options(const kin__controller_options *options, kin_error *err);
static bool source_is_pending(const kin__controller_source *source);
static void begin(kin__controller *controller);
static void rewind_sources(kin__controller *controller);
static kin_err apply_all(kin__controller *controller, kin_error *err);
static kin_err apply_source(kin__controller_source *source, kin_error *err);
static kin_err apply_gone(kin__controller_source *source, kin_error *err);
static kin_err apply_rest(kin__controller_source *source, kin_error *err);
static kin_err apply(kin__controller_source *source, kin__deltas *deltas, kin__delta *delta,
                     kin_error *err);
static kin_err apply_deletion(kin__controller *controller, kin_str key, const kin__delta *delta,
                              kin_error *err);
static kin_err apply_state(kin__controller *controller, kin__deltas *deltas,
                           const kin__delta *delta, kin_error *err);
static kin_err stage_state(kin__controller *controller, kin_notification *next, size_t *out_staged,
                           kin_error *err);
static kin_err stage(kin__controller *controller, const kin_notification *next, kin_error *err);
static void unstage(kin__controller *controller, size_t count);
static bool is_recreated(const kin_object *before, const kin_object *object);
static void publish(kin__controller *controller);
static void commit(kin__controller *controller);
static kin_err find_source(const kin__controller *controller, kin_str key, size_t *out,
                           kin_error *err);

kin_err kin__controller_new(kin_store *store, const kin__controller_options *options,
                            kin__controller **out, kin_error *err)
{
    size_t count = options->sources == 0 ? 1 : options->sources;

    if (check_options(options, err) != KIN_OK) {
        return kin__error_prefix(err, "make a controller");
    }
    AUTO(kin__controller_free)
    kin__controller *controller =
        kin__alloc_zero(1, sizeof *controller + count * sizeof controller->sources[0]);
    if (controller == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a controller");
    }
    controller->store = store;
    controller->options = *options;
    for (size_t i = 0; i < count; i++) {
        kin__controller_source *source = &controller->sources[controller->count++];
        *source = (kin__controller_source){ .controller = controller, .number = i };
        if (kin__controller_source_init(source, err) != KIN_OK) {
            return kin__error_prefix(err, "make a controller");
        }
    }
    controller->options.namespaces = NULL;
    *out = STEAL(controller);
    return KIN_OK;
}

void kin__controller_free(kin__controller *controller)
{
    if (controller == NULL) {
        return;
    }
    if (controller->is_open) {
        kin__store_begin(controller->store);
        kin__store_publish(controller->store);
    }
    for (size_t i = 0; i < controller->count; i++) {
        kin__controller_source_fini(&controller->sources[i]);
    }
    kin__free(controller);
}

kin_err kin__controller_resync(kin__controller *controller, size_t source, kin_error *err)
{
    return kin__controller_source_resync(&controller->sources[source], err);
}

bool kin__controller_is_pending(const kin__controller *controller)
{
    for (size_t i = 0; i < controller->count; i++) {
        if (source_is_pending(&controller->sources[i])) {
            return true;
        }
    }
    return controller->is_open || controller->is_published;
}

kin_err kin__controller_process(kin__controller *controller, kin_error *err)
{
    kin_err code = KIN_OK;

    if (controller->is_open) {
        code = kin__controller_finish_batch(controller, err);
    }
    if (controller->is_published) {
        commit(controller);
    }
    if (code != KIN_OK || !kin__controller_is_pending(controller)) {
        return code;
    }
    begin(controller);
    code = kin__controller_finish_batch(controller, err);
    if (code == KIN_OK) {
        commit(controller);
    }
    return code;
}

bool kin__controller_source_has_synced(const kin__controller *controller, size_t source)
{
    return controller->sources[source].is_synced;
}

bool kin__controller_has_synced(const kin__controller *controller)
{
    return controller->is_synced;
}

size_t kin__controller_deltas(const kin__controller *controller)
{
    size_t count = 0;

    for (size_t i = 0; i < controller->count; i++) {
        const kin__controller_source *source = &controller->sources[i];
        count += kin__delta_fifo_deltas(source->fifo) + source->batch.delta_count;
    }
    return count;
}

kin_err kin__controller_wait(kin__controller *controller, kin__version_wait *wait,
                             bool *out_is_over, kin_error *err)
{
    if (find_source(controller, wait->key, &wait->source, err) != KIN_OK) {
        return kin__error_prefix(err, "wait for \"%.*s\"", KIN_STR_ARG(wait->key));
    }
    kin_view view = kin_store_read(controller->store);
    *out_is_over = kin__version_wait_is_over(wait, &view);
    kin_store_done(&view);
    if (!*out_is_over) {
        kin__version_waits_add(&controller->waits, wait);
    }
    return KIN_OK;
}

kin__version_wait *kin__controller_take_wait(kin__controller *controller)
{
    return kin__version_waits_take(&controller->waits);
}

kin_err kin__controller_finish_batch(kin__controller *controller, kin_error *err)
{
    if (!kin__store_resume(controller->store)) {
        unstage(controller, controller->staged);
        rewind_sources(controller);
    }
    kin_err code = apply_all(controller, err);
    if (code == KIN_OK) {
        publish(controller);
    } else {
        kin__store_pause(controller->store);
    }
    return code;
}

static kin_err check_options(const kin__controller_options *options, kin_error *err)
{
    if (options->sources > 1 && options->namespaces == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "%zu sources need a namespace each",
                              options->sources);
    }
    return KIN_OK;
}

/* The first state may be empty, and without a version. */
static bool source_is_pending(const kin__controller_source *source)
{
    return kin__delta_fifo_count(source->fifo) != 0 || source->has_version ||
           (!source->is_synced && kin__delta_fifo_has_synced(source->fifo));
}

static void begin(kin__controller *controller)
{
    for (size_t i = 0; i < controller->count; i++) {
        kin__controller_source *source = &controller->sources[i];
        kin__delta_fifo_pop_all(source->fifo, &source->batch);
        source->syncs = kin__delta_fifo_has_synced(source->fifo);
    }
    controller->staged = 0;
    controller->is_open = true;
}

static void rewind_sources(kin__controller *controller)
{
    for (size_t i = 0; i < controller->count; i++) {
        kin__controller_source *source = &controller->sources[i];
        source->at = source->delta = 0;
        source->are_gone_told = false;
        source->is_version_set = false;
    }
}

static kin_err apply_all(kin__controller *controller, kin_error *err)
{
    const kin__controller_options *options = &controller->options;

    for (size_t i = 0; i < controller->count; i++) {
        kin_err code = apply_source(&controller->sources[i], err);
        if (code != KIN_OK) {
            return code;
        }
    }
    return options->prepare == NULL ? KIN_OK : options->prepare(options->context, err);
}

static kin_err apply_source(kin__controller_source *source, kin_error *err)
{
    kin_err code = KIN_OK;

    if (!source->are_gone_told) {
        code = apply_gone(source, err);
    }
    if (code == KIN_OK) {
        code = apply_rest(source, err);
    }
    if (code == KIN_OK && source->has_version && !source->is_version_set) {
        kin_str version = kin__str(source->version.data, source->version.len);
        code = kin__store_set_resource_version(source->controller->store, source->number, version,
                                               err);
        source->is_version_set = code == KIN_OK;
    }
    return code;
}

/* Of a replace client-go tells deletions first.  They stand at the end of the line, with nothing
 * else to tell of their keys. */
static kin_err apply_gone(kin__controller_source *source, kin_error *err)
{
    for (kin__deltas *deltas;
         (deltas = kin__delta_line_next(&source->batch, &source->at)) != NULL;) {
        kin__delta *delta = kin__deltas_all(deltas);
        kin_err code =
            deltas->count == 1 && delta->is_tombstone ? apply(source, deltas, delta, err) : KIN_OK;
        if (code != KIN_OK) {
            source->at--;
            return code;
        }
    }
    source->at = 0;
    source->are_gone_told = true;
    return KIN_OK;
}

static kin_err apply_rest(kin__controller_source *source, kin_error *err)
{
    for (kin__deltas *deltas;
         (deltas = kin__delta_line_next(&source->batch, &source->at)) != NULL;) {
        kin__delta *all = kin__deltas_all(deltas);
        bool is_gone = deltas->count == 1 && all->is_tombstone;
        for (; !is_gone && source->delta < deltas->count; source->delta++) {
            kin_err code = apply(source, deltas, &all[source->delta], err);
            if (code != KIN_OK) {
                source->at--;
                return code;
            }
        }
        source->delta = 0;
    }
    return KIN_OK;
}

static kin_err apply(kin__controller_source *source, kin__deltas *deltas, kin__delta *delta,
                     kin_error *err)
{
    kin__controller *controller = source->controller;

    return delta->type == KIN__DELTA_DELETED
               ? apply_deletion(controller, kin__deltas_key(deltas), delta, err)
               : apply_state(controller, deltas, delta, err);
}

/* Of what the store does not have nobody was told: it was refused, or another's. */
static kin_err apply_deletion(kin__controller *controller, kin_str key, const kin__delta *delta,
                              kin_error *err)
{
    const kin_object *before = kin__store_newest(controller->store, key);

    if (before == NULL) {
        return KIN_OK;
    }
    kin_notification next = {
        .type = KIN_NOTIFICATION_DELETED,
        .key = key,
        .object = delta->object != NULL ? delta->object : before,
        .before = before,
        .is_tombstone = delta->is_tombstone,
    };
    kin_err code = stage(controller, &next, err);
    if (code == KIN_OK) {
        code = kin__store_remove(controller->store, key, &before, err);
        unstage(controller, code != KIN_OK);
    }
    return code;
}

static kin_err apply_state(kin__controller *controller, kin__deltas *deltas,
                           const kin__delta *delta, kin_error *err)
{
    const kin_object *before = kin__store_newest(controller->store, kin__deltas_key(deltas));
    kin_notification next = {
        .type = before == NULL ? KIN_NOTIFICATION_ADDED : KIN_NOTIFICATION_UPDATED,
        .key = kin__deltas_key(deltas),
        .object = delta->object,
        .before = before,
        .is_initial = before == NULL && deltas->is_initial,
        .is_resync = before != NULL && delta->type == KIN__DELTA_SYNC,
    };
    size_t staged;

    if (before == delta->object || (before != NULL && delta->type == KIN__DELTA_REPLACED &&
                                    kin__controller_is_same(before, delta->object))) {
        next.object = before;
        return stage(controller, &next, err);
    }
    kin_err code = stage_state(controller, &next, &staged, err);
    if (code != KIN_OK) {
        return code;
    }
    code = kin__store_put(controller->store, delta->object, &before, err);
    if (code == KIN_OK) {
        return KIN_OK;
    }
    unstage(controller, staged);
    if (code == KIN_ERR_NO_MEMORY) {
        return code;
    }
    kin__controller_refuse(controller, delta->object, err);
    return KIN_OK;
}

static kin_err stage_state(kin__controller *controller, kin_notification *next, size_t *out_staged,
                           kin_error *err)
{
    size_t staged = 0;

    if (next->before != NULL && !controller->options.recreated_is_update &&
        is_recreated(next->before, next->object)) {
        kin_notification gone = {
            .type = KIN_NOTIFICATION_DELETED,
            .key = next->key,
            .object = next->before,
            .before = next->before,
            .is_tombstone = true,
        };
        kin_err code = stage(controller, &gone, err);
        if (code != KIN_OK) {
            return code;
        }
        staged++;
        next->type = KIN_NOTIFICATION_ADDED;
        next->before = NULL;
    }
    kin_err code = stage(controller, next, err);
    if (code != KIN_OK) {
        unstage(controller, staged);
        return code;
    }
    *out_staged = staged + 1;
    return KIN_OK;
}

static kin_err stage(kin__controller *controller, const kin_notification *next, kin_error *err)
{
    const kin__controller_options *options = &controller->options;
    kin_err code = options->stage == NULL ? KIN_OK : options->stage(options->context, next, err);

    controller->staged += code == KIN_OK;
    return code;
}

static void unstage(kin__controller *controller, size_t count)
{
    controller->staged -= count;
    for (; count > 0 && controller->options.unstage != NULL; count--) {
        controller->options.unstage(controller->options.context);
    }
}

static bool is_recreated(const kin_object *before, const kin_object *object)
{
    kin_str old_uid = kin_object_uid(before);
    kin_str uid = kin_object_uid(object);

    return old_uid.len != 0 && uid.len != 0 && !kin__str_equal(old_uid, uid);
}

/* The number of the version is asked for before there can be a later one. */
static void publish(kin__controller *controller)
{
    kin_view view = kin__store_newest_view(controller->store);

    controller->version = kin_view_number(&view);
    kin__version_waits_look(&controller->waits, &view);
    kin__store_publish(controller->store);
    controller->is_open = false;
    controller->is_published = true;
    for (size_t i = 0; i < controller->count; i++) {
        kin__controller_source *source = &controller->sources[i];
        source->has_version = source->has_version && !source->is_version_set;
        kin__delta_fifo_give_back(source->fifo, &source->batch);
    }
}

static void commit(kin__controller *controller)
{
    const kin__controller_options *options = &controller->options;
    bool are_synced = true;

    for (size_t i = 0; i < controller->count; i++) {
        kin__controller_source *source = &controller->sources[i];
        source->is_synced = source->is_synced || source->syncs;
        are_synced = are_synced && source->is_synced;
    }
    bool syncs_now = are_synced && !controller->is_synced;
    controller->is_synced = are_synced;
    controller->is_published = false;
    if (options->commit != NULL) {
        options->commit(options->context, controller->version);
    }
    if (syncs_now && options->synced != NULL) {
        options->synced(options->context);
    }
}

static kin_err find_source(const kin__controller *controller, kin_str key, size_t *out,
                           kin_error *err)
{
    kin_str ns;
    kin_str name;

    if (controller->count == 1) {
        *out = 0;
        return KIN_OK;
    }
    kin_err code = kin_key_split(key, &ns, &name, err);
    if (code != KIN_OK) {
        return code;
    }
    for (size_t i = 0; i < controller->count; i++) {
        if (kin__str_equal(ns, kin_str_of(controller->sources[i].ns))) {
            *out = i;
            return KIN_OK;
        }
    }
    return kin__error_set(err, KIN_ERR_NOT_FOUND, "no source has the namespace \"%.*s\"",
                          KIN_STR_ARG(ns));
}
