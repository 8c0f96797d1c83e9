/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attend_test.c - visits: who is let in, the headers of answers, and faults of requests.
 */
#include <stdio.h>
#include <string.h>

#include "serving.h"

#define CONFIGS "/api/v1/namespaces/default/configmaps"

static void start_with_token(serving *s)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;

    options.has_no_tls = true;
    options.token = "secret";
    serving_start(s, &options);
}

TEST(attend, asks_for_the_token)
{
    serving s;
    visitor v;

    start_with_token(&s);
    visitor_ask(&v, &s, "GET", CONFIGS, "Authorization: Bearer secret\r\n", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", CONFIGS, "Authorization: Bearer other\r\n", NULL);
    ASSERT_EQ(v.status, 401);
    ASSERT_STR_EQ(visitor_read_all(&v),
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":"
                  "401}\n");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_EQ(v.status, 403);
    ASSERT_CONTAINS(visitor_read_all(&v), "User \\\"system:anonymous\\\" cannot list resource");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_EQ(v.status, 200);
    ASSERT_STR_EQ(visitor_read_all(&v), "ok");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, looks_at_the_timeout_before_all_else)
{
    static const char *const paths[] = { CONFIGS "?timeout=invalid", "/version?timeout=invalid",
                                         "/healthz?timeout=invalid", "/nothing?timeout=invalid" };
    serving s;
    visitor v;

    start_with_token(&s);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        visitor_ask(&v, &s, "GET", paths[i], "Authorization: Bearer other\r\n", NULL);
        ASSERT_EQ(v.status, 400);
        ASSERT_CONTAINS(visitor_read_all(&v), "invalid timeout specified in the request URL");
        visitor_leave(&v);
    }
    visitor_ask(&v, &s, "GET", "/version?timeout=1s", "Authorization: Bearer secret\r\n", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, lets_in_a_service_account_by_its_token)
{
#define ACCOUNTS "/api/v1/namespaces/default/serviceaccounts"
    serving s;
    visitor v;
    kin_server_answer answer;
    char header[1024];
    kin_error err;

    start_with_token(&s);
    ASSERT_OK(kin_server_ask(s.server, "POST", ACCOUNTS, "application/json",
                             kin_str_of("{\"metadata\":{\"name\":\"bot\"}}"), &answer, &err));
    kin_server_answer_fini(&answer);
    ASSERT_OK(kin_server_ask(s.server, "POST", ACCOUNTS "/bot/token", "application/json",
                             kin_str_of("{}"), &answer, &err));
    ASSERT_EQ(answer.status, 201);
    const char *token = strstr(answer.body, "\"token\":\"") + strlen("\"token\":\"");
    (void) snprintf(header, sizeof header, "Authorization: Bearer %.*s\r\n",
                    (int) strcspn(token, "\""), token);
    kin_server_answer_fini(&answer);

    visitor_ask(&v, &s, "GET", CONFIGS, header, NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    visitor_ask(&v, &s, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", header, "{}");
    ASSERT_EQ(v.status, 201);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"username\":\"system:serviceaccount:default:bot\"");
    visitor_leave(&v);
    ASSERT_OK(kin_server_forbid(s.server, kin_str_of("[{\"verbs\":[\"list\"]}]"), &err));
    visitor_ask(&v, &s, "GET", CONFIGS, header, NULL);
    ASSERT_EQ(v.status, 403);
    ASSERT_CONTAINS(visitor_read_all(&v),
                    "User \\\"system:serviceaccount:default:bot\\\" cannot list resource");
    visitor_leave(&v);
    kin__virtual_clock_advance(&s.clock, 3600 * 1000);
    visitor_ask(&v, &s, "GET", CONFIGS, header, NULL);
    ASSERT_EQ(v.status, 401);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, lets_nobody_in_by_a_token_that_is_for_another_audience)
{
    serving s;
    visitor v;
    kin_server_answer answer;
    char header[1024];
    kin_error err;

    start_with_token(&s);
    ASSERT_OK(kin_server_ask(s.server, "POST", ACCOUNTS, "application/json",
                             kin_str_of("{\"metadata\":{\"name\":\"bot\"}}"), &answer, &err));
    kin_server_answer_fini(&answer);
    ASSERT_OK(kin_server_ask(s.server, "POST", ACCOUNTS "/bot/token", "application/json",
                             kin_str_of("{\"spec\":{\"audiences\":[\"vault\"]}}"), &answer, &err));
    const char *token = strstr(answer.body, "\"token\":\"") + strlen("\"token\":\"");
    (void) snprintf(header, sizeof header, "Authorization: Bearer %.*s\r\n",
                    (int) strcspn(token, "\""), token);
    kin_server_answer_fini(&answer);

    visitor_ask(&v, &s, "GET", CONFIGS, header, NULL);

    ASSERT_EQ(v.status, 401);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, changes_the_token_and_the_rules_while_it_runs)
{
    serving s;
    visitor v;
    kin_error err;

    start_with_token(&s);
    ASSERT_OK(kin_server_set_token(s.server, "other", &err));
    visitor_ask(&v, &s, "GET", CONFIGS, "Authorization: Bearer secret\r\n", NULL);
    ASSERT_EQ(v.status, 401);
    visitor_leave(&v);
    ASSERT_OK(kin_server_set_token(s.server, "", &err));
    ASSERT_OK(kin_server_forbid(s.server, kin_str_of("[{\"verbs\":[\"list\"]}]"), &err));
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_EQ(v.status, 403);
    ASSERT_CONTAINS(visitor_read_all(&v),
                    "configmaps is forbidden: User \\\"kin\\\" cannot list resource "
                    "\\\"configmaps\\\" in API group \\\"\\\" in the namespace \\\"default\\\"");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", CONFIGS "?watch=1", "", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, refuses_a_body_that_is_too_large_and_closes)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "POST", CONFIGS, "Content-Length: 4000000\r\n", NULL);
    ASSERT_EQ(v.status, 413);
    ASSERT_CONTAINS(v.head.chars, "Connection: close\r\n");
    ASSERT_CONTAINS(visitor_read_all(&v),
                    "\"message\":\"Request entity too large: limit is 3145728\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, warns_in_a_header)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "POST", CONFIGS, "",
                "{\"metadata\":{\"name\":\"a\"},\"f\\\"oo\":1,\"bar\":2}");
    ASSERT_EQ(v.status, 201);
    ASSERT_CONTAINS(v.head.chars, "\r\nWarning: 299 - \"unknown field \\\"bar\\\"\"\r\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, answers_with_the_status_of_a_fault_as_often_as_it_was_told)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(
        &s, "{\"do\":\"status\",\"code\":503,\"retry_after\":9,\"times\":2,\"verb\":\"list\"}");
    for (int i = 0; i < 3; i++) {
        visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
        ASSERT_EQ(v.status, i < 2 ? 503 : 200);
        if (i < 2) {
            ASSERT_CONTAINS(v.head.chars, "\r\nRetry-After: 9\r\n");
        }
        visitor_leave(&v);
    }
    serving_stop(&s);
}

/* As real servers refuse what is too much, and proxies what they cannot reach. */
TEST(attend, answers_with_the_status_of_a_fault_in_plain_text)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"status\",\"code\":429,\"retry_after\":2,\"text\":true,"
                      "\"message\":\"Too many requests, please try again later.\\n\"}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_EQ(v.status, 429);
    ASSERT_CONTAINS(v.head.chars, "\r\nContent-Type: text/plain; charset=utf-8\r\n");
    ASSERT_CONTAINS(v.head.chars, "\r\nRetry-After: 2\r\n");
    ASSERT_STR_EQ(visitor_read_all(&v), "Too many requests, please try again later.\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, goes_on_after_a_stall_that_ends)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"stall\",\"after_bytes\":10,\"ms\":5000}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    for (int i = 0; i < 10; i++) {
        ASSERT_TRUE(visitor_read_byte(&v) > 0);
    }
    serving_pass(&s, 4999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    ASSERT_CONTAINS(visitor_read_all(&v), "onfigMapList");
    ASSERT_TRUE(v.is_over);
    visitor_leave(&v);
    serving_stop(&s);
}

/* A delay cannot be read from a connection that is not answered: the request is sent, time passes,
 * and then the answer is there. */
TEST(attend, delays_an_answer)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"delay\",\"ms\":5000,\"verb\":\"list\"}");
    serving_fault(&s, "{\"do\":\"status\",\"code\":500,\"verb\":\"list\"}");
    kin_server_counts counts;
    visitor_send(&v, &s, "GET", CONFIGS, "", NULL);
    do {
        kin_server_get_counts(s.server, &counts);
    } while (counts.requests == 0);
    serving_pass(&s, 4999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1);
    visitor_read_head(&v);
    ASSERT_EQ(v.status, 500);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, forgets_a_delayed_visit_whose_client_is_gone)
{
    serving s;
    visitor v;
    kin_server_counts counts;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"delay\",\"ms\":5000,\"times\":0}");
    visitor_send(&v, &s, "GET", CONFIGS, "", NULL);
    do {
        kin_server_get_counts(s.server, &counts);
    } while (counts.requests == 0);
    visitor_leave(&v);
    serving_pass(&s, 5000);
    visitor_send(&v, &s, "GET", CONFIGS, "", NULL);
    do {
        kin_server_get_counts(s.server, &counts);
    } while (counts.requests == 1);
    serving_stop(&s); /* with one that waits */
    visitor_leave(&v);
}

