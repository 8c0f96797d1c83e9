/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - the whole command, run in the test's process, and a server that it talks to.
 *
 * The server follows a script: what to say to a request that begins so.  A line serves one request
 * and is then used up.  What it has in the way of resources it always tells.
 */
#ifndef TESTS_UNIT_CLI_SCRIPT_H
#define TESTS_UNIT_CLI_SCRIPT_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command.h"
#include "support/raw_server.h"
#include "support/test.h"

#define SCRIPT_LINES 16

#define RESOURCE(name, kind, scope, short_name)                                                    \
    "{\"resource\":\"" name "\",\"scope\":\"" scope "\",\"responseKind\":{\"kind\":\"" kind "\"}," \
    "\"shortNames\":[\"" short_name "\"],\"verbs\":[\"get\",\"list\",\"watch\"]}"
#define CORE                                                                                       \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[{\"version\":"  \
    "\"v1\",\"resources\":[" RESOURCE("configmaps", "ConfigMap", "Namespaced", "cm") "," RESOURCE( \
        "pods", "Pod", "Namespaced", "po") "," RESOURCE("nodes", "Node", "Cluster", "no") "]}]}]}"
#define GROUPS                                                                                     \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"shop.io\"},"         \
    "\"versions\":[{\"version\":\"v1\",\"resources\":[" RESOURCE("widgets", "Widget",              \
                                                                 "Namespaced", "wi") "]}]}]}"
#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

#define POD_IN(ns, name, version, status)                                                          \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"" ns "\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" version            \
    "\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"" status "\"}}"
#define POD(name, version, status) POD_IN("shop", name, version, status)
#define LIST(kind, version, items)                                                                 \
    "{\"kind\":\"" kind                                                                            \
    "List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version                    \
    "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define STATUS(code, reason, message)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"" message     \
    "\",\"reason\":\"" reason "\",\"code\":" #code "}"

typedef struct script_line {
    const char *on;      /* "GET /api/v1/pods?": how the request begins */
    const char *headers; /* more of them, with line ends */
    const char *type;
    const char *body;
    int status;
    bool holds; /* a watch: stays open after the body */
    bool cuts;  /* a watch: is cut after it */
    bool ends;  /* a watch: ends after it, as watches do */
    int raises; /* a signal for the command, after the body; 0: none */
    bool is_used;
} script_line;

static struct {
    raw_server *server;
    pthread_t command; /* the thread that runs it */
    pthread_mutex_t lock;
    script_line lines[SCRIPT_LINES]; /* guarded by it, as all below */
    size_t count;
    text requests;
    char kubeconfig[64];
    int fd;
} script = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What the command said, and what it is ended with Ctrl-C for when it has said it. */
static text out_text;
static text err_text;
static const char *until;
#define out_chars out_text.chars
#define err_chars err_text.chars

static inline bool script_say(raw_connection *connection, const script_line *l)
{
    char head[512];
    bool is_stream = l->holds || l->cuts || l->ends;

    if (is_stream) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n%zx\r\n",
                 strlen(l->body));
    } else {
        snprintf(head, sizeof head,
                 "HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %zu\r\n\r\n",
                 l->status != 0 ? l->status : 200, l->type != NULL ? l->type : "application/json",
                 l->headers != NULL ? l->headers : "", strlen(l->body));
    }
    if (is_stream && l->body[0] == '\0') {
        *strstr(head, "0\r\n") = '\0';
    }
    return raw_write(connection, head) && raw_write(connection, l->body) &&
           (!is_stream || l->body[0] == '\0' || raw_write(connection, "\r\n")) &&
           (!l->ends || raw_write(connection, "0\r\n\r\n"));
}

