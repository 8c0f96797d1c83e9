/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e2e/support/truth.h - writers that change ConfigMaps, and remember every state they made.
 *
 * Each object has one writer, which does one thing at a time and knows what came of it: when a
 * call fails it asks the server until it is told.  So the states of an object are complete and in
 * order, whatever happens to the server meanwhile.
 *
 * A writer creates, changes, deletes, and deletes and creates again at once.  Each state has the
 * label "pick", which is "yes" or "no", so that objects come and go in what is selected by it.
 *
 * Threading: thread-safe between start and stop; states are read after the stop.
 */
#ifndef TESTS_E2E_SUPPORT_TRUTH_H
#define TESTS_E2E_SUPPORT_TRUTH_H

#include <pthread.h>

#include "kin/kin.h"

#define TRUTH_OBJECTS_MAX 512
#define TRUTH_WRITERS_MAX 8
#define TRUTH_KEY_MAX 96
#define TRUTH_UID_MAX 40

typedef struct truth_state {
    uint64_t version; /* 0: of a deletion, whose version a client is not told */
    char uid[TRUTH_UID_MAX];
    bool is_gone;
    bool is_picked;
} truth_state;

typedef struct truth_object {
    char key[TRUTH_KEY_MAX];
    char ns[48];
    char name[48];
    truth_state *states;
    size_t count;
    size_t capacity;
} truth_object;

typedef struct truth truth;

typedef struct truth_writer {
    truth *owner;
    kin_client *client;
    pthread_t thread;
    uint64_t seed;
    size_t first; /* of its objects */
    size_t count;
} truth_writer;

struct truth {
    pthread_mutex_t lock;
    truth_object objects[TRUTH_OBJECTS_MAX];
    size_t count;
    truth_writer writers[TRUTH_WRITERS_MAX];
    size_t writer_count;
    bool is_stopping;
    uint64_t writes;   /* that the server has taken */
    uint64_t failures; /* calls that came to nothing, or nobody knows */
};

/*
 * namespaces  end with NULL; each writer has `each` objects in each of them.  They must be there.
 * client      borrowed until truth_fini(); without a rate limit
 */
void truth_start(truth *t, kin_client *client, const char *const *namespaces, size_t writers,
                 size_t each, uint64_t seed);

/* Returns when all writers know what their last call came to: the server must be there. */
void truth_stop(truth *t);

/* Releases it. */
void truth_fini(truth *t);

/* A state of the caller's own: changes the object "marker" of the namespace, which is always
 * picked.  Tries until the server takes it.  Returns its version; writes its key. */
uint64_t truth_mark(truth *t, kin_client *client, const char *ns, char *key, size_t size);

/* NULL: not one of ours. */
const truth_object *truth_find(const truth *t, const char *key);

#endif /* TESTS_E2E_SUPPORT_TRUTH_H */
