/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_test.c - custom resource definitions, from their making to their end.
 */
#include "unit/server/widgets.h"

TEST(definition, is_served_at_once_and_established_a_turn_later)
{
    scene s;

    open_with_definition(&s);
    ASSERT_CONTAINS(s.body,
                    "\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\",\"shortNames\":"
                    "[\"wd\"],\"kind\":\"Widget\",\"listKind\":\"WidgetList\"}");
    ASSERT_CONTAINS(s.body,
                    "\"conversion\":{\"strategy\":\"None\"}},\"status\":{\"conditions\":null,"
                    "\"acceptedNames\":{\"plural\":\"\",\"kind\":\"\"},\"storedVersions\":["
                    "\"v1\"]}}");
    ASSERT_TRUE(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")) != NULL);
    settle(&s);
    ASSERT_ANSWER(
        &s, "GET", DEFINITIONS "/widgets.example.com", NULL, NULL, 200,
        "\"status\":{\"conditions\":[{\"type\":\"NamesAccepted\",\"status\":\"True\","
        "\"lastTransitionTime\":\"2026-11-16T12:00:00Z\",\"reason\":\"NoConflicts\","
        "\"message\":\"no conflicts found\"},{\"type\":\"Established\",\"status\":\"True\","
        "\"lastTransitionTime\":\"2026-11-16T12:00:00Z\",\"reason\":"
        "\"InitialNamesAccepted\",\"message\":\"the initial names have been accepted\"}],"
        "\"acceptedNames\":{\"plural\":\"widgets\",\"singular\":\"widget\",\"shortNames\":["
        "\"wd\"],\"kind\":\"Widget\",\"listKind\":\"WidgetList\"},\"storedVersions\":["
        "\"v1\"]}}");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    uint64_t rests = revision(&s);
    settle(&s);
    ASSERT_EQ(revision(&s), rests);
    scene_close(&s);
}

TEST(definition, is_checked)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_ANSWER(
        &s, "POST", DEFINITIONS, JSON, "{}", 422,
        "\"message\":\"CustomResourceDefinition.apiextensions.k8s.io \\\"\\\" is invalid: "
        "[metadata.name: Required value: name or generateName is required, spec.group: "
        "Required value, spec.scope: Required value, spec.versions: Invalid value: null: "
        "must have exactly one version marked as storage version, spec.names.plural: "
        "Required value, spec.names.singular: Required value, spec.names.kind: Required "
        "value, spec.names.listKind: Required value, status.storedVersions: Invalid value:"
        " null: must have at least one stored version]\"");
    ASSERT_ANSWER(
        &s, "POST", DEFINITIONS, JSON,
        "{\"metadata\":{\"name\":\"foo\"},\"spec\":{\"group\":\"example\",\"scope\":\"Foo\","
        "\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{\"name\":"
        "\"v1\",\"served\":true,\"storage\":true}]}}",
        422,
        "is invalid: [metadata.name: Invalid value: \\\"foo\\\": must be "
        "spec.names.plural+\\\".\\\"+spec.group, spec.group: Invalid value: \\\"example\\\":"
        " should be a domain with at least one dot, spec.scope: Unsupported value: "
        "\\\"Foo\\\": supported values: \\\"Cluster\\\", \\\"Namespaced\\\", "
        "spec.versions[0].schema.openAPIV3Schema: Required value]\"");
    scene_close(&s);
}

