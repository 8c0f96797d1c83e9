/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partial_test.c - metadata alone, beside that of an API server.
 */
#include "server/partial.h"

#include "proto/envelope.h"
#include "unit/server/printing.h"

/* The JSON of an object's metadata alone, terminated. */
static void write_partial(const kin_object *object, kin__buf *out)
{
    kin__json_writer w = { out, false };
    kin_error err;

    ASSERT_OK(kin__partial_write(&w, object, STR(KIN__META_V1), &err));
    ASSERT_TRUE(kin__buf_append_byte(out, '\0'));
}

static void check_partial(const char *api_version, const char *kind, const char *json,
                          const char *want)
{
    static text expected;

    text_clear(&expected);
    text_append(&expected,
                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                "\"metadata\":%s}",
                want);
    bool has_proto =
        kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind)) != KIN__PB_NO_MESSAGE;
    for (int is_proto = 0; is_proto <= has_proto; is_proto++) {
        kin_object *object = is_proto ? printing_make_proto(api_version, kind, kin_str_of(json))
                                      : printing_make(api_version, kind, kin_str_of(json));
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        write_partial(object, &out);
        ASSERT_STR_EQ(out.data, expected.chars);
        kin_object_unref(object);
    }
}

/* Gives the custom resources of the fixture, one after the other. */
static void each_widget(void (*fn)(void *context, const kin_object *object), void *context)
{
    char *list = read_fixture("list-widgets-crd.json", NULL);
    kin__json_iter iter =
        kin__json_walk(kin__json_member(kin__json_of(kin_str_of(list)), STR("items")));

    while (kin__json_next(&iter)) {
        kin_object *object = printing_make("example.com/v1", "Widget", kin__json_text(iter.value));
        fn(context, object);
        kin_object_unref(object);
    }
    free_fixture(list);
}

static kin__list_meta widgets_meta(const char *want)
{
    kin__json meta = kin__json_member(kin__json_of(kin_str_of(want)), STR("metadata"));

    return (kin__list_meta){
        .resource_version = kin__json_raw_string(kin__json_member(meta, STR("resourceVersion"))),
    };
}

static void add_item(void *context, const kin_object *object)
{
    kin_error err;

    ASSERT_OK(kin__partial_list_item(context, object, &err));
}

TEST(partial, list_is_what_an_api_server_sends)
{
    char *want = read_fixture("metadata-widgets-crd.json", NULL);
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__list_meta meta = widgets_meta(want);

    kin__partial_list list = kin__partial_list_begin(&w, STR(KIN__META_V1), &meta);
    each_widget(add_item, &list);
    kin__partial_list_end(&list);
    kin__buf_append_byte(&out, '\n');
    kin__buf_append_byte(&out, '\0');

    ASSERT_STR_EQ(out.data, want);
    free_fixture(want);
}

static void add_message(void *context, const kin_object *object)
{
    kin_error err;

    ASSERT_OK(kin__partial_item_message(object, context, &err));
}

TEST(partial, list_in_protobuf_is_what_an_api_server_sends)
{
    size_t len;
    char *json = read_fixture("metadata-widgets-crd.json", NULL);
    char *want = read_fixture("metadata-widgets-crd.pb", &len);
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__list_meta meta = widgets_meta(json);

    kin__partial_list_message(&meta, &message);
    each_widget(add_message, &message);
    ASSERT_TRUE(kin__pb_envelope_append(STR(KIN__META_V1), STR("PartialObjectMetadataList"),
                                        kin__str(message.data, message.len), &out));

    ASSERT_EQ(out.len, len);
    ASSERT_EQ(memcmp(out.data, want, len), 0);
    free_fixture(json);
    free_fixture(want);
}

TEST(partial, list_without_items_says_null)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__list_meta meta = { .resource_version = STR("421") };

    kin__partial_list list = kin__partial_list_begin(&w, STR(KIN__META_V1), &meta);
    kin__partial_list_end(&list);
    kin__buf_append_byte(&out, '\0');

    ASSERT_STR_EQ(out.data, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                            "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"421\"},"
                            "\"items\":null}");
}

/* From kube-apiserver 1.36.3: an empty list, and the head of a page. */
TEST(partial, list_in_protobuf_tells_what_it_says_of_itself)
{
    static const char empty[] = "\x0a\x09\x0a\x00\x12\x03"
                                "421\x1a\x00";
    static const char page[] = "\x0a\x0b\x0a\x00\x12\x01"
                               "7\x1a\x02"
                               "go\x20\x4b";
    kin__list_meta meta = { .resource_version = STR("421") };
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__partial_list_message(&meta, &out);
    ASSERT_EQ(out.len, sizeof empty - 1);
    ASSERT_EQ(memcmp(out.data, empty, out.len), 0);

    kin__buf_clear(&out);
    meta = (kin__list_meta){ STR("7"), STR("go"), 75, true };
    kin__partial_list_message(&meta, &out);
    ASSERT_EQ(out.len, sizeof page - 1);
    ASSERT_EQ(memcmp(out.data, page, out.len), 0);
}

TEST(partial, object_has_its_metadata_as_it_is)
{
    check_partial("v1", "Pod",
                  "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"\\u003c\"}},\"spec\":{"
                  "\"containers\":null}}",
                  "{\"name\":\"p\",\"labels\":{\"a\":\"\\u003c\"}}");
    check_partial("v1", "Pod", "{\"metadata\":{\"resourceVersion\":\"5\"}}",
                  "{\"resourceVersion\":\"5\"}");
}

TEST(partial, object_without_metadata_has_it_empty)
{
    kin_object *object = printing_make("v1", "Pod", STR("{\"spec\":{}}"));
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    write_partial(object, &out);

    ASSERT_CONTAINS(out.data, "\"metadata\":{}}");
    kin_object_unref(object);
}

