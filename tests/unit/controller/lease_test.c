/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease_test.c - a Lease's record, from the object and into it.
 */
#include "controller/lease.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "kin/edit.h"
#include "support/test.h"

static kin_error err;

/* As a server writes it, with more in it than we know of. */
static const char held[] =
    "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"foo\","
    "\"namespace\":\"shop\",\"uid\":\"u-1\",\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\"}},"
    "\"spec\":{\"holderIdentity\":\"one\",\"leaseDurationSeconds\":15,"
    "\"acquireTime\":\"2026-11-15T21:48:12.345678Z\",\"renewTime\":\"2026-11-15T21:49:12.000001Z\","
    "\"leaseTransitions\":3,\"strategy\":\"OldestEmulationVersion\",\"preferredHolder\":\"two\","
    "\"later\":[1]},\"future\":{\"x\":null}}";

static kin_object *object_of(const char *json)
{
    kin_object *object = NULL;

    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    return object;
}

static kin_object *lease_of(const char *spec)
{
    text t = { 0 };

    text_append(&t, "{\"metadata\":{\"name\":\"foo\"},\"spec\":%s}", spec);
    return object_of(t.chars);
}

static kin_err read_spec(const char *spec, kin__lease_record *out)
{
    kin_object *lease = lease_of(spec);
    kin_err code = kin__lease_read(lease, out, &err);

    kin_object_unref(lease);
    return code;
}

TEST(lease, says_who_holds_it_and_since_when)
{
    kin_object *lease = object_of(held);
    kin__lease_record record;

    ASSERT_OK(kin__lease_read(lease, &record, &err));

    ASSERT_STR_EQ(record.holder.name, "one");
    ASSERT_EQ(record.holder.len, 3);
    ASSERT_EQ(record.duration_s, 15);
    ASSERT_EQ(record.transitions, 3);
    ASSERT_EQ(record.acquired.nanoseconds, 345678000);
    ASSERT_EQ(record.renewed.seconds - record.acquired.seconds, 60);
    ASSERT_EQ(record.renewed.nanoseconds, 1000);
    kin_object_unref(lease);
}

TEST(lease, says_nothing_where_fields_are_absent_or_null)
{
    static const char *const specs[] = {
        "{}", "null",
        ("{\"holderIdentity\":null,\"leaseDurationSeconds\":null,\"acquireTime\":null,"
         "\"renewTime\":null,\"leaseTransitions\":null}")
    };

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        kin__lease_record record;
        memset(&record, 1, sizeof record);

        ASSERT_OK(read_spec(specs[i], &record));

        ASSERT_EQ(record.holder.len, 0);
        ASSERT_EQ(record.duration_s, 0);
        ASSERT_EQ(record.transitions, 0);
        ASSERT_EQ(record.acquired.seconds, 0);
        ASSERT_EQ(record.renewed.seconds, 0);
    }
}

TEST(lease, is_refused_when_a_field_is_what_none_can_be)
{
    static const char *const specs[][2] = {
        { "[]", "spec" },
        { "7", "spec" },
        { "{\"holderIdentity\":7}", "holderIdentity" },
        { "{\"holderIdentity\":[\"one\"]}", "holderIdentity" },
        { "{\"leaseDurationSeconds\":\"15\"}", "leaseDurationSeconds" },
        { "{\"leaseDurationSeconds\":-1}", "leaseDurationSeconds" },
        { "{\"leaseDurationSeconds\":1.5}", "leaseDurationSeconds" },
        { "{\"leaseDurationSeconds\":2147483648}", "leaseDurationSeconds" },
        { "{\"leaseDurationSeconds\":9223372036854775807}", "leaseDurationSeconds" },
        { "{\"leaseDurationSeconds\":1e300}", "leaseDurationSeconds" },
        { "{\"leaseTransitions\":-1}", "leaseTransitions" },
        { "{\"leaseTransitions\":{}}", "leaseTransitions" },
        { "{\"acquireTime\":\"yesterday\"}", "acquireTime" },
        { "{\"renewTime\":5}", "renewTime" },
        { "{\"renewTime\":\"\"}", "renewTime" },
    };

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        kin__lease_record record = { .duration_s = 77 };

        ASSERT_ERR(read_spec(specs[i][0], &record), KIN_ERR_MALFORMED);

        ASSERT_CONTAINS(err.message, specs[i][1]);
        ASSERT_EQ(record.duration_s, 77);
    }
}

TEST(lease, has_a_holder_whose_name_is_escaped)
{
    kin__lease_record record;

    ASSERT_OK(read_spec("{\"holderIdentity\":\"a\\u00e4\\n\"}", &record));

    ASSERT_STR_EQ(record.holder.name, "a\xc3\xa4\n");
    ASSERT_EQ(record.holder.len, 4);
}

