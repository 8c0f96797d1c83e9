/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_pairs_test.c - names with texts, sorted.
 */
#include "server/printer.h"
#include "unit/server/printing.h"

static void add(kin__pairs *pairs, const char *name, const char *words)
{
    kin__pairs_open_str(pairs, kin_str_of(name));
    (void) kin__buf_append_str(&pairs->bytes, kin_str_of(words));
    kin__pairs_close(pairs);
}

TEST(printer_pairs, sorts_by_the_bytes_of_names_and_keeps_the_order_of_equal_ones)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };
    static const char *const words[] = { "0", "6", "2", "4", "1", "3", "5" };
    size_t found;

    add(&pairs, "b", "1");
    add(&pairs, "a", "2");
    add(&pairs, "b", "3");
    add(&pairs, "aa", "4");
    add(&pairs, "b", "5");
    add(&pairs, "B", "6");
    add(&pairs, "", "0");
    kin__pairs_sort(&pairs);

    ASSERT_EQ(pairs.count, 7);
    for (size_t i = 0; i < pairs.count; i++) {
        ASSERT_SLICE_EQ(kin__pairs_text(&pairs, i), words[i]);
    }
    ASSERT_TRUE(kin__pairs_first(&pairs, STR("b"), &found));
    ASSERT_EQ(found, 4);
    ASSERT_TRUE(kin__pairs_last(&pairs, STR("b"), &found));
    ASSERT_EQ(found, 6);
    ASSERT_TRUE(kin__pairs_first(&pairs, STR(""), &found));
    ASSERT_EQ(found, 0);
    ASSERT_FALSE(kin__pairs_first(&pairs, STR("c"), &found));
    ASSERT_FALSE(kin__pairs_last(&pairs, STR("aaa"), &found));
    ASSERT_FALSE(kin__pairs_last(&pairs, STR("A"), &found));
}

TEST(printer_pairs, says_of_those_with_one_name_only_the_last)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };
    kin__printer p = { 0 };

    add(&pairs, "b", "1");
    add(&pairs, "a", "2");
    add(&pairs, "b", "3");
    kin__cell_add_pairs(&p, &pairs, STR("; "));

    ASSERT_SLICE_EQ(kin__str(p.text.data, p.text.len), "2; 3");
    kin__buf_fini(&p.text);
}

TEST_FAILING_ALLOC(printer_pairs, remember_that_there_was_no_memory)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };

    add(&pairs, "b", "1");
    add(&pairs, "a", "2");
    kin__pairs_sort(&pairs);

    return pairs.has_failed ? KIN_ERR_NO_MEMORY : KIN_OK;
}
