/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the life of a server, and what control.c and server_calls.c both do to it.
 */
#include "kin/testing/server.h"

#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/options.h"
#include "base/str.h"
#include "json/writer.h"
#include "net/openssl.h"
#include "server/errand.h"
#include "server/frame.h"
#include "server/furnish.h"
#include "server/namespaces.h"
#include "server/server_state.h"
#include "server/upkeep.h"

#define HISTORY_MAX 10000
#define BOOKMARK_MS 60000
#define TOKEN_BYTES 18

static kin_err make(kin_server *server, const kin_server_options *options, const kin__clock *clock,
                    kin_error *err);
static kin_err make_engine(kin_server *server, const kin_server_options *options, kin_error *err);
static kin_err make_token(kin_server *server, const char *token, kin_error *err);
static kin_err listen_on(kin_server *server, const kin_server_options *options, kin_error *err);
static kin_err make_authority(kin_server *server, const kin_server_options *options,
                              const char *address, kin_error *err);
static kin_err write_url(kin_server *server, const char *address, kin_error *err);
static kin_err write_kubeconfig(kin_server *server, kin_error *err);
static void write_cluster(const kin_server *server, kin__json_writer *w, kin__buf *authority);
static bool is_first_of_collection(const kin__shelf *shelf, size_t index);
static void count_collection(const kin__collection *collection, kin_server_counts *out);
static void clear(kin_server *server);
static kin_err run_start(kin__errand *e, kin_error *err);
static kin_err run_stop(kin__errand *e, kin_error *err);
static kin_err begin_fault(kin_server *server, kin__fault *fault, kin_error *err);
static kin_err set_welcome(kin_server *server, const kin__fault *fault, kin_error *err);
static kin_err end_welcome(kin_server *server, kin_error *err);
static void forget_welcome(kin_server *server);
static void on_welcome_end(kin__timer *timer, void *context);
static kin_err freeze(kin_server *server, kin__fault *fault, kin_error *err);
static void thaw(kin_server *server);
static void forget_freeze(kin_server *server);
static void on_thaw(kin__timer *timer, void *context);
static bool spoil_open(void *context, const kin__watch_about *about, kin__spoil *spoil);

kin_err kin_server_start(const kin_server_options *options, kin_server **out, kin_error *err)
{
    kin_error unwanted;

    kin__openssl_stay();
    return kin__server_start_with_clock(options, kin__clock_real(), out,
                                        kin__error_or(err, &unwanted));
}

kin_err kin__server_start_with_clock(const kin_server_options *options, const kin__clock *clock,
                                     kin_server **out, kin_error *err)
{
    kin_server_options ours = KIN_SERVER_OPTIONS_INIT;

    if (kin__options_read(&ours, sizeof ours, options, "kin_server_options", err)) {
        return err->code;
    }
    kin_server *server = kin__alloc_zero(1, sizeof *server);
    if (server == NULL) {
        return kin__error_no_memory(err);
    }
    if (make(server, &ours, clock, err)) {
        clear(server);
        return kin__error_prefix(err, "server");
    }
    *out = server;
    return KIN_OK;
}

void kin_server_stop(kin_server *server)
{
    kin__errand e = { .run = run_stop };
    kin_error ignored;

    if (server == NULL) {
        return;
    }
    (void) (kin__errand_run(server, &e, &ignored) == KIN_OK);
    clear(server);
}

const char *kin_server_url(const kin_server *server)
{
    return server->url;
}

const char *kin_server_kubeconfig(const kin_server *server)
{
    return server->kubeconfig;
}

const char *kin_server_authority(const kin_server *server)
{
    return server->authority_pem;
}

kin_err kin__server_add_fault(kin_server *server, kin_str json, uint64_t *out_id, kin_error *err)
{
    kin__fault *fault = NULL;

    if (kin__faults_add(&server->faults, json, &fault, err)) {
        return err->code;
    }
    uint64_t id = fault->id;
    if (begin_fault(server, fault, err)) {
        kin__faults_end(&server->faults, fault);
        return err->code;
    }
    *out_id = id;
    return KIN_OK;
}

kin_err kin__server_end_fault(kin_server *server, uint64_t id, kin_error *err)
{
    kin__fault *fault = kin__faults_find(&server->faults, id);

    if (id != 0 && fault == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "no fault has the number %" PRIu64, id);
    }
    if (server->welcome_id != 0 && (id == 0 || id == server->welcome_id) &&
        end_welcome(server, err)) {
        return err->code;
    }
    if (server->freeze_id != 0 && (id == 0 || id == server->freeze_id)) {
        thaw(server);
    }
    if (id == 0) {
        kin__faults_fini(&server->faults);
    } else {
        kin__faults_end(&server->faults, fault);
    }
    return KIN_OK;
}

