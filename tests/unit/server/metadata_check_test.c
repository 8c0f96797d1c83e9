/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata_check_test.c - what metadata may say.
 */
#include "server/metadata_check.h"

#include "server/field.h"
#include "unit/server/writing.h"

/* What is said of metadata that is made, as JSON; empty: nothing is wrong. */
static void check(scene *s, const char *resource, const char *metadata, text *out)
{
    kin__served *served =
        kin__shelf_find(s->engine.shelf, STR(""), STR("v1"), kin_str_of(resource));
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(metadata));
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    text_clear(out);
    kin__refusal_begin_invalid(&no, served->group, served->kind, kin__field_text(tree, "name"));
    kin__metadata_check(served, tree, &no);
    if (!kin__refusal_end_invalid(&no)) {
        text_append(out, "%.*s", (int) no.message.len, no.message.data);
    }
}

TEST(metadata_check, wants_a_name)
{
    scene s;
    kin_error err;
    text said = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    check(&s, "configmaps", "{}", &said);
    ASSERT_STR_EQ(said.chars, "ConfigMap \"\" is invalid: metadata.name: Required value: name or "
                              "generateName is required");
    scene_close(&s);
}

TEST(metadata_check, knows_the_rules_of_names)
{
    static const struct {
        const char *resource, *name, *says; /* NULL: nothing */
    } cases[] = {
        { "configmaps", "a.b-c.0", NULL },
        { "configmaps", "A_b", "a lowercase RFC 1123 subdomain must consist of" },
        { "configmaps", "a..b", "a lowercase RFC 1123 subdomain must consist of" },
        { "configmaps", "-a", "a lowercase RFC 1123 subdomain must consist of" },
        { "configmaps", "a-", "a lowercase RFC 1123 subdomain must consist of" },
        { "namespaces", "a-1", NULL },
        { "namespaces", "1a", NULL },
        { "namespaces", "a.b", "\"a.b\": must not contain dots" },
        { "namespaces", "A", "a lowercase RFC 1123 label must consist of" },
        { "services", "A.b", "a lowercase RFC 1123 label must consist of" },
        { "namespaces", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          ": must be no more than 63 characters" },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char metadata[128];
        text said = { 0 };

        snprintf(metadata, sizeof metadata, "{\"name\":\"%s\"}", cases[i].name);
        check(&s, cases[i].resource, metadata, &said);
        if (cases[i].says == NULL) {
            ASSERT_STR_EQ(said.chars, "");
        } else {
            ASSERT_CONTAINS(said.chars, cases[i].says);
        }
    }
    scene_close(&s);
}

TEST(metadata_check, wants_addresses_as_they_are_written)
{
    static const struct {
        const char *name, *says; /* "": nothing */
    } cases[] = {
        { "10.0.0.1", "" },
        { "fe80::42", "" },
        { "0:0::1", "must be in canonical form (\"::1\")" },
        { "1.2.3", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" },
        { "web", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };

        ASSERT_EQ(kin__name_explain(KIN__NAME_ADDRESS, kin_str_of(cases[i].name), &why),
                  cases[i].says[0] != '\0');
        ASSERT_SLICE_EQ(kin__str(why.data == NULL ? "" : why.data, why.len), cases[i].says);
    }
}

TEST(metadata_check, lets_roles_be_called_almost_anything)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };

    ASSERT_FALSE(kin__name_explain(KIN__NAME_PATH, STR("system:Node_Reader"), &why));
    ASSERT_TRUE(kin__name_explain(KIN__NAME_PATH, STR("a/b"), &why));
    ASSERT_SLICE_EQ(kin__str(why.data, why.len), "may not contain '/'");
    kin__buf_clear(&why);
    ASSERT_TRUE(kin__name_explain(KIN__NAME_PATH, STR(".."), &why));
    ASSERT_SLICE_EQ(kin__str(why.data, why.len), "may not be '..'");
    kin__buf_clear(&why);
    ASSERT_TRUE(kin__name_explain(KIN__NAME_PATH, STR("a%b"), &why));
    ASSERT_SLICE_EQ(kin__str(why.data, why.len), "may not contain '%'");
}

