/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vault_test.c - memory for secrets.
 */
#include "config/vault.h"

#include <stdalign.h>
#include <string.h>

#include "base/str.h"
#include "support/test.h"

TEST(vault, gives_zeroed_and_aligned_pieces)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    for (size_t size = 0; size < 3000; size += 7) {
        char *piece = kin__vault_alloc(&vault, size);
        ASSERT_TRUE(piece != NULL);
        ASSERT_EQ((uintptr_t) piece % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++) {
            ASSERT_EQ(piece[i], 0);
        }
        memset(piece, 'x', size);
    }
}

TEST(vault, keeps_pieces_where_they_are)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    char *first = kin__vault_copy(&vault, STR("first"));
    char *large = kin__vault_alloc(&vault, 100000);
    memset(large, 'x', 100000);
    char *last = kin__vault_copy(&vault, STR("last"));

    ASSERT_STR_EQ(first, "first");
    ASSERT_STR_EQ(last, "last");
    ASSERT_EQ(large[99999], 'x');
}

TEST(vault, moves_into_another)
{
    AUTO(kin__vault_fini) kin__vault to = { 0 };
    AUTO(kin__vault_fini) kin__vault from = { 0 };
    char *before = kin__vault_copy(&to, STR("before"));
    char *moved = kin__vault_copy(&from, STR("moved"));

    kin__vault_move(&to, &from);

    ASSERT_TRUE(from.blocks == NULL);
    ASSERT_STR_EQ(before, "before");
    ASSERT_STR_EQ(moved, "moved");
}

TEST(vault, refuses_a_size_that_does_not_exist)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    ASSERT_TRUE(kin__vault_alloc(&vault, SIZE_MAX) == NULL);
    ASSERT_TRUE(kin__vault_alloc(&vault, SIZE_MAX - 20) == NULL);
}

TEST_FAILING_ALLOC(vault, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    bool has_both = kin__vault_copy(&vault, STR("a")) != NULL;
    has_both = kin__vault_alloc(&vault, 5000) != NULL && has_both;
    return has_both ? KIN_OK : KIN_ERR_NO_MEMORY;
}
