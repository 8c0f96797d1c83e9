/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_encoding_text_test.c - strings that are not in the bytes as JSON shows them.
 */
#include "object/proto_encoding.h"
#include "unit/object/proto_making.h"

TEST(proto_encoding_text, bytes_that_are_no_utf8_read_as_the_replacement_character)
{
    wire spec = { 0 };
    kin_value value;
    kin_str got;

    wire_text(&spec, 10, "a\xff\xc3z\xc3\xa9");
    kin_object *object = pod_of(&spec);
    value = kin_object_at(object, "spec.nodeName");
    check_text_at(object, "spec.nodeName", "a\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9");
    ASSERT_ERR(kin_value_str(value, NULL, 0, &got), KIN_ERR_RANGE);
    ASSERT_TRUE(
        kin__encoding_of(value)->is_str(value, kin_str_of("a\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9")));
    ASSERT_FALSE(kin__encoding_of(value)->is_str(value, kin_str_of("a\xff\xc3z\xc3\xa9")));
    ASSERT_FALSE(
        kin__encoding_of(value)->is_str(value, kin_str_of("a\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa8")));
    check_at(object, "spec.nodeName", "\"a\\ufffd\\ufffdz\xc3\xa9\"");
    kin_object_unref(object);
}

TEST(proto_encoding_text, times_are_read_and_written)
{
    static const struct {
        uint64_t seconds;
        int32_t nanos;
        const char *text;
        int64_t want_seconds;
        int32_t want_nanos;
    } cases[] = {
        { 0, 0, "1970-01-01T00:00:00.000000Z", 0, 0 },
        { 1, 1999, "1970-01-01T00:00:01.000001Z", 1, 1000 },
        { 1, -1000, "1970-01-01T00:00:00.999999Z", 0, 999999000 },
        { 1, 1500000000, "1970-01-01T00:00:02.500000Z", 2, 500000000 },
        { 253402300799u, 0, "9999-12-31T23:59:59.000000Z", 253402300799, 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire time = { 0 };
        wire spec = { 0 };
        kin_time got;
        wire_number(&time, 1, cases[i].seconds);
        wire_number(&time, 2, (uint64_t) cases[i].nanos);
        wire_put(&spec, 4, &time); /* renewTime */
        kin_object *object = object_of("coordination.k8s.io/v1", "Lease", 2, &spec);
        check_text_at(object, "spec.renewTime", cases[i].text);
        ASSERT_OK(kin_value_time(kin_object_at(object, "spec.renewTime"), &got));
        ASSERT_EQ(got.seconds, cases[i].want_seconds);
        ASSERT_EQ(got.nanoseconds, cases[i].want_nanos);
        kin_object_unref(object);
    }
}

TEST(proto_encoding_text, times_beyond_the_calendar_are_no_times)
{
    static const uint64_t seconds[] = { 253402300800u, (uint64_t) INT64_MIN, (uint64_t) INT64_MAX };

    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        wire time = { 0 };
        wire spec = { 0 };
        kin_time got;
        wire_number(&time, 1, seconds[i]);
        wire_put(&spec, 4, &time);
        kin_object *object = object_of("coordination.k8s.io/v1", "Lease", 2, &spec);
        ASSERT_EQ(kin_value_type(kin_object_at(object, "spec.renewTime")), KIN_TYPE_STRING);
        ASSERT_ERR(kin_value_time(kin_object_at(object, "spec.renewTime"), &got),
                   KIN_ERR_MALFORMED);
        kin_object_unref(object);
    }
}
