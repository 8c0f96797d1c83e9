/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - authentication by one token, authorization by a list of rules.
 *
 * The texts are those of kube-apiserver 1.36.3 with RBAC, less the reason it gives in brackets.
 */
#include "server/guard.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "json/scanner.h"
#include "server/quote.h"
#include "server/text_tree.h"

#define ANONYMOUS "system:anonymous"

static kin_err check_rule(const kin__node *rule, size_t index, kin_error *err);
static bool is_public(kin_str verb, const kin__route *route);
static bool matches_rule(const kin__node *rule, kin_str verb, const kin__route *route);
static bool has_word(const kin__node *rule, kin_str member, kin_str word);
static bool has_resource(const kin__node *rule, const kin__route *route);
static bool refuse_route(const kin__route *route, kin_str user, kin_str verb, kin__refusal *no);
static bool refuse_path(const kin__route *route, kin_str user, kin_str verb, kin__refusal *no);
static bool equals_secretly(kin_str a, kin_str b);

void kin__guard_fini(kin__guard *guard)
{
    kin__buf_fini(&guard->token);
    kin__node_free(guard->rules);
    guard->rules = NULL;
}

kin_err kin__guard_set_token(kin__guard *guard, kin_str token, kin_error *err)
{
    kin__buf copy = { 0 };

    if (!kin__buf_append_str(&copy, token)) {
        return kin__error_no_memory(err);
    }
    kin__buf_fini(&guard->token);
    guard->token = copy;
    return KIN_OK;
}

kin_err kin__guard_set_rules(kin__guard *guard, kin_str json, kin_error *err)
{
    AUTO(kin__node_free) kin__node *rules = NULL;
    kin__node_iter iter = { 0 };

    if (kin__text_tree(json, KIN_TYPE_ARRAY, &rules, err)) {
        return kin__error_prefix(err, "rules");
    }
    for (size_t i = 0; kin__node_next(rules, &iter); i++) {
        if (check_rule(iter.value, i, err)) {
            return err->code;
        }
    }
    kin__node_free(guard->rules);
    guard->rules = STEAL(rules);
    return KIN_OK;
}

bool kin__guard_authenticate(const kin__guard *guard, const kin__badge *badge, kin_str *out_user,
                             kin__refusal *no)
{
    kin_str token = kin__guard_bearer(badge->authorization);

    *out_user = STR(KIN__GUARD_USER);
    if (guard->token.len == 0) {
        return true;
    }
    if (badge->peer_name.len > 0) {
        *out_user = badge->peer_name;
        return true;
    }
    if (token.len > 0 ? !kin__guard_has_token(guard, token) : badge->is_foreign) {
        return kin__refuse(no, 401, "Unauthorized", "Unauthorized");
    }
    if (token.len == 0) {
        *out_user = STR(ANONYMOUS);
    }
    return true;
}

bool kin__guard_is_anonymous(kin_str user)
{
    return kin__str_equal(user, STR(ANONYMOUS));
}

bool kin__guard_has_token(const kin__guard *guard, kin_str token)
{
    return guard->token.len > 0 &&
           equals_secretly(token, kin__str(guard->token.data, guard->token.len));
}

kin_str kin__guard_bearer(kin_str authorization)
{
    kin_str word = STR("Bearer ");

    if (authorization.len <= word.len ||
        strncasecmp(authorization.data, word.data, word.len) != 0) {
        return STR("");
    }
    return kin__str(authorization.data + word.len, authorization.len - word.len);
}

bool kin__guard_allows(const kin__guard *guard, kin_str user, kin_str verb, const kin__route *route)
{
    kin__node_iter iter = { 0 };
    bool is_forbidden = kin__guard_is_anonymous(user) && !is_public(verb, route);

    while (!is_forbidden && guard->rules != NULL && kin__node_next(guard->rules, &iter)) {
        is_forbidden = matches_rule(iter.value, verb, route);
    }
    return !is_forbidden;
}

bool kin__guard_authorize(const kin__guard *guard, kin_str user, kin_str method,
                          const kin__route *route, kin__refusal *no)
{
    kin_str verb = route->is_resource ? kin_str_of(kin__deed_name(route->deed)) : method;

    if (kin__guard_allows(guard, user, verb, route)) {
        return true;
    }
    return kin__guard_refuse(user, "", method, route, no);
}

bool kin__guard_refuse(kin_str user, const char *manner, kin_str method, const kin__route *route,
                       kin__refusal *no)
{
    kin_str deed = kin_str_of(kin__deed_name(route->deed));
    AUTO(kin__buf_fini) kin__buf verb = { 0 };

    (void) kin__buf_append_str(&verb, kin_str_of(manner));
    if (route->is_resource) {
        (void) kin__buf_append_str(&verb, deed);
    }
    for (size_t i = 0; !route->is_resource && i < method.len; i++) {
        bool is_capital = method.data[i] >= 'A' && method.data[i] <= 'Z';
        (void) kin__buf_append_byte(&verb, (char) (method.data[i] + (is_capital ? 'a' - 'A' : 0)));
    }
    if (kin__buf_failed(&verb)) {
        return kin__refuse_no_memory(no);
    }
    kin_str text = kin__str(verb.data, verb.len);
    return route->is_resource ? refuse_route(route, user, text, no)
                              : refuse_path(route, user, text, no);
}

