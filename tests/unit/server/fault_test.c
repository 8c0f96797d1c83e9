/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_test.c - faults as they are written, and whom they strike.
 */
#include "server/fault.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

static kin__route watch_of(const char *resource, const char *ns)
{
    return (kin__route){ .deed = KIN__DEED_WATCH,
                         .is_resource = true,
                         .path = STR("/api/v1/whatever"),
                         .resource = kin_str_of(resource),
                         .ns = kin_str_of(ns) };
}

static kin__fault *add(kin__faults *faults, const char *json)
{
    kin__fault *fault = NULL;
    kin_error err;

    ASSERT_OK(kin__faults_add(faults, kin_str_of(json), &fault, &err));
    return fault;
}

TEST(fault, strikes_once_unless_told)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    kin__fault *fault = add(&faults, "{\"do\":\"drop\"}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_TRUE(sum.is_dropped);
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_FALSE(sum.is_dropped);
    ASSERT_EQ(fault->met, 1);
    kin__faults_fini(&faults);
}

TEST(fault, spares_some_first_and_strikes_as_often_as_it_is_told)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;
    text seen = { 0 };

    add(&faults, "{\"do\":\"drop\",\"skip\":2,\"times\":3}");
    for (int i = 0; i < 7; i++) {
        kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
        text_append(&seen, "%d", sum.is_dropped);
    }
    ASSERT_STR_EQ(seen.chars, "0011100");
    kin__faults_fini(&faults);
}

TEST(fault, strikes_without_end_when_times_is_zero)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"drop\",\"times\":0}");
    for (int i = 0; i < 100; i++) {
        kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
        ASSERT_TRUE(sum.is_dropped);
    }
    kin__faults_fini(&faults);
}

TEST(fault, strikes_only_what_fits_all_that_it_names)
{
    static const struct {
        const char *json;
        bool fits;
    } cases[] = {
        { "{\"do\":\"drop\",\"verb\":\"watch\"}", true },
        { "{\"do\":\"drop\",\"verb\":\"list\"}", false },
        { "{\"do\":\"drop\",\"resource\":\"deployments\"}", true },
        { "{\"do\":\"drop\",\"resource\":\"deployments.apps\"}", true },
        { "{\"do\":\"drop\",\"resource\":\"deployments.other\"}", false },
        { "{\"do\":\"drop\",\"resource\":\"deploymentsXapps\"}", false },
        { "{\"do\":\"drop\",\"resource\":\"deployments.appsX\"}", false },
        { "{\"do\":\"drop\",\"namespace\":\"n\"}", true },
        { "{\"do\":\"drop\",\"namespace\":\"\"}", false },
        { "{\"do\":\"drop\",\"name\":\"x\"}", false },
        { "{\"do\":\"drop\",\"path\":\"/api/v1\"}", true },
        { "{\"do\":\"drop\",\"path\":\"/apis\"}", false },
        { "{\"do\":\"drop\",\"verb\":\"watch\",\"namespace\":\"m\"}", false },
    };
    kin__route route = watch_of("deployments", "n");

    route.group = STR("apps");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kin__faults faults = { 0 };
        kin__fault_sum sum;
        add(&faults, cases[i].json);
        kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
        ASSERT_EQ(sum.is_dropped, cases[i].fits);
        kin__faults_fini(&faults);
    }
}

TEST(fault, adds_up_with_others)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"delay\",\"ms\":10}");
    add(&faults, "{\"do\":\"delay\",\"ms\":20}");
    add(&faults, "{\"do\":\"no-bookmarks\"}");
    add(&faults, "{\"do\":\"slow\",\"bytes_per_second\":5}");
    add(&faults, "{\"do\":\"back-in-time\",\"by\":4}");
    add(&faults, "{\"do\":\"cut\",\"after_bytes\":9}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0&allowWatchBookmarks=1"), &sum);
    ASSERT_EQ(sum.delay_ms, 30);
    ASSERT_EQ(sum.back_by, 4);
    ASSERT_TRUE(sum.spoil.has_no_bookmarks);
    ASSERT_FALSE(sum.spoil.has_no_initial_end);
    ASSERT_EQ(sum.spoil.bytes_per_s, 5);
    ASSERT_EQ(sum.spoil.act, KIN__SPOIL_CUT);
    ASSERT_FALSE(sum.spoil.by_events);
    ASSERT_EQ(sum.spoil.after, 9);
    kin__faults_fini(&faults);
}

