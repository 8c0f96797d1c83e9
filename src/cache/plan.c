/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - from the values of an object to changes of sets.
 *
 * Every entry counts the sets that have it.  So when all of these are among the values of the
 * new object, which is the rule, those of the old one need not be worked out.  Else they are, and
 * should even they not account for all (a program's function that does not always say the same of
 * the same object), all sets are searched: no set is ever left with an entry that is gone.
 */
#include "cache/plan.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/inside.h"
#include "base/sort.h"
#include "base/str.h"

static kin_err evaluate(kin__plan *plan, const kin__plan_subject *subject, const kin_object *object,
                        const kin__version *draft, const kin__batch *batch, kin_error *err);
static void sort_values(kin__index_values *values, size_t from);
static int compare_values(const void *context, const void *a, const void *b);
static bool has_value(const kin__index_values *values, size_t end, const kin__index_value *wanted);
static bool reserve_actions(kin__plan *plan);
static size_t decide(kin__plan *plan, const kin__plan_subject *subject, const kin__version *draft,
                     size_t from, bool is_new);
static kin_err find_strays(kin__plan *plan, const kin__plan_subject *subject,
                           const kin__version *draft, const kin__batch *batch, kin_error *err);
static bool is_planned(const kin__plan *plan, size_t count, size_t index, kin_str value);
static bool add_stray(kin__plan *plan, size_t index, kin_str value, const kin__batch *batch);
static bool open_all(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                     kin__batch *batch);
static bool open_one(kin__plan *plan, size_t number, uint64_t key_hash, kin__version *draft,
                     kin__batch *batch);
static void carry_out_one(kin__plan *plan, size_t number, const kin__plan_subject *subject,
                          kin__version *draft, kin__batch *batch, kin__entry *entry);
static void remove_empty_value(kin__table *values, kin__entry *value, uint64_t hash,
                               kin__batch *batch);
static kin__entry *value_entry(const kin__plan *plan, size_t number, const kin__version *draft);

void kin__plan_fini(kin__plan *plan)
{
    kin__index_values_fini(&plan->values);
    kin__free(plan->actions);
    *plan = (kin__plan){ 0 };
}

kin_err kin__plan_make(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                       kin__batch *batch, kin_error *err)
{
    size_t postings = subject->old == NULL ? 0 : subject->old->part.postings;

    plan->values.count = 0;
    plan->count = 0;
    kin__buf_clear(&plan->values.bytes);
    if (subject->object != NULL &&
        evaluate(plan, subject, subject->object, draft, batch, err) != KIN_OK) {
        return err->code;
    }
    sort_values(&plan->values, 0);
    if (!reserve_actions(plan)) {
        return kin__error_no_memory(err);
    }
    size_t found = decide(plan, subject, draft, 0, true);
    if (found < postings) {
        size_t from = plan->values.count;
        if (evaluate(plan, subject, subject->old->object, draft, batch, err) != KIN_OK) {
            return err->code;
        }
        sort_values(&plan->values, from);
        if (!reserve_actions(plan)) {
            return kin__error_no_memory(err);
        }
        found += decide(plan, subject, draft, from, false);
    }
    if (found < postings && find_strays(plan, subject, draft, batch, err) != KIN_OK) {
        return err->code;
    }
    return open_all(plan, subject, draft, batch) ? KIN_OK : kin__error_no_memory(err);
}

void kin__plan_carry_out(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                         kin__batch *batch, kin__entry *entry)
{
    for (size_t i = 0; i < plan->count; i++) {
        carry_out_one(plan, i, subject, draft, batch, entry);
    }
    assert(subject->old == NULL || subject->old->part.postings == 0);
}

/* Appends the values of `object` in every index that the subject is about.  What fails on the old
 * object was reported when it was new. */
