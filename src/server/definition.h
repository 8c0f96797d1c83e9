/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/definition.h - CustomResourceDefinitions: what they say, and that it comes true.
 *
 * The versions of a definition are served as soon as it is written; that it is established it is
 * told a turn later, in the conditions of its status.  When it is deleted its objects go first, one
 * by one, then it, and then its resource.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_DEFINITION_H
#define KIN_SERVER_DEFINITION_H

#include "server/write.h"

/* ---- as a strategy: see server/strategy.h ---------------------------------------------------- */

bool kin__definition_prepare(kin__write *write);

/* Before it is deleted: `write->object` becomes one that waits for its objects to go. */
bool kin__definition_mark(kin__write *write);

/* ---- service --------------------------------------------------------------------------------- */

/* Puts its versions on the shelf, and takes those away that it has no more.  False when there is no
 * memory. */
bool kin__definition_serve(kin__engine *engine, kin__record *definition);

/* It is gone, and so is what it defined. */
void kin__definition_end(kin__engine *engine, kin__record *definition);

/* Whether there is nothing to do for it: established, with its names accepted, and to stay. */
bool kin__definition_is_settled(const kin__record *definition);

/* For the upkeep, as kin__namespace_tend(). */
bool kin__definition_tend(kin__engine *engine, kin__record *definition, size_t *budget,
                          bool *waits);

#endif /* KIN_SERVER_DEFINITION_H */
