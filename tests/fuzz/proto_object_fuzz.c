/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_object_fuzz.c - any bytes as an object in protobuf.
 *
 * Bytes that are no envelope are a message; their first byte chooses its kind and is no part of it.
 *
 * An object that can be made answers every getter and can be walked to its end.  When its JSON can
 * be made, that makes an equal object, as long as no single field comes twice.  Through a mask as
 * well: what a mask leaves out is not there, and the lengths around it are right.
 */
#include <stdlib.h>
#include <string.h>

#include "kin/edit.h"
#include "kin/object.h"
#include "object/object.h"
#include "proto/reader.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define DEPTH_MAX 250

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sum;

typedef struct kind_name {
    const char *api_version;
    const char *kind;
} kind_name;

static const kind_name kinds[] = {
    { "v1", "Pod" },
    { "apiextensions.k8s.io/v1", "CustomResourceDefinition" },
    { "apps/v1", "StatefulSet" },
    { "apps/v1", "ControllerRevision" },
    { "v1", "Secret" },
    { "v1", "Service" },
    { "coordination.k8s.io/v1", "Lease" },
    { "certificates.k8s.io/v1", "CertificateSigningRequest" },
};

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
    CHECK(s.len <= needed || needed == 0);
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
    (void) !kin_value_quantity(value, -3, &integer);
    if (type == KIN_TYPE_STRING) {
        read_string(value);
    } else {
        CHECK(kin_value_str(value, NULL, 0, &s) != KIN_OK);
    }
    if (type == KIN_TYPE_MISSING) {
        CHECK(kin_value_bool(value, &boolean) == KIN_ERR_MALFORMED);
    }
}

/* What makes no sense is missing, and answers so. */
static void read_all(kin_value value, int depth)
{
    bool is_object = kin_value_type(value) == KIN_TYPE_OBJECT;
    size_t count = 0;

    read_typed(value);
    kin_iter iter = kin_value_iter(value);
    while (kin_iter_next(&iter)) {
        CHECK(kin_value_exists(iter.key) == is_object);
        if (is_object) {
            read_string(iter.key);
        }
        if (depth < DEPTH_MAX) {
            read_all(iter.value, depth + 1);
        }
        count++;
    }
    CHECK(!kin_iter_next(&iter));
    CHECK(kin_value_count(value) == count);
    CHECK(!kin_value_exists(kin_value_element(value, count)));
}

static void read_getters(const kin_object *object)
{
    size_t count = kin_object_label_count(object);
    kin_str key;
    kin_str value;
    kin_str found;
    kin_time time;

    CHECK(kin_object_name(object).len > 0);
    touch(kin_object_key(object));
    touch(kin_object_uid(object));
    touch(kin_object_resource_version(object));
    touch(kin_object_api_version(object));
    touch(kin_object_kind(object));
    (void) kin_object_creation_time(object, &time);
    (void) kin_object_deletion_time(object, &time);
    (void) kin_object_is_partial(object);
    for (size_t i = 0; i < count; i++) {
        CHECK(kin_object_label_at(object, i, &key, &value));
        touch(key);
        touch(value);
        CHECK(kin_object_label(object, key, &found) && kin_str_equal(found, value));
    }
    if (kin_value_exists(kin_object_annotations(object))) {
        read_all(kin_object_annotations(object), 0);
    }
    if (kin_value_exists(kin_object_owners(object))) {
        read_all(kin_object_owners(object), 0);
    }
    (void) kin_object_controller_owner(object);
}

