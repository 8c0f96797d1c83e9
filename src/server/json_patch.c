/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_patch.c - JSON patches (RFC 6902), as kube-apiserver 1.36 applies them.
 *
 * A path leads to the container around its last part, and to that part; what an operation then does
 * depends on whether the container is an object or an array.
 */
#include "server/json_patch.h"

#include "base/str.h"
#include "json/grammar.h"
#include "json/string.h"
#include "server/json_patch_read.h"

/* One patch being applied.  `err` is for lack of memory only: a fault of the patch needs no words,
 * because the real server tells none. */
typedef struct application {
    kin__node **tree;
    kin_error err;
    size_t copied; /* bytes */
    size_t work;
    kin__buf path;
    kin__buf part;
} application;

/* Where a path leads. */
typedef struct target {
    kin__node *container; /* NULL: nowhere */
    kin_str key;          /* its last part, in `part` of the application until the next path */
    size_t depth;         /* of the container: 1 for the tree itself */
} target;

static bool apply_all(application *a, kin__json patch);
static bool apply_one(application *a, const kin__json_patch_operation *operation);
static bool apply_add(application *a, const kin__json_patch_operation *operation);
static bool apply_remove(application *a, const kin__json_patch_operation *operation);
static bool apply_replace(application *a, const kin__json_patch_operation *operation);
static bool apply_move(application *a, const kin__json_patch_operation *operation);
static bool apply_test(application *a, const kin__json_patch_operation *operation);
static bool apply_copy(application *a, const kin__json_patch_operation *operation);

static bool read_path(application *a, kin__json text);
static bool find(application *a, kin__json path, target *out);
static void decode_part(application *a, kin_str part);
static bool get(const kin__node *container, kin_str key, kin__node **out);
static kin__node *take(application *a, kin__node *container, kin_str key);
static bool put(application *a, const target *at, kin__node *child);
static bool put_element(application *a, kin__node *array, kin_str key, kin__node *child);
static bool index_of(kin_str key, size_t count, size_t *out);
static bool number_of(kin_str text, int64_t *out);
static bool value_of(application *a, const kin__json_patch_operation *operation, kin__node **out);
static bool make_null(application *a, kin__node **out);
static bool fits(application *a, const kin__node *node, size_t depth);
static bool equals(const kin__node *node, kin__json value, kin__buf *scratch);
static bool equals_text(const kin__node *node, kin__json value, kin__buf *scratch);
static bool no_memory(application *a);

bool kin__json_patch_apply(kin__node **tree, kin_str patch, kin__field_validation validation,
                           kin__codec_warnings *warnings, kin__refusal *no)
{
    application a = { .tree = tree };

    if (!kin__json_patch_check(patch, validation, warnings, no)) {
        return false;
    }
    bool is_done = apply_all(&a, kin__json_of(patch));
    bool has_failed =
        a.err.code == KIN_ERR_NO_MEMORY || kin__buf_failed(&a.path) || kin__buf_failed(&a.part);
    kin__buf_fini(&a.path);
    kin__buf_fini(&a.part);
    if (has_failed) {
        return kin__refuse_no_memory(no);
    }
    if (!is_done) {
        (void) kin__refuse(no, 422, "Invalid",
                           "the server rejected our request due to an error in our request");
        kin__refusal_set_details(no, STR(""), STR(""), STR(""));
    }
    return is_done;
}

static bool apply_all(application *a, kin__json patch)
{
    kin__json_iter iter = kin__json_walk(patch);

    while (kin__json_next(&iter)) {
        kin__json_patch_operation operation = kin__json_patch_read(iter.value);
        if (!apply_one(a, &operation)) {
            return false;
        }
    }
    return true;
}

static bool apply_one(application *a, const kin__json_patch_operation *operation)
{
    static const struct {
        const char *name;
        bool (*apply)(application *a, const kin__json_patch_operation *operation);
    } kinds[] = {
        { "add", apply_add },   { "remove", apply_remove }, { "replace", apply_replace },
        { "move", apply_move }, { "test", apply_test },     { "copy", apply_copy },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kin__json_type(operation->op) == KIN_TYPE_STRING &&
            kin__json_string_equals(kin__json_raw_string(operation->op),
                                    kin_str_of(kinds[i].name))) {
            return kinds[i].apply(a, operation);
        }
    }
    return false;
}

static bool apply_add(application *a, const kin__json_patch_operation *operation)
{
    AUTO(kin__node_free) kin__node *value = NULL;
    target at;

    if (!find(a, operation->path, &at) || !value_of(a, operation, &value) || !put(a, &at, value)) {
        return false;
    }
    value = NULL;
    return true;
}

static bool apply_remove(application *a, const kin__json_patch_operation *operation)
{
    target at;

    if (!find(a, operation->path, &at)) {
        return false;
    }
    kin__node *gone = take(a, at.container, at.key);
    kin__node_free(gone);
    return gone != NULL;
}

