/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_twin_test.c - objects that were made once of JSON and once of protobuf answer alike.
 *
 * A server sent both, or the message was made of the JSON.  Every value is asked for in every way.
 */
#include <string.h>

#include "base/alloc.h"
#include "json/string.h"
#include "kin/selector.h"
#include "object/encoding.h"
#include "proto/framer.h"
#include "unit/object/proto_making.h"

#define OBJECTS_MAX 32

typedef struct object_list {
    kin_object *objects[OBJECTS_MAX];
    size_t count;
} object_list;

static kin_err keep_json(void *context, const kin__json_item *item, kin_error *err)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    object_list *list = context;

    options.api_version = "v1";
    options.kind = "Pod";
    return kin__object_from_item(item, &options, &list->objects[list->count++], err);
}

static kin_err keep_proto(void *context, const kin__pb_item *item, kin_error *err)
{
    object_list *list = context;
    kin__pb_message message = kin__pb_message_of(item->api_version, item->kind);
    return kin__object_from_message(item, message, NULL, &list->objects[list->count++], err);
}

static object_list list_of_json(const char *name)
{
    size_t len;
    char *bytes = read_fixture(name, &len);
    object_list list = { 0 };
    kin_error err;
    kin__json_framer_options options = {
        .framing = KIN__JSON_LIST,
        .reach = kin__object_reach(NULL),
        .on_item = keep_json,
        .context = &list,
    };
    kin__json_framer *framer = NULL;

    ASSERT_OK(kin__json_framer_new(&options, &framer, &err));
    ASSERT_OK(kin__json_framer_feed(framer, bytes, len, &err));
    ASSERT_OK(kin__json_framer_finish(framer, &err));
    kin__json_framer_free(framer);
    free_fixture(bytes);
    return list;
}

static object_list list_of_proto(const char *name)
{
    size_t len;
    char *bytes = read_fixture(name, &len);
    object_list list = { 0 };
    kin_error err;
    kin__pb_framer_options options = {
        .framing = KIN__PB_ANSWER,
        .on_item = keep_proto,
        .context = &list,
    };
    kin__pb_framer *framer = NULL;

    ASSERT_OK(kin__pb_framer_new(&options, &framer, &err));
    ASSERT_OK(kin__pb_framer_feed(framer, bytes, len, &err));
    ASSERT_OK(kin__pb_framer_finish(framer, &err));
    kin__pb_framer_free(framer);
    free_fixture(bytes);
    return list;
}

static void check_is_str(kin_value got, kin_value want);

static void check_scalars(kin_value got, kin_value want, const char *path)
{
    kin_type type = kin_value_type(want);
    int64_t got_int = 0;
    int64_t want_int = 0;
    double got_real = 0;
    double want_real = 0;
    bool got_bool = false;
    bool want_bool = false;
    kin_time got_time = { 0 };
    kin_time want_time = { 0 };

    if (type != kin_value_type(got)) {
        FAIL("%s: a %s, wanted a %s", path, kin_type_name(kin_value_type(got)),
             kin_type_name(type));
    }
    ASSERT_EQ(kin_value_int64(got, &got_int), kin_value_int64(want, &want_int));
    ASSERT_EQ(got_int, want_int);
    ASSERT_EQ(kin_value_double(got, &got_real), kin_value_double(want, &want_real));
    ASSERT_TRUE(got_real == want_real);
    ASSERT_EQ(kin_value_bool(got, &got_bool), kin_value_bool(want, &want_bool));
    ASSERT_EQ(got_bool, want_bool);
    ASSERT_EQ(kin_value_quantity(got, -3, &got_int), kin_value_quantity(want, -3, &want_int));
    ASSERT_EQ(got_int, want_int);
    ASSERT_EQ(kin_value_time(got, &got_time), kin_value_time(want, &want_time));
    ASSERT_EQ(got_time.seconds, want_time.seconds);
    ASSERT_EQ(got_time.nanoseconds, want_time.nanoseconds);
    if (type == KIN_TYPE_STRING) {
        check_same_text(got, want, path);
        check_is_str(got, want);
    }
}

/* A filter finds what it says, and nothing else. */
static void check_is_str(kin_value got, kin_value want)
{
    char scratch[4096];
    kin_str said;

    ASSERT_OK(kin_value_str(want, scratch, sizeof scratch, &said));
    ASSERT_TRUE(kin__encoding_of(got)->is_str(got, said));
    ASSERT_FALSE(kin__encoding_of(got)->is_str(got, STR("what nobody says")));
    if (said.len > 0) {
        said.len--;
        ASSERT_FALSE(kin__encoding_of(got)->is_str(got, said));
    }
}

