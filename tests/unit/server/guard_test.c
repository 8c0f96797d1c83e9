/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard_test.c - who is let in, and what is forbidden.  Texts are those of a kube-apiserver 1.36.3.
 */
#include "server/guard.h"

#include "base/str.h"
#include "support/test.h"

static kin__route route_of(kin__deed deed, const char *group, const char *resource, const char *ns,
                           const char *name)
{
    return (kin__route){ .deed = deed,
                         .is_resource = true,
                         .group = kin_str_of(group),
                         .version = STR("v1"),
                         .resource = kin_str_of(resource),
                         .ns = kin_str_of(ns),
                         .name = kin_str_of(name) };
}

static kin_str message_of(const kin__refusal *no)
{
    return (kin_str){ no->message.data, no->message.len };
}

/* With the header Authorization, and the name in a certificate. */
static bool authenticate(const kin__guard *guard, const char *authorization, const char *name,
                         kin_str *user, kin__refusal *no)
{
    kin__badge badge = { kin_str_of(authorization), kin_str_of(name), false };

    return kin__guard_authenticate(guard, &badge, user, no);
}

TEST(guard, lets_everybody_in_without_a_token)
{
    kin__guard guard = { 0 };
    kin__refusal no = { 0 };
    kin_str user;

    ASSERT_TRUE(authenticate(&guard, "", "", &user, &no));
    ASSERT_SLICE_EQ(user, "kin");
    ASSERT_TRUE(authenticate(&guard, "Bearer x", "", &user, &no));
}

TEST(guard, lets_in_who_has_the_token)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_error err;
    kin_str user;

    ASSERT_OK(kin__guard_set_token(&guard, STR("secret"), &err));
    ASSERT_TRUE(authenticate(&guard, "Bearer secret", "", &user, &no));
    ASSERT_SLICE_EQ(user, "kin");
    ASSERT_TRUE(authenticate(&guard, "bearer secret", "", &user, &no));
    static const char *const wrong[] = { "Bearer secre", "Bearer secret2", "Bearer Secret" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ASSERT_FALSE(authenticate(&guard, wrong[i], "", &user, &no));
        ASSERT_EQ(no.code, 401);
        ASSERT_STR_EQ(no.reason, "Unauthorized");
        ASSERT_SLICE_EQ(message_of(&no), "Unauthorized");
    }
    kin__guard_fini(&guard);
}

TEST(guard, shows_who_is_nobody_only_the_version_and_the_health)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__route path = { .deed = KIN__DEED_PATH, .path = STR("/readyz") };
    kin__route pods = route_of(KIN__DEED_LIST, "", "pods", "", "");
    kin_error err;
    kin_str user;

    ASSERT_OK(kin__guard_set_token(&guard, STR("secret"), &err));
    ASSERT_TRUE(authenticate(&guard, "Basic abc", "", &user, &no));
    ASSERT_SLICE_EQ(user, "system:anonymous");
    ASSERT_TRUE(kin__guard_authorize(&guard, user, STR("GET"), &path, &no));
    ASSERT_FALSE(kin__guard_authorize(&guard, user, STR("POST"), &path, &no));
    ASSERT_SLICE_EQ(message_of(&no),
                    "forbidden: User \"system:anonymous\" cannot post path \"/readyz\"");
    path.path = STR("/apis");
    ASSERT_FALSE(kin__guard_authorize(&guard, user, STR("GET"), &path, &no));
    ASSERT_EQ(no.code, 403);
    ASSERT_SLICE_EQ(message_of(&no),
                    "forbidden: User \"system:anonymous\" cannot get path \"/apis\"");
    ASSERT_FALSE(kin__guard_authorize(&guard, user, STR("GET"), &pods, &no));
    ASSERT_SLICE_EQ(message_of(&no),
                    "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in "
                    "API group \"\" at the cluster scope");
    kin__guard_fini(&guard);
}

TEST(guard, knows_who_shows_a_certificate)
{
    kin__guard guard = { 0 };
    kin__refusal no = { 0 };
    kin__route pods = route_of(KIN__DEED_LIST, "", "pods", "", "");
    kin_error err;
    kin_str user;

    ASSERT_OK(kin__guard_set_token(&guard, STR("secret"), &err));
    ASSERT_TRUE(authenticate(&guard, "", "jane", &user, &no));
    ASSERT_SLICE_EQ(user, "jane");
    ASSERT_TRUE(kin__guard_authorize(&guard, user, STR("GET"), &pods, &no));
    ASSERT_TRUE(authenticate(&guard, "Bearer wrong", "jane", &user, &no));
    ASSERT_SLICE_EQ(user, "jane");
    kin__guard_fini(&guard);
}

