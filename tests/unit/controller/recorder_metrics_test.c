/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_metrics_test.c - the numbers of a recorder in a registry.
 */
#include "controller/recorder_metrics.h"

#include "unit/controller/recording.h"

TEST(recorder_metrics, count_what_became_of_events)
{
    char *metrics_text = NULL;
    size_t len;
    kin_metrics *metrics = NULL;
    kin_recorder_options options = plain_options();
    scene s;
    must(kin_metrics_new(&metrics, &err));
    options.metrics = metrics;
    options.burst = 2;
    begin_with(&s, options);

    tell(&s, "One", 1);
    tell(&s, "One", 1);
    tell(&s, "Two", 1);
    tell(&s, "Three", 1);
    kin_recorder_tell(s.recorder, NULL, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "x");
    must(kin_metrics_text(metrics, &metrics_text, &len, &err));
    ASSERT_CONTAINS(metrics_text, "kin_events_waiting{controller=\"example.com/foo\"} 2\n");
    kin_free(metrics_text);
    flush(&s);
    must(kin_metrics_text(metrics, &metrics_text, &len, &err));
    ASSERT_CONTAINS(metrics_text, "kin_events_waiting{controller=\"example.com/foo\"} 0\n");
    ASSERT_CONTAINS(metrics_text,
                    "kin_events_total{controller=\"example.com/foo\",result=\"created\"} 2\n");
    ASSERT_CONTAINS(metrics_text,
                    "kin_events_total{controller=\"example.com/foo\",result=\"repeated\"} 0\n");
    ASSERT_CONTAINS(metrics_text,
                    "kin_events_total{controller=\"example.com/foo\",result=\"merged\"} 1\n");
    ASSERT_CONTAINS(metrics_text,
                    "kin_events_total{controller=\"example.com/foo\",result=\"limited\"} 1\n");
    ASSERT_CONTAINS(metrics_text,
                    "kin_events_total{controller=\"example.com/foo\",result=\"dropped\"} 1\n");
    kin_free(metrics_text);
    finish(&s);
    kin_metrics_free(metrics);
}

TEST(recorder_metrics, take_back_what_waited_with_them)
{
    char *metrics_text = NULL;
    size_t len;
    kin__recorder_metrics one;
    kin__recorder_metrics two;
    kin_metrics *metrics = NULL;

    must(kin_metrics_new(&metrics, &err));
    must(kin__recorder_metrics_init(&one, metrics, "foo", &err));
    must(kin__recorder_metrics_init(&two, metrics, "foo", &err));
    kin__recorder_metrics_wait(&one, 3);
    kin__recorder_metrics_wait(&two, 2);
    kin__recorder_metrics_fini(&one);
    must(kin_metrics_text(metrics, &metrics_text, &len, &err));
    ASSERT_CONTAINS(metrics_text, "kin_events_waiting{controller=\"foo\"} 2\n");
    kin_free(metrics_text);
    kin__recorder_metrics_fini(&two);
    kin_metrics_free(metrics);
}

TEST_FAILING_ALLOC(recorder_metrics, lack_of_memory_is_an_error_like_any_other)
{
    kin__recorder_metrics counted;
    kin_metrics *metrics = NULL;

    kin_err code = kin_metrics_new(&metrics, &err);
    if (code == KIN_OK) {
        code = kin__recorder_metrics_init(&counted, metrics, "foo", &err);
        kin__recorder_metrics_fini(&counted);
    }
    kin_metrics_free(metrics);
    return code;
}
