/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion_test.c - one resource in two groups, whose members have other names.
 */
#include "server/conversion.h"

#include "proto/meaning.h"
#include "server/builtin_table.h"
#include "server/codec.h"
#include "server/field.h"
#include "unit/server/writing.h"

#define CORE DEFAULT "/events"
#define NEWER "/apis/events.k8s.io/v1/namespaces/default/events"
#define STRATEGIC "application/strategic-merge-patch+json"
#define JSON_PATCH "application/json-patch+json"

#define OLD_EVENT                                                                                  \
    "{\"metadata\":{\"name\":\"old\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\","        \
    "\"namespace\":\"default\"},\"message\":\"m\",\"reason\":\"R\",\"type\":\"Warning\","          \
    "\"count\":4,\"source\":{\"component\":\"kubelet\"},\"firstTimestamp\":"                       \
    "\"2020-01-01T00:00:00Z\",\"lastTimestamp\":\"2020-01-01T00:00:02Z\"}"
#define NEW_EVENT                                                                                  \
    "{\"metadata\":{\"name\":\"new\"},\"eventTime\":\"2020-01-02T03:04:05.123456Z\","              \
    "\"reportingController\":\"example.com/c\",\"reportingInstance\":\"c-1\",\"action\":\"Do\","   \
    "\"reason\":\"Did\",\"type\":\"Normal\",\"note\":\"hello\",\"regarding\":{\"kind\":\"Pod\","   \
    "\"name\":\"p\",\"namespace\":\"default\"}}"

/* Both as a server wrote them through the other group, without uid and times. */
#define OLD_SHOWN                                                                                  \
    "\"eventTime\":null,\"reason\":\"R\",\"regarding\":{\"kind\":\"Pod\",\"namespace\":"           \
    "\"default\",\"name\":\"p\"},\"note\":\"m\",\"type\":\"Warning\",\"deprecatedSource\":{"       \
    "\"component\":\"kubelet\"},\"deprecatedFirstTimestamp\":\"2020-01-01T00:00:00Z\","            \
    "\"deprecatedLastTimestamp\":\"2020-01-01T00:00:02Z\",\"deprecatedCount\":4}"
#define NEW_SHOWN                                                                                  \
    "\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"default\",\"name\":\"p\"},\"reason\":"   \
    "\"Did\",\"message\":\"hello\",\"source\":{},\"firstTimestamp\":null,\"lastTimestamp\":null,"  \
    "\"type\":\"Normal\",\"eventTime\":\"2020-01-02T03:04:05.123456Z\",\"action\":\"Do\","         \
    "\"reportingComponent\":\"example.com/c\",\"reportingInstance\":\"c-1\"}"

static void open_with_both(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", CORE, JSON, OLD_EVENT), 201);
    ASSERT_EQ(ask(s, "POST", NEWER, JSON, NEW_EVENT), 201);
}

TEST(conversion, shows_what_was_made_through_the_other_group)
{
    scene s;

    open_with_both(&s);
    ASSERT_CONTAINS(s.body, "\"note\":\"hello\""); /* the answer is in the version of the request */
    ASSERT_CONTAINS(s.body, "\"apiVersion\":\"events.k8s.io/v1\"");
    ASSERT_ANSWER(&s, "GET", NEWER "/old", NULL, NULL, 200, OLD_SHOWN);
    ASSERT_CONTAINS(s.body, "\"apiVersion\":\"events.k8s.io/v1\"");
    ASSERT_ANSWER(&s, "GET", CORE "/new", NULL, NULL, 200, NEW_SHOWN);
    ASSERT_CONTAINS(s.body, "\"apiVersion\":\"v1\"");
    ASSERT_ANSWER(&s, "GET", NEWER, NULL, NULL, 200, OLD_SHOWN);
    ASSERT_CONTAINS(s.body, "\"note\":\"hello\"");
    ASSERT_ANSWER(&s, "GET", CORE, NULL, NULL, 200, NEW_SHOWN);
    ASSERT_CONTAINS(s.body, "\"message\":\"m\"");
    scene_close(&s);
}

TEST(conversion, has_one_name_and_one_end_for_both_groups)
{
    scene s;

    open_with_both(&s);
    ASSERT_ANSWER(&s, "POST", CORE, JSON, "{\"metadata\":{\"name\":\"new\"}}", 409,
                  "events \\\"new\\\" already exists");
    ASSERT_ANSWER(&s, "DELETE", CORE "/new", NULL, NULL, 200, "Success");
    ASSERT_ANSWER(&s, "GET", NEWER "/new", NULL, NULL, 404,
                  "events.events.k8s.io \\\"new\\\" not found");
    ASSERT_ANSWER(&s, "DELETE", NEWER, NULL, NULL, 200, "EventList");
    ASSERT_ANSWER(&s, "GET", CORE "/old", NULL, NULL, 404, "events \\\"old\\\" not found");
    scene_close(&s);
}

