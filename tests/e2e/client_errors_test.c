/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_errors_test.c - what a real server refuses, and how the client tells it.
 *
 * Of all it may answer one is not here but in http_streams_test.c: 406, because every Accept header
 * of the client names JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "e2e/support/calls.h"

#define NS "kin-errors"
#define LARGE (3u * 1024 * 1024 + 1024)

static cluster c;
static kin_client *client;

static void open_shared(void)
{
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
}

static void open_own(const char *const *flags)
{
    cluster_start(&c, flags);
    client = connect_as(&c, NULL, NULL);
    make_namespace(client, NS);
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

static kin_request list_of(const char *resource)
{
    return (kin_request){ REQUEST, .verb = KIN_VERB_LIST, .resource = resource, .ns = NS };
}

static kin_request watch_of(const char *resource)
{
    return (kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = resource, .ns = NS };
}

static kin_request get_of(const char *resource, const char *name)
{
    return (kin_request){ REQUEST, .verb = KIN_VERB_GET, .resource = resource, .ns = NS,
                          .name = name };
}

static void nap_ms(long ms)
{
    (void) nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 },
                     NULL);
}

TEST(client_errors, tell_a_selector_that_makes_no_sense)
{
    open_shared();
    kin_request request = list_of("pods");

    request.label_selector = "a=(b";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest",
                              "list pods in " NS ": unable to parse requirement: found '('" });
    request.label_selector = NULL;
    request.field_selector = "spec.nothing=x";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest",
                              "list pods in " NS ": field label not supported: spec.nothing" });
    request = watch_of("pods");
    request.label_selector = "a=(b";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest", "watch pods in " NS ": " });
    close_session();
}

TEST(client_errors, tell_a_continue_token_or_version_that_is_none)
{
    open_shared();
    kin_request request = list_of("pods");

    request.continue_token = "*";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest",
                              "list pods in " NS ": invalid continue token: continue key is not "
                              "valid: illegal base64 data at input byte 0" });
    request.continue_token = NULL;
    request.resource_version = "abc";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest",
                              "list pods in " NS ": invalid resource version: resourceVersion: " });
    request = watch_of("pods");
    request.resource_version = "abc";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_SERVER, 500, "",
                              "watch pods in " NS ": resourceVersion: Invalid value: \"abc\"" });
    close_session();
}

/* One row of the server's own table of what does not go together. */
static void must_not_go_together(kin_request request, const char *cause, const char *message)
{
    kin_reply reply =
        must_fail(client, &request, (failure){ KIN_ERR_INVALID, 422, "Invalid", message });

    ASSERT_STR_EQ(reply.cause, cause);
    kin_reply_fini(&reply);
}

