/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h - small protobuf messages, put together by hand.
 *
 *     wire item = { 0 }, list = { 0 };
 *     wire_text(&item, 1, "a");
 *     wire_put(&list, 2, &item);
 */
#ifndef TESTS_UNIT_PROTO_WIRE_H
#define TESTS_UNIT_PROTO_WIRE_H

#include <string.h>

#include "proto/reader.h"
#include "support/test.h"

typedef struct wire {
    size_t len;
    char bytes[2000];
} wire;

static inline void wire_bytes(wire *w, const void *bytes, size_t len)
{
    if (len > sizeof w->bytes - w->len) {
        FAIL("wire of more than %zu bytes", sizeof w->bytes);
    }
    memcpy(w->bytes + w->len, bytes, len);
    w->len += len;
}

static inline void wire_varint(wire *w, uint64_t value)
{
    uint8_t bytes[10];

    wire_bytes(w, bytes, kin__pb_put_varint(value, bytes));
}

/* A field that is a number. */
static inline void wire_number(wire *w, uint32_t number, uint64_t value)
{
    wire_varint(w, number << 3 | KIN__PB_VARINT);
    wire_varint(w, value);
}

static inline void wire_content(wire *w, uint32_t number, const void *bytes, size_t len)
{
    wire_varint(w, number << 3 | KIN__PB_LEN);
    wire_varint(w, len);
    wire_bytes(w, bytes, len);
}

static inline void wire_text(wire *w, uint32_t number, const char *chars)
{
    wire_content(w, number, chars, strlen(chars));
}

static inline void wire_put(wire *w, uint32_t number, const wire *inner)
{
    wire_content(w, number, inner->bytes, inner->len);
}

/* An envelope without its last two fields. */
static inline void wire_envelope_open(wire *w, const char *api_version, const char *kind,
                                      const wire *message)
{
    wire type = { 0 };

    wire_text(&type, 1, api_version);
    wire_text(&type, 2, kind);
    wire_bytes(w, "k8s", 4);
    wire_put(w, 1, &type);
    wire_put(w, 2, message);
}

static inline void wire_envelope(wire *w, const char *api_version, const char *kind,
                                 const wire *message)
{
    wire_envelope_open(w, api_version, kind, message);
    wire_bytes(w, "\x1a\0\x22\0", 4);
}

#endif /* TESTS_UNIT_PROTO_WIRE_H */
