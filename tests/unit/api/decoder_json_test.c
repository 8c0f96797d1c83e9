/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_json_test.c - items and events in JSON.
 */
#include "decoding.h"

#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define MAP(name, version)                                                                         \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                 \
    "\",\"namespace\":\"demo\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" version "\"}}"

TEST(decoder_json, gives_items_of_a_list_the_kind_of_the_list)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_STR_EQ(decode_file(&d, "list-configmaps.json"), "object ConfigMap v1 demo/w-0 348\n"
                                                           "object ConfigMap v1 demo/w-1 349\n"
                                                           "object ConfigMap v1 demo/w-2 350\n"
                                                           "finished 404\n");
}

TEST(decoder_json, reads_a_list_of_custom_resources_with_its_metadata_last)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .api_version = "example.com/v1", .kind = "Widget" };

    ASSERT_STR_EQ(decode_file(&d, "list-widgets-crd.json"),
                  "object Widget example.com/v1 demo/w0 493\n"
                  "object Widget example.com/v1 demo/w1 494\n"
                  "object Widget example.com/v1 demo/w2 495\n"
                  "finished 495\n");
}

TEST(decoder_json, tells_where_a_list_goes_on)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .kind = "Pod" };

    ASSERT_CONTAINS(decode_file(&d, "list-pods-20.json"), "finished");
    ASSERT_EQ(d.calls, 20);
    ASSERT_CONTAINS(d.log.chars, "continue=eyJ2 remaining=");
}

TEST(decoder_json, reads_an_empty_list)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .kind = "Pod" };

    ASSERT_STR_EQ(decode_file(&d, "list-empty-missing-namespace.json"), "finished 300\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"PodList\",\"items\":null}")), "finished\n");
}

TEST(decoder_json, takes_an_empty_token_for_none)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_STR_EQ(decode(&d, STR("{\"items\":[],\"metadata\":{\"continue\":\"\","
                                 "\"resourceVersion\":\"\",\"remainingItemCount\":null}}")),
                  "finished\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"items\":[],\"metadata\":{\"continue\":\"\\u0061\","
                                 "\"resourceVersion\":\"5\",\"remainingItemCount\":0}}")),
                  "finished 5 continue=a remaining=0\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"items\":[],\"metadata\":{\"continue\":7,"
                                 "\"resourceVersion\":null,\"remainingItemCount\":-4}}")),
                  "finished\n");
}

TEST(decoder_json, uses_what_was_asked_for_when_a_list_does_not_tell)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_STR_EQ(decode(&d, STR("{\"items\":[{\"metadata\":{\"name\":\"a\"}}],"
                                 "\"kind\":\"ConfigMapList\"}")),
                  "object ConfigMap v1 a \nfinished\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"a\\\"List\",\"apiVersion\":\"v1\",\"items\":["
                                 "{\"metadata\":{\"name\":\"a\"}}]}")),
                  "object ConfigMap v1 a \nfinished\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"Li\\u0073t\",\"items\":[{\"metadata\":"
                                 "{\"name\":\"a\"}}]}")),
                  "object ConfigMap v1 a \nfinished\n");
}

TEST(decoder_json, believes_a_list_that_says_what_else_it_holds)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_STR_EQ(fail_decoding(&d,
                                STR("{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":["
                                    "{\"metadata\":{\"name\":\"a\"}}]}"),
                                KIN_ERR_PROTOCOL),
                  "expected a list of ConfigMap, found kind \"Secret\"");
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v2\",\"items\":["
                                 "{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}"
                                 "]}")),
                  "object ConfigMap v2 a \nobject ConfigMap v2 b \nfinished\n");
}

TEST(decoder_json, refuses_a_table)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_STR_EQ(fail_decoding_file(&d, "table-configmaps.json", KIN_ERR_PROTOCOL),
                  "expected a list of ConfigMap, found kind \"Table\"");
    d.answer = KIN__ANSWER_WATCH;
    ASSERT_STR_EQ(fail_decoding_file(&d, "table-configmaps-watch.json", KIN_ERR_PROTOCOL),
                  "expected events of ConfigMap, found kind \"Table\"");
    d.answer = KIN__ANSWER_OBJECT;
    ASSERT_STR_EQ(fail_decoding_file(&d, "table-configmaps.json", KIN_ERR_PROTOCOL),
                  "expected an object, as ConfigMap, found kind \"Table\"");
}

