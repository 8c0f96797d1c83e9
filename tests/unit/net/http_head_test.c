/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head_test.c - lines of a head, and what is made of them.
 */
#include "net/http_head.h"

#include <stdio.h>

#include "support/test.h"

/* 2026-11-16 08:00:00 UTC */
static const kin_time now = { .seconds = 1794816000 };

static void read_lines(kin__head_reader *reader, const char *const *lines)
{
    kin_error err;
    for (; *lines != NULL; lines++) {
        ASSERT_OK(kin__head_reader_line(reader, kin_str_of(*lines), now, &err));
    }
}

#define READ(reader, ...) read_lines(reader, (const char *const[]){ __VA_ARGS__, NULL })

static uint32_t retry_after(const char *value)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };
    char line[256];
    (void) snprintf(line, sizeof line, "Retry-After: %s\r\n", value);
    READ(&reader, "HTTP/1.1 503 Unavailable\r\n", line, "\r\n");
    return kin__head_reader_get(&reader).retry_after_ms;
}

TEST(http_head, knows_the_status_and_the_version)
{
    AUTO(kin__head_reader_fini) kin__head_reader one = { 0 };
    AUTO(kin__head_reader_fini) kin__head_reader two = { 0 };

    READ(&one, "HTTP/1.1 404 Not Found\r\n", "\r\n");
    READ(&two, "HTTP/2 200 \r\n", "\r\n");

    ASSERT_EQ(kin__head_reader_get(&one).status, 404);
    ASSERT_FALSE(kin__head_reader_get(&one).is_http2);
    ASSERT_TRUE(one.is_complete);
    ASSERT_EQ(kin__head_reader_get(&two).status, 200);
    ASSERT_TRUE(kin__head_reader_get(&two).is_http2);
}

TEST(http_head, is_complete_at_the_empty_line_of_the_final_answer)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };

    READ(&reader, "HTTP/1.1 103 Early Hints\r\n", "ETag: early\r\n", "\r\n");
    ASSERT_FALSE(reader.is_complete);
    READ(&reader, "HTTP/1.1 200 OK\r\n", "Content-Type: a/b\r\n");
    ASSERT_FALSE(reader.is_complete);
    READ(&reader, "\r\n", "ETag: trailer\r\n");

    ASSERT_TRUE(reader.is_complete);
    ASSERT_SLICE_EQ(kin__head_reader_get(&reader).etag, "");
    ASSERT_SLICE_EQ(kin__head_reader_get(&reader).content_type, "a/b");
}

TEST(http_head, knows_names_in_any_case_and_values_without_space)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };

    READ(&reader, "HTTP/2 302\r\n", "content-TYPE:  application/json;stream=watch \r\n",
         "location:/x\r\n", "Content-Encoding: GZIP\r\n", "nonsense\r\n", ": x\r\n", "\r\n");
    kin__http_head head = kin__head_reader_get(&reader);

    ASSERT_SLICE_EQ(head.content_type, "application/json;stream=watch");
    ASSERT_SLICE_EQ(head.location, "/x");
    ASSERT_TRUE(reader.is_gzip);
}

TEST(http_head, takes_the_last_of_two)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };

    READ(&reader, "HTTP/2 200\r\n", "etag: a\r\n", "etag: bc\r\n", "\r\n");

    ASSERT_SLICE_EQ(kin__head_reader_get(&reader).etag, "bc");
}

TEST(http_head, reads_retry_after_in_seconds)
{
    ASSERT_EQ(retry_after("0"), 0);
    ASSERT_EQ(retry_after("1"), 1000);
    ASSERT_EQ(retry_after("120"), 120000);
    ASSERT_EQ(retry_after("3601"), 3600000);
    ASSERT_EQ(retry_after("99999999999999999999"), 3600000);
    ASSERT_EQ(retry_after("-1"), 0);
    ASSERT_EQ(retry_after("soon"), 0);
    ASSERT_EQ(retry_after("5 s"), 0);
    ASSERT_EQ(retry_after(""), 0);
}

TEST(http_head, reads_retry_after_as_a_date)
{
    ASSERT_EQ(retry_after("Mon, 16 Nov 2026 08:00:30 GMT"), 30000);
    ASSERT_EQ(retry_after("Mon, 16 Nov 2026 07:59:30 GMT"), 0);
    ASSERT_EQ(retry_after("Tue, 17 Nov 2026 08:00:00 GMT"), 3600000);
    ASSERT_EQ(retry_after("Mon, 16 Nov 2026 08:00:30 GMT and quite a lot of other things behind it "
                          "that make it too long"),
              0);
}

TEST(http_head, collects_warnings)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };

    READ(&reader, "HTTP/1.1 200 OK\r\n", "Warning: 299 - \"v1 \\\"Foo\\\" is old\"\r\n",
         "Warning: 199 - \"another kind\", 299 agent \"second, with a comma\" \"a date\"\r\n",
         "Warning: 299 - unquoted\r\n", "Warning: 299 - \"open\r\n", "Warning:\r\n", "\r\n");

    ASSERT_SLICE_EQ(kin__head_reader_get(&reader).warnings,
                    "v1 \"Foo\" is old\nsecond, with a comma\nopen");
}

TEST(http_head, survives_status_lines_that_are_none)
{
    static const char *const lines[] = { "HTTP/\r\n", "HTTP/1.1\r\n", "HTTP/1.1 abc\r\n",
                                         "HTTP/1.1 99999999999\r\n", "HTTP/1.1 1000 X\r\n" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };
        READ(&reader, lines[i], "\r\n");
        ASSERT_EQ(reader.status, 0);
        ASSERT_FALSE(reader.is_complete);
    }
}

TEST_FAILING_ALLOC(http_head, fails_without_a_leak)
{
    AUTO(kin__head_reader_fini) kin__head_reader reader = { 0 };
    static const char *const lines[] = { "HTTP/1.1 200 OK",
                                         "Content-Type: a/b",
                                         "Content-Encoding: br",
                                         "Location: /x",
                                         "ETag: abc",
                                         "Warning: 299 - \"old\"",
                                         "" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        kin_error err;
        if (kin__head_reader_line(&reader, kin_str_of(lines[i]), now, &err) != KIN_OK) {
            return err.code;
        }
    }
    return KIN_OK;
}
