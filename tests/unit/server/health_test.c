/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health_test.c - the pages /healthz, /livez and /readyz.
 */
#include "server/health.h"

#include "base/str.h"
#include "support/test.h"

static void assert_body(const char *path, const char *query, const char *want)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__health_write(kin_str_of(path), kin_str_of(query), &out);

    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
}

static bool serves(const char *path)
{
    bool is_check;

    return kin__health_serves(kin_str_of(path), &is_check);
}

TEST(health, is_ok)
{
    bool is_check = true;

    ASSERT_TRUE(kin__health_serves(STR("/healthz"), &is_check));
    ASSERT_FALSE(is_check);
    assert_body("/healthz", "", "ok");
    assert_body("/livez", "exclude=nope", "ok");
    assert_body("/readyz/ping", "verbose", "ok");
}

TEST(health, has_pages_for_single_checks)
{
    bool is_check = false;

    ASSERT_TRUE(kin__health_serves(STR("/readyz/poststarthook/rbac/bootstrap-roles"), &is_check));
    ASSERT_TRUE(is_check);
    ASSERT_TRUE(serves("/readyz/shutdown"));
    ASSERT_FALSE(serves("/livez/shutdown"));
    ASSERT_FALSE(serves("/livez/poststarthook"));
    ASSERT_FALSE(serves("/healthz/"));
    ASSERT_FALSE(serves("/healthz/nope"));
    ASSERT_FALSE(serves("/healthzz"));
    ASSERT_FALSE(serves("/health"));
    ASSERT_FALSE(serves("xhealthz"));
}

/* The body of a real server. */
TEST(health, tells_all_checks_to_whom_asks_for_them)
{
    assert_body("/readyz", "verbose&exclude=etcd",
                "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n"
                "[+]informer-sync ok\n"
                "[+]poststarthook/start-apiserver-admission-initializer ok\n"
                "[+]poststarthook/generic-apiserver-start-informers ok\n"
                "[+]poststarthook/priority-and-fairness-config-consumer ok\n"
                "[+]poststarthook/priority-and-fairness-filter ok\n"
                "[+]poststarthook/storage-object-count-tracker-hook ok\n"
                "[+]poststarthook/start-apiextensions-informers ok\n"
                "[+]poststarthook/start-apiextensions-controllers ok\n"
                "[+]poststarthook/crd-informer-synced ok\n"
                "[+]poststarthook/start-system-namespaces-controller ok\n"
                "[+]poststarthook/peer-endpoint-reconciler-controller ok\n"
                "[+]poststarthook/start-cluster-authentication-info-controller ok\n"
                "[+]poststarthook/start-kube-apiserver-identity-lease-controller ok\n"
                "[+]poststarthook/start-kube-apiserver-identity-lease-garbage-collector ok\n"
                "[+]poststarthook/storage-readiness ok\n"
                "[+]poststarthook/start-legacy-token-tracking-controller ok\n"
                "[+]poststarthook/start-service-ip-repair-controllers ok\n"
                "[+]poststarthook/rbac/bootstrap-roles ok\n"
                "[+]poststarthook/scheduling/bootstrap-system-priority-classes ok\n"
                "[+]poststarthook/priority-and-fairness-config-producer ok\n"
                "[+]poststarthook/bootstrap-controller ok\n"
                "[+]poststarthook/start-kubernetes-service-cidr-controller ok\n"
                "[+]poststarthook/start-kube-aggregator-informers ok\n"
                "[+]poststarthook/apiservice-status-local-available-controller ok\n"
                "[+]poststarthook/apiservice-status-remote-available-controller ok\n"
                "[+]poststarthook/apiservice-registration-controller ok\n"
                "[+]poststarthook/apiservice-discovery-controller ok\n"
                "[+]poststarthook/kube-apiserver-autoregistration ok\n"
                "[+]autoregister-completion ok\n"
                "[+]poststarthook/apiservice-openapi-controller ok\n"
                "[+]poststarthook/apiservice-openapiv3-controller ok\n"
                "[+]shutdown ok\nreadyz check passed\n");
}

TEST(health, warns_of_checks_that_are_none)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__health_write(STR("/livez"), STR("verbose&exclude=nope&exclude=ping&exclude=zzz"), &out);
    kin__buf_append_byte(&out, '\0');

    ASSERT_CONTAINS(out.data,
                    "[+]ping excluded: ok\n[+]log ok\n[+]loopback-serving-certificate ok");
    ASSERT_CONTAINS(out.data, "warn: some health checks cannot be excluded: no matches for "
                              "\"nope\",\"zzz\"\nlivez check passed\n");
}

TEST(health, lists_pages_that_are_all_served)
{
    size_t count = 0;

    for (;; count++) {
        AUTO(kin__buf_fini) kin__buf path = { 0 };
        bool is_check;
        if (!kin__health_path_at(count, &path)) {
            break;
        }
        ASSERT_TRUE(kin__health_serves(kin__str(path.data, path.len), &is_check));
    }
    ASSERT_TRUE(count > 90);
}
