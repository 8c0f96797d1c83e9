/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request.c - one request, from its options to its end.
 *
 * Deadlines are ours and run on the loop's clock; libcurl has none but one for connecting, a little
 * longer than ours, by which it shares out the time among the addresses of a host.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/http_error.h"
#include "net/http_state.h"
#include "net/openssl.h"

/* What is read at once.  Memory that is not used is not touched.  Not less than the 32 KB that
 * libcurl reads for all streams of a connection: net/lane.h says why. */
#define READ_BUFFER_BYTES ((size_t) 256 * 1024)
#define WATCH_BUFFER_BYTES ((size_t) 32 * 1024)
#define CONNECT_GRACE_MS 500L
/* A connection that was not used for longer is not used again: API servers close theirs after 90 s,
 * and a request that meets the closing fails. */
#define CONNECTION_MAX_IDLE_S 75L
#define SILENCE_MS 2000 /* a deadline that is shorter says nothing about the connection */
#define NEVER_MS INT64_MAX
#define MESSAGE_URL_MAX 200 /* of a URL, in messages */

static kin_err check(const kin__http_request_options *options, kin_error *err);
static kin_err fill(kin__http_request *request, const kin__http_request_options *options,
                    kin_error *err);
static bool add_headers(kin__http_request *request, const kin__http_request_options *options);
static bool add_header(kin__http_request *request, const char *line);
static CURLcode set_common(kin__http_request *request);
static CURLcode set_callbacks(kin__http_request *request);
static CURLcode set_method(kin__http_request *request);
static const char *target_of(const kin__http_request *request);
static CURLcode set_target(kin__http_request *request);
static CURLcode set_connection(kin__http_request *request);
static size_t header_callback(char *bytes, size_t size, size_t count, void *context);
static size_t body_callback(char *bytes, size_t size, size_t count, void *context);
static int placed_callback(void *context, char *ip, char *local_ip, int port, int local_port);
static kin_err take_head(kin__http_request *request, kin_error *err);
static kin_err take_body(kin__http_request *request, const char *bytes, size_t len, kin_error *err);
static kin_err hand_over(void *context, const char *bytes, size_t len, kin_error *err);
static void on_timer(kin__timer *timer, void *context);
static void distrust(kin__http_request *request);
static int64_t next_due(const kin__http_request *request);
static bool explain_timeout(const kin__http_request *request, int64_t now_ms, kin_error *err);
static kin_err arm(kin__http_request *request, kin_error *err);
static bool has_line_break(const char *text);
static char *copy_text(const char *text);
static void drop_headers(kin__http_request *request);

kin_err kin__http_start(kin__http *http, const kin__http_request_options *options,
                        kin__http_request **out, kin_error *err)
{
    if (check(options, err) != KIN_OK) {
        return err->code;
    }
    kin__http_request *request = kin__alloc_zero(1, sizeof *request);
    if (request == NULL) {
        return kin__error_no_memory(err);
    }
    request->http = http;
    if (fill(request, options, err) != KIN_OK || arm(request, err) != KIN_OK) {
        kin__http_request_release(request);
        return err->code;
    }
    request->next = http->requests;
    if (request->next != NULL) {
        request->next->previous = request;
    }
    http->requests = request;
    kin__admission_wait(&http->admission, &request->ticket);
    kin__loop_post_job(http->loop, &http->job);
    *out = request;
    return KIN_OK;
}

void kin__http_request_free(kin__http_request *request)
{
    if (request == NULL) {
        return;
    }
    request->is_quiet = true;
    if (request->http != NULL) {
        kin__http_detach(request->http, request);
    }
    if (request->is_doomed) {
        request->is_freed = true;
        return;
    }
    kin__http_request_release(request);
}

kin_err kin__http_request_set_idle(kin__http_request *request, uint32_t idle_ms, kin_error *err)
{
    if (request->http == NULL || request->is_quiet) {
        return KIN_OK;
    }
    request->idle_ms = idle_ms;
    request->last_byte_ms = kin__loop_now_ms(request->http->loop);
    return arm(request, err);
}

