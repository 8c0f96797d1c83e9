/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c - where in a tree a path leads, for changing what is there.
 *
 * Objects that are missing on the way are wrapped around the value from the path's end upwards.
 * Attaching the outermost one either succeeds or finds no memory and leaves its object as it was.
 */
#include "object/place.h"

#include <inttypes.h>

#include "base/str.h"
#include "json/number.h"
#include "json/scanner.h"

#define QUOTED_MAX 160 /* bytes of a name that is quoted in a message */

static kin_err read_path(const char *path, kin__path_parsed *out, kin_error *err);
static kin_err find_child(kin__place *place, kin_error *err);
static kin_err find_element(kin__place *place, kin_error *err);
static size_t element_index(int64_t index, size_t count);
static size_t first_match(const kin__step *step, const kin__node *array);
static bool matches(const kin__node *element, const kin__step *step);
static kin_err check_rest(const kin__place *place, kin_error *err);
static kin_err no_element(const kin__step *step, kin_error *err);
static kin_err check_depth(const kin__place *place, const kin__node *value, size_t around,
                           kin_error *err);
static kin_err attach(const kin__place *place, kin__node **value, kin_error *err);
static kin_err put_in_object(kin_str name, kin__node **value, kin_error *err);
static kin_err put_in_array(kin__node **value, kin_error *err);
static bool is_nothing(const kin__node *node);

kin_err kin__place_find(kin__node *root, const char *path, kin__place *out, kin_error *err)
{
    if (read_path(path, &out->path, err) != KIN_OK) {
        return err->code;
    }
    out->parent = root;
    for (out->step = 0;; out->step++) {
        if (find_child(out, err) != KIN_OK) {
            return err->code;
        }
        if (out->step + 1 == out->path.count) {
            return KIN_OK;
        }
        if (is_nothing(out->child)) {
            return check_rest(out, err);
        }
        out->parent = out->child;
    }
}

kin_err kin__place_set(const kin__place *place, kin__node **value, kin_error *err)
{
    if (check_depth(place, *value, 0, err) != KIN_OK) {
        return err->code;
    }
    return attach(place, value, err);
}

kin_err kin__place_append(const kin__place *place, kin__node **value, kin_error *err)
{
    if (check_depth(place, *value, 1, err) != KIN_OK) {
        return err->code;
    }
    if (is_nothing(place->child)) {
        return put_in_array(value, err) != KIN_OK ? err->code : attach(place, value, err);
    }
    if (kin__node_type(place->child) != KIN_TYPE_ARRAY) {
        return kin__error_set(err, KIN_ERR_TYPE, "the value is of type %s and not an array",
                              kin_type_name(kin__node_type(place->child)));
    }
    if (kin__node_append(place->child, *value, err) != KIN_OK) {
        return err->code;
    }
    *value = NULL;
    return KIN_OK;
}

void kin__place_remove(const kin__place *place)
{
    if (place->step + 1 < place->path.count) {
        return; /* what it would be in is not there */
    }
    if (kin__node_type(place->parent) == KIN_TYPE_ARRAY) {
        kin__node_remove_element(place->parent, place->index);
    } else {
        kin__node_remove_member(place->parent, place->path.steps[place->step].name);
    }
}

static kin_err read_path(const char *path, kin__path_parsed *out, kin_error *err)
{
    if (path == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "there is no path");
    }
    if (kin__path_parse(path, out, err) != KIN_OK) {
        return err->code;
    }
    if (out->count == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "the path is empty");
    }
    for (size_t i = 0; i < out->count; i++) {
        if (out->steps[i].kind == KIN__STEP_EACH) {
            return kin__error_set(err, KIN_ERR_USAGE, "[*] does not lead to one place");
        }
    }
    return KIN_OK;
}

/* From `parent` along `step`. */
static kin_err find_child(kin__place *place, kin_error *err)
{
    const kin__step *step = &place->path.steps[place->step];
    kin_type type = kin__node_type(place->parent);
    kin_type wanted = step->kind == KIN__STEP_MEMBER ? KIN_TYPE_OBJECT : KIN_TYPE_ARRAY;

    if (type != wanted) {
        return kin__error_set(err, KIN_ERR_TYPE,
                              "step %zu wants an %s and finds a value of type %s", place->step + 1,
                              kin_type_name(wanted), kin_type_name(type));
    }
    if (wanted == KIN_TYPE_ARRAY) {
        return find_element(place, err);
    }
    place->child = kin__node_member(place->parent, step->name);
    return KIN_OK;
}

