/* SPDX-License-Identifier: Apache-2.0 */
/*
 * written.c - what reconciles have written and is not in the stores yet.
 */
#include "controller/written.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "informer/informer.h"
#include "kin/key.h"

/* Its strings lie behind it. */
typedef struct write {
    kin__link link; /* in the place's writes */
    kin__link owed; /* in the debt's */
    kin__debt *debt;
    const kin_informer *informer; /* the place's */
    kin_str object_key;
    kin_str version;
    kin_str gone_uid;
    kin_str stood_at;
    char bytes[];
} write;

static kin_err find_debt(kin__written *written, kin_str key, kin__debt **out, kin_error *err);
static write *make_write(const kin__written_what *what);
static kin_str keep(char **at, kin_str s);
static bool has_changed(kin__written_place *place);
static bool is_seen(const write *w, const kin_informer *informer);
static bool is_in_vain(const write *w, const kin_informer *informer);
static bool is_still_there(const write *w, const kin_informer *informer);
static void forget(kin__written *written, write *w);
static void drop_if_paid(kin__written *written, kin__debt *debt);

void kin__written_drop(kin__written *written, kin__written_place *place)
{
    for (kin__link *link; (link = kin__list_first(&place->writes)) != NULL;) {
        forget(written, KIN__OWNER(link, write, link));
    }
}

void kin__written_clear(kin__written *written)
{
    for (kin__link *link; (link = kin__list_first(&written->parked)) != NULL;) {
        kin__written_unpark(written, KIN__OWNER(link, kin__debt, link));
    }
    kin__map_clear(&written->debts);
}

kin_err kin__written_add(kin__written *written, kin__written_place *place,
                         const kin__written_what *what, kin_error *err)
{
    kin__debt *debt = NULL;
    write *w = make_write(what);

    if (w == NULL) {
        return kin__error_no_memory(err);
    }
    if (find_debt(written, what->key, &debt, err) != KIN_OK) {
        kin__free(w);
        return err->code;
    }
    w->debt = debt;
    w->informer = place->informer;
    kin__list_push(&debt->writes, &w->owed);
    place->has_new = true;
    debt->count++;
    debt->until_ms = what->until_ms;
    kin__list_push(&place->writes, &w->link);
    written->count++;
    return KIN_OK;
}

bool kin__written_is_owed(const kin__written_place *place, kin_str object_key)
{
    for (kin__link *link = kin__list_first(&place->writes); link != NULL;
         link = kin__list_next(&place->writes, link)) {
        if (kin__str_equal(KIN__OWNER(link, write, link)->object_key, object_key)) {
            return true;
        }
    }
    return false;
}

void kin__written_look(kin__written *written, kin__written_place *place)
{
    kin__link *next;

    if (kin__list_first(&place->writes) == NULL || !has_changed(place)) {
        return;
    }
    for (kin__link *link = kin__list_first(&place->writes); link != NULL; link = next) {
        write *w = KIN__OWNER(link, write, link);
        next = kin__list_next(&place->writes, link);
        if (is_seen(w, place->informer) || is_in_vain(w, place->informer)) {
            forget(written, w);
        }
    }
}

/* With the last write the debt may go: nothing of it is touched after that. */
kin__debt *kin__written_look_for(kin__written *written, kin__debt *debt)
{
    bool stays = debt->is_parked;
    size_t left = debt->count;
    kin__link *next;

    for (kin__link *link = kin__list_first(&debt->writes); link != NULL; link = next) {
        write *w = KIN__OWNER(link, write, owed);
        next = kin__list_next(&debt->writes, link);
        if (is_seen(w, w->informer) || is_in_vain(w, w->informer)) {
            forget(written, w);
            left--;
        }
    }
    return stays || left > 0 ? debt : NULL;
}

kin__debt *kin__written_find(const kin__written *written, kin_str key)
{
    return kin__map_get(&written->debts, key);
}

bool kin__written_missing(const kin__written_place *place, const kin__debt *debt,
                          kin_str *out_object_key, kin_str *out_version)
{
    for (kin__link *link = kin__list_first(&place->writes); link != NULL;
         link = kin__list_next(&place->writes, link)) {
        const write *w = KIN__OWNER(link, write, link);
        if (w->debt == debt) {
            *out_object_key = w->object_key;
            *out_version = w->version;
            return true;
        }
    }
    return false;
}

void kin__written_park(kin__written *written, kin__debt *debt, kin_priority priority)
{
    if (debt->is_parked) {
        debt->priority = priority > debt->priority ? priority : debt->priority;
        return;
    }
    debt->is_parked = true;
    debt->priority = priority;
    kin__list_push(&written->parked, &debt->link);
    written->parked_count++;
}