TEST(conversion, patches_and_replaces_in_the_version_of_the_request)
{
    scene s;

    open_with_both(&s);
    ASSERT_ANSWER(&s, "PATCH", CORE "/new", MERGE, "{\"message\":\"bye\",\"note\":\"x\"}", 200,
                  "\"message\":\"bye\"");
    ASSERT_CONTAINS(s.warnings, "unknown field \"note\"");
    ASSERT_ANSWER(&s, "PATCH", NEWER "/new", JSON_PATCH,
                  "[{\"op\":\"test\",\"path\":\"/note\",\"value\":\"bye\"},{\"op\":\"test\","
                  "\"path\":\"/regarding/name\",\"value\":\"p\"},{\"op\":\"add\",\"path\":"
                  "\"/metadata/labels\",\"value\":{\"a\":\"b\"}}]",
                  200, "\"labels\":{\"a\":\"b\"}");
    ASSERT_CONTAINS(s.body, "\"note\":\"bye\"");
    ASSERT_ANSWER(&s, "PATCH", NEWER "/new", STRATEGIC,
                  "{\"series\":{\"count\":2,\"lastObservedTime\":\"2020-01-02T03:04:06.000000Z\"}}",
                  200, "\"series\":{\"count\":2,");
    ASSERT_ANSWER(&s, "PUT", CORE "/old", JSON,
                  "{\"metadata\":{\"name\":\"old\"},\"involvedObject\":{\"namespace\":\"default\"},"
                  "\"message\":\"put\"}",
                  200, "\"message\":\"put\"");
    ASSERT_ANSWER(&s, "GET", NEWER "/old", NULL, NULL, 200, "\"note\":\"put\"");
    uint64_t before = revision(&s);
    ASSERT_ANSWER(&s, "PATCH", NEWER "/old", MERGE, "{\"note\":\"put\"}", 200, "\"put\"");
    ASSERT_EQ(revision(&s), before); /* nothing new was said */
    scene_close(&s);
}

TEST(conversion, selects_by_the_names_of_each_group)
{
    scene s;

    open_with_both(&s);
    ASSERT_ANSWER(&s, "GET", NEWER "?fieldSelector=reportingController%3Dexample.com/c", NULL, NULL,
                  200, "\"name\":\"new\"");
    ASSERT_TRUE(strstr(s.body, "\"old\"") == NULL);
    ASSERT_ANSWER(&s, "GET", CORE "?fieldSelector=reportingComponent%3Dexample.com/c", NULL, NULL,
                  200, "\"name\":\"new\"");
    ASSERT_ANSWER(&s, "GET", NEWER "?fieldSelector=regarding.name%3Dp,type%3DWarning", NULL, NULL,
                  200, "\"name\":\"old\"");
    ASSERT_TRUE(strstr(s.body, "\"new\"") == NULL);
    ASSERT_ANSWER(&s, "GET", NEWER "?fieldSelector=involvedObject.name%3Dp", NULL, NULL, 400,
                  "field label not supported: involvedObject.name");
    ASSERT_ANSWER(&s, "GET", CORE "?fieldSelector=regarding.name%3Dp", NULL, NULL, 400,
                  "field label not supported: regarding.name");
    scene_close(&s);
}

TEST(conversion, leaves_kinds_alone_that_are_called_the_same)
{
    static const char given[] = "{\"message\":\"m\",\"note\":\"n\"}";
    const kin__served custom = { .api_version = STR("events.k8s.io/v1"),
                                 .kind = STR("Event"),
                                 .traits = KIN__IS_CUSTOM };
    const kin__served core = { .api_version = STR("v1"), .kind = STR("Event") };
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(given));
    AUTO(kin__buf_fini) kin__buf said = { 0 };

    ASSERT_TRUE(kin__convert_to_stored(&custom, tree) && kin__convert_from_stored(&core, tree));
    ASSERT_TRUE(kin__node_append_json(tree, &said));
    ASSERT_SLICE_EQ(kin__str(said.data, said.len), given);
}

static bool is_there(const kin__pb_row *row)
{
    return row != NULL && kin__pb_is_of_release(row, KIN__CODEC_RELEASE);
}

/* Appends the members that one message has, and another has not or in another form. */
static void tell_missing(kin__pb_message has, kin__pb_message lacks, const char *path, text *out)
{
    static const unsigned form = ~(unsigned) (KIN__PB_OMITEMPTY | KIN__PB_OMITZERO);
    size_t count = 0;
    const kin__pb_row *rows = kin__pb_rows(has, &count);

    for (size_t i = 0; i < count && has != lacks; i++) {
        const kin__pb_row *row = &rows[i];
        kin_str name = kin__pb_row_name(row);
        kin__pb_inlines inlines;
        char below[256];
        const kin__pb_row *other = kin__pb_row_named(lacks, name, &inlines);
        if (name.len == 0 || !is_there(row)) {
            continue;
        }
        (void) snprintf(below, sizeof below, "%s%s%.*s", path, *path == '\0' ? "" : ".",
                        KIN_STR_ARG(name));
        if (!is_there(other)) {
            text_append(out, " %s", below);
        } else if (row->type != other->type || ((row->flags ^ other->flags) & form) != 0) {
            text_append(out, " %s(type)", below);
        } else if (row->type == KIN__PB_MESSAGE) {
            tell_missing(row->message, other->message, below, out);
        }
    }
}

