/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places_rows.c - every public call, and what becomes of it in every place.
 *
 * The table is that of ARCHITECTURE.md ("What may be called from where"), which says what the words
 * mean; tools/check-docs compares the two.
 */
#include "unit/api/calling.h"
#include "unit/informer/places.h"

/* ---- informer.h ------------------------------------------------------------------------------ */

static kin_informer_options map_options(const world *w)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.of = w->maps;
    options.encoding = KIN_ENCODING_JSON;
    return options;
}

static kin_err informer_new(world *w)
{
    kin_informer_options options = map_options(w);

    return kin_informer_new(w->client, &options, &w->made_informer, &w->err);
}

static kin_err informer_free(world *w)
{
    kin_informer_free(w->informer);
    w->informer = NULL;
    return KIN_OK;
}

static kin_err informer_start(world *w)
{
    return kin_informer_start(w->informer, &w->err);
}

static kin_err informer_stop(world *w)
{
    return kin_informer_stop(w->informer, -1, &w->err);
}

static kin_err informer_stop_and_drop(world *w)
{
    return kin_informer_stop_and_drop(w->informer, -1, &w->err);
}

static kin_err informer_store(world *w)
{
    return kin_informer_store(w->informer) != NULL ? KIN_OK : KIN_ERR_NOT_FOUND;
}

/* With the reads of deleted.h. */
static kin_err informer_deleted(world *w)
{
    kin_view view = kin_store_read(kin_informer_deleted(w->informer));
    kin_view_iter iter = kin_view_all(&view);
    bool is_right = kin_deleted_get(&view, kin_str_of("shop/a")).object == NULL &&
                    !kin_view_next(&iter) && kin_deleted_of(&iter).object == NULL;

    kin_store_done(&view);
    return is_right ? KIN_OK : KIN_ERR_PROTOCOL;
}

static kin_err informer_add_handler(world *w)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    return kin_informer_add_handler(w->informer, &options, &w->made_registration, &w->err);
}

static kin_err informer_has_synced(world *w)
{
    (void) kin_informer_has_synced(w->informer);
    return KIN_OK;
}

static kin_err of_both(kin_err without, kin_err with)
{
    return without == KIN_ERR_USAGE && with == KIN_OK ? ONLY_WITH_A_DEADLINE
           : without == with                          ? with
                                                      : KIN_ERR_PROTOCOL;
}

/* Nobody waits for what is synced already, and so it is refused nowhere.  Where waiting is to be
 * refused it must be for one that never is. */
static bool may_wait(const world *w)
{
    return w->where == ELSEWHERE || w->where == POOL || w->where == DISPATCH || w->where == STOPPED;
}

static bool may_wait_with_a_deadline(const world *w)
{
    return may_wait(w) || w->where == BLOCKING || w->where == OTHER_BLOCKING;
}

static kin_err make_unsynced(world *w)
{
    kin_informer_options options = map_options(w);

    options.of = w->pods;
    if (kin_informer_new(w->client, &options, &w->made_unsynced, &w->err) != KIN_OK) {
        return w->err.code;
    }
    return kin_informer_start(w->made_unsynced, &w->err);
}

static kin_err informer_wait_synced(world *w)
{
    if (informer_new(w) != KIN_OK || make_unsynced(w) != KIN_OK ||
        kin_informer_start(w->made_informer, &w->err) != KIN_OK) {
        return w->err.code;
    }
    kin_informer *first = may_wait(w) ? w->made_informer : w->made_unsynced;
    kin_informer *second = may_wait_with_a_deadline(w) ? w->made_informer : w->made_unsynced;
    kin_err without = kin_informer_wait_synced(first, -1, &w->err);
    return of_both(without, kin_informer_wait_synced(second, 1000000, &w->err));
}

static kin_err informer_wait_for(world *w)
{
    kin_str key = kin_str_of("shop/a");
    kin_err without = kin_informer_wait_for(w->informer, key, kin_str_of("5"), -1, &w->err);

    return of_both(without,
                   kin_informer_wait_for(w->informer, key, kin_str_of("5"), 1000000, &w->err));
}

static kin_err informer_get_status(world *w)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_err code = kin_informer_get_status(w->informer, &status, &w->err);

    return kin_informer_state_name(status.state) != NULL ? code : KIN_ERR_NOT_FOUND;
}

