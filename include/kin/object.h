/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/object.h - a Kubernetes object, as the server sent it.
 *
 * An object is one allocation that holds the bytes that came from the server, less what a
 * mask left out.  Its metadata is found once, when it is made; every other field is read on
 * demand, by path, without building a tree.
 *
 * What it promises
 *   - It never changes.  Readers hold `const kin_object *`; to change one, see kin/edit.h.
 *   - It has a name.  Bytes without metadata.name are refused, unless the options allow them; then
 *     its name is empty, and its key is none that kin_key_split() accepts.
 *   - Nothing here says in which encoding its bytes are: JSON text is what
 *     kin_object_json() makes of them.
 *   - Getters allocate nothing, and what they return is borrowed from the object.
 *
 * Threading: immutable; references may be taken and dropped on any thread.
 */
#ifndef KIN_OBJECT_H
#define KIN_OBJECT_H

#include "kin/common.h"
#include "kin/path.h"
#include "kin/value.h"

KIN_BEGIN_DECLS

typedef struct kin_object kin_object;

/* How an object is made.  Zero means the default for every field. */
typedef struct kin_object_options {
    size_t size;             /* set by KIN_OBJECT_OPTIONS_INIT */
    const kin_mask *mask;    /* borrowed for the call; NULL: everything is kept */
    const char *api_version; /* for bytes without that member, as the items of a list; NULL: none */
    const char *kind;        /* the same */
    bool allows_no_name;     /* accepts bytes without metadata.name: what is to be created with
                                generateName, and reviews, which have none */
} kin_object_options;

#define KIN_OBJECT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(kin_object_options), NULL, NULL, NULL, false                                        \
    }

/*
 * Makes an object of `len` bytes of JSON: one object, with white space around it at most.
 *
 * bytes    borrowed for the call
 * options  borrowed for the call; NULL for the defaults
 * out      shared: the caller holds the only reference; release with kin_object_unref()
 *
 * Fails with MALFORMED (not JSON, not an object, metadata that is not what it should be: the
 * message says what and at which byte), LIMIT (nested deeper than 1,000; 4 GB and more; namespace
 * and name together, a uid, version or label of 64 KB and more; more than 65,535 labels), USAGE
 * (options not initialised; api_version or kind with a blank, quote, backslash or anything but
 * printable ASCII), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_object_from_json(const char *bytes, size_t len,
                                                    const kin_object_options *options,
                                                    kin_object **out, kin_error *err);

/*
 * Makes an object of `len` bytes of protobuf, as the API server sends them for built-in kinds
 * (application/vnd.kubernetes.protobuf): an envelope, which begins with "k8s" and a zero byte, or,
 * when the options give api_version and kind, a message without one, as the items of a list are.
 * What an envelope says of its kind comes before the options.
 *
 * The object answers as one that was made of the JSON that the server would have sent.  It takes
 * less time to make and about half the memory.  Only its metadata is checked at once; what is wrong
 * below is found when it is read: then values are missing and answer MALFORMED, and
 * kin_object_json() fails.  So it is with a message that comes twice where there is to be one: no
 * server writes that.  A mask cannot choose parts of JSON that lies inside the protobuf (that
 * of managedFields, and of free-form fields): it leaves out all of it, or nothing.
 *
 * bytes    borrowed for the call
 * options  borrowed for the call; NULL for the defaults
 * out      shared: the caller holds the only reference; release with kin_object_unref()
 *
 * Fails with NOT_FOUND (a kind that this version of the library does not know in protobuf, as all
 * custom resources: ask the server for JSON), MALFORMED (no protobuf, or metadata that is not what
 * it should be: the message says what and at which byte), LIMIT (as kin_object_from_json()), USAGE
 * (options not initialised), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_object_from_protobuf(const void *bytes, size_t len,
                                                        const kin_object_options *options,
                                                        kin_object **out, kin_error *err);

/* Takes another reference and returns `object`.  NULL gives NULL. */
KIN_API kin_object *kin_object_ref(const kin_object *object);

