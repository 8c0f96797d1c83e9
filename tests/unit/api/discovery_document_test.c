/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_document_test.c - what the documents of discovery say.
 */
#include "api/discovery_document.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "support/test.h"

typedef struct told {
    text log;
    size_t resources;
    kin_err refuses; /* what the sink returns */
} told;

static kin_err on_resource(void *context, const kin__resource_facts *facts, kin_error *err)
{
    told *t = context;

    t->resources++;
    if (t->refuses != KIN_OK) {
        return kin__error_set(err, t->refuses, "no more");
    }
    text_append(&t->log, "%.*s/%.*s %.*s %.*s %.*s%s", KIN_STR_ARG(facts->group),
                KIN_STR_ARG(facts->version), KIN_STR_ARG(facts->name), KIN_STR_ARG(facts->kind),
                KIN_STR_ARG(facts->singular), facts->is_namespaced ? " ns" : "");
    for (size_t i = 0; i < facts->verb_count; i++) {
        text_append(&t->log, "%s%.*s", i == 0 ? " can " : ",", KIN_STR_ARG(facts->verbs[i]));
    }
    for (size_t i = 0; i < facts->short_name_count; i++) {
        text_append(&t->log, "%s%.*s", i == 0 ? " as " : ",", KIN_STR_ARG(facts->short_names[i]));
    }
    text_append(&t->log, "\n");
    return KIN_OK;
}

static kin_err on_version(void *context, kin_str group, kin_str version, kin_error *err)
{
    told *t = context;

    if (t->refuses != KIN_OK) {
        return kin__error_set(err, t->refuses, "no more");
    }
    text_append(&t->log, "ask %.*s/%.*s\n", KIN_STR_ARG(group), KIN_STR_ARG(version));
    return KIN_OK;
}

static kin_err on_stale(void *context, kin_str group, kin_str version, kin_error *err)
{
    told *t = context;

    if (t->refuses != KIN_OK) {
        return kin__error_set(err, t->refuses, "no more");
    }
    text_append(&t->log, "stale %.*s/%.*s\n", KIN_STR_ARG(group), KIN_STR_ARG(version));
    return KIN_OK;
}

static kin__discovery_sink sink_of(told *t)
{
    return (kin__discovery_sink){ t, on_resource, on_version, on_stale };
}

static const char *read_root(const char *body, told *t)
{
    kin__discovery_sink sink = sink_of(t);
    kin_error err;

    ASSERT_OK(kin__discovery_read_root(kin_str_of(body), &sink, &err));
    return t->log.chars;
}

static const char *read_version(const char *body, told *t)
{
    kin__discovery_sink sink = sink_of(t);
    kin_error err;

    ASSERT_OK(kin__discovery_read_version(kin_str_of(body), STR("g"), STR("v1"), &sink, &err));
    return t->log.chars;
}

TEST(discovery_document, tells_all_of_an_aggregated_one)
{
    told t = { 0 };

    ASSERT_STR_EQ(
        read_root("{\"kind\":\"APIGroupDiscoveryList\",\"items\":["
                  "{\"metadata\":{},\"versions\":[{\"version\":\"v1\",\"resources\":["
                  "{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"\","
                  "\"kind\":\"Pod\"},\"scope\":\"Namespaced\",\"singularResource\":\"pod\","
                  "\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"po\"],\"subresources\":["
                  "{\"subresource\":\"status\",\"responseKind\":{\"kind\":\"Pod\"},\"verbs\":"
                  "[\"get\"]}]},"
                  "{\"resource\":\"nodes\",\"responseKind\":{\"kind\":\"Node\"},\"scope\":"
                  "\"Cluster\",\"singularResource\":\"node\"}],\"freshness\":\"Current\"}]},"
                  "{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\"},"
                  "{\"version\":\"v0\",\"resources\":[{\"resource\":\"x\",\"responseKind\":"
                  "{\"kind\":\"X\"}}],\"freshness\":\"Stale\"}]}]}",
                  &t),
        "/v1 pods Pod pod ns can get,list as po\n"
        "/v1 nodes Node node\n"
        "apps/v0 x X \n"
        "stale apps/v0\n");
}

TEST(discovery_document, reads_the_older_aggregated_form_alike)
{
    told t = { 0 };

    ASSERT_STR_EQ(read_root("{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":"
                            "\"apidiscovery.k8s.io/v2beta1\",\"items\":[{\"metadata\":{\"name\":"
                            "\"g\"},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":"
                            "\"xs\",\"responseKind\":{\"kind\":\"X\"},\"scope\":\"Cluster\"}]}]}]}",
                            &t),
                  "g/v1 xs X \n");
}

