/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope_test.c - what stands around an object is read and written as API servers do it.
 */
#include "proto/envelope.h"

#include "base/str.h"
#include "unit/proto/wire.h"

static kin_str bytes_of(const wire *w)
{
    return kin__str(w->bytes, w->len);
}

static void expect_fault(const wire *w, const char *want)
{
    kin_str api_version = STR("untouched");
    kin_str kind = STR("untouched");
    kin_str message = STR("untouched");
    kin_error err;

    ASSERT_ERR(kin__pb_envelope_read(bytes_of(w), &api_version, &kind, &message, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, want);
    ASSERT_SLICE_EQ(api_version, "untouched");
    ASSERT_SLICE_EQ(kind, "untouched");
    ASSERT_SLICE_EQ(message, "untouched");
}

TEST(envelope, is_read_from_a_real_answer)
{
    size_t len;
    char *bytes = read_fixture("status-404-object.pb", &len);
    kin_str api_version;
    kin_str kind;
    kin_str message;
    kin_error err;

    ASSERT_OK(kin__pb_envelope_read(kin__str(bytes, len), &api_version, &kind, &message, &err));

    ASSERT_SLICE_EQ(api_version, "v1");
    ASSERT_SLICE_EQ(kind, "Status");
    ASSERT_EQ(message.len, 0x55);
    ASSERT_EQ(message.data - bytes, 20);
    free_fixture(bytes);
}

TEST(envelope, is_written_as_the_server_wrote_it)
{
    static const char *const names[] = { "status-404-object.pb", "list-configmaps.pb",
                                         "list-pods-20.pb" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len;
        char *bytes = read_fixture(names[i], &len);
        AUTO(kin__buf_fini) kin__buf buf = { 0 };
        kin_str api_version;
        kin_str kind;
        kin_str message;
        kin_error err;

        ASSERT_TRUE(kin__buf_append(&buf, "before", 6));
        ASSERT_OK(kin__pb_envelope_read(kin__str(bytes, len), &api_version, &kind, &message, &err));
        ASSERT_TRUE(kin__pb_envelope_append(api_version, kind, message, &buf));

        ASSERT_EQ(buf.len, len + 6);
        ASSERT_TRUE(memcmp(buf.data, "before", 6) == 0);
        ASSERT_TRUE(memcmp(buf.data + 6, bytes, len) == 0);
        free_fixture(bytes);
    }
}

/* A request may leave the type to the URL, and other encoders leave out what is empty. */
TEST(envelope, may_lack_all_but_the_object)
{
    wire w = { 0 };
    kin_str api_version;
    kin_str kind;
    kin_str message;
    kin_error err;

    wire_bytes(&w, "k8s", 4);
    wire_text(&w, 2, "");
    ASSERT_OK(kin__pb_envelope_read(bytes_of(&w), &api_version, &kind, &message, &err));

    ASSERT_SLICE_EQ(api_version, "");
    ASSERT_SLICE_EQ(kind, "");
    ASSERT_SLICE_EQ(message, "");
}

TEST(envelope, may_have_its_fields_in_any_order_and_unknown_ones)
{
    wire w = { 0 };
    wire type = { 0 };
    kin_str api_version;
    kin_str kind;
    kin_str message;
    kin_error err;

    wire_number(&type, 7, 1);
    wire_text(&type, 2, "Pod");
    wire_text(&type, 1, "v1");
    wire_bytes(&w, "k8s", 4);
    wire_text(&w, 4, "");
    wire_text(&w, 2, "object");
    wire_number(&w, 9, 300);
    wire_put(&w, 1, &type);
    ASSERT_OK(kin__pb_envelope_read(bytes_of(&w), &api_version, &kind, &message, &err));

    ASSERT_SLICE_EQ(api_version, "v1");
    ASSERT_SLICE_EQ(kind, "Pod");
    ASSERT_SLICE_EQ(message, "object");
}

TEST(envelope, begins_with_the_magic)
{
    wire json = { 0 };
    wire cut = { 0 };
    wire newer = { 0 };

    wire_bytes(&json, "{\"kind\":1}", 10);
    expect_fault(&json, "no protobuf of Kubernetes at byte 0");
    wire_bytes(&cut, "k8s", 3);
    expect_fault(&cut, "no protobuf of Kubernetes at byte 0");
    wire_bytes(&newer, "k8s\1\x12\0", 6);
    expect_fault(&newer, "no protobuf of Kubernetes at byte 0");
}

TEST(envelope, of_another_encoding_is_refused)
{
    wire compressed = { 0 };
    wire json = { 0 };
    wire empty = { 0 };

    wire_envelope_open(&compressed, "v1", "Pod", &empty);
    wire_text(&compressed, 3, "gzip");
    expect_fault(&compressed, "object in an encoding of its own at byte 17");
    wire_envelope_open(&json, "v1", "Pod", &empty);
    wire_text(&json, 4, "application/json");
    expect_fault(&json, "object in an encoding of its own at byte 17");
}

TEST(envelope, without_an_object_is_refused)
{
    wire w = { 0 };

    wire_bytes(&w, "k8s\0\x1a\0\x22\0", 8);

    expect_fault(&w, "envelope without an object at byte 0");
}

TEST(envelope, tells_where_it_is_wrong)
{
    wire past_end = { 0 };
    wire in_type = { 0 };
    wire wire_type = { 0 };
    wire type_wire_type = { 0 };

    wire_bytes(&past_end, "k8s\0\x12\x05xyz", 9);
    expect_fault(&past_end, "length past the end of the message at byte 5");
    wire_bytes(&in_type, "k8s\0\x0a\x04\x0a\x03v1", 10);
    expect_fault(&in_type, "length past the end of the message at byte 7");
    wire_bytes(&wire_type, "k8s\0\x10\x05", 6);
    expect_fault(&wire_type, "field of the envelope with another wire type at byte 4");
    wire_bytes(&type_wire_type, "k8s\0\x0a\x02\x10\x05", 8);
    expect_fault(&type_wire_type, "apiVersion or kind that is no string at byte 6");
}

TEST_FAILING_ALLOC(envelope, leaves_the_buffer_as_it_was_without_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };

    if (!kin__buf_append(&buf, "x", 1)) {
        return KIN_ERR_NO_MEMORY;
    }
    char message[5000] = { 0 };
    if (!kin__pb_envelope_append(STR("v1"), STR("Pod"), kin__str(message, sizeof message), &buf)) {
        ASSERT_EQ(buf.len, 1);
        return KIN_ERR_NO_MEMORY;
    }
    return KIN_OK;
}