void kin__server_compact(kin_server *server, uint64_t revision)
{
    uint64_t present = kin__storage_revision(server->engine.storage);

    kin__storage_compact(server->engine.storage,
                         revision == 0 || revision > present ? present : revision);
}

void kin__server_count(const kin_server *server, kin_server_counts *out)
{
    kin__httpd_counts wire = kin__httpd_get_counts(server->httpd);
    kin__served *served;

    *out = (kin_server_counts){ .connections = wire.connections,
                                .requests = wire.visits,
                                .bytes_out = wire.bytes_out,
                                .watches = kin__watchers_count(server->engine.watchers),
                                .events = kin__watchers_events(server->engine.watchers) };
    for (size_t i = 0; (served = kin__shelf_at(server->engine.shelf, i)) != NULL; i++) {
        if (served->collection != NULL && is_first_of_collection(server->engine.shelf, i)) {
            count_collection(served->collection, out);
        }
    }
    while ((served = kin__shelf_stowed(server->engine.shelf, served)) != NULL) {
        count_collection(served->collection, out);
    }
}

static kin_err make(kin_server *server, const kin_server_options *options, const kin__clock *clock,
                    kin_error *err)
{
    kin_loop_options of_loop = KIN_LOOP_OPTIONS_INIT;
    kin__errand e = { .run = run_start, .number = options->is_furnished };

    of_loop.logger = options->logger;
    if (kin__loop_new_with_clock(&of_loop, clock, &server->loop, err) ||
        make_engine(server, options, err) || make_token(server, options->token, err) ||
        listen_on(server, options, err) || write_url(server, options->address, err) ||
        write_kubeconfig(server, err)) {
        return err->code;
    }
    /* The loop has no thread yet: this one runs it. */
    return kin__errand_run(server, &e, err) || kin_loop_start(server->loop, err) ? err->code
                                                                                 : KIN_OK;
}

static kin_err make_engine(kin_server *server, const kin_server_options *options, kin_error *err)
{
    kin__engine *engine = &server->engine;
    kin__storage_options of_storage = {
        .history_max = options->history_max == 0 ? HISTORY_MAX : options->history_max,
        .release_frames = kin__frames_release,
    };

    engine->loop = server->loop;
    engine->clock = kin__loop_clock(server->loop);
    engine->guard = &server->guard;
    engine->has_collector = options->has_collector;
    engine->bookmark_ms = options->bookmark_ms == 0 ? BOOKMARK_MS : options->bookmark_ms;
    if (getrandom(engine->token_key, sizeof engine->token_key, 0) != sizeof engine->token_key) {
        return kin__error_set(err, KIN_ERR_SYSTEM, "no random numbers");
    }
    if (getrandom(&engine->random, sizeof engine->random, 0) != sizeof engine->random) {
        engine->random = (uint64_t) kin__clock_now_ns(engine->clock);
    }
    if (kin__storage_new(&of_storage, &engine->storage, err) ||
        kin__shelf_new(engine->storage, &engine->shelf, err)) {
        return err->code;
    }
    return kin__watchers_new(engine, &engine->watchers, err) ||
                   kin__upkeep_new(engine, &engine->upkeep, err)
               ? err->code
               : KIN_OK;
}

static kin_err make_token(kin_server *server, const char *token, kin_error *err)
{
    unsigned char bytes[TOKEN_BYTES];
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (token != NULL) {
        return kin__guard_set_token(&server->guard, kin_str_of(token), err);
    }
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return kin__error_set(err, KIN_ERR_SYSTEM, "no random numbers");
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void) kin__buf_append_format(&text, "%02x", bytes[i]);
    }
    if (kin__buf_failed(&text)) {
        return kin__error_no_memory(err);
    }
    return kin__guard_set_token(&server->guard, kin__str(text.data, text.len), err);
}

static kin_err listen_on(kin_server *server, const kin_server_options *options, kin_error *err)
{
    const char *address = options->address == NULL ? "127.0.0.1" : options->address;

    if (!options->has_no_tls && make_authority(server, options, address, err)) {
        return err->code;
    }
    kin__httpd_options of_httpd = {
        .loop = server->loop,
        .address = address,
        .port = options->port,
        .authority = server->authority,
        .has_no_http2 = options->has_no_http2,
        .body_max = KIN__BODY_MAX,
        .on_request = kin__attend,
        .context = server,
    };
    return kin__httpd_new(&of_httpd, &server->httpd, err);
}

