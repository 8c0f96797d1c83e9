/* SPDX-License-Identifier: Apache-2.0 */
/*
 * making.h - objects out of texts, for the tests of this directory.
 */
#ifndef TESTS_UNIT_OBJECT_MAKING_H
#define TESTS_UNIT_OBJECT_MAKING_H

#include <string.h>

#include "kin/object.h"
#include "support/test.h"

static inline kin_object *make_with(const char *json, const kin_object_options *options)
{
    kin_object *object = NULL;
    kin_error err;

    if (kin_object_from_json(json, strlen(json), options, &object, &err) != KIN_OK) {
        FAIL("%s: of %s", err.message, json);
    }
    return object;
}

static inline kin_object *make(const char *json)
{
    return make_with(json, NULL);
}

/* A mask of up to four paths; those that are NULL do not count. */
static inline kin_mask *make_mask(kin_mask_mode mode, const char *a, const char *b, const char *c,
                                  const char *d)
{
    const char *paths[] = { a, b, c, d };
    size_t count = 0;
    kin_mask *mask = NULL;
    kin_error err;

    while (count < 4 && paths[count] != NULL) {
        count++;
    }
    if (kin_mask_new(mode, paths, count, &mask, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return mask;
}

/* An object made of `json` through `mask`, which is freed. */
static inline kin_object *make_masked(const char *json, kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;

    options.mask = mask;
    kin_object *object = make_with(json, &options);
    kin_mask_free(mask);
    return object;
}

/* Appends the JSON of a value, or "missing". */
static inline void append_value(text *t, kin_value value)
{
    char *json = NULL;
    size_t len = 0;

    if (!kin_value_exists(value)) {
        text_append(t, "missing");
        return;
    }
    ASSERT_OK(kin_value_json(value, &json, &len, NULL));
    ASSERT_EQ(strlen(json), len);
    text_append(t, "%s", json);
    kin_free(json);
}

/* That the object's JSON is `want`; the object is released. */
static inline void check_json(kin_object *object, const char *want)
{
    char *json = NULL;
    size_t len = 0;

    ASSERT_OK(kin_object_json(object, &json, &len, NULL));
    ASSERT_EQ(strlen(json), len);
    ASSERT_STR_EQ(json, want);
    kin_free(json);
    kin_object_unref(object);
}

#endif /* TESTS_UNIT_OBJECT_MAKING_H */
