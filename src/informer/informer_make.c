/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_make.c - an informer of its options: copied, checked, put together.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/str.h"
#include "config/check.h"
#include "informer/informer_state.h"
#include "kin/selector.h"
#include "net/guard.h"

/* What this layer keeps with a client. */
typedef struct guest {
    kin__client_guest is; /* first */
    kin__pool *pool;
} guest;

static kin_err pool_of_client(kin_client *client, kin__pool **out, kin_error *err);
static kin__pool_friend friend_of(kin_client *client);
static bool send_job(void *context, kin__pool_job *job);
static bool stand_in(void *context);
static bool dismiss(void *context);
static void run_sent(void *context);
static void free_guest(kin__client_guest *its);
static kin_err check(const kin_informer_options *options, kin_error *err);
static kin_err check_selectors(const kin_informer_options *options, kin_error *err);
static kin_err check_namespaces(const char *const *namespaces, kin_error *err);
static kin_err check_namespace(const char *name, kin_error *err);
static size_t count_sources(const kin_informer_options *options);
static kin_err furnish(kin_informer *informer, const kin_informer_options *options, kin_error *err);
static kin_err copy_texts(kin_informer *informer, const kin_informer_options *options,
                          kin_error *err);
static kin_err copy_text(const char *text, char **out, kin_error *err);
static kin_err make_store(kin_informer *informer, const kin_informer_options *options,
                          kin_error *err);
static kin_err make_graveyard(kin_informer *informer, const kin_informer_options *options,
                              kin_error *err);
static kin_err add_indexes(kin_store *store, const kin_informer_options *options, kin_error *err);
static kin_err make_controller(kin_informer *informer, kin_error *err);
static kin_err make_drivers(kin_informer *informer, kin_error *err);
static kin_err make_driver(kin_informer *informer, size_t number, kin_error *err);
static uint64_t new_seed(void);

