/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/encoding.h - the seam between an object and the encoding of its bytes.
 *
 * Everything that reads inside an object goes through one of these tables; nothing above
 * object/ can tell which.  A new encoding is a file that fills in a kin__encoding and makes
 * objects; nothing else changes.
 *
 * A kin_value of an encoding: `owner` is the object, `words[0]` is the encoding in its low byte
 * and, for a missing value, the kin_err to answer with (negated) in the next one.  `at` and the
 * other words are the encoding's own.
 */
#ifndef KIN_OBJECT_ENCODING_H
#define KIN_OBJECT_ENCODING_H

#include "base/buf.h"
#include "kin/object.h"
#include "object/path.h"

typedef enum kin__encoding_id {
    KIN__ENCODING_NONE = 0, /* of missing values */
    KIN__ENCODING_JSON = 1,
    KIN__ENCODING_PROTO = 2,
} kin__encoding_id;

/* Room for the text of any number that an encoding does not keep as text. */
#define KIN__NUMBER_TEXT 32

/* The functions are called only with values of that encoding that are not missing, and the typed
 * ones only after `type` was asked: they need not check it again.  None of them allocates, except
 * through `buf`. */
typedef struct kin__encoding {
    kin_value (*root)(const kin_object *object);
    kin_value (*value)(const kin_object *object, uint32_t place); /* from the object's header */
    kin_type (*type)(kin_value value);
    kin_err (*str)(kin_value value, char *scratch, size_t scratch_size, kin_str *out);
    size_t (*scratch_size)(kin_value value);
    bool (*is_str)(kin_value value, kin_str text); /* whether a string says `text` */
    kin_err (*int64)(kin_value value, int64_t *out);
    kin_err (*real)(kin_value value, double *out);
    bool (*boolean)(kin_value value);
    /* Of an object, the last one counts; of an array.  Anything else has none: these may be called
     * with a value of any type. */
    kin_value (*member)(kin_value value, kin_str name);
    kin_value (*element)(kin_value value, size_t index);

    /* Takes the first of `count` steps, which is a member, and as many more members as it cares to;
     * `value` becomes what they lead to.  Returns how many they were.  NULL: `member` does. */
    size_t (*descend)(kin_value *value, const kin__step *steps, size_t count);

    void (*iter)(kin_value value, kin_iter *out); /* of an array or object */
    bool (*next)(kin_iter *iter);

    /* A time that is not kept as text; false for every other string.  NULL: there are none. */
    bool (*time)(kin_value value, kin_time *out);

    /* Compact text.  Fails with NO_MEMORY and, where values are not checked before they are read,
     * with MALFORMED or LIMIT; then `buf` may hold a part of it. */
    kin_err (*append_json)(kin_value value, kin__buf *buf, kin_error *err);

    /* KIN__OBJECT_PARTIAL and KIN__OBJECT_PARTIAL_ARRAY, for what the bytes hold and cannot be
     * told.  NULL: all can be told. */
    uint8_t (*untold)(const kin_object *object);

    /* A number as JSON writes it; borrowed from the object or from `scratch`, which has room for
     * KIN__NUMBER_TEXT bytes. */
    kin_str (*number_text)(kin_value value, char *scratch);

    /* True when both are spelt alike and so say the same; false says nothing. */
    bool (*is_same_text)(kin_value a, kin_value b);
} kin__encoding;

extern const kin__encoding kin__json_encoding;
extern const kin__encoding kin__proto_encoding;

/* By kin__encoding_id; NULL for KIN__ENCODING_NONE. */
extern const kin__encoding *const kin__encodings[];

/* The encoding of a value; NULL when it is missing. */
static inline const kin__encoding *kin__encoding_of(kin_value value)
{
    return kin__encodings[value.words[0] & 0xffu];
}

/* A missing value that answers with `code`. */
kin_value kin__value_missing(kin_err code);

/* The object's own value. */
kin_value kin__object_root(const kin_object *object);

/* The value at a place that the object's header keeps (its annotations, say). */
kin_value kin__object_value(const kin_object *object, uint32_t place);

/* KIN__OBJECT_PARTIAL and KIN__OBJECT_PARTIAL_ARRAY: what a mask left out, and what is in the bytes
 * and cannot be told. */
uint8_t kin__object_partiality(const kin_object *object);

/* The text of a value that is a number; `scratch` has room for KIN__NUMBER_TEXT bytes. */
kin_str kin__value_number_text(kin_value value, char *scratch);

/* Whether a field selector would take the value for `text`.  What is absent, null, an array or an
 * object is empty text. */
bool kin__value_says(kin_value value, kin_str text);

/* A value of the JSON encoding at `at`, inside `owner`.  The JSON it belongs to ends at `end`: that
 * of the object, or a text inside the bytes of another encoding. */
kin_value kin__json_value(const kin_object *owner, const char *at, const char *end);

#endif /* KIN_OBJECT_ENCODING_H */
