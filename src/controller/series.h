/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/series.h - what was told, and how often: one Event object.
 *
 * Two that differ in nothing but their note and their time are the same, as client-go has it
 * (tools/events, eventKey); the note is that of the first.
 *
 * Threading: confined.
 */
#ifndef KIN_CONTROLLER_SERIES_H
#define KIN_CONTROLLER_SERIES_H

#include "base/buf.h"
#include "base/heap.h"
#include "base/list.h"
#include "kin/events.h"

/* Texts of an Event: what identifies it, but for its severity and who reports.  An object is
 * KIN__TOLD_OBJECT texts, of which those that it lacks are empty. */
typedef enum kin__told_text {
    KIN__TOLD_REGARDING = 0, /* apiVersion, kind, namespace, name, uid */
    KIN__TOLD_RELATED = 5,
    KIN__TOLD_REASON = 10,
    KIN__TOLD_ACTION = 11,
    KIN__TOLD_TEXTS = 12
} kin__told_text;

enum {
    KIN__TOLD_API_VERSION,
    KIN__TOLD_KIND,
    KIN__TOLD_NAMESPACE,
    KIN__TOLD_NAME,
    KIN__TOLD_UID,
    KIN__TOLD_OBJECT
};

/* What kube-apiserver 1.36 accepts, in bytes. */
#define KIN__TOLD_WORD_MAX 128 /* reason and action; not empty */
#define KIN__TOLD_NOTE_MAX 1024

/* All texts together: names of real objects have 253 bytes at most. */
#define KIN__TOLD_KEY_MAX 4096

/* Something told; texts are borrowed. */
typedef struct kin__told {
    kin_severity severity;
    kin_str texts[KIN__TOLD_TEXTS];
    kin_str note;
} kin__told;

/* Where a series is on its way to the server. */
typedef enum kin__series_state {
    KIN__SERIES_IDLE,  /* nothing is to be written */
    KIN__SERIES_LATER, /* may be written at `node.due` */
    KIN__SERIES_READY,
    KIN__SERIES_SENT /* is being written */
} kin__series_state;

typedef struct kin__event_series {
    kin__link link;      /* of the book: among those that are idle, or ready */
    kin__link waiting;   /* of the book: unless it is idle */
    kin__heap_node node; /* of the book: while LATER */
    kin__series_state state;
    uint64_t ticket;       /* of the first that is not written and not sent either; 0: none */
    uint64_t waits_for;    /* what was told up to here waits, and somebody may wait for it */
    uint64_t serial;       /* no other series has it: part of its name */
    uint64_t count;        /* how often it was told */
    uint64_t count_sent;   /* what is being written */
    uint32_t tries;        /* that have failed since it was last written */
    bool is_made;          /* the server has it */
    kin_time first;        /* wall time */
    kin_time last;         /* wall time */
    kin_time last_sent;    /* what is being written */
    int64_t last_ms;       /* monotonic */
    kin_severity severity; /* texts are in `bytes` */
    uint32_t key_len;
    uint32_t object_len; /* the part of the key that is `regarding` */
    uint32_t note_len;
    char bytes[]; /* the key, the note */
} kin__event_series;

/* Makes a key of what was told: the same for what is the same.  `out` is cleared first;
 * `out_object_len`: as above.  False when it would be longer than KIN__TOLD_KEY_MAX, and when there
 * is no memory, which the buffer remembers. */
bool kin__told_key(const kin__told *told, kin__buf *out, size_t *out_object_len) KIN_MUST_CHECK;

/* Told once, with the key that was made of it.  NULL: no memory.  Release with kin__free(). */
kin__event_series *kin__series_new(const kin__told *told, kin_str key,
                                   size_t object_len) KIN_MUST_CHECK;

/* Borrowed from the series. */
kin_str kin__series_key(const kin__event_series *series);
kin_str kin__series_object(const kin__event_series *series);
void kin__series_told(const kin__event_series *series, kin__told *out);

/* The name of its Event: valid, and no other's that this program makes.  Terminated. */
#define KIN__SERIES_NAME_MAX 253
void kin__series_name(const kin__event_series *series, char out[KIN__SERIES_NAME_MAX + 1]);

/* The namespace of its Event: that of the object, or "default". */
kin_str kin__series_namespace(const kin__event_series *series);

/* The Event and the merge patch that says how often it was told, as of `count_sent`; appended.
 * Failures stay in the buffer. */
void kin__series_write_event(const kin__event_series *series, kin_str controller, kin_str instance,
                             kin__buf *out);
void kin__series_write_patch(const kin__event_series *series, kin__buf *out);

/* How many of the first `max` bytes are whole characters. */
size_t kin__told_cut(kin_str text, size_t max);

#endif /* KIN_CONTROLLER_SERIES_H */
