/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - walking through what was told, one object at a time.
 *
 * Lines are sorted by object first; within an object they stay in the order of their telling.
 */
#include "e2e/support/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

/* A walk through the lines of one object. */
typedef struct walk {
    const ledger *l;
    const truth_object *truth; /* NULL: not one of ours, and any state may be true */
    const ledger_line *last;   /* NULL: nothing told yet */
    bool is_there;
    size_t at; /* the state of the truth that comes next */
} walk;

static size_t *sort_by_object(const ledger *l);
static void step(walk *w, const ledger_line *line);
static void check_fit(const walk *w, const ledger_line *line);
static void check_true(walk *w, const ledger_line *line);
static void fail_at(const walk *w, const ledger_line *line, const char *why);
static void *grow(void *items, size_t item_size, size_t count, size_t *capacity);
static ledger_state state_of(const char *key, const kin_object *object);

void ledger_init(ledger *l, const char *name)
{
    *l = (ledger){ .name = name };
    (void) pthread_mutex_init(&l->lock, NULL);
}

void ledger_fini(ledger *l)
{
    free(l->lines);
    (void) pthread_mutex_destroy(&l->lock);
}

void ledger_note(ledger *l, const ledger_line *line)
{
    (void) pthread_mutex_lock(&l->lock);
    l->lines = grow(l->lines, sizeof *l->lines, l->count, &l->capacity);
    l->lines[l->count++] = *line;
    (void) pthread_mutex_unlock(&l->lock);
}

void ledger_note_notification(void *context, const kin_notification *n)
{
    ledger_line line = { .type = n->type };
    char key[TRUTH_KEY_MAX];

    (void) snprintf(key, sizeof key, "%.*s", KIN_STR_ARG(n->key));
    line.now = state_of(key, n->object);
    if (n->before != NULL) {
        line.before = state_of(key, n->before);
    }
    ledger_note(context, &line);
}

bool ledger_told_of(ledger *l, const char *key, uint64_t version)
{
    bool is_told = false;

    (void) pthread_mutex_lock(&l->lock);
    for (size_t i = l->count; i-- > 0 && !is_told;) {
        is_told = l->lines[i].now.version >= version && strcmp(l->lines[i].now.key, key) == 0;
    }
    (void) pthread_mutex_unlock(&l->lock);
    return is_told;
}

void ledger_check(const ledger *l, const truth *t)
{
    size_t *order = sort_by_object(l);
    walk w = { .l = l };

    for (size_t i = 0; i < l->count; i++) {
        const ledger_line *line = &l->lines[order[i]];

        if (w.last == NULL || strcmp(w.last->now.key, line->now.key) != 0) {
            w = (walk){ .l = l, .truth = truth_find(t, line->now.key) };
        }
        step(&w, line);
    }
    free(order);
}