TEST(client_errors, tell_options_that_do_not_go_together)
{
    open_shared();
    kin_request request = list_of("pods");
    request.resource_version_match = "Exact";
    must_not_go_together(request, "FieldValueForbidden",
                         "list pods in " NS ": ListOptions.meta.k8s.io \"\" is invalid: "
                         "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden "
                         "unless resourceVersion is provided");
    request.resource_version = "0";
    must_not_go_together(request, "FieldValueForbidden",
                         "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    request.resource_version_match = "foo";
    must_not_go_together(request, "FieldValueNotSupported", "Unsupported value: \"foo\"");

    request = watch_of("pods");
    request.initial_events = 1;
    request.resource_version_match = "Exact";
    must_not_go_together(request, "FieldValueForbidden",
                         "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    request.initial_events = 0;
    request.resource_version = "1";
    must_not_go_together(request, "FieldValueForbidden",
                         "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                         "provided");
    close_session();
}

TEST(client_errors, tell_that_streaming_lists_are_off)
{
    open_own((const char *[]){ "--feature-gates=WatchList=false", NULL });
    kin_request request = watch_of("pods");
    request.initial_events = 1;

    must_not_go_together(request, "FieldValueForbidden",
                         "sendInitialEvents is forbidden for watch unless the WatchList feature "
                         "gate is enabled");
    close_session();
}

TEST(client_errors, tell_that_nobody_or_not_this_one_may)
{
    open_shared();
    char config[8192];
    (void) snprintf(config, sizeof config,
                    "clusters: [{name: c, cluster: {server: \"%s\", certificate-authority: "
                    "\"%s\"}}]\nusers: [{name: u, user: {token: wrong}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
                    c.server, cluster_path(&c, "ca.crt"));
    kin_client *stranger = connect_with_text(config, NULL);
    (void) cluster_command(&c, "user restricted get:configmaps@" NS);
    kin_client *restricted = connect_as(&c, "users/restricted/kubeconfig", NULL);
    kin_request request = list_of("pods");

    must_just_fail(stranger, &request,
                   (failure){ KIN_ERR_UNAUTHORIZED, 401, "Unauthorized",
                              "list pods in " NS ": discovery of /api: Unauthorized" });
    must_just_fail(restricted, &request,
                   (failure){ KIN_ERR_FORBIDDEN, 403, "Forbidden",
                              "list pods in " NS ": pods is forbidden: User \"restricted\" cannot "
                              "list resource \"pods\"" });
    request = watch_of("pods");
    must_just_fail(restricted, &request,
                   (failure){ KIN_ERR_FORBIDDEN, 403, "Forbidden", "cannot watch resource" });
    request = get_of("configmaps", "nothing");
    must_just_fail(restricted, &request,
                   (failure){ KIN_ERR_NOT_FOUND, 404, "NotFound",
                              "get configmaps " NS "/nothing: configmaps \"nothing\" not found" });
    kin_client_free(stranger);
    kin_client_free(restricted);
    close_session();
}

static kin_resource *resource_of(const char *group, const char *version, const char *name,
                                 bool is_namespaced)
{
    kin_resource *resource = NULL;
    kin_error err = { 0 };

    must_be_ok(kin_resource_new(group, version, name, "Pod", is_namespaced, &resource, &err), &err);
    return resource;
}

TEST(client_errors, tell_what_is_not_there)
{
    open_shared();
    kin_request request = list_of("nothings");
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_NOT_FOUND, 0, "",
                              "list nothings in " NS ": the server has no resource "
                              "\"nothings\"" });

    kin_resource *built_in = resource_of("", "v1", "nothings", true);
    request = (kin_request){ REQUEST, .verb = KIN_VERB_LIST, .of = built_in, .ns = NS };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_NOT_FOUND, 404, "NotFound",
                              "list nothings in " NS ": the server could not find the requested "
                              "resource" });
    kin_resource *unknown = resource_of("nowhere.example", "v1", "nothings", true);
    request.of = unknown;
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_NOT_FOUND, 404, "",
                              "the server answered 404: 404 page not "
                              "found" });

    request =
        (kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps",
                       .ns = "kin-nowhere", .body = kin_str_of("{\"metadata\":{\"name\":\"x\"}}") };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_NOT_FOUND, 404, "NotFound",
                              "create configmaps in kin-nowhere: namespaces \"kin-nowhere\" not "
                              "found" });
    kin_resource_unref(built_in);
    kin_resource_unref(unknown);
    close_session();
}

/* A group that is served by somebody else, who is not there. */
TEST(client_errors, tell_a_part_of_the_server_that_is_not_available)
{
    open_own(NULL);
    kin_error err = { 0 };
    kin_object *service = object_of(
        "{\"apiVersion\":\"apiregistration.k8s.io/v1\",\"kind\":\"APIService\",\"metadata\":{"
        "\"name\":\"v1.kin.example\"},\"spec\":{\"group\":\"kin.example\",\"version\":\"v1\","
        "\"groupPriorityMinimum\":1000,\"versionPriority\":15,\"insecureSkipTLSVerify\":true,"
        "\"service\":{\"name\":\"nobody\",\"namespace\":\"default\"}}}");
    must_be_ok(kin_client_create(client, service, NULL, &err), &err);
    kin_object_unref(service);
    kin_resource *things = resource_of("kin.example", "v1", "things", true);
    kin_request request = { REQUEST, .verb = KIN_VERB_LIST, .of = things, .ns = NS };
    while (kin_client_run(client, &request, NULL, NULL, &err) == KIN_ERR_NOT_FOUND) {
        nap_ms(50);
    }

    must_just_fail(client, &request,
                   (failure){ KIN_ERR_SERVER, 503, NULL, "list things in " NS ": " });
    kin_client *other = connect_as(&c, NULL, NULL);
    kin_resource *pods = NULL;
    must_be_ok(kin_client_resource(other, "pods", &pods, &err), &err);
    request = list_of("things.kin.example");
    must_just_fail(other, &request,
                   (failure){ .code = KIN_ERR_NOT_FOUND,
                              .message = "the server has no resource \"things.kin.example\"" });

    kin_resource_unref(pods);
    kin_resource_unref(things);
    kin_client_free(other);
    close_session();
}

