/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_metrics_test.c - the numbers of a client's requests.
 */
#include "api/request_metrics.h"

#include "support/allocator.h"
#include "support/exposition.h"

static kin_metrics *registry;
static kin__request_metrics metrics;
static kin_error err;

static void begin(void)
{
    ASSERT_OK(kin_metrics_new(&registry, &err));
    ASSERT_OK(kin__request_metrics_init(&metrics, registry, &err));
}

static void finish(void)
{
    kin__request_metrics_fini(&metrics);
    kin_metrics_free(registry);
}

static void expect_line(const char *line)
{
    char *chars = NULL;
    size_t len = 0;

    ASSERT_OK(kin_metrics_text(registry, &chars, &len, &err));
    check_exposition(chars);
    ASSERT_CONTAINS(chars, line);
    kin_free(chars);
}

TEST(request_metrics, count_answers_by_verb_and_code)
{
    begin();

    kin__request_metrics_answer(&metrics, "GET", false, 200, 30);
    kin__request_metrics_answer(&metrics, "GET", false, 200, 20);
    kin__request_metrics_answer(&metrics, "GET", true, 410, 0);
    kin__request_metrics_answer(&metrics, "PATCH", false, 409, 0);
    kin__request_metrics_answer(&metrics, "DELETE", false, 0, 0);
    kin__request_metrics_answer(&metrics, "PUT", false, 418, 0);

    expect_line("kin_client_requests_total{code=\"200\",verb=\"get\"} 2\n");
    expect_line("kin_client_requests_total{code=\"410\",verb=\"watch\"} 1\n");
    expect_line("kin_client_requests_total{code=\"409\",verb=\"patch\"} 1\n");
    expect_line("kin_client_requests_total{code=\"none\",verb=\"delete\"} 1\n");
    expect_line("kin_client_requests_total{code=\"other\",verb=\"put\"} 1\n");
    expect_line("kin_client_answer_duration_seconds_sum 0.05\n");
    expect_line("kin_client_answer_duration_seconds_count 5\n");
    finish();
}

TEST(request_metrics, show_what_is_under_way)
{
    begin();

    kin__request_metrics_begin(&metrics);
    kin__request_metrics_begin(&metrics);
    kin__request_metrics_end(&metrics);

    expect_line("kin_client_requests 1\n");
    finish();
}

TEST(request_metrics, are_nothing_without_a_registry)
{
    ASSERT_OK(kin__request_metrics_init(&metrics, NULL, &err));

    kin__request_metrics_begin(&metrics);
    kin__request_metrics_answer(&metrics, "GET", false, 200, 1);
    kin__request_metrics_end(&metrics);

    kin__request_metrics_fini(&metrics);
}

TEST(request_metrics, go_on_without_memory_for_a_new_series)
{
    begin();
    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    kin__request_metrics_answer(&metrics, "GET", false, 200, 1);
    test_allocator_plan((alloc_failure){ 0 });

    kin__request_metrics_answer(&metrics, "GET", false, 200, 1);

    expect_line("kin_client_requests_total{code=\"200\",verb=\"get\"} 1\n");
    finish();
}

TEST_FAILING_ALLOC(request_metrics, are_made_or_say_that_there_is_no_memory)
{
    kin_err code = kin_metrics_new(&registry, &err);

    if (code == KIN_OK) {
        code = kin__request_metrics_init(&metrics, registry, &err);
        finish();
    }
    return code;
}
