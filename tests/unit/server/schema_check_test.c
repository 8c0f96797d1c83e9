/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_check_test.c - what a schema does not allow, in the real server's words.
 */
#include "server/schema_check.h"

#include "server/field.h"
#include "support/test.h"

/* Whether it could be told; `out` is what is wrong. */
static bool check(const char *schema, const char *object, const char *old, text *out)
{
    AUTO(kin__node_free) kin__node *rules = kin__tree_of(kin_str_of(schema));
    AUTO(kin__node_free) kin__node *node = kin__tree_of(kin_str_of(object));
    AUTO(kin__node_free) kin__node *before = old == NULL ? NULL : kin__tree_of(kin_str_of(old));
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (rules == NULL || node == NULL || (old != NULL && before == NULL)) {
        return false;
    }
    kin__refusal_begin_invalid(&no, STR(""), STR("K"), STR("n"));
    kin__schema_check(rules, node, before, &no);
    if (kin__refusal_end_invalid(&no)) {
        text_append(out, "nothing");
        return true;
    }
    static const char lead[] = "K \"n\" is invalid: ";
    if (!no.has_no_memory) {
        text_append(out, "%.*s", (int) (no.message.len - (sizeof lead - 1)),
                    no.message.data + (sizeof lead - 1));
    }
    return !no.has_no_memory;
}

static void assert_says(const char *schema, const char *object, const char *old, const char *says)
{
    text got = { 0 };

    ASSERT_TRUE(check(schema, object, old, &got));
    ASSERT_STR_EQ(got.chars, says);
}

#define OF(member) "{\"type\":\"object\",\"properties\":{\"a\":{" member "}}}"

TEST(schema_check, refuses_what_does_not_match)
{
    const char *schema = OF("\"type\":\"string\",\"pattern\":\"^[a-z]+$\"");

    assert_says(schema, "{\"a\":\"abc\"}", NULL, "nothing");
    assert_says(schema, "{\"a\":\"ABC\"}", NULL,
                "a: Invalid value: \"ABC\": a in body should match '^[a-z]+$'");
    assert_says(OF("\"type\":\"string\",\"maxLength\":1,\"pattern\":\"^[a-z]\""), "{\"a\":\"AB\"}",
                NULL, "a: Too long: may not be more than 1 bytes");
    assert_says(OF("\"type\":\"string\",\"minLength\":3,\"pattern\":\"^[a-z]\""), "{\"a\":\"AB\"}",
                NULL, "a: Invalid value: \"AB\": a in body should be at least 3 chars long");
    assert_says(OF("\"type\":\"string\",\"pattern\":\"(\""), "{\"a\":\"x\"}", NULL, "nothing");
}

TEST(schema_check, refuses_texts_of_another_format)
{
    assert_says(OF("\"type\":\"string\",\"format\":\"date-time\""), "{\"a\":\"nowish\"}", NULL,
                "a: Invalid value: \"nowish\": a in body must be of type date-time: \"nowish\"");
    assert_says(OF("\"type\":\"string\",\"format\":\"date-time\""),
                "{\"a\":\"2026-11-17T23:59:59.5+01:00\"}", NULL, "nothing");
    assert_says(OF("\"type\":\"string\",\"format\":\"quux\""), "{\"a\":\"x\"}", NULL, "nothing");
}

TEST(schema_check, refuses_numbers_that_are_no_multiple)
{
    const char *schema = OF("\"type\":\"number\",\"multipleOf\":2.5");

    assert_says(schema, "{\"a\":7.5}", NULL, "nothing");
    assert_says(schema, "{\"a\":-5}", NULL, "nothing");
    assert_says(schema, "{\"a\":7}", NULL,
                "a: Invalid value: 7: a in body should be a multiple of 2.5");
    assert_says(OF("\"type\":\"number\",\"multipleOf\":0.1"), "{\"a\":0.3}", NULL, "nothing");
}

