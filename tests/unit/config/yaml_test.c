/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_test.c - a YAML document as a tree.
 */
#include "config/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "support/test.h"

/* The tree is compared as JSON. */
static void expect_json(const char *yaml, const char *want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };
    const kin__yaml *root;
    kin_error err;

    ASSERT_OK(kin__yaml_parse(kin_str_of(yaml), &vault, &root, &err));
    ASSERT_OK(kin__yaml_write_json(root, &w, &err));

    ASSERT_SLICE_EQ(kin__str(json.data, json.len), want);
    ASSERT_TRUE(json.len <= 6 * root->weight);
}

static void expect_failure(const char *yaml, kin_err want, const char *part)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__yaml *root;
    kin_error err;

    ASSERT_ERR(kin__yaml_parse(kin_str_of(yaml), &vault, &root, &err), want);

    ASSERT_CONTAINS(err.message, part);
    ASSERT_TRUE(vault.blocks == NULL);
}

TEST(yaml, reads_blocks)
{
    expect_json("a: 1\nb:\n- x\n- y: true\n  z: ~\nc: \"1\"\n",
                "{\"a\":1,\"b\":[\"x\",{\"y\":true,\"z\":null}],\"c\":\"1\"}");
}

TEST(yaml, reads_json)
{
    expect_json("{\"a\":[1,2.5,\"x\\u00e9\\n\",null,true],\"b\":{}}",
                "{\"a\":[1,2.5,\"x\xc3\xa9\\n\",null,true],\"b\":{}}");
}

TEST(yaml, reads_text_of_several_lines)
{
    expect_json("a: |\n  one\n  two\nb: >-\n  one\n  two\n",
                "{\"a\":\"one\\ntwo\\n\",\"b\":\"one two\"}");
}

TEST(yaml, is_nothing_without_a_document)
{
    expect_json("", "null");
    expect_json("# a comment\n", "null");
    expect_json("---\n", "null");
}

TEST(yaml, takes_the_first_of_several_documents)
{
    expect_json("a: 1\n---\nb: 2\n", "{\"a\":1}");
}

TEST(yaml, follows_aliases)
{
    expect_json("a: &x {k: v}\nb: *x\nc: [*x, *x]\n",
                "{\"a\":{\"k\":\"v\"},\"b\":{\"k\":\"v\"},\"c\":[{\"k\":\"v\"},{\"k\":\"v\"}]}");
    expect_json("&k a: 1\nb: *k\n", "{\"a\":1,\"b\":\"a\"}");
    expect_json("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
}

TEST(yaml, takes_tags_of_jsons_types)
{
    expect_json("a: !!str 1\nb: !!int 1\nc: ! 1\nd: !!map {}\ne: !!seq []\n",
                "{\"a\":\"1\",\"b\":1,\"c\":\"1\",\"d\":{},\"e\":[]}");
}

TEST(yaml, says_where_it_is_wrong)
{
    expect_failure("a: 1\nb: [1\nc: 2\n", KIN_ERR_MALFORMED, "line 3: ");
    expect_failure("a: b: c\n", KIN_ERR_MALFORMED, "line 1: mapping values are not allowed");
    expect_failure("\ta: b\n", KIN_ERR_MALFORMED, "line 1: ");
    expect_failure("a: \"\\q\"\n", KIN_ERR_MALFORMED, "unknown escape");
    expect_failure("a: \xff\n", KIN_ERR_MALFORMED, "byte 3: ");
    expect_failure("a: \x01\n", KIN_ERR_MALFORMED, "control characters are not allowed");
}

TEST(yaml, refuses_a_key_that_is_there_twice)
{
    expect_failure("a: 1\nb:\n  c: 1\n  c: 2\n", KIN_ERR_MALFORMED,
                   "line 4: a key that is there twice");
    expect_failure("{\"a\": 1, \"a\": 2}", KIN_ERR_MALFORMED, "line 1: a key that is there twice");
}

TEST(yaml, refuses_what_it_does_not_support)
{
    expect_failure("a: &x {k: v}\nb:\n  <<: *x\n", KIN_ERR_MALFORMED, "merge keys");
    expect_failure("a: !!binary aGk=\n", KIN_ERR_MALFORMED, "line 1: a tag");
    expect_failure("a: !mine 1\n", KIN_ERR_MALFORMED, "a tag");
    expect_failure("a: !!set {}\n", KIN_ERR_MALFORMED, "a tag");
    expect_failure("[a, b]: 1\n", KIN_ERR_MALFORMED, "a key that is a list or a map");
    expect_failure("a: &x [1]\n*x : 1\n", KIN_ERR_MALFORMED, "a key that is a list or a map");
    expect_failure("a: *x\n", KIN_ERR_MALFORMED, "line 1: an alias without an anchor before it");
    expect_failure("a: &x [*x]\n", KIN_ERR_MALFORMED,
                   "line 1: an alias without an anchor before it");
}

TEST(yaml, refuses_numbers_that_json_lacks_when_json_is_wanted)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };
    const kin__yaml *root;
    kin_error err;
    ASSERT_OK(kin__yaml_parse(STR("- 1\n- .inf\n"), &vault, &root, &err));

    ASSERT_ERR(kin__yaml_write_json(root, &w, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "line 2: a number that JSON does not have");
}

static void expect_depth(size_t depth, kin_err want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    static char nested[300000];
    const kin__yaml *root;
    kin_error err;
    memset(nested, '[', depth);
    memset(nested + depth, ']', depth);

    ASSERT_ERR(kin__yaml_parse(kin__str(nested, 2 * depth), &vault, &root, &err), want);
}

