/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - an object made of protobuf beside the one made of Go's JSON.
 */
#ifndef TESTS_E2E_PROTO_PAIRS_OBJECTS_H
#define TESTS_E2E_PROTO_PAIRS_OBJECTS_H

#include "base/buf.h"

typedef struct object_count {
    size_t pairs;
    size_t made;    /* of those, the ones that are objects in both encodings */
    size_t not_utf; /* refused as protobuf, and only there: names or labels that are not UTF-8 */
    size_t agreed;  /* of those that were made */
    size_t values;  /* read by their paths in both, with one answer */
    size_t spelt;   /* of those, the ones whose JSON is not only equal but the same bytes */
} object_count;

/*
 * True when both encodings make an object or neither does, and the objects agree: in their JSON
 * (byte for byte), as equal, in what the getters say, and in every value of the JSON (of more than
 * 20,000 bytes: in every 13th), read by its path from both: its type, what it says as a string,
 * number, boolean, time and quantity, and its JSON.  False: `why` tells the first difference.
 */
bool compare_objects(kin_str protobuf, kin_str json, object_count *count, kin__buf *why);

#endif /* TESTS_E2E_PROTO_PAIRS_OBJECTS_H */
