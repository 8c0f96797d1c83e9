/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_test.c - events as they are sent.
 */
#include "server/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "proto/framer.h"
#include "server/codec.h"
#include "support/test.h"
#include "unit/proto/released.h"
#include "unit/server/shelves.h"

#define STORED                                                                                     \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"    \
    "\"n\",\"resourceVersion\":\"9\"},\"data\":{\"k\":\"v\"}}"

/* The resource that records are of: nothing but what frames ask for. */
static kin__served config_maps(void)
{
    return (kin__served){ .version = STR("v1"),
                          .api_version = STR("v1"),
                          .kind = STR("ConfigMap"),
                          .resource = STR("configmaps"),
                          .is_stored = true,
                          .message = kin__pb_message_of(STR("v1"), STR("ConfigMap")) };
}

static kin__record *record_of(const char *json, uint64_t revision)
{
    kin_object *object = NULL;
    kin__record *record = NULL;
    kin_error err;

    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    ASSERT_OK(kin__record_new(object, 0, revision, &record, &err));
    return record;
}

static kin_str bytes_of(const kin__frame *frame)
{
    return (kin_str){ frame->bytes.data, frame->bytes.len };
}

/* What a client's framer finds in a frame. */
typedef struct found {
    text type, kind, api_version, json;
    int count;
} found;

static kin_err see(void *context, const kin__pb_item *item, kin_error *err)
{
    found *f = context;
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *object = NULL;
    char *json = NULL;
    size_t len;
    char api_version[64], kind[64];

    f->count++;
    text_append(&f->type, "%.*s", KIN_STR_ARG(item->type));
    text_append(&f->kind, "%.*s", KIN_STR_ARG(item->kind));
    text_append(&f->api_version, "%.*s", KIN_STR_ARG(item->api_version));
    (void) snprintf(api_version, sizeof api_version, "%.*s", KIN_STR_ARG(item->api_version));
    (void) snprintf(kind, sizeof kind, "%.*s", KIN_STR_ARG(item->kind));
    options.api_version = api_version;
    options.kind = kind;
    options.allows_no_name = true;
    if (kin_object_from_protobuf(item->bytes.data, item->bytes.len, &options, &object, err) ||
        kin_object_json(object, &json, &len, err)) {
        return err->code;
    }
    text_append(&f->json, "%s", json);
    kin_free(json);
    kin_object_unref(object);
    return KIN_OK;
}

static void read_frame(const kin__frame *frame, found *f)
{
    kin__pb_framer_options options = { .framing = KIN__PB_WATCH, .on_item = see, .context = f };
    AUTO(kin__pb_framer_free) kin__pb_framer *framer = NULL;
    kin_error err;

    *f = (found){ .count = 0 };
    ASSERT_OK(kin__pb_framer_new(&options, &framer, &err));
    ASSERT_OK(kin__pb_framer_feed(framer, frame->bytes.data, frame->bytes.len, &err));
    ASSERT_OK(kin__pb_framer_finish(framer, &err));
    ASSERT_EQ(f->count, 1);
}

TEST(frame, of_a_change_says_what_happened)
{
    kin__served served = config_maps();
    kin__form form = { .encoding = KIN__FORM_JSON };
    kin__change change = { .revision = 9, .after = record_of(STORED, 9) };

    kin__frame *frame = kin__frame_of_change(&change, KIN__EVENT_ADDED, &served, &form);
    ASSERT_SLICE_EQ(bytes_of(frame), "{\"type\":\"ADDED\",\"object\":" STORED "}\n");
    kin__frame_unref(frame);
    kin__frames_forget(&change);
    kin__record_unref(change.after);
}

TEST(frame, of_a_removal_shows_what_was_there_with_the_version_of_the_removal)
{
    kin__served served = config_maps();
    kin__form form = { .encoding = KIN__FORM_JSON };
    kin__change change = { .revision = 1234, .before = record_of(STORED, 9) };

    kin__frame *frame = kin__frame_of_change(&change, KIN__EVENT_DELETED, &served, &form);
    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":"
                    "\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":"
                    "\"1234\"},\"data\":{\"k\":\"v\"}}}\n");
    kin__frame_unref(frame);
    kin__frames_forget(&change);
    kin__record_unref(change.before);
}

