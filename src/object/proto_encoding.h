/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/proto_encoding.h - values of objects whose bytes are a protobuf message.
 *
 *     proto_encoding.c         the table: what a value answers
 *     proto_encoding_field.c   from a field on the wire to a value, by the row that describes it
 *     proto_encoding_walk.c    members, elements, iterators
 *     proto_encoding_text.c    strings that are not in the bytes as JSON shows them
 *     proto_encoding_unknown.c what the bytes hold and the tables do not know
 *
 * Where the object has JSON (proto/render.h says what is refused), a path, an iterator and the
 * getters answer what that JSON says.  There is one exception, for bytes that no server sends: an
 * iterator gives the entries of a map as they are on the wire, where JSON sorts them and shows the
 * last of those with one key.
 *
 * Below the metadata nothing was checked when the object was made.  Where the bytes make no sense
 * the value is missing and answers MALFORMED; but a path does not look behind what it has found.
 */
#ifndef KIN_OBJECT_PROTO_ENCODING_H
#define KIN_OBJECT_PROTO_ENCODING_H

#include <string.h>

#include "object/encoding.h"
#include "object/object.h"
#include "proto/reader.h"
#include "proto/schema.h"

/* Fields that every object has: of itself, and of its metadata. */
enum {
    KIN__PB_METADATA = 1,
    KIN__PB_NAME = 1,
    KIN__PB_NAMESPACE = 3,
    KIN__PB_UID = 5,
    KIN__PB_RESOURCE_VERSION = 6,
    KIN__PB_GENERATION = 7,
    KIN__PB_CREATION = 8,
    KIN__PB_DELETION = 9,
    KIN__PB_LABELS = 11,
    KIN__PB_ANNOTATIONS = 12,
    KIN__PB_OWNERS = 13,
    KIN__PB_MANAGED_FIELDS = 17,
};

/* How a value lies in the bytes; in the second byte of words[0]. */
typedef enum kin__proto_shape {
    KIN__PROTO_NULL,
    KIN__PROTO_BOOL,      /* words[2, 3]: not 0 */
    KIN__PROTO_INT,       /* words[2, 3]: the number */
    KIN__PROTO_DOUBLE,    /* words[2, 3]: its bits */
    KIN__PROTO_STRING,    /* `at`, words[1]: the characters */
    KIN__PROTO_BYTES,     /* `at`, words[1]: bytes; a string of base64 */
    KIN__PROTO_TIME,      /* words[2, 3]: seconds; words[1]: nanoseconds, which do not count */
    KIN__PROTO_MICROTIME, /* the same; they do, as Go adds them: they may be negative */
    KIN__PROTO_LIST,      /* `at`, words[1]: from its first field to the end of the message */
    KIN__PROTO_MAP,       /* ... around it; words[2]: the number of its row in the tables */
    KIN__PROTO_MESSAGE,   /* `at`, words[1]: the message; words[2]: its number */
} kin__proto_shape;

/* Where a message has its kind and apiVersion from; in the third byte of words[0]. */
typedef enum kin__proto_typemeta {
    KIN__PROTO_UNTYPED,        /* it has none */
    KIN__PROTO_OBJECT,         /* it is the object */
    KIN__PROTO_CLAIM_TEMPLATE, /* of a StatefulSet: the server says what they are */
    KIN__PROTO_ENVELOPED       /* `at`, words[1] are an envelope, which has them */
} kin__proto_typemeta;

static inline kin__proto_shape kin__proto_shape_of(kin_value value)
{
    return (kin__proto_shape) (value.words[0] >> 8 & 0xffu);
}

static inline kin__proto_typemeta kin__proto_typemeta_of(kin_value value)
{
    return (kin__proto_typemeta) (value.words[0] >> 16 & 0xffu);
}

static inline kin_str kin__proto_bytes_of(kin_value value)
{
    return (kin_str){ value.at, value.words[1] };
}

static inline uint64_t kin__proto_number_of(kin_value value)
{
    return value.words[2] | (uint64_t) value.words[3] << 32;
}

static inline const kin__pb_row *kin__proto_row_of(kin_value value)
{
    return &kin__pb_table_rows[value.words[2]];
}

/* All values are made here, each in one go: what is written in pieces takes long to copy. */
static inline kin_value kin__proto_make_with(const kin_object *owner, uint32_t shape_and_type,
                                             kin_str bytes, uint64_t number)
{
    return (kin_value){
        .owner = owner,
        .at = bytes.data,
        .words = { KIN__ENCODING_PROTO | shape_and_type << 8, (uint32_t) bytes.len,
                   (uint32_t) number, (uint32_t) (number >> 32) },
    };
}

static inline kin_value kin__proto_make(const kin_object *owner, kin__proto_shape shape,
                                        kin_str bytes)
{
    return kin__proto_make_with(owner, shape, bytes, 0);
}

