/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gunzip_test.c - what zlib packs, in any number of pieces and members.
 */
#include "net/gunzip.h"

#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "support/random.h"
#include "support/test.h"

#define GZIP_ONLY (16 + MAX_WBITS)

/* Packed by zlib itself, with its own memory. */
static void pack(kin__buf *out, const char *bytes, size_t len, int level)
{
    z_stream stream = { 0 };
    char chunk[4096];
    int result;
    ASSERT_EQ(deflateInit2(&stream, level, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const Bytef *) (uintptr_t) bytes;
    stream.avail_in = (uInt) len;
    do {
        stream.next_out = (Bytef *) chunk;
        stream.avail_out = sizeof chunk;
        result = deflate(&stream, Z_FINISH);
        ASSERT_TRUE(kin__buf_append(out, chunk, sizeof chunk - stream.avail_out));
    } while (result == Z_OK);
    ASSERT_EQ(result, Z_STREAM_END);
    ASSERT_EQ(deflateEnd(&stream), Z_OK);
}

static void pack_text(kin__buf *out, const char *words)
{
    pack(out, words, strlen(words), 6);
}

static kin__gunzip *new_gunzip(void)
{
    kin__gunzip *gunzip;
    kin_error err;
    ASSERT_OK(kin__gunzip_new(&gunzip, &err));
    return gunzip;
}

static kin_err collect(void *context, const char *bytes, size_t len, kin_error *err)
{
    ASSERT_TRUE(len > 0 && len <= 64 * 1024);
    return kin__buf_append(context, bytes, len) ? KIN_OK : kin__error_no_memory(err);
}

/* In pieces of `step` bytes; the error of the feeding, or that of the end. */
static kin_err unpack(const kin__buf *packed, size_t step, kin__buf *out, kin_error *err)
{
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
    for (size_t i = 0; i < packed->len; i += step) {
        size_t len = packed->len - i < step ? packed->len - i : step;
        if (kin__gunzip_feed(gunzip, packed->data + i, len, collect, out, err) != KIN_OK) {
            return err->code;
        }
    }
    return kin__gunzip_finish(gunzip, err);
}

static void expect_unpacked(const kin__buf *packed, const char *want)
{
    for (size_t step = 1; step <= packed->len; step++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin_error err;
        ASSERT_OK(unpack(packed, step, &out, &err));
        ASSERT_SLICE_EQ(((kin_str){ out.data, out.len }), want);
    }
}

TEST(gunzip, unpacks_any_split_of_the_input)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    pack_text(&packed, "one fish, two fish, red fish, blue fish");

    expect_unpacked(&packed, "one fish, two fish, red fish, blue fish");
}

TEST(gunzip, unpacks_one_member_after_another)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    pack_text(&packed, "{\"type\":\"ADDED\"}\n");
    pack_text(&packed, "");
    pack_text(&packed, "{\"type\":\"BOOKMARK\"}\n");

    expect_unpacked(&packed, "{\"type\":\"ADDED\"}\n{\"type\":\"BOOKMARK\"}\n");
}

/* A name and a comment in the header, and a checksum of it: RFC 1952. */
TEST(gunzip, unpacks_a_header_with_everything_in_it)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    z_stream stream = { 0 };
    char chunk[512];
    gz_header header = { .time = 7,
                         .extra = (Bytef *) (uintptr_t) "ab\2\0cd",
                         .extra_len = 6,
                         .name = (Bytef *) (uintptr_t) "n",
                         .comment = (Bytef *) (uintptr_t) "c",
                         .hcrc = 1 };
    ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ASSERT_EQ(deflateSetHeader(&stream, &header), Z_OK);
    stream.next_in = (z_const Bytef *) (uintptr_t) "fish";
    stream.avail_in = 4;
    stream.next_out = (Bytef *) chunk;
    stream.avail_out = sizeof chunk;
    ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    ASSERT_TRUE(kin__buf_append(&packed, chunk, sizeof chunk - stream.avail_out));
    ASSERT_EQ(deflateEnd(&stream), Z_OK);

    expect_unpacked(&packed, "fish");
}

TEST(gunzip, hands_over_what_it_has_with_each_piece)
{
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err;
    z_stream stream = { 0 };
    char chunk[512];
    ASSERT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY), Z_OK);

    for (size_t i = 1; i <= 5; i++) {
        stream.next_in = (z_const Bytef *) (uintptr_t) "event\n";
        stream.avail_in = 6;
        stream.next_out = (Bytef *) chunk;
        stream.avail_out = sizeof chunk;
        ASSERT_EQ(deflate(&stream, Z_SYNC_FLUSH), Z_OK);
        ASSERT_OK(
            kin__gunzip_feed(gunzip, chunk, sizeof chunk - stream.avail_out, collect, &out, &err));
        ASSERT_EQ(out.len, i * 6);
    }

    (void) deflateEnd(&stream);
}

