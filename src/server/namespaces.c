/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces.c - namespaces that really go.
 */
#include "server/namespaces.h"

#include "server/field.h"
#include "server/remains.h"
#include "server/write.h"
#include "server/write_options.h"

static bool empty(kin__engine *engine, kin_str prefix, size_t *budget, size_t *out_left);
static void tell(kin__engine *engine, kin__record *record, kin_str prefix);
static bool count(kin__engine *engine, kin_str prefix, kin__remains *out);
static bool is_first_of_collection(const kin__shelf *shelf, size_t index);
static bool is_held(const kin_object *object);
static bool delete_one(kin__engine *engine, kin__served *stored, const kin_object *object,
                       bool *out_is_gone);
static bool finalize(kin__engine *engine, kin__record *record);

bool kin__namespace_tend(kin__engine *engine, kin__record *record, size_t *budget, bool *waits)
{
    AUTO(kin__buf_fini) kin__buf prefix = { 0 };
    kin__served *pods = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("pods"));
    size_t left = 0;
    kin_time unused;

    if (!kin_object_deletion_time(record->object, &unused)) {
        return false;
    }
    (void) kin__buf_append_str(&prefix, kin_object_name(record->object));
    (void) kin__buf_append_byte(&prefix, '/');
    kin_str keys = kin__str(prefix.data, prefix.len);
    /* Pods go first: they may need what else there is, to end well. */
    if (kin__buf_failed(&prefix) || !kin__collection_empty(engine, pods, keys, budget, &left) ||
        (left == 0 && !empty(engine, keys, budget, &left))) {
        *waits = true;
        return false;
    }
    if (*budget == 0) {
        return true;
    }
    if (left > 0) {
        tell(engine, record, keys);
    } else if (finalize(engine, record)) {
        return false;
    }
    *waits = true;
    return false;
}

bool kin__namespace_make(kin__engine *engine, kin_str name, kin__refusal *no)
{
    kin__served *served = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("namespaces"));
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *made = NULL;

    if (served == NULL || kin__collection_get(served->collection, name) != NULL) {
        return true;
    }
    kin__write_init(&write, engine, served);
    write.object = kin__tree_of(STR("{\"kind\":\"Namespace\",\"apiVersion\":\"v1\"}"));
    kin__node *metadata = write.object == NULL ? NULL : kin__write_metadata(&write);
    if (metadata == NULL || !kin__field_set_text(metadata, "name", name)) {
        return kin__refuse_no_memory(no);
    }
    return kin__create(&write, &made, no);
}

bool kin__collection_empty(kin__engine *engine, kin__served *stored, kin_str prefix, size_t *budget,
                           size_t *out_left)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    const kin__range range = { .prefix = prefix };
    kin_error err;

    *out_left = 0;
    if (kin__collection_count(stored->collection) == 0) {
        return true;
    }
    if (kin__collection_list(stored->collection, &range, &listing, &err) != KIN_OK) {
        return false;
    }
    for (size_t i = 0; i < listing.count; i++) {
        bool is_gone = false;
        if (*budget > 0 && !is_held(listing.records[i]->object)) {
            (*budget)--;
            if (!delete_one(engine, stored, listing.records[i]->object, &is_gone)) {
                return false;
            }
        }
        *out_left += is_gone ? 0 : 1;
    }
    return true;
}

/* The same for all that is in a namespace. */
static bool empty(kin__engine *engine, kin_str prefix, size_t *budget, size_t *out_left)
{
    kin__served *served;

    for (size_t i = 0; *budget > 0 && (served = kin__shelf_at(engine->shelf, i)) != NULL; i++) {
        size_t here = 0;
        if (!served->is_namespaced || served->collection == NULL ||
            !is_first_of_collection(engine->shelf, i)) {
            continue;
        }
        if (!kin__collection_empty(engine, served, prefix, budget, &here)) {
            return false;
        }
        *out_left += here;
    }
    return true;
}

