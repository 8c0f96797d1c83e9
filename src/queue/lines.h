/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue/lines.h - who waits at which priority, and whose turn it is.
 *
 * A line for each priority, first in, first out.  The turn is of the highest line that has
 * something, but of any KIN__LINES_TURNS turns at least one is of each line that has something all
 * the while.  All zero is empty.  Nothing allocates.
 *
 * Threading: confined.
 */
#ifndef KIN_QUEUE_LINES_H
#define KIN_QUEUE_LINES_H

#include "base/list.h"
#include "kin/queue.h"

#define KIN__LINES 3
#define KIN__LINES_TURNS 16

typedef struct kin__line {
    kin__list list;
    size_t passed; /* turns in a row that others had while something waited here */
} kin__line;

/* Does not move while anything waits. */
typedef struct kin__lines {
    kin__line lines[KIN__LINES]; /* the lowest priority first */
    size_t count;                /* of those who wait, in all lines */
} kin__lines;

/* Behind the others of `priority`, which is one. */
void kin__lines_push(kin__lines *lines, kin__link *link, kin_priority priority);

/* Whose turn it is, taken out; NULL: nobody waits. */
kin__link *kin__lines_pop(kin__lines *lines);

/* `link` waits at any priority. */
void kin__lines_remove(kin__lines *lines, kin__link *link);

#endif /* KIN_QUEUE_LINES_H */
