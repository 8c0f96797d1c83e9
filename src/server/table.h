/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/table.h - objects as a Table, which is what kubectl asks for to print them.
 *
 *     {"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{...},"columnDefinitions":[...],
 *      "rows":[{"cells":[...],"object":{...}}]}
 *
 * Equal, byte for byte, to what kube-apiserver 1.36.3 answers for the same objects at the same
 * time, without the line end that it puts behind an answer.  Objects may be hostile: what is of the
 * wrong type is printed as if it were not there.
 *
 * A list is kin__table_begin(), a row for each object in the order that the columns ask for, and
 * kin__table_end().  One object, for a GET, a write or a watch event, is kin__table_object().
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_TABLE_H
#define KIN_SERVER_TABLE_H

#include "json/writer.h"
#include "server/columns.h"
#include "server/partial.h"

/* What stands beside the cells: ?includeObject= */
typedef enum kin__table_include {
    KIN__TABLE_METADATA = 0, /* a PartialObjectMetadata, "Metadata" or nothing said */
    KIN__TABLE_OBJECT,       /* the whole object, "Object" */
    KIN__TABLE_NOTHING,      /* null, "None"; but the bookmark that ends the initial events of a
                                watch keeps its metadata */
} kin__table_include;

typedef struct kin__table {
    kin__json_writer *w;         /* borrowed */
    const kin__columns *columns; /* borrowed */
    kin_str api_version;         /* KIN__META_V1 or "meta.k8s.io/v1beta1" */
    kin__table_include include;
    kin_time now;  /* by the wall clock, for ages */
    bool has_rows; /* the table's own; false to begin with */
} kin__table;

/* Writes all that comes before the rows.  Without a head, columnDefinitions is null, unless the
 * columns are repeated: so it is in a watch from the second event on. */
void kin__table_begin(kin__table *table, const kin__list_meta *meta, bool has_head);

/* Writes the row of one object.  Fails with MALFORMED and LIMIT (an object that came in protobuf,
 * as kin_object_json()) and NO_MEMORY; then what was written is of no use. */
kin_err kin__table_row(kin__table *table, const kin_object *object, kin_error *err) KIN_MUST_CHECK;

void kin__table_end(kin__table *table);

/* A whole Table of one object.  That of a bookmark is made of the object that the bookmark would
 * have in a plain watch: its kind, its version and nothing else, or as much of it as there is. */
kin_err kin__table_object(kin__table *table, const kin_object *object, bool has_head,
                          kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_TABLE_H */
