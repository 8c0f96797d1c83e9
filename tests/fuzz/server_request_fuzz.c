/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_request_fuzz.c - whatever a server is asked, it answers, and then still lives.
 *
 * The input is requests, each "METHOD PATH CONTENT-TYPE", a line end and the body, with a line "%%"
 * between them: so that one may work on what another has made.  Every answer has a status, and a
 * server that was asked anything still lists its namespaces.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kin/testing/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define REQUESTS_MAX 16

static void ask(kin_server *server, const char *method, const char *path, const char *type,
                kin_str body, int *out_status)
{
    kin_server_answer answer;
    kin_error err;
    kin_err code = kin_server_ask(server, method, path, type, body, &answer, &err);

    CHECK(code == KIN_OK || code == KIN_ERR_USAGE);
    if (code == KIN_OK) {
        CHECK(answer.status >= 200 && answer.status < 600);
        *out_status = answer.status;
        kin_server_answer_fini(&answer);
    }
}

static void ask_text(kin_server *server, kin_str text)
{
    const char *end = text.len == 0 ? NULL : memchr(text.data, '\n', text.len);
    size_t len = end == NULL ? text.len : (size_t) (end - text.data);
    char line[1024];
    int status = 0;

    if (len >= sizeof line) {
        return;
    }
    memcpy(line, text.data, len);
    line[len] = '\0';
    char *path = strchr(line, ' ');
    if (path == NULL) {
        return;
    }
    *path++ = '\0';
    char *type = strchr(path, ' ');
    if (type != NULL) {
        *type++ = '\0';
    }
    size_t skip = end == NULL ? len : len + 1;
    ask(server, line, path, type, kin__str(text.data + skip, text.len - skip), &status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_str rest = { (const char *) data, size };
    kin_error err;
    int status = 0;

    options.has_no_tls = true;
    options.history_max = 20;
    CHECK(kin_server_start(&options, &server, &err) == KIN_OK);
    for (int i = 0; i < REQUESTS_MAX && rest.len > 0; i++) {
        const char *mark = memmem(rest.data, rest.len, "\n%%\n", 4);
        size_t len = mark == NULL ? rest.len : (size_t) (mark - rest.data);
        ask_text(server, kin__str(rest.data, len));
        len += mark == NULL ? 0 : 4;
        rest = kin__str(rest.data + len, rest.len - len);
    }
    ask(server, "GET", "/api/v1/namespaces", NULL, kin__str("", 0), &status);
    CHECK(status == 200);
    kin_server_stop(server);
    return 0;
}
