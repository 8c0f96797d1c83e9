/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/printer.h - what the functions that write cells share.
 *
 *     printer.c            putting a cell together, and the cells that many kinds have
 *     printer_age.c        how long something is ago
 *     printer_pairs.c      names with texts, sorted
 *     printer_selector.c   labels and selectors
 *     printer_*.c          cells of certain kinds
 *
 * A function writes the cell of p->column, and those of the columns after it that have no function.
 * A cell that is a text is put together in p->text, between kin__cell_begin() and kin__cell_end().
 * Lack of memory is remembered in p->has_failed.
 *
 * What is printed, and when, is that of kube-apiserver 1.36.3 (pkg/printers/internalversion, and
 * what it calls), told anew.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_PRINTER_H
#define KIN_SERVER_PRINTER_H

#include "base/buf.h"
#include "base/str.h"
#include "json/writer.h"
#include "server/columns.h"

/* Initialises a kin_str that is static. */
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

struct kin__printer {
    const kin_object *object;
    const kin__column *column;
    kin__json_writer *w;
    kin_time now;
    kin__buf text; /* owned */
    bool has_failed;
};

/* A text of several parts. */
void kin__cell_begin(kin__printer *p);
void kin__cell_add(kin__printer *p, kin_str text);
void kin__cell_add_value(kin__printer *p, kin_value value); /* a string; nothing for all else */
void kin__cell_add_lower(kin__printer *p, kin_value value); /* with small letters, of ASCII only */
void kin__cell_add_number(kin__printer *p, int64_t number);
void kin__cell_add_quantity(kin__printer *p, kin_value value); /* canonical; "0" for none */
void kin__cell_end(kin__printer *p);

/* A text of one part; and the string at `value`, or `otherwise` when there is none. */
void kin__cell_write(kin__printer *p, kin_str text);
void kin__cell_write_value(kin__printer *p, kin_value value, kin_str otherwise);

/* Where the column's path leads. */
kin_value kin__cell_value(const kin__printer *p);

/* What stands for a value that is not there. */
kin_str kin__cell_otherwise(const kin__printer *p);

/* ---- values ---- */

/* Appends what a string says; nothing for all else.  False when there is no memory. */
bool kin__value_append(kin_value value, kin__buf *buf);

/* Appends a quantity in its canonical form, as it is when it is none, and "0" when there is none.
 * False when there is no memory. */
bool kin__value_append_quantity(kin_value value, kin__buf *buf);

bool kin__value_is(kin_value value, kin_str text);    /* a string that says this */
bool kin__value_is_filled(kin_value value);           /* a string that is not empty */
bool kin__value_is_there(kin_value value);            /* neither missing nor null */
int64_t kin__value_number(kin_value value);           /* 0 for all but whole numbers */
bool kin__value_flag(kin_value value, bool fallback); /* true or false */

/* The last of the elements whose member `type` says `type`; missing when there is none. */
kin_value kin__value_last_of_type(kin_value array, kin_str type);

/* ---- time ---- */

/* The zero of Go's time.Time, which stands for no time. */
#define KIN__NO_DATE ((kin_time){ -62135596800, 0 })

/* KIN__NO_DATE for what is no time. */
kin_time kin__value_date(kin_value value);
bool kin__date_is_none(kin_time date);
bool kin__date_is_before(kin_time a, kin_time b);

/* Adds how long a span is, as apimachinery's duration.HumanDuration: "5m10s", "3d4h", "<invalid>"
 * for two seconds into the future and more. */
void kin__cell_add_span(kin__printer *p, kin_time from, kin_time to);

/* The same from `date` until now; "<unknown>" for no date. */
void kin__cell_add_age(kin__printer *p, kin_time date);

/* ---- pairs ---- */

/* Names with texts.  All zero is an empty one. */
typedef struct kin__pairs {
    kin__buf bytes;
    kin__buf places; /* of kin__pair, by offsets in `bytes` */
    size_t count;
    bool has_failed;
} kin__pairs;

void kin__pairs_fini(kin__pairs *pairs);
KIN__DEFINE_AUTO_FINI(kin__pairs, kin__pairs_fini)

/* Adds a pair whose name is what the string `name` says; its text is what is appended to
 * pairs->bytes before kin__pairs_close(). */
void kin__pairs_open(kin__pairs *pairs, kin_value name);
void kin__pairs_open_str(kin__pairs *pairs, kin_str name);
void kin__pairs_close(kin__pairs *pairs);

/* By the bytes of the names; those with one name stay in order. */
void kin__pairs_sort(kin__pairs *pairs);

kin_str kin__pairs_name(const kin__pairs *pairs, size_t index);
kin_str kin__pairs_text(const kin__pairs *pairs, size_t index);

/* Once sorted: the first or last with that name; false when there is none. */
bool kin__pairs_first(const kin__pairs *pairs, kin_str name, size_t *out);
bool kin__pairs_last(const kin__pairs *pairs, kin_str name, size_t *out);

/* Adds the texts to the cell, with `between` between them.  Of those with one name only the
 * last. */
void kin__cell_add_pairs(kin__printer *p, kin__pairs *pairs, kin_str between);

/* ---- selectors ---- */

/* Adds a metav1.LabelSelector as text, nothing for one that is empty.  False for one that the API
 * server would refuse; then nothing was added. */
bool kin__cell_add_selector(kin__printer *p, kin_value selector);

/* ---- cells of many kinds, by the column's path ---- */

void kin__print_name(kin__printer *p);      /* metadata.name */
void kin__print_age(kin__printer *p);       /* since metadata.creationTimestamp */
void kin__print_created(kin__printer *p);   /* metadata.creationTimestamp itself */
void kin__print_text(kin__printer *p);      /* a string; `otherwise` when it is not there */
void kin__print_filled(kin__printer *p);    /* ... or is empty */
void kin__print_number(kin__printer *p);    /* a whole number, 0 when it is not there */
void kin__print_number_or(kin__printer *p); /* ... the text `otherwise` then */
void kin__print_count(kin__printer *p);     /* of elements or members */
void kin__print_flag(kin__printer *p);      /* a boolean; when not there, whether `otherwise` is */
void kin__print_list(kin__printer *p);      /* strings with "," between; `otherwise` for "" */
void kin__print_int_or_text(kin__printer *p);  /* an IntOrString */
void kin__print_span_since(kin__printer *p);   /* a time's age; `otherwise` when it is not there */
void kin__print_reference(kin__printer *p);    /* KIND/NAME of an object that has both */
void kin__print_labels(kin__printer *p);       /* a map of strings */
void kin__print_selector(kin__printer *p);     /* a metav1.LabelSelector */
void kin__print_containers(kin__printer *p);   /* the names of containers */
void kin__print_images(kin__printer *p);       /* their images */
void kin__print_default_name(kin__printer *p); /* the name, and whether an annotation (`path`, or
                                                  `otherwise`) says that this is the default */

#endif /* KIN_SERVER_PRINTER_H */
