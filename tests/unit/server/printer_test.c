/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_test.c - what stands in the cells, beside what an API server has put there.
 */
#include "server/printer.h"

#include <stdlib.h>

#include "unit/server/printing.h"

/* A line of the fixture. */
typedef struct sample {
    char group[64];
    char kind[64];
    char api_version[64];
    kin_time now;
    kin_str object; /* JSON */
    kin_str cells;
    kin_str conditions; /* empty: none */
} sample;

static void copy_string(kin__json value, char *out, size_t size)
{
    kin_str raw = kin__json_raw_string(value);

    ASSERT_TRUE(raw.len < size);
    memcpy(out, raw.data, raw.len);
    out[raw.len] = '\0';
}

static sample read_sample(kin_str line)
{
    kin__json json = kin__json_of(line);
    char now[32];
    char *end;
    sample s = { .object = kin__json_text(kin__json_member(json, STR("object"))),
                 .cells = kin__json_text(kin__json_member(json, STR("cells"))),
                 .conditions = kin__json_text(kin__json_member(json, STR("conditions"))) };

    copy_string(kin__json_member(json, STR("group")), s.group, sizeof s.group);
    copy_string(kin__json_member(json, STR("kind")), s.kind, sizeof s.kind);
    copy_string(kin__json_member(json, STR("apiVersion")), s.api_version, sizeof s.api_version);
    copy_string(kin__json_member(json, STR("now")), now, sizeof now);
    s.now.seconds = strtoll(now, &end, 10);
    s.now.nanoseconds = (int32_t) strtol(end + 1, NULL, 10) * 1000000;
    return s;
}

/* Calls `fn` for each line; returns how many there are. */
static size_t each_sample(void (*fn)(const sample *s))
{
    size_t len;
    size_t count = 0;
    char *bytes = read_fixture("table-rows.jsonl", &len);

    for (char *line = bytes, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, count++) {
        sample s = read_sample(kin__str(line, (size_t) (end - line)));
        fn(&s);
    }
    free_fixture(bytes);
    return count;
}

/* The text of `got` and the text of `want` mean the same: Go escapes more in strings. */
static void check_same(const sample *s, const char *got, const char *want, const char *encoding)
{
    kin_object *a = printing_make("v1", "Row", kin_str_of(got));
    kin_object *b = printing_make("v1", "Row", kin_str_of(want));
    bool is_same = false;

    ASSERT_OK(kin_object_equal(a, b, &is_same));
    if (!is_same) {
        FAIL("%s %s of %.*s: got %s, want %s", s->kind, encoding, KIN_STR_ARG(s->object), got,
             want);
    }
    kin_object_unref(a);
    kin_object_unref(b);
}

static void check_sample(const sample *s)
{
    const kin__columns *columns = kin__columns_of(kin_str_of(s->group), kin_str_of(s->kind));
    static text want;

    text_clear(&want);
    text_append(&want, "{\"cells\":%.*s", KIN_STR_ARG(s->cells));
    if (s->conditions.len > 0) {
        text_append(&want, ",\"conditions\":%.*s", KIN_STR_ARG(s->conditions));
    }
    text_append(&want, ",\"object\":null}");
    for (int is_proto = 0; is_proto < 2; is_proto++) {
        kin_object *object = is_proto ? printing_make_proto(s->api_version, s->kind, s->object)
                                      : printing_make(s->api_version, s->kind, s->object);
        AUTO(kin__buf_fini) kin__buf row = { 0 };
        ASSERT_OK(printing_row(columns, object, s->now, &row));
        check_same(s, row.data, want.chars, is_proto ? "protobuf" : "JSON");
        kin_object_unref(object);
    }
}

TEST(printer, prints_what_the_api_server_printed)
{
    ASSERT_TRUE(each_sample(check_sample) > 150);
}

/* An object with another value in one place prints something all the same, and as many cells. */
static void check_spoilt(const sample *s, kin_str before, kin_str instead, kin_str behind)
{
    const kin__columns *columns = kin__columns_of(kin_str_of(s->group), kin_str_of(s->kind));
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object;
    kin_error err;

    options.api_version = s->api_version;
    options.kind = s->kind;
    options.allows_no_name = true;
    kin__buf_append_str(&json, before);
    kin__buf_append_str(&json, instead);
    kin__buf_append_str(&json, behind);
    if (kin_object_from_json(json.data, json.len, &options, &object, &err) != KIN_OK) {
        return;
    }
    ASSERT_OK(printing_row(columns, object, s->now, &row));
    kin_object *parsed = printing_make("v1", "Row", kin_str_of(row.data));
    size_t extra = kin__str_equal(columns->kind, STR("IPAddress"));
    ASSERT_EQ(kin_value_count(kin_object_at(parsed, "cells")), columns->count + extra);
    kin_object_unref(parsed);
    kin_object_unref(object);
}

static void spoil_each(const sample *s, kin__json value, int depth)
{
    static const kin_str instead[] = {
        { "null", 4 }, { "1e99", 4 },   { "\"\\u0000\"", 8 },
        { "[]", 2 },   { "[[],1]", 6 }, { "{\"type\":[],\"name\":{},\"a\":-1}", 29 },
        { "true", 4 }, { "-7", 2 },
    };
    kin__json_iter iter = kin__json_walk(value);
    kin_str place = kin__json_text(value);
    const char *end = s->object.data + s->object.len;

    for (size_t i = 0; depth > 0 && i < sizeof instead / sizeof instead[0]; i++) {
        check_spoilt(s, kin__str(s->object.data, (size_t) (place.data - s->object.data)),
                     instead[i],
                     kin__str(place.data + place.len, (size_t) (end - place.data) - place.len));
    }
    while (depth < 8 && kin__json_next(&iter)) {
        spoil_each(s, iter.value, depth + 1);
    }
}