TEST(decoder_json, refuses_what_is_no_list)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .kind = "Pod" };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-pod-get.json", KIN_ERR_PROTOCOL),
                  "expected a list of Pod, found kind \"Pod\"");
    ASSERT_STR_EQ(fail_decoding(&d, STR("[]"), KIN_ERR_PROTOCOL),
                  "expected a list of Pod, found kind \"\"");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{\"items\":7}"), KIN_ERR_PROTOCOL),
                  "expected a list of Pod, found kind \"\"");
    ASSERT_CONTAINS(fail_decoding(&d, STR(""), KIN_ERR_MALFORMED), "");
    ASSERT_CONTAINS(fail_decoding(&d, STR("<html>"), KIN_ERR_MALFORMED), "at byte 0");
}

TEST(decoder_json, refuses_an_item_without_a_name)
{
    decoding d = { .answer = KIN__ANSWER_LIST };

    ASSERT_CONTAINS(fail_decoding(&d, STR("{\"items\":[{\"metadata\":{}}]}"), KIN_ERR_MALFORMED),
                    "metadata.name: required value");
}

TEST(decoder_json, fails_with_the_status_that_comes_instead)
{
    static const kin__answer answers[] = { KIN__ANSWER_OBJECT, KIN__ANSWER_LIST, KIN__ANSWER_WATCH,
                                           KIN__ANSWER_DELETIONS };

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        decoding d = { .answer = answers[i] };
        ASSERT_STR_EQ(fail_decoding_file(&d, "status-404-object.json", KIN_ERR_NOT_FOUND),
                      "configmaps \"nope\" not found");
        ASSERT_EQ(d.err.http_status, 404);
        ASSERT_STR_EQ(d.err.reason, "NotFound");
    }
}

TEST(decoder_json, keeps_more_of_the_status_that_comes_instead)
{
    size_t len;
    char *body = read_fixture("status-504-too-large-resource-version.json", &len);
    decoding d = { .answer = KIN__ANSWER_LIST };

    begin_decoding(&d, kin__str(body, len));
    ASSERT_ERR(d.code, KIN_ERR_SERVER);
    ASSERT_STR_EQ(kin__decoder_status(d.decoder)->cause, "ResourceVersionTooLarge");
    end_decoding(&d);
    free_fixture(body);
}

TEST(decoder_json, takes_success_for_an_answer_to_a_delete_only)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT };

    ASSERT_STR_EQ(decode_file(&d, "write-configmap-delete.json"), "finished\n");
    d.answer = KIN__ANSWER_DELETIONS;
    ASSERT_STR_EQ(decode_file(&d, "write-configmap-delete.json"), "finished\n");
    d.answer = KIN__ANSWER_LIST;
    ASSERT_STR_EQ(fail_decoding_file(&d, "write-configmap-delete.json", KIN_ERR_PROTOCOL),
                  "expected a list of ConfigMap, found kind \"Status\"");
    d.answer = KIN__ANSWER_WATCH;
    ASSERT_STR_EQ(fail_decoding_file(&d, "write-configmap-delete.json", KIN_ERR_PROTOCOL),
                  "expected events of ConfigMap, found kind \"Status\"");
}

TEST(decoder_json, takes_a_custom_status_for_an_object)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT };

    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"Status\",\"apiVersion\":\"example.com/v1\","
                                 "\"metadata\":{\"name\":\"a\"}}")),
                  "object Status example.com/v1 a \nfinished\n");
}

TEST(decoder_json, reads_one_object_of_any_kind)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT };

    ASSERT_STR_EQ(decode_file(&d, "write-configmap-create.json"),
                  "object ConfigMap v1 demo/c-1 420\n"
                  "finished\n");
    d.kind = "Deployment";
    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\","
                                 "\"metadata\":{\"name\":\"web\"}}")),
                  "object Scale autoscaling/v1 web \nfinished\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"metadata\":{\"name\":\"web\"}}")),
                  "object Deployment v1 web \nfinished\n");
}

TEST(decoder_json, reads_one_object_without_a_name)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT };

    ASSERT_STR_EQ(decode(&d, STR("{\"kind\":\"TokenReview\",\"apiVersion\":"
                                 "\"authentication.k8s.io/v1\",\"metadata\":{}}")),
                  "object TokenReview authentication.k8s.io/v1  \nfinished\n");
}

TEST(decoder_json, refuses_no_object_and_two_objects)
{
    decoding d = { .answer = KIN__ANSWER_OBJECT };

    ASSERT_STR_EQ(fail_decoding(&d, STR(" \n"), KIN_ERR_MALFORMED), "the answer is empty");
    ASSERT_STR_EQ(fail_decoding(&d, STR(MAP("a", "1") "\n" MAP("b", "2")), KIN_ERR_MALFORMED),
                  "second object at byte 116");
    ASSERT_CONTAINS(fail_decoding(&d, STR("{\"kind\":"), KIN_ERR_MALFORMED), "at byte 8");
}

TEST(decoder_json, reads_the_list_of_what_was_deleted)
{
    decoding d = { .answer = KIN__ANSWER_DELETIONS };

    ASSERT_CONTAINS(decode_file(&d, "write-configmap-deletecollection.json"),
                    "object ConfigMap v1 demo/");
}

