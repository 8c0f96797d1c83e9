/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity_test.c - uids, names and times.
 */
#include "server/identity.h"

#include <string.h>

#include "support/test.h"

TEST(identity, makes_uuids_of_version_4)
{
    kin__engine engine = { .random = 1 };
    char first[KIN__UID_LEN + 1];
    char second[KIN__UID_LEN + 1];

    kin__identity_uid(&engine, first);
    kin__identity_uid(&engine, second);
    ASSERT_EQ(strlen(first), KIN__UID_LEN);
    ASSERT_EQ(strspn(first, "0123456789abcdef-"), KIN__UID_LEN);
    ASSERT_EQ(first[8], '-');
    ASSERT_EQ(first[13], '-');
    ASSERT_EQ(first[14], '4');
    ASSERT_EQ(first[18], '-');
    ASSERT_TRUE(strchr("89ab", first[19]) != NULL);
    ASSERT_EQ(first[23], '-');
    ASSERT_TRUE(strcmp(first, second) != 0);
}

TEST(identity, is_the_same_again_for_the_same_seed)
{
    kin__engine one = { .random = 5 };
    kin__engine other = { .random = 5 };
    char first[KIN__NAME_SUFFIX_LEN + 1];
    char second[KIN__NAME_SUFFIX_LEN + 1];

    kin__identity_suffix(&one, first);
    kin__identity_suffix(&other, second);
    ASSERT_STR_EQ(first, second);
    ASSERT_EQ(strspn(first, "bcdfghjklmnpqrstvwxz2456789"), KIN__NAME_SUFFIX_LEN);
}

TEST(identity, tells_the_time_some_seconds_from_now)
{
    kin__virtual_clock clock;
    char out[KIN__PB_TIME_MAX];

    kin__virtual_clock_init(&clock, 0, (kin_time){ 1794830400, 999999999 });
    kin__engine engine = { .clock = &clock.clock };
    ASSERT_SLICE_EQ(kin__identity_time(&engine, 0, out), "2026-11-16T12:00:00Z");
    ASSERT_SLICE_EQ(kin__identity_time(&engine, 30, out), "2026-11-16T12:00:30Z");
    ASSERT_SLICE_EQ(kin__identity_time(&engine, INT64_MAX, out), "2026-11-16T11:59:59Z");
    ASSERT_SLICE_EQ(kin__identity_time(&engine, INT64_MIN, out), "2026-11-16T12:00:00Z");
    ASSERT_SLICE_EQ(kin__identity_time(&engine, 30000000000, out), "1808-06-06T18:10:52Z");
}
