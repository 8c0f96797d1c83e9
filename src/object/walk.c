/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - from a value along the steps of a path.
 *
 * Everything goes through the functions of kin/value.h and the table of the value's encoding, so
 * nothing here knows how a value is written, and nothing allocates.  Only [*] branches: each of
 * them is one level of recursion, so that the path, which is the program's own, bounds it, and
 * never the object.
 */
#include "object/path.h"

#include "base/str.h"
#include "json/number.h"
#include "object/encoding.h"

/* What a walk over all matches carries along. */
typedef struct each_walk {
    const kin__step *steps;
    size_t count;
    bool (*fn)(void *context, kin_value match);
    void *context;
    size_t calls;
} each_walk;

static bool each_from(each_walk *walk, size_t from, kin_value value);
static bool keep_first(void *context, kin_value match);
static size_t take_steps(const kin__step *steps, size_t count, kin_value *value);
static kin_value take_step(const kin__step *step, kin_value value);
static kin_value element_at(kin_value array, int64_t index);
static kin_value first_match(const kin__step *step, kin_value array);
static bool is_literal(const kin__step *step, kin_value value);
static bool is_number(kin_value value, kin_str raw);

/* In place, like take_steps(): for a short path, moving values about would be much of its time. */
void kin__path_walk(const kin__step *steps, size_t count, kin_value *value)
{
    for (size_t i = 0; i < count && kin__encoding_of(*value) != NULL;) {
        if (steps[i].kind == KIN__STEP_EACH) {
            kin_value first = kin__value_missing(KIN_ERR_NOT_FOUND);
            (void) kin__path_each(steps + i, count - i, *value, keep_first, &first);
            *value = first;
            return;
        }
        i += take_steps(steps + i, count - i, value);
    }
}

size_t kin__path_each(const kin__step *steps, size_t count, kin_value value,
                      bool (*fn)(void *context, kin_value match), void *context)
{
    each_walk walk = { .steps = steps, .count = count, .fn = fn, .context = context };
    (void) each_from(&walk, 0, value);
    return walk.calls;
}

kin_value kin_object_at(const kin_object *object, const char *path)
{
    return kin_value_at(kin__object_root(object), path);
}

kin_value kin_object_at_path(const kin_object *object, const kin_path *path)
{
    kin_value value = kin__object_root(object);

    kin__path_walk(path->steps, path->count, &value);
    return value;
}

size_t kin_object_each(const kin_object *object, const kin_path *path, kin_match_fn fn,
                       void *context)
{
    return kin__path_each(path->steps, path->count, kin__object_root(object), fn, context);
}

kin_value kin_value_at(kin_value value, const char *path)
{
    kin_error unwanted;
    kin__path_parsed parsed;

    if (path == NULL || kin__path_parse(path, &parsed, &unwanted) != KIN_OK) {
        return kin__value_missing(KIN_ERR_USAGE);
    }
    kin__path_walk(parsed.steps, parsed.count, &value);
    return value;
}

/* False when the walk is to stop. */
static bool each_from(each_walk *walk, size_t from, kin_value value)
{
    while (from < walk->count && walk->steps[from].kind != KIN__STEP_EACH) {
        from += take_steps(walk->steps + from, walk->count - from, &value);
    }
    if (from == walk->count) {
        if (!kin_value_exists(value)) {
            return true;
        }
        walk->calls++;
        return walk->fn(walk->context, value);
    }
    kin_iter iter = kin_value_iter(value);
    while (kin_iter_next(&iter)) {
        if (!each_from(walk, from + 1, iter.value)) {
            return false;
        }
    }
    return true;
}

static bool keep_first(void *context, kin_value match)
{
    kin_value *first = context;
    *first = match;
    return false;
}

/* One step that is not [*], or several at once; returns how many. */
static size_t take_steps(const kin__step *steps, size_t count, kin_value *value)
{
    const kin__encoding *encoding = kin__encoding_of(*value);

    if (steps[0].kind == KIN__STEP_MEMBER && encoding != NULL && encoding->descend != NULL) {
        return encoding->descend(value, steps, count);
    }
    *value = take_step(&steps[0], *value);
    return 1;
}

/* Of any step but [*]. */
static kin_value take_step(const kin__step *step, kin_value value)
{
    switch (step->kind) {
    case KIN__STEP_MEMBER:
        return kin_value_member(value, step->name);
    case KIN__STEP_ELEMENT:
        return element_at(value, step->index);
    case KIN__STEP_FILTER:
        return first_match(step, value);
    case KIN__STEP_EACH:
        break;
    }
    return kin__value_missing(KIN_ERR_NOT_FOUND);
}

static kin_value element_at(kin_value array, int64_t index)
{
    if (kin_value_type(array) != KIN_TYPE_ARRAY) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    uint64_t place = (uint64_t) index;
    if (index < 0) {
        uint64_t from_end = 0 - place;
        uint64_t count = kin_value_count(array);
        if (from_end > count) {
            return kin__value_missing(KIN_ERR_NOT_FOUND);
        }
        place = count - from_end;
    }
    if (place > SIZE_MAX) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    return kin_value_element(array, (size_t) place);
}

static kin_value first_match(const kin__step *step, kin_value array)
{
    if (kin_value_type(array) == KIN_TYPE_ARRAY) {
        kin_iter iter = kin_value_iter(array);
        while (kin_iter_next(&iter)) {
            kin_value member = kin_value_member(iter.value, step->name);
            if (is_literal(step, member) != step->is_not) {
                return iter.value;
            }
        }
    }
    return kin__value_missing(KIN_ERR_NOT_FOUND);
}

/* A missing value equals no literal, not even null. */
static bool is_literal(const kin__step *step, kin_value value)
{
    if (kin_value_type(value) != step->literal_type) {
        return false;
    }
    switch (step->literal_type) {
    case KIN_TYPE_STRING:
        return kin__encoding_of(value)->is_str(value, step->literal);
    case KIN_TYPE_NUMBER:
        return is_number(value, step->literal);
    case KIN_TYPE_BOOL:
        return kin__encoding_of(value)->boolean(value) == (step->literal.data[0] == 't');
    default:
        return true;
    }
}

static bool is_number(kin_value value, kin_str raw)
{
    char scratch[KIN__NUMBER_TEXT];
    return kin__json_numbers_equal(kin__value_number_text(value, scratch), raw);
}
