/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_test.c - protobuf messages as the JSON the API server sends for them.
 *
 * Bodies of one server, asked for the same objects in both encodings; then rule by rule.
 */
#include "proto/render.h"

#include <pthread.h>
#include <stdlib.h>

#include "proto/envelope.h"
#include "unit/proto/rendering.h"

/* ---- whole answers ------------------------------------------------------------------------- */

typedef struct answer {
    char *body; /* owned */
    kin_str api_version;
    kin_str kind;
    kin_str message;
    char *json; /* owned */
    kin_str text;
} answer;

static answer read_answer(const char *protobuf, const char *json)
{
    answer a = { 0 };
    size_t len;
    kin_error err;

    a.body = read_fixture(protobuf, &len);
    ASSERT_OK(
        kin__pb_envelope_read(kin__str(a.body, len), &a.api_version, &a.kind, &a.message, &err));
    a.json = read_fixture(json, &len);
    a.text = kin__str(a.json, len - 1); /* the server ends with a new line */
    return a;
}

static void free_answer(answer *a)
{
    free_fixture(a->body);
    free_fixture(a->json);
}

/* Texts of this size are of no use in a message: shows where they part. */
static void assert_same(const kin__buf *got, kin_str want)
{
    size_t at = 0;

    while (at < got->len && at < want.len && got->data[at] == want.data[at]) {
        at++;
    }
    if (at != got->len || at != want.len) {
        FAIL("differs at byte %zu: ...%.60s, not ...%.60s", at, at < got->len ? got->data + at : "",
             at < want.len ? want.data + at : "");
    }
}

static void assert_answer(const char *protobuf, const char *json)
{
    answer a = read_answer(protobuf, json);
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { .kind = a.kind,
                                    .api_version = a.api_version,
                                    .is_list_answer = true };

    ASSERT_OK(kin__pb_render(kin__pb_message_of(a.api_version, a.kind), a.message, &rendering, &out,
                             &err));

    ASSERT_EQ(rendering.unknown_count, 0);
    ASSERT_TRUE(kin__buf_append_byte(&out, '\0'));
    out.len--;
    assert_same(&out, a.text);
    kin__buf_fini(&out);
    free_answer(&a);
}

TEST(render, equals_the_servers_json_of_a_list_of_pods)
{
    assert_answer("list-pods-20.pb", "list-pods-20.json");
}

TEST(render, equals_the_servers_json_of_a_pod)
{
    assert_answer("list-pod-get.pb", "list-pod-get.json");
}

TEST(render, equals_the_servers_json_of_a_list_of_config_maps)
{
    assert_answer("list-configmaps.pb", "list-configmaps.json");
}

TEST(render, equals_the_servers_json_of_a_status)
{
    assert_answer("status-404-object.pb", "status-404-object.json");
}

/* The items of a list, one by one, as an informer has them. */
TEST(render, equals_the_servers_json_of_each_pod_of_a_list)
{
    answer a = read_answer("list-pods-20.pb", "list-pods-20.json");
    kin__pb_message pod = message_at("v1", "Pod", "");
    kin__pb_reader reader = kin__pb_read(a.message.data, a.message.len);
    kin__pb_field item;
    const char *at = strstr(a.json, "\"items\":[") + strlen("\"items\":[");
    size_t count = 0;

    while (kin__pb_next(&reader, &item)) {
        kin__buf out = { 0 };
        kin_error err;
        kin__pb_rendering rendering = { 0 };
        if (item.number == 2) {
            ASSERT_OK(kin__pb_render(pod, kin__str((const char *) item.bytes, item.len), &rendering,
                                     &out, &err));
            ASSERT_TRUE(strncmp(at, out.data, out.len) == 0);
            at += out.len + 1;
            count++;
        }
        kin__buf_fini(&out);
    }
    ASSERT_EQ(count, 20);
    ASSERT_STR_EQ(at, "}\n");
    free_answer(&a);
}

