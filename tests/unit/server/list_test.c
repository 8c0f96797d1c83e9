/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_test.c - LIST: revisions, pages and refusals.
 */
#include "unit/server/reading.h"

#define MAPS "/api/v1/namespaces/demo/configmaps"
#define ALL "c-1 c-2 c-3 c-4 c-5 c-6 "

static desk d;

static void open_desk(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
}

static void open_with_six(void)
{
    open_desk();
    desk_put_six(&d);
}

/* c-2 changes at revision 8, c-4 goes at 9. */
static void change_two(void)
{
    const kin__served *maps = desk_served(&d, "", "v1", "configmaps");
    kin_error err;
    desk_put(&d, maps, CONFIG_MAP("c-2", "2"));
    ASSERT_OK(kin__collection_remove(maps->collection, STR("demo/c-4"), &err));
}

static void check_version(const char *version)
{
    char want[64];
    (void) snprintf(want, sizeof want, "\"metadata\":{\"resourceVersion\":\"%s\"", version);
    ASSERT_CONTAINS(d.body.data, want);
}

/* "" when the last answer has none. */
static const char *token(void)
{
    static char copy[256];
    const char *at = strstr(d.body.data, "\"continue\":\"");
    copy[0] = '\0';
    if (at != NULL) {
        at += strlen("\"continue\":\"");
        (void) snprintf(copy, sizeof copy, "%.*s", (int) strcspn(at, "\""), at);
    }
    return copy;
}

static const char *with_token(const char *query)
{
    static char target[512];
    (void) snprintf(target, sizeof target, MAPS "?%s&continue=%s", query, token());
    return target;
}

TEST(list, answers_as_a_real_server_does)
{
    open_desk();
    const kin__served *maps = desk_served(&d, "", "v1", "configmaps");
    desk_put(&d, maps, CONFIG_MAP("a", "1"));
    desk_put(&d, maps, CONFIG_MAP("b", "2"));

    check_answer(&d, "application/json", MAPS, 200,
                 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                 "\"resourceVersion\":\"3\"},\"items\":[{\"metadata\":{\"name\":\"a\","
                 "\"namespace\":\"demo\",\"resourceVersion\":\"2\",\"labels\":{\"n\":\"1\"}}},"
                 "{\"metadata\":{\"name\":\"b\",\"namespace\":\"demo\",\"resourceVersion\":\"3\","
                 "\"labels\":{\"n\":\"2\"}}}]}\n");
    check_answer(&d, "application/json", "/api/v1/namespaces/nope/configmaps", 200,
                 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                 "\"resourceVersion\":\"3\"},\"items\":[]}\n");

    desk_close(&d);
}

TEST(list, of_custom_resources_is_sorted)
{
    open_desk();
    add_custom(&d.s);
    desk_put(&d, desk_served(&d, "example.com", "v1", "widgets"),
             "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}}");
    desk_put(&d, desk_served(&d, "example.com", "v1", "widgets"),
             "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"x\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}}");

    check_answer(&d, "application/json", "/apis/example.com/v1/namespaces/nope/widgets", 200,
                 "{\"apiVersion\":\"example.com/v1\",\"items\":[],\"kind\":\"WidgetList\","
                 "\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"3\"}}\n");
    check_answer(&d, "application/json", "/apis/example.com/v1beta1/widgets?limit=1", 200,
                 "{\"apiVersion\":\"example.com/v1beta1\",\"items\":[{\"apiVersion\":"
                 "\"example.com/v1beta1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\","
                 "\"namespace\":\"demo\",\"resourceVersion\":\"2\"}}],\"kind\":\"WidgetList\","
                 "\"metadata\":{\"continue\":"
                 "\"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Mywic3RhcnQiOiIvZGVtby93XHUwMDAwIn0\","
                 "\"remainingItemCount\":1,\"resourceVersion\":\"3\"}}\n");

    desk_close(&d);
}

TEST(list, goes_page_by_page_at_one_revision)
{
    open_with_six();

    check_names(&d, MAPS "?limit=2", "c-1 c-2 ");
    ASSERT_CONTAINS(d.body.data, "\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"eyJ2Ijoi"
                                 "bWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiIvYy0yXHUwMDAwIn0\","
                                 "\"remainingItemCount\":4},\"items\":[");
    change_two();
    check_names(&d, with_token("limit=2"), "c-3 c-4 ");
    check_version("7");
    ASSERT_CONTAINS(d.body.data, "\"remainingItemCount\":2}");
    check_names(&d, with_token("limit=2"), "c-5 c-6 ");
    check_version("7");
    ASSERT_TRUE(strstr(d.body.data, "continue") == NULL);
    ASSERT_TRUE(strstr(d.body.data, "remaining") == NULL);

    desk_close(&d);
}