static kin_err check_rule(const kin__node *rule, size_t index, kin_error *err)
{
    kin__node_iter iter = { 0 };

    if (kin__node_type(rule) != KIN_TYPE_OBJECT) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "rules[%zu]: not an object", index);
    }
    while (kin__node_next(rule, &iter)) {
        kin__node_iter words = { 0 };
        if (!kin__str_equal(iter.name, STR("verbs")) &&
            !kin__str_equal(iter.name, STR("resources")) &&
            !kin__str_equal(iter.name, STR("namespaces"))) {
            return kin__error_set(err, KIN_ERR_MALFORMED,
                                  "rules[%zu]: \"%.*s\" is none of verbs, resources, namespaces",
                                  index, KIN_STR_ARG(iter.name));
        }
        bool is_right = kin__node_type(iter.value) == KIN_TYPE_ARRAY;
        while (is_right && kin__node_next(iter.value, &words)) {
            is_right = kin__node_type(words.value) == KIN_TYPE_STRING;
        }
        if (!is_right) {
            return kin__error_set(err, KIN_ERR_MALFORMED,
                                  "rules[%zu].%.*s: not an array of strings", index,
                                  KIN_STR_ARG(iter.name));
        }
    }
    return KIN_OK;
}

/* What the role system:public-info-viewer allows. */
static bool is_public(kin_str verb, const kin__route *route)
{
    static const char *const paths[] = { "/healthz", "/livez", "/readyz", "/version", "/version/" };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!route->is_resource && kin__str_equal(route->path, kin_str_of(paths[i]))) {
            return verb.len == 3 && strncasecmp(verb.data, "get", 3) == 0;
        }
    }
    return false;
}

static bool matches_rule(const kin__node *rule, kin_str verb, const kin__route *route)
{
    return route->is_resource && has_word(rule, STR("verbs"), verb) && has_resource(rule, route) &&
           has_word(rule, STR("namespaces"), kin__route_scope(route));
}

/* Whether the array names the word, or all; an absent array does.  Of the word "*" any is one. */
static bool has_word(const kin__node *rule, kin_str member, kin_str word)
{
    const kin__node *words = kin__node_member(rule, member);
    kin__node_iter iter = { 0 };

    if (words == NULL) {
        return true;
    }
    while (kin__node_next(words, &iter)) {
        kin_str text = kin__node_text(iter.value);
        if (kin__str_equal(text, STR("*")) || kin__str_equal(word, STR("*")) ||
            kin__str_equal(text, word)) {
            return true;
        }
    }
    return false;
}

/* "deployments", "deployments.apps" and, for subresources, "deployments/status". */
static bool has_resource(const kin__node *rule, const kin__route *route)
{
    char full[256];

    if (route->sub.len > 0) {
        (void) snprintf(full, sizeof full, "%.*s/%.*s", KIN_STR_ARG(route->resource),
                        KIN_STR_ARG(route->sub));
        return has_word(rule, STR("resources"), kin_str_of(full));
    }
    (void) snprintf(full, sizeof full, "%.*s.%.*s", KIN_STR_ARG(route->resource),
                    KIN_STR_ARG(route->group));
    return has_word(rule, STR("resources"), route->resource) ||
           (route->group.len > 0 && has_word(rule, STR("resources"), kin_str_of(full)));
}

static bool refuse_route(const kin__route *route, kin_str user, kin_str verb, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf what = { 0 };
    AUTO(kin__buf_fini) kin__buf place = { 0 };
    bool has_group = route->group.len > 0, has_name = route->name.len > 0;
    kin_str scope = kin__route_scope(route);

    (void) kin__buf_append_format(&what, "%.*s%s%.*s", KIN_STR_ARG(route->resource),
                                  has_group ? "." : "", KIN_STR_ARG(route->group));
    if (has_name) {
        (void) kin__buf_append_byte(&what, ' ');
        kin__quote_append(route->name, &what);
    }
    if (scope.len > 0) {
        (void) kin__buf_append_format(&place, "in the namespace ");
        kin__quote_append(scope, &place);
    } else {
        (void) kin__buf_append_format(&place, "at the cluster scope");
    }
    if (kin__buf_failed(&what) || kin__buf_failed(&place)) {
        return kin__refuse_no_memory(no);
    }
    (void) kin__refuse(
        no, 403, "Forbidden",
        "%.*s is forbidden: User \"%.*s\" cannot %.*s resource \"%.*s%s%.*s\" in API "
        "group \"%.*s\" %.*s",
        (int) what.len, what.data, KIN_STR_ARG(user), KIN_STR_ARG(verb),
        KIN_STR_ARG(route->resource), route->sub.len > 0 ? "/" : "", KIN_STR_ARG(route->sub),
        KIN_STR_ARG(route->group), (int) place.len, place.data);
    kin__refusal_set_details(no, route->name, route->group, route->resource);
    return false;
}

static bool refuse_path(const kin__route *route, kin_str user, kin_str verb, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf path = { 0 };

    kin__quote_append(route->path, &path);
    if (kin__buf_failed(&path)) {
        return kin__refuse_no_memory(no);
    }
    (void) kin__refuse(no, 403, "Forbidden", "forbidden: User \"%.*s\" cannot %.*s path %.*s",
                       KIN_STR_ARG(user), KIN_STR_ARG(verb), (int) path.len, path.data);
    no->has_details = true;
    return false;
}

/* In a time that does not tell how much of it was right. */
static bool equals_secretly(kin_str a, kin_str b)
{
    unsigned difference = a.len == b.len ? 0 : 1;

    for (size_t i = 0; i < a.len && i < b.len; i++) {
        difference |= (unsigned char) (a.data[i] ^ b.data[i]);
    }
    return difference == 0;
}
