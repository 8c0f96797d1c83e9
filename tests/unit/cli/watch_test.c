/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_test.c - kin watch, and a server.
 */
#include "unit/cli/script.h"

#define WATCH "GET /api/v1/namespaces/shop/pods?watch=true"
#define INITIAL_END(version)                                                                       \
    EVENT("BOOKMARK",                                                                              \
          "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"             \
          "\"" version "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define TWO EVENT("ADDED", POD("a", "1", "Pending")) EVENT("ADDED", POD("b", "2", "Running"))
#define LINE(event, pod, status, more)                                                             \
    event "   " pod "      0/1     " status "   0          <unknown>" more "\n"
#define TABLE                                                                                      \
    "EVENT      NAME   READY   STATUS    RESTARTS   AGE         CHANGES\n" LINE(                   \
        "ADDED   ", "a", "Pending", "") LINE("ADDED   ", "b", "Running", "")

/* What there is; then, on the next watch, this. */
static void add_story(const char *events)
{
    script_add((script_line){ .on = WATCH, .ends = true, .body = TWO INITIAL_END("5") });
    script_add((script_line){ .on = WATCH, .holds = true, .body = events });
}

TEST(watch, shows_what_there_is)
{
    script_open();
    add_story("");

    expect("watch pods --once", 0, TABLE, "");
    script_close();
}

TEST(watch, ends_with_status_0_on_ctrl_c)
{
    script_open();
    script_add((script_line){
        .on = WATCH, .holds = true, .body = TWO INITIAL_END("5"), .raises = SIGINT });

    ASSERT_EQ(run("watch pods"), 0);
    ASSERT_STR_EQ(err_chars, "");
    script_close();
}

TEST(watch, shows_what_changes_and_how)
{
    script_open();
    add_story(EVENT("MODIFIED", POD("a", "6", "Running"))
                  EVENT("DELETED", POD("b", "7", "Running")));

    expect_until("DELETED", "watch pods",
                 TABLE LINE("MODIFIED", "a", "Running", "   status.phase Pending -> Running")
                     LINE("DELETED ", "b", "Running", ""),
                 "");
    script_close();
}

TEST(watch, tells_of_a_path_only_when_it_changes)
{
    script_open();
    add_story(EVENT("MODIFIED", POD("a", "6", "Running")) EVENT(
        "MODIFIED", POD("b", "7", "Running")) EVENT("DELETED", POD("b", "8", "Running")));

    expect_until("DELETED", "watch pods -o status.phase",
                 "ADDED    a Pending\nADDED    b Running\nMODIFIED a Running\nDELETED  b Running\n",
                 "");
    script_close();
}

TEST(watch, prints_events_as_json_on_lines)
{
    script_open();
    add_story("");

    expect(
        "watch pods --once -o json", 0,
        "{\"type\":\"ADDED\",\"object\":" POD(
            "a", "1", "Pending") "}\n"
                                 "{\"type\":\"ADDED\",\"object\":" POD("b", "2", "Running") "}\n",
        "");
    script_close();
}

TEST(watch, shows_only_those_with_the_names)
{
    script_open();
    add_story(EVENT("ADDED", POD("c", "6", "Running")));
    script_add((script_line){ .on = WATCH, .holds = true, .body = INITIAL_END("5") });

    expect_until("pod/c", "watch pods b c -o name", "ADDED    pod/b\nADDED    pod/c\n", "");
    expect("watch pods/b --once -o name", 0, "", "");
    ASSERT_CONTAINS(script.requests.chars, "fieldSelector=metadata.name%3Db");
    script_close();
}

/* Cut after the beginning, and refused once: both are told, and nothing is shown twice. */
TEST(watch, goes_on_after_an_interruption_and_says_so)
{
    script_open();
    script_add((script_line){ .on = WATCH, .cuts = true, .body = TWO INITIAL_END("5") });
    script_add((script_line){
        .on = WATCH, .status = 500, .body = STATUS(500, "InternalError", "not now") });
    script_add((script_line){
        .on = WATCH, .holds = true, .body = EVENT("MODIFIED", POD("a", "6", "Running")) });

    until = "MODIFIED";
    ASSERT_EQ(run("watch pods -o status.phase"), 0);

    ASSERT_STR_EQ(out_chars, "ADDED    a Pending\nADDED    b Running\nMODIFIED a Running\n");
    ASSERT_CONTAINS(err_chars, "kin: interrupted, trying again: ");
    ASSERT_CONTAINS(err_chars, "kin: watching again\n");
    script_close();
}

TEST(watch, fails_when_the_server_refuses_from_the_beginning)
{
    script_open();
    for (int i = 0; i < 4; i++) { /* streaming lists are tried first, then plain ones */
        script_add((script_line){ .on = "GET /api/v1/namespaces/shop/pods?",
                                  .status = 403,
                                  .body = STATUS(403, "Forbidden", "pods is forbidden: no") });
    }

    expect("watch pods", 1, "", "kin: pods is forbidden: no\n");
    expect("watch nothings", 1, "", "kin: the server has no resource \"nothings\"\n");
    script_close();
}

TEST(watch, fails_when_its_time_is_over_before_it_knows_anything)
{
    script_open();
    script_add((script_line){ .on = WATCH, .holds = true, .body = "" });

    ASSERT_EQ(run("watch pods --timeout 200ms"), 1);
    ASSERT_CONTAINS(err_chars, "kin: ");
    script_close();
}

TEST(watch, refuses_what_does_not_go_together)
{
    script_open();
    expect("watch pods,nodes", 2, "",
           "kin: one resource can be watched at a time\nkin: see kin watch --help\n");
    expect("watch pods a -l b=c", 2, "",
           "kin: names and selectors do not go together\nkin: see kin watch --help\n");
    expect("watch pods a -A", 2, "",
           "kin: a name is in one namespace: -A does not go with it\nkin: see kin watch --help\n");
    script_close();
}
