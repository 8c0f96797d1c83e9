/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_call.h - a stage with a client, and the one call that a test makes.
 */
#ifndef TESTS_UNIT_API_ONE_CALL_H
#define TESTS_UNIT_API_ONE_CALL_H

#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/namespaces/shop/configmaps"

static stage s;
static kin_client *client;
static record r;

static inline void begin(void)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    r = (record){ 0 };
}

static inline void finish(void)
{
    kin_client_free(client);
    kin_call_free(r.call);
    r.call = NULL;
    stage_close(&s);
}

static inline void run(const kin_request *request)
{
    run_call(&s, client, &r, request);
}

static inline kin_request list_maps(void)
{
    return request_for(KIN_VERB_LIST, "configmaps", "shop", NULL);
}

static inline kin_request watch_maps(void)
{
    return request_for(KIN_VERB_WATCH, "configmaps", "shop", NULL);
}

static inline kin_request get_map(void)
{
    return request_for(KIN_VERB_GET, "configmaps", "shop", "a");
}

static inline void expect_success(void)
{
    if (r.has_failed) {
        FAIL("%s", r.err.message);
    }
}

static inline void expect_failure(kin_err code, const char *beginning)
{
    ASSERT_TRUE(r.has_failed);
    ASSERT_ERR(r.err.code, code);
    if (strncmp(r.err.message, beginning, strlen(beginning)) != 0) {
        FAIL("\"%s\" does not begin with \"%s\"", r.err.message, beginning);
    }
}

#endif /* TESTS_UNIT_API_ONE_CALL_H */
