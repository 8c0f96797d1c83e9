/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_type.c - the Go types behind the tables, by the names that a real server's messages use.
 */
#include "server/go_type.h"

#include "base/str.h"
#include "server/merge_keys.h"

static kin_str basic_type(const kin__pb_row *row);

kin_str kin__go_type(kin__pb_message message)
{
    return message < kin__merge_key_message_count
               ? kin__merge_key_text(kin__merge_key_messages[message])
               : STR("");
}

kin_str kin__go_struct(kin__pb_message message)
{
    kin_str type = kin__go_type(message);
    const char *dot = type.len == 0 ? NULL : memchr(type.data, '.', type.len);

    return dot == NULL ? type : kin__str(dot + 1, (size_t) (type.data + type.len - dot) - 1);
}

void kin__go_append_element(kin__pb_message owner, const kin__pb_row *row, kin__buf *buf)
{
    const kin__merge_key_row *named = kin__merge_key_find(owner, row->number);
    bool has_name = named != NULL && named->element_type != 0;

    (void) kin__buf_append_str(buf, has_name ? kin__merge_key_text(named->element_type)
                                             : basic_type(row));
}

void kin__go_append_field(kin__pb_message owner, const kin__pb_row *row, kin__buf *buf)
{
    const kin__merge_key_row *named = kin__merge_key_find(owner, row->number);

    if (named != NULL && named->field_type != 0) {
        (void) kin__buf_append_str(buf, kin__merge_key_text(named->field_type));
        return;
    }
    if ((row->flags & KIN__PB_LIST) != 0) {
        (void) kin__buf_append_str(buf, STR("[]"));
    } else if ((row->flags & KIN__PB_MAP) != 0) {
        (void) kin__buf_append_str(buf, STR("map[string]"));
    }
    kin__go_append_element(owner, row, buf);
}

static kin_str basic_type(const kin__pb_row *row)
{
    switch (row->type) {
    case KIN__PB_STRING:
        return STR("string");
    case KIN__PB_BOOL:
        return STR("bool");
    case KIN__PB_INT32:
        return STR("int32");
    case KIN__PB_INT64:
        return STR("int64");
    case KIN__PB_DOUBLE:
        return STR("float64");
    case KIN__PB_BYTES:
        return STR("[]uint8");
    default:
        return kin__go_type(row->message);
    }
}
