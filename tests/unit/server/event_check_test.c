/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_check_test.c - events that kube-apiserver 1.36.3 refuses, in its words.
 */
#include "server/event_check.h"

#include "unit/server/writing.h"

#define CORE DEFAULT "/events"
#define NEWER "/apis/events.k8s.io/v1/namespaces/default/events"
#define TIME "\"eventTime\":\"2020-01-02T03:04:05.123456Z\""
#define REPORTER                                                                                   \
    TIME ",\"reportingController\":\"example.com/c\",\"reportingInstance\":\"c-1\",\"action\":"    \
         "\"Do\",\"reason\":\"Did\""
#define NEW_EVENT "{\"metadata\":{\"name\":\"e\"},\"type\":\"Normal\"," REPORTER "}"

static void open_with(scene *s, const char *path, const char *body)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    if (path != NULL) {
        ASSERT_EQ(ask(s, "POST", path, JSON, body), 201);
    }
}

static void assert_refused(scene *s, const char *method, const char *path, const char *body,
                           const char *why)
{
    text message = { 0 };

    text_append(&message, "\"message\":\"Event \\\"e\\\" is invalid: %s\",\"reason\":\"Invalid\"",
                why);
    ASSERT_ANSWER(s, method, path, strcmp(method, "PATCH") == 0 ? MERGE : JSON, body, 422,
                  message.chars);
    /* whatever the request's group */
    ASSERT_CONTAINS(s->body, "\"details\":{\"name\":\"e\",\"kind\":\"Event\",\"causes\"");
}

TEST(event_check, of_an_old_one_wants_the_namespace_of_what_it_is_about)
{
    scene s;

    open_with(&s, NULL, NULL);
    assert_refused(&s, "POST", CORE,
                   "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"namespace\":\"other\"}}",
                   "involvedObject.namespace: Invalid value: \\\"other\\\": does not match "
                   "event.namespace");
    ASSERT_EQ(ask(&s, "POST", CORE, JSON, "{\"metadata\":{\"name\":\"e\"}}"), 201);
    ASSERT_EQ(ask(&s, "POST", "/api/v1/namespaces", JSON, "{\"metadata\":{\"name\":\"n\"}}"), 201);
    /* and says nothing of its name before that is right */
    ASSERT_ANSWER(&s, "POST", "/api/v1/namespaces/n/events", JSON, "{}", 422,
                  "Event \\\"\\\" is invalid: involvedObject.namespace: Invalid value: \\\"\\\": "
                  "does not match event.namespace\"");
    scene_close(&s);
}

TEST(event_check, of_one_with_a_time_wants_all_that_is_new)
{
    scene s;

    open_with(&s, NULL, NULL);
    assert_refused(
        &s, "POST", CORE, "{\"metadata\":{\"name\":\"e\"}," TIME "}",
        "[reportingComponent: Required value, reportingComponent: Invalid value: \\\"\\\": name "
        "part must be non-empty, reportingComponent: Invalid value: \\\"\\\": name part must "
        "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), reportingInstance: Required "
        "value, action: Required value, reason: Required value]");
    ASSERT_ANSWER(&s, "POST", NEWER, JSON, "{\"metadata\":{\"name\":\"e\"}," TIME "}", 422,
                  "is invalid: [reportingController: Required value, reportingController: Invalid");
    scene_close(&s);
}

TEST(event_check, knows_how_long_texts_may_be)
{
    scene s;
    text body = { 0 };
    char long_text[1026];

    open_with(&s, NULL, NULL);
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    text_append(&body,
                "{\"metadata\":{\"name\":\"e\"}," TIME ",\"reportingComponent\":\"c\","
                "\"reportingInstance\":\"%.129s\",\"action\":\"%.129s\",\"reason\":\"%.129s\","
                "\"message\":\"%s\"}",
                long_text, long_text, long_text, long_text);
    assert_refused(&s, "POST", CORE, body.chars,
                   "[reportingInstance: Invalid value: \\\"\\\": can have at most 128 characters, "
                   "action: Invalid value: \\\"\\\": can have at most 128 characters, reason: "
                   "Invalid value: \\\"\\\": can have at most 128 characters, message: Invalid "
                   "value: \\\"\\\": can have at most 1024 characters]");
    scene_close(&s);
}

