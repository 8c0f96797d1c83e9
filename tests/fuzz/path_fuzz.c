/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_fuzz.c - any text as a path.
 *
 * A path that compiles must compile again from its canonical text to the same path, and lead to
 * the same place of an object however it is given.
 */
#include <stdlib.h>
#include <string.h>

#include "kin/object.h"
#include "object/object.h"
#include "object/path.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sample[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"labels\":{\"a.b/c\":"
    "\"d\"}},\"a\":[[1,2],[3,[4]],{\"a\":1,\"b\":\"x\"},{\"a\":1.0,\"b\":true},{\"a\":null}],"
    "\"b\":{\"a\":[{\"a\":\"\\u0061\"},{\"a\":\"b\",\"b\":false},7,\"s\"],\"b\":{}},\"\":{\"\":0}}";

/* Where a value is written; NULL: nowhere. */
static const char *place(kin_value value)
{
    return kin_value_exists(value) ? value.at : NULL;
}

static bool is_same_step(const kin__step *a, const kin__step *b)
{
    return a->kind == b->kind && kin_str_equal(a->name, b->name) && a->index == b->index &&
           a->is_not == b->is_not && a->literal_type == b->literal_type &&
           kin_str_equal(a->literal, b->literal);
}

static void check_same(const kin_path *path, const kin__step *steps, size_t count)
{
    CHECK(path->count == count);
    for (size_t i = 0; i < count; i++) {
        CHECK(is_same_step(&path->steps[i], &steps[i]));
    }
}

static void check_canonical(const kin_path *path)
{
    kin_path *again = NULL;
    CHECK(kin_path_new(kin_path_text(path), &again, NULL) == KIN_OK);
    check_same(path, again->steps, again->count);
    CHECK(strcmp(kin_path_text(path), kin_path_text(again)) == 0);
    kin_path_free(again);
}

typedef struct matches {
    size_t count;
    const char *first;
} matches;

static bool count_match(void *context, kin_value match)
{
    matches *m = context;
    CHECK(kin_value_exists(match));
    if (m->count++ == 0) {
        m->first = place(match);
    }
    return true;
}

static void check_walk(const kin_object *object, const char *chars, const kin_path *path)
{
    const char *by_path = place(kin_object_at_path(object, path));
    matches m = { 0, NULL };

    CHECK(kin_object_each(object, path, count_match, &m) == m.count);
    CHECK(m.first == by_path);
    if (path->count <= KIN_PATH_TEXT_STEPS) {
        kin__path_parsed parsed;
        kin_error err;
        kin_err code = kin__path_parse(chars, &parsed, &err);
        if (code == KIN_ERR_LIMIT) {
            return; /* its escaped strings are too long for the stack */
        }
        CHECK(code == KIN_OK);
        check_same(path, parsed.steps, parsed.count);
        CHECK(place(kin_object_at(object, chars)) == by_path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_object *object = NULL;
    kin_path *path = NULL;
    kin_error err;
    char *chars = malloc(size + 1);

    CHECK(chars != NULL);
    if (size != 0) {
        memcpy(chars, data, size);
    }
    chars[size] = '\0';
    CHECK(kin_object_from_json(sample, sizeof sample - 1, NULL, &object, NULL) == KIN_OK);
    kin_err code = kin_path_new(chars, &path, &err);
    if (code == KIN_OK) {
        check_canonical(path);
        check_walk(object, chars, path);
    } else {
        CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
        CHECK(err.code == code && err.message[0] != '\0');
        CHECK(!kin_value_exists(kin_object_at(object, chars)));
    }
    kin_path_free(path);
    kin_object_unref(object);
    free(chars);
    return 0;
}
