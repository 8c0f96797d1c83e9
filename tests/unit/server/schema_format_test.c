/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_format_test.c - formats of texts in schemas.
 */
#include "server/schema_format.h"

#include "base/str.h"
#include "server/pattern.h"
#include "support/test.h"

static bool is_of(const char *format, const char *value)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    const char *pattern = kin__schema_format(kin_str_of(format));
    bool is_match = false;
    kin_error err;

    if (pattern == NULL) {
        FAIL("no format %s", format);
    }
    ASSERT_OK(kin__pattern_new(kin_str_of(pattern), &made, &err));
    ASSERT_OK(kin__pattern_matches(made, kin_str_of(value), &is_match, &err));
    return is_match;
}

TEST(schema_format, tells_texts_apart)
{
    static const struct {
        const char *format, *good, *bad;
    } cases[] = {
        { "date", "2026-02-28", "2026-13-01" },
        { "date-time", "2026-11-17T23:59:59Z", "2026-11-17 23:59:59Z" },
        { "datetime", "2026-11-17t00:00:00.123-05:30", "2026-11-17T24:00:00Z" },
        { "ipv4", "192.0.2.255", "192.0.2.256" },
        { "uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567" },
        { "uuid4", "123E4567-E89B-42D3-A456-426614174000", "123e4567-e89b-12d3-a456-426614174000" },
        { "hexcolor", "#FFaa00", "#FFaa0" },
        { "byte", "aGVsbG8=", "aGVsbG8" },
        { "k8s-short-name", "a-b", "a.b" },
        { "k8s-long-name", "a.b-c", "a..b" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!is_of(cases[i].format, cases[i].good) || is_of(cases[i].format, cases[i].bad)) {
            FAIL("%s", cases[i].format);
        }
    }
}

TEST(schema_format, knows_its_names)
{
    ASSERT_TRUE(kin__schema_format(STR("")) == NULL);
    ASSERT_TRUE(kin__schema_format(STR("dat")) == NULL);
    ASSERT_TRUE(kin__schema_format(STR("dates")) == NULL);
    ASSERT_TRUE(kin__schema_format(STR("int32")) == NULL);
}