/* Drops a reference; with the last one the object goes.  Returns NULL.  NULL is ignored. */
KIN_API kin_object *kin_object_unref(const kin_object *object);

/* "namespace/name", or "name" for an object without a namespace. */
KIN_API kin_str kin_object_key(const kin_object *object);
KIN_API kin_str kin_object_namespace(const kin_object *object); /* empty: none */
KIN_API kin_str kin_object_name(const kin_object *object);
KIN_API kin_str kin_object_uid(const kin_object *object);              /* empty: none */
KIN_API kin_str kin_object_resource_version(const kin_object *object); /* empty: none */
KIN_API kin_str kin_object_api_version(const kin_object *object);      /* empty: none */
KIN_API kin_str kin_object_kind(const kin_object *object);             /* empty: none */
KIN_API int64_t kin_object_generation(const kin_object *object);       /* 0: none */

/* In whole seconds, as the API server writes them.  False when the object has no such time. */
KIN_API bool kin_object_creation_time(const kin_object *object, kin_time *out);
KIN_API bool kin_object_deletion_time(const kin_object *object, kin_time *out);

/* Labels are always borrowed and never need a scratch.  `index` runs from 0 to the count, in the
 * order of the keys' bytes. */
KIN_API size_t kin_object_label_count(const kin_object *object);
KIN_API bool kin_object_label_at(const kin_object *object, size_t index, kin_str *out_key,
                                 kin_str *out_value);
KIN_API bool kin_object_label(const kin_object *object, kin_str key, kin_str *out);

/* The annotations as an object value, one annotation, and the owner references as an array;
 * missing when there are none. */
KIN_API kin_value kin_object_annotations(const kin_object *object);
KIN_API kin_value kin_object_annotation(const kin_object *object, kin_str key);
KIN_API kin_value kin_object_owners(const kin_object *object);

/* The owner reference with `controller: true`; missing when there is none. */
KIN_API kin_value kin_object_controller_owner(const kin_object *object);

/*
 * What a path leads to: as text, read anew on each call, or compiled.  With [*] in it, the
 * first match; kin_object_each() tells all of them.
 */
KIN_API kin_value kin_object_at(const kin_object *object, const char *path);
KIN_API kin_value kin_object_at_path(const kin_object *object, const kin_path *path);

/* Return false to stop.  `match` is borrowed for as long as the object. */
typedef bool (*kin_match_fn)(void *context, kin_value match);

/* Calls `fn` for every match of `path`, in the order of the object; returns how many calls
 * were made. */
KIN_API size_t kin_object_each(const kin_object *object, const kin_path *path, kin_match_fn fn,
                               void *context);

/* True when a mask left something out other than metadata.managedFields, or when the object came in
 * protobuf with fields that this version of the library does not know: such an object can be
 * edited, but the edit can only become a patch.  Walks an object that came in protobuf. */
KIN_API bool kin_object_is_partial(const kin_object *object);

/*
 * The object's compact JSON, with apiVersion and kind: terminated, `out_len` bytes long, owned by
 * the caller; release with kin_free().  Fails with NO_MEMORY; of an object that came in protobuf
 * also with MALFORMED and LIMIT (more than 200 messages inside each other), for what was not
 * checked when it was made.
 */
KIN_API KIN_MUST_CHECK kin_err kin_object_json(const kin_object *object, char **out,
                                               size_t *out_len, kin_error *err);

/* Whether two objects say the same; see kin_value_equal(). */
KIN_API KIN_MUST_CHECK kin_err kin_object_equal(const kin_object *a, const kin_object *b,
                                                bool *out);

/* The bytes of memory the object occupies, its header included. */
KIN_API size_t kin_object_size(const kin_object *object);

KIN_END_DECLS
#endif /* KIN_OBJECT_H */
