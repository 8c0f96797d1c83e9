/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_find_test.c - what a mask leaves out of a message, and that the lengths around it are
 * right.
 */
#include "object/proto_build_find.h"

#include "object/object.h"
#include "unit/object/proto_making.h"

static const char pod[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\","
    "\"uid\":\"u\",\"resourceVersion\":\"1\",\"labels\":{\"a\":\"1\",\"b\":\"2\"},"
    "\"annotations\":{\"k\":\"v\",\"l\":\"w\"},"
    "\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:a\":{}}},{\"manager\":\"o\"}]},"
    "\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}},{\"name\":\"w\",\"configMap\":{"
    "\"name\":"
    "\"c\"}}],\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":"
    "\"1\",\"memory\":\"2\"}}},{\"name\":\"d\",\"image\":\"j\",\"resources\":{}}],"
    "\"restartPolicy\":\"Always\",\"nodeName\":\"x\"},"
    "\"status\":{\"phase\":\"Running\"}}";

/* The two twins, through the same mask, say the same of `paths`. */
static void check_masked(kin_mask_mode mode, const char *a, const char *b, bool is_partial,
                         uint8_t flags)
{
    static const char *const paths[] = {
        "metadata.name",
        "metadata.uid",
        "metadata.labels",
        "metadata.labels.a",
        "metadata.annotations",
        "metadata.managedFields",
        "spec.nodeName",
        "spec.containers[0].name",
        "spec.containers[1].image",
        "spec.containers[0].resources.limits",
        "spec.volumes[0].emptyDir",
        "spec.volumes[1].configMap",
        "spec.volumes[1].name",
        "status.phase",
        "spec.restartPolicy",
    };
    kin_mask *mask = make_mask(mode, a, b, NULL, NULL);
    twins t = make_twins(pod, mask);
    char *json = NULL;
    kin_object *again = NULL;
    size_t len;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        check_same(kin_object_at(t.proto, paths[i]), kin_object_at(t.json, paths[i]), paths[i]);
    }
    ASSERT_EQ(kin_object_is_partial(t.proto), is_partial);
    ASSERT_EQ(t.proto->flags, flags);
    ASSERT_EQ(t.json->flags, flags);
    ASSERT_EQ(kin_object_label_count(t.proto), kin_object_label_count(t.json));
    check_same(kin_object_annotations(t.proto), kin_object_annotations(t.json), "annotations");
    ASSERT_OK(kin_object_json(t.proto, &json, &len, NULL)); /* all lengths are right */
    ASSERT_OK(kin_object_from_json(json, len, NULL, &again, NULL));
    kin_object_unref(again);
    kin_free(json);
    drop_twins(t);
    kin_mask_free(mask);
}

#define PARTIAL KIN__OBJECT_PARTIAL
#define PARTIAL_ARRAY (KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY)

TEST(proto_build_find, masks_that_drop_answer_as_for_json)
{
    check_masked(KIN_MASK_DROP, NULL, NULL, false, 0);
    check_masked(KIN_MASK_DROP, "metadata.managedFields", NULL, false, 0);
    check_masked(KIN_MASK_DROP, "metadata.managedFields[*].fieldsV1", NULL, false, 0);
    check_masked(KIN_MASK_DROP, "metadata.managedFields", "status", true, PARTIAL);
    check_masked(KIN_MASK_DROP, "metadata.labels.a", NULL, true, PARTIAL);
    check_masked(KIN_MASK_DROP, "metadata.annotations.k", "metadata.labels", true, PARTIAL);
    check_masked(KIN_MASK_DROP, "metadata.annotations", NULL, true, PARTIAL);
    check_masked(KIN_MASK_DROP, "metadata", NULL, true, PARTIAL);
    check_masked(KIN_MASK_DROP, "spec.containers[*].image", NULL, true, PARTIAL_ARRAY);
    check_masked(KIN_MASK_DROP, "spec.containers[*].resources.limits.cpu", NULL, true,
                 PARTIAL_ARRAY);
    check_masked(KIN_MASK_DROP, "spec.volumes[*].configMap", NULL, true, PARTIAL_ARRAY);
    check_masked(KIN_MASK_DROP, "spec.volumes[*].configMap.name", NULL, true, PARTIAL_ARRAY);
    check_masked(KIN_MASK_DROP, "spec[*]", NULL, true, PARTIAL);
    check_masked(KIN_MASK_DROP, "spec.nodeName", "status.phase", true, PARTIAL);
}

TEST(proto_build_find, masks_that_keep_answer_as_for_json)
{
    check_masked(KIN_MASK_KEEP, NULL, NULL, true, PARTIAL);
    check_masked(KIN_MASK_KEEP, "spec.nodeName", NULL, true, PARTIAL);
    check_masked(KIN_MASK_KEEP, "metadata.labels", "status", true, PARTIAL);
    check_masked(KIN_MASK_KEEP, "metadata.labels.b", "spec.volumes", true, PARTIAL);
    check_masked(KIN_MASK_KEEP, "spec.containers[*].image", NULL, true, PARTIAL_ARRAY);
    check_masked(KIN_MASK_KEEP, "spec.volumes[*].name",
                 "spec.containers[*].resources.limits.memory", true, PARTIAL_ARRAY);
}

