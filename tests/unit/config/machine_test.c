/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_test.c - environment variables and files of the system.
 */
#include "config/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

/* A file of our own, without a name that others could take. */
typedef struct scratch {
    int fd;
    char path[64]; /* under /proc/self/fd */
} scratch;

static scratch scratch_of(const char *content, size_t len)
{
    scratch s;
    char name[] = "/tmp/kin_machine_test_XXXXXX";

    s.fd = mkstemp(name);
    ASSERT_TRUE(s.fd >= 0);
    ASSERT_EQ(unlink(name), 0);
    ASSERT_EQ(write(s.fd, content, len), (ssize_t) len);
    (void) snprintf(s.path, sizeof s.path, "/proc/self/fd/%d", s.fd);
    return s;
}

TEST(machine, reads_a_whole_file)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static char content[10000];
    memset(content, 'x', sizeof content);
    scratch s = scratch_of(content, sizeof content);
    kin_error err;
    kin_str got;

    ASSERT_OK(kin__machine_read(kin__machine_real(), s.path, 10000, &vault, &got, &err));

    ASSERT_EQ(got.len, 10000);
    ASSERT_EQ(memcmp(got.data, content, sizeof content), 0);
    ASSERT_EQ(got.data[10000], '\0');
    close(s.fd);
}

TEST(machine, reads_an_empty_file)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    scratch s = scratch_of("", 0);
    kin_error err;
    kin_str got;

    ASSERT_OK(kin__machine_read(kin__machine_real(), s.path, 10, &vault, &got, &err));

    ASSERT_SLICE_EQ(got, "");
    close(s.fd);
}

/* A pipe has no size, and gives what it has piece by piece. */
TEST(machine, reads_what_has_no_size)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static char content[20000];
    memset(content, 'y', sizeof content);
    int ends[2];
    char path[64];
    kin_error err;
    kin_str got;
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], content, sizeof content), (ssize_t) sizeof content);
    close(ends[1]);
    (void) snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);

    ASSERT_OK(kin__machine_read(kin__machine_real(), path, 20000, &vault, &got, &err));

    ASSERT_EQ(got.len, 20000);
    ASSERT_EQ(memcmp(got.data, content, sizeof content), 0);
    close(ends[0]);
}

TEST(machine, refuses_a_file_that_is_too_large)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    scratch s = scratch_of("0123456789", 10);
    kin_error err;
    kin_str got;

    kin_err code = kin__machine_read(kin__machine_real(), s.path, 9, &vault, &got, &err);

    ASSERT_ERR(code, KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "larger than 9 bytes");
    close(s.fd);
}

TEST(machine, tells_a_missing_file_from_one_it_cannot_read)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__machine *machine = kin__machine_real();
    kin__file_state state;
    kin_error err;
    kin_str got;

    ASSERT_ERR(kin__machine_read(machine, "/nowhere/at/all", 9, &vault, &got, &err),
               KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "no such file");
    ASSERT_ERR(kin__machine_read(machine, "/dev/null/x", 9, &vault, &got, &err), KIN_ERR_NOT_FOUND);
    ASSERT_ERR(kin__machine_read(machine, "/", 9, &vault, &got, &err), KIN_ERR_SYSTEM);
    ASSERT_MESSAGE(&err, "read: Is a directory");
    ASSERT_ERR(kin__machine_state(machine, "/nowhere/at/all", &state, &err), KIN_ERR_NOT_FOUND);
}

TEST(machine, sees_that_a_file_is_another)
{
    const kin__machine *machine = kin__machine_real();
    scratch s = scratch_of("a", 1);
    kin__file_state before;
    kin__file_state after;
    kin_error err;
    ASSERT_OK(kin__machine_state(machine, s.path, &before, &err));

    struct timespec times[2] = { { 1000, 5 }, { 1000, 5 } };
    ASSERT_EQ(futimens(s.fd, times), 0);
    ASSERT_OK(kin__machine_state(machine, s.path, &after, &err));

    ASSERT_TRUE(before.is_regular);
    ASSERT_EQ(before.size, 1);
    ASSERT_EQ(before.inode, after.inode);
    ASSERT_EQ(after.changed_s, 1000);
    ASSERT_EQ(after.changed_ns, 5);
    ASSERT_TRUE(before.changed_s != 1000);
    close(s.fd);
}

TEST(machine, knows_what_is_no_regular_file)
{
    kin__file_state state;
    kin_error err;

    ASSERT_OK(kin__machine_state(kin__machine_real(), "/dev/null", &state, &err));
    ASSERT_FALSE(state.is_regular);
}

TEST(machine, has_the_variables_of_the_process)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__machine *machine = kin__machine_real();
    const char *directory;
    kin_error err;
    ASSERT_EQ(setenv("KIN_MACHINE_TEST", "value", 1), 0);
    ASSERT_EQ(setenv("KIN_MACHINE_EMPTY", "", 1), 0);

    bool is_there = false;
    for (const char *const *v = machine->variables(machine->context); *v != NULL; v++) {
        is_there = is_there || strcmp(*v, "KIN_MACHINE_TEST=value") == 0;
    }

    ASSERT_TRUE(is_there);
    ASSERT_STR_EQ(kin__machine_variable(machine, "KIN_MACHINE_TEST"), "value");
    ASSERT_STR_EQ(kin__machine_variable(machine, "KIN_MACHINE_EMPTY"), NULL);
    ASSERT_STR_EQ(kin__machine_variable(machine, "KIN_MACHINE_MISSING"), NULL);
    ASSERT_OK(machine->directory(machine->context, &vault, &directory, &err));
    ASSERT_EQ(directory[0], '/');
}

TEST_FAILING_ALLOC(machine, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__machine *machine = kin__machine_real();
    const char *directory;
    kin_error err;
    kin_str got;

    kin_err code = kin__machine_read(machine, "/proc/self/cmdline", 4000, &vault, &got, &err);
    kin_err other = machine->directory(machine->context, &vault, &directory, &err);
    return code != KIN_OK ? code : other;
}
