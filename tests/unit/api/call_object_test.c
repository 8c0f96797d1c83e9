/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_object_test.c - calls for one object, or to be rid of several.
 */
#include "api/call.h"

#include "unit/api/one_call.h"

TEST(call_object, gets_an_object)
{
    kin_request request = get_map();
    begin();
    answer_with(&s, "GET /api/v1/namespaces/shop/configmaps/a ", 200, JSON,
                "Warning: 299 - \"old\"\r\n", MAP("a", "5"));

    run(&request);

    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_STR_EQ(r.told.chars, "a ");
    ASSERT_STR_EQ(r.warnings, "old");
    ASSERT_EQ(r.count, 1);
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nAccept: application/json");
    finish();
}

TEST(call_object, gets_an_object_in_protobuf_where_that_is_known)
{
    kin_request request = request_for(KIN_VERB_GET, "pods", NULL, "web-0");
    request.encoding = KIN_ENCODING_AUTO;
    begin();
    answer_file(&s, "GET /api/v1/namespaces/shop/pods/web-0 ", 200,
                "application/vnd.kubernetes.protobuf", "list-pod-get.pb");

    run(&request);

    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_STR_EQ(r.kind, "Pod");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nAccept: application/vnd.kubernetes.protobuf");
    finish();
}

TEST(call_object, refuses_protobuf_where_it_is_not_known)
{
    kin_request request = request_for(KIN_VERB_GET, "widgets", "shop", "w");
    request.encoding = KIN_ENCODING_PROTOBUF;
    begin();
    run(&request);
    expect_failure(KIN_ERR_USAGE, "get widgets shop/w: ");
    ASSERT_EQ(count_requests(&s), 2);
    finish();
}

TEST(call_object, fails_when_there_is_no_such_object)
{
    kin_request request = get_map();
    begin();
    answer_file(&s, "GET /api/v1/namespaces/shop/configmaps/a", 404, JSON,
                "status-404-object.json");

    run(&request);

    expect_failure(KIN_ERR_NOT_FOUND, "get configmaps shop/a: ");
    ASSERT_STR_EQ(r.err.reason, "NotFound");
    ASSERT_EQ(r.err.http_status, 404);
    ASSERT_EQ(r.http_status, 404);
    ASSERT_FALSE(r.has_object);
    finish();
}

TEST(call_object, fails_when_the_server_says_nothing)
{
    kin_request request = get_map();
    begin();
    answer(&s, "GET /api/v1/namespaces/shop/configmaps/a", 200, "");
    run(&request);
    expect_failure(KIN_ERR_MALFORMED, "get configmaps shop/a: ");
    finish();
}

TEST(call_object, deletes_with_an_object_or_a_status_for_an_answer)
{
    kin_request request = request_for(KIN_VERB_DELETE, "configmaps", "shop", "a");
    request.propagation = "Foreground";
    begin();
    answer(&s, "DELETE /api/v1/namespaces/shop/configmaps/a", 200, MAP("a", "6"));
    run(&request);
    expect_success();
    ASSERT_TRUE(r.has_object);
    ASSERT_CONTAINS(call_at(&s, 1), "\"propagationPolicy\":\"Foreground\"");
    ASSERT_CONTAINS(call_at(&s, 1), "\r\nContent-Type: application/json\r\n");

    r = (record){ 0 };
    answer_file(&s, "DELETE /api/v1/namespaces/shop/configmaps/a", 200, JSON,
                "write-configmap-delete.json");
    run(&request);
    expect_success();
    ASSERT_FALSE(r.has_object);
    ASSERT_EQ(r.count, 0);
    finish();
}

TEST(call_object, deletes_a_collection)
{
    kin_request request = request_for(KIN_VERB_DELETE_COLLECTION, "configmaps", "shop", NULL);
    begin();
    answer(&s, "DELETE /api/v1/namespaces/shop/configmaps", 200,
           MAPS("\"resourceVersion\":\"9\"", MAP("a", "1") "," MAP("b", "2")));
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a b ");
    ASSERT_FALSE(r.has_object);
    finish();
}

TEST(call_object, finds_the_resource_of_an_object_that_is_to_be_created)
{
    kin_object *map = object_of(MAP("a", ""), NULL);
    kin_request request = request_for(KIN_VERB_CREATE, NULL, NULL, NULL);
    request.object = map;
    begin();
    answer(&s, "POST /api/v1/namespaces/shop/configmaps ", 201, MAP("a", "1"));

    run(&request);

    expect_success();
    ASSERT_EQ(r.http_status, 201);
    ASSERT_TRUE(r.has_object);
    ASSERT_CONTAINS(call_at(&s, 1), "\r\n\r\n{\"kind\":\"ConfigMap\"");
    (void) kin_object_unref(map);
    finish();
}

TEST(call_object, creates_an_object_that_the_server_is_to_name)
{
    kin_object_options nameless = KIN_OBJECT_OPTIONS_INIT;
    nameless.allows_no_name = true;
    kin_object *map = object_of("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                "\"generateName\":\"a-\",\"namespace\":\"inn\"}}",
                                &nameless);
    kin_request request = request_for(KIN_VERB_CREATE, NULL, NULL, NULL);
    request.object = map;
    begin();
    answer(&s, "POST /api/v1/namespaces/inn/configmaps ", 201, MAP("a-x7", "1"));
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a-x7 ");

    r = (record){ 0 };
    answer(&s, "POST /api/v1/namespaces/inn/configmaps ", 409, "{}");
    run(&request);
    expect_failure(KIN_ERR_CONFLICT, "create configmaps in inn: ");
    (void) kin_object_unref(map);
    finish();
}

TEST(call_object, does_not_write_an_object_that_is_partial)
{
    static const char *const paths[] = { "data" };
    static const kin_verb verbs[] = { KIN_VERB_CREATE, KIN_VERB_UPDATE };
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask;
    kin_error err;
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    options.mask = mask;
    kin_object *map = object_of(MAP("a", "1"), &options);
    for (size_t i = 0; i < 2; i++) {
        kin_request request = request_for(verbs[i], "configmaps", NULL, NULL);
        request.object = map;
        begin();
        run(&request);
        expect_failure(KIN_ERR_PARTIAL,
                       i == 0 ? "create configmaps shop/a: " : "update configmaps shop/a: ");
        ASSERT_EQ(count_requests(&s), 2);
        finish();
    }
    (void) kin_object_unref(map);
    kin_mask_free(mask);
}

TEST(call_object, keeps_of_an_object_what_its_mask_says)
{
    static const char *const paths[] = { "data" };
    kin_request request = list_maps();
    kin_mask *mask;
    kin_error err;
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    request.mask = mask;
    begin();
    answer(&s, LIST_MAPS, 200, MAPS("", MAP("a", "1")));
    run(&request);
    expect_success();
    ASSERT_TRUE(r.was_partial);
    finish();
    kin_mask_free(mask);
}

TEST(call_object, asks_for_metadata_alone)
{
    kin_request request = list_maps();
    request.metadata_only = true;
    begin();
    answer(&s, LIST_MAPS, 200,
           "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
           "\"metadata\":{\"resourceVersion\":\"3\"},\"items\":[{\"kind\":"
           "\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":"
           "\"a\",\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"1\"}}]}");
    run(&request);
    expect_success();
    ASSERT_STR_EQ(r.told.chars, "a ");
    ASSERT_STR_EQ(r.kind, "PartialObjectMetadata");
    ASSERT_CONTAINS(call_at(&s, 1), "as=PartialObjectMetadataList");
    finish();
}
