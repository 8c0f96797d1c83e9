/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_test.c - the numbers of an informer, in a registry.
 */
#include "informer/metrics.h"

#include "support/exposition.h"
#include "unit/informer/scene.h"

static scene s;
static kin_metrics *registry;

static void expect_line(const char *line)
{
    char *chars = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(registry, &chars, &len, &s.err));
    check_exposition(chars);
    ASSERT_CONTAINS(chars, line);
    kin_free(chars);
}

static kin_informer_options counted_options(void)
{
    kin_informer_options options = pods_options(&s);

    options.metrics = registry;
    return options;
}

TEST(metrics, follow_what_happens)
{
    scene_open(&s);
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    kin_informer_options options = counted_options();
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    expect_line("kin_informer_synced{informer=\"pods\"} 0\n");
    send_object(&s, "a@5");
    send_object(&s, "b@6");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    expect_line("kin_informer_synced{informer=\"pods\"} 1\n");
    expect_line("kin_informer_objects{informer=\"pods\"} 2\n");
    expect_line("kin_informer_following{informer=\"pods\"} 1\n");
    expect_line("kin_informer_lists_total{informer=\"pods\"} 1\n");
    expect_line("kin_informer_events_total{informer=\"pods\"} 2\n");
    send_deleted(&s, "b@13");
    expect_line("kin_informer_objects{informer=\"pods\"} 1\n");
    expect_line("kin_informer_events_total{informer=\"pods\"} 3\n");
    end_badly(&s, KIN_ERR_SERVER, 500, "broken");
    expect_line("kin_informer_failures_total{informer=\"pods\",reason=\"broken\"} 1\n");
    expect_line("kin_informer_failures_total{informer=\"pods\",reason=\"denied\"} 0\n");
    expect_line("kin_informer_following{informer=\"pods\"} 0\n");
    scene_close(&s);
    kin_metrics_free(registry);
}

TEST(metrics, show_store_and_handlers)
{
    scene_open(&s);
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    kin_informer_options options = counted_options();
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    pass(&s, 30);
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);

    expect_line("kin_informer_indexes{informer=\"pods\"} 1\n");
    expect_line("kin_informer_handlers{informer=\"pods\"} 1\n");
    expect_line("kin_informer_queued_deltas{informer=\"pods\"} 0\n");
    expect_line("kin_informer_store_bytes{informer=\"pods\"} ");
    expect_line("kin_informer_unreleased_parts{informer=\"pods\"} ");
    expect_line("kin_informer_resource_version{informer=\"pods\"} 12\n");
    expect_line("kin_informer_list_duration_seconds_sum{informer=\"pods\"} 0.03\n");
    expect_line("kin_informer_list_duration_seconds_count{informer=\"pods\"} 1\n");
    expect_line("kin_handler_told_total{handler=\"handler\",informer=\"pods\",type=\"added\"} 1\n");
    expect_line("kin_handler_active{handler=\"handler\",informer=\"pods\"} 1\n");
    pass(&s, 2000);
    send_modified(&s, "a@13");
    send_bookmark(&s, "9007199254740993123");
    pass(&s, 1000);
    expect_line("kin_informer_heard_timestamp_seconds{informer=\"pods\"} 2.03\n");
    expect_line("kin_informer_resource_version{informer=\"pods\"} 199254740993123\n");
    expect_line("kin_informer_watch_duration_seconds_count{informer=\"pods\"} 0\n");
    end_well(&s);
    expect_line("kin_informer_watch_duration_seconds_sum{informer=\"pods\"} 3\n");
    expect_line("kin_informer_watch_duration_seconds_bucket{informer=\"pods\",le=\"10\"} 1\n");
    scene_close(&s);
    kin_metrics_free(registry);
}

