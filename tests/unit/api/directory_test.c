/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory_test.c - the resources of a server, asked for when they are needed.
 */
#include "api/directory.h"

#include "api/discovery.h"

#include "unit/api/stage.h"

#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define NONE "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}"
#define RESOURCE(name, kind)                                                                       \
    "{\"resource\":\"" name "\",\"scope\":\"Namespaced\",\"responseKind\":{\"kind\":\"" kind "\"}" \
    "}"
#define CORE(resources)                                                                            \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[{\"version\":"  \
    "\"v1\",\"resources\":[" resources "]}]}]}"
#define TWO_GROUPS                                                                                 \
    "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a\",\"versions\":[{\"version\":\"v1\"}]}," \
    "{\"name\":\"b\",\"versions\":[{\"version\":\"v1\"}]}]}"
#define LIST_OF(name)                                                                              \
    "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"" name "\",\"kind\":\"X\"}]}"

/* One who asks, and what it was told. */
typedef struct asker {
    kin__directory_wait wait; /* first */
    int told;
    char name[64]; /* of the resource; "": none */
    bool has_failed;
    kin_error err;
    struct asker *stops; /* when it is told */
    bool asks_again;
} asker;

static stage s;
static kin__wire wire;
static kin__directory *directory;
static asker askers[4];

static void on_told(kin__directory_wait *wait, const kin_resource *resource, const kin_error *err)
{
    asker *a = (asker *) wait;

    a->told++;
    a->has_failed = err != NULL;
    if (err != NULL) {
        a->err = *err;
    }
    (void) snprintf(a->name, sizeof a->name, "%s",
                    resource != NULL ? kin_resource_name(resource) : "");
    if (a->stops != NULL) {
        kin__directory_stop(&a->stops->wait);
    }
    if (a->asks_again) {
        a->asks_again = false;
        kin__directory_ask(directory, wait);
    }
}

static void begin(void)
{
    kin_logger logger = stage_logger(&s);
    kin_error err;

    stage_open(&s);
    kin_config *config = stage_config(&s, "");
    kin__http_options options = { .loop = s.loop, .base = s.base, .proxy = "" };
    wire = (kin__wire){ .loop = s.loop };
    ASSERT_OK(kin__http_new(&options, &wire.http, &err));
    ASSERT_OK(kin__identity_new(s.loop, config, &logger, &wire.identity, &err));
    ASSERT_OK(kin__directory_new(&wire, &logger, &directory, &err));
    (void) kin_config_unref(config);
    memset(askers, 0, sizeof askers);
}

static void finish(void)
{
    kin__directory_free(directory);
    kin__http_free(wire.http);
    kin__identity_free(wire.identity);
    stage_close(&s);
}

static void ask(asker *a, const char *name)
{
    a->wait.name = name;
    a->wait.tell = on_told;
    a->told = 0;
    kin__directory_ask(directory, &a->wait);
}

static void wait_for(const asker *a)
{
    while (a->told == 0) {
        turn(&s);
    }
}

static void answer_round(const char *core)
{
    answer_with(&s, "GET /api ", 200, AGGREGATED, "", core);
    answer_with(&s, "GET /apis ", 200, AGGREGATED, "", NONE);
}

TEST(directory, asks_the_server_once_for_all_who_ask)
{
    begin();
    answer_round(CORE(RESOURCE("pods", "Pod") "," RESOURCE("nodes", "Node")));

    ASSERT_TRUE(kin__directory_catalogue(directory) == NULL);
    ASSERT_TRUE(kin__directory_look(directory, kin_str_of("pods")) == NULL);
    ask(&askers[0], "pods");
    ask(&askers[1], "Node");
    askers[2].wait.api_version = "v1";
    askers[2].wait.kind = "Pod";
    ask(&askers[2], NULL);
    ASSERT_EQ(askers[0].told, 0);
    wait_for(&askers[2]);

    ASSERT_EQ(askers[0].told, 1);
    ASSERT_STR_EQ(askers[0].name, "pods");
    ASSERT_STR_EQ(askers[1].name, "nodes");
    ASSERT_STR_EQ(askers[2].name, "pods");
    ask(&askers[3], "pod");
    ASSERT_EQ(askers[3].told, 1);
    ASSERT_STR_EQ(askers[3].name, "pods");
    ASSERT_EQ(count_requests(&s), 2);
    ASSERT_CONTAINS(request_at(&s, 1), "\r\nAccept: " KIN__DISCOVERY_ACCEPT "\r\n");
    ASSERT_EQ(kin__catalogue_count(kin__directory_catalogue(directory)), 2);
    kin_resource *pods = kin__directory_look(directory, kin_str_of("pod"));
    ASSERT_STR_EQ(kin_resource_name(pods), "pods");
    kin_resource_unref(pods);
    ASSERT_TRUE(kin__directory_look(directory, kin_str_of("things")) == NULL);
    finish();
}

