/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parsing.h - JSON to messages, and what came out as text.
 */
#ifndef TESTS_UNIT_PROTO_PARSING_H
#define TESTS_UNIT_PROTO_PARSING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proto/parse.h"
#include "proto/reader.h"
#include "support/test.h"

static inline kin__pb_message message_named(const char *api_version, const char *kind)
{
    kin__pb_message message = kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind));

    if (message == KIN__PB_NO_MESSAGE) {
        FAIL("no %s %s in the tables", api_version, kind);
    }
    return message;
}

/* The content of the last field with that number. */
static inline kin_str content_of(kin_str message, uint32_t number)
{
    kin__pb_reader reader = kin__pb_read(message.data, message.len);
    kin__pb_field field;
    kin_str content = { NULL, 0 };

    while (kin__pb_next(&reader, &field)) {
        if (field.number == number && field.wire == KIN__PB_LEN) {
            content = kin__str((const char *) field.bytes, field.len);
        }
    }
    if (reader.fault != NULL || content.data == NULL) {
        FAIL("no field %u (%s)", number, reader.fault == NULL ? "absent" : reader.fault);
    }
    return content;
}

/* A JSON object that is made into a message becomes this: "path: hex", where the path leads by
 * numbers to a message inside, "" is the whole, and hex has a blank between bytes. */
static inline void expect_message(const char *api_version, const char *kind, const char *json,
                                  const char *path, const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;
    text got = { 0 };

    kin_err code = kin__pb_from_json(message_named(api_version, kind),
                                     kin__json_of(kin_str_of(json)), &buf, &err);
    if (code != KIN_OK) {
        FAIL("%s: %s", json, err.message);
    }
    kin_str content = kin__str(buf.data, buf.len);
    for (const char *at = path; *at != '\0'; at += *at == '.') {
        char *end;
        content = content_of(content, (uint32_t) strtoul(at, &end, 10));
        at = end;
    }
    for (size_t i = 0; i < content.len; i++) {
        text_append(&got, "%s%02x", i == 0 ? "" : " ", (unsigned char) content.data[i]);
    }
    ASSERT_STR_EQ(got.chars, want);
}

static inline void expect_parse_fault(const char *api_version, const char *kind, const char *json,
                                      const char *want)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_TRUE(kin__buf_append(&buf, "kept", 4));
    ASSERT_ERR(kin__pb_from_json(message_named(api_version, kind), kin__json_of(kin_str_of(json)),
                                 &buf, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, want);
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), "kept");
}

#endif /* TESTS_UNIT_PROTO_PARSING_H */
