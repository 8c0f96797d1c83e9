/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expectations.c - what was sent for a ReplicaSet and has not been seen yet.
 *
 * A set is in the tree only while it expects something: so there are never more of them than sets
 * with requests on their way.
 */
#include "expectations.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct one {
    expected what;
    bool is_in_doubt;
    char *pod; /* owned: its name or uid */
} one;

/* Of one set. */
typedef struct row {
    kin_str key; /* owned, as the uid */
    kin_str uid;
    int64_t until_ms;
    one *all;
    size_t count;
    size_t room;
} row;

struct expectations {
    pthread_mutex_t lock;
    void *rows; /* a tree, by key */
};

static row *find_row(expectations *e, kin_str key);
static row *find_own_row(expectations *e, expecting who);
static row *make_row(expectations *e, expecting who);
static void drop_row(expectations *e, row *r);
static void free_row(row *r);
static bool add_one(row *r, expected what, kin_str pod);
static one *find_one(const row *r, expected what, kin_str pod);
static void mark(expectations *e, expecting who, kin_str name, bool is_in_doubt);
static bool keep(kin_str *out, kin_str s);
static int compare_rows(const void *a, const void *b);
static void lock(expectations *e);
static void unlock(expectations *e);

expectations *expectations_new(void)
{
    expectations *e = calloc(1, sizeof *e);

    if (e != NULL && pthread_mutex_init(&e->lock, NULL) != 0) {
        free(e);
        e = NULL;
    }
    return e;
}

void expectations_free(expectations *e)
{
    if (e == NULL) {
        return;
    }
    while (e->rows != NULL) {
        drop_row(e, *(row **) e->rows);
    }
    (void) pthread_mutex_destroy(&e->lock);
    free(e);
}

bool expectations_add(expectations *e, expecting who, expected what, kin_str pod, int64_t now_ms)
{
    lock(e);
    row *r = find_own_row(e, who);
    if (r == NULL) {
        r = make_row(e, who);
    }
    bool is_added = r != NULL && (find_one(r, what, pod) != NULL || add_one(r, what, pod));
    if (is_added) {
        r->until_ms = now_ms + EXPECTATIONS_LAST_MS;
    } else if (r != NULL && r->count == 0) {
        drop_row(e, r);
    }
    unlock(e);
    return is_added;
}

bool expectations_lower(expectations *e, expecting who, expected what, kin_str pod)
{
    bool is_last = false;

    lock(e);
    row *r = find_own_row(e, who);
    one *found = r == NULL ? NULL : find_one(r, what, pod);
    if (found != NULL) {
        free(found->pod);
        *found = r->all[--r->count];
        is_last = r->count == 0;
    }
    if (is_last) {
        drop_row(e, r);
    }
    unlock(e);
    return is_last;
}

int64_t expectations_left_ms(expectations *e, expecting who, int64_t now_ms)
{
    lock(e);
    const row *r = find_own_row(e, who);
    int64_t left_ms = r == NULL || now_ms >= r->until_ms ? 0 : r->until_ms - now_ms;
    unlock(e);
    return left_ms;
}

void expectations_forget(expectations *e, kin_str key)
{
    lock(e);
    row *r = find_row(e, key);
    if (r != NULL) {
        drop_row(e, r);
    }
    unlock(e);
}

void expectations_doubt(expectations *e, expecting who, kin_str name)
{
    mark(e, who, name, true);
}

void expectations_believe(expectations *e, expecting who, kin_str name)
{
    mark(e, who, name, false);
}

bool expectations_get_doubt(expectations *e, expecting who, char *out_name, size_t size)
{
    bool is_found = false;

    lock(e);
    const row *r = find_own_row(e, who);
    for (size_t i = 0; r != NULL && !is_found && i < r->count; i++) {
        is_found = r->all[i].is_in_doubt;
        if (is_found) {
            (void) snprintf(out_name, size, "%s", r->all[i].pod);
        }
    }
    unlock(e);
    return is_found;
}

static row *find_row(expectations *e, kin_str key)
{
    row wanted = { .key = key };
    row **found = tfind(&wanted, &e->rows, compare_rows);

    return found == NULL ? NULL : *found;
}

static row *find_own_row(expectations *e, expecting who)
{
    row *r = find_row(e, who.key);

    return r != NULL && kin_str_equal(r->uid, who.uid) ? r : NULL;
}

/* There is none of this set; one of another with its name goes. */
static row *make_row(expectations *e, expecting who)
{
    row *r = calloc(1, sizeof *r);
    row *other = find_row(e, who.key);

    if (r == NULL || !keep(&r->key, who.key) || !keep(&r->uid, who.uid)) {
        free_row(r);
        return NULL;
    }
    if (other != NULL) {
        drop_row(e, other);
    }
    if (tsearch(r, &e->rows, compare_rows) == NULL) {
        free_row(r);
        return NULL;
    }
    return r;
}

static void drop_row(expectations *e, row *r)
{
    (void) tdelete(r, &e->rows, compare_rows);
    free_row(r);
}

static void free_row(row *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->count; i++) {
        free(r->all[i].pod);
    }
    free(r->all);
    free((char *) r->key.data);
    free((char *) r->uid.data);
    free(r);
}

static bool add_one(row *r, expected what, kin_str pod)
{
    kin_str kept = { NULL, 0 };

    if (r->count == r->room) {
        size_t room = r->room == 0 ? 4 : r->room * 2;
        one *all = realloc(r->all, room * sizeof *all);

        if (all == NULL) {
            return false;
        }
        r->all = all;
        r->room = room;
    }
    if (!keep(&kept, pod)) {
        return false;
    }
    r->all[r->count++] = (one){ .what = what, .pod = (char *) kept.data };
    return true;
}

static one *find_one(const row *r, expected what, kin_str pod)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->all[i].what == what && kin_str_equal(kin_str_of(r->all[i].pod), pod)) {
            return &r->all[i];
        }
    }
    return NULL;
}

/* One that has been seen by now needs no mark. */
static void mark(expectations *e, expecting who, kin_str name, bool is_in_doubt)
{
    lock(e);
    const row *r = find_own_row(e, who);
    one *found = r == NULL ? NULL : find_one(r, EXPECTED_CREATION, name);
    if (found != NULL) {
        found->is_in_doubt = is_in_doubt;
    }
    unlock(e);
}

/* Terminated. */
static bool keep(kin_str *out, kin_str s)
{
    char *copy = malloc(s.len + 1);

    if (copy == NULL) {
        return false;
    }
    if (s.len > 0) {
        memcpy(copy, s.data, s.len);
    }
    copy[s.len] = '\0';
    *out = (kin_str){ copy, s.len };
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    kin_str first = ((const row *) a)->key;
    kin_str second = ((const row *) b)->key;
    int order = memcmp(first.data, second.data, first.len < second.len ? first.len : second.len);

    return order != 0 ? order : (first.len > second.len) - (first.len < second.len);
}

static void lock(expectations *e)
{
    (void) pthread_mutex_lock(&e->lock);
}

static void unlock(expectations *e)
{
    (void) pthread_mutex_unlock(&e->lock);
}