TEST(frame, is_shared_by_all_who_send_it_until_it_is_forgotten)
{
    kin__served served = config_maps();
    kin__form json = { .encoding = KIN__FORM_JSON }, proto = { .encoding = KIN__FORM_PROTO };
    kin__change change = { .revision = 9, .after = record_of(STORED, 9) };

    kin__frame *first = kin__frame_of_change(&change, KIN__EVENT_MODIFIED, &served, &json);
    kin__frame *second = kin__frame_of_change(&change, KIN__EVENT_MODIFIED, &served, &json);
    kin__frame *other = kin__frame_of_change(&change, KIN__EVENT_ADDED, &served, &json);
    kin__frame *binary = kin__frame_of_change(&change, KIN__EVENT_MODIFIED, &served, &proto);
    ASSERT_TRUE(first == second && first != other && first != binary);
    kin__frames_forget(&change);
    ASSERT_EQ(first->refs, 2); /* those who send it keep it */
    kin__frame_unref(first);
    kin__frame_unref(second);
    kin__frame_unref(other);
    kin__frame_unref(binary);
    kin__record_unref(change.after);
}

/* Nobody is sent what another one asked for. */
TEST(frame, is_not_shared_by_those_who_ask_for_other_forms)
{
    static const kin__form forms[] = {
        { .encoding = KIN__FORM_JSON },
        { .encoding = KIN__FORM_PROTO },
        { .encoding = KIN__FORM_JSON, .shape = KIN__SHAPE_PARTIAL },
        { .encoding = KIN__FORM_PROTO, .shape = KIN__SHAPE_PARTIAL },
        { .encoding = KIN__FORM_JSON, .shape = KIN__SHAPE_PARTIAL, .is_v1beta1 = true },
        { .encoding = KIN__FORM_PROTO, .shape = KIN__SHAPE_PARTIAL, .is_v1beta1 = true },
    };
    enum { COUNT = sizeof forms / sizeof *forms };
    kin__served served = config_maps();
    kin__change change = { .revision = 9, .after = record_of(STORED, 9) };
    kin__frame *frames[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        frames[i] = kin__frame_of_change(&change, KIN__EVENT_MODIFIED, &served, &forms[i]);
        for (size_t other = 0; other < i; other++) {
            ASSERT_TRUE(frames[i] != frames[other]);
            ASSERT_FALSE(kin__str_equal(bytes_of(frames[i]), bytes_of(frames[other])));
        }
    }
    ASSERT_CONTAINS(frames[2]->bytes.data, "\"apiVersion\":\"meta.k8s.io/v1\"");
    ASSERT_CONTAINS(frames[4]->bytes.data, "\"apiVersion\":\"meta.k8s.io/v1beta1\"");
    kin__frames_forget(&change);
    for (size_t i = 0; i < COUNT; i++) {
        kin__frame_unref(frames[i]);
    }
    kin__record_unref(change.after);
}

TEST(frame, in_protobuf_is_what_a_client_reads)
{
    kin__served served = config_maps();
    kin__form form = { .encoding = KIN__FORM_PROTO };
    kin__change change = { .revision = 9, .after = record_of(STORED, 9) };
    static found f;

    kin__frame *frame = kin__frame_of_change(&change, KIN__EVENT_MODIFIED, &served, &form);
    read_frame(frame, &f);
    ASSERT_STR_EQ(f.type.chars, "MODIFIED");
    ASSERT_STR_EQ(f.kind.chars, "ConfigMap");
    ASSERT_STR_EQ(f.api_version.chars, "v1");
    ASSERT_STR_EQ(f.json.chars, STORED);
    kin__frame_unref(frame);
    kin__frames_forget(&change);
    kin__record_unref(change.after);
}

