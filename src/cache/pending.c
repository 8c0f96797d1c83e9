/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.c - a queue of notes, with a table of the newest one of each key.
 *
 * The table chains through the notes.  It grows when it can; where there is no memory for that the
 * chains get longer, and nothing else happens.  Without any table there is one chain, `lone`: so it
 * is while there are few keys, and a handler that keeps up never needs a table.
 *
 * A merge keeps the newer note, which has the right object and key, and puts it where the older one
 * was.
 */
#include "cache/pending.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"

#define FIRST_PLACES 16
#define LONE_MAX 8 /* keys in one chain before there is a table */

typedef enum merge { MERGE_NONE, MERGE_CANCELS, MERGE_KEEPS_OLDER, MERGE_KEEPS_NEWER } merge;

static merge how_to_merge(const kin_notification *older, const kin_notification *newer);
static bool try_merge(kin__pending *pending, kin__note *older, kin__note *newer);
static void inherit(kin__note *older, kin__note *newer);
static void append(kin__pending *pending, kin__note *note);
static void put_in_place_of(kin__pending *pending, kin__note *older, kin__note *newer);
static void take_out(kin__pending *pending, kin__note *note);
static kin__note *find_newest(kin__pending *pending, const kin__note *like);
static void enter(kin__pending *pending, kin__note *note);
static void leave(kin__pending *pending, kin__note *note);
static kin__note **place_of(kin__pending *pending, uint64_t hash);
static void grow(kin__pending *pending);
static void release_table(kin__pending *pending);

kin_err kin__note_new(const kin_notification *notification, uint64_t number, kin__note **out,
                      kin_error *err)
{
    kin_str key = notification->key;
    kin_str object_key = kin_object_key(notification->object);
    bool is_object_key = kin__str_equal(key, object_key);
    kin__note *note = kin__alloc(sizeof *note + (is_object_key ? 0 : key.len));

    if (note == NULL) {
        return kin__error_no_memory(err);
    }
    *note = (kin__note){ .hash = kin__hash(key.data, key.len, kin__hash_seed()),
                         .number = number,
                         .told = *notification };
    note->told.key = object_key;
    if (!is_object_key) {
        if (key.len > 0) {
            memcpy(note->own_key, key.data, key.len);
        }
        note->told.key = kin__str(note->own_key, key.len);
    }
    (void) kin_object_ref(note->told.object);
    (void) kin_object_ref(note->told.before);
    *out = note;
    return KIN_OK;
}

void kin__note_free(kin__note *note)
{
    if (note != NULL) {
        kin_object_unref(note->told.object);
        kin_object_unref(note->told.before);
        kin__free(note);
    }
}

void kin__notes_free(kin__list *notes)
{
    for (kin__link *link; (link = kin__list_first(notes)) != NULL;) {
        kin__list_remove(link);
        kin__note_free(KIN__OWNER(link, kin__note, link));
    }
}

void kin__pending_push(kin__pending *pending, kin__note *note, bool is_merging)
{
    kin__note *older = find_newest(pending, note);

    if (older == NULL || !(is_merging || note->told.is_resync) ||
        !try_merge(pending, older, note)) {
        append(pending, note);
    }
}

kin__note *kin__pending_pop(kin__pending *pending)
{
    kin__link *link = kin__list_first(&pending->notes);

    if (link == NULL) {
        return NULL;
    }
    kin__note *note = KIN__OWNER(link, kin__note, link);
    take_out(pending, note);
    return note;
}

void kin__pending_drain(kin__pending *pending, kin__list *out)
{
    kin__list_move_all(out, &pending->notes);
    release_table(pending);
    pending->count = 0;
    pending->initial = 0;
    pending->key_count = 0;
}

static merge how_to_merge(const kin_notification *older, const kin_notification *newer)
{
    bool is_deletion = newer->type == KIN_NOTIFICATION_DELETED;

    if (newer->is_resync) {
        return older->type == KIN_NOTIFICATION_DELETED ? MERGE_NONE : MERGE_KEEPS_OLDER;
    }
    switch (older->type) {
    case KIN_NOTIFICATION_ADDED:
        return is_deletion ? MERGE_CANCELS : MERGE_KEEPS_NEWER;
    case KIN_NOTIFICATION_UPDATED:
        return MERGE_KEEPS_NEWER;
    default:
        if (!is_deletion) {
            return MERGE_NONE;
        }
        return newer->is_tombstone ? MERGE_KEEPS_OLDER : MERGE_KEEPS_NEWER;
    }
}