/* The first three of each kind, and all pods. */
static void spoil_sample(const sample *s)
{
    static char kind[64];
    static int count;

    count = strcmp(kind, s->kind) == 0 ? count + 1 : 0;
    memcpy(kind, s->kind, sizeof kind);
    if (count < 3 || strcmp(s->kind, "Pod") == 0) {
        spoil_each(s, kin__json_of(s->object), 0);
    }
}

TEST(printer, prints_something_of_whatever_it_is_given)
{
    ASSERT_TRUE(each_sample(spoil_sample) > 150);
}

/* In protobuf what is hostile is the bytes: every one of them is changed in turn. */
static void corrupt_sample(const sample *s)
{
    static char kind[64];
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin__pb_message message = kin__pb_message_of(kin_str_of(s->api_version), kin_str_of(s->kind));
    AUTO(kin__buf_fini) kin__buf bytes = { 0 };
    kin_object *object;
    kin_error err;

    if (strcmp(kind, s->kind) == 0) {
        return;
    }
    memcpy(kind, s->kind, sizeof kind);
    options.api_version = s->api_version;
    options.kind = s->kind;
    ASSERT_OK(kin__pb_from_json(message, kin__json_of(s->object), &bytes, &err));
    for (size_t i = 0; i < bytes.len; i++) {
        char kept = bytes.data[i];
        bytes.data[i] = (char) (kept ^ (i % 2 == 0 ? 0x7f : 0x05));
        if (kin_object_from_protobuf(bytes.data, bytes.len, &options, &object, &err) == KIN_OK) {
            AUTO(kin__buf_fini) kin__buf row = { 0 };
            ASSERT_OK(printing_row(kin__columns_of(kin_str_of(s->group), kin_str_of(s->kind)),
                                   object, s->now, &row));
            kin_object_unref(object);
        }
        bytes.data[i] = kept;
    }
}

TEST(printer, prints_something_of_protobuf_that_makes_no_sense)
{
    ASSERT_TRUE(each_sample(corrupt_sample) > 150);
}

static const char heavy_pod[] =
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],"
    "\"readinessGates\":[{\"conditionType\":\"g\"}],"
    "\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\"}]},\"status\":{"
    "\"conditions\":[{\"type\":\"g\",\"status\":\"True\"}],\"phase\":\"a\\u0062c\","
    "\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"waiting\":{\"reason\":\"\\u0041\"}}}]"
    "}}";

TEST_FAILING_ALLOC(printer, needs_memory_for_cells)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin_err code = kin_object_from_json(heavy_pod, sizeof heavy_pod - 1, &options, &object, NULL);

    if (code == KIN_OK) {
        code = printing_row(kin__columns_of(STR(""), STR("Pod")), object, PRINTING_NOW, &row);
    }
    if (code == KIN_OK) {
        ASSERT_STR_EQ(row.data,
                      "{\"cells\":[\"p\",\"0/2\",\"Init:A\",\"0\",\"\\u003cunknown\\u003e\","
                      "\"\\u003cnone\\u003e\",\"\\u003cnone\\u003e\","
                      "\"\\u003cnone\\u003e\",\"1/1\"],\"object\":null}");
    }
    kin_object_unref(object);
    return code;
}

static kin_err print_with(const char *group, const char *kind, const char *json)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    AUTO(kin__buf_fini) kin__buf row = { 0 };

    options.api_version = "autoscaling/v1";
    kin_err code = kin_object_from_json(json, strlen(json), &options, &object, NULL);
    if (code == KIN_OK) {
        code = printing_row(kin__columns_of(kin_str_of(group), kin_str_of(kind)), object,
                            PRINTING_NOW, &row);
    }
    kin_object_unref(object);
    return code;
}

TEST_FAILING_ALLOC(printer, needs_memory_for_selectors)
{
    return print_with("apps", "Deployment",
                      "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":"
                      "{\"b\":\"1\",\"a\":\"2\"},\"matchExpressions\":[{\"key\":\"c\","
                      "\"operator\":\"In\",\"values\":[\"2\",\"1\"]}]}}}");
}

TEST_FAILING_ALLOC(printer, needs_memory_for_quotas)
{
    return print_with("", "ResourceQuota",
                      "{\"metadata\":{\"name\":\"q\"},\"status\":{\"hard\":{\"b\":\"1\",\"a\":2},"
                      "\"used\":{\"a\":\"0.5\"}}}");
}

TEST_FAILING_ALLOC(printer, needs_memory_for_metrics)
{
    return print_with(
        "autoscaling", "HorizontalPodAutoscaler",
        "{\"metadata\":{\"name\":\"h\",\"annotations\":{"
        "\"autoscaling.alpha.kubernetes.io/metrics\":\"[{\\\"type\\\":\\\"Pods\\\"}]\""
        "}},\"spec\":{\"targetCPUUtilizationPercentage\":5}}");
}

TEST_FAILING_ALLOC(printer, needs_memory_for_addresses)
{
    return print_with("", "Endpoints",
                      "{\"metadata\":{\"name\":\"e\"},\"subsets\":[{\"addresses\":"
                      "[{\"ip\":\"fd00::1\"}],\"ports\":[{\"port\":1}]}]}");
}