/* The JSON of these items says their kind, which the table of kinds cannot know. */
TEST(render, equals_the_servers_json_of_each_metadata_of_a_list)
{
    answer a = read_answer("metadata-widgets-crd.pb", "metadata-widgets-crd.json");
    kin__pb_reader reader = kin__pb_read(a.message.data, a.message.len);
    kin__pb_field item;
    const char *at = strstr(a.json, "\"items\":[") + strlen("\"items\":[");
    kin__pb_rendering rendering = { .kind = STR("PartialObjectMetadata"),
                                    .api_version = a.api_version };

    while (kin__pb_next(&reader, &item)) {
        kin__buf out = { 0 };
        kin_error err;
        if (item.number == 2) {
            ASSERT_OK(kin__pb_render(kin__pb_message_of(a.api_version, rendering.kind),
                                     kin__str((const char *) item.bytes, item.len), &rendering,
                                     &out, &err));
            ASSERT_TRUE(strncmp(at, out.data, out.len) == 0);
            at += out.len + 1;
        }
        kin__buf_fini(&out);
    }
    ASSERT_STR_EQ(at, "}\n");
    free_answer(&a);
}

/* ---- order and shape ----------------------------------------------------------------------- */

TEST(render, writes_members_in_the_order_of_the_go_type)
{
    wire w = { 0 };
    wire_text(&w, 1, "Pod");
    wire_text(&w, 3, "web");
    wire_text(&w, 4, "u");
    wire_text(&w, 5, "v1");
    wire_number(&w, 6, 1);

    assert_renders(message_at("v1", "Pod", "metadata.ownerReferences"), &w,
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"web\",\"uid\":\"u\","
                   "\"controller\":true}");
}

TEST(render, takes_fields_in_any_order)
{
    wire w = { 0 };
    wire_text(&w, 14, "f1");
    wire_text(&w, 3, "ns");
    wire_text(&w, 14, "f2");
    wire_text(&w, 1, "name");

    assert_renders(message_at("v1", "Pod", "metadata"), &w,
                   "{\"name\":\"name\",\"namespace\":\"ns\",\"finalizers\":[\"f1\",\"f2\"]}");
}

TEST(render, writes_kind_and_api_version_first)
{
    wire w = { 0 };
    wire_number(&w, 4, 1);
    static const struct {
        kin__pb_rendering rendering;
        const char *want;
    } cases[] = {
        { { .kind = { "ConfigMap", 9 }, .api_version = { "v1", 2 } },
          "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"immutable\":true}" },
        { { .kind = { "ConfigMap", 9 } }, "{\"kind\":\"ConfigMap\",\"immutable\":true}" },
        { { .api_version = { "v1", 2 } }, "{\"apiVersion\":\"v1\",\"immutable\":true}" },
        { { .api_version = { NULL, 0 } }, "{\"immutable\":true}" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__buf out = { 0 };
        kin_error err;
        kin__pb_rendering rendering = cases[i].rendering;
        ASSERT_OK(kin__pb_render(message_at("v1", "ConfigMap", ""), bytes_of(&w), &rendering, &out,
                                 &err));
        ASSERT_SLICE_EQ(kin__str(out.data, out.len), cases[i].want);
        kin__buf_fini(&out);
    }
}

/* Number 2 of a volume is its source, and number 1 of that config map the reference. */
TEST(render, puts_the_members_of_inline_messages_among_the_others)
{
    wire reference = { 0 };
    wire config_map = { 0 };
    wire source = { 0 };
    wire volume = { 0 };
    wire_text(&reference, 1, "cm");
    wire_put(&config_map, 1, &reference);
    wire_number(&config_map, 3, 420);
    wire_put(&source, 19, &config_map);
    wire_text(&volume, 1, "v");
    wire_put(&volume, 2, &source);

    assert_renders(message_at("v1", "Pod", "spec.volumes"), &volume,
                   "{\"name\":\"v\",\"configMap\":{\"name\":\"cm\",\"defaultMode\":420}}");
}

TEST(render, begins_an_object_with_an_inline_member_without_a_comma)
{
    wire volume = { 0 };
    wire_content(&volume, 2, "\x12\0", 2);

    assert_renders(message_at("v1", "Pod", "spec.volumes"), &volume, "{\"emptyDir\":{}}");
}

/* The server's own rules, which are not in the types. */
TEST(render, gives_the_claims_of_a_stateful_set_their_type)
{
    wire w = { 0 };
    wire_text(&w, 4, "");
    wire_content(&w, 4,
                 "\x0a\x03\x0a\x01"
                 "a",
                 5);

    assert_renders(message_at("apps/v1", "StatefulSet", "spec"), &w,
                   "{\"selector\":null,\"volumeClaimTemplates\":["
                   "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"},"
                   "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\","
                   "\"metadata\":{\"name\":\"a\"}}]}");
}