/* ---- registration.h -------------------------------------------------------------------------- */

static kin_err registration_free(world *w)
{
    kin_registration_free(w->own);
    w->own = NULL;
    return KIN_OK;
}

static kin_err registration_fd(world *w)
{
    return kin_registration_fd(w->queue) >= 0 ? KIN_OK : KIN_ERR_NOT_FOUND;
}

static kin_err registration_dispatch(world *w)
{
    return kin_registration_dispatch(w->queue, 0, NULL, &w->err);
}

static kin_err registration_has_synced(world *w)
{
    (void) kin_registration_has_synced(w->own);
    return KIN_OK;
}

/* Of the queue, which nobody drains before. */
static kin_err registration_wait_synced(world *w)
{
    kin_err code = kin_registration_wait_synced(w->queue, 1, &w->err);

    return code == KIN_ERR_TIMEOUT ? KIN_OK : code;
}

static kin_err registration_get_status(world *w)
{
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;

    return kin_registration_get_status(w->own, &status, &w->err);
}

static kin_err registration_remove(world *w)
{
    kin_registration_remove(w->own);
    return KIN_OK;
}

static kin_err registration_remove_and_wait(world *w)
{
    return kin_registration_remove_and_wait(w->own, &w->err);
}

/* ---- store.h --------------------------------------------------------------------------------- */

static kin_err store_read(world *w)
{
    kin_view view = kin_store_read(kin_informer_store(w->informer));
    kin_view_iter all = kin_view_all(&view);
    kin_view_iter some = kin_view_by_index(&view, "namespace", kin_str_of("shop"));
    kin_view_iter same = kin_view_in_namespace(&view, kin_str_of("shop"));
    kin_index_iter values = { 0 };
    size_t count = 0;

    while (kin_view_next(&all)) {
        count++;
    }
    while (kin_view_next(&some)) {
        count--;
    }
    while (kin_view_next_matching(&same, NULL, NULL)) {
        count++;
    }
    bool has_value = kin_view_next_value(&view, "namespace", &values);
    bool is_right = count == kin_view_count(&view) &&
                    count == kin_view_index_count(&view, "namespace", kin_str_of("shop")) &&
                    (kin_view_get(&view, kin_str_of("shop/a")) != NULL) == (count == 1) &&
                    has_value == (count == 1) && kin_view_number(&view) != 0 &&
                    kin_view_index_name(&view, 0) != NULL &&
                    kin_view_resource_version(&view, 0).len <= 2;
    kin_store_done(&view);
    return is_right ? KIN_OK : KIN_ERR_PROTOCOL;
}

static kin_err store_snapshot(world *w)
{
    kin_snapshot *snapshot = NULL;
    kin_err code = kin_store_snapshot(kin_informer_store(w->informer), &snapshot, &w->err);

    if (code == KIN_OK) {
        code = kin_view_count(kin_snapshot_view(snapshot)) <= 1 ? KIN_OK : KIN_ERR_PROTOCOL;
        kin_snapshot_free(snapshot);
    }
    return code;
}

static kin_err store_add_index(world *w)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;

    options.name = "k";
    options.path = "data.k";
    return kin_store_add_index(kin_informer_store(w->informer), &options, &w->err);
}

static kin_err store_remove_index(world *w)
{
    return kin_store_remove_index(kin_informer_store(w->informer), "namespace", &w->err);
}

/* ---- factory.h ------------------------------------------------------------------------------- */

static kin_err factory_new(world *w)
{
    return kin_factory_new(w->client, NULL, &w->made_factory, &w->err);
}

static kin_err factory_informer(world *w)
{
    kin_informer_options options = map_options(w);
    kin_informer *shared = NULL;

    return kin_factory_informer(w->factory, &options, &shared, &w->err);
}

static kin_err factory_start(world *w)
{
    return kin_factory_start(w->factory, &w->err);
}

/* One whose informer is never synced. */
static kin_err make_unsynced_factory(world *w)
{
    kin_informer_options options = map_options(w);
    kin_informer *shared = NULL;

    options.of = w->pods;
    if (factory_new(w) != KIN_OK ||
        kin_factory_informer(w->made_factory, &options, &shared, &w->err) != KIN_OK) {
        return w->err.code;
    }
    return kin_factory_start(w->made_factory, &w->err);
}