/* Every value below: by path, and as the twin's iterator says. */
static void check_tree(const kin_object *object, kin_value got, kin_value want, const char *path)
{
    kin_iter wants = kin_value_iter(want);
    kin_iter gots = kin_value_iter(got);
    size_t index = 0;

    check_scalars(got, want, path);
    ASSERT_EQ(kin_value_count(got), kin_value_count(want));
    while (kin_iter_next(&wants)) {
        char name[1024];
        char inner[1500];
        kin_str key = STR("");
        ASSERT_TRUE(kin_iter_next(&gots));
        if (kin_value_type(want) == KIN_TYPE_OBJECT) {
            ASSERT_OK(kin_value_str(wants.key, name, sizeof name, &key));
            check_same_text(gots.key, wants.key, path);
            kin__buf quoted = { 0 };
            ASSERT_TRUE(kin__json_append_string(&quoted, key));
            (void) snprintf(inner, sizeof inner, "%s[%.*s]", path, (int) quoted.len, quoted.data);
            kin__buf_fini(&quoted);
            check_same(kin_value_member(got, key), wants.value, inner);
        } else {
            (void) snprintf(inner, sizeof inner, "%s[%zu]", path, index);
            check_same(kin_value_element(got, index), wants.value, inner);
        }
        kin_path *compiled = NULL;
        ASSERT_OK(kin_path_new(inner, &compiled, NULL));
        check_same(kin_object_at_path(object, compiled), wants.value, inner);
        kin_path_free(compiled);
        check_tree(object, gots.value, wants.value, inner);
        index++;
    }
    ASSERT_FALSE(kin_iter_next(&gots));
    ASSERT_FALSE(kin_iter_next(&gots));
    ASSERT_FALSE(kin_value_exists(kin_value_element(got, index)));
    ASSERT_FALSE(kin_value_exists(kin_value_member(got, STR("no such member"))));
}

static void check_getters(const kin_object *got, const kin_object *want)
{
    kin_time got_time = { 0 };
    kin_time want_time = { 0 };

    check_same_str(kin_object_key(got), kin_object_key(want), "key");
    check_same_str(kin_object_namespace(got), kin_object_namespace(want), "namespace");
    check_same_str(kin_object_name(got), kin_object_name(want), "name");
    check_same_str(kin_object_uid(got), kin_object_uid(want), "uid");
    check_same_str(kin_object_resource_version(got), kin_object_resource_version(want), "version");
    check_same_str(kin_object_api_version(got), kin_object_api_version(want), "apiVersion");
    check_same_str(kin_object_kind(got), kin_object_kind(want), "kind");
    ASSERT_EQ(kin_object_generation(got), kin_object_generation(want));
    ASSERT_EQ(kin_object_creation_time(got, &got_time), kin_object_creation_time(want, &want_time));
    ASSERT_EQ(got_time.seconds, want_time.seconds);
    ASSERT_EQ(kin_object_deletion_time(got, &got_time), kin_object_deletion_time(want, &want_time));
    ASSERT_EQ(got_time.seconds, want_time.seconds);
    ASSERT_EQ(kin_object_is_partial(got), kin_object_is_partial(want));
    ASSERT_EQ(kin_object_label_count(got), kin_object_label_count(want));
    for (size_t i = 0; i < kin_object_label_count(want); i++) {
        kin_str key, value, got_key, got_value;
        ASSERT_TRUE(kin_object_label_at(want, i, &key, &value));
        ASSERT_TRUE(kin_object_label_at(got, i, &got_key, &got_value));
        check_same_str(got_key, key, "label key");
        check_same_str(got_value, value, "label");
    }
    check_same(kin_object_annotations(got), kin_object_annotations(want), "annotations");
    check_same(kin_object_owners(got), kin_object_owners(want), "owners");
    check_same(kin_object_controller_owner(got), kin_object_controller_owner(want), "controller");
}

static void check_json_text(const kin_object *got, const kin_object *want)
{
    char *got_json = NULL;
    char *want_json = NULL;
    size_t len;

    ASSERT_OK(kin_object_json(got, &got_json, &len, NULL));
    ASSERT_OK(kin_object_json(want, &want_json, &len, NULL));
    ASSERT_STR_EQ(got_json, want_json);
    kin_free(got_json);
    kin_free(want_json);
}