static bool is_first_of_collection(const kin__shelf *shelf, size_t index)
{
    const kin__collection *collection = kin__shelf_at(shelf, index)->collection;

    for (size_t i = 0; i < index; i++) {
        if (kin__shelf_at(shelf, i)->collection == collection) {
            return false;
        }
    }
    return true;
}

/* Deleted already, and nothing but finalizers keeps it: to delete it again would change nothing. */
static bool is_held(const kin_object *object)
{
    kin_value grace = kin_object_at(object, "metadata.deletionGracePeriodSeconds");
    kin_value finalizers = kin_object_at(object, "metadata.finalizers");
    int64_t seconds = 0;
    kin_time unused;

    return kin_object_deletion_time(object, &unused) &&
           kin_value_type(finalizers) == KIN_TYPE_ARRAY && kin_value_count(finalizers) > 0 &&
           (kin_value_int64(grace, &seconds) != KIN_OK || seconds <= 0);
}

static bool delete_one(kin__engine *engine, kin__served *stored, const kin_object *object,
                       bool *out_is_gone)
{
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__delete_options options = { .has_grace_period = true };

    kin__write_init(&write, engine, stored);
    if (!kin__write_load(&write, kin_object_namespace(object), kin_object_name(object), &no)) {
        return false;
    }
    *out_is_gone = write.before == NULL;
    return write.before == NULL || kin__delete(&write, &options, &told, out_is_gone, &no);
}

/* Says in its status what it waits for.  Without memory it says so another time. */
static void tell(kin__engine *engine, kin__record *record, kin_str prefix)
{
    kin__served *served = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("namespaces"));
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__remains remains = { 0 };

    kin__write_init(&write, engine, served);
    write.sub = STR("status");
    if (!count(engine, prefix, &remains) ||
        !kin__write_load(&write, STR(""), kin_object_name(record->object), &no) ||
        write.before == NULL) {
        return;
    }
    write.object = kin__tree_copy(write.old);
    if (write.object != NULL && kin__remains_tell(&remains, engine, write.object)) {
        (void) kin__update(&write, &told, &no);
    }
}

/* While there are pods nothing is counted: the rest was not looked at. */
static bool count(kin__engine *engine, kin_str prefix, kin__remains *out)
{
    kin__served *served = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("pods"));
    kin__remains pods = { 0 };

    if (!kin__remains_count(&pods, served, prefix) || pods.resources.count > 0) {
        return pods.resources.count > 0;
    }
    for (size_t i = 0; (served = kin__shelf_at(engine->shelf, i)) != NULL; i++) {
        if (served->is_namespaced && served->collection != NULL &&
            is_first_of_collection(engine->shelf, i) && !kin__remains_count(out, served, prefix)) {
            return false;
        }
    }
    return true;
}

/* Takes "kubernetes" off the finalizers, as the namespace controller does; when it was the last
 * one, the namespace is gone.  True when there is nothing to wait for. */
static bool finalize(kin__engine *engine, kin__record *record)
{
    kin__served *served = kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("namespaces"));
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    kin__write_init(&write, engine, served);
    write.sub = STR("finalize");
    if (!kin__write_load(&write, STR(""), kin_object_name(record->object), &no)) {
        return false;
    }
    if (write.before == NULL) {
        return true;
    }
    write.object = kin__tree_copy(write.old);
    kin__node *finalizers = kin__field_at(write.object, "spec", "finalizers");
    for (size_t i = finalizers == NULL ? 0 : kin__node_count(finalizers); i-- > 0;) {
        if (kin__str_equal(kin__node_text(kin__node_element(finalizers, i)), STR("kubernetes"))) {
            kin__node_remove_element(finalizers, i);
        }
    }
    return write.object != NULL && kin__update(&write, &told, &no) &&
           kin__collection_get(served->collection, kin_object_key(record->object)) == NULL;
}
