/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head_test.c - heads of requests, good and bad.
 */
#include "httpd/head.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define LINE "GET /a HTTP/1.1\r\n"
#define HOST "Host: x\r\n"

static kin__refusal parse(const char *bytes, kin__head *head)
{
    return kin__head_parse(bytes, strlen(bytes), head);
}

static int status_of(const char *bytes)
{
    kin__head head;
    return parse(bytes, &head).status;
}

TEST(head, is_found_wherever_it_is_split)
{
    static const char bytes[] = LINE HOST "\r\nbody\n\n";
    size_t whole = strlen(LINE HOST "\r\n");
    for (size_t first = 0; first <= whole; first++) {
        size_t scanned = 0;
        size_t end = 0;

        kin__head_end early = kin__head_find_end(bytes, first, &scanned, &end);
        kin__head_end late = kin__head_find_end(bytes, sizeof bytes - 1, &scanned, &end);

        ASSERT_EQ(early, first == whole ? KIN__HEAD_WHOLE : KIN__HEAD_PARTIAL);
        if (first < whole) {
            ASSERT_EQ(late, KIN__HEAD_WHOLE);
        }
        ASSERT_EQ(end, whole);
    }
}

TEST(head, is_broken_where_a_line_ends_with_lf_alone)
{
    static const char *const bad[] = { "GET / HTTP/1.1\n", LINE "Host: x\n\r\n", "\r\n\r\n", "\n",
                                       LINE "\n" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t scanned = 0;
        size_t end;
        ASSERT_EQ(kin__head_find_end(bad[i], strlen(bad[i]), &scanned, &end), KIN__HEAD_BROKEN);
    }
}

TEST(head, has_its_parts)
{
    kin__head head;

    kin__refusal refusal = parse("POST /api/v1/pods?limit=5&x=%20 HTTP/1.1\r\nHost: a\r\n"
                                 "Content-Length: 12\r\nExpect: 100-Continue\r\n\r\n",
                                 &head);

    ASSERT_EQ(refusal.status, 0);
    ASSERT_SLICE_EQ(head.method, "POST");
    ASSERT_SLICE_EQ(head.path, "/api/v1/pods");
    ASSERT_SLICE_EQ(head.query, "limit=5&x=%20");
    ASSERT_SLICE_EQ(head.fields, "Host: a\r\nContent-Length: 12\r\nExpect: 100-Continue\r\n");
    ASSERT_EQ(head.minor, 1);
    ASSERT_TRUE(head.is_kept);
    ASSERT_TRUE(head.has_length);
    ASSERT_FALSE(head.is_chunked);
    ASSERT_TRUE(head.expects_continue);
    ASSERT_EQ(head.length, 12);
}

TEST(head, may_name_its_target_in_three_ways)
{
    kin__head head;

    ASSERT_EQ(parse("GET http://h:1/p?q HTTP/1.1\r\n" HOST "\r\n", &head).status, 0);
    ASSERT_SLICE_EQ(head.path, "/p");
    ASSERT_SLICE_EQ(head.query, "q");
    ASSERT_EQ(parse("GET https://h/p HTTP/1.1\r\n" HOST "\r\n", &head).status, 0);
    ASSERT_SLICE_EQ(head.path, "/p");
    ASSERT_SLICE_EQ(head.query, "");
    ASSERT_EQ(parse("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", &head).status, 0);
    ASSERT_SLICE_EQ(head.path, "*");
}

