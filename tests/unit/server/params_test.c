/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params_test.c - the parameters of a request.
 */
#include "server/params.h"

#include "base/str.h"
#include "support/test.h"

static kin__params read_params(kin__deed deed, const char *query)
{
    kin__params params = { 0 };
    kin__refusal no = { 0 };

    ASSERT_TRUE(kin__params_read(deed, kin_str_of(query), &params, &no));
    return params;
}

static void assert_refused(kin__deed deed, const char *query, const char *message)
{
    kin__params params = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__params_read(deed, kin_str_of(query), &params, &no));
    ASSERT_EQ(no.code, 400);
    ASSERT_STR_EQ(no.reason, "BadRequest");
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), message);
}

TEST(params, are_absent_at_first)
{
    AUTO(kin__params_fini) kin__params p = read_params(KIN__DEED_LIST, "");

    ASSERT_STR_EQ(p.label_selector, NULL);
    ASSERT_STR_EQ(p.resource_version, NULL);
    ASSERT_FALSE(p.watch);
    ASSERT_EQ(p.send_initial_events, KIN__UNSET);
    ASSERT_FALSE(p.has_limit);
    ASSERT_EQ(p.pretty, KIN__UNSET);
}

TEST(params, are_all_known)
{
    AUTO(kin__params_fini)
    kin__params p = read_params(
        KIN__DEED_DELETE_COLLECTION,
        "labelSelector=a%3Db&fieldSelector=f&resourceVersion=7&resourceVersionMatch=Exact&"
        "continue=tok&includeObject=None&dryRun=All&fieldManager=me&fieldValidation=Strict&"
        "propagationPolicy=Orphan&uid=u&watch=1&allowWatchBookmarks=true&"
        "sendInitialEvents=false&pretty=1&orphanDependents=true&force=0&limit=5&"
        "timeoutSeconds=-6&gracePeriodSeconds=0");

    ASSERT_STR_EQ(p.label_selector, "a=b");
    ASSERT_STR_EQ(p.field_selector, "f");
    ASSERT_STR_EQ(p.resource_version, "7");
    ASSERT_STR_EQ(p.resource_version_match, "Exact");
    ASSERT_STR_EQ(p.continue_token, "tok");
    ASSERT_STR_EQ(p.include_object, "None");
    ASSERT_STR_EQ(p.dry_run, "All");
    ASSERT_TRUE(p.has_dry_run);
    ASSERT_STR_EQ(p.field_manager, "me");
    ASSERT_STR_EQ(p.field_validation, "Strict");
    ASSERT_STR_EQ(p.propagation_policy, "Orphan");
    ASSERT_STR_EQ(p.uid, "u");
    ASSERT_TRUE(p.watch);
    ASSERT_TRUE(p.allow_watch_bookmarks);
    ASSERT_EQ(p.send_initial_events, KIN__FALSE);
    ASSERT_EQ(p.pretty, KIN__TRUE);
    ASSERT_EQ(p.orphan_dependents, KIN__TRUE);
    ASSERT_EQ(p.force, KIN__FALSE);
    ASSERT_TRUE(p.has_limit);
    ASSERT_EQ(p.limit, 5);
    ASSERT_TRUE(p.has_timeout_seconds);
    ASSERT_EQ(p.timeout_seconds, -6);
    ASSERT_TRUE(p.has_grace_period);
    ASSERT_EQ(p.grace_period_seconds, 0);
}

TEST(params, that_come_twice_count_once)
{
    AUTO(kin__params_fini)
    kin__params p = read_params(KIN__DEED_LIST, "limit=1&limit=abc&labelSelector=&labelSelector=x");

    ASSERT_EQ(p.limit, 1);
    ASSERT_STR_EQ(p.label_selector, "");
}

TEST(params, that_nobody_knows_are_ignored)
{
    AUTO(kin__params_fini) kin__params p = read_params(KIN__DEED_LIST, "foo=1&Limit=2&limits=3");

    ASSERT_FALSE(p.has_limit);
}

TEST(params, are_true_but_for_0_and_false)
{
    static const struct {
        const char *query;
        bool want;
    } cases[] = {
        { "watch", true },        { "watch=", true },       { "watch=1", true },
        { "watch=true", true },   { "watch=no", true },     { "watch=0", false },
        { "watch=false", false }, { "watch=FaLsE", false }, { "watch=00", true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__params_fini) kin__params p = read_params(KIN__DEED_LIST, cases[i].query);
        if (p.watch != cases[i].want) {
            FAIL("%s", cases[i].query);
        }
    }
}

TEST(params, are_pretty_as_go_has_it)
{
    AUTO(kin__params_fini) kin__params yes = read_params(KIN__DEED_GET, "pretty=T");
    AUTO(kin__params_fini) kin__params no = read_params(KIN__DEED_GET, "pretty=yes");
    AUTO(kin__params_fini) kin__params empty = read_params(KIN__DEED_GET, "pretty=");

    ASSERT_EQ(yes.pretty, KIN__TRUE);
    ASSERT_EQ(no.pretty, KIN__FALSE);
    ASSERT_EQ(empty.pretty, KIN__UNSET);
}

