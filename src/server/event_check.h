/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/event_check.h - what kube-apiserver wants of Events.
 *
 * Written through the core group they are checked as they always were; through events.k8s.io a new
 * one has all that is new and nothing that is deprecated, and later only its series and metadata
 * change.  Whatever the way, fields are called by their names in the core group, as a real server
 * does, but for reportingController.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_EVENT_CHECK_H
#define KIN_SERVER_EVENT_CHECK_H

#include "server/write.h"

/* Of either group. */
bool kin__served_is_event(const kin__served *served);

/* Adds to a refusal that was begun what is wrong with `write->object`, in the stored version.  Of a
 * new one the metadata is checked as well: before some things, and after others. */
void kin__event_check_new(kin__write *write, kin__refusal *no);

/* Of one that takes the place of `write->old`, in its canonical form. */
void kin__event_check_update(kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_EVENT_CHECK_H */