TEST(fault, goes_by_events_when_it_says_so_or_cannot_do_otherwise)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"stall\",\"after_events\":3}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_TRUE(sum.spoil.by_events);
    ASSERT_EQ(sum.spoil.after, 3);
    add(&faults, "{\"do\":\"duplicate\"}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_TRUE(sum.spoil.by_events);
    kin__faults_fini(&faults);
}

TEST(fault, answers_with_a_status)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"status\",\"code\":429,\"retry_after\":7,\"message\":\"later\"}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    kin__fault_refuse(sum.status, &no);
    ASSERT_EQ(no.code, 429);
    ASSERT_STR_EQ(no.reason, "TooManyRequests");
    ASSERT_EQ(no.retry_after_s, 7);
    ASSERT_SLICE_EQ(((kin_str){ no.message.data, no.message.len }), "later");
    kin__fault_refuse(add(&faults, "{\"do\":\"status\",\"code\":410,\"reason\":\"Gone\"}"), &no);
    ASSERT_STR_EQ(no.reason, "Gone");
    kin__fault_refuse(add(&faults, "{\"do\":\"status\",\"code\":418}"), &no);
    ASSERT_STR_EQ(no.reason, "");
    kin__faults_fini(&faults);
}

TEST(fault, of_now_strikes_open_watches_and_leaves_requests_alone)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__served pods = { .resource = STR("pods") };
    kin__watch_about about = { &pods, STR("n"), STR(""), STR("/api/v1/pods") };
    kin__spoil spoil = { 0 };
    kin__fault_sum sum;

    kin__fault *fault = add(&faults, "{\"do\":\"cut\",\"resource\":\"pods\",\"now\":true}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_EQ(sum.spoil.act, KIN__SPOIL_NOTHING);
    ASSERT_TRUE(kin__fault_spoil_open(fault, &about, &spoil));
    ASSERT_EQ(spoil.act, KIN__SPOIL_CUT);
    ASSERT_TRUE(spoil.by_events);
    ASSERT_EQ(fault->met, 1);
    pods.resource = STR("nodes");
    ASSERT_FALSE(kin__fault_spoil_open(fault, &about, &spoil));
    fault = add(&faults, "{\"do\":\"cut\",\"now\":true,\"times\":1}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    ASSERT_EQ(sum.spoil.act, KIN__SPOIL_CUT);
    ASSERT_FALSE(kin__fault_spoil_open(add(&faults, "{\"do\":\"cut\"}"), &about, &spoil));
    kin__faults_fini(&faults);
}

TEST(fault, is_refused_when_it_makes_no_sense)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        { "[]", "fault: not an object" },
        { "{}", "fault: \"do\" says nothing that can go wrong" },
        { "{\"do\":\"explode\"}", "fault: \"do\" says nothing that can go wrong" },
        { "{\"do\":\"drop\",\"often\":1}", "fault: \"often\" is not known" },
        { "{\"do\":\"drop\",\"times\":-1}", "fault: \"times\" is not a whole number from 0 on" },
        { "{\"do\":\"drop\",\"times\":1.5}", "fault: \"times\" is not a whole number from 0 on" },
        { "{\"do\":\"drop\",\"times\":99999999999999999999}",
          "fault: \"times\" is not a whole number from 0 on" },
        { "{\"do\":\"drop\",\"times\":1000000000000000000}",
          "fault: \"times\" is not a whole number from 0 on" },
        { "{\"do\":\"drop\",\"verb\":1}", "fault: \"verb\" is not a string" },
        { "{\"do\":\"drop\",\"now\":1}", "fault: \"now\" is neither true nor false" },
        { "{\"do\":\"drop\",\"verb\":\"a\\u0000b\"}", "fault: a text has a zero byte" },
        { "{\"do\":\"delay\"}", "fault: \"delay\" needs \"ms\"" },
        { "{\"do\":\"status\"}", "fault: \"status\" needs a \"code\" from 200 to 599" },
        { "{\"do\":\"status\",\"code\":600}",
          "fault: \"status\" needs a \"code\" from 200 to 599" },
        { "{\"do\":\"status\",\"code\":500,\"reason\":\"Bad\"}",
          "fault: \"reason\" is none that a server gives" },
        { "{\"do\":\"slow\"}", "fault: \"slow\" needs \"bytes_per_second\"" },
        { "{\"do\":\"oversize\"}", "fault: \"oversize\" needs \"size\"" },
        { "{\"do\":\"oversize\",\"size\":999999999999}", "fault: a number is too large" },
        { "{\"do\":\"back-in-time\"}", "fault: \"back-in-time\" needs \"by\"" },
        { "{\"do\":\"status\",\"code\":500,\"lies\":true}", "fault: \"status\" has no \"lies\"" },
        { "{\"do\":\"token\"}", "fault: \"token\" needs \"token\"" },
        { "{\"do\":\"error\"}", "fault: \"error\" needs a \"code\" from 400 to 599" },
        { "{\"do\":\"error\",\"code\":399}", "fault: \"error\" needs a \"code\" from 400 to 599" },
        { "{\"do\":\"error\",\"code\":500,\"verb\":\"list\"}",
          "fault: \"error\" strikes watches only, and \"verb\" is another" },
        { "{\"do\":\"old-bookmark\"}", "fault: \"old-bookmark\" needs \"by\"" },
        { "{\"do\":\"status\",\"code\":500,\"text\":\"yes\"}",
          "fault: \"text\" is neither true nor false" },
        { "{\"do\":\"status\",\"code\":199}",
          "fault: \"status\" needs a \"code\" from 200 to 599" },
        { "{\"do\":\"delay\",\"ms\":4294967296}", "fault: a number is too large" },
        { "{\"do\":\"oversize\",\"size\":268435457}", "fault: a number is too large" },
        { "{\"do\":\"status\",\"code\":500,\"retry_after\":4294967296}",
          "fault: a number is too large" },
        { "{\"do\":\"slow\",\"bytes_per_second\":4294967296}", "fault: a number is too large" },
        { "{\"do\":\"drop\",\"verb\":\"watching\"}", "fault: \"verb\" is none that requests have" },
        { "{\"do\":\"drop\",\"verb\":\"\"}", "fault: \"verb\" is none that requests have" },
        { "{\"do\":\"expire\",\"verb\":\"list\"}",
          "fault: \"expire\" strikes watches only, and \"verb\" is another" },
        { "{\"do\":\"cut\",\"verb\":\"list\",\"after_events\":0}",
          "fault: \"cut\" with \"after_events\" strikes watches only, and \"verb\" is another" },
        { "{\"do\":\"cut\",\"verb\":\"list\",\"now\":true}",
          "fault: \"now\" strikes open watches, and \"verb\" is another" },
    };
    kin__faults faults = { 0 };
    kin__fault *fault = NULL;
    kin_error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_ERR(kin__faults_add(&faults, kin_str_of(cases[i].json), &fault, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, cases[i].message);
    }
    ASSERT_TRUE(kin__list_first(&faults.list) == NULL);
}

