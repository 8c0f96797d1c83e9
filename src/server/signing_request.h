/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/signing_request.h - what may be written to a CertificateSigningRequest, and by which way.
 *
 * Its spec stays as it was made.  /approval writes the conditions and nothing else of the status;
 * /status writes everything but the conditions Approved and Denied.  What was decided once is never
 * taken back.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SIGNING_REQUEST_H
#define KIN_SERVER_SIGNING_REQUEST_H

#include "server/write.h"

bool kin__served_is_signing_request(const kin__served *served);

/* Of one that is made: who asks for it, whatever the object says of that.  False when there is no
 * memory. */
bool kin__signing_request_own(const kin__asked *asked, kin__node *request) KIN_MUST_CHECK;

/* Of an update through /approval or /status, whose object has its status alone of what is new.
 * Conditions without times get them.  False when there is no memory. */
bool kin__signing_request_prepare(kin__write *write);

/* Adds to a refusal that was begun what is wrong with the status of an update. */
void kin__signing_request_check(const kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_SIGNING_REQUEST_H */
