/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_check.c - what kube-apiserver wants of Events.
 *
 * After pkg/apis/core/validation/events.go of kubernetes 1.36: the same checks in the same order.
 */
#include "server/event_check.h"

#include "json/writer.h"
#include "server/field.h"
#include "server/metadata_check.h"
#include "server/strategy.h"

#define SHORT_MAX 128
#define MESSAGE_MAX 1024
#define OTHER_NAMESPACE "does not match event.namespace"
#define IMMUTABLE "field is immutable"
#define UNWANTED "needs to be unset"

/* How a value is told. */
typedef enum value_form {
    TEXT,
    NUMBER,
    TIME,      /* as it is written, or null */
    REFERENCE, /* Go's struct, all members by their names in Go */
    POINTER,   /* the same, or null */
    SOURCE
} value_form;

static void check_always(const kin__write *write, kin__refusal *no);
static void check_namespace(const kin__write *write, kin__refusal *no);
static void check_reporter(const kin__write *write, kin__refusal *no);
static void check_text(const kin__node *event, const char *name, kin__refusal *no);
static void check_series(const kin__node *event, kin__refusal *no);
static void check_deprecated(const kin__node *event, kin__refusal *no);
static void require(const char *field, kin__refusal *no);
static bool is_core(const kin__write *write);
static bool has_time(const kin__node *object, const char *name);
static void check_fixed(const kin__write *write, const char *name, const char *field,
                        value_form form, kin__refusal *no);
static void put_value(const kin__node *value, value_form form, kin__buf *out);
static void put_struct(const kin__node *value, const char *const (*names)[2], size_t count,
                       kin__buf *out);

bool kin__served_is_event(const kin__served *served)
{
    return kin__served_is(served, "", "events") ||
           kin__served_is(served, "events.k8s.io", "events");
}

void kin__event_check_new(kin__write *write, kin__refusal *no)
{
    const kin__node *event = write->object;
    const kin__node *metadata = kin__field(event, "metadata");
    kin_str type = kin__field_text(event, "type");

    check_always(write, no);
    if (is_core(write)) {
        if (no->cause_count == 0) {
            kin__metadata_check(write->served, metadata, no);
        }
        return;
    }
    kin__metadata_check(write->served, metadata, no);
    check_series(event, no);
    if (!has_time(event, "eventTime")) {
        require("eventTime", no);
    }
    if (!kin__str_equal(type, STR("Normal")) && !kin__str_equal(type, STR("Warning"))) {
        kin__refusal_add_invalid(no, "FieldValueInvalid", "type",
                                 "Invalid value: \"\": has invalid value: %.*s", KIN_STR_ARG(type));
    }
    check_deprecated(event, no);
}

void kin__event_check_update(kin__write *write, kin__refusal *no)
{
    static const struct {
        const char *name, *field;
        value_form form;
    } fixed[] = {
        { "involvedObject", "involvedObject", REFERENCE },
        { "reason", "reason", TEXT },
        { "message", "message", TEXT },
        { "source", "source", SOURCE },
        { "firstTimestamp", "firstTimestamp", TIME },
        { "lastTimestamp", "lastTimestamp", TIME },
        { "count", "count", NUMBER },
        { "reason", "reason", TEXT }, /* twice on a real server, too */
        { "type", "type", TEXT },
        { "eventTime", "eventTime", TIME },
        { "action", "action", TEXT },
        { "related", "related", POINTER },
        { "reportingComponent", "reportingController", TEXT },
        { "reportingInstance", "reportingInstance", TEXT },
    };

    check_always(write, no);
    if (is_core(write)) {
        return;
    }
    if (!kin__field_equal(write->object, write->old, "series")) {
        check_series(write->object, no);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        check_fixed(write, fixed[i].name, fixed[i].field, fixed[i].form, no);
    }
}

static void check_always(const kin__write *write, kin__refusal *no)
{
    check_namespace(write, no);
    if (has_time(write->object, "eventTime")) {
        check_reporter(write, no);
        check_text(write->object, "reportingInstance", no);
        check_text(write->object, "action", no);
        check_text(write->object, "reason", no);
        if (kin__field_text(write->object, "message").len > MESSAGE_MAX) {
            kin__invalid_text(no, "message", STR(""), "can have at most 1024 characters");
        }
    }
}

/* Events lie beside what they are about; those of what has no namespace in "default", and new ones
 * in "kube-system" if they like. */
