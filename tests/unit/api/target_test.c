/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_test.c - a request as HTTP has it.
 */
#include "api/target.h"

#include <string.h>

#include "api/resource.h"
#include "base/str.h"
#include "object/object.h"
#include "support/test.h"

typedef struct fixture {
    kin_resource *pods;
    kin_resource *deployments;
    kin_resource *namespaces;
    kin_resource *widgets;
    kin__buf out;
} fixture;

static kin_resource *resource_of(const char *group, const char *name, const char *kind,
                                 bool is_namespaced)
{
    kin_resource *resource;

    ASSERT_OK(kin_resource_new(group, "v1", name, kind, is_namespaced, &resource, NULL));
    return resource;
}

static void set_up(fixture *f)
{
    *f = (fixture){
        .pods = resource_of("", "pods", "Pod", true),
        .deployments = resource_of("apps", "deployments", "Deployment", true),
        .namespaces = resource_of("", "namespaces", "Namespace", false),
        .widgets = resource_of("example.com", "widgets", "Widget", true),
    };
}

static void tear_down(fixture *f)
{
    kin_resource_unref(f->pods);
    kin_resource_unref(f->deployments);
    kin_resource_unref(f->namespaces);
    kin_resource_unref(f->widgets);
    kin__buf_fini(&f->out);
}

#define FIXTURE(f)                                                                                 \
    __attribute__((cleanup(tear_down))) fixture f;                                                 \
    set_up(&(f))

static const char *write_target(fixture *f, const kin_request *request,
                                const kin_resource *resource)
{
    kin_error err;

    ASSERT_OK(kin__target_write(request, resource, "home", &f->out, &err));
    ASSERT_EQ(strlen(f->out.data), f->out.len);
    return f->out.data;
}

static const char *write_body(fixture *f, const kin_request *request)
{
    kin_error err;

    ASSERT_OK(kin__target_body(request, &f->out, &err));
    ASSERT_TRUE(kin__buf_append_byte(&f->out, '\0'));
    return f->out.data;
}

static kin_object *object_of(const char *json)
{
    kin_object *object;
    kin_error err;

    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    return object;
}

static kin_request request_of(kin_verb verb)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = verb;
    return request;
}

TEST(target, has_a_method_for_each_verb)
{
    static const char *const want[] = { "",    "GET",   "GET",    "GET",   "POST",
                                        "PUT", "PATCH", "DELETE", "DELETE" };

    for (int verb = KIN_VERB_GET; verb <= KIN_VERB_DELETE_COLLECTION; verb++) {
        kin_request request = request_of((kin_verb) verb);
        ASSERT_STR_EQ(kin__target_method(&request), want[verb]);
    }
}

TEST(target, is_below_api_for_core_and_below_apis_for_groups)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_GET);

    request.ns = "shop";
    request.name = "web-0";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/shop/pods/web-0");
    ASSERT_STR_EQ(write_target(&f, &request, f.deployments),
                  "/apis/apps/v1/namespaces/shop/deployments/web-0");
}

TEST(target, of_a_cluster_wide_resource_has_no_namespace)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_GET);

    request.ns = "shop";
    request.name = "demo";
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces), "/api/v1/namespaces/demo");
    request.subresource = "finalize";
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces), "/api/v1/namespaces/demo/finalize");
}

TEST(target, of_a_list_or_watch_without_a_namespace_means_all)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);

    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/pods");
    request.ns = "shop";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/shop/pods");
    request = request_of(KIN_VERB_WATCH);
    request.no_bookmarks = true;
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/pods?watch=true");
}

TEST(target, of_one_object_takes_the_configured_namespace)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_GET);
    kin_error err;

    request.name = "web-0";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/home/pods/web-0");
    ASSERT_ERR(kin__target_write(&request, f.pods, NULL, &f.out, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "request: ns: required value");
}

TEST(target, takes_namespace_and_name_from_the_object)
{
    FIXTURE(f);
    kin_object *pod = object_of("{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"shop\"}}");
    kin_request request = request_of(KIN_VERB_UPDATE);

    request.object = pod;
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/shop/pods/web-0");
    request.ns = "other";
    request.name = "web-1";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/other/pods/web-1");
    request = request_of(KIN_VERB_CREATE);
    request.object = pod;
    ASSERT_STR_EQ(write_target(&f, &request, f.pods), "/api/v1/namespaces/shop/pods");
    request.subresource = "eviction";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/namespaces/shop/pods/web-0/eviction");
    kin_object_unref(pod);
}

TEST(target, deletes_a_collection_in_one_namespace_only)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_DELETE_COLLECTION);
    kin_error err;

    request.label_selector = "a=b";
    ASSERT_ERR(kin__target_write(&request, f.pods, "home", &f.out, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "request: ns: required value");
    request.ns = "shop";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/namespaces/shop/pods?labelSelector=a%3Db");
}

TEST(target, escapes_names)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_GET);

    request.name = "system:a b\xc3\xa4?x=1#";
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces),
                  "/api/v1/namespaces/system%3Aa%20b%C3%A4%3Fx%3D1%23");
}

