/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - an HTTP client: its lanes, and who is let onto them.
 *
 * Everything that runs ends in settle(), which reads what libcurl has finished, lets waiting
 * requests onto lanes, and closes lanes, again and again until nothing is left to do.
 */
#include "net/http.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/http_state.h"
#include "net/openssl.h"
#include "net/proxy.h"

#define DEFAULT_CONNECT_TIMEOUT_MS 30000u
#define DEFAULT_DEAD_HOST_MS 45000u
/* An empty lane stays open for so long: less than the 90 s after which API servers close it. */
#define REST_MS 60000
#define SETTLE_ROUNDS_MAX 64
#define POOL_SPARE_CONNECTIONS 16u /* kept open without a request */
#define LOSSES_MAX 5u

static kin_err read_base(kin__http *http, const char *base, kin_error *err);
static kin_err read_parts(kin__http *http, CURLU *url, kin_error *err);
static kin_err fill(kin__http *http, const kin__http_options *options, kin_error *err);
static kin_err copy_part(CURLU *url, CURLUPart part, unsigned flags, char **out, kin_error *err);
static kin_err format_text(char **out, kin_error *err, const char *format, ...) KIN__PRINTF(3, 4);
static void destroy(kin__http *http);
static void end_all(kin__http *http);
static void on_job(kin__job *job, void *context);
static void on_ready(void *context, kin__lane *lane, curl_socket_t fd, int what);
static void on_rested(void *context, kin__lane *lane);
static void settle(kin__http *http);
static void drop_doomed(kin__http *http);
static bool read_messages(kin__http *http);
static void finish(kin__http *http, kin__http_request *request, CURLcode code);
static bool begin_again(kin__http *http, kin__http_request *request);
static void fail_waiting(kin__http *http, kin__http_class class_, const kin_error *err);
static void fail_lane(kin__http *http, kin__lane *lane);
static bool admit(kin__http *http);
static kin_err open_lane(kin__http *http, const kin__admission_answer *answer, kin_error *err);
static kin_err put(kin__http *http, kin__lane *lane, kin__http_request *request, kin_error *err);
static void tidy(kin__http *http);
static void close_lane(kin__http *http, kin__lane *lane);
static void sever(kin__http *http);
static kin__lane *lane_of(kin__seats *seats);
static kin__http_request *request_of(kin__ticket *ticket);

kin_err kin__http_new(const kin__http_options *options, kin__http **out, kin_error *err)
{
    if (options->loop == NULL || options->base == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "an HTTP client needs a loop and a URL");
    }
    kin__http *http = kin__alloc_zero(1, sizeof *http);
    if (http == NULL) {
        return kin__error_no_memory(err);
    }
    kin__openssl_stay();
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        kin__free(http);
        return kin__error_no_memory(err);
    }
    http->loop = options->loop;
    http->job = (kin__job){ .run = on_job, .context = http };
    if (read_base(http, options->base, err) != KIN_OK || fill(http, options, err) != KIN_OK) {
        destroy(http);
        return err->code;
    }
    *out = http;
    return KIN_OK;
}

void kin__http_free(kin__http *http)
{
    if (http == NULL) {
        return;
    }
    http->is_dying = true;
    end_all(http);
    if (http->depth == 0) {
        destroy(http);
    }
}

kin_err kin__http_set_tls(kin__http *http, const kin__http_tls *tls, kin_error *err)
{
    AUTO(kin__http_material_unref) kin__http_material *material = NULL;
    if (kin__http_material_new(tls, http->address, &material, err) != KIN_OK) {
        return err->code;
    }
    if (kin__http_material_equal(material, http->material)) {
        return KIN_OK;
    }
    kin__http_material_unref(http->material);
    http->material = STEAL(material);
    for (kin__seats *seats = http->admission.first_lane; seats != NULL; seats = seats->next) {
        seats->is_retired = true;
    }
    kin__loop_post_job(http->loop, &http->job);
    return KIN_OK;
}

