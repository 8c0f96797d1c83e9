/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request_fuzz.c - any bytes are a request, half of one, or refused; however they are split.
 *
 * The first byte says how the rest is split.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "httpd/chunks.h"
#include "httpd/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static int is_within(kin_str part, const char *bytes, size_t len)
{
    return part.len == 0 || (part.data >= bytes && part.data + part.len <= bytes + len);
}

/* As if `step` more bytes came each time. */
static kin__head_end find_end(const char *bytes, size_t len, size_t step, size_t *end)
{
    size_t scanned = 0;
    kin__head_end found = KIN__HEAD_PARTIAL;
    for (size_t here = 0; here < len && found == KIN__HEAD_PARTIAL;) {
        here = len - here < step ? len : here + step;
        found = kin__head_find_end(bytes, here, &scanned, end);
        CHECK(scanned <= here);
    }
    return found;
}

static void check_head(const char *bytes, size_t len)
{
    kin__head head;
    kin_str name;
    kin_str value;
    kin__refusal refusal = kin__head_parse(bytes, len, &head);
    if (refusal.status != 0) {
        CHECK(refusal.status >= 400 && refusal.status < 600);
        return;
    }
    CHECK(is_within(head.method, bytes, len) && head.method.len != 0);
    CHECK(is_within(head.path, bytes, len) && head.path.len != 0);
    CHECK(is_within(head.query, bytes, len) && is_within(head.fields, bytes, len));
    CHECK(!(head.is_chunked && head.has_length));
    CHECK(memchr(bytes, '\0', len) == NULL);
    size_t at = 0;
    while (kin__field_next(head.fields, &at, &name, &value)) {
        CHECK(is_within(name, bytes, len) && name.len != 0 && is_within(value, bytes, len));
        CHECK(value.len == 0 || memchr(value.data, '\r', value.len) == NULL);
    }
    CHECK(at == head.fields.len);
}

/* The sum of the data, where it ended, and how. */
static kin__chunks_step read_chunks(const char *bytes, size_t len, size_t step, size_t *end,
                                    uint64_t *sum)
{
    kin__chunks chunks = { 0 };
    kin__chunks_step result = KIN__CHUNKS_ON;
    size_t at = 0;
    *sum = 0;
    while (at < len && (result == KIN__CHUNKS_ON || result == KIN__CHUNKS_DATA)) {
        size_t count = len - at < step ? len - at : step;
        size_t used = 0;
        kin_str data = { 0 };
        result = kin__chunks_read(&chunks, bytes + at, count, &used, &data);
        CHECK(used <= count && (used != 0 || result == KIN__CHUNKS_BROKEN));
        if (result == KIN__CHUNKS_DATA) {
            CHECK(is_within(data, bytes + at, count) && data.len != 0);
            for (size_t i = 0; i < data.len; i++) {
                *sum = *sum * 31 + (unsigned char) data.data[i];
            }
        }
        at += used;
    }
    *end = at;
    return result == KIN__CHUNKS_DATA ? KIN__CHUNKS_ON : result;
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

    size_t whole_end = 0;
    size_t split_end = 0;
    kin__head_end whole = find_end(bytes, len, len + 1, &whole_end);
    kin__head_end split = find_end(bytes, len, step, &split_end);
    CHECK(whole == split && whole_end == split_end);
    check_head(bytes, len);
    size_t body = 0;
    if (whole == KIN__HEAD_WHOLE) {
        check_head(bytes, whole_end);
        body = whole_end;
    }

    uint64_t whole_sum;
    uint64_t split_sum;
    kin__chunks_step at_once =
        read_chunks(bytes + body, len - body, len + 1, &whole_end, &whole_sum);
    kin__chunks_step in_steps = read_chunks(bytes + body, len - body, step, &split_end, &split_sum);
    CHECK(at_once == in_steps && whole_end == split_end && whole_sum == split_sum);
    free(bytes);
    return 0;
}
