/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_scanner_fuzz.c - any bytes get one verdict, whatever the kernel and however they are cut.
 *
 * The first byte chooses how: its low bits the depth of the index, the rest the size of a chunk.
 * What the scanner calls right is walked with the cursor, which must find its end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/cursor.h"
#include "json/scanner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct verdict {
    kin_err code;
    kin_error err;
    uint32_t places[512];
    size_t count;
} verdict;

static void scan(const kin__json_kernel *kernel, uint32_t depth, const char *bytes, size_t len,
                 size_t step, verdict *out)
{
    kin__json_scanner_options options = { .reach = { .depth = depth }, .kernel = kernel };
    kin__json_scanner *scanner;

    memset(out, 0, sizeof *out);
    if (kin__json_scanner_new(&options, &scanner, &out->err) != KIN_OK) {
        abort();
    }
    for (size_t place = 0; place < len && out->code == KIN_OK; place += step) {
        size_t left = len - place;
        out->code =
            kin__json_scanner_feed(scanner, bytes + place, left < step ? left : step, &out->err);
    }
    if (out->code == KIN_OK) {
        out->code = kin__json_scanner_finish(scanner, &out->err);
    }
    const kin__json_index *index = kin__json_scanner_index(scanner);
    out->count = index->count;
    size_t kept = index->count < 512 ? index->count : 512;
    if (kept != 0) {
        memcpy(out->places, index->places, kept * sizeof out->places[0]);
    }
    kin__json_scanner_free(scanner);
}

static void compare(const verdict *a, const verdict *b)
{
    if (a->code != b->code || a->count != b->count ||
        memcmp(a->places, b->places, sizeof a->places) != 0) {
        abort();
    }
    if (a->code != KIN_OK && strcmp(a->err.message, b->err.message) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    static verdict whole;
    static verdict other;

    if (size == 0) {
        return 0;
    }
    const char *bytes = (const char *) data + 1;
    size_t len = size - 1;
    uint32_t depth = data[0] & 3;
    size_t step = 1 + (data[0] >> 2);
    scan(all[0], depth, bytes, len, len + 1, &whole);
    for (size_t k = 0; k < count; k++) {
        scan(all[k], depth, bytes, len, step, &other);
        compare(&whole, &other);
    }
    if (whole.code == KIN_OK) {
        kin__json value = kin__json_of((kin_str){ bytes, len });
        const char *end = kin__json_skip(value);
        for (; end < bytes + len; end++) {
            if (strchr(" \t\r\n", *end) == NULL) {
                abort();
            }
        }
    }
    return 0;
}