TEST(directory, asks_again_for_a_name_it_does_not_know)
{
    begin();
    answer_round(CORE(RESOURCE("pods", "Pod")));
    answer_round(CORE(RESOURCE("pods", "Pod") "," RESOURCE("widgets", "Widget")));

    ask(&askers[0], "pods");
    wait_for(&askers[0]);
    ask(&askers[1], "widgets");
    ask(&askers[2], "gadgets");
    ask(&askers[0], "pods");
    ASSERT_EQ(askers[0].told, 1);
    wait_for(&askers[2]);

    ASSERT_STR_EQ(askers[1].name, "widgets");
    ASSERT_ERR(askers[2].err.code, KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&askers[2].err, "the server has no resource \"gadgets\"");
    ASSERT_EQ(count_requests(&s), 4);
    finish();
}

TEST(directory, asks_again_when_what_is_known_will_not_do)
{
    begin();
    answer_round(CORE(RESOURCE("pods", "Pod")));
    answer_round(CORE(RESOURCE("pods", "Pod") "," RESOURCE("nodes", "Node")));

    ask(&askers[0], "pods");
    wait_for(&askers[0]);
    askers[1].wait.needs_fresh = true;
    askers[2].wait.needs_fresh = true;
    ask(&askers[1], NULL);
    ask(&askers[2], "pods");
    ASSERT_EQ(askers[1].told, 0);
    ASSERT_EQ(askers[2].told, 0);
    wait_for(&askers[2]);

    ASSERT_STR_EQ(askers[2].name, "pods");
    ASSERT_FALSE(askers[1].has_failed);
    ASSERT_STR_EQ(askers[1].name, "");
    ASSERT_EQ(kin__catalogue_count(kin__directory_catalogue(directory)), 2);
    finish();
}

TEST(directory, tells_an_error_to_all_who_ask_and_then_asks_again)
{
    begin();
    answer_with(&s, "GET /api ", 403, "text/plain", "", "go away");
    answer_round(CORE(RESOURCE("pods", "Pod")));

    ask(&askers[0], "pods");
    ask(&askers[1], "nodes");
    wait_for(&askers[1]);

    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(askers[i].told, 1);
        ASSERT_ERR(askers[i].err.code, KIN_ERR_FORBIDDEN);
        ASSERT_EQ(askers[i].err.http_status, 403);
        ASSERT_CONTAINS(askers[i].err.message, "discovery of /api: ");
        ASSERT_CONTAINS(askers[i].err.message, "go away");
    }
    ASSERT_TRUE(kin__directory_catalogue(directory) == NULL);
    ask(&askers[0], "pods");
    wait_for(&askers[0]);
    ASSERT_STR_EQ(askers[0].name, "pods");
    finish();
}

TEST(directory, keeps_what_it_knows_when_asking_again_fails)
{
    begin();
    answer_round(CORE(RESOURCE("pods", "Pod")));
    answer_with(&s, "GET /api ", 500, "text/plain", "", "broken");

    ask(&askers[0], "pods");
    wait_for(&askers[0]);
    ask(&askers[1], "widgets");
    wait_for(&askers[1]);
    ask(&askers[2], "pods");

    ASSERT_ERR(askers[1].err.code, KIN_ERR_SERVER);
    ASSERT_EQ(askers[2].told, 1);
    ASSERT_STR_EQ(askers[2].name, "pods");
    finish();
}

TEST(directory, fails_when_the_server_does_not_know_us)
{
    begin();
    answer_with(&s, "GET /api ", 200, AGGREGATED, "", CORE(RESOURCE("pods", "Pod")));
    answer(&s, "GET /apis ", 200, TWO_GROUPS);
    answer_with(&s, "GET /apis/a/v1 ", 401, "text/plain", "", "who are you");

    ask(&askers[0], "pods");
    wait_for(&askers[0]);

    ASSERT_ERR(askers[0].err.code, KIN_ERR_UNAUTHORIZED);
    ASSERT_CONTAINS(askers[0].err.message, "discovery of /apis/a/v1: ");
    finish();
}