static bool apply_replace(application *a, const kin__json_patch_operation *operation)
{
    AUTO(kin__node_free) kin__node *value = NULL;
    kin__node *before;
    size_t index;
    target at;

    if (!read_path(a, operation->path)) {
        return false;
    }
    if (a->path.len == 0) {
        kin_type type = kin__json_type(operation->value);
        if ((type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY) ||
            !value_of(a, operation, &value)) {
            return false;
        }
        kin__node_free(*a->tree);
        *a->tree = STEAL(value);
        return true;
    }
    if (!find(a, operation->path, &at) || !get(at.container, at.key, &before) ||
        !value_of(a, operation, &value) || !fits(a, value, at.depth)) {
        return false;
    }
    if (kin__node_type(at.container) == KIN_TYPE_ARRAY) {
        (void) index_of(at.key, kin__node_count(at.container), &index);
        kin__node_set_element(at.container, index, STEAL(value));
        return true;
    }
    if (kin__node_set_member(at.container, at.key, value, &a->err) != KIN_OK) {
        return false;
    }
    value = NULL;
    return true;
}

static bool apply_move(application *a, const kin__json_patch_operation *operation)
{
    AUTO(kin__node_free) kin__node *value = NULL;
    target at;

    if (!find(a, operation->from, &at)) {
        return false;
    }
    value = take(a, at.container, at.key);
    if (value == NULL || !find(a, operation->path, &at) || !put(a, &at, value)) {
        return false;
    }
    value = NULL;
    return true;
}

static bool apply_test(application *a, const kin__json_patch_operation *operation)
{
    kin__node *found = *a->tree;
    target at;

    if (!read_path(a, operation->path)) {
        return false;
    }
    if (a->path.len != 0 &&
        (!find(a, operation->path, &at) || !get(at.container, at.key, &found))) {
        return false;
    }
    bool is_null = found == NULL || kin__node_type(found) == KIN_TYPE_NULL;
    if (is_null || operation->value.at == NULL) {
        return is_null && operation->value.at == NULL;
    }
    return equals(found, operation->value, &a->path);
}

/* Of what is not there: null. */
static bool apply_copy(application *a, const kin__json_patch_operation *operation)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__node_free) kin__node *value = NULL;
    kin__node *found;
    target at;

    if (!find(a, operation->from, &at) || !get(at.container, at.key, &found)) {
        return false;
    }
    bool is_there = found != NULL && kin__node_type(found) != KIN_TYPE_NULL;
    if (is_there && !kin__node_append_json(found, &json)) {
        return no_memory(a);
    }
    if (!find(a, operation->path, &at)) {
        return false;
    }
    a->copied += json.len;
    if (a->copied > KIN__JSON_PATCH_COPY_MAX) {
        return false;
    }
    if (!is_there) {
        if (!make_null(a, &value)) {
            return false;
        }
    } else if (kin__node_from_json(kin__json_of(kin__str(json.data, json.len)), &value, &a->err) !=
               KIN_OK) {
        return false;
    }
    if (!put(a, &at, value)) {
        return false;
    }
    value = NULL;
    return true;
}

/* The text of a path into `path`. */
static bool read_path(application *a, kin__json text)
{
    kin_str raw = kin__json_raw_string(text);

    if (kin__json_type(text) != KIN_TYPE_STRING) {
        return false;
    }
    kin__buf_clear(&a->path);
    if (!kin__buf_reserve(&a->path, raw.len + 1)) {
        return false;
    }
    a->path.len = kin__json_decode(raw, a->path.data);
    return true;
}

/* False when it leads nowhere.  The key need not be there. */
static bool find(application *a, kin__json path, target *out)
{
    kin__node *container = *a->tree;
    size_t depth = 1;

    if (!read_path(a, path)) {
        return false;
    }
    const char *end = a->path.data + a->path.len;
    const char *slash = a->path.len == 0 ? NULL : memchr(a->path.data, '/', a->path.len);
    while (slash != NULL) {
        const char *next = memchr(slash + 1, '/', (size_t) (end - slash) - 1);
        const char *part_end = next == NULL ? end : next;
        decode_part(a, kin__str(slash + 1, (size_t) (part_end - slash) - 1));
        kin_str key = kin__str(a->part.data, a->part.len);
        kin_type type = kin__node_type(container);
        if (kin__buf_failed(&a->part) || (type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY)) {
            return false;
        }
        if (next == NULL) {
            *out = (target){ container, key, depth };
            return true;
        }
        if (!get(container, key, &container) || container == NULL) {
            return false;
        }
        slash = next;
        depth++;
    }
    return false;
}

/* ~1 is a slash, ~0 a tilde. */
static void decode_part(application *a, kin_str part)
{
    kin__buf_clear(&a->part);
    (void) kin__buf_reserve(&a->part, part.len + 1);
    for (size_t i = 0; i < part.len; i++) {
        char c = part.data[i];
        char next = i + 1 < part.len ? part.data[i + 1] : '\0';
        if (c == '~' && (next == '0' || next == '1')) {
            c = next == '0' ? '~' : '/';
            i++;
        }
        (void) kin__buf_append_byte(&a->part, c);
    }
}