TEST(yaml, has_a_limit_of_depth)
{
    expect_depth(KIN__YAML_DEPTH_MAX, KIN_OK);
    expect_depth(KIN__YAML_DEPTH_MAX + 1, KIN_ERR_LIMIT);
    expect_depth(100000, KIN_ERR_LIMIT);
}

/* Each level is an alias of the one before, inside ten lists. */
TEST(yaml, counts_depth_through_aliases)
{
    static text yaml;
    text_append(&yaml, "a0: &a0 [[[[[[[[[[1]]]]]]]]]]\n");
    for (int i = 1; i < 12; i++) {
        text_append(&yaml, "a%d: &a%d [[[[[[[[[[*a%d]]]]]]]]]]\n", i, i, i - 1);
    }

    expect_failure(yaml.chars, KIN_ERR_LIMIT, "too deep");
}

/* Ten to the power of nine, in a few lines. */
TEST(yaml, refuses_a_bomb_of_aliases)
{
    static text yaml;
    text_append(&yaml, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 9; i++) {
        text_append(&yaml, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i,
                    i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    }

    expect_failure(yaml.chars, KIN_ERR_LIMIT, "aliases amount to too much");
}

TEST(yaml, has_a_limit_of_values)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    size_t len = 3 * (KIN__YAML_NODES_MAX + 10);
    char *yaml = malloc(len);
    const kin__yaml *root;
    kin_error err;
    ASSERT_TRUE(yaml != NULL);
    for (size_t i = 0; i < len; i += 3) {
        memcpy(yaml + i, "- \n", 3);
    }

    kin_err code = kin__yaml_parse(kin__str(yaml, len), &vault, &root, &err);

    ASSERT_ERR(code, KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "too many values");
    free(yaml);
}

/* `unit` again and again, up to the size of the largest kubeconfig. */
static void expect_hostile(const char *start, kin_str unit, kin_err want)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    size_t len = (size_t) 16 << 20;
    char *yaml = malloc(len);
    const kin__yaml *root;
    kin_error err;
    ASSERT_TRUE(yaml != NULL);
    memcpy(yaml, start, strlen(start));
    for (size_t at = strlen(start); at < len; at++) {
        yaml[at] = unit.data[(at - strlen(start)) % unit.len];
    }

    ASSERT_ERR(kin__yaml_parse(kin__str(yaml, len), &vault, &root, &err), want);
    free(yaml);
}

TEST(yaml, takes_time_in_proportion_to_its_size)
{
    expect_hostile("", STR("a"), KIN_OK);
    expect_hostile("", STR("\0"), KIN_ERR_MALFORMED);
    expect_hostile("", STR("\xff"), KIN_ERR_MALFORMED);
    expect_hostile("", STR("- "), KIN_ERR_LIMIT);
    expect_hostile("", STR("{a: "), KIN_ERR_LIMIT);
    expect_hostile("[", STR("a,\n"), KIN_ERR_LIMIT);
    expect_hostile("\"", STR("a\n"), KIN_ERR_MALFORMED);
    expect_hostile("a: |\n", STR(" \n"), KIN_OK);
    expect_hostile("- &a x\n", STR("- *a\n"), KIN_OK);
}

TEST(yaml, has_a_limit_of_tag_directives)
{
    static text yaml;
    for (int i = 0; i < 100; i++) {
        text_append(&yaml, "%%TAG !t%d! tag:x,2026:\n", i);
    }
    text_append(&yaml, "--- {a: 1}\n");
    expect_json(yaml.chars, "{\"a\":1}");

    text_clear(&yaml);
    for (int i = 0; i < 101; i++) {
        text_append(&yaml, "%%TAG !t%d! tag:x,2026:\n", i);
    }
    expect_failure(yaml.chars, KIN_ERR_LIMIT, "too many %TAG directives");
}

TEST(yaml, is_utf_8_and_nothing_else)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__yaml *root;
    kin_error err;

    expect_json("\xef\xbb\xbf"
                "a: 1\nb: 2\n",
                "{\"a\":1,\"b\":2}");
    ASSERT_ERR(kin__yaml_parse(STR("\xff\xfe{\0}\0"), &vault, &root, &err), KIN_ERR_MALFORMED);
    ASSERT_ERR(kin__yaml_parse(STR("\xfe\xff\0{\0}"), &vault, &root, &err), KIN_ERR_MALFORMED);
}

TEST(yaml, survives_garbage)
{
    unsigned state = 1;
    char garbage[200];

    for (int round = 0; round < 2000; round++) {
        AUTO(kin__vault_fini) kin__vault vault = { 0 };
        static const char alphabet[] = "a: -[]{}&*!|>'\"%@`,?#\n\t \\\0\xff\xc3\xa9"
                                       "0x~<";
        const kin__yaml *root;
        kin_error err;
        for (size_t i = 0; i < sizeof garbage; i++) {
            state = state * 1103515245u + 12345u;
            garbage[i] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        kin_err code = kin__yaml_parse(kin__str(garbage, sizeof garbage), &vault, &root, &err);
        ASSERT_TRUE(code == KIN_OK || code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
    }
}

/* libyaml's own memory is not counted: its failures cannot be made here. */
TEST_FAILING_ALLOC(yaml, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__yaml *root;
    kin_error err;

    return kin__yaml_parse(STR("a: &x [1, two]\nb: *x\n"), &vault, &root, &err);
}