TEST(guard, lets_a_certificate_of_another_authority_in_with_a_token_only)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__badge badge = { .authorization = STR("Bearer secret"), .is_foreign = true };
    kin_error err;
    kin_str user;

    ASSERT_TRUE(kin__guard_authenticate(&guard, &badge, &user, &no)); /* everybody is let in */
    ASSERT_OK(kin__guard_set_token(&guard, STR("secret"), &err));
    ASSERT_TRUE(kin__guard_authenticate(&guard, &badge, &user, &no));
    ASSERT_SLICE_EQ(user, "kin");
    badge.authorization = STR("");
    ASSERT_FALSE(kin__guard_authenticate(&guard, &badge, &user, &no));
    ASSERT_EQ(no.code, 401);
    kin__guard_fini(&guard);
}

TEST(guard, forbids_what_a_rule_names)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__route wanted = route_of(KIN__DEED_LIST, "", "secrets", "kube-system", "");
    kin_error err;

    ASSERT_OK(kin__guard_set_rules(&guard,
                                   STR("[{\"verbs\":[\"list\"],\"resources\":[\"secrets\"],"
                                       "\"namespaces\":[\"kube-system\"]}]"),
                                   &err));
    ASSERT_FALSE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    ASSERT_SLICE_EQ(
        message_of(&no),
        "secrets is forbidden: User \"u\" cannot list resource \"secrets\" in API group "
        "\"\" in the namespace \"kube-system\"");
    wanted.deed = KIN__DEED_WATCH;
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    wanted = route_of(KIN__DEED_LIST, "", "secrets", "default", "");
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    wanted = route_of(KIN__DEED_LIST, "", "pods", "kube-system", "");
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    kin__guard_fini(&guard);
}

TEST(guard, takes_a_namespace_to_be_in_itself)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__route x = route_of(KIN__DEED_GET, "", "namespaces", "", "x");
    kin__route y = route_of(KIN__DEED_GET, "", "namespaces", "", "y");
    kin__route all = route_of(KIN__DEED_LIST, "", "namespaces", "", "");
    kin_error err;

    ASSERT_OK(kin__guard_set_rules(&guard, STR("[{\"namespaces\":[\"x\"]}]"), &err));
    ASSERT_FALSE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &x, &no));
    ASSERT_SLICE_EQ(message_of(&no), "namespaces \"x\" is forbidden: User \"u\" cannot get "
                                     "resource \"namespaces\" in API group \"\" in the "
                                     "namespace \"x\"");
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &y, &no));
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &all, &no));
    kin__guard_fini(&guard);
}

TEST(guard, takes_a_star_and_what_is_absent_for_all)
{
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__route wanted = route_of(KIN__DEED_GET, "apps", "deployments", "n", "d");
    kin_error err;

    ASSERT_OK(kin__guard_set_rules(&guard, STR("[{\"resources\":[\"deployments.apps\"]}]"), &err));
    ASSERT_FALSE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    ASSERT_SLICE_EQ(message_of(&no),
                    "deployments.apps \"d\" is forbidden: User \"u\" cannot get resource "
                    "\"deployments\" in API group \"apps\" in the namespace \"n\"");
    wanted.sub = STR("status");
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    ASSERT_OK(kin__guard_set_rules(&guard, STR("[{\"verbs\":[\"*\"]}]"), &err));
    ASSERT_FALSE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    ASSERT_CONTAINS(message_of(&no).data, "cannot get resource \"deployments/status\" in");
    ASSERT_OK(kin__guard_set_rules(&guard, STR("[]"), &err));
    ASSERT_TRUE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    kin__guard_fini(&guard);
}

TEST(guard, refuses_rules_that_are_none_and_keeps_the_old_ones)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        { "{}", "rules: not an array" },
        { "[1]", "rules[0]: not an object" },
        { "[{},{\"verb\":[]}]", "rules[1]: \"verb\" is none of verbs, resources, namespaces" },
        { "[{\"verbs\":\"get\"}]", "rules[0].verbs: not an array of strings" },
        { "[{\"verbs\":[1]}]", "rules[0].verbs: not an array of strings" },
    };
    kin__guard guard = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__route wanted = route_of(KIN__DEED_GET, "", "pods", "n", "p");
    kin_error err;

    ASSERT_OK(kin__guard_set_rules(&guard, STR("[{}]"), &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_ERR(kin__guard_set_rules(&guard, kin_str_of(cases[i].json), &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, cases[i].message);
    }
    ASSERT_FALSE(kin__guard_authorize(&guard, STR("u"), STR("GET"), &wanted, &no));
    kin__guard_fini(&guard);
}

TEST_FAILING_ALLOC(guard, survives_without_memory)
{
    kin__guard guard = { 0 };
    kin_error err;
    kin_err code = kin__guard_set_token(&guard, STR("secret"), &err);

    if (code == KIN_OK) {
        code = kin__guard_set_rules(&guard, STR("[{\"verbs\":[\"get\"]}]"), &err);
    }
    kin__guard_fini(&guard);
    return code;
}
