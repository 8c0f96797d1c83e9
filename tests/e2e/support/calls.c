/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls of the client, for tests that expect how they end.
 */
#include "e2e/support/calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PATIENCE_S 20

static kin_client *connect_to(kin_config *config, const kin_client_options *options);
static void write_entry(kin_client *client, kin_verb verb, const char *ns, const char *name,
                        const char *body);
static bool on_open(void *context);
static bool on_event(void *context, const kin_event *event);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static void note_error(recorder *r, const kin_event *event);
static bool has_line(const text *lines, const char *line);
static bool wait_for_more(recorder *r, const struct timespec *until);
static struct timespec patience(void);

kin_client *connect_as(cluster *c, const char *kubeconfig, const kin_client_options *options)
{
    kin_config_options from = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_error err = { 0 };

    from.path = cluster_path(c, kubeconfig != NULL ? kubeconfig : "kubeconfig");
    must_be_ok(kin_config_load(&from, &config, &err), &err);
    return connect_to(config, options);
}

kin_client *connect_with_text(const char *kubeconfig, const kin_client_options *options)
{
    kin_config *config = NULL;
    kin_error err = { 0 };

    must_be_ok(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err),
               &err);
    return connect_to(config, options);
}

kin_client *connect_over(cluster *c, int port, const char *token_file, bool http1_only)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    char kubeconfig[3 * PATH_MAX];

    options.requests_per_second = -1;
    options.http1_only = http1_only;
    (void) snprintf(kubeconfig, sizeof kubeconfig,
                    "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:%d\", "
                    "certificate-authority: %s}}]\n"
                    "users: [{name: u, user: {tokenFile: %s}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                    "current-context: x\n",
                    port, cluster_path(c, "ca.crt"), token_file);
    return connect_with_text(kubeconfig, &options);
}

void make_namespace(kin_client *client, const char *name)
{
    kin_error err = { 0 };
    char body[256];
    kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .resource = "namespaces" };

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%s\"}}", name);
    request.body = kin_str_of(body);
    if (kin_client_run(client, &request, NULL, NULL, &err) != KIN_OK) {
        ASSERT_STR_EQ(err.reason, "AlreadyExists");
    }
}

void must_be_ok(kin_err code, const kin_error *err)
{
    if (code != KIN_OK) {
        FAIL("%s: %s", kin_err_name(code), err->message);
    }
}

kin_object *object_of(const char *json)
{
    kin_object *object = NULL;
    kin_error err = { 0 };

    must_be_ok(kin_object_from_json(json, strlen(json), NULL, &object, &err), &err);
    return object;
}

kin_object *must_run(kin_client *client, const kin_request *request)
{
    kin_reply reply = KIN_REPLY_INIT;

    must_run_to(client, request, NULL, &reply);
    kin_object *object = kin_object_ref(reply.object);
    kin_reply_fini(&reply);
    return object;
}

void must_run_to(kin_client *client, const kin_request *request, const kin_handler *handler,
                 kin_reply *reply)
{
    kin_error err = { 0 };

    must_be_ok(kin_client_run(client, request, handler, reply, &err), &err);
}

kin_reply must_fail(kin_client *client, const kin_request *request, failure want)
{
    kin_reply reply = KIN_REPLY_INIT;
    kin_error err = { 0 };

    kin_err code = kin_client_run(client, request, NULL, &reply, &err);

    (void) printf("%s %d %s: %s\n", kin_err_name(code), err.http_status, err.reason, err.message);
    ASSERT_ERR(code, want.code);
    ASSERT_ERR(err.code, want.code);
    if (want.http_status != 0) {
        ASSERT_EQ(err.http_status, want.http_status);
        ASSERT_EQ(reply.http_status, want.http_status);
    }
    if (want.reason != NULL) {
        ASSERT_STR_EQ(err.reason, want.reason);
    }
    ASSERT_CONTAINS(err.message, want.message != NULL ? want.message : "");
    return reply;
}

void must_just_fail(kin_client *client, const kin_request *request, failure want)
{
    kin_reply reply = must_fail(client, request, want);

    kin_reply_fini(&reply);
}

void write_map(kin_client *client, const char *ns, const char *name, const char *value)
{
    char body[512];

    (void) snprintf(body, sizeof body,
                    "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"value\":\"%s\"}}", name, value);
    write_entry(client, KIN_VERB_CREATE, ns, name, body);
}

void label_map(kin_client *client, const char *ns, const char *name, const char *value)
{
    char body[512];

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"labels\":{\"label\":\"%s\"}}}", value);
    write_entry(client, KIN_VERB_PATCH, ns, name, body);
}

void delete_map(kin_client *client, const char *ns, const char *name)
{
    kin_error err = { 0 };

    must_be_ok(kin_client_delete(client, "configmaps", ns, name, &err), &err);
}

const char *event_name(kin_event_type type)
{
    static const char *const names[] = { "?", "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" };

    return names[type <= KIN_EVENT_ERROR ? type : 0];
}

void recorder_init(recorder *r)
{
    memset(r, 0, sizeof *r);
    ASSERT_EQ(pthread_mutex_init(&r->lock, NULL), 0);
    ASSERT_EQ(pthread_cond_init(&r->changed, NULL), 0);
}

