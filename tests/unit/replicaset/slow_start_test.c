/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_start_test.c - batches that grow for as long as nothing fails.
 */
#include "replicaset_controller/slow_start.h"

#include <string.h>

#include "support/test.h"

/* What was asked for, and the call that fails, counted from 0; -1: none does. */
typedef struct script {
    size_t sizes[16];
    size_t batches;
    long calls;
    long failing;
} script;

static kin_err batch(void *context, size_t size, size_t *out_done, kin_error *err)
{
    script *s = context;

    s->sizes[s->batches++] = size;
    for (*out_done = 0; *out_done < size; (*out_done)++) {
        if (s->calls++ == s->failing) {
            err->code = KIN_ERR_FORBIDDEN;
            return KIN_ERR_FORBIDDEN;
        }
    }
    return KIN_OK;
}

TEST(slow_start, doubles_its_batches_and_ends_with_what_is_left)
{
    script s = { .failing = -1 };
    size_t done = 99;
    kin_error err;

    ASSERT_OK(slow_start(10, batch, &s, &done, &err));

    ASSERT_EQ(done, 10);
    ASSERT_EQ(s.batches, 4);
    ASSERT_EQ(s.sizes[0], 1);
    ASSERT_EQ(s.sizes[1], 2);
    ASSERT_EQ(s.sizes[2], 4);
    ASSERT_EQ(s.sizes[3], 3);
}

TEST(slow_start, makes_no_call_when_there_is_none_to_make)
{
    script s = { .failing = -1 };
    size_t done = 99;
    kin_error err;

    ASSERT_OK(slow_start(0, batch, &s, &done, &err));

    ASSERT_EQ(done, 0);
    ASSERT_EQ(s.batches, 0);
}

TEST(slow_start, makes_one_call_when_the_first_fails)
{
    script s = { .failing = 0 };
    size_t done = 99;
    kin_error err;

    ASSERT_ERR(slow_start(500, batch, &s, &done, &err), KIN_ERR_FORBIDDEN);

    ASSERT_EQ(done, 0);
    ASSERT_EQ(s.calls, 1);
}

TEST(slow_start, begins_no_batch_after_one_that_failed_and_counts_what_succeeded)
{
    script s = { .failing = 4 };
    size_t done = 99;
    kin_error err;

    ASSERT_ERR(slow_start(500, batch, &s, &done, &err), KIN_ERR_FORBIDDEN);

    ASSERT_EQ(s.batches, 3);
    ASSERT_EQ(done, 4);
}
