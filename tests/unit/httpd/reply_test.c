/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_test.c - heads of answers, byte for byte as Go's.
 */
#include "httpd/reply.h"

#include "base/str.h"
#include "support/test.h"

static void spell(const kin__reply *reply, text *out)
{
    kin__buf buf = { 0 };
    ASSERT_TRUE(kin__reply_write(reply, &buf));
    text_append(out, "%.*s", (int) buf.len, buf.data);
    kin__buf_fini(&buf);
}

TEST(reply, has_its_fields_in_go_s_order)
{
    kin__visit_field fields[] = { { STR("Audit-Id"), STR("x") },
                                  { STR("Warning"), STR("a\r\nb") } };
    text kept = { 0 };
    text chunked = { 0 };

    spell(&(kin__reply){ .status = 404,
                         .fields = fields,
                         .count = 2,
                         .date = STR("now"),
                         .framing = KIN__FRAMING_LENGTH,
                         .has_length = true,
                         .length = 7,
                         .is_kept = true,
                         .minor = 1 },
          &kept);
    spell(
        &(kin__reply){
            .status = 200, .date = STR("now"), .framing = KIN__FRAMING_CHUNKS, .minor = 1 },
        &chunked);

    ASSERT_STR_EQ(kept.chars, "HTTP/1.1 404 Not Found\r\nAudit-Id: x\r\nWarning: a  b\r\n"
                              "Date: now\r\nContent-Length: 7\r\n\r\n");
    ASSERT_STR_EQ(chunked.chars, "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n");
}

TEST(reply, says_once_that_the_connection_ends)
{
    kin__visit_field fields[] = { { STR("Connection"), STR("close") } };
    text closed = { 0 };

    spell(&(kin__reply){ .status = 200,
                         .fields = fields,
                         .count = 1,
                         .date = STR("now"),
                         .framing = KIN__FRAMING_LENGTH,
                         .minor = 1 },
          &closed);

    ASSERT_STR_EQ(closed.chars, "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\n\r\n");
}

TEST(reply, speaks_http_1_0_to_those_who_do)
{
    text kept = { 0 };
    text closed = { 0 };

    spell(
        &(kin__reply){
            .status = 200, .date = STR("now"), .framing = KIN__FRAMING_LENGTH, .is_kept = true },
        &kept);
    spell(&(kin__reply){ .status = 299, .date = STR("now"), .framing = KIN__FRAMING_CLOSE },
          &closed);

    ASSERT_STR_EQ(kept.chars, "HTTP/1.0 200 OK\r\nDate: now\r\nConnection: keep-alive\r\n\r\n");
    ASSERT_STR_EQ(closed.chars, "HTTP/1.0 299 status code 299\r\nDate: now\r\n\r\n");
}

TEST(reply, refuses_in_go_s_words)
{
    static const struct {
        kin__refusal refusal;
        const char *want;
    } cases[] = {
        { { 400, NULL },
          "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
          "Connection: close\r\n\r\n400 Bad Request" },
        { { 400, "missing required Host header" },
          "HTTP/1.1 400 Bad Request: missing required Host header\r\n"
          "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
          "400 Bad Request: missing required Host header" },
        { { 431, NULL },
          "HTTP/1.1 431 Request Header Fields Too Large\r\n"
          "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
          "431 Request Header Fields Too Large" },
        { { 501, NULL },
          "HTTP/1.1 501 Not Implemented\r\nContent-Type: text/plain; charset=utf-8\r\n"
          "Connection: close\r\n\r\nUnsupported transfer encoding" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__buf buf = { 0 };
        ASSERT_TRUE(kin__reply_write_refusal(cases[i].refusal, &buf));
        ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), cases[i].want);
        kin__buf_fini(&buf);
    }
}

TEST_FAILING_ALLOC(reply, says_when_there_is_no_memory)
{
    kin__buf buf = { 0 };
    kin__visit_field fields[] = { { STR("A"), STR("b") } };
    bool is_written = kin__reply_write(
        &(kin__reply){ .status = 200, .fields = fields, .count = 1, .date = STR("now") }, &buf);
    kin__buf_fini(&buf);
    return is_written ? KIN_OK : KIN_ERR_NO_MEMORY;
}