TEST(fault, is_listed_with_how_often_it_was_met)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"hang-up\",\"times\":0}");
    add(&faults, "{\"do\":\"drop\"}");
    add(&faults, "{\"do\":\"cut-all\"}");
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
    kin__faults_write(&faults, &w);
    ASSERT_SLICE_EQ(((kin_str){ out.data, out.len }),
                    "[{\"id\":1,\"do\":\"hang-up\",\"times\":0,\"met\":1,\"over\":false},"
                    "{\"id\":3,\"do\":\"cut-all\",\"times\":1,\"met\":0,\"over\":false},"
                    "{\"id\":2,\"do\":\"drop\",\"times\":1,\"met\":1,\"over\":true}]");
    ASSERT_TRUE(kin__faults_find(&faults, 4) == NULL);
    for (uint64_t id = 1; id <= 2; id++) { /* one that stands, one that is over */
        kin__faults_end(&faults, kin__faults_find(&faults, id));
        ASSERT_TRUE(kin__faults_find(&faults, id) == NULL);
    }
    ASSERT_EQ(faults.over_count, 0);
    kin__faults_fini(&faults);
}

TEST_FAILING_ALLOC(fault, survives_without_memory)
{
    kin__faults faults = { 0 };
    kin__fault *fault = NULL;
    kin_error err;
    kin_err code = kin__faults_add(
        &faults, STR("{\"do\":\"status\",\"code\":500,\"message\":\"m\"}"), &fault, &err);

    kin__faults_fini(&faults);
    return code;
}

