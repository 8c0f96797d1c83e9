/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover_test.c - stores as new as the lead, with a leader whose say the test has.
 */
#include "controller/leader.h"
#include "unit/controller/workshop.h"

static kin__leader_seat *seat;
static _Atomic bool is_leading;

void kin__leader_attend(kin_leader *leader, kin__leader_seat *its)
{
    (void) leader;
    seat = its;
}

void kin__leader_leave(kin_leader *leader, kin__leader_seat *its)
{
    (void) leader;
    (void) its;
}

bool kin_leader_is_leading(const kin_leader *leader)
{
    (void) leader;
    return is_leading;
}

bool kin__leader_is_teller(const kin_leader *leader)
{
    (void) leader;
    return false;
}

static void lead(bool leads)
{
    is_leading = leads;
    seat->fn(seat->context, leads);
}

/* A standby whose informer comes back quickly, and has a logger. */
typedef struct standby {
    workshop w;
    kin_informer *maps;
    text logged;
    bool lets_go; /* loses the lead, and gains it again, in the moment in which it is warned */
} standby;

static kin_err note_sight(void *context, kin_reconcile *r, kin_error *err)
{
    standby *s = context;

    (void) err;
    kin_view view = kin_store_read(kin_informer_store(s->maps));
    note(&s->w, "%.*s:%d", KIN_STR_ARG(kin_reconcile_name(r)),
         kin_view_get(&view, kin_str_of("default/b")) != NULL);
    kin_store_done(&view);
    return KIN_OK;
}

/* What "b" says. */
static kin_err note_value(void *context, kin_reconcile *r, kin_error *err)
{
    standby *s = context;
    kin_str value = kin_str_of("none");

    (void) err;
    kin_view view = kin_store_read(kin_informer_store(s->maps));
    const kin_object *b = kin_view_get(&view, kin_str_of("default/b"));
    (void) !kin_value_str(kin_object_at(b, "data.value"), NULL, 0, &value);
    note(&s->w, "%.*s:%.*s", KIN_STR_ARG(kin_reconcile_name(r)), KIN_STR_ARG(value));
    kin_store_done(&view);
    return KIN_OK;
}

static void write_log(void *context, kin_log_level level, const char *part, const char *message)
{
    standby *s = context;

    (void) part;
    if (level >= KIN_LOG_WARNING) {
        pthread_mutex_lock(&s->w.lock);
        text_append(&s->logged, "%s\n", message);
        pthread_mutex_unlock(&s->w.lock);
        if (s->lets_go) {
            s->lets_go = false;
            lead(false);
            lead(true);
        }
    }
}

static void standby_open_with(standby *s, kin_informer_options options)
{
    memset(s, 0, sizeof *s);
    workshop_open(&s->w);
    options.resource = "configmaps";
    options.retry_first_ms = 5;
    options.retry_max_ms = 20;
    s->maps = make_informer(&s->w, options);
    s->w.options.leader = (kin_leader *) s;
    s->w.options.reconcile = note_sight;
    s->w.options.context = s;
    s->w.options.logger.context = s;
    s->w.options.logger.log = write_log;
    make_controller(&s->w);
    ASSERT_OK(kin_controller_about(s->w.controller, s->maps, NULL, &s->w.err));
}

static void standby_open(standby *s)
{
    standby_open_with(s, (kin_informer_options) KIN_INFORMER_OPTIONS_INIT);
}

static kin_server_counts counts_of(standby *s)
{
    kin_server_counts counts;

    kin_server_get_counts(s->w.server, &counts);
    return counts;
}

/* Has synced, and its watches are open. */
static void standby_start(standby *s, uint64_t watches)
{
    ASSERT_OK(kin_informer_start(s->maps, &s->w.err));
    ASSERT_OK(kin_controller_start(s->w.controller, &s->w.err));
    ASSERT_OK(kin_informer_wait_synced(s->maps, -1, &s->w.err));
    while (counts_of(s).watches < watches) {
        (void) sched_yield();
    }
    await_told(&s->w);
    await_loop(&s->w);
}

static void standby_close(standby *s)
{
    kin_controller_free(s->w.controller);
    s->w.controller = NULL;
    kin_informer_free(s->maps);
    workshop_close(&s->w);
}

/* The informer hears of nothing any more; until hear(). */
static void go_deaf(standby *s)
{
    fault(&s->w, "{\"do\":\"stall\",\"verb\":\"watch\",\"now\":true}");
}

static void hear(standby *s)
{
    fault(&s->w, "{\"do\":\"cut-all\"}");
}

typedef struct look {
    kin_controller *controller;
    _Atomic bool is_answered;
} look;

