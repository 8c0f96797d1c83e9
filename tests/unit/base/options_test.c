/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_test.c - size-first structs of other versions.
 */
#include "base/options.h"

#include <string.h>

#include "support/test.h"

typedef struct first_version {
    size_t size;
    int64_t page_size;
} first_version;

typedef struct second_version {
    size_t size;
    int64_t page_size;
    int64_t resync_ms;
} second_version;

TEST(options, are_copied)
{
    second_version theirs = { .size = sizeof theirs, .page_size = 10, .resync_ms = 20 };
    second_version ours;
    memset(&ours, 'x', sizeof ours);
    kin_error err;

    ASSERT_OK(kin__options_read(&ours, sizeof ours, &theirs, "options", &err));

    ASSERT_EQ(ours.page_size, 10);
    ASSERT_EQ(ours.resync_ms, 20);
    ASSERT_EQ(ours.size, sizeof ours);
}

TEST(options, of_an_older_caller_have_defaults_in_the_fields_it_lacks)
{
    first_version theirs[] = { { .size = sizeof theirs[0], .page_size = 10 }, { 99, 99 } };
    second_version ours;
    memset(&ours, 'x', sizeof ours);
    kin_error err;

    ASSERT_OK(kin__options_read(&ours, sizeof ours, theirs, "options", &err));

    ASSERT_EQ(ours.page_size, 10);
    ASSERT_EQ(ours.resync_ms, 0);
    ASSERT_EQ(ours.size, sizeof ours);
}

TEST(options, of_a_newer_caller_are_accepted_while_it_asks_for_nothing_new)
{
    second_version theirs = { .size = sizeof theirs, .page_size = 10 };
    first_version ours;
    kin_error err;

    ASSERT_OK(kin__options_read(&ours, sizeof ours, &theirs, "options", &err));

    ASSERT_EQ(ours.page_size, 10);
}

TEST(options, of_a_newer_caller_are_refused_when_it_asks_for_something_new)
{
    second_version theirs = { .size = sizeof theirs, .resync_ms = (int64_t) 1 << 56 };
    first_version ours = { 7, 7 };
    kin_error err;

    kin_err code = kin__options_read(&ours, sizeof ours, &theirs, "kin_options", &err);

    ASSERT_ERR(code, KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "kin_options: asks for something this version cannot do");
    ASSERT_EQ(ours.size, 7);
    ASSERT_EQ(ours.page_size, 7);
}

/* A logger goes from an informer to its reflector: each copies it with this function. */
TEST(options, that_were_copied_can_be_copied_again)
{
    second_version theirs = { .size = sizeof theirs, .page_size = 10 };
    first_version ours;
    first_version again;
    kin_error err;

    ASSERT_OK(kin__options_read(&ours, sizeof ours, &theirs, "options", &err));
    ASSERT_EQ(ours.size, sizeof ours);
    ASSERT_OK(kin__options_read(&again, sizeof again, &ours, "options", &err));

    ASSERT_EQ(again.page_size, 10);
}

TEST(options, are_all_defaults_when_there_are_none)
{
    second_version ours;
    memset(&ours, 'x', sizeof ours);
    kin_error err;

    ASSERT_OK(kin__options_read(&ours, sizeof ours, NULL, "options", &err));

    ASSERT_EQ(ours.page_size, 0);
    ASSERT_EQ(ours.resync_ms, 0);
    ASSERT_EQ(ours.size, sizeof ours);
}

TEST(options, that_were_not_initialised_are_refused)
{
    second_version zero = { 0 };
    second_version garbage = { .size = SIZE_MAX };
    first_version ours = { 7, 7 };
    kin_error err;

    ASSERT_ERR(kin__options_read(&ours, sizeof ours, &zero, "options", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "options: not initialised (size is 0)");
    ASSERT_ERR(kin__options_read(&ours, sizeof ours, &garbage, "options", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "options: not initialised (size is 18446744073709551615)");
    ASSERT_EQ(ours.size, 7);
}
