/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage/record.h - one state of one object, as the server keeps it.
 *
 * The state is a kin_object of canonical JSON text, kind, apiVersion and resourceVersion included:
 * what a GET answers, less the newline.  Other forms of it (protobuf, metadata alone) are made by
 * the layer above when first asked for, and stay with the record.
 *
 * Threading: confined; counted without atomics.
 */
#ifndef KIN_STORAGE_RECORD_H
#define KIN_STORAGE_RECORD_H

#include "base/cleanup.h"
#include "kin/object.h"

/* Forms beside the text, numbered by the layer above. */
#define KIN__RECORD_FORMS 4

typedef struct kin__record {
    uint32_t refs;
    uint32_t head_len;  /* of the text before "metadata", for kinds whose list items leave out kind
                           and apiVersion: an item is '{' and the text from there on; 0: an item is
                           the whole text */
    uint64_t revision;  /* of the change that wrote it; what its resourceVersion says */
    kin_object *object; /* owned reference */
    struct {
        char *data; /* owned: kin__free(); NULL: was not asked for yet */
        size_t len;
    } forms[KIN__RECORD_FORMS];
} kin__record;

/* `object` is consumed on success; it is JSON.  Fails with NO_MEMORY. */
kin_err kin__record_new(kin_object *object, uint32_t head_len, uint64_t revision, kin__record **out,
                        kin_error *err) KIN_MUST_CHECK;
kin__record *kin__record_ref(kin__record *record);
void kin__record_unref(kin__record *record); /* NULL is ignored */
KIN__DEFINE_AUTO(kin__record, kin__record_unref)

kin_str kin__record_text(const kin__record *record); /* borrowed */
kin_str kin__record_key(const kin__record *record);  /* "namespace/name" or "name"; borrowed */

#endif /* KIN_STORAGE_RECORD_H */
