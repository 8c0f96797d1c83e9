/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survival_test.c - what real servers do to those who follow them, and what is left of it: nothing.
 *
 * Each is as it was seen on a kube-apiserver of 1.36 with etcd 3.6.  In the end the store has what
 * the server has, the handler was told what leads there, and there were few requests.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "unit/informer/played.h"

static played p;

/* Lets time pass until the informer makes a call, which is to be this one. */
static void await_call(const char *words, int64_t within_ms)
{
    for (int64_t ms = 0; p.s.seen == p.s.call_count && ms < within_ms; ms += 100) {
        pass(&p.s, 100);
    }
    expect_call(&p.s, words);
}

/* Whatever the informer asks: refused with 403 for so long, and then answered, until it watches. */
static void serve_watch(int64_t denies_for_ms, int64_t within_ms)
{
    for (int64_t ms = 0; ms < within_ms; ms += 100) {
        while (take_call(&p.s)) {
            if (ms < denies_for_ms) {
                end_badly(&p.s, KIN_ERR_FORBIDDEN, 403, "pods is forbidden");
            } else if (p.s.at->verb == KIN_VERB_LIST) {
                answer_list(&p);
            } else {
                open_watch(&p);
                tell_changes(&p);
                return;
            }
        }
        pass(&p.s, 100);
    }
    FAIL("no watch within %d ms", (int) within_ms);
}

static void end_later(kin_err code, int http_status, uint32_t retry_after_ms, const char *message)
{
    kin_error err;

    kin__error_set(&err, code, "%s", message);
    err.http_status = http_status;
    err.retry_after_ms = retry_after_ms;
    end_with(&p.s, &err);
}

static void end_too_large(void)
{
    end_later(KIN_ERR_SERVER, 504, 1000, "Timeout: Too large resource version: 9, current: 7");
}

/* A list and a watch, of a and b at the versions 2 and 3. */
static void follow_server(const kin_informer_options *options)
{
    play_open(&p, options);
    write_object(&p, "a");
    write_object(&p, "b");
    expect_call(&p.s, "list pods rv=0");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=3");
    open_watch(&p);
}

/* No list after the first may be of any version: the server's memory may be older than ours. */
static void expect_no_list_of_any_version(void)
{
    ASSERT_TRUE(p.s.call_count <= CALLS_MAX);
    for (int i = 1; i < p.s.call_count; i++) {
        ASSERT_TRUE(strcmp(p.s.calls[i].words, "list pods rv=0") != 0);
    }
}

/* ---- a server that starts ------------------------------------------------------------------- */

TEST(survival, of_403_while_the_server_starts)
{
    play_open(&p, NULL);
    write_object(&p, "a");
    expect_call(&p.s, "list pods rv=0");

    end_badly(&p.s, KIN_ERR_FORBIDDEN, 403, "pods is forbidden");
    expect_state(&p.s, KIN_INFORMER_FORBIDDEN);
    await_call("list pods rv=0", 2000);
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    open_watch(&p);

    expect_followed(&p, 3);
    play_close(&p);
}

TEST(survival, of_a_restart_that_forbids_everything_at_first)
{
    follow_server(NULL);
    pass(&p.s, 5000);
    end_badly(&p.s, KIN_ERR_CLOSED, 0, "closed");
    expect_call(&p.s, "watch pods rv=3");
    end_badly(&p.s, KIN_ERR_CONNECT, 0, "refused");
    expect_state(&p.s, KIN_INFORMER_UNREACHABLE);
    write_object(&p, "a");

    await_call("list pods rv=3", 3000); /* one object: is it that far? */
    end_badly(&p.s, KIN_ERR_FORBIDDEN, 403, "pods is forbidden");
    serve_watch(500, 5000);

    expect_followed(&p, 7);
    ASSERT_EQ(status_of(&p.s).restarts, 0);
    play_close(&p);
}

TEST(survival, of_a_restart_whose_watches_live_on_for_a_minute)
{
    follow_server(NULL);
    for (int second = 0; second < 60; second++) {
        pass(&p.s, 1000);
        write_object(&p, second % 2 == 0 ? "a" : "c");
        tell_changes(&p);
    }
    write_object(&p, "d");

    end_well(&p.s);
    expect_call(&p.s, "watch pods rv=63");
    open_watch(&p);
    tell_changes(&p);

    expect_followed(&p, 3);
    ASSERT_EQ(status_of(&p.s).failures, 0);
    play_close(&p);
}

/* ---- a custom resource that was just made --------------------------------------------------- */

