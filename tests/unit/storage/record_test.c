/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_test.c - one state of one object.
 */
#include "storage/record.h"

#include "base/alloc.h"
#include "keeping.h"

TEST(record, shows_the_text_and_the_key_of_its_object)
{
    kin__record *record = NULL;
    kin_error err;

    ASSERT_OK(make_record("shop/cart", 7, &record, &err));

    ASSERT_SLICE_EQ(kin__record_text(record),
                    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cart\","
                    "\"namespace\":\"shop\",\"resourceVersion\":\"7\"}}");
    ASSERT_SLICE_EQ(kin__record_key(record), "shop/cart");
    ASSERT_EQ(record->revision, 7);
    kin__record_unref(record);
}

TEST(record, goes_with_its_forms_when_the_last_reference_goes)
{
    kin__record *record = NULL;
    kin_error err;
    long long before = live_blocks();

    ASSERT_OK(make_record("a", 1, &record, &err));
    record->forms[1].data = kin__alloc(10);
    kin__record *again = kin__record_ref(record);
    kin__record_unref(record);
    ASSERT_SLICE_EQ(kin__record_key(again), "a");
    kin__record_unref(again);
    kin__record_unref(NULL);

    ASSERT_EQ(live_blocks(), before);
}

TEST_FAILING_ALLOC(record, leaves_the_object_to_the_caller_without_memory)
{
    kin__record *record = NULL;
    kin_error err;

    kin_err code = make_record("a", 1, &record, &err);
    kin__record_unref(record);
    return code;
}
