/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wish_test.c - whether two ask for the same.
 */
#include "informer/wish.h"

#include "base/str.h"
#include "support/test.h"

static kin_error err;

static kin_informer_options asking_for(const char *resource)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = resource;
    return options;
}

/* Without a server: nothing is known but what is built in. */
static const char *meaning_of(const char *resource)
{
    static text said;
    kin__wish wish = { 0 };
    kin__buf meaning = { 0 };
    kin_informer_options options = asking_for(resource);

    ASSERT_OK(kin__wish_make(&options, &wish, &err));
    kin__wish_write_meaning(&wish, NULL, &meaning);
    text_clear(&said);
    text_append(&said, "%.*s", (int) meaning.len, meaning.data);
    kin__wish_fini(&wish);
    kin__buf_fini(&meaning);
    return said.chars;
}

static bool have_one_rest(const kin_informer_options *a, const kin_informer_options *b)
{
    kin__wish one = { 0 };
    kin__wish other = { 0 };

    ASSERT_OK(kin__wish_make(a, &one, &err));
    ASSERT_OK(kin__wish_make(b, &other, &err));
    bool have = kin__wish_has_rest_of(&one, &other);
    ASSERT_EQ(kin__wish_has_words_of(&one, &other), have);
    kin__wish_fini(&one);
    kin__wish_fini(&other);
    return have;
}

TEST(wish, means_a_resource_by_any_of_its_names)
{
    ASSERT_STR_EQ(meaning_of("po"), "/v1/pods");
    ASSERT_STR_EQ(meaning_of("Pod"), "/v1/pods");
    ASSERT_STR_EQ(meaning_of("deployments.v1.apps"), "apps/v1/deployments");
    ASSERT_STR_EQ(meaning_of("hpa"), "autoscaling//horizontalpodautoscalers");
    ASSERT_STR_EQ(meaning_of("crontabs"), "?crontabs");
    ASSERT_STR_EQ(meaning_of(""), "?");
}

TEST(wish, means_a_resource_that_is_known_as_by_its_name)
{
    kin_resource *pods;
    kin__wish wish = { 0 };
    kin__buf meaning = { 0 };
    kin_informer_options options = asking_for(NULL);
    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &pods, &err));
    options.of = pods;

    ASSERT_OK(kin__wish_make(&options, &wish, &err));
    kin_resource_unref(pods);
    kin__wish_write_meaning(&wish, NULL, &meaning);

    ASSERT_SLICE_EQ(kin__str(meaning.data, meaning.len), "/v1/pods");
    kin__wish_fini(&wish);
    kin__buf_fini(&meaning);
}

TEST(wish, is_the_same_in_other_words)
{
    static const char *const two[] = { "b", "a", NULL };
    static const char *const turned[] = { "a", "b", NULL };
    kin_informer_options a = asking_for("pods");
    kin_informer_options b = asking_for("pods");

    ASSERT_TRUE(have_one_rest(&a, &b));
    b.label_selector = "";
    b.field_selector = "";
    b.ns = "";
    ASSERT_TRUE(have_one_rest(&a, &b));
    a.label_selector = "x,y=1";
    b.label_selector = " y = 1 , x";
    ASSERT_TRUE(have_one_rest(&a, &b));
    a.namespaces = two;
    b.namespaces = turned;
    b.ns = NULL;
    ASSERT_TRUE(have_one_rest(&a, &b));
    b.label_selector = "y=2,x";
    ASSERT_FALSE(have_one_rest(&a, &b));
}

TEST(wish, is_another_that_keeps_something_else)
{
    kin_informer_options a = asking_for("pods");
    kin_informer_options b = asking_for("pods");

    b.metadata_only = true;
    ASSERT_FALSE(have_one_rest(&a, &b));
    b = a;
    b.encoding = KIN_ENCODING_JSON;
    ASSERT_FALSE(have_one_rest(&a, &b));
    b = a;
    b.keep_deleted_ms = 1;
    ASSERT_FALSE(have_one_rest(&a, &b));
    a.keep_deleted_ms = 1;
    b.keep_deleted_max = 1;
    ASSERT_FALSE(have_one_rest(&a, &b));
    b = a;
    b.resync_ms = 5;
    ASSERT_TRUE(have_one_rest(&a, &b));
}

TEST(wish, that_makes_no_sense_is_as_none_that_does)
{
    static const char *const two[] = { "a", "b", NULL };
    static const char *const one[] = { "b", NULL };
    kin_informer_options a = asking_for("pods");
    kin_informer_options b = asking_for("pods");

    a.namespaces = two;
    b.namespaces = one;
    b.ns = "a";

    ASSERT_FALSE(have_one_rest(&a, &b));
    b = a;
    b.label_selector = "a in (";
    ASSERT_FALSE(have_one_rest(&a, &b));
}

TEST_FAILING_ALLOC(wish, is_made_or_says_that_there_is_no_memory)
{
    static const char *const two[] = { "a", "b", NULL };
    kin__wish wish = { 0 };
    kin_informer_options options = asking_for("pods");
    options.label_selector = "a=b";
    options.field_selector = "metadata.name=x";
    options.namespaces = two;

    kin_err code = kin__wish_make(&options, &wish, &err);
    kin__wish_fini(&wish);
    return code;
}