static void check_namespace(const kin__write *write, kin__refusal *no)
{
    kin_str own = kin__field_text(kin__field(write->object, "metadata"), "namespace");
    kin_str about = kin__field_text(kin__field(write->object, "involvedObject"), "namespace");
    bool is_new = has_time(write->object, "eventTime");
    bool is_right = about.len > 0 ? is_new || kin__str_equal(own, about)
                                  : kin__str_equal(own, STR("default")) ||
                                        (is_new && kin__str_equal(own, STR("kube-system")));

    if (!is_right) {
        kin__invalid_text(no, "involvedObject.namespace", about, OTHER_NAMESPACE);
    }
}

static void check_reporter(const kin__write *write, kin__refusal *no)
{
    const char *field = is_core(write) ? "reportingComponent" : "reportingController";
    kin_str reporter = kin__field_text(write->object, "reportingComponent");

    if (reporter.len == 0) {
        require(field, no);
    }
    kin__key_check(field, reporter, no);
}

static void check_text(const kin__node *event, const char *name, kin__refusal *no)
{
    kin_str text = kin__field_text(event, name);

    if (text.len == 0) {
        require(name, no);
    } else if (text.len > SHORT_MAX) {
        kin__invalid_text(no, name, STR(""), "can have at most 128 characters");
    }
}

static void check_series(const kin__node *event, kin__refusal *no)
{
    const kin__node *series = kin__field(event, "series");
    int64_t count = 0;

    if (!kin__node_is(series, KIN_TYPE_OBJECT)) {
        return;
    }
    (void) kin__field_int64(series, "count", &count);
    if (count < 2) {
        kin__invalid_text(no, "series.count", STR(""), "should be at least 2");
    }
    if (!has_time(series, "lastObservedTime")) {
        require("series.lastObservedTime", no);
    }
}

static void check_deprecated(const kin__node *event, kin__refusal *no)
{
    const kin__node *source = kin__field(event, "source");
    int64_t count = 0;

    if (has_time(event, "firstTimestamp")) {
        kin__invalid_text(no, "firstTimestamp", STR(""), UNWANTED);
    }
    if (has_time(event, "lastTimestamp")) {
        kin__invalid_text(no, "lastTimestamp", STR(""), UNWANTED);
    }
    if (kin__field_int64(event, "count", &count) && count != 0) {
        kin__invalid_text(no, "count", STR(""), UNWANTED);
    }
    if (kin__field_text(source, "component").len > 0 || kin__field_text(source, "host").len > 0) {
        kin__invalid_text(no, "source", STR(""), UNWANTED);
    }
}

static void require(const char *field, kin__refusal *no)
{
    kin__refusal_add_invalid(no, "FieldValueRequired", field, "Required value");
}

static bool is_core(const kin__write *write)
{
    return write->served->group.len == 0;
}

static bool has_time(const kin__node *object, const char *name)
{
    return kin__field_text(object, name).len > 0;
}

static void check_fixed(const kin__write *write, const char *name, const char *field,
                        value_form form, kin__refusal *no)
{
    const kin__node *value = kin__field(write->object, name);
    AUTO(kin__buf_fini) kin__buf told = { 0 };

    if (kin__field_equal(write->object, write->old, name)) {
        return;
    }
    if (form == TEXT) {
        kin__invalid_text(no, field, kin__field_text(write->object, name), IMMUTABLE);
        return;
    }
    put_value(value, form, &told);
    if (kin__buf_failed(&told)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", field, "Invalid value: %.*s: " IMMUTABLE,
                             (int) told.len, told.data);
}

static void put_value(const kin__node *value, value_form form, kin__buf *out)
{
    static const char *const reference[][2] = {
        { "Kind", "kind" },
        { "Namespace", "namespace" },
        { "Name", "name" },
        { "UID", "uid" },
        { "APIVersion", "apiVersion" },
        { "ResourceVersion", "resourceVersion" },
        { "FieldPath", "fieldPath" },
    };
    static const char *const source[][2] = { { "Component", "component" }, { "Host", "host" } };

    if (form == REFERENCE || (form == POINTER && value != NULL)) {
        put_struct(value, reference, sizeof reference / sizeof reference[0], out);
    } else if (form == SOURCE) {
        put_struct(value, source, sizeof source / sizeof source[0], out);
    } else if (value != NULL) {
        (void) kin__node_append_json(value, out);
    } else {
        (void) kin__buf_append_str(out, form == NUMBER ? STR("0") : STR("null"));
    }
}

static void put_struct(const kin__node *value, const char *const (*names)[2], size_t count,
                       kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_begin(&w, '{');
    for (size_t i = 0; i < count; i++) {
        kin__json_key(&w, kin_str_of(names[i][0]));
        kin__json_string(&w, kin__field_text(value, names[i][1]));
    }
    kin__json_end(&w, '}');
}
