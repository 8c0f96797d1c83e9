/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_test.c - what a server's refusal says.
 */
#include "api/status.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define JSON STR("application/json")
#define PROTOBUF STR("application/vnd.kubernetes.protobuf")
#define PLAIN STR("text/plain; charset=utf-8")

/* Reads a body that is a file; `out` may be NULL. */
static kin_err read_file(int http_status, kin_str content_type, const char *name, kin__status *out,
                         kin_error *err)
{
    size_t len;
    char *body = read_fixture(name, &len);
    kin_err code = kin__status_read(http_status, content_type, kin__str(body, len), 0, out, err);

    free_fixture(body);
    return code;
}

static kin_err read_text(int http_status, const char *content_type, const char *body,
                         kin_error *err)
{
    return kin__status_read(http_status, kin_str_of(content_type), kin_str_of(body), 0, NULL, err);
}

TEST(status, gives_every_http_status_a_code)
{
    ASSERT_ERR(kin__status_code(200), KIN_OK);
    ASSERT_ERR(kin__status_code(201), KIN_OK);
    ASSERT_ERR(kin__status_code(304), KIN_ERR_PROTOCOL);
    ASSERT_ERR(kin__status_code(400), KIN_ERR_INVALID);
    ASSERT_ERR(kin__status_code(401), KIN_ERR_UNAUTHORIZED);
    ASSERT_ERR(kin__status_code(403), KIN_ERR_FORBIDDEN);
    ASSERT_ERR(kin__status_code(404), KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin__status_code(405), KIN_ERR_REFUSED);
    ASSERT_ERR(kin__status_code(409), KIN_ERR_CONFLICT);
    ASSERT_ERR(kin__status_code(410), KIN_ERR_EXPIRED);
    ASSERT_ERR(kin__status_code(415), KIN_ERR_REFUSED);
    ASSERT_ERR(kin__status_code(422), KIN_ERR_INVALID);
    ASSERT_ERR(kin__status_code(429), KIN_ERR_THROTTLED);
    ASSERT_ERR(kin__status_code(500), KIN_ERR_SERVER);
    ASSERT_ERR(kin__status_code(504), KIN_ERR_SERVER);
    ASSERT_ERR(kin__status_code(100), KIN_ERR_PROTOCOL);
    ASSERT_ERR(kin__status_code(0), KIN_ERR_PROTOCOL);
    ASSERT_ERR(kin__status_code(-5), KIN_ERR_PROTOCOL);
    ASSERT_ERR(kin__status_code(999), KIN_ERR_PROTOCOL);
}

TEST(status, of_a_json_body_gives_reason_and_message)
{
    kin_error err;

    ASSERT_ERR(read_file(404, JSON, "status-404-object.json", NULL, &err), KIN_ERR_NOT_FOUND);

    ASSERT_EQ(err.http_status, 404);
    ASSERT_STR_EQ(err.reason, "NotFound");
    ASSERT_MESSAGE(&err, "configmaps \"nope\" not found");
    ASSERT_EQ(err.retry_after_ms, 0);
}

TEST(status, of_a_protobuf_body_says_the_same)
{
    kin_error err;

    ASSERT_ERR(read_file(404, PROTOBUF, "status-404-object.pb", NULL, &err), KIN_ERR_NOT_FOUND);
    ASSERT_EQ(err.http_status, 404);
    ASSERT_STR_EQ(err.reason, "NotFound");
    ASSERT_MESSAGE(&err, "configmaps \"nope\" not found");
    ASSERT_ERR(read_file(403, PROTOBUF, "status-403-list.pb", NULL, &err), KIN_ERR_FORBIDDEN);
    ASSERT_STR_EQ(err.reason, "Forbidden");
    ASSERT_CONTAINS(err.message, "cannot list resource");
}

TEST(status, of_an_expired_token_brings_another)
{
    AUTO(kin__status_fini) kin__status more = { NULL, NULL };
    kin_error err;

    ASSERT_ERR(read_file(410, JSON, "status-410-continue-expired.json", &more, &err),
               KIN_ERR_EXPIRED);

    ASSERT_STR_EQ(err.reason, "Expired");
    ASSERT_TRUE(strncmp(more.continue_token, "eyJ2Ijoi", 8) == 0);
    ASSERT_TRUE(more.cause == NULL);
}

TEST(status, tells_the_first_cause_and_how_long_to_wait)
{
    AUTO(kin__status_fini) kin__status more = { NULL, NULL };
    kin_error err;

    ASSERT_ERR(read_file(504, JSON, "status-504-too-large-resource-version.json", &more, &err),
               KIN_ERR_SERVER);

    ASSERT_STR_EQ(more.cause, "ResourceVersionTooLarge");
    ASSERT_TRUE(more.continue_token == NULL);
    ASSERT_EQ(err.retry_after_ms, 1000);
    ASSERT_STR_EQ(err.reason, "Timeout");
}

