/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_version_test.c - records read through another version.
 */
#include "server/record_version.h"

#include "unit/server/reading.h"

static desk d;

TEST(record_version, is_the_record_itself_where_it_is_stored_so)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);
    const kin__served *maps = desk_served(&d, "", "v1", "configmaps");
    kin__record *record = kin__collection_get(maps->collection, STR("demo/c-1"));

    AUTO(kin__record_unref) kin__record *shown = kin__record_for(maps, record);

    ASSERT_TRUE(shown == record);
    desk_close(&d);
}

TEST(record_version, says_the_other_version)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    add_custom(&d.s);
    const kin__served *v1 = desk_served(&d, "example.com", "v1", "widgets");
    desk_put(&d, v1,
             "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"},\"spec\":{\"a\":1}}");
    kin__record *record = kin__collection_get(v1->collection, STR("demo/w"));

    AUTO(kin__record_unref)
    kin__record *shown =
        kin__record_for(desk_served(&d, "example.com", "v1beta1", "widgets"), record);

    ASSERT_SLICE_EQ(kin__record_text(shown),
                    "{\"apiVersion\":\"example.com/v1beta1\",\"kind\":\"Widget\",\"metadata\":{"
                    "\"name\":\"w\",\"namespace\":\"demo\",\"resourceVersion\":\"2\"},\"spec\":{"
                    "\"a\":1}}");
    ASSERT_EQ(shown->revision, 2);
    desk_close(&d);
}

TEST(record_version, has_a_head_of_the_right_length)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    add_custom(&d.s);

    ASSERT_EQ(kin__record_head_len(desk_served(&d, "apps", "v1", "deployments")),
              strlen("{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\","));
    ASSERT_EQ(kin__record_head_len(desk_served(&d, "example.com", "v1", "widgets")), 0);

    desk_close(&d);
}
