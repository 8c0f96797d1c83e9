/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf_test.c - a buffer that grows, fails and goes on.
 */
#include "base/buf.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"
#include "support/allocator.h"
#include "support/test.h"

static kin_str content(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}

TEST(buf, holds_what_was_appended)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    ASSERT_TRUE(kin__buf_append(&buf, "ab", 2));
    ASSERT_TRUE(kin__buf_append(&buf, NULL, 0));
    ASSERT_TRUE(kin__buf_append_byte(&buf, 'c'));
    ASSERT_TRUE(kin__buf_append_str(&buf, STR("de")));
    ASSERT_TRUE(kin__buf_append_format(&buf, "%d-%s", 7, "x"));

    ASSERT_SLICE_EQ(content(&buf), "abcde7-x");
    ASSERT_FALSE(kin__buf_failed(&buf));
}

TEST(buf, keeps_its_content_when_it_grows)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    for (size_t i = 0; i < 100000; i++) {
        ASSERT_TRUE(kin__buf_append_byte(&buf, (char) ('a' + i % 26)));
    }

    ASSERT_EQ(buf.len, 100000);
    for (size_t i = 0; i < buf.len; i++) {
        ASSERT_EQ(buf.data[i], (char) ('a' + i % 26));
    }
}

TEST(buf, reserves_room_without_changing_its_content)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "ab", 2));

    ASSERT_TRUE(kin__buf_reserve(&buf, 1000));

    ASSERT_SLICE_EQ(content(&buf), "ab");
    ASSERT_TRUE(buf.capacity - buf.len >= 1000);
    const char *data = buf.data;
    ASSERT_TRUE(kin__buf_reserve(&buf, 500));
    ASSERT_TRUE(buf.data == data);
}

/* Around the size of the small buffer inside, where the second way of formatting begins. */
TEST(buf, formats_at_any_length)
{
    for (int width = 1; width < 400; width++) {
        AUTO(kin__buf_fini) kin__buf buf = { 0 };
        ASSERT_TRUE(kin__buf_append_byte(&buf, '<'));

        ASSERT_TRUE(kin__buf_append_format(&buf, "%0*d>", width, 1));

        ASSERT_EQ(buf.len, (size_t) width + 2);
        ASSERT_EQ(buf.data[width], '1');
        ASSERT_EQ(buf.data[width + 1], '>');
    }
}

TEST(buf, is_empty_and_keeps_its_memory_when_cleared)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "abc", 3));
    const char *data = buf.data;

    kin__buf_clear(&buf);
    ASSERT_EQ(buf.len, 0);
    ASSERT_TRUE(kin__buf_append(&buf, "d", 1));

    ASSERT_TRUE(buf.data == data);
    ASSERT_SLICE_EQ(content(&buf), "d");
}

TEST(buf, stays_as_it_was_and_remembers_when_there_is_no_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "abc", 3));
    char longer[1000] = { 0 };

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    ASSERT_FALSE(kin__buf_append(&buf, longer, sizeof longer));
    ASSERT_FALSE(kin__buf_append_format(&buf, "%500d", 1));
    ASSERT_FALSE(kin__buf_reserve(&buf, 1000));
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_SLICE_EQ(content(&buf), "abc");
    ASSERT_TRUE(kin__buf_append(&buf, "d", 1));
    ASSERT_TRUE(kin__buf_failed(&buf));
    kin__buf_clear(&buf);
    ASSERT_FALSE(kin__buf_failed(&buf));
}

TEST(buf, fails_where_the_length_would_overflow)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "abc", 3));

    ASSERT_FALSE(kin__buf_reserve(&buf, SIZE_MAX - 1));

    ASSERT_SLICE_EQ(content(&buf), "abc");
    ASSERT_TRUE(kin__buf_failed(&buf));
}

TEST(buf, hands_its_content_over_terminated)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    ASSERT_TRUE(kin__buf_append(&buf, "a\0b", 3));
    char *out;
    size_t out_len;
    kin_error err;

    ASSERT_OK(kin__buf_take(&buf, &out, &out_len, &err));

    ASSERT_EQ(out_len, 3);
    ASSERT_EQ(memcmp(out, "a\0b", 4), 0);
    ASSERT_TRUE(buf.data == NULL);
    ASSERT_EQ(buf.len, 0);
    kin_free(out);
}

TEST(buf, hands_over_an_empty_string_when_nothing_was_appended)
{
    kin__buf buf = { 0 };
    char *out;
    size_t out_len;
    kin_error err;

    ASSERT_OK(kin__buf_take(&buf, &out, &out_len, &err));

    ASSERT_STR_EQ(out, "");
    ASSERT_EQ(out_len, 0);
    kin_free(out);
}

/* Many appends, one question at the end: a hole in the middle must not be handed over. */
TEST(buf, hands_nothing_over_after_an_append_that_failed)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    char *out = NULL;
    size_t out_len = 7;
    kin_error err;
    test_allocator_plan((alloc_failure){ .first = 1 });
    (void) kin__buf_append(&buf, "abc", 3);
    (void) kin__buf_append(&buf, "def", 3);

    ASSERT_ERR(kin__buf_take(&buf, &out, &out_len, &err), KIN_ERR_NO_MEMORY);

    ASSERT_TRUE(out == NULL);
    ASSERT_EQ(out_len, 7);
    ASSERT_SLICE_EQ(content(&buf), "def");
}

TEST_FAILING_ALLOC(buf, fails_as_a_whole_or_not_at_all)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    char *out = NULL;
    size_t out_len;
    kin_error err;

    for (int i = 0; i < 100; i++) {
        (void) kin__buf_append(&buf, "0123456789", 10);
    }
    (void) kin__buf_append_format(&buf, "%2000d", 1);
    kin_err code = kin__buf_take(&buf, &out, &out_len, &err);

    if (code == KIN_OK) {
        ASSERT_EQ(out_len, 3000);
    }
    kin_free(out);
    return code;
}
