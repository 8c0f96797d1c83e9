/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/proto_scan.h - finding a field of a message, quickly.
 *
 * proto/reader.h reads every field there is; this steps over those that are not wanted.
 */
#ifndef KIN_OBJECT_PROTO_SCAN_H
#define KIN_OBJECT_PROTO_SCAN_H

#include "base/str.h"
#include "proto/reader.h"

/* How a search ended. */
typedef enum kin__pb_found {
    KIN__PB_ABSENT,
    KIN__PB_PRESENT,
    KIN__PB_FAULTY, /* the message cannot be read up to where the answer would be known */
    KIN__PB_REPEATED
} kin__pb_found;

/* The first field with that number.  The rest of the message is not looked at. */
kin__pb_found kin__pb_find_first(kin_str message, uint32_t number, kin__pb_field *out);

/*
 * The last field with that number: it is the one that counts.  KIN__PB_REPEATED, with the last one
 * in `out`, when it is not the only one.
 *
 * Fields may come in any order; but once there was one, the first with a higher number ends the
 * search.  One that comes again behind it is not seen, nor is what is wrong behind it: the JSON of
 * such a message is refused (proto/render.h).
 */
kin__pb_found kin__pb_find_last(kin_str message, uint32_t number, kin__pb_field *out);

/* A bit for each field number up to KIN__PB_NUMBER_MAX that is there, as far as the message can be
 * read. */
uint64_t kin__pb_find_numbers(kin_str message);

#endif /* KIN_OBJECT_PROTO_SCAN_H */
