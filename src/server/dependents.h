/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/dependents.h - what becomes of the objects that a deleted one owns.
 *
 * That is a garbage collector's work, which finds it written on the object: the finalizer "orphan"
 * or "foregroundDeletion".  The server has no collector; these are for those who run one beside it.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_DEPENDENTS_H
#define KIN_SERVER_DEPENDENTS_H

#include "server/write.h"
#include "server/write_options.h"

/* Gives the object that is deleted the finalizer that the options ask for, and takes those away
 * that they do not; `write->object` is made when something changes.  False when there is no
 * memory. */
bool kin__dependents_mark(kin__write *write, const kin__delete_options *options) KIN_MUST_CHECK;

#endif /* KIN_SERVER_DEPENDENTS_H */