TEST(params, that_are_no_numbers_are_refused_in_words_of_go)
{
    assert_refused(KIN__DEED_LIST, "limit=abc",
                   "strconv.ParseInt: parsing \"abc\": invalid syntax");
    assert_refused(KIN__DEED_LIST, "limit=", "strconv.ParseInt: parsing \"\": invalid syntax");
    assert_refused(KIN__DEED_WATCH, "timeoutSeconds=1s",
                   "strconv.ParseInt: parsing \"1s\": invalid syntax");
    assert_refused(KIN__DEED_LIST, "limit=%22",
                   "strconv.ParseInt: parsing \"\\\"\": invalid syntax");
    assert_refused(KIN__DEED_DELETE, "gracePeriodSeconds=-",
                   "strconv.ParseInt: parsing \"-\": invalid syntax");
    assert_refused(KIN__DEED_LIST, "limit=9223372036854775808",
                   "strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
    assert_refused(KIN__DEED_LIST, "limit=99999999999999999999999999",
                   "strconv.ParseInt: parsing \"99999999999999999999999999\": value out of range");
}

TEST(params, of_two_that_are_wrong_name_the_one_that_the_server_reads_first)
{
    assert_refused(KIN__DEED_LIST, "limit=a&timeoutSeconds=b",
                   "strconv.ParseInt: parsing \"b\": invalid syntax");
}

TEST(params, that_a_verb_does_not_have_may_be_anything)
{
    AUTO(kin__params_fini)
    kin__params p = read_params(KIN__DEED_GET, "limit=abc&timeoutSeconds=x&gracePeriodSeconds=");

    ASSERT_FALSE(p.has_limit);
    ASSERT_FALSE(p.has_grace_period);
}

TEST(params, reach_to_the_ends_of_64_bits)
{
    kin__refusal no = { 0 };
    int64_t value;

    ASSERT_TRUE(kin__params_parse_int(STR("9223372036854775807"), &value, &no));
    ASSERT_EQ(value, INT64_MAX);
    ASSERT_TRUE(kin__params_parse_int(STR("-9223372036854775808"), &value, &no));
    ASSERT_EQ(value, INT64_MIN);
    ASSERT_TRUE(kin__params_parse_int(STR("+007"), &value, &no));
    ASSERT_EQ(value, 7);
    ASSERT_FALSE(kin__params_parse_int(STR("-9223372036854775809"), &value, &no));
    kin__refusal_fini(&no);
}

TEST(params, can_be_narrowed_to_one_name)
{
    AUTO(kin__params_fini) kin__params plain = read_params(KIN__DEED_WATCH, "");
    AUTO(kin__params_fini) kin__params both = read_params(KIN__DEED_WATCH, "fieldSelector=a=b");
    kin__refusal no = { 0 };

    ASSERT_TRUE(kin__params_narrow(&plain, STR("x,y"), &no));
    ASSERT_TRUE(kin__params_narrow(&both, STR("x"), &no));

    ASSERT_STR_EQ(plain.field_selector, "metadata.name=x\\,y");
    ASSERT_STR_EQ(both.field_selector, "a=b,metadata.name=x");
}

/* A selector that was cut there would select more than it says. */
TEST(params, with_a_nul_are_refused)
{
    static const char *const queries[] = { "labelSelector=a%00b", "fieldSelector=%00", "limit=1%00",
                                           "x=%00&continue=a%00" };

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        AUTO(kin__params_fini) kin__params p = { 0 };
        AUTO(kin__refusal_fini) kin__refusal no = { 0 };
        ASSERT_FALSE(kin__params_read(KIN__DEED_LIST, kin_str_of(queries[i]), &p, &no));
        ASSERT_EQ(no.code, 400);
    }
}

TEST_FAILING_ALLOC(params, without_memory_are_refused)
{
    AUTO(kin__params_fini) kin__params p = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (!kin__params_read(KIN__DEED_LIST, STR("labelSelector=a&limit=3&continue=x"), &p, &no) ||
        !kin__params_narrow(&p, STR("name"), &no)) {
        ASSERT_TRUE(no.has_no_memory);
        return KIN_ERR_NO_MEMORY;
    }
    return KIN_OK;
}

TEST(params, tell_pretty_by_itself)
{
    static const struct {
        const char *query;
        kin__tristate want;
    } cases[] = {
        { "", KIN__UNSET },
        { "pretty=", KIN__UNSET },
        { "pretty=1", KIN__TRUE },
        { "pretty=tRuE", KIN__FALSE },
        { "limit=x&pretty=0", KIN__FALSE },
        { "prett%79=%31", KIN__TRUE },
        { "pretty=0&pretty=1", KIN__FALSE },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_EQ(kin__params_pretty(kin_str_of(cases[i].query)), cases[i].want);
    }
}
