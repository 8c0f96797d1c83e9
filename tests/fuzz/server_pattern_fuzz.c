/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_pattern_fuzz.c - whatever is taken for a regular expression is read or refused, and
 * whatever is read runs over any text.
 *
 * The input is a line with the pattern, and the text.  What may match nothing matches everywhere.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "server/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Whether it could be read. */
static bool run(kin_str pattern, kin_str text, bool *out)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    kin_error err;

    kin_err code = kin__pattern_new(pattern, &made, &err);
    CHECK(code == KIN_OK || code == KIN_ERR_INVALID);
    if (code != KIN_OK) {
        return false;
    }
    CHECK(kin__pattern_matches(made, text, out, &err) == KIN_OK);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *) data;
    const char *end = size == 0 ? NULL : memchr(bytes, '\n', size);
    size_t len = end == NULL ? size : (size_t) (end - bytes);
    size_t rest = end == NULL ? size : len + 1;
    kin_str pattern = kin__str(bytes, len);
    kin_str text = kin__str(bytes + rest, size - rest);
    AUTO(kin__buf_fini) kin__buf optional = { 0 };
    bool is_match = false;

    if (run(pattern, text, &is_match)) {
        CHECK(kin__buf_append_format(&optional, "(?:%.*s)?", KIN_STR_ARG(pattern)));
        if (run(kin__str(optional.data, optional.len), text, &is_match)) {
            CHECK(is_match);
        }
    }
    return 0;
}
