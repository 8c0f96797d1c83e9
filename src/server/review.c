/* SPDX-License-Identifier: Apache-2.0 */
/*
 * review.c - what is created and never kept.
 */
#include "server/review.h"

#include "server/field.h"
#include "server/guard.h"
#include "server/identity.h"
#include "server/strategy.h"
#include "server/success.h"
#include "server/token_review.h"
#include "server/write_options.h"

#define ALL_RULES(incomplete)                                                                      \
    "{\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}],"        \
    "\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}],"                      \
    "\"incomplete\":" incomplete "}"
#define FORBIDDEN ",\"evaluationError\":\"what is forbidden cannot be told here\""

typedef bool (*tell_fn)(const kin__asked *asked, kin__node *review);

static bool tell_access(const kin__asked *asked, kin__node *review);
static bool tell_rules(const kin__asked *asked, kin__node *review);
static bool tell_self(const kin__asked *asked, kin__node *review);

/* What is answered to each review; puts the status in, and is false when there is no memory. */
typedef struct verdict {
    const char *group, *resource;
    tell_fn tell;
} verdict;

static const verdict verdicts[] = {
    { "authorization.k8s.io", "selfsubjectaccessreviews", tell_access },
    { "authorization.k8s.io", "subjectaccessreviews", tell_access },
    { "authorization.k8s.io", "localsubjectaccessreviews", tell_access },
    { "authorization.k8s.io", "selfsubjectrulesreviews", tell_rules },
    { "authentication.k8s.io", "selfsubjectreviews", tell_self },
};

static bool review_token(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                         kin__refusal *no);
static bool request_token(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                          kin__refusal *no);
static bool review(kin__asked *asked, const verdict *said, const kin__write_options *options,
                   kin__answer *answer, kin__refusal *no);
static bool is_allowed(const kin__asked *asked, const kin__node *review);
static bool decode_as(kin__asked *asked, kin_str api_version, kin_str kind,
                      kin__field_validation validation, kin__node **out, kin__answer *answer,
                      kin__refusal *no);
static bool bind(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                 kin__refusal *no);
static bool check_bindable(const kin__write *write, kin_str name, kin__refusal *no);
static bool put_on_node(kin__write *write, kin_str node);
static bool evict(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                  kin__refusal *no);

bool kin__serve_review(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    const kin__route *route = &asked->route;
    kin__write_options options;

    if (!kin__write_options_read(&asked->params, "CreateOptions", &options, no)) {
        return false;
    }
    if (route->sub.len == 0) {
        for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
            if (kin__served_is(route->served, verdicts[i].group, verdicts[i].resource)) {
                return review(asked, &verdicts[i], &options, answer, no);
            }
        }
        if (kin__served_is(route->served, "authentication.k8s.io", "tokenreviews")) {
            return review_token(asked, &options, answer, no);
        }
        if (kin__served_is(route->served, "", "bindings")) {
            return bind(asked, &options, answer, no);
        }
    } else if (kin__str_equal(route->sub, STR("token"))) {
        return request_token(asked, &options, answer, no);
    } else if (kin__served_is(route->served, "", "pods")) {
        if (kin__str_equal(route->sub, STR("binding"))) {
            return bind(asked, &options, answer, no);
        }
        if (kin__str_equal(route->sub, STR("eviction"))) {
            return evict(asked, &options, answer, no);
        }
    }
    return route->sub.len > 0 ? kin__refuse_unknown(no) : kin__refuse_method(no);
}

static bool review(kin__asked *asked, const verdict *said, const kin__write_options *options,
                   kin__answer *answer, kin__refusal *no)
{
    const kin__served *served = asked->route.served;
    AUTO(kin__node_free) kin__node *tree = NULL;

    if (!decode_as(asked, served->api_version, served->kind, options->validation, &tree, answer,
                   no)) {
        return false;
    }
    if (kin__field_make(tree, "metadata", KIN_TYPE_OBJECT) == NULL || !said->tell(asked, tree)) {
        return kin__refuse_no_memory(no);
    }
    return kin__answer_kind(asked, served->api_version, served->kind, tree, 201, answer, no);
}