static void look_at_answer(void *context)
{
    look *l = context;
    const kin__handover *handover = &l->controller->about->handovers[0];

    kin__mutex_lock(&l->controller->lock);
    l->is_answered = handover->term == l->controller->term && handover->version[0] != '\0';
    kin__mutex_unlock(&l->controller->lock);
}

static void look_at_retry(void *context)
{
    look *l = context;
    const kin__handover *handover = &l->controller->about->handovers[0];

    l->is_answered =
        handover->call == NULL && handover->again_at_ms > 0 && handover->again_at_ms != INT64_MAX;
}

/* Until that is so, and a turn has looked at it. */
static void await_look(standby *s, void (*fn)(void *context))
{
    look l = { .controller = s->w.controller };

    while (!l.is_answered) {
        ASSERT_OK(kin_loop_post(kin_client_loop(s->w.client), fn, &l, &s->w.err));
        await_loop(&s->w);
    }
    await_loop(&s->w);
}

/* Until the server has told what there is. */
static void await_answer(standby *s)
{
    await_look(s, look_at_answer);
}

/* Leads, has been told by the server what there is, and begins nothing yet. */
static void lead_and_ask(standby *s)
{
    lead(true);
    await_answer(s);
    ASSERT_ERR(kin_controller_wait_idle(s->w.controller, 0, &s->w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(s->w.err.message, "its informers are not as new as its lead");
    expect_seen(&s->w, "");
}

TEST(handover, has_nothing_reconciled_before_the_stores_show_what_was_written_until_then)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "a", "1");
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "1"); /* by who has led so far */
    lead_and_ask(&s);

    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "a:1");
    await_seen(&s.w, "b:1");
    ASSERT_TRUE(strstr(s.w.seen.chars, ":0") == NULL);
    standby_close(&s);
}

TEST(handover, waits_for_what_was_deleted_as_well)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "b", "1");
    standby_start(&s, 1);
    go_deaf(&s);
    remove_map(&s.w, "b");
    lead_and_ask(&s);

    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "b:0");
    ASSERT_TRUE(strstr(s.w.seen.chars, ":1") == NULL);
    standby_close(&s);
}

/* There are as many as before. */
TEST(handover, waits_for_what_was_changed_as_well)
{
    standby s;

    standby_open(&s);
    s.w.controller->options.reconcile = note_value;
    put_map(&s.w, "b", "old");
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "new");
    lead_and_ask(&s);

    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "b:new");
    ASSERT_TRUE(strstr(s.w.seen.chars, "b:old") == NULL);
    standby_close(&s);
}

/* There are more by then than were listed. */
TEST(handover, is_content_with_a_store_that_is_newer_than_what_was_listed)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "a", "1");
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "1");
    lead_and_ask(&s);
    put_map(&s.w, "c", "1");

    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "c:1");
    ASSERT_STR_EQ(s.logged.chars, "");
    standby_close(&s);
}

/* What happens to others moves the server's version on, and the informer hears nothing of it. */
static void make_secret(standby *s)
{
    put(&s->w, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
               "\"default\",\"name\":\"s\"}}");
}

static void put_labelled(standby *s, const char *name, const char *app)
{
    put(&s->w,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"default\","
        "\"name\":\"%s\",\"labels\":{\"app\":\"%s\"}}}",
        name, app);
}

TEST(handover, asks_for_nothing_that_its_informer_does_not_follow)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    standby s;

    options.label_selector = "app=web";
    options.field_selector = "metadata.name!=c";
    standby_open_with(&s, options);
    put_labelled(&s, "a", "web");
    put_labelled(&s, "b", "other");
    put_labelled(&s, "c", "web");
    standby_start(&s, 1);
    make_secret(&s);

    lead(true);
    await_idle(&s.w);

    expect_seen(&s.w, "a:0");
    ASSERT_STR_EQ(s.logged.chars, "");
    standby_close(&s);
}

/* The versions of one server mean nothing to another, and its objects are not there. */
TEST(handover, does_not_ask_about_informers_of_another_server)
{
    workshop other;
    standby s;

    workshop_open(&other);
    put_map(&other, "x", "1");
    ASSERT_OK(kin_informer_start(other.maps, &other.err));
    standby_open(&s);
    ASSERT_OK(kin_controller_reads(s.w.controller, other.maps, &s.w.err));
    put_map(&s.w, "a", "1");
    put_map(&s.w, "b", "1");
    standby_start(&s, 1);

    lead(true);
    await_idle(&s.w);

    await_seen(&s.w, "b:1");
    ASSERT_STR_EQ(s.logged.chars, "");
    standby_close(&s);
    workshop_close(&other);
}

