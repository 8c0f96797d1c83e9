/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.c - the scale subresource.
 *
 * Built-in kinds have their numbers in spec.replicas and status.replicas, and the selector of their
 * pods in spec.selector.  Custom resources say the paths in subresources.scale: names behind dots,
 * nothing else.
 */
#include "server/scale.h"

#include <inttypes.h>

#include "server/field.h"
#include "server/printer.h"

/* Where a kind has its numbers. */
typedef struct paths {
    kin_str spec, status, selector; /* ".spec.replicas"; selector empty: none */
    bool has_text_selector;         /* custom resources: a text; else labels */
} paths;

static bool refuse_negative(const kin__write *write, int64_t replicas, kin__refusal *no);
static paths paths_of(const kin__served *served, const kin__node *definition);
static const kin__node *at_path(const kin__node *object, kin_str path);
static bool set_at_path(kin__node *object, kin_str path, int64_t value);
static bool next_name(kin_str *path, char *out, size_t size);
static bool add_numbers(const kin__node *object, const paths *where, kin__node *scale);
static bool add_selector(const kin__node *object, const paths *where, kin__node *status);
static bool print_selector(const kin__node *selector, kin__buf *out);
static kin__node *definition_of(const kin__served *served, bool *has_failed);
static bool answer_scale(kin__asked *asked, const kin__served *served, const kin__record *record,
                         kin__answer *answer, kin__refusal *no);
static bool make_record(const kin__node *scale, uint64_t revision, kin__record **out,
                        kin__refusal *no);

kin__codec_kind kin__scale_kind(void)
{
    return (kin__codec_kind){ STR("autoscaling/v1"), STR("Scale"),
                              kin__pb_message_of(STR("autoscaling/v1"), STR("Scale")) };
}

kin__node *kin__scale_of(const kin__served *served, const kin__node *object)
{
    static const char *const kept[] = { "name", "namespace", "uid", "resourceVersion",
                                        "creationTimestamp" };
    bool has_failed = false;
    AUTO(kin__node_free) kin__node *definition = definition_of(served, &has_failed);
    AUTO(kin__node_free)
    kin__node *scale =
        kin__tree_of(STR("{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{}}"));
    const paths where = paths_of(served, definition);

    if (has_failed || scale == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (!kin__field_copy(kin__field(scale, "metadata"), kin__field(object, "metadata"),
                             kept[i])) {
            return NULL;
        }
    }
    return add_numbers(object, &where, scale) ? STEAL(scale) : NULL;
}

bool kin__serve_scale_get(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__write_fini) kin__write write = { 0 };

    kin__write_init(&write, asked->engine, asked->route.served);
    if (!kin__write_load(&write, asked->route.ns, asked->route.name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, asked->route.name);
    }
    return answer_scale(asked, write.served, write.before, answer, no);
}

bool kin__serve_scale_update(kin__asked *asked, const kin__write_options *options,
                             kin__answer *answer, kin__refusal *no)
{
    const kin__codec_kind kind = kin__scale_kind();
    kin__body_type type = kin__body_type_of(asked->content_type);
    const kin__codec_body body = { asked->body, type == KIN__BODY_PROTOBUF, options->validation };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__node_free) kin__node *scale = NULL;

    if (type != KIN__BODY_JSON && type != KIN__BODY_PROTOBUF) {
        return kin__refuse_body_type(no);
    }
    kin__write_init(&write, asked->engine, asked->route.served);
    write.is_dry = options->is_dry;
    if (!kin__codec_decode(&kind, &body, &write.object, &warnings, no) ||
        !kin__answer_warn_all(answer, &warnings, no) ||
        !kin__write_match(&write, asked->route.ns, asked->route.name, no) ||
        !kin__write_load(&write, asked->route.ns, asked->route.name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, asked->route.name);
    }
    scale = STEAL(write.object);
    return kin__scale_write(asked, &write, scale, answer, no);
}