TEST(attend, drops_cuts_and_corrupts)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"drop\"}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_TRUE(v.is_closed && v.status == 0);
    visitor_leave(&v);
    serving_fault(&s, "{\"do\":\"cut\",\"after_bytes\":10}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_EQ(v.status, 200);
    ASSERT_STR_EQ(visitor_read_all(&v), "{\"kind\":\"C");
    ASSERT_FALSE(v.is_over);
    visitor_leave(&v);
    serving_fault(&s, "{\"do\":\"corrupt\",\"after_bytes\":2}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "{\"~ind\":\"ConfigMapList\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, drips_a_slow_body)
{
    serving s;
    visitor v;
    text seen = { 0 };

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"slow\",\"bytes_per_second\":100}");
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    visitor_leave(&v);
    serving_fault(&s, "{\"do\":\"slow\",\"bytes_per_second\":100}");
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    for (int i = 0; i < 100 && !v.is_over; i++) {
        size_t before = seen.len;
        while (!v.is_over && !visitor_is_silent(&v, &s)) {
            int byte = visitor_read_byte(&v);
            if (byte >= 0) {
                text_append(&seen, "%c", byte);
            }
        }
        ASSERT_TRUE(seen.len - before <= 10);
        serving_pass(&s, 100);
    }
    ASSERT_TRUE(v.is_over);
    ASSERT_CONTAINS(seen.chars, "{\"kind\":\"ConfigMapList\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, compresses_what_is_large)
{
    static char json[200000];
    serving s;
    visitor v;
    kin_error err;

    serving_start(&s, NULL);
    int len = snprintf(json, sizeof json,
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
                       "\"default\",\"name\":\"a\"},\"data\":{\"v\":\"");
    memset(json + len, 'x', 150000);
    memcpy(json + len + 150000, "\"}}", sizeof "\"}}");
    ASSERT_OK(kin_server_put(s.server, kin_str_of(json), NULL, &err));
    visitor_ask(&v, &s, "GET", CONFIGS, "Accept-Encoding: gzip\r\n", NULL);
    ASSERT_CONTAINS(v.head.chars, "\r\nContent-Encoding: gzip\r\n");
    ASSERT_CONTAINS(v.head.chars, "\r\nVary: Accept-Encoding\r\n");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", CONFIGS, "", NULL);
    ASSERT_TRUE(strstr(v.head.chars, "Content-Encoding") == NULL);
    visitor_leave(&v);
    serving_stop(&s);
}

/* Asks, and counts the bytes and the annotations that came. */
static size_t enlarged(serving *s, const char *path, const char *headers, size_t *out_count)
{
    visitor v;
    size_t len = 0;
    size_t count = 0;

    visitor_ask(&v, s, "GET", path, headers, NULL);
    ASSERT_EQ(v.status, 200);
    const char *body = visitor_read_all(&v);
    len = v.body.len;
    for (const char *at = body; (at = strstr(at, "kin.test/oversize")) != NULL; at++) {
        count++;
    }
    ASSERT_TRUE(strstr(path, "configmaps/") != NULL || headers[0] != '\0' ||
                strstr(body, "\"kind\":\"ConfigMap\"") == NULL); /* items do not say theirs */
    visitor_leave(&v);
    *out_count = count;
    return len;
}

TEST(attend, enlarges_an_item_of_a_list_or_the_object_that_is_asked_for)
{
    static const struct {
        const char *path, *headers;
        unsigned after;
        size_t count;
    } cases[] = {
        { "/api/v1/configmaps", "", 0, 1 },
        { "/api/v1/configmaps", "", 2, 1 },
        { "/api/v1/configmaps", "", 3, 0 },
        { "/api/v1/configmaps?limit=2", "", 1, 1 },
        { "/api/v1/configmaps", "Accept: application/json;as=Table;g=meta.k8s.io;v=v1\r\n", 1, 1 },
        { "/api/v1/configmaps",
          "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n", 1, 1 },
        { "/api/v1/namespaces/default/configmaps/b", "", 0, 1 },
        { "/api/v1/namespaces/default/configmaps/b", "", 1, 0 },
        { "/api/v1/namespaces/default/configmaps/b",
          "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n", 0, 1 },
    };
    serving s;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "b", "{}", "2");
    serving_put_config(&s, "c", "{}", "3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count;
        size_t before = enlarged(&s, cases[i].path, cases[i].headers, &count);
        char fault[96];
        ASSERT_EQ(count, 0);
        (void) snprintf(fault, sizeof fault,
                        "{\"do\":\"oversize\",\"size\":3000,\"after_events\":%u}", cases[i].after);
        serving_fault(&s, fault);
        size_t after = enlarged(&s, cases[i].path, cases[i].headers, &count);
        ASSERT_EQ(count, cases[i].count);
        ASSERT_TRUE(cases[i].count == 0 ? after == before : after > before + 3000);
        ASSERT_EQ(enlarged(&s, cases[i].path, cases[i].headers, &count), before);
    }
    serving_stop(&s);
}

TEST(attend, leaves_consistent_reads_to_those_that_are_not_behind)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "old");
    serving_put_config(&s, "a", "{}", "new");
    serving_fault(&s, "{\"do\":\"back-in-time\",\"by\":1,\"times\":2}");
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps", "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"v\":\"new\"");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/namespaces/default/configmaps/a", "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"v\":\"new\"");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?resourceVersion=0", "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"v\":\"old\"");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/namespaces/default/configmaps/a?resourceVersion=0", "",
                NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"v\":\"old\"");
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?resourceVersion=0", "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&v), "\"v\":\"new\"");
    visitor_leave(&v);
    serving_stop(&s);
}