static void check_twins(const kin_object *proto, const kin_object *json)
{
    bool is_equal = false;

    ASSERT_EQ(proto->encoding, KIN__ENCODING_PROTO);
    check_getters(proto, json);
    check_tree(proto, kin__object_root(proto), kin__object_root(json), "");
    ASSERT_OK(kin_object_equal(proto, json, &is_equal));
    ASSERT_TRUE(is_equal);
    ASSERT_OK(kin_object_equal(json, proto, &is_equal));
    ASSERT_TRUE(is_equal);
    check_json_text(proto, json);
}

static void check_lists(const char *proto_name, const char *json_name)
{
    object_list protos = list_of_proto(proto_name);
    object_list jsons = list_of_json(json_name);

    ASSERT_EQ(protos.count, jsons.count);
    for (size_t i = 0; i < jsons.count; i++) {
        check_twins(protos.objects[i], jsons.objects[i]);
        kin_object_unref(protos.objects[i]);
        kin_object_unref(jsons.objects[i]);
    }
}

TEST(proto_twin, pods_of_a_list_answer_alike)
{
    check_lists("list-pods-20.pb", "list-pods-20.json");
}

TEST(proto_twin, a_pod_in_an_envelope_answers_alike)
{
    size_t proto_len;
    size_t json_len;
    char *proto_bytes = read_fixture("list-pod-get.pb", &proto_len);
    char *json_bytes = read_fixture("list-pod-get.json", &json_len);
    kin_object *proto = NULL;
    kin_object *json = NULL;

    ASSERT_OK(kin_object_from_protobuf(proto_bytes, proto_len, NULL, &proto, NULL));
    ASSERT_OK(kin_object_from_json(json_bytes, json_len, NULL, &json, NULL));

    check_twins(proto, json);
    kin_object_unref(proto);
    kin_object_unref(json);
    free_fixture(proto_bytes);
    free_fixture(json_bytes);
}

/* Makes the message of `json`, an object of it, and the twin of what that says in JSON. */
static void check_kind(const char *json)
{
    kin_object *proto = proto_of(json, NULL);
    kin_object *twin = NULL;
    char *said = NULL;
    size_t len;

    ASSERT_OK(kin_object_json(proto, &said, &len, NULL));
    ASSERT_OK(kin_object_from_json(said, len, NULL, &twin, NULL));
    check_twins(proto, twin);
    kin_object_unref(proto);
    kin_object_unref(twin);
    kin_free(said);
}

#define OBJECT(api_version, kind, rest)                                                            \
    "{\"kind\":\"" kind "\",\"apiVersion\":\"" api_version "\",\"metadata\":{\"name\":\"n\"}" rest \
    "}"

TEST(proto_twin, configmaps_of_a_list_answer_alike)
{
    object_list protos = list_of_proto("list-configmaps.pb");

    ASSERT_TRUE(protos.count > 0);
    for (size_t i = 0; i < protos.count; i++) {
        char *said = NULL;
        kin_object *twin = NULL;
        size_t len;
        ASSERT_OK(kin_object_json(protos.objects[i], &said, &len, NULL));
        ASSERT_OK(kin_object_from_json(said, len, NULL, &twin, NULL));
        check_twins(protos.objects[i], twin);
        kin_free(said);
        kin_object_unref(twin);
        kin_object_unref(protos.objects[i]);
    }
}

TEST(proto_twin, inline_messages_quantities_and_numbers_answer_alike)
{
    check_kind(OBJECT(
        "v1", "Pod",
        ",\"spec\":{\"volumes\":[{\"name\":\"v\",\"configMap\":{\"name\":\"c\",\"defaultMode\":420}"
        "},"
        "{\"name\":\"e\",\"emptyDir\":{\"sizeLimit\":\"1Gi\"}}],\"containers\":[{\"name\":\"c\","
        "\"resources\":{\"limits\":{\"cpu\":\"250m\",\"memory\":\"64Mi\"}},"
        "\"livenessProbe\":{\"httpGet\":{\"path\":\"/\",\"port\":\"http\"},\"periodSeconds\":-5},"
        "\"readinessProbe\":{\"tcpSocket\":{\"port\":8080}}}],\"priority\":0,\"hostNetwork\":true,"
        "\"securityContext\":{\"supplementalGroups\":[1,-2,9007199254740993]}}"));
}

