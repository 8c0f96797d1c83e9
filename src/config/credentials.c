/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials.c - as whom the next request goes out.
 *
 * What may change (four files, a plugin's answer) is looked at in each get; only when something is
 * another are the headers made anew.  Reading files is the only work done here, and they are small.
 */
#include "config/credentials.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "base/utf8.h"
#include "config/exec_answer.h"
#include "config/exec_plugin.h"
#include "config/file_source.h"
#include "config/headers.h"

#define RETRY_FIRST_MS 1000
#define RETRY_LAST_MS 30000
#define YOUNG_MS 10000   /* a credential that is refused at this age says the plugin is at fault */
#define ERRORS_SHOWN 160 /* bytes of a plugin's standard error, its last */
#define HINT_SHOWN 120

typedef struct plugin {
    bool is_running;
    bool is_refused;       /* the server did not take what it gave */
    bool is_stale;         /* what it gave had expired when it came */
    bool has_failed;       /* its last run; `failure` says how */
    int64_t gave_ms;       /* when it gave the credential */
    int64_t not_before_ms; /* it is not run again before */
    int64_t retry_ms;      /* how long the last pause was; 0: none */
    kin__vault command;    /* while it runs */
    kin__vault vault;      /* of the credential */
    bool has_credential;
    kin__exec_credential credential;
    kin_error failure;
} plugin;

struct kin__credentials {
    const kin_config *config; /* reference */
    const kin__clock *clock;  /* borrowed */
    kin_logger logger;
    kin__file_source token_file;
    kin__file_source ca_file;
    kin__file_source certificate_file;
    kin__file_source key_file;
    plugin plugin;
    kin__vault header_vault;
    const char *const *headers; /* NULL: to be made */
    uint64_t tls_version;
    uint64_t version;
};

KIN__DEFINE_AUTO(kin__credentials, kin__credentials_free)

static void init_files(kin__credentials *c);
static kin_err refresh_files(kin__credentials *c, kin_error *err);
static kin_err refresh(kin__credentials *c, kin__file_source *source, bool is_needed, bool is_tls,
                       kin_error *err);
static void changed(kin__credentials *c, bool is_tls);
static bool must_run(const kin__credentials *c);
static bool is_expired(const kin__credentials *c);
static kin__credentials_state wait_for_plugin(kin__credentials *c, kin_error *err);
static kin_err make_headers(kin__credentials *c, kin_error *err);
static const char *token_of(const kin__credentials *c);
static void fill(const kin__credentials *c, kin__credential *out);
static kin_str content_of(const kin__file_source *source, kin_str data);

static kin__exec_cluster exec_cluster_of(const kin__credentials *c);
static kin_err take_answer(kin__credentials *c, const kin_error *run_error, int status,
                           kin_str output, kin_str errors, kin_error *err);
static kin_err run_failed(const kin__exec *exec, const kin_error *run_error, kin_str errors,
                          kin_error *err);
static void append_errors(kin_error *err, kin_str errors);
static void pause_plugin(kin__credentials *c);

kin_err kin__credentials_new(const kin_config *config, const kin__clock *clock,
                             const kin_logger *logger, kin__credentials **out, kin_error *err)
{
    AUTO(kin__credentials_free) kin__credentials *c = kin__alloc_zero(1, sizeof *c);

    if (c == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__options_read(&c->logger, sizeof c->logger, logger, "kin_logger", err) != KIN_OK) {
        return err->code;
    }
    c->config = kin_config_ref(config);
    c->clock = clock;
    c->version = 1;
    c->tls_version = 1;
    init_files(c);
    *out = STEAL(c);
    return KIN_OK;
}

void kin__credentials_free(kin__credentials *credentials)
{
    if (credentials == NULL) {
        return;
    }
    kin__file_source_fini(&credentials->token_file);
    kin__file_source_fini(&credentials->ca_file);
    kin__file_source_fini(&credentials->certificate_file);
    kin__file_source_fini(&credentials->key_file);
    kin__vault_fini(&credentials->plugin.command);
    kin__vault_fini(&credentials->plugin.vault);
    kin__vault_fini(&credentials->header_vault);
    (void) kin_config_unref(credentials->config);
    kin__free(credentials);
}

kin__credentials_state kin__credentials_get(kin__credentials *credentials, kin__credential *out,
                                            kin_error *err)
{
    kin__credentials *c = credentials;

    if (refresh_files(c, err) != KIN_OK) {
        return KIN__CREDENTIALS_FAILED;
    }
    if (must_run(c)) {
        kin__credentials_state state = wait_for_plugin(c, err);
        if (state != KIN__CREDENTIALS_READY) {
            return state;
        }
    }
    if (c->headers == NULL && make_headers(c, err) != KIN_OK) {
        return KIN__CREDENTIALS_FAILED;
    }
    fill(c, out);
    return KIN__CREDENTIALS_READY;
}

kin_err kin__credentials_plugin(kin__credentials *credentials, bool *out_run,
                                kin__plugin_command *out, kin_error *err)
{
    kin__credentials *c = credentials;
    const kin__exec *exec = c->config->user.exec;
    const kin__machine *machine = c->config->machine;
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__plugin_command command = { .timeout_ms = KIN__PLUGIN_TIMEOUT_MS };

    if (c->plugin.is_running || !must_run(c)) {
        *out = command;
        *out_run = false;
        return KIN_OK;
    }
    kin__exec_cluster cluster = exec_cluster_of(c);
    if (kin__exec_arguments(exec, &vault, &command.arguments, err) != KIN_OK ||
        kin__exec_variables(exec, &cluster, machine->variables(machine->context), &vault,
                            &command.environment, err) != KIN_OK) {
        return err->code;
    }
    kin__vault_move(&c->plugin.command, &vault);
    c->plugin.is_running = true;
    *out = command;
    *out_run = true;
    return KIN_OK;
}

void kin__credentials_plugin_ended(kin__credentials *credentials, const kin_error *run_error,
                                   int status, kin_str output, kin_str errors)
{
    kin__credentials *c = credentials;
    plugin *p = &c->plugin;

    p->is_running = false;
    kin__vault_fini(&p->command);
    kin_err code = take_answer(c, run_error, status, output, errors, &p->failure);
    p->has_failed = code != KIN_OK;
    if (p->has_failed) {
        (void) kin__error_prefix(&p->failure, "exec plugin \"%.128s\"",
                                 c->config->user.exec->command);
        if (code != KIN_ERR_NO_MEMORY) {
            p->failure.code = KIN_ERR_UNAUTHORIZED;
        }
        pause_plugin(c);
    }
}

bool kin__credentials_refused(kin__credentials *credentials, uint64_t version)
{
    kin__credentials *c = credentials;
    kin_error unwanted;
    plugin *p = &c->plugin;

    if (version != c->version) {
        return true;
    }
    if (c->config->needs_plugin) {
        int64_t now_ms = kin__clock_now_ms(c->clock);
        bool was_refused = p->is_refused;
        p->is_refused = true;
        if (!was_refused && now_ms - p->gave_ms < YOUNG_MS) {
            pause_plugin(c);
        }
        return p->not_before_ms <= now_ms;
    }
    kin__file_source_expire(&c->token_file);
    kin__file_source_expire(&c->certificate_file);
    kin__file_source_expire(&c->key_file);
    (void) refresh_files(c, &unwanted); /* what went wrong is the next get's to tell */
    return version != c->version;
}

/* Over plain http no credential is sent, so that none is read either. */
static void init_files(kin__credentials *c)
{
    const kin_config *config = c->config;
    const kin__machine *machine = config->machine;
    bool is_https = config->is_https;

    kin__file_source_init(&c->token_file, machine, KIN__FILE_TOKEN, "token file",
                          is_https ? config->user.token_path : NULL);
    kin__file_source_init(&c->ca_file, machine, KIN__FILE_PEM, "certificate authority",
                          is_https ? config->cluster.ca_path : NULL);
    kin__file_source_init(&c->certificate_file, machine, KIN__FILE_PEM, "client certificate",
                          is_https ? config->user.certificate_path : NULL);
    kin__file_source_init(&c->key_file, machine, KIN__FILE_PEM, "client key",
                          is_https ? config->user.key_path : NULL);
}

/* A token beside its file is what counts until the file can be read. */
static kin_err refresh_files(kin__credentials *c, kin_error *err)
{
    bool needs_token_file = c->config->user.token == NULL;

    if (refresh(c, &c->token_file, needs_token_file, false, err) != KIN_OK ||
        refresh(c, &c->ca_file, true, true, err) != KIN_OK ||
        refresh(c, &c->certificate_file, true, true, err) != KIN_OK ||
        refresh(c, &c->key_file, true, true, err) != KIN_OK) {
        return err->code;
    }
    return KIN_OK;
}

static kin_err refresh(kin__credentials *c, kin__file_source *source, bool is_needed, bool is_tls,
                       kin_error *err)
{
    bool was_failing = source->is_failing;
    bool is_changed = false;
    kin_error failure;

    kin_err code =
        kin__file_source_refresh(source, kin__clock_now_ms(c->clock), &is_changed, &failure);
    if (code != KIN_OK && !source->has_content && is_needed) {
        *err = failure;
        return code;
    }
    if (code != KIN_OK && !was_failing) {
        kin__log(&c->logger, KIN_LOG_WARNING, "credentials", "%s; going on with what was there",
                 failure.message);
    }
    if (is_changed) {
        changed(c, is_tls);
    }
    return KIN_OK;
}

static void changed(kin__credentials *c, bool is_tls)
{
    kin__vault_fini(&c->header_vault);
    c->headers = NULL;
    c->version++;
    c->tls_version += is_tls ? 1 : 0;
}

static bool must_run(const kin__credentials *c)
{
    return c->config->needs_plugin &&
           (!c->plugin.has_credential || c->plugin.is_refused || is_expired(c));
}

static bool is_expired(const kin__credentials *c)
{
    kin_time now = kin__clock_wall(c->clock);
    kin_time expiry = c->plugin.credential.expiry;

    return c->plugin.credential.expires &&
           (now.seconds > expiry.seconds ||
            (now.seconds == expiry.seconds && now.nanoseconds > expiry.nanoseconds));
}

/* READY: what was refused, or had expired when it came (by a clock that may be wrong), stays in use
 * for the pause before the plugin runs again. */
static kin__credentials_state wait_for_plugin(kin__credentials *c, kin_error *err)
{
    const plugin *p = &c->plugin;

    if (p->is_running || kin__clock_now_ms(c->clock) >= p->not_before_ms) {
        return KIN__CREDENTIALS_PLUGIN;
    }
    if (!p->has_failed && p->has_credential && (p->is_stale || !is_expired(c))) {
        return KIN__CREDENTIALS_READY;
    }
    if (p->has_failed) {
        *err = p->failure;
        return KIN__CREDENTIALS_FAILED;
    }
    return KIN__CREDENTIALS_PLUGIN;
}

static kin_err make_headers(kin__credentials *c, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };

    if (kin__headers_make(c->config, token_of(c), &vault, &c->headers, err) != KIN_OK) {
        return err->code;
    }
    kin__vault_fini(&c->header_vault);
    kin__vault_move(&c->header_vault, &vault);
    return KIN_OK;
}

