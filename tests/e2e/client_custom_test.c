/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_custom_test.c - a custom resource, from its definition to its removal, and subresources.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "e2e/support/calls.h"

#define NS "kin-custom"
#define GROUP "kin-custom.example"

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"gadgets." GROUP "\"},\"spec\":{\"group\":\"" GROUP "\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\",\"singular\":\"gadget\","
    "\"kind\":\"Gadget\",\"shortNames\":[\"gdg\"]},\"versions\":[{\"name\":\"v1\","
    "\"served\":true,\"storage\":true,\"subresources\":{\"status\":{},\"scale\":{"
    "\"specReplicasPath\":\".spec.replicas\",\"statusReplicasPath\":\".status.replicas\"}},"
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static const char gadget[] =
    "{\"apiVersion\":\"" GROUP "/v1\",\"kind\":\"Gadget\",\"metadata\":{\"name\":\"one\","
    "\"namespace\":\"" NS "\"},\"spec\":{\"replicas\":2,\"deep\":[1,{\"x\":\"\\u003cy\"}]}}";

static cluster c;
static kin_client *client;

static void open_session(void)
{
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

static void nap(void)
{
    (void) nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
}

/* The server serves it some moments after it is defined. */
static void define(void)
{
    kin_error err = { 0 };
    kin_object *object = object_of(definition);
    kin_resource *found = NULL;

    must_be_ok(kin_client_create(client, object, NULL, &err), &err);
    kin_object_unref(object);
    for (int64_t until = now_ms() + 20000; found == NULL && now_ms() < until;) {
        if (kin_client_resource(client, "gdg", &found, &err) != KIN_OK) {
            ASSERT_ERR(err.code, KIN_ERR_NOT_FOUND);
            ASSERT_STR_EQ(err.message, "the server has no resource \"gdg\"");
            nap();
        }
    }
    ASSERT_TRUE(found != NULL);
    ASSERT_STR_EQ(kin_resource_name(found), "gadgets");
    ASSERT_STR_EQ(kin_resource_kind(found), "Gadget");
    kin_resource_unref(found);
}

static void create(void)
{
    kin_error err = { 0 };
    kin_object *object = object_of(gadget);
    kin_err code = KIN_ERR_NOT_FOUND;

    for (int64_t until = now_ms() + 20000; code == KIN_ERR_NOT_FOUND && now_ms() < until;) {
        code = kin_client_create(client, object, NULL, &err);
        nap();
    }
    must_be_ok(code, &err);
    kin_object_unref(object);
}

static kin_request on_one(kin_verb verb)
{
    return (kin_request){ REQUEST, .verb = verb, .resource = "gadgets", .ns = NS, .name = "one" };
}

static int64_t number_at(const kin_object *object, const char *path)
{
    int64_t number = -1;

    ASSERT_OK(kin_value_int64(kin_object_at(object, path), &number));
    return number;
}

static void list_in_every_encoding(void)
{
    kin_request request = { REQUEST, .verb = KIN_VERB_LIST, .resource = "gadgets", .ns = NS };
    kin_reply reply = KIN_REPLY_INIT;

    must_run_to(client, &request, NULL, &reply);
    ASSERT_EQ(reply.count, 1);
    ASSERT_TRUE(reply.resource_version != NULL && reply.continue_token == NULL);
    kin_reply_fini(&reply);
    request.metadata_only = true;
    request.encoding = KIN_ENCODING_PROTOBUF;
    must_run_to(client, &request, NULL, &reply);
    ASSERT_EQ(reply.count, 1);
    kin_reply_fini(&reply);
    request.metadata_only = false;
    must_just_fail(client, &request,
                   (failure){ .code = KIN_ERR_USAGE,
                              .message = "list gadgets in " NS ": request: encoding: no protobuf "
                                         "is known for kind \"Gadget\"" });
}

static void patch_in_every_way(void)
{
    kin_request request = on_one(KIN_VERB_PATCH);
    request.body = kin_str_of("{\"spec\":{\"merged\":1}}");
    kin_object *object = must_run(client, &request);
    ASSERT_EQ(number_at(object, "spec.merged"), 1);
    kin_object_unref(object);

    request.patch_type = KIN_PATCH_JSON;
    request.body = kin_str_of("[{\"op\":\"replace\",\"path\":\"/spec/merged\",\"value\":2}]");
    object = must_run(client, &request);
    ASSERT_EQ(number_at(object, "spec.merged"), 2);
    kin_object_unref(object);

    request.patch_type = KIN_PATCH_APPLY;
    request.field_manager = "e2e";
    request.force = true;
    request.body = kin_str_of("apiVersion: " GROUP "/v1\nkind: Gadget\nspec:\n  merged: 3\n");
    object = must_run(client, &request);
    ASSERT_EQ(number_at(object, "spec.merged"), 3);
    kin_object_unref(object);

    request.patch_type = KIN_PATCH_STRATEGIC;
    request.force = false;
    request.body = kin_str_of("{}");
    must_just_fail(
        client, &request,
        (failure){ KIN_ERR_REFUSED, 415, "UnsupportedMediaType", "patch gadgets " NS "/one: " });
}

static void update_status(void)
{
    kin_error err = { 0 };
    kin_edit *edit = NULL;
    kin_object *edited = NULL;
    kin_request get = on_one(KIN_VERB_GET);
    kin_object *object = must_run(client, &get);

    ASSERT_OK(kin_object_edit(object, &edit, &err));
    ASSERT_OK(kin_edit_set_int64(edit, "status.replicas", 7, &err));
    ASSERT_OK(kin_edit_set_int64(edit, "spec.replicas", 99, &err));
    ASSERT_OK(kin_edit_object(edit, &edited, &err));
    kin_request update = { REQUEST, .verb = KIN_VERB_UPDATE, .subresource = "status",
                           .object = edited };
    kin_object *updated = must_run(client, &update);
    ASSERT_EQ(number_at(updated, "status.replicas"), 7);
    ASSERT_EQ(number_at(updated, "spec.replicas"), 2);
    kin_object_unref(updated);

    update.subresource = NULL;
    must_just_fail(client, &update,
                   (failure){ KIN_ERR_CONFLICT, 409, "Conflict",
                              "update gadgets " NS "/one: Operation cannot be fulfilled" });
    kin_object_unref(edited);
    kin_edit_free(edit);
    kin_object_unref(object);
}

/* Its answer is a Scale, whatever the resource. */
static void scale(const char *resource, const char *name)
{
    kin_request request = { REQUEST,  .verb = KIN_VERB_GET, .resource = resource,
                            .ns = NS, .name = name,         .subresource = "scale" };
    kin_object *object = must_run(client, &request);
    ASSERT_SLICE_EQ(kin_object_kind(object), "Scale");
    ASSERT_EQ(number_at(object, "spec.replicas"), 2);
    kin_object_unref(object);

    request.verb = KIN_VERB_PATCH;
    request.body = kin_str_of("{\"spec\":{\"replicas\":5}}");
    object = must_run(client, &request);
    ASSERT_SLICE_EQ(kin_object_api_version(object), "autoscaling/v1");
    ASSERT_EQ(number_at(object, "spec.replicas"), 5);

    request = (kin_request){ REQUEST, .verb = KIN_VERB_UPDATE, .resource = resource,
                             .subresource = "scale", .object = object };
    kin_object_unref(must_run(client, &request));
    kin_object_unref(object);
    request = (kin_request){ REQUEST, .verb = KIN_VERB_GET, .resource = resource, .ns = NS,
                             .name = name };
    object = must_run(client, &request);
    ASSERT_EQ(number_at(object, "spec.replicas"), 5);
    kin_object_unref(object);
}

static void undefine(void)
{
    kin_error err = { 0 };
    kin_err code = KIN_OK;

    must_be_ok(kin_client_delete(client, "customresourcedefinitions", NULL, "gadgets." GROUP, &err),
               &err);
    for (int64_t until = now_ms() + 20000; code == KIN_OK && now_ms() < until;) {
        kin_object *object = NULL;
        code = kin_client_get(client, "customresourcedefinitions", NULL, "gadgets." GROUP, &object,
                              &err);
        if (code == KIN_OK) {
            kin_object_unref(object);
        }
        nap();
    }
    ASSERT_ERR(code, KIN_ERR_NOT_FOUND);
}

static void list_until_it_is_gone(void)
{
    kin_request request = { REQUEST, .verb = KIN_VERB_LIST, .resource = "gadgets", .ns = NS };
    kin_error err = { 0 };
    kin_err code = KIN_OK;

    for (int64_t until = now_ms() + 20000; code == KIN_OK && now_ms() < until;) {
        code = kin_client_run(client, &request, NULL, NULL, &err);
    }
    ASSERT_ERR(code, KIN_ERR_NOT_FOUND);
    ASSERT_EQ(err.http_status, 404);
    ASSERT_MESSAGE(&err, "list gadgets in " NS ": the server answered 404: 404 page not found");
}

TEST(client_custom, resource_is_there_from_its_definition_to_its_removal)
{
    recorder watch;
    open_session();
    define();
    create();
    recorder_start(&watch, client,
                   &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "gdg", .ns = NS,
                                   .initial_events = 1 });
    recorder_wait(&watch, "BOOKMARK end");

    list_in_every_encoding();
    patch_in_every_way();
    update_status();
    scale("gadgets", "one");
    undefine();
    list_until_it_is_gone();

    recorder_wait(&watch, "done");
    recorder_fini(&watch);
    ASSERT_CONTAINS(watch.lines.chars, "open\nADDED one\nBOOKMARK end\nMODIFIED one\n");
    ASSERT_CONTAINS(watch.lines.chars, "DELETED one\n");
    ASSERT_ERR(watch.err.code, KIN_OK);
    close_session();
}

