/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.c - what a server says of itself: its resources and its version.
 *
 * Each of these waits for an answer that is asked for on the loop.
 */
#include "api/client.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "json/string.h"

#define VERSION_MAX 65536 /* bytes of /version; a real one has 400 */
#define VERSION_MS 30000

/* One who waits for something that happens on the loop. */
typedef struct question {
    kin_client *client;
    kin__job job;
    kin_error error;
    kin_err code;
    _Atomic bool is_done;
} question;

/* ... for a resource, or, without a name, for all of them. */
typedef struct finder {
    question question;
    kin__directory_wait wait;
    kin_resource *resource; /* shared */
    kin_resource **all;     /* shared, in a block of their own */
    size_t count;
} finder;

/* ... for a document. */
typedef struct fetcher {
    question question;
    kin__exchange *exchange;
    const char *target;
    kin__buf body;
} fetcher;

static kin_err find(kin_client *client, const kin__directory_wait *wait, finder *finding,
                    kin_error *err);
static void on_find(kin__job *job, void *context);
static void on_found(kin__directory_wait *wait, const kin_resource *resource, const kin_error *err);
static kin_err take_all(finder *finding);
static void release_all(finder *finding);
static kin_err ask(question *asked, kin_client *client, void (*run)(kin__job *, void *),
                   void *context, kin_error *err);
static void answer(question *asked, const kin_error *err);
static void on_fetch(kin__job *job, void *context);
static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err);
static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err);
static void on_end(void *context, const kin__exchange_end *end);
static kin_err read_version(const kin__buf *body, char **out, kin_error *err);

kin_err kin_client_resource(kin_client *client, const char *name, kin_resource **out,
                            kin_error *err)
{
    kin_error unwanted;
    kin__directory_wait wait = { .name = name };
    finder finding;

    err = kin__error_or(err, &unwanted);
    if (name == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "a resource was asked for without a name");
    }
    if (find(client, &wait, &finding, err) != KIN_OK) {
        return err->code;
    }
    *out = finding.resource;
    return KIN_OK;
}

kin_err kin_client_resource_of_kind(kin_client *client, const char *api_version, const char *kind,
                                    kin_resource **out, kin_error *err)
{
    kin_error unwanted;
    kin__directory_wait wait = { .api_version = api_version, .kind = kind };
    finder finding;

    err = kin__error_or(err, &unwanted);
    if (api_version == NULL || kind == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "a resource was asked for without apiVersion and kind");
    }
    if (find(client, &wait, &finding, err) != KIN_OK) {
        return err->code;
    }
    *out = finding.resource;
    return KIN_OK;
}

kin_err kin_client_each_resource(kin_client *client,
                                 bool (*fn)(void *context, const kin_resource *resource),
                                 void *context, kin_error *err)
{
    kin_error unwanted;
    kin__directory_wait wait = { .needs_fresh = true };
    finder finding;

    err = kin__error_or(err, &unwanted);
    if (find(client, &wait, &finding, err) != KIN_OK) {
        return err->code;
    }
    for (size_t i = 0; i < finding.count && fn(context, finding.all[i]); i++) {
    }
    release_all(&finding);
    return KIN_OK;
}

kin_err kin_client_server_version(kin_client *client, char **out, kin_error *err)
{
    kin_error unwanted;
    fetcher fetching = { .target = "/version" };

    err = kin__error_or(err, &unwanted);
    kin_err code = ask(&fetching.question, client, on_fetch, &fetching, err);
    if (code == KIN_OK) {
        code = read_version(&fetching.body, out, err);
    }
    kin__buf_fini(&fetching.body);
    return code == KIN_OK ? KIN_OK : kin__error_prefix(err, "the server's version");
}

static kin_err find(kin_client *client, const kin__directory_wait *wait, finder *finding,
                    kin_error *err)
{
    *finding = (finder){ .wait = *wait };
    finding->wait.tell = on_found;
    return ask(&finding->question, client, on_find, finding, err);
}

static void on_find(kin__job *job, void *context)
{
    finder *finding = context;

    (void) job;
    kin__directory_ask(finding->question.client->directory, &finding->wait);
}