static kin_err make_authority(kin_server *server, const kin_server_options *options,
                              const char *address, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf pem = { 0 };
    size_t len;

    if (options->authority == NULL ? kin__authority_new(address, &server->authority, err)
                                   : kin__authority_read(kin_str_of(options->authority), address,
                                                         &server->authority, err)) {
        return err->code;
    }
    return kin__authority_write(server->authority, &pem, err) ||
                   kin__buf_take(&pem, &server->authority_pem, &len, err)
               ? err->code
               : KIN_OK;
}

static kin_err write_url(kin_server *server, const char *address, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf url = { 0 };
    const char *host = address == NULL ? "127.0.0.1" : address;
    bool is_v6 = strchr(host, ':') != NULL;
    size_t len;

    (void) kin__buf_append_format(&url, "%s://%s%s%s:%u",
                                  server->authority == NULL ? "http" : "https", is_v6 ? "[" : "",
                                  host, is_v6 ? "]" : "", kin__httpd_port(server->httpd));
    if (kin__buf_take(&url, &server->url, &len, err)) {
        return err->code;
    }
    server->engine.address = kin_str_of(strstr(server->url, "//") + 2);
    if (server->authority != NULL) {
        server->engine.root_certificate = kin__authority_pem(server->authority);
    }
    return KIN_OK;
}

static kin_err write_kubeconfig(kin_server *server, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__buf_fini) kin__buf authority = { 0 };
    kin__json_writer w = { &text, false };
    size_t len;

    (void) kin__buf_append_str(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"Config\","
                                          "\"current-context\":\"kin\",\"contexts\":[{\"name\":"
                                          "\"kin\",\"context\":{\"cluster\":\"kin\",\"user\":"
                                          "\"kin\"}}],\"clusters\":[{\"name\":\"kin\","
                                          "\"cluster\":"));
    write_cluster(server, &w, &authority);
    (void) kin__buf_append_str(&text, STR("}],\"users\":[{\"name\":\"kin\",\"user\":{"));
    if (server->guard.token.len > 0) {
        w.wants_comma = false;
        kin__json_key(&w, STR("token"));
        kin__json_string(&w, kin__str(server->guard.token.data, server->guard.token.len));
    }
    (void) kin__buf_append_str(&text, STR("}}]}\n"));
    return kin__buf_failed(&authority) ? kin__error_no_memory(err)
                                       : kin__buf_take(&text, &server->kubeconfig, &len, err);
}

static void write_cluster(const kin_server *server, kin__json_writer *w, kin__buf *authority)
{
    kin__json_begin(w, '{');
    kin__json_key(w, STR("server"));
    kin__json_string(w, kin_str_of(server->url));
    if (server->authority != NULL) {
        kin__base64_put(authority, kin__authority_pem(server->authority));
        kin__json_key(w, STR("certificate-authority-data"));
        kin__json_raw(w, kin__str(authority->data, authority->len));
    }
    kin__json_end(w, '}');
}

/* Versions share one. */
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

static void count_collection(const kin__collection *collection, kin_server_counts *out)
{
    out->objects += kin__collection_count(collection);
    out->changes +=
        kin__collection_end_change(collection) - kin__collection_first_change(collection);
}

/* The loop does not run any more, or never did. */
static void clear(kin_server *server)
{
    if (server->loop != NULL) {
        kin_loop_stop(server->loop);
    }
    kin__httpd_free(server->httpd);
    kin__upkeep_free(server->engine.upkeep);
    kin__faults_fini(&server->faults);
    kin__guard_fini(&server->guard);
    kin__watchers_free(server->engine.watchers);
    kin__shelf_free(server->engine.shelf);
    kin__storage_free(server->engine.storage);
    kin__authority_free(server->authority);
    kin_loop_free(server->loop);
    kin__free(server->url);
    kin__free(server->kubeconfig);
    kin__free(server->authority_pem);
    kin__free(server);
}

static kin_err run_start(kin__errand *e, kin_error *err)
{
    static const char *const namespaces[] = { "default", "kube-node-lease", "kube-public",
                                              "kube-system" };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        if (!kin__namespace_make(&e->server->engine, kin_str_of(namespaces[i]), &no)) {
            return kin__error_no_memory(err);
        }
    }
    if (e->number != 0 && !kin__furnish_cluster(&e->server->engine, &no)) {
        return kin__error_no_memory(err);
    }
    e->server->engine.is_furnished = e->number != 0;
    return KIN_OK;
}

