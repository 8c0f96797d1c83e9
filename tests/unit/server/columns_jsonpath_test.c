/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_jsonpath_test.c - JSONPath as paths.
 */
#include "server/columns_jsonpath.h"

#include "base/str.h"
#include "kin/path.h"
#include "support/test.h"

/* The path that `jsonpath` is, "none" for one that is not known. */
static const char *path_of(const char *jsonpath)
{
    static text got;
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_path *path;

    text_clear(&got);
    if (!kin__jsonpath_translate(kin_str_of(jsonpath), &out)) {
        return "none";
    }
    if (kin_path_new(out.data, &path, NULL) != KIN_OK) {
        return "no path";
    }
    text_append(&got, "%s", kin_path_text(path));
    kin_path_free(path);
    return got.chars;
}

TEST(columns_jsonpath, knows_members_and_elements)
{
    ASSERT_STR_EQ(path_of(".spec.replicas"), "spec.replicas");
    ASSERT_STR_EQ(path_of(".spec.ports[0].port"), "spec.ports[0].port");
    ASSERT_STR_EQ(path_of(".a[-1]"), "a[-1]");
    ASSERT_STR_EQ(path_of(".a[*].b"), "a[*].b");
    ASSERT_STR_EQ(path_of(".a.*"), "a[*]");
    ASSERT_STR_EQ(path_of("."), "");
}

TEST(columns_jsonpath, knows_names_with_dots)
{
    ASSERT_STR_EQ(path_of(".metadata.labels.app\\.io/x"), "metadata.labels[\"app.io/x\"]");
    ASSERT_STR_EQ(path_of(".metadata.labels['app\\.io/x']"), "metadata.labels[\"app.io/x\"]");
    ASSERT_STR_EQ(path_of(".metadata.labels['a.b']"), "metadata.labels.a.b");
    ASSERT_STR_EQ(path_of(".a['b'].c"), "a.b.c");
}

TEST(columns_jsonpath, knows_filters_by_one_member)
{
    const char *ready = "status.conditions[?type==\"Ready\"].status";

    ASSERT_STR_EQ(path_of(".status.conditions[?(@.type==\"Ready\")].status"), ready);
    ASSERT_STR_EQ(path_of(".status.conditions[?(@.type=='Ready')].status"), ready);
    ASSERT_STR_EQ(path_of(".status.conditions[?( @.type == 'Ready' )].status"), ready);
    ASSERT_STR_EQ(path_of(".a[?(@.n!=3)]"), "a[?n!=3]");
    ASSERT_STR_EQ(path_of(".a[?(@.n==true)]"), "a[?n==true]");
}

TEST(columns_jsonpath, does_not_know_the_rest)
{
    static const char *const others[] = {
        "spec",
        ".a..b",
        ".a[0:1]",
        ".a[0,1]",
        ".a[",
        ".a[]",
        ".a['",
        ".a['b'",
        ".a[?(@.b)]",
        ".a[?(@.b<3)]",
        ".a[?(@.b.c==3)]",
        ".a[?(@.b==3]",
        ".a[?(@.b=='x)]",
        ".a[?(@.b=='x\\",
        "..",
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(path_of(others[i]), "none") != 0) {
            FAIL("%s is %s", others[i], path_of(others[i]));
        }
    }
}

TEST_FAILING_ALLOC(columns_jsonpath, remembers_that_there_was_no_memory)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    bool is_known = kin__jsonpath_translate(STR(".a['b\\.c'][?(@.d=='e')]"), &out);

    return is_known && !kin__buf_failed(&out) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
