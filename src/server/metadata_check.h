/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/metadata_check.h - what metadata may say: names, labels, annotations, finalizers, owners.
 *
 * Each function adds what it finds to a refusal that kin__refusal_begin_invalid() has begun, in the
 * words of kube-apiserver 1.36 and in its order.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_METADATA_CHECK_H
#define KIN_SERVER_METADATA_CHECK_H

#include "json/tree.h"
#include "server/refusal.h"
#include "server/served.h"

#define KIN__ANNOTATIONS_MAX (256 * 1024) /* bytes of all names and values */

/* Of an object that is made. */
void kin__metadata_check(const kin__served *served, const kin__node *metadata, kin__refusal *no);

/* Of one that takes the place of `old`: what cannot change, and no new finalizers once it is being
 * deleted.  The real server looks twice (at labels four times), and says everything as often. */
void kin__metadata_check_update(const kin__served *served, const kin__node *metadata,
                                const kin__node *old, kin__refusal *no);

/* Appends what is wrong with a name by a rule; false when there is nothing. */
bool kin__name_explain(kin__name_rule rule, kin_str name, kin__buf *out);

/* `FieldValueInvalid`, `Invalid value: "value": why` with the value quoted. */
void kin__invalid_text(kin__refusal *no, const char *field, kin_str value, const char *why);

/* Adds what is wrong with a qualified name: "example.com/name". */
void kin__key_check(const char *field, kin_str key, kin__refusal *no);

#endif /* KIN_SERVER_METADATA_CHECK_H */