TEST(status, prefers_the_header_to_the_body_for_how_long_to_wait)
{
    kin_str body = STR("{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":429,"
                       "\"details\":{\"retryAfterSeconds\":7}}");
    kin_error err;

    ASSERT_ERR(kin__status_read(429, JSON, body, 3000, NULL, &err), KIN_ERR_THROTTLED);
    ASSERT_EQ(err.retry_after_ms, 3000);
    ASSERT_ERR(kin__status_read(429, JSON, body, 0, NULL, &err), KIN_ERR_THROTTLED);
    ASSERT_EQ(err.retry_after_ms, 7000);
}

TEST(status, with_an_absurd_time_to_wait_says_the_longest)
{
    kin_error err;

    ASSERT_ERR(read_text(429, "application/json",
                         "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9999999999}}",
                         &err),
               KIN_ERR_THROTTLED);
    ASSERT_EQ(err.retry_after_ms, UINT32_MAX);
    ASSERT_ERR(read_text(429, "application/json",
                         "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":-1}}", &err),
               KIN_ERR_THROTTLED);
    ASSERT_EQ(err.retry_after_ms, 0);
}

TEST(status, without_a_kind_in_plain_text_is_one_all_the_same)
{
    kin_error err;

    ASSERT_ERR(read_file(504, PLAIN, "status-504-request-timeout.txt", NULL, &err), KIN_ERR_SERVER);

    ASSERT_STR_EQ(err.reason, "Timeout");
    ASSERT_MESSAGE(&err, "Timeout: request did not complete within the allotted timeout");
    ASSERT_EQ(err.http_status, 504);
}

