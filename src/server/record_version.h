/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/record_version.h - a record in the version through which it is read.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_RECORD_VERSION_H
#define KIN_SERVER_RECORD_VERSION_H

#include "server/deed.h"

/* How long the text before "metadata" is in a record of that kind; 0 for custom resources. */
uint32_t kin__record_head_len(const kin__served *served);

/*
 * The record as an object of `served`: a reference to itself where that is its version, else a copy
 * with that apiVersion.  Of a built-in kind, members have the names of that version
 * (server/conversion.h), and those that it does not know are gone.  A custom resource that was
 * written before its definition changed is pruned and defaulted by what that says now.  NULL when
 * there is no memory, or the object cannot be said in that version.
 */
kin__record *kin__record_for(const kin__served *served, kin__record *record);

/* Whether that is the record itself. */
bool kin__record_is_in_version(const kin__served *served, const kin__record *record);

/* Whether all records of its collection are in its version as they are.  Of custom resources they
 * need not be: each stays in the version that was stored when it was written. */
static inline bool kin__records_are_native(const kin__served *served)
{
    return served->is_stored && (served->traits & KIN__IS_CUSTOM) == 0;
}

#endif /* KIN_SERVER_RECORD_VERSION_H */
