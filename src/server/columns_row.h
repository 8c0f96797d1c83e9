/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/columns_row.h - how the columns of built-in kinds are written down.
 *
 *     columns_core.c, columns_workload.c, ...   the kinds, by what they are about
 *
 * Names, types, formats, descriptions and priorities were taken from the Tables that
 * kube-apiserver 1.36.3 answers, with all APIs enabled.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_COLUMNS_ROW_H
#define KIN_SERVER_COLUMNS_ROW_H

#include "server/printer_kinds.h"

#define COLUMN(name, type, format, description, priority, print, path, otherwise)                  \
    {                                                                                              \
        TEXT(name), TEXT(type), TEXT(format), TEXT(description), priority, print, path, otherwise, \
            NULL                                                                                   \
    }

#define DESCRIBES_NAME                                                                             \
    "Name must be unique within a namespace. Is required when creating resources, although some "  \
    "resources may allow a client to request the generation of an appropriate name "               \
    "automatically. Name is primarily intended for creation idempotence and configuration "        \
    "definition. Cannot be updated. More info: "                                                   \
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

#define DESCRIBES_AGE                                                                              \
    "CreationTimestamp is a timestamp representing the server time when this object was created. " \
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "  \
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by "    \
    "the system. Read-only. Null for lists. More info: "                                           \
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

#define COLUMN_NAME COLUMN("Name", "string", "name", DESCRIBES_NAME, 0, kin__print_name, NULL, NULL)

#define COLUMN_AGE COLUMN("Age", "string", "", DESCRIBES_AGE, 0, kin__print_age, NULL, NULL)

#define COLUMN_CONTAINERS(path, priority)                                                          \
    COLUMN("Containers", "string", "", "Names of each container in the template.", priority,       \
           kin__print_containers, path, NULL)

#define COLUMN_IMAGES(path, priority)                                                              \
    COLUMN("Images", "string", "", "Images referenced by each container in the template.",         \
           priority, kin__print_images, path, NULL)

/* A kind whose columns are in the array `rows`. */
#define KIND(group_, kind_, rows)                                                                  \
    .group = TEXT(group_), .kind = TEXT(kind_), .columns = (rows),                                 \
    .count = sizeof(rows) / sizeof((rows)[0])

typedef struct kin__columns_set {
    const kin__columns *kinds;
    size_t count;
} kin__columns_set;

extern const kin__columns_set kin__columns_core;
extern const kin__columns_set kin__columns_workload;
extern const kin__columns_set kin__columns_network;
extern const kin__columns_set kin__columns_storage;
extern const kin__columns_set kin__columns_access;
extern const kin__columns_set kin__columns_system;
extern const kin__columns_set kin__columns_devices;

#endif /* KIN_SERVER_COLUMNS_ROW_H */
