/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/value.h - a place inside an object, and what is written there.
 *
 * A kin_value costs nothing to make and nothing to release: it points into the object it was
 * taken from and is valid for as long as that object.  A place that does not exist is a value too,
 * of type KIN_TYPE_MISSING, so that look-ups can be chained and checked once:
 *
 *     kin_str node;
 *     if (kin_value_str(kin_object_at(pod, "spec.nodeName"), NULL, 0, &node) == KIN_OK) ...
 *
 * No function here allocates.  Where a string has to be decoded (JSON escapes), it is
 * written into a scratch that the caller provides; kin_value_scratch_size() says how
 * large it must be.  All others are borrowed from the object.
 *
 * What the typed functions return beside KIN_OK
 *   NOT_FOUND  the value is missing, or JSON null
 *   TYPE       it is of another type
 *   RANGE      it does not fit: the number into the result, the string into the scratch
 *   MALFORMED  a string that is no time, or no quantity; or the object came in protobuf, and its
 *              bytes make no sense there (they are checked only when they are read)
 *   USAGE      the path it came from does not parse
 *
 * Threading: immutable, as its object.
 */
#ifndef KIN_VALUE_H
#define KIN_VALUE_H

#include "kin/common.h"

KIN_BEGIN_DECLS

/* Private inside; made by kin_object_at() and the functions below.  All zero is a missing value. */
typedef struct kin_value {
    const void *owner;
    const char *at;
    uint32_t words[4];
} kin_value;

typedef enum kin_type {
    KIN_TYPE_MISSING = 0, /* no such place */
    KIN_TYPE_NULL = 1,
    KIN_TYPE_BOOL = 2,
    KIN_TYPE_NUMBER = 3,
    KIN_TYPE_STRING = 4,
    KIN_TYPE_ARRAY = 5,
    KIN_TYPE_OBJECT = 6
} kin_type;

KIN_API kin_type kin_value_type(kin_value value);

/* "missing", "null", "bool", "number", "string", "array", "object". */
KIN_API const char *kin_type_name(kin_type type);

/* True unless the value is missing.  JSON null exists. */
KIN_API bool kin_value_exists(kin_value value);

/* `scratch` may be NULL with size 0: then only strings that need no decoding are had. */
KIN_API KIN_MUST_CHECK kin_err kin_value_str(kin_value value, char *scratch, size_t scratch_size,
                                             kin_str *out);

/* How many bytes of scratch are enough for kin_value_str(): 0 when the string is borrowed. */
KIN_API size_t kin_value_scratch_size(kin_value value);

/* A number without a fraction ("3", "3.0" and "30e-1" are the same). */
KIN_API KIN_MUST_CHECK kin_err kin_value_int64(kin_value value, int64_t *out);

KIN_API KIN_MUST_CHECK kin_err kin_value_double(kin_value value, double *out);

KIN_API KIN_MUST_CHECK kin_err kin_value_bool(kin_value value, bool *out);

/* A moment: seconds since 1970-01-01T00:00:00Z (negative before it) and the part of a second. */
typedef struct kin_time {
    int64_t seconds;
    int32_t nanoseconds; /* 0 to 999,999,999 */
} kin_time;

/* An RFC 3339 string such as "2026-11-15T21:48:12Z" or "2026-11-15T21:48:12.345678+02:00". */
KIN_API KIN_MUST_CHECK kin_err kin_value_time(kin_value value, kin_time *out);

/*
 * A Kubernetes quantity ("250m", "1.5Gi", "3e6", or a plain number) in units of 10^scale:
 * scale 0 gives bytes or whole cores, -3 gives millicores.  What does not divide evenly is
 * rounded away from zero, as the API server does it.  An amount with a binary suffix is at most
 * 2^63-1 either way, as there.  `scale` is between -9 and 9, else USAGE; RANGE when the result
 * does not fit.
 */
KIN_API KIN_MUST_CHECK kin_err kin_value_quantity(kin_value value, int scale, int64_t *out);

/* The member called `name` of an object; missing when there is none, or `value` is no object.
 * Of several members with one name the last one counts. */
KIN_API kin_value kin_value_member(kin_value value, kin_str name);

/* Element `index` of an array; missing when there is none. */
KIN_API kin_value kin_value_element(kin_value value, size_t index);

/* What `path` (text, see kin/path.h) leads to from here; with [*], the first match. */
KIN_API kin_value kin_value_at(kin_value value, const char *path);

/* The number of elements or members; 0 for anything else.  Walks the value. */
KIN_API size_t kin_value_count(kin_value value);

/*
 * Walks an array or an object:
 *
 *     kin_iter iter = kin_value_iter(kin_object_at(pod, "spec.containers"));
 *     while (kin_iter_next(&iter)) {
 *         use(iter.value);
 *     }
 *
 * On an array `key` stays missing.  On an object it is the member's name, a string value; members
 * come in the order they were written, all of them where a name is repeated.  Anything
 * else has nothing to walk.
 */
typedef struct kin_iter {
    kin_value key;
    kin_value value;
    kin_value container; /* private */
    uint64_t words[2];   /* private */
} kin_iter;

KIN_API kin_iter kin_value_iter(kin_value value);

/* Moves to the next; false at the end. */
KIN_API bool kin_iter_next(kin_iter *iter);

/*
 * The JSON text of the value: terminated, `out_len` bytes long, owned by the caller; release with
 * kin_free().  Fails with NOT_FOUND (missing) or NO_MEMORY; inside an object that came in protobuf
 * also with MALFORMED and LIMIT, as kin_object_json().
 */
KIN_API KIN_MUST_CHECK kin_err kin_value_json(kin_value value, char **out, size_t *out_len,
                                              kin_error *err);

/*
 * Whether two values say the same: members in any order, numbers by their value, strings by
 * what they decode to.  Two missing values are equal; missing and null are not.  Fails with
 * NO_MEMORY: members in different order need a table, and values inside many others a stack.
 */
KIN_API KIN_MUST_CHECK kin_err kin_value_equal(kin_value a, kin_value b, bool *out);

KIN_END_DECLS
#endif /* KIN_VALUE_H */
