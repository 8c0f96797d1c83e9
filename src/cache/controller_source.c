/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_source.c - the input side of a controller: from a reflector's sink into a fifo.
 *
 * Inside an input a read section of the store is open; what the fifo takes for known is what the
 * store shows there.  That is right because nothing is between fifo and store: while a batch is
 * open, inputs are refused.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/controller_state.h"

static kin_err sink_replace(void *context, kin_object *const *objects, size_t count,
                            kin_str resource_version, kin_error *err);
static kin_err sink_add(void *context, kin_object *object, kin_error *err);
static kin_err sink_update(void *context, kin_object *object, kin_error *err);
static kin_err sink_remove(void *context, kin_object *object, kin_error *err);
static kin_err sink_bookmark(void *context, kin_str resource_version, kin_error *err);
static void sink_trouble(void *context, const kin__reflector_trouble *trouble);

typedef kin_err (*take_fn)(kin__delta_fifo *fifo, const kin_object *object, kin_error *err);
static kin_err take_event(kin__controller_source *source, const kin_object *object, take_fn take,
                          kin_error *err);
static kin_err enter(kin__controller_source *source, kin_str version, kin_error *err);
static kin_err leave(kin__controller_source *source, kin_str version, kin_err code);
static const kin_object *get_known(void *context, kin_str key);
static void each_known(void *context, kin__known_fn fn, void *fn_context);
static kin_err make_key(void *context, const kin_object *object, kin__buf *out, kin_error *err);
static void refuse(void *context, const kin_object *object, const kin_error *err);
static kin_err prepare(void *context, kin_str key, kin__delta_type type, const kin_object *object,
                       kin_object **out, kin_error *err);
static bool is_of_source(const kin__controller_source *source, const kin_object *object);
static void refuse_stranger(const kin__controller_source *source, const kin_object *object);
static kin_err transform(kin__controller_source *source, kin_str key, const kin_object *object,
                         kin_object **out, kin_error *err);
static kin_err check_key(kin__controller_source *source, kin_str key, const kin_object *object,
                         kin_error *err);

kin__reflector_sink kin__controller_sink(kin__controller *controller, size_t source)
{
    return (kin__reflector_sink){
        .context = &controller->sources[source],
        .replace = sink_replace,
        .add = sink_add,
        .update = sink_update,
        .remove = sink_remove,
        .bookmark = sink_bookmark,
        .trouble = sink_trouble,
    };
}

kin_err kin__controller_source_init(kin__controller_source *source, kin_error *err)
{
    const kin__controller_options *options = &source->controller->options;

    if (options->namespaces != NULL) {
        kin_str ns = options->namespaces[source->number];
        source->ns = kin__alloc(ns.len + 1);
        if (source->ns == NULL) {
            return kin__error_no_memory(err);
        }
        memcpy(source->ns, ns.len == 0 ? "" : ns.data, ns.len);
        source->ns[ns.len] = '\0';
    }
    kin__delta_fifo_options fifo = {
        .bound = options->bound,
        .known = { .context = source, .get = get_known, .each = each_known },
        .key = options->key == NULL ? NULL : make_key,
        .refused = refuse,
        .transform = prepare,
        .context = source,
    };
    return kin__delta_fifo_new(&fifo, &source->fifo, err);
}

void kin__controller_source_fini(kin__controller_source *source)
{
    kin__delta_line_clear(&source->batch);
    kin__delta_fifo_free(source->fifo);
    kin__buf_fini(&source->version);
    kin__buf_fini(&source->other_key);
    kin__free(source->ns);
}

kin_err kin__controller_source_resync(kin__controller_source *source, kin_error *err)
{
    if (enter(source, STR(""), err) != KIN_OK) {
        return err->code;
    }
    return leave(source, STR(""), kin__delta_fifo_resync(source->fifo, err));
}

/* A server that has no versions writes none, or "0". */
bool kin__controller_is_same(const kin_object *a, const kin_object *b)
{
    kin_str version = kin_object_resource_version(a);

    return a == b || (version.len != 0 && !kin__str_equal(version, STR("0")) &&
                      kin__str_equal(version, kin_object_resource_version(b)) &&
                      kin__str_equal(kin_object_uid(a), kin_object_uid(b)));
}

void kin__controller_refuse(kin__controller *controller, const kin_object *object,
                            const kin_error *err)
{
    if (controller->options.refused != NULL) {
        controller->options.refused(controller->options.context, object, err);
    }
}

static kin_err sink_replace(void *context, kin_object *const *objects, size_t count,
                            kin_str resource_version, kin_error *err)
{
    kin__controller_source *source = context;

    if (enter(source, resource_version, err) != KIN_OK) {
        return err->code;
    }
    return leave(source, resource_version,
                 kin__delta_fifo_replace(source->fifo, objects, count, err));
}

static kin_err sink_add(void *context, kin_object *object, kin_error *err)
{
    return take_event(context, object, kin__delta_fifo_add, err);
}

static kin_err sink_update(void *context, kin_object *object, kin_error *err)
{
    return take_event(context, object, kin__delta_fifo_update, err);
}

static kin_err sink_remove(void *context, kin_object *object, kin_error *err)
{
    return take_event(context, object, kin__delta_fifo_delete, err);
}

static kin_err sink_bookmark(void *context, kin_str resource_version, kin_error *err)
{
    if (enter(context, resource_version, err) != KIN_OK) {
        return err->code;
    }
    return leave(context, resource_version, KIN_OK);
}

