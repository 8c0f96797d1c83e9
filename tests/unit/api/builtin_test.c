/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_test.c - names of built-in resources.
 */
#include "api/builtin.h"

#include "support/test.h"

/* "apps/v1 deployments", "autoscaling/ horizontalpodautoscalers", "none" */
static const char *meaning(const char *name)
{
    static text said;
    kin__builtin found;

    text_clear(&said);
    if (!kin__builtin_find(kin_str_of(name), &found)) {
        return "none";
    }
    text_append(&said, "%.*s/%.*s %s", KIN_STR_ARG(found.group), KIN_STR_ARG(found.version),
                found.name);
    return said.chars;
}

TEST(builtin, knows_all_the_names_of_a_resource)
{
    static const char *const names[] = { "pods", "pod", "po", "Pod", "PODS", "pods.v1." };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ASSERT_STR_EQ(meaning(names[i]), "/v1 pods");
    }
    ASSERT_STR_EQ(meaning("deploy"), "apps/v1 deployments");
    ASSERT_STR_EQ(meaning("deployments.apps"), "apps/v1 deployments");
    ASSERT_STR_EQ(meaning("Deployment.v1.apps"), "apps/v1 deployments");
    ASSERT_STR_EQ(meaning("ing"), "networking.k8s.io/v1 ingresses");
    ASSERT_STR_EQ(meaning("netpol"), "networking.k8s.io/v1 networkpolicies");
    ASSERT_STR_EQ(meaning("ep"), "/v1 endpoints");
    ASSERT_STR_EQ(meaning("endpointslices"), "discovery.k8s.io/v1 endpointslices");
    ASSERT_STR_EQ(meaning("crd"), "apiextensions.k8s.io/v1 customresourcedefinitions");
    ASSERT_STR_EQ(meaning("sts"), "apps/v1 statefulsets");
    ASSERT_STR_EQ(meaning("storageclasses"), "storage.k8s.io/v1 storageclasses");
}

TEST(builtin, prefers_the_core_group)
{
    ASSERT_STR_EQ(meaning("ev"), "/v1 events");
    ASSERT_STR_EQ(meaning("events"), "/v1 events");
    ASSERT_STR_EQ(meaning("events.events.k8s.io"), "events.k8s.io/v1 events");
}

TEST(builtin, leaves_the_version_to_the_server_where_there_are_several)
{
    ASSERT_STR_EQ(meaning("hpa"), "autoscaling/ horizontalpodautoscalers");
    ASSERT_STR_EQ(meaning("hpa.v2.autoscaling"), "autoscaling/v2 horizontalpodautoscalers");
    ASSERT_STR_EQ(meaning("hpa.v1.autoscaling"), "autoscaling/v1 horizontalpodautoscalers");
}

TEST(builtin, knows_versions_that_are_not_stable_only_when_they_are_asked_for)
{
    ASSERT_STR_EQ(meaning("deployments.v1beta1.apps"), "apps/v1beta1 deployments");
    ASSERT_STR_EQ(meaning("deployments.extensions"), "none");
    ASSERT_STR_EQ(meaning("deployments.v1beta1.extensions"), "extensions/v1beta1 deployments");
    ASSERT_STR_EQ(meaning("storageversions"), "none");
}

TEST(builtin, knows_nothing_of_others)
{
    static const char *const names[] = { "",      ".",           "..",       "pods.", "pods.v2.",
                                         "ct",    "crontabs",    "podss",    "p",     "pods.apps",
                                         "po.v1", "crontabs.io", "pods.v1.x" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (i == 3) {
            ASSERT_STR_EQ(meaning(names[i]), "/v1 pods"); /* the core group, by its name */
        } else {
            ASSERT_STR_EQ(meaning(names[i]), "none");
        }
    }
}
