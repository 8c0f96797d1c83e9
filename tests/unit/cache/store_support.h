/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_support.h - objects and short words for the tests of the store.
 */
#ifndef TESTS_UNIT_CACHE_STORE_SUPPORT_H
#define TESTS_UNIT_CACHE_STORE_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cache/store.h"
#include "support/test.h"

/* What a test wants to say of a pod; NULL: nothing. */
typedef struct pod {
    const char *ns;
    const char *name;
    const char *version;
    const char *node;
    const char *labels; /* members: "\"app\":\"web\"" */
    const char *ips;    /* elements: "{\"ip\":\"10.0.0.1\"}" */
} pod;

static inline kin_err make_pod_or_fail(pod p, kin_object **out, kin_error *err)
{
    char json[1024];
    int len = snprintf(json, sizeof json,
                       "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"uid-%s\","
                       "\"resourceVersion\":\"%s\",\"labels\":{%s}},"
                       "\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"podIPs\":[%s]}}",
                       p.ns == NULL ? "" : p.ns, p.name, p.name,
                       p.version == NULL ? "1" : p.version, p.labels == NULL ? "" : p.labels,
                       p.node == NULL ? "" : p.node, p.ips == NULL ? "" : p.ips);
    ASSERT_TRUE(len > 0 && (size_t) len < sizeof json);
    return kin_object_from_json(json, (size_t) len, NULL, out, err);
}

static inline kin_object *make_pod(pod p)
{
    kin_object *object = NULL;
    kin_error err;
    kin_err code = make_pod_or_fail(p, &object, &err);
    if (code != KIN_OK) {
        FAIL("no pod: %s", err.message);
    }
    return object;
}

/* "shop/pod-7" with a resource version. */
static inline kin_object *numbered_pod(size_t number, size_t version)
{
    char name[32];
    char version_text[32];
    char node[32];
    (void) snprintf(name, sizeof name, "pod-%zu", number);
    (void) snprintf(version_text, sizeof version_text, "%zu", version);
    (void) snprintf(node, sizeof node, "node-%zu", number % 10);
    return make_pod((pod){ .ns = "shop", .name = name, .version = version_text, .node = node });
}

/* In a buffer that the next call overwrites. */
static inline kin_str numbered_key(size_t number)
{
    static char key[48];
    int len = snprintf(key, sizeof key, "shop/pod-%zu", number);
    return kin__str(key, (size_t) len);
}

static inline kin_store *new_store(const kin__store_options *options)
{
    kin_store *store = NULL;
    kin_error err;
    ASSERT_OK(kin__store_new(options, &store, &err));
    return store;
}

/* In the open batch; the store has the only reference afterwards. */
static inline void put(kin_store *store, kin_object *object)
{
    const kin_object *old;
    kin_error err;
    kin_err code = kin__store_put(store, object, &old, &err);
    if (code != KIN_OK) {
        FAIL("put: %s", err.message);
    }
    kin_object_unref(object);
}

static inline void take_out(kin_store *store, kin_str key)
{
    const kin_object *old;
    kin_error err;
    ASSERT_OK(kin__store_remove(store, key, &old, &err));
}

/* A batch of its own. */
static inline void put_alone(kin_store *store, kin_object *object)
{
    kin__store_begin(store);
    put(store, object);
    kin__store_publish(store);
}

static inline void remove_alone(kin_store *store, kin_str key)
{
    kin__store_begin(store);
    take_out(store, key);
    kin__store_publish(store);
}

static inline void put_numbered(kin_store *store, size_t count, size_t version)
{
    kin__store_begin(store);
    for (size_t i = 0; i < count; i++) {
        put(store, numbered_pod(i, version));
    }
    kin__store_publish(store);
}

static inline void add_path_index(kin_store *store, const char *name, const char *path)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_error err;
    options.name = name;
    options.path = path;
    kin_err code = kin_store_add_index(store, &options, &err);
    if (code != KIN_OK) {
        FAIL("%s", err.message);
    }
}

/* The keys a walk gives, sorted and joined by blanks; at most 64. */
static inline const char *keys_of(kin_view_iter iter)
{
    static text result;
    kin_str keys[64];
    size_t count = 0;

    while (kin_view_next(&iter)) {
        ASSERT_TRUE(count < 64);
        size_t at = count++;
        for (; at > 0 && kin__str_compare(iter.key, keys[at - 1]) < 0; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = iter.key;
    }
    text_clear(&result);
    for (size_t i = 0; i < count; i++) {
        text_append(&result, "%s%.*s", i == 0 ? "" : " ", KIN_STR_ARG(keys[i]));
    }
    return result.chars;
}

static inline size_t count_walk(kin_view_iter iter)
{
    size_t count = 0;
    while (kin_view_next(&iter)) {
        count++;
    }
    return count;
}

/* How much less the sanitizers let us do in the same time; and an emulator, which is where these
 * tests meet an ARM. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__aarch64__)
#define SLOWNESS 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOWNESS 20
#endif
#endif
#ifndef SLOWNESS
#define SLOWNESS 1
#endif

#endif /* TESTS_UNIT_CACHE_STORE_SUPPORT_H */
