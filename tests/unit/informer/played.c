/* SPDX-License-Identifier: Apache-2.0 */
/*
 * played.c - a scene whose server has a history, and a handler that keeps a copy.
 */
#include "unit/informer/played.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    played_change of[PLAYED_NAMES]; /* version 0: not there */
} state;

static int number_of(kin_str s)
{
    int number = 0;

    for (size_t i = 0; i < s.len; i++) {
        number = number * 10 + (s.data[i] - '0');
    }
    return number;
}

static int version_of(const kin_object *object)
{
    return number_of(kin_object_resource_version(object));
}

/* ---- handlers ------------------------------------------------------------------------------- */

static state state_at(const played *p, int version)
{
    state at;

    memset(&at, 0, sizeof at);
    for (int i = 0; i < p->change_count && p->changes[i].version <= version; i++) {
        const played_change *change = &p->changes[i];

        at.of[change->name] = change->type == KIN_EVENT_DELETED ? (played_change){ 0 } : *change;
    }
    return at;
}

/* A version of the store is a state in which the server was. */
static void check_view(const played *p, const kin_view *view)
{
    state at = state_at(p, number_of(kin_view_resource_version(view, 0)));

    for (int i = 0; i < PLAYED_NAMES; i++) {
        char key[] = "shop/?";
        key[5] = (char) ('a' + i);
        const kin_object *object = kin_view_get(view, kin_str_of(key));

        ASSERT_EQ(object == NULL ? 0 : version_of(object), at.of[i].version);
    }
}

/* Whoever is told of a change finds it in the store, or something newer. */
static void check_store(const played *p, const kin_notification *n)
{
    kin_view view = kin_store_read(kin_informer_store(p->s.informer));
    const kin_object *now = kin_view_get(&view, n->key);
    int store_version = number_of(kin_view_resource_version(&view, 0));

    if (n->type != KIN_NOTIFICATION_DELETED) {
        ASSERT_TRUE(now == NULL ? store_version > version_of(n->object)
                                : version_of(now) >= version_of(n->object));
    } else {
        ASSERT_TRUE(now == NULL || version_of(now) > version_of(n->object));
    }
    check_view(p, &view);
    kin_store_done(&view);
}

static void check_order(const played_copy *copy, const kin_notification *n, int held, int newest)
{
    int version = version_of(n->object);

    ASSERT_EQ(n->before == NULL ? 0 : version_of(n->before), held);
    ASSERT_EQ(n->type == KIN_NOTIFICATION_ADDED, held == 0);
    ASSERT_TRUE(n->type == KIN_NOTIFICATION_DELETED ? version >= held : version > newest);
    if (n->type == KIN_NOTIFICATION_UPDATED && !copy->p->recreated_is_update) {
        ASSERT_TRUE(kin_str_equal(kin_object_uid(n->before), kin_object_uid(n->object)));
    }
}

static void note(void *context, const kin_notification *n)
{
    played_copy *copy = context;
    int *held = &copy->held[kin_object_name(n->object).data[0] - 'a'];
    int *newest = &copy->newest[kin_object_name(n->object).data[0] - 'a'];
    int version = version_of(n->object);

    ASSERT_FALSE(copy->has_failed || copy->has_ended);
    copy->told++;
    if (!copy->p->may_go_back) {
        check_order(copy, n, *held, *newest);
        check_store(copy->p, n);
    }
    *held = n->type == KIN_NOTIFICATION_DELETED ? 0 : version;
    *newest = version > *newest ? version : *newest;
}

static void note_sync(void *context)
{
    played_copy *copy = context;

    ASSERT_FALSE(copy->is_synced);
    copy->is_synced = true;
}

static void note_error(void *context, const kin_error *err)
{
    played_copy *copy = context;

    ASSERT_EQ(err->code, KIN_ERR_LIMIT);
    ASSERT_FALSE(copy->has_failed || copy->has_ended);
    copy->has_failed = true;
}

static void note_end(void *context)
{
    played_copy *copy = context;

    ASSERT_FALSE(copy->has_ended);
    copy->has_ended = true;
}

void add_copy(played *p, int number, const kin_registration_options *how)
{
    played_copy *copy = &p->copies[number];
    kin_registration_options handler = *how;

    ASSERT_TRUE(copy->registration == NULL);
    *copy = (played_copy){ .p = p };
    handler.context = copy;
    handler.on_add = handler.on_update = handler.on_delete = note;
    handler.on_synced = note_sync;
    handler.on_error = note_error;
    handler.on_end = note_end;
    ASSERT_OK(kin_informer_add_handler(p->s.informer, &handler, &copy->registration, &p->s.err));
}

void remove_copy(played *p, int number)
{
    bool was_there = p->copies[number].registration != NULL;

    kin_registration_free(p->copies[number].registration);
    ASSERT_EQ(p->copies[number].has_ended, was_there);
    p->copies[number] = (played_copy){ 0 };
}

kin_informer_options played_options(played *p)
{
    return pods_options(&p->s);
}

void play_open(played *p, const kin_informer_options *options)
{
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_informer_options mine = options != NULL ? *options : played_options(p);

    memset(p, 0, sizeof *p);
    p->version = 1;
    p->recreated_is_update = mine.recreated_is_update;
    handler.mode = KIN_DELIVERY_INLINE;
    scene_open(&p->s);
    ASSERT_OK(make_informer(&p->s, &mine));
    add_copy(p, 0, &handler);
    ASSERT_OK(kin_informer_start(p->s.informer, &p->s.err));
    settle(&p->s);
}