TEST(status, of_plain_text_quotes_its_first_line)
{
    kin_error err;

    ASSERT_ERR(read_file(404, PLAIN, "status-404-unknown-path.txt", NULL, &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "the server answered 404: 404 page not found");
    ASSERT_STR_EQ(err.reason, "");
    ASSERT_EQ(err.http_status, 404);
    ASSERT_ERR(kin__status_read(429, PLAIN, STR("\n Too many\nrequests"), 1000, NULL, &err),
               KIN_ERR_THROTTLED);
    ASSERT_MESSAGE(&err, "the server answered 429: Too many");
    ASSERT_EQ(err.retry_after_ms, 1000);
}

TEST(status, quotes_no_more_than_200_bytes_of_text)
{
    char body[300];
    kin_error err;

    memset(body, 'x', sizeof body);
    ASSERT_ERR(kin__status_read(500, PLAIN, kin__str(body, sizeof body), 0, NULL, &err),
               KIN_ERR_SERVER);
    ASSERT_EQ(strlen(err.message), strlen("the server answered 500: ") + 200);
}

TEST(status, of_html_says_so_and_quotes_nothing)
{
    kin_error err;

    ASSERT_ERR(read_text(502, "text/html", "Bad <b>gateway</b>", &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "the server answered 502 with a page of HTML");
    ASSERT_ERR(read_text(502, "text/plain", "<html>\n<h1>secret</h1>", &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "the server answered 502 with a page of HTML");
    ASSERT_ERR(read_text(302, "text/html", "<a>", &err), KIN_ERR_PROTOCOL);
}

TEST(status, of_nothing_is_its_number)
{
    kin_error err;

    ASSERT_ERR(read_text(503, "", "", &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "the server answered 503");
    ASSERT_ERR(read_text(401, "text/plain", "\n\n", &err), KIN_ERR_UNAUTHORIZED);
    ASSERT_ERR(kin__status_read(0, kin__str(NULL, 0), kin__str(NULL, 0), 0, NULL, &err),
               KIN_ERR_PROTOCOL);
}

TEST(status, of_another_type_names_it)
{
    kin_error err;

    ASSERT_ERR(read_text(406, "application/yaml", "kind: Status", &err), KIN_ERR_REFUSED);
    ASSERT_MESSAGE(&err, "the server answered 406 with application/yaml that is no Status");
    ASSERT_ERR(read_text(500, "application/json", "{\"kind\":\"Pod\"}", &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "the server answered 500 with application/json that is no Status");
    ASSERT_ERR(read_text(500, "application/vnd.kubernetes.protobuf", "k8s", &err), KIN_ERR_SERVER);
    ASSERT_ERR(read_text(500, "application/json", "[]", &err), KIN_ERR_SERVER);
}

TEST(status, believes_its_own_code_before_that_of_http)
{
    kin_error err;

    ASSERT_ERR(read_text(200, "application/json",
                         "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":409,"
                         "\"reason\":\"AlreadyExists\",\"message\":\"it is there\"}",
                         &err),
               KIN_ERR_CONFLICT);
    ASSERT_EQ(err.http_status, 409);
    ASSERT_STR_EQ(err.reason, "AlreadyExists");
    ASSERT_ERR(read_text(500, "application/json",
                         "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":410}", &err),
               KIN_ERR_EXPIRED);
    ASSERT_EQ(err.http_status, 410);
}

TEST(status, without_a_code_goes_by_its_reason)
{
    kin_error err;

    ASSERT_ERR(
        read_text(200, "application/json", "{\"kind\":\"Status\",\"reason\":\"Expired\"}", &err),
        KIN_ERR_EXPIRED);
    ASSERT_EQ(err.http_status, 410);
    ASSERT_MESSAGE(&err, "the server answered 410, Expired");
    ASSERT_ERR(read_text(403, "application/json", "{\"kind\":\"Status\",\"reason\":\"New\"}", &err),
               KIN_ERR_FORBIDDEN);
    ASSERT_ERR(read_text(200, "application/json", "{\"kind\":\"Status\",\"code\":200}", &err),
               KIN_ERR_SERVER);
    ASSERT_EQ(err.http_status, 500);
}

TEST(status, of_success_never_excuses_a_refusal)
{
    kin_error err;

    ASSERT_ERR(
        read_text(500, "application/json", "{\"kind\":\"Status\",\"status\":\"Success\"}", &err),
        KIN_ERR_SERVER);
    ASSERT_ERR(
        read_text(200, "application/json", "{\"kind\":\"Status\",\"status\":\"Success\"}", &err),
        KIN_ERR_PROTOCOL);
}

TEST(status, without_a_reason_has_an_empty_one)
{
    kin_error err;

    ASSERT_ERR(read_file(500, JSON, "status-500-create-with-resource-version.json", NULL, &err),
               KIN_ERR_SERVER);
    ASSERT_STR_EQ(err.reason, "");
    ASSERT_MESSAGE(&err, "resourceVersion should not be set on objects to be created");
}

TEST(status, is_one_line_of_clean_text_whatever_it_quotes)
{
    kin_error err;

    ASSERT_ERR(
        read_text(409, "application/json",
                  "{\"kind\":\"Status\",\"code\":409,\"message\":\"a:\\n- .x\\u0007\\ud800\","
                  "\"reason\":\"R\\n\\u001b[0m\"}",
                  &err),
        KIN_ERR_CONFLICT);
    ASSERT_MESSAGE(&err, "a:?- .x?\xef\xbf\xbd");
    ASSERT_STR_EQ(err.reason, "R??[0m");
    ASSERT_ERR(kin__status_read(500, JSON, STR("{\"kind\":\"Status\",\"message\":\"\0x\\u0000\"}"),
                                0, NULL, &err),
               KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "?x?");
}

TEST(status, cuts_a_reason_that_is_too_long)
{
    char body[2000];
    text t = { 0 };
    kin_error err;

    memset(body, 'R', 100);
    body[100] = '\0';
    text_append(&t, "{\"kind\":\"Status\",\"code\":500,\"reason\":\"%s\"}", body);
    ASSERT_ERR(read_text(500, "application/json", t.chars, &err), KIN_ERR_SERVER);
    ASSERT_EQ(strlen(err.reason), sizeof err.reason - 1);
}

TEST(status, that_is_cut_off_anywhere_gives_what_is_there)
{
    size_t len;
    char *body = read_fixture("status-410-continue-expired.json", &len);
    kin_error err;

    for (size_t cut = 0; cut <= len; cut++) {
        AUTO(kin__status_fini) kin__status more;
        kin_err code = kin__status_read(410, JSON, kin__str(body, cut), 0, &more, &err);
        ASSERT_ERR(code, KIN_ERR_EXPIRED);
        ASSERT_EQ(err.http_status, 410);
    }
    kin__status more;
    ASSERT_ERR(kin__status_read(410, JSON, kin__str(body, len - 100), 0, &more, &err),
               KIN_ERR_EXPIRED);
    ASSERT_CONTAINS(err.message, "The provided continue parameter is too old");
    kin__status_fini(&more);
    free_fixture(body);
}

TEST(status, in_protobuf_that_is_cut_off_is_still_a_refusal)
{
    size_t len;
    char *body = read_fixture("status-403-list.pb", &len);
    kin_error err;

    for (size_t cut = 0; cut < len; cut++) {
        ASSERT_ERR(kin__status_read(403, PROTOBUF, kin__str(body, cut), 0, NULL, &err),
                   KIN_ERR_FORBIDDEN);
    }
    free_fixture(body);
}

TEST(status, of_success_is_no_error)
{
    size_t len;
    char *body = read_fixture("write-configmap-delete.json", &len);
    kin_error err = { .code = KIN_OK };

    ASSERT_OK(kin__status_from_json(kin__str(body, len), NULL, &err));
    ASSERT_OK(kin__status_from_protobuf(STR("\x12\x07"
                                            "Success"),
                                        NULL, &err));
    free_fixture(body);
}

TEST(status, inside_a_watch_is_read_in_both_encodings)
{
    /* status, message, reason, details { causes { reason }, retryAfterSeconds }, code */
    kin_str message = STR("\x0a\x04\x1a\x02go\x12\x07"
                          "Failure\x1a\x03old\x22\x07"
                          "Expired\x2a\x07\x22\x03\x0a\x01"
                          "C\x28\x02\x30\x9a\x03");
    AUTO(kin__status_fini) kin__status more = { NULL, NULL };
    kin_error err;

    ASSERT_ERR(kin__status_from_protobuf(message, &more, &err), KIN_ERR_EXPIRED);
    ASSERT_MESSAGE(&err, "old");
    ASSERT_STR_EQ(err.reason, "Expired");
    ASSERT_EQ(err.http_status, 410);
    ASSERT_EQ(err.retry_after_ms, 2000);
    ASSERT_STR_EQ(more.cause, "C");
    ASSERT_STR_EQ(more.continue_token, "go");
    ASSERT_ERR(kin__status_from_json(STR("{\"status\":\"Failure\",\"code\":504}"), NULL, &err),
               KIN_ERR_SERVER);
    ASSERT_EQ(err.http_status, 504);
}

TEST(status, tells_the_first_of_several_causes)
{
    AUTO(kin__status_fini) kin__status from_json = { NULL, NULL };
    AUTO(kin__status_fini) kin__status from_protobuf = { NULL, NULL };
    kin_error err;

    ASSERT_ERR(kin__status_from_json(STR("{\"code\":422,\"details\":{\"causes\":[{\"reason\":"
                                         "\"A\"},{\"reason\":\"B\"}]}}"),
                                     &from_json, &err),
               KIN_ERR_INVALID);
    ASSERT_ERR(kin__status_from_protobuf(STR("\x2a\x0a\x22\x03\x0a\x01"
                                             "A\x22\x03\x0a\x01"
                                             "B\x30\xa6\x03"),
                                         &from_protobuf, &err),
               KIN_ERR_INVALID);
    ASSERT_STR_EQ(from_json.cause, "A");
    ASSERT_STR_EQ(from_protobuf.cause, "A");
}

TEST(status, that_is_none_is_an_error_without_a_message)
{
    kin_error err;

    ASSERT_ERR(kin__status_from_json(STR("{}"), NULL, &err), KIN_ERR_SERVER);
    ASSERT_MESSAGE(&err, "the server answered 500");
    ASSERT_ERR(kin__status_from_json(STR("\xff\xff"), NULL, &err), KIN_ERR_SERVER);
    ASSERT_ERR(kin__status_from_protobuf(STR("\xff\xff"), NULL, &err), KIN_ERR_SERVER);
    ASSERT_ERR(kin__status_from_json(STR("{\"code\":4-4,\"details\":{\"retryAfterSeconds\":1e}}"),
                                     NULL, &err),
               KIN_ERR_SERVER);
}

TEST(status, is_known_by_its_kind)
{
    ASSERT_TRUE(kin__status_is_kind(STR("v1"), STR("Status")));
    ASSERT_TRUE(kin__status_is_kind(STR(""), STR("Status")));
    ASSERT_FALSE(kin__status_is_kind(STR("example.com/v1"), STR("Status")));
    ASSERT_FALSE(kin__status_is_kind(STR("v1"), STR("Pod")));
}

TEST_FAILING_ALLOC(status, survives_a_lack_of_memory)
{
    AUTO(kin__status_fini) kin__status more;
    kin_str body = STR("{\"kind\":\"Status\",\"metadata\":{\"continue\":\"abc\"},\"code\":410,"
                       "\"details\":{\"causes\":[{\"reason\":\"C\"}]}}");
    kin_error err;
    kin_err code = kin__status_read(410, JSON, body, 0, &more, &err);

    return code == KIN_ERR_EXPIRED ? KIN_OK : code;
}
