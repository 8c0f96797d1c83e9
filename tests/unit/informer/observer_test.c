/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer_test.c - an informer as the layers above see it.
 */
#include "base/str.h"
#include "unit/informer/scene.h"

static scene s;

static void count(void *context)
{
    (*(int *) context)++;
}

TEST(observer, hears_of_each_turn_until_it_observes_no_more)
{
    int turns = 0;
    kin__informer_observer observer = { .fn = count, .context = &turns };

    scene_open(&s);
    begin_informer(&s, NULL);
    kin__informer_observe(s.informer, &observer);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    settle(&s);
    ASSERT_TRUE(turns > 0);
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    int before = turns;
    send_bookmark(&s, "13");
    settle(&s);
    ASSERT_TRUE(turns > before);

    kin__informer_unobserve(s.informer, &observer);
    kin__informer_unobserve(s.informer, &observer);
    before = turns;
    send_bookmark(&s, "14");
    settle(&s);

    ASSERT_EQ(turns, before);
    scene_close(&s);
}

TEST(observer, finds_what_the_store_has_seen)
{
    scene_open(&s);
    begin_informer(&s, NULL);
    ASSERT_FALSE(kin__informer_has_seen(s.informer, STR("shop/a"), STR("5")));
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    settle(&s);

    ASSERT_TRUE(kin__informer_has_seen(s.informer, STR("shop/a"), STR("12")));
    ASSERT_TRUE(kin__informer_has_seen(s.informer, STR("shop/gone"), STR("3")));
    ASSERT_FALSE(kin__informer_has_seen(s.informer, STR("shop/a"), STR("13")));
    scene_close(&s);
}

TEST(observer, learns_what_the_resource_is)
{
    scene_open(&s);
    s.has_no_resources = true;
    begin_informer(&s, NULL);
    ASSERT_TRUE(kin__informer_resource(s.informer) == NULL);

    answer_resource(&s, NULL);
    settle(&s);

    const kin_resource *found = kin__informer_resource(s.informer);
    ASSERT_STR_EQ(kin_resource_kind(found), "Pod");
    kin_resource_unref(found);
    ASSERT_TRUE(kin__informer_client(s.informer) == NULL); /* a script's */
    ASSERT_TRUE(kin__informer_has_namespace(s.informer, STR("any")));
    scene_close(&s);
}

TEST(observer, finds_each_namespace_by_itself)
{
    static const char *const namespaces[] = { "shop", "bank", NULL };
    kin_informer_options options;

    scene_open(&s);
    options = pods_options(&s);
    options.namespaces = namespaces;
    begin_informer(&s, &options);
    expect_call(&s, "list pods in shop rv=0");
    end_page(&s, "12");
    expect_call(&s, "list pods in bank rv=0");
    end_page(&s, "20");
    settle(&s);

    ASSERT_TRUE(kin__informer_has_namespace(s.informer, STR("bank")));
    ASSERT_FALSE(kin__informer_has_namespace(s.informer, STR("home")));
    ASSERT_TRUE(kin__informer_has_seen(s.informer, STR("bank/a"), STR("20")));
    ASSERT_FALSE(kin__informer_has_seen(s.informer, STR("shop/a"), STR("20")));
    scene_close(&s);
}