TEST(partial, custom_resource_has_its_metadata_in_the_order_of_the_type)
{
    check_partial(
        "example.com/v1", "Widget",
        "{\"metadata\":{\"annotations\":{\"z\":\"1\",\"a\":\"2\"},\"generation\":2,"
        "\"name\":\"w\",\"ownerReferences\":[{\"uid\":\"u\",\"name\":\"n\",\"kind\":\"K\","
        "\"apiVersion\":\"v\"}],\"uid\":\"x\"}}",
        "{\"name\":\"w\",\"uid\":\"x\",\"generation\":2,\"annotations\":{\"a\":\"2\","
        "\"z\":\"1\"},\"ownerReferences\":[{\"apiVersion\":\"v\",\"kind\":\"K\",\"name\":"
        "\"n\",\"uid\":\"u\"}]}");
    check_partial("example.com/v1", "Widget", "{\"metadata\":{\"z\":1,\"name\":\"w\"}}",
                  "{\"z\":1,\"name\":\"w\"}");
}

TEST(partial, object_has_no_annotations_that_stand_for_fields)
{
    check_partial("apps/v1", "DaemonSet",
                  "{\"metadata\":{\"name\":\"d\",\"annotations\":{\"a\":\"b\","
                  "\"deprecated.daemonset.template.generation\":\"1\",\"x\":\"y\"},"
                  "\"finalizers\":[\"f\"]}}",
                  "{\"name\":\"d\",\"annotations\":{\"a\":\"b\",\"x\":\"y\"},"
                  "\"finalizers\":[\"f\"]}");
    check_partial("apps/v1", "DaemonSet",
                  "{\"metadata\":{\"name\":\"d\",\"annotations\":{"
                  "\"deprecated.daemonset.template.generation\":\"1\"}}}",
                  "{\"name\":\"d\"}");
    check_partial("apps/v1", "StatefulSet",
                  "{\"metadata\":{\"name\":\"d\",\"annotations\":{"
                  "\"deprecated.daemonset.template.generation\":\"1\"}}}",
                  "{\"name\":\"d\",\"annotations\":{"
                  "\"deprecated.daemonset.template.generation\":\"1\"}}");
}

/* That the message of an object is the same, whichever encoding it came in. */
static void check_message(const char *kind, const char *json)
{
    kin_object *object = printing_make("apps/v1", kind, kin_str_of(json));
    kin_object *proto = printing_make_proto("apps/v1", kind, kin_str_of(json));
    AUTO(kin__buf_fini) kin__buf from_json = { 0 };
    AUTO(kin__buf_fini) kin__buf from_proto = { 0 };
    AUTO(kin__buf_fini) kin__buf rendered = { 0 };
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin_error err;

    ASSERT_OK(kin__partial_message(object, &from_json, &err));
    ASSERT_OK(kin__partial_message(proto, &from_proto, &err));

    ASSERT_EQ(from_json.len, from_proto.len);
    ASSERT_EQ(memcmp(from_json.data, from_proto.data, from_json.len), 0);
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    options.api_version = KIN__META_V1;
    options.kind = "PartialObjectMetadata";
    kin_object *back;
    ASSERT_OK(kin_object_from_protobuf(from_proto.data, from_proto.len, &options, &back, &err));
    write_partial(back, &rendered);
    write_partial(object, &shown);
    ASSERT_STR_EQ(rendered.data, shown.data);
    kin_object_unref(back);
    kin_object_unref(object);
    kin_object_unref(proto);
}

TEST(partial, message_is_the_same_from_either_encoding)
{
    check_message("Deployment", "{\"metadata\":{\"name\":\"d\",\"namespace\":\"n\","
                                "\"creationTimestamp\":\"2026-11-16T14:00:00Z\",\"labels\":{"
                                "\"a\":\"b\"}},\"spec\":{\"replicas\":3}}");
    check_message("DaemonSet", "{\"metadata\":{\"name\":\"d\",\"annotations\":{\"a\":\"b\","
                               "\"deprecated.daemonset.template.generation\":\"1\"}}}");
}

TEST(partial, message_refuses_metadata_that_no_message_holds)
{
    kin_object *object =
        printing_make("v1", "Pod", STR("{\"metadata\":{\"name\":\"p\",\"colour\":1}}"));
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err;

    ASSERT_ERR(kin__partial_message(object, &out, &err), KIN_ERR_MALFORMED);
    kin_object_unref(object);
}

TEST_FAILING_ALLOC(partial, needs_memory)
{
    static const char *const kinds[] = { "DaemonSet", "Widget" };
    static const char json[] = "{\"metadata\":{\"name\":\"d\",\"annotations\":{\"a\\u0020\":\"b\","
                               "\"deprecated.daemonset.template.generation\":\"1\"}}}";
    kin_err code = KIN_OK;
    kin_error err;

    for (size_t i = 0; code == KIN_OK && i < 2; i++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        AUTO(kin__buf_fini) kin__buf message = { 0 };
        kin__json_writer w = { &out, false };
        kin__list_meta meta = { .resource_version = STR("1") };
        kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
        kin_object *object = NULL;
        options.api_version = "apps/v1";
        options.kind = kinds[i];
        code = kin_object_from_json(json, sizeof json - 1, &options, &object, &err);
        if (code == KIN_OK) {
            code = kin__partial_write(&w, object, STR(KIN__META_V1), &err);
        }
        kin__partial_list_message(&meta, &message);
        if (code == KIN_OK) {
            code = kin__partial_item_message(object, &message, &err);
        }
        if (code == KIN_OK && kin__buf_failed(&message)) {
            code = KIN_ERR_NO_MEMORY;
        }
        kin_object_unref(object);
    }
    return code;
}
