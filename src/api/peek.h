/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/peek.h - what an object says of itself, before it is made.
 *
 * A few strings of its metadata, found where they lie.  The bytes may be anything: nothing outside
 * them is read, and whatever makes no sense is as if it were not there.
 *
 * Threading: pure functions.
 */
#ifndef KIN_API_PEEK_H
#define KIN_API_PEEK_H

#include "kin/common.h"

/* Which object it is, in which state; borrowed from its bytes. */
typedef struct kin__peek {
    kin_str ns; /* empty: none */
    kin_str name;
    kin_str uid;
    kin_str resource_version;
} kin__peek;

/* Of an object in JSON, and of a protobuf message.  The first metadata counts, and what is behind
 * it is not looked at.  False when name, uid or version are not there, or are written with escapes:
 * then nothing is known of it.  `out` is touched either way. */
bool kin__peek_from_json(kin_str object, kin__peek *out);
bool kin__peek_from_protobuf(kin_str message, kin__peek *out);

/* Of a bookmark of a watch; borrowed from its bytes. */
typedef struct kin__bookmark {
    kin_str resource_version;
    bool is_initial_end; /* it has the annotation k8s.io/initial-events-end: "true" */
} kin__bookmark;

/* False when there is no version. */
bool kin__bookmark_from_json(kin_str object, kin__bookmark *out);
bool kin__bookmark_from_protobuf(kin_str message, kin__bookmark *out);

#endif /* KIN_API_PEEK_H */
