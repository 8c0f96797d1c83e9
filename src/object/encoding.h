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

typedef enum kin__encoding_id {
    KIN__ENCODING_NONE = 0, /* of missing values */
    KIN__ENCODING_JSON = 1,
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
    kin_value (*member)(kin_value value, kin_str name);  /* of an object; the last one counts */
    kin_value (*element)(kin_value value, size_t index); /* of an array */
    void (*iter)(kin_value value, kin_iter *out);        /* of an array or object */
    bool (*next)(kin_iter *iter);
    bool (*append_json)(kin_value value, kin__buf *buf); /* compact text */

    /* A number as JSON writes it; borrowed from the object or from `scratch`, which has room for
     * KIN__NUMBER_TEXT bytes. */
    kin_str (*number_text)(kin_value value, char *scratch);

    /* True when both are spelt alike and so say the same; false says nothing. */
    bool (*is_same_text)(kin_value a, kin_value b);
} kin__encoding;

extern const kin__encoding kin__json_encoding;

/* The encoding of a value; NULL when it is missing. */
const kin__encoding *kin__encoding_of(kin_value value);

/* A missing value that answers with `code`. */
kin_value kin__value_missing(kin_err code);

/* The object's own value. */
kin_value kin__object_root(const kin_object *object);

/* The value at a place that the object's header keeps (its annotations, say). */
kin_value kin__object_value(const kin_object *object, uint32_t place);

/* The text of a value that is a number; `scratch` has room for KIN__NUMBER_TEXT bytes. */
kin_str kin__value_number_text(kin_value value, char *scratch);

/* A value of the JSON encoding at `at`, inside `owner`'s bytes. */
kin_value kin__json_value(const kin_object *owner, const char *at);

#endif /* KIN_OBJECT_ENCODING_H */