TEST(render, writes_no_items_as_an_empty_list_only_in_an_answer)
{
    for (int is_answer = 0; is_answer < 2; is_answer++) {
        kin__buf out = { 0 };
        kin_error err;
        kin__pb_rendering rendering = { .is_list_answer = is_answer != 0 };
        ASSERT_OK(kin__pb_render(message_at("v1", "PodList", ""), kin__str(NULL, 0), &rendering,
                                 &out, &err));
        ASSERT_SLICE_EQ(kin__str(out.data, out.len),
                        is_answer ? "{\"items\":[]}" : "{\"items\":null}");
        kin__buf_fini(&out);
    }
}

/* A list may lie inside a raw extension. */
TEST(render, writes_no_items_of_an_inner_list_as_null)
{
    wire none = { 0 };
    wire envelope = { 0 };
    wire raw = { 0 };
    wire event = { 0 };
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { .is_list_answer = true };
    wire_envelope(&envelope, "v1", "PodList", &none);
    wire_put(&raw, 1, &envelope);
    wire_put(&event, 2, &raw);

    ASSERT_OK(kin__pb_render(message_at("v1", "WatchEvent", ""), bytes_of(&event), &rendering, &out,
                             &err));

    ASSERT_SLICE_EQ(kin__str(out.data, out.len),
                    "{\"object\":{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":null}}");
    kin__buf_fini(&out);
}

/* ---- presence ------------------------------------------------------------------------------ */

TEST(render, leaves_out_zeros_that_are_omitted_when_empty)
{
    wire w = { 0 };
    wire_text(&w, 1, "");
    wire_number(&w, 7, 0);

    assert_renders(message_at("v1", "Pod", "metadata"), &w, "{}");
}

TEST(render, keeps_zeros_that_are_not)
{
    wire w = { 0 };
    wire_text(&w, 1, "");
    wire_text(&w, 6, "");
    wire_number(&w, 2, 0);
    wire_text(&w, 3, "");
    wire_text(&w, 4, "");

    assert_renders(message_at("v1", "APIResourceList", "resources"), &w,
                   "{\"name\":\"\",\"singularName\":\"\",\"namespaced\":false,\"kind\":\"\","
                   "\"verbs\":[]}");
}

TEST(render, keeps_zeros_behind_a_pointer)
{
    wire w = { 0 };
    wire_number(&w, 2, 0);
    wire_number(&w, 3, 0);
    wire_text(&w, 9, "");
    wire_text(&w, 10, "");

    assert_renders(message_at("v1", "Pod", "spec.securityContext"), &w,
                   "{\"runAsUser\":0,\"runAsNonRoot\":false,\"fsGroupChangePolicy\":\"\","
                   "\"seccompProfile\":{}}");
}

TEST(render, keeps_structs_that_have_nothing)
{
    wire w = { 0 };
    wire_text(&w, 1, "");
    wire_text(&w, 2, "");
    wire_text(&w, 3, "");

    assert_renders(message_at("v1", "Namespace", ""), &w,
                   "{\"metadata\":{},\"spec\":{},\"status\":{}}");
}

/* A Go server writes them always: one that does not, does not know them. */
TEST(render, leaves_out_absent_values_that_cannot_be_nil)
{
    wire w = { 0 };

    assert_renders(message_at("v1", "Namespace", ""), &w, "{}");
    assert_renders(message_at("v1", "Node", "spec.taints"), &w, "{}");
    assert_renders(message_at("v1", "Pod", "status.conditions"), &w, "{}");
    assert_renders(message_at("v1", "Pod", "spec.volumes"), &w, "{}");
}

