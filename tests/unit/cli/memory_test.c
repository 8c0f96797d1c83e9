/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_test.c - the command's own memory.
 */
#include "cli/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

TEST(memory, is_zeroed_and_grows_with_its_content)
{
    char *block = kin__cli_alloc(3, 1);

    ASSERT_EQ(memcmp(block, "\0\0\0", 3), 0);
    memcpy(block, "abc", 3);
    block = kin__cli_grow(block, 1000, 2);
    ASSERT_EQ(memcmp(block, "abc", 3), 0);
    kin__cli_free(block);
    kin__cli_free(kin__cli_alloc(0, 0));
    kin__cli_free(kin__cli_grow(NULL, 0, 1));
    kin__cli_free(NULL);
}

TEST(memory, holds_terminated_copies)
{
    char *copy = kin__cli_copy((kin_str){ "abcd", 2 });
    char *empty = kin__cli_copy((kin_str){ NULL, 0 });

    ASSERT_STR_EQ(copy, "ab");
    ASSERT_STR_EQ(empty, "");
    kin__cli_free(copy);
    kin__cli_free(empty);
}

TEST(memory, ends_the_command_when_there_is_none)
{
    int pipes[2];
    int status = 0;
    char said[64] = "";
    ASSERT_EQ(pipe(pipes), 0);
    pid_t child = fork();

    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        kin__cli_free(kin__cli_grow(NULL, SIZE_MAX, 2));
        _exit(0);
    }

    close(pipes[1]);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ASSERT_TRUE(read(pipes[0], said, sizeof said - 1) > 0);
    ASSERT_STR_EQ(said, "kin: out of memory\n");
    close(pipes[0]);
}
