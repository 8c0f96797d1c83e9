/* SPDX-License-Identifier: Apache-2.0 */
/*
 * played.h - a scene whose server has a history, and handlers that keep copies by what they are
 * told.
 *
 *     play_open(&p, NULL);
 *     write_object(&p, "a");
 *     expect_call(&p.s, "list pods rv=0");
 *     answer_list(&p);
 *     expect_call(&p.s, "watch pods rv=2");
 *     open_watch(&p);
 *     write_object(&p, "b");
 *     tell_changes(&p);
 *     expect_followed(&p, 2);
 *
 * Objects are called "a" to "z".  The first version is 1, and each write makes the next one.
 *
 * What a handler is told is checked as it comes: additions of what it has not, updates and
 * deletions of what it has, versions that rise, `before` as it was told, a store that has the
 * change, and that what the store shows is a state in which the server was.
 */
#ifndef TESTS_UNIT_INFORMER_PLAYED_H
#define TESTS_UNIT_INFORMER_PLAYED_H

#include "unit/informer/scene.h"

enum { PLAYED_NAMES = 26, PLAYED_CHANGES = 2048, PLAYED_COPIES = 5 };

typedef struct played_change {
    int version;
    int name; /* 0: "a" */
    int life; /* one more each time it is made again */
    kin_event_type type;
} played_change;

/* A handler, and what it knows. */
typedef struct played_copy {
    struct played *p;
    kin_registration *registration;
    int held[PLAYED_NAMES];   /* the version it was told; 0: it has none */
    int newest[PLAYED_NAMES]; /* the highest version it was ever told */
    int told;                 /* notifications */
    bool is_synced;
    bool has_failed; /* on_error was called */
    bool has_ended;  /* on_end was */
} played_copy;

typedef struct played {
    scene s;

    /* The server. */
    int version;
    int change_count;
    played_change changes[PLAYED_CHANGES];
    int cursor; /* of the watch that is open: what it has sent */

    bool may_go_back;                  /* the server itself has */
    bool recreated_is_update;          /* as the informer's option */
    played_copy copies[PLAYED_COPIES]; /* the first is inline, and there from the beginning */
} played;

/* Makes an informer, with `options` or the defaults, and starts it. */
void play_open(played *p, const kin_informer_options *options);
kin_informer_options played_options(played *p);
void play_close(played *p);

/* Another handler at that place, and its end, if it has not ended by itself. */
void add_copy(played *p, int number, const kin_registration_options *how);
void remove_copy(played *p, int number);

/* The server's life. */
void write_object(played *p, const char *name);
void remove_object(played *p, const char *name);
bool has_object(const played *p, const char *name);
void write_others(played *p, int count); /* of another resource: the version rises */
/* A backup is restored: what came after the version has never been. */
void restore(played *p, int version);

/* What it says to the call that was expected last. */
void answer_list(played *p);
void answer_list_as_of(played *p, int version);
void answer_probe(played *p);
int asked_version(const played *p); /* 0: any, or the newest */
void open_watch(played *p);         /* what it sends begins after the version in the request */
void open_stream(played *p);        /* a streaming list, up to its end; goes on as a watch */
void tell_changes(played *p);
void tell_some_changes(played *p, int count);
void tell_bookmark(played *p);

/* That store and handlers have what the server has, in so many requests at most, and that the
 * informer is watching. */
void expect_followed(played *p, int requests_max);

#endif /* TESTS_UNIT_INFORMER_PLAYED_H */
