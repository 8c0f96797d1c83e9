/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - the highest line first, save for those that were passed over too often.
 *
 * A line is overdue after TURNS - LINES + 1 turns of others.  When several are, the one that was
 * passed most often goes first; with the others' turns between, none waits for more than TURNS - 1.
 */
#include "queue/lines.h"

#define OVERDUE (KIN__LINES_TURNS - KIN__LINES + 1)

static kin__line *next_line(kin__lines *lines);

void kin__lines_push(kin__lines *lines, kin__link *link, kin_priority priority)
{
    kin__line *line = &lines->lines[(int) priority - (int) KIN_PRIORITY_LOW];

    if (kin__list_first(&line->list) == NULL) {
        line->passed = 0;
    }
    kin__list_push(&line->list, link);
    lines->count++;
}

kin__link *kin__lines_pop(kin__lines *lines)
{
    if (lines->count == 0) {
        return NULL;
    }
    kin__line *line = next_line(lines);
    kin__link *first = kin__list_first(&line->list);

    for (size_t i = 0; i < KIN__LINES; i++) {
        lines->lines[i].passed++;
    }
    line->passed = 0;
    kin__lines_remove(lines, first);
    return first;
}

void kin__lines_remove(kin__lines *lines, kin__link *link)
{
    kin__list_remove(link);
    lines->count--;
}

/* Something waits. */
static kin__line *next_line(kin__lines *lines)
{
    kin__line *highest = NULL;
    kin__line *overdue = NULL;

    for (size_t i = 0; i < KIN__LINES; i++) {
        kin__line *line = &lines->lines[i];
        if (kin__list_first(&line->list) == NULL) {
            continue;
        }
        highest = line;
        if (line->passed >= OVERDUE && (overdue == NULL || line->passed >= overdue->passed)) {
            overdue = line;
        }
    }
    return overdue != NULL ? overdue : highest;
}
