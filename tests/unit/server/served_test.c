/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served_test.c - the shelf, and what is on it from the start.
 */
#include "server/served.h"

#include "shelves.h"

#define POD "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}"

static const kin__served *find(const shelved *s, const char *group, const char *version,
                               const char *resource)
{
    return kin__shelf_find(s->shelf, kin_str_of(group), kin_str_of(version), kin_str_of(resource));
}

/* What all versions of a resource must agree on. */
static void assert_traits(const shelved *s, const char *group, const char *version,
                          const char *resource, uint32_t want)
{
    const kin__served *served = find(s, group, version, resource);
    uint32_t of_interest = KIN__HAS_STATUS | KIN__HAS_SCALE | KIN__HAS_GENERATION |
                           KIN__GENERATION_BY_ANNOTATIONS | KIN__CREATES_ON_UPDATE |
                           KIN__UPDATES_ONLY_BY_VERSION | KIN__DELETE_ANSWERS_OBJECT |
                           KIN__IS_UNCACHED | KIN__IS_VIRTUAL | KIN__IS_GRACEFUL | KIN__IS_CUSTOM |
                           KIN__IS_KEPT_IN_CORE;

    ASSERT_TRUE(served != NULL);
    if ((served->traits & of_interest) != want) {
        FAIL("%s: traits %#x, want %#x", resource, served->traits & of_interest, want);
    }
}

