/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_type_test.c - the names of Go types.
 */
#include "server/go_type.h"

#include "base/str.h"
#include "support/test.h"

/* The type of a field of a kind's spec, or of its elements. */
static const char *type_of(const char *kind, const char *field, bool is_field, text *out)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin__pb_inlines inlines;
    const kin__pb_row *spec =
        kin__pb_row_named(kin__pb_message_of(STR("v1"), kin_str_of(kind)), STR("spec"), &inlines);
    const kin__pb_row *row = kin__pb_row_named(spec->message, kin_str_of(field), &inlines);

    if (is_field) {
        kin__go_append_field(spec->message, row, &buf);
    } else {
        kin__go_append_element(spec->message, row, &buf);
    }
    text_clear(out);
    text_append(out, "%.*s", (int) buf.len, buf.data);
    return out->chars;
}

TEST(go_type, names_messages)
{
    kin__pb_message pod = kin__pb_message_of(STR("v1"), STR("Pod"));

    ASSERT_SLICE_EQ(kin__go_type(pod), "v1.Pod");
    ASSERT_SLICE_EQ(kin__go_struct(pod), "Pod");
    ASSERT_SLICE_EQ(kin__go_type(KIN__PB_NO_MESSAGE), "");
    ASSERT_SLICE_EQ(kin__go_struct(KIN__PB_NO_MESSAGE), "");
}

TEST(go_type, names_every_message_of_the_tables)
{
    kin__pb_kind kind;

    for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
        kin_str type = kin__go_type(kind.message);
        ASSERT_TRUE(memchr(type.data, '.', type.len) != NULL);
        ASSERT_TRUE(kin__go_struct(kind.message).len != 0);
    }
}

TEST(go_type, names_fields_and_their_elements)
{
    text t;

    ASSERT_STR_EQ(type_of("Pod", "containers", true, &t), "[]v1.Container");
    ASSERT_STR_EQ(type_of("Pod", "containers", false, &t), "v1.Container");
    ASSERT_STR_EQ(type_of("Pod", "restartPolicy", false, &t), "v1.RestartPolicy");
    ASSERT_STR_EQ(type_of("Pod", "nodeSelector", true, &t), "map[string]string");
    ASSERT_STR_EQ(type_of("Pod", "overhead", true, &t), "v1.ResourceList");
    ASSERT_STR_EQ(type_of("Pod", "overhead", false, &t), "resource.Quantity");
    ASSERT_STR_EQ(type_of("Pod", "priority", true, &t), "int32");
    ASSERT_STR_EQ(type_of("Pod", "hostNetwork", true, &t), "bool");
    ASSERT_STR_EQ(type_of("PersistentVolume", "accessModes", true, &t),
                  "[]v1.PersistentVolumeAccessMode");
}
