/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/builtin_table.h - the resources that are there from the start, as rows.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_BUILTIN_TABLE_H
#define KIN_SERVER_BUILTIN_TABLE_H

#include "server/served.h"

typedef struct kin__builtin {
    const char *group, *version, *resource, *singular, *kind;
    bool is_namespaced;
    bool is_stored;
    uint32_t verbs;
    uint32_t traits;
    kin__name_rule name_rule;
    const char *short_names[2];
    const char *category; /* NULL: none */
    const char *storage_hash;
    const kin__served_sub *subs; /* NULL: none */
} kin__builtin;

/* In the order of discovery. */
extern const kin__builtin kin__builtin_table[];
extern const size_t kin__builtin_count;

#endif /* KIN_SERVER_BUILTIN_TABLE_H */
