/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_test.c - who hears what.
 */
#include "base/log.h"

#include <string.h>

#include "support/test.h"

static void note(void *context, kin_log_level level, const char *component, const char *message)
{
    text_append(context, "%s %s: %s;", kin_log_level_name(level), component, message);
}

static kin_logger logger_for(text *notes, int32_t level)
{
    kin_logger logger = KIN_LOGGER_INIT;
    logger.context = notes;
    logger.log = note;
    logger.level = level;
    return logger;
}

/* One line on every level. */
static void speak(const kin_logger *logger)
{
    kin__log(logger, KIN_LOG_ERROR, "loop", "%d", 1);
    kin__log(logger, KIN_LOG_WARNING, "loop", "%d", 2);
    kin__log(logger, KIN_LOG_INFO, "loop", "%d", 3);
    kin__log(logger, KIN_LOG_DEBUG, "loop", "%d", 4);
}

TEST(log, names_its_levels)
{
    ASSERT_STR_EQ(kin_log_level_name(KIN_LOG_ERROR), "error");
    ASSERT_STR_EQ(kin_log_level_name(KIN_LOG_WARNING), "warning");
    ASSERT_STR_EQ(kin_log_level_name(KIN_LOG_INFO), "info");
    ASSERT_STR_EQ(kin_log_level_name(KIN_LOG_DEBUG), "debug");
    ASSERT_STR_EQ(kin_log_level_name((kin_log_level) 0), "unknown");
    ASSERT_STR_EQ(kin_log_level_name((kin_log_level) 5), "unknown");
}

TEST(log, hears_warnings_unless_another_level_is_set)
{
    static text notes;
    kin_logger logger = logger_for(&notes, 0);

    speak(&logger);

    ASSERT_STR_EQ(notes.chars, "error loop: 1;warning loop: 2;");
}

TEST(log, hears_its_level_and_what_is_more_severe)
{
    static text notes;
    kin_logger quiet = logger_for(&notes, KIN_LOG_ERROR);
    kin_logger verbose = logger_for(&notes, KIN_LOG_DEBUG);

    speak(&quiet);
    ASSERT_STR_EQ(notes.chars, "error loop: 1;");

    text_clear(&notes);
    speak(&verbose);
    ASSERT_STR_EQ(notes.chars, "error loop: 1;warning loop: 2;info loop: 3;debug loop: 4;");
}

TEST(log, is_silent_without_a_logger_or_a_function)
{
    kin_logger logger = KIN_LOGGER_INIT;
    logger.level = KIN_LOG_DEBUG;

    speak(NULL);
    speak(&logger);
}

/* %n writes down how far the formatting has come: a witness that it took place. */
TEST(log, formats_nothing_that_is_not_wanted)
{
    static text notes;
    kin_logger logger = logger_for(&notes, KIN_LOG_INFO);
    int written = -1;

    kin__log(&logger, KIN_LOG_DEBUG, "loop", "abc%n", &written);
    ASSERT_EQ(written, -1);

    kin__log(&logger, KIN_LOG_INFO, "loop", "abc%n", &written);
    ASSERT_EQ(written, 3);
}

TEST(log, says_one_harmless_line)
{
    static text notes;
    kin_logger logger = logger_for(&notes, 0);

    kin__log(&logger, KIN_LOG_ERROR, "loop", "name %s", "a\nb\033[2J\xff");

    ASSERT_STR_EQ(notes.chars, "error loop: name a?b?[2J?;");
}

TEST(log, cuts_a_line_that_is_too_long)
{
    static text notes;
    kin_logger logger = logger_for(&notes, 0);

    kin__log(&logger, KIN_LOG_ERROR, "loop", "%3000d", 1);

    ASSERT_EQ(notes.len, strlen("error loop: ;") + 1023);
}
