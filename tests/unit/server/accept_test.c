/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept_test.c - the header Accept.
 */
#include "server/accept.h"

#include "base/str.h"
#include "support/test.h"

static bool allow_all(const void *context, kin__form_encoding encoding, const kin__wish *wish)
{
    (void) context;
    (void) encoding;
    (void) wish;
    return true;
}

/* "json" or "proto" and what is wanted; "none". */
static void assert_chosen(const char *accept, const char *want)
{
    kin__form_encoding encoding;
    kin__wish wish;
    text got = { 0 };

    if (!kin__accept_negotiate(kin_str_of(accept), allow_all, NULL, &encoding, &wish)) {
        text_append(&got, "none");
    } else {
        text_append(&got, "%s", encoding == KIN__FORM_JSON ? "json" : "proto");
        if (wish.has_convert) {
            text_append(&got, " as=%.*s g=%.*s v=%.*s", KIN_STR_ARG(wish.as),
                        KIN_STR_ARG(wish.group), KIN_STR_ARG(wish.version));
        }
    }
    ASSERT_STR_EQ(got.chars, want);
}

TEST(accept, is_json_where_nothing_is_said)
{
    assert_chosen("", "json");
    assert_chosen("*/*", "json");
    assert_chosen("*", "json");
    assert_chosen("application/*", "json");
}

TEST(accept, names_media_types)
{
    assert_chosen("application/json", "json");
    assert_chosen("application/vnd.kubernetes.protobuf", "proto");
    assert_chosen(" application / json ", "json");
    assert_chosen("application/xml", "none");
    assert_chosen("APPLICATION/JSON", "none");
    assert_chosen("application", "none");
    assert_chosen("application/json/x", "none");
    assert_chosen("text/*", "none");
    assert_chosen(",,;", "none");
}

TEST(accept, goes_by_quality)
{
    assert_chosen("application/json;q=0.1,application/vnd.kubernetes.protobuf;q=0.9", "proto");
    assert_chosen("application/json;q=0.9,application/vnd.kubernetes.protobuf;q=0.95", "proto");
    assert_chosen("application/json;q=0.2,application/vnd.kubernetes.protobuf;q=0.15", "json");
    assert_chosen("application/json;q=1.0,application/vnd.kubernetes.protobuf", "json");
    assert_chosen("application/json;q=x,application/vnd.kubernetes.protobuf;q=0.001", "proto");
    assert_chosen("application/json;q=0", "json");
}

TEST(accept, prefers_what_is_named_to_what_is_meant_too)
{
    assert_chosen("*/*,application/vnd.kubernetes.protobuf", "proto");
    assert_chosen("application/*,application/vnd.kubernetes.protobuf", "proto");
    assert_chosen("*/*,application/*", "json");
}

TEST(accept, keeps_the_order_of_equals)
{
    assert_chosen("application/vnd.kubernetes.protobuf,application/json", "proto");
    assert_chosen("application/json,application/vnd.kubernetes.protobuf", "json");
}

TEST(accept, carries_parameters)
{
    assert_chosen("application/json;as=Table;v=v1;g=meta.k8s.io",
                  "json as=Table g=meta.k8s.io v=v1");
    assert_chosen("application/json; as = Table ; q=0.5", "json as=Table g= v=");
    assert_chosen("application/json;as;v=;as=b=c;charset=utf-8", "json");
}

TEST(accept, without_conversion_is_plain)
{
    kin__form_encoding encoding;
    kin__wish wish;

    ASSERT_TRUE(kin__accept_negotiate(STR("application/json;as=Table;v=v1;g=meta.k8s.io,"
                                          "application/vnd.kubernetes.protobuf;pretty=1"),
                                      kin__accept_plain, NULL, &encoding, &wish));
    ASSERT_EQ(encoding, KIN__FORM_PROTO);
    ASSERT_TRUE(wish.is_pretty);
    ASSERT_TRUE(kin__accept_negotiate(STR("application/json;stream=watch"), kin__accept_plain, NULL,
                                      &encoding, &wish));
    ASSERT_FALSE(kin__accept_negotiate(STR("application/json;stream=x"), kin__accept_plain, NULL,
                                       &encoding, &wish));
    ASSERT_FALSE(kin__accept_negotiate(STR("application/json;sv=v1"), kin__accept_plain, NULL,
                                       &encoding, &wish));
}

TEST(accept, is_searched_for_names)
{
    static const char *const types[] = { "application/json", "text/plain", NULL };

    ASSERT_TRUE(kin__accept_names(STR(""), types));
    ASSERT_TRUE(kin__accept_names(STR("a/b, text/plain ;q=0"), types));
    ASSERT_TRUE(kin__accept_names(STR("a/b,*/*"), types));
    ASSERT_FALSE(kin__accept_names(STR("application/*"), types));
    ASSERT_FALSE(kin__accept_names(STR("text/plain2,"), types));
    ASSERT_EQ(kin__accept_first(STR("a/b,text/plain,application/json"), types), 1);
    ASSERT_EQ(kin__accept_first(STR("a/b"), types), 2);
    ASSERT_EQ(kin__accept_first(STR(""), types), 0);
}

TEST(accept, may_be_endless)
{
    text endless = { 0 };

    for (int i = 0; i < 500; i++) {
        text_append(&endless, "a/b;q=0.%d,", i);
    }
    text_append(&endless, "application/json");

    assert_chosen(endless.chars, "none");
}