TEST(render, writes_nil_as_null_unless_it_is_omitted)
{
    wire w = { 0 };

    assert_renders(message_at("rbac.authorization.k8s.io/v1", "Role", ""), &w, "{\"rules\":null}");
    assert_renders(message_at("v1", "PersistentVolumeClaim", "spec.dataSource"), &w,
                   "{\"apiGroup\":null}");
    assert_renders(message_at("certificates.k8s.io/v1", "CertificateSigningRequest", "spec"), &w,
                   "{\"request\":null}");
}

TEST(render, tells_empty_bytes_from_none)
{
    wire w = { 0 };
    wire status = { 0 };
    wire_text(&w, 1, "");
    wire_text(&status, 2, "");

    assert_renders(message_at("certificates.k8s.io/v1", "CertificateSigningRequest", "spec"), &w,
                   "{\"request\":\"\"}");
    assert_renders(message_at("certificates.k8s.io/v1", "CertificateSigningRequest", "status"),
                   &status, "{}");
}

/* 1.36 had a map `resources` in it, without omitempty; 1.37 has not. */
TEST(render, writes_no_null_for_a_field_that_was_removed)
{
    wire absent = { 0 };
    wire set = { 0 };
    wire_text(&absent, 1, "c");
    wire_content(&set, 3,
                 "\x0a\x03"
                 "cpu\x12\x03\x0a\x01"
                 "1",
                 10);
    kin__pb_message message =
        message_at("v1", "Pod", "status.nodeAllocatableResourceClaimStatuses");

    assert_renders(message, &absent, "{\"resourceClaimName\":\"c\"}");
    assert_renders(message, &set, "{\"resources\":{\"cpu\":\"1\"}}");
}

/* ---- numbers and lists --------------------------------------------------------------------- */

TEST(render, writes_numbers_with_their_sign)
{
    wire w = { 0 };
    wire big = { 0 };
    wire_number(&w, 3, (uint64_t) INT64_C(-100));
    wire_number(&w, 5, (uint64_t) INT64_C(-2147483648));
    wire_number(&big, 2, (uint64_t) INT64_MIN);
    wire_number(&big, 5, INT64_MAX);

    assert_renders(message_at("v1", "Service", "spec.ports"), &w,
                   "{\"port\":-100,\"nodePort\":-2147483648}");
    assert_renders(message_at("v1", "Pod", "spec.securityContext"), &big,
                   "{\"runAsUser\":-9223372036854775808,\"fsGroup\":9223372036854775807}");
}

/* As Go's decoder: an int32 has 32 bits however many are sent, and any number but 0 is true. */
TEST(render, takes_the_low_bits_of_an_int32_and_all_bits_of_a_bool)
{
    wire w = { 0 };
    wire config_map = { 0 };
    wire_number(&w, 3, UINT64_C(0x1ffffffff));
    wire_number(&w, 5, UINT64_C(0x100000000));
    wire_number(&config_map, 4, UINT64_C(0x100000000));

    assert_renders(message_at("v1", "Service", "spec.ports"), &w, "{\"port\":-1}");
    assert_renders(message_at("v1", "ConfigMap", ""), &config_map, "{\"immutable\":true}");
}

static void put_double(wire *w, uint32_t number, double value)
{
    wire_varint(w, number << 3 | KIN__PB_FIXED64);
    wire_bytes(w, &value, sizeof value);
}

