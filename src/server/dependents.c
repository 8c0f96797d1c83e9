/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dependents.c - the finalizers of garbage collection.
 *
 * After deletionFinalizersForGarbageCollection() of k8s.io/apiserver, registry/generic: what the
 * options say comes first, then what the object says, then what is usual for its kind.
 */
#include "server/dependents.h"

#include "base/str.h"
#include "server/event_check.h"
#include "server/field.h"
#include "server/strategy.h"

#define ORPHAN "orphan"
#define FOREGROUND "foregroundDeletion"

static const char *wanted(const kin__write *write, const kin__delete_options *options,
                          const kin__node *finalizers);
static const char *usual(const kin__served *served);
static bool has(const kin__node *finalizers, const char *name);
static bool replace(kin__node *metadata, const kin__node *finalizers, const char *name);

bool kin__dependents_mark(kin__write *write, const kin__delete_options *options)
{
    const kin__node *object = write->object == NULL ? write->old : write->object;
    const kin__node *finalizers = kin__field_at(object, "metadata", "finalizers");
    const char *name = wanted(write, options, finalizers);
    bool has_orphan = has(finalizers, ORPHAN), has_foreground = has(finalizers, FOREGROUND);

    if (has_orphan == (name != NULL && strcmp(name, ORPHAN) == 0) &&
        has_foreground == (name != NULL && strcmp(name, FOREGROUND) == 0)) {
        return true;
    }
    if (write->object == NULL) {
        write->object = kin__tree_copy(write->old);
    }
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    return metadata != NULL && replace(metadata, kin__field(metadata, "finalizers"), name);
}

/* The finalizer to be there; NULL: neither. */
static const char *wanted(const kin__write *write, const kin__delete_options *options,
                          const kin__node *finalizers)
{
    if (kin__served_is_event(write->served)) { /* own nothing */
        return NULL;
    }
    if (options->orphan_dependents != KIN__UNSET) {
        return options->orphan_dependents == KIN__TRUE ? ORPHAN : NULL;
    }
    if (kin__str_equal(options->propagation_policy, STR("Orphan"))) {
        return ORPHAN;
    }
    if (kin__str_equal(options->propagation_policy, STR("Foreground"))) {
        return FOREGROUND;
    }
    if (options->propagation_policy.len > 0) {
        return NULL;
    }
    if (has(finalizers, ORPHAN)) {
        return ORPHAN;
    }
    return has(finalizers, FOREGROUND) ? FOREGROUND : usual(write->served);
}

/* These are older than garbage collection. */
static const char *usual(const kin__served *served)
{
    return kin__served_is(served, "", "replicationcontrollers") ||
                   kin__served_is(served, "batch", "jobs")
               ? ORPHAN
               : NULL;
}

static bool has(const kin__node *finalizers, const char *name)
{
    kin__node_iter iter = { 0 };

    while (finalizers != NULL && kin__node_next(finalizers, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), kin_str_of(name))) {
            return true;
        }
    }
    return false;
}

/* The others in their order, then that one. */
static bool replace(kin__node *metadata, const kin__node *finalizers, const char *name)
{
    AUTO(kin__node_free) kin__node *kept = kin__tree_of(STR("[]"));
    kin__node_iter iter = { 0 };

    while (kept != NULL && finalizers != NULL && kin__node_next(finalizers, &iter)) {
        kin_str text = kin__node_text(iter.value);
        if (!kin__str_equal(text, STR(ORPHAN)) && !kin__str_equal(text, STR(FOREGROUND)) &&
            !kin__field_append_text(kept, text)) {
            return false;
        }
    }
    if (kept == NULL || (name != NULL && !kin__field_append_text(kept, kin_str_of(name)))) {
        return false;
    }
    if (kin__node_count(kept) == 0) {
        kin__field_remove(metadata, "finalizers");
        return true;
    }
    return kin__field_set(metadata, "finalizers", STEAL(kept));
}
