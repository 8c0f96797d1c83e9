/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_test.c - templates become JSON.
 */
#include "simulate/text.h"

#include <string.h>

#include "support/test.h"
#include "unit/simulate/recorder.h"

static const kin__sim_text empty;

TEST(text, fills_in_quotation_marks_and_words)
{
    kin__sim_text page = empty;
    kin__sim_words words;
    kin_str got;

    kin__sim_words_clear(&words);
    kin__sim_words_text(&words, "name", "web-0");
    kin__sim_words_number(&words, "n", 7);
    kin__sim_text_fill(&page, "{'a':'<name>','k:{`b`}':<n>}", &words);

    ASSERT_OK(kin__sim_text_get(&page, &got, NULL));
    ASSERT_SLICE_EQ(got, "{\"a\":\"web-0\",\"k:{\\\"b\\\"}\":7}");
    kin__sim_text_fini(&page);
}

TEST(text, grows_for_words_that_are_longer_than_all_it_has)
{
    static char long_word[100001];
    kin__sim_text page = empty;
    kin__sim_words words;
    kin_str got;

    memset(long_word, 'x', sizeof long_word - 1);
    kin__sim_words_clear(&words);
    kin__sim_words_text(&words, "long", long_word);
    kin__sim_text_fill(&page, "'<long>','<long>'", &words);

    ASSERT_OK(kin__sim_text_get(&page, &got, NULL));
    ASSERT_EQ(got.len, 200005);
    ASSERT_EQ(got.data[got.len - 1], '"');
    ASSERT_EQ(got.data[100002], ',');
    kin__sim_text_fini(&page);
}

TEST(text, keeps_room_behind_a_word_for_the_rest_of_its_template)
{
    static char long_word[16384];
    kin__sim_text page = empty;
    kin__sim_words words;

    memset(long_word, 'x', sizeof long_word - 4);
    kin__sim_words_clear(&words);
    kin__sim_words_text(&words, "long", long_word);
    kin__sim_text_fill(&page, "<long>, and then as much as this", &words);

    ASSERT_EQ(page.len, sizeof long_word - 4 + 26);
    ASSERT_TRUE(page.capacity >= page.len);
    kin__sim_text_fini(&page);
}

TEST(text, begins_anew_when_it_is_cleared)
{
    kin__sim_text page = empty;
    kin_str got;

    kin__sim_text_add(&page, kin_str_of("old"));
    kin__sim_text_clear(&page);
    kin__sim_text_add(&page, kin_str_of("new"));

    ASSERT_OK(kin__sim_text_get(&page, &got, NULL));
    ASSERT_SLICE_EQ(got, "new");
    kin__sim_text_fini(&page);
}

TEST_FAILING_ALLOC(text, says_so_at_the_end_when_there_is_no_memory)
{
    static char long_word[40000];
    kin__sim_text page = empty;
    kin__sim_words words;
    kin_str got;
    kin_error err;

    use_counted_memory();
    memset(long_word, 'x', sizeof long_word - 1);
    kin__sim_words_clear(&words);
    kin__sim_words_text(&words, "long", long_word);
    kin__sim_text_fill(&page, "'<long>'", &words);
    kin__sim_text_add(&page, kin_str_of("more"));
    kin_err code = kin__sim_text_get(&page, &got, &err);
    kin__sim_text_fini(&page);
    return code;
}
