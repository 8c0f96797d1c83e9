/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meaning_test.c - what a field means, by the row that describes it.
 */
#include "proto/meaning.h"

#include "base/str.h"
#include "unit/proto/rendering.h"

static const kin__pb_row *row_at(kin__pb_message message, const char *name)
{
    kin__pb_inlines inlines;
    const kin__pb_row *row = kin__pb_row_named(message, kin_str_of(name), &inlines);

    ASSERT_TRUE(row != NULL);
    return row;
}

TEST(meaning, types_have_a_form_on_the_wire)
{
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_STRING), KIN__PB_LEN);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_BYTES), KIN__PB_LEN);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_MESSAGE), KIN__PB_LEN);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_BOOL), KIN__PB_VARINT);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_INT32), KIN__PB_VARINT);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_INT64), KIN__PB_VARINT);
    ASSERT_EQ(kin__pb_wire_of(KIN__PB_DOUBLE), KIN__PB_FIXED64);
}

TEST(meaning, only_lists_of_numbers_can_be_packed)
{
    kin__pb_message context = message_at("v1", "Pod", "spec.securityContext");
    const kin__pb_row *list = row_at(context, "supplementalGroups");
    const kin__pb_row *single = row_at(context, "runAsUser");
    const kin__pb_row *texts = row_at(message_at("v1", "Pod", "metadata"), "finalizers");
    const kin__pb_row *map = row_at(message_at("v1", "Pod", "metadata"), "labels");
    kin__pb_field packed = { .wire = KIN__PB_LEN };
    kin__pb_field number = { .wire = KIN__PB_VARINT };

    ASSERT_TRUE(kin__pb_is_packed(list, &packed));
    ASSERT_TRUE(!kin__pb_is_packed(list, &number));
    ASSERT_TRUE(!kin__pb_is_packed(single, &packed));
    ASSERT_TRUE(!kin__pb_is_packed(texts, &packed));
    ASSERT_TRUE(kin__pb_has_right_wire(list, &packed) && kin__pb_has_right_wire(list, &number));
    ASSERT_TRUE(!kin__pb_has_right_wire(single, &packed));
    ASSERT_TRUE(kin__pb_has_right_wire(map, &packed) && !kin__pb_has_right_wire(map, &number));
    ASSERT_TRUE(kin__pb_is_many(list) && kin__pb_is_many(map) && !kin__pb_is_many(single));
}

TEST(meaning, absence_is_null_only_for_what_is_nil_and_not_omitted)
{
    kin__pb_message spec = message_at("v1", "Pod", "spec");
    kin__pb_message condition = message_at("v1", "Pod", "status.conditions");

    ASSERT_TRUE(kin__pb_is_nil_null(spec, row_at(spec, "containers")));
    ASSERT_TRUE(!kin__pb_is_nil_null(spec, row_at(spec, "volumes")));
    ASSERT_TRUE(!kin__pb_is_nil_null(spec, row_at(spec, "nodeName")));
    ASSERT_TRUE(!kin__pb_is_nil_null(condition, row_at(condition, "type")));
}

TEST(meaning, claims_of_a_stateful_set_have_a_type)
{
    kin__pb_message set = message_at("apps/v1", "StatefulSet", "spec");

    ASSERT_TRUE(kin__pb_is_claim_template(row_at(set, "volumeClaimTemplates")));
    ASSERT_TRUE(!kin__pb_is_claim_template(row_at(set, "template")));
}

TEST(meaning, zeros_are_omitted_when_told_and_no_pointer)
{
    static const uint8_t types[] = { KIN__PB_STRING, KIN__PB_BYTES, KIN__PB_BOOL,
                                     KIN__PB_INT32,  KIN__PB_INT64, KIN__PB_DOUBLE };
    kin__pb_field zero = { 0 };
    kin__pb_field some = { .varint = 1, .len = 1 };
    kin__pb_field low_bits_zero = { .varint = UINT64_C(1) << 32 };
    kin__pb_field minus_zero = { .varint = UINT64_C(1) << 63 };

    for (size_t i = 0; i < sizeof types; i++) {
        kin__pb_row row = { .type = types[i], .flags = KIN__PB_OMITEMPTY };
        ASSERT_TRUE(kin__pb_is_omitted(&row, &zero));
        ASSERT_TRUE(!kin__pb_is_omitted(&row, &some));
        row.flags = KIN__PB_OMITEMPTY | KIN__PB_POINTER;
        ASSERT_TRUE(!kin__pb_is_omitted(&row, &zero));
        row.flags = 0;
        ASSERT_TRUE(!kin__pb_is_omitted(&row, &zero));
    }
    kin__pb_row row = { .type = KIN__PB_MESSAGE, .flags = KIN__PB_OMITEMPTY };
    ASSERT_TRUE(!kin__pb_is_omitted(&row, &zero));
    row.type = KIN__PB_INT32;
    ASSERT_TRUE(kin__pb_is_omitted(&row, &low_bits_zero));
    row.type = KIN__PB_INT64;
    ASSERT_TRUE(!kin__pb_is_omitted(&row, &low_bits_zero));
    row.type = KIN__PB_DOUBLE;
    ASSERT_TRUE(kin__pb_is_omitted(&row, &minus_zero));
}
