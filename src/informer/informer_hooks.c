/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_hooks.c - what the parts of an informer ask of it, and tell it.
 */
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/informer_state.h"

#define KNOWN_KEY_MAX 512 /* bytes of a key that is looked up; names have 253 at most */

static kin_err make_key(void *context, const kin_object *object, kin__buf *out, kin_error *err);
static kin_err transform(void *context, const kin_object *object, kin_object **out, kin_error *err);
static kin_err stage(void *context, const kin_notification *notification, kin_error *err);
static void unstage(void *context);
static kin_err prepare(void *context, kin_error *err);
static void commit(void *context, uint64_t version);
static void synced(void *context);
static void refused(void *context, const kin_object *object, const kin_error *err);
static void index_refused(void *context, const char *index, const kin_object *object,
                          const kin_error *err);
static void trouble(void *context, size_t source, const kin__reflector_trouble *trouble);
static kin_object *known(void *context, kin_str ns, kin_str name, kin_str uid,
                         kin_str resource_version);
static void changed(void *context);
static void ended(void *context, bool is_watch, int64_t took_ms);
static void wake(void *context);
static bool is_on_loop(void *context);

kin__store_options kin__informer_store_options(kin_informer *informer)
{
    return (kin__store_options){
        .key = informer->options.key != NULL ? make_key : NULL,
        .on_index_error = index_refused,
        .on_unread = wake,
        .context = informer,
        .sources = informer->source_count,
    };
}

kin__graveyard_options kin__informer_graveyard_options(kin_informer *informer)
{
    return (kin__graveyard_options){
        .keep_ms = informer->options.keep_deleted_ms,
        .most = informer->options.keep_deleted_max,
        .key = informer->options.key != NULL ? make_key : NULL,
        .context = informer,
        .on_unread = wake,
        .clock = kin__loop_clock(informer->parts.loop),
    };
}

kin__controller_options kin__informer_controller_options(kin_informer *informer)
{
    return (kin__controller_options){
        .sources = informer->source_count,
        .key = informer->options.key != NULL ? make_key : NULL,
        .transform = informer->options.transform != NULL ? transform : NULL,
        .stage = stage,
        .unstage = unstage,
        .prepare = prepare,
        .commit = commit,
        .synced = synced,
        .refused = refused,
        .trouble = trouble,
        .context = informer,
        .recreated_is_update = informer->options.recreated_is_update,
    };
}

kin__list_watch_options kin__informer_driver_options(kin_informer *informer)
{
    return (kin__list_watch_options){
        .loop = informer->parts.loop,
        .caller = informer->parts.caller,
        .known = informer->options.key == NULL ? known : NULL,
        .changed = changed,
        .ended = ended,
        .context = informer,
    };
}

kin__listener_hooks kin__informer_listener_hooks(kin_informer *informer)
{
    return (kin__listener_hooks){ wake, is_on_loop, informer };
}

/* ---- the program's functions ---------------------------------------------------------------- */

static kin_err make_key(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    const kin_informer_options *options = &((const kin_informer *) context)->options;
    char key[KIN_INFORMER_KEY_MAX];
    size_t len = 0;

    *err = (kin_error){ 0 };
    kin_err code = options->key(options->context, object, key, sizeof key, &len, err);
    if (code != KIN_OK) {
        return kin__error_told(err, code, "the key function");
    }
    if (len > sizeof key) {
        return kin__error_set(err, KIN_ERR_USAGE, "a key of %zu bytes was said to fit in %zu", len,
                              sizeof key);
    }
    return kin__buf_append(out, key, len) ? KIN_OK : kin__error_no_memory(err);
}

static kin_err transform(void *context, const kin_object *object, kin_object **out, kin_error *err)
{
    const kin_informer_options *options = &((const kin_informer *) context)->options;

    *err = (kin_error){ 0 };
    kin_err code = options->transform(options->context, object, out, err);
    if (code != KIN_OK) {
        return kin__error_told(err, code, "the function");
    }
    return *out != NULL ? KIN_OK
                        : kin__error_set(err, KIN_ERR_USAGE, "the function gave no object");
}

/* ---- the processor and the graveyard behind the controller ---------------------------------- */

static kin_err stage(void *context, const kin_notification *notification, kin_error *err)
{
    kin_informer *informer = context;

    if (kin__processor_stage(informer->processor, notification, err) != KIN_OK) {
        return err->code;
    }
    if (kin__graveyard_stage(informer->graveyard, notification, err) != KIN_OK) {
        kin__processor_unstage(informer->processor);
        return err->code;
    }
    return KIN_OK;
}