static void sink_trouble(void *context, const kin__reflector_trouble *trouble)
{
    kin__controller_source *source = context;
    const kin__controller_options *options = &source->controller->options;

    if (options->trouble != NULL) {
        options->trouble(options->context, source->number, trouble);
    }
}

static kin_err take_event(kin__controller_source *source, const kin_object *object, take_fn take,
                          kin_error *err)
{
    kin_str version = kin_object_resource_version(object);
    kin_err code = KIN_OK;

    if (enter(source, version, err) != KIN_OK) {
        return err->code;
    }
    if (is_of_source(source, object)) {
        code = take(source->fifo, object, err);
    } else {
        refuse_stranger(source, object);
    }
    return leave(source, version, code);
}

/* Begins an input that brings the source to `version`, for which there is room from here on.  What
 * is published here is told by the next call of process: no handler runs inside an input. */
static kin_err enter(kin__controller_source *source, kin_str version, kin_error *err)
{
    kin__controller *controller = source->controller;

    if (controller->is_open && kin__controller_finish_batch(controller, err) != KIN_OK) {
        return kin__error_prefix(err, "take what comes before what came is through");
    }
    kin__buf *ours = &source->version;
    if (version.len > ours->len && !kin__buf_reserve(ours, version.len - ours->len)) {
        return kin__error_no_memory(err);
    }
    source->known = kin_store_read(controller->store);
    return KIN_OK;
}

/* An object without a version leaves the source where it was. */
static kin_err leave(kin__controller_source *source, kin_str version, kin_err code)
{
    kin_store_done(&source->known);
    if (code == KIN_OK && version.len != 0) {
        kin__buf_clear(&source->version);
        (void) kin__buf_append_str(&source->version, version);
        source->has_version = true;
    }
    return code;
}

static const kin_object *get_known(void *context, kin_str key)
{
    const kin__controller_source *source = context;
    return kin_view_get(&source->known, key);
}

static void each_known(void *context, kin__known_fn fn, void *fn_context)
{
    const kin__controller_source *source = context;
    kin_view_iter iter = source->ns == NULL
                             ? kin_view_all(&source->known)
                             : kin_view_in_namespace(&source->known, kin_str_of(source->ns));

    while (kin_view_next(&iter) && fn(fn_context, iter.key, iter.object)) {
    }
}

static kin_err make_key(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    const kin__controller_source *source = context;
    const kin__controller_options *options = &source->controller->options;
    return options->key(options->context, object, out, err);
}

static void refuse(void *context, const kin_object *object, const kin_error *err)
{
    const kin__controller_source *source = context;
    kin__controller_refuse(source->controller, object, err);
}

/* What waits in the fifo in place of an object that came. */
static kin_err prepare(void *context, kin_str key, kin__delta_type type, const kin_object *object,
                       kin_object **out, kin_error *err)
{
    kin__controller_source *source = context;
    const kin_object *known = kin_view_get(&source->known, key);

    if (!is_of_source(source, object)) {
        refuse_stranger(source, object);
        *out = NULL;
        return KIN_OK;
    }
    bool is_kept = known == object || (type == KIN__DELTA_REPLACED && known != NULL &&
                                       kin__controller_is_same(known, object));
    if (is_kept) {
        *out = kin_object_ref(known);
        return KIN_OK;
    }
    return transform(source, key, object, out, err);
}

static bool is_of_source(const kin__controller_source *source, const kin_object *object)
{
    return source->ns == NULL ||
           kin__str_equal(kin_object_namespace(object), kin_str_of(source->ns));
}

static void refuse_stranger(const kin__controller_source *source, const kin_object *object)
{
    kin_error err;

    (void) kin__error_set(&err, KIN_ERR_PROTOCOL,
                          "take \"%.*s\": it comes from the source of namespace \"%s\"",
                          KIN_STR_ARG(kin_object_key(object)), source->ns);
    kin__controller_refuse(source->controller, object, &err);
}

static kin_err transform(kin__controller_source *source, kin_str key, const kin_object *object,
                         kin_object **out, kin_error *err)
{
    const kin__controller_options *options = &source->controller->options;
    kin_object *ours = NULL;

    if (options->transform == NULL) {
        *out = kin_object_ref(object);
        return KIN_OK;
    }
    kin_err code = options->transform(options->context, object, &ours, err);
    if (code == KIN_OK) {
        code = check_key(source, key, ours, err);
    }
    if (code != KIN_OK) {
        kin__error_prefix(err, "transform \"%.*s\"", KIN_STR_ARG(key));
        ours = kin_object_unref(ours);
        if (code == KIN_ERR_NO_MEMORY) {
            return code;
        }
        kin__controller_refuse(source->controller, object, err);
    }
    *out = ours;
    return KIN_OK;
}

static kin_err check_key(kin__controller_source *source, kin_str key, const kin_object *object,
                         kin_error *err)
{
    kin_str now = kin_object_key(object);

    if (source->controller->options.key != NULL) {
        kin__buf_clear(&source->other_key);
        kin_err code = make_key(source, object, &source->other_key, err);
        if (code != KIN_OK) {
            return code;
        }
        if (kin__buf_failed(&source->other_key)) {
            return kin__error_no_memory(err);
        }
        now = kin__str(source->other_key.data, source->other_key.len);
    }
    return kin__str_equal(now, key) ? KIN_OK
                                    : kin__error_set(err, KIN_ERR_USAGE, "its key has changed");
}
