/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_test.c - the server's strings, pulled over HTTP.
 */
#include <string.h>

#include "serving.h"

TEST(control, adds_lists_and_ends_faults)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    ASSERT_STR_EQ(serving_ask(&s, "POST", "/kin/faults", "{\"do\":\"drop\"}", &status),
                  "{\"id\":1}\n");
    ASSERT_EQ(status, 201);
    serving_ask(&s, "POST", "/kin/faults", "{\"do\":\"cut\",\"times\":3}", &status);
    ASSERT_STR_EQ(serving_ask(&s, "GET", "/kin/faults", "", &status),
                  "[{\"id\":1,\"do\":\"drop\",\"times\":1,\"met\":0,\"over\":false},"
                  "{\"id\":2,\"do\":\"cut\",\"times\":3,\"met\":0,\"over\":false}]\n");
    serving_ask(&s, "DELETE", "/kin/faults/1", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(serving_ask(&s, "DELETE", "/kin/faults/1", "", &status),
                    "no fault has the number 1");
    ASSERT_EQ(status, 404);
    serving_ask(&s, "DELETE", "/kin/faults", "", &status);
    ASSERT_STR_EQ(serving_ask(&s, "GET", "/kin/faults", "", &status), "[]\n");
    serving_stop(&s);
}

TEST(control, lists_faults_that_are_over_behind_those_that_are_not)
{
    serving s;
    visitor v;
    int status;

    serving_start(&s, NULL);
    serving_fault(&s, "{\"do\":\"status\",\"code\":500,\"verb\":\"list\"}");
    serving_fault(&s, "{\"do\":\"drop\",\"verb\":\"create\"}");
    serving_fault(&s, "{\"do\":\"cut\",\"now\":true}");
    serving_fault(&s, "{\"do\":\"token\",\"token\":\"\"}");
    serving_fault(&s, "{\"do\":\"reset\",\"ms\":1000}");
    serving_fault(&s, "{\"do\":\"ignore\",\"ms\":2000}");
    ASSERT_STR_EQ(serving_ask(&s, "GET", "/kin/faults", "", &status),
                  "[{\"id\":1,\"do\":\"status\",\"times\":1,\"met\":0,\"over\":false},"
                  "{\"id\":2,\"do\":\"drop\",\"times\":1,\"met\":0,\"over\":false},"
                  "{\"id\":6,\"do\":\"ignore\",\"times\":1,\"met\":0,\"over\":false},"
                  "{\"id\":3,\"do\":\"cut\",\"times\":1,\"met\":0,\"over\":true},"
                  "{\"id\":4,\"do\":\"token\",\"times\":1,\"met\":1,\"over\":true},"
                  "{\"id\":5,\"do\":\"reset\",\"times\":1,\"met\":0,\"over\":true}]\n");
    serving_pass(&s, 2000);
    visitor_ask(&v, &s, "GET", "/api/v1/pods", "", NULL);
    ASSERT_EQ(v.status, 500);
    visitor_leave(&v);
    const char *list = serving_ask(&s, "GET", "/kin/faults", "", &status);
    ASSERT_CONTAINS(list, "{\"id\":6,\"do\":\"ignore\",\"times\":1,\"met\":0,\"over\":true},"
                          "{\"id\":1,\"do\":\"status\",\"times\":1,\"met\":1,\"over\":true}]");
    serving_ask(&s, "DELETE", "/kin/faults/1", "", &status);
    ASSERT_EQ(status, 200);
    serving_stop(&s);
}

TEST(control, refuses_what_makes_no_sense)
{
    static const struct {
        const char *method, *path, *body;
        int status;
    } cases[] = {
        { "POST", "/kin/faults", "{", 400 },
        { "POST", "/kin/faults", "{\"do\":\"what\"}", 400 },
        { "POST", "/kin/faults", "{\"do\":\"drop\",\"now\":true}", 400 },
        { "PATCH", "/kin/faults", "", 405 },
        { "GET", "/kin/", "", 404 },
        { "GET", "/kin/faultsx", "", 404 },
        { "DELETE", "/kin/faults/0", "", 404 },
        { "DELETE", "/kin/faults/x", "", 404 },
        { "POST", "/kin/compact/x", "", 404 },
        { "PUT", "/kin/rules", "{}", 400 },
    };
    serving s;

    serving_start(&s, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        serving_ask(&s, cases[i].method, cases[i].path, cases[i].body, &status);
        ASSERT_EQ(status, cases[i].status);
    }
    serving_stop(&s);
}

