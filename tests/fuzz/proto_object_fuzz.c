/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_object_fuzz.c - any bytes as an object in protobuf.
 *
 * Bytes that are no envelope are a message; their first byte chooses its kind and is no part of it.
 *
 * An object that can be made answers every getter and can be walked to its end.  When its JSON can
 * be made, that makes an equal object.  Through a mask as well: what a mask leaves out is not
 * there, and the lengths around it are right.
 */
#include "kin/edit.h"
#include "object_reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check_again(const kin_object *object)
{
    kin_error err;
    char *json = NULL;
    size_t len = 0;

    kin_err code = kin_object_json(object, &json, &len, &err);
    if (code != KIN_OK) {
        CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
        return;
    }
    check_json_again(object, json, len);
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
    read_getters(object, false);
    read_all(kin_object_at(object, ""), false, 0);
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
        check_identity(object, masked);
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
