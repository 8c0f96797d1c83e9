/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.c - asks the server what it has, one round at a time.
 *
 * A round is one discovery from its first request to its last.  Who asks during a round is answered
 * by it, and not by another: so a name that nobody knows costs one round, not an endless row.
 */
#include "api/directory.h"

#include <string.h>

#include "api/discovery.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/str.h"

#define ANSWER_MAX (32u << 20) /* bytes of one discovery document */
#define ROUND_MS 30000         /* how long a round may take */
#define IDLE_MS 15000

struct kin__directory {
    kin__wire *wire;
    kin_logger logger;
    kin__catalogue *catalogue; /* NULL: not known yet */
    kin__mutex lock;           /* held where it changes, and by others than the loop */
    kin__list waiting;
    kin__list telling; /* those the round that has just ended has not told yet */

    /* Of the round that is under way. */
    kin__discovery *discovery; /* NULL: none is */
    kin__exchange *exchange;
    int64_t deadline_at;
    int http_status;
    kin__buf content_type;
    kin__buf body;
};

static const kin_resource *find(const kin__directory *directory, const kin__directory_wait *wait);
static void begin_round(kin__directory *directory);
static kin_err ask_next(kin__directory *directory, kin_error *err);
static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err);
static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err);
static void on_end(void *context, const kin__exchange_end *end);
static bool was_answered(const kin__exchange_end *end);
static void end_refused(kin__directory *directory, const kin_error *err);
static void end_round(kin__directory *directory, const kin_error *err);
static void tell_all(kin__directory *directory, const kin_error *err);
static void say_missing(const kin__directory *directory);

kin_err kin__directory_new(kin__wire *wire, const kin_logger *logger, kin__directory **out,
                           kin_error *err)
{
    kin__directory *directory = kin__alloc_zero(1, sizeof *directory);

    if (directory == NULL) {
        return kin__error_no_memory(err);
    }
    directory->wire = wire;
    directory->logger = *logger;
    kin__mutex_init(&directory->lock);
    *out = directory;
    return KIN_OK;
}

void kin__directory_free(kin__directory *directory)
{
    if (directory != NULL) {
        kin__exchange_free(directory->exchange);
        kin__discovery_free(directory->discovery);
        kin__catalogue_free(directory->catalogue);
        kin__buf_fini(&directory->content_type);
        kin__buf_fini(&directory->body);
        kin__mutex_fini(&directory->lock);
        kin__free(directory);
    }
}

void kin__directory_ask(kin__directory *directory, kin__directory_wait *wait)
{
    const kin_resource *resource = wait->needs_fresh ? NULL : find(directory, wait);

    if (resource != NULL) {
        wait->tell(wait, resource, NULL);
        return;
    }
    kin__list_push(&directory->waiting, &wait->link);
    if (directory->discovery == NULL) {
        begin_round(directory);
    }
}

void kin__directory_stop(kin__directory_wait *wait)
{
    kin__list_remove(&wait->link);
}

kin_resource *kin__directory_look(kin__directory *directory, kin_str name)
{
    kin_resource *found = NULL;

    if (directory == NULL) {
        return NULL;
    }
    kin__mutex_lock(&directory->lock);
    if (directory->catalogue != NULL) {
        const kin_resource *known = kin__catalogue_find(directory->catalogue, name);
        found = known == NULL ? NULL : kin_resource_ref(known);
    }
    kin__mutex_unlock(&directory->lock);
    return found;
}

const kin__catalogue *kin__directory_catalogue(const kin__directory *directory)
{
    return directory->catalogue;
}

static const kin_resource *find(const kin__directory *directory, const kin__directory_wait *wait)
{
    if (directory->catalogue == NULL) {
        return NULL;
    }
    if (wait->kind != NULL) {
        return kin__catalogue_of_kind(directory->catalogue, kin_str_of(wait->api_version),
                                      kin_str_of(wait->kind));
    }
    return kin__catalogue_find(directory->catalogue, kin_str_of(wait->name));
}

static void begin_round(kin__directory *directory)
{
    kin_error err;

    directory->deadline_at = kin__loop_now_ms(directory->wire->loop) + ROUND_MS;
    if (kin__discovery_new(&directory->discovery, &err) != KIN_OK ||
        ask_next(directory, &err) != KIN_OK) {
        end_round(directory, &err);
    }
}