kin_err kin_informer_new(kin_client *client, const kin_informer_options *options,
                         kin_informer **out, kin_error *err)
{
    kin_error unwanted;
    kin__informer_parts parts = { .seed = new_seed() };

    err = kin__error_or(err, &unwanted);
    if (client == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "make an informer: there is no client");
    }
    parts.loop = client->loop;
    parts.caller = kin__caller_of_client(client);
    parts.logger = client->logger;
    if (kin__loop_is_forked(client->loop)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make an informer: not of a client from before a fork");
    }
    if (pool_of_client(client, &parts.pool, err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    return kin__informer_make(&parts, options, out, err);
}

kin_err kin__informer_make(const kin__informer_parts *parts, const kin_informer_options *options,
                           kin_informer **out, kin_error *err)
{
    kin_informer_options ours;

    if (kin__options_read(&ours, sizeof ours, options, "kin_informer_options", err) != KIN_OK ||
        check(&ours, err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    size_t count = count_sources(&ours);
    kin_informer *informer =
        kin__alloc_zero(1, sizeof *informer + count * sizeof informer->sources[0]);
    if (informer == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make an informer");
    }
    informer->parts = *parts;
    informer->source_count = count;
    if (ours.logger.size != 0 && ours.logger.log != NULL) {
        informer->parts.logger = ours.logger;
    }
    kin__mutex_init(&informer->lock);
    kin__informer_prepare(informer);
    informer->book = (kin__informer_book){ .started_at_ms = -1, .sync_ms = -1, .list_ms = -1 };
    if (furnish(informer, &ours, err) != KIN_OK) {
        kin__informer_release(informer);
        return kin__error_prefix(err, "make an informer");
    }
    kin__informer_note_facts(informer);
    *out = informer;
    return KIN_OK;
}

/* Nothing of it is on the loop. */
void kin__informer_release(kin_informer *informer)
{
    kin__processor_free(informer->processor);
    for (size_t i = 0; i < informer->source_count; i++) {
        kin__list_watch_free(informer->sources[i].driver);
        kin__free(informer->sources[i].ns);
    }
    kin__controller_free(informer->controller);
    kin__graveyard_free(informer->graveyard);
    kin__store_free(informer->store);
    kin__informer_metrics_free(informer->metrics);
    kin_resource_unref(informer->options.of);
    kin__free(informer->name);
    kin__free(informer->resource);
    kin__free(informer->label_selector);
    kin__free(informer->field_selector);
    kin__mutex_lock(&informer->lock);
    kin__kept_error_clear(&informer->error);
    (void) kin_resource_unref(informer->found);
    kin__mutex_unlock(&informer->lock);
    kin__mutex_fini(&informer->lock);
    kin__free(informer);
}

/* ---- the client's pool ---------------------------------------------------------------------- */

/* Of two threads that make one at the same time the second takes the first one's. */
static kin_err pool_of_client(kin_client *client, kin__pool **out, kin_error *err)
{
    kin__client_guest *its = atomic_load(&client->guest);

    if (its == NULL) {
        guest *mine = kin__alloc_zero(1, sizeof *mine);
        if (mine == NULL) {
            return kin__error_no_memory(err);
        }
        mine->is.free = free_guest;
        if (kin__pool_new(&(kin__pool_options){ .friend = friend_of(client) }, &mine->pool, err) !=
            KIN_OK) {
            kin__free(mine);
            return err->code;
        }
        if (atomic_compare_exchange_strong(&client->guest, &its, &mine->is)) {
            its = &mine->is;
        } else {
            free_guest(&mine->is);
        }
    }
    *out = ((guest *) (void *) its)->pool;
    return KIN_OK;
}

/* The thread of the client's own loop; of a program's loop the program may dispose in handlers. */
static kin__pool_friend friend_of(kin_client *client)
{
    if (!client->owns_loop) {
        return (kin__pool_friend){ 0 };
    }
    return (kin__pool_friend){
        .context = client->loop, .send = send_job, .stand = stand_in, .dismiss = dismiss
    };
}

static bool send_job(void *context, kin__pool_job *job)
{
    return kin__loop_send(context, &(kin__errand){ run_sent, job });
}

static bool stand_in(void *context)
{
    return kin__loop_stand_guard(context);
}

static bool dismiss(void *context)
{
    return kin__loop_dismiss_guard(context);
}

static void run_sent(void *context)
{
    kin__pool_run_sent(context);
}

static void free_guest(kin__client_guest *its)
{
    guest *mine = (guest *) (void *) its;

    kin__pool_free(mine->pool);
    kin__free(mine);
}

/* ---- options -------------------------------------------------------------------------------- */

static kin_err check(const kin_informer_options *options, kin_error *err)
{
    if ((options->resource == NULL) == (options->of == NULL)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_informer_options: one of `resource` and `of` must be given");
    }
    if (options->resource != NULL && options->resource[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_informer_options: `resource` is empty");
    }
    if (options->ns != NULL && options->namespaces != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_informer_options: both `ns` and `namespaces` are given");
    }
    if ((unsigned) options->start > KIN_START_WATCH_LIST ||
        (unsigned) options->encoding > KIN_ENCODING_PROTOBUF) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_informer_options: no such `start` or `encoding`");
    }
    if (options->resync_ms < 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_informer_options: `resync_ms` is negative");
    }
    if (options->keep_deleted_ms < 0 ||
        (options->keep_deleted_ms == 0 && options->keep_deleted_max != 0)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              options->keep_deleted_ms < 0
                                  ? "kin_informer_options: `keep_deleted_ms` is negative"
                                  : "kin_informer_options: `keep_deleted_max` needs "
                                    "`keep_deleted_ms`");
    }
    if (options->ns != NULL && options->ns[0] != '\0' &&
        check_namespace(options->ns, err) != KIN_OK) {
        return err->code;
    }
    if (options->namespaces != NULL && check_namespaces(options->namespaces, err) != KIN_OK) {
        return err->code;
    }
    return check_selectors(options, err);
}

static kin_err check_namespaces(const char *const *namespaces, kin_error *err)
{
    if (namespaces[0] == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_informer_options: `namespaces` is empty");
    }
    for (size_t i = 0; namespaces[i] != NULL; i++) {
        if (namespaces[i][0] == '\0') {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "kin_informer_options: an empty name in `namespaces`");
        }
        if (check_namespace(namespaces[i], err) != KIN_OK) {
            return err->code;
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(namespaces[i], namespaces[k]) == 0) {
                return kin__error_set(err, KIN_ERR_USAGE,
                                      "kin_informer_options: \"%s\" twice in `namespaces`",
                                      namespaces[i]);
            }
        }
    }
    return KIN_OK;
}

