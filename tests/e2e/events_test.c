/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_test.c - a recorder with a real API server, which checks every field of an Event.
 */
#include <stdio.h>
#include <string.h>

#include "e2e/support/calls.h"

#define NAMESPACE "kin-events"
#define EVENTS "events.v1.events.k8s.io"

static cluster c;
static kin_client *client;
static kin_recorder *teller;
static kin_error err;

static void begin(void)
{
    kin_recorder_options options = KIN_RECORDER_OPTIONS_INIT;

    cluster_use_shared(&c);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NAMESPACE);
    options.controller = "kinformer.example/events";
    must_be_ok(kin_recorder_new(client, &options, &teller, &err), &err);
}

static void finish(void)
{
    kin_recorder_free(teller);
    kin_client_free(client);
}

static kin_object *about(const char *api_version, const char *kind, const char *ns,
                         const char *name)
{
    char json[2048];

    (void) snprintf(json, sizeof json,
                    "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\"%s%s%s,"
                    "\"uid\":\"%s-%lld\"}}",
                    api_version, kind, name, ns != NULL ? ",\"namespace\":\"" : "",
                    ns != NULL ? ns : "", ns != NULL ? "\"" : "", kind, (long long) now_ms());
    return object_of(json);
}

static void flush(void)
{
    must_be_ok(kin_recorder_flush(teller, 30000, &err), &err);
}

static kin_recorder_status status(void)
{
    kin_recorder_status now = KIN_RECORDER_STATUS_INIT;

    must_be_ok(kin_recorder_get_status(teller, &now, &err), &err);
    return now;
}

/* What was told so far is there. */
static void expect_written(uint64_t created)
{
    flush();
    kin_recorder_status now = status();
    if (now.dropped != 0 || now.limited != 0) {
        FAIL("%llu dropped, %llu limited: %s", (unsigned long long) now.dropped,
             (unsigned long long) now.limited, now.error.message);
    }
    ASSERT_EQ(now.created, created);
}

typedef struct found {
    kin_str uid;
    size_t count;
    kin_object *event; /* reference to the last */
} found;

static bool look(void *context, kin_object *event)
{
    found *f = context;
    kin_str uid;

    if (kin_value_str(kin_object_at(event, "regarding.uid"), NULL, 0, &uid) == KIN_OK &&
        kin_str_equal(uid, f->uid)) {
        f->count++;
        (void) kin_object_unref(f->event);
        f->event = kin_object_ref(event);
    }
    return true;
}

/* The one event about `object`; shared. */
static kin_object *event_of(const kin_object *object, const char *ns)
{
    found f = { .uid = kin_object_uid(object) };

    must_be_ok(kin_client_list(client, EVENTS, ns, look, &f, &err), &err);
    ASSERT_EQ(f.count, 1);
    return f.event;
}

static int64_t count_of(const kin_object *object, const char *ns)
{
    kin_object *event = event_of(object, ns);
    int64_t count = 0;

    (void) !kin_value_int64(kin_object_at(event, "series.count"), &count);
    (void) kin_object_unref(event);
    return count;
}

TEST(events, of_all_kinds_are_accepted)
{
    begin();
    kin_object *pod = about("v1", "Pod", NAMESPACE, "web-0");
    kin_object *node = about("v1", "Node", NULL, "n-1");
    kin_object *foo = about("example.com/v1", "Foo", NAMESPACE, "foo");
    kin_object *role = about("rbac.authorization.k8s.io/v1", "ClusterRole", NULL, "system:Node..x");

    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made");
    kin_recorder_tell(teller, pod, node, KIN_SEVERITY_WARNING, "Failed", "Place", "on %s", "n-1");
    kin_recorder_tell(teller, node, foo, KIN_SEVERITY_NORMAL, "Ready", "Look", "%s", "");
    kin_recorder_tell(teller, foo, node, KIN_SEVERITY_WARNING, "Odd", "Look", "\"%s\"\n\t\\",
                      "gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x90\x9f");
    kin_recorder_tell(teller, role, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "a role");
    expect_written(5);

    (void) kin_object_unref(event_of(node, "default"));
    (void) kin_object_unref(event_of(role, "default"));
    (void) kin_object_unref(event_of(foo, NAMESPACE));
    (void) kin_object_unref(pod);
    (void) kin_object_unref(node);
    (void) kin_object_unref(foo);
    (void) kin_object_unref(role);
    finish();
}

TEST(events, of_any_length_are_accepted)
{
    char name[254];
    char word[1000];
    char note[5000];
    begin();

    memset(name, 'a', sizeof name - 1);
    name[253] = '\0';
    for (size_t i = 0; i + 2 < sizeof word; i += 2) {
        memcpy(word + i, "\xc3\xbc", 3);
    }
    memset(note, 'n', sizeof note - 1);
    note[4999] = '\0';
    memcpy(note + 1022, "\xf0\x9f\x90\x9f", 4);
    kin_object *pod = about("v1", "Pod", NAMESPACE, name);
    kin_recorder_tell(teller, pod, pod, KIN_SEVERITY_WARNING, word, word + 2, "%s", note);
    kin_recorder_tell(teller, pod, pod, KIN_SEVERITY_WARNING, "a", "b", "\xff\x80 %s", note);
    expect_written(2);
    (void) kin_object_unref(pod);
    finish();
}

TEST(events, of_bytes_that_are_no_text_are_accepted)
{
    begin();
    kin_object *pod = about("v1", "Pod", NAMESPACE, "web-0");

    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "a\xff\x01", "\x80", "\xed\xa0\x80");
    expect_written(1);
    (void) kin_object_unref(pod);
    finish();
}

TEST(events, told_a_thousand_times_are_one)
{
    begin();
    kin_object *pod = about("v1", "Pod", NAMESPACE, "web-0");

    for (int i = 0; i < 1000; i++) {
        kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Again", "Do", "number %d", i);
        if (i % 100 == 0) {
            rest_ms(5);
        }
    }
    expect_written(1);
    ASSERT_EQ(count_of(pod, NAMESPACE), 1000);
    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Again", "Do", "once more");
    expect_written(1);
    ASSERT_EQ(count_of(pod, NAMESPACE), 1001);

    kin_object *event = event_of(pod, NAMESPACE);
    kin_str note;
    ASSERT_OK(kin_value_str(kin_object_at(event, "note"), NULL, 0, &note));
    ASSERT_SLICE_EQ(note, "number 0");
    (void) kin_object_unref(event);
    (void) kin_object_unref(pod);
    finish();
}

TEST(events, that_have_expired_are_made_again)
{
    char name[256];
    begin();
    kin_object *pod = about("v1", "Pod", NAMESPACE, "web-0");

    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made");
    flush();
    kin_object *event = event_of(pod, NAMESPACE);
    (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(event)));
    (void) kin_object_unref(event);
    must_be_ok(kin_client_delete(client, EVENTS, NAMESPACE, name, &err), &err);
    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made");
    expect_written(2);

    ASSERT_EQ(count_of(pod, NAMESPACE), 2);
    (void) kin_object_unref(pod);
    finish();
}

TEST(events, of_a_namespace_that_is_not_there_are_dropped)
{
    begin();
    kin_object *pod = about("v1", "Pod", "kin-nowhere", "web-0");

    kin_recorder_tell(teller, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made");
    flush();
    ASSERT_EQ(status().dropped, 1);
    ASSERT_EQ(status().error.code, KIN_ERR_NOT_FOUND);
    (void) kin_object_unref(pod);
    finish();
}
