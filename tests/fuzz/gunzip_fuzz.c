/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gunzip_fuzz.c - any bytes give the same output and the same fault, however they are cut.
 *
 * The first byte is the size of a piece.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/gunzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
#define OUTPUT_MAX ((size_t) 1 << 17)

typedef struct outcome {
    kin_err code;
    kin_error err;
    uint64_t sum; /* of all that came out, by bytes and places */
    size_t len;
} outcome;

/* Says enough at the same byte, whatever the pieces are. */
static kin_err note(void *context, const char *bytes, size_t len, kin_error *err)
{
    outcome *o = context;
    CHECK(len > 0 && len <= (size_t) 64 * 1024);
    for (size_t i = 0; i < len; i++) {
        if (o->len == OUTPUT_MAX) {
            return kin__error_set(err, KIN_ERR_LIMIT, "enough");
        }
        o->len++;
        o->sum = o->sum * 31 + (unsigned char) bytes[i];
    }
    return KIN_OK;
}

static void unpack(const char *bytes, size_t len, size_t step, outcome *o)
{
    kin__gunzip *gunzip;
    memset(o, 0, sizeof *o);
    CHECK(kin__gunzip_new(&gunzip, &o->err) == KIN_OK);
    for (size_t i = 0; o->code == KIN_OK && i < len; i += step) {
        size_t part = len - i < step ? len - i : step;
        o->code = kin__gunzip_feed(gunzip, bytes + i, part, note, o, &o->err);
    }
    if (o->code == KIN_OK) {
        o->code = kin__gunzip_finish(gunzip, &o->err);
    }
    kin__gunzip_free(gunzip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole;
    outcome cut;
    if (size < 2) {
        return 0;
    }
    unpack((const char *) data + 1, size - 1, size, &whole);
    unpack((const char *) data + 1, size - 1, (size_t) data[0] + 1, &cut);

    CHECK(whole.code == cut.code && whole.len == cut.len && whole.sum == cut.sum);
    CHECK(whole.code == KIN_OK || strcmp(whole.err.message, cut.err.message) == 0);
    return 0;
}
