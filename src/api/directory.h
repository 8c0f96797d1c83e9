/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/directory.h - the resources of the server a client talks to, asked for when needed.
 *
 * Asks once and keeps the answer; asks again when a name is not in it, and never twice at the same
 * time: whoever comes while the server is being asked waits for that answer.
 *
 * Threading: on the loop, but for what says otherwise.
 */
#ifndef KIN_API_DIRECTORY_H
#define KIN_API_DIRECTORY_H

#include "api/catalogue.h"
#include "api/exchange.h"
#include "base/list.h"

typedef struct kin__directory kin__directory;

/* `wire` is borrowed until free.  Fails with NO_MEMORY. */
kin_err kin__directory_new(kin__wire *wire, const kin_logger *logger, kin__directory **out,
                           kin_error *err) KIN_MUST_CHECK;
void kin__directory_free(kin__directory *directory);

/* One who asks for a resource: by `name`, or, when `kind` is not NULL, by api_version and kind. All
 * is the asker's, until it is told or stops asking. */
typedef struct kin__directory_wait {
    kin__link link;
    const char *name;
    const char *api_version;
    const char *kind;
    bool needs_fresh; /* what is known already does not do; also without any name: then `resource`
                         is NULL in the end, and the catalogue is up to date */
    /* `resource` is borrowed; NULL with `err` when there is none or the server did not say. */
    void (*tell)(struct kin__directory_wait *wait, const kin_resource *resource,
                 const kin_error *err);
} kin__directory_wait;

/* Tells it at once, from inside this call, when it is known; else when the server has answered. */
void kin__directory_ask(kin__directory *directory, kin__directory_wait *wait);

/* Does nothing when it does not wait. */
void kin__directory_stop(kin__directory_wait *wait);

/* What `name` means as far as is known now: shared, to be unreferenced; NULL: not asked yet, or not
 * there.  Asks nobody.  `directory` may be NULL.  Any thread. */
kin_resource *kin__directory_look(kin__directory *directory, kin_str name);

/* What the server has, as far as it is known; NULL: not asked yet. */
const kin__catalogue *kin__directory_catalogue(const kin__directory *directory);

#endif /* KIN_API_DIRECTORY_H */