bool kin__scale_write(kin__asked *asked, kin__write *write, const kin__node *scale,
                      kin__answer *answer, kin__refusal *no)
{
    bool has_failed = false;
    AUTO(kin__node_free) kin__node *definition = definition_of(write->served, &has_failed);
    AUTO(kin__record_unref) kin__record *after = NULL;
    const paths where = paths_of(write->served, definition);
    int64_t replicas = 0;

    (void) kin__field_int64(kin__field(scale, "spec"), "replicas", &replicas);
    if (replicas < 0) {
        return refuse_negative(write, replicas, no);
    }
    kin__node_free(write->object);
    write->object = kin__tree_copy(write->old);
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    if (has_failed || metadata == NULL || !set_at_path(write->object, where.spec, replicas)) {
        return kin__refuse_no_memory(no);
    }
    kin_str version = kin__field_text(kin__field(scale, "metadata"), "resourceVersion");
    if (version.len > 0 && !kin__field_set_text(metadata, "resourceVersion", version)) {
        return kin__refuse_no_memory(no);
    }
    write->sub = STR("");
    return kin__update_check(write, false, no) && kin__update(write, &after, no) &&
           answer_scale(asked, write->served, after, answer, no);
}

static bool refuse_negative(const kin__write *write, int64_t replicas, kin__refusal *no)
{
    bool is_custom = (write->served->traits & KIN__IS_CUSTOM) != 0;
    kin_str name = kin__field_text(kin__field(write->old, "metadata"), "name");

    if (is_custom) {
        kin__refusal_begin_invalid(no, write->served->group, write->served->kind, name);
    } else {
        kin__refusal_begin_invalid(no, STR("autoscaling"), STR("Scale"), name);
    }
    kin__refusal_add_invalid(
        no, "FieldValueInvalid", is_custom ? ".spec.replicas" : "spec.replicas",
        "Invalid value: %" PRId64 ": %s", replicas,
        is_custom ? "should be a non-negative integer" : "must be greater than or equal to 0");
    return kin__refusal_end_invalid(no);
}

static paths paths_of(const kin__served *served, const kin__node *definition)
{
    const kin__node *versions = kin__field_at(definition, "spec", "versions");
    kin__node_iter iter = { 0 };

    while (versions != NULL && kin__node_next(versions, &iter)) {
        const kin__node *scale = kin__field_at(iter.value, "subresources", "scale");
        if (kin__str_equal(kin__field_text(iter.value, "name"), served->version)) {
            return (paths){ kin__field_text(scale, "specReplicasPath"),
                            kin__field_text(scale, "statusReplicasPath"),
                            kin__field_text(scale, "labelSelectorPath"), true };
        }
    }
    return (paths){ STR(".spec.replicas"), STR(".status.replicas"), STR(".spec.selector"), false };
}

static const kin__node *at_path(const kin__node *object, kin_str path)
{
    char name[128];

    while (object != NULL && next_name(&path, name, sizeof name)) {
        object = kin__field(object, name);
    }
    return object;
}

static bool set_at_path(kin__node *object, kin_str path, int64_t value)
{
    char name[128];
    bool has_name = next_name(&path, name, sizeof name);

    while (has_name && path.len > 0) {
        object = kin__field_make(object, name, KIN_TYPE_OBJECT);
        if (object == NULL) {
            return false;
        }
        has_name = next_name(&path, name, sizeof name);
    }
    return has_name && kin__field_set_int64(object, name, value);
}

static bool next_name(kin_str *path, char *out, size_t size)
{
    size_t len = 0;

    if (path->len == 0 || path->data[0] != '.') {
        return false;
    }
    while (1 + len < path->len && path->data[1 + len] != '.') {
        len++;
    }
    if (len == 0 || len >= size) {
        return false;
    }
    memcpy(out, path->data + 1, len);
    out[len] = '\0';
    *path = kin__str(path->data + 1 + len, path->len - 1 - len);
    return true;
}

static bool add_numbers(const kin__node *object, const paths *where, kin__node *scale)
{
    const kin__node *wanted = at_path(object, where->spec);
    const kin__node *there = at_path(object, where->status);
    kin__node *spec = kin__field_make(scale, "spec", KIN_TYPE_OBJECT);
    kin__node *status = kin__field_make(scale, "status", KIN_TYPE_OBJECT);

    return spec != NULL && status != NULL &&
           (!kin__node_is(wanted, KIN_TYPE_NUMBER) ||
            kin__field_set(spec, "replicas", kin__tree_copy(wanted))) &&
           (kin__node_is(there, KIN_TYPE_NUMBER)
                ? kin__field_set(status, "replicas", kin__tree_copy(there))
                : kin__field_set_int64(status, "replicas", 0)) &&
           add_selector(object, where, status);
}