static kin_err factory_wait_synced(world *w)
{
    if (factory_informer(w) != KIN_OK || factory_start(w) != KIN_OK ||
        make_unsynced_factory(w) != KIN_OK) {
        return w->err.code;
    }
    kin_factory *first = may_wait(w) ? w->factory : w->made_factory;
    kin_factory *second = may_wait_with_a_deadline(w) ? w->factory : w->made_factory;
    kin_err without = kin_factory_wait_synced(first, -1, &w->err);
    return of_both(without, kin_factory_wait_synced(second, 1000000, &w->err));
}

static kin_err factory_stop(world *w)
{
    if (factory_informer(w) != KIN_OK || factory_start(w) != KIN_OK) {
        return w->err.code;
    }
    return kin_factory_stop(w->factory, -1, &w->err);
}

static kin_err factory_stop_and_drop(world *w)
{
    if (factory_informer(w) != KIN_OK || factory_start(w) != KIN_OK) {
        return w->err.code;
    }
    return kin_factory_stop_and_drop(w->factory, -1, &w->err);
}

static kin_err factory_remove(world *w)
{
    kin_informer_options options = map_options(w);
    kin_informer *shared = w->informer;
    kin_err code = kin_factory_informer(w->factory, &options, &shared, &w->err);

    if (code == KIN_OK) {
        code = kin_factory_start(w->factory, &w->err);
    }
    return code == KIN_OK || w->where == FORKED ? kin_factory_remove(w->factory, shared, &w->err)
                                                : code;
}

static kin_err factory_free(world *w)
{
    if (w->where != FORKED && (factory_informer(w) != KIN_OK || factory_start(w) != KIN_OK)) {
        return w->err.code;
    }
    kin_factory_free(w->factory);
    w->factory = NULL;
    return KIN_OK;
}

/* ---- list_watcher.h -------------------------------------------------------------------------- */

static kin_err start_nothing(void *context, const kin_request *request, const kin_handler *handler,
                             void **out_call, kin_error *err)
{
    (void) context;
    (void) request;
    (void) handler;
    (void) out_call;
    *err = (kin_error){ .code = KIN_ERR_CONNECT };
    return KIN_ERR_CONNECT;
}

static void cancel_nothing(void *context, void *call)
{
    (void) context;
    (void) call;
}

const kin_list_watcher place_watcher = { sizeof place_watcher, NULL, start_nothing,
                                         cancel_nothing };

static kin_err source_new(world *w)
{
    return kin_source_new(w->loop, &place_watcher, &w->made_source, &w->err);
}

static kin_err source_free(world *w)
{
    kin_source_free(w->source);
    w->source = NULL;
    return KIN_OK;
}

static kin_err informer_new_of_source(world *w)
{
    kin_informer_options options = map_options(w);

    return kin_informer_new_of_source(w->source, &options, &w->made_of_source, &w->err);
}

/* ---- client.h -------------------------------------------------------------------------------- */

static kin_err client_new(world *w)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_err code = kin_loop_new(NULL, &w->made_loop, &w->err);

    options.loop = w->made_loop;
    return code == KIN_OK ? kin_client_new(w->config, &options, &w->made_client, &w->err) : code;
}

/* All that is made of it goes first. */
static kin_err client_free(world *w)
{
    kin_factory_free(w->factory);
    kin_informer_free(w->informer);
    kin_client_free(w->client);
    w->factory = NULL;
    w->informer = NULL;
    w->client = NULL;
    return KIN_OK;
}

static kin_err client_config(world *w)
{
    return kin_client_config(w->client) == w->config && kin_client_loop(w->client) == w->loop
               ? KIN_OK
               : KIN_ERR_NOT_FOUND;
}

static kin_request get_map(const world *w)
{
    kin_request request = request_for(KIN_VERB_GET, NULL, "shop", "a");

    request.of = w->maps;
    return request;
}

static kin_err client_run(world *w)
{
    kin_request request = get_map(w);
    kin_reply reply = KIN_REPLY_INIT;
    kin_err code = kin_client_run(w->client, &request, NULL, &reply, &w->err);

    kin_reply_fini(&reply);
    return code;
}