static kin_err evaluate(kin__plan *plan, const kin__plan_subject *subject, const kin_object *object,
                        const kin__version *draft, const kin__batch *batch, kin_error *err)
{
    for (size_t i = subject->from; i < draft->index_count; i++) {
        const kin__index_rule *rule = draft->indexes[i].rule;
        bool is_ours = false;
        kin_err code =
            kin__index_evaluate(rule, (uint32_t) i, batch, object, &plan->values, &is_ours, err);
        if (code != KIN_OK && is_ours) {
            return code;
        }
        if (code != KIN_OK && object == subject->object && subject->on_error != NULL) {
            kin__inside_enter(KIN__INSIDE_CHANGE);
            subject->on_error(subject->context, rule->name, object, err);
            kin__inside_leave(KIN__INSIDE_CHANGE);
        }
    }
    return KIN_OK;
}

/* Those from `from` on, each once. */
static void sort_values(kin__index_values *values, size_t from)
{
    if (values->count - from < 2) {
        return;
    }
    kin__sort(values->items + from, values->count - from, sizeof *values->items, compare_values,
              values);
    size_t kept = from + 1;
    for (size_t i = kept; i < values->count; i++) {
        if (compare_values(values, &values->items[kept - 1], &values->items[i]) != 0) {
            values->items[kept++] = values->items[i];
        }
    }
    values->count = kept;
}

static int compare_values(const void *context, const void *a, const void *b)
{
    const kin__index_values *values = context;
    const kin__index_value *x = a;
    const kin__index_value *y = b;

    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    return kin__str_compare(kin__str(values->bytes.data + x->at, x->len),
                            kin__str(values->bytes.data + y->at, y->len));
}

/* Among the first `end`, which are sorted. */
static bool has_value(const kin__index_values *values, size_t end, const kin__index_value *wanted)
{
    size_t low = 0;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        int order = compare_values(values, wanted, &values->items[middle]);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            end = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

static bool reserve_actions(kin__plan *plan)
{
    if (plan->values.count > plan->action_capacity) {
        uint8_t *actions = kin__realloc(plan->actions, plan->values.capacity);
        if (actions == NULL) {
            return false;
        }
        plan->actions = actions;
        plan->action_capacity = plan->values.capacity;
    }
    return true;
}

/* Gives the values from `from` on their actions; returns how many sets with the old entry they
 * account for. */
static size_t decide(kin__plan *plan, const kin__plan_subject *subject, const kin__version *draft,
                     size_t from, bool is_new)
{
    size_t found = 0;

    plan->count = plan->values.count;
    for (size_t i = from; i < plan->count; i++) {
        if (!is_new && has_value(&plan->values, from, &plan->values.items[i])) {
            plan->actions[i] = KIN__PLAN_NOTHING;
            continue;
        }
        const kin__entry *value = subject->old == NULL ? NULL : value_entry(plan, i, draft);
        bool has_old =
            value != NULL && kin__table_find(value->set, subject->hash, subject->key) != NULL;
        found += has_old ? 1 : 0;
        if (is_new) {
            plan->actions[i] = has_old ? KIN__PLAN_REPLACE : KIN__PLAN_ADD;
        } else {
            plan->actions[i] = has_old ? KIN__PLAN_REMOVE : KIN__PLAN_NOTHING;
        }
    }
    return found;
}

/* Looks into every set for the old entry. */
static kin_err find_strays(kin__plan *plan, const kin__plan_subject *subject,
                           const kin__version *draft, const kin__batch *batch, kin_error *err)
{
    size_t known = plan->count;

    for (size_t i = 0; i < draft->index_count; i++) {
        kin_walk walk = kin__table_walk(draft->indexes[i].values);
        for (const kin__entry *value; (value = kin__walk_next(&walk)) != NULL;) {
            if (kin__table_find(value->set, subject->hash, subject->key) != NULL &&
                !is_planned(plan, known, i, kin__entry_key(value)) &&
                !add_stray(plan, i, kin__entry_key(value), batch)) {
                return kin__error_no_memory(err);
            }
        }
    }
    return KIN_OK;
}

/* Among the first `count`. */
static bool is_planned(const kin__plan *plan, size_t count, size_t index, kin_str value)
{
    for (size_t i = 0; i < count; i++) {
        if (plan->values.items[i].index == index && plan->actions[i] != KIN__PLAN_NOTHING &&
            kin__str_equal(kin__index_value_str(&plan->values, i), value)) {
            return true;
        }
    }
    return false;
}

static bool add_stray(kin__plan *plan, size_t index, kin_str value, const kin__batch *batch)
{
    if (!kin__index_values_put(&plan->values, index, kin__batch_hash(batch, value), value) ||
        !reserve_actions(plan)) {
        return false;
    }
    plan->actions[plan->count] = KIN__PLAN_REMOVE;
    plan->count = plan->values.count;
    return true;
}

/* A value that is new to its index gets an entry with an empty set, which goes again when there is
 * no memory for all. */
static bool open_all(kin__plan *plan, const kin__plan_subject *subject, kin__version *draft,
                     kin__batch *batch)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->actions[i] == KIN__PLAN_NOTHING ||
            open_one(plan, i, subject->hash, draft, batch)) {
            continue;
        }
        for (size_t k = 0; k <= i; k++) {
            kin__index_value *item = &plan->values.items[k];
            kin__entry *value = value_entry(plan, k, draft);
            if (value != NULL && kin__table_count(value->set) == 0) {
                remove_empty_value(&draft->indexes[item->index].values, value, item->hash, batch);
            }
        }
        return false;
    }
    return true;
}

