/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_test.c - the numbers of an informer, in a registry.
 */
#include "informer/metrics.h"

#include "unit/informer/scene.h"

static scene s;
static kin_metrics *registry;

static void expect_line(const char *line)
{
    char *chars = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(registry, &chars, &len, &s.err));
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
    expect_line("kin_informer_failures_total{informer=\"pods\"} 1\n");
    expect_line("kin_informer_following{informer=\"pods\"} 0\n");
    scene_close(&s);
    kin_metrics_free(registry);
}

TEST(metrics, of_two_with_one_name_are_added_up)
{
    kin__informer_metrics one = { 0 };
    kin__informer_metrics other = { 0 };
    ASSERT_OK(kin_metrics_new(&registry, &s.err));
    ASSERT_OK(kin__informer_metrics_init(&one, registry, "pods", &s.err));
    ASSERT_OK(kin__informer_metrics_init(&other, registry, "pods", &s.err));

    const int64_t now[KIN__INFORMER_NUMBERS] = {
        [KIN__INFORMER_OBJECTS] = 3, [KIN__INFORMER_LISTS] = 2
    };
    kin__informer_metrics_update(&one, now);
    kin__informer_metrics_update(&one, now);
    kin__informer_metrics_update(&other, now);

    expect_line("kin_informer_objects{informer=\"pods\"} 6\n");
    expect_line("kin_informer_lists_total{informer=\"pods\"} 4\n");
    kin__informer_metrics_fini(&other);
    expect_line("kin_informer_objects{informer=\"pods\"} 3\n");
    expect_line("kin_informer_lists_total{informer=\"pods\"} 4\n");
    kin__informer_metrics_fini(&one);
    kin_metrics_free(registry);
}

TEST_FAILING_ALLOC(metrics, are_made_or_say_that_there_is_no_memory)
{
    kin__informer_metrics metrics = { 0 };
    kin_err code = kin_metrics_new(&registry, &s.err);

    if (code == KIN_OK) {
        code = kin__informer_metrics_init(&metrics, registry, "pods", &s.err);
        kin__informer_metrics_fini(&metrics);
        kin_metrics_free(registry);
    }
    return code;
}
