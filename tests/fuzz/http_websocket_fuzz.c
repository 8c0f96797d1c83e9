/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_websocket_fuzz.c - any bytes are frames of a client, or end it; however they are split.
 *
 * The first byte says how the rest is split.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "httpd/websocket.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* What a client was told: how often, the sum of its pings, where it ended, and how. */
typedef struct story {
    kin__websocket_step last;
    size_t end;
    uint64_t pings;
    uint64_t sum;
    bool is_between;
} story;

static story tell(const char *bytes, size_t len, size_t step)
{
    kin__websocket_reader reader = { 0 };
    story told = { .last = KIN__WEBSOCKET_ON };

    while (told.end < len && told.last <= KIN__WEBSOCKET_PINGED) {
        size_t count = len - told.end < step ? len - told.end : step;
        size_t used = 0;
        told.last = kin__websocket_read(&reader, bytes + told.end, count, &used);
        CHECK(used != 0 && used <= count);
        CHECK(told.last != KIN__WEBSOCKET_ON || used == count);
        CHECK(reader.control_len <= KIN__WEBSOCKET_CONTROL_MAX);
        told.end += used;
        if (told.last == KIN__WEBSOCKET_PINGED) {
            told.pings++;
            for (size_t i = 0; i < reader.control_len; i++) {
                told.sum = told.sum * 31 + (unsigned char) reader.control[i];
            }
        }
    }
    told.last = told.last == KIN__WEBSOCKET_PINGED ? KIN__WEBSOCKET_ON : told.last;
    told.is_between = kin__websocket_is_between(&reader);
    return told;
}

static bool follow(const char *bytes, size_t len, size_t step)
{
    kin__websocket_reader reader = { 0 };

    for (size_t at = 0; at < len; at += step) {
        kin__websocket_follow(&reader, bytes + at, len - at < step ? len - at : step);
    }
    return kin__websocket_is_between(&reader);
}

/* A frame with that head and nothing missing brings whoever follows to its end. */
static void check_head(uint64_t len)
{
    char head[KIN__WEBSOCKET_HEAD_MAX];
    kin__websocket_reader reader = { 0 };
    size_t head_len = kin__websocket_write_head(KIN__WEBSOCKET_BINARY, len, head);

    CHECK(head_len <= sizeof head);
    kin__websocket_follow(&reader, head, head_len);
    CHECK(reader.left == (len & INT64_MAX) && reader.is_inside == (reader.left != 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    size_t step = 1 + (size_t) data[0] % 64;
    size_t len = size - 1;
    char *bytes = malloc(len + 1);
    CHECK(bytes != NULL);
    memcpy(bytes, data + 1, len);

    story whole = tell(bytes, len, len + 1);
    story split = tell(bytes, len, step);
    CHECK(whole.last == split.last && whole.end == split.end && whole.pings == split.pings);
    CHECK(whole.sum == split.sum && whole.is_between == split.is_between);
    CHECK(follow(bytes, len, len + 1) == follow(bytes, len, step));

    uint64_t length = 0;
    memcpy(&length, bytes, len < sizeof length ? len : sizeof length);
    check_head(length);
    char accept[KIN__WEBSOCKET_ACCEPT_LEN];
    CHECK(kin__websocket_accept(kin__str(bytes, len), accept));
    free(bytes);
    return 0;
}
