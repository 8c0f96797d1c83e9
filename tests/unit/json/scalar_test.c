/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_test.c - which numbers and literals are right, and what is missing when they are not.
 */
#include "json/scalar.h"

#include "support/test.h"

/* "whole", "open: a digit", or "wrong at 2". */
static const char *judge(const char *bytes, text *got)
{
    kin__scalar state = kin__scalar_begin((unsigned char) bytes[0]);

    text_clear(got);
    for (size_t i = 1; state != KIN__SCALAR_NONE && bytes[i] != '\0'; i++) {
        state = kin__scalar_next(state, (unsigned char) bytes[i]);
        if (state == KIN__SCALAR_NONE) {
            text_append(got, "wrong at %zu", i);
            return got->chars;
        }
    }
    if (state == KIN__SCALAR_NONE) {
        return "wrong at 0";
    }
    if (kin__scalar_is_whole(state)) {
        return "whole";
    }
    text_append(got, "open: %s", kin__scalar_wants(state));
    return got->chars;
}

TEST(scalar, takes_every_form_of_a_number)
{
    static const char *const right[] = { "0",     "-0",   "1",     "120",    "-7",     "0.5",
                                         "10.25", "1e5",  "1E5",   "1e+5",   "1e-5",   "0e0",
                                         "0.0e0", "-1.5", "1e005", "123e99", "-0.0E-0" };
    text got = { 0 };

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        ASSERT_STR_EQ(judge(right[i], &got), "whole");
    }
}

TEST(scalar, refuses_what_is_no_number)
{
    static const struct {
        const char *bytes;
        const char *verdict;
    } cases[] = {
        { "01", "wrong at 1" },   { "-", "open: a digit" },  { "--1", "wrong at 1" },
        { "+1", "wrong at 0" },   { ".5", "wrong at 0" },    { "1.", "open: a digit" },
        { "1.e3", "wrong at 2" }, { "1e", "open: a digit" }, { "1e+", "open: a digit" },
        { "1ee", "wrong at 2" },  { "0x1", "wrong at 1" },   { "1_0", "wrong at 1" },
        { "NaN", "wrong at 0" },  { "-Inf", "wrong at 1" },  { "1e+-2", "wrong at 3" },
        { "00", "wrong at 1" },   { "1.2.3", "wrong at 3" }, { "-01", "wrong at 2" },
    };
    text got = { 0 };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_STR_EQ(judge(cases[i].bytes, &got), cases[i].verdict);
    }
}

TEST(scalar, takes_the_three_words_and_no_other)
{
    text got = { 0 };

    ASSERT_STR_EQ(judge("true", &got), "whole");
    ASSERT_STR_EQ(judge("false", &got), "whole");
    ASSERT_STR_EQ(judge("null", &got), "whole");
    ASSERT_STR_EQ(judge("tru", &got), "open: true");
    ASSERT_STR_EQ(judge("fals", &got), "open: false");
    ASSERT_STR_EQ(judge("n", &got), "open: null");
    ASSERT_STR_EQ(judge("truee", &got), "wrong at 4");
    ASSERT_STR_EQ(judge("true.", &got), "wrong at 4");
    ASSERT_STR_EQ(judge("True", &got), "wrong at 0");
    ASSERT_STR_EQ(judge("nul1", &got), "wrong at 3");
}
