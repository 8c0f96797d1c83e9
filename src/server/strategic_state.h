/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/strategic_state.h - what the parts of a strategic merge share.
 *
 * strategic_patch.c has objects, strategic_list.c lists, strategic_schema.c what the Go types say.
 * All of them return INVALID once the refusal is filled in, and NO_MEMORY.
 */
#ifndef KIN_SERVER_STRATEGIC_STATE_H
#define KIN_SERVER_STRATEGIC_STATE_H

#include "server/merge_keys.h"
#include "server/strategic_patch.h"

typedef struct kin__strategic {
    kin__refusal *no;
    kin_error err; /* for lack of memory */
} kin__strategic;

/* The Go type of a value: a struct, which has fields, or something else. */
typedef struct kin__strategic_schema {
    kin__pb_message message; /* KIN__PB_NO_MESSAGE: no struct */
    const char *kind;        /* "struct", "map", "string" ... */
} kin__strategic_schema;

typedef struct kin__strategic_field {
    kin__strategic_schema schema; /* of the field, or of its elements */
    kin__merge_key key;
} kin__strategic_field;

/* What a field of a struct is; with `is_list`, of which kind its elements are. */
kin_err kin__strategic_lookup(kin__strategic *s, kin__strategic_schema schema, kin_str name,
                              bool is_list, kin__strategic_field *out) KIN_MUST_CHECK;

/* What becomes of the object that a patch was merged into. */
typedef enum kin__strategic_outcome {
    KIN__STRATEGIC_MERGED,   /* it was changed in place */
    KIN__STRATEGIC_REPLACED, /* the patch takes its place */
    KIN__STRATEGIC_EMPTIED   /* an empty object does */
} kin__strategic_outcome;

/* Merges one object into another.  What is left of the patch keeps its scalars. */
kin_err kin__strategic_merge(kin__strategic *s, kin__node *original, kin__node *patch,
                             kin__strategic_schema schema,
                             kin__strategic_outcome *out) KIN_MUST_CHECK;

/* Two lists that meet.  NULL: it is not there. */
typedef struct kin__strategic_lists {
    kin__node *original;    /* emptied */
    kin__node *patch;       /* emptied */
    const kin__node *order; /* $setElementOrder */
    bool is_delete;         /* $deleteFromPrimitiveList */
} kin__strategic_lists;

/* The list that comes of them; owned. */
kin_err kin__strategic_merge_lists(kin__strategic *s, const kin__strategic_lists *lists,
                                   const kin__strategic_field *field,
                                   kin__node **out) KIN_MUST_CHECK;

/* Takes out what has a $patch of its own, at any depth; false when that is the node itself. */
kin_err kin__strategic_undirect(kin__node *node, bool *out_stays, kin_error *err) KIN_MUST_CHECK;

/* The type of a value in Go, where whole numbers and others are two. */
typedef enum kin__strategic_type {
    KIN__STRATEGIC_NULL,
    KIN__STRATEGIC_BOOL,
    KIN__STRATEGIC_INT,
    KIN__STRATEGIC_FLOAT,
    KIN__STRATEGIC_STRING,
    KIN__STRATEGIC_LIST,
    KIN__STRATEGIC_MAP
} kin__strategic_type;

kin__strategic_type kin__strategic_type_of(const kin__node *node);

/* The name of a type: "string", "map[string]interface {}". */
const char *kin__strategic_type_name(kin__strategic_type type);

/* Refusals; each returns INVALID, or NO_MEMORY. */
kin_err kin__strategic_refuse(kin__strategic *s, int code, const char *format, ...)
    KIN__PRINTF(3, 4);
kin_err kin__strategic_refuse_generic(kin__strategic *s);                                /* 422 */
kin_err kin__strategic_no_key(kin__strategic *s, const kin__node *element, kin_str key); /* 500 */
kin_err kin__strategic_bad_type(kin__strategic *s, kin__strategic_type wanted,
                                const kin__node *found); /* 500 */

#define KIN__STRATEGIC_PATCH "$patch"
#define KIN__STRATEGIC_RETAIN "$retainKeys"
#define KIN__STRATEGIC_DELETE "$deleteFromPrimitiveList"
#define KIN__STRATEGIC_ORDER "$setElementOrder"

#endif /* KIN_SERVER_STRATEGIC_STATE_H */