kin__http_counts kin__http_count(const kin__http *http)
{
    kin__http_counts counts = { .waiting = kin__admission_count_waiting(&http->admission) };
    for (kin__seats *seats = http->admission.first_lane; seats != NULL; seats = seats->next) {
        counts.connections += kin__lane_count_connections(lane_of(seats));
        counts.running += seats->taken;
    }
    return counts;
}

void kin__http_enter(kin__http *http)
{
    http->depth++;
}

void kin__http_leave(kin__http *http)
{
    if (http->depth == 1) {
        settle(http);
    }
    http->depth--;
    if (http->depth == 0 && http->is_dying) {
        destroy(http);
    }
}

/* While libcurl runs on its lane, the request stays there, quiet, and goes when it can. */
void kin__http_detach(kin__http *http, kin__http_request *request)
{
    if (kin__loop_is_forked(http->loop)) {
        sever(http);
    }
    if (request->is_doomed) {
        return;
    }
    if (request->lane != NULL && request->lane->is_inside) {
        request->is_doomed = true;
        request->next_doomed = http->doomed;
        http->doomed = request;
        return;
    }
    if (request->lane != NULL) {
        kin__lane_remove(request->lane, request->easy, &request->way);
        request->lane = NULL;
    }
    kin__admission_leave(&http->admission, &request->ticket);
    kin__timer_clear(http->loop, &request->timer);
    curl_easy_cleanup(request->easy);
    request->easy = NULL;
    if (request->previous != NULL) {
        request->previous->next = request->next;
    } else {
        http->requests = request->next;
    }
    if (request->next != NULL) {
        request->next->previous = request->previous;
    }
    request->http = NULL;
    if (http->depth == 0) {
        kin__loop_post_job(http->loop, &http->job); /* somebody may get its place */
    }
}

void kin__http_fail(kin__http *http, kin__http_request *request, const kin_error *err)
{
    kin__http_class class_ = request->ticket.class_;
    const kin__lane *lane = request->lane;
    bool is_unreachable = lane != NULL && !request->is_placed && !lane->seats.is_pool &&
                          lane->seats.placed == 0 && lane->failure.code == KIN_OK;

    kin__http_request_end(request, err);
    if (is_unreachable && !http->is_dying) {
        fail_waiting(http, class_, err);
    }
}

/* ---- making ---- */

static kin_err read_base(kin__http *http, const char *base, kin_error *err)
{
    CURLU *url = curl_url();
    if (url == NULL) {
        return kin__error_no_memory(err);
    }
    CURLUcode code = curl_url_set(url, CURLUPART_URL, base, 0);
    kin_err result =
        code == CURLUE_OK ? read_parts(http, url, err)
        : code == CURLUE_OUT_OF_MEMORY
            ? kin__error_no_memory(err)
            : kin__error_set(err, KIN_ERR_USAGE, "not a URL of a server: \"%s\"", base);
    curl_url_cleanup(url);
    return result;
}

static kin_err read_parts(kin__http *http, CURLU *url, kin_error *err)
{
    if (copy_part(url, CURLUPART_SCHEME, 0, &http->scheme, err) != KIN_OK ||
        copy_part(url, CURLUPART_HOST, 0, &http->host, err) != KIN_OK ||
        copy_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT, &http->port, err) != KIN_OK ||
        copy_part(url, CURLUPART_PATH, 0, &http->prefix, err) != KIN_OK) {
        return err->code;
    }
    http->has_tls = strcmp(http->scheme, "https") == 0;
    if (!http->has_tls && strcmp(http->scheme, "http") != 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "neither http nor https: \"%s\"", http->scheme);
    }
    size_t len = strlen(http->prefix);
    while (len != 0 && http->prefix[len - 1] == '/') {
        http->prefix[--len] = '\0';
    }
    char *given = NULL;
    CURLUcode has_port = curl_url_get(url, CURLUPART_PORT, &given, 0);
    curl_free(given);
    kin_err code = has_port == CURLUE_OK
                       ? format_text(&http->host_header, err, "Host: %s:%s", http->host, http->port)
                       : format_text(&http->host_header, err, "Host: %s", http->host);
    return code != KIN_OK ? code
                          : format_text(&http->address, err, "%s:%s", http->host, http->port);
}

