/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/conversion.h - members that have another name or place in another version of their kind.
 *
 * Whoever writes has a tree in the version of the request after it was decoded, and in the one that
 * is stored from then on; whoever reads has it the other way round.  Of most kinds the members are
 * the same in all versions, and nothing happens.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_CONVERSION_H
#define KIN_SERVER_CONVERSION_H

#include "json/tree.h"
#include "server/served.h"

/* From the version of `served` to the one that is stored, and back.  apiVersion stays as it is.
 * False when there is no memory: then some members may have the other form. */
bool kin__convert_to_stored(const kin__served *served, kin__node *tree) KIN_MUST_CHECK;
bool kin__convert_from_stored(const kin__served *served, kin__node *tree) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CONVERSION_H */