static inline script_line script_take(const char *request)
{
    script_line found = { .status = 500, .type = "text/plain", .body = "not in the script" };

    pthread_mutex_lock(&script.lock);
    text_append(&script.requests, "%.*s\n", (int) strcspn(request, "\r\n"), request);
    for (size_t i = 0; i < script.count; i++) {
        script_line *l = &script.lines[i];
        if (!l->is_used && strncmp(request, l->on, strlen(l->on)) == 0) {
            l->is_used = true;
            found = *l;
            break;
        }
    }
    pthread_mutex_unlock(&script.lock);
    if (strncmp(request, "GET /api ", 9) == 0) {
        found = (script_line){ .type = AGGREGATED, .body = CORE };
    } else if (strncmp(request, "GET /apis ", 10) == 0) {
        found = (script_line){ .type = AGGREGATED, .body = GROUPS };
    }
    return found;
}

static inline void script_serve(raw_connection *connection)
{
    while (raw_read_request(connection)) {
        script_line l = script_take(connection->request);
        if (!script_say(connection, &l) || l.cuts) {
            return;
        }
        if (l.raises != 0) {
            pthread_kill(script.command, l.raises);
        }
        if (l.holds) {
            raw_wait_for_end(connection);
            return;
        }
    }
}

static inline void script_open(void)
{
    char text_of_config[512];

    script.command = pthread_self();
    script.server = raw_server_start(&(raw_server_options){ .serve = script_serve });
    int len = snprintf(text_of_config, sizeof text_of_config,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"x\","
                       "\"clusters\":[{\"name\":\"x\",\"cluster\":{\"server\":"
                       "\"http://127.0.0.1:%d\"}}],\"users\":[{\"name\":\"x\",\"user\":{}}],"
                       "\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"x\",\"user\":"
                       "\"x\",\"namespace\":\"shop\"}}]}",
                       raw_server_port(script.server));
    script.fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    ASSERT_EQ(write(script.fd, text_of_config, (size_t) len), len);
    snprintf(script.kubeconfig, sizeof script.kubeconfig, "/proc/self/fd/%d", script.fd);
}

static inline void script_add(script_line line)
{
    pthread_mutex_lock(&script.lock);
    script.lines[script.count++] = line;
    pthread_mutex_unlock(&script.lock);
}

static inline void script_close(void)
{
    raw_server_stop(script.server);
    close(script.fd);
}

static inline ssize_t hear(void *context, const char *bytes, size_t len)
{
    text_append(context, "%.*s", (int) len, bytes);
    if (until != NULL && strstr(out_chars, until) != NULL) {
        until = NULL;
        raise(SIGINT);
    }
    return (ssize_t) len;
}

/* Words with blanks between them; with the kubeconfig of the script, if there is one. */
static inline int run(const char *line)
{
    static char copy[512];
    char *words[32];
    int count = 0;
    cookie_io_functions_t functions = { .write = hear };

    text_clear(&out_text);
    text_clear(&err_text);
    FILE *out = fopencookie(&out_text, "w", functions);
    FILE *err = fopencookie(&err_text, "w", functions);
    snprintf(copy, sizeof copy, "%s%s%s", script.server != NULL ? "--kubeconfig " : "",
             script.server != NULL ? script.kubeconfig : "", script.server != NULL ? " " : "");
    size_t used = strlen(copy);
    snprintf(copy + used, sizeof copy - used, "%s", line);
    for (char *at = copy; at != NULL && copy[0] != '\0';) {
        words[count++] = strsep(&at, " ");
    }
    words[count] = NULL;
    int status = kin__cli_run(count, words, out, err);
    fclose(out);
    fclose(err);
    return status;
}

static inline void expect(const char *line, int status, const char *out, const char *err)
{
    int got = run(line);

    ASSERT_STR_EQ(err_chars, err);
    ASSERT_STR_EQ(out_chars, out);
    ASSERT_EQ(got, status);
}

/* The same, ended with Ctrl-C when `last` has been said. */
static inline void expect_until(const char *last, const char *line, const char *out,
                                const char *err)
{
    until = last;
    expect(line, 0, out, err);
}

#endif /* TESTS_UNIT_CLI_SCRIPT_H */
