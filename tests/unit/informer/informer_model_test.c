/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_model_test.c - an informer and its handlers before a server that does what servers do.
 *
 * Objects come, change, go and come again; calls fail in all ways; watches end, expire, skip to
 * bookmarks; the informer is stopped and started; handlers come late, fall behind, fail and go, or
 * are dropped all together.  Every notification is checked as it comes (played.h), and in the end
 * everybody has what the server has.
 */
#include <string.h>

#include "base/error.h"
#include "support/random.h"
#include "unit/cache/store_support.h"
#include "unit/informer/played.h"

enum { STEPS = 600, HISTORY = 60, BEHIND = 5 };
enum { BLOCKING = 1, INLINE = 3, FAILING = 4 }; /* of the copies */

typedef struct model {
    played p;
    uint64_t random;
    scene_call *watch; /* that is open; NULL: none is */
    bool is_stopped;
    bool is_calm; /* nothing fails any more */
    int failures; /* of handlers that could not keep up */
} model;

static model m;

static size_t below(size_t end)
{
    return random_below(&m.random, end);
}

static bool chance(size_t n)
{
    return !m.is_calm && below(n) == 0;
}

/* ---- the server ----------------------------------------------------------------------------- */

static void write_something(void)
{
    char name[2] = { (char) ('a' + (int) below(8)), '\0' };

    if (m.p.change_count > PLAYED_CHANGES - 8) {
        return;
    }
    if (below(6) == 0) {
        write_others(&m.p, 1 + (int) below(3));
    } else if (has_object(&m.p, name) && below(3) == 0) {
        remove_object(&m.p, name);
        if (below(2) == 0) {
            write_object(&m.p, name);
        }
    } else {
        write_object(&m.p, name);
    }
}

/* Some way to fail, as the reflector is told of it. */
static void fail_call(void)
{
    static const struct {
        kin_err code;
        int http_status;
    } ways[] = {
        { KIN_ERR_CONNECT, 0 },     { KIN_ERR_CLOSED, 0 },         { KIN_ERR_TIMEOUT, 0 },
        { KIN_ERR_FORBIDDEN, 403 }, { KIN_ERR_UNAUTHORIZED, 401 }, { KIN_ERR_THROTTLED, 429 },
        { KIN_ERR_SERVER, 500 },    { KIN_ERR_SERVER, 503 },       { KIN_ERR_EXPIRED, 410 },
        { KIN_ERR_INVALID, 422 },   { KIN_ERR_PROTOCOL, 200 },
    };
    size_t way = below(sizeof ways / sizeof ways[0]);

    end_badly(&m.p.s, ways[way].code, ways[way].http_status, "as it happens");
}

/* From the server's memory, which may be behind; but not older than what was asked for. */
static void answer_some_list(void)
{
    int asked = asked_version(&m.p);
    int oldest = m.p.version > BEHIND ? m.p.version - BEHIND : 1;
    bool is_newest = m.p.s.at->words[strlen(m.p.s.at->words) - 1] == '=';

    oldest = is_newest ? m.p.version : asked > oldest ? asked : oldest;
    if (chance(6)) {
        send_object(&m.p.s, "z@1"); /* half a list */
        fail_call();
        return;
    }
    answer_list_as_of(&m.p, oldest + (int) below((size_t) (m.p.version - oldest) + 1));
}

static void open_some_watch(void)
{
    bool is_stream = m.p.s.at->words[0] == 's';

    if (is_stream) {
        open_stream(&m.p);
    } else if (m.p.version - asked_version(&m.p) > HISTORY) {
        send_open(&m.p.s);
        send_error(&m.p.s, KIN_ERR_EXPIRED, 410, "too old");
        return;
    } else {
        open_watch(&m.p);
    }
    m.watch = m.p.s.at;
}

static void answer_calls(void)
{
    while (take_call(&m.p.s)) {
        if (m.p.s.at->is_over) {
            continue;
        }
        if (chance(3)) {
            fail_call();
        } else if (m.p.s.at->verb == KIN_VERB_LIST) {
            answer_some_list();
        } else {
            open_some_watch();
        }
    }
}