static const char *token_of(const kin__credentials *c)
{
    if (c->token_file.has_content) {
        return c->token_file.content.data;
    }
    return c->config->needs_plugin ? c->plugin.credential.token : c->config->user.token;
}

static void fill(const kin__credentials *c, kin__credential *out)
{
    const kin_config *config = c->config;
    const kin__exec_credential *given = &c->plugin.credential;

    *out = (kin__credential){ .headers = c->headers,
                              .tls_version = c->tls_version,
                              .version = c->version };
    if (!config->is_https) {
        return;
    }
    out->ca = content_of(&c->ca_file, config->cluster.ca_data);
    if (config->needs_plugin) {
        out->certificate = given->certificate;
        out->key = given->key;
    } else if (config->user.certificate_path != NULL || config->user.certificate_data.len != 0) {
        out->certificate = content_of(&c->certificate_file, config->user.certificate_data);
        out->key = content_of(&c->key_file, config->user.key_data);
    }
}

static kin_str content_of(const kin__file_source *source, kin_str data)
{
    return source->has_content ? source->content : data;
}

static kin__exec_cluster exec_cluster_of(const kin__credentials *c)
{
    const kin__cluster *cluster = &c->config->cluster;

    return (kin__exec_cluster){ .server = c->config->server,
                                .tls_server_name = cluster->tls_server_name,
                                .proxy_url = cluster->proxy_url,
                                .is_insecure = cluster->is_insecure,
                                .disables_compression = cluster->disables_compression,
                                .ca = content_of(&c->ca_file, cluster->ca_data),
                                .config = cluster->exec_config };
}