TEST(client_custom, object_needs_its_version_for_an_update)
{
    open_session();
    kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .resource = "leases", .ns = NS,
                            .body = kin_str_of("{\"metadata\":{\"name\":\"versioned\"}}") };
    kin_object_unref(must_run(client, &request));

    request.verb = KIN_VERB_UPDATE;
    request.name = "versioned";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 422, "Invalid",
                              "metadata.resourceVersion: Invalid value: 0: must be specified" });

    kin_error err = { 0 };
    must_be_ok(kin_client_delete(client, "leases", NS, "versioned", &err), &err);
    close_session();
}

TEST(client_custom, subresource_of_a_built_in_kind_is_another_kind)
{
    open_session();
    kin_error err = { 0 };
    kin_object *deployment = object_of(
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"scaled\","
        "\"namespace\":\"" NS "\"},\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{"
        "\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");
    must_be_ok(kin_client_create(client, deployment, NULL, &err), &err);

    scale("deployments", "scaled");

    must_be_ok(kin_client_delete(client, "deployments", NS, "scaled", &err), &err);
    kin_object_unref(deployment);
    close_session();
}

static bool count_object(void *context, kin_object *object)
{
    (void) object;
    *(size_t *) context += 1;
    return true;
}

TEST(client_custom, collection_is_deleted_at_once)
{
    open_session();
    size_t count = 0;
    write_map(client, NS, "many-1", "x");
    write_map(client, NS, "many-2", "x");
    label_map(client, NS, "many-1", "many");
    label_map(client, NS, "many-2", "many");
    kin_reply reply = KIN_REPLY_INIT;
    kin_handler handler = { .size = sizeof handler, .context = &count, .on_object = count_object };

    must_run_to(client,
                &(kin_request){ REQUEST, .verb = KIN_VERB_DELETE_COLLECTION,
                                .resource = "configmaps", .ns = NS,
                                .label_selector = "label=many" },
                &handler, &reply);
    kin_reply_fini(&reply);
    ASSERT_EQ(count, 2);

    must_run_to(client,
                &(kin_request){ REQUEST, .verb = KIN_VERB_LIST, .resource = "configmaps", .ns = NS,
                                .label_selector = "label=many" },
                NULL, &reply);
    ASSERT_EQ(reply.count, 0);
    kin_reply_fini(&reply);
    close_session();
}

TEST(client_custom, object_is_created_under_a_name_of_the_servers)
{
    open_session();
    kin_error err = { 0 };
    char name[128];
    kin_object *made =
        must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                                         .ns = NS,
                                         .body = kin_str_of("{\"metadata\":{\"generateName\":"
                                                            "\"kin-\"}}") });
    (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(made)));

    ASSERT_EQ(strlen(name), 9);
    must_be_ok(kin_client_delete(client, "configmaps", NS, name, &err), &err);
    kin_object_unref(made);
    close_session();
}

TEST(client_custom, dry_run_changes_nothing)
{
    open_session();
    kin_object *made =
        must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                                         .ns = NS, .dry_run = true,
                                         .body = kin_str_of("{\"metadata\":{\"name\":\"dry\"}}") });
    ASSERT_EQ(kin_object_resource_version(made).len, 0);
    kin_object_unref(made);

    must_just_fail(
        client,
        &(kin_request){ REQUEST, .verb = KIN_VERB_GET, .resource = "cm", .ns = NS, .name = "dry" },
        (failure){ KIN_ERR_NOT_FOUND, 404, "NotFound",
                   "get configmaps " NS "/dry: configmaps \"dry\" not found" });
    close_session();
}