kin_err kin__http_request_prepare(kin__http_request *request, kin_error *err)
{
    kin__http *http = request->http;
    CURLcode code = set_target(request);
    if (code == CURLE_OK) {
        code = set_connection(request);
    }
    if (code != CURLE_OK) {
        return code == CURLE_OUT_OF_MEMORY
                   ? kin__error_no_memory(err)
                   : kin__error_set(err, KIN_ERR_TLS, "%s", curl_easy_strerror(code));
    }
    request->connect_at_ms = kin__loop_now_ms(http->loop) + request->connect_ms;
    return arm(request, err);
}

void kin__http_request_done(kin__http_request *request, CURLcode code, kin_error *err)
{
    kin__http *http = request->http;
    long os_error = 0;
    long verify_result = 0;

    if (kin__kept_error_get(&request->failure) != NULL) {
        *err = *kin__kept_error_get(&request->failure);
        return;
    }
    if (code == CURLE_OK) {
        err->code = KIN_OK;
        if (!request->head.is_complete) {
            (void) kin__error_set(err, KIN_ERR_CLOSED, "the connection was cut before the answer");
        } else if (request->gunzip != NULL && kin__gunzip_finish(request->gunzip, err) != KIN_OK) {
            return;
        }
        return;
    }
    (void) curl_easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &os_error);
    (void) curl_easy_getinfo(request->easy, CURLINFO_SSL_VERIFYRESULT, &verify_result);
    const char *name = request->lane->material != NULL
                           ? ((kin__http_material *) request->lane->material)->server_name
                           : NULL;
    kin__http_fault fault = {
        .code = code,
        .os_error = (int) os_error,
        .verify_result = verify_result,
        .detail = request->detail,
        .host = http->host,
        .name = name != NULL ? name : http->host,
        .received = request->received,
        .is_placed = request->is_placed,
        .has_head = request->head.is_complete,
        .dead_host_ms = http->dead_host_ms,
    };
    (void) kin__http_fault_explain(&fault, err);
}

void kin__http_request_end(kin__http_request *request, const kin_error *err)
{
    kin__http *http = request->http;
    kin_error told;
    bool is_quiet = request->is_quiet;

    if (err != NULL) {
        told = *err;
        (void) kin__error_prefix(&told, "%s %s://%s:%s%s%.*s", request->method, http->scheme,
                                 http->host, http->port, http->prefix, MESSAGE_URL_MAX,
                                 target_of(request));
    }
    request->is_quiet = true;
    kin__http_detach(http, request);
    if (!is_quiet) {
        request->handler.on_end(request->handler.context, err != NULL ? &told : NULL);
    }
}

/* Once it is answered libcurl has the only copy, behind a host that may be the server's name. */
static const char *target_of(const kin__http_request *request)
{
    const char *url = NULL;

    if (request->target != NULL) {
        return request->target;
    }
    (void) curl_easy_getinfo(request->easy, CURLINFO_EFFECTIVE_URL, &url);
    const char *host = url != NULL ? strstr(url, "://") : NULL;
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
    return path != NULL ? path + strlen(request->http->prefix) : "";
}

void kin__http_request_release(kin__http_request *request)
{
    if (request->easy != NULL) {
        curl_easy_cleanup(request->easy);
    }
    if (request->http != NULL) {
        kin__timer_clear(request->http->loop, &request->timer);
    }
    drop_headers(request);
    kin__kept_error_clear(&request->failure);
    kin__head_reader_fini(&request->head);
    kin__gunzip_free(request->gunzip);
    kin__buf_fini(&request->body);
    kin__free(request->method);
    kin__free(request->target);
    kin__free(request);
}

/* ---- options ---- */