TEST(survival, of_a_resource_that_is_being_set_up)
{
    play_open(&p, NULL);
    write_object(&p, "a");
    expect_call(&p.s, "list pods rv=0");
    end_later(KIN_ERR_THROTTLED, 429, 1000, "storage is (re)initializing");
    pass(&p.s, 999);
    expect_no_call(&p.s);
    await_call("list pods rv=0", 400);
    end_badly(&p.s, KIN_ERR_SERVER, 503, "not ready");
    await_call("list pods rv=0", 3000);

    pass(&p.s, 2000); /* the server thinks */
    expect_no_call(&p.s);
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    open_watch(&p);

    expect_followed(&p, 4);
    play_close(&p);
}

TEST(survival, of_a_resource_that_is_unknown_for_a_moment)
{
    kin_error unknown;

    kin__error_set(&unknown, KIN_ERR_NOT_FOUND, "the server has no resource \"pods\"");
    play_open(&p, NULL);
    expect_call(&p.s, "list pods rv=0");
    p.s.has_no_resources = true;
    end_badly(&p.s, KIN_ERR_NOT_FOUND, 404, "404 page not found");
    expect_state(&p.s, KIN_INFORMER_NOT_FOUND);
    write_object(&p, "a");

    pass(&p.s, 2000);
    answer_resource(&p.s, &unknown);
    pass(&p.s, 4000);
    answer_resource(&p.s, NULL);
    expect_call(&p.s, "list pods rv=0");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    open_watch(&p);

    expect_followed(&p, 3);
    play_close(&p);
}

/* ---- etcd is away --------------------------------------------------------------------------- */

TEST(survival, of_a_watch_that_is_silent_for_minutes)
{
    follow_server(NULL);
    pass(&p.s, 60000);
    tell_bookmark(&p);

    pass(&p.s, 137000); /* no event, no bookmark, no end */
    expect_no_call(&p.s);
    ASSERT_EQ(status_of(&p.s).silent_ms, 137000);
    write_object(&p, "c");
    remove_object(&p, "a");
    tell_changes(&p);

    expect_followed(&p, 2);
    play_close(&p);
}

/* The client ends what is silent for longer than bookmarks take; new watches open, and are silent
 * as well. */
TEST(survival, of_watches_that_are_silent_one_after_the_other)
{
    follow_server(NULL);
    pass(&p.s, 60000);
    tell_bookmark(&p);
    for (int minute = 0; minute < 10; minute += 5) {
        pass(&p.s, 150000);
        end_badly(&p.s, KIN_ERR_TIMEOUT, 0, "nothing came for 150000 ms");
        if (minute > 0) {
            expect_call(&p.s, "list pods rv=3"); /* the cache answers */
            answer_probe(&p);
        }
        expect_call(&p.s, "watch pods rv=3");
        open_watch(&p);
    }
    write_object(&p, "c");
    write_object(&p, "a");
    tell_changes(&p);

    expect_followed(&p, 5);
    expect_no_list_of_any_version();
    play_close(&p);
}

/* Lists of any version are answered from a memory that is behind, those of the newest not at all.
 */
TEST(survival, of_lists_that_are_older_than_what_it_has)
{
    follow_server(NULL);
    write_object(&p, "a");
    write_object(&p, "c");
    tell_changes(&p);
    pass(&p.s, 5000);
    end_badly(&p.s, KIN_ERR_EXPIRED, 410, "too old");
    expect_call(&p.s, "list pods rv=5"); /* another server, whose memory is at 3 */
    pass(&p.s, 3000);
    end_too_large();
    expect_call(&p.s, "list pods rv=");
    for (int i = 0; i < 3; i++) {
        pass(&p.s, 60000);
        end_badly(&p.s, KIN_ERR_TIMEOUT, 0, "nothing came for 60000 ms");
        expect_store(&p.s, "a@4 b@3 c@5");
        await_call("list pods rv=", 3000);
    }

    remove_object(&p, "b");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=6");
    open_watch(&p);

    expect_followed(&p, 8);
    expect_no_list_of_any_version();
    play_close(&p);
}

/* A list that was to be no older than what is there, and is. */
TEST(survival, of_a_list_from_the_past)
{
    follow_server(NULL);
    write_object(&p, "a");
    write_object(&p, "c");
    remove_object(&p, "b");
    tell_changes(&p);
    pass(&p.s, 5000);
    end_badly(&p.s, KIN_ERR_EXPIRED, 410, "too old");

    expect_call(&p.s, "list pods rv=6");
    answer_list_as_of(&p, 4);
    expect_store(&p.s, "a@4 c@5");
    expect_call(&p.s, "list pods rv=");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=6");
    open_watch(&p);

    expect_followed(&p, 5);
    play_close(&p);
}