static inline kin_value kin__proto_make_number(const kin_object *owner, kin__proto_shape shape,
                                               uint64_t number)
{
    return kin__proto_make_with(owner, shape, (kin_str){ NULL, 0 }, number);
}

/* A list or a map. */
static inline kin_value kin__proto_make_rows(const kin_object *owner, const kin__pb_row *row,
                                             kin_str bytes)
{
    bool is_map = (row->flags & KIN__PB_MAP) != 0;

    return kin__proto_make_with(owner, is_map ? KIN__PROTO_MAP : KIN__PROTO_LIST, bytes,
                                (uint64_t) (row - kin__pb_table_rows));
}

static inline kin_value kin__proto_make_message(const kin_object *owner, kin__pb_message message,
                                                kin__proto_typemeta type, kin_str bytes)
{
    return kin__proto_make_with(owner, KIN__PROTO_MESSAGE | (uint32_t) type << 8, bytes, message);
}

typedef struct kin__proto_message {
    kin__pb_message message;
    kin_str bytes;
} kin__proto_message;

/* What an envelope holds that was read before. */
kin_str kin__proto_unwrap(kin_str envelope);

/* Of a value that is a message. */
static inline kin__proto_message kin__proto_open(kin_value value)
{
    kin_str bytes = kin__proto_bytes_of(value);
    bool is_wrapped = kin__proto_typemeta_of(value) == KIN__PROTO_ENVELOPED;

    return (kin__proto_message){
        .message = (kin__pb_message) value.words[2],
        .bytes = is_wrapped ? kin__proto_unwrap(bytes) : bytes,
    };
}

/* What it says of its kind; empty: nothing. */
typedef struct kin__proto_type {
    kin_str kind;
    kin_str api_version;
} kin__proto_type;

kin__proto_type kin__proto_type_of(kin_value message);

/* The value of the row's field in a message, as JSON shows it: missing when it does not, null when
 * it is nil in Go and JSON says so. */
kin_value kin__proto_field(const kin_object *owner, kin__pb_message message, kin_str bytes,
                           const kin__pb_row *row);

/* The value of a field that is an element of a list, the value of a map, or neither of the two. */
kin_value kin__proto_value(const kin_object *owner, const kin__pb_row *row,
                           const kin__pb_field *field);

/* True when JSON says null for the row where the wire has nothing. */
bool kin__proto_is_null_when_absent(const kin_object *owner, kin__pb_message message,
                                    const kin__pb_row *row);

/* KIN__OBJECT_PARTIAL when somewhere in the object is a field that the tables do not know, with
 * KIN__OBJECT_PARTIAL_ARRAY when one is inside a list. */
uint8_t kin__proto_unknown(const kin_object *object);

/* Where a walk over the elements of a list or the entries of a map is.  Elements that are numbers
 * may be packed: many in one field. */
typedef struct kin__proto_cursor {
    const kin__pb_row *row;
    kin__pb_reader reader;
    const uint8_t *packed; /* the next of those; NULL: none */
    const uint8_t *packed_end;
} kin__proto_cursor;

kin__proto_cursor kin__proto_begin(kin_value container);

/* The next element, or entry; false at the end and at a fault, which `reader.fault` tells apart. */
bool kin__proto_next(kin__proto_cursor *cursor, kin__pb_field *out);

kin_value kin__proto_member(kin_value value, kin_str name);
size_t kin__proto_descend(kin_value *value, const kin__step *steps, size_t count);
kin_value kin__proto_element(kin_value value, size_t index);
void kin__proto_iter(kin_value value, kin_iter *out);
bool kin__proto_iter_next(kin_iter *iter);

/* Strings: every byte that is no UTF-8 reads as U+FFFD, as JSON shows it. */
kin_err kin__proto_str(kin_value value, char *scratch, size_t scratch_size, kin_str *out);
size_t kin__proto_scratch_size(kin_value value);
bool kin__proto_is_str(kin_value value, kin_str text);

bool kin__proto_is_utf8_beyond_ascii(kin_str s);

/* Most strings are ASCII, and that is quickly seen: by words, of which the last reaches back. */
static inline bool kin__proto_is_utf8(kin_str s)
{
    uint64_t bits = 0;
    uint64_t word;

    if (s.len >= sizeof word) {
        for (size_t at = 0; at < s.len - sizeof word; at += sizeof word) {
            memcpy(&word, s.data + at, sizeof word);
            bits |= word;
        }
        memcpy(&word, s.data + s.len - sizeof word, sizeof word);
        bits |= word;
    } else {
        for (size_t at = 0; at < s.len; at++) {
            bits |= (unsigned char) s.data[at];
        }
    }
    return (bits & UINT64_C(0x8080808080808080)) == 0 || kin__proto_is_utf8_beyond_ascii(s);
}

/* Whether a string in the bytes reads as `text`. */
bool kin__proto_reads_as(kin_str raw, kin_str text);

#endif /* KIN_OBJECT_PROTO_ENCODING_H */