static bool open_one(kin__plan *plan, size_t number, uint64_t key_hash, kin__version *draft,
                     kin__batch *batch)
{
    const kin__index_value *item = &plan->values.items[number];
    kin__table *values = &draft->indexes[item->index].values;
    kin__entry *value = value_entry(plan, number, draft);
    bool is_more = plan->actions[number] == KIN__PLAN_ADD;

    if (value != NULL && kin__batch_owns(batch, &value->part)) {
        return kin__table_open(&value->set, batch, key_hash, is_more);
    }
    if (!kin__table_open(values, batch, item->hash, value == NULL)) {
        return false;
    }
    kin__entry *own = kin__entry_make(batch, kin__index_value_str(&plan->values, number), NULL);
    if (own == NULL) {
        return false;
    }
    if (value == NULL) {
        kin__table_add(values, item->hash, own);
    } else {
        own->set = value->set;
        kin__table_replace(values, item->hash, value, own);
        kin__batch_drop(batch, &value->part);
    }
    return kin__table_open(&own->set, batch, key_hash, is_more);
}

static void carry_out_one(kin__plan *plan, size_t number, const kin__plan_subject *subject,
                          kin__version *draft, kin__batch *batch, kin__entry *entry)
{
    if (plan->actions[number] == KIN__PLAN_NOTHING) {
        return;
    }
    const kin__index_value *item = &plan->values.items[number];
    kin__entry *value = value_entry(plan, number, draft);

    if (plan->actions[number] == KIN__PLAN_ADD) {
        kin__table_add(&value->set, subject->hash, entry);
        entry->part.postings++;
        return;
    }
    subject->old->part.postings--;
    if (plan->actions[number] == KIN__PLAN_REPLACE) {
        kin__table_replace(&value->set, subject->hash, subject->old, entry);
        entry->part.postings++;
        return;
    }
    kin__table_remove(&value->set, batch, subject->hash, subject->old);
    if (kin__table_count(value->set) == 0) {
        remove_empty_value(&draft->indexes[item->index].values, value, item->hash, batch);
    } else {
        kin__table_tidy(&value->set, batch, subject->hash);
    }
}

static void remove_empty_value(kin__table *values, kin__entry *value, uint64_t hash,
                               kin__batch *batch)
{
    kin__table_drop(&value->set, batch);
    kin__table_remove(values, batch, hash, value);
    kin__batch_drop(batch, &value->part);
    kin__table_tidy(values, batch, hash);
}

static kin__entry *value_entry(const kin__plan *plan, size_t number, const kin__version *draft)
{
    const kin__index_value *item = &plan->values.items[number];
    return kin__table_find(draft->indexes[item->index].values, item->hash,
                           kin__index_value_str(&plan->values, number));
}
