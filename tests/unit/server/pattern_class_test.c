/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_class_test.c - classes of characters that have a name.
 */
#include "server/pattern_class.h"

#include "base/str.h"
#include "support/test.h"

TEST(pattern_class, is_found_by_its_name)
{
    ASSERT_TRUE(kin__pattern_class_of_letter('d') == kin__pattern_class_of_name(STR("digit")));
    ASSERT_TRUE(kin__pattern_class_of_letter('s') != kin__pattern_class_of_name(STR("space")));
    ASSERT_TRUE(kin__pattern_class_of_letter('q') == NULL);
    ASSERT_TRUE(kin__pattern_class_of_letter(0) == NULL);
    ASSERT_TRUE(kin__pattern_class_of_name(STR("")) == NULL);
    ASSERT_TRUE(kin__pattern_class_of_name(STR("digits")) == NULL);
}

TEST(pattern_class, has_its_ranges_in_order)
{
    static const char *const names[] = { "alnum", "alpha", "ascii", "blank", "cntrl",
                                         "digit", "graph", "lower", "print", "punct",
                                         "space", "upper", "word",  "xdigit" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const kin__pattern_class *class = kin__pattern_class_of_name(kin_str_of(names[i]));
        if (class == NULL) {
            FAIL("no class %s", names[i]);
        }
        for (size_t n = 0; n < class->count; n++) {
            ASSERT_TRUE(class->ranges[n].from <= class->ranges[n].to);
            ASSERT_TRUE(n == 0 || class->ranges[n - 1].to < class->ranges[n].from);
        }
    }
}