TEST(target, refuses_names_that_no_object_has)
{
    FIXTURE(f);
    static const char *const names[] = { ".", "..", "a/b", "a%2fb", "/" };
    kin_request request = request_of(KIN_VERB_GET);
    kin_error err;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        request.name = names[i];
        request.ns = "shop";
        request.subresource = NULL;
        ASSERT_ERR(kin__target_write(&request, f.pods, NULL, &f.out, &err), KIN_ERR_USAGE);
        request.name = "web";
        request.ns = names[i];
        ASSERT_ERR(kin__target_write(&request, f.pods, NULL, &f.out, &err), KIN_ERR_USAGE);
        request.ns = "shop";
        request.subresource = names[i];
        ASSERT_ERR(kin__target_write(&request, f.pods, NULL, &f.out, &err), KIN_ERR_USAGE);
    }
    request.subresource = NULL;
    request.name = "";
    ASSERT_ERR(kin__target_write(&request, f.pods, NULL, &f.out, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "request: name: no object can be called \"\"");
}

TEST(target, of_a_get_may_have_a_version)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_GET);

    request.name = "demo";
    request.resource_version = "0";
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces),
                  "/api/v1/namespaces/demo?resourceVersion=0");
}

TEST(target, of_a_list_has_selectors_and_pages)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);

    request.label_selector = "app in (a, b),!c";
    request.field_selector = "metadata.name=\xc3\xa4&x";
    request.limit = 500;
    request.resource_version = "12";
    request.resource_version_match = "Exact";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/pods?labelSelector=app%20in%20%28a%2C%20b%29%2C%21c"
                  "&fieldSelector=metadata.name%3D%C3%A4%26x&limit=500"
                  "&resourceVersion=12&resourceVersionMatch=Exact");
}

TEST(target, with_a_token_drops_the_version)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);

    request.limit = 500;
    request.resource_version = "12";
    request.resource_version_match = "NotOlderThan";
    request.continue_token = "a+b/c=";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/pods?limit=500&continue=a%2Bb%2Fc%3D");
}

TEST(target, of_a_watch_asks_for_bookmarks)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_WATCH);

    request.resource_version = "12";
    request.timeout_seconds = 300;
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300"
                  "&resourceVersion=12");
}

TEST(target, of_a_watch_from_state_matches_not_older_than)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_WATCH);

    request.initial_events = 1;
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                  "&resourceVersionMatch=NotOlderThan");
    request.initial_events = -1;
    request.resource_version = "0";
    request.resource_version_match = "Exact";
    ASSERT_STR_EQ(write_target(&f, &request, f.pods),
                  "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=false"
                  "&resourceVersion=0&resourceVersionMatch=Exact");
}

TEST(target, of_a_write_has_its_options_in_the_query)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_PATCH);

    request.name = "demo";
    request.dry_run = true;
    request.field_manager = "me & you";
    request.field_validation = "Strict";
    request.force = true;
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces),
                  "/api/v1/namespaces/demo?dryRun=All&fieldManager=me%20%26%20you"
                  "&fieldValidation=Strict&force=true");
}

TEST(target, of_a_delete_has_its_options_in_the_body)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_DELETE);

    request.name = "demo";
    ASSERT_STR_EQ(write_body(&f, &request), "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}");
    request.has_grace_period = true;
    request.if_uid = "u\"1";
    request.if_version = "7";
    request.propagation = "Foreground";
    request.dry_run = true;
    ASSERT_STR_EQ(write_body(&f, &request),
                  "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,"
                  "\"preconditions\":{\"uid\":\"u\\\"1\",\"resourceVersion\":\"7\"},"
                  "\"propagationPolicy\":\"Foreground\",\"dryRun\":[\"All\"]}");
    request.if_uid = NULL;
    ASSERT_CONTAINS(write_body(&f, &request), "\"preconditions\":{\"resourceVersion\":\"7\"}");
    ASSERT_STR_EQ(write_target(&f, &request, f.namespaces), "/api/v1/namespaces/demo");
}

TEST(target, of_a_read_has_no_body)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);

    ASSERT_STR_EQ(write_body(&f, &request), "");
    ASSERT_TRUE(kin__target_content_type(&request) == NULL);
}

TEST(target, sends_an_object_or_bytes)
{
    FIXTURE(f);
    const char *json = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}";
    kin_object *pod = object_of(json);
    kin_request request = request_of(KIN_VERB_CREATE);

    request.object = pod;
    ASSERT_STR_EQ(write_body(&f, &request), json);
    ASSERT_STR_EQ(kin__target_content_type(&request), "application/json");
    request = request_of(KIN_VERB_PATCH);
    request.object = pod;
    request.body = STR("[]");
    request.patch_type = KIN_PATCH_JSON;
    ASSERT_STR_EQ(write_body(&f, &request), "[]");
    kin_object_unref(pod);
}

