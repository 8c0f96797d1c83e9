/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto/meaning.h - what a field means, by the row that describes it: how it is on the wire, when
 * JSON leaves it out, and what it says by not being there.
 *
 * A Go server always writes what is no pointer, list, map or bytes; where such a field is absent
 * the sender does not know it.  The others are nil in Go, which JSON leaves out or calls null.
 *
 * Threading: pure functions.
 */
#ifndef KIN_PROTO_MEANING_H
#define KIN_PROTO_MEANING_H

#include "proto/reader.h"
#include "proto/schema.h"

/* How a value of that type is on the wire. */
static inline kin__pb_wire kin__pb_wire_of(kin__pb_type type)
{
    if (type >= KIN__PB_BOOL && type <= KIN__PB_INT64) {
        return KIN__PB_VARINT;
    }
    return type == KIN__PB_DOUBLE ? KIN__PB_FIXED64 : KIN__PB_LEN;
}

/* A list or a map: the row's field may come any number of times. */
static inline bool kin__pb_is_many(const kin__pb_row *row)
{
    return (row->flags & (KIN__PB_LIST | KIN__PB_MAP)) != 0;
}

/* Numbers of a list, one after the other in one field.  Go's decoder takes them, its encoder does
 * not write them. */
static inline bool kin__pb_is_packed(const kin__pb_row *row, const kin__pb_field *field)
{
    return (row->flags & KIN__PB_LIST) != 0 && field->wire == KIN__PB_LEN &&
           kin__pb_wire_of((kin__pb_type) row->type) != KIN__PB_LEN;
}

/* True when the field may stand there: an element, an entry, or a single value. */
static inline bool kin__pb_has_right_wire(const kin__pb_row *row, const kin__pb_field *field)
{
    bool is_entry = (row->flags & KIN__PB_MAP) != 0;
    kin__pb_wire wire = is_entry ? KIN__PB_LEN : kin__pb_wire_of((kin__pb_type) row->type);

    return field->wire == wire || kin__pb_is_packed(row, field);
}

/* Whether JSON leaves out a single value that is on the wire: a zero that is no pointer, of a row
 * that is omitted when empty.  The field has the right wire type.  Structs have no empty value. */
static inline bool kin__pb_is_omitted(const kin__pb_row *row, const kin__pb_field *field)
{
    if ((row->flags & (KIN__PB_OMITEMPTY | KIN__PB_POINTER)) != KIN__PB_OMITEMPTY) {
        return false;
    }
    switch (row->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        return field->len == 0;
    case KIN__PB_INT32:
        return (uint32_t) field->varint == 0;
    case KIN__PB_DOUBLE:
        return field->varint << 1 == 0; /* both zeros */
    case KIN__PB_MESSAGE:
        return false;
    default:
        return field->varint == 0;
    }
}

/* Whether the types of a minor release of Kubernetes have the field. */
static inline bool kin__pb_is_of_release(const kin__pb_row *row, unsigned release)
{
    unsigned above = release - KIN__PB_FIRST_RELEASE;

    return row->releases >> 4 <= above && above <= (row->releases & 15u);
}

/* Whether Go may have nil there, and then writes nothing. */
bool kin__pb_is_nullable(const kin__pb_row *row);

/* Whether JSON says null where the row of a message is not on the wire: it is nil in Go and not
 * omitted.  A field that a release took from a message that went on without it is absent because
 * the sender is of that release, or a later one. */
bool kin__pb_is_nil_null(kin__pb_message message, const kin__pb_row *row);

/* The claims in a StatefulSet: the server says what they are (a PersistentVolumeClaim of v1), the
 * wire does not. */
bool kin__pb_is_claim_template(const kin__pb_row *row);

#endif /* KIN_PROTO_MEANING_H */
