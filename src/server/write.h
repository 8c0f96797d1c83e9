/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/write.h - one object while it is written: what was there, what is to be, and the moment
 * when the one becomes the other.
 *
 * create.c, update.c, patch.c and delete.c put an object together; server/strategy.h does what is
 * particular to its kind; kin__write_commit() and kin__write_remove() alone change the storage.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_WRITE_H
#define KIN_SERVER_WRITE_H

#include "server/codec.h"
#include "server/deed.h"

typedef struct kin__write {
    kin__engine *engine; /* borrowed */
    kin__served *served; /* of the request; borrowed */
    kin__served *stored; /* the version in which it is kept; borrowed */
    kin_str sub;         /* the subresource that is written: "status"; empty: the object itself */
    bool is_dry;         /* everything but the write */
    bool is_direct;      /* kin_server_put(): what is given stands, status and all */
    kin__record *before; /* owned reference; NULL: it is not there */
    kin__node *old;      /* its tree, owned; NULL: as `before` */
    kin__node *object;   /* what is to be, owned; NULL at first.  Its members are those of the
                            stored version: server/conversion.h */
} kin__write;

/* All zero before. */
void kin__write_init(kin__write *write, kin__engine *engine, kin__served *served);
void kin__write_fini(kin__write *write);
KIN__DEFINE_AUTO_FINI(kin__write, kin__write_fini)

kin__codec_kind kin__codec_kind_of(const kin__served *served);

/* Reads the object of a body into `write->object`; what is unknown goes, with a warning in `answer`
 * or with 400, as `validation` says.  Custom resources are also pruned and defaulted by their
 * schema.  False with 400, 415. */
bool kin__write_decode(kin__asked *asked, kin__write *write, kin__field_validation validation,
                       kin__answer *answer, kin__refusal *no);

/* What the request's namespace and name have to do with the object's: 400.  An empty namespace is
 * filled in; a name is checked when `name` is not empty. */
bool kin__write_match(kin__write *write, kin_str ns, kin_str name, kin__refusal *no);

/* Finds what is there: `before` and `old`.  False when there is no memory. */
bool kin__write_load(kin__write *write, kin_str ns, kin_str name, kin__refusal *no);

/* The object's metadata; made when there is none.  NULL when there is no memory. */
kin__node *kin__write_metadata(kin__write *write);

/*
 * Writes `write->object` in the storage's next revision, unless it says what is there already: then
 * nothing happens.  `out` is the state afterwards, shared; a dry run's has the resource version
 * that was there, or none.
 */
bool kin__write_commit(kin__write *write, kin__record **out, kin__refusal *no);

/* Removes `write->before`.  `out`, unless it is NULL, is what is told of it, shared:
 * `write->object` when there is one, else the last state; with the resource version `version` (0:
 * the removal's own). */
bool kin__write_remove(kin__write *write, uint64_t version, kin__record **out, kin__refusal *no);

/* A new record of a tree, shared; `revision` 0: without a resource version.  The tree's resource
 * version is set. */
bool kin__write_record(const kin__served *stored, kin__node *tree, uint64_t revision,
                       kin__record **out, kin__refusal *no);

/* Adds a text for a Warning header; beyond KIN__WARNINGS they are dropped.  False when there is no
 * memory. */
bool kin__answer_warn(kin__answer *answer, kin_str text);

/* Of several equal owner references the first stays, with a warning. */
bool kin__write_dedup_owners(kin__node *object, kin__answer *answer, kin__refusal *no);

/* All that the codec warned of. */
bool kin__answer_warn_all(kin__answer *answer, const kin__codec_warnings *warnings,
                          kin__refusal *no);

/* "namespace/name", or "name" when `ns` is empty. */
bool kin__key_append(kin__buf *out, kin_str ns, kin_str name);

/* ---- the verbs, for those who have an object and no request ---------------------------------- */

/* Makes `write->object`: what the server gives is given, names are generated, everything is
 * checked.  False with 409, 422, 500. */
bool kin__create(kin__write *write, kin__record **out, kin__refusal *no); /* create.c */

/* Whether something may be made in a namespace: 404 when it is missing, 403 when it is going. */
bool kin__namespace_check(kin__engine *engine, const kin__served *served, kin_str ns, kin_str name,
                          kin__refusal *no); /* create.c */

/* Puts `write->object` in the place of `write->before`, or removes it when that was all it waited
 * for.  False with 422. */
bool kin__update(kin__write *write, kin__record **out, kin__refusal *no); /* update.c */

/* The uid and resource version in the object, as preconditions: 409, 422, 500. */
bool kin__update_check(kin__write *write, bool has_uid_precondition, kin__refusal *no);

struct kin__delete_options;

/* Deletes `write->before`, as the options and its finalizers want it.  `out`: what is told of it,
 * shared; `out_is_gone`: whether it is gone, or only marked.  False with 409. */
bool kin__delete(kin__write *write, struct kin__delete_options *options, kin__record **out,
                 bool *out_is_gone, kin__refusal *no); /* delete.c */

#endif /* KIN_SERVER_WRITE_H */