static kin_err take_answer(kin__credentials *c, const kin_error *run_error, int status,
                           kin_str output, kin_str errors, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const kin__exec *exec = c->config->user.exec;
    plugin *p = &c->plugin;
    kin__exec_credential given;

    if (run_error != NULL) {
        return run_failed(exec, run_error, errors, err);
    }
    if (status != 0) {
        (void) kin__error_set(err, KIN_ERR_UNAUTHORIZED, "it ended with status %d", status);
        append_errors(err, errors);
        return err->code;
    }
    if (kin__exec_answer(exec, output, &vault, &given, err) != KIN_OK) {
        append_errors(err, errors);
        return err->code;
    }
    bool is_tls = !kin__str_equal(given.certificate, p->credential.certificate) ||
                  !kin__str_equal(given.key, p->credential.key);
    kin__vault_fini(&p->vault);
    kin__vault_move(&p->vault, &vault);
    p->credential = given;
    p->has_credential = true;
    p->gave_ms = kin__clock_now_ms(c->clock);
    p->is_stale = is_expired(c);
    p->retry_ms = p->is_refused || p->is_stale ? p->retry_ms : 0;
    p->is_refused = false;
    changed(c, is_tls);
    if (p->is_stale) {
        pause_plugin(c);
    }
    return KIN_OK;
}