TEST(schema_check, counts_members)
{
    const char *schema = OF("\"type\":\"object\",\"minProperties\":1,\"maxProperties\":2,"
                            "\"additionalProperties\":{\"type\":\"integer\"}");

    assert_says(schema, "{\"a\":{\"x\":1,\"y\":2}}", NULL, "nothing");
    assert_says(schema, "{\"a\":{}}", NULL,
                "a: Invalid value: 0: a in body should have at least 1 properties");
    assert_says(schema, "{\"a\":{\"x\":1,\"y\":2,\"z\":3}}", NULL,
                "a: Too many: 3: must have at most 2 items");
}

#define EITHER "[{\"required\":[\"x\"]},{\"required\":[\"y\"]}]"

TEST(schema_check, tries_several_schemas)
{
    const char *one = OF("\"type\":\"object\",\"oneOf\":" EITHER);
    const char *any = OF("\"type\":\"object\",\"anyOf\":" EITHER);
    const char *all = OF("\"type\":\"object\",\"allOf\":" EITHER);

    assert_says(one, "{\"a\":{\"x\":1}}", NULL, "nothing");
    assert_says(one, "{\"a\":{}}", NULL,
                "[<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). "
                "Found none valid, a.x: Required value]");
    assert_says(one, "{\"a\":{\"x\":1,\"y\":2}}", NULL,
                "<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). "
                "Found 2 valid alternatives");
    assert_says(any, "{\"a\":{\"x\":1,\"y\":2}}", NULL, "nothing");
    assert_says(any, "{\"a\":{}}", NULL,
                "[<nil>: Invalid value: \"\": \"a\" must validate at least one schema (anyOf), "
                "a.x: Required value]");
    assert_says(all, "{\"a\":{\"x\":1,\"y\":2}}", NULL, "nothing");
    assert_says(all, "{\"a\":{\"x\":1}}", NULL,
                "[a.y: Required value, <nil>: Invalid value: \"\": \"a\" must validate all the "
                "schemas (allOf)]");
    assert_says(all, "{\"a\":{}}", NULL,
                "[a.x: Required value, a.y: Required value, <nil>: Invalid value: \"\": \"a\" must "
                "validate all the schemas (allOf). None validated]");
}

TEST(schema_check, refuses_what_fits_where_it_must_not)
{
    const char *schema = OF("\"type\":\"string\",\"not\":{\"enum\":[\"no\"]}");

    assert_says(schema, "{\"a\":\"yes\"}", NULL, "nothing");
    assert_says(schema, "{\"a\":\"no\"}", NULL,
                "<nil>: Invalid value: \"\": \"a\" must not validate the schema (not)");
}

TEST(schema_check, lets_be_what_is_as_it_was)
{
    const char *schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\","
                         "\"maximum\":5},\"b\":{\"type\":\"integer\",\"maximum\":5},\"l\":{"
                         "\"type\":\"array\",\"items\":{\"type\":\"integer\",\"maximum\":5}}}}";

    assert_says(schema, "{\"a\":9,\"b\":2}", "{\"a\":9,\"b\":1}", "nothing");
    assert_says(schema, "{\"a\":9,\"b\":8}", "{\"a\":9,\"b\":1}",
                "b: Invalid value: 8: b in body should be less than or equal to 5");
    assert_says(schema, "{\"l\":[9,1]}", "{\"l\":[9]}",
                "l[0]: Invalid value: 9: l[0] in body should be less than or equal to 5");
}

TEST_FAILING_ALLOC(schema_check, survives_every_lack_of_memory)
{
    text got = { 0 };

    bool is_told = check("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
                         "\"pattern\":\"^x\",\"format\":\"date\",\"oneOf\":[{\"minLength\":9},{"
                         "\"enum\":[\"q\"]}],\"not\":{\"maxLength\":3}},\"l\":{\"type\":\"array\","
                         "\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"integer\"}}}}",
                         "{\"a\":\"abc\",\"l\":[1,1]}", NULL, &got);
    if (is_told) {
        ASSERT_CONTAINS(got.chars, "Found none valid");
    }
    return is_told ? KIN_OK : KIN_ERR_NO_MEMORY;
}
