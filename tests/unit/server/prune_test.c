/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune_test.c - patched trees made objects again.  Texts are those of a kube-apiserver 1.36.3.
 */
#include "server/prune.h"

#include "decoding.h"

/* What comes of a tree: its JSON, or the message; with what a patch had already to warn of. */
static const char *prune(const char *json, kin__field_validation validation, const char *shown,
                         const char *warned, decoded *out)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = kind_of("v1", "ConfigMap");
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(json)), &tree, &err));
    if (warned != NULL) {
        kin__codec_warn(&warnings, warned, STR("w"));
    }
    text_clear(&out->json);
    text_clear(&out->warnings);
    if (kin__prune(&kind, &tree, validation, kin_str_of(shown), &warnings, &no)) {
        ASSERT_OK(kin__codec_encode(&kind, tree, &buf, &err));
        text_append(&out->json, "%.*s", (int) buf.len, buf.data);
    } else {
        text_append(&out->json, "%.*s", (int) no.message.len, no.message.data);
        ASSERT_EQ(no.cause_count, no.code == 422 ? 1 : 0);
    }
    out->code = no.code;
    for (size_t i = 0; i < warnings.count; i++) {
        text_append(&out->warnings, "%.*s\n", KIN_STR_ARG(kin__codec_warning(&warnings, i)));
    }
    return out->json.chars;
}

TEST(prune, drops_what_the_kind_does_not_know_and_tells)
{
    decoded d;

    ASSERT_STR_EQ(prune("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"foo\":1,\"data\":{}}",
                        KIN__FIELDS_WARN, "", "duplicate field", &d),
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}");
    ASSERT_STR_EQ(d.warnings.chars, "duplicate field \"w\"\nunknown field \"foo\"\n");
}

TEST(prune, refuses_a_wrong_type_and_shows_the_object)
{
    decoded d;

    ASSERT_STR_EQ(prune("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"a\"},\"data\":{\"z\":5}}",
                        KIN__FIELDS_WARN, "", NULL, &d),
                  " \"\" is invalid: patch: Invalid value: \"{\\\"apiVersion\\\":\\\"v1\\\","
                  "\\\"data\\\":{\\\"z\\\":5},\\\"kind\\\":\\\"ConfigMap\\\",\\\"metadata\\\":{"
                  "\\\"name\\\":\\\"a\\\"}}\": json: cannot unmarshal number into Go struct field "
                  "ConfigMap.data of type string");
    ASSERT_EQ(d.code, 422);
    ASSERT_STR_EQ(prune("[]", KIN__FIELDS_WARN, "", NULL, &d),
                  " \"\" is invalid: patch: Invalid value: \"[]\": couldn't get version/kind; json "
                  "parse error: json: cannot unmarshal array into Go value of type struct { "
                  "APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                  "\"json:\\\"kind,omitempty\\\"\" }");
    ASSERT_STR_EQ(
        prune("{\"kind\":\"Pod\"}", KIN__FIELDS_WARN, "map[kind:Pod]", NULL, &d),
        " \"\" is invalid: patch: Invalid value: \"map[kind:Pod]\": converting (v1.Pod) to "
        "(core.ConfigMap): unknown conversion");
}

TEST(prune, refuses_unknown_fields_when_strict_and_those_of_the_patch_first)
{
    decoded d;

    ASSERT_STR_EQ(
        prune("{\"foo\":1}", KIN__FIELDS_STRICT, "map[foo:1]", "json patch unknown field", &d),
        " \"\" is invalid: patch: Invalid value: \"map[foo:1]\": strict decoding error: "
        "json patch unknown field \"w\", unknown field \"foo\"");
    ASSERT_EQ(d.code, 422);
    ASSERT_STR_EQ(prune("{}", KIN__FIELDS_STRICT, "map[]", "duplicate field", &d),
                  " \"\" is invalid: patch: Invalid value: \"map[]\": strict decoding error: "
                  "duplicate field \"w\"");
}

TEST(prune, keeps_the_tree_when_it_refuses)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = kind_of("v1", "ConfigMap");
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(STR("{\"data\":5}")), &tree, &err));
    const kin__node *before = tree;
    ASSERT_FALSE(kin__prune(&kind, &tree, KIN__FIELDS_WARN, STR(""), &warnings, &no));
    ASSERT_TRUE(tree == before);
}

static kin_err prune_once(const char *json)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_kind kind = kind_of("v1", "ConfigMap");
    kin_error err;

    if (kin__node_from_json(kin__json_of(kin_str_of(json)), &tree, &err) != KIN_OK) {
        return err.code;
    }
    bool is_done = kin__prune(&kind, &tree, KIN__FIELDS_STRICT, STR(""), &warnings, &no);
    return !is_done && no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
}

TEST_FAILING_ALLOC(prune, survives_without_memory)
{
    return prune_once("{\"data\":{\"a\":\"b\"}}");
}

TEST_FAILING_ALLOC(prune, survives_without_memory_for_a_strict_refusal)
{
    return prune_once("{\"x\":1,\"data\":{\"a\":\"b\"}}");
}
