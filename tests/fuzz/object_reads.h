/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_reads.h - reading all there is of an object, for the targets that make objects.
 */
#ifndef TESTS_FUZZ_OBJECT_READS_H
#define TESTS_FUZZ_OBJECT_READS_H

#include <stdlib.h>
#include <string.h>

#include "kin/object.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* As deep as this: beyond it is only more of the same. */
#define READ_DEPTH_MAX 250

static volatile unsigned read_sum;

/* Every byte of a slice must be readable. */
static inline void read_bytes(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        read_sum = read_sum + (unsigned char) s.data[i];
    }
}

static inline void read_string(kin_value value)
{
    size_t needed = kin_value_scratch_size(value);
    char *scratch = malloc(needed == 0 ? 1 : needed);
    kin_str s;

    CHECK(scratch != NULL);
    CHECK(kin_value_str(value, scratch, needed, &s) == KIN_OK);
    read_bytes(s);
    if (needed > 0) {
        CHECK(s.len <= needed);
        kin_err code = kin_value_str(value, NULL, 0, &s);
        CHECK(code == KIN_OK || code == KIN_ERR_RANGE);
    }
    free(scratch);
}

/* What is missing here is so because it makes no sense. */
static inline void read_typed(kin_value value)
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
    if (type == KIN_TYPE_MISSING) {
        CHECK(kin_value_bool(value, &boolean) == KIN_ERR_MALFORMED);
    }
}

/* `is_checked`: whether the bytes were found right when the object was made. */
static inline void read_all(kin_value value, bool is_checked, int depth)
{
    bool is_object = kin_value_type(value) == KIN_TYPE_OBJECT;
    size_t count = 0;

    CHECK(kin_value_exists(value) || !is_checked);
    read_typed(value);
    kin_iter iter = kin_value_iter(value);
    while (kin_iter_next(&iter)) {
        CHECK(kin_value_exists(iter.key) == is_object);
        if (is_object) {
            read_string(iter.key);
        }
        if (depth < READ_DEPTH_MAX) {
            read_all(iter.value, is_checked, depth + 1);
        }
        count++;
    }
    CHECK(!kin_iter_next(&iter));
    CHECK(kin_value_count(value) == count);
    CHECK(!kin_value_exists(kin_value_element(value, count)));
}

static inline void read_labels(const kin_object *object)
{
    size_t count = kin_object_label_count(object);
    kin_str key;
    kin_str value;
    kin_str found;

    for (size_t i = 0; i < count; i++) {
        CHECK(kin_object_label_at(object, i, &key, &value));
        read_bytes(key);
        read_bytes(value);
        CHECK(kin_object_label(object, key, &found) && kin_str_equal(found, value));
    }
    CHECK(!kin_object_label_at(object, count, &key, &value));
}

static inline void read_getters(const kin_object *object, bool is_checked)
{
    kin_time time;

    CHECK(kin_object_name(object).len > 0);
    read_bytes(kin_object_key(object));
    read_bytes(kin_object_namespace(object));
    read_bytes(kin_object_name(object));
    read_bytes(kin_object_uid(object));
    read_bytes(kin_object_resource_version(object));
    read_bytes(kin_object_api_version(object));
    read_bytes(kin_object_kind(object));
    (void) kin_object_generation(object);
    (void) kin_object_creation_time(object, &time);
    (void) kin_object_deletion_time(object, &time);
    (void) kin_object_is_partial(object);
    read_labels(object);
    CHECK(kin_object_size(object) > 0);
    kin_value annotations = kin_object_annotations(object);
    if (kin_value_exists(annotations)) {
        CHECK(kin_value_type(annotations) == KIN_TYPE_OBJECT);
        read_all(annotations, is_checked, 0);
    }
    kin_value owner = kin_object_controller_owner(object);
    if (kin_value_exists(owner)) {
        CHECK(kin_value_type(kin_object_owners(object)) == KIN_TYPE_ARRAY);
        read_all(owner, is_checked, 0);
    }
}

/* The object's JSON, made into an object without a mask, is the same object. */
static inline void check_json_again(const kin_object *object, const char *json, size_t len)
{
    kin_object *again = NULL;
    kin_error err;
    bool is_equal = false;

    CHECK(strlen(json) == len);
    CHECK(kin_object_from_json(json, len, NULL, &again, &err) == KIN_OK);
    CHECK(kin_object_equal(object, again, &is_equal) == KIN_OK && is_equal);
    CHECK(kin_object_equal(again, object, &is_equal) == KIN_OK && is_equal);
    CHECK(kin_str_equal(kin_object_key(object), kin_object_key(again)));
    CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(again)));
    CHECK(kin_object_generation(object) == kin_object_generation(again));
    CHECK(kin_object_label_count(object) == kin_object_label_count(again));
    kin_object_unref(again);
}

/* What identifies the object is there whatever the mask. */
static inline void check_identity(const kin_object *object, const kin_object *masked)
{
    CHECK(kin_str_equal(kin_object_key(object), kin_object_key(masked)));
    CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(masked)));
    CHECK(kin_str_equal(kin_object_resource_version(object), kin_object_resource_version(masked)));
    CHECK(kin_str_equal(kin_object_api_version(object), kin_object_api_version(masked)));
    CHECK(kin_str_equal(kin_object_kind(object), kin_object_kind(masked)));
}

#endif /* TESTS_FUZZ_OBJECT_READS_H */