TEST(fault, of_now_looks_at_the_path_of_an_open_watch_too)
{
    kin__faults faults = { 0 };
    kin__served pods = { .resource = STR("pods") };
    kin__watch_about about = { &pods, STR(""), STR(""), STR("/api/v1/pods") };
    kin__spoil spoil = { 0 };
    kin__fault *fault = add(&faults, "{\"do\":\"cut\",\"path\":\"/apis/\",\"now\":true}");

    ASSERT_FALSE(kin__fault_spoil_open(fault, &about, &spoil));
    about.path = STR("/apis/apps/v1/deployments");
    ASSERT_TRUE(kin__fault_spoil_open(fault, &about, &spoil));
    kin__faults_fini(&faults);
}

TEST(fault, counts_open_watches_apart_from_the_requests_to_come)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__served pods = { .resource = STR("pods") };
    kin__watch_about about = { &pods, STR(""), STR(""), STR("/api/v1/pods") };
    kin__spoil spoil = { 0 };
    kin__fault_sum sum;
    kin__fault *fault = add(&faults, "{\"do\":\"cut\",\"now\":true,\"times\":2}");

    for (int i = 0; i < 3; i++) {
        ASSERT_TRUE(kin__fault_spoil_open(fault, &about, &spoil));
    }
    for (int i = 0; i < 3; i++) {
        kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
        ASSERT_EQ(sum.spoil.act, i < 2 ? KIN__SPOIL_CUT : KIN__SPOIL_NOTHING);
    }
    ASSERT_EQ(fault->met, 5);
    kin__faults_fini(&faults);
}

TEST(fault, strikes_an_open_watch_at_once_when_it_counts_bytes)
{
    kin__faults faults = { 0 };
    kin__served pods = { .resource = STR("pods") };
    kin__watch_about about = { &pods, STR(""), STR(""), STR("/api/v1/pods") };
    kin__spoil spoil = { 0 };

    ASSERT_TRUE(kin__fault_spoil_open(
        add(&faults, "{\"do\":\"cut\",\"now\":true,\"after_bytes\":9}"), &about, &spoil));
    ASSERT_TRUE(spoil.by_events);
    ASSERT_EQ(spoil.after, 0);
    kin__faults_fini(&faults);
}

TEST(fault, of_requests_alone_has_no_now)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        { "{\"do\":\"drop\",\"now\":true}",
          "fault: \"drop\" strikes requests to come, not open watches: it has no \"now\"" },
        { "{\"do\":\"delay\",\"ms\":1,\"now\":true}",
          "fault: \"delay\" strikes requests to come, not open watches: it has no \"now\"" },
        { "{\"do\":\"status\",\"code\":500,\"now\":true,\"times\":2}",
          "fault: \"status\" strikes requests to come, not open watches: it has no \"now\"" },
        { "{\"do\":\"slow\",\"bytes_per_second\":1,\"now\":true}",
          "fault: \"slow\" strikes requests to come, not open watches: it has no \"now\"" },
        { "{\"do\":\"back-in-time\",\"by\":1,\"now\":true}",
          "fault: \"back-in-time\" strikes requests to come, not open watches: it has no \"now\"" },
    };
    kin__faults faults = { 0 };
    kin__fault *fault = NULL;
    kin_error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_ERR(kin__faults_add(&faults, kin_str_of(cases[i].json), &fault, &err),
                   KIN_ERR_MALFORMED);
        ASSERT_MESSAGE(&err, cases[i].message);
    }
    add(&faults, "{\"do\":\"drop\",\"now\":false}");
    add(&faults, "{\"do\":\"go-away\",\"now\":true}");
    kin__faults_fini(&faults);
}

