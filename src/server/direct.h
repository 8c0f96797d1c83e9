/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/direct.h - objects put and removed without a request: what kin_server_put() and
 * kin_server_remove() promise, on the loop.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_DIRECT_H
#define KIN_SERVER_DIRECT_H

#include "server/deed.h"

/*
 * Makes or replaces an object, as it stands: its status, and its uid, times and generation where it
 * has them; what it lacks of these is given, or stays as it was.  Nothing is defaulted.  A
 * namespace that is missing is made.  False with 400 (no object, or one without kind), 404 (no such
 * kind is served), 422.
 */
bool kin__put_direct(kin__engine *engine, kin_str json, uint64_t *out_revision, kin__refusal *no);

/* The same for a text that is known to be JSON. */
bool kin__put_checked(kin__engine *engine, kin_str json, uint64_t *out_revision, kin__refusal *no);

/* Removes it, whatever finalizers it has; `ns` is empty for cluster-scoped ones.  False with 404.
 */
bool kin__remove_direct(kin__engine *engine, kin_str api_version, kin_str kind, kin_str ns,
                        kin_str name, uint64_t *out_revision, kin__refusal *no);

#endif /* KIN_SERVER_DIRECT_H */
