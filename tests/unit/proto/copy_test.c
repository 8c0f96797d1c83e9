/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_test.c - memcpy() for what is short.
 */
#include "proto/copy.h"

#include "support/test.h"

TEST(copy, copies_that_many_bytes_and_no_more)
{
    char in[100];
    char out[100];
    char want[100];

    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (char) ('!' + i % 90);
    }
    for (size_t len = 0; len < sizeof in; len++) {
        memset(out, 0, sizeof out);
        memset(want, 0, sizeof want);
        memcpy(want, in, len);
        kin__pb_copy(out, in, len);
        ASSERT_TRUE(memcmp(out, want, sizeof out) == 0);
    }
    kin__pb_copy(out, NULL, 0);
}
