/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_make_test.c - an informer of its options.
 */
#include "unit/informer/scene.h"

static scene s;

TEST(informer_make, has_the_indexes_it_was_made_with)
{
    scene_open(&s);
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "uid";
    index.path = "metadata.uid";
    kin_informer_options options = pods_options(&s);
    options.indexes = &index;
    options.index_count = 1;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_EQ(kin_view_index_count(&view, "uid", kin_str_of("u-a")), 1);
    kin_store_done(&view);
    scene_close(&s);
}

static void expect_refused(kin_informer_options options, kin_err code, const char *message)
{
    ASSERT_ERR(make_informer(&s, &options), code);
    ASSERT_MESSAGE(&s.err, message);
}

TEST(informer_make, refuses_options_that_make_no_sense)
{
    const char *const twice[] = { "shop", "shop", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resource = NULL;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: one of `resource` and `of` must be "
                   "given");
    options = pods_options(&s);
    options.namespaces = twice;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: \"shop\" twice in `namespaces`");
    options.ns = "bank";
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: both `ns` and `namespaces` are given");
    options = pods_options(&s);
    options.label_selector = "a in (";
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_MALFORMED);
    options = pods_options(&s);
    options.size = 0;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    scene_close(&s);
}

TEST(informer_make, copies_strings)
{
    char resource[] = "pods";
    char ns[] = "shop";
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resource = resource;
    options.ns = ns;
    ASSERT_OK(make_informer(&s, &options));
    resource[0] = ns[0] = 'x';

    ASSERT_OK(kin_informer_start(s.informer, &s.err));

    expect_call(&s, "list pods in shop rv=0");
    scene_close(&s);
}

TEST(informer_make, takes_an_empty_namespace_for_all)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.ns = "";

    begin_informer(&s, &options);

    expect_call(&s, "list pods rv=0");
    scene_close(&s);
}

TEST_FAILING_ALLOC(informer_make, makes_it_or_says_that_there_is_no_memory)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    kin_err code = scene_try_to_open(&s);

    if (code == KIN_OK) {
        kin_informer_options options = pods_options(&s);
        index.name = "uid";
        index.path = "metadata.uid";
        options.indexes = &index;
        options.index_count = 1;
        options.namespaces = namespaces;
        options.label_selector = "a=b";
        code = make_informer(&s, &options);
    }
    scene_close(&s);
    return code;
}
