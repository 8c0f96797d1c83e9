/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_read_test.c - regular expressions: which are none.  pattern_test.c has what others match.
 */
#include "server/pattern.h"

#include "base/str.h"
#include "support/test.h"

TEST(pattern_read, refuses_what_is_no_pattern)
{
    static const char *const wrong[] = {
        "(",       ")",        "a)",   "(a",          "[",        "[a",
        "[b-a]",   "*",        "a**",  "a+*",         "|*",       "(?z)",
        "(?<n",    "\\",       "\\1",  "\\pL",        "\\y",      "a{2,1}",
        "a{9999}", "[[:no:]]", "\\x4", "\\x{110000}", "(?i-i-s)", "((((a{100}){100}){100}){100})",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kin__pattern *made = NULL;
        kin_error err;
        if (kin__pattern_new(kin_str_of(wrong[i]), &made, &err) != KIN_ERR_INVALID) {
            FAIL("%s was taken", wrong[i]);
        }
    }
}

TEST(pattern_read, takes_no_more_steps_than_there_may_be)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    kin_error err;

    ASSERT_OK(kin__pattern_new(STR("(a{10}){100}"), &made, &err));
    ASSERT_ERR(kin__pattern_new(STR("(a{100}){100}"), &made, &err), KIN_ERR_INVALID);
}