static kin__pb_message schema(void)
{
    return message_at("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      "spec.versions.schema.openAPIV3Schema");
}

TEST(render, writes_doubles_as_go_does)
{
    wire w = { 0 };
    wire more = { 0 };
    put_double(&w, 9, 1e21);
    put_double(&w, 11, 1e-7);
    put_double(&w, 19, 123456789.125);
    put_double(&more, 9, 0);
    put_double(&more, 11, -1e20);
    put_double(&more, 19, 0.1);

    assert_renders(schema(), &w,
                   "{\"maximum\":1e+21,\"minimum\":1e-7,\"multipleOf\":123456789.125}");
    assert_renders(schema(), &more,
                   "{\"maximum\":0,\"minimum\":-100000000000000000000,\"multipleOf\":0.1}");
}

TEST(render, refuses_doubles_that_json_cannot_hold)
{
    wire w = { 0 };
    wire_text(&w, 1, "id");
    put_double(&w, 9, strtod("inf", NULL));

    assert_refused(schema(), &w, KIN_ERR_MALFORMED, "number that JSON cannot hold at byte 4");
}

TEST(render, takes_packed_numbers_and_single_ones)
{
    wire w = { 0 };
    wire_content(&w, 4, "", 0);
    wire_content(&w, 4, "\x01\xac\x02", 3);
    wire_number(&w, 4, 7);
    wire_content(&w, 4, "", 0);
    wire_content(&w, 4, "\x08", 1);
    wire only_empty = { 0 };
    wire_content(&only_empty, 4, "", 0);
    wire cut = { 0 };
    wire_content(&cut, 4, "\x01\xac", 2);

    assert_renders(message_at("v1", "Pod", "spec.securityContext"), &w,
                   "{\"supplementalGroups\":[1,300,7,8]}");
    assert_renders(message_at("v1", "Pod", "spec.securityContext"), &only_empty, "{}");
    assert_refused(message_at("v1", "Pod", "spec.securityContext"), &cut, KIN_ERR_MALFORMED,
                   "the message ends inside a number at byte 3");
}

TEST(render, takes_the_last_of_a_scalar_that_comes_twice)
{
    wire w = { 0 };
    wire_text(&w, 1, "a");
    wire_text(&w, 1, "b");

    assert_renders(message_at("v1", "Pod", "metadata"), &w, "{\"name\":\"b\"}");

    wire_text(&w, 1, "");
    assert_renders(message_at("v1", "Pod", "metadata"), &w, "{}");

    wire_text(&w, 1, "c");
    assert_renders(message_at("v1", "Pod", "metadata"), &w, "{\"name\":\"c\"}");
}

/* Whoever finds a field need not look behind it. */
TEST(render, refuses_a_scalar_that_comes_again_later)
{
    wire w = { 0 };
    wire_text(&w, 1, "a");
    wire_text(&w, 3, "n");
    wire_text(&w, 1, "b");
    wire unknown_between = { 0 };
    wire_text(&unknown_between, 1, "");
    wire_text(&unknown_between, 60, "");
    wire_text(&unknown_between, 1, "b");

    assert_refused(message_at("v1", "Pod", "metadata"), &w, KIN_ERR_MALFORMED,
                   "field that comes twice at byte 6");
    assert_refused(message_at("v1", "Pod", "metadata"), &unknown_between, KIN_ERR_MALFORMED,
                   "field that comes twice at byte 5");
}

TEST(render, refuses_a_single_message_that_comes_twice)
{
    wire together = { 0 };
    wire_text(&together, 1, "");
    wire_text(&together, 1, "");
    wire apart = { 0 };
    wire_text(&apart, 1, "");
    wire_number(&apart, 4, 1);
    wire_text(&apart, 1, "");
    wire special = { 0 };
    wire_number(&special, 1, 1);
    wire_text(&special, 2, "");
    wire_text(&special, 2, "");

    assert_refused(message_at("v1", "ConfigMap", ""), &together, KIN_ERR_MALFORMED,
                   "field that comes twice at byte 2");
    assert_refused(message_at("v1", "ConfigMap", ""), &apart, KIN_ERR_MALFORMED,
                   "field that comes twice at byte 4");
    wire outer = { 0 };
    wire_put(&outer, 33, &special); /* additionalItems: a schema or a boolean */
    assert_refused(schema(), &outer, KIN_ERR_MALFORMED, "field that comes twice at byte 7");
}

TEST(render, takes_the_elements_of_a_list_from_anywhere)
{
    wire w = { 0 };
    wire_text(&w, 14, "f");
    wire_text(&w, 1, "a");
    wire_text(&w, 14, "g");

    assert_renders(message_at("v1", "Pod", "metadata"), &w,
                   "{\"name\":\"a\",\"finalizers\":[\"f\",\"g\"]}");
}

/* ---- what does not fit the tables ---------------------------------------------------------- */

TEST(render, counts_and_leaves_out_unknown_fields)
{
    wire meta = { 0 };
    wire w = { 0 };
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { 0 };
    wire_text(&meta, 1, "a");
    wire_text(&meta, 62, "new");
    wire_put(&w, 1, &meta);
    wire_number(&w, 99, 1);
    wire_number(&w, 536870911, 1);

    ASSERT_OK(
        kin__pb_render(message_at("v1", "ConfigMap", ""), bytes_of(&w), &rendering, &out, &err));

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), "{\"metadata\":{\"name\":\"a\"}}");
    ASSERT_EQ(rendering.unknown_count, 3);
    kin__buf_fini(&out);
}