TEST(client_errors, tell_what_the_server_does_not_do)
{
    open_shared();
    kin_request request = { REQUEST, .verb = KIN_VERB_DELETE_COLLECTION, .resource = "namespaces",
                            .label_selector = "nobody=has" };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_REFUSED, 405, "MethodNotAllowed",
                              "delete namespaces: the server does not allow this method on the "
                              "requested resource" });

    char *body = malloc(LARGE);
    memset(body, ' ', LARGE);
    request = (kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps", .ns = NS,
                             .body = { body, LARGE } };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_REFUSED, 413, "RequestEntityTooLarge",
                              "create configmaps in " NS ": Request entity too large: limit is "
                              "3145728" });
    free(body);
    request.body = kin_str_of("{\"metadata\":{\"name\":\"x\"},\"data\":7}");
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 400, "BadRequest",
                              "create configmaps in " NS ": ConfigMap in version \"v1\" cannot be "
                              "handled" });
    request.body = kin_str_of("{\"metadata\":{\"name\":\"X_\"}}");
    must_not_go_together(request, "FieldValueInvalid",
                         "create configmaps in " NS ": ConfigMap \"X_\" is invalid: "
                         "metadata.name: Invalid value: \"X_\"");
    close_session();
}

TEST(client_errors, tell_a_conflict)
{
    open_shared();
    write_map(client, NS, "there", "1");
    kin_request get = get_of("configmaps", "there");
    kin_object *old = must_run(client, &get);
    label_map(client, NS, "there", "newer");

    kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .resource = "configmaps", .ns = NS,
                            .body = kin_str_of("{\"metadata\":{\"name\":\"there\"}}") };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_CONFLICT, 409, "AlreadyExists",
                              "create configmaps in " NS ": configmaps \"there\" already "
                              "exists" });
    request = (kin_request){ REQUEST, .verb = KIN_VERB_UPDATE, .object = old };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_CONFLICT, 409, "Conflict",
                              "update configmaps " NS "/there: Operation cannot be fulfilled on "
                              "configmaps \"there\": the object has been modified" });
    request = (kin_request){ REQUEST,  .verb = KIN_VERB_DELETE, .resource = "configmaps",
                             .ns = NS, .name = "there",         .if_uid = "0" };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_CONFLICT, 409, "Conflict", "the UID in the precondition" });
    request = (kin_request){ REQUEST,
                             .verb = KIN_VERB_PATCH,
                             .resource = "configmaps",
                             .ns = NS,
                             .name = "there",
                             .patch_type = KIN_PATCH_JSON,
                             .body = kin_str_of("[{\"op\":\"test\",\"path\":\"/kind\","
                                                "\"value\":\"x\"}]") };
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_INVALID, 422, "Invalid",
                              "patch configmaps " NS "/there: the server rejected our request" });
    delete_map(client, NS, "there");
    kin_object_unref(old);
    close_session();
}

TEST(client_errors, tell_a_version_that_is_yet_to_come)
{
    open_shared();
    kin_request request = list_of("configmaps");
    request.resource_version = "999999999";
    request.deadline_ms = 3800;
    recorder watch;
    kin_request stream = watch_of("configmaps");
    stream.initial_events = 1;
    stream.resource_version = "999999999";
    recorder_start(&watch, client, &stream);

    kin_reply reply = must_fail(client, &request,
                                (failure){ KIN_ERR_SERVER, 504, "Timeout",
                                           "list configmaps in " NS ": Timeout: Too large resource "
                                           "version: 999999999, current: " });
    ASSERT_STR_EQ(reply.cause, "ResourceVersionTooLarge");
    ASSERT_EQ(reply.attempts, 1);
    kin_reply_fini(&reply);

    recorder_wait(&watch, "ERROR 504");
    recorder_fini(&watch);
    ASSERT_ERR(watch.event_error.code, KIN_ERR_SERVER);
    ASSERT_EQ(watch.event_error.retry_after_ms, 1000);
    ASSERT_STR_EQ(watch.cause, "ResourceVersionTooLarge");

    request = list_of("events");
    request.resource_version = "999999999";
    reply = must_fail(client, &request, (failure){ KIN_ERR_SERVER, 504, "Timeout", "Too large" });
    ASSERT_STR_EQ(reply.cause, "ResourceVersionTooLarge");
    ASSERT_EQ(reply.attempts, 1);
    kin_reply_fini(&reply);
    close_session();
}