TEST(served, knows_a_resource_of_the_core)
{
    shelved s = shelved_new();

    const kin__served *pods = find(&s, "", "v1", "pods");

    ASSERT_TRUE(pods != NULL);
    ASSERT_SLICE_EQ(pods->api_version, "v1");
    ASSERT_SLICE_EQ(pods->kind, "Pod");
    ASSERT_SLICE_EQ(pods->list_kind, "PodList");
    ASSERT_SLICE_EQ(pods->singular, "pod");
    ASSERT_SLICE_EQ(pods->full_name, "pods");
    ASSERT_STR_EQ(pods->short_names[0], "po");
    ASSERT_STR_EQ(pods->short_names[1], NULL);
    ASSERT_STR_EQ(pods->categories[0], "all");
    ASSERT_STR_EQ(pods->storage_hash, "xPOwRZ+Yhw8=");
    ASSERT_TRUE(pods->is_namespaced);
    ASSERT_TRUE(pods->is_stored);
    ASSERT_TRUE(pods->message != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(pods->collection != NULL);
    ASSERT_STR_EQ(pods->subs[0].name, "attach");
    shelved_free(&s);
}

TEST(served, knows_a_resource_of_a_group)
{
    shelved s = shelved_new();

    const kin__served *served = find(&s, "apps", "v1", "deployments");

    ASSERT_TRUE(served != NULL);
    ASSERT_SLICE_EQ(served->api_version, "apps/v1");
    ASSERT_SLICE_EQ(served->full_name, "deployments.apps");
    ASSERT_TRUE(kin__shelf_find_kind(s.shelf, STR("apps/v1"), STR("Deployment")) == served);
    ASSERT_TRUE(kin__shelf_find_kind(s.shelf, STR("v1"), STR("Deployment")) == NULL);
    ASSERT_TRUE(find(&s, "apps", "v2", "deployments") == NULL);
    ASSERT_TRUE(find(&s, "", "v1", "deployments") == NULL);
    ASSERT_TRUE(find(&s, "", "v1", "") == NULL);
    shelved_free(&s);
}

TEST(served, has_a_schema_for_every_kind_that_is_built_in)
{
    shelved s = shelved_new();
    size_t count = 0;

    for (kin__served *served; (served = kin__shelf_at(s.shelf, count)) != NULL; count++) {
        if (served->message == KIN__PB_NO_MESSAGE) {
            FAIL("no schema for %s of %s", served->kind.data, served->api_version.data);
        }
        if ((served->collection == NULL) != ((served->traits & KIN__IS_VIRTUAL) != 0)) {
            FAIL("collection of %s", served->full_name.data);
        }
    }

    ASSERT_TRUE(count > 80);
    shelved_free(&s);
}

TEST(served, has_one_collection_and_one_stored_version_for_all_versions)
{
    shelved s = shelved_new();

    for (size_t i = 0; kin__shelf_at(s.shelf, i) != NULL; i++) {
        const kin__served *served = kin__shelf_at(s.shelf, i);
        const kin__served *stored = kin__shelf_stored(s.shelf, served);
        if (stored == NULL || stored->collection != served->collection) {
            FAIL("%s", served->full_name.data);
        }
        for (size_t j = 0; j < i; j++) {
            const kin__served *other = kin__shelf_at(s.shelf, j);
            bool is_same = kin__str_equal(other->full_name, served->full_name) ||
                           (served->traits & KIN__IS_KEPT_IN_CORE &&
                            kin__str_equal(other->full_name, served->resource));
            ASSERT_FALSE(is_same && other->is_stored && served->is_stored);
            ASSERT_EQ(other->collection == served->collection && served->collection != NULL,
                      is_same && served->collection != NULL);
        }
    }
    shelved_free(&s);
}

TEST(served, knows_what_is_particular_to_each)
{
    shelved s = shelved_new();

    assert_traits(&s, "", "v1", "configmaps", 0);
    assert_traits(&s, "", "v1", "pods",
                  KIN__HAS_STATUS | KIN__HAS_GENERATION | KIN__DELETE_ANSWERS_OBJECT |
                      KIN__IS_GRACEFUL);
    assert_traits(&s, "", "v1", "namespaces", KIN__HAS_STATUS | KIN__DELETE_ANSWERS_OBJECT);
    assert_traits(&s, "", "v1", "services",
                  KIN__HAS_STATUS | KIN__CREATES_ON_UPDATE | KIN__DELETE_ANSWERS_OBJECT);
    assert_traits(&s, "", "v1", "events", KIN__CREATES_ON_UPDATE | KIN__IS_UNCACHED);
    assert_traits(&s, "events.k8s.io", "v1", "events",
                  KIN__CREATES_ON_UPDATE | KIN__IS_UNCACHED | KIN__IS_KEPT_IN_CORE);
    assert_traits(&s, "apps", "v1", "deployments",
                  KIN__HAS_STATUS | KIN__HAS_SCALE | KIN__HAS_GENERATION |
                      KIN__GENERATION_BY_ANNOTATIONS);
    assert_traits(&s, "coordination.k8s.io", "v1", "leases",
                  KIN__CREATES_ON_UPDATE | KIN__UPDATES_ONLY_BY_VERSION);
    assert_traits(&s, "authentication.k8s.io", "v1", "tokenreviews", KIN__IS_VIRTUAL);
    shelved_free(&s);
}

TEST(served, knows_how_names_are_checked)
{
    shelved s = shelved_new();

    ASSERT_EQ(find(&s, "", "v1", "configmaps")->name_rule, KIN__NAME_SUBDOMAIN);
    ASSERT_EQ(find(&s, "", "v1", "namespaces")->name_rule, KIN__NAME_LABEL);
    ASSERT_EQ(find(&s, "", "v1", "services")->name_rule, KIN__NAME_LABEL);
    ASSERT_EQ(find(&s, "rbac.authorization.k8s.io", "v1", "roles")->name_rule, KIN__NAME_PATH);
    ASSERT_EQ(find(&s, "networking.k8s.io", "v1", "ipaddresses")->name_rule, KIN__NAME_ADDRESS);
    shelved_free(&s);
}

TEST(served, tells_groups_and_versions)
{
    shelved s = shelved_new();
    add_custom(&s);

    ASSERT_TRUE(kin__shelf_has_group(s.shelf, STR("apps")));
    ASSERT_TRUE(kin__shelf_has_group(s.shelf, STR("example.com")));
    ASSERT_FALSE(kin__shelf_has_group(s.shelf, STR("nope")));
    ASSERT_TRUE(kin__shelf_has_version(s.shelf, STR("autoscaling"), STR("v2")));
    ASSERT_FALSE(kin__shelf_has_version(s.shelf, STR("apps"), STR("v2")));
    ASSERT_TRUE(kin__shelf_is_built_in(s.shelf, STR("")));
    ASSERT_FALSE(kin__shelf_is_built_in(s.shelf, STR("example.com")));
    ASSERT_FALSE(kin__shelf_is_built_in(s.shelf, STR("nope")));
    shelved_free(&s);
}

TEST(served, puts_custom_resources_behind_the_others_in_the_order_of_discovery)
{
    static const char *const want[] = {
        "example.com/v1 gadgets",
        "example.com/v1 widgets",
        "example.com/v1beta1 gadgets",
        "example.com/v1beta1 widgets",
    };
    shelved s = shelved_new();
    size_t first = 0;

    while (kin__shelf_at(s.shelf, first) != NULL) {
        first++;
    }
    add_custom(&s);

    for (size_t i = 0; i < 4; i++) {
        const kin__served *served = kin__shelf_at(s.shelf, first + i);
        text got = { 0 };
        text_append(&got, "%s %s", served->api_version.data, served->resource.data);
        ASSERT_STR_EQ(got.chars, want[i]);
    }
    ASSERT_TRUE(kin__shelf_at(s.shelf, first + 4) == NULL);
    shelved_free(&s);
}

TEST(served, copies_all_there_is_of_a_custom_resource)
{
    shelved s = shelved_new();
    char resource[] = "widgets";
    char category[] = "toys";
    kin__served given = widget("v1");
    kin_error err;

    given.resource = kin_str_of(resource);
    given.categories[1] = category;
    ASSERT_OK(kin__shelf_add(s.shelf, &given, NULL, &err));
    resource[0] = category[0] = 'x';

    const kin__served *served = find(&s, "example.com", "v1", "widgets");
    ASSERT_TRUE(served != NULL);
    ASSERT_SLICE_EQ(served->full_name, "widgets.example.com");
    ASSERT_SLICE_EQ(served->list_kind, "WidgetList");
    ASSERT_STR_EQ(served->categories[1], "toys");
    ASSERT_STR_EQ(served->categories[2], NULL);
    ASSERT_STR_EQ(served->subs[0].name, "status");
    ASSERT_STR_EQ(served->subs[1].name, NULL);
    ASSERT_TRUE((served->traits & KIN__IS_CUSTOM) != 0);
    ASSERT_EQ(served->message, KIN__PB_NO_MESSAGE);
    shelved_free(&s);
}

TEST(served, keeps_the_collection_of_a_resource_that_is_replaced)
{
    shelved s = shelved_new();
    kin__served given = widget("v1");
    kin_error err;

    ASSERT_OK(kin__shelf_add(s.shelf, &given, NULL, &err));
    kin__served *before =
        kin__served_ref(kin__shelf_find(s.shelf, given.group, given.version, given.resource));
    uint64_t edition = kin__shelf_edition(s.shelf);
    given.kind = STR("Gizmo");
    ASSERT_OK(kin__shelf_add(s.shelf, &given, NULL, &err));

    const kin__served *after = find(&s, "example.com", "v1", "widgets");
    ASSERT_TRUE(after != before);
    ASSERT_SLICE_EQ(after->kind, "Gizmo");
    ASSERT_TRUE(after->collection == before->collection);
    ASSERT_FALSE(before->is_gone);
    ASSERT_TRUE(kin__shelf_edition(s.shelf) != edition);
    ASSERT_TRUE(kin__shelf_find_kind(s.shelf, STR("example.com/v1"), STR("Widget")) == NULL);
    kin__served_unref(before);
    shelved_free(&s);
}

TEST(served, stays_for_whoever_holds_it_when_it_is_removed)
{
    shelved s = shelved_new();
    add_custom(&s);
    kin__served *held =
        kin__served_ref(kin__shelf_find(s.shelf, STR("example.com"), STR("v1"), STR("widgets")));

    kin__shelf_remove(s.shelf, STR("example.com"), STR("widgets"));

    ASSERT_TRUE(held->is_gone);
    ASSERT_EQ(kin__collection_count(held->collection), 0);
    ASSERT_TRUE(find(&s, "example.com", "v1", "widgets") == NULL);
    ASSERT_TRUE(find(&s, "example.com", "v1beta1", "widgets") == NULL);
    ASSERT_TRUE(find(&s, "example.com", "v1", "gadgets") != NULL);
    kin__served_unref(held);
    shelved_free(&s);
}

TEST(served, can_lose_one_version_and_keep_the_rest)
{
    shelved s = shelved_new();
    add_custom(&s);
    kin__collection *before = find(&s, "example.com", "v1", "widgets")->collection;

    kin__shelf_remove_version(s.shelf, STR("example.com"), STR("v1beta1"), STR("widgets"));

    ASSERT_TRUE(find(&s, "example.com", "v1beta1", "widgets") == NULL);
    ASSERT_TRUE(find(&s, "example.com", "v1", "widgets")->collection == before);
    ASSERT_TRUE(find(&s, "example.com", "v1beta1", "gadgets") != NULL);
    shelved_free(&s);
}

TEST(served, holds_its_definition)
{
    shelved s = shelved_new();
    kin__served given = widget("v1");
    kin_object *object = NULL;
    kin__record *record = NULL;
    kin_error err;

    ASSERT_OK(kin_object_from_json(POD, sizeof POD - 1, NULL, &object, &err));
    ASSERT_OK(kin__record_new(object, 0, 2, &record, &err));
    ASSERT_OK(kin__shelf_add(s.shelf, &given, record, &err));

    ASSERT_TRUE(find(&s, "example.com", "v1", "widgets")->definition == record);
    ASSERT_EQ(record->refs, 2);
    kin__shelf_remove(s.shelf, given.group, given.resource);
    ASSERT_EQ(record->refs, 1);
    kin__record_unref(record);
    shelved_free(&s);
}

TEST_FAILING_ALLOC(served, leaves_the_shelf_as_it_was_without_memory)
{
    kin__served first = widget("v1");
    kin__served second = gadget("v1");
    shelved s;
    kin_error err;

    if (shelved_try(&s, &err) != KIN_OK) {
        return err.code;
    }
    kin_err code = kin__shelf_add(s.shelf, &first, NULL, &err);
    if (code == KIN_OK) {
        code = kin__shelf_add(s.shelf, &second, NULL, &err);
    }
    if (code != KIN_OK) {
        ASSERT_TRUE(kin__shelf_find(s.shelf, second.group, second.version, second.resource) ==
                    NULL);
    }
    shelved_free(&s);
    return code;
}