static kin_err ask_next(kin__directory *directory, kin_error *err)
{
    kin__exchange_options options = {
        .class_ = KIN__HTTP_READ,
        .method = "GET",
        .target = kin__discovery_next(directory->discovery),
        .accept = KIN__DISCOVERY_ACCEPT,
        .deadline_at = directory->deadline_at,
        .idle_ms = IDLE_MS,
        .handler = { directory, on_open, on_body, on_end },
    };

    kin__buf_clear(&directory->body);
    kin__buf_clear(&directory->content_type);
    return kin__exchange_start(directory->wire, &options, &directory->exchange, err);
}

static kin_err on_open(void *context, int http_status, kin_str content_type, kin_error *err)
{
    kin__directory *directory = context;

    directory->http_status = http_status;
    kin__buf_append_str(&directory->content_type, content_type);
    return kin__buf_failed(&directory->content_type) ? kin__error_no_memory(err) : KIN_OK;
}

static kin_err on_body(void *context, const char *bytes, size_t len, kin_error *err)
{
    kin__directory *directory = context;

    if (len > ANSWER_MAX - directory->body.len) {
        return kin__error_set(err, KIN_ERR_LIMIT, "%s: the answer is larger than %u bytes",
                              kin__discovery_next(directory->discovery), ANSWER_MAX);
    }
    kin__buf_append(&directory->body, bytes, len);
    return kin__buf_failed(&directory->body) ? kin__error_no_memory(err) : KIN_OK;
}

static void on_end(void *context, const kin__exchange_end *end)
{
    kin__directory *directory = context;
    kin_error err;

    kin__exchange_free(directory->exchange);
    directory->exchange = NULL;
    if (!was_answered(end)) {
        end_refused(directory, end->error);
        return;
    }
    int status = end->error != NULL ? end->http_status : directory->http_status;
    if (kin__discovery_answer(directory->discovery, status,
                              kin__str(directory->content_type.data, directory->content_type.len),
                              kin__str(directory->body.data, directory->body.len),
                              &err) != KIN_OK) {
        end_refused(directory, end->error != NULL ? end->error : &err);
    } else if (kin__discovery_next(directory->discovery) == NULL) {
        end_round(directory, NULL);
    } else if (ask_next(directory, &err) != KIN_OK) {
        end_round(directory, &err);
    }
}

/* The transport names the URL itself; a server that refuses does not. */
static void end_refused(kin__directory *directory, const kin_error *err)
{
    kin_error mine = *err;

    if (mine.http_status != 0 && strstr(mine.message, "discovery of ") == NULL) {
        kin__error_prefix(&mine, "discovery of %s", kin__discovery_next(directory->discovery));
    }
    end_round(directory, &mine);
}

/* A refusal is an answer: discovery knows which ones it can do without.  But nobody can do without
 * being known to the server. */
static bool was_answered(const kin__exchange_end *end)
{
    return end->error == NULL || (end->error->http_status >= 400 && end->error->http_status != 401);
}

static void end_round(kin__directory *directory, const kin_error *err)
{
    if (err == NULL) {
        say_missing(directory);
        kin__catalogue *old = directory->catalogue;
        kin__mutex_lock(&directory->lock);
        directory->catalogue = kin__discovery_take(directory->discovery);
        kin__mutex_unlock(&directory->lock);
        kin__catalogue_free(old);
    }
    kin__discovery_free(directory->discovery);
    directory->discovery = NULL;
    kin__buf_fini(&directory->body);
    tell_all(directory, err);
}

/* Whoever is told may ask again, or free others: each is taken off before it is told. */
static void tell_all(kin__directory *directory, const kin_error *err)
{
    kin__list_move_all(&directory->telling, &directory->waiting);
    for (kin__link *link; (link = kin__list_first(&directory->telling)) != NULL;) {
        kin__directory_wait *wait = KIN__OWNER(link, kin__directory_wait, link);
        kin_error unknown;

        kin__list_remove(link);
        if (err != NULL) {
            wait->tell(wait, NULL, err);
        } else if (wait->name == NULL && wait->kind == NULL) {
            wait->tell(wait, NULL, NULL);
        } else {
            const kin_resource *resource = find(directory, wait);

            kin__error_set(&unknown, KIN_ERR_NOT_FOUND, "the server has no resource \"%s\"",
                           wait->kind != NULL ? wait->kind : wait->name);
            wait->tell(wait, resource, resource != NULL ? NULL : &unknown);
        }
    }
}

static void say_missing(const kin__directory *directory)
{
    const char *missing = kin__discovery_missing(directory->discovery);

    if (missing[0] != '\0') {
        kin__log(&directory->logger, KIN_LOG_WARNING, "discovery",
                 "these groups could not be asked for and are left out: %s", missing);
    }
}
