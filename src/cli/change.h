/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/change.h - what differs between two states of an object, the most telling first.
 *
 *     status.phase Pending -> Running, +spec.nodeName node-1, -metadata.labels.old
 *
 * Elements of arrays are told apart by their name, type, key or ip where they have one
 * ("status.conditions[Ready].status"), else by their place.  What changes with every write
 * (resourceVersion, managedFields) is no change; times, generations and the like come last.
 *
 * The time is bounded however large the objects are: something large is then told as a whole, or
 * what lies behind it is left out.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_CHANGE_H
#define KIN_CLI_CHANGE_H

#include "cli/text.h"
#include "kin/object.h"

#define KIN__CLI_CHANGES_MAX 4
#define KIN__CLI_CHANGE_PATH 160
#define KIN__CLI_CHANGE_VALUE 48

typedef struct kin__cli_change {
    char path[KIN__CLI_CHANGE_PATH];
    char before[KIN__CLI_CHANGE_VALUE]; /* cut where it is longer; safe to show */
    char after[KIN__CLI_CHANGE_VALUE];
    bool is_added;
    bool is_removed;
    int weight;
} kin__cli_change;

typedef struct kin__cli_changes {
    kin__cli_change list[KIN__CLI_CHANGES_MAX]; /* the most telling, in that order */
    size_t count;
    size_t total; /* how many there are */
} kin__cli_changes;

void kin__cli_changes_find(const kin_object *before, const kin_object *after,
                           kin__cli_changes *out);

/* Whether something else than times and the like has changed. */
bool kin__cli_changes_are_telling(const kin__cli_changes *changes);

/* Appends up to `max` of them on one line, and how many more there are.  Times and the like only
 * when nothing else has changed, and then one. */
void kin__cli_changes_show(const kin__cli_changes *changes, size_t max, kin__cli_text *out);

#endif /* KIN_CLI_CHANGE_H */