TEST(discovery_document, leaves_out_what_has_no_kind_or_no_name)
{
    told t = { 0 };

    ASSERT_STR_EQ(read_root("{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":["
                            "{\"version\":\"v1\",\"resources\":[{\"resource\":\"xs\","
                            "\"responseKind\":null},{\"responseKind\":{\"kind\":\"X\"}},7,null,"
                            "{\"resource\":5,\"responseKind\":[]}]},8]},{},null]}",
                            &t),
                  "");
}

TEST(discovery_document, of_the_old_form_names_what_to_ask_for)
{
    told t = { 0 };

    ASSERT_STR_EQ(read_root("{\"kind\":\"APIVersions\",\"versions\":[\"v1\",\"v2\"]}", &t),
                  "ask /v1\nask /v2\n");
}

TEST(discovery_document, tells_the_preferred_version_of_a_group_first)
{
    told t = { 0 };

    ASSERT_STR_EQ(read_root("{\"kind\":\"APIGroupList\",\"groups\":["
                            "{\"name\":\"a\",\"versions\":[{\"version\":\"v2\"},{\"version\":"
                            "\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}},"
                            "{\"name\":\"b\",\"versions\":[{\"version\":\"v1\"},{\"version\":"
                            "\"v2\"}]}]}",
                            &t),
                  "ask a/v1\nask a/v2\nask b/v1\nask b/v2\n");
}

TEST(discovery_document, of_a_version_tells_its_resources_without_subresources)
{
    told t = { 0 };

    ASSERT_STR_EQ(read_version("{\"kind\":\"APIResourceList\",\"groupVersion\":\"g/v1\","
                               "\"resources\":[{\"name\":\"xs\",\"singularName\":\"x\","
                               "\"namespaced\":true,\"kind\":\"X\",\"verbs\":[\"get\"],"
                               "\"shortNames\":[\"s\",\"\"]},{\"name\":\"xs/status\","
                               "\"namespaced\":true,\"kind\":\"X\"},{\"name\":\"ys\","
                               "\"namespaced\":false,\"kind\":\"Y\"}]}",
                               &t),
                  "g/v1 xs X x ns can get as s\n"
                  "g/v1 ys Y \n");
}

TEST(discovery_document, tells_no_more_words_than_there_is_room_for)
{
    told t = { 0 };
    text body = { 0 };

    text_append(&body, "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"xs\",\"kind\":"
                       "\"X\",\"shortNames\":[\"a\"");
    for (int i = 0; i < 200; i++) {
        text_append(&body, ",\"b\"");
    }
    text_append(&body, "]}]}");
    ASSERT_CONTAINS(read_version(body.chars, &t), "as a,b,b");
    ASSERT_EQ(t.log.len, strlen("g/v1 xs X  as a\n") + 2 * (KIN__DISCOVERY_WORDS_MAX - 1));
}

TEST(discovery_document, agrees_on_real_resources_in_both_forms)
{
    told old_form = { 0 };
    told aggregated = { 0 };
    char *old_body = read_fixture("discovery-api-v1.json", NULL);
    char *body = read_fixture("discovery-api-aggregated.json", NULL);
    kin__discovery_sink sink = sink_of(&old_form);
    kin_error err;

    ASSERT_OK(kin__discovery_read_version(kin_str_of(old_body), STR(""), STR("v1"), &sink, &err));
    (void) read_root(body, &aggregated);

    ASSERT_TRUE(aggregated.resources > 15);
    ASSERT_STR_EQ(aggregated.log.chars, old_form.log.chars);
    free_fixture(old_body);
    free_fixture(body);
}

TEST(discovery_document, refuses_what_it_is_not)
{
    told t = { 0 };
    kin__discovery_sink sink = sink_of(&t);
    kin_error err;

    ASSERT_ERR(kin__discovery_read_root(STR("{\"kind\":\"APIResourceList\"}"), &sink, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "unexpected kind \"APIResourceList\"");
    ASSERT_ERR(kin__discovery_read_version(STR("{\"kind\":\"APIGroupList\"}"), STR(""), STR("v1"),
                                           &sink, &err),
               KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__discovery_read_root(STR("{}"), &sink, &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__discovery_read_root(STR("[1,"), &sink, &err), KIN_ERR_MALFORMED);
    ASSERT_CONTAINS(err.message, "at byte 3");
    ASSERT_ERR(kin__discovery_read_root(STR(""), &sink, &err), KIN_ERR_MALFORMED);
}

TEST(discovery_document, ends_where_the_sink_does)
{
    static const char *const roots[] = {
        "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
        "{\"kind\":\"APIGroupList\",\"groups\":[{\"versions\":[{\"version\":\"v1\"}]}]}",
        "{\"kind\":\"APIGroupList\",\"groups\":[{\"preferredVersion\":{\"version\":\"v1\"}}]}",
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":[{\"freshness\":\"Stale\"}]}]"
        "}",
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":[{\"resources\":["
        "{\"resource\":\"x\",\"responseKind\":{\"kind\":\"X\"}}]}]}]}",
    };
    told t = { .refuses = KIN_ERR_LIMIT };
    kin__discovery_sink sink = sink_of(&t);
    kin_error err;

    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        ASSERT_ERR(kin__discovery_read_root(kin_str_of(roots[i]), &sink, &err), KIN_ERR_LIMIT);
    }
    ASSERT_ERR(kin__discovery_read_version(
                   STR("{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"x\",\"kind\":"
                       "\"X\"}]}"),
                   STR("g"), STR("v1"), &sink, &err),
               KIN_ERR_LIMIT);
}
