/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_walk_test.c - members, elements and iterators of protobuf values.
 */
#include "object/proto_encoding.h"

#include "base/thread.h"
#include "unit/object/proto_making.h"

TEST(proto_encoding_walk, keys_of_maps_that_are_no_utf8_are_found_as_they_read)
{
    wire selector = { 0 };
    wire entry = { 0 };

    wire_text(&entry, 1, "k\xff");
    wire_text(&entry, 2, "v");
    wire_put(&selector, 7, &entry); /* nodeSelector */
    kin_object *object = pod_of(&selector);
    check_at(object, "spec.nodeSelector[\"k\xef\xbf\xbd\"]", "\"v\"");
    check_at(object, "spec.nodeSelector.k", "missing");
    check_at(object, "spec.nodeSelector", "{\"k\\ufffd\":\"v\"}");
    kin_object_unref(object);
}

TEST(proto_encoding_walk, entries_of_maps_may_lack_a_part_and_repeat_a_key)
{
    wire spec = { 0 };
    wire entry = { 0 };

    wire_put(&spec, 7, &entry);
    wire_text(&entry, 2, "only a value");
    wire_put(&spec, 7, &entry);
    entry.len = 0;
    wire_text(&entry, 1, "k");
    wire_put(&spec, 7, &entry);
    kin_object *object = pod_of(&spec);
    check_at(object, "spec.nodeSelector[\"\"]", "\"only a value\"");
    check_at(object, "spec.nodeSelector.k", "\"\"");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "spec.nodeSelector")), 3);
    check_at(object, "spec",
             "{\"containers\":null,\"nodeSelector\":{\"\":\"only a value\","
             "\"k\":\"\"}}");
    kin_object_unref(object);

    spec.len = 0;
    entry.len = 0;
    wire_number(&entry, 1, 1);
    wire_put(&spec, 7, &entry);
    object = pod_of(&spec);
    check_faulty(object, "spec.nodeSelector.k");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "spec.nodeSelector")), 1);
    kin_object_unref(object);
}

TEST(proto_encoding_walk, numbers_may_be_packed)
{
    wire spec = { 0 };
    wire context = { 0 };
    wire numbers = { 0 };

    wire_put(&context, 4, &numbers); /* supplementalGroups: none yet */
    wire_put(&spec, 14, &context);
    kin_object *object = pod_of(&spec);
    check_at(object, "spec.securityContext.supplementalGroups", "missing");
    kin_object_unref(object);

    spec.len = 0;
    wire_varint(&numbers, 1);
    wire_varint(&numbers, 300);
    wire_varint(&numbers, (uint64_t) -1);
    wire_put(&context, 4, &numbers);
    wire_number(&context, 4, 5);
    wire_put(&spec, 14, &context);
    object = pod_of(&spec);
    check_at(object, "spec.securityContext.supplementalGroups", "[1,300,-1,5]");
    check_at(object, "spec.securityContext.supplementalGroups[1]", "300");
    check_at(object, "spec.securityContext.supplementalGroups[-1]", "5");
    check_at(object, "spec.securityContext.supplementalGroups[4]", "missing");
    kin_object_unref(object);

    context.len = 0;
    spec.len = 0;
    wire_content(&context, 4, "\x01\x80", 2);
    wire_put(&spec, 14, &context);
    object = pod_of(&spec);
    check_at(object, "spec.securityContext.supplementalGroups[0]", "1");
    check_faulty(object, "spec.securityContext.supplementalGroups[1]");
    ASSERT_EQ(kin_value_count(kin_object_at(object, "spec.securityContext.supplementalGroups")), 2);
    kin_object_unref(object);
}

/* Schemas are the one thing that nests without end. */
TEST(proto_encoding_walk, walks_any_depth_and_writes_200_messages_of_json)
{
    static wire levels[2];
    wire validation = { 0 };
    wire version = { 0 };
    wire spec = { 0 };
    char *json = NULL;
    size_t len;

    for (size_t i = 0; i < 250; i++) {
        levels[1].len = 0;
        wire_put(&levels[1], 28, &levels[0]); /* not */
        levels[0] = levels[1];
    }
    wire_put(&validation, 1, &levels[0]);
    wire_put(&version, 4, &validation);
    wire_put(&spec, 7, &version);
    kin_object *object = object_of("apiextensions.k8s.io/v1", "CustomResourceDefinition", 2, &spec);
    kin_value value = kin_object_at(object, "spec.versions[0].schema.openAPIV3Schema");
    for (size_t i = 0; i < 250; i++) {
        value = kin_value_member(value, kin_str_of("not"));
    }
    ASSERT_EQ(kin_value_type(value), KIN_TYPE_OBJECT);
    ASSERT_EQ(kin_value_count(value), 0);
    ASSERT_ERR(kin_object_json(object, &json, &len, NULL), KIN_ERR_LIMIT);
    ASSERT_TRUE(kin_object_is_partial(object)); /* what cannot be told may be anything */
    kin_object_unref(object);
}