static kin_err find_element(kin__place *place, kin_error *err)
{
    const kin__step *step = &place->path.steps[place->step];

    if (step->kind == KIN__STEP_ELEMENT) {
        place->index = element_index(step->index, kin__node_count(place->parent));
    } else {
        place->index = first_match(step, place->parent);
    }
    place->child = kin__node_element(place->parent, place->index);
    return place->child == NULL ? no_element(step, err) : KIN_OK;
}

/* `count` for an element that is not there.  What lies before the first one is still negative, and
 * as an unsigned number beyond all of them. */
static size_t element_index(int64_t index, size_t count)
{
    uint64_t from_start = (uint64_t) (index < 0 ? index + (int64_t) count : index);
    return from_start < count ? (size_t) from_start : count;
}

static size_t first_match(const kin__step *step, const kin__node *array)
{
    size_t count = kin__node_count(array);
    size_t index = 0;

    while (index < count && !matches(kin__node_element(array, index), step)) {
        index++;
    }
    return index;
}

static bool matches(const kin__node *element, const kin__step *step)
{
    const kin__node *member = kin__node_member(element, step->name);
    bool is_equal = false;

    if (member != NULL && kin__node_type(member) == step->literal_type) {
        kin_str text = kin__node_text(member);
        is_equal = step->literal_type == KIN_TYPE_NUMBER
                       ? kin__json_numbers_equal(text, step->literal)
                       : kin__str_equal(text, step->literal);
    }
    return is_equal != step->is_not;
}

/* The child is absent: what comes after it must be possible to make. */
static kin_err check_rest(const kin__place *place, kin_error *err)
{
    for (size_t i = place->step + 1; i < place->path.count; i++) {
        if (place->path.steps[i].kind != KIN__STEP_MEMBER) {
            return no_element(&place->path.steps[i], err);
        }
    }
    return KIN_OK;
}

static kin_err no_element(const kin__step *step, kin_error *err)
{
    if (step->kind == KIN__STEP_ELEMENT) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "there is no element [%" PRId64 "]",
                              step->index);
    }
    int name_len = step->name.len > QUOTED_MAX ? QUOTED_MAX : (int) step->name.len;
    return kin__error_set(err, KIN_ERR_NOT_FOUND, "no element has such a \"%.*s\"", name_len,
                          step->name.data);
}

/* `around`: containers between the path's end and the value. */
static kin_err check_depth(const kin__place *place, const kin__node *value, size_t around,
                           kin_error *err)
{
    if (place->path.count + around + kin__node_depth(value) > KIN__JSON_DEPTH_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "the copy would nest deeper than %d",
                              KIN__JSON_DEPTH_MAX);
    }
    return KIN_OK;
}

/* Takes the value over, on success; on failure `*value` is still the caller's. */
static kin_err attach(const kin__place *place, kin__node **value, kin_error *err)
{
    for (size_t i = place->path.count - 1; i > place->step; i--) {
        if (put_in_object(place->path.steps[i].name, value, err) != KIN_OK) {
            return err->code;
        }
    }
    if (kin__node_type(place->parent) == KIN_TYPE_ARRAY) {
        kin__node_set_element(place->parent, place->index, *value);
    } else if (kin__node_set_member(place->parent, place->path.steps[place->step].name, *value,
                                    err) != KIN_OK) {
        return err->code;
    }
    *value = NULL;
    return KIN_OK;
}

/* Makes of `*value` an object with that value as its only member. */
static kin_err put_in_object(kin_str name, kin__node **value, kin_error *err)
{
    AUTO(kin__node_free) kin__node *object = NULL;

    if (kin__node_container(KIN_TYPE_OBJECT, &object, err) != KIN_OK ||
        kin__node_set_member(object, name, *value, err) != KIN_OK) {
        return err->code;
    }
    *value = STEAL(object);
    return KIN_OK;
}

static kin_err put_in_array(kin__node **value, kin_error *err)
{
    AUTO(kin__node_free) kin__node *array = NULL;

    if (kin__node_container(KIN_TYPE_ARRAY, &array, err) != KIN_OK ||
        kin__node_append(array, *value, err) != KIN_OK) {
        return err->code;
    }
    *value = STEAL(array);
    return KIN_OK;
}

static bool is_nothing(const kin__node *node)
{
    return node == NULL || kin__node_type(node) == KIN_TYPE_NULL;
}