TEST(proto_twin, schemas_answer_alike)
{
    check_kind(OBJECT(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition",
        ",\"spec\":{\"group\":\"g\",\"names\":{\"plural\":\"p\",\"kind\":\"K\"},\"scope\":"
        "\"Cluster\","
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\",\"maximum\":1.5,\"minimum\":1e30,\"multipleOf\":"
        "0,"
        "\"default\":{\"a\":[1, null, true]},\"enum\":[\"x\",3],\"items\":{\"type\":\"string\"},"
        "\"additionalProperties\":true,\"additionalItems\":{\"type\":\"y\"},"
        "\"properties\":{\"p\":{\"items\":[{},{\"type\":\"x\"}],\"dependencies\":{\"k\":[\"a\","
        "\"b\"],"
        "\"l\":{\"type\":\"z\"}}}},\"x-kubernetes-int-or-string\":true}}}]}"));
}

TEST(proto_twin, templates_of_claims_say_what_they_are)
{
    const char *json = OBJECT(
        "apps/v1", "StatefulSet",
        ",\"spec\":{\"template\":{},\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},"
        "\"spec\":{\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}],\"serviceName\":\"s\"}");
    kin_object *object = proto_of(json, NULL);
    text t = { 0 };

    append_value(&t, kin_object_at(object, "spec.volumeClaimTemplates[0].kind"));
    append_value(&t, kin_object_at(object, "spec.volumeClaimTemplates[*].apiVersion"));
    append_value(&t, kin_object_at(object, "spec.template.kind"));
    ASSERT_STR_EQ(t.chars, "\"PersistentVolumeClaim\"\"v1\"missing");
    kin_object_unref(object);
    check_kind(json);
}

TEST(proto_twin, bytes_times_and_lists_of_strings_answer_alike)
{
    check_kind(OBJECT("v1", "Secret",
                      ",\"data\":{\"a\":\"AQI=\",\"b\":\"AQID\",\"c\":\"AQ==\",\"e\":\"\"}"));
    check_kind(OBJECT("coordination.k8s.io/v1", "Lease",
                      ",\"spec\":{\"renewTime\":\"2026-11-16T05:58:01.123456Z\",\"acquireTime\":"
                      "\"1969-12-31T23:59:59.000001Z\",\"leaseTransitions\":0}"));
    check_kind(OBJECT(
        "certificates.k8s.io/v1", "CertificateSigningRequest",
        ",\"spec\":{\"request\":\"AQID\",\"signerName\":\"s\",\"extra\":{\"k\":[\"v\",\"w\"],"
        "\"e\":[]}}"));
}

TEST(proto_twin, what_is_nil_is_null_or_missing_as_json_says)
{
    kin_object *pod = proto_of(OBJECT("v1", "Pod", ",\"spec\":{}"), NULL);
    text t = { 0 };

    append_value(&t, kin_object_at(pod, "spec.containers"));
    append_value(&t, kin_object_at(pod, "spec.volumes"));
    append_value(&t, kin_object_at(pod, "spec.nodeName"));
    append_value(&t, kin_object_at(pod, "spec.priority"));
    append_value(&t, kin_object_at(pod, "metadata.creationTimestamp"));
    append_value(&t, kin_object_at(pod, "status"));
    ASSERT_STR_EQ(t.chars, "nullmissingmissingmissingmissing{}");
    kin_object_unref(pod);
    check_kind(OBJECT("v1", "Pod", ",\"spec\":{}"));
    check_kind(OBJECT("rbac.authorization.k8s.io/v1", "Role", ""));
    check_kind(OBJECT("discovery.k8s.io/v1", "EndpointSlice", ",\"addressType\":\"IPv4\""));
    check_kind(OBJECT("apps/v1", "Deployment", ",\"spec\":{\"template\":{}}"));
}

TEST(proto_twin, json_inside_answers_alike)
{
    check_kind(OBJECT("apps/v1", "ControllerRevision",
                      ",\"data\":{\"spec\":{\"a.b\":[1,2.5,{\"y\":\"\\u003cz\\n\"},[],null]}},"
                      "\"revision\":9223372036854775807"));
    check_kind(OBJECT("apps/v1", "ControllerRevision", ",\"data\":\"text\",\"revision\":0"));
}

TEST(proto_twin, strings_that_need_escapes_answer_alike)
{
    check_kind("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\","
               "\"annotations\":{\"a\":\"\\u0001\\\"\\\\\\u2028<&>\"}},\"data\":{\"\xc3\xa9\":"
               "\"\xe2\x82\xac\","
               "\"z\":\"\\u0000\"}}");
}

/* A message with a name, and an empty one in each field that is a message. */
static wire empty_message_of(kin__pb_message message)
{
    const wire nothing = { 0 };
    wire metadata = { 0 };
    wire out = { 0 };
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    wire_text(&metadata, 1, "n");
    wire_put(&out, 1, &metadata);
    for (size_t i = 0; i < count; i++) {
        bool is_message = rows[i].type == KIN__PB_MESSAGE && rows[i].number > 1;
        if (is_message && (rows[i].flags & KIN__PB_MAP) == 0) {
            wire_put(&out, rows[i].number, &nothing);
        }
    }
    return out;
}

