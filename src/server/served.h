/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/served.h - the resources that the server serves, and what is particular to each.
 *
 * A kin__served is one resource of one version: pods of v1, deployments of apps/v1.  Versions of
 * one group's resource share a collection, in which objects lie in the version that is stored
 * (is_stored).  Built-in ones are there for the server's life; those of custom resource definitions
 * come and go (kin__shelf_add(), kin__shelf_remove()), and whoever holds one across turns of the
 * loop takes a reference.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SERVED_H
#define KIN_SERVER_SERVED_H

#include "proto/schema.h"
#include "storage/storage.h"

enum kin__served_verb {
    KIN__VERB_GET = 1 << 0,
    KIN__VERB_LIST = 1 << 1,
    KIN__VERB_WATCH = 1 << 2,
    KIN__VERB_CREATE = 1 << 3,
    KIN__VERB_UPDATE = 1 << 4,
    KIN__VERB_PATCH = 1 << 5,
    KIN__VERB_DELETE = 1 << 6,
    KIN__VERB_DELETE_COLLECTION = 1 << 7
};

enum kin__served_trait {
    KIN__HAS_STATUS = 1 << 0,     /* a status subresource: its own writes, wiped on create */
    KIN__HAS_SCALE = 1 << 1,      /* a scale subresource */
    KIN__HAS_GENERATION = 1 << 2, /* 1 at first, +1 when the spec changes */
    KIN__GENERATION_BY_ANNOTATIONS = 1 << 3, /* ... or the annotations: Deployment */
    KIN__CREATES_ON_UPDATE = 1 << 4,         /* PUT makes what is not there */
    KIN__UPDATES_ONLY_BY_VERSION = 1
                                   << 5, /* PUT without resourceVersion is refused: Lease, custom */
    KIN__DELETE_ANSWERS_OBJECT = 1 << 6, /* not a Status */
    KIN__IS_UNCACHED = 1 << 7,           /* Events: no bookmarks, limits hold at version "0" too */
    KIN__IS_CUSTOM = 1 << 8,             /* of a CustomResourceDefinition */
    KIN__IS_VIRTUAL = 1 << 9,            /* reviews and the like: created, answered, never kept */
    KIN__IS_GRACEFUL = 1 << 10,          /* pods: deletion has a grace period */
    KIN__IS_KEPT_IN_CORE = 1 << 11       /* a version of the core's resource of that name: Events */
};

/* How names of its objects are checked. */
typedef enum kin__name_rule {
    KIN__NAME_SUBDOMAIN, /* RFC 1123 subdomain */
    KIN__NAME_LABEL,     /* RFC 1123 label: namespaces, services */
    KIN__NAME_PATH,      /* anything that can stand in a path: RBAC */
    KIN__NAME_ADDRESS    /* an IP address as it is written canonically */
} kin__name_rule;

#define KIN__SERVED_SHORT_NAMES 4
#define KIN__SERVED_CATEGORIES 4

typedef struct kin__served_sub {
    const char *name;                   /* "status"; NULL: no more */
    const char *group, *version, *kind; /* of what it answers; "" as the resource's own */
    uint32_t verbs;
} kin__served_sub;

typedef struct kin__served {
    kin_str group;       /* "" for core */
    kin_str version;     /* "v1" */
    kin_str api_version; /* "v1", "apps/v1" */
    kin_str resource;    /* "deployments" */
    kin_str singular;    /* "deployment" */
    kin_str kind;        /* "Deployment" */
    kin_str list_kind;   /* "DeploymentList" */
    kin_str full_name;   /* "pods", "deployments.apps": as messages call it */
    bool is_namespaced;
    bool is_stored; /* the version that its collection has */
    uint32_t verbs;
    uint32_t traits;
    kin__name_rule name_rule;
    kin__pb_message message;                          /* KIN__PB_NO_MESSAGE for custom ones */
    const char *short_names[KIN__SERVED_SHORT_NAMES]; /* up to the first NULL */
    const char *categories[KIN__SERVED_CATEGORIES];   /* "all"; up to the first NULL */
    kin_str warning; /* what every answer says of a version that is deprecated; empty: nothing */
    const char *storage_hash; /* of discovery, which makes those of custom ones itself; "": none */
    const kin__served_sub *subs; /* ends with a NULL name; NULL: none */
    kin__collection *collection; /* NULL for virtual ones */
    kin__record *definition;     /* the CustomResourceDefinition; NULL for built-in ones */
    uint32_t refs;
    bool is_gone; /* its definition was removed: watches end */
} kin__served;

typedef struct kin__shelf kin__shelf; /* all of them */

/* With every built-in resource of the tables, each with an empty collection. */
kin_err kin__shelf_new(kin__storage *storage, kin__shelf **out, kin_error *err) KIN_MUST_CHECK;
void kin__shelf_free(kin__shelf *shelf);
KIN__DEFINE_AUTO(kin__shelf, kin__shelf_free)

/* Borrowed while they are there; NULL when there is none. */
kin__served *kin__shelf_find(const kin__shelf *shelf, kin_str group, kin_str version,
                             kin_str resource);
kin__served *kin__shelf_find_kind(const kin__shelf *shelf, kin_str api_version, kin_str kind);
kin__served *kin__shelf_stored(const kin__shelf *shelf, const kin__served *served);

bool kin__shelf_has_group(const kin__shelf *shelf, kin_str group);
bool kin__shelf_has_version(const kin__shelf *shelf, kin_str group, kin_str version);
bool kin__shelf_is_built_in(const kin__shelf *shelf, kin_str group); /* of any built-in kind */

/* By index, in the order of discovery (groups as the real server ranks them, then versions by
 * preference, then resources by name); NULL beyond the last.  The order changes with each change.
 */
kin__served *kin__shelf_at(const kin__shelf *shelf, size_t index);

/* A counter that moves with each change, for what is made of the whole shelf (discovery). */
uint64_t kin__shelf_edition(const kin__shelf *shelf);

/* One version of a custom resource; `definition` is referenced.  All texts are copied; api_version
 * and full_name are made of the others, and list_kind where it is empty.  An entry with the same
 * names is replaced (and not marked as gone) and keeps its collection.  Fails with NO_MEMORY. */
kin_err kin__shelf_add(kin__shelf *shelf, const kin__served *served, kin__record *definition,
                       kin_error *err) KIN_MUST_CHECK;
/* All versions of a custom one; marked as gone, the collection goes with the last reference. */
void kin__shelf_remove(kin__shelf *shelf, kin_str group, kin_str resource);
/* One version of it; the collection stays, with the others or stowed away until a version is added
 * again. */
void kin__shelf_remove_version(kin__shelf *shelf, kin_str group, kin_str version, kin_str resource);

/* The resources that have a collection and no served version: the one after `before`, or the first
 * for NULL; NULL beyond the last.  Each is its last version, marked as gone. */
kin__served *kin__shelf_stowed(const kin__shelf *shelf, const kin__served *before);

kin__served *kin__served_ref(kin__served *served);
void kin__served_unref(kin__served *served);

#endif /* KIN_SERVER_SERVED_H */
