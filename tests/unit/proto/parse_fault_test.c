/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_fault_test.c - the path of what is wrong.
 */
#include "base/str.h"
#include "proto/parse_state.h"
#include "support/test.h"

/* The path of the last place, each inside the one before it. */
static void expect_path(kin__pb_place *places, size_t count, const char *want)
{
    char got[KIN__PB_PATH_MAX];

    for (size_t i = 1; i < count; i++) {
        places[i].parent = &places[i - 1];
    }
    kin__pb_path_text(count == 0 ? NULL : &places[count - 1], got);
    ASSERT_STR_EQ(got, want);
}

TEST(parse_fault, writes_paths_as_people_do)
{
    kin__pb_place plain[] = { { .name = STR("spec") },
                              { .name = STR("containers") },
                              { .index = 12 },
                              { .name = STR("image") } };
    kin__pb_place quoted[] = { { .name = STR("metadata") },
                               { .name = STR("labels") },
                               { .name = STR("a.b/c") } };
    kin__pb_place first_quoted[] = { { .name = STR("a b") }, { .name = STR("c") } };
    kin__pb_place empty[] = { { .name = STR("") } };

    expect_path(NULL, 0, "");
    expect_path(plain, 4, "spec.containers[12].image");
    expect_path(quoted, 3, "metadata.labels[\"a.b/c\"]");
    expect_path(first_quoted, 2, "[\"a b\"].c");
    expect_path(empty, 1, "[\"\"]");
}

TEST(parse_fault, shows_the_end_of_a_long_path)
{
    kin__pb_place places[100] = { { .name = STR("first") } };
    char got[KIN__PB_PATH_MAX];

    for (size_t i = 1; i < 100; i++) {
        places[i] = (kin__pb_place){ .parent = &places[i - 1], .name = STR("properties") };
    }
    kin__pb_path_text(&places[99], got);

    ASSERT_TRUE(strlen(got) < KIN__PB_PATH_MAX);
    ASSERT_TRUE(strncmp(got, "....properties.properties", 25) == 0);
    ASSERT_STR_EQ(got + strlen(got) - 11, ".properties");
}

TEST(parse_fault, cuts_a_long_name)
{
    char name[500];
    memset(name, 'x', sizeof name);
    kin__pb_place places[] = { { .name = STR("a") }, { .name = kin__str(name, sizeof name) } };
    char got[KIN__PB_PATH_MAX];

    places[1].parent = &places[0];
    kin__pb_path_text(&places[1], got);

    ASSERT_EQ(strlen(got), 2 + 64 + 3);
    ASSERT_STR_EQ(got + 2 + 64, "...");
}

TEST(parse_fault, has_the_path_before_the_words)
{
    kin_error err;
    kin__pb_place place = { .name = STR("spec") };
    kin__pb_parser inside = { .err = &err, .place = &place };
    kin__pb_parser outside = { .err = &err };

    ASSERT_ERR(kin__pb_parse_fault(&inside, "%d things", 2), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "spec: 2 things");
    ASSERT_ERR(kin__pb_wrong_type(&outside, "a string", kin__json_of(STR("null"))),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "expected a string, found null");
}
