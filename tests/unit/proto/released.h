/* SPDX-License-Identifier: Apache-2.0 */
/*
 * released.h - whether JSON and messages are those of one release, by walking the tables.
 */
#ifndef TESTS_UNIT_PROTO_RELEASED_H
#define TESTS_UNIT_PROTO_RELEASED_H

#include "base/str.h"
#include "json/cursor.h"
#include "proto/meaning.h"
#include "proto/reader.h"
#include "support/test.h"

static inline bool is_plain_single(const kin__pb_row *row)
{
    return row->type == KIN__PB_MESSAGE && !kin__pb_is_many(row) &&
           kin__pb_special_of(row->message) == KIN__PB_PLAIN;
}

/* Every field is one of the release, and every field that Go has by value is there; so in all
 * messages inside it that are no elements.  Returns how many fields there are. */
static inline size_t assert_message_released(kin__pb_message message, kin_str bytes,
                                             unsigned release)
{
    kin__pb_reader reader = kin__pb_read_str(bytes);
    kin__pb_field field;
    uint64_t seen = 0;
    size_t row_count;
    size_t fields = 0;

    while (kin__pb_next(&reader, &field)) {
        const kin__pb_row *row = kin__pb_row_of(message, field.number);
        if (row == NULL || !kin__pb_is_of_release(row, release)) {
            FAIL("message %u has field %u, which 1.%u does not have", (unsigned) message,
                 (unsigned) field.number, release);
        }
        seen |= UINT64_C(1) << row->number;
        fields++;
        if (is_plain_single(row)) {
            fields += assert_message_released(row->message, kin__pb_content(&field), release);
        }
    }
    ASSERT_TRUE(reader.fault == NULL);
    const kin__pb_row *rows = kin__pb_rows(message, &row_count);
    for (size_t i = 0; i < row_count; i++) {
        bool is_due = rows[i].number != 0 && !kin__pb_is_nullable(&rows[i]) &&
                      kin__pb_is_of_release(&rows[i], release);
        if (is_due && (seen >> rows[i].number & 1) == 0) {
            FAIL("message %u lacks field %u of 1.%u", (unsigned) message, (unsigned) rows[i].number,
                 release);
        }
    }
    return fields;
}

/* The members of inline messages stand among those of the message. */
static inline void assert_members_there(kin__pb_message message, kin__json object, unsigned release)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    for (size_t i = 0; i < count; i++) {
        kin_str name = kin__pb_row_name(&rows[i]);
        bool is_due = kin__pb_is_of_release(&rows[i], release) && name.len > 0 &&
                      (rows[i].flags & (KIN__PB_OMITEMPTY | KIN__PB_NOJSON)) == 0;
        if ((rows[i].flags & KIN__PB_INLINE) != 0 && kin__pb_is_of_release(&rows[i], release)) {
            assert_members_there(rows[i].message, object, release);
        } else if (is_due && kin__json_type(kin__json_member(object, name)) == KIN_TYPE_MISSING) {
            FAIL("\"%.*s\" of 1.%u is missing", KIN_STR_ARG(name), release);
        }
    }
}

/* The same for the JSON of an object. */
static inline void assert_json_released(kin__pb_message message, kin__json object, unsigned release)
{
    kin__json_iter iter = kin__json_walk(object);
    kin__pb_inlines inlines;

    while (kin__json_next(&iter)) {
        const kin__pb_row *row = kin__pb_row_named(message, iter.key, &inlines);
        if (row == NULL) { /* kind and apiVersion */
            continue;
        }
        if (!kin__pb_is_of_release(row, release)) {
            FAIL("\"%.*s\" is not in 1.%u", KIN_STR_ARG(iter.key), release);
        }
        if (is_plain_single(row) && kin__json_type(iter.value) == KIN_TYPE_OBJECT) {
            assert_json_released(row->message, iter.value, release);
        }
    }
    assert_members_there(message, object, release);
}

#endif /* TESTS_UNIT_PROTO_RELEASED_H */