static kin_err check(const kin__http_request_options *options, kin_error *err)
{
    if (options->target == NULL || options->target[0] != '/') {
        return kin__error_set(err, KIN_ERR_USAGE, "the target of a request begins with a slash");
    }
    for (const char *c = options->target; *c != '\0'; c++) {
        if ((unsigned char) *c <= ' ' || (unsigned char) *c >= 0x7f) {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "the target of a request has a character that is not escaped");
        }
    }
    for (const char *c = options->method; *c != '\0'; c++) {
        if (*c < 'A' || *c > 'Z') {
            return kin__error_set(err, KIN_ERR_USAGE, "no method: \"%s\"", options->method);
        }
    }
    const char *const *header = options->headers;
    for (; header != NULL && *header != NULL; header++) {
        if (has_line_break(*header)) {
            return kin__error_set(err, KIN_ERR_USAGE, "a header has a line break");
        }
    }
    return KIN_OK;
}

static kin_err fill(kin__http_request *request, const kin__http_request_options *options,
                    kin_error *err)
{
    int64_t now_ms = kin__loop_now_ms(request->http->loop);

    request->ticket.class_ = options->class_;
    request->handler = options->handler;
    request->accepts_gzip = options->accepts_gzip;
    request->deadline_ms = options->deadline_ms;
    request->deadline_at_ms = options->deadline_ms != 0 ? now_ms + options->deadline_ms : NEVER_MS;
    request->connect_at_ms = NEVER_MS;
    request->idle_ms = options->idle_ms;
    request->connect_ms = request->http->connect_timeout_ms;
    if (options->connect_ms != 0 && options->connect_ms < request->connect_ms) {
        request->connect_ms = options->connect_ms;
    }
    request->timer = (kin__timer){ .fire = on_timer, .context = request };
    request->method = copy_text(options->method);
    request->target = copy_text(options->target);
    request->easy = curl_easy_init();
    if (request->method == NULL || request->target == NULL || request->easy == NULL ||
        !kin__buf_append_str(&request->body, options->body) || !add_headers(request, options)) {
        return kin__error_no_memory(err);
    }
    CURLcode code = set_common(request);
    code = code != CURLE_OK ? code : set_callbacks(request);
    code = code != CURLE_OK ? code : set_method(request);
    if (code == CURLE_OUT_OF_MEMORY) {
        return kin__error_no_memory(err);
    }
    return code == CURLE_OK ? KIN_OK
                            : kin__error_set(err, KIN_ERR_USAGE, "%s", curl_easy_strerror(code));
}

/* A name with nothing behind its colon is a header that libcurl leaves out. */
static bool add_headers(kin__http_request *request, const kin__http_request_options *options)
{
    bool has_content_type = false;
    const char *const *header = options->headers;
    for (; header != NULL && *header != NULL; header++) {
        has_content_type =
            has_content_type || strncasecmp(*header, "Content-Type:", strlen("Content-Type:")) == 0;
        if (!add_header(request, *header)) {
            return false;
        }
    }
    return add_header(request, request->http->host_header) &&
           (has_content_type || add_header(request, "Content-Type:")) &&
           (!options->accepts_gzip || add_header(request, "Accept-Encoding: gzip")) &&
           add_header(request, "Expect:");
}

static bool add_header(kin__http_request *request, const char *line)
{
    struct curl_slist *list = curl_slist_append(request->headers, line);
    if (list == NULL) {
        return false;
    }
    request->headers = list;
    return true;
}

#define SET(option, value) code = code != CURLE_OK ? code : curl_easy_setopt(easy, option, value)

