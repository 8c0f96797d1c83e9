/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calling.h - a client on a stage, and what its calls came to.
 */
#ifndef TESTS_UNIT_API_CALLING_H
#define TESTS_UNIT_API_CALLING_H

#include "api/client.h"
#include "unit/api/stage.h"

#define RESOURCE(name, kind, scope)                                                                \
    "{\"resource\":\"" name "\",\"scope\":\"" scope "\",\"responseKind\":{\"kind\":\"" kind "\"}," \
    "\"shortNames\":[\"" name "-short\"],\"verbs\":[\"get\",\"list\"]}"
#define CORE                                                                                       \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[{\"version\":"  \
    "\"v1\",\"resources\":[" RESOURCE("configmaps", "ConfigMap", "Namespaced") "," RESOURCE(       \
        "pods", "Pod", "Namespaced") "," RESOURCE("namespaces", "Namespace", "Cluster") "]}]}]}"
#define GROUPS                                                                                     \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"shop.io\"},"         \
    "\"versions\":[{\"version\":\"v1\",\"resources\":[" RESOURCE("widgets", "Widget",              \
                                                                 "Namespaced") "]}]}]}"
#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

#define MAP(name, version)                                                                         \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                 \
    "\",\"namespace\":\"shop\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" version              \
    "\"},\"data\":{\"k\":\"v\"}}"
#define MAPS(metadata, items)                                                                      \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{" metadata                    \
    "},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version)                                                                          \
    EVENT("BOOKMARK", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"               \
                      "\"resourceVersion\":\"" version "\"}}")

/* What came of a call. */
typedef struct record {
    kin_call *call;
    text told; /* "a b ", or "+a ~a -a | ! " */
    int opens;
    int dones;
    bool has_failed;
    kin_error err;
    int http_status;
    uint32_t attempts;
    uint64_t count;
    int64_t remaining;
    char version[64];
    char token[256];
    char cause[64];
    char warnings[64];
    bool has_object;
    bool was_partial;
    char kind[64];
    kin_error event_error;
    /* What to do inside: */
    int stops_after; /* so many objects, events or opens; 0: not */
    bool cancels;    /* in on_event, by kin_call_cancel() */
    kin_client *frees;
} record;

static inline bool goes_on(record *r)
{
    if (r->cancels) {
        kin_call_cancel(r->call);
    }
    return r->stops_after == 0 || --r->stops_after > 0;
}

static inline bool record_object(void *context, kin_object *object)
{
    record *r = context;

    text_append(&r->told, "%.*s ", KIN_STR_ARG(kin_object_name(object)));
    (void) snprintf(r->kind, sizeof r->kind, "%.*s", KIN_STR_ARG(kin_object_kind(object)));
    r->was_partial = kin_object_is_partial(object);
    return goes_on(r);
}

static inline bool record_event(void *context, const kin_event *event)
{
    record *r = context;
    kin_str name = event->object != NULL ? kin_object_name(event->object) : event->resource_version;

    text_append(&r->told, "%c%.*s ", "?+~-|!"[event->type], KIN_STR_ARG(name));
    if (event->error != NULL) {
        r->event_error = *event->error;
    }
    if (r->frees != NULL) {
        kin_client_free(r->frees);
        r->frees = NULL;
    }
    return goes_on(r);
}

static inline bool record_open(void *context)
{
    record *r = context;

    r->opens++;
    return goes_on(r);
}

static inline void record_text(char *to, size_t size, const char *from)
{
    (void) snprintf(to, size, "%s", from != NULL ? from : "");
}

static inline void record_done(void *context, const kin_reply *reply, const kin_error *err)
{
    record *r = context;

    r->dones++;
    r->has_failed = err != NULL;
    if (err != NULL) {
        r->err = *err;
    }
    r->http_status = reply->http_status;
    r->attempts = reply->attempts;
    r->count = reply->count;
    r->remaining = reply->remaining;
    r->has_object = reply->object != NULL;
    record_text(r->version, sizeof r->version, reply->resource_version);
    record_text(r->token, sizeof r->token, reply->continue_token);
    record_text(r->cause, sizeof r->cause, reply->cause);
    record_text(r->warnings, sizeof r->warnings, reply->warnings);
}

static inline kin_handler recording(record *r)
{
    return (kin_handler){ sizeof(kin_handler), r,           record_object,
                          record_event,        record_open, record_done };
}

static inline kin_client *open_client(stage *s, const char *user, const kin_client_options *options)
{
    static const char *const proxies[] = { "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                           "http_proxy", "https_proxy", "all_proxy" };
    kin_client_options all =
        options != NULL ? *options : (kin_client_options) KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = stage_config(s, user);
    kin_client *client;
    kin_error err;

    for (size_t i = 0; i < sizeof proxies / sizeof proxies[0]; i++) {
        (void) unsetenv(proxies[i]);
    }
    all.loop = s->loop;
    all.logger = stage_logger(s);
    if (kin_client_new(config, &all, &client, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    (void) kin_config_unref(config);
    return client;
}

/* The server tells its resources whenever it is asked. */
static inline void answer_discovery(stage *s)
{
    answer_with(s, "GET /api ", 200, AGGREGATED, "", CORE)->stays = true;
    answer_with(s, "GET /apis ", 200, AGGREGATED, "", GROUPS)->stays = true;
}

static inline kin_request request_for(kin_verb verb, const char *resource, const char *ns,
                                      const char *name)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = verb;
    request.resource = resource;
    request.ns = ns;
    request.name = name;
    request.encoding = KIN_ENCODING_JSON;
    return request;
}

static inline void start_call(kin_client *client, record *r, const kin_request *request)
{
    kin_handler handler = recording(r);
    kin_error err;

    if (kin_client_start(client, request, &handler, &r->call, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
}

static inline void wait_for_done(stage *s, const record *r)
{
    while (r->dones == 0) {
        turn(s);
    }
}

/* Until so much has been told of. */
static inline void wait_until_told(stage *s, const record *r, const char *told)
{
    while (r->dones == 0 && strcmp(r->told.chars, told) != 0) {
        turn(s);
    }
    ASSERT_STR_EQ(r->told.chars, told);
}

static inline void run_call(stage *s, kin_client *client, record *r, const kin_request *request)
{
    start_call(client, r, request);
    wait_for_done(s, r);
    ASSERT_EQ(r->dones, 1);
    kin_call_free(r->call);
    r->call = NULL;
}

/* The requests beside discovery's: the n-th of these, from 1. */
static inline const char *call_at(stage *s, int n)
{
    for (int i = 1; i <= count_requests(s); i++) {
        const char *request = request_at(s, i);

        if (strncmp(request, "GET /api ", 9) != 0 && strncmp(request, "GET /apis ", 10) != 0 &&
            --n == 0) {
            return request;
        }
    }
    return "(no such request)";
}

static inline kin_object *object_of(const char *json, const kin_object_options *options)
{
    kin_object *object;
    kin_error err;

    ASSERT_OK(kin_object_from_json(json, strlen(json), options, &object, &err));
    return object;
}

#endif /* TESTS_UNIT_API_CALLING_H */
