/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route.c - what a request is about: its method and path.
 *
 * The path is taken apart as apiserver's RequestInfoFactory does it; whether that is served follows
 * the routes that its installer makes of a resource's verbs, and for custom resources the switches
 * of apiextensions' handler, which has no routes.
 */
#include "server/route.h"

#include "base/str.h"
#include "server/query.h"
#include "server/quote.h"

#define NOT_FOUND_TEXT "404 page not found\n"

#define COLLECTION_VERBS (KIN__VERB_LIST | KIN__VERB_CREATE | KIN__VERB_DELETE_COLLECTION)
#define OBJECT_VERBS (KIN__VERB_GET | KIN__VERB_UPDATE | KIN__VERB_PATCH | KIN__VERB_DELETE)

static bool read_path(kin__route *route, kin__refusal *no);
static bool read_resource(kin_str rest, kin__route *route, kin__refusal *no);
static void read_parts(kin_str rest, kin__route *route);
static void read_namespaced(kin_str rest, kin__route *route);
static kin_str next_part(kin_str *rest);
static bool refuse_old_watch(const kin__route *route, kin__refusal *no);
static kin__deed deed_of(kin_str method, const kin__route *route, kin_str query);
static bool is_watch(kin_str query);
static bool select_name(kin_str query, kin__route *route);
static bool find_name_term(kin_str selector, kin_str *out);
static size_t term_end(kin_str selector);
static void append_unescaped(kin_str value, kin__buf *out);
static bool check_built_in(const kin__route *route, kin__refusal *no);
static bool check_sub(const kin__route *route, kin__refusal *no);
static uint32_t verbs_of_path(const kin__route *route);
static uint32_t verb_of(kin__deed deed);
static bool check_custom(const kin__route *route, kin__refusal *no);
static bool check_custom_sub(const kin__route *route, kin__refusal *no);
static bool refuse_verb(const kin__route *route, kin__refusal *no);
static const kin__served_sub *find_sub(const kin__route *route);
static bool check_name(kin_str name, kin__refusal *no);
static bool refuse_name(kin_str name, const char *why, kin__refusal *no);

bool kin__route_read(const kin__shelf *shelf, kin_str method, kin_str path, kin_str query,
                     kin__route *out, kin__refusal *no)
{
    AUTO(kin__route_fini) kin__route route = { 0 };

    /* Room for all that is ever put there, so that nothing moves: the path, and one value of the
     * query. */
    if (!kin__buf_reserve(&route.words, path.len + query.len)) {
        return kin__refuse_no_memory(no);
    }
    if (!kin__path_unescape(path, &route.words)) {
        (void) kin__refuse_text(no, 400, "400 Bad Request");
        no->closes = !no->has_no_memory;
        return false;
    }
    route.path = kin__str(route.words.data, route.words.len);
    if (!read_path(&route, no)) {
        return false;
    }
    if (route.is_resource) {
        route.is_head = kin__str_equal(method, STR("HEAD"));
        route.deed = deed_of(method, &route, query);
        route.is_name_selected = select_name(query, &route);
        route.served = kin__shelf_find(shelf, route.group, route.version, route.resource);
    }
    *out = route;
    route = (kin__route){ 0 };
    return true;
}

void kin__route_fini(kin__route *route)
{
    kin__buf_fini(&route->words);
    *route = (kin__route){ 0 };
}

bool kin__route_check(const kin__shelf *shelf, const kin__route *route, kin__refusal *no)
{
    if (!route->is_resource) {
        return true;
    }
    bool is_custom = route->served == NULL ? !kin__shelf_is_built_in(shelf, route->group)
                                           : (route->served->traits & KIN__IS_CUSTOM) != 0;
    if (is_custom) {
        return check_custom(route, no);
    }
    return check_built_in(route, no);
}

kin_str kin__route_scope(const kin__route *route)
{
    bool is_itself = route->ns.len == 0 && !route->is_name_selected &&
                     kin__str_equal(route->resource, STR("namespaces"));

    return is_itself ? route->name : route->ns;
}