/* Whether no single field of any message comes twice. */
static bool is_orderly(kin__pb_message message, kin_str bytes, int depth)
{
    kin__pb_reader reader = kin__pb_read(bytes.data, bytes.len);
    uint64_t seen = 0;
    kin__pb_field field;

    while (depth < DEPTH_MAX && kin__pb_next(&reader, &field)) {
        const kin__pb_row *row = kin__pb_row_of(message, field.number);
        kin_str content = { (const char *) field.bytes, field.len };
        if (row == NULL) {
            continue;
        }
        uint64_t bit = UINT64_C(1) << field.number;
        if ((row->flags & (KIN__PB_LIST | KIN__PB_MAP)) == 0 && (seen & bit) != 0) {
            return false;
        }
        seen |= bit;
        if ((row->flags & KIN__PB_MAP) != 0) {
            kin__pb_reader entry = kin__pb_read(content.data, content.len);
            while (kin__pb_next(&entry, &field)) {
                content = (kin_str){ (const char *) field.bytes, field.len };
                if (row->type == KIN__PB_MESSAGE && field.number == 2 &&
                    !is_orderly(row->message, content, depth + 1)) {
                    return false;
                }
            }
        } else if (row->type == KIN__PB_MESSAGE && !is_orderly(row->message, content, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* Through an envelope that lies in a message nothing is known of the order. */
static bool may_compare(const kin_object *object)
{
    kin_str bytes = kin__object_bytes(object);

    return memmem(bytes.data, bytes.len, "k8s", 4) == NULL &&
           is_orderly((kin__pb_message) object->places, bytes, 0);
}

/* The object's JSON, made into an object without a mask, is the same object. */
static void check_again(const kin_object *object)
{
    kin_object *again = NULL;
    kin_error err;
    char *json = NULL;
    size_t len = 0;
    bool is_equal = false;

    kin_err code = kin_object_json(object, &json, &len, &err);
    if (code != KIN_OK) {
        CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
        return;
    }
    CHECK(strlen(json) == len);
    if (may_compare(object)) {
        CHECK(kin_object_from_json(json, len, NULL, &again, &err) == KIN_OK);
        CHECK(kin_object_equal(object, again, &is_equal) == KIN_OK && is_equal);
        CHECK(kin_object_equal(again, object, &is_equal) == KIN_OK && is_equal);
        CHECK(kin_str_equal(kin_object_key(object), kin_object_key(again)));
        CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(again)));
        CHECK(kin_object_generation(object) == kin_object_generation(again));
        CHECK(kin_object_label_count(object) == kin_object_label_count(again));
        kin_object_unref(again);
    }
    kin_free(json);
}

static void check_edit(const kin_object *object)
{
    kin_edit *edit = NULL;
    kin_object *edited = NULL;
    char *patch = NULL;
    size_t len;

    if (kin_object_edit(object, &edit, NULL) != KIN_OK) {
        return;
    }
    CHECK(kin_edit_set_str(edit, "metadata.annotations.k", (kin_str){ "v", 1 }, NULL) == KIN_OK);
    kin_err code = kin_edit_object(edit, &edited, NULL);
    CHECK(code == KIN_OK || code == KIN_ERR_PARTIAL || code == KIN_ERR_MALFORMED);
    CHECK(kin_edit_merge_patch(edit, 0, &patch, &len, NULL) == KIN_OK);
    kin_free(patch);
    kin_object_unref(edited);
    kin_edit_free(edit);
}

static kin_object *check(const uint8_t *bytes, size_t size, const kind_name *name,
                         const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_error err;

    options.mask = mask;
    options.api_version = name->api_version;
    options.kind = name->kind;
    kin_err code = kin_object_from_protobuf(bytes, size, &options, &object, &err);
    if (code != KIN_OK) {
        CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT || code == KIN_ERR_NOT_FOUND);
        CHECK(err.code == code && err.message[0] != '\0');
        return NULL;
    }
    read_getters(object);
    read_all(kin_object_at(object, ""), 0);
    check_again(object);
    return object;
}

static void check_masked(const kin_object *object, const uint8_t *bytes, size_t size,
                         const kind_name *name, kin_mask_mode mode)
{
    static const char *const paths[] = { "metadata.managedFields", "metadata.annotations.a",
                                         "spec.containers[*].image", "spec.names" };
    kin_mask *mask = NULL;

    CHECK(kin_mask_new(mode, paths, 4, &mask, NULL) == KIN_OK);
    kin_object *masked = check(bytes, size, name, mask);
    if (masked != NULL && object != NULL) {
        CHECK(kin_str_equal(kin_object_key(object), kin_object_key(masked)));
        CHECK(kin_str_equal(kin_object_uid(object), kin_object_uid(masked)));
        CHECK(kin_str_equal(kin_object_resource_version(object),
                            kin_object_resource_version(masked)));
    }
    if (masked != NULL && mode == KIN_MASK_DROP) {
        for (size_t i = 0; i < 4; i++) {
            CHECK(!kin_value_exists(kin_object_at(masked, paths[i])));
        }
    } else if (masked != NULL) {
        CHECK(!kin_value_exists(kin_object_at(masked, "status")));
        CHECK(!kin_value_exists(kin_object_at(masked, "spec.nodeName")));
        CHECK(!kin_value_exists(kin_object_at(masked, "metadata.finalizers")));
    }
    kin_object_unref(masked);
    kin_mask_free(mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_envelope = size >= 4 && memcmp(data, "k8s", 4) == 0;
    const kind_name *name = &kinds[0];

    if (!is_envelope && size > 0) {
        name = &kinds[data[0] % (sizeof kinds / sizeof kinds[0])];
        data++;
        size--;
    }
    kin_object *object = check(data, size, name, NULL);
    if (object != NULL) {
        check_edit(object);
    }
    check_masked(object, data, size, name, KIN_MASK_DROP);
    check_masked(object, data, size, name, KIN_MASK_KEEP);
    kin_object_unref(object);
    return 0;
}