static CURLcode set_common(kin__http_request *request)
{
    const kin__http *http = request->http;
    CURL *easy = request->easy;
    CURLcode code = CURLE_OK;
    bool is_http1 = http->is_http1_only || !http->has_tls;

    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* do not wait for threads that resolve names */
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_HTTP_VERSION,
        is_http1 ? (long) CURL_HTTP_VERSION_1_1 : (long) CURL_HTTP_VERSION_2TLS);
    SET(CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_SSL_SESSIONID_CACHE, 0L); /* 7.88 frees twice when it has no memory for one */
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long) http->connect_timeout_ms + CONNECT_GRACE_MS);
    SET(CURLOPT_MAXAGE_CONN, CONNECTION_MAX_IDLE_S);
    SET(CURLOPT_USERAGENT, http->user_agent);
    SET(CURLOPT_PROXY, http->proxy);
    SET(CURLOPT_NOPROXY, "");
    return code;
}

static CURLcode set_callbacks(kin__http_request *request)
{
    CURL *easy = request->easy;
    CURLcode code = CURLE_OK;

    SET(CURLOPT_PRIVATE, request);
    SET(CURLOPT_ERRORBUFFER, request->detail);
    SET(CURLOPT_HEADERFUNCTION, header_callback);
    SET(CURLOPT_HEADERDATA, request);
    SET(CURLOPT_WRITEFUNCTION, body_callback);
    SET(CURLOPT_WRITEDATA, request);
    SET(CURLOPT_PREREQFUNCTION, placed_callback);
    SET(CURLOPT_PREREQDATA, request);
    return code;
}

static CURLcode set_method(kin__http_request *request)
{
    CURL *easy = request->easy;
    CURLcode code = CURLE_OK;
    const char *method = request->method;
    bool is_get = strcmp(method, "GET") == 0;
    bool is_head = strcmp(method, "HEAD") == 0;

    request->is_repeatable = is_get || is_head;
    if (is_head) {
        SET(CURLOPT_NOBODY, 1L);
    } else if (!is_get && (request->body.len != 0 || strcmp(method, "DELETE") != 0)) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->body.len);
        SET(CURLOPT_POSTFIELDS, request->body.len != 0 ? request->body.data : "");
    }
    if (!is_get && !is_head) {
        SET(CURLOPT_CUSTOMREQUEST, method);
    }
    return code;
}

/* ---- on a lane ---- */

/*
 * A server name that is not the host's takes the host's place in the URL, since libcurl asks for
 * and verifies that one, and CONNECT_TO leads to the host; the Host header is the host's all the
 * same, as in Go.
 */
static CURLcode set_target(kin__http_request *request)
{
    const kin__http *http = request->http;
    const kin__http_material *material = request->lane->material;
    const char *name = material->server_name != NULL ? material->server_name : http->host;
    AUTO(kin__buf_fini) kin__buf url = { 0 };

    (void) kin__buf_append_format(&url, "%s://%s:%s%s%s", http->scheme, name, http->port,
                                  http->prefix, request->target);
    (void) kin__buf_append_byte(&url, '\0');
    if (kin__buf_failed(&url)) {
        return CURLE_OUT_OF_MEMORY;
    }
    return curl_easy_setopt(request->easy, CURLOPT_URL, url.data);
}

static CURLcode set_connection(kin__http_request *request)
{
    CURL *easy = request->easy;
    bool is_watch = request->ticket.class_ == KIN__HTTP_WATCH;
    request->way = (kin__lane_way){ 0 };
    CURLcode code = kin__lane_prepare(request->lane, easy, &request->way,
                                      is_watch ? WATCH_BUFFER_BYTES : READ_BUFFER_BYTES);
    if (code == CURLE_OK) {
        code = kin__openssl_keep_buffers(easy);
    }
    SET(CURLOPT_HTTPHEADER, request->headers);
    return code != CURLE_OK ? code : kin__http_material_apply(request->lane->material, easy);
}

#undef SET

/* ---- what libcurl tells ---- */

