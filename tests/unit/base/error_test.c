/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error_test.c - codes, names and messages.
 */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "support/test.h"

TEST(error, names_every_code)
{
    ASSERT_STR_EQ(kin_err_name(KIN_OK), "KIN_OK");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_NO_MEMORY), "KIN_ERR_NO_MEMORY");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_USAGE), "KIN_ERR_USAGE");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_NOT_FOUND), "KIN_ERR_NOT_FOUND");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_MALFORMED), "KIN_ERR_MALFORMED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_TYPE), "KIN_ERR_TYPE");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_RANGE), "KIN_ERR_RANGE");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_LIMIT), "KIN_ERR_LIMIT");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_PARTIAL), "KIN_ERR_PARTIAL");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_SYSTEM), "KIN_ERR_SYSTEM");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_CANCELLED), "KIN_ERR_CANCELLED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_TIMEOUT), "KIN_ERR_TIMEOUT");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_CONNECT), "KIN_ERR_CONNECT");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_TLS), "KIN_ERR_TLS");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_CLOSED), "KIN_ERR_CLOSED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_PROTOCOL), "KIN_ERR_PROTOCOL");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_UNAUTHORIZED), "KIN_ERR_UNAUTHORIZED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_FORBIDDEN), "KIN_ERR_FORBIDDEN");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_CONFLICT), "KIN_ERR_CONFLICT");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_EXPIRED), "KIN_ERR_EXPIRED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_INVALID), "KIN_ERR_INVALID");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_THROTTLED), "KIN_ERR_THROTTLED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_REFUSED), "KIN_ERR_REFUSED");
    ASSERT_STR_EQ(kin_err_name(KIN_ERR_SERVER), "KIN_ERR_SERVER");
    ASSERT_STR_EQ(kin_err_name((kin_err) 1), "unknown error");
    ASSERT_STR_EQ(kin_err_name((kin_err) -1000), "unknown error");
}

TEST(error, is_the_callers_or_the_local_one)
{
    kin_error theirs;
    kin_error local;

    ASSERT_TRUE(kin__error_or(&theirs, &local) == &theirs);
    ASSERT_TRUE(kin__error_or(NULL, &local) == &local);
}

TEST(error, is_cleared_by_whoever_sets_it)
{
    kin_error err;
    memset(&err, 'x', sizeof err);

    kin_err code = kin__error_set(&err, KIN_ERR_TYPE, "field %d", 7);

    ASSERT_ERR(code, KIN_ERR_TYPE);
    ASSERT_ERR(err.code, KIN_ERR_TYPE);
    ASSERT_EQ(err.http_status, 0);
    ASSERT_EQ(err.retry_after_ms, 0);
    ASSERT_STR_EQ(err.reason, "");
    ASSERT_MESSAGE(&err, "field 7");
}

TEST(error, is_set_by_programs_too_and_they_may_want_none)
{
    kin_error err;
    memset(&err, 'x', sizeof err);

    ASSERT_ERR(kin_error_set(&err, KIN_ERR_TYPE, "field %d", 7), KIN_ERR_TYPE);
    ASSERT_ERR(kin_error_set(&err, KIN_ERR_RANGE, "<%s>\n", err.message), KIN_ERR_RANGE);
    ASSERT_ERR(kin_error_set(NULL, KIN_ERR_USAGE, "nobody listens"), KIN_ERR_USAGE);

    ASSERT_ERR(err.code, KIN_ERR_RANGE);
    ASSERT_EQ(err.http_status, 0);
    ASSERT_STR_EQ(err.reason, "");
    ASSERT_MESSAGE(&err, "<field 7>?");
}

TEST(error, of_a_program_s_function_has_the_code_that_it_returned)
{
    kin_error err;
    memset(&err, 0, sizeof err);

    ASSERT_ERR(kin__error_told(&err, KIN_ERR_LIMIT, "the function"), KIN_ERR_LIMIT);
    ASSERT_ERR(err.code, KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "the function does not say why it failed");

    (void) kin_error_set(&err, KIN_ERR_TYPE, "a word");
    ASSERT_ERR(kin__error_told(&err, KIN_ERR_LIMIT, "the function"), KIN_ERR_LIMIT);
    ASSERT_ERR(err.code, KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "a word");
}