#define STREAM "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"

/* Who asks for a version that the replica has not is told so, unless it lies. */
TEST(attend, lies_about_the_past_when_it_is_told_to)
{
    static const char *const paths[] = {
        "/api/v1/configmaps?resourceVersion=%",
        "/api/v1/configmaps?resourceVersion=%&resourceVersionMatch=Exact",
        "/api/v1/namespaces/default/configmaps/a?resourceVersion=%",
        STREAM "&resourceVersion=%",
    };
    serving s;
    visitor v;
    char path[256];

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "old");
    uint64_t newest = serving_put_config(&s, "a", "{}", "new");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        serving_fault(&s, "{\"do\":\"back-in-time\",\"by\":1,\"lies\":true}");
        const char *mark = strchr(paths[i], '%');
        snprintf(path, sizeof path, "%.*s%llu%s", (int) (mark - paths[i]), paths[i],
                 (unsigned long long) newest, mark + 1);

        visitor_ask(&v, &s, "GET", path, "", NULL);

        ASSERT_EQ(v.status, 200);
        ASSERT_CONTAINS(i == 3 ? visitor_read_line(&v) : visitor_read_all(&v), "\"v\":\"old\"");
        visitor_leave(&v);
    }
    serving_stop(&s);
}

/* Until the server has the first one. */
static void await_request(const serving *s)
{
    kin_server_counts counts;

    do {
        kin_server_get_counts(s->server, &counts);
    } while (counts.requests == 0);
}

