/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/partial.h - objects and lists cut down to their metadata, in JSON and in protobuf.
 *
 *     {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{...}}
 *     {"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{...},
 *      "items":[...]}
 *
 * The metadata is that of the object, as it is; but that of a custom resource, whose members are
 * sorted by name, comes in the order of the type, and a few annotations that stand for fields are
 * left out (partial.c names them).  The bytes are those that kube-apiserver 1.36.3 sends.  Where a
 * function fails, what was written so far is of no use.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_PARTIAL_H
#define KIN_SERVER_PARTIAL_H

#include "json/writer.h"
#include "kin/object.h"

#define KIN__META_V1 "meta.k8s.io/v1"

/* What a list says of itself.  All zero is a list without a version, whole. */
typedef struct kin__list_meta {
    kin_str resource_version; /* empty: left out */
    kin_str next;             /* its `continue`; empty: left out */
    int64_t remaining;        /* items beyond this page */
    bool has_remaining;       /* false: not told */
} kin__list_meta;

/* {"resourceVersion":...}, with what there is of it. */
void kin__list_meta_write(kin__json_writer *w, const kin__list_meta *meta);

/* Writes one object.  `api_version` is KIN__META_V1 or "meta.k8s.io/v1beta1".  Fails with MALFORMED
 * and LIMIT (an object that came in protobuf, as kin_object_json()) and NO_MEMORY. */
kin_err kin__partial_write(kin__json_writer *w, const kin_object *object, kin_str api_version,
                           kin_error *err) KIN_MUST_CHECK;

/* The same of JSON that is there: that of the metadata. */
void kin__partial_write_text(kin__json_writer *w, kin_str metadata, kin_str api_version);

/* A list: begin, items, end. */
typedef struct kin__partial_list {
    kin__json_writer *w;
    kin_str api_version; /* of the list and its items; borrowed */
    bool has_items;
} kin__partial_list;

kin__partial_list kin__partial_list_begin(kin__json_writer *w, kin_str api_version,
                                          const kin__list_meta *meta);
kin_err kin__partial_list_item(kin__partial_list *list, const kin_object *object,
                               kin_error *err) KIN_MUST_CHECK;

/* The items of a list without any are null, as the API server has it. */
void kin__partial_list_end(kin__partial_list *list);

/*
 * Appends the message of one object, meta.v1.PartialObjectMetadata, without an envelope.  Fails
 * with MALFORMED (metadata that no message holds: a member that the tables do not know) and
 * NO_MEMORY.
 */
kin_err kin__partial_message(const kin_object *object, kin__buf *buf,
                             kin_error *err) KIN_MUST_CHECK;

/* The same of the metadata's JSON, which the scanner has passed. */
kin_err kin__partial_message_text(kin_str metadata, kin__buf *buf, kin_error *err) KIN_MUST_CHECK;

/* Of a list in protobuf, meta.v1.PartialObjectMetadataList, first its metadata and then item by
 * item: one after the other they are the list's message.  A failure of the first stays in `buf`. */
void kin__partial_list_message(const kin__list_meta *meta, kin__buf *buf);
kin_err kin__partial_item_message(const kin_object *object, kin__buf *buf,
                                  kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_PARTIAL_H */
