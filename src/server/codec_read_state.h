/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec_read_state.h - what the parts of the reader share.
 *
 * codec_read.c has objects, lists and maps, codec_value.c single values, codec_read_fault.c what is
 * said of them.
 *
 * Go saves the first value that has a wrong type, reads on, and tells of it at the end; but a type
 * that reads itself (a time, a quantity) and fails ends it at once.  So it is here.
 */
#ifndef KIN_SERVER_CODEC_READ_STATE_H
#define KIN_SERVER_CODEC_READ_STATE_H

#include "server/codec_read.h"

typedef enum kin__codec_step {
    KIN__CODEC_FIELD,  /* of a struct: `row` among `inlines`, of `message` */
    KIN__CODEC_KEY,    /* of a map, or of an object that has no type */
    KIN__CODEC_ELEMENT /* of a list */
} kin__codec_step;

/* The way from the outermost value to the one at hand. */
typedef struct kin__codec_place {
    const struct kin__codec_place *parent; /* NULL: the outermost value */
    kin__codec_step step;
    kin__pb_message message;
    const kin__pb_row *row;
    kin__pb_inlines inlines;
    kin_str name; /* of a field or key */
    size_t index; /* of an element */
} kin__codec_place;

typedef struct kin__codec_reader {
    kin__codec_reading *reading;
    kin_error *err;
    const kin__codec_place *place;
    const char *after; /* the end of the container that was read last; NULL: it was none */
    unsigned depth;    /* of messages */
    kin__node *seen; /* for the object that is read next, and is not empty: the names it has had in
                        this document; NULL: those that it has */
    unsigned quiet;  /* not 0: inside a type that reads itself, which notes nothing */
    bool is_faulty;  /* a fault was saved */
    kin__buf scratch;
} kin__codec_reader;

/* A value of a row that is no list and no map; not null.  `out` stays NULL when a fault is saved,
 * and where Go drops the value. */
kin_err kin__codec_read_single(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                               kin__node **out) KIN_MUST_CHECK;

/* An object into `object`, as that message. */
kin_err kin__codec_read_struct(kin__codec_reader *r, kin__pb_message message, kin__json value,
                               kin__node *object) KIN_MUST_CHECK;

/* A list of the row's values. */
kin_err kin__codec_read_list(kin__codec_reader *r, const kin__pb_row *row, kin__json value,
                             kin__node **out) KIN_MUST_CHECK;

/* Any JSON. */
kin_err kin__codec_read_any(kin__codec_reader *r, kin__json value, kin__node **out) KIN_MUST_CHECK;

/* Notes `what "path of the value at hand.name"`. */
void kin__codec_note(kin__codec_reader *r, const char *what, kin_str name);

/* Saves: json: cannot unmarshal `found` into Go struct field X of type `type`. */
void kin__codec_wrong_type(kin__codec_reader *r, const char *found, kin_str type);

/* "number", "string" ... */
const char *kin__codec_type_name(kin__json value);

/* The same for the type of a row's element or, with `is_field`, of its field. */
void kin__codec_wrong_row(kin__codec_reader *r, const char *found, const kin__pb_row *row,
                          bool is_field);

/* Ends it at once: the words are in reading->words, or are of a wrong type as above. */
kin_err kin__codec_abort(kin__codec_reader *r);
kin_err kin__codec_abort_type(kin__codec_reader *r, const char *found, kin_str type);

/* Where a time is none: appends what Go says and returns false. */
bool kin__codec_check_time(kin_str text, bool has_micros, kin__buf *words);

/* Where a text is no base64: the byte Go names. */
size_t kin__codec_base64_fault(kin_str text);

#endif /* KIN_SERVER_CODEC_READ_STATE_H */
