/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_body_test.c - bodies in gzip.
 */
#include "server/gzip_body.h"

#include <string.h>

#include "base/str.h"
#include "net/gunzip.h"
#include "support/random.h"
#include "support/test.h"

/* A body of `left` bytes, in pieces of `step`, that ends in `last`. */
typedef struct script {
    const char *bytes;
    size_t left;
    size_t step;
    size_t pieces; /* at a time */
    size_t waits;  /* how often it says WAIT before the end */
    kin__body_state last;
    int released;
    char copy[KIN__BODY_PIECES][4096]; /* pieces lie here: they go with the next question */
} script;

static kin__body_state script_next(void *context, kin__body_pieces *out)
{
    script *s = context;
    memset(s->copy, '#', sizeof s->copy);
    while (out->count < s->pieces && s->left > 0) {
        size_t len = s->left < s->step ? s->left : s->step;
        memcpy(s->copy[out->count], s->bytes, len);
        out->pieces[out->count] = kin__str(s->copy[out->count], len);
        out->count++;
        s->bytes += len;
        s->left -= len;
    }
    if (s->left > 0) {
        return KIN__BODY_MORE;
    }
    if (s->waits > 0) {
        s->waits--;
        return out->count > 0 ? KIN__BODY_MORE : KIN__BODY_WAIT;
    }
    return s->last;
}

static void script_release(void *context)
{
    ((script *) context)->released++;
}

#define MAX (1 << 20)
static char bytes[MAX];

static void fill(void)
{
    uint64_t random = random_start(5);
    for (size_t i = 0; i < MAX; i++) {
        bytes[i] = (char) ('a' + random_below(&random, 4 + i % 20));
    }
}

static kin__body_state read_all(kin__body *body, kin__buf *out, size_t *waits)
{
    kin__body_state state = KIN__BODY_MORE;
    while (state == KIN__BODY_MORE || state == KIN__BODY_WAIT) {
        kin__body_pieces pieces = { .count = 0 };
        state = body->next(body->context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            ASSERT_TRUE(kin__buf_append_str(out, pieces.pieces[i]));
        }
        *waits += state == KIN__BODY_WAIT;
    }
    return state;
}

static kin_err collect(void *context, const char *plain, size_t len, kin_error *err)
{
    return kin__buf_append(context, plain, len) ? KIN_OK : kin__error_no_memory(err);
}

static void check_plain(const kin__buf *got, size_t len)
{
    ASSERT_TRUE(kin__str_equal(kin__str(got->data, got->len), kin__str(bytes, len)));
}

static void check_zipped(const kin__buf *zipped, size_t len, bool is_whole)
{
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = NULL;
    AUTO(kin__buf_fini) kin__buf plain = { 0 };
    kin_error err;

    ASSERT_OK(kin__gunzip_new(&gunzip, &err));
    ASSERT_OK(kin__gunzip_feed(gunzip, zipped->data, zipped->len, collect, &plain, &err));
    ASSERT_ERR(kin__gunzip_finish(gunzip, &err), is_whole ? KIN_OK : KIN_ERR_PROTOCOL);
    check_plain(&plain, len);
}

static bool zip(script *s, kin__body *body)
{
    bool is_gzip = false;
    kin_error err;

    *body = (kin__body){ script_next, script_release, s };
    ASSERT_OK(kin__gzip_body(body, &is_gzip, &err));
    return is_gzip;
}

TEST(gzip_body, compresses_what_is_larger_than_128_kib)
{
    static const size_t sizes[] = { KIN__GZIP_BODY_MIN + 1, 300000, MAX };
    static const size_t steps[] = { 4096, 1000, 37 };
    fill();

    for (size_t i = 0; i < 9; i++) {
        AUTO(kin__buf_fini) kin__buf got = { 0 };
        static script s;
        kin__body body;
        size_t size = sizes[i / 3];
        size_t waits = 0;
        memset(&s, 0, sizeof s);
        s.bytes = bytes;
        s.left = size;
        s.step = steps[i % 3];
        s.pieces = 1 + i * 7;
        s.last = KIN__BODY_END;

        ASSERT_TRUE(zip(&s, &body));
        ASSERT_EQ(read_all(&body, &got, &waits), KIN__BODY_END);
        ASSERT_EQ(s.released, 0);
        body.release(body.context);

        ASSERT_EQ(s.released, 1);
        ASSERT_TRUE(got.len < size);
        check_zipped(&got, size, true);
    }
}

