/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/fault_read.h - faults as they are written: their names and members, and what they strike.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_FAULT_READ_H
#define KIN_SERVER_FAULT_READ_H

#include "json/tree.h"
#include "server/fault.h"

/* Reads the members into a fault that has none; `words` has room for all texts.  Fails with
 * MALFORMED (what is wrong), NO_MEMORY. */
kin_err kin__fault_read(const kin__node *tree, kin__fault *fault, kin_error *err) KIN_MUST_CHECK;

const char *kin__fault_name(kin__fault_act act);

/* What it does to an answer; NOTHING: something else. */
kin__spoil_act kin__fault_spoil_act(kin__fault_act act);

/* The usual one of a status; "" when there is none. */
const char *kin__fault_reason_of(uint64_t code);

/* Whether it happens in the middle of an answer: then open watches can be struck, too. */
bool kin__fault_strikes_answers(kin__fault_act act);
bool kin__fault_strikes_watches_alone(const kin__fault *fault);

#endif /* KIN_SERVER_FAULT_READ_H */