static kin_err client_start(world *w)
{
    kin_request request = get_map(w);

    return kin_client_start(w->client, &request, NULL, NULL, &w->err);
}

static kin_err call_cancel(world *w)
{
    kin_call_cancel(w->call);
    return KIN_OK;
}

static kin_err call_free(world *w)
{
    kin_call_free(w->call);
    w->call = NULL;
    return KIN_OK;
}

static kin_err client_get(world *w)
{
    kin_object *object = NULL;
    kin_err code = kin_client_get(w->client, "configmaps", "shop", "a", &object, &w->err);

    kin_object_unref(object);
    return code;
}

static bool take_any(void *context, kin_object *object)
{
    (void) context;
    (void) object;
    return true;
}

static kin_err client_list(world *w)
{
    return kin_client_list(w->client, "configmaps", "shop", take_any, NULL, &w->err);
}

static kin_err client_create(world *w)
{
    return kin_client_create(w->client, w->object, NULL, &w->err);
}

static kin_err client_update(world *w)
{
    return kin_client_update(w->client, w->object, NULL, &w->err);
}

static kin_err client_patch(world *w)
{
    return kin_client_patch(w->client, "configmaps", "shop", "a", kin_str_of("{}"), NULL, &w->err);
}

static kin_err client_delete(world *w)
{
    return kin_client_delete(w->client, "configmaps", "shop", "a", &w->err);
}

static kin_err client_resource(world *w)
{
    kin_resource *resource = NULL;
    kin_err code = kin_client_resource(w->client, "configmaps", &resource, &w->err);

    (void) kin_resource_unref(resource);
    return code;
}

static kin_err client_resource_of_kind(world *w)
{
    kin_resource *resource = NULL;
    kin_err code = kin_client_resource_of_kind(w->client, "v1", "ConfigMap", &resource, &w->err);

    (void) kin_resource_unref(resource);
    return code;
}

static bool pass_by(void *context, const kin_resource *resource)
{
    (void) context;
    (void) resource;
    return true;
}

static kin_err client_each_resource(world *w)
{
    return kin_client_each_resource(w->client, pass_by, NULL, &w->err);
}

static kin_err client_server_version(world *w)
{
    char *version = NULL;
    kin_err code = kin_client_server_version(w->client, &version, &w->err);

    kin_free(version);
    return code;
}

/* ---- loop.h ---------------------------------------------------------------------------------- */

static kin_err loop_new(world *w)
{
    return kin_loop_new(NULL, &w->made_loop, &w->err);
}

/* On a loop that loop is meant, and elsewhere one that nobody runs. */
static kin_loop **loop_here(world *w)
{
    return kin_loop_is_inside(w->loop) ? &w->loop : &w->spare;
}

static kin_err loop_free(world *w)
{
    kin_loop **loop = loop_here(w);
    int errors = atomic_load(&w->errors);

    kin_loop_free(*loop);
    if (atomic_load(&w->errors) != errors) {
        return KIN_ERR_USAGE;
    }
    *loop = NULL;
    return KIN_OK;
}

static kin_err loop_start(world *w)
{
    return kin_loop_start(*loop_here(w), &w->err);
}

static kin_err loop_stop(world *w)
{
    kin_loop_stop(w->loop);
    return KIN_OK;
}

static kin_err loop_fd(world *w)
{
    return kin_loop_fd(w->loop) >= 0 ? KIN_OK : KIN_ERR_USAGE;
}

static kin_err loop_dispatch(world *w)
{
    return kin_loop_dispatch(*loop_here(w), 0, &w->err);
}

static void do_nothing(void *context)
{
    (void) context;
}