static kin_err run_failed(const kin__exec *exec, const kin_error *run_error, kin_str errors,
                          kin_error *err)
{
    bool may_be_missing = run_error->code == KIN_ERR_SYSTEM || run_error->code == KIN_ERR_NOT_FOUND;

    (void) kin__error_set(err, run_error->code, "%s", run_error->message);
    append_errors(err, errors);
    if (may_be_missing && exec->install_hint != NULL) {
        (void) kin__error_set(err, err->code, "%.200s; %.*s", err->message, HINT_SHOWN,
                              exec->install_hint);
    }
    return err->code;
}

/* Its last words, in one line. */
static void append_errors(kin_error *err, kin_str errors)
{
    char words[ERRORS_SHOWN + 1];
    size_t len = 0;

    if (errors.len > ERRORS_SHOWN) {
        errors = kin__str(errors.data + errors.len - ERRORS_SHOWN, ERRORS_SHOWN);
    }
    for (size_t i = 0; i < errors.len; i++) {
        char c = errors.data[i];
        bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0';
        if (!is_space) {
            words[len++] = c;
        } else if (len != 0 && words[len - 1] != ' ') {
            words[len++] = ' ';
        }
    }
    len -= len != 0 && words[len - 1] == ' ' ? 1 : 0;
    words[len] = '\0';
    if (len != 0) {
        (void) kin__error_set(err, err->code, "%s: %s", err->message, words);
    }
}

/* 1 s, doubling up to 30 s. */
static void pause_plugin(kin__credentials *c)
{
    plugin *p = &c->plugin;

    p->retry_ms = p->retry_ms == 0 ? RETRY_FIRST_MS : 2 * p->retry_ms;
    p->retry_ms = p->retry_ms > RETRY_LAST_MS ? RETRY_LAST_MS : p->retry_ms;
    p->not_before_ms = kin__clock_now_ms(c->clock) + p->retry_ms;
}