TEST(attend, delays_an_answer_once_for_each_request)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"delay\",\"ms\":1000,\"times\":0}");
    visitor_send(&v, &s, "GET", "/readyz", "", NULL);
    await_request(&s);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 1000);
    visitor_read_head(&v);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, waits_once_for_a_version_to_come)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_send(&v, &s, "GET", "/api/v1/configmaps?resourceVersion=999", "", NULL);
    await_request(&s);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    serving_pass(&s, 3000);
    visitor_read_head(&v);
    ASSERT_EQ(v.status, 504);
    ASSERT_CONTAINS(v.head.chars, "Retry-After: 1\r\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, does_not_compress_a_watch)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1", "Accept-Encoding: gzip\r\n", NULL);
    ASSERT_EQ(v.status, 200);
    ASSERT_TRUE(strstr(v.head.chars, "Content-Encoding") == NULL);
    serving_put_config(&s, "a", "{}", "1");
    ASSERT_CONTAINS(visitor_read_line(&v), "{\"type\":\"ADDED\"");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, says_that_a_refusal_in_plain_text_is_that)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/apis/none.example.com/v1", "", NULL);
    ASSERT_EQ(v.status, 404);
    ASSERT_CONTAINS(v.head.chars, "Content-Type: text/plain; charset=utf-8\r\n");
    ASSERT_CONTAINS(v.head.chars, "X-Content-Type-Options: nosniff\r\n");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, cuts_every_connection_on_command)
{
    serving s;
    visitor v;
    int status;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    serving_fault(&s, "{\"do\":\"cut-all\"}");
    ASSERT_TRUE(visitor_read_line(&v) == NULL);
    ASSERT_TRUE(v.is_closed);
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/kin/faults", "", &status),
                    "\"do\":\"cut-all\",\"times\":1,\"met\":1,\"over\":true");
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(attend, drips_a_body_however_slow_it_is)
{
    serving s;
    visitor v;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"slow\",\"bytes_per_second\":1}");
    visitor_ask(&v, &s, "GET", "/readyz", "", NULL);
    ASSERT_EQ(visitor_read_byte(&v), 'o');
    serving_pass(&s, 100);
    ASSERT_EQ(visitor_read_byte(&v), 'k');
    visitor_leave(&v);
    serving_stop(&s);
}
