/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_draft_test.c - a label selector while it is put together.
 */
#include "object/selector_draft.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

static void add(kin__selector_draft *draft, const char *key, kin__operator op)
{
    ASSERT_TRUE(
        kin__selector_draft_add(draft, kin_str_of(key), op, kin__selector_draft_count(draft)));
}

static void add_value(kin__selector_draft *draft, const char *value)
{
    ASSERT_TRUE(kin__selector_draft_add_value(draft, kin_str_of(value), draft->strings.len));
}

static void check_text(kin__selector_draft *draft, const char *want)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    ASSERT_OK(kin__selector_draft_finish(draft, &selector, &err));
    ASSERT_STR_EQ(kin_selector_text(selector), want);
}

TEST(selector_draft, spells_each_operator)
{
    static const struct {
        kin__operator op;
        const char *want;
    } cases[] = {
        { KIN__OPERATOR_EQUALS, "a=1" },         { KIN__OPERATOR_DOUBLE_EQUALS, "a==1" },
        { KIN__OPERATOR_NOT_EQUALS, "a!=1" },    { KIN__OPERATOR_IN, "a in (1)" },
        { KIN__OPERATOR_NOT_IN, "a notin (1)" }, { KIN__OPERATOR_GREATER, "a>1" },
        { KIN__OPERATOR_LESS, "a<1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
        add(&draft, "a", cases[i].op);
        add_value(&draft, "1");
        check_text(&draft, cases[i].want);
    }
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    add(&draft, "b", KIN__OPERATOR_EXISTS);
    add(&draft, "a", KIN__OPERATOR_NOT_EXISTS);
    check_text(&draft, "!a,b");
}

TEST(selector_draft, sorts_values_and_keeps_each_once)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    static const char *const values[] = { "b", "", "a", "b", "ab", "", "B" };

    add(&draft, "x", KIN__OPERATOR_IN);
    add_value(&draft, "z");
    add(&draft, "k", KIN__OPERATOR_IN);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        add_value(&draft, values[i]);
    }
    kin__selector_draft_sort_values(&draft);
    ASSERT_EQ(draft.values.len, 6 * sizeof(kin__draft_value));
    add(&draft, "y", KIN__OPERATOR_IN);
    add_value(&draft, "z");

    check_text(&draft, "k in (,B,a,ab,b),x in (z),y in (z)");
}

/* The place of a value is that of its first mention. */
TEST(selector_draft, keeps_the_first_place_of_a_value)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };

    add(&draft, "k", KIN__OPERATOR_IN);
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("b"), 7));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("a"), 8));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("b"), 9));
    kin__selector_draft_sort_values(&draft);

    const kin__draft_requirement *requirement = kin__selector_draft_at(&draft, 0);
    ASSERT_EQ(requirement->value_count, 2);
    ASSERT_EQ(kin__selector_draft_value_at(&draft, requirement, 0)->at, 8);
    ASSERT_EQ(kin__selector_draft_value_at(&draft, requirement, 1)->at, 7);
}

TEST(selector_draft, keeps_the_last_of_the_requirements_with_one_key)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    static const char *const pairs[][2] = { { "b", "1" }, { "a", "2" }, { "b", "3" },
                                            { "c", "4" }, { "b", "5" }, { "a", "6" } };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ASSERT_TRUE(
            kin__selector_draft_add(&draft, kin_str_of(pairs[i][0]), KIN__OPERATOR_EQUALS, i));
        add_value(&draft, pairs[i][1]);
    }
    kin__selector_draft_keep_last(&draft);

    ASSERT_EQ(kin__selector_draft_count(&draft), 3);
    check_text(&draft, "a=6,b=5,c=4");
}

TEST(selector_draft, can_be_empty)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    kin__selector_draft_keep_last(&draft);
    ASSERT_OK(kin__selector_draft_finish(&draft, &selector, &err));

    ASSERT_STR_EQ(kin_selector_text(selector), "");
    ASSERT_TRUE(kin_selector_is_everything(selector));
}

TEST(selector_draft, makes_a_selector_of_nothing)
{
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    ASSERT_OK(kin__selector_nothing(&selector, &err));

    ASSERT_STR_EQ(kin_selector_text(selector), "");
    ASSERT_TRUE(kin_selector_is_nothing(selector));
    ASSERT_FALSE(kin_selector_is_everything(selector));
}

TEST(selector_draft, knows_when_it_is_too_long)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    kin_selector *selector = NULL;
    kin_error err;

    add(&draft, "kk", KIN__OPERATOR_IN);
    for (size_t i = 0; i < KIN__SELECTOR_TEXT_MAX - 3; i++) {
        ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR(""), i));
    }
    ASSERT_FALSE(kin__selector_draft_is_too_long(&draft));
    add_value(&draft, "");

    ASSERT_TRUE(kin__selector_draft_is_too_long(&draft));
    ASSERT_ERR(kin__selector_draft_finish(&draft, &selector, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "longer than 1048576 bytes");
    ASSERT_TRUE(selector == NULL);
}

TEST_FAILING_ALLOC(selector_draft, survives_without_memory)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    AUTO(kin_selector_free) kin_selector *selector = NULL;
    kin_error err;

    for (size_t i = 0; i < 20; i++) {
        if (!kin__selector_draft_add(&draft, STR("key"), KIN__OPERATOR_IN, i) ||
            !kin__selector_draft_add_value(&draft, STR("value"), i)) {
            break;
        }
    }
    kin_err code = kin__selector_draft_finish(&draft, &selector, &err);
    if (code == KIN_OK) {
        ASSERT_EQ(selector->count, 20);
    }
    return code;
}