static void write_event(const char *name)
{
    char body[512];

    (void) snprintf(body, sizeof body,
                    "{\"metadata\":{\"name\":\"%s\"},\"involvedObject\":{\"namespace\":\"" NS
                    "\"},\"reason\":\"R\"}",
                    name);
    kin_object_unref(
        must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "events",
                                         .ns = NS, .body = kin_str_of(body) }));
}

/* Events are not cached by the server: what etcd has thrown away is gone at once. */
TEST(client_errors, tell_that_history_is_gone)
{
    open_own(NULL);
    recorder watch;
    kin_reply page = KIN_REPLY_INIT;
    for (int i = 0; i < 5; i++) {
        char name[8];
        (void) snprintf(name, sizeof name, "e%d", i);
        write_event(name);
    }
    kin_request request = list_of("events");
    request.limit = 2;
    request.one_page = true;
    must_run_to(client, &request, NULL, &page);
    ASSERT_EQ(page.count, 2);
    ASSERT_EQ(page.remaining, 3);
    write_event("f");
    (void) cluster_command(&c, "compact");

    request.continue_token = page.continue_token;
    kin_reply reply = must_fail(client, &request,
                                (failure){ KIN_ERR_EXPIRED, 410, "Expired",
                                           "list events in " NS ": The provided continue parameter "
                                           "is too old" });
    ASSERT_TRUE(reply.continue_token != NULL);
    request.continue_token = reply.continue_token;
    request.one_page = false;
    kin_reply rest = KIN_REPLY_INIT;
    must_run_to(client, &request, NULL, &rest);
    ASSERT_EQ(rest.count, 4);

    request = list_of("events");
    request.resource_version = page.resource_version;
    request.resource_version_match = "Exact";
    must_just_fail(client, &request,
                   (failure){ KIN_ERR_EXPIRED, 410, "Expired",
                              "The resourceVersion for the provided list is too old" });

    kin_request stream = watch_of("events");
    stream.resource_version = "1";
    recorder_start(&watch, client, &stream);
    recorder_wait(&watch, "ERROR 410");
    recorder_fini(&watch);
    ASSERT_STR_EQ(watch.lines.chars, "open\nERROR 410\ndone\n");
    ASSERT_ERR(watch.event_error.code, KIN_ERR_EXPIRED);
    ASSERT_STR_EQ(watch.event_error.reason, "Expired");
    ASSERT_MESSAGE(&watch.event_error, "The resourceVersion for the provided watch is too old.");
    kin_reply_fini(&page);
    kin_reply_fini(&reply);
    kin_reply_fini(&rest);
    close_session();
}

/* Two lists of a version that is yet to come hold both places for three seconds. */
TEST(client_errors, tell_that_the_server_has_too_much_to_do)
{
    recorder slow[2];
    open_own((const char *[]){ "--max-requests-inflight=2", NULL });
    (void) cluster_command(&c, "user busy list,get:configmaps@" NS);
    kin_client *busy = connect_as(&c, "users/busy/kubeconfig", NULL);
    kin_request request = list_of("configmaps");
    kin_reply reply = KIN_REPLY_INIT;
    must_run_to(busy, &request, NULL, &reply);
    kin_reply_fini(&reply);
    kin_request hold = list_of("configmaps");
    hold.resource_version = "999999999";
    hold.deadline_ms = 3800;
    recorder_start(&slow[0], busy, &hold);
    recorder_start(&slow[1], busy, &hold);
    nap_ms(500);

    request.deadline_ms = 1000;
    reply = must_fail(busy, &request,
                      (failure){ KIN_ERR_THROTTLED, 429, "",
                                 "list configmaps in " NS ": the server answered 429: Too many "
                                 "requests, please try again later." });
    ASSERT_EQ(reply.attempts, 1);
    kin_reply_fini(&reply);
    request.deadline_ms = 0;
    must_run_to(busy, &request, NULL, &reply);
    ASSERT_TRUE(reply.attempts > 1);
    ASSERT_EQ(reply.http_status, 200);
    kin_reply_fini(&reply);

    recorder_fini(&slow[0]);
    recorder_fini(&slow[1]);
    ASSERT_ERR(slow[0].err.code, KIN_ERR_SERVER);
    kin_client_free(busy);
    close_session();
}

