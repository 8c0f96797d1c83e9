/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector.c - whether an object's labels meet a selector.
 *
 * A selector of a few requirements looks each of them up among the labels, comparing lengths
 * before bytes: objects have a handful of labels, and nothing is faster than walking those.  Both
 * being sorted, the walk begins at the label that was found last.  A selector of many requirements
 * is walked along with the labels, so that a hostile selector and a hostile object together cost
 * the sum of their sizes and not the product.
 */
#include "object/selector.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/label_name.h"
#include "object/object.h"

/* From how many on the order of a list is made use of. */
#define MANY_REQUIREMENTS 16
#define MANY_VALUES 16

/* What is rare stays out of what is frequent, which then needs fewer registers. */
#define NEVER_INLINE __attribute__((noinline))

static bool matches_few(const kin_selector *selector, const kin_object *object);
static NEVER_INLINE bool matches_many(const kin_selector *selector, const kin_object *object);
static inline const kin__label *find_label(const kin_object *object, const kin__label *from,
                                           kin_str key);
static inline bool is_met(const kin_selector *selector, const kin__requirement *requirement,
                          const kin_object *object, const kin__label *label);
static bool accepts(const kin_selector *selector, const kin__requirement *requirement,
                    kin_str value);
static inline bool has_value(const kin_selector *selector, const kin__requirement *requirement,
                             kin_str value);
static NEVER_INLINE bool has_value_of_many(const kin_selector *selector,
                                           const kin__requirement *requirement, kin_str value);
static kin_str key_of(const kin_selector *selector, const kin__requirement *requirement);
static inline bool same_bytes(const char *a, const char *b, size_t len);
static inline uint32_t load32(const char *at);
static inline uint64_t load64(const char *at);

void kin_selector_free(kin_selector *selector)
{
    kin__free(selector);
}

bool kin_selector_matches(const kin_selector *selector, const kin_object *object)
{
    if (selector->is_nothing) {
        return false;
    }
    return selector->count < MANY_REQUIREMENTS ? matches_few(selector, object)
                                               : matches_many(selector, object);
}

const char *kin_selector_text(const kin_selector *selector)
{
    return selector->text;
}

bool kin_selector_is_everything(const kin_selector *selector)
{
    return selector->count == 0 && !selector->is_nothing;
}

bool kin_selector_is_nothing(const kin_selector *selector)
{
    return selector->is_nothing;
}

static bool matches_few(const kin_selector *selector, const kin_object *object)
{
    const kin__label *from = object->labels;

    for (size_t i = 0; i < selector->count; i++) {
        const kin__requirement *requirement = &selector->requirements[i];
        const kin__label *label = find_label(object, from, key_of(selector, requirement));
        if (!is_met(selector, requirement, object, label)) {
            return false;
        }
        from = label != NULL ? label : from;
    }
    return true;
}

/* Both lists are sorted by key, so that one walk along both is enough. */
static NEVER_INLINE bool matches_many(const kin_selector *selector, const kin_object *object)
{
    const kin__label *label = object->labels;
    const kin__label *end = label + object->label_count;

    for (size_t i = 0; i < selector->count; i++) {
        const kin__requirement *requirement = &selector->requirements[i];
        int order = 1;
        for (; label < end; label++) {
            kin_str key = kin__object_slice(object, label->key, label->key_len);
            order = kin__str_compare(key, key_of(selector, requirement));
            if (order >= 0) {
                break;
            }
        }
        if (!is_met(selector, requirement, object, label < end && order == 0 ? label : NULL)) {
            return false;
        }
    }
    return true;
}

/* Among the labels from `from` on; NULL when it is not there. */
static inline const kin__label *find_label(const kin_object *object, const kin__label *from,
                                           kin_str key)
{
    const kin__label *end = object->labels + object->label_count;

    for (const kin__label *label = from; label < end; label++) {
        if (label->key_len == key.len &&
            same_bytes((const char *) object + label->key, key.data, key.len)) {
            return label;
        }
    }
    return NULL;
}

/* `label` is the one with the requirement's key; NULL: the object has none. */
static inline bool is_met(const kin_selector *selector, const kin__requirement *requirement,
                          const kin_object *object, const kin__label *label)
{
    if (label == NULL) {
        return !requirement->needs_label;
    }
    if (requirement->op == KIN__OPERATOR_EXISTS) {
        return true;
    }
    return accepts(selector, requirement,
                   kin__object_slice(object, label->value, label->value_len));
}

/* Whether the requirement is met by a label that says `value`. */
static bool accepts(const kin_selector *selector, const kin__requirement *requirement,
                    kin_str value)
{
    int64_t number;

    switch ((kin__operator) requirement->op) {
    case KIN__OPERATOR_EXISTS:
        return true;
    case KIN__OPERATOR_NOT_EXISTS:
        return false;
    case KIN__OPERATOR_EQUALS:
    case KIN__OPERATOR_DOUBLE_EQUALS:
    case KIN__OPERATOR_IN:
        return has_value(selector, requirement, value);
    case KIN__OPERATOR_NOT_EQUALS:
    case KIN__OPERATOR_NOT_IN:
        return !has_value(selector, requirement, value);
    case KIN__OPERATOR_GREATER:
        return kin__label_value_int64(value, &number) && number > requirement->number;
    case KIN__OPERATOR_LESS:
        return kin__label_value_int64(value, &number) && number < requirement->number;
    }
    return false;
}

static inline bool has_value(const kin_selector *selector, const kin__requirement *requirement,
                             kin_str value)
{
    if (requirement->value_count >= MANY_VALUES) {
        return has_value_of_many(selector, requirement, value);
    }
    const kin__requirement_value *wanted = selector->values + requirement->first_value;
    const kin__requirement_value *end = wanted + requirement->value_count;
    for (; wanted < end; wanted++) {
        if (wanted->len == value.len &&
            same_bytes(selector->text + wanted->place, value.data, value.len)) {
            return true;
        }
    }
    return false;
}

static NEVER_INLINE bool has_value_of_many(const kin_selector *selector,
                                           const kin__requirement *requirement, kin_str value)
{
    const kin__requirement_value *values = selector->values + requirement->first_value;
    size_t low = 0;
    size_t high = requirement->value_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        kin_str wanted = kin__str(selector->text + values[middle].place, values[middle].len);
        int order = kin__str_compare(wanted, value);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static kin_str key_of(const kin_selector *selector, const kin__requirement *requirement)
{
    return kin__str(selector->text + requirement->key, requirement->key_len);
}

/* The first and the last 8 bytes, of 8 to 16. */
static inline bool same_ends(const char *a, const char *b, size_t len)
{
    return ((load64(a) ^ load64(b)) | (load64(a + len - 8) ^ load64(b + len - 8))) == 0;
}

/*
 * Names are short: calling memcmp() would take longer than comparing.  Up to 3 bytes are the first,
 * the middle and the last one; beyond that words, of which the last may overlap the one before.
 */
static inline bool same_bytes(const char *a, const char *b, size_t len)
{
    if (len < 4) {
        return len == 0 || (a[0] == b[0] && a[len / 2] == b[len / 2] && a[len - 1] == b[len - 1]);
    }
    if (len < 8) {
        return ((load32(a) ^ load32(b)) | (load32(a + len - 4) ^ load32(b + len - 4))) == 0;
    }
    if (len <= 16) {
        return same_ends(a, b, len);
    }
    if (len <= 32) {
        return same_ends(a, b, 16) && same_ends(a + len - 16, b + len - 16, 16);
    }
    return memcmp(a, b, len) == 0;
}

static inline uint32_t load32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t load64(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}