/* True when `newer` is no longer the caller's. */
static bool try_merge(kin__pending *pending, kin__note *older, kin__note *newer)
{
    merge how = how_to_merge(&older->told, &newer->told);

    if (how != MERGE_NONE && !newer->told.is_resync && pending->may_merge != NULL &&
        !pending->may_merge(pending->context, &older->told, &newer->told)) {
        return false;
    }
    switch (how) {
    case MERGE_NONE:
        return false;
    case MERGE_CANCELS:
        take_out(pending, older);
        pending->merged += 2;
        kin__note_free(older);
        kin__note_free(newer);
        return true;
    case MERGE_KEEPS_OLDER:
        pending->merged++;
        kin__note_free(newer);
        return true;
    case MERGE_KEEPS_NEWER:
        inherit(older, newer);
        put_in_place_of(pending, older, newer);
        pending->merged++;
        kin__note_free(older);
        return true;
    }
    return false;
}

/* What the handler knew before both is what it knows before the one. */
static void inherit(kin__note *older, kin__note *newer)
{
    newer->at_ns = older->at_ns;
    const kin_object *before = newer->told.before;

    newer->told.before = older->told.before;
    older->told.before = before; /* goes with it */
    if (newer->told.type != KIN_NOTIFICATION_DELETED) {
        newer->told.type = older->told.type;
        newer->told.is_initial = older->told.is_initial;
    }
}

static void append(kin__pending *pending, kin__note *note)
{
    kin__list_push(&pending->notes, &note->link);
    pending->count++;
    pending->initial += note->told.is_initial;
    enter(pending, note);
}

static void put_in_place_of(kin__pending *pending, kin__note *older, kin__note *newer)
{
    newer->link = older->link;
    newer->link.prev->next = &newer->link;
    newer->link.next->prev = &newer->link;
    older->link = (kin__link){ 0 };
    pending->initial += newer->told.is_initial;
    pending->initial -= older->told.is_initial;
    leave(pending, older);
    enter(pending, newer);
}

static void take_out(kin__pending *pending, kin__note *note)
{
    kin__list_remove(&note->link);
    pending->count--;
    pending->initial -= note->told.is_initial;
    leave(pending, note);
    if (pending->count == 0) {
        release_table(pending);
    }
}

/* The newest note with the key of `like`. */
static kin__note *find_newest(kin__pending *pending, const kin__note *like)
{
    for (kin__note *note = *place_of(pending, like->hash); note != NULL; note = note->chain) {
        if (note->hash == like->hash && kin__str_equal(note->told.key, like->told.key)) {
            return note;
        }
    }
    return NULL;
}

static void enter(kin__pending *pending, kin__note *note)
{
    kin__note *older = find_newest(pending, note);
    if (older != NULL) {
        leave(pending, older);
    }
    if (pending->key_count >= (pending->place_count == 0 ? LONE_MAX : pending->place_count)) {
        grow(pending);
    }
    kin__note **place = place_of(pending, note->hash);
    note->chain = *place;
    note->is_newest = true;
    *place = note;
    pending->key_count++;
}

/* Of a note that is not in the table: does nothing. */
static void leave(kin__pending *pending, kin__note *note)
{
    if (!note->is_newest) {
        return;
    }
    kin__note **at = place_of(pending, note->hash);
    while (*at != note) {
        at = &(*at)->chain;
    }
    *at = note->chain;
    note->is_newest = false;
    pending->key_count--;
}

static kin__note **place_of(kin__pending *pending, uint64_t hash)
{
    return pending->place_count == 0 ? &pending->lone
                                     : &pending->places[hash & (pending->place_count - 1)];
}

static void grow(kin__pending *pending)
{
    kin__pending before = *pending;
    size_t place_count = before.place_count == 0 ? FIRST_PLACES : before.place_count * 2;
    kin__note **places = kin__alloc_zero(place_count, sizeof(kin__note *));

    if (places == NULL) {
        return;
    }
    pending->places = places;
    pending->place_count = place_count;
    pending->lone = NULL;
    for (size_t i = 0; i < (before.place_count == 0 ? 1 : before.place_count); i++) {
        kin__note *next = before.place_count == 0 ? before.lone : before.places[i];
        for (kin__note *note = next; note != NULL; note = next) {
            kin__note **place = place_of(pending, note->hash);
            next = note->chain;
            note->chain = *place;
            *place = note;
        }
    }
    kin__free(before.places);
}

static void release_table(kin__pending *pending)
{
    kin__free(pending->places);
    pending->places = NULL;
    pending->place_count = 0;
    pending->lone = NULL;
}
