/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options_test.c - the words after `kin`.
 */
#include "cli/options.h"

#include <string.h>

#include "support/test.h"

static kin__cli_options options;
static kin_error err;

/* Words with a bar between them. */
static kin_err parse(const char *line)
{
    static char copy[256];
    static char *words[32];
    int count = 0;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *at = copy; at != NULL && line[0] != '\0';) {
        words[count++] = strsep(&at, "|");
    }
    words[count] = NULL;
    return kin__cli_options_parse(count, words, &options, &err);
}

static void expect_refused(const char *line, const char *message)
{
    ASSERT_ERR(parse(line), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, message);
    kin__cli_options_fini(&options);
}

TEST(options, stand_anywhere_among_the_words)
{
    ASSERT_OK(parse("-n|shop|get|pods|-A|web-0|--selector|app=web"));

    ASSERT_EQ(options.word_count, 3);
    ASSERT_STR_EQ(options.words[0], "get");
    ASSERT_STR_EQ(options.words[2], "web-0");
    ASSERT_TRUE(options.words[3] == NULL);
    ASSERT_STR_EQ(options.ns, "shop");
    ASSERT_STR_EQ(options.label_selector, "app=web");
    ASSERT_TRUE(options.has_all_namespaces);
    kin__cli_options_fini(&options);
}

TEST(options, take_their_value_in_every_usual_form)
{
    static const char *const lines[] = { "-n|shop",          "-nshop",           "-n=shop",
                                         "--namespace|shop", "--namespace=shop", "-An|shop",
                                         "-n|x|-n|shop" };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        ASSERT_OK(parse(lines[i]));
        ASSERT_STR_EQ(options.ns, "shop");
        ASSERT_EQ(options.word_count, 0);
        kin__cli_options_fini(&options);
    }
}

TEST(options, may_have_values_that_look_like_options_or_are_empty)
{
    ASSERT_OK(parse("--token=|-l|-x|-o={.a}"));

    ASSERT_STR_EQ(options.token, "");
    ASSERT_STR_EQ(options.label_selector, "-x");
    ASSERT_STR_EQ(options.output, "{.a}");
    kin__cli_options_fini(&options);
}

TEST(options, end_with_two_dashes)
{
    ASSERT_OK(parse("get|--|-n|--foo|--|-"));

    ASSERT_EQ(options.word_count, 5);
    ASSERT_STR_EQ(options.words[1], "-n");
    ASSERT_STR_EQ(options.words[3], "--");
    ASSERT_TRUE(options.ns == NULL);
    kin__cli_options_fini(&options);
}

TEST(options, are_absent_unless_given)
{
    ASSERT_OK(parse(""));

    ASSERT_EQ(options.pods, -1);
    ASSERT_EQ(options.duration_ms, -1);
    ASSERT_EQ(options.timeout_ms, 0);
    ASSERT_FALSE(options.is_once);
    ASSERT_EQ(options.given, 0);
    kin__cli_options_fini(&options);
}

TEST(options, have_numbers_and_times)
{
    ASSERT_OK(parse("--port|0|--pods=1000|--seed|9223372036854775807|--timeout|1m"));

    ASSERT_EQ(options.port, 0);
    ASSERT_EQ(options.pods, 1000);
    ASSERT_EQ(options.seed, INT64_MAX);
    ASSERT_EQ(options.timeout_ms, 60000);
    kin__cli_options_fini(&options);
}

TEST(options, are_flags_that_can_be_taken_back)
{
    ASSERT_OK(parse("-A|--once|--all-namespaces=false|--once=true"));

    ASSERT_FALSE(options.has_all_namespaces);
    ASSERT_TRUE(options.is_once);
    kin__cli_options_fini(&options);
}

TEST(options, are_refused_in_a_sentence)
{
    expect_refused("--foo", "unknown option --foo");
    expect_refused("--foo=bar", "unknown option --foo");
    expect_refused("--name", "unknown option --name");
    expect_refused("-x", "unknown option -x");
    expect_refused("-n", "option --namespace needs a value");
    expect_refused("--once=maybe", "option --once takes no value");
    expect_refused("--port|65536", "option --port needs a number from 0 to 65535, not \"65536\"");
    expect_refused("--port|x", "option --port needs a number from 0 to 65535, not \"x\"");
    expect_refused("--port|-1", "option --port needs a number from 0 to 65535, not \"-1\"");
    expect_refused("--port| 1", "option --port needs a number from 0 to 65535, not \" 1\"");
    expect_refused("--port|99999999999999999999",
                   "option --port needs a number from 0 to 65535, not \"99999999999999999999\"");
    expect_refused("--timeout|soon", "option --timeout needs a time as 30s or 1h30m, not \"soon\"");
    expect_refused("--\x1b[2J", "unknown option --?[2J");
}

TEST(options, belong_to_commands)
{
    ASSERT_OK(parse("-n|shop|--port|1"));

    ASSERT_ERR(kin__cli_options_check(&options, KIN__CLI_GET, "get", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "get has no option --port");
    ASSERT_ERR(kin__cli_options_check(&options, KIN__CLI_SERVER, "server", &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "server has no option --namespace");
    ASSERT_OK(kin__cli_options_check(&options, KIN__CLI_SERVER | KIN__CLI_GET, "both", &err));
    kin__cli_options_fini(&options);
}

TEST(options, are_explained_to_whom_they_concern)
{
    kin__cli_text shown = { 0 };

    kin__cli_options_explain(KIN__CLI_SERVER, &shown);

    ASSERT_CONTAINS(shown.chars, "      --port N                 the port to listen on");
    ASSERT_CONTAINS(shown.chars, "  -h, --help ");
    ASSERT_TRUE(strstr(shown.chars, "--selector") == NULL);
    kin__cli_text_fini(&shown);
}