/* As list-watch semantics have it: without a version a read is consistent on every replica. */
TEST(fault, back_in_time_strikes_what_a_replica_that_is_behind_could_answer)
{
    static const struct {
        kin__deed deed;
        const char *query;
        bool is_struck;
    } cases[] = {
        { KIN__DEED_LIST, "resourceVersion=0", true },
        { KIN__DEED_LIST, "limit=5&resourceVersion=0", true },
        { KIN__DEED_LIST, "resourceVersion=7", true },
        { KIN__DEED_LIST, "resourceVersion=7&resourceVersionMatch=NotOlderThan", true },
        { KIN__DEED_LIST, "", false },
        { KIN__DEED_LIST, "limit=5", false },
        { KIN__DEED_LIST, "resourceVersion=", false },
        { KIN__DEED_LIST, "limit=5&continue=abc", false },
        { KIN__DEED_LIST, "resourceVersion=0&continue=abc", false },
        { KIN__DEED_LIST, "resourceVersion=0&continue=", true },
        { KIN__DEED_GET, "resourceVersion=0", true },
        { KIN__DEED_GET, "", false },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=0", true },
        { KIN__DEED_WATCH, "watch=1", false },
        { KIN__DEED_WATCH, "watch=1&sendInitialEvents=true", false },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=7", false },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=7&sendInitialEvents=true", true },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=7&sendInitialEvents=false", false },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=7&sendInitialEvents=0", false },
        { KIN__DEED_WATCH, "watch=1&resourceVersion=0&sendInitialEvents=false", true },
        { KIN__DEED_CREATE, "resourceVersion=0", false },
        { KIN__DEED_UPDATE, "resourceVersion=0", false },
    };
    kin__served pods = { .resource = STR("pods") };
    kin__served events = { .resource = STR("events"), .traits = KIN__IS_UNCACHED };
    kin__faults faults = { 0 };
    kin__fault_sum sum;

    kin__fault *fault = add(&faults, "{\"do\":\"back-in-time\",\"by\":3,\"times\":0}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kin__route route = { .deed = cases[i].deed, .served = &pods };
        uint64_t before = fault->met;
        kin__faults_meet(&faults, &route, kin_str_of(cases[i].query), &sum);
        if ((sum.back_by == 3) != cases[i].is_struck ||
            (fault->met > before) != cases[i].is_struck) {
            FAIL("%d %s", (int) cases[i].deed, cases[i].query);
        }
        route.served = &events;
        kin__faults_meet(&faults, &route, kin_str_of(cases[i].query), &sum);
        ASSERT_EQ(sum.back_by, 0);
    }
    kin__faults_fini(&faults);
}

TEST(fault, that_is_used_up_is_not_looked_at_any_more)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    kin__fault *first = add(&faults, "{\"do\":\"delay\",\"ms\":1,\"times\":2}");
    kin__fault *second = add(&faults, "{\"do\":\"delay\",\"ms\":10}");
    kin__fault *third = add(&faults, "{\"do\":\"delay\",\"ms\":100}");
    kin__faults_meet(&faults, &route, STR(""), &sum);
    ASSERT_EQ(sum.delay_ms, 111);
    ASSERT_FALSE(first->is_over);
    ASSERT_TRUE(second->is_over);
    ASSERT_TRUE(third->is_over);
    ASSERT_TRUE(kin__list_first(&faults.list) == &first->link);
    ASSERT_TRUE(kin__list_next(&faults.list, &first->link) == NULL);
    kin__faults_meet(&faults, &route, STR(""), &sum);
    ASSERT_EQ(sum.delay_ms, 1);
    ASSERT_TRUE(kin__list_first(&faults.list) == NULL);
    ASSERT_EQ(faults.over_count, 3);
    kin__faults_retire(&faults, first);
    ASSERT_EQ(faults.over_count, 3);
    kin__faults_fini(&faults);
    ASSERT_EQ(faults.over_count, 0);
}