TEST(frame, of_a_bookmark_has_a_version_and_nothing_else)
{
    kin__served pods = { .version = STR("v1"),
                         .api_version = STR("v1"),
                         .kind = STR("Pod"),
                         .message = kin__pb_message_of(STR("v1"), STR("Pod")) };
    kin__served custom = { .api_version = STR("example.com/v1"),
                           .kind = STR("Widget"),
                           .traits = KIN__IS_CUSTOM };
    kin__form json = { .encoding = KIN__FORM_JSON }, proto = { .encoding = KIN__FORM_PROTO };
    static found f;

    kin__frame *frame = kin__frame_of_bookmark(&pods, &json, 12746, false);
    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                    "\"metadata\":{\"resourceVersion\":\"12746\"},\"spec\":{\"containers\":null},"
                    "\"status\":{}}}\n");
    kin__frame_unref(frame);
    frame = kin__frame_of_bookmark(&custom, &json, 500, true);
    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"example.com/v1\",\"kind\":"
                    "\"Widget\",\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":"
                    "\"true\"},\"resourceVersion\":\"500\"}}}\n");
    kin__frame_unref(frame);
    frame = kin__frame_of_bookmark(&pods, &proto, 7, true);
    read_frame(frame, &f);
    ASSERT_STR_EQ(f.type.chars, "BOOKMARK");
    ASSERT_CONTAINS(f.json.chars, "\"resourceVersion\":\"7\",\"annotations\":{");
    kin__frame_unref(frame);
}

TEST(frame, of_a_bookmark_is_json_whatever_the_kind_is_called)
{
    kin__served custom = { .api_version = STR("example.com/v1"),
                           .kind = STR("Wid\"get\n"),
                           .traits = KIN__IS_CUSTOM };
    kin__form json = { .encoding = KIN__FORM_JSON };

    kin__frame *frame = kin__frame_of_bookmark(&custom, &json, 5, false);
    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"example.com/v1\",\"kind\":"
                    "\"Wid\\\"get\\n\",\"metadata\":{\"resourceVersion\":\"5\"}}}\n");
    kin__frame_unref(frame);
}

TEST(frame, of_a_bookmark_shows_how_the_server_keeps_apps)
{
    kin__served sets = { .group = STR("apps"),
                         .version = STR("v1"),
                         .api_version = STR("apps/v1"),
                         .kind = STR("StatefulSet"),
                         .message = kin__pb_message_of(STR("apps/v1"), STR("StatefulSet")) };
    kin__served daemons = { .group = STR("apps"),
                            .version = STR("v1"),
                            .api_version = STR("apps/v1"),
                            .kind = STR("DaemonSet"),
                            .message = kin__pb_message_of(STR("apps/v1"), STR("DaemonSet")) };
    kin__form json = { .encoding = KIN__FORM_JSON };

    kin__frame *frame = kin__frame_of_bookmark(&sets, &json, 7, false);
    ASSERT_CONTAINS(bytes_of(frame).data, "\"spec\":{\"replicas\":0,");
    kin__frame_unref(frame);
    frame = kin__frame_of_bookmark(&daemons, &json, 7, true);
    ASSERT_CONTAINS(bytes_of(frame).data,
                    "\"annotations\":{\"deprecated.daemonset.template.generation\":\"0\","
                    "\"k8s.io/initial-events-end\":\"true\"}");
    kin__frame_unref(frame);
}

TEST(frame, of_a_refusal_is_an_error_in_both_encodings)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    static found f;

    (void) kin__refuse(&no, 410, "Expired", "too old resource version: 1 (2)");
    kin__frame *frame = kin__frame_of_refusal(&no, KIN__FORM_JSON);
    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                    "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource "
                    "version: 1 (2)\",\"reason\":\"Expired\",\"code\":410}}\n");
    kin__frame_unref(frame);
    frame = kin__frame_of_refusal(&no, KIN__FORM_PROTO);
    read_frame(frame, &f);
    ASSERT_STR_EQ(f.type.chars, "ERROR");
    ASSERT_STR_EQ(f.kind.chars, "Status");
    ASSERT_CONTAINS(f.json.chars, "\"reason\":\"Expired\"");
    kin__frame_unref(frame);
}