/* A server has no objects in a namespace that cannot be, and says nothing of it. */
static kin_err check_namespace(const char *name, kin_error *err)
{
    return kin__is_namespace(name)
               ? KIN_OK
               : kin__error_set(err, KIN_ERR_USAGE,
                                "kin_informer_options: no namespace can be called \"%s\"", name);
}

static kin_err check_selectors(const kin_informer_options *options, kin_error *err)
{
    kin_selector *labels = NULL;
    kin_field_selector *fields = NULL;
    kin_err code = KIN_OK;

    if (options->label_selector != NULL) {
        code = kin_selector_parse(options->label_selector, &labels, err);
    }
    if (code == KIN_OK && options->field_selector != NULL) {
        code = kin_field_selector_parse(options->field_selector, &fields, err);
    }
    kin_selector_free(labels);
    kin_field_selector_free(fields);
    return code;
}

static size_t count_sources(const kin_informer_options *options)
{
    size_t count = 0;

    while (options->namespaces != NULL && options->namespaces[count] != NULL) {
        count++;
    }
    return count == 0 ? 1 : count;
}

/* ---- putting it together -------------------------------------------------------------------- */

static kin_err furnish(kin_informer *informer, const kin_informer_options *options, kin_error *err)
{
    if (copy_texts(informer, options, err) != KIN_OK ||
        kin__informer_metrics_new(options->metrics, informer->name, &informer->metrics, err) !=
            KIN_OK ||
        make_store(informer, options, err) != KIN_OK ||
        make_graveyard(informer, options, err) != KIN_OK ||
        make_controller(informer, err) != KIN_OK) {
        return err->code;
    }
    kin__processor_options processor = {
        .store = informer->store,
        .pool = informer->parts.pool,
        .resync_ms = options->resync_ms,
        .hooks = kin__informer_listener_hooks(informer),
        .counting = { options->metrics, informer->name, kin__loop_clock(informer->parts.loop) },
    };
    if (kin__processor_new(&processor, &informer->processor, err) != KIN_OK) {
        return err->code;
    }
    return make_drivers(informer, err);
}

static kin_err copy_texts(kin_informer *informer, const kin_informer_options *options,
                          kin_error *err)
{
    kin_informer_options *ours = &informer->options;
    const char *name = options->name != NULL       ? options->name
                       : options->resource != NULL ? options->resource
                                                   : kin_resource_name(options->of);

    *ours = *options;
    ours->of = kin_resource_ref(options->of);
    ours->indexes = NULL;
    ours->index_count = 0;
    ours->namespaces = NULL;
    if (copy_text(name, &informer->name, err) != KIN_OK ||
        copy_text(options->resource, &informer->resource, err) != KIN_OK ||
        copy_text(options->label_selector, &informer->label_selector, err) != KIN_OK ||
        copy_text(options->field_selector, &informer->field_selector, err) != KIN_OK) {
        return err->code;
    }
    ours->name = informer->name;
    ours->resource = informer->resource;
    ours->label_selector = informer->label_selector;
    ours->field_selector = informer->field_selector;
    bool has_ns = options->ns != NULL && options->ns[0] != '\0';
    for (size_t i = 0; i < informer->source_count; i++) {
        const char *ns = options->namespaces != NULL ? options->namespaces[i]
                         : has_ns                    ? options->ns
                                                     : NULL;
        if (copy_text(ns, &informer->sources[i].ns, err) != KIN_OK) {
            return err->code;
        }
    }
    ours->ns = NULL;
    return KIN_OK;
}

