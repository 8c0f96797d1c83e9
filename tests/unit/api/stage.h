/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - a server that follows a script, and a loop whose time stands still.
 *
 * The script is a row of lines: what to say to a request that begins so.  A line serves one request
 * and is then used up, unless it stays.  Requests are kept as they came.
 */
#ifndef TESTS_UNIT_API_STAGE_H
#define TESTS_UNIT_API_STAGE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kin/client.h"
#include "net/loop.h"
#include "support/raw_server.h"
#include "support/test.h"

#define LINES_MAX 48
#define REQUESTS_MAX 64
#define JSON "application/json"

typedef enum then {
    THEN_KEEP, /* the connection serves the next request */
    THEN_CUT,
    THEN_HOLD, /* nothing more comes, until the other side goes */
    THEN_DOOR, /* when the test opens the door, `later` is said, and the connection is cut */
} then;

typedef struct line {
    const char *on; /* "GET /api": how the request begins; NULL: any */
    then then;
    const char *later;
    bool holds; /* ... or it is held after that */
    bool stays;
    bool is_used;
    size_t len;
    char say[16 * 1024];
} line;

/* Everything a test has on its stage. */
typedef struct stage {
    kin__virtual_clock clock;
    kin_loop *loop;
    raw_server *server;
    identity *server_id;
    char base[64];
    char directory[64]; /* of its own, with the files that tests make; "": none yet */
    text log;

    pthread_mutex_t lock; /* guards what follows */
    int line_count;
    line lines[LINES_MAX];
    int request_count;
    char requests[REQUESTS_MAX][16 * 1024];
} stage;

static inline line *add_line(stage *s, const char *on, const char *say)
{
    (void) pthread_mutex_lock(&s->lock);
    if (s->line_count == LINES_MAX || strlen(say) >= sizeof s->lines[0].say) {
        FAIL("the script is too long");
    }
    line *new_line = &s->lines[s->line_count++];
    *new_line = (line){ .on = on, .len = strlen(say) };
    memcpy(new_line->say, say, new_line->len + 1);
    (void) pthread_mutex_unlock(&s->lock);
    return new_line;
}

/* A whole answer; `headers` end with a line break each. */
static inline line *answer_with(stage *s, const char *on, int status, const char *type,
                                const char *headers, const char *body)
{
    char say[sizeof s->lines[0].say];

    (void) snprintf(say, sizeof say,
                    "HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %zu\r\n\r\n%s", status,
                    type, headers, strlen(body), body);
    return add_line(s, on, say);
}

static inline line *answer(stage *s, const char *on, int status, const char *body)
{
    return answer_with(s, on, status, JSON, "", body);
}

/* The beginning of an answer that goes on: a watch. */
static inline line *answer_open(stage *s, const char *on, const char *body)
{
    char say[sizeof s->lines[0].say];

    (void) snprintf(say, sizeof say,
                    "HTTP/1.1 200 OK\r\nContent-Type: " JSON "\r\nTransfer-Encoding: chunked\r\n"
                    "\r\n%s%zx\r\n%s\r\n",
                    "", strlen(body), body);
    if (body[0] == '\0') {
        *strstr(say, "0\r\n\r\n") = '\0';
    }
    line *new_line = add_line(s, on, say);
    new_line->then = THEN_HOLD;
    return new_line;
}

/* The bytes of a fixture as a whole answer. */
static inline line *answer_file(stage *s, const char *on, int status, const char *type,
                                const char *name)
{
    size_t len;
    char *bytes = read_fixture(name, &len);
    char head[256];
    int head_len = snprintf(head, sizeof head,
                            "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                            status, type, len);
    line *new_line = add_line(s, on, head);
    if ((size_t) head_len + len > sizeof new_line->say) {
        FAIL("%s is too long", name);
    }
    memcpy(new_line->say + head_len, bytes, len);
    new_line->len = (size_t) head_len + len;
    free_fixture(bytes);
    return new_line;
}

static inline line *take_line(stage *s, const char *request)
{
    line *found = NULL;

    (void) pthread_mutex_lock(&s->lock);
    char *copy = s->requests[s->request_count++ % REQUESTS_MAX];
    size_t len = strnlen(request, sizeof s->requests[0] - 1);
    memcpy(copy, request, len);
    copy[len] = '\0';
    for (int i = 0; i < s->line_count && found == NULL; i++) {
        line *l = &s->lines[i];

        if (!l->is_used && (l->on == NULL || strncmp(request, l->on, strlen(l->on)) == 0)) {
            l->is_used = !l->stays;
            found = l;
        }
    }
    (void) pthread_mutex_unlock(&s->lock);
    return found;
}

static inline void follow_script(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        const line *l = take_line(connection->context, connection->request);

        if (l == NULL) {
            (void) raw_write(connection, "HTTP/1.1 500 No\r\nContent-Type: text/plain\r\n"
                                         "Content-Length: 17\r\n\r\nnot in the script");
            continue;
        }
        if (!raw_write_bytes(connection, l->say, l->len)) {
            return;
        }
        switch (l->then) {
        case THEN_KEEP:
            break;
        case THEN_CUT:
            return;
        case THEN_HOLD:
            raw_wait_for_end(connection);
            return;
        case THEN_DOOR:
            if (raw_wait_at_door(connection) && l->later != NULL) {
                (void) raw_write(connection, l->later);
            }
            if (l->holds) {
                raw_wait_for_end(connection);
            }
            return;
        }
    }
}