TEST(fault, that_was_over_long_ago_is_forgotten)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault_sum sum;

    for (int i = 0; i < 3 * KIN__FAULTS_KEPT; i++) {
        add(&faults, "{\"do\":\"drop\"}");
        kin__faults_meet(&faults, &route, STR(""), &sum);
        ASSERT_TRUE(sum.is_dropped);
    }
    ASSERT_EQ(faults.over_count, KIN__FAULTS_KEPT + 1);
    ASSERT_TRUE(kin__faults_find(&faults, 2 * KIN__FAULTS_KEPT - 1) == NULL);
    ASSERT_TRUE(kin__faults_find(&faults, 2 * KIN__FAULTS_KEPT) != NULL);
    ASSERT_EQ(kin__faults_find(&faults, 3 * KIN__FAULTS_KEPT)->met, 1);
    kin__faults_fini(&faults);
}

TEST(fault, of_connections_and_those_of_at_once_are_met_by_no_request)
{
    static const char *const others[] = {
        "{\"do\":\"refuse\"}",
        "{\"do\":\"reset\"}",
        "{\"do\":\"ignore\"}",
        "{\"do\":\"freeze\"}",
        "{\"do\":\"go-away\"}",
        "{\"do\":\"cut-all\"}",
        "{\"do\":\"token\",\"token\":\"\"}",
    };
    kin__route route = watch_of("pods", "");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kin__faults faults = { 0 };
        kin__fault_sum sum;
        const kin__fault *fault = add(&faults, others[i]);
        kin__faults_meet(&faults, &route, STR(""), &sum);
        ASSERT_EQ(fault->met, 0);
        ASSERT_FALSE(fault->is_over);
        kin__faults_fini(&faults);
    }
}

TEST(fault, of_watches_alone_goes_by_events_from_the_first)
{
    static const char *const ones[] = { "{\"do\":\"expire\"}", "{\"do\":\"end\"}",
                                        "{\"do\":\"error\",\"code\":500}", "{\"do\":\"duplicate\"}",
                                        "{\"do\":\"oversize\",\"size\":268435456}" };
    kin__route route = watch_of("pods", "");

    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        kin__faults faults = { 0 };
        kin__fault_sum sum;
        add(&faults, ones[i]);
        kin__faults_meet(&faults, &route, STR(""), &sum);
        ASSERT_TRUE(sum.spoil.act != KIN__SPOIL_NOTHING);
        ASSERT_TRUE(sum.spoil.by_events);
        ASSERT_EQ(sum.spoil.after, 0);
        kin__faults_fini(&faults);
    }
}

