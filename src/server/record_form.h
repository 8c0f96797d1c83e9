/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/record_form.h - a record as the bytes of one object in an answer: JSON or a message, whole
 * or cut down to its metadata.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_RECORD_FORM_H
#define KIN_SERVER_RECORD_FORM_H

#include "server/deed.h"

/* Borrowed from the record, which keeps what was made.  The record is in the version of `served`;
 * not for Tables.  False when there is no memory, or no such form of it. */
bool kin__record_form(kin__record *record, const kin__served *served, const kin__form *form,
                      kin_str *out);

/* The same of any object, appended; nothing is kept. */
bool kin__object_form(const kin_object *object, const kin__served *served, const kin__form *form,
                      kin__buf *out);

/* The record with an annotation of `size` bytes put in; a new reference, NULL when there is no
 * memory. */
kin__record *kin__record_enlarged(const kin__record *record, uint64_t size);

#endif /* KIN_SERVER_RECORD_FORM_H */
