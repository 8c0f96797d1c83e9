/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape_test.c - text as a part of a URL.
 */
#include "api/escape.h"

#include "base/str.h"
#include "support/test.h"

static void check(kin_str in, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__escape_append(&buf, in));
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), want);
}

TEST(escape, leaves_unreserved_bytes_alone)
{
    check(STR("azAZ09-._~"), "azAZ09-._~");
    check(STR(""), "");
}

TEST(escape, writes_all_others_as_hex)
{
    check(STR("a b"), "a%20b");
    check(STR("app=web,tier!=x"), "app%3Dweb%2Ctier%21%3Dx");
    check(STR("/?&#%+"), "%2F%3F%26%23%25%2B");
    check(STR("\xc3\xa4"), "%C3%A4");
    check(STR("\0\n\x7f\xff"), "%00%0A%7F%FF");
}

TEST_FAILING_ALLOC(escape, survives_a_lack_of_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_str long_text =
        STR("a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b a=b plain");

    return kin__escape_append(&buf, long_text) ? KIN_OK : KIN_ERR_NO_MEMORY;
}
