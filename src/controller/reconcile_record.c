/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_record.c - in which stores a reconcile's writes are to be seen.
 *
 * An informer has to do with an object when it follows the server, the resource and the namespace,
 * and its selectors match the object as it is now, or its store has it, or is about to.  Of others
 * nothing would ever come.
 */
#include <string.h>

#include "api/resource.h"
#include "base/str.h"
#include "controller/reconcile.h"

static bool is_of_kind(const kin__runtime_watch *watch, kin_str group, kin_str kind);
static bool selects(const kin__runtime_watch *watch, const kin_object *object);
static bool look_up(const kin__runtime_watch *watch, kin_str key, const kin_object **out);
static void record(kin_reconcile *r, kin__runtime_watch *watch, const kin__reconcile_write *write,
                   kin_str gone_uid);
static kin_str namespace_of(kin_str key);

void kin__reconcile_record(kin_reconcile *r, const kin__reconcile_write *write)
{
    kin_controller *controller = r->controller;

    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        AUTO(kin_object_unref) const kin_object *held = NULL;

        if (!kin__reconcile_is_of_server(watch) ||
            !kin__informer_has_namespace(watch->informer, namespace_of(write->key)) ||
            !is_of_kind(watch, write->group, write->kind)) {
            continue;
        }
        bool is_held = look_up(watch, write->key, &held);
        kin__mutex_lock(&controller->lock);
        bool is_owed = kin__written_is_owed(&watch->written, write->key);
        kin__mutex_unlock(&controller->lock);
        if (!is_held && !is_owed && (write->is_gone || !selects(watch, write->object))) {
            continue;
        }
        kin_str uid = write->uid.len == 0 && is_held ? kin_object_uid(held) : write->uid;
        record(r, watch, write, write->is_gone ? uid : STR(""));
    }
}

/* A program may have several clients of one server. */
bool kin__reconcile_is_of_server(const kin__runtime_watch *watch)
{
    const kin_client *its = kin__informer_client(watch->informer);
    const kin_client *ours = watch->controller->client;

    return its != NULL && (its == ours || strcmp(kin_config_server(kin_client_config(its)),
                                                 kin_config_server(kin_client_config(ours))) == 0);
}

const kin_resource *kin__reconcile_resource(const kin_reconcile *r, const kin_object *object)
{
    const kin_controller *controller = r->controller;
    bool is_metadata = kin__str_equal(kin_object_kind(object), STR("PartialObjectMetadata"));

    for (kin__link *link = kin__list_first(&controller->watches); link != NULL;
         link = kin__list_next(&controller->watches, link)) {
        const kin__runtime_watch *watch = KIN__OWNER(link, kin__runtime_watch, link);
        AUTO(kin_resource_unref)
        const kin_resource *resource = kin__informer_resource(watch->informer);
        AUTO(kin_object_unref) const kin_object *held = NULL;

        if (resource == NULL || !kin__reconcile_is_of_server(watch)) {
            continue;
        }
        bool is_it = is_metadata
                         ? look_up(watch, kin_object_key(object), &held) &&
                               kin__str_equal(kin_object_uid(held), kin_object_uid(object))
                         : kin__str_equal(kin_object_kind(object),
                                          kin_str_of(kin_resource_kind(resource))) &&
                               kin__str_equal(kin_object_api_version(object),
                                              kin_str_of(kin_resource_api_version(resource)));
        if (is_it) {
            return STEAL(resource);
        }
    }
    return NULL;
}

static bool is_of_kind(const kin__runtime_watch *watch, kin_str group, kin_str kind)
{
    AUTO(kin_resource_unref) const kin_resource *resource = kin__informer_resource(watch->informer);

    return resource != NULL && kin__str_equal(group, kin_str_of(kin_resource_group(resource))) &&
           kin__str_equal(kind, kin_str_of(kin_resource_kind(resource)));
}

/* What is not known (the server answered with a Scale) is taken to match everything only: what
 * matches and is not in the store is rare, and to wait for what does not would be in vain. */
static bool selects(const kin__runtime_watch *watch, const kin_object *object)
{
    if (object == NULL) {
        return watch->labels == NULL && watch->fields == NULL;
    }
    return (watch->labels == NULL || kin_selector_matches(watch->labels, object)) &&
           (watch->fields == NULL || kin_field_selector_matches(watch->fields, object));
}

/* `out` is shared. */
static bool look_up(const kin__runtime_watch *watch, kin_str key, const kin_object **out)
{
    kin_view view = kin_store_read(kin_informer_store(watch->informer));

    *out = kin_object_ref(kin_view_get(&view, key));
    kin_store_done(&view);
    return *out != NULL;
}

/* The write has been made: for want of memory it is tried again, until the controller stops. */
static void record(kin_reconcile *r, kin__runtime_watch *watch, const kin__reconcile_write *write,
                   kin_str gone_uid)
{
    kin_controller *controller = r->controller;
    char buffer[KIN__WRITTEN_VERSION_MAX];
    const kin__written_what what = {
        .key = r->item->key,
        .stood_at = kin__informer_stands_at(watch->informer, write->key, buffer, sizeof buffer),
        .object_key = write->key,
        .version = write->version,
        .gone_uid = gone_uid,
        .until_ms = kin__runtime_moment(controller, controller->options.write_wait_ms),
    };
    kin_err code;
    kin_error err;

    do {
        kin__mutex_lock(&controller->lock);
        code = kin__written_add(&controller->written, &watch->written, &what, &err);
        kin__mutex_unlock(&controller->lock);
    } while (code != KIN_OK && kin__runtime_rest(controller));
    kin__runtime_wake(controller); /* the store may have been faster */
}

static kin_str namespace_of(kin_str key)
{
    const char *slash = key.len == 0 ? NULL : memchr(key.data, '/', key.len);

    return kin__str(key.data, slash == NULL ? 0 : (size_t) (slash - key.data));
}
