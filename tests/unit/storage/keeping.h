/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeping.h - records and collections, for the tests of this directory.
 */
#ifndef TESTS_UNIT_STORAGE_KEEPING_H
#define TESTS_UNIT_STORAGE_KEEPING_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "storage/storage.h"
#include "support/test.h"

/* Of "namespace/name" or "name". */
static inline kin_err make_record(const char *key, uint64_t revision, kin__record **out,
                                  kin_error *err)
{
    char json[512];
    const char *slash = strchr(key, '/');
    int ns_len = slash == NULL ? 0 : (int) (slash - key);
    kin_object *object = NULL;

    int len = snprintf(json, sizeof json,
                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"%s%.*s"
                       "%s,\"resourceVersion\":\"%llu\"}}",
                       slash == NULL ? key : slash + 1, slash == NULL ? "" : ",\"namespace\":\"",
                       ns_len, key, slash == NULL ? "" : "\"", (unsigned long long) revision);
    kin_err code = kin_object_from_json(json, (size_t) len, NULL, &object, err);
    if (code != KIN_OK) {
        return code;
    }
    code = kin__record_new(object, 0, revision, out, err);
    if (code != KIN_OK) {
        kin_object_unref(object);
    }
    return code;
}

static inline kin_err try_put(kin__collection *collection, const char *key, kin_error *err)
{
    kin__record *record = NULL;
    uint64_t revision = kin__storage_next_revision(kin__collection_storage(collection));
    kin_err code = make_record(key, revision, &record, err);
    if (code != KIN_OK) {
        return code;
    }
    code = kin__collection_put(collection, record, err);
    if (code != KIN_OK) {
        kin__record_unref(record);
    }
    return code;
}

static inline void put(kin__collection *collection, const char *key)
{
    kin_error err;
    ASSERT_OK(try_put(collection, key, &err));
}

static inline void take(kin__collection *collection, const char *key)
{
    kin_error err;
    ASSERT_OK(kin__collection_remove(collection, kin_str_of(key), &err));
}

static inline void make_collection(size_t history_max, kin__storage **storage,
                                   kin__collection **collection)
{
    kin__storage_options options = { .history_max = history_max };
    kin_error err;

    ASSERT_OK(kin__storage_new(&options, storage, &err));
    ASSERT_OK(kin__collection_new(*storage, collection, &err));
}

/* "a@2 b@5 ": each record's key and revision; then "+n" for what remains. */
static inline void append_listing(text *t, const kin__listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        kin_str key = kin__record_key(listing->records[i]);
        text_append(t, "%.*s@%llu ", KIN_STR_ARG(key),
                    (unsigned long long) listing->records[i]->revision);
    }
    if (listing->has_more) {
        text_append(t, "+%zu", listing->remaining);
    }
}

#endif /* TESTS_UNIT_STORAGE_KEEPING_H */