static kin_err copy_text(const char *text, char **out, kin_error *err)
{
    if (text == NULL) {
        *out = NULL;
        return KIN_OK;
    }
    size_t size = strlen(text) + 1;
    char *copy = kin__alloc(size);
    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = memcpy(copy, text, size);
    return KIN_OK;
}

static kin_err make_store(kin_informer *informer, const kin_informer_options *options,
                          kin_error *err)
{
    kin__store_options store = kin__informer_store_options(informer);

    if (kin__store_new(&store, &informer->store, err) != KIN_OK) {
        return err->code;
    }
    return add_indexes(informer->store, options, err);
}

static kin_err make_graveyard(kin_informer *informer, const kin_informer_options *options,
                              kin_error *err)
{
    kin__graveyard_options graveyard = kin__informer_graveyard_options(informer);

    if (options->keep_deleted_ms == 0) {
        return KIN_OK;
    }
    if (kin__graveyard_new(&graveyard, &informer->graveyard, err) != KIN_OK) {
        return err->code;
    }
    return add_indexes(kin__graveyard_store(informer->graveyard), options, err);
}

static kin_err add_indexes(kin_store *store, const kin_informer_options *options, kin_error *err)
{
    for (size_t i = 0; i < options->index_count; i++) {
        if (kin_store_add_index(store, &options->indexes[i], err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

/* One source takes what comes: the server knows what is in its namespace, and what has none. */
static kin_err make_controller(kin_informer *informer, kin_error *err)
{
    kin__controller_options options = kin__informer_controller_options(informer);
    kin_str *namespaces = NULL;

    if (informer->source_count > 1) {
        namespaces = kin__alloc_zero(informer->source_count, sizeof *namespaces);
        if (namespaces == NULL) {
            return kin__error_no_memory(err);
        }
        for (size_t i = 0; i < informer->source_count; i++) {
            namespaces[i] = kin_str_of(informer->sources[i].ns);
        }
    }
    options.namespaces = namespaces;
    kin_err code = kin__controller_new(informer->store, &options, &informer->controller, err);
    kin__free(namespaces);
    return code;
}

static kin_err make_drivers(kin_informer *informer, kin_error *err)
{
    for (size_t i = 0; i < informer->source_count; i++) {
        if (make_driver(informer, i, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

static kin_err make_driver(kin_informer *informer, size_t number, kin_error *err)
{
    static const kin__start_mode modes[] = { KIN__START_AUTO, KIN__START_LIST,
                                             KIN__START_WATCH_LIST };
    const kin_informer_options *options = &informer->options;
    kin__informer_source *source = &informer->sources[number];

    source->request = (kin_request) KIN_REQUEST_INIT;
    source->request.resource = options->resource;
    source->request.of = options->of;
    source->request.ns = source->ns;
    source->request.label_selector = options->label_selector;
    source->request.field_selector = options->field_selector;
    source->request.mask = options->mask;
    source->request.metadata_only = options->metadata_only;
    source->request.encoding = options->encoding;

    kin__backoff_options waits = { .first_ms = options->retry_first_ms,
                                   .cap_ms = options->retry_max_ms };
    kin__list_watch_options driver = kin__informer_driver_options(informer);
    driver.request = &source->request;
    driver.needs_namespaces = informer->source_count > 1;
    driver.reflector = (kin__reflector_options){
        .mode = modes[options->start],
        .page_size = options->page_size,
        .watch_seconds = options->watch_seconds,
        .idle_ms = options->idle_ms,
        .internal_retry_ms = options->internal_retry_ms,
        .away = waits,
        .refused = waits,
        .seed = informer->parts.seed + number * 16,
        .sink = kin__controller_sink(informer->controller, number),
    };
    return kin__list_watch_new(&driver, &source->driver, err);
}

/* Another one for each informer, so that many that fail together do not come back together. */
static uint64_t new_seed(void)
{
    static _Atomic uint64_t count;
    uint64_t number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);

    return kin__hash(&number, sizeof number, kin__hash_seed());
}
