/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue_test.c - the resources of a server, found by the names people use.
 */
#include "api/catalogue.h"

#include "base/str.h"
#include "support/test.h"

static kin_err add(kin__catalogue *catalogue, const char *group, const char *version,
                   const char *name, const char *singular, const char *kind, const char *short_name,
                   kin_error *err)
{
    kin_str word = kin_str_of(short_name);
    kin__resource_facts facts = {
        .group = kin_str_of(group),
        .version = kin_str_of(version),
        .name = kin_str_of(name),
        .kind = kin_str_of(kind),
        .singular = kin_str_of(singular),
        .short_names = &word,
        .short_name_count = word.len > 0 ? 1 : 0,
    };
    kin_resource *resource;

    if (kin__resource_make(&facts, &resource, err) != KIN_OK) {
        return err->code;
    }
    kin_err code = kin__catalogue_add(catalogue, resource, err);
    kin_resource_unref(resource);
    return code;
}

static kin__catalogue *example(void)
{
    kin__catalogue *c;
    kin_error err;

    ASSERT_OK(kin__catalogue_new(&c, &err));
    ASSERT_OK(add(c, "", "v1", "pods", "pod", "Pod", "po", &err));
    ASSERT_OK(add(c, "", "v1", "events", "", "Event", "ev", &err));
    ASSERT_OK(add(c, "apps", "v1", "deployments", "deployment", "Deployment", "deploy", &err));
    ASSERT_OK(add(c, "autoscaling", "v2", "scalers", "scaler", "Scaler", "", &err));
    ASSERT_OK(add(c, "autoscaling", "v1", "scalers", "scaler", "Scaler", "", &err));
    ASSERT_OK(add(c, "events.k8s.io", "v1", "events", "event", "Event", "ev", &err));
    ASSERT_OK(add(c, "metrics.k8s.io", "v1beta1", "pods", "", "PodMetrics", "", &err));
    ASSERT_OK(add(c, "x.example.com", "v1", "ghosts", "ghost", "Ghost", "spooks", &err));
    ASSERT_OK(add(c, "y.example.com", "v1", "spooks", "spook", "Spook", "pods", &err));
    return c;
}

/* The apiVersion and name of what is found, or "none". */
static const char *find(const kin__catalogue *catalogue, const char *name)
{
    static text found;
    const kin_resource *resource = kin__catalogue_find(catalogue, kin_str_of(name));

    text_clear(&found);
    if (resource == NULL) {
        return "none";
    }
    text_append(&found, "%s %s", kin_resource_api_version(resource), kin_resource_name(resource));
    return found.chars;
}

TEST(catalogue, finds_plurals_singulars_kinds_and_short_names_in_any_case)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "pods"), "v1 pods");
    ASSERT_STR_EQ(find(c, "pod"), "v1 pods");
    ASSERT_STR_EQ(find(c, "po"), "v1 pods");
    ASSERT_STR_EQ(find(c, "Pod"), "v1 pods");
    ASSERT_STR_EQ(find(c, "PODS"), "v1 pods");
    ASSERT_STR_EQ(find(c, "deploy"), "apps/v1 deployments");
    ASSERT_STR_EQ(find(c, "PodMetrics"), "metrics.k8s.io/v1beta1 pods");
}

TEST(catalogue, takes_a_kind_for_the_singular_that_is_not_told)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "event"), "v1 events");
}

TEST(catalogue, finds_nothing_where_there_is_nothing)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "nopes"), "none");
    ASSERT_STR_EQ(find(c, ""), "none");
    ASSERT_STR_EQ(find(c, "."), "none");
    ASSERT_STR_EQ(find(c, ".."), "none");
    ASSERT_STR_EQ(find(c, "podsx"), "none");
    ASSERT_STR_EQ(find(c, "pods.apps"), "none");
    ASSERT_STR_EQ(find(c, "deployments.v2.apps"), "none");
    ASSERT_STR_EQ(find(c, ".apps"), "none");
}

