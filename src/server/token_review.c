/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token_review.c - tokens given, and told whose they are.
 *
 * Texts are those of kubernetes 1.36, pkg/apis/authentication/validation and
 * pkg/registry/authentication.
 */
#include "server/token_review.h"

#include <string.h>

#include "server/field.h"
#include "server/guard.h"
#include "server/identity.h"
#include "server/metadata_check.h"
#include "server/service_token.h"

#define GROUP STR("authentication.k8s.io")
#define KIND STR("TokenRequest")
#define HOUR_S 3600
#define LEAST_S 600
#define MOST_S ((int64_t) 1 << 32)
#define OWN_CLAIMS /* what the server's own token would claim, if it did */                        \
    "{\"aud\":[\"" KIN__SERVICE_TOKEN_AUDIENCE "\"],\"sub\":\"" KIN__GUARD_USER "\"}"

static bool fill_status(const kin__node *spec, const kin__node *claims, kin__node *status);
static bool check_name(const kin__asked *asked, const kin__node *request, kin__refusal *no);
static bool check_time(int64_t lasts_s, kin__refusal *no);
static bool bind(const kin__asked *asked, const kin__node *bound, kin__service_account *account,
                 kin__refusal *no);
static bool is_of_account(const kin_object *pod, kin_str name);
static bool refuse_uid(const kin__node *bound, const kin__served *served, kin__refusal *no);
static bool fill_request(kin__asked *asked, kin__node *request, kin__service_account *account);
static bool add_audiences(const kin__node *asked, const kin__node *claims, kin__node *out);
static bool has_text(const kin__node *texts, kin_str text);

bool kin__token_request(kin__asked *asked, kin__node *request, kin__refusal *no)
{
    const kin__route *route = &asked->route;
    kin__service_account account = { .ns = route->ns, .name = route->name, .lasts_s = HOUR_S };
    const kin__node *bound = kin__field_at(request, "spec", "boundObjectRef");
    kin__record *record = NULL;

    if (!check_name(asked, request, no)) {
        return false;
    }
    if (!kin__service_token_find(asked->engine, "serviceaccounts", route->ns, route->name,
                                 &record)) {
        return kin__refuse_no_memory(no);
    }
    if (record == NULL) {
        return kin__refuse_not_found(no, route->served, route->name);
    }
    account.uid = kin_object_uid(record->object);
    (void) kin__field_int64(kin__field(request, "spec"), "expirationSeconds", &account.lasts_s);
    if (!check_time(account.lasts_s, no) ||
        (kin__node_is(bound, KIN_TYPE_OBJECT) && !bind(asked, bound, &account, no))) {
        return false;
    }
    return fill_request(asked, request, &account) || kin__refuse_no_memory(no);
}

bool kin__token_review(kin__asked *asked, kin__node *review, kin__refusal *no)
{
    kin_str token = kin__field_text(kin__field(review, "spec"), "token");
    const kin__guard *guard = asked->engine->guard;

    if (token.len == 0) {
        return kin__refuse_bad_request(no, "token is required for TokenReview in authentication");
    }
    kin__field_remove(review, "status");
    kin__node *status = kin__field_make(review, "status", KIN_TYPE_OBJECT);
    AUTO(kin__node_free)
    kin__node *claims = guard != NULL && kin__guard_has_token(guard, token)
                            ? kin__tree_of(STR(OWN_CLAIMS))
                            : kin__service_token_read(asked->engine, token);
    return (status != NULL && fill_status(kin__field(review, "spec"), claims, status)) ||
           kin__refuse_no_memory(no);
}