TEST(target, names_the_type_of_a_patch)
{
    kin_request request = request_of(KIN_VERB_PATCH);

    ASSERT_STR_EQ(kin__target_content_type(&request), "application/merge-patch+json");
    request.patch_type = KIN_PATCH_JSON;
    ASSERT_STR_EQ(kin__target_content_type(&request), "application/json-patch+json");
    request.patch_type = KIN_PATCH_STRATEGIC;
    ASSERT_STR_EQ(kin__target_content_type(&request), "application/strategic-merge-patch+json");
    request.patch_type = KIN_PATCH_APPLY;
    ASSERT_STR_EQ(kin__target_content_type(&request), "application/apply-patch+yaml");
}

TEST(target, sends_no_partial_object_in_place_of_a_whole_one)
{
    FIXTURE(f);
    const char *json = "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":1},\"status\":{}}";
    const char *const paths[] = { "status" };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask;
    kin_object *partial;
    kin_request request = request_of(KIN_VERB_UPDATE);
    kin_error err;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    options.mask = mask;
    ASSERT_OK(kin_object_from_json(json, strlen(json), &options, &partial, &err));
    request.object = partial;

    ASSERT_ERR(kin__target_body(&request, &f.out, &err), KIN_ERR_PARTIAL);
    ASSERT_CONTAINS(err.message, "request: object: it is partial");
    kin_object_unref(partial);
    kin_mask_free(mask);
}

TEST(target, wants_protobuf_for_kinds_that_are_known_in_it)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);
    bool wants;
    kin_error err;

    ASSERT_OK(kin__target_wants_protobuf(&request, f.pods, &wants, &err));
    ASSERT_TRUE(wants);
    ASSERT_OK(kin__target_wants_protobuf(&request, f.widgets, &wants, &err));
    ASSERT_FALSE(wants);
    request.encoding = KIN_ENCODING_JSON;
    ASSERT_OK(kin__target_wants_protobuf(&request, f.pods, &wants, &err));
    ASSERT_FALSE(wants);
    request.encoding = KIN_ENCODING_PROTOBUF;
    ASSERT_OK(kin__target_wants_protobuf(&request, f.pods, &wants, &err));
    ASSERT_TRUE(wants);
    ASSERT_ERR(kin__target_wants_protobuf(&request, f.widgets, &wants, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "request: encoding: no protobuf is known for kind \"Widget\"");
}

TEST(target, wants_protobuf_for_the_metadata_of_every_kind)
{
    FIXTURE(f);
    kin_request request = request_of(KIN_VERB_LIST);
    bool wants;
    kin_error err;

    request.metadata_only = true;
    ASSERT_OK(kin__target_wants_protobuf(&request, f.widgets, &wants, &err));
    ASSERT_TRUE(wants);
}

TEST(target, accepts_json_always_and_protobuf_first)
{
    kin_request request = request_of(KIN_VERB_LIST);

    ASSERT_STR_EQ(kin__target_accept(&request, false), "application/json");
    ASSERT_STR_EQ(kin__target_accept(&request, true),
                  "application/vnd.kubernetes.protobuf,application/json");
}

TEST(target, accepts_metadata_in_the_form_that_fits_the_verb)
{
    kin_request request = request_of(KIN_VERB_LIST);

    request.metadata_only = true;
    ASSERT_STR_EQ(kin__target_accept(&request, true),
                  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;"
                  "g=meta.k8s.io;v=v1,"
                  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    ASSERT_STR_EQ(kin__target_accept(&request, false),
                  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    request.verb = KIN_VERB_WATCH;
    ASSERT_STR_EQ(kin__target_accept(&request, true),
                  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;"
                  "g=meta.k8s.io;v=v1,"
                  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    request.verb = KIN_VERB_GET;
    ASSERT_STR_EQ(kin__target_accept(&request, false),
                  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

TEST_FAILING_ALLOC(target, survives_a_lack_of_memory)
{
    kin_resource *pods = NULL;
    kin_object *pod = NULL;
    const char *json = "{\"metadata\":{\"name\":\"a\"}}";
    kin_request request = request_of(KIN_VERB_CREATE);
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err;
    kin_err code = kin_resource_new("", "v1", "pods", "Pod", true, &pods, &err);

    if (code == KIN_OK) {
        code = kin_object_from_json(json, strlen(json), NULL, &pod, &err);
    }
    request.object = pod;
    request.field_manager = "a manager with a name that is longer than a buffer has room at first";
    if (code == KIN_OK) {
        code = kin__target_write(&request, pods, "home", &out, &err);
    }
    if (code == KIN_OK) {
        code = kin__target_body(&request, &out, &err);
    }
    request = request_of(KIN_VERB_DELETE);
    request.if_uid = "0123456789012345678901234567890123456789";
    request.if_version = request.if_uid;
    kin__buf_fini(&out);
    if (code == KIN_OK) {
        code = kin__target_body(&request, &out, &err);
    }
    kin_object_unref(pod);
    kin_resource_unref(pods);
    return code;
}
