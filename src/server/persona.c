/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persona.c - the headers Impersonate-*, and who may use them.
 *
 * As kube-apiserver 1.36.3 reads them.  Of its modes, which differ in what may be allowed, only the
 * names in messages are left: here everything is allowed that no rule forbids.
 */
#include "server/persona.h"

#include <string.h>

#include "base/str.h"
#include "server/field.h"
#include "server/query.h"
#include "server/quote.h"

#define PREFIX "Impersonate-"
#define ACCOUNT "system:serviceaccount:"
#define NODE "system:node:"
#define AUTHENTICATION "authentication.k8s.io"
#define AUTHENTICATED "system:authenticated"
#define UNAUTHENTICATED "system:unauthenticated"

static bool has_prefix(kin_str name, kin_str prefix);
static kin_str rest_of(kin_str name, kin_str prefix);
static bool take_header(kin__node *info, kin_str name, kin_str value);
static bool set_first(kin__node *info, const char *name, kin_str value);
static bool append_to(kin__node *info, const char *name, kin_str value);
static bool add_extra(kin__node *info, kin_str header, kin_str value);
static bool unescape_key(kin_str header, kin__buf *out);
static bool refuse_nameless(const kin__node *info, kin__refusal *no);
static void print_texts(const kin__node *texts, kin__buf *out);
static void print_extra(const kin__node *extra, kin__buf *out);
static bool add_groups(kin__node *info);
static bool is_in(const kin__node *groups, kin_str group);
static bool split_account(kin_str user, kin_str *ns, kin_str *name);
static const char *manner_of(const kin__node *persona);
static bool may_be(const kin__node *persona, const kin__guard *guard, kin_str user,
                   kin__route *forbidden);
static kin_str first_of(const kin__node *texts);
static bool may(const kin__guard *guard, kin_str user, kin__route what, kin__route *forbidden);

bool kin__persona_read(const kin__visit *visit, kin__node **out, kin__refusal *no)
{
    AUTO(kin__node_free) kin__node *info = NULL;
    kin_str name, value;

    *out = NULL;
    for (size_t at = 0; kin__visit_next_header(visit, &at, &name, &value);) {
        if (!has_prefix(name, STR(PREFIX))) {
            continue;
        }
        info = info == NULL ? kin__tree_of(STR("{}")) : info;
        if (info == NULL || !take_header(info, rest_of(name, STR(PREFIX)), value)) {
            return kin__refuse_no_memory(no);
        }
    }
    if (info == NULL || kin__node_count(info) == 0) {
        return true;
    }
    if (kin__field_text(info, "username").len == 0) {
        return refuse_nameless(info, no);
    }
    *out = STEAL(info);
    return true;
}

bool kin__persona_assume(kin__node *persona, const kin__guard *guard, kin_str user, kin_str method,
                         const kin__route *route, kin__refusal *no)
{
    kin__route forbidden = { 0 };

    if (may_be(persona, guard, user, &forbidden)) {
        return add_groups(persona) || kin__refuse_no_memory(no);
    }
    const char *manner = manner_of(persona);
    return manner != NULL ? kin__guard_refuse(user, manner, method, route, no)
                          : kin__guard_refuse(user, "impersonate", STR(""), &forbidden, no);
}

/* In any case of letters, as names of headers are. */
static bool has_prefix(kin_str name, kin_str prefix)
{
    return name.len >= prefix.len && strncasecmp(name.data, prefix.data, prefix.len) == 0;
}

static kin_str rest_of(kin_str name, kin_str prefix)
{
    return kin__str(name.data + prefix.len, name.len - prefix.len);
}

/* `name` is what comes behind the prefix; one that is none of these says nothing. */
static bool take_header(kin__node *info, kin_str name, kin_str value)
{
    kin_str extra = STR("Extra-");

    if (has_prefix(name, STR("User")) && name.len == 4) {
        return set_first(info, "username", value);
    }
    if (has_prefix(name, STR("Uid")) && name.len == 3) {
        return set_first(info, "uid", value);
    }
    if (has_prefix(name, STR("Group")) && name.len == 5) {
        return append_to(info, "groups", value);
    }
    return !has_prefix(name, extra) || add_extra(info, rest_of(name, extra), value);
}