bool kin__token_tell_user(kin__node *user, kin_str name, const kin__node *claims)
{
    const kin__node *place = kin__field(claims, "kubernetes.io");
    kin__node *groups = kin__field_make(user, "groups", KIN_TYPE_ARRAY);
    AUTO(kin__buf_fini) kin__buf group = { 0 };

    if (groups == NULL || !kin__field_set_text(user, "username", name)) {
        return false;
    }
    if (place == NULL) {
        return kin__field_append_text(groups, STR("system:masters")) &&
               kin__field_append_text(groups, STR("system:authenticated"));
    }
    return kin__buf_append_format(&group, "system:serviceaccounts:%.*s",
                                  KIN_STR_ARG(kin__field_text(place, "namespace"))) &&
           kin__field_set_text(user, "uid",
                               kin__field_text(kin__field(place, "serviceaccount"), "uid")) &&
           kin__field_append_text(groups, STR("system:serviceaccounts")) &&
           kin__field_append_text(groups, kin__str(group.data, group.len)) &&
           kin__field_append_text(groups, STR("system:authenticated"));
}

kin__node *kin__token_user_of(const kin__asked *asked)
{
    kin_str name = asked->user.len > 0 ? asked->user : STR(KIN__GUARD_USER);

    if (asked->persona != NULL) {
        return kin__tree_copy(asked->persona);
    }
    AUTO(kin__node_free) kin__node *user = kin__tree_of(STR("{}"));
    return user != NULL && kin__token_tell_user(user, name, asked->claims) ? STEAL(user) : NULL;
}

static bool fill_status(const kin__node *spec, const kin__node *claims, kin__node *status)
{
    kin__node *audiences = kin__field_make(status, "audiences", KIN_TYPE_ARRAY);

    if (audiences == NULL || !add_audiences(kin__field(spec, "audiences"), claims, audiences)) {
        return false;
    }
    if (kin__node_count(audiences) == 0) {
        kin__field_remove(status, "audiences");
        return kin__field_set_json(status, "user", "{}") &&
               kin__field_set_text(status, "error", STR("invalid bearer token"));
    }
    kin__node *user = kin__field_make(status, "user", KIN_TYPE_OBJECT);
    return kin__field_set_json(status, "authenticated", "true") && user != NULL &&
           kin__token_tell_user(user, kin__field_text(claims, "sub"), claims);
}

/* Asked for before anything is looked up. */
static bool check_name(const kin__asked *asked, const kin__node *request, kin__refusal *no)
{
    kin_str name = kin__field_text(kin__field(request, "metadata"), "name");

    if (name.len == 0 || kin__str_equal(name, asked->route.name)) {
        return true;
    }
    kin__refusal_begin_invalid(no, GROUP, KIND, asked->route.name);
    kin__invalid_text(no, "metadata.name", name,
                      "must match the service account name if specified");
    return kin__refusal_end_invalid(no);
}

/* The request, unlike its account, has no name yet. */
static bool check_time(int64_t lasts_s, kin__refusal *no)
{
    kin__refusal_begin_invalid(no, GROUP, KIND, STR(""));
    if (lasts_s < LEAST_S) {
        kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.expirationSeconds",
                                 "Invalid value: %lld: may not specify a duration less than 10 "
                                 "minutes",
                                 (long long) lasts_s);
    } else if (lasts_s > MOST_S) {
        kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.expirationSeconds",
                                 "Invalid value: %lld: may not specify a duration larger than 2^32 "
                                 "seconds",
                                 (long long) lasts_s);
    }
    return kin__refusal_end_invalid(no);
}

/* To a pod of the account, a secret of its namespace, or a node. */
static bool bind(const kin__asked *asked, const kin__node *bound, kin__service_account *account,
                 kin__refusal *no)
{
    kin_str version = kin__field_text(bound, "apiVersion"), kind = kin__field_text(bound, "kind");
    kin_str uid = kin__field_text(bound, "uid");
    bool is_core = version.len == 0 || memchr(version.data, '/', version.len) == NULL;
    kin__record *record = NULL;

    account->bond = is_core ? kin__token_bond_of(kind) : NULL;
    account->bound_name = kin__field_text(bound, "name");
    if (account->bond == NULL) {
        return kin__refuse_bad_request(no, "cannot bind token to object of type %s%.*s, Kind=%.*s",
                                       is_core ? "/" : "", KIN_STR_ARG(version), KIN_STR_ARG(kind));
    }
    kin__served *served = kin__shelf_find(asked->engine->shelf, STR(""), STR("v1"),
                                          kin_str_of(account->bond->resource));
    if (!kin__service_token_find(asked->engine, account->bond->resource, account->ns,
                                 account->bound_name, &record)) {
        return kin__refuse_no_memory(no);
    }
    if (record == NULL) {
        return kin__refuse_not_found(no, served, account->bound_name);
    }
    account->bound_uid = kin_object_uid(record->object);
    if (kin__str_equal(kind, STR("Pod")) && !is_of_account(record->object, account->name)) {
        return kin__refuse_bad_request(no,
                                       "cannot bind token for serviceaccount \"%.*s\" to pod "
                                       "running with different serviceaccount name.",
                                       KIN_STR_ARG(account->name));
    }
    return uid.len == 0 || kin__str_equal(uid, account->bound_uid) || refuse_uid(bound, served, no);
}