/* A resource, or nothing but a path. */
static bool read_path(kin__route *route, kin__refusal *no)
{
    kin_str rest = route->path;

    if (kin__str_starts_with(rest, STR("/api/"))) {
        rest = kin__str(rest.data + 5, rest.len - 5);
        route->group = STR("");
    } else if (kin__str_starts_with(rest, STR("/apis/"))) {
        rest = kin__str(rest.data + 6, rest.len - 6);
        route->group = next_part(&rest);
        if (route->group.len == 0) {
            return true;
        }
    } else {
        return true;
    }
    while (rest.len > 0 && rest.data[rest.len - 1] == '/') {
        rest.len--;
    }
    route->version = next_part(&rest);
    if (rest.len == 0 || route->version.len == 0) {
        route->group = route->version = STR("");
        return true;
    }
    route->is_resource = true;
    return read_resource(rest, route, no);
}

/* What comes behind the version; not empty, and no slash at its end. */
static bool read_resource(kin_str rest, kin__route *route, kin__refusal *no)
{
    kin_str behind = rest;

    if (kin__str_equal(next_part(&behind), STR("watch"))) {
        if (behind.len == 0) {
            return refuse_old_watch(route, no);
        }
        route->is_old_watch = true;
        rest = behind;
    }
    behind = rest;
    if (kin__str_equal(next_part(&behind), STR("namespaces")) && behind.len > 0) {
        read_namespaced(behind, route);
    } else {
        read_parts(rest, route);
    }
    return true;
}

/* resource, name, subresource. */
static void read_parts(kin_str rest, kin__route *route)
{
    route->resource = next_part(&rest);
    bool has_name = rest.len > 0;
    route->name = next_part(&rest);
    bool has_sub = rest.len > 0;
    route->sub = next_part(&rest);
    route->is_put_wrong = route->resource.len == 0 || (has_name && route->name.len == 0) ||
                          (has_sub && route->sub.len == 0) || rest.len > 0;
}

/* What comes behind "namespaces/": a namespace itself, or what is in one. */
static void read_namespaced(kin_str rest, kin__route *route)
{
    kin_str ns = next_part(&rest);
    kin_str behind = rest;
    kin_str next = next_part(&behind);

    if (rest.len > 0 && !kin__str_equal(next, STR("status")) &&
        !kin__str_equal(next, STR("finalize"))) {
        read_parts(rest, route);
        route->ns = ns;
        return;
    }
    route->resource = STR("namespaces");
    route->name = ns;
    route->sub = next;
    route->is_put_wrong = ns.len == 0 || behind.len > 0;
}

/* Up to the next slash, behind which `rest` moves. */
static kin_str next_part(kin_str *rest)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->data, '/', rest->len);
    size_t len = end == NULL ? rest->len : (size_t) (end - rest->data);
    size_t step = end == NULL ? len : len + 1;
    kin_str part = kin__str(rest->data, len);

    *rest = kin__str(rest->data + step, rest->len - step);
    return part;
}

static bool refuse_old_watch(const kin__route *route, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    (void) kin__buf_append_str(&text, STR("Internal Server Error: "));
    kin__quote_append(route->path, &text);
    (void) kin__buf_append_str(&text,
                               STR(": failed to create RequestInfo: unable to determine kind "
                                   "and namespace from url, "));
    (void) kin__buf_append_str(&text, route->path);
    (void) kin__buf_append_byte(&text, '\n');
    (void) kin__buf_append_byte(&text, '\0');
    return kin__buf_failed(&text) ? kin__refuse_no_memory(no)
                                  : kin__refuse_text(no, 500, text.data);
}

static kin__deed deed_of(kin_str method, const kin__route *route, kin_str query)
{
    static const struct {
        const char *method;
        kin__deed deed;
    } deeds[] = {
        { "GET", KIN__DEED_GET },    { "HEAD", KIN__DEED_GET },    { "POST", KIN__DEED_CREATE },
        { "PUT", KIN__DEED_UPDATE }, { "PATCH", KIN__DEED_PATCH }, { "DELETE", KIN__DEED_DELETE },
    };
    kin__deed deed = KIN__DEED_NONE;

    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        if (kin__str_equal(method, kin_str_of(deeds[i].method))) {
            deed = deeds[i].deed;
        }
    }
    if (deed == KIN__DEED_GET && route->is_old_watch) {
        return KIN__DEED_WATCH;
    }
    if (route->name.len > 0) {
        return deed;
    }
    if (deed == KIN__DEED_GET) {
        return is_watch(query) ? KIN__DEED_WATCH : KIN__DEED_LIST;
    }
    return deed == KIN__DEED_DELETE ? KIN__DEED_DELETE_COLLECTION : deed;
}