static bool has_told(const ledger *l, const truth_object *object, const truth_state *state)
{
    for (size_t i = 0; i < l->count; i++) {
        const ledger_line *line = &l->lines[i];

        if (line->now.version == state->version && line->type != KIN_NOTIFICATION_DELETED &&
            strcmp(line->now.key, object->key) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_among(const char *ns, const char *const *namespaces)
{
    for (size_t i = 0; namespaces != NULL && namespaces[i] != NULL; i++) {
        if (strcmp(namespaces[i], ns) == 0) {
            return true;
        }
    }
    return namespaces == NULL;
}

size_t ledger_count_skipped(const ledger *l, const truth *t, const char *const *namespaces)
{
    size_t skipped = 0;

    for (size_t i = 0; i < t->count; i++) {
        const truth_object *object = &t->objects[i];

        for (size_t at = 0; at < object->count && is_among(object->ns, namespaces); at++) {
            const truth_state *state = &object->states[at];
            bool is_wanted = !state->is_gone && (state->is_picked || !l->is_picked);

            skipped += is_wanted && !has_told(l, object, state) ? 1 : 0;
        }
    }
    return skipped;
}

ledger_states ledger_replay(const ledger *l)
{
    ledger_states known = { .states = NULL };
    size_t *order = sort_by_object(l);

    for (size_t i = 0; i < l->count; i++) {
        const ledger_line *line = &l->lines[order[i]];
        bool is_last =
            i + 1 == l->count || strcmp(l->lines[order[i + 1]].now.key, line->now.key) != 0;

        if (is_last && line->type != KIN_NOTIFICATION_DELETED) {
            known.states = grow(known.states, sizeof *known.states, known.count, &known.capacity);
            known.states[known.count++] = line->now;
        }
    }
    free(order);
    return known;
}

void ledger_states_add(ledger_states *s, const char *key, const kin_object *object)
{
    s->states = grow(s->states, sizeof *s->states, s->count, &s->capacity);
    s->states[s->count++] = state_of(key, object);
}

void ledger_states_fini(ledger_states *s)
{
    free(s->states);
    *s = (ledger_states){ .states = NULL };
}

static bool add_listed(void *context, kin_object *object)
{
    char key[TRUTH_KEY_MAX];

    (void) snprintf(key, sizeof key, "%.*s", KIN_STR_ARG(kin_object_key(object)));
    ledger_states_add(context, key, object);
    return true;
}

ledger_states list_states(kin_client *client, const char *const *namespaces, bool is_picked)
{
    static const char *const all[] = { NULL, NULL };
    ledger_states listed = { .states = NULL };
    kin_handler handler = { .size = sizeof handler, .context = &listed, .on_object = add_listed };

    for (size_t i = 0; i == 0 || (namespaces != NULL && namespaces[i] != NULL); i++) {
        kin_error err = { .code = KIN_OK };
        kin_request request = { .size = sizeof request,
                                .verb = KIN_VERB_LIST,
                                .resource = "configmaps",
                                .ns = (namespaces != NULL ? namespaces : all)[i],
                                .label_selector = is_picked ? "pick=yes" : NULL };

        if (kin_client_run(client, &request, &handler, NULL, &err) != KIN_OK) {
            FAIL("cannot list: %s", err.message);
        }
    }
    return listed;
}

ledger_states read_states(const kin_store *store)
{
    ledger_states stored = { .states = NULL };
    kin_view view = kin_store_read(store);
    kin_view_iter iter = kin_view_all(&view);

    while (kin_view_next(&iter)) {
        char key[TRUTH_KEY_MAX];

        (void) snprintf(key, sizeof key, "%.*s", KIN_STR_ARG(iter.key));
        ledger_states_add(&stored, key, iter.object);
    }
    kin_store_done(&view);
    return stored;
}

static int compare_states(const void *a, const void *b)
{
    return strcmp(((const ledger_state *) a)->key, ((const ledger_state *) b)->key);
}

void must_be_same_states(const char *name, ledger_states *got, ledger_states *want)
{
    if (got->count > 0) {
        qsort(got->states, got->count, sizeof *got->states, compare_states);
    }
    if (want->count > 0) {
        qsort(want->states, want->count, sizeof *want->states, compare_states);
    }
    for (size_t i = 0; i < got->count || i < want->count; i++) {
        static const ledger_state none = { .key = "nothing" };
        const ledger_state *g = i < got->count ? &got->states[i] : &none;
        const ledger_state *w = i < want->count ? &want->states[i] : &none;

        if (strcmp(g->key, w->key) != 0 || strcmp(g->uid, w->uid) != 0 ||
            g->version != w->version) {
            FAIL("%s has %s %s %llu where the server has %s %s %llu (%zu and %zu objects)", name,
                 g->key, g->uid, (unsigned long long) g->version, w->key, w->uid,
                 (unsigned long long) w->version, got->count, want->count);
        }
    }
}

static const ledger *sorted; /* qsort has no context */

static int compare_lines(const void *a, const void *b)
{
    size_t x = *(const size_t *) a;
    size_t y = *(const size_t *) b;
    int order = strcmp(sorted->lines[x].now.key, sorted->lines[y].now.key);

    return order != 0 ? order : (x > y) - (x < y);
}

static size_t *sort_by_object(const ledger *l)
{
    size_t *order = calloc(l->count + 1, sizeof *order);

    ASSERT_TRUE(order != NULL);
    for (size_t i = 0; i < l->count; i++) {
        order[i] = i;
    }
    sorted = l;
    qsort(order, l->count, sizeof *order, compare_lines);
    return order;
}

static void step(walk *w, const ledger_line *line)
{
    check_fit(w, line);
    if (w->truth != NULL) {
        check_true(w, line);
    }
    w->last = line;
    w->is_there = line->type != KIN_NOTIFICATION_DELETED;
}

static bool is_same(const ledger_state *a, const ledger_state *b)
{
    return a->version == b->version && strcmp(a->uid, b->uid) == 0;
}

static void check_fit(const walk *w, const ledger_line *line)
{
    bool is_rising = w->last == NULL || line->now.version > w->last->now.version;
    bool is_repeated = w->last != NULL && line->now.version == w->last->now.version;

    if ((line->type == KIN_NOTIFICATION_ADDED) == w->is_there) {
        fail_at(w, line, w->is_there ? "added though it is there" : "it is not there");
    }
    if (line->before.version != 0 && !is_same(&line->before, &w->last->now)) {
        fail_at(w, line, "`before` is not what was told last");
    }
    if (line->type == KIN_NOTIFICATION_ADDED && line->before.version != 0) {
        fail_at(w, line, "added, with a state before");
    }
    if (line->type == KIN_NOTIFICATION_UPDATED && line->before.version == 0) {
        fail_at(w, line, "updated, without a state before");
    }
    if (line->type != KIN_NOTIFICATION_ADDED && !w->l->is_lax &&
        strcmp(line->now.uid, w->last->now.uid) != 0) {
        fail_at(w, line, "another object under this name, without a deletion");
    }
    if (!is_rising && !(is_repeated && (line->type == KIN_NOTIFICATION_DELETED || w->l->is_lax))) {
        fail_at(w, line, is_repeated ? "told twice" : "older than what was told");
    }
}

/* A deletion is told with a version that the truth does not have. */
static void check_true(walk *w, const ledger_line *line)
{
    const truth_object *object = w->truth;
    bool is_deletion = line->type == KIN_NOTIFICATION_DELETED;

    if (w->l->is_lax && w->at > 0 && !is_deletion &&
        object->states[w->at - 1].version == line->now.version) {
        return;
    }
    for (; w->at < object->count; w->at++) {
        const truth_state *state = &object->states[w->at];
        bool is_known = !state->is_gone && (state->is_picked || !w->l->is_picked);
        bool is_it = is_deletion ? !is_known
                                 : is_known && state->version == line->now.version &&
                                       strcmp(state->uid, line->now.uid) == 0;

        if (is_it) {
            w->at++;
            return;
        }
    }
    fail_at(w, line, is_deletion ? "it never went" : "it never was so");
}

static void fail_at(const walk *w, const ledger_line *line, const char *why)
{
    static const char *const types[] = { "?", "added", "updated", "deleted" };

    FAIL("%s: %s %s %s %llu, before %llu, after %s %s %llu: %s", w->l->name, types[line->type],
         line->now.key, line->now.uid, (unsigned long long) line->now.version,
         (unsigned long long) line->before.version,
         w->last == NULL ? "nothing" : types[w->last->type],
         w->last == NULL ? "" : w->last->now.uid,
         w->last == NULL ? 0 : (unsigned long long) w->last->now.version, why);
}

/* The array, with room for one more. */
static void *grow(void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity == 0 ? 256 : 2 * *capacity;
    void *larger = realloc(items, *capacity * item_size);
    ASSERT_TRUE(larger != NULL);
    return larger;
}

static ledger_state state_of(const char *key, const kin_object *object)
{
    ledger_state state = { .version = 0 };
    char digits[32];

    (void) snprintf(state.key, sizeof state.key, "%s", key);
    (void) snprintf(state.uid, sizeof state.uid, "%.*s", KIN_STR_ARG(kin_object_uid(object)));
    (void) snprintf(digits, sizeof digits, "%.*s",
                    KIN_STR_ARG(kin_object_resource_version(object)));
    state.version = strtoull(digits, NULL, 10);
    return state;
}
