/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delta_support.h - objects and short words for the tests of the fifo and the controller.
 */
#ifndef TESTS_UNIT_CACHE_DELTA_SUPPORT_H
#define TESTS_UNIT_CACHE_DELTA_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cache/delta_fifo.h"
#include "support/random.h"
#include "support/test.h"

static inline kin_err make_thing_or_fail(const char *ns, const char *name, const char *version,
                                         const char *uid, kin_object **out, kin_error *err)
{
    char json[512];
    int len = snprintf(json, sizeof json,
                       "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\","
                       "\"resourceVersion\":\"%s\"}}",
                       ns, name, uid, version);
    ASSERT_TRUE(len > 0 && (size_t) len < sizeof json);
    return kin_object_from_json(json, (size_t) len, NULL, out, err);
}

static inline kin_object *make_thing(const char *ns, const char *name, const char *version,
                                     const char *uid)
{
    kin_object *object = NULL;
    kin_error err;

    if (make_thing_or_fail(ns, name, version, uid, &object, &err) != KIN_OK) {
        FAIL("no object: %s", err.message);
    }
    return object;
}

/* Without a namespace. */
static inline kin_object *thing(const char *name, const char *version)
{
    return make_thing("", name, version, name);
}

/* "foo@1 bar@2", in a buffer of its own; "foo@1#2": with the uid "2". */
typedef struct things {
    kin_object *objects[64];
    size_t count;
} things;

static inline things make_things(const char *words)
{
    things all = { .count = 0 };
    char name[64];
    int len;

    for (; sscanf(words, " %63s%n", name, &len) == 1; words += len) {
        char *version = strchr(name, '@');
        ASSERT_TRUE(version != NULL && all.count < 64);
        *version++ = '\0';
        char *uid = strchr(version, '#');
        if (uid != NULL) {
            *uid++ = '\0';
        }
        char *slash = strchr(name, '/');
        if (slash != NULL) {
            *slash++ = '\0';
        }
        all.objects[all.count++] =
            make_thing(slash == NULL ? "" : name, slash == NULL ? name : slash, version,
                       uid == NULL ? "1" : uid);
    }
    return all;
}

static inline kin_object *make_one(const char *word)
{
    things all = make_things(word);
    ASSERT_EQ(all.count, 1);
    return all.objects[0];
}

static inline void drop_things(things *all)
{
    while (all->count > 0) {
        kin_object_unref(all->objects[--all->count]);
    }
}

/* "added 1, tombstone 2" */
static inline void describe_deltas(text *t, kin__deltas *deltas)
{
    static const char *const types[] = { "added", "updated", "deleted", "replaced", "sync" };
    const kin__delta *all = kin__deltas_all(deltas);

    text_append(t, "%.*s:", KIN_STR_ARG(kin__deltas_key(deltas)));
    for (size_t i = 0; i < deltas->count; i++) {
        kin_str version =
            all[i].object == NULL ? STR("?") : kin_object_resource_version(all[i].object);
        text_append(t, "%s %s %.*s", i == 0 ? "" : ",",
                    all[i].is_tombstone ? "tombstone" : types[all[i].type], KIN_STR_ARG(version));
    }
}

/* How much less the sanitizers let us do in the same time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOWER 20
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif

#endif /* TESTS_UNIT_CACHE_DELTA_SUPPORT_H */
