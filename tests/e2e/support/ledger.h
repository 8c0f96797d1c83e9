/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e2e/support/ledger.h - everything that a handler was told, and whether that can be true.
 *
 * Threading: ledger_note() and ledger_told_of() from any thread; the rest when nobody notes any
 * more.
 */
#ifndef TESTS_E2E_SUPPORT_LEDGER_H
#define TESTS_E2E_SUPPORT_LEDGER_H

#include <pthread.h>

#include "e2e/support/truth.h"

/* An object by its key, in a state. */
typedef struct ledger_state {
    char key[TRUTH_KEY_MAX];
    char uid[TRUTH_UID_MAX];
    uint64_t version; /* 0: none */
} ledger_state;

/* What was told at once. */
typedef struct ledger_line {
    kin_notification_type type;
    ledger_state now;
    ledger_state before; /* version 0: none */
} ledger_line;

typedef struct ledger {
    const char *name;
    bool is_picked; /* knows only what has the label pick=yes */
    /* Rules of client-go: an object may be told again in the state that was told last, and one that
     * was made again may be an update. */
    bool is_lax;
    pthread_mutex_t lock;
    ledger_line *lines;
    size_t count;
    size_t capacity;
} ledger;

/* All of one moment, sorted by key. */
typedef struct ledger_states {
    ledger_state *states;
    size_t count;
    size_t capacity;
} ledger_states;

void ledger_init(ledger *l, const char *name);
void ledger_fini(ledger *l);

void ledger_note(ledger *l, const ledger_line *line);

/* A kin_notification_fn; its context is the ledger. */
void ledger_note_notification(void *context, const kin_notification *notification);

/* Whether that state of the object was told, or a later one. */
bool ledger_told_of(ledger *l, const char *key, uint64_t version);

/*
 * Fails the test unless
 *   - each line fits what was told of the object before: what is added was not there, what is
 *     updated or deleted was, in the state that `before` has; versions rise; an object that was
 *     made again was deleted first;
 *   - each state is one that the object was in, they come in the order of the truth, and an object
 *     that was told as deleted has gone, or ceased to be picked.
 */
void ledger_check(const ledger *l, const truth *t);

/* How many states of the objects in these namespaces (NULL: all) were never told, and are not the
 * last of their object.  For a handler to which nothing may be missing this is 0. */
size_t ledger_count_skipped(const ledger *l, const truth *t, const char *const *namespaces);

/* What a handler knows when it has been told all this.  Released with ledger_states_fini(). */
ledger_states ledger_replay(const ledger *l);

void ledger_states_add(ledger_states *s, const char *key, const kin_object *object);
void ledger_states_fini(ledger_states *s);

/* What the server has at the latest version, in these namespaces (NULL: all). */
ledger_states list_states(kin_client *client, const char *const *namespaces, bool is_picked);

/* What the store has. */
ledger_states read_states(const kin_store *store);

/* Fails the test, with the first difference, unless both are the same. */
void must_be_same_states(const char *name, ledger_states *got, ledger_states *want);

#endif /* TESTS_E2E_SUPPORT_LEDGER_H */