static bool tell_access(const kin__asked *asked, kin__node *review)
{
    return kin__field_set_json(
        review, "status", is_allowed(asked, review) ? "{\"allowed\":true}" : "{\"allowed\":false}");
}

/* What is allowed has no words for "all but that". */
static bool tell_rules(const kin__asked *asked, kin__node *review)
{
    const kin__guard *guard = asked->engine->guard;
    bool is_all = guard == NULL || guard->rules == NULL || kin__node_count(guard->rules) == 0;

    return kin__field_set_json(review, "status",
                               is_all ? ALL_RULES("false") : ALL_RULES("true" FORBIDDEN));
}

static bool tell_self(const kin__asked *asked, kin__node *review)
{
    kin__node *metadata = kin__field(review, "metadata");
    char now[KIN__PB_TIME_MAX];

    kin__field_remove(review, "status");
    kin__node *status = kin__field_make(review, "status", KIN_TYPE_OBJECT);
    return status != NULL && kin__field_set(status, "userInfo", kin__token_user_of(asked)) &&
           kin__field_set_text(metadata, "creationTimestamp",
                               kin__identity_time(asked->engine, 0, now));
}

static bool review_token(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                         kin__refusal *no)
{
    const kin__served *served = asked->route.served;
    AUTO(kin__node_free) kin__node *tree = NULL;

    return decode_as(asked, served->api_version, served->kind, options->validation, &tree, answer,
                     no) &&
           kin__token_review(asked, tree, no) &&
           kin__answer_kind(asked, served->api_version, served->kind, tree, 201, answer, no);
}

static bool request_token(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                          kin__refusal *no)
{
    kin_str version = STR("authentication.k8s.io/v1"), kind = STR("TokenRequest");
    AUTO(kin__node_free) kin__node *tree = NULL;

    return decode_as(asked, version, kind, options->validation, &tree, answer, no) &&
           kin__token_request(asked, tree, no) &&
           kin__answer_kind(asked, version, kind, tree, 201, answer, no);
}

/* What the guard would say if the request came that the review is about. */
static bool is_allowed(const kin__asked *asked, const kin__node *review)
{
    const kin__node *spec = kin__field(review, "spec");
    const kin__node *what = kin__field(spec, "resourceAttributes");
    const kin__node *path = kin__field(spec, "nonResourceAttributes");
    kin_str user = kin__field_text(spec, "user");
    const kin__route route = { .is_resource = path == NULL,
                               .path = kin__field_text(path, "path"),
                               .group = kin__field_text(what, "group"),
                               .resource = kin__field_text(what, "resource"),
                               .sub = kin__field_text(what, "subresource"),
                               .ns = kin__field_text(what, "namespace") };

    return asked->engine->guard == NULL ||
           kin__guard_allows(asked->engine->guard, user.len > 0 ? user : asked->user,
                             kin__field_text(path == NULL ? what : path, "verb"), &route);
}

static bool decode_as(kin__asked *asked, kin_str api_version, kin_str kind,
                      kin__field_validation validation, kin__node **out, kin__answer *answer,
                      kin__refusal *no)
{
    const kin__codec_kind of = { api_version, kind, kin__pb_message_of(api_version, kind) };
    kin__body_type type = kin__body_type_of(asked->content_type);
    const kin__codec_body body = { asked->body, type == KIN__BODY_PROTOBUF, validation };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };

    if (type != KIN__BODY_JSON && type != KIN__BODY_PROTOBUF) {
        return kin__refuse_body_type(no);
    }
    return kin__codec_decode(&of, &body, out, &warnings, no) &&
           kin__answer_warn_all(answer, &warnings, no);
}