static void unstage(void *context)
{
    kin_informer *informer = context;

    kin__graveyard_unstage(informer->graveyard);
    kin__processor_unstage(informer->processor);
}

/* The loop's time is that of the round's beginning, and a large batch takes long: what is to be
 * kept for so long at least is kept from now on. */
static kin_err prepare(void *context, kin_error *err)
{
    kin_informer *informer = context;

    if (informer->graveyard == NULL) {
        return KIN_OK;
    }
    int64_t now_ms = kin__clock_now_ms(kin__loop_clock(informer->parts.loop));
    return kin__graveyard_bury(informer->graveyard, now_ms, err);
}

static void commit(void *context, uint64_t version)
{
    kin__processor_commit(((kin_informer *) context)->processor, version);
}

static void synced(void *context)
{
    kin_informer *informer = context;

    atomic_store(&informer->is_synced, true);
    kin__processor_set_synced(informer->processor);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void refused(void *context, const kin_object *object, const kin_error *err)
{
    kin_informer *informer = context;
    kin_str key = kin_object_key(object);

    atomic_fetch_add(&informer->refused, 1);
    kin__log(&informer->parts.logger, KIN_LOG_WARNING, "informer", "%s: leaves out %.*s: %s",
             informer->name, KIN_STR_ARG(key), err->message);
    if (informer->options.on_trouble != NULL) {
        informer->options.on_trouble(informer->options.context, err, -1);
    }
}

/* Also on the thread of a program that adds an index. */
static void index_refused(void *context, const char *index, const kin_object *object,
                          const kin_error *err)
{
    kin_informer *informer = context;
    kin_str key = kin_object_key(object);

    atomic_fetch_add(&informer->refused, 1);
    kin__log(&informer->parts.logger, KIN_LOG_WARNING, "informer",
             "%s: leaves %.*s out of index \"%s\": %s", informer->name, KIN_STR_ARG(key), index,
             err->message);
    if (informer->options.on_trouble != NULL && kin_loop_is_inside(informer->parts.loop)) {
        informer->options.on_trouble(informer->options.context, err, -1);
    }
}

static void trouble(void *context, size_t source, const kin__reflector_trouble *what)
{
    kin_informer *informer = context;
    int64_t wait_ms = what->retry_at_ms - kin__loop_now_ms(informer->parts.loop);
    int64_t retry_ms = wait_ms < 0 ? 0 : wait_ms;

    (void) source;
    kin__informer_reason reason = kin__informer_reason_of(what->error);
    informer->book.reasons[reason]++;
    kin__informer_metrics_fail(informer->metrics, reason);
    changed(informer);
    kin__log(&informer->parts.logger, what->is_routine ? KIN_LOG_DEBUG : KIN_LOG_WARNING,
             "informer", "%s: %s; again in %lld ms", informer->name, what->error->message,
             (long long) retry_ms);
    if (!what->is_routine && informer->options.on_trouble != NULL) {
        informer->options.on_trouble(informer->options.context, what->error, retry_ms);
    }
}

/* ---- the driver and the listeners ----------------------------------------------------------- */

static kin_object *known(void *context, kin_str ns, kin_str name, kin_str uid,
                         kin_str resource_version)
{
    const kin_informer *informer = context;
    char bytes[KNOWN_KEY_MAX];
    size_t len = 0;
    kin_object *found = NULL;

    if (ns.len + 1 + name.len > sizeof bytes || uid.len == 0 || resource_version.len == 0) {
        return NULL;
    }
    if (ns.len != 0) {
        memcpy(bytes, ns.data, ns.len);
        bytes[ns.len] = '/';
        len = ns.len + 1;
    }
    memcpy(bytes + len, name.data, name.len);
    kin_view view = kin_store_read(informer->store);
    const kin_object *object = kin_view_get(&view, kin__str(bytes, len + name.len));
    if (object != NULL && kin__str_equal(kin_object_uid(object), uid) &&
        kin__str_equal(kin_object_resource_version(object), resource_version)) {
        found = kin_object_ref(object);
    }
    kin_store_done(&view);
    return found;
}

static void changed(void *context)
{
    kin__informer_wake_on_loop(context);
}

static void ended(void *context, bool is_watch, int64_t took_ms)
{
    kin_informer *informer = context;

    if (!is_watch) {
        informer->book.list_ms = took_ms;
    }
    kin__informer_metrics_call(informer->metrics, is_watch, took_ms);
}

static void wake(void *context)
{
    kin__informer_wake(context);
}

static bool is_on_loop(void *context)
{
    return kin_loop_is_inside(((const kin_informer *) context)->parts.loop);
}