TEST(decoder_json, tells_events_as_they_come)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(decode_file(&d, "watch-configmaps-all.json"),
                  "ADDED ConfigMap v1 demo/w-9 351\n"
                  "MODIFIED ConfigMap v1 demo/w-9 352\n"
                  "MODIFIED ConfigMap v1 demo/w-9 353\n"
                  "MODIFIED ConfigMap v1 demo/w-9 354\n"
                  "MODIFIED ConfigMap v1 demo/w-9 355\n"
                  "DELETED ConfigMap v1 demo/w-9 356\n"
                  "BOOKMARK 356\n"
                  "BOOKMARK 356\n");
}

TEST(decoder_json, tells_the_end_of_the_initial_events)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(decode_file(&d, "watch-configmaps-watchlist.json"),
                  "ADDED ConfigMap v1 demo/w-0 348\n"
                  "ADDED ConfigMap v1 demo/w-1 349\n"
                  "ADDED ConfigMap v1 demo/w-2 350\n"
                  "BOOKMARK 366 end\n"
                  "ADDED ConfigMap v1 demo/w-8 367\n"
                  "MODIFIED ConfigMap v1 demo/w-8 368\n"
                  "DELETED ConfigMap v1 demo/w-8 369\n"
                  "BOOKMARK 369\n");
    d.kind = "Widget";
    d.api_version = "example.com/v1";
    ASSERT_STR_EQ(decode_file(&d, "watch-widgets-crd-watchlist.json"),
                  "ADDED Widget example.com/v1 demo/w0 498\n"
                  "ADDED Widget example.com/v1 demo/w1 494\n"
                  "ADDED Widget example.com/v1 demo/w2 495\n"
                  "BOOKMARK 498 end\n"
                  "MODIFIED Widget example.com/v1 demo/w1 499\n"
                  "DELETED Widget example.com/v1 demo/w2 500\n"
                  "BOOKMARK 500\n"
                  "BOOKMARK 500\n");
}

TEST(decoder_json, tells_an_error_as_an_event)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(decode_file(&d, "watch-error-410.json"),
                  "ERROR -43 410 Expired: too old resource version: 1 (396) ()\n");
    ASSERT_CONTAINS(decode_file(&d, "watch-error-504-too-large.json"), "(ResourceVersionTooLarge)");
    ASSERT_STR_EQ(decode(&d, STR(EVENT("ERROR", "{\"kind\":\"Status\",\"status\":\"Success\"}"))),
                  "ERROR -25 0 : the watch ends with an error that tells none ()\n");
    ASSERT_STR_EQ(decode(&d, STR(EVENT("ERROR", "{}"))),
                  "ERROR -47 500 : the server answered 500 ()\n");
}

TEST(decoder_json, reads_events_with_their_members_in_any_order)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(decode(&d, STR("{\"object\":" MAP("a", "1") ",\"type\":\"ADDED\"}")),
                  "ADDED ConfigMap v1 demo/a 1\n");
    ASSERT_STR_EQ(decode(&d, STR(" { \"more\" : [ { } , 1 ] , \"object\" : " MAP(
                                 "a", "1") " , \"x\" : null , \"typ\\u0065\" : "
                                           "\"DE\\u004cETED\" } ")),
                  "DELETED ConfigMap v1 demo/a 1\n");
    ASSERT_STR_EQ(decode(&d, STR("{\"type\":\"ADDED\",\"object\":{},\"object\":" MAP(
                                 "a", "1") ",\"type\":\"MODIFIED\"}")),
                  "MODIFIED ConfigMap v1 demo/a 1\n");
}

TEST(decoder_json, keeps_of_an_event_the_bytes_of_its_object)
{
    decoding d = { .answer = KIN__ANSWER_WATCH, .wants_json = true };

    ASSERT_STR_EQ(decode(&d, STR("{ \"object\" : " MAP("a", "1") " , \"type\" : \"ADDED\" }")),
                  "ADDED ConfigMap v1 demo/a 1\n" MAP("a", "1") "\n");
}

TEST(decoder_json, gives_what_an_event_does_not_say_of_its_object)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(decode(&d, STR(EVENT("ADDED", "{\"metadata\":{\"name\":\"a\"}}"))),
                  "ADDED ConfigMap v1 a \n");
}

