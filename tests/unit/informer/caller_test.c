/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_test.c - the API client as a caller.
 */
#include "informer/caller.h"

#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/configmaps"

static stage s;
static kin_client *client;
static kin__caller caller;
static record r;
static kin_error err;

static void begin(void)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    caller = kin__caller_of_client(client);
}

static void finish(void)
{
    kin_client_free(client);
    stage_close(&s);
}

static void start_list(const kin__call_options *options)
{
    kin_request request = request_for(KIN_VERB_LIST, "configmaps", NULL, NULL);
    kin_handler handler = recording(&r);

    ASSERT_OK(caller.start(caller.context, &request, &handler, options, &r.call, &err));
}

TEST(caller, tells_a_server_s_refusal_at_once)
{
    begin();
    answer_with(&s, LIST_MAPS, 503, "text/plain", "Retry-After: 1\r\n", "later");

    start_list(&(kin__call_options){ .no_retry = true });
    wait_for_done(&s, &r);

    ASSERT_EQ(r.err.code, KIN_ERR_SERVER);
    ASSERT_EQ(r.attempts, 1);
    caller.release(r.call);
    finish();
}

TEST(caller, ends_a_call_that_is_cancelled)
{
    begin();
    answer_open(&s, LIST_MAPS, "{");
    start_list(&(kin__call_options){ .no_retry = true });

    caller.cancel(r.call);
    wait_for_done(&s, &r);

    ASSERT_EQ(r.err.code, KIN_ERR_CANCELLED);
    caller.release(r.call);
    finish();
}

static const kin_resource *found;

static void note_resource(kin__directory_wait *wait, const kin_resource *resource,
                          const kin_error *failure)
{
    (void) wait;
    (void) failure;
    found = kin_resource_ref(resource);
}

static void ask(kin__job *job, void *context)
{
    (void) job;
    caller.resolve(caller.context, context);
}

TEST(caller, finds_out_what_a_resource_is)
{
    begin();
    kin__directory_wait question = { .name = "widgets", .tell = note_resource };
    kin__job job = { .run = ask, .context = &question };

    kin__loop_post_job(s.loop, &job);
    while (found == NULL) {
        turn(&s);
    }

    ASSERT_STR_EQ(kin_resource_api_version(found), "shop.io/v1");
    kin_resource_unref(found);
    finish();
}