TEST(survival, of_a_stop_and_a_start_before_a_memory_that_is_behind)
{
    follow_server(NULL);
    write_object(&p, "a");
    tell_changes(&p);
    ASSERT_OK(kin_informer_stop(p.s.informer, 0, &p.s.err));
    ASSERT_OK(kin_informer_start(p.s.informer, &p.s.err));

    expect_call(&p.s, "list pods rv=4");
    end_too_large();
    expect_call(&p.s, "list pods rv=");
    expect_store(&p.s, "a@4 b@3");
    write_object(&p, "b");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=5");
    open_watch(&p);

    expect_followed(&p, 5);
    expect_no_list_of_any_version();
    play_close(&p);
}

TEST(survival, of_a_streaming_list_that_never_begins)
{
    kin_informer_options options = played_options(&p);
    options.start = KIN_START_WATCH_LIST;
    play_open(&p, &options);
    write_object(&p, "a");
    expect_call(&p.s, "stream pods rv=");

    pass(&p.s, 29999);
    expect_no_call(&p.s);
    pass(&p.s, 1);
    expect_call(&p.s, "list pods rv=0"); /* which the cache answers */
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    open_watch(&p);
    write_object(&p, "b");
    tell_changes(&p);

    expect_followed(&p, 3);
    play_close(&p);
}

/* What such a stream says in the end, when its time is over. */
TEST(survival, of_a_streaming_list_that_begins_with_an_error)
{
    kin_informer_options options = played_options(&p);
    options.start = KIN_START_WATCH_LIST;
    play_open(&p, &options);
    write_object(&p, "a");
    expect_call(&p.s, "stream pods rv=");

    send_open(&p.s);
    send_error(&p.s, KIN_ERR_SERVER, 500, "context deadline exceeded");
    expect_call(&p.s, "list pods rv=0");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    open_watch(&p);

    expect_followed(&p, 3);
    play_close(&p);
}

TEST(survival, of_a_streaming_list_that_is_cut_in_the_middle)
{
    kin_informer_options options = played_options(&p);
    options.start = KIN_START_WATCH_LIST;
    play_open(&p, &options);
    write_object(&p, "a");
    write_object(&p, "b");
    expect_call(&p.s, "stream pods rv=");
    send_open(&p.s);
    send_added(&p.s, "a@2");
    end_badly(&p.s, KIN_ERR_CLOSED, 0, "closed");
    expect_store(&p.s, "");
    remove_object(&p, "a");

    await_call("stream pods rv=", 3000);
    open_stream(&p);
    write_object(&p, "c");
    tell_changes(&p);

    expect_followed(&p, 2);
    play_close(&p);
}

/* ---- watches that end ----------------------------------------------------------------------- */

static void write_much(int count)
{
    for (int i = 0; i < count; i++) {
        char name[2] = { (char) ('a' + i % 26), '\0' };

        write_object(&p, name);
    }
}

/* The server drops who reads slowly: 26 of 600 events, and a clean end. */
TEST(survival, of_a_stream_that_ends_with_most_events_missing)
{
    follow_server(NULL);
    write_much(600);
    pass(&p.s, 5000);

    tell_some_changes(&p, 26);
    end_well(&p.s);
    expect_call(&p.s, "watch pods rv=29");
    open_watch(&p);
    tell_changes(&p);

    expect_followed(&p, 3);
    ASSERT_EQ(p.copies[0].told, 2 + 600);
    ASSERT_EQ(status_of(&p.s).restarts, 0);
    play_close(&p);
}

TEST(survival, of_streams_that_end_so_again_and_again)
{
    follow_server(NULL);
    write_much(600);

    int watches = 1;
    while (p.cursor < p.version) {
        tell_some_changes(&p, 26);
        end_well(&p.s);
        char words[32];
        (void) snprintf(words, sizeof words, "watch pods rv=%d", p.cursor);
        await_call(words, 3000);
        open_watch(&p);
        watches++;
    }

    expect_followed(&p, 1 + watches);
    ASSERT_EQ(watches, 1 + (600 + 25) / 26);
    ASSERT_EQ(p.copies[0].told, 2 + 600);
    play_close(&p);
}

/* An event after a 200, for a version that is only 200 events old. */
TEST(survival, of_a_version_that_expires_inside_a_watch)
{
    follow_server(NULL);
    pass(&p.s, 30000);
    end_badly(&p.s, KIN_ERR_CLOSED, 0, "closed");
    write_much(200);
    remove_object(&p, "b");
    remove_object(&p, "c");
    write_object(&p, "c");

    expect_call(&p.s, "watch pods rv=3");
    open_watch(&p);
    send_error(&p.s, KIN_ERR_EXPIRED, 410, "too old resource version: 3 (5)");
    expect_call(&p.s, "list pods rv=3");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=206");
    open_watch(&p);

    expect_followed(&p, 5);
    ASSERT_EQ(status_of(&p.s).restarts, 1);
    play_close(&p);
}