static kin_err fill(kin__http *http, const kin__http_options *options, kin_error *err)
{
    const char *agent = options->user_agent;
    kin__protocol protocol =
        options->http1_only || !http->has_tls ? KIN__PROTOCOL_HTTP1 : KIN__PROTOCOL_UNKNOWN;

    http->is_http1_only = options->http1_only;
    http->connect_timeout_ms =
        options->connect_timeout_ms != 0 ? options->connect_timeout_ms : DEFAULT_CONNECT_TIMEOUT_MS;
    http->dead_host_ms = options->dead_host_ms != 0 ? options->dead_host_ms : DEFAULT_DEAD_HOST_MS;
    kin__admission_init(&http->admission, options->streams, options->connections, protocol);
    if (format_text(&http->user_agent, err, "%s%s", agent != NULL ? agent : "kinformer/",
                    agent != NULL ? "" : kin_version()) != KIN_OK) {
        return err->code;
    }
    kin__proxy_target target = { .has_tls = http->has_tls, .host = http->host, .port = http->port };
    const char *proxy =
        options->proxy != NULL ? options->proxy : kin__proxy_choose(&target, getenv);
    if (format_text(&http->proxy, err, "%s", proxy) != KIN_OK) {
        return err->code;
    }
    return kin__http_material_new(NULL, http->address, &http->material, err);
}

static kin_err copy_part(CURLU *url, CURLUPart part, unsigned flags, char **out, kin_error *err)
{
    char *text = NULL;
    CURLUcode code = curl_url_get(url, part, &text, flags);
    if (code != CURLUE_OK) {
        return code == CURLUE_OUT_OF_MEMORY
                   ? kin__error_no_memory(err)
                   : kin__error_set(err, KIN_ERR_USAGE, "the URL of a server lacks its host");
    }
    kin_err result = format_text(out, err, "%s", text);
    curl_free(text);
    return result;
}

static kin_err format_text(char **out, kin_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *text = len < 0 ? NULL : kin__alloc((size_t) len + 1);
    if (text != NULL) {
        (void) vsnprintf(text, (size_t) len + 1, format, again);
    }
    va_end(again);
    va_end(args);
    if (text == NULL) {
        return kin__error_no_memory(err);
    }
    *out = text;
    return KIN_OK;
}

/* ---- freeing ---- */

static void destroy(kin__http *http)
{
    if (kin__loop_is_forked(http->loop)) {
        sever(http);
    }
    drop_doomed(http);
    while (http->admission.first_lane != NULL) {
        close_lane(http, lane_of(http->admission.first_lane));
    }
    (void) kin__loop_cancel_job(http->loop, &http->job);
    kin__http_material_unref(http->material);
    kin__free(http->scheme);
    kin__free(http->host);
    kin__free(http->port);
    kin__free(http->prefix);
    kin__free(http->address);
    kin__free(http->host_header);
    kin__free(http->user_agent);
    kin__free(http->proxy);
    kin__free(http);
    curl_global_cleanup();
}

/* The requests stay with their owners, who free them. */
static void end_all(kin__http *http)
{
    for (kin__http_request *request = http->requests; request != NULL;) {
        kin__http_request *next = request->next;
        request->is_quiet = true;
        kin__http_detach(http, request);
        request = next;
    }
}

/* ---- running ---- */

static void on_job(kin__job *job, void *context)
{
    kin__http *http = context;
    (void) job;
    kin__http_enter(http);
    kin__http_leave(http);
}

static void on_ready(void *context, kin__lane *lane, curl_socket_t fd, int what)
{
    kin__http *http = context;
    kin__http_enter(http);
    kin__lane_drive(lane, fd, what);
    kin__http_leave(http);
}

