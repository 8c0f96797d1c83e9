/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release_test.c - messages and JSON as a server of one release has them.
 */
#include "proto/parse.h"
#include "proto/render.h"
#include "unit/proto/parsing.h"
#include "unit/proto/released.h"

#define EMPTY_META "\"metadata\":{}"

static kin__buf message_of(unsigned release, kin__pb_message message, const char *json)
{
    kin__buf out = { 0 };
    kin_error err;

    ASSERT_OK(kin__pb_from_json_in(release, message, kin__json_of(kin_str_of(json)), &out, &err));
    return out;
}

static kin__buf json_of(unsigned release, kin__pb_message message, const kin__buf *bytes)
{
    kin__pb_rendering rendering = { .release = release };
    kin__buf out = { 0 };
    kin_error err;

    ASSERT_OK(kin__pb_render(message, kin__str(bytes->data, bytes->len), &rendering, &out, &err));
    return out;
}

TEST(release, of_a_message_has_its_own_fields_and_no_others)
{
    kin__pb_kind kind;
    size_t fields = 0;

    for (unsigned release = KIN__PB_FIRST_RELEASE; release <= KIN__PB_LAST_RELEASE; release++) {
        for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
            if (kin__pb_special_of(kind.message) != KIN__PB_PLAIN) {
                continue;
            }
            AUTO(kin__buf_fini) kin__buf bytes = message_of(release, kind.message, "{}");
            fields +=
                assert_message_released(kind.message, kin__str(bytes.data, bytes.len), release);
        }
    }
    ASSERT_TRUE(fields > 10000);
}

TEST(release, of_json_has_its_own_members_and_no_others)
{
    kin__pb_kind kind;

    for (unsigned release = KIN__PB_FIRST_RELEASE; release <= KIN__PB_LAST_RELEASE; release++) {
        for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
            if (kin__pb_special_of(kind.message) != KIN__PB_PLAIN) {
                continue;
            }
            AUTO(kin__buf_fini) kin__buf bytes = message_of(release, kind.message, "{}");
            AUTO(kin__buf_fini) kin__buf json = json_of(release, kind.message, &bytes);
            assert_json_released(kind.message, kin__json_of(kin__str(json.data, json.len)),
                                 release);
        }
    }
}

TEST(release, that_is_not_told_shows_what_the_sender_wrote)
{
    kin__pb_message node = message_named("storage.k8s.io/v1", "CSINode");
    AUTO(kin__buf_fini) kin__buf old = message_of(36, node, "{}");
    AUTO(kin__buf_fini) kin__buf new = message_of(37, node, "{}");
    AUTO(kin__buf_fini) kin__buf json = json_of(0, node, &old);

    ASSERT_SLICE_EQ(kin__str(json.data, json.len), "{" EMPTY_META ",\"spec\":{\"drivers\":null}}");
    kin__buf_fini(&json);
    json = json_of(0, node, &new);
    ASSERT_SLICE_EQ(kin__str(json.data, json.len),
                    "{" EMPTY_META ",\"spec\":{\"drivers\":null},\"status\":{}}");
}

TEST(release, leaves_out_what_a_newer_sender_wrote)
{
    kin__pb_message node = message_named("storage.k8s.io/v1", "CSINode");
    AUTO(kin__buf_fini) kin__buf new = message_of(37, node, "{\"metadata\":{\"name\":\"n\"}}");
    AUTO(kin__buf_fini) kin__buf json = json_of(36, node, &new);

    ASSERT_SLICE_EQ(kin__str(json.data, json.len),
                    "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"drivers\":null}}");
}

/* Whoever gives such a member a value means it. */
TEST(release, writes_what_it_does_not_have_when_json_has_it)
{
    kin__pb_message node = message_named("storage.k8s.io/v1", "CSINode");
    AUTO(kin__buf_fini) kin__buf given = message_of(36, node, "{\"status\":{}}");
    AUTO(kin__buf_fini) kin__buf last = message_of(37, node, "{}");

    ASSERT_EQ(given.len, last.len);
    ASSERT_TRUE(memcmp(given.data, last.data, last.len) == 0);

    kin__pb_message slice = message_named("resource.k8s.io/v1alpha2", "ResourceSlice");
    AUTO(kin__buf_fini) kin__buf bytes = message_of(36, slice, "{\"namedResources\":{}}");
    ASSERT_TRUE(content_of(kin__str(bytes.data, bytes.len), 4).len > 0);
}

/* The newest one is what kin__pb_from_json() has always played. */
TEST(release, of_the_tables_end_is_the_one_that_is_played_when_none_is_told)
{
    kin__pb_kind kind;
    kin_error err;

    for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
        if (kin__pb_special_of(kind.message) != KIN__PB_PLAIN) {
            continue;
        }
        AUTO(kin__buf_fini) kin__buf told = message_of(KIN__PB_LAST_RELEASE, kind.message, "{}");
        AUTO(kin__buf_fini) kin__buf not_told = { 0 };
        ASSERT_OK(kin__pb_from_json(kind.message, kin__json_of(STR("{}")), &not_told, &err));
        ASSERT_EQ(told.len, not_told.len);
        ASSERT_TRUE(told.len == 0 || memcmp(told.data, not_told.data, told.len) == 0);
    }
}
