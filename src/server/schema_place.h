/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/schema_place.h - walks over an object along its schema: where they are, and what the
 * schema says of a member.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SCHEMA_PLACE_H
#define KIN_SERVER_SCHEMA_PLACE_H

#include "server/codec_warnings.h"
#include "server/field.h"

/* "spec.list[2]". */
typedef struct kin__schema_place {
    kin__buf path;
} kin__schema_place;

/* Both return what kin__schema_leave() wants. */
size_t kin__schema_enter(kin__schema_place *at, kin_str name);
size_t kin__schema_enter_element(kin__schema_place *at, size_t index);
void kin__schema_leave(kin__schema_place *at, size_t len);

/* Whether it is a member that every object has, whatever its schema says. */
bool kin__schema_is_own(const kin__node *schema, bool is_root, kin_str name);

/* The schema of a member; NULL with `is_known` for members that are allowed and of which nothing is
 * said. */
const kin__node *kin__schema_member(const kin__node *schema, kin_str name, bool *is_known);

/* Notes a member that is to go: none may while members are counted up.  `names` remembers a
 * failure, and then must not be used. */
void kin__schema_note(kin__buf *names, kin_str name);

/* Takes the members that were noted out of `node`, which is at that place; each is told as an
 * unknown field, unless `warnings` is NULL. */
void kin__schema_drop(kin__schema_place *at, kin__node *node, const kin__buf *names,
                      kin__codec_warnings *warnings);

#endif /* KIN_SERVER_SCHEMA_PLACE_H */
