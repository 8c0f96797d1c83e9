/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registrar_test.c - several metrics of one thing.
 */
#include "base/registrar.h"

#include "support/test.h"

static const int64_t bounds[] = { 1000000000, 2000000000 };
static const kin__label labels[] = { { "name", "pods" }, { "type", "added" } };

typedef struct numbers {
    kin__counter told;
    kin__gauge waiting;
    kin__gauge longest;
    kin__histogram took;
} numbers;

static kin__registrar make_registrar(kin_metrics *registry, kin_error *err)
{
    return (kin__registrar){ .registry = registry,
                             .labels = labels,
                             .label_count = 1,
                             .bounds = bounds,
                             .bound_count = 2,
                             .err = err };
}

static kin_err add_all(numbers *n, kin_metrics *registry, kin_error *err)
{
    kin__registrar r = make_registrar(registry, err);

    kin__registrar_add_gauge(&r, &n->waiting, KIN__UNIT_ONE, "waiting", "Those that wait.");
    kin__registrar_add_gauge(&r, &n->longest, KIN__UNIT_SECONDS, "longest_seconds", "The longest.");
    kin__registrar_add_histogram(&r, &n->took, "took_seconds", "How long.");
    r.label_count = 2;
    kin__registrar_add_counter(&r, &n->told, "told_total", "Those that were told.");
    return r.code;
}

static void drop_all(numbers *n)
{
    kin__counter_fini(&n->told);
    kin__gauge_fini(&n->waiting);
    kin__gauge_fini(&n->longest);
    kin__histogram_fini(&n->took);
}

TEST(registrar, enters_metrics_with_its_labels_units_and_bounds)
{
    kin_metrics *registry = NULL;
    numbers n = { 0 };
    char *got = NULL;
    size_t len = 0;
    kin_error err;
    ASSERT_OK(kin_metrics_new(&registry, &err));

    ASSERT_OK(add_all(&n, registry, &err));
    kin__counter_add(&n.told, 3);
    kin__gauge_add(&n.waiting, 2);
    kin__gauge_add(&n.longest, 1500000000);
    kin__histogram_observe(&n.took, 1200000000);

    ASSERT_OK(kin_metrics_text(registry, &got, &len, &err));
    ASSERT_STR_EQ(got, "# HELP longest_seconds The longest.\n"
                       "# TYPE longest_seconds gauge\n"
                       "longest_seconds{name=\"pods\"} 1.5\n"
                       "# HELP told_total Those that were told.\n"
                       "# TYPE told_total counter\n"
                       "told_total{name=\"pods\",type=\"added\"} 3\n"
                       "# HELP took_seconds How long.\n"
                       "# TYPE took_seconds histogram\n"
                       "took_seconds_bucket{name=\"pods\",le=\"1\"} 0\n"
                       "took_seconds_bucket{name=\"pods\",le=\"2\"} 1\n"
                       "took_seconds_bucket{name=\"pods\",le=\"+Inf\"} 1\n"
                       "took_seconds_sum{name=\"pods\"} 1.2\n"
                       "took_seconds_count{name=\"pods\"} 1\n"
                       "# HELP waiting Those that wait.\n"
                       "# TYPE waiting gauge\n"
                       "waiting{name=\"pods\"} 2\n");
    kin_free(got);
    drop_all(&n);
    kin_metrics_free(registry);
}

TEST(registrar, keeps_its_first_failure_and_touches_nothing_after_it)
{
    kin_metrics *registry = NULL;
    numbers n = { 0 };
    kin_error err;
    ASSERT_OK(kin_metrics_new(&registry, &err));
    kin__registrar r = make_registrar(registry, &err);

    kin__registrar_add_gauge(&r, &n.waiting, KIN__UNIT_ONE, "no name", "Help.");
    ASSERT_EQ(r.code, KIN_ERR_USAGE);
    kin__registrar_add_counter(&r, &n.told, "told_total", "Help.");
    kin__registrar_add_gauge(&r, &n.longest, KIN__UNIT_SECONDS, "longest_seconds", "Help.");
    kin__registrar_add_histogram(&r, &n.took, "took_seconds", "Help.");

    ASSERT_EQ(r.code, KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "no name");
    ASSERT_TRUE(n.waiting.series == NULL && n.told.series == NULL);
    ASSERT_TRUE(n.longest.series == NULL && n.took.series == NULL);
    drop_all(&n);
    kin_metrics_free(registry);
}

TEST(registrar, leaves_metrics_that_count_nowhere_without_a_registry)
{
    numbers n = { 0 };
    kin_error err;

    ASSERT_OK(add_all(&n, NULL, &err));
    kin__counter_add(&n.told, 1);

    ASSERT_TRUE(n.told.series == NULL);
    drop_all(&n);
}

TEST_FAILING_ALLOC(registrar, fails_without_a_leak)
{
    kin_metrics *registry = NULL;
    numbers n = { 0 };
    kin_error err;
    kin_err code = kin_metrics_new(&registry, &err);

    code = code != KIN_OK ? code : add_all(&n, registry, &err);

    drop_all(&n);
    kin_metrics_free(registry);
    return code;
}