/* 1f 8b 08, no flags, no time, "fastest", and no system that it knows: as Go writes it. */
TEST(gzip_body, begins_as_go_does)
{
    AUTO(kin__buf_fini) kin__buf got = { 0 };
    static script s = { .bytes = bytes, .left = MAX, .step = 4096, .pieces = 64 };
    kin__body body;
    size_t waits = 0;
    s.last = KIN__BODY_END;
    fill();

    ASSERT_TRUE(zip(&s, &body));
    (void) read_all(&body, &got, &waits);

    ASSERT_TRUE(memcmp(got.data, "\x1f\x8b\x08\0\0\0\0\0\x04\xff", 10) == 0);
    body.release(body.context);
}

TEST(gzip_body, leaves_what_is_smaller_as_it_is)
{
    static const size_t sizes[] = { 0, 1, 2000, 100000, KIN__GZIP_BODY_MIN };
    fill();

    for (size_t i = 0; i < 10; i++) {
        AUTO(kin__buf_fini) kin__buf got = { 0 };
        static script s;
        kin__body body;
        size_t waits = 0;
        memset(&s, 0, sizeof s);
        s.bytes = bytes;
        s.left = sizes[i / 2];
        s.step = 4096;
        s.pieces = i % 2 == 0 ? 64 : 5;
        s.last = KIN__BODY_END;

        ASSERT_FALSE(zip(&s, &body));
        ASSERT_EQ(read_all(&body, &got, &waits), KIN__BODY_END);
        check_plain(&got, sizes[i / 2]);
        body.release(body.context);
        ASSERT_EQ(s.released, 1);
    }
}

TEST(gzip_body, ends_a_small_body_with_its_first_answer)
{
    static script s = { .bytes = bytes, .left = 1500, .step = 1000, .pieces = 64 };
    kin__body_pieces pieces = { .count = 0 };
    kin__body body;
    s.last = KIN__BODY_END;
    fill();

    ASSERT_FALSE(zip(&s, &body));

    ASSERT_EQ(body.next(body.context, &pieces), KIN__BODY_END);
    ASSERT_EQ(pieces.count, 2);
    body.release(body.context);
}

TEST(gzip_body, waits_and_is_cut_as_the_other_is)
{
    static const kin__body_state lasts[] = { KIN__BODY_CUT, KIN__BODY_RESET, KIN__BODY_END };
    fill();

    for (size_t i = 0; i < 6; i++) {
        AUTO(kin__buf_fini) kin__buf got = { 0 };
        static script s;
        kin__body body;
        size_t size = i < 3 ? 5000 : 400000;
        size_t waits = 0;
        memset(&s, 0, sizeof s);
        s.bytes = bytes;
        s.left = size;
        s.step = 4000;
        s.pieces = 10;
        s.waits = 3;
        s.last = lasts[i % 3];

        ASSERT_EQ(zip(&s, &body), i >= 3);
        ASSERT_EQ(read_all(&body, &got, &waits), lasts[i % 3]);
        ASSERT_TRUE(waits > 0);
        if (i < 3) {
            check_plain(&got, size);
        } else {
            check_zipped(&got, size, lasts[i % 3] == KIN__BODY_END);
        }
        body.release(body.context);
    }
}

TEST_FAILING_ALLOC(gzip_body, leaves_the_old_body_to_the_caller_without_memory)
{
    static script s;
    kin__body body = { script_next, script_release, &s };
    bool is_gzip = false;
    kin_error err;

    memset(&s, 0, sizeof s);
    s.bytes = bytes;
    s.left = 200000;
    s.step = 4096;
    s.pieces = 4;
    s.last = KIN__BODY_END;
    kin_err code = kin__gzip_body(&body, &is_gzip, &err);
    ASSERT_TRUE(code == KIN_OK || body.context == &s);
    body.release(body.context);
    ASSERT_EQ(s.released, 1);
    return code;
}
