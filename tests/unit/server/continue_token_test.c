/* SPDX-License-Identifier: Apache-2.0 */
/*
 * continue_token_test.c - where the next page begins.  Tokens and texts are a real server's.
 */
#include "server/continue_token.h"

#include <stdio.h>

#include "base/base64.h"
#include "base/str.h"
#include "support/test.h"

#define BAD "invalid continue token: continue key is not valid: "

/* In base64 for URLs; standard texts only. */
static void encode(const char *json, char *out)
{
    kin_str bytes = kin_str_of(json);
    size_t len = kin__base64_len(bytes.len);

    kin__base64_write(bytes, out);
    while (len > 0 && out[len - 1] == '=') {
        len--;
    }
    out[len] = '\0';
    for (size_t i = 0; i < len; i++) {
        out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
    }
}

static void check(const char *token, int64_t revision, const char *start, size_t start_len)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__continue_fini) kin__continue got = { 0 };

    if (!kin__continue_read(token, &got, &no)) {
        FAIL("%s: %.*s", token, (int) no.message.len, no.message.data);
    }
    ASSERT_EQ(got.revision, revision);
    ASSERT_TRUE(
        kin__str_equal(kin__str(got.start.data, got.start.len), kin__str(start, start_len)));
}

static void check_bad_token(const char *token, const char *words)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__continue got = { 0 };
    char want[256];

    ASSERT_FALSE(kin__continue_read(token, &got, &no));
    ASSERT_EQ(no.code, 400);
    (void) snprintf(want, sizeof want, BAD "%s", words);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), want);
}

static void check_bad(const char *json, const char *words)
{
    char token[512];
    encode(json, token);
    check_bad_token(token, words);
}

TEST(continue_token, reads_those_of_cache_and_etcd)
{
    check("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjEyLCJzdGFydCI6Ii9jLTJcdTAwMDAifQ", 212, "c-2", 4);
    check("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYy0xXHUwMDAwIn0", -1, "c-1", 4);
    check("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2MtNCJ9", -1, "c-4", 3);
}

TEST(continue_token, writes_what_a_real_server_writes)
{
    AUTO(kin__buf_fini) kin__buf got = { 0 };

    ASSERT_TRUE(kin__continue_write(212, true, kin__str("c-2", 4), &got));
    ASSERT_SLICE_EQ(kin__str(got.data, got.len),
                    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjEyLCJzdGFydCI6Ii9jLTJcdTAwMDAifQ");
    kin__buf_clear(&got);
    ASSERT_TRUE(kin__continue_write(-1, false, kin__str("c-1", 4), &got));
    ASSERT_SLICE_EQ(kin__str(got.data, got.len),
                    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYy0xXHUwMDAwIn0");
}

TEST(continue_token, reads_back_any_key)
{
    for (size_t len = 1; len < 300; len++) {
        AUTO(kin__buf_fini) kin__buf token = { 0 };
        char key[300];
        for (size_t i = 0; i < len; i++) {
            key[i] = i == len / 2 && i > 0 && i + 1 < len ? '/' : (char) ('!' + i * 7 % 90);
            key[i] = key[i] == '/' && i != len / 2 ? '~' : key[i];
            key[i] = key[i] == '.' ? ':' : key[i];
        }
        ASSERT_TRUE(kin__continue_write(7, len % 2 == 0, kin__str(key, len), &token));
        ASSERT_TRUE(kin__buf_append_byte(&token, '\0'));
        check(token.data, 7, key, len);
    }
}

TEST(continue_token, says_what_is_no_base64)
{
    check_bad_token("x", "illegal base64 data at input byte 0");
    check_bad_token("+", "illegal base64 data at input byte 0");
    check_bad_token("abcde", "illegal base64 data at input byte 4");
    check_bad_token("abc=", "illegal base64 data at input byte 3");
}

TEST(continue_token, says_what_is_no_json)
{
    check_bad_token("abcd", "invalid character 'i' looking for beginning of value");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"c-4\"}x",
              "invalid character 'x' after top-level value");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1", "unexpected end of JSON input");
}

TEST(continue_token, says_what_has_the_wrong_type)
{
    check_bad("[]", "json: cannot unmarshal array into Go value of type storage.continueToken");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":\"a\",\"start\":\"/c-4\"}",
              "json: cannot unmarshal string into Go struct field continueToken.rv of type int64");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":5}",
              "json: cannot unmarshal number into Go struct field continueToken.start of type "
              "string");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":9223372036854775808,\"start\":\"a\"}",
              "json: cannot unmarshal number 9223372036854775808 into Go struct field "
              "continueToken.rv of type int64");
}

TEST(continue_token, says_what_makes_no_sense)
{
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":0,\"start\":\"c-1\"}",
              "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    check_bad("{\"v\":\"meta.k8s.io/v1\",\"rv\":1,\"start\":\"\"}",
              "encoded start key empty (version meta.k8s.io/v1)");
    check_bad("{\"v\":\"meta.k8s.io/v2\",\"rv\":1,\"start\":\"x\"}",
              "server does not recognize this encoded version meta.k8s.io/v2");
    check_bad("null", "server does not recognize this encoded version ");
}

TEST(continue_token, leads_to_nothing_outside_the_list)
{
    static const char *const starts[] = { "../x", "/../x", "a/../x", "./x", "a//b", "a/", "//a" };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        char json[128];
        (void) snprintf(json, sizeof json, "{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"%s\"}",
                        starts[i]);
        check_bad(json, starts[i]);
    }
}

TEST(continue_token, is_quoted_with_the_nul_at_its_end)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__continue got = { 0 };
    char token[512];

    encode("{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"../x\\u0000\"}", token);
    ASSERT_FALSE(kin__continue_read(token, &got, &no));
    ASSERT_EQ(no.message.len, sizeof BAD "../x");
    ASSERT_EQ(no.message.data[no.message.len - 1], '\0');
}

TEST_FAILING_ALLOC(continue_token, is_refused_without_memory)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__continue_fini) kin__continue got = { 0 };
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    if (!kin__continue_write(5, true, STR("a/b"), &token) || !kin__buf_append_byte(&token, '\0')) {
        return KIN_ERR_NO_MEMORY;
    }
    return kin__continue_read(token.data, &got, &no) ? KIN_OK
           : no.has_no_memory                        ? KIN_ERR_NO_MEMORY
                                                     : KIN_ERR_MALFORMED;
}
