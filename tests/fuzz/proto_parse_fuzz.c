/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_parse_fuzz.c - any JSON as a message of any kind.
 *
 * The JSON says its kind; where that is none, the first two bytes choose one.  A message that is
 * made is one that can be rendered, and what is rendered makes the same message.  JSON that is no
 * JSON is read as well: nothing may go wrong.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "json/scanner.h"
#include "proto/parse.h"
#include "proto/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static kin__pb_message choose(kin__json value, unsigned number)
{
    kin__pb_kind kind;
    size_t count = 0;
    kin__pb_message said =
        kin__pb_message_of(kin__json_raw_string(kin__json_member(value, STR("apiVersion"))),
                           kin__json_raw_string(kin__json_member(value, STR("kind"))));

    if (said != KIN__PB_NO_MESSAGE) {
        return said;
    }
    while (kin__pb_kind_at(count, &kind)) {
        count++;
    }
    CHECK(kin__pb_kind_at(number % count, &kind));
    return kind.message;
}

static bool is_json(kin_str text)
{
    kin__json_scanner_options options = { 0 };
    kin__json_scanner *scanner;
    kin_error err;

    CHECK(kin__json_scanner_new(&options, &scanner, &err) == KIN_OK);
    bool is_right = kin__json_scanner_feed(scanner, text.data, text.len, &err) == KIN_OK &&
                    kin__json_scanner_finish(scanner, &err) == KIN_OK;
    kin__json_scanner_free(scanner);
    return is_right;
}

/* From a message to JSON and back.  Raw JSON is rendered compact, so the way is gone twice. */
static void check_round_trip(kin__pb_message message, const kin__buf *made)
{
    kin__pb_rendering rendering = { 0 };
    kin__pb_rendering again = { 0 };
    kin__buf json = { 0 };
    kin__buf back = { 0 };
    kin__buf last = { 0 };
    kin_error err;

    CHECK(kin__pb_render(message, kin__str(made->data, made->len), &rendering, &json, &err) ==
          KIN_OK);
    CHECK(rendering.unknown_count == 0);
    CHECK(is_json(kin__str(json.data, json.len)));
    CHECK(kin__pb_from_json(message, kin__json_of(kin__str(json.data, json.len)), &back, &err) ==
          KIN_OK);
    CHECK(kin__pb_render(message, kin__str(back.data, back.len), &again, &last, &err) == KIN_OK);
    CHECK(json.len == last.len && memcmp(json.data, last.data, json.len) == 0);
    kin__buf_fini(&json);
    kin__buf_fini(&back);
    kin__buf_fini(&last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__buf made = { 0 };
    kin_error err;

    if (size < 2 || size > 65536) {
        return 0;
    }
    kin_str text = { (const char *) data + 2, size - 2 };
    kin__pb_message message = choose(kin__json_of(text), (unsigned) data[0] << 8 | data[1]);
    kin_err code = kin__pb_from_json(message, kin__json_of(text), &made, &err);
    CHECK(code == KIN_OK || code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
    CHECK(code == KIN_OK || made.len == 0);
    if (code == KIN_OK && is_json(text)) {
        check_round_trip(message, &made);
    }
    kin__buf_fini(&made);
    return 0;
}