TEST(render, refuses_fields_of_the_wrong_wire_type)
{
    static const struct {
        const char *bytes;
        const char *what;
    } cases[] = {
        { "\x08\x01", "a number for a string" },
        { "\x3a\x01x", "a text for a number" },
        { "\x58\x01", "a number for a map" },
        { "\x70\x01", "a number for a list of strings" },
        { "\x39\x01\x01\x01\x01\x01\x01\x01\x01", "a fixed number for a varint" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire w = { 0 };
        wire_text(&w, 2, "x");
        wire_bytes(&w, cases[i].bytes, strlen(cases[i].bytes));
        assert_refused(message_at("v1", "Pod", "metadata"), &w, KIN_ERR_MALFORMED,
                       "field of the wrong wire type at byte 3");
    }
}

TEST(render, tells_where_a_broken_message_breaks)
{
    wire w = { 0 };
    wire_text(&w, 1, "");
    wire_content(&w, 2,
                 "\x0a\x05"
                 "ab",
                 4);

    assert_refused(message_at("v1", "Namespace", ""), &w, KIN_ERR_MALFORMED,
                   "length past the end of the message at byte 5");
}

/* `not` of a schema is a schema. */
static wire nested(int depth)
{
    wire w = { 0 };

    for (int i = 1; i < depth; i++) {
        wire outer = { 0 };
        wire_put(&outer, 28, &w);
        w = outer;
    }
    return w;
}

TEST(render, refuses_messages_that_are_too_deep)
{
    wire deep = nested(KIN__PB_DEPTH_MAX);
    wire too_deep = nested(KIN__PB_DEPTH_MAX + 1);
    kin__buf out = { 0 };
    kin_error err;
    kin__pb_rendering rendering = { 0 };

    ASSERT_OK(kin__pb_render(schema(), bytes_of(&deep), &rendering, &out, &err));
    ASSERT_EQ(out.len, (KIN__PB_DEPTH_MAX - 1) * strlen("{\"not\":}") + 2);
    kin__buf_fini(&out);

    assert_refused(schema(), &too_deep, KIN_ERR_LIMIT, "more than 200 messages inside each other");
}

static void *render_deep(void *context)
{
    kin_error err;
    kin__pb_rendering rendering = { 0 };
    wire *deep = context;
    kin__buf out = { 0 };
    bool is_good = kin__pb_render(schema(), bytes_of(deep), &rendering, &out, &err) == KIN_OK;

    kin__buf_fini(&out);
    return is_good ? deep : NULL;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

/* A quarter of a megabyte; sanitizers have frames of their own size. */
TEST(render, needs_little_stack_for_the_deepest_message)
{
    wire deep = nested(KIN__PB_DEPTH_MAX);
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;

    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, HAS_SANITIZER ? 8 << 20 : 256 << 10), 0);
    ASSERT_EQ(pthread_create(&thread, &attributes, render_deep, &deep), 0);
    ASSERT_EQ(pthread_join(thread, &result), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
    ASSERT_TRUE(result == &deep);
}

/* ---- lists and maps by themselves ----------------------------------------------------------- */

static const kin__pb_row *row_at(const char *kind, const char *path, const char *name)
{
    kin__pb_inlines inlines;
    const char *api_version = strcmp(kind, "StatefulSet") == 0 ? "apps/v1" : "v1";
    const kin__pb_row *row =
        kin__pb_row_named(message_at(api_version, kind, path), kin_str_of(name), &inlines);

    ASSERT_TRUE(row != NULL);
    return row;
}

static void assert_many(const kin__pb_row *row, const wire *w, const char *want)
{
    kin__buf out = { 0 };
    kin_error err;

    ASSERT_OK(kin__pb_render_many(row, bytes_of(w), false, &out, &err));
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
    kin__buf_fini(&out);
}

TEST(render, writes_lists_and_maps_by_themselves)
{
    wire metadata = { 0 };
    wire_content(&metadata, 11, "\x0a\x01z", 3);
    wire_text(&metadata, 14, "f");
    wire_content(&metadata, 11, "\x0a\x01y", 3);
    wire_text(&metadata, 14, "g<");
    wire claims = { 0 };
    wire_text(&claims, 4, "");
    wire empty_pack = { 0 };
    wire_text(&empty_pack, 4, "");

    assert_many(row_at("Pod", "metadata", "finalizers"), &metadata, "[\"f\",\"g\\u003c\"]");
    assert_many(row_at("Pod", "metadata", "labels"), &metadata, "{\"y\":\"\",\"z\":\"\"}");
    assert_many(row_at("Pod", "metadata", "annotations"), &metadata, "{}");
    assert_many(row_at("Pod", "metadata", "ownerReferences"), &metadata, "[]");
    assert_many(row_at("StatefulSet", "spec", "volumeClaimTemplates"), &claims,
                "[{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"}]");
    assert_many(row_at("Pod", "spec.securityContext", "supplementalGroups"), &empty_pack, "[]");
}

