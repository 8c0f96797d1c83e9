/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/list.h - a doubly linked list of what lies inside the caller's own structs.
 *
 *     struct waiter { kin__link link; ... };
 *     kin__list_push(&waiters, &waiter->link);
 *     for (kin__link *l; (l = kin__list_first(&waiters)) != NULL;) {
 *         kin__list_remove(l);
 *         wake(KIN__OWNER(l, struct waiter, link));
 *     }
 *
 * A link that is all zero is on no list.  Nothing allocates.
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_LIST_H
#define KIN_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kin__link {
    struct kin__link *next; /* NULL: on no list */
    struct kin__link *prev;
} kin__link;

/* Does not move while anything is on it. */
typedef struct kin__list {
    kin__link head; /* all zero, or itself: empty */
} kin__list;

/* The struct of `type` in which `link` is the member called `name`. */
#define KIN__OWNER(link, type, name) ((type *) (void *) ((char *) (link) -offsetof(type, name)))

static inline bool kin__link_is_on(const kin__link *link)
{
    return link->next != NULL;
}

/* The first one; NULL when there is none. */
static inline kin__link *kin__list_first(const kin__list *list)
{
    return list->head.next == &list->head ? NULL : list->head.next;
}

/* The last one; NULL when there is none. */
static inline kin__link *kin__list_last(const kin__list *list)
{
    return list->head.prev == &list->head ? NULL : list->head.prev;
}

/* The one behind `link`; NULL when it is the last. */
static inline kin__link *kin__list_next(const kin__list *list, const kin__link *link)
{
    return link->next == &list->head ? NULL : link->next;
}

/* Behind the last one.  `link` is on no list. */
static inline void kin__list_push(kin__list *list, kin__link *link)
{
    if (list->head.next == NULL) {
        list->head.next = list->head.prev = &list->head;
    }
    link->prev = list->head.prev;
    link->next = &list->head;
    link->prev->next = link;
    list->head.prev = link;
}

/* Does nothing when it is on none. */
static inline void kin__list_remove(kin__link *link)
{
    if (link->next != NULL) {
        link->prev->next = link->next;
        link->next->prev = link->prev;
        link->next = link->prev = NULL;
    }
}

/* Moves all of `from` behind those of `to`. */
static inline void kin__list_move_all(kin__list *to, kin__list *from)
{
    for (kin__link *link; (link = kin__list_first(from)) != NULL;) {
        kin__list_remove(link);
        kin__list_push(to, link);
    }
}

#endif /* KIN_BASE_LIST_H */