TEST(catalogue, takes_the_first_of_several)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "events"), "v1 events");
    ASSERT_STR_EQ(find(c, "ev"), "v1 events");
    ASSERT_STR_EQ(find(c, "scalers"), "autoscaling/v2 scalers");
}

TEST(catalogue, prefers_a_name_anywhere_to_a_short_name_before_it)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "spooks"), "y.example.com/v1 spooks");
}

TEST(catalogue, finds_by_group_and_by_version)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_STR_EQ(find(c, "events.events.k8s.io"), "events.k8s.io/v1 events");
    ASSERT_STR_EQ(find(c, "ev.v1.events.k8s.io"), "events.k8s.io/v1 events");
    ASSERT_STR_EQ(find(c, "scaler.autoscaling"), "autoscaling/v2 scalers");
    ASSERT_STR_EQ(find(c, "Scaler.v1.autoscaling"), "autoscaling/v1 scalers");
    ASSERT_STR_EQ(find(c, "pods.v1."), "v1 pods");
    ASSERT_STR_EQ(find(c, "pods.v1beta1.metrics.k8s.io"), "metrics.k8s.io/v1beta1 pods");
}

TEST(catalogue, completes_a_group_only_when_nothing_else_fits)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();
    kin_error err;

    ASSERT_STR_EQ(find(c, "deployments.app"), "apps/v1 deployments");
    ASSERT_STR_EQ(find(c, "pods.metrics"), "metrics.k8s.io/v1beta1 pods");
    ASSERT_OK(add(c, "app", "v1", "deployments", "deployment", "Deployment", "", &err));
    ASSERT_STR_EQ(find(c, "deployments.app"), "app/v1 deployments");
    ASSERT_STR_EQ(find(c, "deployments."), "none");
}

TEST(catalogue, finds_kinds_exactly)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();
    const kin_resource *found = kin__catalogue_of_kind(c, STR("autoscaling/v1"), STR("Scaler"));

    ASSERT_STR_EQ(kin_resource_api_version(found), "autoscaling/v1");
    ASSERT_TRUE(kin__catalogue_of_kind(c, STR("v1"), STR("pod")) == NULL);
    ASSERT_TRUE(kin__catalogue_of_kind(c, STR("v2"), STR("Pod")) == NULL);
    ASSERT_STR_EQ(kin_resource_name(kin__catalogue_of_kind(c, STR("v1"), STR("Pod"))), "pods");
}

TEST(catalogue, keeps_the_order_it_was_filled_in)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = example();

    ASSERT_EQ(kin__catalogue_count(c), 9);
    ASSERT_STR_EQ(kin_resource_name(kin__catalogue_at(c, 0)), "pods");
    ASSERT_STR_EQ(kin_resource_name(kin__catalogue_at(c, 8)), "spooks");
    ASSERT_TRUE(kin__catalogue_at(c, 9) == NULL);
}

TEST(catalogue, holds_more_than_it_began_with)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = NULL;
    kin_error err;

    ASSERT_OK(kin__catalogue_new(&c, &err));
    for (int i = 0; i < 200; i++) {
        char name[16];
        name[0] = (char) ('a' + i % 26);
        name[1] = (char) ('a' + i / 26);
        name[2] = '\0';
        ASSERT_OK(add(c, "", "v1", name, "", "Kind", "", &err));
    }

    ASSERT_EQ(kin__catalogue_count(c), 200);
    ASSERT_STR_EQ(find(c, "ab"), "v1 ab");
}

TEST_FAILING_ALLOC(catalogue, survives_a_lack_of_memory)
{
    AUTO(kin__catalogue_free) kin__catalogue *c = NULL;
    kin_error err;
    kin_err code = kin__catalogue_new(&c, &err);

    for (int i = 0; i < 70 && code == KIN_OK; i++) {
        code = add(c, "", "v1", "pods", "pod", "Pod", "po", &err);
    }
    return code;
}