TEST(render, refuses_lists_and_maps_that_are_broken)
{
    static const struct {
        const char *bytes;
        const char *why;
    } cases[] = {
        { "\x72\x01\x61\x70\x01", "field of the wrong wire type at byte 3" },
        { "\x72\x01\x61\x72\x02", "length past the end of the message at byte 4" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__buf out = { 0 };
        kin_error err;
        ASSERT_TRUE(kin__buf_append(&out, "before", 6));
        ASSERT_ERR(kin__pb_render_many(row_at("Pod", "metadata", "finalizers"),
                                       kin_str_of(cases[i].bytes), false, &out, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, cases[i].why);
        ASSERT_SLICE_EQ(kin__str(out.data, out.len), "before");
        kin__buf_fini(&out);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

/* With JSON inside, a map to sort, and more escapes than there is room for at first: all that
 * allocates. */
TEST_FAILING_ALLOC(render, gives_up_without_memory)
{
    wire meta = { 0 };
    wire w = { 0 };
    kin__buf out = { 0 };
    kin_error err = { 0 };
    kin__pb_rendering rendering = { 0 };
    wire_content(&meta, 11,
                 "\x0a\x01"
                 "b",
                 3);
    wire_content(&meta, 11,
                 "\x0a\x01"
                 "a",
                 3);
    wire_content(&meta, 17, "\x3a\x04\x0a\x02{}", 6);
    for (int i = 0; i < 300; i++) {
        wire_text(&meta, 14, "\x01\x01");
    }
    wire_put(&w, 1, &meta);

    kin_err code =
        kin__pb_render(message_at("v1", "ConfigMap", ""), bytes_of(&w), &rendering, &out, &err);
    ASSERT_EQ(err.code, code);
    ASSERT_TRUE(code == KIN_OK || out.len == 0);
    kin__buf_fini(&out);
    return code;
}

/* No other message follows that would notice. */
TEST_FAILING_ALLOC(render, gives_up_without_memory_for_the_last_value)
{
    char bytes[500];
    wire w = { 0 };
    kin__buf out = { 0 };
    kin_error err = { 0 };
    kin__pb_rendering rendering = { 0 };
    memset(bytes, '<', sizeof bytes);
    wire_content(&w, 1, bytes, sizeof bytes);

    kin_err code =
        kin__pb_render(message_at("v1", "Pod", "metadata"), bytes_of(&w), &rendering, &out, &err);
    ASSERT_EQ(out.len, code == KIN_OK ? strlen("{\"name\":\"\"}") + 6 * sizeof bytes : 0);
    kin__buf_fini(&out);
    return code;
}
