/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_order.c - which of two API versions is preferred.
 */
#include "server/version_order.h"

#include "base/str.h"

enum { OTHER, ALPHA, BETA, STABLE };

typedef struct parts {
    int level;
    uint64_t major, minor;
} parts;

static parts read_parts(kin_str version);
static bool take_number(kin_str *rest, uint64_t *out);
static bool take_word(kin_str *rest, kin_str word);
static int descending(uint64_t a, uint64_t b);

int kin__version_compare(kin_str a, kin_str b)
{
    parts left = read_parts(a);
    parts right = read_parts(b);

    if (left.level == OTHER && right.level == OTHER) {
        return kin__str_compare(a, b);
    }
    int order = descending((uint64_t) left.level, (uint64_t) right.level);
    if (order == 0) {
        order = descending(left.major, right.major);
    }
    return order == 0 ? descending(left.minor, right.minor) : order;
}

static parts read_parts(kin_str version)
{
    static const parts other = { OTHER, 0, 0 };
    parts read = { STABLE, 0, 0 };
    kin_str rest = version;

    if (!take_word(&rest, STR("v")) || !take_number(&rest, &read.major)) {
        return other;
    }
    if (rest.len == 0) {
        return read;
    }
    if (take_word(&rest, STR("alpha"))) {
        read.level = ALPHA;
    } else if (take_word(&rest, STR("beta"))) {
        read.level = BETA;
    } else {
        return other;
    }
    return take_number(&rest, &read.minor) && rest.len == 0 ? read : other;
}

/* As the real one's pattern: 1 to 9 first, no zero in front. */
static bool take_number(kin_str *rest, uint64_t *out)
{
    uint64_t value = 0;
    size_t at = 0;

    while (at < rest->len && rest->data[at] >= '0' && rest->data[at] <= '9') {
        if ((at == 0 && rest->data[at] == '0') || value > UINT64_MAX / 10 - 1) {
            return false;
        }
        value = value * 10 + (uint64_t) (rest->data[at++] - '0');
    }
    *rest = kin__str(rest->data + at, rest->len - at);
    *out = value;
    return at > 0;
}

static bool take_word(kin_str *rest, kin_str word)
{
    if (!kin__str_starts_with(*rest, word)) {
        return false;
    }
    *rest = kin__str(rest->data + word.len, rest->len - word.len);
    return true;
}

static int descending(uint64_t a, uint64_t b)
{
    return a == b ? 0 : a > b ? -1 : 1;
}