static void on_rested(void *context, kin__lane *lane)
{
    kin__http *http = context;
    kin__http_enter(http);
    lane->seats.is_retired = true;
    kin__http_leave(http);
}

/* Whoever starts anew whatever fails at once does not hold up the loop for ever. */
static void settle(kin__http *http)
{
    bool is_changed = true;
    for (int round = 0; is_changed && !http->is_dying; round++) {
        if (round == SETTLE_ROUNDS_MAX) {
            kin__loop_post_job(http->loop, &http->job);
            break;
        }
        drop_doomed(http);
        is_changed = read_messages(http);
        is_changed = (!http->is_dying && admit(http)) || is_changed;
    }
    drop_doomed(http);
    if (!http->is_dying) {
        tidy(http);
    }
}

static void drop_doomed(kin__http *http)
{
    while (http->doomed != NULL) {
        kin__http_request *request = http->doomed;
        http->doomed = request->next_doomed;
        request->is_doomed = false;
        kin__http_detach(http, request);
        if (request->is_freed) {
            kin__http_request_release(request);
        }
    }
}

/* Callbacks may add lanes and requests and end any request, but no lane goes. */
static bool read_messages(kin__http *http)
{
    bool is_changed = false;
    for (kin__seats *seats = http->admission.first_lane; seats != NULL; seats = seats->next) {
        kin__lane *lane = lane_of(seats);
        int left;
        while (lane->is_driven && !http->is_dying) {
            CURLMsg *message = curl_multi_info_read(lane->multi, &left);
            kin__http_request *request = NULL;
            if (message == NULL) {
                lane->is_driven = false;
            } else if (message->msg == CURLMSG_DONE &&
                       curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request) ==
                           CURLE_OK) {
                finish(http, request, message->data.result);
                is_changed = true;
            }
        }
        if (lane->failure.code != KIN_OK && seats->taken != 0 && !http->is_dying) {
            fail_lane(http, lane);
            is_changed = true;
        }
    }
    return is_changed;
}

/* A lane that is empty because its connection broke is closed, which libcurl 7.88 does not do by
 * itself. */
static void finish(kin__http *http, kin__http_request *request, CURLcode code)
{
    kin_error err;
    kin__lane *lane = request->lane;

    request->way.is_whole = code == CURLE_OK;
    if (request->way.is_lost) {
        if (begin_again(http, request)) {
            return;
        }
        code = CURLE_ABORTED_BY_CALLBACK; /* not that it could not be connected */
    }
    kin__http_request_done(request, code, &err);
    if (code != CURLE_OK && kin__kept_error_get(&request->failure) == NULL &&
        lane->seats.taken == 1) {
        lane->seats.is_retired = !lane->seats.is_pool;
    }
    if (err.code != KIN_OK) {
        kin__http_fail(http, request, &err);
    } else {
        kin__http_request_end(request, NULL);
    }
}

/* What the closing connection has not seen gets another place, as often as libcurl would try.
 * What it may have seen is begun again only if that does no harm. */
static bool begin_again(kin__http *http, kin__http_request *request)
{
    if (!request->is_repeatable || request->head.is_complete || request->is_quiet ||
        kin__kept_error_get(&request->failure) != NULL || request->losses == LOSSES_MAX) {
        return false;
    }
    request->losses++;
    request->is_placed = false;
    kin__lane_remove(request->lane, request->easy, &request->way);
    request->lane = NULL;
    kin__admission_refused(&http->admission, &request->ticket);
    return true;
}

static void fail_waiting(kin__http *http, kin__http_class class_, const kin_error *err)
{
    const kin__ticket_queue *queue = &http->admission.waiting[class_];
    for (uint32_t count = queue->count; count > 0 && queue->first != NULL; count--) {
        kin__http_request_end(request_of(queue->first), err);
        if (http->is_dying) {
            return;
        }
    }
}