TEST(list, keeps_silent_about_what_remains_of_a_selection)
{
    open_with_six();

    check_names(&d, MAPS "?limit=1&labelSelector=n%3D0", "c-2 ");
    ASSERT_TRUE(*token() != '\0');
    ASSERT_TRUE(strstr(d.body.data, "remaining") == NULL);
    check_names(&d, with_token("limit=9&labelSelector=n%3D0"), "c-4 c-6 ");

    desk_close(&d);
}

TEST(list, of_one_name_begins_where_its_token_says)
{
    open_with_six();

    check_names(&d, MAPS "?limit=2", "c-1 c-2 ");
    check_names(&d, with_token("limit=2&fieldSelector=metadata.name%3Dc-1"), "");
    check_names(&d, MAPS "?limit=2", "c-1 c-2 ");
    check_names(&d, with_token("limit=2&fieldSelector=metadata.name%3Dc-5"), "c-5 ");

    desk_close(&d);
}

TEST(list, takes_a_resource_version_in_all_its_meanings)
{
    open_with_six();
    change_two();

    check_names(&d, MAPS, "c-1 c-2 c-3 c-5 c-6 ");
    check_version("9");
    check_names(&d, MAPS "?resourceVersion=0", "c-1 c-2 c-3 c-5 c-6 ");
    check_version("9");
    check_names(&d, MAPS "?resourceVersion=5", "c-1 c-2 c-3 c-5 c-6 ");
    check_version("9");
    check_names(&d, MAPS "?resourceVersion=5&limit=2", "c-1 c-2 ");
    check_version("5");
    check_names(&d, MAPS "?resourceVersion=5&resourceVersionMatch=Exact", "c-1 c-2 c-3 c-4 ");
    check_version("5");
    check_names(&d, MAPS "?resourceVersion=1&resourceVersionMatch=Exact", "");
    check_version("1");
    check_names(&d, MAPS "?resourceVersion=5&limit=4&resourceVersionMatch=NotOlderThan",
                "c-1 c-2 c-3 c-5 ");
    check_version("9");
    check_names(&d, MAPS "?resourceVersion=00&resourceVersionMatch=Exact", "c-1 c-2 c-3 c-5 c-6 ");

    desk_close(&d);
}

TEST(list, at_version_zero_has_no_limit_unless_it_is_uncached)
{
    open_with_six();
    desk_put(&d, desk_served(&d, "", "v1", "events"),
             "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"e1\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}}");
    desk_put(&d, desk_served(&d, "", "v1", "events"),
             "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"e2\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}}");

    check_names(&d, MAPS "?resourceVersion=0&limit=2", ALL);
    ASSERT_STR_EQ(token(), "");
    check_names(&d, MAPS "?limit=2", "c-1 c-2 ");
    check_names(&d, with_token("limit=2&resourceVersion=0"), "c-3 c-4 c-5 c-6 ");
    check_names(&d, "/api/v1/events?resourceVersion=0&limit=1", "e1 ");
    /* without the slash: {"v":"meta.k8s.io/v1","rv":9,"start":"demo/e1\u0000"} */
    ASSERT_STR_EQ(token(),
                  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OSwic3RhcnQiOiJkZW1vL2UxXHUwMDAwIn0");

    desk_close(&d);
}

TEST(list, ignores_a_limit_that_is_none)
{
    open_with_six();

    check_names(&d, MAPS "?limit=0", ALL);
    check_names(&d, MAPS "?limit=-1", ALL);
    check_names(&d, MAPS "?limit=6", ALL);
    ASSERT_STR_EQ(token(), "");

    desk_close(&d);
}

