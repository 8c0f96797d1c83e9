/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/schema_row.h - a field of a message, as the tables describe it.
 *
 * Threading: immutable.
 */
#ifndef KIN_PROTO_SCHEMA_ROW_H
#define KIN_PROTO_SCHEMA_ROW_H

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

#endif /* KIN_PROTO_SCHEMA_ROW_H */
