/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_unknown_test.c - what the bytes hold and the tables do not know.
 */
#include "kin/edit.h"
#include "unit/object/proto_making.h"

TEST(proto_encoding_unknown, fields_that_the_tables_do_not_know_make_an_object_partial)
{
    wire spec = { 0 };
    wire container = { 0 };
    kin_edit *edit = NULL;
    kin_object *edited = NULL;
    char *patch = NULL;
    size_t len;
    kin_error err;

    wire_text(&container, 1, "c");
    wire_put(&spec, 2, &container);
    wire_text(&spec, 60, "new");
    kin_object *object = pod_of(&spec);
    ASSERT_TRUE(kin_object_is_partial(object));
    check_at(object, "spec.containers[0].name", "\"c\"");
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    ASSERT_OK(kin_edit_set_str(edit, "spec.containers[0].image", kin_str_of("i"), NULL));
    ASSERT_ERR(kin_edit_object(edit, &edited, NULL), KIN_ERR_PARTIAL);
    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, NULL));
    kin_free(patch);
    kin_edit_free(edit);
    kin_object_unref(object);

    spec.len = 0;
    wire_text(&container, 60, "new");
    wire_put(&spec, 2, &container);
    object = pod_of(&spec);
    ASSERT_TRUE(kin_object_is_partial(object));
    ASSERT_OK(kin_object_edit(object, &edit, NULL));
    ASSERT_OK(kin_edit_set_str(edit, "spec.containers[0].image", kin_str_of("i"), NULL));
    ASSERT_ERR(kin_edit_merge_patch(edit, 0, &patch, &len, &err), KIN_ERR_PARTIAL);
    ASSERT_CONTAINS(err.message, "not known in protobuf");
    kin_edit_free(edit);
    kin_object_unref(object);
}

TEST(proto_encoding_unknown, finds_them_in_an_envelope_inside_the_object)
{
    wire pod = { 0 };
    wire envelope = { 0 };
    wire raw = { 0 };

    wire_text(&pod, 1, "");
    wire_envelope(&envelope, "v1", "Pod", &pod);
    wire_put(&raw, 1, &envelope);
    kin_object *object = object_of("apps/v1", "ControllerRevision", 2, &raw);
    ASSERT_TRUE(!kin_object_is_partial(object));
    kin_object_unref(object);

    envelope.len = 0;
    raw.len = 0;
    wire_text(&pod, 60, "new");
    wire_envelope(&envelope, "v1", "Pod", &pod);
    wire_put(&raw, 1, &envelope);
    object = object_of("apps/v1", "ControllerRevision", 2, &raw);
    ASSERT_TRUE(kin_object_is_partial(object));
    kin_object_unref(object);
}