static size_t header_callback(char *bytes, size_t size, size_t count, void *context)
{
    kin__http_request *request = context;
    size_t len = size * count;
    kin_error err;
    bool was_complete = request->head.is_complete;

    kin__lane_received(&request->way, len);
    if (request->is_quiet || kin__kept_error_get(&request->failure) != NULL) {
        return 0;
    }
    request->last_byte_ms = kin__loop_now_ms(request->http->loop);
    kin_time now = kin__clock_wall(kin__loop_clock(request->http->loop));
    kin_err code = kin__head_reader_line(&request->head, kin__str(bytes, len), now, &err);
    if (code == KIN_OK && request->head.is_complete && !was_complete) {
        code = take_head(request, &err);
    }
    if (code != KIN_OK) {
        kin__kept_error_set(&request->failure, &err);
        return 0;
    }
    return len;
}

static size_t body_callback(char *bytes, size_t size, size_t count, void *context)
{
    kin__http_request *request = context;
    size_t len = size * count;
    kin_error err;

    kin__lane_received(&request->way, len);
    if (request->is_quiet || kin__kept_error_get(&request->failure) != NULL) {
        return 0;
    }
    request->last_byte_ms = kin__loop_now_ms(request->http->loop);
    request->received += len;
    if (take_body(request, bytes, len, &err) != KIN_OK) {
        kin__kept_error_set(&request->failure, &err);
        return 0;
    }
    return request->is_quiet ? 0 : len;
}

/*
 * Called before the request goes out on a connection that is up; a second time when that one broke
 * before a byte of the answer came, and libcurl tries another.  What may have been done by the
 * server already is not sent twice.
 */
static int placed_callback(void *context, char *ip, char *local_ip, int port, int local_port)
{
    kin__http_request *request = context;
    kin_error err;
    (void) ip;
    (void) local_ip;
    (void) port;
    (void) local_port;

    if (request->is_quiet || (request->is_placed && !request->is_repeatable)) {
        return CURL_PREREQFUNC_ABORT;
    }
    request->is_placed = true;
    request->way.is_placed = true;
    request->last_byte_ms = kin__loop_now_ms(request->http->loop);
    kin__admission_placed(&request->http->admission, &request->ticket);
    if (arm(request, &err) != KIN_OK) {
        kin__kept_error_set(&request->failure, &err);
        return CURL_PREREQFUNC_ABORT;
    }
    return CURL_PREREQFUNC_OK;
}

/* What is answered is never sent again, so what was sent need not stay, nor what has been told: a
 * watch may be open for long, and a token have a kilobyte. */
static kin_err take_head(kin__http_request *request, kin_error *err)
{
    kin__http_head head = kin__head_reader_get(&request->head);
    const kin__buf *encoding = &request->head.content_encoding;

    kin__admission_answered(&request->http->admission, &request->ticket, head.is_http2);
    if (curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, NULL) == CURLE_OK) {
        drop_headers(request);
    }
    kin__free(request->target);
    request->target = NULL;
    if (request->head.is_gzip) {
        if (kin__gunzip_new(&request->gunzip, err) != KIN_OK) {
            return err->code;
        }
    } else if (encoding->len != 0 &&
               !kin__str_equal(kin__str(encoding->data, encoding->len), STR("identity"))) {
        return kin__error_set(err, KIN_ERR_PROTOCOL,
                              "the answer has an encoding we did not ask "
                              "for: %.*s",
                              (int) encoding->len, encoding->data);
    }
    kin_err code = request->handler.on_head(request->handler.context, &head, err);
    kin__head_reader_fini(&request->head);
    return code;
}

static kin_err take_body(kin__http_request *request, const char *bytes, size_t len, kin_error *err)
{
    if (request->gunzip != NULL) {
        return kin__gunzip_feed(request->gunzip, bytes, len, hand_over, request, err);
    }
    return hand_over(request, bytes, len, err);
}

static kin_err hand_over(void *context, const char *bytes, size_t len, kin_error *err)
{
    kin__http_request *request = context;
    if (request->is_quiet) {
        return kin__error_set(err, KIN_ERR_CANCELLED, "cancelled");
    }
    return request->handler.on_body(request->handler.context, bytes, len, err);
}

/* ---- time ---- */

