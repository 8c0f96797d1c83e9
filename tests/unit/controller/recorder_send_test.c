/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_send_test.c - what a recorder does when servers do not do as they should.
 */
#include "unit/controller/recording.h"

TEST(recorder, makes_an_event_again_that_has_expired)
{
    char name[KIN__SERIES_NAME_MAX + 1];
    kin_object *events[8];
    scene s;
    begin(&s);

    tell(&s, "Made", 1);
    flush(&s);
    ASSERT_EQ(list(&s, "shop", events), 1);
    (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(events[0])));
    drop_all(events);
    must(kin_client_delete(s.client, "events.v1.events.k8s.io", "shop", name, &err));
    tell(&s, "Made", 2);
    tell(&s, "Made", 3);
    flush(&s);

    ASSERT_EQ(count_of_one(&s), 3);
    ASSERT_EQ(status_of(&s).created, 2);
    ASSERT_EQ(status_of(&s).dropped, 0);
    finish(&s);
}

TEST(recorder, tries_again_when_there_is_no_server)
{
    scene s;
    begin(&s);

    uint64_t id = fault(&s, "{\"do\":\"refuse\"}");
    tell(&s, "Made", 1);
    while (status_of(&s).error.code == KIN_OK) {
        turn(&s);
    }
    ASSERT_EQ(status_of(&s).error.code, KIN_ERR_CONNECT);
    ASSERT_EQ(status_of(&s).waiting, 1);
    tell(&s, "Other", 1);
    must(kin_server_end_fault(s.server, id, &err));
    pass(&s, 9999);
    ASSERT_EQ(status_of(&s).created, 0);
    pass(&s, 2502);
    ASSERT_TRUE(s.recorder->call_count + status_of(&s).created >
                0); /* it does not rest for longer */
    settle(&s);

    ASSERT_EQ(status_of(&s).created, 2);
    ASSERT_EQ(status_of(&s).dropped, 0);
    ASSERT_STR_EQ(s.log.chars, "");
    finish(&s);
}

TEST(recorder, gives_up_after_twelve_tries)
{
    kin_server_counts before;
    kin_server_counts after;
    scene s;
    begin(&s);

    (void) fault(&s, "{\"do\":\"status\",\"code\":500,\"times\":0,\"verb\":\"create\"}");
    kin_server_get_counts(s.server, &before);
    tell(&s, "Made", 1);
    settle(&s);
    kin_server_get_counts(s.server, &after);

    ASSERT_EQ(after.requests - before.requests, 12);
    ASSERT_EQ(status_of(&s).dropped, 1);
    ASSERT_EQ(status_of(&s).error.code, KIN_ERR_SERVER);
    ASSERT_CONTAINS(s.log.chars, "recorder: an event is dropped");
    finish(&s);
}

TEST(recorder, drops_what_the_server_refuses_and_says_so_once)
{
    scene s;
    begin(&s);

    must(kin_server_forbid(s.server, kin_str_of("[{\"verbs\":[\"create\"],\"resources\":[\"*\"]}]"),
                           &err));
    tell(&s, "Made", 1);
    tell(&s, "Other", 1);
    flush(&s);
    ASSERT_EQ(status_of(&s).dropped, 2);
    ASSERT_EQ(status_of(&s).error.code, KIN_ERR_FORBIDDEN);
    const char *first = strstr(s.log.chars, "is dropped");
    ASSERT_TRUE(first != NULL && strstr(first + 1, "is dropped") == NULL);

    must(kin_server_forbid(s.server, kin_str_of("[]"), &err));
    tell(&s, "Made", 1);
    flush(&s);
    ASSERT_EQ(count_of_one(&s), 0);

    must(kin_server_forbid(s.server, kin_str_of("[{\"verbs\":[\"create\"],\"resources\":[\"*\"]}]"),
                           &err));
    tell(&s, "Third", 1);
    flush(&s);
    first = strstr(s.log.chars, "is dropped");
    ASSERT_TRUE(strstr(first + 1, "is dropped") != NULL); /* one was written in between */
    finish(&s);
}

TEST(recorder, does_not_write_twice_what_was_cut_off)
{
    scene s;
    begin(&s);

    (void) fault(&s, "{\"do\":\"cut\",\"after_bytes\":1,\"resource\":\"events.events.k8s.io\","
                     "\"verb\":\"create\"}");
    tell(&s, "Made", 1);
    while (status_of(&s).error.code == KIN_OK) {
        turn(&s);
    }
    tell(&s, "Made", 2);
    pass(&s, 12501);
    settle(&s);

    ASSERT_EQ(count_of_one(&s), 2);
    ASSERT_EQ(status_of(&s).created, 1);
    ASSERT_EQ(status_of(&s).repeated, 1);
    finish(&s);
}
