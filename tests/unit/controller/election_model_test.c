/* SPDX-License-Identifier: Apache-2.0 */
/*
 * election_model_test.c - several candidates, one Lease, and everything that can go wrong between
 * them: never do two lead at once, and when all goes well again, one does.
 *
 * Requests and answers take their time or get lost, and a request whose sender has given up may
 * still arrive.  Processes stop and go on, are killed and made anew.  Their clocks differ by what
 * they like, and in pace by up to 1.2 times.
 */
#include <string.h>

#include "base/error.h"
#include "controller/election.h"
#include "support/random.h"
#include "support/test.h"

#define CANDIDATES 3
#define LATE 16    /* requests on their way */
#define STEP_MS 10 /* of true time */
#define TROUBLE_MS 200000

typedef struct request {
    bool is_sent;
    bool is_orphan; /* nobody waits for the answer */
    int from;
    kin__election_action_type type;
    kin__lease_record record;
    int64_t base;      /* the version that is written over */
    int64_t due_ms;    /* true time: when it arrives */
    int64_t answer_ms; /* when its answer does; below 0: never */
} request;

typedef struct candidate {
    kin__election election;
    double pace;
    int64_t offset_ms;
    int64_t base;        /* version */
    bool is_waiting;     /* for an answer ... */
    int64_t patience_ms; /* ... until then, by its own clock */
    bool has_answer;
    int64_t answer_ms; /* true time */
    kin_err answer;
    kin__lease_record found;
    int64_t found_base;
    int64_t stopped_until_ms; /* by a signal; true time */
    int64_t busy_until_ms;    /* its functions have not returned; true time */
    bool was_leading;
} candidate;

static candidate candidates[CANDIDATES];
static request requests[LATE];
static kin__lease_record lease;
static int64_t version; /* 0: there is none */
static int64_t true_ms;
static uint64_t chance;
static int troubles; /* of messages, in a thousand */
static int mishaps;  /* of processes, the same, now and then */
static uint64_t takeovers;

static bool happens(int in_a_thousand)
{
    return random_below(&chance, 1000) < (size_t) in_a_thousand;
}

static int64_t local(const candidate *c)
{
    return c->offset_ms + (int64_t) ((double) true_ms * c->pace);
}

static void be_born(candidate *c, int number, int life)
{
    static char names[CANDIDATES * 1000][8];
    char *name = names[number * 1000 + life % 1000];
    kin__election_options options = {
        .lease_ms = 3000,
        .renew_ms = 2900, /* more than is safe: it is to see to that itself */
        .retry_ms = 50,   /* so that others come just in time */
        .seed = random_below(&chance, 1000000),
    };

    name[0] = (char) ('a' + number);
    name[1] = (char) ('0' + life % 10);
    name[2] = (char) ('0' + life / 10 % 10);
    name[3] = (char) ('0' + life / 100 % 10);
    options.identity = kin_str_of(name);
    memset(c, 0, sizeof *c);
    c->pace = happens(500) ? 1.0 : 1.0 + (double) random_below(&chance, 201) / 1000.0;
    c->pace = happens(500) ? 1.2 : c->pace;
    c->offset_ms = 1000000 + (int64_t) random_below(&chance, 1000000);
    kin__election_init(&c->election, &options);
    kin__election_start(&c->election, local(c));
}

static void send(candidate *c, const kin__election_action *action)
{
    int64_t slowness = happens(troubles) ? 4000 : 30;

    c->is_waiting = true;
    c->has_answer = false;
    c->patience_ms = local(c) + action->deadline_ms;
    for (int i = 0; i < LATE; i++) {
        request *r = &requests[i];
        if (!r->is_sent) {
            *r = (request){
                .is_sent = true,
                .from = (int) (c - candidates),
                .type = action->type,
                .record = action->record,
                .base = c->base,
                .due_ms = true_ms + (int64_t) random_below(&chance, (size_t) slowness),
            };
            r->answer_ms = r->due_ms + (int64_t) random_below(&chance, (size_t) slowness);
            r->is_sent = !happens(troubles / 2);
            return;
        }
    }
}

static kin_err serve(const request *r)
{
    switch (r->type) {
    case KIN__ELECTION_GET:
        return version == 0 ? KIN_ERR_NOT_FOUND : KIN_OK;
    case KIN__ELECTION_CREATE:
        if (version != 0) {
            return KIN_ERR_CONFLICT;
        }
        break;
    default:
        if (version == 0 || version != r->base) {
            return version == 0 ? KIN_ERR_NOT_FOUND : KIN_ERR_CONFLICT;
        }
        break;
    }
    lease = r->record;
    version = version + 1;
    return KIN_OK;
}