TEST(control, takes_no_body_that_is_too_large_for_an_empty_one)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;

    options.has_no_tls = true;
    options.token = "secret";
    serving_start(&s, &options);
    visitor_ask(&v, &s, "PUT", "/kin/token", "Content-Length: 4000000\r\n", NULL);
    ASSERT_EQ(v.status, 413);
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/pods", "", NULL);
    ASSERT_EQ(v.status, 403);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(control, is_open_to_who_has_no_token_any_more)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    serving s;
    visitor v;

    options.has_no_tls = true;
    options.token = "secret";
    serving_start(&s, &options);
    visitor_ask(&v, &s, "PUT", "/kin/token", "", "other");
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    visitor_ask(&v, &s, "GET", "/api/v1/pods", "Authorization: Bearer other\r\n", NULL);
    ASSERT_EQ(v.status, 200);
    visitor_leave(&v);
    serving_stop(&s);
}

/* The one on which the fault came is answered. */
TEST(control, freezes_what_is_open_until_it_thaws)
{
    serving s;
    visitor v, other;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    visitor_ask(&other, &s, "POST", "/kin/faults", "", "{\"do\":\"freeze\",\"ms\":5000}");
    ASSERT_EQ(other.status, 201);
    visitor_leave(&other);
    serving_put_config(&s, "a", "{}", "1");
    serving_pass(&s, 4999);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_ask(&other, &s, "GET", "/kin/faults", "", NULL);
    ASSERT_STR_EQ(visitor_read_all(&other),
                  "[{\"id\":1,\"do\":\"freeze\",\"times\":1,\"met\":1,\"over\":false}]\n");
    visitor_leave(&other);
    serving_pass(&s, 1);
    ASSERT_CONTAINS(visitor_read_line(&v), "\"name\":\"a\"");
    visitor_ask(&other, &s, "GET", "/kin/faults", "", NULL);
    ASSERT_CONTAINS(visitor_read_all(&other), "\"over\":true");
    visitor_leave(&other);
    visitor_leave(&v);
    serving_stop(&s);
}

TEST(control, thaws_when_the_fault_is_ended_or_another_one_is)
{
    serving s;
    visitor v;
    int status;

    serving_start(&s, NULL);
    visitor_ask(&v, &s, "GET", "/api/v1/configmaps?watch=1", "", NULL);
    serving_fault(&s, "{\"do\":\"freeze\",\"ms\":1000}");
    serving_fault(&s, "{\"do\":\"freeze\"}");
    serving_put_config(&s, "a", "{}", "1");
    serving_pass(&s, 100000);
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/kin/faults", "", &status),
                    "{\"id\":1,\"do\":\"freeze\",\"times\":1,\"met\":1,\"over\":true}");
    serving_ask(&s, "DELETE", "/kin/faults/2", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(visitor_read_line(&v), "\"name\":\"a\"");
    serving_fault(&s, "{\"do\":\"freeze\"}");
    serving_put_config(&s, "b", "{}", "1");
    ASSERT_TRUE(visitor_is_silent(&v, &s));
    visitor_leave(&v);
    serving_stop(&s); /* with one that is frozen */
}

TEST(control, compacts_and_counts)
{
    serving s;
    int status;

    serving_start(&s, NULL);
    serving_put_config(&s, "a", "{}", "1");
    serving_put_config(&s, "a", "{}", "2");
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/kin/counts", "", &status), "\"objects\":5");
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/kin/counts", "", &status), "\"changes\":6");
    serving_ask(&s, "POST", "/kin/compact", "", &status);
    ASSERT_EQ(status, 200);
    ASSERT_CONTAINS(serving_ask(&s, "GET", "/kin/counts", "", &status), "\"changes\":0");
    ASSERT_CONTAINS(serving_ask(&s, "GET",
                                "/api/v1/configmaps?resourceVersion=2&resourceVersionMatch=Exact",
                                "", &status),
                    "\"reason\":\"Expired\"");
    ASSERT_EQ(status, 410);
    serving_ask(&s, "POST", "/kin/bookmark", "", &status);
    ASSERT_EQ(status, 200);
    serving_ask(&s, "PUT", "/kin/rules", "[]", &status);
    ASSERT_EQ(status, 200);
    serving_stop(&s);
}
