/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/schema.h - the Kubernetes API types, as tables.
 *
 * Which kinds there are, of which message each is, and of each message its fields in the order in
 * which the API server writes them as JSON.  The tables (schema_tables.c) are generated from the
 * published Go types of several releases by tools/schema and committed; fields and kinds that a
 * release removed stay, because numbers are never used again.  Under 120 KB in the binary.
 *
 * Threading: immutable.
 */
#ifndef KIN_PROTO_SCHEMA_H
#define KIN_PROTO_SCHEMA_H

#include "kin/common.h"

/* What a field holds. */
typedef enum kin__pb_type {
    KIN__PB_STRING,
    KIN__PB_BOOL,
    KIN__PB_INT32,
    KIN__PB_INT64,
    KIN__PB_DOUBLE,
    KIN__PB_BYTES,
    KIN__PB_MESSAGE, /* of the row's message */
    KIN__PB_TYPEMETA /* not on the wire: here JSON has kind and apiVersion */
} kin__pb_type;

enum {
    KIN__PB_POINTER = 1u << 0,   /* on the wire only when set, then also when zero */
    KIN__PB_LIST = 1u << 1,      /* repeated */
    KIN__PB_MAP = 1u << 2,       /* repeated entries { 1 key, a string; 2 value, of `type` } */
    KIN__PB_OMITEMPTY = 1u << 3, /* JSON leaves out an empty value */
    KIN__PB_OMITZERO = 1u << 4,  /* ... and a zero time */
    KIN__PB_INLINE = 1u << 5,    /* the message's members stand among this one's */
    KIN__PB_NOJSON = 1u << 6     /* on the wire, not in JSON */
};

/* Messages whose JSON is their own. */
typedef enum kin__pb_special {
    KIN__PB_PLAIN = 0,
    KIN__PB_TIME,
    KIN__PB_MICROTIME,
    KIN__PB_QUANTITY,
    KIN__PB_INTORSTR,
    KIN__PB_RAW, /* RawExtension: JSON text, or an envelope */
    KIN__PB_FIELDSV1,
    KIN__PB_JSON,
    KIN__PB_SCHEMA_OR_BOOL,
    KIN__PB_SCHEMA_OR_ARRAY,
    KIN__PB_SCHEMA_OR_STRINGS,
    KIN__PB_STRINGS, /* { 1 repeated string } that is an array in JSON */
    KIN__PB_UNKNOWN  /* runtime.Unknown */
} kin__pb_special;

#define KIN__PB_NO_MESSAGE UINT16_MAX
#define KIN__PB_NUMBER_MAX 63 /* a field number fits a 64-bit mask; the largest today is 44 */

/* A field. */
typedef struct kin__pb_row {
    uint8_t number; /* 0: not on the wire */
    uint8_t type;   /* kin__pb_type; of a map, that of its values */
    uint8_t flags;
    uint8_t releases; /* since << 4 | until, as minor releases above KIN__PB_FIRST_RELEASE */
    uint16_t name;    /* of the JSON member: offset in the pool of names */
    uint16_t message; /* of KIN__PB_MESSAGE */
} kin__pb_row;

#define KIN__PB_FIRST_RELEASE 30 /* Kubernetes 1.30 */
#define KIN__PB_LAST_RELEASE 37

/* A message: its number in the tables.  KIN__PB_NO_MESSAGE has no rows and is plain. */
typedef uint16_t kin__pb_message;

/* The message of a kind, KIN__PB_NO_MESSAGE when the tables do not know it.  `api_version` is "v1"
 * or "group/version"; an empty one is taken for "v1", because the discovery of the core group
 * leaves it empty. */
kin__pb_message kin__pb_message_of(kin_str api_version, kin_str kind);

kin__pb_special kin__pb_special_of(kin__pb_message message);

/* Its rows, in the order of JSON. */
const kin__pb_row *kin__pb_rows(kin__pb_message message, size_t *out_count);

/* The row with that number, NULL when the tables do not know it.  Constant time. */
const kin__pb_row *kin__pb_row_of(kin__pb_message message, uint32_t number);

/* The inline rows between a message and one of its JSON members, outermost first.  None is a
 * pointer, a list or a map: each is a by-value message, on the wire under its own number. */
#define KIN__PB_INLINE_MAX 2

typedef struct kin__pb_inlines {
    size_t count; /* 0: the member is a row of the message itself */
    const kin__pb_row *rows[KIN__PB_INLINE_MAX];
} kin__pb_inlines;

/* The row whose JSON member has that name, NULL when there is none; then `out` is as it was.  For
 * "configMap" of Volume, `out` holds the row of number 2, inline, and the result is a row of
 * VolumeSource: the path on the wire is 2.19.  A name is met once at most, inline messages
 * included.  "kind" and "apiVersion" of a KIN__PB_TYPEMETA row are not found, because they are not
 * on the wire; nor are the rows of messages that are special. */
const kin__pb_row *kin__pb_row_named(kin__pb_message message, kin_str name, kin__pb_inlines *out);

/* The name of its JSON member; empty for rows that have none (inline, TypeMeta, those of special
 * messages). */
kin_str kin__pb_row_name(const kin__pb_row *row);

/* The same as it is written after another member: ,"name": with the comma, which the first member
 * of an object leaves out.  Names need no escapes. */
kin_str kin__pb_row_member(const kin__pb_row *row);

/* Kinds, for those who walk all of them. */
typedef struct kin__pb_kind {
    kin_str group; /* "" for core */
    kin_str version;
    kin_str kind;
    kin__pb_message message;
} kin__pb_kind;

/* They are in the order of "group/version" and kind, by bytes.  False beyond the last. */
bool kin__pb_kind_at(size_t index, kin__pb_kind *out);

#endif /* KIN_PROTO_SCHEMA_H */
