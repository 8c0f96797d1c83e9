/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_test.c - servers that start and stop.
 */
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serving.h"

TEST(server, has_the_namespaces_of_a_new_cluster)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    const char *list = serving_ask(&s, "GET", "/api/v1/namespaces", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(list, "\"name\":\"default\"");
    ASSERT_CONTAINS(list, "\"name\":\"kube-node-lease\"");
    ASSERT_CONTAINS(list, "\"name\":\"kube-public\"");
    ASSERT_CONTAINS(list, "\"name\":\"kube-system\"");
    serving_stop(&s);
}

TEST(server, lives_beside_others_of_its_kind)
{
    kin_server *servers[8];
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_error err;

    for (int i = 0; i < 8; i++) {
        options.has_no_tls = i % 2 == 0;
        ASSERT_OK(kin_server_start(&options, &servers[i], &err));
        ASSERT_CONTAINS(kin_server_url(servers[i]),
                        i % 2 == 0 ? "http://127.0.0.1:" : "https://127.0.0.1:");
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < i; j++) {
            ASSERT_TRUE(strcmp(kin_server_url(servers[i]), kin_server_url(servers[j])) != 0);
        }
    }
    for (int i = 0; i < 8; i++) {
        kin_server_stop(servers[i]);
    }
}

TEST(server, hands_out_a_kubeconfig)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.token = "se\"cret";
    ASSERT_OK(kin_server_start(&options, &server, &err));
    const char *config = kin_server_kubeconfig(server);
    ASSERT_CONTAINS(config, "\"token\":\"se\\\"cret\"");
    ASSERT_CONTAINS(config, kin_server_url(server));
    ASSERT_CONTAINS(config,
                    "\"certificate-authority-data\":\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t");
    kin_server_stop(server);
}

TEST(server, is_refused_a_port_that_is_taken_and_an_address_that_is_none)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL, *second = NULL;
    kin_error err;

    ASSERT_OK(kin_server_start(NULL, &server, &err));
    options.port = (uint16_t) strtoul(strrchr(kin_server_url(server), ':') + 1, NULL, 10);
    ASSERT_ERR(kin_server_start(&options, &second, &err), KIN_ERR_SYSTEM);
    ASSERT_CONTAINS(err.message, "server: ");
    options.port = 0;
    options.address = "nowhere";
    ASSERT_ERR(kin_server_start(&options, &second, &err), KIN_ERR_USAGE);
    options.size = 3;
    ASSERT_ERR(kin_server_start(&options, &second, &err), KIN_ERR_USAGE);
    kin_server_stop(server);
    kin_server_stop(NULL);
}

TEST(server, refuses_connections_on_command)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"reset\",\"ms\":1000}");
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_TRUE(v.is_closed);
    visitor_leave(&v);
    serving_pass(&s, 1000);
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(server, may_take_the_place_of_another_with_its_authority)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    ASSERT_OK(kin_server_start(&options, &server, &err));
    char *authority = strdup(kin_server_authority(server));
    char *kubeconfig = strdup(kin_server_kubeconfig(server));
    char token[64];
    options.port = (uint16_t) strtoul(strrchr(kin_server_url(server), ':') + 1, NULL, 10);
    (void) snprintf(token, sizeof token, "%.36s",
                    strstr(kubeconfig, "\"token\":\"") + strlen("\"token\":\""));
    kin_server_stop(server);
    options.authority = authority;
    options.token = token;
    ASSERT_OK(kin_server_start(&options, &server, &err));
    ASSERT_STR_EQ(kin_server_kubeconfig(server), kubeconfig);
    ASSERT_STR_EQ(kin_server_authority(server), authority);
    kin_server_stop(server);
    options.authority = "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n";
    ASSERT_ERR(kin_server_start(&options, &server, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "server: no authority's certificate with its key");
    free(authority);
    free(kubeconfig);
}

TEST(server, hands_out_no_token_when_it_asks_for_none)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.token = "";
    ASSERT_OK(kin_server_start(&options, &server, &err));
    ASSERT_TRUE(strstr(kin_server_kubeconfig(server), "token") == NULL);
    kin_server_stop(server);
}

TEST(server, has_no_authority_without_tls)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.has_no_tls = true;
    ASSERT_OK(kin_server_start(&options, &server, &err));
    ASSERT_TRUE(kin_server_authority(server) == NULL);
    ASSERT_TRUE(strstr(kin_server_kubeconfig(server), "certificate-authority-data") == NULL);
    kin_server_stop(server);
}