TEST(gunzip, gives_a_member_before_its_checksum_has_come)
{
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err;
    pack_text(&packed, "fish");

    ASSERT_OK(kin__gunzip_feed(gunzip, packed.data, packed.len - 8, collect, &out, &err));

    ASSERT_SLICE_EQ(((kin_str){ out.data, out.len }), "fish");
    ASSERT_ERR(kin__gunzip_finish(gunzip, &err), KIN_ERR_PROTOCOL);
}

TEST(gunzip, refuses_an_end_anywhere_but_after_a_member)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    kin_error err;
    pack_text(&packed, "one");
    size_t first = packed.len;
    pack_text(&packed, "two");

    for (size_t len = 0; len <= packed.len; len++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin__buf cut = { .data = packed.data, .len = len };
        bool is_whole = len == 0 || len == first || len == packed.len;
        ASSERT_ERR(unpack(&cut, len == 0 ? 1 : len, &out, &err),
                   is_whole ? KIN_OK : KIN_ERR_PROTOCOL);
        if (!is_whole) {
            ASSERT_MESSAGE(&err, "gzip: the data ends too early");
        }
    }
}

static void expect_fault(kin__buf *packed, const char *message)
{
    for (size_t step = 1; step <= packed->len; step += packed->len - 1) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin_error err;
        ASSERT_ERR(unpack(packed, step, &out, &err), KIN_ERR_PROTOCOL);
        ASSERT_MESSAGE(&err, message);
    }
}

TEST(gunzip, refuses_what_is_not_gzip)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    ASSERT_TRUE(kin__buf_append(&packed, "{\"kind\":\"Status\"}", 17));

    expect_fault(&packed, "gzip: the data is not gzip");
}

/* zlib's own format: 78 9c. */
TEST(gunzip, refuses_deflate_with_another_header)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    ASSERT_TRUE(kin__buf_append(&packed, "\x78\x9c\x03\x00\x00\x00\x00\x01", 8));

    expect_fault(&packed, "gzip: the data is not gzip");
}

TEST(gunzip, refuses_anything_but_gzip_after_a_member)
{
    const kin_str rests[] = { { "xy", 2 }, { "\0\0\0\0", 4 }, { "\x1f\x8c", 2 } };
    for (size_t i = 0; i < 3; i++) {
        AUTO(kin__buf_fini) kin__buf packed = { 0 };
        pack_text(&packed, "fish");
        ASSERT_TRUE(kin__buf_append_str(&packed, rests[i]));

        expect_fault(&packed, "gzip: something else follows the data");
    }
}

TEST(gunzip, refuses_a_wrong_checksum_or_length)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    pack_text(&packed, "fish");

    packed.data[packed.len - 8] ^= 1;
    expect_fault(&packed, "gzip: incorrect data check");
    packed.data[packed.len - 8] ^= 1;
    packed.data[packed.len - 1] ^= 1;

    expect_fault(&packed, "gzip: incorrect length check");
}

TEST(gunzip, refuses_damaged_data)
{
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    pack_text(&packed, "fish");

    packed.data[10] = '\x07'; /* a last block of the type that there is not */

    expect_fault(&packed, "gzip: invalid block type");
}

static kin_err count(void *context, const char *bytes, size_t len, kin_error *err)
{
    (void) err;
    size_t *total = context;
    for (size_t i = 0; i < len; i++) {
        ASSERT_EQ(bytes[i], '\0');
    }
    ASSERT_TRUE(len > 0 && len <= 64 * 1024);
    *total += len;
    return KIN_OK;
}

/* 32 MB from 32 KB. */
TEST(gunzip, unpacks_a_bomb_with_little_memory)
{
    enum { TOTAL = 32 << 20 };
    static const char zeros[1 << 20];
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    kin_error err;
    z_stream stream = { 0 };
    char chunk[64 * 1024];
    size_t total = 0;
    ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, GZIP_ONLY, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 1; i <= 32; i++) {
        stream.next_in = (z_const Bytef *) (uintptr_t) zeros;
        stream.avail_in = sizeof zeros;
        stream.next_out = (Bytef *) chunk;
        stream.avail_out = sizeof chunk;
        ASSERT_EQ(deflate(&stream, i < 32 ? Z_NO_FLUSH : Z_FINISH), i < 32 ? Z_OK : Z_STREAM_END);
        ASSERT_TRUE(kin__buf_append(&packed, chunk, sizeof chunk - stream.avail_out));
    }
    (void) deflateEnd(&stream);
    long long before = live_blocks();

    ASSERT_OK(kin__gunzip_feed(gunzip, packed.data, packed.len, count, &total, &err));

    ASSERT_EQ(total, TOTAL);
    ASSERT_TRUE(packed.len < TOTAL / 900);
    ASSERT_TRUE(live_blocks() <= before + 1); /* zlib's window */
    ASSERT_OK(kin__gunzip_finish(gunzip, &err));
}

