/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/selector.h - how a label selector lies in memory.
 *
 *     [ header | requirements, sorted by key | their values, sorted | canonical text ]
 *
 * One allocation.  Keys and values lie in the canonical text: places count from its first byte.
 */
#ifndef KIN_OBJECT_SELECTOR_H
#define KIN_OBJECT_SELECTOR_H

#include "base/cleanup.h"
#include "kin/selector.h"
#include "object/fault.h"

/* What API servers read at most: Go's limit for the head of a request. */
#define KIN__SELECTOR_TEXT_MAX (1024 * 1024)

typedef enum kin__operator {
    KIN__OPERATOR_EXISTS,
    KIN__OPERATOR_NOT_EXISTS,
    KIN__OPERATOR_EQUALS,        /* = */
    KIN__OPERATOR_DOUBLE_EQUALS, /* == */
    KIN__OPERATOR_IN,
    KIN__OPERATOR_NOT_EQUALS, /* != */
    KIN__OPERATOR_NOT_IN,
    KIN__OPERATOR_GREATER, /* > */
    KIN__OPERATOR_LESS     /* < */
} kin__operator;

typedef struct kin__requirement {
    uint32_t key;
    uint16_t key_len;
    uint8_t op; /* a kin__operator */
    bool needs_label;
    uint32_t first_value;
    uint32_t value_count;
    int64_t number; /* of > and < */
} kin__requirement;

typedef struct kin__requirement_value {
    uint32_t place;
    uint32_t len;
} kin__requirement_value;

struct kin_selector {
    const char *text; /* these two point into the selector itself */
    const kin__requirement_value *values;
    uint32_t count;
    bool is_nothing;
    kin__requirement requirements[];
};

KIN__DEFINE_AUTO(kin_selector, kin_selector_free)

/* As kin_selector_parse(), of a text that is not too long; where it is MALFORMED, `fault`, all zero
 * before, has the API server's words alone. */
kin_err kin__selector_read(kin_str text, kin_selector **out, kin__fault *fault,
                           kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_OBJECT_SELECTOR_H */
