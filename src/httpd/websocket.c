/* SPDX-License-Identifier: Apache-2.0 */
/*
 * websocket.c - heads of frames, written and read.
 *
 * A head is gathered byte by byte until its length is known and there; what is inside a frame is
 * passed over in one step, but for pings.
 */
#include "httpd/websocket.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/base64.h"
#include "base/str.h"

#define FINAL 0x80u  /* of the first byte: the message ends with this frame */
#define MASKED 0x80u /* of the second */
#define SHORT_MAX 125u
#define TWO_BYTES 126u /* instead of a length: it follows */
#define EIGHT_BYTES 127u
#define KEY_LEN 4u /* of a mask */

static size_t take_head(kin__websocket_reader *reader, const char *bytes, size_t len);
static size_t head_len(const kin__websocket_reader *reader);
static size_t length_len(unsigned char second);
static bool is_masked(const kin__websocket_reader *reader);
static unsigned opcode_of(const kin__websocket_reader *reader);
static uint64_t read_length(const kin__websocket_reader *reader);
static kin__websocket_step check(const kin__websocket_reader *reader);
static size_t take_inside(kin__websocket_reader *reader, const char *bytes, size_t len);
static void keep_control(kin__websocket_reader *reader, const char *bytes, size_t len);
static void end_frame(kin__websocket_reader *reader);

size_t kin__websocket_write_head(kin__websocket_opcode opcode, uint64_t len,
                                 char out[KIN__WEBSOCKET_HEAD_MAX])
{
    size_t extra = len <= SHORT_MAX ? 0 : len <= UINT16_MAX ? 2 : 8;

    out[0] = (char) (FINAL | (unsigned) opcode);
    out[1] = (char) (extra == 0 ? (unsigned) len : extra == 2 ? TWO_BYTES : EIGHT_BYTES);
    for (size_t i = 0; i < extra; i++) {
        out[2 + i] = (char) (len >> (8 * (extra - 1 - i)) & 0xff);
    }
    return 2 + extra;
}

bool kin__websocket_accept(kin_str key, char out[KIN__WEBSOCKET_ACCEPT_LEN])
{
    kin_str magic = STR("258EAFA5-E914-47DA-95CA-C5AB0DC85B11"); /* RFC 6455, section 1.3 */
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    EVP_MD_CTX *sum = EVP_MD_CTX_new();

    bool is_done = sum != NULL && EVP_DigestInit_ex(sum, EVP_sha1(), NULL) == 1 &&
                   EVP_DigestUpdate(sum, key.data, key.len) == 1 &&
                   EVP_DigestUpdate(sum, magic.data, magic.len) == 1 &&
                   EVP_DigestFinal_ex(sum, digest, &len) == 1;
    EVP_MD_CTX_free(sum);
    if (is_done) {
        kin__base64_write(kin__str((const char *) digest, len), out);
    }
    return is_done;
}

kin__websocket_step kin__websocket_read(kin__websocket_reader *reader, const char *bytes,
                                        size_t len, size_t *used)
{
    size_t at = 0;

    while (at < len) {
        if (!reader->is_inside) {
            at += take_head(reader, bytes + at, len - at);
            kin__websocket_step step = reader->is_inside ? check(reader) : KIN__WEBSOCKET_ON;
            if (step != KIN__WEBSOCKET_ON) {
                *used = at;
                return step;
            }
        } else {
            at += take_inside(reader, bytes + at, len - at);
        }
        if (reader->is_inside && reader->left == 0) {
            bool is_ping = opcode_of(reader) == KIN__WEBSOCKET_PING;
            end_frame(reader);
            if (is_ping) {
                *used = at;
                return KIN__WEBSOCKET_PINGED;
            }
        }
    }
    *used = at;
    return KIN__WEBSOCKET_ON;
}

void kin__websocket_follow(kin__websocket_reader *reader, const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len) {
        if (!reader->is_inside) {
            at += take_head(reader, bytes + at, len - at);
        } else {
            size_t step = reader->left < len - at ? (size_t) reader->left : len - at;
            reader->left -= step;
            at += step;
        }
        if (reader->is_inside && reader->left == 0) {
            end_frame(reader);
        }
    }
}

bool kin__websocket_is_between(const kin__websocket_reader *reader)
{
    return !reader->is_inside && reader->head_len == 0;
}

/* How many of the bytes belong to it; `is_inside` when it is whole. */
static size_t take_head(kin__websocket_reader *reader, const char *bytes, size_t len)
{
    size_t used = 0;

    while (used < len && (reader->head_len < 2 || reader->head_len < head_len(reader))) {
        reader->head[reader->head_len++] = (unsigned char) bytes[used++];
    }
    if (reader->head_len >= 2 && reader->head_len == head_len(reader)) {
        reader->is_inside = true;
        reader->left = read_length(reader);
        reader->at = 0;
        reader->control_len = 0;
    }
    return used;
}

static size_t head_len(const kin__websocket_reader *reader)
{
    return 2 + length_len(reader->head[1]) + (is_masked(reader) ? KEY_LEN : 0);
}

static size_t length_len(unsigned char second)
{
    unsigned length = second & ~MASKED;

    return length == TWO_BYTES ? 2 : length == EIGHT_BYTES ? 8 : 0;
}

static bool is_masked(const kin__websocket_reader *reader)
{
    return (reader->head[1] & MASKED) != 0;
}

static unsigned opcode_of(const kin__websocket_reader *reader)
{
    return reader->head[0] & 0x0fu;
}

/* The highest bit of a long one is not looked at. */
static uint64_t read_length(const kin__websocket_reader *reader)
{
    size_t count = length_len(reader->head[1]);
    uint64_t length = 0;

    if (count == 0) {
        return reader->head[1] & ~MASKED;
    }
    for (size_t i = 0; i < count; i++) {
        length = length << 8 | reader->head[2 + i];
    }
    return length & INT64_MAX;
}

/* What the head alone is enough for. */
static kin__websocket_step check(const kin__websocket_reader *reader)
{
    unsigned opcode = opcode_of(reader);

    if (!is_masked(reader)) {
        return KIN__WEBSOCKET_UNMASKED;
    }
    if (opcode == KIN__WEBSOCKET_CLOSE) {
        return KIN__WEBSOCKET_CLOSED;
    }
    return opcode != KIN__WEBSOCKET_PING && opcode != KIN__WEBSOCKET_PONG &&
                   reader->left > KIN__WEBSOCKET_FRAME_MAX
               ? KIN__WEBSOCKET_TOO_LARGE
               : KIN__WEBSOCKET_ON;
}

static size_t take_inside(kin__websocket_reader *reader, const char *bytes, size_t len)
{
    size_t count = reader->left < len ? (size_t) reader->left : len;

    if (opcode_of(reader) == KIN__WEBSOCKET_PING) {
        keep_control(reader, bytes, count);
    }
    reader->left -= count;
    reader->at += count;
    return count;
}

static void keep_control(kin__websocket_reader *reader, const char *bytes, size_t len)
{
    const unsigned char *key = reader->head + reader->head_len - KEY_LEN;

    for (size_t i = 0; i < len && reader->control_len < KIN__WEBSOCKET_CONTROL_MAX; i++) {
        unsigned char byte = (unsigned char) bytes[i];
        reader->control[reader->control_len++] = (char) (byte ^ key[(reader->at + i) % KEY_LEN]);
    }
}

static void end_frame(kin__websocket_reader *reader)
{
    reader->is_inside = false;
    reader->head_len = 0;
}