/* A zero that JSON does not show may go without a trace; a null that it does show may not. */
TEST(proto_build_find, a_mask_makes_partial_only_what_json_would_show)
{
    kin_mask *mask = make_mask(KIN_MASK_DROP, "spec.hostNetwork", NULL, NULL, NULL);
    kin_object *object = proto_of(pod, mask);
    ASSERT_FALSE(kin_object_is_partial(object));
    kin_object_unref(object);
    kin_mask_free(mask);

    mask = make_mask(KIN_MASK_DROP, "rules", NULL, NULL, NULL);
    object = proto_of("{\"kind\":\"Role\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\","
                      "\"metadata\":{\"name\":\"n\"}}",
                      mask);
    ASSERT_TRUE(kin_object_is_partial(object));
    ASSERT_FALSE(kin_value_exists(kin_object_at(object, "rules")));
    kin_mask_free(mask);
    check_json(object, "{\"kind\":\"Role\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\","
                       "\"metadata\":{\"name\":\"n\"}}");
}

TEST(proto_build_find, json_inside_is_left_out_as_a_whole_or_not_at_all)
{
    const char *json = "{\"kind\":\"ControllerRevision\",\"apiVersion\":\"apps/v1\",\"metadata\":{"
                       "\"name\":\"n\"},\"data\":{\"a\":1},\"revision\":1}";
    kin_mask *mask = make_mask(KIN_MASK_DROP, "data.a", NULL, NULL, NULL);
    check_json(proto_of(json, mask), json);
    kin_mask_free(mask);

    mask = make_mask(KIN_MASK_KEEP, "data.a", NULL, NULL, NULL);
    check_json(proto_of(json, mask), "{\"kind\":\"ControllerRevision\",\"apiVersion\":\"apps/v1\","
                                     "\"metadata\":{\"name\":\"n\"},\"data\":{\"a\":1}}");
    kin_mask_free(mask);

    mask = make_mask(KIN_MASK_DROP, "data", NULL, NULL, NULL);
    check_json(proto_of(json, mask), "{\"kind\":\"ControllerRevision\",\"apiVersion\":\"apps/v1\","
                                     "\"metadata\":{\"name\":\"n\"},\"revision\":1}");
    kin_mask_free(mask);
}

/* Lengths of one, two and three bytes become shorter ones. */
TEST(proto_build_find, lengths_shrink_with_what_is_in_them)
{
    static const size_t sizes[] = { 1, 100, 118, 128, 300, 16300, 17000 };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kin__buf json = { 0 };
        ASSERT_TRUE(kin__buf_append_format(
            &json, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\","
                   "\"annotations\":{\"k\":\"v\",\"l\":\""));
        for (size_t j = 0; j < sizes[i]; j++) {
            ASSERT_TRUE(kin__buf_append_byte(&json, 'x'));
        }
        ASSERT_TRUE(kin__buf_append(&json, "\"}}}", 5));
        kin_mask *mask = make_mask(KIN_MASK_DROP, "metadata.annotations.l", NULL, NULL, NULL);
        check_json(proto_of(json.data, mask),
                   "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\","
                   "\"annotations\":{\"k\":\"v\"}},\"spec\":{},\"status\":{}}");
        kin_mask_free(mask);
        kin__buf_fini(&json);
    }
}

/* Each byte of a pod is cut off, and each is changed: no object, or one that answers. */
TEST(proto_build_find, takes_or_refuses_every_damaged_pod)
{
    kin__buf message = message_of(pod);
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask =
        make_mask(KIN_MASK_DROP, "metadata.annotations.k", "spec.containers[*].image", NULL, NULL);

    options.api_version = "v1";
    options.kind = "Pod";
    for (size_t i = 0; i < message.len * 4; i++) {
        char *bytes = message.data;
        size_t at = i / 4;
        char before = bytes[at];
        size_t len = i % 4 == 0 ? at : message.len;
        bytes[at] = (char) (i % 4 == 1 ? bytes[at] ^ 0x80 : i % 4 == 2 ? bytes[at] ^ 1 : bytes[at]);
        options.mask = i % 4 == 3 ? NULL : mask;
        kin_object *object = NULL;
        kin_error err;
        kin_err code = kin_object_from_protobuf(bytes, len, &options, &object, &err);
        if (code == KIN_OK) {
            char *json = NULL;
            size_t json_len;
            ASSERT_TRUE(kin_object_name(object).len > 0);
            (void) kin_value_count(kin_object_at(object, "spec"));
            if (kin_object_json(object, &json, &json_len, NULL) == KIN_OK) {
                kin_free(json);
            }
        } else {
            ASSERT_EQ(code, KIN_ERR_MALFORMED);
        }
        kin_object_unref(object);
        bytes[at] = before;
    }
    kin_mask_free(mask);
    kin__buf_fini(&message);
}

/* More cuts, and more labels, than there is room for without an allocation. */
TEST_FAILING_ALLOC(proto_build_find, survives_failing_allocations_with_many_parts)
{
    static char message[4096];
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    const char *paths[] = { "metadata.annotations.k", "metadata.finalizers" };
    kin_object *object = NULL;
    kin_mask *mask = NULL;
    wire metadata = { 0 };

    wire_text(&metadata, 1, "n");
    for (int i = 0; i < 40; i++) {
        char key[8];
        (void) snprintf(key, sizeof key, "l%d", i);
        put_entry(&metadata, 11, key, "v");
        put_entry(&metadata, 12, "k", "v");
    }
    wire pod_message = pod_with(&metadata);
    memcpy(message, pod_message.bytes, pod_message.len);
    kin_err code = kin_mask_new(KIN_MASK_DROP, paths, 2, &mask, NULL);
    if (code == KIN_OK) {
        options.mask = mask;
        options.api_version = "v1";
        options.kind = "Pod";
        code = kin_object_from_protobuf(message, pod_message.len, &options, &object, NULL);
    }
    if (code == KIN_OK) {
        ASSERT_EQ(kin_object_label_count(object), 40);
        ASSERT_FALSE(kin_value_exists(kin_object_annotations(object)));
    }
    kin_object_unref(object);
    kin_mask_free(mask);
    return code;
}