static bool is_watch(kin_str query)
{
    kin__query_pair pair;

    /* As params.c has it: all is true but "0" and "false". */
    if (!kin__query_find(query, STR("watch"), &pair) || kin__query_equals(pair.value, STR("0"))) {
        return false;
    }
    kin_str no = STR("false");
    if (pair.value.len != no.len) {
        return true;
    }
    for (size_t i = 0; i < no.len; i++) {
        if ((pair.value.data[i] | 0x20) != no.data[i]) {
            return true;
        }
    }
    return false;
}

/* The name that a list or watch is narrowed to by its field selector; there is room for it. */
static bool select_name(kin_str query, kin__route *route)
{
    kin__query_pair pair;
    kin_str value;

    if ((route->deed != KIN__DEED_LIST && route->deed != KIN__DEED_WATCH) || route->name.len > 0 ||
        !kin__query_find(query, STR("fieldSelector"), &pair)) {
        return false;
    }
    size_t start = route->words.len;
    kin__query_unescape(pair.value, &route->words);
    kin_str selector = kin__str(route->words.data + start, route->words.len - start);
    if (!find_name_term(selector, &value)) {
        return false;
    }
    size_t offset = (size_t) (value.data - route->words.data);
    route->words.len = offset; /* what is undone is never longer, and may lie on itself */
    append_unescaped(value, &route->words);
    kin_str name = kin__str(route->words.data + offset, route->words.len - offset);
    kin__refusal unwanted = { 0 };
    bool can_be = name.len > 0 && check_name(name, &unwanted);
    kin__refusal_fini(&unwanted);
    if (can_be) {
        route->name = name;
    }
    return can_be;
}

/* The value of a term metadata.name=value or ==, with its escapes. */
static bool find_name_term(kin_str selector, kin_str *out)
{
    kin_str field = STR("metadata.name=");

    while (selector.len > 0) {
        size_t len = term_end(selector);
        kin_str term = kin__str(selector.data, len);
        if (kin__str_starts_with(term, field)) {
            size_t at = field.len;
            at += at < len && term.data[at] == '=';
            *out = kin__str(term.data + at, len - at);
            return true;
        }
        size_t step = len < selector.len ? len + 1 : len;
        selector = kin__str(selector.data + step, selector.len - step);
    }
    return false;
}

/* At the next comma that is not escaped. */
static size_t term_end(kin_str selector)
{
    size_t at = 0;

    while (at < selector.len && selector.data[at] != ',') {
        at += selector.data[at] == '\\' && at + 1 < selector.len ? 2 : 1;
    }
    return at;
}

static void append_unescaped(kin_str value, kin__buf *out)
{
    for (size_t i = 0; i < value.len; i++) {
        i += value.data[i] == '\\' && i + 1 < value.len;
        (void) kin__buf_append_byte(out, value.data[i]);
    }
}

static bool check_built_in(const kin__route *route, kin__refusal *no)
{
    if (route->served == NULL || route->is_put_wrong) {
        return kin__refuse_unknown(no);
    }
    if (route->sub.len > 0) {
        return check_sub(route, no);
    }
    uint32_t verbs = verbs_of_path(route);
    if (verbs == 0) {
        return kin__refuse_unknown(no);
    }
    uint32_t verb = verb_of(route->deed);
    if (route->is_head || (verbs & verb) == 0) {
        return kin__refuse_method(no);
    }
    if (route->deed == KIN__DEED_WATCH && (route->served->verbs & KIN__VERB_WATCH) == 0) {
        return refuse_verb(route, no);
    }
    return route->is_name_selected || check_name(route->name, no);
}

static bool check_sub(const kin__route *route, kin__refusal *no)
{
    const kin__served_sub *sub = find_sub(route);

    if (sub == NULL || route->is_old_watch || route->served->is_namespaced != (route->ns.len > 0)) {
        return kin__refuse_unknown(no);
    }
    if (route->is_head || (sub->verbs & verb_of(route->deed)) == 0) {
        return kin__refuse_method(no);
    }
    /* What is behind a proxy is not there. */
    bool is_proxy = kin__str_equal(route->sub, STR("proxy"));
    return check_name(route->name, no) && (!is_proxy || kin__refuse_unknown(no));
}

