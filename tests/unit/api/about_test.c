/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about_test.c - what a server says of itself.
 */
#include "unit/api/calling.h"

static stage s;
static kin_client *client;
static kin_error err;

static void begin(void)
{
    stage_open(&s);
    client = open_client(&s, "", NULL);
}

static void finish(void)
{
    kin_client_free(client);
    stage_close(&s);
}

static void expect_resource(const char *name, const char *api_version, const char *plural)
{
    kin_resource *found;

    if (kin_client_resource(client, name, &found, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    ASSERT_STR_EQ(kin_resource_api_version(found), api_version);
    ASSERT_STR_EQ(kin_resource_name(found), plural);
    (void) kin_resource_unref(found);
}

TEST(about, finds_a_resource_by_all_its_names)
{
    static const char *const names[] = { "widgets",        "widget",
                                         "Widget",         "WIDGETS",
                                         "widgets-short",  "widgets.shop.io",
                                         "widget.shop.io", "widgets.v1.shop.io" };
    begin();
    answer_discovery(&s);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect_resource(names[i], "shop.io/v1", "widgets");
    }
    expect_resource("pods", "v1", "pods");
    ASSERT_EQ(count_requests(&s), 2);
    finish();
}

TEST(about, finds_the_resource_of_a_kind)
{
    kin_resource *found;
    begin();
    answer_discovery(&s);
    ASSERT_OK(kin_client_resource_of_kind(client, "shop.io/v1", "Widget", &found, &err));
    ASSERT_STR_EQ(kin_resource_name(found), "widgets");
    (void) kin_resource_unref(found);
    ASSERT_OK(kin_client_resource_of_kind(client, "v1", "Namespace", &found, NULL));
    ASSERT_FALSE(kin_resource_is_namespaced(found));
    (void) kin_resource_unref(found);
    found = NULL;
    ASSERT_ERR(kin_client_resource_of_kind(client, "v1", "Widget", &found, &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_CONTAINS(err.message, "Widget");
    ASSERT_TRUE(found == NULL);
    finish();
}

TEST(about, knows_nothing_of_a_resource_that_is_not_there)
{
    kin_resource *found = NULL;
    begin();
    answer_discovery(&s);
    ASSERT_ERR(kin_client_resource(client, "gadgets", &found, &err), KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin_client_resource(client, "widgets.v2.shop.io", &found, NULL), KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin_client_resource(client, "", &found, NULL), KIN_ERR_NOT_FOUND);
    ASSERT_TRUE(found == NULL);
    finish();
}

TEST(about, refuses_a_question_without_a_name)
{
    kin_resource *found = NULL;
    begin();
    ASSERT_ERR(kin_client_resource(client, NULL, &found, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_client_resource_of_kind(client, NULL, "Pod", &found, &err), KIN_ERR_USAGE);
    ASSERT_ERR(kin_client_resource_of_kind(client, "v1", NULL, &found, &err), KIN_ERR_USAGE);
    ASSERT_EQ(count_requests(&s), 0);
    finish();
}

TEST(about, tells_why_a_resource_cannot_be_asked_for)
{
    kin_resource *found = NULL;
    begin();
    answer_with(&s, "GET /api ", 403, "text/plain", "", "go away");
    ASSERT_ERR(kin_client_resource(client, "pods", &found, &err), KIN_ERR_FORBIDDEN);
    ASSERT_CONTAINS(err.message, "discovery of /api: ");
    finish();
}

static bool note_resource(void *context, const kin_resource *resource)
{
    text *seen = context;
    text_append(seen, "%s ", kin_resource_name(resource));
    return strcmp(kin_resource_name(resource), "pods") != 0 || seen->chars[0] != 'c';
}

static bool note_all(void *context, const kin_resource *resource)
{
    text_append(context, "%s ", kin_resource_name(resource));
    return true;
}

TEST(about, shows_each_resource_freshly_asked)
{
    text seen = { 0 };
    begin();
    answer_discovery(&s);
    ASSERT_OK(kin_client_each_resource(client, note_all, &seen, &err));
    ASSERT_STR_EQ(seen.chars, "configmaps pods namespaces widgets ");
    text_clear(&seen);
    ASSERT_OK(kin_client_each_resource(client, note_resource, &seen, NULL));
    ASSERT_STR_EQ(seen.chars, "configmaps pods ");
    ASSERT_EQ(count_requests(&s), 4);
    finish();
}

TEST(about, shows_no_resource_when_the_server_does_not_tell)
{
    text seen = { 0 };
    begin();
    answer(&s, "GET /api ", 500, "{}");
    ASSERT_ERR(kin_client_each_resource(client, note_all, &seen, &err), KIN_ERR_SERVER);
    ASSERT_STR_EQ(seen.chars, "");
    finish();
}

TEST(about, tells_the_version_of_the_server)
{
    char *version;
    begin();
    answer(&s, "GET /version ", 200,
           "{\"major\":\"1\",\"gitVersion\":\"v1.36.3+k3s\\u0031\",\"platform\":\"linux/amd64\"}");
    ASSERT_OK(kin_client_server_version(client, &version, &err));
    ASSERT_STR_EQ(version, "v1.36.3+k3s1");
    kin_free(version);
    finish();
}

TEST(about, believes_no_version_that_is_none)
{
    static const struct {
        const char *body;
        kin_err code;
    } cases[] = {
        { "", KIN_ERR_MALFORMED },
        { "v1.36", KIN_ERR_MALFORMED },
        { "{\"gitVersion\":\"v1\"", KIN_ERR_MALFORMED },
        { "{\"gitVersion\":\"v1\n\"}", KIN_ERR_MALFORMED },
        { "{\"gitVersion\":\"\xff\"}", KIN_ERR_MALFORMED },
        { "{}", KIN_ERR_PROTOCOL },
        { "[]", KIN_ERR_PROTOCOL },
        { "null", KIN_ERR_PROTOCOL },
        { "\"v1\"", KIN_ERR_PROTOCOL },
        { "{\"gitVersion\":1}", KIN_ERR_PROTOCOL },
        { "{\"gitVersion\":{\"gitVersion\":\"v1\"}}", KIN_ERR_PROTOCOL },
        { "{\"gitVersion\":\"\"}", KIN_ERR_PROTOCOL },
        { "{\"gitVersion\":\"v1\\u0000.36\"}", KIN_ERR_PROTOCOL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *version = NULL;
        begin();
        answer(&s, "GET /version ", 200, cases[i].body);
        ASSERT_ERR(kin_client_server_version(client, &version, &err), cases[i].code);
        ASSERT_EQ(strncmp(err.message, "the server's version: ", 22), 0);
        ASSERT_TRUE(version == NULL);
        finish();
    }
}

TEST(about, reads_no_version_without_end)
{
    static char body[256 * 1024];
    char *version = NULL;
    memset(body, ' ', sizeof body - 1);
    begin();
    line *l = add_line(&s, "GET /version ",
                       "HTTP/1.1 200 OK\r\nContent-Type: " JSON "\r\n\r\n{\"gitVersion\":\"v1\"}");
    l->then = THEN_DOOR;
    l->later = body;
    raw_open_door(s.server);
    ASSERT_ERR(kin_client_server_version(client, &version, &err), KIN_ERR_LIMIT);
    ASSERT_TRUE(version == NULL);
    finish();
}

TEST(about, tells_why_there_is_no_version)
{
    char *version = NULL;
    begin();
    answer(&s, "GET /version ", 403,
           "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\",\"code\":403}");
    ASSERT_ERR(kin_client_server_version(client, &version, &err), KIN_ERR_FORBIDDEN);
    ASSERT_EQ(strncmp(err.message, "the server's version: ", 22), 0);
    ASSERT_ERR(kin_client_server_version(client, &version, NULL), KIN_ERR_SERVER);
    finish();
}
