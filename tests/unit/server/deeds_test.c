/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deeds_test.c - what requests do.
 */
#include "server/deeds.h"

#include "support/test.h"

TEST(deeds, have_the_names_of_authorization)
{
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_GET), "get");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_LIST), "list");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_WATCH), "watch");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_CREATE), "create");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_UPDATE), "update");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_PATCH), "patch");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_DELETE), "delete");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_DELETE_COLLECTION), "deletecollection");
}

TEST(deeds, without_a_resource_have_none)
{
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_PATH), "");
    ASSERT_STR_EQ(kin__deed_name(KIN__DEED_NONE), "");
}