/* A path remembers what it found in one message; another message is asked anew. */
TEST(proto_encoding_walk, one_path_serves_objects_of_many_kinds)
{
    wire spec = { 0 };
    kin_path *path = NULL;
    text t = { 0 };

    wire_text(&spec, 10, "ten");
    wire_text(&spec, 3, "three");
    kin_object *pod = pod_of(&spec);
    kin_object *service = object_of("v1", "Service", 2, &spec);
    ASSERT_OK(kin_path_new("spec.nodeName", &path, NULL));
    for (int i = 0; i < 3; i++) {
        append_value(&t, kin_object_at_path(pod, path));
        append_value(&t, kin_object_at_path(service, path));
    }
    ASSERT_STR_EQ(t.chars, "\"ten\"missing\"ten\"missing\"ten\"missing");
    kin_path_free(path);

    ASSERT_OK(kin_path_new("spec.clusterIP", &path, NULL));
    text_clear(&t);
    append_value(&t, kin_object_at_path(service, path));
    append_value(&t, kin_object_at_path(pod, path));
    append_value(&t, kin_object_at_path(service, path));
    ASSERT_STR_EQ(t.chars, "\"three\"missing\"three\"");
    kin_path_free(path);
    kin_object_unref(pod);
    kin_object_unref(service);
}

static bool count_match(void *context, kin_value match)
{
    size_t *count = context;
    *count += kin_value_type(match) == KIN_TYPE_STRING ? 1 : 0;
    return true;
}

TEST(proto_encoding_walk, each_match_is_told)
{
    wire spec = { 0 };
    wire container = { 0 };
    kin_path *path = NULL;
    size_t count = 0;

    wire_text(&container, 2, "i");
    wire_put(&spec, 2, &container);
    wire_put(&spec, 2, &container);
    kin_object *object = pod_of(&spec);
    ASSERT_OK(kin_path_new("spec.containers[*].image", &path, NULL));
    ASSERT_EQ(kin_object_each(object, path, count_match, &count), 2);
    ASSERT_EQ(count, 2);
    kin_path_free(path);
    kin_object_unref(object);
}

typedef struct readers {
    const kin_path *path;
    const kin_object *objects[2];
    size_t found[2];
} readers;

static void read_both(readers *r, size_t first)
{
    for (size_t i = 0; i < 1000; i++) {
        kin_str ip;
        kin_value value = kin_object_at_path(r->objects[(i + first) % 2], r->path);
        r->found[first] += kin_value_str(value, NULL, 0, &ip) == KIN_OK ? 1 : 0;
    }
}

static void read_first(void *context)
{
    read_both(context, 0);
}

static void read_second(void *context)
{
    read_both(context, 1);
}

/* What a path remembers is shared by all who use it. */
TEST(proto_encoding_walk, one_path_serves_many_threads)
{
    wire spec = { 0 };
    kin_path *path = NULL;
    kin__thread threads[2];
    kin_error err;

    wire_text(&spec, 3, "three");
    wire_text(&spec, 10, "ten");
    readers r = { .objects = { pod_of(&spec), object_of("v1", "Service", 2, &spec) } };
    ASSERT_OK(kin_path_new("spec.clusterIP", &path, NULL));
    r.path = path;
    ASSERT_OK(kin__thread_start(&threads[0], "reader-0", read_first, &r, &err));
    ASSERT_OK(kin__thread_start(&threads[1], "reader-1", read_second, &r, &err));
    kin__thread_join(&threads[0]);
    kin__thread_join(&threads[1]);
    ASSERT_EQ(r.found[0], 500);
    ASSERT_EQ(r.found[1], 500);
    kin_path_free(path);
    kin_object_unref(r.objects[0]);
    kin_object_unref(r.objects[1]);
}
