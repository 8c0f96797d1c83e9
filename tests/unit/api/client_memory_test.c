/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_memory_test.c - calls while memory runs out, libcurl's included.
 *
 * libcurl gets its memory from the library's allocator here.  It does without some of what it asks
 * for, and calls lack of memory by other names at times, so a call may also succeed or end with
 * another error.  It always ends, and nothing is left behind.
 */
#include <curl/curl.h>

#include "base/alloc.h"
#include "support/allocator.h"
#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/namespaces/shop/configmaps"

static stage s;

static void *allocate(size_t size)
{
    return kin__alloc(size);
}

static void release(void *memory)
{
    kin__free(memory);
}

static void *reallocate(void *memory, size_t size)
{
    return kin__realloc(memory, size);
}

static void *allocate_zero(size_t count, size_t size)
{
    return kin__alloc_zero(count, size);
}

static char *copy_text(const char *chars)
{
    size_t size = strlen(chars) + 1;
    char *copy = kin__alloc(size);
    if (copy != NULL) {
        memcpy(copy, chars, size);
    }
    return copy;
}

static void begin(void)
{
    ASSERT_EQ(curl_global_init_mem(CURL_GLOBAL_DEFAULT, allocate, release, reallocate, copy_text,
                                   allocate_zero),
              CURLE_OK);
    stage_open_server(&s, NULL);
    answer_discovery(&s);
}

static void finish(void)
{
    stage_close(&s);
    curl_global_cleanup();
}

/* Until it is done.  Time passes while nothing is under way: a read that was cut is tried again
 * after a second. */
static kin_err run(kin_client *client, const kin_request *request)
{
    static record r;
    kin_handler handler = recording(&r);
    kin_error err;

    r = (record){ 0 };
    kin_err code = kin_client_start(client, request, &handler, NULL, &err);
    if (code != KIN_OK) {
        ASSERT_EQ(r.dones, 0);
        return code;
    }
    while (r.dones == 0) {
        kin__http_counts counts = kin__http_count(client->wire.http);

        turn(&s);
        if (counts.running == 0 && counts.waiting == 0) {
            kin__virtual_clock_advance(&s.clock, 1000);
        }
    }
    ASSERT_EQ(r.dones, 1);
    return r.has_failed ? r.err.code : KIN_OK;
}

/* A loop's and a client's whole life, with one call; OK, or the first error. */
static kin_err live_with_a_call(const char *yaml, const kin_request *request)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin_error err;

    kin__virtual_clock_init(&s.clock, 1000000, (kin_time){ .seconds = 1792000000 });
    kin_err code = kin_config_from_text(yaml, strlen(yaml), NULL, NULL, &config, &err);
    if (code == KIN_OK) {
        code = kin__loop_new_with_clock(NULL, &s.clock.clock, &s.loop, &err);
    }
    if (code == KIN_OK) {
        options.loop = s.loop;
        code = kin_client_new(config, &options, &client, &err);
    }
    if (code == KIN_OK) {
        code = run(client, request);
    }
    kin_client_free(client);
    kin_loop_free(s.loop);
    s.loop = NULL;
    (void) kin_config_unref(config);
    return code;
}

/* What one life is made of. */
typedef struct plan {
    kin_err (*live)(const char *yaml, const kin_request *request);
    const kin_request *request;
} plan;