static void arrive(void)
{
    for (int i = 0; i < LATE; i++) {
        request *r = &requests[i];
        candidate *c = &candidates[r->from];
        if (!r->is_sent || r->due_ms > true_ms) {
            continue;
        }
        kin_err answer = serve(r);
        r->is_sent = false;
        if (!r->is_orphan && !happens(troubles / 2)) {
            c->has_answer = true;
            c->answer = answer;
            c->answer_ms = r->answer_ms;
            c->found = lease;
            c->found_base = version;
        }
    }
}

static void hear(candidate *c)
{
    kin_error err;
    bool has_come = c->has_answer && c->answer_ms <= true_ms;

    if (!c->is_waiting || (!has_come && local(c) < c->patience_ms)) {
        return;
    }
    c->is_waiting = c->has_answer = false;
    if (!has_come) {
        for (int i = 0; i < LATE; i++) {
            requests[i].is_orphan =
                requests[i].is_orphan || requests[i].from == (int) (c - candidates);
        }
        kin__error_set(&err, KIN_ERR_TIMEOUT, "nothing came");
        kin__election_failed(&c->election, &err, local(c));
    } else if (c->answer != KIN_OK) {
        kin__error_set(&err, c->answer, "refused");
        err.http_status = c->answer == KIN_ERR_CONFLICT ? 409 : 404;
        kin__election_failed(&c->election, &err, local(c));
    } else if (c->election.doing == KIN__ELECTION_GET) {
        c->base = c->found_base;
        kin__election_read(&c->election, &c->found, local(c));
    } else {
        c->base = c->found_base;
        kin__election_wrote(&c->election, true, local(c));
    }
}

static void act(candidate *c)
{
    kin__election_action action;

    hear(c);
    if (c->was_leading && !c->election.is_leading) {
        c->busy_until_ms = true_ms + (int64_t) random_below(&chance, 500);
    }
    c->was_leading = c->election.is_leading;
    if (!c->election.is_leading && true_ms >= c->busy_until_ms) {
        kin__election_settle(&c->election, local(c));
    }
    for (;;) {
        kin_time wall = { true_ms / 1000, (int32_t) (true_ms % 1000) * 1000000 };
        kin__election_next(&c->election, local(c), wall, &action);
        if (action.type == KIN__ELECTION_CANCEL) {
            c->patience_ms = local(c);
            hear(c);
        } else if (action.type == KIN__ELECTION_STOPPED) {
            kin__election_start(&c->election, local(c));
        } else if (action.type != KIN__ELECTION_WAIT) {
            send(c, &action);
        } else {
            return;
        }
    }
}

static bool is_leading(const candidate *c)
{
    return c->election.is_leading && local(c) < c->election.leads_until_ms;
}

static int count_leaders(void)
{
    int count = 0;

    for (int i = 0; i < CANDIDATES; i++) {
        count += is_leading(&candidates[i]);
    }
    return count;
}

static void step(void)
{
    static int lives;

    true_ms += STEP_MS;
    ASSERT_TRUE(count_leaders() <= 1);
    arrive();
    for (int i = 0; i < CANDIDATES; i++) {
        candidate *c = &candidates[i];
        if (happens(2) && happens(mishaps)) {
            c->stopped_until_ms = true_ms + (int64_t) random_below(&chance, 8000);
        }
        if (happens(1) && happens(mishaps)) {
            for (int k = 0; k < LATE; k++) {
                requests[k].is_orphan = requests[k].is_orphan || requests[k].from == i;
            }
            be_born(c, i, ++lives);
        }
        if (happens(2) && happens(mishaps)) {
            kin__election_stop(&c->election, local(c));
        }
        if (true_ms >= c->stopped_until_ms) {
            uint64_t term = c->election.term;
            act(c);
            takeovers += c->election.term != term;
        }
        ASSERT_TRUE(count_leaders() <= 1);
    }
}

static void begin(uint64_t seed)
{
    chance = random_start(seed);
    memset(requests, 0, sizeof requests);
    memset(&lease, 0, sizeof lease);
    version = true_ms = 0;
    takeovers = 0;
    for (int i = 0; i < CANDIDATES; i++) {
        be_born(&candidates[i], i, 0);
    }
}

static void live(int64_t ms, int with_troubles, int with_mishaps)
{
    troubles = with_troubles;
    mishaps = with_mishaps;
    for (int64_t end_ms = true_ms + ms; true_ms < end_ms;) {
        step();
    }
}

TEST(election_model, has_one_leader_at_most_whatever_happens)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        begin(seed);
        live(TROUBLE_MS, (int) (seed % 4) * 40, 300);

        ASSERT_TRUE(takeovers > 3);
    }
}

TEST(election_model, has_a_leader_when_nothing_happens_any_more)
{
    for (uint64_t seed = 100; seed <= 120; seed++) {
        begin(seed);
        live(TROUBLE_MS / 4, 400, 400);
        live(20000, 0, 0);
        takeovers = 0;

        for (int i = 0; i < 3000; i++) {
            live(STEP_MS, 0, 0);
            ASSERT_EQ(count_leaders(), 1);
        }

        ASSERT_EQ(takeovers, 0);
    }
}
