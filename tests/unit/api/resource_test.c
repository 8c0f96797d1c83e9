/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_test.c - a resource of the API: where its objects live and what they are.
 */
#include "api/resource.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

static kin__resource_facts deployment_facts(const kin_str *verbs, size_t verb_count,
                                            const kin_str *short_names, size_t short_name_count)
{
    return (kin__resource_facts){
        .group = STR("apps"),
        .version = STR("v1"),
        .name = STR("deployments"),
        .kind = STR("Deployment"),
        .singular = STR("deployment"),
        .is_namespaced = true,
        .verbs = verbs,
        .verb_count = verb_count,
        .short_names = short_names,
        .short_name_count = short_name_count,
    };
}

TEST(resource, tells_what_it_was_made_of)
{
    kin_resource *resource;
    kin_error err;

    ASSERT_OK(kin_resource_new("apps", "v1", "deployments", "Deployment", true, &resource, &err));

    ASSERT_STR_EQ(kin_resource_group(resource), "apps");
    ASSERT_STR_EQ(kin_resource_version(resource), "v1");
    ASSERT_STR_EQ(kin_resource_api_version(resource), "apps/v1");
    ASSERT_STR_EQ(kin_resource_name(resource), "deployments");
    ASSERT_STR_EQ(kin_resource_kind(resource), "Deployment");
    ASSERT_STR_EQ(kin_resource_singular(resource), "");
    ASSERT_TRUE(kin_resource_is_namespaced(resource));
    ASSERT_TRUE(kin_resource_unref(resource) == NULL);
}

TEST(resource, of_the_core_group_has_a_version_alone)
{
    kin_resource *resource;

    ASSERT_OK(kin_resource_new(NULL, "v1", "nodes", "Node", false, &resource, NULL));

    ASSERT_STR_EQ(kin_resource_group(resource), "");
    ASSERT_STR_EQ(kin_resource_api_version(resource), "v1");
    ASSERT_FALSE(kin_resource_is_namespaced(resource));
    kin_resource_unref(resource);
}

TEST(resource, that_a_program_made_can_do_everything)
{
    kin_resource *resource;
    const char *short_name;

    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &resource, NULL));

    ASSERT_TRUE(kin_resource_can(resource, "watch"));
    ASSERT_FALSE(kin_resource_short_name(resource, 0, &short_name));
    kin_resource_unref(resource);
}

TEST(resource, of_discovery_can_do_what_the_server_said)
{
    const kin_str verbs[] = { STR("get"), STR("list") };
    const kin_str short_names[] = { STR("deploy"), STR("dp") };
    kin__resource_facts facts = deployment_facts(verbs, 2, short_names, 2);
    kin_resource *resource;
    const char *short_name;
    kin_error err;

    ASSERT_OK(kin__resource_make(&facts, &resource, &err));

    ASSERT_STR_EQ(kin_resource_singular(resource), "deployment");
    ASSERT_TRUE(kin_resource_can(resource, "get"));
    ASSERT_TRUE(kin_resource_can(resource, "list"));
    ASSERT_FALSE(kin_resource_can(resource, "watch"));
    ASSERT_FALSE(kin_resource_can(resource, NULL));
    ASSERT_TRUE(kin_resource_short_name(resource, 0, &short_name));
    ASSERT_STR_EQ(short_name, "deploy");
    ASSERT_TRUE(kin_resource_short_name(resource, 1, &short_name));
    ASSERT_STR_EQ(short_name, "dp");
    ASSERT_FALSE(kin_resource_short_name(resource, 2, &short_name));
    kin_resource_unref(resource);
}

TEST(resource, without_verbs_can_do_nothing)
{
    const kin_str none[1] = { STR("") };
    kin__resource_facts facts = deployment_facts(none, 0, NULL, 0);
    kin_resource *resource;
    kin_error err;

    ASSERT_OK(kin__resource_make(&facts, &resource, &err));

    ASSERT_FALSE(kin_resource_can(resource, "get"));
    kin_resource_unref(resource);
}

TEST(resource, lives_as_long_as_its_last_reference)
{
    kin_resource *resource;

    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &resource, NULL));
    ASSERT_TRUE(kin_resource_ref(resource) == resource);
    kin_resource_unref(resource);

    ASSERT_STR_EQ(kin_resource_name(resource), "pods");
    kin_resource_unref(resource);
    ASSERT_TRUE(kin_resource_ref(NULL) == NULL);
    ASSERT_TRUE(kin_resource_unref(NULL) == NULL);
}

TEST(resource, refuses_names_that_cannot_be_part_of_a_url)
{
    kin_resource *out = NULL;
    kin_error err;

    ASSERT_ERR(kin_resource_new("", "v1", "pods/status", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "new resource: its name \"pods/status\" is no name");
    ASSERT_ERR(kin_resource_new("", "v1", "..", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_resource_new("", "v1", "pods.v1", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "new resource: its name \"pods.v1\" has a dot");
    ASSERT_ERR(kin_resource_new("", "v1.2", "pods", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_resource_new("", "", "pods", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "new resource: its version is empty");
    ASSERT_ERR(kin_resource_new("", "v1", NULL, "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_resource_new("", "v1", "pods", "", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_resource_new("a b", "v1", "pods", "Pod", true, &out, &err), KIN_ERR_USAGE);
    ASSERT_TRUE(out == NULL);
}

TEST(resource, of_discovery_with_an_impossible_name_is_malformed)
{
    const kin_str words[] = { STR("get"), STR("a?b") };
    kin__resource_facts facts = deployment_facts(words, 2, NULL, 0);
    kin_resource *out;
    kin_error err;

    ASSERT_ERR(kin__resource_make(&facts, &out, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "its verb \"a?b\" is no name");
    facts = deployment_facts(words, 1, words, 2);
    ASSERT_ERR(kin__resource_make(&facts, &out, &err), KIN_ERR_MALFORMED);
    facts = deployment_facts(words, 1, NULL, 0);
    facts.singular = STR("\n");
    ASSERT_ERR(kin__resource_make(&facts, &out, &err), KIN_ERR_MALFORMED);
}

TEST(resource, has_names_of_253_bytes_at_most)
{
    char name[300];

    memset(name, 'a', sizeof name);

    ASSERT_TRUE(kin__resource_is_name(kin__str(name, 253)));
    ASSERT_FALSE(kin__resource_is_name(kin__str(name, 254)));
    ASSERT_FALSE(kin__resource_is_name(STR("")));
    ASSERT_FALSE(kin__resource_is_name(STR(".")));
    ASSERT_FALSE(kin__resource_is_name(STR("..a")));
    ASSERT_FALSE(kin__resource_is_name(STR("-a")));
    ASSERT_TRUE(kin__resource_is_name(STR("a..")));
    ASSERT_TRUE(kin__resource_is_name(STR("a.b-c_D9")));
    ASSERT_FALSE(kin__resource_is_name(STR("a%2f")));
    ASSERT_FALSE(kin__resource_is_name(STR("\xc3\xa4")));
}

TEST_FAILING_ALLOC(resource, survives_a_lack_of_memory)
{
    kin_resource *resource;
    kin_err code =
        kin_resource_new("apps", "v1", "deployments", "Deployment", true, &resource, NULL);

    if (code == KIN_OK) {
        kin_resource_unref(resource);
    }
    return code;
}