TEST(directory, leaves_out_a_group_that_fails_and_says_so)
{
    begin();
    answer_with(&s, "GET /api ", 200, AGGREGATED, "", CORE(RESOURCE("pods", "Pod")));
    answer(&s, "GET /apis ", 200, TWO_GROUPS);
    answer_with(&s, "GET /apis/a/v1 ", 503, "text/plain", "", "not here");
    answer(&s, "GET /apis/b/v1 ", 200, LIST_OF("bees"));

    ask(&askers[0], "bees");
    wait_for(&askers[0]);

    ASSERT_STR_EQ(askers[0].name, "bees");
    ASSERT_STR_EQ(s.log.chars,
                  "warning discovery: these groups could not be asked for and are left "
                  "out: a/v1|");
    finish();
}

TEST(directory, fails_when_an_answer_makes_no_sense)
{
    static const char *const bodies[] = { "", "{", "[]", "null", "{\"kind\":\"Pod\"}" };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        begin();
        answer(&s, "GET /api ", 200, bodies[i]);
        ask(&askers[0], "pods");
        wait_for(&askers[0]);
        ASSERT_TRUE(askers[0].has_failed);
        ASSERT_CONTAINS(askers[0].err.message, "/api");
        finish();
    }
}

TEST(directory, fails_when_the_answer_is_cut)
{
    begin();
    answer_open(&s, "GET /api ", "{\"kind\"")->then = THEN_CUT;

    ask(&askers[0], "pods");
    wait_for(&askers[0]);

    ASSERT_ERR(askers[0].err.code, KIN_ERR_CLOSED);
    ASSERT_CONTAINS(askers[0].err.message, "/api");
    finish();
}

TEST(directory, gives_a_round_half_a_minute)
{
    begin();
    answer_with(&s, "GET /api ", 503, "text/plain", "Retry-After: 20\r\n", "busy")->stays = true;

    ask(&askers[0], "pods");
    wait_for_requests(&s, 1);
    while (kin__http_count(wire.http).running != 0) {
        turn(&s);
    }
    pass(&s, 20000);
    wait_for(&askers[0]);
    ASSERT_ERR(askers[0].err.code, KIN_ERR_SERVER);
    ASSERT_EQ(count_requests(&s), 2);
    finish();

    begin();
    add_line(&s, "GET /api ", "")->then = THEN_HOLD;
    ask(&askers[0], "pods");
    wait_for_requests(&s, 1);
    pass(&s, 14999);
    ASSERT_EQ(askers[0].told, 0);
    pass(&s, 1);
    wait_for(&askers[0]);
    ASSERT_ERR(askers[0].err.code, KIN_ERR_TIMEOUT);
    finish();
}

TEST(directory, tells_nobody_who_has_stopped_asking)
{
    begin();
    answer_round(CORE(RESOURCE("pods", "Pod")));

    ask(&askers[0], "pods");
    ask(&askers[1], "pods");
    ask(&askers[2], "pods");
    ask(&askers[3], "pods");
    kin__directory_stop(&askers[0].wait);
    kin__directory_stop(&askers[0].wait);
    askers[1].stops = &askers[2];
    wait_for(&askers[3]);

    ASSERT_EQ(askers[0].told, 0);
    ASSERT_EQ(askers[1].told, 1);
    ASSERT_EQ(askers[2].told, 0);
    finish();
}

TEST(directory, can_be_asked_by_who_is_being_told)
{
    begin();
    answer_with(&s, "GET /api ", 403, "text/plain", "", "go away");
    answer_round(CORE(RESOURCE("pods", "Pod")));

    ask(&askers[0], "pods");
    ask(&askers[1], "pods");
    askers[0].asks_again = true;
    wait_for(&askers[1]);
    ASSERT_TRUE(askers[1].has_failed);
    ASSERT_EQ(askers[0].told, 1);
    while (askers[0].told < 2) {
        turn(&s);
    }

    ASSERT_STR_EQ(askers[0].name, "pods");
    ASSERT_EQ(askers[1].told, 1);
    finish();
}

TEST(directory, can_be_freed_in_the_middle_of_a_round)
{
    begin();
    answer_open(&s, "GET /api ", "{");

    ask(&askers[0], "pods");
    wait_for_requests(&s, 1);
    turn(&s);
    kin__directory_stop(&askers[0].wait);
    finish();
}
