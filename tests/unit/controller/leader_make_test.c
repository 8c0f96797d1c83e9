/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_make_test.c - a leader of its options.
 */
#include <string.h>

#include "unit/controller/stand.h"

static stand s;

static void expect_refused(const kin_leader_options *options, const char *words)
{
    ASSERT_ERR(stand_make(&s, options), KIN_ERR_USAGE);
    ASSERT_CONTAINS(s.err.message, words);
    ASSERT_TRUE(s.leader == NULL);
}

TEST(leader_make, needs_a_name)
{
    stand_open(&s);
    kin_leader_options options = stand_options(&s);

    options.name = NULL;
    expect_refused(&options, "`name`");
    options.name = "";
    expect_refused(&options, "`name`");
    stand_close(&s);
}

TEST(leader_make, needs_options_that_are_initialised)
{
    stand_open(&s);
    kin_leader_options options;

    memset(&options, 0, sizeof options);
    expect_refused(&options, "kin_leader_options");
    stand_close(&s);
}

TEST(leader_make, needs_a_client)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;
    kin_leader *leader = NULL;
    kin_error err;

    options.name = "foo";
    ASSERT_ERR(kin_leader_new(NULL, &options, &leader, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make a leader: there is no client");
}

TEST(leader_make, refuses_an_identity_that_no_status_could_show)
{
    static char identity[KIN__LEASE_HOLDER_MAX + 2];

    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.identity = "";
    expect_refused(&options, "`identity`");
    options.identity = "\xff";
    expect_refused(&options, "`identity`");
    memset(identity, 'x', KIN__LEASE_HOLDER_MAX + 1);
    options.identity = identity;
    expect_refused(&options, "256 bytes");

    identity[KIN__LEASE_HOLDER_MAX] = '\0';
    ASSERT_OK(stand_make(&s, &options));
    ASSERT_STR_EQ(status_of(&s).identity, identity);
    stand_close(&s);
}

TEST(leader_make, refuses_times_that_leave_no_margin)
{
    static const uint32_t times[][3] = {
        { 15000, 15000, 2000 }, { 10000, 15000, 2000 }, { 15000, 10000, 10000 },
        { 15000, 2400, 2000 },  { 1500, 1000, 100 },    { 4294967000, 10000, 2000 },
        { 15000, 0, 9000 },     { 10000, 0, 0 },
    };
    static const char *const words[] = { "`lease_ms`", "`lease_ms`", "1.2 x", "1.2 x",
                                         "seconds",    "20 days",    "1.2 x", "more than `renew" };

    stand_open(&s);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        kin_leader_options options = stand_options(&s);
        options.lease_ms = times[i][0];
        options.renew_ms = times[i][1];
        options.retry_ms = times[i][2];
        expect_refused(&options, words[i]);
    }
    kin_leader_options options = stand_options(&s);
    options.renew_ms = 2401;
    ASSERT_OK(stand_make(&s, &options));
    stand_close(&s);
}

TEST(leader_make, has_the_times_of_the_control_plane_unless_told_otherwise)
{
    stand_open(&s);
    ASSERT_OK(stand_make(&s, NULL));

    ASSERT_EQ(s.leader->options.lease_ms, 15000);
    ASSERT_EQ(s.leader->options.renew_ms, 10000);
    ASSERT_EQ(s.leader->options.retry_ms, 2000);
    stand_close(&s);
}

TEST(leader_make, takes_the_namespace_of_the_configuration_where_none_is_given)
{
    stand_open(&s);
    kin_leader_options options = stand_options(&s);
    options.ns = NULL;
    stand_begin(&s, &options);

    ASSERT_STR_EQ(s.request.ns, "elsewhere");
    options.ns = "";
    stand other;
    stand_open(&other);
    ASSERT_ERR(stand_make(&other, &options), KIN_ERR_USAGE);
    stand_close(&other);
    stand_close(&s);
}

TEST(leader_make, gives_each_an_identity_of_its_own)
{
    stand other;

    stand_open(&s);
    stand_open(&other);
    kin_leader_options options = stand_options(&s);
    options.identity = NULL;
    ASSERT_OK(stand_make(&s, &options));
    ASSERT_OK(stand_make(&other, &options));

    kin_leader_status a = status_of(&s);
    kin_leader_status b = status_of(&other);
    ASSERT_TRUE(strcmp(a.identity, b.identity) != 0);
    const char *random = strrchr(a.identity, '_');
    ASSERT_TRUE(random != NULL && random > a.identity && strlen(random) == 33);
    stand_close(&other);
    stand_close(&s);
}

TEST_FAILING_ALLOC(leader_make, survives_a_lack_of_memory)
{
    kin_metrics *metrics = NULL;
    kin_error err;
    kin_err code = kin_metrics_new(&metrics, &err);

    if (code != KIN_OK) {
        return code;
    }
    code = stand_try_to_open(&s);
    if (code == KIN_OK) {
        kin_leader_options options = stand_options(&s);
        options.metrics = metrics;
        code = stand_make(&s, &options);
    }
    stand_close(&s);
    kin_metrics_free(metrics);
    return code;
}