TEST(handover, waits_for_nothing_where_nothing_has_happened)
{
    static const char *const namespaces[] = { "default", "kube-system", NULL };
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    standby s;

    options.namespaces = namespaces;
    standby_open_with(&s, options);
    put_map(&s.w, "a", "1");
    put_map(&s.w, "b", "1");
    standby_start(&s, 2);
    make_secret(&s);

    lead(true);
    await_idle(&s.w);

    expect_seen(&s.w, "a:1 b:1");
    standby_close(&s);
}

TEST(handover, waits_for_no_longer_than_it_may)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "a", "1");
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "1");
    lead_and_ask(&s);

    pass(&s.w, 29999);
    expect_seen(&s.w, "");
    pass(&s.w, 1);
    await_seen(&s.w, "a:0");

    ASSERT_CONTAINS(s.logged.chars, "begins though informer \"configmaps\" is not as new as its "
                                    "lead after 30000 ms");
    standby_close(&s);
}

/* The one who led in between may have written, too. */
TEST(handover, that_takes_too_long_does_not_open_the_gate_for_another_lead)
{
    standby s;

    standby_open(&s);
    s.lets_go = true;
    put_map(&s.w, "a", "1");
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "1");
    lead_and_ask(&s);

    pass(&s.w, 30000);
    await_answer(&s);
    ASSERT_FALSE(s.lets_go);
    ASSERT_ERR(kin_controller_wait_idle(s.w.controller, 0, &s.w.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(s.w.err.message, "its informers are not as new as its lead");
    expect_seen(&s.w, "");
    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "a:1");
    standby_close(&s);
}

TEST(handover, asks_again_when_the_server_does_not_say_what_there_is)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "b", "1");
    standby_start(&s, 1);
    fault(&s.w, "{\"do\":\"status\",\"verb\":\"list\",\"code\":500}");
    lead(true);
    await_fault(&s.w);
    await_look(&s, look_at_retry);
    expect_seen(&s.w, "");

    pass(&s.w, 1000);
    await_idle(&s.w);

    expect_seen(&s.w, "b:1");
    ASSERT_STR_EQ(s.logged.chars, ""); /* it did not just wait for long enough */
    standby_close(&s);
}

/* Of many only the first page is asked for, until the store has had a moment to get there. */
TEST(handover, looks_at_all_there_is_where_that_is_much)
{
    standby s;

    standby_open(&s);
    for (int i = 0; i < 501; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "m%d", i);
        put_map(&s.w, name, "1");
    }
    standby_start(&s, 1);
    make_secret(&s);
    uint64_t before = counts_of(&s).requests;
    lead_and_ask(&s);
    ASSERT_EQ(counts_of(&s).requests, before + 1);

    pass(&s.w, 250);
    await_idle(&s.w);

    ASSERT_EQ(status_of(&s.w).succeeded, 501);
    ASSERT_STR_EQ(s.logged.chars, "");
    standby_close(&s);
}

/* The first page has as many as the store, and none that is newer. */
TEST(handover, does_not_take_a_page_for_all_there_is)
{
    standby s;

    standby_open(&s);
    for (int i = 0; i < 500; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "a%d", i);
        put_map(&s.w, name, "1");
    }
    standby_start(&s, 1);
    go_deaf(&s);
    put_map(&s.w, "b", "1");
    lead_and_ask(&s);

    hear(&s);
    await_idle(&s.w);

    await_seen(&s.w, "b:1");
    ASSERT_TRUE(strstr(s.w.seen.chars, ":0") == NULL);
    standby_close(&s);
}

/* What is answered then is not heard. */
TEST(handover, asks_anew_when_the_lead_is_gained_again_before_the_answer)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "b", "1");
    standby_start(&s, 1);
    fault(&s.w, "{\"do\":\"delay\",\"verb\":\"list\",\"ms\":600000}");
    lead(true);
    await_fault(&s.w);
    lead(false);

    lead(true);
    await_idle(&s.w);

    expect_seen(&s.w, "b:1");
    ASSERT_STR_EQ(s.logged.chars, "");
    standby_close(&s);
}

/* In between another one has led. */
TEST(handover, asks_anew_each_time_the_lead_is_gained)
{
    standby s;

    standby_open(&s);
    put_map(&s.w, "a", "1");
    standby_start(&s, 1);
    lead(true);
    await_idle(&s.w);
    expect_seen(&s.w, "a:0");
    lead(false);
    go_deaf(&s);
    put_map(&s.w, "b", "1");
    lead_and_ask(&s);

    hear(&s);
    await_idle(&s.w);

    expect_seen(&s.w, "b:1");
    standby_close(&s);
}

TEST(handover, ends_with_its_controller_while_the_server_is_asked)
{
    standby s;

    standby_open(&s);
    standby_start(&s, 1);
    fault(&s.w, "{\"do\":\"delay\",\"verb\":\"list\",\"ms\":600000}");
    lead(true);
    await_fault(&s.w);

    standby_close(&s);
}