kin__debt *kin__written_next(const kin__written *written, int64_t now_ms)
{
    for (kin__link *link = kin__list_first(&written->parked); link != NULL;
         link = kin__list_next(&written->parked, link)) {
        kin__debt *debt = KIN__OWNER(link, kin__debt, link);
        if (debt->count == 0 || now_ms >= debt->until_ms) {
            return debt;
        }
    }
    return NULL;
}

void kin__written_unpark(kin__written *written, kin__debt *debt)
{
    if (debt->is_parked) {
        kin__list_remove(&debt->link);
        debt->is_parked = false;
        written->parked_count--;
    }
    drop_if_paid(written, debt);
}

int64_t kin__written_due_ms(const kin__written *written)
{
    int64_t due_ms = INT64_MAX;

    for (kin__link *link = kin__list_first(&written->parked); link != NULL;
         link = kin__list_next(&written->parked, link)) {
        const kin__debt *debt = KIN__OWNER(link, kin__debt, link);
        due_ms = debt->until_ms < due_ms ? debt->until_ms : due_ms;
    }
    return due_ms;
}

/* Makes it when there is none. */
static kin_err find_debt(kin__written *written, kin_str key, kin__debt **out, kin_error *err)
{
    kin__debt *debt = kin__map_get(&written->debts, key);

    if (debt == NULL) {
        debt = kin__alloc_zero(1, sizeof *debt + key.len);
        if (debt == NULL) {
            return kin__error_no_memory(err);
        }
        debt->len = key.len;
        memcpy(debt->key, key.data, key.len);
        if (kin__map_put(&written->debts, key, debt, NULL, err) != KIN_OK) {
            kin__free(debt);
            return err->code;
        }
    }
    *out = debt;
    return KIN_OK;
}

static write *make_write(const kin__written_what *what)
{
    size_t bytes =
        what->object_key.len + what->version.len + what->gone_uid.len + what->stood_at.len;
    write *w = kin__alloc_zero(1, sizeof *w + bytes);

    if (w != NULL) {
        char *at = w->bytes;
        w->object_key = keep(&at, what->object_key);
        w->version = keep(&at, what->version);
        w->gone_uid = keep(&at, what->gone_uid);
        w->stood_at = keep(&at, what->stood_at);
    }
    return w;
}

static kin_str keep(char **at, kin_str s)
{
    kin_str kept = kin__str(*at, s.len);

    if (s.len != 0) {
        memcpy(*at, s.data, s.len);
        *at += s.len;
    }
    return kept;
}

/* Since it was looked at; or there is something to look for that was not looked for yet. */
static bool has_changed(kin__written_place *place)
{
    kin_view view = kin_store_read(kin_informer_store(place->informer));
    uint64_t number = kin_view_number(&view);

    kin_store_done(&view);
    bool is_it = place->has_new || number != place->looked_at;
    place->has_new = false;
    place->looked_at = number;
    return is_it;
}

/* What was made and deleted at once is not there before it has come: hence first the version, then
 * whether it is gone. */
static bool is_seen(const write *w, const kin_informer *informer)
{
    if (w->version.len != 0 && !kin__informer_has_seen(informer, w->object_key, w->version)) {
        return false;
    }
    return w->gone_uid.len == 0 || !is_still_there(w, informer);
}

/* Versions rise.  A store whose version has fallen has been listed anew from a server that does not
 * know what was written. */
static bool is_in_vain(const write *w, const kin_informer *informer)
{
    char buffer[KIN__WRITTEN_VERSION_MAX];
    kin_str stands_at = kin__informer_stands_at(informer, w->object_key, buffer, sizeof buffer);
    int order = 0;

    return kin_resource_version_compare(stands_at, w->stood_at, &order, NULL) == KIN_OK &&
           order < 0;
}

static bool is_still_there(const write *w, const kin_informer *informer)
{
    kin_view view = kin_store_read(kin_informer_store(informer));
    const kin_object *object = kin_view_get(&view, w->object_key);
    kin_time when;
    bool is_there = object != NULL && kin__str_equal(kin_object_uid(object), w->gone_uid) &&
                    !kin_object_deletion_time(object, &when);

    kin_store_done(&view);
    return is_there;
}

static void forget(kin__written *written, write *w)
{
    kin__debt *debt = w->debt;

    kin__list_remove(&w->link);
    kin__list_remove(&w->owed);
    kin__free(w);
    written->count--;
    debt->count--;
    drop_if_paid(written, debt);
}

/* One that is parked is still to be woken. */
static void drop_if_paid(kin__written *written, kin__debt *debt)
{
    if (debt->count == 0 && !debt->is_parked) {
        (void) kin__map_remove(&written->debts, kin__str(debt->key, debt->len));
        kin__free(debt);
    }
}
