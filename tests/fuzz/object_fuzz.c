/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_fuzz.c - any bytes as an object.
 *
 * An object that can be made answers every getter, and its JSON makes an equal object.  Through
 * a mask as well: what a mask leaves out is not there, and the rest is.
 */
#include "object_reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const kin_object *object)
{
    kin_error err;
    char *json = NULL;
    size_t len = 0;

    CHECK(kin_object_json(object, &json, &len, &err) == KIN_OK);
    check_json_again(object, json, len);
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
    read_getters(object, true);
    read_all(kin_object_at(object, ""), true, 0);
    check_again(object);
    return object;
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
