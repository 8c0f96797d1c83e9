/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_support.h - a controller with a store, and somebody who writes down what he is told.
 */
#ifndef TESTS_UNIT_CACHE_CONTROLLER_SUPPORT_H
#define TESTS_UNIT_CACHE_CONTROLLER_SUPPORT_H

#include "cache/controller.h"
#include "unit/cache/delta_support.h"

#define STAGED_MAX 64

typedef struct house {
    kin_store *store;
    kin__controller *controller;
    char staged[STAGED_MAX][96];
    size_t count;
    text told;    /* what was committed; "; " between */
    text refused; /* messages */
    size_t commits;
    size_t syncs;
    uint64_t version; /* of the last commit */
    bool is_full;     /* nothing more is staged */
    size_t left;      /* the same when so many are; 0: it never is */
} house;

/* "add a 1 initial", "update a 1 2", "delete a 2 tombstone" */
static inline kin_err stage_word(void *context, const kin_notification *n, kin_error *err)
{
    house *h = context;
    char *word = h->staged[h->count];
    kin_str version = kin_object_resource_version(n->object);
    kin_str before = n->before == NULL ? STR("") : kin_object_resource_version(n->before);

    if (h->is_full || (h->left != 0 && h->count == h->left)) {
        *err = (kin_error){ .code = KIN_ERR_LIMIT, .message = "full" };
        return KIN_ERR_LIMIT;
    }
    ASSERT_TRUE(h->count < STAGED_MAX);
    switch (n->type) {
    case KIN_NOTIFICATION_ADDED:
        ASSERT_TRUE(n->before == NULL);
        (void) snprintf(word, 96, "add %.*s %.*s%s", KIN_STR_ARG(n->key), KIN_STR_ARG(version),
                        n->is_initial ? " initial" : "");
        break;
    case KIN_NOTIFICATION_UPDATED:
        ASSERT_TRUE(n->before != NULL);
        (void) snprintf(word, 96, "update %.*s %.*s %.*s%s%s", KIN_STR_ARG(n->key),
                        KIN_STR_ARG(before), KIN_STR_ARG(version),
                        n->before == n->object ? " itself" : "", n->is_resync ? " resync" : "");
        break;
    case KIN_NOTIFICATION_DELETED:
        ASSERT_TRUE(n->before != NULL);
        (void) snprintf(word, 96, "delete %.*s %.*s%s", KIN_STR_ARG(n->key), KIN_STR_ARG(version),
                        n->is_tombstone ? " tombstone" : "");
        break;
    }
    h->count++;
    return KIN_OK;
}

static inline void unstage_word(void *context)
{
    house *h = context;
    ASSERT_TRUE(h->count > 0);
    h->count--;
}

static inline void commit_words(void *context, uint64_t version)
{
    house *h = context;

    for (size_t i = 0; i < h->count; i++) {
        text_append(&h->told, "%s%s", h->told.len == 0 ? "" : "; ", h->staged[i]);
    }
    h->count = 0;
    h->commits++;
    h->version = version;
}

static inline void note_synced(void *context)
{
    house *h = context;
    ASSERT_TRUE(kin__controller_has_synced(h->controller));
    h->syncs++;
}

static inline void note_refused(void *context, const kin_object *object, const kin_error *err)
{
    house *h = context;
    ASSERT_TRUE(object != NULL);
    text_append(&h->refused, "%s%s", h->refused.len == 0 ? "" : "; ", err->message);
}

/* Fills in what tells this house. */
static inline kin__controller_options house_options(house *h, kin__controller_options options)
{
    options.stage = stage_word;
    options.unstage = unstage_word;
    options.commit = commit_words;
    options.synced = note_synced;
    options.refused = note_refused;
    options.context = h;
    return options;
}

static inline void open_house(house *h, kin__controller_options options)
{
    kin_error err;
    kin__store_options store = { .sources = options.sources };

    *h = (house){ 0 };
    options = house_options(h, options);
    ASSERT_OK(kin__store_new(&store, &h->store, &err));
    ASSERT_OK(kin__controller_new(h->store, &options, &h->controller, &err));
}

static inline void close_house(house *h)
{
    kin__controller_free(h->controller);
    kin__store_free(h->store);
}

static inline void bring_all(house *h, size_t source, const char *words, const char *version)
{
    kin__reflector_sink sink = kin__controller_sink(h->controller, source);
    things all = make_things(words);
    kin_error err;

    ASSERT_OK(sink.replace(sink.context, all.objects, all.count, kin_str_of(version), &err));
    drop_things(&all);
}

/* "+foo@1 ~foo@2 -foo@3 =4": added, updated, deleted, a bookmark. */
static inline void bring_to(house *h, size_t source, const char *words)
{
    kin__reflector_sink sink = kin__controller_sink(h->controller, source);
    char word[64];
    int len;
    kin_error err;

    for (; sscanf(words, " %63s%n", word, &len) == 1; words += len) {
        if (word[0] == '=') {
            ASSERT_OK(sink.bookmark(sink.context, kin_str_of(word + 1), &err));
            continue;
        }
        kin_object *object = make_one(word + 1);
        kin_err code = word[0] == '+'   ? sink.add(sink.context, object, &err)
                       : word[0] == '~' ? sink.update(sink.context, object, &err)
                                        : sink.remove(sink.context, object, &err);
        ASSERT_OK(code);
        kin_object_unref(object);
    }
}

static inline void bring(house *h, const char *words)
{
    bring_to(h, 0, words);
}

/* What was told since the last time. */
static inline const char *process(house *h)
{
    static text told;
    kin_error err;

    kin_err code = kin__controller_process(h->controller, &err);
    if (code != KIN_OK) {
        FAIL("process: %s", err.message);
    }
    ASSERT_FALSE(kin__controller_is_pending(h->controller));
    told = h->told;
    text_clear(&h->told);
    return told.chars;
}

/* "a@1 b@2 | 7", sorted by key; versions of the sources behind the bar. */
static inline const char *state_of(const house *h, size_t sources)
{
    static text t;
    kin_view view = kin_store_read(h->store);
    const kin_object *last = NULL;

    text_clear(&t);
    for (size_t count = kin_view_count(&view); count > 0; count--) {
        const kin_object *next = NULL;
        kin_view_iter iter = kin_view_all(&view);
        while (kin_view_next(&iter)) {
            bool is_later = last == NULL ||
                            kin__str_compare(kin_object_key(iter.object), kin_object_key(last)) > 0;
            if (is_later && (next == NULL || kin__str_compare(kin_object_key(iter.object),
                                                              kin_object_key(next)) < 0)) {
                next = iter.object;
            }
        }
        ASSERT_TRUE(next != NULL);
        text_append(&t, "%.*s@%.*s ", KIN_STR_ARG(kin_object_key(next)),
                    KIN_STR_ARG(kin_object_resource_version(next)));
        last = next;
    }
    text_append(&t, "|");
    for (size_t i = 0; i < sources; i++) {
        text_append(&t, " %.*s", KIN_STR_ARG(kin_view_resource_version(&view, i)));
    }
    kin_store_done(&view);
    return t.chars;
}

static inline const char *state(const house *h)
{
    return state_of(h, 1);
}

#endif /* TESTS_UNIT_CACHE_CONTROLLER_SUPPORT_H */
