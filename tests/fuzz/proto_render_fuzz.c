/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_render_fuzz.c - any bytes as a message of any kind.
 *
 * The first two bytes choose the kind, the third the flags of an answer; the rest is the message.
 * Whatever is rendered must be JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "json/scanner.h"
#include "proto/render.h"

#define HEAD 3

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_kinds(void)
{
    kin__pb_kind kind;
    size_t count = 0;

    while (kin__pb_kind_at(count, &kind)) {
        count++;
    }
    return count;
}

/* The one thing that JSON inside JSON may be too much of is depth. */
static void check_json(const kin__buf *out)
{
    static const kin__json_scanner_options options = { 0 };
    kin__json_scanner *scanner;
    kin_error err;

    CHECK(kin__json_scanner_new(&options, &scanner, &err) == KIN_OK);
    kin_err code = kin__json_scanner_feed(scanner, out->data, out->len, &err);
    if (code == KIN_OK) {
        code = kin__json_scanner_finish(scanner, &err);
    }
    CHECK(code == KIN_OK || code == KIN_ERR_LIMIT);
    kin__json_scanner_free(scanner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t kinds;
    kin__pb_kind kind;
    kin_error err = { 0 };
    kin__buf out = { 0 };

    if (size < HEAD) {
        return 0;
    }
    kinds = kinds == 0 ? count_kinds() : kinds;
    CHECK(kin__pb_kind_at((size_t) (data[0] << 8 | data[1]) % kinds, &kind));
    kin__pb_rendering rendering = { .kind = kind.kind,
                                    .api_version = kind.version,
                                    .is_list_answer = (data[2] & 1) != 0 };
    CHECK(kin__buf_append(&out, "x", 1));
    kin_err code = kin__pb_render(kind.message, kin__str((const char *) data + HEAD, size - HEAD),
                                  &rendering, &out, &err);
    CHECK(out.len >= 1 && out.data[0] == 'x');
    if (code == KIN_OK) {
        memmove(out.data, out.data + 1, --out.len);
        check_json(&out);
    } else {
        CHECK(code == err.code && err.message[0] != '\0' && out.len == 1);
    }
    kin__buf_fini(&out);
    return 0;
}
