/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/columns.h - the columns of a Table: what they are called, and what stands in them.
 *
 * A kind has a row of columns, and a column says how its cell is made of an object: by a path, or
 * by a function of its own.  Names, types, formats, descriptions and priorities are those that
 * kube-apiserver 1.36.3 sends; what stands in the cells is what its printers print.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_COLUMNS_H
#define KIN_SERVER_COLUMNS_H

#include "base/cleanup.h"
#include "kin/object.h"

/* What is known while the cells of one object are written; see server/printer.h. */
typedef struct kin__printer kin__printer;

typedef void (*kin__print_fn)(kin__printer *p);

typedef struct kin__column {
    kin_str name;
    kin_str type;
    kin_str format;
    kin_str description;
    int32_t priority;      /* 0: shown always; else only in wide output */
    kin__print_fn print;   /* NULL: the function of the column before writes this cell too */
    const char *path;      /* of the value that `print` looks at; NULL: it needs none */
    const char *otherwise; /* what stands for a value that is not there; NULL: "" */
    kin_path *compiled;    /* owned, of custom resources: instead of `path`; NULL: leads nowhere */
} kin__column;

typedef struct kin__columns {
    kin_str group; /* "" for core */
    kin_str kind;
    const kin__column *columns;
    size_t count;
    kin__print_fn conditions; /* writes the row's `conditions` if it has any; NULL: it never does */

    /* The order of the rows of one answer to a LIST, as of strcmp(); NULL: that of the list. */
    int (*order)(const kin_object *a, const kin_object *b);

    bool is_null_when_empty; /* the rows of an empty list are null, not [] */
    bool is_repeated;        /* a watch tells the columns with every event, not with the first */
} kin__columns;

/* The columns of a built-in kind; those of a kind without printers (Name, Created At) for one that
 * is not known. */
const kin__columns *kin__columns_of(kin_str group, kin_str kind);

/*
 * The columns of a custom resource in `version`: Name and the additionalPrinterColumns of its
 * definition, or Name and Age when it names none, or has no such version.  Nothing is borrowed from
 * `crd`.
 *
 * Of JSONPath it knows members (.a, ['a'], with \. for a dot in a name), elements ([0], [-1]), [*]
 * and .*, and [?(@.a=="b")] with == or != and one member.  A column with any other path has null
 * in all its cells.
 *
 * `out` is owned by the caller; release with kin__columns_free().  Fails with NO_MEMORY.
 */
kin_err kin__columns_from_crd(const kin_object *crd, kin_str version, kin__columns **out,
                              kin_error *err) KIN_MUST_CHECK;

/* Only what kin__columns_from_crd() made.  NULL is ignored. */
void kin__columns_free(kin__columns *columns);
KIN__DEFINE_AUTO(kin__columns, kin__columns_free)

#endif /* KIN_SERVER_COLUMNS_H */