TEST(fault, of_an_error_has_a_message_up_to_its_limit)
{
    kin__faults faults = { 0 };
    kin__route route = watch_of("pods", "");
    kin__fault *fault = NULL;
    kin__fault_sum sum;
    kin_error err;
    text json = { 0 };

    text_append(&json, "{\"do\":\"error\",\"code\":500,\"message\":\"%0*d\"}",
                KIN__SPOIL_MESSAGE_MAX, 7);
    add(&faults, json.chars);
    kin__faults_meet(&faults, &route, STR(""), &sum);
    ASSERT_EQ(strlen(sum.spoil.error.message), KIN__SPOIL_MESSAGE_MAX);
    ASSERT_EQ(sum.spoil.error.message[KIN__SPOIL_MESSAGE_MAX - 1], '7');
    text_clear(&json);
    text_append(&json, "{\"do\":\"error\",\"code\":500,\"message\":\"%0*d\"}",
                KIN__SPOIL_MESSAGE_MAX + 1, 7);
    ASSERT_ERR(kin__faults_add(&faults, kin_str_of(json.chars), &fault, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "fault: \"message\" has over 200 bytes");
    kin__faults_fini(&faults);
}

/* However many there are and however long. */
TEST(fault, keeps_its_texts_where_they_are)
{
    enum { LEN = 300 };
    char letters[LEN + 1];
    text json = { 0 };
    kin__faults faults = { 0 };
    kin__fault_sum sum;

    memset(letters, 'x', LEN);
    letters[LEN] = '\0';
    text_append(&json,
                "{\"do\":\"status\",\"code\":500,\"verb\":\"watch\",\"resource\":\"%s\","
                "\"namespace\":\"%s\",\"message\":\"%s\",\"path\":\"/api/v1\"}",
                letters, letters, letters);
    kin__route route = watch_of(letters, letters);
    const kin__fault *fault = add(&faults, json.chars);
    kin__faults_meet(&faults, &route, STR(""), &sum);
    ASSERT_TRUE(sum.status == fault);
    ASSERT_STR_EQ(fault->message, letters);
    ASSERT_STR_EQ(fault->verb, "watch");
    kin__faults_fini(&faults);
}

/* Or the list before a watch would use it up. */
TEST(fault, strikes_only_requests_whose_answers_have_what_it_strikes)
{
    static const struct {
        const char *json;
        kin__deed deed;
        const char *query;
        bool is_struck;
    } cases[] = {
        { "{\"do\":\"expire\"}", KIN__DEED_LIST, "", false },
        { "{\"do\":\"expire\"}", KIN__DEED_WATCH, "", true },
        { "{\"do\":\"end\"}", KIN__DEED_GET, "", false },
        { "{\"do\":\"end\"}", KIN__DEED_WATCH, "", true },
        { "{\"do\":\"duplicate\"}", KIN__DEED_LIST, "", false },
        { "{\"do\":\"duplicate\"}", KIN__DEED_WATCH, "", true },
        { "{\"do\":\"cut\",\"after_events\":1}", KIN__DEED_LIST, "", false },
        { "{\"do\":\"cut\",\"after_events\":1}", KIN__DEED_WATCH, "", true },
        { "{\"do\":\"cut\",\"after_bytes\":1}", KIN__DEED_LIST, "", true },
        { "{\"do\":\"no-bookmarks\"}", KIN__DEED_LIST, "allowWatchBookmarks=1", false },
        { "{\"do\":\"no-bookmarks\"}", KIN__DEED_WATCH, "", false },
        { "{\"do\":\"no-bookmarks\"}", KIN__DEED_WATCH, "allowWatchBookmarks=0", false },
        { "{\"do\":\"no-bookmarks\"}", KIN__DEED_WATCH, "allowWatchBookmarks=true", true },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH, "allowWatchBookmarks=1", true },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH, "allowWatchBookmarks=1&resourceVersion=0",
          true },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH, "allowWatchBookmarks=1&resourceVersion=7",
          false },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH,
          "allowWatchBookmarks=1&sendInitialEvents=0", false },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH, "sendInitialEvents=1", false },
        { "{\"do\":\"no-initial-end\"}", KIN__DEED_WATCH,
          "allowWatchBookmarks=1&sendInitialEvents=1&resourceVersion=7", true },
        { "{\"do\":\"oversize\",\"size\":1}", KIN__DEED_PATH, "", false },
        { "{\"do\":\"oversize\",\"size\":1}", KIN__DEED_GET, "", true },
        { "{\"do\":\"oversize\",\"size\":1,\"after_events\":1}", KIN__DEED_GET, "", false },
        { "{\"do\":\"oversize\",\"size\":1,\"after_events\":1}", KIN__DEED_LIST, "", true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kin__route route = { .deed = cases[i].deed,
                             .is_resource = cases[i].deed != KIN__DEED_PATH };
        kin__faults faults = { 0 };
        kin__fault_sum sum;
        const kin__fault *fault = add(&faults, cases[i].json);
        kin__faults_meet(&faults, &route, kin_str_of(cases[i].query), &sum);
        if ((fault->met == 1) != cases[i].is_struck || fault->is_over != cases[i].is_struck) {
            FAIL("%s %d %s", cases[i].json, (int) cases[i].deed, cases[i].query);
        }
        kin__faults_fini(&faults);
    }
}

