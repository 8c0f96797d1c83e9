/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_source_test.c - a token or PEM file that is read again when it changes.
 */
#include "config/file_source.h"

#include "unit/config/making.h"

static virtual_machine m;

static kin__file_source source_of(kin__file_kind kind, const char *content)
{
    kin__file_source source;

    virtual_machine_init(&m);
    set_file(&m, "/f", content);
    kin__file_source_init(&source, &m.machine, kind, "file", "/f");
    return source;
}

/* That it can be read, and whether it is another. */
static void expect_refresh(kin__file_source *source, int64_t now_ms, bool want_changed,
                           const char *want)
{
    bool is_changed = !want_changed;
    kin_error err;

    ASSERT_OK(kin__file_source_refresh(source, now_ms, &is_changed, &err));

    ASSERT_EQ(is_changed, want_changed);
    ASSERT_SLICE_EQ(source->content, want);
    ASSERT_EQ(source->content.data[source->content.len], '\0');
}

static void expect_failure(kin__file_source *source, int64_t now_ms, kin_err code, const char *want)
{
    bool is_changed;
    kin_error err;

    ASSERT_ERR(kin__file_source_refresh(source, now_ms, &is_changed, &err), code);

    ASSERT_MESSAGE(&err, want);
}

TEST(file_source, without_a_path_never_does_anything)
{
    kin__file_source source;
    bool is_changed = true;
    kin_error err;
    kin__file_source_init(&source, &m.machine, KIN__FILE_PEM, "file", NULL);

    ASSERT_OK(kin__file_source_refresh(&source, 0, &is_changed, &err));

    ASSERT_FALSE(is_changed);
    ASSERT_FALSE(source.has_content);
    kin__file_source_fini(&source);
}

TEST(file_source, trims_a_token)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "\r\n\t abc def \n\n");

    expect_refresh(&source, 0, true, "abc def");
    kin__file_source_fini(&source);
}

TEST(file_source, reads_a_token_again_after_50_seconds)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "one");
    expect_refresh(&source, 1000, true, "one");

    set_file(&m, "/f", "two");
    expect_refresh(&source, 50999, false, "one");
    ASSERT_EQ(m.reads, 1);
    expect_refresh(&source, 51000, true, "two");
    expect_refresh(&source, 101000, false, "two");
    ASSERT_EQ(m.reads, 3);
    kin__file_source_fini(&source);
}

TEST(file_source, looks_at_a_pem_file_each_10_seconds_and_reads_it_when_it_changed)
{
    kin__file_source source = source_of(KIN__FILE_PEM, PEM);
    expect_refresh(&source, 0, true, PEM);

    expect_refresh(&source, 9999, false, PEM);
    ASSERT_EQ(m.looks, 1);
    expect_refresh(&source, 10000, false, PEM);
    ASSERT_EQ(m.looks, 2);
    ASSERT_EQ(m.reads, 1);

    set_file(&m, "/f", PEM PEM);
    expect_refresh(&source, 19999, false, PEM);
    expect_refresh(&source, 20000, true, PEM PEM);

    set_file(&m, "/f", PEM PEM); /* written again, and the same */
    expect_refresh(&source, 30000, false, PEM PEM);
    ASSERT_EQ(m.reads, 3);
    kin__file_source_fini(&source);
}

TEST(file_source, reads_at_once_when_it_is_told_to)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "one");
    expect_refresh(&source, 0, true, "one");
    set_file(&m, "/f", "two");

    kin__file_source_expire(&source);

    expect_refresh(&source, 1, true, "two");
    expect_refresh(&source, 2, false, "two");
    ASSERT_EQ(m.reads, 2);
    kin__file_source_fini(&source);
}

TEST(file_source, keeps_what_it_has_when_the_file_cannot_be_read)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "one");
    expect_refresh(&source, 0, true, "one");

    remove_file(&m, "/f");
    expect_failure(&source, 50000, KIN_ERR_NOT_FOUND, "file \"/f\": no such file");
    ASSERT_SLICE_EQ(source.content, "one");
    ASSERT_TRUE(source.is_failing);

    set_file(&m, "/f", "two");
    expect_refresh(&source, 59999, false, "one");
    expect_refresh(&source, 60000, true, "two");
    ASSERT_FALSE(source.is_failing);
    kin__file_source_fini(&source);
}

TEST(file_source, keeps_what_it_has_while_a_file_is_half_written)
{
    kin__file_source source = source_of(KIN__FILE_PEM, PEM);
    expect_refresh(&source, 0, true, PEM);

    set_file(&m, "/f", "");
    expect_failure(&source, 10000, KIN_ERR_MALFORMED, "file \"/f\": it is empty");
    set_file(&m, "/f", "-----BEGIN X-----\nA");
    expect_failure(&source, 20000, KIN_ERR_MALFORMED, "file \"/f\": it is no PEM");
    ASSERT_SLICE_EQ(source.content, PEM);

    m.files[0].content = PEM PEM; /* with the same time of change as the half of it */
    expect_refresh(&source, 30000, true, PEM PEM);
    kin__file_source_fini(&source);
}

TEST(file_source, tries_each_time_until_it_has_something)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, " \n");
    expect_failure(&source, 0, KIN_ERR_MALFORMED, "file \"/f\": it is empty");
    set_file(&m, "/f", NULL);
    expect_failure(&source, 1, KIN_ERR_SYSTEM, "file \"/f\": open: Permission denied");
    set_file(&m, "/f", "secret\nline");
    expect_failure(&source, 2, KIN_ERR_MALFORMED,
                   "file \"/f\": a line break or control character is in it");

    set_file(&m, "/f", "one");
    expect_refresh(&source, 3, true, "one");
    kin__file_source_fini(&source);
}

/* Reading a pipe could take for ever. */
TEST(file_source, reads_regular_files_only)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "one");
    m.files[0].is_special = true;

    expect_failure(&source, 0, KIN_ERR_SYSTEM, "file \"/f\": not a regular file");
    ASSERT_EQ(m.reads, 0);
    kin__file_source_fini(&source);
}

TEST_FAILING_ALLOC(file_source, says_that_there_is_no_memory)
{
    kin__file_source source = source_of(KIN__FILE_TOKEN, "one");
    bool is_changed;
    kin_error err;

    kin_err code = kin__file_source_refresh(&source, 0, &is_changed, &err);
    kin__file_source_fini(&source);
    return code;
}