void recorder_start(recorder *r, kin_client *client, const kin_request *request)
{
    kin_error err = { 0 };
    kin_handler handler = { sizeof handler, r, NULL, on_event, on_open, on_done };

    recorder_init(r);
    must_be_ok(kin_client_start(client, request, &handler, &r->call, &err), &err);
}

void recorder_wait(recorder *r, const char *line)
{
    struct timespec until = patience();

    (void) pthread_mutex_lock(&r->lock);
    while (!has_line(&r->lines, line) && wait_for_more(r, &until)) {
    }
    if (!has_line(&r->lines, line)) {
        FAIL("no \"%s\" came, but:\n%s%s", line, r->lines.chars, r->err.message);
    }
    (void) pthread_mutex_unlock(&r->lock);
}

void recorder_wait_events(recorder *r, size_t count)
{
    struct timespec until = patience();

    (void) pthread_mutex_lock(&r->lock);
    while (r->events < count && wait_for_more(r, &until)) {
    }
    if (r->events < count) {
        FAIL("only %zu of %zu events came:\n%s%s", r->events, count, r->lines.chars,
             r->err.message);
    }
    (void) pthread_mutex_unlock(&r->lock);
}

void recorder_fini(recorder *r)
{
    struct timespec until = patience();

    (void) pthread_mutex_lock(&r->lock);
    while (!r->is_done && wait_for_more(r, &until)) {
    }
    ASSERT_TRUE(r->is_done);
    (void) pthread_mutex_unlock(&r->lock);
    kin_call_free(r->call);
    r->call = NULL;
    (void) pthread_mutex_destroy(&r->lock);
    (void) pthread_cond_destroy(&r->changed);
}

int64_t now_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void rest_ms(int64_t ms)
{
    (void) nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 },
                     NULL);
}

static kin_client *connect_to(kin_config *config, const kin_client_options *options)
{
    kin_client_options ours = KIN_CLIENT_OPTIONS_INIT;
    kin_client *client = NULL;
    kin_error err = { 0 };

    ours.requests_per_second = -1;
    must_be_ok(kin_client_new(config, options != NULL ? options : &ours, &client, &err), &err);
    kin_config_unref(config);
    return client;
}

static void write_entry(kin_client *client, kin_verb verb, const char *ns, const char *name,
                        const char *body)
{
    kin_request request = { REQUEST,
                            .verb = verb,
                            .resource = "configmaps",
                            .ns = ns,
                            .name = verb == KIN_VERB_CREATE ? NULL : name,
                            .body = kin_str_of(body) };

    kin_object_unref(must_run(client, &request));
}

static bool on_open(void *context)
{
    recorder *r = context;

    (void) pthread_mutex_lock(&r->lock);
    r->is_open = true;
    text_append(&r->lines, "open\n");
    (void) pthread_cond_broadcast(&r->changed);
    (void) pthread_mutex_unlock(&r->lock);
    return true;
}

static bool on_event(void *context, const kin_event *event)
{
    recorder *r = context;

    (void) pthread_mutex_lock(&r->lock);
    if (event->type == KIN_EVENT_ERROR) {
        note_error(r, event);
    } else if (event->is_initial_end) {
        r->has_initial = true;
        text_append(&r->lines, "BOOKMARK end\n");
    } else if (event->type == KIN_EVENT_BOOKMARK) {
        r->bookmarks++;
    } else {
        r->events++;
        r->bytes = kin_object_size(event->object);
        text_append(&r->lines, "%s %.*s\n", event_name(event->type),
                    KIN_STR_ARG(kin_object_name(event->object)));
    }
    (void) snprintf(r->version, sizeof r->version, "%.*s", KIN_STR_ARG(event->resource_version));
    (void) pthread_cond_broadcast(&r->changed);
    (void) pthread_mutex_unlock(&r->lock);
    return true;
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    recorder *r = context;

    (void) pthread_mutex_lock(&r->lock);
    r->is_done = true;
    if (err != NULL) {
        r->err = *err;
    }
    (void) snprintf(r->cause, sizeof r->cause, "%s", reply->cause != NULL ? reply->cause : "");
    text_append(&r->lines, "done%s%s\n", err != NULL ? " " : "",
                err != NULL ? kin_err_name(err->code) : "");
    (void) pthread_cond_broadcast(&r->changed);
    (void) pthread_mutex_unlock(&r->lock);
}

static void note_error(recorder *r, const kin_event *event)
{
    r->event_error = *event->error;
    text_append(&r->lines, "ERROR %d\n", event->error->http_status);
}

static bool has_line(const text *lines, const char *line)
{
    size_t len = strlen(line);

    for (const char *at = lines->chars; (at = strstr(at, line)) != NULL; at++) {
        if (at[len] == '\n' && (at == lines->chars || at[-1] == '\n')) {
            return true;
        }
    }
    return false;
}

static bool wait_for_more(recorder *r, const struct timespec *until)
{
    return pthread_cond_timedwait(&r->changed, &r->lock, until) == 0;
}

static struct timespec patience(void)
{
    struct timespec until;

    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return until;
}
