/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_check_test.c - whether a request makes sense.
 */
#include <string.h>

#include "api/target.h"
#include "base/str.h"
#include "support/test.h"

/* A request with all its verb needs. */
static kin_request request_of(kin_verb verb)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = verb;
    request.resource = "pods";
    if (verb == KIN_VERB_GET || verb == KIN_VERB_UPDATE || verb == KIN_VERB_PATCH ||
        verb == KIN_VERB_DELETE) {
        request.name = "web-0";
    }
    if (verb == KIN_VERB_CREATE || verb == KIN_VERB_UPDATE || verb == KIN_VERB_PATCH) {
        request.body = STR("{}");
    }
    return request;
}

static void expect(const kin_request *request, const char *message)
{
    kin_error err;

    ASSERT_ERR(kin__target_check(request, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, message);
}

static void accept(const kin_request *request)
{
    kin_error err = { .message = "" };

    if (kin__target_check(request, &err) != KIN_OK) {
        FAIL("refused: %s", err.message);
    }
}

static kin_object *object_of(const char *json)
{
    kin_object *object;
    kin_error err;

    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    return object;
}

TEST(target_check, accepts_each_verb_with_what_it_needs)
{
    for (int verb = KIN_VERB_GET; verb <= KIN_VERB_DELETE_COLLECTION; verb++) {
        kin_request request = request_of((kin_verb) verb);
        accept(&request);
    }
}

TEST(target_check, refuses_a_verb_that_is_none)
{
    kin_request request = request_of((kin_verb) 0);

    expect(&request, "request: verb: there is none with number 0");
    request.verb = (kin_verb) 9;
    expect(&request, "request: verb: there is none with number 9");
}

TEST(target_check, wants_one_resource)
{
    kin_request request = request_of(KIN_VERB_LIST);
    kin_resource *pods;

    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &pods, NULL));
    request.of = pods;
    expect(&request, "request: resource: given twice, also as `of`");
    request.resource = NULL;
    accept(&request);
    request.of = NULL;
    expect(&request, "request: resource: required value");
    kin_resource_unref(pods);
}

TEST(target_check, takes_resource_and_name_from_an_object)
{
    kin_object *pod =
        object_of("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}");
    kin_object *nameless_kind = object_of("{\"metadata\":{\"name\":\"a\"}}");
    kin_request request = request_of(KIN_VERB_UPDATE);

    request.resource = NULL;
    request.name = NULL;
    request.body = kin__str(NULL, 0);
    request.object = pod;
    accept(&request);
    request.object = nameless_kind;
    expect(&request, "request: resource: required value");
    kin_object_unref(pod);
    kin_object_unref(nameless_kind);
}

TEST(target_check, wants_a_name_for_one_object)
{
    static const kin_verb verbs[] = { KIN_VERB_GET, KIN_VERB_UPDATE, KIN_VERB_PATCH,
                                      KIN_VERB_DELETE };

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        kin_request request = request_of(verbs[i]);
        request.name = "";
        expect(&request, "request: name: required value");
    }
}

TEST(target_check, wants_no_name_where_there_is_none_to_give)
{
    kin_request request = request_of(KIN_VERB_LIST);

    request.name = "web-0";
    expect(&request, "request: name: a list has none");
    request.verb = KIN_VERB_WATCH;
    expect(&request, "request: name: a watch has none");
    request = request_of(KIN_VERB_CREATE);
    request.name = "web-0";
    expect(&request, "request: name: a create takes it from what it sends");
    request.subresource = "eviction";
    accept(&request);
    request.name = NULL;
    expect(&request, "request: name: required value for a subresource");
}

TEST(target_check, wants_something_to_send)
{
    kin_object *pod = object_of("{\"metadata\":{\"name\":\"a\"}}");
    kin_request request = request_of(KIN_VERB_CREATE);

    request.body = kin__str(NULL, 0);
    expect(&request, "request: object: required value, or `body`");
    request.body = STR("{}");
    request.object = pod;
    expect(&request, "request: body: given twice, also as `object`");
    request.verb = KIN_VERB_PATCH;
    accept(&request);
    request.body = kin__str(NULL, 0);
    expect(&request, "request: body: required value of a patch");
    kin_object_unref(pod);
}

TEST(target_check, wants_a_manager_for_an_apply_patch)
{
    kin_request request = request_of(KIN_VERB_PATCH);

    request.force = true;
    expect(&request, "request: force: only of an apply patch");
    request.patch_type = KIN_PATCH_APPLY;
    expect(&request, "request: field_manager: required value of an apply patch");
    request.field_manager = "me";
    accept(&request);
}

