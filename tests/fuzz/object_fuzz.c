/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_fuzz.c - any bytes as an object.
 *
 * An object that can be made answers every getter, and its JSON makes an equal object.  Through
 * a mask as well: what a mask leaves out is not there, and the rest is.
 */
#include <stdlib.h>
#include <string.h>

#include "kin/object.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sum;

/* Every byte of a slice must be readable. */
static void touch(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        sum = sum + (unsigned char) s.data[i];
    }
}

static void read_string(kin_value value)
{
    size_t needed = kin_value_scratch_size(value);
    char *scratch = malloc(needed == 0 ? 1 : needed);
    kin_str s;

    CHECK(scratch != NULL);
    CHECK(kin_value_str(value, scratch, needed, &s) == KIN_OK);
    touch(s);
    if (needed > 0) {
        CHECK(s.len <= needed);
        kin_err code = kin_value_str(value, NULL, 0, &s);
        CHECK(code == KIN_OK || code == KIN_ERR_RANGE);
    }
    free(scratch);
}

static void read_typed(kin_value value)
{
    kin_type type = kin_value_type(value);
    kin_str s;
    int64_t integer;
    double real;
    bool boolean;
    kin_time time;

    CHECK((kin_value_bool(value, &boolean) == KIN_OK) == (type == KIN_TYPE_BOOL));
    CHECK(kin_value_int64(value, &integer) != KIN_OK || type == KIN_TYPE_NUMBER);
    CHECK(kin_value_double(value, &real) != KIN_OK || type == KIN_TYPE_NUMBER);
    CHECK(kin_value_time(value, &time) != KIN_OK || type == KIN_TYPE_STRING);
    CHECK(kin_value_quantity(value, -3, &integer) != KIN_OK || type == KIN_TYPE_STRING ||
          type == KIN_TYPE_NUMBER);
    if (type == KIN_TYPE_STRING) {
        read_string(value);
    } else {
        CHECK(kin_value_str(value, NULL, 0, &s) != KIN_OK);
    }
}

/* As deep as 200 levels: beyond that it is only more of the same. */
static void read_all(kin_value value, int depth)
{
    size_t count = 0;

    CHECK(kin_value_exists(value));
    read_typed(value);
    kin_iter iter = kin_value_iter(value);
    while (kin_iter_next(&iter)) {
        bool is_member = kin_value_type(value) == KIN_TYPE_OBJECT;
        CHECK(kin_value_exists(iter.key) == is_member);
        if (is_member) {
            read_string(iter.key);
        }
        if (depth < 200) {
            read_all(iter.value, depth + 1);
        }
        count++;
    }
    CHECK(!kin_iter_next(&iter));
    CHECK(kin_value_count(value) == count);
    CHECK(!kin_value_exists(kin_value_element(value, count)));
}

static void read_labels(const kin_object *object)
{
    size_t count = kin_object_label_count(object);
    kin_str key;
    kin_str value;
    kin_str found;

    for (size_t i = 0; i < count; i++) {
        CHECK(kin_object_label_at(object, i, &key, &value));
        touch(key);
        touch(value);
        CHECK(kin_object_label(object, key, &found) && kin_str_equal(found, value));
    }
    CHECK(!kin_object_label_at(object, count, &key, &value));
}

static void read_getters(const kin_object *object)
{
    kin_time time;

    CHECK(kin_object_name(object).len > 0);
    touch(kin_object_key(object));
    touch(kin_object_namespace(object));
    touch(kin_object_name(object));
    touch(kin_object_uid(object));
    touch(kin_object_resource_version(object));
    touch(kin_object_api_version(object));
    touch(kin_object_kind(object));
    (void) kin_object_generation(object);
    (void) kin_object_creation_time(object, &time);
    (void) kin_object_deletion_time(object, &time);
    read_labels(object);
    CHECK(kin_object_size(object) > 0);
    kin_value annotations = kin_object_annotations(object);
    if (kin_value_exists(annotations)) {
        CHECK(kin_value_type(annotations) == KIN_TYPE_OBJECT);
        read_all(annotations, 0);
    }
    kin_value owner = kin_object_controller_owner(object);
    if (kin_value_exists(owner)) {
        CHECK(kin_value_type(kin_object_owners(object)) == KIN_TYPE_ARRAY);
        read_all(owner, 0);
    }
}

