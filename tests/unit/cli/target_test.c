/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_test.c - what is to be shown.
 */
#include "cli/target.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static kin_error err;

/* "pods(a b) services()", or what is wrong. */
static const char *parse(const char *line)
{
    static char copy[256];
    static text shown;
    const char *words[16];
    size_t count = 0;
    kin__cli_targets targets;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *at = copy; at != NULL && line[0] != '\0';) {
        words[count++] = strsep(&at, " ");
    }
    words[count] = NULL;
    text_clear(&shown);
    if (kin__cli_targets_parse(words, &targets, &err) != KIN_OK) {
        text_append(&shown, "%s", err.message);
    } else {
        for (size_t i = 0; i < targets.count; i++) {
            text_append(&shown, "%s%s(", i > 0 ? " " : "", targets.list[i].resource);
            for (size_t j = 0; targets.list[i].names[j] != NULL; j++) {
                text_append(&shown, "%s%s", j > 0 ? " " : "", targets.list[i].names[j]);
            }
            text_append(&shown, ")");
        }
    }
    kin__cli_targets_fini(&targets);
    return shown.chars;
}

TEST(target, is_a_resource_or_some_of_its_objects)
{
    ASSERT_STR_EQ(parse("pods"), "pods()");
    ASSERT_STR_EQ(parse("pods web-0 web-1"), "pods(web-0 web-1)");
    ASSERT_STR_EQ(parse("deployments.v1.apps web"), "deployments.v1.apps(web)");
}

TEST(target, are_several_resources)
{
    ASSERT_STR_EQ(parse("pods,services"), "pods() services()");
    ASSERT_STR_EQ(parse("pods,services web"), "pods(web) services(web)");
}

TEST(target, are_pairs_and_neighbours_go_together)
{
    ASSERT_STR_EQ(parse("pods/a"), "pods(a)");
    ASSERT_STR_EQ(parse("pods/a pods/b services/c pods/d"), "pods(a b) services(c) pods(d)");
}

TEST(target, is_refused_in_a_sentence)
{
    ASSERT_STR_EQ(parse(""), "which resource? (pods, services, deployments, ...)");
    ASSERT_STR_EQ(parse("pods,"), "\"pods,\" lacks a resource between its commas");
    ASSERT_STR_EQ(parse("pods/a services"), "\"services\" is no RESOURCE/NAME as the other is");
    ASSERT_STR_EQ(parse("pods/"), "\"pods/\" is no RESOURCE/NAME as the other is");
    ASSERT_STR_EQ(parse("/a"), "\"/a\" is no RESOURCE/NAME as the other is");
    ASSERT_STR_EQ(parse("pods a/b"), "\"a/b\" is no name of an object");
    ASSERT_STR_EQ(parse("pods/a/b"), "\"a/b\" is no name of an object");
    ASSERT_STR_EQ(parse("pods .."), "\"..\" is no name of an object");
}