/* False when the key is no index of an array; a member that is not there is NULL. */
static bool get(const kin__node *container, kin_str key, kin__node **out)
{
    size_t index;

    if (kin__node_type(container) == KIN_TYPE_OBJECT) {
        *out = kin__node_member(container, key);
        return true;
    }
    if (!index_of(key, kin__node_count(container), &index)) {
        return false;
    }
    *out = kin__node_element(container, index);
    return *out != NULL;
}

/* NULL when it is not there, or when it would take too long. */
static kin__node *take(application *a, kin__node *container, kin_str key)
{
    size_t index;

    if (kin__node_type(container) == KIN_TYPE_OBJECT) {
        return kin__node_take_member(container, key);
    }
    size_t count = kin__node_count(container);
    if (!index_of(key, count, &index) || index >= count) {
        return NULL;
    }
    a->work += count - index;
    return a->work > KIN__JSON_PATCH_WORK_MAX ? NULL : kin__node_take_element(container, index);
}

/* The child is consumed only on success. */
static bool put(application *a, const target *at, kin__node *child)
{
    if (!fits(a, child, at->depth)) {
        return false;
    }
    if (kin__node_type(at->container) == KIN_TYPE_OBJECT) {
        return kin__node_set_member(at->container, at->key, child, &a->err) == KIN_OK;
    }
    return put_element(a, at->container, at->key, child);
}

/* Before the element with that index; "-" and the count are behind the last. */
static bool put_element(application *a, kin__node *array, kin_str key, kin__node *child)
{
    size_t count = kin__node_count(array);
    size_t index = count;

    if (!kin__str_equal(key, STR("-")) && !index_of(key, count + 1, &index)) {
        return false;
    }
    if (index > count) {
        return false;
    }
    a->work += count - index;
    return a->work <= KIN__JSON_PATCH_WORK_MAX &&
           kin__node_insert(array, index, child, &a->err) == KIN_OK;
}

/* Negative ones count from the end.  Those beyond it are returned as they are. */
static bool index_of(kin_str key, size_t count, size_t *out)
{
    int64_t number;

    if (!number_of(key, &number)) {
        return false;
    }
    if (number < 0) {
        if (number < -(int64_t) count) {
            return false;
        }
        number += (int64_t) count;
    }
    *out = (size_t) number;
    return true;
}

/* As Go's Atoi() takes it. */
static bool number_of(kin_str text, int64_t *out)
{
    size_t at = text.len != 0 && (text.data[0] == '-' || text.data[0] == '+');
    int64_t value = 0;

    if (at == text.len) {
        return false;
    }
    for (size_t i = at; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text.data[i] - '0', &value)) {
            return false;
        }
    }
    *out = text.data[0] == '-' ? -value : value;
    return true;
}

/* Null when there is none. */
static bool value_of(application *a, const kin__json_patch_operation *operation, kin__node **out)
{
    if (operation->value.at == NULL) {
        return make_null(a, out);
    }
    return kin__node_from_json(operation->value, out, &a->err) == KIN_OK;
}

static bool make_null(application *a, kin__node **out)
{
    return kin__node_from_json(kin__json_of(STR("null")), out, &a->err) == KIN_OK;
}

/* Whether a value may lie in a container that is `depth` deep. */
static bool fits(application *a, const kin__node *node, size_t depth)
{
    kin__node_iter iter = { 0 };
    kin_type type = kin__node_type(node);

    if (++a->work > KIN__JSON_PATCH_WORK_MAX) {
        return false;
    }
    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY) {
        return true;
    }
    if (depth >= KIN__JSON_DEPTH_MAX) {
        return false;
    }
    while (kin__node_next(node, &iter)) {
        if (!fits(a, iter.value, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* Objects by their members; strings and numbers as they are written, the node as Go writes it. */
static bool equals(const kin__node *node, kin__json value, kin__buf *scratch)
{
    kin_type type = kin__node_type(node);
    size_t count = 0;

    if (type != kin__json_type(value)) {
        return false;
    }
    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY) {
        return equals_text(node, value, scratch);
    }
    kin__json_iter iter = kin__json_walk(value);
    while (kin__json_next(&iter)) {
        const kin__node *other = kin__node_element(node, count);
        if (type == KIN_TYPE_OBJECT) {
            kin__buf_clear(scratch);
            if (!kin__buf_reserve(scratch, iter.key.len + 1)) {
                return false;
            }
            size_t len = kin__json_decode(iter.key, scratch->data);
            other = kin__node_member(node, kin__str(scratch->data, len));
        }
        if (other == NULL || !equals(other, iter.value, scratch)) {
            return false;
        }
        count++;
    }
    return count == kin__node_count(node);
}

static bool equals_text(const kin__node *node, kin__json value, kin__buf *scratch)
{
    if (kin__node_type(node) != KIN_TYPE_STRING) {
        return kin__str_equal(kin__node_text(node), kin__json_text(value));
    }
    kin__buf_clear(scratch);
    (void) kin__json_append_string(scratch, kin__node_text(node));
    return !kin__buf_failed(scratch) &&
           kin__str_equal(kin__str(scratch->data, scratch->len), kin__json_text(value));
}

static bool no_memory(application *a)
{
    (void) kin__error_no_memory(&a->err);
    return false;
}