static kin_err loop_post(world *w)
{
    return kin_loop_post(w->loop, do_nothing, NULL, &w->err);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* clang-format off */
const row place_rows[] = {
    { "kin_informer_new", informer_new,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_informer_free", informer_free,
      "yes later later later later later later later later later later yes nothing" },
    { "kin_informer_start", informer_start,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_informer_stop", informer_stop,
      "yes stops stops stops stops stops stops stops stops stops stops yes no" },
    { "kin_informer_stop_and_drop", informer_stop_and_drop,
      "yes stops stops stops stops stops stops stops stops stops stops yes no" },
    { "kin_informer_store", informer_store,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_informer_deleted, kin_deleted_get, kin_deleted_of", informer_deleted,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_informer_add_handler", informer_add_handler,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_informer_has_synced", informer_has_synced,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_informer_wait_synced", informer_wait_synced,
      "yes yes timed yes no no no no no no no yes no" },
    { "kin_informer_wait_for", informer_wait_for,
      "yes yes timed yes no no no no no no no no no" },
    { "kin_informer_get_status, kin_informer_state_name", informer_get_status,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_registration_free", registration_free,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_registration_fd", registration_fd,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_registration_dispatch", registration_dispatch,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_registration_has_synced", registration_has_synced,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_registration_wait_synced", registration_wait_synced,
      "yes no no no no no no no no no no yes no" },
    { "kin_registration_get_status", registration_get_status,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_registration_remove", registration_remove,
      "yes yes yes yes yes yes yes yes yes yes yes yes nothing" },
    { "kin_registration_remove_and_wait", registration_remove_and_wait,
      "yes no no no no no no no no no no yes no" },
    { "kin_store_read, kin_store_done, kin_view_get, kin_view_count, kin_view_number, "
      "kin_view_resource_version, kin_view_all, kin_view_by_index, kin_view_in_namespace, "
      "kin_view_next, kin_view_next_matching, kin_view_index_name, kin_view_index_count, "
      "kin_view_next_value", store_read,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_store_snapshot, kin_snapshot_view, kin_snapshot_free", store_snapshot,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_store_add_index", store_add_index,
      "yes yes yes yes yes yes yes yes no no yes yes no" },
    { "kin_store_remove_index", store_remove_index,
      "yes yes yes yes yes yes yes yes no no yes yes no" },
    { "kin_factory_new", factory_new,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_factory_free", factory_free,
      "yes later later later later later later later later later later yes nothing" },
    { "kin_factory_informer", factory_informer,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_factory_start", factory_start,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_factory_wait_synced", factory_wait_synced,
      "yes yes timed yes no no no no no no no yes no" },
    { "kin_factory_stop", factory_stop,
      "yes stops stops stops stops stops stops stops stops stops stops yes no" },
    { "kin_factory_stop_and_drop", factory_stop_and_drop,
      "yes stops stops stops stops stops stops stops stops stops stops yes no" },
    { "kin_factory_remove", factory_remove,
      "yes later later later later later later later later later later yes no" },
    { "kin_source_new", source_new,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_source_free", source_free,
      "yes later later later later later later later later later later yes nothing" },
    { "kin_informer_new_of_source", informer_new_of_source,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_client_new", client_new,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_client_free", client_free,
      "yes later later later later later later later later later later yes yes" },
    { "kin_client_config, kin_client_loop", client_config,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_client_run, kin_reply_fini", client_run,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_start", client_start,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_call_cancel", call_cancel,
      "yes yes yes yes yes yes yes yes yes yes yes yes nothing" },
    { "kin_call_free", call_free,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_client_get", client_get,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_list", client_list,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_create", client_create,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_update", client_update,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_patch", client_patch,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_delete", client_delete,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_resource", client_resource,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_resource_of_kind", client_resource_of_kind,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_each_resource", client_each_resource,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_client_server_version", client_server_version,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_loop_new", loop_new,
      "yes yes yes yes yes yes yes yes yes yes yes yes yes" },
    { "kin_loop_free", loop_free,
      "yes yes yes yes no no no no no no no yes yes" },
    { "kin_loop_start", loop_start,
      "yes yes yes yes no no no no no yes no yes no" },
    { "kin_loop_stop", loop_stop,
      "yes yes yes yes later later later later later later later yes nothing" },
    { "kin_loop_fd", loop_fd,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
    { "kin_loop_dispatch", loop_dispatch,
      "yes yes yes yes no no no no no no no yes no" },
    { "kin_loop_post, kin_loop_is_inside", loop_post,
      "yes yes yes yes yes yes yes yes yes yes yes yes no" },
};
/* clang-format on */

const size_t place_row_count = sizeof place_rows / sizeof place_rows[0];