TEST(lease, tells_holders_with_long_names_apart)
{
    static char name[100000];
    kin__lease_holder holders[4];

    memset(name, 'x', sizeof name);
    holders[0] = kin__lease_holder_of(kin__str(name, sizeof name));
    holders[1] = kin__lease_holder_of(kin__str(name, sizeof name - 1));
    holders[2] = kin__lease_holder_of(kin__str(name, KIN__LEASE_HOLDER_MAX));
    name[sizeof name - 1] = 'y';
    holders[3] = kin__lease_holder_of(kin__str(name, sizeof name));

    for (int a = 0; a < 4; a++) {
        ASSERT_TRUE(strlen(holders[a].name) == KIN__LEASE_HOLDER_MAX);
        for (int b = 0; b < 4; b++) {
            ASSERT_EQ(kin__lease_holder_equal(&holders[a], &holders[b]), a == b);
        }
    }
}

TEST(lease, has_changed_when_any_of_its_fields_has)
{
    kin__lease_record one = { .holder = kin__lease_holder_of(STR("one")), .duration_s = 15 };
    kin__lease_record others[] = { one, one, one, one, one, one };

    others[0].holder = kin__lease_holder_of(STR("two"));
    others[1].duration_s++;
    others[2].transitions++;
    others[3].acquired.seconds++;
    others[4].renewed.seconds++;
    others[5].renewed.nanoseconds++;

    ASSERT_TRUE(kin__lease_record_equal(&one, &one));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ASSERT_FALSE(kin__lease_record_equal(&one, &others[i]));
    }
}

static const kin__lease_record ours = {
    .duration_s = 30,
    .transitions = 4,
    .acquired = { 1700000000, 5000 },
    .renewed = { 1700000001, 999999999 },
};

TEST(lease, keeps_what_else_is_in_it_when_it_is_written)
{
    kin_object *lease = object_of(held);
    kin_object *written = NULL;
    kin__lease_record record = ours;
    char *json = NULL;
    size_t len = 0;

    record.holder = kin__lease_holder_of(STR("me \"too\""));
    ASSERT_OK(kin__lease_write(lease, &record, &written, &err));

    ASSERT_OK(kin_object_json(written, &json, &len, &err));
    ASSERT_CONTAINS(json, "\"holderIdentity\":\"me \\\"too\\\"\"");
    ASSERT_CONTAINS(json, "\"leaseDurationSeconds\":30");
    ASSERT_CONTAINS(json, "\"leaseTransitions\":4");
    ASSERT_CONTAINS(json, "\"acquireTime\":\"2023-11-14T22:13:20.000005Z\"");
    ASSERT_CONTAINS(json, "\"renewTime\":\"2023-11-14T22:13:21.999999Z\"");
    ASSERT_CONTAINS(json, "\"strategy\":\"OldestEmulationVersion\",\"preferredHolder\":\"two\"");
    ASSERT_CONTAINS(json, "\"later\":[1]");
    ASSERT_CONTAINS(json, "\"future\":{\"x\":null}");
    ASSERT_CONTAINS(json, "\"labels\":{\"a\":\"b\"}");
    ASSERT_SLICE_EQ(kin_object_resource_version(written), "7");
    ASSERT_SLICE_EQ(kin_object_uid(written), "u-1");
    kin_free(json);
    kin_object_unref(written);
    kin_object_unref(lease);
}

TEST(lease, is_read_as_it_was_written)
{
    kin_object *lease = NULL;
    kin__lease_record record = ours;
    kin__lease_record again;

    record.holder = kin__lease_holder_of(STR("me"));
    record.renewed.nanoseconds = 999999000;
    ASSERT_OK(kin__lease_make("shop", "foo", &record, &lease, &err));

    ASSERT_SLICE_EQ(kin_object_key(lease), "shop/foo");
    ASSERT_SLICE_EQ(kin_object_kind(lease), "Lease");
    ASSERT_SLICE_EQ(kin_object_api_version(lease), "coordination.k8s.io/v1");
    ASSERT_OK(kin__lease_read(lease, &again, &err));
    ASSERT_TRUE(kin__lease_record_equal(&record, &again));
    kin_object_unref(lease);
}

TEST(lease, is_held_by_nobody_once_it_is_let_go_of)
{
    kin_object *lease = object_of(held);
    kin_object *written = NULL;
    kin__lease_record again;

    ASSERT_OK(kin__lease_write(lease, &ours, &written, &err));

    ASSERT_OK(kin__lease_read(written, &again, &err));
    ASSERT_EQ(again.holder.len, 0);
    ASSERT_SLICE_EQ(kin_object_name(written), "foo");
    kin_object_unref(written);
    kin_object_unref(lease);
}

TEST(lease, of_another_shape_is_not_written)
{
    kin_object *lease = lease_of("[1]");
    kin_object *written = NULL;

    ASSERT_ERR(kin__lease_write(lease, &ours, &written, &err), KIN_ERR_TYPE);

    ASSERT_TRUE(written == NULL);
    kin_object_unref(lease);
}

TEST_FAILING_ALLOC(lease, survives_a_lack_of_memory)
{
    kin_object *made = NULL;
    kin_object *written = NULL;
    kin__lease_record record = ours;

    record.holder = kin__lease_holder_of(STR("a\n"));
    kin_err code = kin__lease_make("shop", "foo", &record, &made, &err);
    if (code == KIN_OK) {
        code = kin__lease_write(made, &record, &written, &err);
    }
    if (code == KIN_OK) {
        code = kin__lease_read(written, &record, &err);
    }
    kin_object_unref(written);
    kin_object_unref(made);
    return code;
}
