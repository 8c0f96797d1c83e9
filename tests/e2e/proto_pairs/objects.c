/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - an object made of protobuf beside the one made of Go's JSON.
 */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kin/object.h"
#include "object/path.h"

/* A path takes time that grows with the object: of large ones not every value is read. */
#define WHOLE_MAX 20000
#define LARGE_STRIDE 13

/* The two objects, and the place in both that is compared. */
typedef struct twins {
    kin_object *proto;
    kin_object *json;
    kin__step steps[KIN__PATH_STEPS_MAX];
    size_t depth;
    size_t place;  /* values that had their turn */
    size_t stride; /* each such value is compared */
    object_count *count;
    kin__buf *why;
} twins;

static kin_err make(twins *t, kin_str protobuf, kin_str json);
static bool compare_whole(twins *t, kin_str json);
static bool compare_getters(twins *t);
static bool compare_labels(twins *t);
static bool compare_below(twins *t, kin_value around);
static bool compare_here(twins *t);
static const char *find_difference(kin_value a, kin_value b);
static bool is_same_string(kin_value a, kin_value b);
static bool is_same_number(kin_value a, kin_value b);
static bool is_same_time(bool has_a, kin_time a, bool has_b, kin_time b);
static const char *compare_text(twins *t, kin_value a, kin_value b);
static bool differ(twins *t, const char *what);

bool compare_objects(kin_str protobuf, kin_str json, object_count *count, kin__buf *why)
{
    static twins t;

    t = (twins){ .count = count, .why = why, .stride = json.len <= WHOLE_MAX ? 1 : LARGE_STRIDE };
    count->pairs++;
    bool is_same = make(&t, protobuf, json) == KIN_OK;
    if (is_same && t.proto != NULL) {
        count->made++;
        is_same = compare_whole(&t, json) && compare_getters(&t) && compare_labels(&t) &&
                  compare_below(&t, kin_object_at(t.json, ""));
        count->agreed += is_same;
    }
    kin_object_unref(t.proto);
    kin_object_unref(t.json);
    return is_same;
}

/* Both objects or none. */
static kin_err make(twins *t, kin_str protobuf, kin_str json)
{
    kin_error proto_err;
    kin_error json_err;
    kin_err code =
        kin_object_from_protobuf(protobuf.data, protobuf.len, NULL, &t->proto, &proto_err);
    kin_err json_code = kin_object_from_json(json.data, json.len, NULL, &t->json, &json_err);

    if ((code == KIN_OK) == (json_code == KIN_OK)) {
        return KIN_OK;
    }
    if (code == KIN_ERR_MALFORMED && strstr(proto_err.message, "not valid UTF-8") != NULL) {
        t->count->not_utf++;
        return KIN_OK;
    }
    (void) differ(t, code != KIN_OK ? proto_err.message : json_err.message);
    return KIN_ERR_MALFORMED;
}

static bool compare_whole(twins *t, kin_str json)
{
    kin_error err;
    char *text;
    size_t len;
    bool is_equal = false;

    if (kin_object_json(t->proto, &text, &len, &err) != KIN_OK) {
        return differ(t, err.message);
    }
    bool is_same = kin__str_equal(kin__str(text, len), json);
    kin_free(text);
    if (!is_same) {
        return differ(t, "the JSON");
    }
    if (kin_object_equal(t->proto, t->json, &is_equal) != KIN_OK || !is_equal ||
        kin_object_equal(t->json, t->proto, &is_equal) != KIN_OK || !is_equal) {
        return differ(t, "kin_object_equal");
    }
    return true;
}

static bool compare_getters(twins *t)
{
    static const struct {
        const char *name;
        kin_str (*get)(const kin_object *object);
    } texts[] = {
        { "key", kin_object_key },
        { "namespace", kin_object_namespace },
        { "name", kin_object_name },
        { "uid", kin_object_uid },
        { "resourceVersion", kin_object_resource_version },
        { "apiVersion", kin_object_api_version },
        { "kind", kin_object_kind },
    };
    static bool (*const times[])(const kin_object *object, kin_time *out) = {
        kin_object_creation_time,
        kin_object_deletion_time,
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!kin__str_equal(texts[i].get(t->proto), texts[i].get(t->json))) {
            return differ(t, texts[i].name);
        }
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        kin_time a = { 0 };
        kin_time b = { 0 };
        bool has_a = times[i](t->proto, &a);
        if (!is_same_time(has_a, a, times[i](t->json, &b), b)) {
            return differ(t, "the time of creation or deletion");
        }
    }
    if (kin_object_generation(t->proto) != kin_object_generation(t->json)) {
        return differ(t, "generation");
    }
    if (find_difference(kin_object_annotations(t->proto), kin_object_annotations(t->json)) ||
        find_difference(kin_object_owners(t->proto), kin_object_owners(t->json)) ||
        find_difference(kin_object_controller_owner(t->proto),
                        kin_object_controller_owner(t->json))) {
        return differ(t, "annotations or owners");
    }
    return kin_object_is_partial(t->proto) ? differ(t, "partial") : true;
}

static bool compare_labels(twins *t)
{
    size_t count = kin_object_label_count(t->proto);

    if (count != kin_object_label_count(t->json)) {
        return differ(t, "the number of labels");
    }
    for (size_t i = 0; i < count; i++) {
        kin_str keys[2];
        kin_str values[2];
        if (!kin_object_label_at(t->proto, i, &keys[0], &values[0]) ||
            !kin_object_label_at(t->json, i, &keys[1], &values[1]) ||
            !kin__str_equal(keys[0], keys[1]) || !kin__str_equal(values[0], values[1])) {
            return differ(t, "a label");
        }
    }
    return true;
}