/* A fault of connections that another one takes the place of ends, and so does its time. */
TEST(server, meets_connections_as_the_last_fault_says)
{
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"ignore\",\"ms\":1000}");
    serving_fault(&s, "{\"do\":\"reset\"}");
    serving_pass(&s, 5000);
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_TRUE(v.is_closed);
    visitor_leave(&v);
    ASSERT_OK(kin_server_end_fault(s.server, 1, &err)); /* which is over: nothing ends */
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_TRUE(v.is_closed);
    visitor_leave(&v);
    ASSERT_OK(kin_server_end_fault(s.server, 2, &err));
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    ASSERT_ERR(kin_server_end_fault(s.server, 2, &err), KIN_ERR_NOT_FOUND);
    serving_fault(&s, "{\"do\":\"reset\"}");
    ASSERT_OK(kin_server_end_fault(s.server, 0, &err));
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(server, has_a_bookmark_as_often_as_it_is_told)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;

    options.has_no_tls = true;
    options.token = "";
    options.bookmark_ms = 5000;
    serving_start(&s, &options);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1&allowWatchBookmarks=1", "", NULL);
    ASSERT_CONTAINS(visitor_read_line(&v), "initial-events-end");
    serving_put(&s, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}");
    serving_pass(&s, 5000);
    ASSERT_CONTAINS(visitor_read_line(&v), "{\"type\":\"BOOKMARK\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(server, forgets_no_version_that_is_yet_to_come)
{
    serving s;
    visitor v;
    char path[96];
    kin_error err;

    serving_start(&s, NULL);
    uint64_t last = serving_put_config(&s, "a", "{}", "1");
    ASSERT_OK(kin_server_compact(s.server, 1000000, &err));
    serving_put_config(&s, "b", "{}", "1");
    (void) snprintf(path, sizeof path, "/api/v1/configmaps?watch=1&resourceVersion=%llu",
                    (unsigned long long) last);
    visitor_ask(&v, &s, "GET", path, "", NULL);
    ASSERT_CONTAINS(visitor_read_line(&v), "\"name\":\"b\"");
    visitor_leave(&v);
    serving_stop(&s);
}

/* Autoscalers are served in two versions. */
/* As etcd is compacted every five minutes on a real cluster; watches are served from a cache. */
TEST(server, lets_lists_but_no_watches_grow_old)
{
    static const char page[] = "/api/v1/namespaces/default/configmaps?limit=1";
    serving s;
    visitor v;
    char path[512];
    int status;

    serving_start(&s, NULL);
    uint64_t first = serving_put_config(&s, "a", "{}", "1");
    (void) serving_put_config(&s, "b", "{}", "1");
    const char *body = serving_ask(&s, "GET", page, "", &status);
    const char *token = strstr(body, "\"continue\":\"") + 12;
    snprintf(path, sizeof path, "%s&continue=%.*s", page, (int) strcspn(token, "\""), token);

    (void) serving_put_config(&s, "a", "{}", "2");
    serving_pass(&s, 299000);
    (void) serving_ask(&s, "GET", path, "", &status);
    ASSERT_EQ(status, 200);
    serving_pass(&s, 1000);
    serving_pass(&s, 300000);
    body = serving_ask(&s, "GET", path, "", &status);
    ASSERT_EQ(status, 410);
    ASSERT_TRUE(strstr(body, "\"continue\":\"") != NULL);

    snprintf(path, sizeof path,
             "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=%llu",
             (unsigned long long) first);
    visitor_ask(&v, &s, "GET", path, "", "");
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(server, counts_an_object_once_in_whatever_versions_it_is_served)
{
    serving s;
    kin_server_counts before, after;

    serving_start(&s, NULL);
    kin_server_get_counts(s.server, &before);
    serving_put(&s, "{\"apiVersion\":\"autoscaling/v2\",\"kind\":\"HorizontalPodAutoscaler\","
                    "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"spec\":{"
                    "\"maxReplicas\":1,\"scaleTargetRef\":{\"kind\":\"Deployment\",\"name\":"
                    "\"d\",\"apiVersion\":\"apps/v1\"}}}");
    kin_server_get_counts(s.server, &after);
    ASSERT_EQ(after.objects, before.objects + 1);
    ASSERT_EQ(after.changes, before.changes + 1);
    serving_stop(&s);
}

TEST(server, puts_an_address_of_version_6_into_brackets)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.address = "::1";
    kin_err code = kin_server_start(&options, &server, &err);
    if (code == KIN_ERR_SYSTEM) {
        return; /* this machine has no such address */
    }
    ASSERT_OK(code);
    ASSERT_CONTAINS(kin_server_url(server), "https://[::1]:");
    kin_server_stop(server);
}

TEST_FAILING_ALLOC(server, starts_or_fails_cleanly_without_memory)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_error err;

    options.has_no_tls = true; /* what OpenSSL takes is not counted */
    kin_err code = kin_server_start(&options, &server, &err);
    kin_server_stop(server);
    return code;
}

/* OpenSSL that has taken itself down refuses to begin again. */
static void tell_whether_openssl_works(void)
{
    _exit(OPENSSL_init_crypto(0, NULL) == 1 ? 0 : 1);
}

/* Its thread may be inside of OpenSSL then.  What is registered first is called last. */
TEST(server, may_be_left_running_at_the_end_of_the_process)
{
    kin_server *server = NULL;
    int status = 0;

    pid_t child = fork();
    if (child == 0) {
        ASSERT_EQ(atexit(tell_whether_openssl_works), 0);
        ASSERT_OK(kin_server_start(NULL, &server, NULL));
        exit(2);
    }

    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
}