TEST(event_check, through_the_newer_group_wants_a_new_event)
{
    scene s;

    open_with(&s, NULL, NULL);
    assert_refused(&s, "POST", NEWER, "{\"metadata\":{\"name\":\"e\"}}",
                   "[eventTime: Required value, type: Invalid value: \\\"\\\": has invalid value: "
                   "]");
    assert_refused(&s, "POST", NEWER,
                   "{\"metadata\":{\"name\":\"e\"}," REPORTER ",\"type\":\"Odd\","
                   "\"deprecatedCount\":3,\"deprecatedFirstTimestamp\":\"2020-01-01T00:00:00Z\","
                   "\"deprecatedLastTimestamp\":\"2020-01-01T00:00:00Z\",\"deprecatedSource\":{"
                   "\"component\":\"x\"},\"series\":{\"count\":1}}",
                   "[series.count: Invalid value: \\\"\\\": should be at least 2, "
                   "series.lastObservedTime: Required value, type: Invalid value: \\\"\\\": has "
                   "invalid value: Odd, firstTimestamp: Invalid value: \\\"\\\": needs to be "
                   "unset, lastTimestamp: Invalid value: \\\"\\\": needs to be unset, count: "
                   "Invalid value: \\\"\\\": needs to be unset, source: Invalid value: \\\"\\\": "
                   "needs to be unset]");
    ASSERT_ANSWER(&s, "POST", NEWER, JSON, "{\"metadata\":{\"name\":\"A_\"}}", 422,
                  "[metadata.name: Invalid value: \\\"A_\\\": a lowercase RFC 1123 subdomain");
    ASSERT_EQ(ask(&s, "POST", NEWER, JSON, NEW_EVENT), 201);
    scene_close(&s);
}

TEST(event_check, through_the_newer_group_lets_only_the_series_change)
{
    scene s;

    open_with(&s, NEWER, NEW_EVENT);
    assert_refused(&s, "PATCH", NEWER "/e", "{\"note\":\"other\"}",
                   "message: Invalid value: \\\"other\\\": field is immutable");
    assert_refused(
        &s, "PATCH", NEWER "/e",
        "{\"related\":{\"name\":\"x\"},\"eventTime\":null,\"deprecatedCount\":9,"
        "\"deprecatedSource\":{\"host\":\"h\"},\"regarding\":{\"kind\":\"Pod\"}}",
        "[involvedObject: Invalid value: {\\\"Kind\\\":\\\"Pod\\\",\\\"Namespace\\\":"
        "\\\"\\\",\\\"Name\\\":\\\"\\\",\\\"UID\\\":\\\"\\\",\\\"APIVersion\\\":\\\"\\\","
        "\\\"ResourceVersion\\\":\\\"\\\",\\\"FieldPath\\\":\\\"\\\"}: field is immutable, "
        "source: Invalid value: {\\\"Component\\\":\\\"\\\",\\\"Host\\\":\\\"h\\\"}: field is "
        "immutable, count: Invalid value: 9: field is immutable, eventTime: Invalid "
        "value: null: field is immutable, related: Invalid value: {\\\"Kind\\\":\\\"\\\","
        "\\\"Namespace\\\":\\\"\\\",\\\"Name\\\":\\\"x\\\",\\\"UID\\\":\\\"\\\",\\\"APIVersion\\\":"
        "\\\"\\\",\\\"ResourceVersion\\\":\\\"\\\",\\\"FieldPath\\\":\\\"\\\"}: field is "
        "immutable]");
    assert_refused(&s, "PATCH", NEWER "/e", "{\"series\":{\"count\":2}}",
                   "series.lastObservedTime: Required value");
    ASSERT_ANSWER(&s, "PATCH", NEWER "/e", MERGE,
                  "{\"series\":{\"count\":2,\"lastObservedTime\":\"2020-01-02T03:04:06.000000Z\"},"
                  "\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                  200, "\"count\":2");
    scene_close(&s);
}

TEST(event_check, through_the_core_group_lets_everything_change)
{
    scene s;

    open_with(&s, NEWER, NEW_EVENT);
    ASSERT_ANSWER(&s, "PATCH", CORE "/e", MERGE,
                  "{\"message\":\"other\",\"count\":2,\"involvedObject\":{\"name\":\"x\"}}", 200,
                  "\"message\":\"other\"");
    assert_refused(&s, "PATCH", CORE "/e", "{\"reason\":\"\"}", "reason: Required value");
    scene_close(&s);
}

TEST_FAILING_ALLOC(event_check, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done =
            ask(&s, "POST", CORE, JSON, "{\"metadata\":{\"name\":\"e\"}," TIME "}") != 0 &&
            ask(&s, "POST", NEWER, JSON, NEW_EVENT) != 0 &&
            ask(&s, "PATCH", NEWER "/e", MERGE, "{\"regarding\":{\"name\":\"x\"}}") != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
