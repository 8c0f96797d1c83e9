/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_custom_test.c - custom resources: cells by the type of their column.
 */
#include "unit/server/printing.h"

#define DEFINITION                                                                                 \
    "{\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"versions\":[{\"name\":\"v1\","    \
    "\"additionalPrinterColumns\":[{\"name\":\"C\",\"type\":\"%s\",\"jsonPath\":\"%s\"}]}]}}"

/* That a column of that type and path prints `want` of an object with this spec. */
static void check_cell(const char *type, const char *jsonpath, const char *spec, const char *want)
{
    static text definition;
    static text json;
    static text expected;
    AUTO(kin__buf_fini) kin__buf row = { 0 };

    text_clear(&definition);
    text_clear(&json);
    text_clear(&expected);
    text_append(&definition, DEFINITION, type, jsonpath);
    text_append(&json, "{\"metadata\":{\"name\":\"t\"},\"spec\":%s}", spec);
    text_append(&expected, "{\"cells\":[\"t\",%s],\"object\":null}", want);
    kin__columns *columns = NULL;
    kin_error err;
    kin_object *crd = printing_make("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                    kin_str_of(definition.chars));
    ASSERT_OK(kin__columns_from_crd(crd, STR("v1"), &columns, &err));
    kin_object_unref(crd);
    kin_object *object = printing_make("example.com/v1", "Thing", kin_str_of(json.chars));

    ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));

    ASSERT_STR_EQ(row.data, expected.chars);
    kin_object_unref(object);
    kin__columns_free(columns);
}

TEST(printer_custom, prints_anything_as_a_string)
{
    check_cell("string", ".spec.a", "{}", "null");
    check_cell("string", ".spec.a", "{\"a\":\"x\\u003cy\"}", "\"x\\u003cy\"");
    check_cell("string", ".spec.a", "{\"a\":null}", "\"\\u003cno value\\u003e\"");
    check_cell("string", ".spec.a", "{\"a\":true}", "\"true\"");
    check_cell("string", ".spec.a", "{\"a\":[1,\"b\"]}", "\"[1,\\\"b\\\"]\"");
    check_cell("string", ".spec.a", "{\"a\":{\"k\":1}}", "\"{\\\"k\\\":1}\"");
    check_cell("string", ".spec.a", "{\"a\":-12}", "\"-12\"");
}

TEST(printer_custom, prints_numbers_as_go_does)
{
    static const char *const numbers[][2] = {
        { "2.5", "2.5" },
        { "3.0", "3" },
        { "1e3", "1000" },
        { "0.0001", "0.0001" },
        { "0.00001", "1e-05" },
        { "-1.5e-7", "-1.5e-07" },
        { "1e21", "1e+21" },
        { "123456789.5", "1.234567895e+08" },
        { "12345.5", "12345.5" },
        { "1e-300", "1e-300" },
        { "1234567.25", "1.23456725e+06" },
    };
    static text spec;
    static text want;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        text_clear(&spec);
        text_clear(&want);
        text_append(&spec, "{\"a\":%s}", numbers[i][0]);
        text_append(&want, "\"%s\"", numbers[i][1]);
        check_cell("string", ".spec.a", spec.chars, want.chars);
    }
}

TEST(printer_custom, prints_null_for_another_type)
{
    check_cell("integer", ".spec.a", "{\"a\":3.7}", "3");
    check_cell("integer", ".spec.a", "{\"a\":1e30}", "null");
    check_cell("integer", ".spec.a", "{\"a\":\"3\"}", "null");
    check_cell("number", ".spec.a", "{\"a\":3}", "3");
    check_cell("number", ".spec.a", "{\"a\":1.5e-7}", "1.5e-7");
    check_cell("number", ".spec.a", "{\"a\":true}", "null");
    check_cell("boolean", ".spec.a", "{\"a\":false}", "false");
    check_cell("boolean", ".spec.a", "{\"a\":\"true\"}", "null");
    check_cell("other", ".spec.a", "{\"a\":1}", "null");
    check_cell("string", ".spec.a[0:1]", "{\"a\":[1]}", "null");
}

TEST(printer_custom, prints_the_age_of_a_date)
{
    check_cell("date", ".spec.a", "{\"a\":\"2026-11-16T14:50:00Z\"}", "\"10m\"");
    check_cell("date", ".spec.a", "{\"a\":\"\"}", "\"\\u003cunknown\\u003e\"");
    check_cell("date", ".spec.a", "{\"a\":\"null\"}", "\"\\u003cunknown\\u003e\"");
    check_cell("date", ".spec.a", "{\"a\":\"soon\"}", "\"\\u003cinvalid\\u003e\"");
    check_cell("date", ".spec.a", "{\"a\":5}", "null");
}

TEST(printer_custom, finds_a_condition)
{
    check_cell("string", ".spec.c[?(@.type==\\\"Ready\\\")].status",
               "{\"c\":[{\"type\":\"A\",\"status\":\"1\"},{\"type\":\"Ready\",\"status\":\"2\"}]}",
               "\"2\"");
}

TEST_FAILING_ALLOC(printer_custom, needs_memory)
{
    static const char definition[] =
        "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"versions\":[{\"name\":\"v1\","
        "\"additionalPrinterColumns\":[{\"name\":\"C\",\"type\":\"string\",\"jsonPath\":\".a\"},"
        "{\"name\":\"D\",\"type\":\"string\",\"jsonPath\":\".b\"}]}]}}";
    static const char json[] = "{\"metadata\":{\"name\":\"t\"},\"a\":[1],\"b\":1.5e-9}";
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin__columns *columns = NULL;
    kin_object *crd = NULL;
    kin_object *object = NULL;
    kin_error err;
    kin_err code = kin_object_from_json(definition, sizeof definition - 1, NULL, &crd, &err);

    if (code == KIN_OK) {
        code = kin__columns_from_crd(crd, STR("v1"), &columns, &err);
    }
    if (code == KIN_OK) {
        code = kin_object_from_json(json, sizeof json - 1, NULL, &object, &err);
    }
    if (code == KIN_OK) {
        code = printing_row(columns, object, PRINTING_NOW, &row);
    }
    kin_object_unref(object);
    kin_object_unref(crd);
    kin__columns_free(columns);
    return code;
}