TEST(head, says_whether_the_connection_is_kept)
{
    static const struct {
        const char *bytes;
        bool is_kept;
    } cases[] = {
        { LINE HOST "\r\n", true },
        { LINE HOST "Connection: Close\r\n\r\n", false },
        { LINE HOST "Connection: te,  close \r\n\r\n", false },
        { LINE HOST "Connection: closed\r\n\r\n", true },
        { "GET / HTTP/1.0\r\n\r\n", false },
        { "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__head head;
        ASSERT_EQ(parse(cases[i].bytes, &head).status, 0);
        ASSERT_EQ(head.is_kept, cases[i].is_kept);
    }
}

TEST(head, is_refused_when_its_first_line_is_no_request)
{
    static const char *const bad[] = {
        "GET /\r\n\r\n",
        "GET / HTTP/1.1 \r\n\r\n",
        "GET  / HTTP/1.1\r\n" HOST "\r\n",
        " GET / HTTP/1.1\r\n" HOST "\r\n",
        "G\x01T / HTTP/1.1\r\n" HOST "\r\n",
        "GET a HTTP/1.1\r\n" HOST "\r\n",
        "GET /a b HTTP/1.1\r\n" HOST "\r\n",
        "GET /a\tb HTTP/1.1\r\n" HOST "\r\n",
        "GET /a\x7f HTTP/1.1\r\n" HOST "\r\n",
        "GET http://host HTTP/1.1\r\n" HOST "\r\n",
        "CONNECT host:80 HTTP/1.1\r\n" HOST "\r\n",
        "GET / HTTP/1.x\r\n" HOST "\r\n",
        "GET / http/1.1\r\n" HOST "\r\n",
        "GET / HTTP/11\r\n" HOST "\r\n",
        "\r\n\r\n",
        "",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_EQ(status_of(bad[i]), 400);
    }
    ASSERT_EQ(status_of("GET / HTTP/2.0\r\n" HOST "\r\n"), 505);
    ASSERT_EQ(status_of("GET / HTTP/0.9\r\n\r\n"), 505);
}

TEST(head, is_refused_when_a_field_is_none)
{
    static const char *const bad[] = {
        LINE HOST "no colon\r\n\r\n",
        LINE HOST ": no name\r\n\r\n",
        LINE HOST "A : space\r\n\r\n",
        LINE HOST "A\tB: tab\r\n\r\n",
        LINE HOST " folded: x\r\n\r\n",
        LINE HOST "A: b\r\n c\r\n\r\n",
        LINE HOST "A: b\rc\r\n\r\n",
        LINE HOST "A: \x01\r\n\r\n",
        LINE HOST "A: \x7f\r\n\r\n",
        LINE HOST "A(: b\r\n\r\n",
        LINE "\r\n",
        LINE HOST HOST "\r\n",
        LINE HOST "A\xc3: b\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_EQ(status_of(bad[i]), 400);
    }
    static const char nul[] = LINE HOST "A: \0\r\n\r\n";
    kin__head head;
    ASSERT_EQ(kin__head_parse(nul, sizeof nul - 1, &head).status, 400);
    ASSERT_EQ(status_of(LINE HOST "A: \xc3\xa4\t \r\n\r\n"), 0);
}

TEST(head, says_go_s_words_about_the_host)
{
    kin__head head;

    ASSERT_STR_EQ(parse(LINE "\r\n", &head).words, "missing required Host header");
    ASSERT_STR_EQ(parse(LINE HOST HOST "\r\n", &head).words, "too many Host headers");
    ASSERT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0);
}

TEST(head, is_refused_when_its_body_could_have_two_lengths)
{
    static const struct {
        const char *fields;
        int status;
    } cases[] = {
        { "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400 },
        { "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400 },
        { "Content-Length: 5\r\nContent-Length: 6\r\n", 400 },
        { "Content-Length: 5\r\nContent-Length: 5\r\n", 0 },
        { "Content-Length: 5, 5\r\n", 400 },
        { "Content-Length: +5\r\n", 400 },
        { "Content-Length: -5\r\n", 400 },
        { "Content-Length: 0x5\r\n", 400 },
        { "Content-Length: 5 5\r\n", 400 },
        { "Content-Length:\r\n", 400 },
        { "Content-Length: 99999999999999999999\r\n", 400 },
        { "Content-Length: 18446744073709551616\r\n", 400 },
        { "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400 },
        { "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400 },
        { "Transfer-Encoding: gzip, chunked\r\n", 501 },
        { "Transfer-Encoding: xchunked\r\n", 501 },
        { "Transfer-Encoding: \r\n", 501 },
        { "Transfer-Encoding: CHUNKED\r\n", 0 },
        { "Expect: other\r\n", 417 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text bytes = { 0 };
        text_append(&bytes, "%s%s%s\r\n", LINE, HOST, cases[i].fields);
        ASSERT_EQ(status_of(bytes.chars), cases[i].status);
    }
    ASSERT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(head, gives_its_fields_one_by_one)
{
    kin_str fields = STR("A: b\r\nC:\t d  \r\nE:\r\n");
    kin_str name;
    kin_str value;
    size_t at = 0;

    ASSERT_TRUE(kin__field_next(fields, &at, &name, &value));
    ASSERT_SLICE_EQ(name, "A");
    ASSERT_SLICE_EQ(value, "b");
    ASSERT_TRUE(kin__field_next(fields, &at, &name, &value));
    ASSERT_TRUE(kin__field_is(name, STR("c")));
    ASSERT_SLICE_EQ(value, "d");
    ASSERT_TRUE(kin__field_next(fields, &at, &name, &value));
    ASSERT_SLICE_EQ(value, "");
    ASSERT_FALSE(kin__field_next(fields, &at, &name, &value));
}
