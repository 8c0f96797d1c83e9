/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_options_test.c - which options go together.  Texts are a real server's.
 */
#include "unit/server/reading.h"

#define MAPS "/api/v1/namespaces/demo/configmaps"

#define FORBIDDEN(field, why)                                                                      \
    "ListOptions.meta.k8s.io \\\"\\\" is invalid: " field ": Forbidden: " why

TEST(list_options, that_do_not_go_together_are_refused)
{
    static const struct {
        const char *query;
        const char *message;
    } rows[] = {
        { "resourceVersionMatch=Exact",
          FORBIDDEN("resourceVersionMatch",
                    "resourceVersionMatch is forbidden unless resourceVersion is provided") },
        { "resourceVersion=0&resourceVersionMatch=Exact",
          FORBIDDEN("resourceVersionMatch",
                    "resourceVersionMatch \\\"exact\\\" is forbidden for resourceVersion "
                    "\\\"0\\\"") },
        { "resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=x",
          FORBIDDEN("resourceVersionMatch",
                    "resourceVersionMatch is forbidden when continue is provided") },
        { "sendInitialEvents=false",
          FORBIDDEN("sendInitialEvents", "sendInitialEvents is forbidden for list") },
        { "resourceVersionMatch=foo",
          "ListOptions.meta.k8s.io \\\"\\\" is invalid: [resourceVersionMatch: Forbidden: "
          "resourceVersionMatch is forbidden unless resourceVersion is provided, "
          "resourceVersionMatch: Unsupported value: \\\"foo\\\": supported values: \\\"Exact\\\", "
          "\\\"NotOlderThan\\\", \\\"\\\"]" },
        { "watch=1&continue=x",
          FORBIDDEN("resourceVersionMatch",
                    "resourceVersionMatch is forbidden when continue is provided") },
        { "watch=1&continue=x&resourceVersion=0",
          FORBIDDEN("resourceVersionMatch",
                    "resourceVersionMatch is forbidden when continue is provided") },
        { "watch=1&sendInitialEvents=false",
          FORBIDDEN("resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan") },
        { "watch=1&resourceVersionMatch=foo&resourceVersion=5&sendInitialEvents=true",
          "ListOptions.meta.k8s.io \\\"\\\" is invalid: [resourceVersionMatch: Forbidden: "
          "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
          "resourceVersionMatch: Unsupported value: \\\"foo\\\": supported values: "
          "\\\"NotOlderThan\\\"]" },
        { "watch=1&resourceVersionMatch=Exact&continue=x",
          "ListOptions.meta.k8s.io \\\"\\\" is invalid: [resourceVersionMatch: Forbidden: "
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, "
          "resourceVersionMatch: Unsupported value: \\\"Exact\\\": supported values: "
          "\\\"NotOlderThan\\\", resourceVersionMatch: Forbidden: resourceVersionMatch is "
          "forbidden "
          "when continue is provided]" },
    };
    desk d;
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char target[256];
        (void) snprintf(target, sizeof target, MAPS "?%s", rows[i].query);
        check_refusal(&d, target, 422, rows[i].message);
    }

    desk_close(&d);
}

TEST(list_options, are_told_as_a_status_with_causes)
{
    desk d;
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));

    check_answer(&d, "application/json", MAPS "?resourceVersionMatch=Exact", 422,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"ListOptions.meta.k8s.io \\\"\\\" is invalid: "
                 "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                 "resourceVersion is provided\",\"reason\":\"Invalid\",\"details\":{\"group\":"
                 "\"meta.k8s.io\",\"kind\":\"ListOptions\",\"causes\":[{\"reason\":"
                 "\"FieldValueForbidden\",\"message\":\"Forbidden: resourceVersionMatch is "
                 "forbidden unless resourceVersion is provided\",\"field\":"
                 "\"resourceVersionMatch\"}]},\"code\":422}\n");

    desk_close(&d);
}

TEST(list_options, come_after_the_grammar_of_selectors_and_before_their_fields)
{
    desk d;
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));

    ASSERT_EQ(desk_ask(&d, "", MAPS "?labelSelector=a%3D%3D%3D&resourceVersionMatch=foo"), 400);
    ASSERT_EQ(desk_ask(&d, "", MAPS "?fieldSelector=x&resourceVersionMatch=foo"), 400);
    ASSERT_EQ(desk_ask(&d, "", MAPS "?fieldSelector=a%3Db&resourceVersionMatch=foo"), 422);
    check_refusal(&d, MAPS "?fieldSelector=a%3Db&resourceVersion=abc", 400,
                  "\\\"a\\\" is not a known field selector: only \\\"metadata.name\\\", "
                  "\\\"metadata.namespace\\\"");

    desk_close(&d);
}

TEST(list_options, of_a_watch_without_a_version_ask_for_its_state)
{
    kin__params params = { .watch = true, .resource_version = "0" };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_TRUE(kin__options_check(NULL, &params, &no));

    ASSERT_EQ(params.send_initial_events, KIN__TRUE);
    ASSERT_STR_EQ(params.resource_version_match, "NotOlderThan");
    ASSERT_EQ(no.code, 0);
}