TEST(client_errors, tell_that_our_own_limit_left_no_turn)
{
    open_shared();
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    options.requests_per_second = 0.1;
    options.burst = 1;
    kin_client *slow = connect_as(&c, NULL, &options);
    kin_request request = list_of("configmaps");
    request.deadline_ms = 5000;
    kin_reply reply = KIN_REPLY_INIT;
    must_run_to(slow, &request, NULL, &reply);
    kin_reply_fini(&reply);

    int64_t began_ms = now_ms();
    request.deadline_ms = 300;
    must_just_fail(slow, &request,
                   (failure){ .code = KIN_ERR_TIMEOUT,
                              .message = "list configmaps in " NS ": no turn within the rate limit "
                                         "before the deadline" });

    ASSERT_TRUE(now_ms() - began_ms < 3000);
    kin_client_free(slow);
    close_session();
}

TEST(client_errors, tell_a_server_that_stands_still)
{
    open_own(NULL);
    recorder watch;
    kin_request stream = watch_of("configmaps");
    stream.idle_ms = 1500;
    stream.initial_events = 1;
    recorder_start(&watch, client, &stream);
    recorder_wait(&watch, "BOOKMARK end");
    kin_client *fresh = connect_as(&c, NULL, NULL);
    kin_request request = list_of("configmaps");

    (void) cluster_command(&c, "pause");
    int64_t began_ms = now_ms();
    request.deadline_ms = 700;
    must_just_fail(client, &request,
                   (failure){ .code = KIN_ERR_TIMEOUT,
                              .message = "list configmaps in " NS ": GET https://127.0.0.1:" });
    must_just_fail(fresh, &request,
                   (failure){ .code = KIN_ERR_TIMEOUT,
                              .message = "list configmaps in " NS ": the server did not tell its "
                                         "resources before the deadline" });
    request.deadline_ms = 0;
    request.idle_ms = 300;
    must_just_fail(client, &request, (failure){ .code = KIN_ERR_TIMEOUT, .message = "0.3 s" });
    ASSERT_TRUE(now_ms() - began_ms < 5000);
    recorder_wait(&watch, "done KIN_ERR_TIMEOUT");
    (void) cluster_command(&c, "resume");

    recorder_fini(&watch);
    ASSERT_CONTAINS(watch.err.message, "watch configmaps in " NS ": ");
    kin_client_free(fresh);
    close_session();
}

TEST(client_errors, tell_a_server_that_is_gone_and_one_that_has_come_back)
{
    open_own(NULL);
    recorder watch;
    kin_request stream = watch_of("configmaps");
    stream.initial_events = 1;
    recorder_start(&watch, client, &stream);
    recorder_wait(&watch, "BOOKMARK end");
    char version[32];
    memcpy(version, watch.version, sizeof version);
    kin_request request = list_of("configmaps");

    write_map(client, NS, "before", "x");
    (void) cluster_command(&c, "kill");
    recorder_wait(&watch, "done KIN_ERR_CLOSED");
    recorder_fini(&watch);
    ASSERT_CONTAINS(watch.err.message, "watch configmaps in " NS ": GET https://127.0.0.1:");
    must_just_fail(client, &request,
                   (failure){ .code = KIN_ERR_CONNECT,
                              .message = "list configmaps in " NS ": GET https://127.0.0.1:" });
    (void) cluster_command(&c, "start");

    write_map(client, NS, "after", "x");
    kin_reply reply = KIN_REPLY_INIT;
    must_run_to(client, &request, NULL, &reply);
    ASSERT_EQ(reply.count, 2);
    kin_reply_fini(&reply);

    /* Nothing from before the restart can be watched. */
    stream.initial_events = 0;
    stream.resource_version = version;
    recorder_start(&watch, client, &stream);
    recorder_wait(&watch, "ERROR 410");
    recorder_fini(&watch);
    ASSERT_CONTAINS(watch.event_error.message, "too old resource version: ");
    close_session();
}

TEST(client_errors, are_none_when_the_server_shuts_down_in_order)
{
    open_own((const char *[]){ "--shutdown-send-retry-after", NULL });
    recorder watch;
    kin_request stream = watch_of("configmaps");
    stream.initial_events = 1;
    recorder_start(&watch, client, &stream);
    recorder_wait(&watch, "BOOKMARK end");

    (void) cluster_command(&c, "terminate");

    recorder_wait(&watch, "done");
    recorder_fini(&watch);
    ASSERT_ERR(watch.err.code, KIN_OK);
    close_session();
}