static bool set_first(kin__node *info, const char *name, kin_str value)
{
    return value.len == 0 || kin__field(info, name) != NULL ||
           kin__field_set_text(info, name, value);
}

static bool append_to(kin__node *info, const char *name, kin_str value)
{
    kin__node *texts = kin__field_make(info, name, KIN_TYPE_ARRAY);

    return texts != NULL && kin__field_append_text(texts, value);
}

static bool add_extra(kin__node *info, kin_str header, kin_str value)
{
    kin__node *extra = kin__field_make(info, "extra", KIN_TYPE_OBJECT);
    AUTO(kin__buf_fini) kin__buf key = { 0 };

    return extra != NULL && unescape_key(header, &key) && append_to(extra, key.data, value);
}

/* In small letters; with escapes that are broken, as it is.  Ends with a zero byte. */
static bool unescape_key(kin_str header, kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf small = { 0 };

    for (size_t i = 0; i < header.len; i++) {
        bool is_capital = header.data[i] >= 'A' && header.data[i] <= 'Z';
        (void) kin__buf_append_byte(&small, (char) (header.data[i] + (is_capital ? 'a' - 'A' : 0)));
    }
    if (kin__buf_failed(&small)) {
        return false;
    }
    kin_str text = kin__str(small.data, small.len);
    if (!kin__path_unescape(text, out) && !kin__buf_failed(out)) {
        (void) kin__buf_append_str(out, text);
    }
    return !kin__buf_failed(out) && kin__buf_append_byte(out, '\0');
}

/* With what Go prints of such a struct. */
static bool refuse_nameless(const kin__node *info, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    (void) kin__buf_append_format(&text, "&user.DefaultInfo{Name:\"\", UID:");
    kin__quote_append(kin__field_text(info, "uid"), &text);
    (void) kin__buf_append_format(&text, ", Groups:");
    print_texts(kin__field(info, "groups"), &text);
    (void) kin__buf_append_format(&text, ", Extra:");
    print_extra(kin__field(info, "extra"), &text);
    (void) kin__buf_append_byte(&text, '}');
    return kin__buf_failed(&text)
               ? kin__refuse_no_memory(no)
               : kin__refuse_bad_request(no, "requested %.*s without impersonating a user name",
                                         (int) text.len, text.data);
}

static void print_texts(const kin__node *texts, kin__buf *out)
{
    kin__node_iter iter = { 0 };
    const char *before = "[]string{";

    if (texts == NULL) {
        (void) kin__buf_append_format(out, "[]string(nil)");
        return;
    }
    for (; kin__node_next(texts, &iter); before = ", ") {
        (void) kin__buf_append_str(out, kin_str_of(before));
        kin__quote_append(kin__node_text(iter.value), out);
    }
    (void) kin__buf_append_byte(out, '}');
}

static void print_extra(const kin__node *extra, kin__buf *out)
{
    kin__node_iter iter = { 0 };
    const char *before = "map[string][]string{";

    if (extra == NULL) {
        (void) kin__buf_append_format(out, "map[string][]string(nil)");
        return;
    }
    for (; kin__node_next(extra, &iter); before = ", ") {
        (void) kin__buf_append_str(out, kin_str_of(before));
        kin__quote_append(iter.name, out);
        (void) kin__buf_append_byte(out, ':');
        print_texts(iter.value, out);
    }
    (void) kin__buf_append_byte(out, '}');
}

