/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/object.h - how an object lies in memory.
 *
 *     [ header | labels | places of top-level fields | key and decoded strings | encoded bytes ]
 *
 * One allocation of its exact size, which ends with the encoded bytes: JSON, with a table of
 * places, or a protobuf message, without.  All places are offsets from the object's first byte, so
 * that a string may lie in the encoded bytes or, where those spell it with escapes or not at all,
 * among the decoded strings; 0 means none.  The key is always among the decoded strings: namespace
 * and name are its two halves.
 */
#ifndef KIN_OBJECT_OBJECT_H
#define KIN_OBJECT_OBJECT_H

#include <stdatomic.h>

#include "base/cleanup.h"
#include "json/framer.h"
#include "kin/object.h"
#include "proto/framer.h"
#include "proto/schema.h"

typedef struct kin__label {
    uint32_t key;
    uint32_t value;
    uint16_t key_len;
    uint16_t value_len;
} kin__label;

enum {
    KIN__OBJECT_PARTIAL = 1u << 0,       /* a mask left something out beside managedFields */
    KIN__OBJECT_PARTIAL_ARRAY = 1u << 1, /* ... and some of it from inside an array */
};

#define KIN__NO_TIME INT64_MIN

struct kin_object {
    _Atomic uint32_t refs;
    uint32_t bytes; /* where the encoded bytes begin */
    uint32_t bytes_len;
    uint32_t place_count; /* JSON: entries of the table of places; 0: there is none */
    uint8_t encoding;     /* a kin__encoding_id */
    uint8_t flags;        /* KIN__OBJECT_... */
    uint16_t label_count;
    uint16_t key_len;
    uint16_t namespace_len; /* the key's first part; 0: no namespace and no slash */
    uint32_t key;
    uint32_t uid;
    uint32_t version;
    uint32_t api_version;
    uint32_t kind;
    uint16_t uid_len;
    uint16_t version_len;
    uint16_t api_version_len;
    uint16_t kind_len;
    uint32_t annotations; /* the value */
    uint32_t owners;      /* the value */
    uint32_t places;      /* JSON: the table; protobuf: the number of its message */
    int64_t generation;
    int64_t creation; /* in seconds, or KIN__NO_TIME */
    int64_t deletion;
    kin__label labels[]; /* in the order of their keys' bytes, each key once */
};

KIN__DEFINE_AUTO(const kin_object, kin_object_unref)

static inline kin_str kin__object_slice(const kin_object *object, uint32_t place, size_t len)
{
    return (kin_str){ (const char *) object + place, len };
}

/* The whole allocation. */
static inline size_t kin__object_bytes_end(const kin_object *object)
{
    return (size_t) object->bytes + object->bytes_len;
}

static inline kin_str kin__object_bytes(const kin_object *object)
{
    return kin__object_slice(object, object->bytes, object->bytes_len);
}

/* Makes an object of an item that the framer cut out.  `options` may be NULL.  As
 * kin_object_from_json(), and messages count bytes from the beginning of the stream.  An index that
 * the item has tells that its grammar is right, and must reach as far as kin__object_reach(mask).
 * An item without an index (KIN__JSON_BORDERS) goes through a scanner first, so that no object is
 * made of bytes that were not checked. */
kin_err kin__object_from_item(const kin__json_item *item, const kin_object_options *options,
                              kin_object **out, kin_error *err) KIN_MUST_CHECK;

/* The same of an item that the protobuf framer cut out.  `message` is what kin__pb_message_of()
 * says of the item's kind: whoever takes many items of one kind asks once.  Fails as
 * kin_object_from_protobuf(). */
kin_err kin__object_from_message(const kin__pb_item *item, kin__pb_message message,
                                 const kin_object_options *options, kin_object **out,
                                 kin_error *err) KIN_MUST_CHECK;

/* How far the index of an item must reach, for an object made through `mask` (NULL: none). */
kin__json_reach kin__object_reach(const kin_mask *mask);

#endif /* KIN_OBJECT_OBJECT_H */
