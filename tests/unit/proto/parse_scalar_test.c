/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_scalar_test.c - single JSON values become fields.
 */
#include "unit/proto/parsing.h"

#define EMPTY_META "0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00"

/* Lease.spec: 1 holderIdentity, 2 leaseDurationSeconds (int32), pointers all. */
static void expect_lease(const char *json, const char *want)
{
    text whole = { 0 };

    text_append(&whole, "{\"spec\":{%s}}", json);
    expect_message("coordination.k8s.io/v1", "Lease", whole.chars, "2", want);
}

static void expect_lease_fault(const char *json, const char *want)
{
    text whole = { 0 };

    text_append(&whole, "{\"spec\":{%s}}", json);
    expect_parse_fault("coordination.k8s.io/v1", "Lease", whole.chars, want);
}

TEST(parse_scalar, decodes_strings)
{
    expect_lease("\"holderIdentity\":\"\"", "0a 00");
    expect_lease("\"holderIdentity\":\"a\\\"\\n\\u0000\\u00e4\\ud83d\\ude00\"",
                 "0a 0a 61 22 0a 00 c3 a4 f0 9f 98 80");
    expect_lease_fault("\"holderIdentity\":1",
                       "spec.holderIdentity: expected a string, found a number");
}

TEST(parse_scalar, writes_integers_in_the_twos_complement_of_64_bits)
{
    expect_lease("\"leaseDurationSeconds\":0", "10 00");
    expect_lease("\"leaseDurationSeconds\":300", "10 ac 02");
    expect_lease("\"leaseDurationSeconds\":-100", "10 9c ff ff ff ff ff ff ff ff 01");
    expect_lease("\"leaseDurationSeconds\":2147483647", "10 ff ff ff ff 07");
    expect_lease("\"leaseDurationSeconds\":3e0", "10 03");
    expect_message("v1", "ConfigMap", "{\"metadata\":{\"generation\":-9223372036854775808}}", "1",
                   "0a 00 12 00 1a 00 22 00 2a 00 32 00"
                   " 38 80 80 80 80 80 80 80 80 80 01 42 00");
}

TEST(parse_scalar, refuses_integers_that_are_none_or_do_not_fit)
{
    expect_lease_fault("\"leaseDurationSeconds\":2147483648",
                       "spec.leaseDurationSeconds: number that does not fit 32 bits");
    expect_lease_fault("\"leaseDurationSeconds\":-2147483649",
                       "spec.leaseDurationSeconds: number that does not fit 32 bits");
    expect_lease_fault("\"leaseDurationSeconds\":1.5",
                       "spec.leaseDurationSeconds: expected a whole number");
    expect_lease_fault("\"leaseDurationSeconds\":\"1\"",
                       "spec.leaseDurationSeconds: expected a number, found a string");
    expect_parse_fault("v1", "ConfigMap", "{\"metadata\":{\"generation\":9223372036854775808}}",
                       "metadata.generation: number that does not fit 64 bits");
}

TEST(parse_scalar, writes_booleans)
{
    expect_message("v1", "ConfigMap", "{\"immutable\":true}", "", EMPTY_META " 20 01");
    expect_parse_fault("v1", "ConfigMap", "{\"immutable\":\"true\"}",
                       "immutable: expected a boolean, found a string");
}

static void expect_maximum(const char *number, const char *want)
{
    text whole = { 0 };

    text_append(&whole,
                "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"properties\":{\"p\":"
                "{\"not\":{\"maximum\":%s}}}}}}]}}",
                number);
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;
    text got = { 0 };
    kin_err code =
        kin__pb_from_json(message_named("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                          kin__json_of(kin_str_of(whole.chars)), &buf, &err);
    static const uint32_t path[] = { 2, 7, 4, 1, 29, 2, 28 };
    kin_str content = kin__str(buf.data, buf.len);
    for (size_t i = 0; code == KIN_OK && i < sizeof path / sizeof path[0]; i++) {
        content = content_of(content, path[i]);
    }
    kin__pb_reader reader = kin__pb_read(content.data, code == KIN_OK ? content.len : 0);
    kin__pb_field field;
    while (kin__pb_next(&reader, &field)) {
        if (field.wire == KIN__PB_FIXED64) {
            text_append(&got, "%u: %016llx", field.number, (unsigned long long) field.varint);
        }
    }
    ASSERT_STR_EQ(code == KIN_OK ? got.chars : err.message, want);
}

TEST(parse_scalar, writes_doubles_in_64_bits)
{
    expect_maximum("1", "9: 3ff0000000000000");
    expect_maximum("-1.5e0", "9: bff8000000000000");
    expect_maximum("5e-324", "9: 0000000000000001");
    expect_maximum("0", "9: 0000000000000000");
    expect_maximum("null", "");
    expect_maximum("1e999", "spec.versions[0].schema.openAPIV3Schema.properties.p.not.maximum: "
                            "number that does not fit 64 bits");
    expect_maximum("{}", "spec.versions[0].schema.openAPIV3Schema.properties.p.not.maximum: "
                         "expected a number, found an object");
}

static void expect_base64(const char *chars, const char *want)
{
    text whole = { 0 };

    text_append(&whole, "{\"data\":{\"k\":\"%s\"}}", chars);
    if (want == NULL) {
        expect_parse_fault("v1", "Secret", whole.chars, "data.k: string that is no base64");
    } else {
        expect_message("v1", "Secret", whole.chars, "2.2", want);
    }
}

TEST(parse_scalar, decodes_base64)
{
    expect_base64("", "");
    expect_base64("AA==", "00");
    expect_base64("AAE=", "00 01");
    expect_base64("AAEC", "00 01 02");
    expect_base64("+/+/", "fb ff bf");
    expect_base64("AA\\n=\\r=\\n", "00");
    expect_base64("\\u0041\\/8=", "03 ff");
    expect_base64("AB==", "00");
    expect_base64("AAECAw==", "00 01 02 03");
}

TEST(parse_scalar, refuses_what_is_no_base64)
{
    static const char *const samples[] = { "A",        "AA",    "AAE",     "A===", "====",
                                           "=",        "AA=",   "-_-_",    "AA A", "AA=A",
                                           "AA==AA==", "AAEC=", "AAEC====" };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        expect_base64(samples[i], NULL);
    }
    expect_parse_fault("v1", "Secret", "{\"data\":{\"k\":1}}",
                       "data.k: expected a string in base64, found a number");
}