/* Without a name it is the account "default": nobody here writes that into the pod. */
static bool is_of_account(const kin_object *pod, kin_str name)
{
    char scratch[256];
    kin_str own = STR("");

    (void) (kin_value_str(kin_object_at(pod, "spec.serviceAccountName"), scratch, sizeof scratch,
                          &own) == KIN_OK);
    return kin__str_equal(own.len > 0 ? own : STR("default"), name);
}

static bool refuse_uid(const kin__node *bound, const kin__served *served, kin__refusal *no)
{
    kin__served as_kind = *served; /* the message names the kind */

    as_kind.resource = served->kind;
    return kin__refuse_conflict(no, &as_kind, kin__field_text(bound, "name"),
                                "the UID in the bound object reference (%.*s) does not match the "
                                "UID in record. The object might have been deleted and then "
                                "recreated",
                                KIN_STR_ARG(kin__field_text(bound, "uid")));
}

static bool fill_request(kin__asked *asked, kin__node *request, kin__service_account *account)
{
    kin__node *metadata = kin__field_make(request, "metadata", KIN_TYPE_OBJECT);
    kin__node *spec = kin__field_make(request, "spec", KIN_TYPE_OBJECT);
    kin__node *status = kin__field_make(request, "status", KIN_TYPE_OBJECT);
    kin__node *audiences = spec == NULL ? NULL : kin__field_make(spec, "audiences", KIN_TYPE_ARRAY);
    AUTO(kin__buf_fini) kin__buf token = { 0 };
    char now[KIN__PB_TIME_MAX], end[KIN__PB_TIME_MAX];

    if (metadata == NULL || status == NULL || audiences == NULL ||
        (kin__node_count(audiences) == 0 &&
         !kin__field_append_text(audiences, STR(KIN__SERVICE_TOKEN_AUDIENCE)))) {
        return false;
    }
    account->audiences = audiences;
    return kin__service_token_append(asked->engine, account, &token) &&
           kin__field_set_text(metadata, "name", account->name) &&
           kin__field_set_text(metadata, "namespace", account->ns) &&
           kin__field_set_text(metadata, "creationTimestamp",
                               kin__identity_time(asked->engine, 0, now)) &&
           kin__field_set_int64(spec, "expirationSeconds", account->lasts_s) &&
           kin__field_set_text(status, "token", kin__str(token.data, token.len)) &&
           kin__field_set_text(status, "expirationTimestamp",
                               kin__identity_time(asked->engine, account->lasts_s, end));
}

/* Makes of `out`, an array, those of the token that are asked about: when none is, the server. */
static bool add_audiences(const kin__node *asked, const kin__node *claims, kin__node *out)
{
    const kin__node *own = kin__field(claims, "aud");
    kin__node_iter iter = { 0 };

    while (own != NULL && kin__node_next(own, &iter)) {
        kin_str name = kin__node_text(iter.value);
        bool is_asked = asked == NULL || kin__node_count(asked) == 0
                            ? kin__str_equal(name, STR(KIN__SERVICE_TOKEN_AUDIENCE))
                            : has_text(asked, name);
        if (is_asked && !kin__field_append_text(out, name)) {
            return false;
        }
    }
    return true;
}

static bool has_text(const kin__node *texts, kin_str text)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(texts, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), text)) {
            return true;
        }
    }
    return false;
}