/* Of the pod in the path, or of the one that the Binding is named after. */
static bool bind(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                 kin__refusal *no)
{
    const kin__route *route = &asked->route;
    const kin__success success = { .status = 201 };
    AUTO(kin__node_free) kin__node *binding = NULL;
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *after = NULL;

    kin__write_init(&write, asked->engine,
                    kin__shelf_find(asked->engine->shelf, STR(""), STR("v1"), STR("pods")));
    write.is_dry = options->is_dry;
    if (!decode_as(asked, STR("v1"), STR("Binding"), options->validation, &binding, answer, no)) {
        return false;
    }
    kin_str name = kin__field_text(kin__field(binding, "metadata"), "name");
    if (route->sub.len > 0 && !kin__str_equal(name, route->name)) {
        return kin__refuse_bad_request(no, "name in URL does not match name in Binding object");
    }
    if (!kin__write_load(&write, route->ns, name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, name);
    }
    if (!check_bindable(&write, name, no)) {
        return false;
    }
    write.object = kin__tree_copy(write.old);
    if (write.object == NULL ||
        !put_on_node(&write, kin__field_text(kin__field(binding, "target"), "name"))) {
        return kin__refuse_no_memory(no);
    }
    return kin__write_commit(&write, &after, no) &&
           kin__answer_success(asked, &success, answer, no);
}

static bool check_bindable(const kin__write *write, kin_str name, kin__refusal *no)
{
    kin_str node = kin__field_text(kin__field(write->old, "spec"), "nodeName");
    kin__served as_binding = *write->served;

    as_binding.resource = STR("pods/binding");
    if (kin__field(kin__field(write->old, "metadata"), "deletionTimestamp") != NULL) {
        return kin__refuse_conflict(no, &as_binding, name,
                                    "pod %.*s is being deleted, cannot be assigned to a host",
                                    KIN_STR_ARG(name));
    }
    return node.len == 0 || kin__refuse_conflict(no, &as_binding, name,
                                                 "pod %.*s is already assigned to node \"%.*s\"",
                                                 KIN_STR_ARG(name), KIN_STR_ARG(node));
}

static bool put_on_node(kin__write *write, kin_str node)
{
    kin__node *spec = kin__field_make(write->object, "spec", KIN_TYPE_OBJECT);
    kin__node *status = kin__field_make(write->object, "status", KIN_TYPE_OBJECT);
    kin__node *conditions =
        status == NULL ? NULL : kin__field_make(status, "conditions", KIN_TYPE_ARRAY);
    kin__node *condition = kin__tree_of(STR("{\"type\":\"PodScheduled\",\"status\":\"True\"}"));
    char now[KIN__PB_TIME_MAX];
    kin_error err;

    if (spec == NULL || conditions == NULL || condition == NULL ||
        kin__node_append(conditions, condition, &err) != KIN_OK) {
        kin__node_free(condition);
        return false;
    }
    return kin__field_set_text(spec, "nodeName", node) &&
           kin__field_set_text(condition, "lastTransitionTime",
                               kin__identity_time(write->engine, 0, now));
}

/* PodDisruptionBudgets are not asked. */
static bool evict(kin__asked *asked, const kin__write_options *options, kin__answer *answer,
                  kin__refusal *no)
{
    const kin__route *route = &asked->route;
    const kin__success success = { .status = 201 };
    AUTO(kin__node_free) kin__node *eviction = NULL;
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *told = NULL;
    bool is_gone = false;

    kin__write_init(&write, asked->engine, route->served);
    write.is_dry = options->is_dry;
    if (!decode_as(asked, STR("policy/v1"), STR("Eviction"), options->validation, &eviction, answer,
                   no) ||
        !kin__write_load(&write, route->ns, route->name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, route->name);
    }
    const kin__node *wanted = kin__field(eviction, "deleteOptions");
    kin__delete_options how = {
        .uid = kin__field_text(kin__field(wanted, "preconditions"), "uid"),
        .resource_version = kin__field_text(kin__field(wanted, "preconditions"), "resourceVersion"),
    };
    how.has_grace_period = kin__field_int64(wanted, "gracePeriodSeconds", &how.grace_period_s);
    return kin__delete(&write, &how, &told, &is_gone, no) &&
           kin__answer_success(asked, &success, answer, no);
}