/* As the text that a list would take: "a=b,c in (d,e)". */
static bool add_selector(const kin__node *object, const paths *where, kin__node *status)
{
    const kin__node *selector = where->selector.len == 0 ? NULL : at_path(object, where->selector);
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (selector == NULL) {
        return true;
    }
    if (where->has_text_selector) {
        return !kin__node_is(selector, KIN_TYPE_STRING) ||
               kin__field_set(status, "selector", kin__tree_copy(selector));
    }
    return print_selector(selector, &text) &&
           (text.len == 0 ||
            kin__field_set_text(status, "selector", kin__str(text.data, text.len)));
}

/* A LabelSelector as Tables show it, or the plain labels of a ReplicationController; nothing of one
 * that a real server would have refused. */
static bool print_selector(const kin__node *selector, kin__buf *out)
{
    bool is_plain = !kin__node_is(kin__field(selector, "matchLabels"), KIN_TYPE_OBJECT) &&
                    !kin__node_is(kin__field(selector, "matchExpressions"), KIN_TYPE_ARRAY);
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin_object *holder = NULL;
    kin__printer printer = { 0 };
    kin_error err;

    (void) kin__buf_append_str(&json, STR("{\"metadata\":{\"name\":\"s\"},\"s\":"));
    (void) kin__buf_append_str(&json, is_plain ? STR("{\"matchLabels\":") : STR(""));
    (void) kin__node_append_json(selector, &json);
    (void) kin__buf_append_str(&json, is_plain ? STR("}}") : STR("}"));
    if (kin__buf_failed(&json) ||
        kin_object_from_json(json.data, json.len, NULL, &holder, &err) != KIN_OK) {
        return false;
    }
    if (!kin__cell_add_selector(&printer, kin_object_at(holder, "s"))) {
        kin__buf_clear(&printer.text);
    }
    kin_object_unref(holder);
    bool is_well = !printer.has_failed && !kin__buf_failed(&printer.text);
    kin__buf_fini(out);
    *out = printer.text;
    return is_well;
}

static kin__node *definition_of(const kin__served *served, bool *has_failed)
{
    if (served->definition == NULL) {
        return NULL;
    }
    kin__node *definition = kin__tree_of(kin__record_text(served->definition));
    *has_failed = definition == NULL;
    return definition;
}

/* As an object of its own resource: it has Tables and metadata alone like any other. */
static bool answer_scale(kin__asked *asked, const kin__served *served, const kin__record *record,
                         kin__answer *answer, kin__refusal *no)
{
    const kin__codec_kind kind = kin__scale_kind();
    kin__served scales = { .group = STR("autoscaling"),
                           .version = STR("v1"),
                           .api_version = kind.api_version,
                           .kind = kind.kind,
                           .message = kind.message };
    kin__asked asked_scale = *asked;
    AUTO(kin__node_free) kin__node *object = kin__tree_of(kin__record_text(record));
    AUTO(kin__node_free) kin__node *scale = object == NULL ? NULL : kin__scale_of(served, object);
    AUTO(kin__record_unref) kin__record *shown = NULL;

    asked_scale.route.served = &scales;
    return (scale != NULL || kin__refuse_no_memory(no)) &&
           make_record(scale, record->revision, &shown, no) &&
           kin__answer_object(&asked_scale, shown, 200, answer, no);
}

static bool make_record(const kin__node *scale, uint64_t revision, kin__record **out,
                        kin__refusal *no)
{
    const kin__codec_kind kind = kin__scale_kind();
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin_object *object = NULL;
    kin_error err;

    if (kin__codec_encode(&kind, scale, &json, &err) != KIN_OK ||
        kin_object_from_json(json.data, json.len, NULL, &object, &err) != KIN_OK ||
        kin__record_new(object, 0, revision, out, &err) != KIN_OK) {
        kin_object_unref(object);
        return err.code == KIN_ERR_NO_MEMORY
                   ? kin__refuse_no_memory(no)
                   : kin__refuse(no, 500, "InternalError", "Internal error occurred: %s",
                                 err.message);
    }
    return true;
}