/* Those of a service account, where none are named, and the one that everybody has. */
static bool add_groups(kin__node *info)
{
    kin_str user = kin__field_text(info, "username"), ns, name;
    bool has_groups = kin__field(info, "groups") != NULL;
    kin__node *groups = kin__field_make(info, "groups", KIN_TYPE_ARRAY);
    AUTO(kin__buf_fini) kin__buf own = { 0 };

    if (groups == NULL) {
        return false;
    }
    if (!has_groups && split_account(user, &ns, &name) &&
        (!kin__buf_append_format(&own, "system:serviceaccounts:%.*s", KIN_STR_ARG(ns)) ||
         !kin__field_append_text(groups, STR("system:serviceaccounts")) ||
         !kin__field_append_text(groups, kin__str(own.data, own.len)))) {
        return false;
    }
    kin_str common = kin__guard_is_anonymous(user) ? STR(UNAUTHENTICATED) : STR(AUTHENTICATED);
    return is_in(groups, common) || is_in(groups, STR(UNAUTHENTICATED)) ||
           kin__field_append_text(groups, common);
}

static bool is_in(const kin__node *groups, kin_str group)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(groups, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), group)) {
            return true;
        }
    }
    return false;
}

/* "system:serviceaccount:NAMESPACE:NAME" */
static bool split_account(kin_str user, kin_str *ns, kin_str *name)
{
    kin_str prefix = STR(ACCOUNT);

    if (!kin__str_starts_with(user, prefix)) {
        return false;
    }
    kin_str rest = rest_of(user, prefix);
    const char *colon = rest.len == 0 ? NULL : memchr(rest.data, ':', rest.len);
    if (colon == NULL || colon == rest.data || colon + 1 == rest.data + rest.len ||
        memchr(colon + 1, ':', rest.len - (size_t) (colon + 1 - rest.data)) != NULL) {
        return false;
    }
    *ns = kin__str(rest.data, (size_t) (colon - rest.data));
    *name = kin__str(colon + 1, rest.len - ns->len - 1);
    return true;
}

/* The first mode that a real server tries: its refusal is told.  NULL: none but the old one, which
 * speaks of the persona itself. */
static const char *manner_of(const kin__node *persona)
{
    kin_str name = kin__field_text(persona, "username"), unused;
    bool is_node = kin__str_starts_with(name, STR(NODE));

    if (!is_node && !split_account(name, &unused, &unused)) {
        return "impersonate-on:user-info:";
    }
    if (kin__node_count(persona) > 1) {
        return NULL;
    }
    return is_node ? "impersonate-on:arbitrary-node:" : "impersonate-on:serviceaccount:";
}

/* `forbidden` is what may not be, if anything. */
static bool may_be(const kin__node *persona, const kin__guard *guard, kin_str user,
                   kin__route *forbidden)
{
    const kin__node *extra = kin__field(persona, "extra");
    kin__route who = { .resource = STR("users"), .name = kin__field_text(persona, "username") };
    kin__route uid = { .resource = STR("uids"), .name = kin__field_text(persona, "uid") };
    kin__route group = { .resource = STR("groups"),
                         .name = first_of(kin__field(persona, "groups")) };
    kin__node_iter iter = { 0 };

    uid.group = STR(AUTHENTICATION);
    if (split_account(who.name, &who.ns, &who.name)) {
        who.resource = STR("serviceaccounts");
    }
    bool is_allowed = may(guard, user, who, forbidden) &&
                      (uid.name.len == 0 || may(guard, user, uid, forbidden)) &&
                      (kin__field(persona, "groups") == NULL || may(guard, user, group, forbidden));
    while (is_allowed && extra != NULL && kin__node_next(extra, &iter)) {
        kin__route one = { .group = STR(AUTHENTICATION), .resource = STR("userextras") };
        one.sub = iter.name;
        one.name = first_of(iter.value);
        is_allowed = may(guard, user, one, forbidden);
    }
    return is_allowed;
}

static kin_str first_of(const kin__node *texts)
{
    kin__node_iter iter = { 0 };

    return texts != NULL && kin__node_next(texts, &iter) ? kin__node_text(iter.value) : STR("");
}

static bool may(const kin__guard *guard, kin_str user, kin__route what, kin__route *forbidden)
{
    what.is_resource = true;
    *forbidden = what;
    return kin__guard_allows(guard, user, STR("impersonate"), &what);
}