TEST(decoder_json, refuses_events_that_are_none)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(fail_decoding(&d, STR("\n" EVENT("RENAMED", MAP("a", "1"))), KIN_ERR_MALFORMED),
                  "unknown type of event \"RENAMED\" at byte 1");
    ASSERT_STR_EQ(fail_decoding(&d, STR(EVENT("", MAP("a", "1"))), KIN_ERR_MALFORMED),
                  "unknown type of event \"\" at byte 0");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{\"object\":{}}"), KIN_ERR_MALFORMED),
                  "event without a type at byte 0");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{\"type\":7,\"object\":{}}"), KIN_ERR_MALFORMED),
                  "event without a type at byte 0");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{}"), KIN_ERR_MALFORMED),
                  "event without a type at byte 0");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{\"type\":\"ADDED\"}"), KIN_ERR_MALFORMED),
                  "event without an object at byte 0");
    ASSERT_STR_EQ(fail_decoding(&d, STR("{\"type\":\"ADDED\",\"object\":[]}"), KIN_ERR_MALFORMED),
                  "event with an object that is none at byte 25");
    ASSERT_STR_EQ(fail_decoding(&d, STR(EVENT("BOOKMARK", "{\"metadata\":{}}")), KIN_ERR_MALFORMED),
                  "bookmark without a resourceVersion at byte 0");
    ASSERT_CONTAINS(fail_decoding(&d, STR("[]"), KIN_ERR_MALFORMED), "expected an object");
}

TEST(decoder_json, refuses_an_event_whose_object_has_no_name)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_STR_EQ(fail_decoding(&d, STR(EVENT("MODIFIED", "{\"metadata\":{}}")), KIN_ERR_MALFORMED),
                  "metadata.name: required value at byte 40");
}

TEST(decoder_json, refuses_a_watch_that_ends_inside_an_event)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };
    kin_str bytes = STR(EVENT("ADDED", MAP("a", "1")) EVENT("ADDED", MAP("b", "2")));

    bytes.len -= 3;
    ASSERT_CONTAINS(fail_decoding(&d, bytes, KIN_ERR_MALFORMED), "at byte");
    ASSERT_STR_EQ(d.log.chars, "ADDED ConfigMap v1 demo/a 1\n");
    ASSERT_STR_EQ(decode(&d, STR("")), "");
}

TEST(decoder_json, reads_metadata_alone)
{
    decoding d = { .answer = KIN__ANSWER_LIST,
                   .metadata_only = true,
                   .api_version = "example.com/v1",
                   .kind = "Widget" };

    ASSERT_STR_EQ(decode_file(&d, "metadata-widgets-crd.json"),
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w0 493\n"
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w1 494\n"
                  "object PartialObjectMetadata meta.k8s.io/v1 demo/w2 495\n"
                  "finished 495\n");
    d.answer = KIN__ANSWER_WATCH;
    ASSERT_STR_EQ(decode_file(&d, "metadata-widgets-crd-watchlist.json"),
                  "ADDED PartialObjectMetadata meta.k8s.io/v1 demo/w0 498\n"
                  "ADDED PartialObjectMetadata meta.k8s.io/v1 demo/w1 499\n"
                  "BOOKMARK 501 end\n");
}

TEST(decoder_json, refuses_whole_objects_where_metadata_was_asked_for)
{
    decoding d = { .answer = KIN__ANSWER_LIST, .metadata_only = true };

    ASSERT_STR_EQ(fail_decoding_file(&d, "list-configmaps.json", KIN_ERR_PROTOCOL),
                  "expected a list of PartialObjectMetadata, found kind \"ConfigMap\"");
    d.answer = KIN__ANSWER_OBJECT;
    ASSERT_STR_EQ(fail_decoding_file(&d, "write-configmap-create.json", KIN_ERR_PROTOCOL),
                  "expected an object, as PartialObjectMetadata, found kind \"ConfigMap\"");
}

TEST(decoder_json, leaves_out_of_events_what_the_mask_does)
{
    const char *const paths[] = { "metadata.labels.app", "spec.big[*].x" };
    decoding d = { .answer = KIN__ANSWER_WATCH, .wants_json = true };
    kin_mask *mask;
    kin_error err;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 2, &mask, &err));
    d.mask = mask;
    ASSERT_STR_EQ(
        decode(&d, STR(EVENT("ADDED", "{\"metadata\":{\"name\":\"a\",\"labels\":{\"app\":\"x\"}},"
                                      "\"spec\":{\"big\":[{\"x\":1,\"y\":2}]}}"))),
        "ADDED ConfigMap v1 a \n"
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
        "\"labels\":{}},\"spec\":{\"big\":[{\"y\":2}]}}\n");
    kin_mask_free(mask);
}

TEST(decoder_json, refuses_json_that_is_wrong_inside_an_object)
{
    decoding d = { .answer = KIN__ANSWER_WATCH };

    ASSERT_CONTAINS(
        fail_decoding(&d, STR(EVENT("ADDED", "{\"metadata\":{\"name\":\"a\"},\"x\":[tru]}")),
                      KIN_ERR_MALFORMED),
        "at byte 58");
}