TEST(error, reads_from_what_was_wanted_to_what_went_wrong)
{
    kin_error err;
    (void) kin__error_set(&err, KIN_ERR_MALFORMED, "byte 7");
    err.http_status = 410;
    (void) strncpy(err.reason, "Expired", sizeof err.reason);

    (void) kin__error_prefix(&err, "parse list %s", "pods");
    kin_err code = kin__error_prefix(&err, "sync");

    ASSERT_ERR(code, KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "sync: parse list pods: byte 7");
    ASSERT_EQ(err.http_status, 410);
    ASSERT_STR_EQ(err.reason, "Expired");
}

TEST(error, may_quote_itself)
{
    kin_error err;
    (void) kin__error_set(&err, KIN_ERR_MALFORMED, "byte 7");

    (void) kin__error_set(&err, KIN_ERR_LIMIT, "after \"%s\"", err.message);
    (void) kin__error_prefix(&err, "<%s>", err.message);

    ASSERT_MESSAGE(&err, "<after \"byte 7\">: after \"byte 7\"");
}

TEST(error, cuts_a_message_that_is_too_long)
{
    char longer[1000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    kin_error err;

    (void) kin__error_set(&err, KIN_ERR_USAGE, "%s", longer);
    ASSERT_EQ(strlen(err.message), sizeof err.message - 1);

    (void) kin__error_prefix(&err, "b");
    ASSERT_EQ(strlen(err.message), sizeof err.message - 1);
    ASSERT_EQ(strncmp(err.message, "b: aaa", 6), 0);

    (void) kin__error_prefix(&err, "%s", longer);
    ASSERT_EQ(strlen(err.message), sizeof err.message - 1);
    ASSERT_TRUE(strchr(err.message, ':') == NULL);
}

/* A name from the cluster may hold a newline, a terminal's escape, or no UTF-8 at all. */
TEST(error, is_one_line_of_utf8_whatever_it_quotes)
{
    kin_error err;

    (void) kin__error_set(&err, KIN_ERR_USAGE, "name \"%s\"", "a\nb\033[2J\xff\xc3\xa9");
    ASSERT_MESSAGE(&err, "name \"a?b?[2J?\xc3\xa9\"");

    (void) kin__error_prefix(&err, "%s", "x\ry");
    ASSERT_MESSAGE(&err, "x?y: name \"a?b?[2J?\xc3\xa9\"");
}

/* The cut may fall into the midst of a character. */
TEST(error, is_utf8_also_where_it_is_cut)
{
    char longer[1000];
    for (size_t i = 0; i + 2 < sizeof longer; i += 2) {
        memcpy(longer + i, "\xc3\xa9", 3);
    }
    kin_error err;

    (void) kin__error_set(&err, KIN_ERR_USAGE, "%s", longer);

    ASSERT_EQ(strlen(err.message), 447);
    ASSERT_STR_EQ(err.message + 444, "\xc3\xa9?");
}

TEST(error, has_one_message_for_failed_allocations)
{
    kin_error err;

    ASSERT_ERR(kin__error_no_memory(&err), KIN_ERR_NO_MEMORY);
    ASSERT_MESSAGE(&err, "out of memory");
}

TEST(error, says_what_the_systems_number_means)
{
    kin_error err;

    ASSERT_ERR(kin__error_system(&err, ENOENT, "open %s", "/x"), KIN_ERR_SYSTEM);
    ASSERT_MESSAGE(&err, "open /x: No such file or directory");
    ASSERT_ERR(kin__error_system(&err, 12345, "open"), KIN_ERR_SYSTEM);
    ASSERT_MESSAGE(&err, "open: error 12345 of the system");
}
