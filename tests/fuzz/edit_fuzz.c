/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_fuzz.c - any sequence of changes to a copy of an object.
 *
 * The input is lines, each a change: a letter, the path up to a tab, and the value up to the end of
 * the line.
 *     s<path>\t<text>   set a string       r<path>           remove
 *     j<path>\t<json>   set any JSON       a<path>\t<json>   append any JSON
 *     i<path>\t<bytes>  set a number       t<path>\t<text>   append a string
 *
 * What must hold: a change that fails changes nothing, so that a twin that is only given those that
 * succeed becomes the same; the original stays as it is; the patch,
 * applied as RFC 7386 says, makes the copy of the original; the copy is an object whenever its
 * metadata is right.
 */
#include <stdint.h>
#include <string.h>

#include "../support/merge_patch.h"
#include "base/str.h"
#include "kin/edit.h"

#define LINES_MAX 16
#define PATH_MAX_BYTES 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

static const char sample[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"uid\":\"u\","
    "\"resourceVersion\":\"7\",\"labels\":{\"a\":\"1\",\"b.c/"
    "d\":\"\"},\"finalizers\":[\"x\",\"y\"]},"
    "\"spec\":{\"n\":1.50,\"z\":null,\"t\":true,\"o\":{\"p\":{\"q\":[]}},\"list\":["
    "{\"name\":\"one\",\"v\":1},null,{\"name\":\"two\",\"v\":[1,{\"w\":null}]},3],"
    "\"many\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,"
    "\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1}}}";

typedef struct owned {
    char *json;
    size_t len;
} owned;

static owned patch_of(const kin_edit *edit, unsigned flags)
{
    owned patch = { NULL, 0 };
    MUST(kin_edit_merge_patch(edit, flags, &patch.json, &patch.len, NULL) == KIN_OK);
    MUST(strlen(patch.json) == patch.len);
    return patch;
}

static owned json_of(const kin_object *object)
{
    owned json = { NULL, 0 };
    MUST(kin_object_json(object, &json.json, &json.len, NULL) == KIN_OK);
    return json;
}

static bool is_same(owned a, owned b)
{
    return a.len == b.len && memcmp(a.json, b.json, a.len) == 0;
}

static kin_err change(kin_edit *edit, char letter, const char *path, kin_str value)
{
    int64_t number = 0;

    switch (letter) {
    case 's':
        return kin_edit_set_str(edit, path, value, NULL);
    case 'j':
        return kin_edit_set_json(edit, path, value, NULL);
    case 'i':
        memcpy(&number, value.data, value.len < sizeof number ? value.len : sizeof number);
        return number % 2 == 0 ? kin_edit_set_int64(edit, path, number, NULL)
                               : kin_edit_set_double(edit, path, (double) number / 7, NULL);
    case 'r':
        return kin_edit_remove(edit, path, NULL);
    case 'a':
        return kin_edit_append_json(edit, path, value, NULL);
    case 't':
        return kin_edit_append_str(edit, path, value, NULL);
    default:
        return KIN_OK;
    }
}

static void run_line(kin_edit *edit, kin_edit *twin, kin_str line)
{
    char path[PATH_MAX_BYTES];

    if (line.len == 0) {
        return;
    }
    const char *end = line.data + line.len;
    const char *tab = memchr(line.data, '\t', line.len);
    const char *path_end = tab == NULL ? end : tab;
    size_t path_len = (size_t) (path_end - (line.data + 1));
    if (line.data[0] == '\t' || path_len >= sizeof path) {
        return;
    }
    memcpy(path, line.data + 1, path_len);
    path[path_len] = '\0';
    const char *value = tab == NULL ? end : tab + 1;

    kin_str text = kin__str(value, (size_t) (end - value));
    if (change(edit, line.data[0], path, text) == KIN_OK) {
        MUST(change(twin, line.data[0], path, text) == KIN_OK);
    }
}

/* A patch tells all of a copy, beside the order of its members. */
static void check_twin(const kin_edit *edit, const kin_edit *twin)
{
    owned patch = patch_of(edit, 0);
    owned same = patch_of(twin, 0);

    MUST(is_same(patch, same));
    kin_free(patch.json);
    kin_free(same.json);
}

/* Makes an object of the copy, after mending what an object must have. */
static kin_object *object_of(kin_edit *edit)
{
    kin_object *object = NULL;

    if (kin_edit_object(edit, &object, NULL) != KIN_OK) {
        MUST(kin_edit_set_json(edit, "metadata", STR("{\"name\":\"mended\"}"), NULL) == KIN_OK);
        MUST(kin_edit_set_str(edit, "kind", STR("Pod"), NULL) == KIN_OK);
        MUST(kin_edit_set_str(edit, "apiVersion", STR("v1"), NULL) == KIN_OK);
        MUST(kin_edit_object(edit, &object, NULL) == KIN_OK);
    }
    return object;
}

static void check_patch(const kin_edit *edit, const kin_object *original, const kin_object *edited)
{
    owned patch = patch_of(edit, 0);
    owned before = json_of(original);
    owned after = json_of(edited);
    kin__node *patch_tree = merge_patch_tree(patch.json, patch.len);
    kin__node *before_tree = merge_patch_tree(before.json, before.len);
    kin__node *after_tree = merge_patch_tree(after.json, after.len);

    MUST(merge_patch_makes(before_tree, patch_tree, after_tree));
    kin__node_free(patch_tree);
    kin__node_free(before_tree);
    kin__node_free(after_tree);
    kin_free(patch.json);
    kin_free(before.json);
    kin_free(after.json);
    owned strict = patch_of(edit, KIN_PATCH_IF_UNCHANGED | KIN_PATCH_IF_SAME_UID);
    MUST(strstr(strict.json, "\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"u\"") != NULL);
    kin_free(strict.json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_object *original = NULL;
    kin_edit *edit = NULL;
    kin_edit *twin = NULL;
    kin_str rest = { (const char *) data, size };

    MUST(kin_object_from_json(sample, sizeof sample - 1, NULL, &original, NULL) == KIN_OK);
    MUST(kin_object_edit(original, &edit, NULL) == KIN_OK);
    MUST(kin_object_edit(original, &twin, NULL) == KIN_OK);
    owned before = json_of(original);
    for (int lines = 0; lines < LINES_MAX && rest.len > 0; lines++) {
        const char *newline = memchr(rest.data, '\n', rest.len);
        size_t len = newline == NULL ? rest.len : (size_t) (newline - rest.data);
        run_line(edit, twin, kin__str(rest.data, len));
        size_t used = newline == NULL ? len : len + 1;
        rest = kin__str(rest.data + used, rest.len - used);
    }
    check_twin(edit, twin);
    kin_object *edited = object_of(edit);
    check_patch(edit, original, edited);
    owned after = json_of(original);
    MUST(is_same(before, after));

    kin_free(before.json);
    kin_free(after.json);
    (void) kin_object_unref(edited);
    kin_edit_free(twin);
    kin_edit_free(edit);
    (void) kin_object_unref(original);
    return 0;
}
