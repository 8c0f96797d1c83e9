/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/selector_draft.h - a label selector while it is put together.
 *
 * Whatever a selector is made of, its requirements are added here, one after the other, each with
 * its values; they are copied.  All zero is an empty draft.
 *
 * Threading: confined.
 */
#ifndef KIN_OBJECT_SELECTOR_DRAFT_H
#define KIN_OBJECT_SELECTOR_DRAFT_H

#include "base/buf.h"
#include "object/selector.h"

/* A draft never holds more than a little over KIN__SELECTOR_TEXT_MAX: 32 bits will do. */
typedef struct kin__draft_value {
    uint32_t place; /* in the draft's strings */
    uint32_t len;
    uint32_t at;
} kin__draft_value;

typedef struct kin__draft_requirement {
    uint32_t key; /* in the draft's strings */
    uint32_t key_len;
    uint32_t first_value;
    uint32_t value_count;
    uint32_t at;
    kin__operator op;
} kin__draft_requirement;

typedef struct kin__selector_draft {
    kin__buf strings;
    kin__buf requirements; /* kin__draft_requirement, one after the other */
    kin__buf values;       /* kin__draft_value, one after the other */
} kin__selector_draft;

void kin__selector_draft_fini(kin__selector_draft *draft);
KIN__DEFINE_AUTO_FINI(kin__selector_draft, kin__selector_draft_fini)

/* Adds a requirement without values.  `at` is its byte in the text, or any other number that
 * grows.  False when there is no memory. */
bool kin__selector_draft_add(kin__selector_draft *draft, kin_str key, kin__operator op, size_t at);

/* Adds a value to the requirement that was added last.  False when there is no memory. */
bool kin__selector_draft_add_value(kin__selector_draft *draft, kin_str value, size_t at);

/* Sorts the values of the requirement that was added last, each once. */
void kin__selector_draft_sort_values(kin__selector_draft *draft);

/* Of the requirements with the same key keeps the one that was added last. */
void kin__selector_draft_keep_last(kin__selector_draft *draft);

size_t kin__selector_draft_count(const kin__selector_draft *draft);

/* What was added: borrowed until the next addition. */
const kin__draft_requirement *kin__selector_draft_at(const kin__selector_draft *draft,
                                                     size_t index);
const kin__draft_value *kin__selector_draft_value_at(const kin__selector_draft *draft,
                                                     const kin__draft_requirement *requirement,
                                                     size_t index);
kin_str kin__selector_draft_key(const kin__selector_draft *draft,
                                const kin__draft_requirement *requirement);
kin_str kin__selector_draft_text(const kin__selector_draft *draft, const kin__draft_value *value);

/* True when it has more text than a selector may have. */
bool kin__selector_draft_is_too_long(const kin__selector_draft *draft);

/* The selector of what was added; each requirement has been through kin__selector_check().  Fails
 * with LIMIT, NO_MEMORY (also when an addition did). */
kin_err kin__selector_draft_finish(kin__selector_draft *draft, kin_selector **out,
                                   kin_error *err) KIN_MUST_CHECK;

/* A selector that matches no object. */
kin_err kin__selector_nothing(kin_selector **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_OBJECT_SELECTOR_DRAFT_H */