TEST(proto_twin, empty_objects_of_every_kind_answer_alike)
{
    kin__pb_kind kind;
    size_t objects = 0;

    for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
        char api_version[100];
        char name[100];
        char *said = NULL;
        kin_object *twin = NULL;
        kin_object *proto = NULL;
        kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
        size_t len;
        wire message = empty_message_of(kind.message);
        (void) snprintf(api_version, sizeof api_version, "%.*s%s%.*s", KIN_STR_ARG(kind.group),
                        kind.group.len > 0 ? "/" : "", KIN_STR_ARG(kind.version));
        (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kind.kind));
        options.api_version = api_version;
        options.kind = name;
        if (kin_object_from_protobuf(message.bytes, message.len, &options, &proto, NULL) !=
            KIN_OK) {
            continue; /* a list, say */
        }
        ASSERT_OK(kin_object_json(proto, &said, &len, NULL));
        ASSERT_OK(kin_object_from_json(said, len, NULL, &twin, NULL));
        check_twins(proto, twin);
        kin_object_unref(proto);
        kin_object_unref(twin);
        kin_free(said);
        objects++;
    }
    ASSERT_TRUE(objects > 150);
}

TEST(proto_twin, labels_and_fields_are_selected_alike)
{
    object_list protos = list_of_proto("list-pods-20.pb");
    object_list jsons = list_of_json("list-pods-20.json");
    kin_selector *labels = NULL;
    kin_field_selector *fields = NULL;
    size_t matches = 0;

    ASSERT_OK(kin_selector_parse("app in (app-0,app-1),!nothing", &labels, NULL));
    ASSERT_OK(kin_field_selector_parse("spec.nodeName!=,status.phase=Running", &fields, NULL));
    for (size_t i = 0; i < protos.count; i++) {
        bool is_match = kin_selector_matches(labels, jsons.objects[i]);
        matches += is_match ? 1 : 0;
        ASSERT_EQ(kin_selector_matches(labels, protos.objects[i]), is_match);
        ASSERT_EQ(kin_field_selector_matches(fields, protos.objects[i]),
                  kin_field_selector_matches(fields, jsons.objects[i]));
        kin_object_unref(protos.objects[i]);
        kin_object_unref(jsons.objects[i]);
    }
    ASSERT_TRUE(matches > 0);
    kin_selector_free(labels);
    kin_field_selector_free(fields);
}

TEST(proto_twin, paths_with_filters_and_each_answer_alike)
{
    static const char *const paths[] = {
        "status.conditions[?type==\"Ready\"].status",
        "status.conditions[?type!=\"Ready\"].lastTransitionTime",
        "status.conditions[-1].type",
        "spec.containers[*].ports[*].containerPort",
        "spec.containers[?name==\"none\"]",
        "spec.tolerations[?tolerationSeconds==300].key",
        "metadata.ownerReferences[?controller==true].name",
        "metadata.labels[*]",
        "spec.volumes[*].projected.sources[*].configMap.name",
        "spec[0]",
        "metadata.name.x",
        "kind",
        "apiVersion",
    };
    object_list protos = list_of_proto("list-pods-20.pb");
    object_list jsons = list_of_json("list-pods-20.json");

    for (size_t i = 0; i < protos.count; i++) {
        for (size_t j = 0; j < sizeof paths / sizeof paths[0]; j++) {
            check_same(kin_object_at(protos.objects[i], paths[j]),
                       kin_object_at(jsons.objects[i], paths[j]), paths[j]);
        }
        kin_object_unref(protos.objects[i]);
        kin_object_unref(jsons.objects[i]);
    }
}

TEST(proto_twin, pods_hold_less_than_2200_bytes)
{
    static const char *const paths[] = { "metadata.managedFields" };
    size_t len;
    char *bytes = read_fixture("list-pod-get.pb", &len);
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    kin_mask *mask = NULL;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    options.mask = mask;
    ASSERT_OK(kin_object_from_protobuf(bytes, len, &options, &object, NULL));

    ASSERT_TRUE(kin_object_size(object) < 2200);
    ASSERT_FALSE(kin_object_is_partial(object));
    ASSERT_FALSE(kin_value_exists(kin_object_at(object, "metadata.managedFields")));
    kin_object_unref(object);
    kin_mask_free(mask);
    free_fixture(bytes);
}
