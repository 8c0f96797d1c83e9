/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_custom_test.c - custom resources: columns by their definition.
 */
#include "server/columns_custom.h"

#include "unit/server/printing.h"

#define DEFINITION(columns)                                                                        \
    "{\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"versions\":[{\"name\":\"v1\","    \
    "\"additionalPrinterColumns\":" columns "},{\"name\":\"v2\"}]}}"

static kin__columns *make_columns(const char *definition, const char *version)
{
    kin_object *crd = printing_make("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                    kin_str_of(definition));
    kin__columns *columns = NULL;
    kin_error err;

    ASSERT_OK(kin__columns_from_crd(crd, kin_str_of(version), &columns, &err));
    kin_object_unref(crd);
    return columns;
}

TEST(columns_custom, are_the_name_and_those_of_the_version)
{
    kin__columns *columns = make_columns(
        DEFINITION("[{\"name\":\"A\",\"type\":\"string\",\"jsonPath\":\".spec.a\"},"
                   "{\"name\":\"B\\u0042\",\"type\":\"integer\",\"format\":\"int32\","
                   "\"priority\":1,\"description\":\"why\",\"jsonPath\":\".spec.b\"}]"),
        "v1");

    ASSERT_EQ(columns->count, 3);
    ASSERT_SLICE_EQ(columns->columns[0].name, "Name");
    ASSERT_SLICE_EQ(columns->columns[0].format, "name");
    ASSERT_SLICE_EQ(columns->columns[1].name, "A");
    ASSERT_SLICE_EQ(columns->columns[1].type, "string");
    ASSERT_SLICE_EQ(columns->columns[1].format, "");
    ASSERT_SLICE_EQ(columns->columns[1].description,
                    "Custom resource definition column (in JSONPath format): .spec.a");
    ASSERT_EQ(columns->columns[1].priority, 0);
    ASSERT_SLICE_EQ(columns->columns[2].name, "BB");
    ASSERT_SLICE_EQ(columns->columns[2].format, "int32");
    ASSERT_SLICE_EQ(columns->columns[2].description, "why");
    ASSERT_EQ(columns->columns[2].priority, 1);
    ASSERT_FALSE(columns->is_null_when_empty);
    kin__columns_free(columns);
}

TEST(columns_custom, are_name_and_age_when_none_are_defined)
{
    static const char *const versions[] = { "v2", "v3" };

    for (size_t i = 0; i < 2; i++) {
        AUTO(kin__buf_fini) kin__buf row = { 0 };
        kin__columns *columns = make_columns(DEFINITION("[{\"name\":\"A\"}]"), versions[i]);
        kin_object *object = printing_make(
            "example.com/v2", "Thing",
            STR("{\"metadata\":{\"name\":\"t\",\"creationTimestamp\":\"2026-11-16T14:00:00Z\"}}"));

        ASSERT_EQ(columns->count, 2);
        ASSERT_SLICE_EQ(columns->columns[1].name, "Age");
        ASSERT_SLICE_EQ(columns->columns[1].type, "date");
        ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
        ASSERT_STR_EQ(row.data, "{\"cells\":[\"t\",\"60m\"],\"object\":null}");
        kin_object_unref(object);
        kin__columns_free(columns);
    }
}

TEST(columns_custom, take_a_definition_that_makes_no_sense)
{
    static const char *const definitions[] = {
        DEFINITION("7"),
        DEFINITION("{}"),
        DEFINITION("[7,null,{\"name\":{},\"type\":[],\"jsonPath\":3,\"priority\":1e30}]"),
        DEFINITION("[{\"jsonPath\":\".a\\u0000b\",\"type\":\"string\"}]"),
        "{\"metadata\":{\"name\":\"x\"},\"spec\":[]}",
    };

    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        kin__columns *columns = make_columns(definitions[i], "v1");
        kin_object *object = printing_make("v1", "Thing", STR("{\"metadata\":{\"name\":\"t\"}}"));
        AUTO(kin__buf_fini) kin__buf row = { 0 };
        ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
        kin_object_unref(object);
        kin__columns_free(columns);
    }
}

TEST_FAILING_ALLOC(columns_custom, need_memory)
{
    static const char definition[] =
        DEFINITION("[{\"name\":\"\\u0041\",\"type\":\"string\",\"jsonPath\":\".spec['a']\"}]");
    static const char *const versions[] = { "v1", "v2" };
    kin_object *crd = NULL;
    kin__columns *columns = NULL;
    kin_error err;
    kin_err code = kin_object_from_json(definition, sizeof definition - 1, NULL, &crd, &err);

    for (size_t i = 0; code == KIN_OK && i < 2; i++) {
        code = kin__columns_from_crd(crd, kin_str_of(versions[i]), &columns, &err);
        if (code == KIN_OK) {
            ASSERT_TRUE(columns->columns[1].compiled != NULL);
            kin__columns_free(columns);
        }
    }
    kin_object_unref(crd);
    return code;
}
