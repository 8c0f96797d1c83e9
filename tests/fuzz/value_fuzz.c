/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_fuzz.c - any text as a time, a quantity, a number, a key, or two resource versions.
 *
 * The first byte chooses: '0' is a time, '1' a quantity, and so on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/str.h"
#include "base/time.h"
#include "json/number.h"
#include "json/scalar.h"
#include "kin/key.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Within a day and an hour of the years 0000 to 9999. */
static void check_time(kin_str text)
{
    kin_time time;
    if (kin__time_parse(text, &time) == KIN_OK) {
        CHECK(time.nanoseconds >= 0 && time.nanoseconds <= 999999999);
        CHECK(time.seconds >= -62167219200 - 90000 && time.seconds <= 253402300799 + 90000);
    }
}

/* Each scale is ten times as coarse as the one before, rounded away from zero. */
static void check_quantity(kin_str text)
{
    int64_t before = 0;
    kin_err code_before = KIN_ERR_RANGE;

    for (int scale = -9; scale <= 9; scale++) {
        int64_t now = 0;
        kin_err code = kin__quantity_parse(text, scale, &now);
        CHECK(code == KIN_OK || code == KIN_ERR_RANGE || code == KIN_ERR_MALFORMED);
        if (scale > -9) {
            CHECK((code == KIN_ERR_MALFORMED) == (code_before == KIN_ERR_MALFORMED));
        }
        if (code_before == KIN_OK) {
            int64_t rest = before % 10;
            CHECK(code == KIN_OK && now == before / 10 + (rest > 0) - (rest < 0));
        }
        before = now;
        code_before = code;
    }
}

static bool is_number(kin_str text)
{
    kin__scalar state = KIN__SCALAR_NONE;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char) text.data[i];
        state = i == 0 ? kin__scalar_begin(byte) : kin__scalar_next(state, byte);
        if (state == KIN__SCALAR_NONE) {
            return false;
        }
    }
    return kin__scalar_is_whole(state) && strchr("tfn", text.data[0]) == NULL;
}

static void check_number(kin_str text)
{
    int64_t integer;
    double real;

    if (!is_number(text)) {
        return;
    }
    CHECK(kin__json_numbers_equal(text, text));
    kin__buf buf = { 0 };
    kin_err code = kin__json_double(text, &real);
    CHECK(code == KIN_OK ? isfinite(real) : code == KIN_ERR_RANGE);
    if (code == KIN_OK) {
        double again;
        CHECK(kin__json_append_double(&buf, real));
        CHECK(kin__json_double(kin__str(buf.data, buf.len), &again) == KIN_OK);
        CHECK(memcmp(&real, &again, sizeof real) == 0 || (real == 0 && again == 0));
    }
    if (kin__json_int64(text, &integer) == KIN_OK) {
        kin__buf_clear(&buf);
        CHECK(kin__json_append_int64(&buf, integer));
        CHECK(kin__json_numbers_equal(text, kin__str(buf.data, buf.len)));
    }
    kin__buf_fini(&buf);
}

static void check_key(kin_str text)
{
    kin_str in_namespace;
    kin_str name;
    kin_str key;
    kin_error err;

    if (kin_key_split(text, &in_namespace, &name, &err) != KIN_OK) {
        return;
    }
    char *buffer = malloc(text.len + 2);
    CHECK(buffer != NULL);
    CHECK(kin_key_make(in_namespace, name, buffer, text.len + 2, &key, &err) == KIN_OK);
    kin_str bare = text.data[0] == '/' ? kin__str(text.data + 1, text.len - 1) : text;
    CHECK(kin_str_equal(key, bare));
    free(buffer);
}

/* Two versions with a blank between them. */
static void check_versions(kin_str text)
{
    const char *blank = text.len == 0 ? NULL : memchr(text.data, ' ', text.len);
    int order;
    int reverse;

    if (blank != NULL) {
        kin_str a = kin__str(text.data, (size_t) (blank - text.data));
        kin_str b = kin__str(blank + 1, text.len - a.len - 1);
        kin_err code = kin_resource_version_compare(a, b, &order, NULL);
        CHECK(kin_resource_version_compare(b, a, &reverse, NULL) == code);
        CHECK(code != KIN_OK || (order < 0) == (reverse > 0));
        CHECK(code != KIN_OK || (order == 0) == kin_str_equal(a, b));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(kin_str text) = { check_time, check_quantity, check_number,
                                                    check_key, check_versions };
    if (size != 0) {
        unsigned choice = ((unsigned) data[0] - '0') % (sizeof checks / sizeof checks[0]);
        checks[choice](kin__str((const char *) data + 1, size - 1));
    }
    return 0;
}