/* Each list is too old by the time that it is watched. */
TEST(survival, of_versions_that_expire_for_an_hour)
{
    follow_server(NULL);
    pass(&p.s, 30000);
    send_error(&p.s, KIN_ERR_EXPIRED, 410, "too old");
    for (int second = 0; second < 3600; second++) {
        while (take_call(&p.s)) {
            if (p.s.at->verb == KIN_VERB_LIST) {
                write_object(&p, "a");
                answer_list(&p);
            } else {
                open_watch(&p);
                send_error(&p.s, KIN_ERR_EXPIRED, 410, "too old");
            }
        }
        pass(&p.s, 1000);
    }

    for (int second = 0; second < 60; second++) {
        while (take_call(&p.s)) {
            if (p.s.at->verb == KIN_VERB_LIST) {
                answer_list(&p);
            } else {
                open_watch(&p);
            }
        }
        pass(&p.s, 1000);
    }

    expect_followed(&p, 300); /* a list and a watch, every 30 to 60 s */
    play_close(&p);
}

/* As after a backup: the watch is accepted and silent, without even bookmarks. */
TEST(survival, of_a_watch_from_the_future)
{
    follow_server(NULL);
    write_object(&p, "a");
    write_object(&p, "c");
    tell_changes(&p);
    pass(&p.s, 30000);
    restore(&p, 3);
    end_badly(&p.s, KIN_ERR_CLOSED, 0, "closed");
    expect_call(&p.s, "watch pods rv=5");
    open_watch(&p);
    pass(&p.s, 400000);
    expect_no_call(&p.s);

    end_well(&p.s);
    expect_call(&p.s, "list pods rv=5");
    pass(&p.s, 3000);
    end_too_large();
    expect_call(&p.s, "list pods rv=");
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=3");
    open_watch(&p);

    expect_followed(&p, 6);
    play_close(&p);
}

TEST(survival, of_bookmarks_that_repeat_a_version)
{
    follow_server(NULL);
    write_others(&p, 17);
    for (int i = 0; i < 5; i++) {
        pass(&p.s, 60000);
        tell_bookmark(&p);
    }
    send_bookmark(&p.s, "15"); /* of a server that is behind */
    ASSERT_STR_EQ(status_of(&p.s).resource_version, "20");
    write_object(&p, "a");
    tell_changes(&p);
    send_bookmark(&p.s, "21");
    end_well(&p.s);

    expect_call(&p.s, "watch pods rv=21");
    open_watch(&p);

    expect_followed(&p, 3);
    ASSERT_EQ(status_of(&p.s).failures, 0);
    play_close(&p);
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* Those of a proxy, or of the server's outermost layers, have no reason to go by. */
TEST(survival, of_refusals_without_a_reason)
{
    play_open(&p, NULL);
    write_object(&p, "a");
    expect_call(&p.s, "list pods rv=0");
    end_badly(&p.s, KIN_ERR_SERVER, 500, "Internal Server Error");
    await_call("list pods rv=0", 2000);
    end_badly(&p.s, KIN_ERR_THROTTLED, 429, "The apiserver is shutting down");
    await_call("list pods rv=0", 4000);
    end_badly(&p.s, KIN_ERR_PROTOCOL, 200, "the answer is no JSON");
    await_call("list pods rv=0", 8000);
    answer_list(&p);
    expect_call(&p.s, "watch pods rv=2");
    end_badly(&p.s, KIN_ERR_SERVER, 502, "bad gateway");
    serve_watch(0, 3000);

    expect_followed(&p, 7);
    ASSERT_EQ(status_of(&p.s).failures, 4);
    play_close(&p);
}

/* The server ends the connection before it says 401: all watches on it are cut, and each comes
 * back with what is valid then. */
TEST(survival, of_401_when_credentials_grow_old)
{
    follow_server(NULL);
    pass(&p.s, 30000);
    end_badly(&p.s, KIN_ERR_CLOSED, 0, "closed");
    expect_call(&p.s, "watch pods rv=3");
    end_badly(&p.s, KIN_ERR_UNAUTHORIZED, 401, "Unauthorized");
    expect_state(&p.s, KIN_INFORMER_UNAUTHORIZED);
    write_object(&p, "b");

    await_call("watch pods rv=3", 2000);
    open_watch(&p);
    tell_changes(&p);

    expect_followed(&p, 4);
    ASSERT_EQ(status_of(&p.s).restarts, 0);
    play_close(&p);
}