TEST(metadata_check, checks_labels_and_annotations)
{
    scene s;
    kin_error err;
    text said = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    check(&s, "configmaps",
          "{\"name\":\"l\",\"labels\":{\"a b\":\"c\",\"x\":\"y z\"},\"annotations\":{\"A/b c\":"
          "\"d\",\"Example.COM/x\":\"any thing\"}}",
          &said);
    ASSERT_STR_EQ(
        said.chars,
        "ConfigMap \"l\" is invalid: [metadata.labels: Invalid value: \"a b\": name part must "
        "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
        "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), metadata.labels: Invalid "
        "value: "
        "\"y z\": a valid label must be an empty string or consist of alphanumeric characters, "
        "'-', "
        "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), metadata.annotations: Invalid value: "
        "\"A/b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must "
        "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
        "'123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]");
    scene_close(&s);
}

TEST(metadata_check, limits_annotations)
{
    scene s;
    kin_error err;
    AUTO(kin__buf_fini) kin__buf metadata = { 0 };
    text said = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(kin__buf_append_str(&metadata, STR("{\"name\":\"l\",\"annotations\":{\"a\":\"")));
    for (size_t i = 0; i < KIN__ANNOTATIONS_MAX - 1; i++) {
        ASSERT_TRUE(kin__buf_append_byte(&metadata, 'x'));
    }
    size_t end = metadata.len;
    ASSERT_TRUE(kin__buf_append(&metadata, "\"}}", 4));
    check(&s, "configmaps", metadata.data, &said);
    ASSERT_STR_EQ(said.chars, "");
    metadata.len = end;
    ASSERT_TRUE(kin__buf_append(&metadata, "y\"}}", 5));
    check(&s, "configmaps", metadata.data, &said);
    ASSERT_STR_EQ(said.chars, "ConfigMap \"l\" is invalid: metadata.annotations: Too long: may not "
                              "be more than 262144 bytes");
    scene_close(&s);
}

TEST(metadata_check, checks_owners_and_finalizers)
{
    scene s;
    kin_error err;
    text said = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    check(&s, "configmaps",
          "{\"name\":\"l\",\"finalizers\":[\"foo\",\"orphan\",\"a.b/c\"],\"ownerReferences\":[{"
          "\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"\",\"uid\":\"\"},{\"apiVersion\":\"\","
          "\"kind\":\"\",\"name\":\"a\",\"uid\":\"1\"}]}",
          &said);
    ASSERT_STR_EQ(
        said.chars,
        "ConfigMap \"l\" is invalid: [metadata.ownerReferences.name: Invalid value: \"\": "
        "must not be empty, metadata.ownerReferences.uid: Invalid value: \"\": must not be "
        "empty, metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not "
        "be empty, metadata.ownerReferences.kind: Invalid value: \"\": must not be empty, "
        "metadata.finalizers[0]: Invalid value: \"foo\": name is neither a standard "
        "finalizer name nor is it fully qualified]");
    check(
        &s, "configmaps",
        "{\"name\":\"l\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":"
        "\"a\",\"uid\":\"1\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":"
        "\"b\",\"uid\":\"2\",\"controller\":true}]}",
        &said);
    ASSERT_STR_EQ(said.chars,
                  "ConfigMap \"l\" is invalid: metadata.ownerReferences: Invalid value: [{"
                  "\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"a\",\"uid\":\"1\","
                  "\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"b\","
                  "\"uid\":\"2\",\"controller\":true}]: Only one reference can have Controller set "
                  "to true. Found \"true\" in references for Pod/a and Pod/b");
    scene_close(&s);
}

TEST_FAILING_ALLOC(metadata_check, survives_every_lack_of_memory)
{
    static const char metadata[] = "{\"name\":\"A\",\"labels\":{\"a b\":\"c d\"},\"annotations\":{"
                                   "\"A b\":\"\"},\"finalizers\":[\"foo\"],\"ownerReferences\":[{"
                                   "\"controller\":true},{\"controller\":true}]}";
    const kin__served served = { .group = STR(""), .kind = STR("ConfigMap") };
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin_str_of(metadata));
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (tree == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__refusal_begin_invalid(&no, served.group, served.kind, STR("A"));
    kin__metadata_check(&served, tree, &no);
    kin__metadata_check_update(&served, tree, tree, &no);
    if (kin__refusal_end_invalid(&no)) {
        return KIN_ERR_USAGE;
    }
    return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
}
