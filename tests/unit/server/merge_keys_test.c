/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_keys_test.c - how strategic merge patches treat fields.
 */
#include "server/merge_keys.h"

#include "base/str.h"
#include "support/test.h"

static kin__merge_key key_of(kin__pb_message message, const char *field)
{
    kin__pb_inlines inlines;
    const kin__pb_row *row = kin__pb_row_named(message, kin_str_of(field), &inlines);

    return kin__merge_key_of(message, row->number);
}

static kin__pb_message message_of(kin__pb_message message, const char *field)
{
    kin__pb_inlines inlines;

    return kin__pb_row_named(message, kin_str_of(field), &inlines)->message;
}

TEST(merge_keys, knows_the_tags_of_fields)
{
    kin__pb_message spec = message_of(kin__pb_message_of(STR("v1"), STR("Pod")), "spec");
    kin__pb_message container = message_of(spec, "containers");

    ASSERT_SLICE_EQ(key_of(spec, "containers").name, "name");
    ASSERT_EQ(key_of(spec, "containers").strategies, KIN__MERGE_MERGE);
    ASSERT_EQ(key_of(spec, "volumes").strategies, KIN__MERGE_MERGE | KIN__MERGE_RETAIN_KEYS);
    ASSERT_SLICE_EQ(key_of(container, "ports").name, "containerPort");
    ASSERT_SLICE_EQ(key_of(container, "volumeMounts").name, "mountPath");
    ASSERT_EQ(key_of(spec, "tolerations").strategies, 0);
    ASSERT_SLICE_EQ(key_of(spec, "tolerations").name, "");
    ASSERT_EQ(kin__merge_key_of(KIN__PB_NO_MESSAGE, 1).strategies, 0);
}

TEST(merge_keys, finds_every_row_of_the_table)
{
    ASSERT_TRUE(kin__merge_key_row_count > 400);
    for (size_t i = 0; i < kin__merge_key_row_count; i++) {
        const kin__merge_key_row *row = &kin__merge_key_rows[i];
        ASSERT_TRUE(kin__merge_key_find(row->message, row->number) == row);
        ASSERT_TRUE(kin__pb_row_of(row->message, row->number) != NULL);
        ASSERT_TRUE(row->strategies <= 7);
        ASSERT_TRUE(row->message < kin__merge_key_message_count);
    }
    ASSERT_TRUE(kin__merge_key_find(kin__merge_key_rows[0].message, 63) == NULL);
}
