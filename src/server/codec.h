/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/codec.h - from the body of a request to the tree of an object, and from the tree to the
 * JSON that the server stores and sends.
 *
 * Both are those of kube-apiserver 1.36.  Built-in kinds go through the tables of the API types
 * (proto/schema.h): what the tables do not know is dropped and told of, values are checked as Go's
 * decoder does, and JSON comes out in Go's order with canonical times and quantities and without
 * what is empty.  Custom resources are free but for their metadata, and come out sorted by name at
 * every level.
 *
 * What a real server does and this does not:
 *   - a member that comes twice is merged member by member where it is an object, as in Go; of two
 *     arrays the last counts, where Go fills the elements of the first one again;
 *   - bytes that are no UTF-8, and halves of surrogate pairs, are refused, where Go replaces them:
 *     those of requests are replaced before (server/mend.h);
 *   - documents deeper than KIN__JSON_DEPTH_MAX, and schemas deeper than KIN__PB_DEPTH_MAX, are
 *     refused;
 *   - bytes that are written as an array of numbers are refused, unless it is empty;
 *   - inside RawExtension, FieldsV1 and JSON values, strings are written anew (an escape that is
 * not needed goes), and of two members with one name the last one stays;
 *   - nothing is defaulted, and the schemas of custom resources are not looked at.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_CODEC_H
#define KIN_SERVER_CODEC_H

#include "json/tree.h"
#include "proto/schema.h"
#include "server/codec_warnings.h"
#include "server/refusal.h"

/* The minor release whose fields are known: the others' are unknown fields. */
#define KIN__CODEC_RELEASE 36

/* The query parameter fieldValidation. */
typedef enum kin__field_validation {
    KIN__FIELDS_WARN,   /* the default: unknown and duplicate fields are warned of */
    KIN__FIELDS_STRICT, /* ... are refused */
    KIN__FIELDS_IGNORE  /* ... are dropped silently */
} kin__field_validation;

/* What the URL says the object is; borrowed. */
typedef struct kin__codec_kind {
    kin_str api_version;     /* "v1", "apps/v1" */
    kin_str kind;            /* "Pod" */
    kin__pb_message message; /* KIN__PB_NO_MESSAGE: a custom resource */
} kin__codec_kind;

typedef struct kin__codec_body {
    kin_str bytes;    /* borrowed */
    bool is_protobuf; /* application/vnd.kubernetes.protobuf, with its envelope; else JSON */
    kin__field_validation validation;
} kin__codec_body;

/*
 * The object of a body; `out` is owned: release with kin__node_free().  The tree has `apiVersion`
 * and `kind`; for built-in kinds they are the URL's when the body has none.  It holds no unknown
 * members, and for built-in kinds no null members.  The kind of a custom resource that is not the
 * URL's is left as it is, for validation to refuse.
 *
 * `warnings` gets what is to be warned of, in place of what was there; nothing when `validation` is
 * not WARN.
 *
 * False when it is refused: 400, or for lack of memory.
 */
bool kin__codec_decode(const kin__codec_kind *kind, const kin__codec_body *body, kin__node **out,
                       kin__codec_warnings *warnings, kin__refusal *no) KIN_MUST_CHECK;

/*
 * Appends the JSON of an object as the server sends it, without the line end.  A tree that
 * kin__codec_decode() or kin__prune() made, and whose members were since set to values of the right
 * types, has one; `kind` and `apiVersion` are those of `kind` for built-in kinds, and those of the
 * tree for custom resources.
 *
 * Fails with MALFORMED (a member that the tables do not know or that has another type: then it
 * should have been pruned) and NO_MEMORY; then `buf` has the content it had.
 */
kin_err kin__codec_encode(const kin__codec_kind *kind, const kin__node *tree, kin__buf *buf,
                          kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CODEC_H */
