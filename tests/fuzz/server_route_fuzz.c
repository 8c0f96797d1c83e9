/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_route_fuzz.c - whatever is asked for, the server finds out what it is, or refuses it.
 *
 * The input is lines: method, path, query, Accept, Accept-Encoding, User-Agent.  What is refused
 * has a Status in both encodings; what is not is served, has names without a slash, and if it is a
 * path, an answer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "json/scanner.h"
#include "server/deed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static kin__storage *storage;
static kin__shelf *shelf;

static kin_str next_line(const char **at, size_t *left)
{
    const char *end = *left == 0 ? NULL : memchr(*at, '\n', *left);
    size_t len = end == NULL ? *left : (size_t) (end - *at);
    kin_str line = kin__str(*at, len);
    size_t step = end == NULL ? len : len + 1;

    *at += step;
    *left -= step;
    return line;
}

static void check_json(kin_str json)
{
    kin__json_scanner_options options = { .allows_many = false };
    kin__json_scanner *scanner;
    kin_error err;

    CHECK(kin__json_scanner_new(&options, &scanner, &err) == KIN_OK);
    CHECK(kin__json_scanner_feed(scanner, json.data, json.len, &err) == KIN_OK);
    CHECK(kin__json_scanner_finish(scanner, &err) == KIN_OK);
    kin__json_scanner_free(scanner);
}

static void check_refusal(kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf proto = { 0 };

    CHECK(no->code >= 400 && no->code < 600 && !no->has_no_memory);
    if (no->is_text) {
        return;
    }
    no->is_pretty = (no->message.len & 1) != 0;
    CHECK(kin__refusal_write_json(no, &json));
    check_json(kin__str(json.data, json.len));
    CHECK(kin__refusal_write_proto(no, &proto));
}

static void check_part(kin_str part)
{
    CHECK(part.len == 0 || memchr(part.data, '/', part.len) == NULL);
}

static void check_route(const kin__route *route)
{
    check_part(route->group);
    check_part(route->version);
    check_part(route->resource);
    check_part(route->ns);
    check_part(route->sub);
    if (!route->is_name_selected) {
        check_part(route->name);
    }
    CHECK(route->is_resource == (route->deed != KIN__DEED_PATH));
}

static void check_answer(const kin__answer *answer)
{
    kin_str type = kin_str_of(answer->content_type);

    if (answer->status == 0 && kin__str_starts_with(type, STR(KIN__MEDIA_JSON))) {
        check_json(kin__str(answer->bytes.data, answer->bytes.len));
    }
}

/* Whether it gets as far as somebody who serves it. */
static bool ask(kin__asked *asked, kin_str path, kin_str encodings, kin__answer *answer,
                kin__refusal *no)
{
    if (!kin__route_read(shelf, asked->method, path, asked->query, &asked->route, no)) {
        return false;
    }
    check_route(&asked->route);
    if (!kin__route_check(shelf, &asked->route, no)) {
        return false;
    }
    CHECK(asked->route.is_resource == (asked->route.served != NULL));
    if (!kin__params_read(asked->route.deed, asked->query, &asked->params, no) ||
        !kin__form_choose(asked->route.served, asked->route.deed, asked->accept, encodings,
                          asked->user_agent, &asked->params, &asked->form, no)) {
        return false;
    }
    if (asked->route.is_old_watch && asked->route.name.len > 0) {
        CHECK(kin__params_narrow(&asked->params, asked->route.name, no));
    }
    if (asked->route.deed != KIN__DEED_PATH) {
        return true;
    }
    bool is_served = kin__serve_path(asked, answer, no);
    if (is_served) {
        check_answer(answer);
    }
    return is_served;
}

static void add_custom(void)
{
    kin__served widgets = {
        .group = STR("example.com"),
        .version = STR("v1"),
        .resource = STR("widgets"),
        .singular = STR("widget"),
        .kind = STR("Widget"),
        .is_namespaced = true,
        .is_stored = true,
        .verbs = KIN__VERB_GET | KIN__VERB_LIST | KIN__VERB_WATCH,
    };
    kin_error err;

    CHECK(kin__shelf_add(shelf, &widgets, NULL, &err) == KIN_OK);
}

/* What is served takes longer to make than to ask; a fuzzer makes it once. */
static void set_up(void)
{
    kin__storage_options options = { .history_max = 1 };
    kin_error err;

    if (shelf == NULL) {
        CHECK(kin__storage_new(&options, &storage, &err) == KIN_OK);
        CHECK(kin__shelf_new(storage, &shelf, &err) == KIN_OK);
        add_custom();
    }
}

static void tear_down(void)
{
#ifdef FUZZ_TARGET /* an ordinary test, which must leave no memory behind */
    kin__shelf_free(shelf);
    kin__storage_free(storage);
    shelf = NULL;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__answer answer = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    const char *at = (const char *) data;
    size_t left = size;

    set_up();
    kin__engine engine = { .shelf = shelf, .address = STR("127.0.0.1:6443") };
    kin__asked asked = { .engine = &engine };
    asked.method = next_line(&at, &left);
    kin_str path = next_line(&at, &left);
    asked.query = next_line(&at, &left);
    asked.accept = next_line(&at, &left);
    kin_str encodings = next_line(&at, &left);
    asked.user_agent = next_line(&at, &left);

    if (!ask(&asked, path, encodings, &answer, &no)) {
        check_refusal(&no);
    } else {
        CHECK(no.code == 0);
    }
    kin__buf_fini(&answer.bytes);
    kin__buf_fini(&answer.words);
    kin__route_fini(&asked.route);
    kin__params_fini(&asked.params);
    tear_down();
    return 0;
}