TEST(definition, brings_versions_and_takes_them_away)
{
    scene s;

    open_with_definition(&s);
    settle(&s);
    ASSERT_TRUE(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1beta1"), STR("Widget")) !=
                NULL);
    ASSERT_ANSWER(&s, "PATCH", DEFINITIONS "/widgets.example.com", MERGE,
                  "{\"spec\":{\"versions\":[" VERSION_1 "]}}", 200, "\"generation\":2");
    ASSERT_TRUE(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1beta1"), STR("Widget")) ==
                NULL);
    ASSERT_TRUE(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")) != NULL);
    scene_close(&s);
}

TEST(definition, goes_after_its_objects)
{
    scene s;

    open_with_definition(&s);
    settle(&s);
    ASSERT_EQ(ask(&s, "POST", WIDGETS, JSON, WIDGET("\"name\":\"w\"", "{\"size\":1}")), 201);
    ASSERT_EQ(ask(&s, "POST", WIDGETS, JSON,
                  WIDGET("\"name\":\"held\",\"finalizers\":[\"a.b/c\"]", "{\"size\":1}")),
              201);
    ASSERT_ANSWER(&s, "DELETE", DEFINITIONS "/widgets.example.com", NULL, NULL, 200,
                  "\"deletionTimestamp\":\"2026-11-16T12:00:00Z\",\"finalizers\":["
                  "\"customresourcecleanup.apiextensions.k8s.io\"]}");
    ASSERT_CONTAINS(s.body, "\"generation\":1");
    ASSERT_CONTAINS(s.body,
                    "{\"type\":\"Terminating\",\"status\":\"True\",\"lastTransitionTime\":"
                    "\"2026-11-16T12:00:00Z\",\"reason\":\"InstanceDeletionPending\",\"message\":"
                    "\"CustomResourceDefinition marked for deletion; CustomResource deletion will "
                    "begin soon\"}");
    settle(&s);
    ASSERT_ANSWER(&s, "GET", DEFINITIONS "/widgets.example.com", NULL, NULL, 200,
                  "\"reason\":\"InstanceDeletionInProgress\"");
    ASSERT_EQ(ask(&s, "GET", WIDGETS "/w", NULL, NULL), 404);
    ASSERT_EQ(ask(&s, "GET", WIDGETS "/held", NULL, NULL), 200);
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON, WIDGET("\"name\":\"late\"", "{\"size\":1}"), 403,
                  "widgets.example.com \\\"late\\\" is forbidden: create not allowed while custom "
                  "resource definition is terminating\",\"reason\":\"Forbidden\",\"details\":{"
                  "\"name\":\"late\",\"group\":\"example.com\",\"kind\":\"widgets\"}");
    ASSERT_ANSWER(&s, "POST", WIDGETS, JSON, WIDGET("\"generateName\":\"w-\"", "{\"size\":1}"), 403,
                  "\"widgets.example.com is forbidden: create not allowed");

    kin__served *served =
        kin__served_ref(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")));
    ASSERT_FALSE(served->is_gone);
    ASSERT_EQ(ask(&s, "PATCH", WIDGETS "/held", MERGE, "{\"metadata\":{\"finalizers\":null}}"),
              200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", DEFINITIONS "/widgets.example.com", NULL, NULL), 404);
    ASSERT_TRUE(served->is_gone);
    ASSERT_TRUE(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")) == NULL);
    kin__served_unref(served);
    scene_close(&s);
}

TEST_FAILING_ALLOC(definition, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int made = ask(&s, "POST", DEFINITIONS, JSON, DEFINITION(VERSION_1 "," VERSION_BETA));
        bool is_served =
            kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")) != NULL &&
            kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1beta1"), STR("Widget")) != NULL;
        code = made == 201 && is_served ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}

TEST(definition, takes_nothing_from_the_servers_own_resources)
{
    static const char definition[] =
        "{\"metadata\":{\"name\":\"ingresses.networking.k8s.io\",\"annotations\":{\"api-approved."
        "kubernetes.io\":\"unapproved\"}},\"spec\":{\"group\":"
        "\"networking.k8s.io\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"ingresses\",\"kind\":"
        "\"Ingress\"},\"versions\":[" VERSION_1 "]}}";
    static const char of_itself[] =
        "{\"metadata\":{\"name\":\"customresourcedefinitions.apiextensions.k8s.io\","
        "\"annotations\":{\"api-approved.kubernetes.io\":\"unapproved\"}},\"spec\":{"
        "\"group\":\"apiextensions.k8s.io\",\"scope\":\"Cluster\",\"names\":{\"plural\":"
        "\"customresourcedefinitions\",\"kind\":\"CustomResourceDefinition\"},\"versions\":"
        "[" VERSION_1 "]}}";
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    const kin__served *ingresses =
        kin__shelf_find(s.engine.shelf, STR("networking.k8s.io"), STR("v1"), STR("ingresses"));
    ASSERT_EQ(ask(&s, "POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", JSON,
                  "{\"metadata\":{\"name\":\"mine\"},\"spec\":{\"defaultBackend\":{\"service\":{"
                  "\"name\":\"s\",\"port\":{\"number\":1}}}}}"),
              201);
    ASSERT_EQ(ask(&s, "POST", DEFINITIONS, JSON, definition), 201);
    ASSERT_EQ(ask(&s, "POST", DEFINITIONS, JSON, of_itself), 201);
    settle(&s);
    ASSERT_EQ(ask(&s, "DELETE", DEFINITIONS "/ingresses.networking.k8s.io", NULL, NULL), 200);
    ASSERT_EQ(ask(&s, "DELETE", DEFINITIONS "/customresourcedefinitions.apiextensions.k8s.io", NULL,
                  NULL),
              200);
    settle(&s);
    ASSERT_ANSWER(&s, "GET", DEFINITIONS, NULL, NULL, 200, "\"items\":[]");
    ASSERT_EQ(
        ask(&s, "GET", "/apis/networking.k8s.io/v1/namespaces/default/ingresses/mine", NULL, NULL),
        200);
    ASSERT_TRUE(kin__shelf_find(s.engine.shelf, STR("networking.k8s.io"), STR("v1"),
                                STR("ingresses")) == ingresses);
    scene_close(&s);
}

TEST(definition, need_not_serve_the_version_that_it_stores)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(
        ask(&s, "POST", DEFINITIONS, JSON,
            DEFINITION(VERSION_BETA ",{\"name\":\"v2\",\"served\":false,\"storage\":true,"
                                    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}")),
        201);
    ASSERT_EQ(ask(&s, "POST", "/apis/example.com/v1beta1/namespaces/default/widgets", JSON,
                  "{\"apiVersion\":\"example.com/v1beta1\",\"kind\":\"Widget\",\"metadata\":{"
                  "\"name\":\"w\"}}"),
              201);
    ASSERT_EQ(ask(&s, "DELETE", "/apis/example.com/v1beta1/namespaces/default/widgets", NULL, NULL),
              200);
    ASSERT_ANSWER(&s, "GET", "/apis/example.com/v1beta1/widgets", NULL, NULL, 200, "\"items\":[]");
    scene_close(&s);
}

#define UNSERVED_1                                                                                 \
    "{\"name\":\"v1\",\"served\":false,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"         \
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}"

static void open_with_widget(scene *s)
{
    open_with_definition(s);
    settle(s);
    ASSERT_EQ(ask(s, "POST", WIDGETS, JSON, WIDGET("\"name\":\"w\"", "{\"size\":1}")), 201);
}

TEST(definition, keeps_its_objects_while_no_version_is_served)
{
    scene s;
    char uid[48];

    open_with_widget(&s);
    snprintf(uid, sizeof uid, "%.44s", strstr(s.body, "\"uid\":\""));
    ASSERT_EQ(ask(&s, "PATCH", DEFINITIONS "/widgets.example.com", MERGE,
                  "{\"spec\":{\"versions\":[" UNSERVED_1 "]}}"),
              200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", WIDGETS, NULL, NULL), 404);
    ASSERT_EQ(ask(&s, "GET", "/apis/example.com", NULL, NULL), 404);
    ASSERT_EQ(ask(&s, "PATCH", DEFINITIONS "/widgets.example.com", MERGE,
                  "{\"spec\":{\"versions\":[" VERSION_1 "]}}"),
              200);
    ASSERT_ANSWER(&s, "GET", WIDGETS "/w", NULL, NULL, 200, uid);
    ASSERT_CONTAINS(s.body, "\"size\":1");
    ASSERT_TRUE(kin__shelf_stowed(s.engine.shelf, NULL) == NULL);
    scene_close(&s);
}

TEST(definition, has_new_names_accepted_a_turn_later)
{
    scene s;

    open_with_definition(&s);
    settle(&s);
    ASSERT_EQ(ask(&s, "PATCH", DEFINITIONS "/widgets.example.com", MERGE,
                  "{\"spec\":{\"names\":{\"shortNames\":[\"wi\"],\"categories\":[\"all\"]}}}"),
              200);
    settle(&s);
    ASSERT_ANSWER(&s, "GET", DEFINITIONS "/widgets.example.com", NULL, NULL, 200,
                  "\"acceptedNames\":{\"plural\":\"widgets\",\"singular\":\"widget\","
                  "\"shortNames\":[\"wi\"],\"kind\":\"Widget\",\"listKind\":\"WidgetList\","
                  "\"categories\":[\"all\"]}");
    uint64_t rests = revision(&s);
    settle(&s);
    ASSERT_EQ(revision(&s), rests);
    scene_close(&s);
}

TEST(definition, goes_after_its_objects_even_while_none_is_served)
{
    scene s;

    open_with_widget(&s);
    kin__served *served =
        kin__served_ref(kin__shelf_find_kind(s.engine.shelf, STR("example.com/v1"), STR("Widget")));
    ASSERT_EQ(ask(&s, "PATCH", DEFINITIONS "/widgets.example.com", MERGE,
                  "{\"spec\":{\"versions\":[" UNSERVED_1 "]}}"),
              200);
    ASSERT_EQ(kin__collection_count(served->collection), 1);
    ASSERT_EQ(ask(&s, "DELETE", DEFINITIONS "/widgets.example.com", NULL, NULL), 200);
    settle(&s);
    ASSERT_EQ(ask(&s, "GET", DEFINITIONS "/widgets.example.com", NULL, NULL), 404);
    ASSERT_EQ(kin__collection_count(served->collection), 0);
    ASSERT_TRUE(kin__shelf_stowed(s.engine.shelf, NULL) == NULL);
    kin__served_unref(served);
    scene_close(&s);
}