static void go_on_watching(void)
{
    if (m.watch == NULL || m.watch->is_over) {
        m.watch = NULL;
        return;
    }
    m.p.s.at = m.watch;
    tell_some_changes(&m.p, m.is_calm ? PLAYED_CHANGES : (int) below(6));
    if (chance(4) &&
        (m.p.change_count == 0 || m.p.changes[m.p.change_count - 1].version <= m.p.cursor)) {
        tell_bookmark(&m.p);
    }
    if (chance(10)) {
        end_well(&m.p.s);
    } else if (chance(10)) {
        send_error(&m.p.s, KIN_ERR_EXPIRED, 410, "too old");
    } else if (chance(10)) {
        fail_call();
    }
}

/* ---- the program ---------------------------------------------------------------------------- */

/* All end with it, but for one that has failed and was not told yet; the first comes back at once,
 * the others by and by. */
static void drop(void)
{
    kin_registration_options first = KIN_REGISTRATION_OPTIONS_INIT;

    ASSERT_OK(kin_informer_stop_and_drop(m.p.s.informer, below(2) == 0 ? 0 : -1, &m.p.s.err));
    for (int i = 0; i < PLAYED_COPIES; i++) {
        ASSERT_TRUE(m.p.copies[i].has_ended || m.p.copies[i].registration == NULL || i == FAILING);
        remove_copy(&m.p, i);
    }
    first.mode = KIN_DELIVERY_INLINE;
    add_copy(&m.p, 0, &first);
}

static void start_or_stop(void)
{
    if (m.is_stopped) {
        ASSERT_OK(kin_informer_start(m.p.s.informer, &m.p.s.err));
    } else if (chance(3)) {
        drop();
    } else {
        ASSERT_OK(kin_informer_stop(m.p.s.informer, 0, &m.p.s.err));
    }
    m.is_stopped = !m.is_stopped;
}

/* The first of them blocks the informer now and then, and the last fails. */
static void add_some_copy(int number)
{
    kin_registration_options how = KIN_REGISTRATION_OPTIONS_INIT;

    how.mode = number == INLINE ? KIN_DELIVERY_INLINE : KIN_DELIVERY_QUEUE;
    how.policy = number == BLOCKING  ? KIN_BACKLOG_BLOCK
                 : number == FAILING ? KIN_BACKLOG_FAIL
                                     : KIN_BACKLOG_COALESCE;
    how.bound = 3;
    add_copy(&m.p, number, &how);
}

static void tend_copy(int number)
{
    kin_registration *registration = m.p.copies[number].registration;

    if (registration == NULL) {
        if (below(10) == 0 || m.is_calm) {
            add_some_copy(number);
        }
    } else if (chance(30) || m.p.copies[number].has_ended) {
        ASSERT_TRUE(!m.p.copies[number].has_ended || m.p.copies[number].has_failed);
        m.failures += m.p.copies[number].has_failed;
        remove_copy(&m.p, number);
    } else if (number != INLINE && (m.is_calm || below(5) == 0)) {
        ASSERT_OK(kin_registration_dispatch(registration, m.is_calm ? 0 : 1 + below(4), NULL,
                                            &m.p.s.err));
    }
}

static void step(void)
{
    for (size_t i = below(4); i > 0 && !m.is_calm; i--) {
        write_something();
    }
    answer_calls();
    go_on_watching();
    for (int i = 1; i < PLAYED_COPIES; i++) {
        tend_copy(i);
    }
    if (chance(40)) {
        start_or_stop();
    }
    pass(&m.p.s, chance(30) ? 90000 : (int64_t) below(2000));
}

static void run(uint64_t seed, bool has_streams)
{
    kin_informer_options options = played_options(&m.p);

    options.start = has_streams ? KIN_START_WATCH_LIST : KIN_START_LIST;
    m = (model){ .random = seed };
    play_open(&m.p, &options);
    for (int i = 0; i < STEPS; i++) {
        step();
    }
    m.is_calm = true;
    if (m.is_stopped) {
        start_or_stop();
    }
    for (int i = 0; i < 60; i++) {
        step();
        pass(&m.p.s, 2000);
    }
    expect_followed(&m.p, 2 * STEPS);
    ASSERT_TRUE(m.failures > 0);
    play_close(&m.p);
}

#define SEEDS (SLOWNESS > 1 ? 15 : 60)

TEST(informer_model, is_what_the_server_is_after_lists)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(random_start(seed), false);
    }
}

TEST(informer_model, is_what_the_server_is_after_streams)
{
    for (uint64_t seed = 101; seed <= 100 + SEEDS; seed++) {
        run(random_start(seed), true);
    }
}