/* Each allocation fails once, and once with all that follow. */
static void fail_everywhere(const plan *p)
{
    char yaml[512];
    int no_memory = 0;
    int others = 0;
    (void) snprintf(yaml, sizeof yaml,
                    "{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], "
                    "clusters: [{name: c, cluster: {server: '%s', proxy-url: ''}}], "
                    "users: [{name: u, user: {as: eve}}]}",
                    s.base);
    for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
        for (long long first = 1;; first++) {
            long long before = live_blocks();
            test_allocator_plan((alloc_failure){ .first = first, .is_lasting = is_lasting != 0 });
            kin_err code = p->live(yaml, p->request);
            long long failures = test_allocator_failures();
            test_allocator_plan((alloc_failure){ 0 });
            if (failures == 0) {
                ASSERT_OK(code);
                break;
            }
            (void) printf("allocation %lld: %s\n", first, kin_err_name(code));
            no_memory += code == KIN_ERR_NO_MEMORY;
            others += code != KIN_ERR_NO_MEMORY && code != KIN_OK;
            ASSERT_EQ(live_blocks(), before);
        }
    }
    (void) printf("%d times no memory, %d times called otherwise\n", no_memory, others);
    ASSERT_TRUE(no_memory > 5 * others);
}

TEST(client_memory, is_not_lost_when_it_runs_out_while_reading)
{
    kin_request request = request_for(KIN_VERB_LIST, "configmaps", "shop", NULL);
    begin();
    request.limit = 1;
    answer(&s, LIST_MAPS "?limit=1 ", 200,
           MAPS("\"resourceVersion\":\"1\",\"continue\":\"c\"", MAP("a", "1")))
        ->stays = true;
    answer(&s, LIST_MAPS "?limit=1&continue=c ", 200,
           MAPS("\"resourceVersion\":\"1\"", MAP("b", "1")))
        ->stays = true;

    fail_everywhere(&(plan){ live_with_a_call, &request });

    finish();
}

TEST(client_memory, is_not_lost_when_it_runs_out_while_writing)
{
    kin_object *map = object_of(MAP("a", "1"), NULL);
    kin_request request = request_for(KIN_VERB_CREATE, NULL, NULL, NULL);
    request.object = map;
    begin();
    answer_with(&s, "POST ", 201, JSON, "Warning: 299 - \"old\"\r\n", MAP("a", "2"))->stays = true;

    fail_everywhere(&(plan){ live_with_a_call, &request });

    finish();
    (void) kin_object_unref(map);
}

TEST(client_memory, is_not_lost_when_it_runs_out_while_watching)
{
    kin_request request = request_for(KIN_VERB_WATCH, "configmaps", "shop", NULL);
    begin();
    line *l = answer_open(&s, LIST_MAPS, BOOKMARK("1") EVENT("ADDED", MAP("a", "1")));
    l->stays = true;
    l->then = THEN_DOOR;
    l->later = "0\r\n\r\n";
    raw_open_door(s.server);

    fail_everywhere(&(plan){ live_with_a_call, &request });

    finish();
}

static bool see(void *context, const kin_resource *resource)
{
    (void) context;
    (void) resource;
    return true;
}

/* A client with a thread of its own, that is asked what the server has. */
static kin_err live_alone(const char *yaml, const kin_request *request)
{
    kin_config *config = NULL;
    kin_client *client = NULL;
    char *version = NULL;
    kin_resource *resource = NULL;
    kin_error err;

    (void) request;
    kin_err code = kin_config_from_text(yaml, strlen(yaml), NULL, NULL, &config, &err);
    if (code == KIN_OK) {
        code = kin_client_new(config, NULL, &client, &err);
    }
    if (code == KIN_OK) {
        code = kin_client_server_version(client, &version, &err);
    }
    if (code == KIN_OK) {
        code = kin_client_each_resource(client, see, NULL, &err);
    }
    if (code == KIN_OK) {
        code = kin_client_resource(client, "pods", &resource, &err);
    }
    kin_free(version);
    (void) kin_resource_unref(resource);
    kin_client_free(client);
    (void) kin_config_unref(config);
    return code;
}

TEST(client_memory, is_not_lost_when_it_runs_out_while_asking_what_there_is)
{
    begin();
    answer(&s, "GET /version ", 200, "{\"gitVersion\":\"v1.36.3\"}")->stays = true;

    fail_everywhere(&(plan){ live_alone, NULL });

    finish();
}