TEST(list, refuses_versions_that_are_none)
{
    open_with_six();

    check_refusal(&d, MAPS "?resourceVersion=abc", 400,
                  "invalid resource version: resourceVersion: Invalid value: \\\"abc\\\": "
                  "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax");
    check_refusal(&d, MAPS "?continue=x&resourceVersion=5", 400,
                  "invalid continue token: continue key is not valid: illegal base64 data at input "
                  "byte 0");
    ASSERT_EQ(desk_ask(&d, "", MAPS "?limit=2"), 200);
    check_refusal(&d, with_token("resourceVersion=5"), 400,
                  "specifying resource version is not allowed when using continue");
    ASSERT_EQ(desk_ask(&d, "", MAPS "?limit=2"), 200);
    check_refusal(&d, with_token("resourceVersion=abc"), 400,
                  "specifying resource version is not allowed when using continue");

    desk_close(&d);
}

TEST(list, waits_for_a_version_that_is_yet_to_come)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, "", MAPS "?resourceVersion=99"), 200);
    ASSERT_EQ(d.wait_ms, 3000);
    d.has_waited = true;
    check_answer(&d, "application/json", MAPS "?resourceVersion=99&limit=3", 504,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"Timeout: Too large resource version: 99, current: 7\","
                 "\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
                 "\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],"
                 "\"retryAfterSeconds\":1},\"code\":504}\n");
    check_names(&d, MAPS "?resourceVersion=7", ALL);

    desk_close(&d);
}

TEST(list, of_uncached_kinds_does_not_wait)
{
    open_desk();

    check_answer(&d, "application/json", "/api/v1/events?resourceVersion=99", 504,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"Timeout: Too large resource version: 99, current: 1\","
                 "\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
                 "\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}]},"
                 "\"code\":504}\n");

    desk_close(&d);
}

TEST(list, of_a_forgotten_revision_has_expired)
{
    open_with_six();
    kin__storage_compact(d.s.storage, 6);

    check_answer(&d, "application/json", MAPS "?resourceVersion=5&limit=1", 410,
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                 "\"Failure\",\"message\":\"The resourceVersion for the provided list is too old."
                 "\",\"reason\":\"Expired\",\"code\":410}\n");
    check_names(&d, MAPS "?resourceVersion=6&limit=1", "c-1 ");
    check_names(&d, MAPS "?resourceVersion=5", ALL);

    desk_close(&d);
}

TEST(list, that_expired_between_pages_can_go_on_without_consistency)
{
    open_with_six();
    check_names(&d, MAPS "?limit=2", "c-1 c-2 ");
    change_two();
    kin__storage_compact(d.s.storage, 8);

    ASSERT_EQ(desk_ask(&d, "application/json", with_token("limit=2")), 410);
    ASSERT_CONTAINS(d.body.data, "\"metadata\":{\"continue\":\"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6"
                                 "LTEsInN0YXJ0IjoiYy0yXHUwMDAwIn0\"},\"status\":\"Failure\","
                                 "\"message\":\"The provided continue parameter is too old");
    check_names(&d, with_token("limit=2"), "c-3 c-5 ");
    check_version("9");
    check_names(&d, with_token("limit=2"), "c-6 ");
    check_version("9");

    desk_close(&d);
}

TEST(list, goes_back_in_time_when_it_is_told)
{
    open_with_six();
    change_two();

    d.present = 5;
    check_names(&d, MAPS, "c-1 c-2 c-3 c-4 ");
    check_version("5");

    desk_close(&d);
}

TEST_FAILING_ALLOC(list, is_refused_without_memory)
{
    static const char *const accepts[] = {
        "application/json",
        PROTO,
        PARTIAL_LIST,
        "application/json;as=Table;g=meta.k8s.io;v=v1",
    };
    kin_error err;
    kin_err code = desk_open(&d, &err);

    for (size_t i = 0; code == KIN_OK && i < 3; i++) {
        code = desk_try_put(&d, desk_served(&d, "", "v1", "configmaps"),
                            i == 0   ? CONFIG_MAP("a", "1")
                            : i == 1 ? CONFIG_MAP("b", "1")
                                     : CONFIG_MAP("c", "1"),
                            &err);
    }
    for (size_t i = 0; code == KIN_OK && i < 4; i++) {
        code = desk_ask(&d, accepts[i], MAPS "?resourceVersion=3&limit=1") == 200
                   ? KIN_OK
                   : KIN_ERR_NO_MEMORY;
    }
    if (code == KIN_OK && desk_ask(&d, "application/json", MAPS "?pretty=1&limit=2") != 200) {
        code = KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
