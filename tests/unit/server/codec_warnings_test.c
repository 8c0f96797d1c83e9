/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_warnings_test.c - what is wrong with a body and not fatal.
 */
#include "server/codec_warnings.h"

#include <stdio.h>

#include "base/str.h"
#include "support/test.h"

TEST(codec_warnings, keeps_each_once_and_in_order)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings w = { 0 };
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    kin__codec_warn(&w, "unknown field", STR("a\"b"));
    kin__codec_warn(&w, "duplicate field", STR("c"));
    kin__codec_warn(&w, "unknown field", STR("a\"b"));

    ASSERT_EQ(w.count, 2);
    ASSERT_SLICE_EQ(kin__codec_warning(&w, 0), "unknown field \"a\\\"b\"");
    ASSERT_SLICE_EQ(kin__codec_warning(&w, 1), "duplicate field \"c\"");
    kin__codec_strict_error(&w, &buf);
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len),
                    "strict decoding error: unknown field \"a\\\"b\", duplicate field \"c\"");
}

TEST(codec_warnings, stops_at_a_hundred)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings w = { 0 };

    for (int i = 0; i < 200; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "%d", i);
        kin__codec_warn(&w, "unknown field", kin_str_of(name));
    }
    ASSERT_EQ(w.count, KIN__CODEC_WARNINGS_MAX);
    ASSERT_SLICE_EQ(kin__codec_warning(&w, 99), "unknown field \"99\"");
}

TEST_FAILING_ALLOC(codec_warnings, remembers_that_there_was_no_memory)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings w = { 0 };

    kin__codec_warn(&w, "unknown field", STR("a"));
    return kin__buf_failed(&w.texts) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
