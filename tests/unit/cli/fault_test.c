/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_test.c - errors of the command itself, and how others' are shown.
 */
#include "cli/fault.h"

#include <errno.h>
#include <string.h>

#include "support/test.h"

static kin_error err;

static void expect_shown(const char *message, int http_status, const char *want)
{
    kin_error given = { KIN_ERR_CONNECT, http_status, 0, "", "" };
    kin__cli_text shown = { 0 };

    snprintf(given.message, sizeof given.message, "%s", message);
    kin__cli_fault_show(&given, &shown);
    ASSERT_STR_EQ(kin__cli_text_chars(&shown), want);
    kin__cli_text_fini(&shown);
}

TEST(fault, says_what_makes_no_sense)
{
    ASSERT_ERR(kin__cli_refuse(&err, "no \"%s\"\x1b", "a\nb"), KIN_ERR_USAGE);

    ASSERT_EQ(err.code, KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "no \"a?b\"?");
}

TEST(fault, says_what_the_system_refused)
{
    errno = ENOENT;

    ASSERT_ERR(kin__cli_system(&err, "%s cannot be written", "x"), KIN_ERR_SYSTEM);
    ASSERT_MESSAGE(&err, "x cannot be written: No such file or directory");
}

TEST(fault, is_cut_between_characters)
{
    char chars[600];

    memset(chars, 'a', sizeof chars);
    for (size_t i = 1; i + 1 < sizeof chars; i += 2) {
        memcpy(chars + i, "\xc3\xbc", 2);
    }
    chars[sizeof chars - 1] = '\0';
    (void) kin__cli_refuse(&err, "%s", chars);

    ASSERT_EQ(strlen(err.message), 447);
    ASSERT_EQ(err.message[446] & 0xc0, 0x80);
}

TEST(fault, is_shown_without_what_the_user_knows)
{
    expect_shown("get pods web-0: pods \"web-0\" not found", 404, "pods \"web-0\" not found");
    expect_shown("list pods in shop: GET https://10.0.0.1:6443/api/v1/pods?limit=500: cannot "
                 "connect: refused",
                 0, "https://10.0.0.1:6443: cannot connect: refused");
    expect_shown("GET https://h/api: the connection was cut", 0,
                 "https://h: the connection was cut");
    expect_shown("list pods: GET https://h/api: forbidden: no", 403, "forbidden: no");
    expect_shown("kubeconfig \"x\": no such file", 0, "kubeconfig \"x\": no such file");
    expect_shown("the server has no resource \"x\"", 0, "the server has no resource \"x\"");
    expect_shown("", 0, "");
    expect_shown("GET ", 0, "GET ");
    expect_shown("GET http", 0, "GET http");
    expect_shown("get x", 404, "get x");
}