TEST(metrics, show_how_far_behind_a_handler_is)
{
    kin_registration *slow = NULL;
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    scene_open(&s);
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    kin_informer_options options = counted_options();
    begin_informer(&s, &options);
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    handler.name = "slow";
    handler.mode = KIN_DELIVERY_QUEUE;
    handler.bound = 1;
    ASSERT_OK(kin_informer_add_handler(s.informer, &handler, &slow, &s.err));
    expect_call(&s, "list pods rv=0");
    send_object(&s, "a@5");
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    send_open(&s);
    ASSERT_OK(kin_registration_dispatch(slow, 0, NULL, &s.err));
    send_modified(&s, "a@13");
    pass(&s, 400);
    send_modified(&s, "a@14");
    pass(&s, 100);

    ASSERT_OK(kin_registration_get_status(slow, &status, &s.err));
    ASSERT_EQ(status.pending, 1);
    ASSERT_EQ(status.merged, 1);
    ASSERT_EQ(status.lag_ms, 500);
    expect_line("kin_handler_pending{handler=\"slow\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_merged_total{handler=\"slow\",informer=\"pods\"} 1\n");
    ASSERT_OK(kin_registration_dispatch(slow, 0, NULL, &s.err));
    expect_line("kin_handler_pending{handler=\"slow\",informer=\"pods\"} 0\n");
    expect_line("kin_handler_lag_seconds_sum{handler=\"slow\",informer=\"pods\"} 0.5\n");
    send_modified(&s, "a@15");
    kin_registration_remove(slow);
    ASSERT_OK(kin_registration_get_status(slow, &status, &s.err));
    ASSERT_EQ(status.told_added, 1);
    ASSERT_EQ(status.dropped, 1);
    ASSERT_EQ(status.lag_ms, 0);
    expect_line("kin_handler_dropped_total{handler=\"slow\",informer=\"pods\"} 1\n");
    expect_line("kin_handler_active{handler=\"slow\",informer=\"pods\"} 0\n");
    expect_line("kin_informer_handlers{informer=\"pods\"} ");
    kin_registration_free(slow);
    scene_close(&s);
    kin_metrics_free(registry);
}

TEST(metrics, tell_why_attempts_failed)
{
    static const struct {
        kin_err code;
        int http_status;
        kin__informer_reason reason;
    } rows[] = {
        { KIN_ERR_CONNECT, 0, KIN__REASON_UNREACHABLE },
        { KIN_ERR_SERVER, 503, KIN__REASON_UNREACHABLE },
        { KIN_ERR_FORBIDDEN, 403, KIN__REASON_DENIED },
        { KIN_ERR_UNAUTHORIZED, 401, KIN__REASON_DENIED },
        { KIN_ERR_NOT_FOUND, 404, KIN__REASON_MISSING },
        { KIN_ERR_EXPIRED, 410, KIN__REASON_EXPIRED },
        { KIN_ERR_THROTTLED, 429, KIN__REASON_THROTTLED },
        { KIN_ERR_SERVER, 500, KIN__REASON_BROKEN },
        { KIN_ERR_INVALID, 400, KIN__REASON_BROKEN },
        { KIN_ERR_NO_MEMORY, 0, KIN__REASON_LOCAL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kin_error err = { .code = rows[i].code, .http_status = rows[i].http_status };

        ASSERT_EQ(kin__informer_reason_of(&err), rows[i].reason);
    }
}

TEST(metrics, escape_names)
{
    kin__informer_metrics *one;
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    ASSERT_OK(kin__informer_metrics_new(registry, "a \"b\"\\\nc", &one, &s.err));

    expect_line("kin_informer_objects{informer=\"a \\\"b\\\"\\\\\\nc\"} 0\n");
    kin__informer_metrics_free(one);
    kin_metrics_free(registry);
}

TEST(metrics, of_two_with_one_name_are_added_up)
{
    kin__informer_metrics *one;
    kin__informer_metrics *other;
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    ASSERT_OK(kin__informer_metrics_new(registry, "pods", &one, &s.err));
    ASSERT_OK(kin__informer_metrics_new(registry, "pods", &other, &s.err));

    const int64_t now[KIN__INFORMER_NUMBERS] = {
        [KIN__INFORMER_OBJECTS] = 3, [KIN__INFORMER_LISTS] = 2
    };
    kin__informer_metrics_update(one, now);
    kin__informer_metrics_update(one, now);
    kin__informer_metrics_update(other, now);

    expect_line("kin_informer_objects{informer=\"pods\"} 6\n");
    expect_line("kin_informer_lists_total{informer=\"pods\"} 4\n");
    kin__informer_metrics_free(other);
    expect_line("kin_informer_objects{informer=\"pods\"} 3\n");
    expect_line("kin_informer_lists_total{informer=\"pods\"} 4\n");
    kin__informer_metrics_free(one);
    kin_metrics_free(registry);
}

TEST_FAILING_ALLOC(metrics, are_made_or_say_that_there_is_no_memory)
{
    kin__informer_metrics *metrics = NULL;
    kin_err code = kin_metrics_new(&registry, &s.err);

    if (code == KIN_OK) {
        code = kin__informer_metrics_new(registry, "pods", &metrics, &s.err);
        kin__informer_metrics_free(metrics);
        kin_metrics_free(registry);
    }
    return code;
}