/* What the routes of this very path can do; 0 when there is no such path. */
static uint32_t verbs_of_path(const kin__route *route)
{
    uint32_t verbs = route->served->verbs;
    bool is_everywhere = route->ns.len == 0 && route->served->is_namespaced;
    bool has_name = route->name.len > 0 && !route->is_name_selected;

    if ((route->ns.len > 0 && !route->served->is_namespaced) || (is_everywhere && has_name)) {
        return 0;
    }
    if (route->is_old_watch) {
        return verbs & KIN__VERB_WATCH;
    }
    if (has_name) {
        return verbs & OBJECT_VERBS;
    }
    /* A watch without "watch" among the verbs gets as far as the list. */
    verbs &= is_everywhere ? KIN__VERB_LIST : COLLECTION_VERBS;
    return (verbs & KIN__VERB_LIST) != 0 ? verbs | KIN__VERB_WATCH : verbs;
}

static uint32_t verb_of(kin__deed deed)
{
    switch (deed) {
    case KIN__DEED_GET:
        return KIN__VERB_GET;
    case KIN__DEED_LIST:
        return KIN__VERB_LIST;
    case KIN__DEED_WATCH:
        return KIN__VERB_WATCH;
    case KIN__DEED_CREATE:
        return KIN__VERB_CREATE;
    case KIN__DEED_UPDATE:
        return KIN__VERB_UPDATE;
    case KIN__DEED_PATCH:
        return KIN__VERB_PATCH;
    case KIN__DEED_DELETE:
        return KIN__VERB_DELETE;
    case KIN__DEED_DELETE_COLLECTION:
        return KIN__VERB_DELETE_COLLECTION;
    case KIN__DEED_PATH:
    case KIN__DEED_NONE:
        break;
    }
    return 0;
}

static bool check_custom(const kin__route *route, kin__refusal *no)
{
    bool has_name = route->name.len > 0 && !route->is_name_selected;

    if (route->served == NULL || route->resource.len == 0 ||
        (route->ns.len > 0 && !route->served->is_namespaced)) {
        return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
    }
    if (route->served->is_namespaced && route->ns.len == 0 &&
        (has_name || (route->deed != KIN__DEED_LIST && route->deed != KIN__DEED_WATCH))) {
        return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
    }
    if (route->sub.len > 0) {
        return check_custom_sub(route, no);
    }
    if (route->deed == KIN__DEED_NONE) {
        return refuse_verb(route, no);
    }
    if (!has_name && (route->deed == KIN__DEED_UPDATE || route->deed == KIN__DEED_PATCH)) {
        return kin__refuse_bad_request(no, "name must be provided");
    }
    return route->is_name_selected || check_name(route->name, no);
}

static bool check_custom_sub(const kin__route *route, kin__refusal *no)
{
    const kin__served_sub *sub = find_sub(route);

    if (sub == NULL) {
        return kin__refuse_not_found(no, route->served, route->name);
    }
    if ((sub->verbs & verb_of(route->deed)) == 0) {
        return refuse_verb(route, no);
    }
    return check_name(route->name, no);
}

/* 405 as the handlers say it, not the router. */
static bool refuse_verb(const kin__route *route, kin__refusal *no)
{
    const kin__served *served = route->served;

    (void) kin__refuse(no, 405, "MethodNotAllowed",
                       "%s is not supported on resources of kind \"%s\"",
                       kin__deed_name(route->deed), served->full_name.data);
    kin__refusal_set_details(no, STR(""), served->group, served->resource);
    return false;
}

static const kin__served_sub *find_sub(const kin__route *route)
{
    for (const kin__served_sub *sub = route->served->subs; sub != NULL && sub->name != NULL;
         sub++) {
        if (kin__str_equal(kin_str_of(sub->name), route->sub)) {
            return sub;
        }
    }
    return NULL;
}

/* IsValidPathSegmentName(); a slash cannot be there. */
static bool check_name(kin_str name, kin__refusal *no)
{
    if (kin__str_equal(name, STR("."))) {
        return refuse_name(name, "may not be '.'", no);
    }
    if (kin__str_equal(name, STR(".."))) {
        return refuse_name(name, "may not be '..'", no);
    }
    if (name.len > 0 && memchr(name.data, '%', name.len) != NULL) {
        return refuse_name(name, "may not contain '%'", no);
    }
    return true;
}

static bool refuse_name(kin_str name, const char *why, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(name, &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "Name parameter invalid: %.*s: %s", (int) quoted.len,
                                   quoted.data, why);
}