static inline void note_line(void *context, kin_log_level level, const char *component,
                             const char *message)
{
    text_append(context, "%s %s: %s|", kin_log_level_name(level), component, message);
}

static inline kin_logger stage_logger(stage *s)
{
    kin_logger logger = KIN_LOGGER_INIT;

    logger.context = &s->log;
    logger.log = note_line;
    return logger;
}

static inline void stage_open_server(stage *s, const identity *tls)
{
    s->line_count = 0;
    s->request_count = 0;
    s->directory[0] = '\0';
    text_clear(&s->log);
    (void) pthread_mutex_init(&s->lock, NULL);
    s->server =
        raw_server_start(&(raw_server_options){ .serve = follow_script, .context = s, .tls = tls });
    (void) snprintf(s->base, sizeof s->base, "%s://127.0.0.1:%d", tls != NULL ? "https" : "http",
                    raw_server_port(s->server));
}

static inline void stage_open_loop(stage *s)
{
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_error err;

    options.logger = stage_logger(s);
    kin__virtual_clock_init(&s->clock, 1000000, (kin_time){ .seconds = 1792000000 });
    ASSERT_OK(kin__loop_new_with_clock(&options, &s->clock.clock, &s->loop, &err));
}

static inline void stage_open(stage *s)
{
    stage_open_server(s, NULL);
    stage_open_loop(s);
}

/* Credentials go out over TLS only. */
static inline void stage_open_tls(stage *s)
{
    s->server_id = identity_new("server", &(identity_options){ .names = "IP:127.0.0.1" });
    stage_open_server(s, s->server_id);
    stage_open_loop(s);
}

static inline void stage_close(stage *s)
{
    kin_loop_free(s->loop);
    raw_server_stop(s->server);
    identity_free(s->server_id);
    s->loop = NULL;
    s->server = NULL;
    s->server_id = NULL;
    (void) pthread_mutex_destroy(&s->lock);
    if (s->directory[0] != '\0') {
        char command[128];
        (void) snprintf(command, sizeof command, "rm -r '%s'", s->directory);
        ASSERT_EQ(system(command), 0);
        s->directory[0] = '\0';
    }
}

/* Writes a file into the test's directory and gives its path, for a while. */
static inline const char *write_file(stage *s, const char *name, const char *content)
{
    static char path[128];

    if (s->directory[0] == '\0') {
        (void) snprintf(s->directory, sizeof s->directory, "/tmp/kin-stage-XXXXXX");
        ASSERT_TRUE(mkdtemp(s->directory) != NULL);
    }
    (void) snprintf(path, sizeof path, "%s/%s", s->directory, name);
    FILE *file = fopen(path, "we");
    ASSERT_TRUE(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
    return path;
}

/* How many lines a file in the test's directory has; 0: there is none. */
static inline int count_lines(const stage *s, const char *name)
{
    char path[128];
    int count = 0;

    (void) snprintf(path, sizeof path, "%s/%s", s->directory, name);
    FILE *file = fopen(path, "re");
    for (int c; file != NULL && (c = fgetc(file)) != EOF;) {
        count += c == '\n';
    }
    if (file != NULL) {
        (void) fclose(file);
    }
    return count;
}

/* A configuration for the server, with what is said of the user ("token: t"). */
static inline kin_config *stage_config(const stage *s, const char *user)
{
    char yaml[4096];
    kin_config *config;
    kin_error err;

    (void) snprintf(yaml, sizeof yaml,
                    "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
                    "contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]\n"
                    "clusters: [{name: c, cluster: {server: '%s'%s}}]\n"
                    "users: [{name: u, user: {%s}}]\n",
                    s->base, s->server_id != NULL ? ", insecure-skip-tls-verify: true" : "", user);
    if (kin_config_from_text(yaml, strlen(yaml), NULL, NULL, &config, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return config;
}

/* The n-th request, from 1, as it came. */
static inline const char *request_at(stage *s, int n)
{
    (void) pthread_mutex_lock(&s->lock);
    const char *request = n <= s->request_count ? s->requests[n - 1] : "(no such request)";
    (void) pthread_mutex_unlock(&s->lock);
    return request;
}

static inline int count_requests(stage *s)
{
    (void) pthread_mutex_lock(&s->lock);
    int count = s->request_count;
    (void) pthread_mutex_unlock(&s->lock);
    return count;
}

static inline void turn(stage *s)
{
    kin_error err;
    ASSERT_OK(kin_loop_dispatch(s->loop, 10, &err));
}

static inline void wait_for_requests(stage *s, int count)
{
    while (count_requests(s) < count) {
        turn(s);
    }
}

/* Lets time pass, and what is due happen. */
static inline void pass(stage *s, int64_t ms)
{
    kin__virtual_clock_advance(&s->clock, ms);
    for (int i = 0; i < 3; i++) {
        turn(s);
    }
}

#endif /* TESTS_UNIT_API_STAGE_H */