static void on_found(kin__directory_wait *wait, const kin_resource *resource, const kin_error *err)
{
    finder *finding = KIN__OWNER(wait, finder, wait);
    kin_error no_memory;

    finding->resource = kin_resource_ref(resource);
    if (err == NULL && resource == NULL && take_all(finding) != KIN_OK) {
        kin__error_no_memory(&no_memory);
        err = &no_memory;
    }
    answer(&finding->question, err);
}

static kin_err take_all(finder *finding)
{
    const kin__catalogue *catalogue = kin__directory_catalogue(finding->question.client->directory);
    size_t count = kin__catalogue_count(catalogue);

    finding->all = kin__alloc_zero(count + 1, sizeof *finding->all);
    if (finding->all == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    for (; finding->count < count; finding->count++) {
        finding->all[finding->count] =
            kin_resource_ref(kin__catalogue_at(catalogue, finding->count));
    }
    return KIN_OK;
}

static void release_all(finder *finding)
{
    for (size_t i = 0; i < finding->count; i++) {
        kin_resource_unref(finding->all[i]);
    }
    kin__free(finding->all);
}

static kin_err ask(question *asked, kin_client *client, void (*run)(kin__job *, void *),
                   void *context, kin_error *err)
{
    if (kin__loop_check_wait(client->loop, err) != KIN_OK) {
        return kin__error_prefix(err, "a call that waits");
    }
    asked->client = client;
    asked->job = (kin__job){ .run = run, .context = context };
    kin__loop_post_job(client->loop, &asked->job);
    if (kin__loop_wait(client->loop, &asked->is_done, err) != KIN_OK) {
        return err->code;
    }
    if (asked->code != KIN_OK) {
        *err = asked->error;
    }
    return asked->code;
}

/* Once is_done is set the question may be gone. */
static void answer(question *asked, const kin_error *err)
{
    kin_loop *loop = asked->client->loop;

    if (err != NULL) {
        asked->error = *err;
        asked->code = err->code;
    }
    atomic_store(&asked->is_done, true);
    kin__loop_wake_waiters(loop);
}

static void on_fetch(kin__job *job, void *context)
{
    fetcher *fetching = context;
    kin_client *client = fetching->question.client;
    kin_error err;
    kin__exchange_options options = {
        .class_ = KIN__HTTP_READ,
        .method = "GET",
        .target = fetching->target,
        .accept = "application/json",
        .deadline_at = kin__loop_now_ms(client->loop) + VERSION_MS,
        .handler = { fetching, on_open, on_body, on_end },
    };

    (void) job;
    if (kin__exchange_start(&client->wire, &options, &fetching->exchange, &err) != KIN_OK) {
        answer(&fetching->question, &err);
    }
}

static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err)
{
    (void) context;
    (void) http_status;
    (void) content_type;
    (void) err;
    return KIN_OK;
}

static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    fetcher *fetching = context;

    if (len > VERSION_MAX - fetching->body.len) {
        return kin__error_set(err, KIN_ERR_LIMIT, "%s: the answer is larger than %d bytes",
                              fetching->target, VERSION_MAX);
    }
    kin__buf_append(&fetching->body, bytes, len);
    return kin__buf_failed(&fetching->body) ? kin__error_no_memory(err) : KIN_OK;
}

static void on_end(void *context, const kin__exchange_end *end)
{
    fetcher *fetching = context;

    kin__exchange_free(fetching->exchange);
    answer(&fetching->question, end->error);
}

static kin_err read_version(const kin__buf *body, char **out, kin_error *err)
{
    kin_str text = { body->data, body->len };

    if (kin__json_check(text, err) != KIN_OK) {
        return err->code;
    }
    kin__json version = kin__json_member(kin__json_of(text), kin_str_of("gitVersion"));
    if (kin__json_type(version) != KIN_TYPE_STRING) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "gitVersion is not there");
    }
    kin_str raw = kin__json_raw_string(version);
    char *copy = kin__alloc(raw.len + 1);
    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    size_t len = raw.len != 0 ? kin__json_decode(raw, copy) : 0;
    copy[len] = '\0';
    if (len == 0 || strlen(copy) != len) {
        kin__free(copy);
        return kin__error_set(err, KIN_ERR_PROTOCOL, "gitVersion is no version");
    }
    *out = copy;
    return KIN_OK;
}