/* Whatever the split, the same input has given the same output: also where a piece ends with the
 * sink's 64 KB full and more to come. */
TEST(gunzip, holds_nothing_back_at_any_split)
{
    static char zeros[1 << 20];
    static size_t totals[4096]; /* after so many bytes */
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    kin_error err;
    pack(&packed, zeros, sizeof zeros, 9);
    ASSERT_TRUE(packed.len < 4096);

    for (size_t step = 1; step < 80; step++) {
        AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
        size_t total = 0;
        for (size_t i = 0; i < packed.len;) {
            size_t len = packed.len - i < step ? packed.len - i : step;
            ASSERT_OK(kin__gunzip_feed(gunzip, packed.data + i, len, count, &total, &err));
            i += len;
            if (step == 1) {
                totals[i] = total;
            }
            ASSERT_EQ(total, totals[i]);
        }
    }
}

static kin_err refuse(void *context, const char *bytes, size_t len, kin_error *err)
{
    int *calls = context;
    (void) bytes;
    (void) len;
    (*calls)++;
    return kin__error_set(err, KIN_ERR_LIMIT, "enough");
}

TEST(gunzip, ends_with_the_error_of_its_sink)
{
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
    AUTO(kin__buf_fini) kin__buf packed = { 0 };
    kin_error err;
    int calls = 0;
    pack_text(&packed, "one");
    pack_text(&packed, "two");

    ASSERT_ERR(kin__gunzip_feed(gunzip, packed.data, packed.len, refuse, &calls, &err),
               KIN_ERR_LIMIT);

    ASSERT_MESSAGE(&err, "enough");
    ASSERT_EQ(calls, 1);
}

/* Members of random bytes and lengths, fed in random pieces. */
TEST(gunzip, gives_back_what_was_packed)
{
    uint64_t random = random_start(20261119);
    for (int round = 0; round < 20; round++) {
        AUTO(kin__buf_fini) kin__buf plain = { 0 };
        AUTO(kin__buf_fini) kin__buf packed = { 0 };
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        AUTO(kin__gunzip_free) kin__gunzip *gunzip = new_gunzip();
        kin_error err;
        for (int member = 0; member < 4; member++) {
            size_t start = plain.len;
            size_t len = random_below(&random, 100000);
            for (size_t i = 0; i < len; i++) {
                ASSERT_TRUE(kin__buf_append_byte(&plain, (char) random_below(&random, 20)));
            }
            pack(&packed, plain.data + start, len, (int) random_below(&random, 10));
        }

        for (size_t i = 0; i < packed.len;) {
            size_t len = 1 + random_below(&random, 5000);
            len = len < packed.len - i ? len : packed.len - i;
            ASSERT_OK(kin__gunzip_feed(gunzip, packed.data + i, len, collect, &out, &err));
            i += len;
        }

        ASSERT_OK(kin__gunzip_finish(gunzip, &err));
        ASSERT_EQ(out.len, plain.len);
        ASSERT_EQ(memcmp(out.data, plain.data, out.len), 0);
    }
}

TEST_FAILING_ALLOC(gunzip, fails_without_a_leak)
{
    /* "fish", level 6: packing allocates as well. */
    static const char packed[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xcb\x2c\xce\x00\x00"
                                 "\x33\x44\x74\x3f\x04\x00\x00\x00";
    AUTO(kin__gunzip_free) kin__gunzip *gunzip = NULL;
    kin_error err;
    char got[8] = { 0 };
    kin__buf out = { .data = got, .capacity = sizeof got };
    if (kin__gunzip_new(&gunzip, &err) != KIN_OK) {
        return err.code;
    }
    /* In two pieces: zlib makes its window when the output goes on. */
    if (kin__gunzip_feed(gunzip, packed, 12, collect, &out, &err) != KIN_OK ||
        kin__gunzip_feed(gunzip, packed + 12, sizeof packed - 13, collect, &out, &err) != KIN_OK) {
        return err.code;
    }
    ASSERT_STR_EQ(got, "fish");
    return kin__gunzip_finish(gunzip, &err);
}