/* Bytes move last_byte_ms only; the timer then finds that it came too early. */
static void on_timer(kin__timer *timer, void *context)
{
    kin__http_request *request = context;
    kin__http *http = request->http;
    kin_error err;
    (void) timer;

    kin__http_enter(http);
    int64_t now_ms = kin__loop_now_ms(http->loop);
    bool is_late = request->deadline_at_ms <= now_ms;
    bool is_over = explain_timeout(request, now_ms, &err);
    bool is_its_own = is_late || request->connect_ms < http->connect_timeout_ms;
    if (is_over && request->is_placed && !request->head.is_complete &&
        (!is_late || now_ms - request->last_byte_ms >= SILENCE_MS)) {
        distrust(request);
    }
    if (is_over && !is_its_own) {
        kin__http_fail(http, request, &err);
    } else if (is_over || arm(request, &err) != KIN_OK) {
        kin__http_request_end(request, &err);
    }
    kin__http_leave(http);
}

/* A connection on which nothing came while an answer was waited for may be dead, and nobody has
 * closed it: it takes no more requests, or all of them would wait for ever. */
static void distrust(kin__http_request *request)
{
    kin__lane *lane = request->lane;
    for (const kin__http_request *other = request->http->requests; other != NULL;
         other = other->next) {
        if (other->lane == lane && other->head.is_complete &&
            other->last_byte_ms > request->last_byte_ms) {
            return;
        }
    }
    lane->seats.is_retired = lane->seats.is_retired || !lane->seats.is_pool;
}

static int64_t next_due(const kin__http_request *request)
{
    int64_t due_ms = request->deadline_at_ms;
    if (request->lane != NULL && !request->is_placed && request->connect_at_ms < due_ms) {
        due_ms = request->connect_at_ms;
    }
    if (request->is_placed && request->idle_ms != 0 &&
        request->last_byte_ms + request->idle_ms < due_ms) {
        due_ms = request->last_byte_ms + request->idle_ms;
    }
    return due_ms;
}

static bool explain_timeout(const kin__http_request *request, int64_t now_ms, kin_error *err)
{
    unsigned long long received = request->received;
    bool is_late = request->deadline_at_ms <= now_ms;

    if (next_due(request) > now_ms) {
        return false;
    }
    if (request->lane == NULL) {
        (void) kin__error_set(err, KIN_ERR_TIMEOUT, "waited %.3g s for a place on a connection",
                              request->deadline_ms / 1000.0);
    } else if (!request->is_placed) {
        (void) kin__error_set(err, KIN_ERR_TIMEOUT, "connecting took longer than %.3g s",
                              (is_late ? request->deadline_ms : request->connect_ms) / 1000.0);
    } else if (!request->head.is_complete) {
        (void) kin__error_set(err, KIN_ERR_TIMEOUT, "no answer for %.3g s",
                              (is_late ? request->deadline_ms : request->idle_ms) / 1000.0);
    } else if (is_late) {
        (void) kin__error_set(err, KIN_ERR_TIMEOUT,
                              "the answer was not whole after %.3g s and %llu bytes of its body",
                              request->deadline_ms / 1000.0, received);
    } else {
        (void) kin__error_set(err, KIN_ERR_TIMEOUT, "the body stalled for %.3g s after %llu bytes",
                              request->idle_ms / 1000.0, received);
    }
    return true;
}

/* It is set all the time: to move a timer needs no memory. */
static kin_err arm(kin__http_request *request, kin_error *err)
{
    return kin__timer_set(request->http->loop, &request->timer, next_due(request), err);
}

/* ---- small things ---- */

static bool has_line_break(const char *text)
{
    return strpbrk(text, "\r\n") != NULL;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kin__alloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

/* They hold tokens. */
static void drop_headers(kin__http_request *request)
{
    for (struct curl_slist *header = request->headers; header != NULL; header = header->next) {
        explicit_bzero(header->data, strlen(header->data));
    }
    curl_slist_free_all(request->headers);
    request->headers = NULL;
}