static const kin__builtin *stored_row(const kin__builtin *row)
{
    for (size_t i = 0; i < kin__builtin_count; i++) {
        const kin__builtin *other = &kin__builtin_table[i];
        if (other->is_stored && strcmp(other->resource, row->resource) == 0 &&
            (strcmp(other->group, row->group) == 0 ||
             ((row->traits & KIN__IS_KEPT_IN_CORE) != 0 && *other->group == '\0'))) {
            return other;
        }
    }
    return NULL;
}

static kin__pb_message message_of(const kin__builtin *row)
{
    char api_version[128];

    (void) snprintf(api_version, sizeof api_version, "%s%s%s", row->group,
                    *row->group == '\0' ? "" : "/", row->version);
    return kin__pb_message_of(kin_str_of(api_version), kin_str_of(row->kind));
}

/* Of each what it has and the stored one has not, and the other way round. */
#define EXACTLY(path)                                                                              \
    " " path ".deviceClassName " path ".selectors " path ".allocationMode " path ".count " path    \
    ".adminAccess " path ".tolerations " path ".capacity | " path ".exactly\n"
#define DIFFERENT                                                                                  \
    "v1 Event: reportingController regarding note deprecatedSource deprecatedFirstTimestamp "      \
    "deprecatedLastTimestamp deprecatedCount | involvedObject message source firstTimestamp "      \
    "lastTimestamp count reportingComponent\n"                                                     \
    "v1 HorizontalPodAutoscaler: spec.targetCPUUtilizationPercentage "                             \
    "status.currentCPUUtilizationPercentage | spec.metrics spec.behavior status.currentMetrics "   \
    "status.conditions\n"                                                                          \
    "v1beta1 ResourceClaim:" EXACTLY(                                                              \
        "spec.devices.requests") "v1beta1 ResourceClaimTemplate:" EXACTLY("spec.spec.devices."     \
                                                                          "requests") "v1beta1 "   \
                                                                                      "ResourceSl" \
                                                                                      "ice: "      \
                                                                                      "spec."      \
                                                                                      "nodeName("  \
                                                                                      "type) "     \
                                                                                      "spec."      \
                                                                                      "allNodes("  \
                                                                                      "type) "     \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "basic | "   \
                                                                                      "spec."      \
                                                                                      "nodeName("  \
                                                                                      "type) "     \
                                                                                      "spec."      \
                                                                                      "allNodes("  \
                                                                                      "type) "     \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "attributes" \
                                                                                      " spec."     \
                                                                                      "devices."   \
                                                                                      "capacity "  \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "consumesCo" \
                                                                                      "unters "    \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "nodeName "  \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "nodeSelect" \
                                                                                      "or "        \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "allNodes "  \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "taints "    \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "bindsToNod" \
                                                                                      "e "         \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "bindingCon" \
                                                                                      "ditions "   \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "bindingFai" \
                                                                                      "lureCondit" \
                                                                                      "ions "      \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "allowMulti" \
                                                                                      "pleAllocat" \
                                                                                      "ions "      \
                                                                                      "spec."      \
                                                                                      "devices."   \
                                                                                      "nodeAlloca" \
                                                                                      "tableResou" \
                                                                                      "rceMapping" \
                                                                                      "s\n"

/* Each of these is converted; a version that comes to differ wants a row in conversion.c. */
TEST(conversion, knows_every_version_that_has_other_members_than_the_stored_one)
{
    text out = { 0 };

    for (size_t i = 0; i < kin__builtin_count; i++) {
        const kin__builtin *row = &kin__builtin_table[i];
        const kin__builtin *stored = stored_row(row);
        text missing = { 0 };
        if (row->is_stored) {
            continue;
        }
        ASSERT_TRUE(stored != NULL);
        tell_missing(message_of(row), message_of(stored), "", &missing);
        text_append(&missing, " |");
        tell_missing(message_of(stored), message_of(row), "", &missing);
        if (missing.len > 2) {
            text_append(&out, "%s %s:%s\n", row->version, row->kind, missing.chars);
        }
    }
    ASSERT_STR_EQ(out.chars, DIFFERENT);
}

TEST_FAILING_ALLOC(conversion, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        bool is_done = ask(&s, "POST", NEWER, JSON, NEW_EVENT) != 0 &&
                       ask(&s, "GET", CORE "/new", NULL, NULL) != 0 &&
                       ask(&s, "PATCH", NEWER "/new", MERGE,
                           "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}") != 0 &&
                       ask(&s, "GET", NEWER, NULL, NULL) != 0;
        code = is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