/* Everything that has timers or descriptors on the loop goes on the loop. */
static kin_err run_stop(kin__errand *e, kin_error *err)
{
    kin_server *server = e->server;

    (void) err;
    kin__attend_end(server);
    kin__timer_clear(server->loop, &server->welcome);
    kin__timer_clear(server->loop, &server->freeze);
    kin__httpd_free(server->httpd);
    server->httpd = NULL;
    kin__upkeep_free(server->engine.upkeep);
    server->engine.upkeep = NULL;
    return KIN_OK;
}

/* What it does at once; then it may be over. */
static kin_err begin_fault(kin_server *server, kin__fault *fault, kin_error *err)
{
    switch (fault->act) {
    case KIN__FAULT_REFUSE:
    case KIN__FAULT_RESET:
    case KIN__FAULT_IGNORE:
        return set_welcome(server, fault, err);
    case KIN__FAULT_FREEZE:
        return freeze(server, fault, err);
    case KIN__FAULT_TOKEN:
        if (kin__guard_set_token(&server->guard, kin_str_of(fault->token), err)) {
            return err->code;
        }
        fault->met++;
        break;
    case KIN__FAULT_GO_AWAY:
        kin__httpd_go_away(server->httpd);
        fault->met++;
        break;
    case KIN__FAULT_CUT_ALL:
        kin__httpd_cut_all(server->httpd);
        fault->met++;
        break;
    default:
        kin__watchers_each(server->engine.watchers, spoil_open, fault);
        if (!fault->is_now || fault->has_times) {
            return KIN_OK;
        }
        break;
    }
    kin__faults_retire(&server->faults, fault);
    return KIN_OK;
}

/* In the place of the one that was there, which is over. */
static kin_err set_welcome(kin_server *server, const kin__fault *fault, kin_error *err)
{
    kin__welcome how = fault->act == KIN__FAULT_REFUSE  ? KIN__WELCOME_REFUSE
                       : fault->act == KIN__FAULT_RESET ? KIN__WELCOME_RESET
                                                        : KIN__WELCOME_IGNORE;
    kin_error ignored;

    if (kin__httpd_set_welcome(server->httpd, how, err)) {
        return err->code;
    }
    forget_welcome(server);
    server->welcome_id = fault->id;
    server->welcome.fire = on_welcome_end;
    server->welcome.context = server;
    if (fault->ms > 0 &&
        kin__timer_set(server->loop, &server->welcome,
                       kin__loop_now_ms(server->loop) + (int64_t) fault->ms, err)) {
        (void) (end_welcome(server, &ignored) == KIN_OK);
        return err->code;
    }
    return KIN_OK;
}

/* Connections are met as ever. */
static kin_err end_welcome(kin_server *server, kin_error *err)
{
    if (kin__httpd_set_welcome(server->httpd, KIN__WELCOME, err)) {
        return err->code;
    }
    forget_welcome(server);
    return KIN_OK;
}

static void forget_welcome(kin_server *server)
{
    kin__fault *fault = kin__faults_find(&server->faults, server->welcome_id);

    kin__timer_clear(server->loop, &server->welcome);
    server->welcome_id = 0;
    if (fault != NULL) {
        kin__faults_retire(&server->faults, fault);
    }
}

static void on_welcome_end(kin__timer *timer, void *context)
{
    kin_error ignored;

    (void) timer;
    (void) (end_welcome(context, &ignored) == KIN_OK);
}

/* Together with those that are frozen already: for them, too, it lasts as long as this one. */
static kin_err freeze(kin_server *server, kin__fault *fault, kin_error *err)
{
    server->freeze.fire = on_thaw;
    server->freeze.context = server;
    if (fault->ms > 0 &&
        kin__timer_set(server->loop, &server->freeze,
                       kin__loop_now_ms(server->loop) + (int64_t) fault->ms, err)) {
        return err->code;
    }
    forget_freeze(server);
    if (fault->ms == 0) {
        kin__timer_clear(server->loop, &server->freeze);
    }
    server->freeze_id = fault->id;
    fault->met++;
    kin__httpd_freeze(server->httpd);
    return KIN_OK;
}

static void thaw(kin_server *server)
{
    kin__timer_clear(server->loop, &server->freeze);
    forget_freeze(server);
    kin__httpd_thaw(server->httpd);
}

static void forget_freeze(kin_server *server)
{
    kin__fault *fault = kin__faults_find(&server->faults, server->freeze_id);

    server->freeze_id = 0;
    if (fault != NULL) {
        kin__faults_retire(&server->faults, fault);
    }
}

static void on_thaw(kin__timer *timer, void *context)
{
    (void) timer;
    thaw(context);
}

static bool spoil_open(void *context, const kin__watch_about *about, kin__spoil *spoil)
{
    return kin__fault_spoil_open(context, about, spoil);
}
