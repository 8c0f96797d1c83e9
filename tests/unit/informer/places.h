/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - the public calls, and the world in which they are made.
 */
#ifndef TESTS_UNIT_INFORMER_PLACES_H
#define TESTS_UNIT_INFORMER_PLACES_H

#include <semaphore.h>
#include <stdatomic.h>

#include "kin/factory.h"
#include "kin/list_watcher.h"

typedef enum place {
    ELSEWHERE, /* any thread of the program, outside all that follow */
    POOL,      /* a handler on the pool */
    BLOCKING,  /* ... with KIN_BACKLOG_BLOCK */
    DISPATCH,  /* a handler that the program dispatches */
    INLINE,    /* a handler on the loop */
    ON_LOOP,   /* a posted function, or the handler of a call */
    TRANSFORM,
    KEY,
    INDEX,   /* an index function, when an object comes */
    ADDING,  /* ... when the index is added, on a thread of the program */
    TROUBLE, /* on_trouble */
    STOPPED, /* as ELSEWHERE, after the informer was stopped */
    FORKED,  /* in a child */
    PLACES,
    OTHER_LOOP = PLACES, /* as ON_LOOP, on one that the informer is not on */
    OTHER_BLOCKING       /* as BLOCKING, dispatched */
} place;

typedef struct world world;

typedef struct row {
    const char *name; /* of the functions */
    kin_err (*call)(world *w);
    const char *words; /* one for each place */
} row;

/* What is NULL is not there, or was released by the call. */
struct world {
    place where;
    const row *what;
    kin_loop *loop;  /* runs on its thread */
    kin_loop *spare; /* runs on nobody's */
    kin_client *client;
    kin_factory *factory;
    kin_source *source; /* of its own, with nothing on it */
    kin_informer *informer;
    kin_registration *own;   /* of the handler that is the place, or of one that does nothing */
    kin_registration *queue; /* to be dispatched */
    kin_call *call;
    kin_resource *maps;
    kin_resource *pods;
    kin_object *object;
    kin_config *config;
    /* What calls make. */
    kin_informer *made_informer;
    kin_informer *made_unsynced; /* of what is forbidden */
    kin_registration *made_registration;
    kin_factory *made_factory;
    kin_source *made_source;
    kin_informer *made_of_source;
    kin_client *made_client;
    kin_loop *made_loop;

    _Atomic int errors; /* that were logged */
    _Atomic bool is_visited;
    kin_err got;
    kin_error err;
    sem_t done;
};

/* Refused without a deadline, and waits with one. */
#define ONLY_WITH_A_DEADLINE KIN_ERR_TIMEOUT

extern const kin_list_watcher place_watcher; /* has nothing */
extern const row place_rows[];
extern const size_t place_row_count;

#endif /* TESTS_UNIT_INFORMER_PLACES_H */