TEST_FAILING_ALLOC(frame, is_not_made_without_memory)
{
    kin__served served = config_maps();
    kin__form form = { .encoding = KIN__FORM_PROTO };
    kin__change change = { .revision = 1234 };
    kin_object *object = NULL;
    kin_error err;

    kin_err code = kin_object_from_json(STORED, strlen(STORED), NULL, &object, &err);
    if (code == KIN_OK) {
        code = kin__record_new(object, 0, 9, &change.before, &err);
        if (code != KIN_OK) {
            kin_object_unref(object);
        }
    }
    if (code == KIN_OK) {
        kin__frame *frame = kin__frame_of_change(&change, KIN__EVENT_DELETED, &served, &form);
        bool has_slots = change.frames != NULL; /* without them it is just not shared */
        code = frame == NULL || !has_slots ? KIN_ERR_NO_MEMORY : KIN_OK;
        kin__frame_unref(frame);
    }
    kin__frames_forget(&change);
    kin__record_unref(change.before);
    return code;
}

/* The message of a frame's object. */
typedef struct carried {
    kin__pb_message message;
    size_t count;
} carried;

static kin_err carry(void *context, const kin__pb_item *item, kin_error *err)
{
    carried *c = context;

    (void) err;
    c->count += assert_message_released(c->message, item->bytes, KIN__CODEC_RELEASE);
    return KIN_OK;
}

/* The tables know of fields that came after the release that is played. */
TEST(frame, of_a_bookmark_has_the_fields_of_the_release_that_is_played)
{
    shelved s = shelved_new();
    kin__form forms[] = { { .encoding = KIN__FORM_JSON }, { .encoding = KIN__FORM_PROTO } };
    kin__served *served;
    size_t nodes = 0;

    for (size_t i = 0; (served = kin__shelf_at(s.shelf, i)) != NULL; i++) {
        if (served->message == KIN__PB_NO_MESSAGE || (served->verbs & KIN__VERB_WATCH) == 0) {
            continue;
        }
        kin__frame *frame = kin__frame_of_bookmark(served, &forms[0], 7, true);
        kin__json event = kin__json_of(bytes_of(frame));
        assert_json_released(served->message, kin__json_member(event, STR("object")),
                             KIN__CODEC_RELEASE);
        kin__frame_unref(frame);
        carried c = { .message = served->message };
        kin__pb_framer_options options = { .framing = KIN__PB_WATCH,
                                           .on_item = carry,
                                           .context = &c };
        AUTO(kin__pb_framer_free) kin__pb_framer *framer = NULL;
        kin_error err;
        frame = kin__frame_of_bookmark(served, &forms[1], 7, true);
        ASSERT_OK(kin__pb_framer_new(&options, &framer, &err));
        ASSERT_OK(kin__pb_framer_feed(framer, frame->bytes.data, frame->bytes.len, &err));
        ASSERT_TRUE(c.count > 0);
        kin__frame_unref(frame);
        nodes += kin__str_equal(served->kind, STR("CSINode")) ? 1u : 0u;
    }
    ASSERT_EQ(nodes, 1);
    shelved_free(&s);
}

TEST(frame, of_a_csi_node_has_no_status_yet)
{
    kin__served nodes = { .version = STR("v1"),
                          .api_version = STR("storage.k8s.io/v1"),
                          .kind = STR("CSINode"),
                          .message = kin__pb_message_of(STR("storage.k8s.io/v1"), STR("CSINode")) };
    kin__form json = { .encoding = KIN__FORM_JSON };
    kin__frame *frame = kin__frame_of_bookmark(&nodes, &json, 7, false);

    ASSERT_SLICE_EQ(bytes_of(frame),
                    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"CSINode\",\"apiVersion\":"
                    "\"storage.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{"
                    "\"drivers\":null}}}\n");
    kin__frame_unref(frame);
}
