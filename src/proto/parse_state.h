/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/parse_state.h - what the parts of the parser share.
 *
 * parse.c has messages and their fields, parse_map.c maps, parse_special.c the messages with a JSON
 * of their own, parse_scalar.c single values and the writing of fields, parse_fault.c messages for
 * people.
 *
 * Memory failures while writing stay in the buffer; whoever writes a whole field asks.  All other
 * failures are returned at once, with `err` set.
 */
#ifndef KIN_PROTO_PARSE_STATE_H
#define KIN_PROTO_PARSE_STATE_H

#include "base/buf.h"
#include "base/error.h"
#include "json/cursor.h"
#include "proto/meaning.h"
#include "proto/reader.h"

/* The way from the outermost object to the value at hand. */
typedef struct kin__pb_place {
    const struct kin__pb_place *parent; /* NULL: the outermost object */
    kin_str name;                       /* raw, as it stands in JSON; no data: an element */
    size_t index;                       /* of an element */
} kin__pb_place;

typedef struct kin__pb_map_entry {
    kin_str raw_key;
    size_t key_at; /* in `keys`, for a key with escapes */
    size_t key_len;
    bool has_escapes;
    kin__json value;
} kin__pb_map_entry;

typedef struct kin__pb_parser {
    kin__buf *buf;
    kin_error *err;
    const kin__pb_place *place; /* NULL: the outermost object */
    unsigned depth;             /* of messages */
    unsigned release;           /* whose by-value fields are written */

    /* Two stacks, owned: the values of the fields of all messages that are being written, by their
     * numbers; and the entries of all such maps with their keys.  They are here and not on the
     * thread's stack, which may be small. */
    kin__json *slots;
    size_t slot_count;
    size_t slot_capacity;
    kin__pb_map_entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    kin__buf keys;
} kin__pb_parser;

/* The content of a message, plain or special.  A null or missing value gives the zero message. */
kin_err kin__pb_parse_message(kin__pb_parser *p, kin__pb_message message,
                              kin__json value) KIN_MUST_CHECK;

/* A field with its tag: of `type`, not a list or a map; null gives zero. */
kin_err kin__pb_parse_single(kin__pb_parser *p, uint32_t number, const kin__pb_row *row,
                             kin__json value) KIN_MUST_CHECK;

/* All elements of an array, each as a field. */
kin_err kin__pb_parse_list(kin__pb_parser *p, uint32_t number, const kin__pb_row *row,
                           kin__json value) KIN_MUST_CHECK;

kin_err kin__pb_parse_map(kin__pb_parser *p, const kin__pb_row *row,
                          kin__json value) KIN_MUST_CHECK;

/* The content of a message that is not plain. */
kin_err kin__pb_parse_special(kin__pb_parser *p, kin__pb_special special, kin__pb_message message,
                              kin__json value) KIN_MUST_CHECK;

/* A scalar without its tag: a number, or a length and content. */
kin_err kin__pb_parse_scalar(kin__pb_parser *p, kin__pb_type type, kin__json value) KIN_MUST_CHECK;

bool kin__pb_is_null(kin__json value); /* or missing */

void kin__pb_put_tag(kin__pb_parser *p, uint32_t number, kin__pb_wire wire);
void kin__pb_put_number(kin__pb_parser *p, uint64_t value);
void kin__pb_put_content(kin__pb_parser *p, kin_str content); /* after its length */

/* A length that is not known yet: begin, write what it counts, and end with what begin returned. */
size_t kin__pb_begin_length(kin__pb_parser *p);
void kin__pb_end_length(kin__pb_parser *p, size_t place);

/* The one way to fail because of the input: MALFORMED, and the path of the value at hand. */
kin_err kin__pb_parse_fault(kin__pb_parser *p, const char *format, ...) KIN__PRINTF(2, 3);
kin_err kin__pb_wrong_type(kin__pb_parser *p, const char *wanted, kin__json found);

/* The path of the value at hand, terminated: its end, after "...", when it is too long. */
#define KIN__PB_PATH_MAX 200
void kin__pb_path_text(const kin__pb_place *place, char out[KIN__PB_PATH_MAX]);

#endif /* KIN_PROTO_PARSE_STATE_H */