void play_close(played *p)
{
    for (int i = 0; i < PLAYED_COPIES; i++) {
        remove_copy(p, i);
    }
    scene_close(&p->s);
}

/* ---- the server's life ---------------------------------------------------------------------- */

/* How often it has been made. */
static int life_of(const played *p, int name)
{
    int life = 0;

    for (int i = 0; i < p->change_count; i++) {
        life += p->changes[i].name == name && p->changes[i].type == KIN_EVENT_ADDED;
    }
    return life;
}

bool has_object(const played *p, const char *name)
{
    return state_at(p, p->version).of[name[0] - 'a'].version != 0;
}

static void change(played *p, const char *name, bool is_removal)
{
    int number = name[0] - 'a';
    bool is_there = has_object(p, name);

    ASSERT_TRUE(p->change_count < PLAYED_CHANGES && (is_there || !is_removal));
    p->changes[p->change_count] = (played_change){
        .version = ++p->version,
        .name = number,
        .life = life_of(p, number) + !is_there,
        .type = is_removal ? KIN_EVENT_DELETED
                : is_there ? KIN_EVENT_MODIFIED
                           : KIN_EVENT_ADDED,
    };
    p->change_count++;
}

void write_object(played *p, const char *name)
{
    change(p, name, false);
}

void remove_object(played *p, const char *name)
{
    change(p, name, true);
}

void write_others(played *p, int count)
{
    p->version += count;
}

void restore(played *p, int version)
{
    while (p->change_count > 0 && p->changes[p->change_count - 1].version > version) {
        p->change_count--;
    }
    p->version = version;
    p->may_go_back = true;
}

/* ---- what it says --------------------------------------------------------------------------- */

static const char *word_of(char *out, size_t size, const played_change *change)
{
    char life[8] = "";

    if (change->life > 1) {
        (void) snprintf(life, sizeof life, "#%d", change->life % 100);
    }
    (void) snprintf(out, size, "%c%s@%d", 'a' + change->name, life, change->version);
    return out;
}

static const char *version_word(char *out, size_t size, int version)
{
    (void) snprintf(out, size, "%d", version);
    return out;
}

void answer_list_as_of(played *p, int version)
{
    state at = state_at(p, version);
    char word[32];

    for (int i = 0; i < PLAYED_NAMES; i++) {
        if (at.of[i].version != 0) {
            send_object(&p->s, word_of(word, sizeof word, &at.of[i]));
        }
    }
    end_page(&p->s, version_word(word, sizeof word, version));
}

void answer_list(played *p)
{
    answer_list_as_of(p, p->version);
}

void answer_probe(played *p)
{
    char word[32];

    end_page(&p->s, version_word(word, sizeof word, p->version));
}

int asked_version(const played *p)
{
    return (int) strtol(strstr(p->s.at->words, "rv=") + 3, NULL, 10);
}

void open_watch(played *p)
{
    p->cursor = asked_version(p);
    send_open(&p->s);
}

void open_stream(played *p)
{
    state at = state_at(p, p->version);
    char word[32];

    send_open(&p->s);
    for (int i = 0; i < PLAYED_NAMES; i++) {
        if (at.of[i].version != 0) {
            send_added(&p->s, word_of(word, sizeof word, &at.of[i]));
        }
    }
    send_initial_end(&p->s, version_word(word, sizeof word, p->version));
    p->cursor = p->version;
}

static void tell_change(played *p, const played_change *change)
{
    char word[32];

    word_of(word, sizeof word, change);
    switch (change->type) {
    case KIN_EVENT_ADDED:
        send_added(&p->s, word);
        break;
    case KIN_EVENT_DELETED:
        send_deleted(&p->s, word);
        break;
    default:
        send_modified(&p->s, word);
        break;
    }
    p->cursor = change->version;
}

void tell_some_changes(played *p, int count)
{
    for (int i = 0; i < p->change_count && count > 0; i++) {
        if (p->changes[i].version > p->cursor) {
            tell_change(p, &p->changes[i]);
            count--;
        }
    }
}

void tell_changes(played *p)
{
    tell_some_changes(p, PLAYED_CHANGES);
}

void tell_bookmark(played *p)
{
    char word[32];

    send_bookmark(&p->s, version_word(word, sizeof word, p->version));
}

/* ---- the end -------------------------------------------------------------------------------- */

static void check_copy(const played *p, const played_copy *copy)
{
    state at = state_at(p, p->version);

    for (int i = 0; i < PLAYED_NAMES; i++) {
        ASSERT_EQ(copy->held[i], at.of[i].version);
    }
    ASSERT_TRUE(copy->is_synced && kin_registration_has_synced(copy->registration));
}

void expect_followed(played *p, int requests_max)
{
    expect_no_call(&p->s);
    kin_view view = kin_store_read(kin_informer_store(p->s.informer));
    state have = state_at(p, number_of(kin_view_resource_version(&view, 0)));
    state want = state_at(p, p->version);
    check_view(p, &view);
    ASSERT_TRUE(memcmp(&have, &want, sizeof want) == 0);
    kin_store_done(&view);
    for (int i = 0; i < PLAYED_COPIES; i++) {
        if (p->copies[i].registration != NULL) {
            check_copy(p, &p->copies[i]);
        }
    }
    expect_state(&p->s, KIN_INFORMER_WATCHING);
    ASSERT_TRUE(p->s.call_count <= requests_max);
}