/* The members and elements of a value of the JSON, and all that is in them. */
static bool compare_below(twins *t, kin_value around)
{
    kin_iter iter = kin_value_iter(around);
    bool is_object = kin_value_type(around) == KIN_TYPE_OBJECT;
    char scratch[4096];
    int64_t index = 0;

    if (t->depth == KIN__PATH_STEPS_MAX) {
        return differ(t, "depth");
    }
    kin__step *step = &t->steps[t->depth++];
    while (kin_iter_next(&iter)) {
        *step = (kin__step){ .kind = is_object ? KIN__STEP_MEMBER : KIN__STEP_ELEMENT };
        step->index = index++;
        if (is_object && kin_value_str(iter.key, scratch, sizeof scratch, &step->name) != KIN_OK) {
            return differ(t, "a name of more than 4 KB");
        }
        if ((t->place++ % t->stride == 0 && !compare_here(t)) || !compare_below(t, iter.value)) {
            return false;
        }
    }
    t->depth--;
    return true;
}

static bool compare_here(twins *t)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin_path_free) kin_path *path = NULL;
    kin_error err;

    if (!kin__path_append_text(t->steps, t->depth, &text) || !kin__buf_append_byte(&text, '\0')) {
        return differ(t, "memory");
    }
    if (kin_path_new(text.data, &path, &err) != KIN_OK) {
        return differ(t, err.message);
    }
    kin_value a = kin_object_at_path(t->proto, path);
    kin_value b = kin_object_at_path(t->json, path);
    const char *what = find_difference(a, b);
    if (what == NULL) {
        what = compare_text(t, a, b);
    }
    t->count->values++;
    return what == NULL ? true : differ(t, what);
}

/* NULL: none. */
static const char *find_difference(kin_value a, kin_value b)
{
    bool booleans[2] = { false, false };
    kin_time times[2] = { { 0 }, { 0 } };

    if (kin_value_type(a) != kin_value_type(b)) {
        return "type";
    }
    if (kin_value_count(a) != kin_value_count(b)) {
        return "count";
    }
    if (kin_value_bool(a, &booleans[0]) != kin_value_bool(b, &booleans[1]) ||
        booleans[0] != booleans[1]) {
        return "boolean";
    }
    bool has_time = kin_value_time(a, &times[0]) == KIN_OK;
    if (!is_same_time(has_time, times[0], kin_value_time(b, &times[1]) == KIN_OK, times[1])) {
        return "time";
    }
    if (!is_same_number(a, b)) {
        return "number";
    }
    return is_same_string(a, b) ? NULL : "string";
}

static bool is_same_string(kin_value a, kin_value b)
{
    size_t size_a = kin_value_scratch_size(a);
    size_t size_b = kin_value_scratch_size(b);
    char *scratch = malloc(size_a + size_b + 1);
    kin_str text_a = STR("");
    kin_str text_b = STR("");

    bool is_same = scratch != NULL && kin_value_str(a, scratch, size_a, &text_a) ==
                                          kin_value_str(b, scratch + size_a, size_b, &text_b);
    is_same = is_same && kin__str_equal(text_a, text_b);
    free(scratch);
    return is_same;
}

static bool is_same_number(kin_value a, kin_value b)
{
    int64_t integers[2] = { 0, 0 };
    int64_t amounts[2] = { 0, 0 };
    double reals[2] = { 0, 0 };

    return kin_value_int64(a, &integers[0]) == kin_value_int64(b, &integers[1]) &&
           integers[0] == integers[1] &&
           kin_value_double(a, &reals[0]) == kin_value_double(b, &reals[1]) &&
           memcmp(&reals[0], &reals[1], sizeof reals[0]) == 0 &&
           kin_value_quantity(a, -3, &amounts[0]) == kin_value_quantity(b, -3, &amounts[1]) &&
           amounts[0] == amounts[1];
}

static bool is_same_time(bool has_a, kin_time a, bool has_b, kin_time b)
{
    return has_a == has_b && (!has_a || (a.seconds == b.seconds && a.nanoseconds == b.nanoseconds));
}

/* JSON that lies inside a message may be spelt in another way than Go spells it.  Both may be
 * missing: keys of a map that are not UTF-8 may become one name, which Go then writes twice, and a
 * path finds the last. */
static const char *compare_text(twins *t, kin_value a, kin_value b)
{
    kin_error err;
    char *text_a = NULL;
    char *text_b = NULL;
    size_t len_a = 0;
    size_t len_b = 0;
    bool is_equal = false;
    const char *what = NULL;

    if (!kin_value_exists(a)) {
        return NULL;
    }
    if (kin_value_json(a, &text_a, &len_a, &err) != KIN_OK ||
        kin_value_json(b, &text_b, &len_b, &err) != KIN_OK) {
        what = "JSON of the value";
    } else if (kin__str_equal(kin__str(text_a, len_a), kin__str(text_b, len_b))) {
        t->count->spelt++;
    } else if (kin_value_equal(a, b, &is_equal) != KIN_OK || !is_equal) {
        what = "kin_value_equal";
    }
    kin_free(text_a);
    kin_free(text_b);
    return what;
}

/* Always false. */
static bool differ(twins *t, const char *what)
{
    (void) kin__buf_append_format(t->why, "%s", what);
    if (t->depth != 0) {
        (void) kin__buf_append_format(t->why, " at ");
        (void) kin__path_append_text(t->steps, t->depth, t->why);
    }
    return false;
}