TEST(target_check, refuses_numbers_that_stand_for_nothing)
{
    kin_request request = request_of(KIN_VERB_WATCH);

    request.initial_events = 2;
    expect(&request, "request: initial_events: is -1, 0 or 1");
    request = request_of(KIN_VERB_GET);
    request.encoding = (kin_encoding) 3;
    expect(&request, "request: encoding: there is none with that number");
    request = request_of(KIN_VERB_PATCH);
    request.patch_type = (kin_patch_type) 4;
    expect(&request, "request: patch_type: there is none with that number");
    request = request_of(KIN_VERB_LIST);
    request.limit = -1;
    expect(&request, "request: limit: is below 0");
    request = request_of(KIN_VERB_DELETE);
    request.has_grace_period = true;
    request.grace_period_seconds = -1;
    expect(&request, "request: grace_period_seconds: is below 0");
}

/* Sets one field. */
typedef void (*set_fn)(kin_request *request);

static void set_subresource(kin_request *r)
{
    r->subresource = "status";
}
static void set_label_selector(kin_request *r)
{
    r->label_selector = "a=b";
}
static void set_field_selector(kin_request *r)
{
    r->field_selector = "a=b";
}
static void set_resource_version(kin_request *r)
{
    r->resource_version = "1";
}
static void set_match(kin_request *r)
{
    r->resource_version_match = "Exact";
}
static void set_continue(kin_request *r)
{
    r->continue_token = "x";
}
static void set_limit(kin_request *r)
{
    r->limit = 1;
}
static void set_one_page(kin_request *r)
{
    r->one_page = true;
}
static void set_no_bookmarks(kin_request *r)
{
    r->no_bookmarks = true;
}
static void set_initial_events(kin_request *r)
{
    r->initial_events = 1;
}
static void set_timeout(kin_request *r)
{
    r->timeout_seconds = 1;
}
static void set_body(kin_request *r)
{
    r->body = STR("{}");
}
static void set_field_manager(kin_request *r)
{
    r->field_manager = "me";
}
static void set_validation(kin_request *r)
{
    r->field_validation = "Strict";
}
static void set_dry_run(kin_request *r)
{
    r->dry_run = true;
}
static void set_grace(kin_request *r)
{
    r->has_grace_period = true;
}
static void set_propagation(kin_request *r)
{
    r->propagation = "Orphan";
}
static void set_if_uid(kin_request *r)
{
    r->if_uid = "u";
}
static void set_if_version(kin_request *r)
{
    r->if_version = "1";
}
static void set_metadata_only(kin_request *r)
{
    r->metadata_only = true;
}

/* `verbs` has a letter for each verb that may have it: g l w c u p d D. */
static const struct {
    const char *name;
    set_fn set;
    const char *verbs;
} cases[] = {
    { "subresource", set_subresource, "gupd" },
    { "label_selector", set_label_selector, "lwD" },
    { "field_selector", set_field_selector, "lwD" },
    { "resource_version", set_resource_version, "glwD" },
    { "resource_version_match", set_match, "lwD" },
    { "continue_token", set_continue, "lD" },
    { "limit", set_limit, "lD" },
    { "one_page", set_one_page, "l" },
    { "no_bookmarks", set_no_bookmarks, "w" },
    { "initial_events", set_initial_events, "w" },
    { "timeout_seconds", set_timeout, "w" },
    { "body", set_body, "cup" },
    { "field_manager", set_field_manager, "cup" },
    { "field_validation", set_validation, "cup" },
    { "dry_run", set_dry_run, "cupdD" },
    { "has_grace_period", set_grace, "dD" },
    { "propagation", set_propagation, "dD" },
    { "if_uid", set_if_uid, "dD" },
    { "if_version", set_if_version, "dD" },
    { "metadata_only", set_metadata_only, "glwcup" },
};

TEST(target_check, refuses_fields_that_a_verb_does_not_have)
{
    static const char letters[] = "-glwcupdD";

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int verb = KIN_VERB_GET; verb <= KIN_VERB_DELETE_COLLECTION; verb++) {
            kin_request request = request_of((kin_verb) verb);
            kin_error err = { .message = "" };
            bool may_have = strchr(cases[i].verbs, letters[verb]) != NULL;
            cases[i].set(&request);
            kin_err code = kin__target_check(&request, &err);
            if (code != (may_have ? KIN_OK : KIN_ERR_USAGE)) {
                FAIL("%s of %c: %s", cases[i].name, letters[verb], err.message);
            }
            if (!may_have) {
                ASSERT_CONTAINS(err.message, cases[i].name);
            }
        }
    }
}

TEST(target_check, wants_no_object_where_none_is_sent_or_named)
{
    kin_object *pod = object_of("{\"metadata\":{\"name\":\"a\"}}");
    kin_request request = request_of(KIN_VERB_LIST);

    request.object = pod;
    expect(&request, "request: object: a list has none");
    request = request_of(KIN_VERB_DELETE);
    request.name = NULL;
    request.object = pod;
    accept(&request);
    kin_object_unref(pod);
}
