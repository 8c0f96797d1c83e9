/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing_test.c - lists: ranges, limits, older revisions.
 */
#include "keeping.h"
#include "storage/storage.h"

static void check(const kin__collection *collection, kin__range range, const char *want)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    text got = { 0 };
    kin_error err;

    ASSERT_OK(kin__collection_list(collection, &range, &listing, &err));
    append_listing(&got, &listing);
    ASSERT_STR_EQ(got.chars, want);
    ASSERT_TRUE(listing.has_more || listing.remaining == 0);
}

static kin__storage *storage;
static kin__collection *pods;

/* Revisions 2 to 6. */
static void put_five(void)
{
    make_collection(100, &storage, &pods);
    put(pods, "b/y");
    put(pods, "a/x");
    put(pods, "b/x");
    put(pods, "b0/x");
    put(pods, "c/x");
}

static void end(void)
{
    kin__collection_free(pods);
    kin__storage_free(storage);
}

TEST(listing, has_everything_in_order)
{
    put_five();

    check(pods, (kin__range){ 0 }, "a/x@3 b/x@4 b/y@2 b0/x@5 c/x@6 ");

    end();
}

TEST(listing, keeps_to_a_prefix)
{
    put_five();

    check(pods, (kin__range){ .prefix = STR("b/") }, "b/x@4 b/y@2 ");
    check(pods, (kin__range){ .prefix = STR("d/") }, "");
    check(pods, (kin__range){ .prefix = STR("b/"), .start = STR("b/x\0") }, "b/y@2 ");
    check(pods, (kin__range){ .prefix = STR("b/"), .start = STR("a/x") }, "b/x@4 b/y@2 ");
    check(pods, (kin__range){ .prefix = STR("b/"), .start = STR("c/x") }, "");

    end();
}

TEST(listing, ends_at_its_limit_and_counts_what_remains)
{
    put_five();

    check(pods, (kin__range){ .limit = 2 }, "a/x@3 b/x@4 +3");
    check(pods, (kin__range){ .limit = 2, .start = STR("b/x\0") }, "b/y@2 b0/x@5 +1");
    check(pods, (kin__range){ .limit = 5 }, "a/x@3 b/x@4 b/y@2 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .limit = 1, .prefix = STR("b/") }, "b/x@4 +1");

    end();
}

static bool is_x(void *context, const kin_object *object)
{
    (void) context;
    return kin__str_equal(kin_object_name(object), STR("x"));
}

TEST(listing, fills_a_page_with_what_matches)
{
    put_five();

    check(pods, (kin__range){ .matches = is_x }, "a/x@3 b/x@4 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .matches = is_x, .limit = 2 }, "a/x@3 b/x@4 +3");
    check(pods, (kin__range){ .matches = is_x, .limit = 4 }, "a/x@3 b/x@4 b0/x@5 c/x@6 ");

    end();
}

TEST(listing, shows_what_there_was_at_a_revision)
{
    put_five();
    put(pods, "a/x");  /* 7 */
    take(pods, "b/y"); /* 8 */
    put(pods, "b/a");  /* 9 */
    take(pods, "b/a"); /* 10 */
    put(pods, "b/y");  /* 11 */

    check(pods, (kin__range){ .revision = 6 }, "a/x@3 b/x@4 b/y@2 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .revision = 8 }, "a/x@7 b/x@4 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .revision = 9 }, "a/x@7 b/a@9 b/x@4 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .revision = 11 }, "a/x@7 b/x@4 b/y@11 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .revision = 99 }, "a/x@7 b/x@4 b/y@11 b0/x@5 c/x@6 ");
    check(pods, (kin__range){ .revision = 1 }, "");
    check(pods, (kin__range){ .revision = 9, .limit = 2 }, "a/x@7 b/a@9 +3");

    end();
}

TEST(listing, outlives_the_records_places)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    kin__range all = { 0 };
    text got = { 0 };
    kin_error err;
    put_five();

    ASSERT_OK(kin__collection_list(pods, &all, &listing, &err));
    end();

    append_listing(&got, &listing);
    ASSERT_STR_EQ(got.chars, "a/x@3 b/x@4 b/y@2 b0/x@5 c/x@6 ");
}

TEST(listing, refuses_a_revision_that_was_forgotten)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    kin__range range = { .revision = 3 };
    kin_error err;
    put_five();

    kin__storage_compact(storage, 4);

    ASSERT_ERR(kin__collection_list(pods, &range, &listing, &err), KIN_ERR_EXPIRED);
    ASSERT_MESSAGE(&err, "list at revision 3: 4 is the oldest one that is known");
    check(pods, (kin__range){ .revision = 4 }, "a/x@3 b/x@4 b/y@2 ");
    end();
}

TEST_FAILING_ALLOC(listing, is_all_or_nothing_without_memory)
{
    static const kin__range ranges[] = {
        { .limit = 100 },
        { .revision = 50, .matches = is_x },
    };
    kin__storage_options options = { .history_max = 200 };
    kin__storage *store = NULL;
    kin__collection *collection = NULL;
    kin_error err;

    kin_err code = kin__storage_new(&options, &store, &err);
    if (code == KIN_OK) {
        code = kin__collection_new(store, &collection, &err);
    }
    for (size_t i = 0; code == KIN_OK && i < 100; i++) {
        char key[16];
        (void) snprintf(key, sizeof key, "n%zu/x", i);
        code = try_put(collection, key, &err);
    }
    for (size_t i = 0; code == KIN_OK && i < 2; i++) {
        AUTO(kin__listing_fini) kin__listing listing = { 0 };
        code = kin__collection_list(collection, &ranges[i], &listing, &err);
        ASSERT_EQ(listing.count, code != KIN_OK ? 0 : i == 0 ? 100 : 49);
    }
    kin__collection_free(collection);
    kin__storage_free(store);
    return code;
}
