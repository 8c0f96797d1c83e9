/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/builtin.h - what names of built-in resources mean, without asking a server.
 *
 * Only for telling whether two names are of one resource: what a server has, and under which
 * versions, it says itself (api/catalogue.h).
 *
 * Threading: immutable.
 */
#ifndef KIN_API_BUILTIN_H
#define KIN_API_BUILTIN_H

#include "kin/common.h"

#define KIN__BUILTIN_NAME_MAX 64

typedef struct kin__builtin {
    kin_str group;   /* "" for core; borrowed from the tables */
    kin_str version; /* that was asked for (borrowed), or the only stable one; empty: the server
                        chooses among several */
    char name[KIN__BUILTIN_NAME_MAX]; /* "deployments" */
} kin__builtin;

/* By the names that kin__catalogue_find() takes, beginnings of groups excepted: "po", "Pod",
 * "deployments.apps", "deployments.v1.apps".  Of resources that are stable; false for all others,
 * and then `out` is as it was. */
bool kin__builtin_find(kin_str name, kin__builtin *out);

#endif /* KIN_API_BUILTIN_H */
