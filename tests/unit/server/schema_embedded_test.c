/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_embedded_test.c - whole objects inside of a custom resource.
 */
#include "server/schema_embedded.h"

#include "server/field.h"
#include "support/test.h"

#define RESOURCE                                                                                   \
    "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,"                                \
    "\"x-kubernetes-preserve-unknown-fields\":true}"
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"t\":" RESOURCE                                         \
    ",\"l\":{\"type\":\"array\",\"items\":" RESOURCE                                               \
    "},\"m\":{\"type\":\"object\",\"additionalProperties\":" RESOURCE "}}}"

/* What is left, then what went, then what is wrong; false when there is no memory. */
static bool look_at(const char *object, text *out)
{
    AUTO(kin__node_free) kin__node *schema = kin__tree_of(STR(SCHEMA));
    AUTO(kin__node_free) kin__node *node = kin__tree_of(kin_str_of(object));
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    if (schema == NULL || node == NULL || !kin__schema_embedded_prune(schema, node, &warnings) ||
        kin__buf_failed(&warnings.texts) || !kin__node_append_json(node, &json)) {
        return false;
    }
    text_append(out, "%.*s", (int) json.len, json.data);
    for (size_t i = 0; i < warnings.count; i++) {
        text_append(out, " %.*s", KIN_STR_ARG(kin__codec_warning(&warnings, i)));
    }
    kin__refusal_begin_invalid(&no, STR(""), STR("K"), STR("n"));
    kin__schema_embedded_check(schema, node, &no);
    if (!kin__refusal_end_invalid(&no) && !no.has_no_memory) {
        text_append(out, " %.*s", (int) no.message.len, no.message.data);
    }
    return !no.has_no_memory;
}

static void assert_gives(const char *object, const char *want)
{
    text got = { 0 };

    ASSERT_TRUE(look_at(object, &got));
    ASSERT_STR_EQ(got.chars, want);
}

/* As seen on kube-apiserver 1.36.3. */
TEST(schema_embedded, asks_what_an_object_is)
{
#define BAD " K \"n\" is invalid: "
    assert_gives("{\"t\":null}", "{\"t\":null}");
    assert_gives("{\"t\":{}}",
                 "{\"t\":{}}" BAD "[t.apiVersion: Required value, t.kind: Required value]");
    assert_gives("{\"t\":{\"apiVersion\":\"\",\"kind\":\"\"}}",
                 "{\"t\":{\"apiVersion\":\"\",\"kind\":\"\"}}" BAD
                 "[t.apiVersion: Invalid value: \"\": must not be empty, "
                 "t.kind: Invalid value: \"\": must not be empty]");
    assert_gives("{\"t\":{\"apiVersion\":\"a/b/c\",\"kind\":\"K\"}}",
                 "{\"t\":{\"apiVersion\":\"a/b/c\",\"kind\":\"K\"}}" BAD
                 "t.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c");
    assert_gives("{\"l\":[{\"kind\":\"K\"}]}",
                 "{\"l\":[{\"kind\":\"K\"}]}" BAD "l[0].apiVersion: Required value");
    assert_gives("{\"m\":{\"q\":{\"apiVersion\":\"v1\"}}}",
                 "{\"m\":{\"q\":{\"apiVersion\":\"v1\"}}}" BAD "m[q].kind: Required value");
#undef BAD
}

/* As seen on kube-apiserver 1.36.3. */
TEST(schema_embedded, leaves_metadata_what_it_has)
{
#define ALL                                                                                        \
    "{\"name\":1,\"generateName\":1,\"namespace\":1,\"selfLink\":1,\"uid\":1,\"resourceVersion\":" \
    "1,"                                                                                           \
    "\"generation\":1,\"creationTimestamp\":1,\"deletionTimestamp\":1,"                            \
    "\"deletionGracePeriodSeconds\":1,\"labels\":1,\"annotations\":1,\"ownerReferences\":1,"       \
    "\"finalizers\":1,\"managedFields\":1}"
#define POD(metadata) "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":" metadata "}"
    assert_gives(
        "{\"foo\":1,\"metadata\":{\"foo\":1},\"t\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
        "\"foo\":1}}",
        "{\"foo\":1,\"metadata\":{\"foo\":1},\"t\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
        "\"foo\":1}}");
    assert_gives(
        "{\"t\":" POD("{\"foo\":1,\"name\":\"p\",\"creationTimestamp\":null,\"bar\":2,"
                      "\"labels\":{\"foo\":\"1\"}}") "}",
        "{\"t\":" POD(
            "{\"name\":\"p\",\"labels\":{\"foo\":\"1\"}}") "}"
                                                           " unknown field \"t.metadata.foo\" "
                                                           "unknown field \"t.metadata.bar\"");
    assert_gives(
        "{\"l\":[" POD("{\"foo\":1}") "],\"m\":{\"q\":" POD("{\"foo\":1}") "}}",
        "{\"l\":[" POD("{}") "],\"m\":{\"q\":" POD(
            "{}") "}}"
                  " unknown field \"l[0].metadata.foo\" unknown field \"m[q].metadata.foo\"");
    assert_gives("{\"t\":" POD("7") "}", "{\"t\":" POD("7") "}");
    assert_gives("{\"t\":" POD(ALL) "}", "{\"t\":" POD(ALL) "}");
#undef POD
#undef ALL
}

TEST_FAILING_ALLOC(schema_embedded, survives_every_lack_of_memory)
{
    text got = { 0 };

    return look_at("{\"t\":{\"metadata\":{\"foo\":1},\"apiVersion\":\"a/b/c\",\"kind\":\"\"}}",
                   &got)
               ? KIN_OK
               : KIN_ERR_NO_MEMORY;
}