static const char *name_of(const kin__fault_sum *sum)
{
    return sum->is_dropped                      ? "drop"
           : sum->status != NULL                ? sum->status->message
           : sum->spoil.act == KIN__SPOIL_CUT   ? "cut"
           : sum->spoil.act == KIN__SPOIL_STALL ? "stall"
           : sum->back_by > 0                   ? "back"
                                                : "-";
}

/* Counted are those alone that show. */
TEST(fault, waits_for_the_next_request_where_another_strikes_this_one)
{
    static const struct {
        const char *first, *second, *seen;
    } cases[] = {
        { "{\"do\":\"status\",\"code\":500,\"message\":\"a\",\"times\":2}",
          "{\"do\":\"status\",\"code\":503,\"message\":\"b\",\"times\":2}", "a a b b - " },
        { "{\"do\":\"status\",\"code\":500,\"message\":\"a\"}",
          "{\"do\":\"status\",\"code\":503,\"message\":\"b\",\"skip\":3}", "a - - b - " },
        { "{\"do\":\"drop\",\"times\":2}", "{\"do\":\"status\",\"code\":500,\"message\":\"b\"}",
          "drop drop b - - " },
        { "{\"do\":\"drop\"}", "{\"do\":\"drop\"}", "drop drop - - - " },
        { "{\"do\":\"cut\",\"times\":0}", "{\"do\":\"drop\",\"times\":2}",
          "drop drop cut cut cut " },
        { "{\"do\":\"cut\"}", "{\"do\":\"drop\"}", "cut drop - - - " },
        { "{\"do\":\"cut\"}", "{\"do\":\"stall\",\"times\":2}", "cut stall stall - - " },
        { "{\"do\":\"stall\",\"after_events\":1}",
          "{\"do\":\"status\",\"code\":500,\"message\":\"b\"}", "stall b - - - " },
        { "{\"do\":\"status\",\"code\":500,\"message\":\"a\"}",
          "{\"do\":\"stall\",\"after_events\":1}", "a stall - - - " },
        { "{\"do\":\"back-in-time\",\"by\":1}", "{\"do\":\"back-in-time\",\"by\":2}",
          "back back - - - " },
        { "{\"do\":\"back-in-time\",\"by\":1}",
          "{\"do\":\"status\",\"code\":500,\"message\":\"b\"}", "back b - - - " },
    };
    kin__route route = watch_of("pods", "");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kin__faults faults = { 0 };
        kin__fault_sum sum;
        text seen = { 0 };
        add(&faults, cases[i].first);
        add(&faults, cases[i].second);
        for (int n = 0; n < 5; n++) {
            kin__faults_meet(&faults, &route, STR("resourceVersion=0"), &sum);
            text_append(&seen, "%s ", name_of(&sum));
        }
        ASSERT_STR_EQ(seen.chars, cases[i].seen);
        kin__faults_fini(&faults);
    }
}

/* A refusal may be cut, and may drip. */
TEST(fault, of_bytes_strikes_a_refusal_too)
{
    kin__route route = watch_of("pods", "");
    kin__faults faults = { 0 };
    kin__fault_sum sum;

    add(&faults, "{\"do\":\"status\",\"code\":500}");
    add(&faults, "{\"do\":\"cut\",\"after_bytes\":9}");
    add(&faults, "{\"do\":\"slow\",\"bytes_per_second\":5}");
    kin__faults_meet(&faults, &route, STR(""), &sum);
    ASSERT_TRUE(sum.status != NULL);
    ASSERT_EQ(sum.spoil.act, KIN__SPOIL_CUT);
    ASSERT_EQ(sum.spoil.bytes_per_s, 5);
    kin__faults_fini(&faults);
}