/* The object's JSON, made into an object without a mask, is the same object. */
static void check_again(const kin_object *object)
{
    kin_object *again = NULL;
    kin_error err;
    char *json = NULL;
    size_t len = 0;
    bool is_equal = false;

    CHECK(kin_object_json(object, &json, &len, &err) == KIN_OK);
    CHECK(strlen(json) == len);
    CHECK(kin_object_from_json(json, len, NULL, &again, &err) == KIN_OK);
    CHECK(kin_object_equal(object, again, &is_equal) == KIN_OK && is_equal);
    CHECK(kin_object_equal(again, object, &is_equal) == KIN_OK && is_equal);
    CHECK(kin_str_equal(kin_object_key(object), kin_object_key(again)));
    CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(again)));
    CHECK(kin_object_label_count(object) == kin_object_label_count(again));
    kin_object_unref(again);
    kin_free(json);
}

static kin_object *check(const char *bytes, size_t size, const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.mask = mask;
    options.api_version = "v1";
    options.kind = "Pod";
    kin_err code = kin_object_from_json(bytes, size, &options, &object, &err);
    if (code != KIN_OK) {
        CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
        CHECK(err.code == code && err.message[0] != '\0');
        return NULL;
    }
    read_getters(object);
    read_all(kin_object_at(object, ""), 0);
    check_again(object);
    return object;
}

/* What identifies the object is there whatever the mask. */
static void check_identity(const kin_object *object, const kin_object *masked)
{
    CHECK(kin_str_equal(kin_object_key(object), kin_object_key(masked)));
    CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(masked)));
    CHECK(kin_str_equal(kin_object_resource_version(object), kin_object_resource_version(masked)));
    CHECK(kin_str_equal(kin_object_api_version(object), kin_object_api_version(masked)));
    CHECK(kin_str_equal(kin_object_kind(object), kin_object_kind(masked)));
}

static void check_equal_at(const kin_object *object, const kin_object *masked, const char *path)
{
    bool is_equal = false;
    CHECK(kin_value_equal(kin_object_at(object, path), kin_object_at(masked, path), &is_equal) ==
          KIN_OK);
    CHECK(is_equal);
}

static void check_dropped(const kin_object *object, const char *bytes, size_t size)
{
    static const char *const paths[] = { "metadata.managedFields", "spec.a", "spec.list[*].x" };
    kin_mask *mask = NULL;

    CHECK(kin_mask_new(KIN_MASK_DROP, paths, 3, &mask, NULL) == KIN_OK);
    kin_object *masked = check(bytes, size, mask);
    CHECK((masked == NULL) == (object == NULL));
    if (masked != NULL) {
        check_identity(object, masked);
        CHECK(!kin_value_exists(kin_object_at(masked, "metadata.managedFields")));
        CHECK(!kin_value_exists(kin_object_at(masked, "spec.a")));
        CHECK(!kin_value_exists(kin_object_at(masked, "spec.list[*].x")));
        check_equal_at(object, masked, "status");
        check_equal_at(object, masked, "metadata.labels");
    }
    kin_object_unref(masked);
    kin_mask_free(mask);
}

/* What the mask leaves out need not be right: a bad creationTimestamp is no fault here. */
static void check_kept(const kin_object *object, const char *bytes, size_t size)
{
    static const char *const paths[] = { "metadata.labels", "spec.list[*].x" };
    kin_mask *mask = NULL;

    CHECK(kin_mask_new(KIN_MASK_KEEP, paths, 2, &mask, NULL) == KIN_OK);
    kin_object *masked = check(bytes, size, mask);
    CHECK(masked != NULL || object == NULL);
    if (masked != NULL && object != NULL) {
        check_identity(object, masked);
        CHECK(!kin_value_exists(kin_object_at(masked, "status")));
        CHECK(!kin_value_exists(kin_object_at(masked, "metadata.annotations")));
        CHECK(!kin_value_exists(kin_object_at(masked, "spec.a")));
        check_equal_at(object, masked, "metadata.labels");
    }
    kin_object_unref(masked);
    kin_mask_free(mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *) data;
    kin_object *object = check(bytes, size, NULL);
    check_dropped(object, bytes, size);
    check_kept(object, bytes, size);
    kin_object_unref(object);
    return 0;
}
