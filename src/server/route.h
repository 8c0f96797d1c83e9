/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/route.h - what a request is about: its method and path.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_ROUTE_H
#define KIN_SERVER_ROUTE_H

#include "server/deeds.h"
#include "server/form.h"
#include "server/params.h"
#include "server/refusal.h"
#include "server/served.h"

/* Texts lie in `words`, escapes undone. */
typedef struct kin__route {
    kin__deed deed;
    kin_str path;                     /* with escapes undone */
    kin_str group, version, resource; /* as the path names them, served or not; empty for a path */
    kin_str ns;   /* empty: none was named; empty for a namespace itself: kin__route_scope() */
    kin_str name; /* of the object; of `metadata.name=` in a field selector for list and watch, as
                     the real server's authorization has it, see is_name_selected */
    kin_str sub;  /* "status"; empty */
    bool is_name_selected;
    bool is_resource;  /* /api/v1/..., /apis/group/version/... with a resource */
    bool is_old_watch; /* /api/v1/watch/...: a watch, whatever the query says; with a name (which is
                          not "selected"), of that object alone: kin__params_narrow() */
    bool is_head;      /* HEAD, which custom resources answer as if it were GET */
    bool is_put_wrong; /* an empty part, or one behind the subresource */
    kin__served *served; /* borrowed; NULL: not served */
    kin__buf words;
} kin__route;

/*
 * Reads method, path and query.  True for what could be read, whether it is served or not
 * (kin__route_check() tells): authorization comes in between.  False for a path with broken escapes
 * (400) and for /watch without a resource (500), both in plain text, and without memory.
 */
bool kin__route_read(const kin__shelf *shelf, kin_str method, kin_str path, kin_str query,
                     kin__route *out, kin__refusal *no);
void kin__route_fini(kin__route *route);
KIN__DEFINE_AUTO_FINI(kin__route, kin__route_fini)

/* Whether there is such a resource, with that subresource, and whether the method can be used on
 * it: 404 in its two forms, 405, and 400 for names that cannot be.  True for paths, which
 * kin__serve_path() checks. */
bool kin__route_check(const kin__shelf *shelf, const kin__route *route, kin__refusal *no);

/* The namespace that authorization speaks of; empty: the whole cluster.  A namespace whose path it
 * is, is in itself. */
kin_str kin__route_scope(const kin__route *route);

#endif /* KIN_SERVER_ROUTE_H */