static void fail_lane(kin__http *http, kin__lane *lane)
{
    kin_error err = lane->failure;
    lane->seats.is_retired = true;
    for (bool is_found = true; is_found && !http->is_dying;) {
        is_found = false;
        for (kin__http_request *request = http->requests; request != NULL;
             request = request->next) {
            if (request->lane == lane) {
                kin__http_request_end(request, &err);
                is_found = true;
                break;
            }
        }
    }
}

static bool admit(kin__http *http)
{
    bool is_changed = false;
    while (!http->is_dying) {
        kin_error err;
        kin__admission_answer answer = kin__admission_next(&http->admission);
        if (answer.step == KIN__ADMIT_NONE) {
            break;
        }
        is_changed = true;
        kin__http_request *request = request_of(answer.ticket);
        kin_err code = answer.step == KIN__ADMIT_OPEN
                           ? open_lane(http, &answer, &err)
                           : put(http, lane_of(answer.seats), request, &err);
        if (code != KIN_OK) {
            kin__http_request_end(request, &err);
            break;
        }
    }
    return is_changed;
}

static kin_err open_lane(kin__http *http, const kin__admission_answer *answer, kin_error *err)
{
    kin__lane_owner owner = { .context = http, .on_ready = on_ready, .on_rested = on_rested };
    kin__lane *lane = NULL;

    if (kin__lane_new(http->loop, &owner, http->admission.streams, http->dead_host_ms, &lane,
                      err) != KIN_OK) {
        return err->code;
    }
    lane->material = kin__http_material_ref(http->material);
    kin__admission_add(&http->admission, &lane->seats, answer);
    return KIN_OK;
}

/*
 * On a lane that is up, a request gets its place on the connection at once or not at all: libcurl
 * would open another connection for it.
 */
static kin_err put(kin__http *http, kin__lane *lane, kin__http_request *request, kin_error *err)
{
    bool is_up = !lane->seats.is_pool && lane->seats.placed != 0;

    request->lane = lane;
    kin__lane_rest(lane, 0);
    if (lane->seats.is_pool) {
        kin__lane_keep(lane, lane->seats.taken + POOL_SPARE_CONNECTIONS);
    }
    if (kin__http_request_prepare(request, err) != KIN_OK) {
        return err->code;
    }
    if (!kin__lane_add(lane, request->easy)) {
        return kin__error_no_memory(err);
    }
    if (is_up && !request->ticket.is_placed && !request->is_quiet) {
        kin__lane_remove(lane, request->easy, &request->way);
        request->lane = NULL;
        kin__admission_refused(&http->admission, &request->ticket);
    }
    return KIN_OK;
}

/* Closes what is empty and not wanted any more; what is only empty rests first. */
static void tidy(kin__http *http)
{
    for (kin__seats *seats = http->admission.first_lane; seats != NULL;) {
        kin__lane *lane = lane_of(seats);
        seats = seats->next;
        if (lane->seats.taken != 0) {
            continue;
        }
        if (lane->seats.is_retired || lane->failure.code != KIN_OK) {
            close_lane(http, lane);
        } else if (!kin__timer_is_set(&lane->rest)) {
            kin__lane_rest(lane, kin__loop_now_ms(http->loop) + REST_MS);
        }
    }
}

static void close_lane(kin__http *http, kin__lane *lane)
{
    kin__http_material *material = lane->material;
    kin__admission_remove(&http->admission, &lane->seats);
    kin__lane_free(lane);
    kin__http_material_unref(material);
}

static void sever(kin__http *http)
{
    for (kin__seats *seats = http->admission.first_lane; seats != NULL; seats = seats->next) {
        kin__lane_sever(lane_of(seats));
    }
}

/* Both stand first in their structs. */
static kin__lane *lane_of(kin__seats *seats)
{
    return (kin__lane *) seats;
}

static kin__http_request *request_of(kin__ticket *ticket)
{
    return (kin__http_request *) ticket;
}
