/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_schema_test.c - what the Go types say to a strategic merge patch.
 */
#include "base/str.h"
#include "server/strategic_state.h"
#include "support/test.h"

static kin__strategic_schema schema_of(const char *api_version, const char *kind)
{
    return (kin__strategic_schema){ kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind)),
                                    "struct" };
}

TEST(strategic_schema, finds_fields_and_their_keys)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__strategic s = { .no = &no };
    kin__strategic_field spec;
    kin__strategic_field field;

    ASSERT_OK(kin__strategic_lookup(&s, schema_of("v1", "Pod"), STR("spec"), false, &spec));
    ASSERT_OK(kin__strategic_lookup(&s, spec.schema, STR("volumes"), true, &field));
    ASSERT_SLICE_EQ(field.key.name, "name");
    ASSERT_EQ(field.key.strategies, KIN__MERGE_MERGE | KIN__MERGE_RETAIN_KEYS);
    ASSERT_OK(kin__strategic_lookup(&s, field.schema, STR("configMap"), false, &field));
    ASSERT_OK(kin__strategic_lookup(&s, field.schema, STR("items"), true, &field));
    ASSERT_EQ(field.key.strategies, 0);
}

TEST(strategic_schema, refuses_what_is_no_struct_or_has_no_such_field)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__strategic s = { .no = &no };
    kin__strategic_field field;

    ASSERT_ERR(kin__strategic_lookup(&s, schema_of("v1", "Pod"), STR("spek"), false, &field),
               KIN_ERR_INVALID);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "unable to find api field in struct Pod for the json field \"spek\"");
    ASSERT_EQ(no.code, 500);
    ASSERT_ERR(kin__strategic_lookup(&s, schema_of("v1", "Pod"), STR("spec"), true, &field),
               KIN_ERR_INVALID);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "expected slice or array type, but got: struct");
    ASSERT_OK(kin__strategic_lookup(&s, schema_of("v1", "ConfigMap"), STR("data"), false, &field));
    ASSERT_ERR(kin__strategic_lookup(&s, field.schema, STR("x"), false, &field), KIN_ERR_INVALID);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "merging an object in json but data type is not struct, instead is: map");
}

TEST(strategic_schema, tells_whole_numbers_from_others)
{
    static const struct {
        const char *json;
        kin__strategic_type type;
    } cases[] = {
        { "1", KIN__STRATEGIC_INT },        { "1.0", KIN__STRATEGIC_FLOAT },
        { "1e3", KIN__STRATEGIC_FLOAT },    { "99999999999999999999", KIN__STRATEGIC_FLOAT },
        { "\"1\"", KIN__STRATEGIC_STRING }, { "null", KIN__STRATEGIC_NULL },
        { "true", KIN__STRATEGIC_BOOL },    { "[]", KIN__STRATEGIC_LIST },
        { "{}", KIN__STRATEGIC_MAP },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(kin__node_free) kin__node *node = NULL;
        kin_error err;
        ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(cases[i].json)), &node, &err));
        ASSERT_EQ(kin__strategic_type_of(node), cases[i].type);
    }
}
