/* SPDX-License-Identifier: Apache-2.0 */
/*
 * furnish_test.c - what every cluster has without anybody's doing.
 */
#include "server/furnish.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "unit/server/serving.h"

static void start(serving *s)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.is_furnished = true;
    options.token = "";
    serving_start(s, &options);
}

static void assert_has(serving *s, const char *path, const char *part)
{
    int status;
    const char *body = serving_ask(s, "GET", path, "", &status);

    ASSERT_EQ(status, 200);
    ASSERT_TRUE(strstr(body, part) != NULL);
}

static int ask(serving *s, const char *method, const char *path, const char *body)
{
    int status;

    (void) serving_ask(s, method, path, body, &status);
    return status;
}

TEST(furnish, has_a_service_that_leads_to_the_server)
{
    serving s;
    char port[32];

    start(&s);
    (void) snprintf(port, sizeof port, "\"targetPort\":%s}",
                    strrchr(kin_server_url(s.server), ':') + 1);
    assert_has(&s, "/api/v1/namespaces/default/services/kubernetes", port);
    assert_has(&s, "/api/v1/namespaces/default/services/kubernetes", "\"clusterIP\":\"10.96.0.1\"");
    serving_stop(&s);
}

TEST(furnish, has_endpoints_that_lead_to_the_server)
{
    serving s;
    char want[128];

    start(&s);
    const char *port = strrchr(kin_server_url(s.server), ':') + 1;
    (void) snprintf(want, sizeof want,
                    "\"subsets\":[{\"addresses\":[{\"ip\":\"127.0.0.1\"}],\"ports\":[{\"name\":"
                    "\"https\",\"port\":%s,\"protocol\":\"TCP\"}]}]",
                    port);
    assert_has(&s, "/api/v1/namespaces/default/endpoints/kubernetes", want);
    (void) snprintf(want, sizeof want,
                    "\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":%s}]", port);
    assert_has(&s,
               "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
               "?labelSelector=kubernetes.io/service-name%3Dkubernetes",
               want);
    assert_has(&s, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
               "\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":[\"127.0.0.1\"],"
               "\"conditions\":{\"ready\":true}}]");
    serving_stop(&s);
}

TEST(furnish, has_the_priority_classes_of_the_system)
{
    serving s;

    start(&s);
    assert_has(&s, "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
               "\"value\":2000001000");
    assert_has(&s, "/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical",
               "\"value\":2000000000");
    serving_stop(&s);
}

TEST(furnish, has_the_addresses_of_services)
{
    serving s;

    start(&s);
    assert_has(&s, "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
               "\"spec\":{\"cidrs\":[\"10.96.0.0/12\"]},\"status\":{\"conditions\":[{\"type\":"
               "\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"20");
    assert_has(&s, "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
               "Z\",\"reason\":\"\",\"message\":\"Kubernetes default Service CIDR is ready\"}]}}");
    assert_has(&s, "/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1",
               "\"labels\":{\"ipaddress.kubernetes.io/ip-family\":\"IPv4\","
               "\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"}},\"spec\":{"
               "\"parentRef\":{\"resource\":\"services\",\"namespace\":\"default\",\"name\":"
               "\"kubernetes\"}}}");
    serving_stop(&s);
}

TEST(furnish, gives_each_namespace_an_account_and_the_certificate)
{
    serving s;

    start(&s);
    assert_has(&s, "/api/v1/namespaces/kube-system/serviceaccounts/default", "ServiceAccount");
    assert_has(&s, "/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt",
               "BEGIN CERTIFICATE");
    ASSERT_EQ(ask(&s, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"shop\"}}"), 201);
    serving_pass(&s, 0);
    assert_has(&s, "/api/v1/namespaces/shop/serviceaccounts/default", "ServiceAccount");
    assert_has(&s, "/api/v1/namespaces/shop/configmaps/kube-root-ca.crt", "BEGIN CERTIFICATE");
    serving_stop(&s);
}

TEST(furnish, gives_it_again_when_it_was_taken_away)
{
    serving s;

    start(&s);
    ASSERT_EQ(ask(&s, "DELETE", "/api/v1/namespaces/default/serviceaccounts/default", ""), 200);
    ASSERT_EQ(ask(&s, "DELETE", "/api/v1/namespaces/default/configmaps/kube-root-ca.crt", ""), 200);
    serving_pass(&s, 0);
    assert_has(&s, "/api/v1/namespaces/default/serviceaccounts/default", "ServiceAccount");
    assert_has(&s, "/api/v1/namespaces/default/configmaps/kube-root-ca.crt", "BEGIN CERTIFICATE");
    serving_stop(&s);
}

TEST(furnish, keeps_the_certificate_as_it_is)
{
    serving s;

    start(&s);
    ASSERT_EQ(ask(&s, "PUT", "/api/v1/namespaces/default/configmaps/kube-root-ca.crt",
                  "{\"metadata\":{\"name\":\"kube-root-ca.crt\"},\"data\":{\"ca.crt\":\"\"}}"),
              200);
    serving_pass(&s, 0);
    assert_has(&s, "/api/v1/namespaces/default/configmaps/kube-root-ca.crt", "BEGIN CERTIFICATE");
    serving_stop(&s);
}

TEST(furnish, holds_up_no_namespace_that_is_to_go)
{
    serving s;

    start(&s);
    ASSERT_EQ(ask(&s, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"shop\"}}"), 201);
    serving_pass(&s, 0);
    ASSERT_EQ(ask(&s, "DELETE", "/api/v1/namespaces/shop", ""), 200);
    serving_pass(&s, 0);
    ASSERT_EQ(ask(&s, "GET", "/api/v1/namespaces/shop", ""), 404);
    serving_stop(&s);
}

TEST(furnish, is_absent_unless_it_is_wanted)
{
    serving s;

    serving_start(&s, NULL);
    ASSERT_EQ(ask(&s, "GET", "/api/v1/namespaces/default/services/kubernetes", ""), 404);
    ASSERT_EQ(ask(&s, "GET", "/api/v1/namespaces/default/serviceaccounts/default", ""), 404);
    serving_stop(&s);
}

TEST_FAILING_ALLOC(furnish, survives_every_lack_of_memory)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.is_furnished = true;
    options.has_no_tls = true; /* what OpenSSL takes is not counted */
    kin_err code = kin_server_start(&options, &server, &err);
    kin_server_stop(server);
    return code;
}
