/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dashboard_test.c - the page that the demo shows.
 */
#include "cli/dashboard.h"

#include <string.h>

#include "kin/informer.h"
#include "kin/testing/server.h"
#include "support/test.h"

static kin__cli_dashboard page = {
    .title = "a cluster",
    .resources = { { "pods", "watching", 12, 34000, 5 },
                   { "deployments", "watching", 3, 9000, 0 },
                   { "nodes", "listing", 0, 0, 0 } },
    .elapsed_ms = 2900,
    .duration_ms = 30000,
    .lag_us = 450,
    .longest_lag_us = 1234,
    .resident_bytes = 14200000,
};

static void expect_bytes(uint64_t bytes, const char *want)
{
    kin__cli_text out = { 0 };

    kin__cli_dashboard_show_bytes(bytes, &out);
    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_text_fini(&out);
}

TEST(dashboard, shows_how_informers_stand)
{
    kin__cli_text out = { 0 };

    kin__cli_dashboard_tell(&page, kin_str_of("1.0s pods ADDED shop/web-0"));
    kin__cli_dashboard_show(&page, NULL, &out);

    ASSERT_STR_EQ(kin__cli_text_chars(&out),
                  "a cluster\n2 s of 30, Ctrl-C ends\n"
                  "from a write to a handler 0.5 ms (at most 1.2 ms), memory of all 14 MB\n\n"
                  "INFORMER      STATE      OBJECTS   CHANGES   MEMORY\n"
                  "pods          watching   12        5         34 KB\n"
                  "deployments   watching   3         0         9 KB\n"
                  "nodes         listing    0         0         0 KB\n"
                  "\nLAST CHANGES\n1.0s pods ADDED shop/web-0\n");
    kin__cli_text_fini(&out);
    kin__cli_dashboard_fini(&page);
}

TEST(dashboard, keeps_the_last_changes_newest_first)
{
    kin__cli_text out = { 0 };
    char line[16];

    for (int i = 1; i <= 25; i++) {
        snprintf(line, sizeof line, "change %d", i);
        kin__cli_dashboard_tell(&page, kin_str_of(line));
    }
    kin__cli_dashboard_show(&page, NULL, &out);

    ASSERT_CONTAINS(kin__cli_text_chars(&out),
                    "LAST CHANGES\nchange 25\nchange 24\nchange 23\nchange 22\nchange 21\n"
                    "change 20\nchange 19\nchange 18\nchange 17\nchange 16\n");
    kin__cli_text_fini(&out);
    kin__cli_dashboard_fini(&page);
}

TEST(dashboard, is_summarized_on_a_line)
{
    kin__cli_text out = { 0 };

    page.lag_us = -1;
    kin__cli_dashboard_summarize(&page, &out);

    ASSERT_STR_EQ(kin__cli_text_chars(&out),
                  "12 pods (5 changes, watching), 3 deployments (0 changes, watching), "
                  "0 nodes (0 changes, listing), memory of all 14 MB\n");
    kin__cli_text_fini(&out);
}

TEST(dashboard, shows_bytes_in_units)
{
    expect_bytes(0, "0 KB");
    expect_bytes(1, "1 KB");
    expect_bytes(999000, "999 KB");
    expect_bytes(1500000, "1.5 MB");
    expect_bytes(10000000, "10 MB");
}

/* ---- with pods ------------------------------------------------------------------------------ */

static kin_error err;

static void put_pod(kin_server *server, const char *ns, int number, const char *phase)
{
    char json[256];
    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%d\","
                       "\"namespace\":\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                       "\"i\"}]},\"status\":{\"phase\":\"%s\"}}",
                       number, ns, phase);

    ASSERT_OK(kin_server_put(server, (kin_str){ json, (size_t) len }, NULL, &err));
}

static kin_informer *follow_pods(kin_client *client)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;

    options.resource = "pods";
    ASSERT_OK(kin_informer_new(client, &options, &informer, &err));
    ASSERT_OK(kin_informer_start(informer, &err));
    ASSERT_OK(kin_informer_wait_synced(informer, 20000, &err));
    return informer;
}

static void expect_namespaces(kin_server *server, const char *want)
{
    const char *text_of_config = kin_server_kubeconfig(server);
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin__cli_text out = { 0 };
    ASSERT_OK(
        kin_config_from_text(text_of_config, strlen(text_of_config), NULL, NULL, &config, &err));
    ASSERT_OK(kin_client_new(config, NULL, &client, &err));
    kin_informer *informer = follow_pods(client);
    kin_view view = kin_store_read(kin_informer_store(informer));

    kin__cli_dashboard_show(&page, &view, &out);

    ASSERT_CONTAINS(kin__cli_text_chars(&out), want);
    kin_store_done(&view);
    kin_informer_free(informer);
    kin_client_free(client);
    kin_config_unref(config);
    kin__cli_text_fini(&out);
}

TEST(dashboard, counts_pods_by_namespace_and_phase)
{
    kin_server *server = NULL;
    ASSERT_OK(kin_server_start(NULL, &server, &err));
    put_pod(server, "shop", 1, "Running");
    put_pod(server, "shop", 2, "Running");
    put_pod(server, "shop", 3, "Failed");
    put_pod(server, "bank", 1, "Pending");

    expect_namespaces(server, "\nNAMESPACE   PODS   Pending   Running   Succeeded   Failed\n"
                              "bank        1      1         0         0           0\n"
                              "shop        3      0         2         0           1\n\n");
    kin_server_stop(server);
}

TEST(dashboard, shows_the_first_namespaces_and_how_many_more_there_are)
{
    kin_server *server = NULL;
    char ns[8];
    ASSERT_OK(kin_server_start(NULL, &server, &err));
    for (int i = 0; i < 12; i++) {
        snprintf(ns, sizeof ns, "n%d", i);
        put_pod(server, ns, i, "Running");
    }

#define ROW(ns) ns "         1      0         1         0           0\n"
    expect_namespaces(server, ROW("n0 ") ROW("n1 ") ROW("n10") ROW("n11") ROW("n2 ") ROW("n3 ")
                                  ROW("n4 ") ROW("n5 ") "and 4 more\n\nLAST CHANGES\n");
    kin_server_stop(server);
}
