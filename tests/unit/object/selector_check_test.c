/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_check_test.c - whether the API server would take a requirement.
 *
 * The words are those of labels.NewRequirement() of k8s.io/apimachinery v0.37.2.
 */
#include "object/selector_check.h"

#include <string.h>

#include "base/str.h"
#include "support/test.h"

#define NAME_FORM                                                                                  \
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "  \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/* Checks the requirement `key` `op` of up to three values; those that are NULL do not count. */
static void check(const char *key, kin__operator op, const char *const values[3], const char *want)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    kin__fault fault = { 0 };

    ASSERT_TRUE(kin__selector_draft_add(&draft, kin_str_of(key), op, 100));
    for (size_t i = 0; i < 3 && values[i] != NULL; i++) {
        ASSERT_TRUE(kin__selector_draft_add_value(&draft, kin_str_of(values[i]), 101 + i));
    }
    bool is_good = kin__selector_check(&draft, 0, &fault);

    ASSERT_STR_EQ(fault.words, want);
    ASSERT_EQ(is_good, want[0] == '\0');
}

#define VALUES(...) ((const char *const[3]){ __VA_ARGS__ })

TEST(selector_check, takes_what_the_server_takes)
{
    check("a", KIN__OPERATOR_EXISTS, VALUES(NULL), "");
    check("a", KIN__OPERATOR_NOT_EXISTS, VALUES(NULL), "");
    check("a.b/c", KIN__OPERATOR_IN, VALUES("x", "", "y"), "");
    check("a", KIN__OPERATOR_NOT_IN, VALUES("x"), "");
    check("a", KIN__OPERATOR_EQUALS, VALUES(""), "");
    check("a", KIN__OPERATOR_GREATER, VALUES("5"), "");
    check("a", KIN__OPERATOR_LESS, VALUES("05"), "");
}

TEST(selector_check, asks_for_a_key_that_is_one)
{
    check("", KIN__OPERATOR_EXISTS, VALUES(NULL),
          "key: Invalid value: \"\": name part must be non-empty; " NAME_FORM);
    check("a b", KIN__OPERATOR_EXISTS, VALUES(NULL), "key: Invalid value: \"a b\": " NAME_FORM);
}

TEST(selector_check, asks_for_the_right_number_of_values)
{
    check("a", KIN__OPERATOR_IN, VALUES(NULL),
          "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    check("a", KIN__OPERATOR_NOT_IN, VALUES(NULL),
          "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    check("a", KIN__OPERATOR_EXISTS, VALUES("x", "y"),
          "values: Invalid value: [\"x\",\"y\"]: values set must be empty for exists and does not "
          "exist");
    check("a", KIN__OPERATOR_NOT_EXISTS, VALUES("x"),
          "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist");
}

TEST(selector_check, asks_for_integers)
{
    check("a", KIN__OPERATOR_LESS, VALUES("x"),
          "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
          "integer");
}

TEST(selector_check, tells_several_faults_as_a_list)
{
    check("/a", KIN__OPERATOR_IN, VALUES(NULL),
          "[key: Invalid value: \"/a\": prefix part must be non-empty, values: Invalid value: "
          "null: for 'in', 'notin' operators, values set can't be empty]");
}

TEST(selector_check, points_at_the_first_fault)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    kin__fault fault = { 0 };

    ASSERT_TRUE(kin__selector_draft_add(&draft, STR("a"), KIN__OPERATOR_IN, 1));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("x"), 6));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("-"), 8));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("_"), 10));

    ASSERT_FALSE(kin__selector_check(&draft, 0, &fault));
    ASSERT_EQ(fault.at, 8);
    ASSERT_CONTAINS(fault.words, "[values[1][a]: Invalid value: \"-\": a valid label must be");
}

/* The list is one also when the words of its first fault take all the room. */
TEST(selector_check, begins_a_list_that_is_too_long)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    kin__fault fault = { 0 };
    char value[120];

    memset(value, '-', sizeof value);
    ASSERT_TRUE(kin__selector_draft_add(&draft, STR("a"), KIN__OPERATOR_IN, 1));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, kin__str(value, sizeof value), 6));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("x"), 130));
    ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("-"), 132));

    ASSERT_FALSE(kin__selector_check(&draft, 0, &fault));
    ASSERT_EQ(fault.words[0], '[');
    ASSERT_TRUE(kin__fault_is_full(&fault));
}

TEST(selector_check, shows_as_many_values_as_there_is_room_for)
{
    AUTO(kin__selector_draft_fini) kin__selector_draft draft = { 0 };
    kin__fault fault = { 0 };

    ASSERT_TRUE(kin__selector_draft_add(&draft, STR("a"), KIN__OPERATOR_EXISTS, 1));
    for (size_t i = 0; i < 1000; i++) {
        ASSERT_TRUE(kin__selector_draft_add_value(&draft, STR("x"), 6));
    }

    ASSERT_FALSE(kin__selector_check(&draft, 0, &fault));
    ASSERT_CONTAINS(fault.words, "values: Invalid value: [\"x\",\"x\",");
    ASSERT_TRUE(kin__fault_is_full(&fault));
}
