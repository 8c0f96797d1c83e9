/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_test.c - members of a YAML map into the fields of a struct.  The rules of each kind are
 * seen in kubeconfig_test.c.
 */
#include "config/field.h"

#include "base/str.h"
#include "support/test.h"

typedef struct sample {
    const char *words;
    const char *path;
    bool flag;
    const char *const *list;
    const kin__yaml *node;
} sample;

static const kin__field fields[] = {
    { "text", KIN__FIELD_TEXT, offsetof(sample, words) },
    { "path", KIN__FIELD_PATH, offsetof(sample, path) },
    { "flag", KIN__FIELD_FLAG, offsetof(sample, flag) },
    { "list", KIN__FIELD_TEXTS, offsetof(sample, list) },
    { "node", KIN__FIELD_NODE, offsetof(sample, node) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static kin_err read_sample(const char *yaml, kin__vault *vault, sample *out, kin_error *err)
{
    kin__field_home home = { vault, "/dir/" };
    const kin__yaml *root;

    kin_err code = kin__yaml_parse(kin_str_of(yaml), vault, &root, err);
    return code != KIN_OK ? code : kin__fields_read(root, fields, &home, out, err);
}

TEST(field, takes_nothing_and_empty_strings_for_no_member)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    sample got = { 0 };
    kin_error err;

    ASSERT_OK(read_sample("{text: '', path: ~, flag: null, list: ~, node: }", &vault, &got, &err));

    ASSERT_TRUE(got.words == NULL && got.path == NULL && !got.flag && got.list == NULL);
    ASSERT_TRUE(got.node == NULL);
}

TEST(field, leads_paths_on_from_the_directory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    ASSERT_STR_EQ(kin__path_from("/dir/", "a/b", &vault), "/dir/a/b");
    ASSERT_STR_EQ(kin__path_from("/dir", "a", &vault), "/dir/a");
    ASSERT_STR_EQ(kin__path_from("/", "a", &vault), "/a");
    ASSERT_STR_EQ(kin__path_from("/dir", "/a", &vault), "/a");
}

TEST(field, is_copied_without_its_nodes)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    sample from = { 0 };
    sample to = { 0 };
    kin_error err;
    ASSERT_OK(
        read_sample("{text: t, path: p, flag: on, list: [a, ~], node: [1]}", &vault, &from, &err));

    ASSERT_OK(kin__fields_copy(&from, fields, &vault, &to, &err));

    ASSERT_STR_EQ(to.words, "t");
    ASSERT_TRUE(to.words != from.words);
    ASSERT_STR_EQ(to.path, "/dir/p");
    ASSERT_TRUE(to.flag);
    ASSERT_EQ(kin__texts_count(to.list), 2);
    ASSERT_STR_EQ(to.list[0], "a");
    ASSERT_STR_EQ(to.list[1], "");
    ASSERT_TRUE(from.node != NULL && to.node == NULL);
}

TEST_FAILING_ALLOC(field, says_that_there_is_no_memory)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    sample from = { 0 };
    sample to = { 0 };
    kin_error err;

    kin_err code = read_sample("{text: t, path: p, list: [a]}", &vault, &from, &err);
    return code != KIN_OK ? code : kin__fields_copy(&from, fields, &vault, &to, &err);
}
