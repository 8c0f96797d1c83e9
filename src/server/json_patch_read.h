/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/json_patch_read.h - the operations of a JSON patch, one after the other.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_JSON_PATCH_READ_H
#define KIN_SERVER_JSON_PATCH_READ_H

#include "server/codec.h"

/* An operation; everything is raw and borrowed from the patch, and missing where it is null. */
typedef struct kin__json_patch_operation {
    kin__json op;
    kin__json path;
    kin__json from;
    kin__json value;
    bool has_value; /* `value` stands there, null or not */
} kin__json_patch_operation;

/*
 * Whether the bytes are a patch: an array of objects, whose members have the types they should.
 * `warnings` as for kin__json_patch_apply().  False when it is refused: 400, 413.
 */
bool kin__json_patch_check(kin_str patch, kin__field_validation validation,
                           kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

/* The members of an element of a patch that was checked. */
kin__json_patch_operation kin__json_patch_read(kin__json element);

#endif /* KIN_SERVER_JSON_PATCH_READ_H */
