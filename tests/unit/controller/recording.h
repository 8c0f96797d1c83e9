/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - a recorder, and the embedded server that has its events.
 *
 * The client's time is virtual, and its loop runs on the test's thread: pass() makes both go on.
 */
#ifndef TESTS_UNIT_CONTROLLER_RECORDING_H
#define TESTS_UNIT_CONTROLLER_RECORDING_H

#include "controller/recorder.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "kin/testing/server.h"
#include "support/test.h"

#define MINUTE 60000

typedef struct scene {
    kin__virtual_clock clock;
    kin_server *server;
    kin_loop *loop;
    kin_client *client;
    kin_recorder *recorder;
    kin_object *pod;
    text log;
} scene;

static kin_error err;

static inline void must(kin_err code)
{
    if (code != KIN_OK) {
        FAIL("%s: %s", kin_err_name(code), err.message);
    }
}

static inline kin_object *make(const char *json)
{
    kin_object *object = NULL;

    must(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    return object;
}

static inline void note_log(void *context, kin_log_level level, const char *component,
                            const char *message)
{
    (void) level;
    text_append(context, "%s: %s\n", component, message);
}

static inline kin_recorder_options plain_options(void)
{
    kin_recorder_options options = KIN_RECORDER_OPTIONS_INIT;

    options.controller = "example.com/foo";
    options.instance = "foo-1";
    return options;
}

static inline void begin_with(scene *s, kin_recorder_options options)
{
    kin_client_options client_options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;

    *s = (scene){ 0 };
    must(kin_server_start(NULL, &s->server, &err));
    must(kin_server_put(s->server,
                        kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
                                   "\"name\":\"shop\"}}"),
                        NULL, &err));
    kin__virtual_clock_init(&s->clock, 1000000, (kin_time){ 1767225600, 0 });
    must(kin__loop_new_with_clock(NULL, &s->clock.clock, &s->loop, &err));
    const char *kubeconfig = kin_server_kubeconfig(s->server);
    must(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err));
    client_options.loop = s->loop;
    must(kin_client_new(config, &client_options, &s->client, &err));
    kin_config_unref(config);
    options.logger = (kin_logger){ sizeof(kin_logger), &s->log, note_log, 0, 0 };
    must(kin_recorder_new(s->client, &options, &s->recorder, &err));
    s->pod = make("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\","
                  "\"namespace\":\"shop\",\"uid\":\"u-1\"}}");
}

static inline void begin(scene *s)
{
    begin_with(s, plain_options());
}

static inline void finish(scene *s)
{
    kin_recorder_free(s->recorder);
    kin_client_free(s->client);
    kin_loop_free(s->loop);
    kin_server_stop(s->server);
    (void) kin_object_unref(s->pod);
}

static inline void flush(scene *s)
{
    must(kin_recorder_flush(s->recorder, -1, &err));
}

static inline kin_recorder_status status_of(const scene *s)
{
    kin_recorder_status status = KIN_RECORDER_STATUS_INIT;

    must(kin_recorder_get_status(s->recorder, &status, &err));
    return status;
}

static inline void tell(scene *s, const char *reason, int number)
{
    kin_recorder_tell(s->recorder, s->pod, NULL, KIN_SEVERITY_NORMAL, reason, "Act", "number %d",
                      number);
}

/* One round of the loop, in which something comes from the server, or nothing for a moment. */
static inline void turn(scene *s)
{
    must(kin_loop_dispatch(s->loop, 20, &err));
}

static inline void pass(scene *s, int64_t ms)
{
    kin__virtual_clock_advance(&s->clock, ms);
    for (int i = 0; i < 5; i++) {
        turn(s);
    }
}

/* Until nothing waits; time goes on while nothing is under way. */
static inline void settle(scene *s)
{
    while (status_of(s).waiting != 0) {
        turn(s);
        if (s->recorder->call_count == 0) {
            kin__virtual_clock_advance(&s->clock, 1000);
        }
    }
}

static inline bool take(void *context, kin_object *object)
{
    kin_object **out = context;

    for (size_t i = 0; i < 8; i++) {
        if (out[i] == NULL) {
            out[i] = kin_object_ref(object);
            return true;
        }
    }
    FAIL("too many events");
}

/* All events of a namespace, by name; references. */
static inline size_t list(scene *s, const char *ns, kin_object *out[8])
{
    size_t count = 0;

    memset(out, 0, 8 * sizeof *out);
    must(kin_client_list(s->client, "events.v1.events.k8s.io", ns, take, out, &err));
    while (count < 8 && out[count] != NULL) {
        count++;
    }
    return count;
}

static inline void drop_all(kin_object *objects[8])
{
    for (size_t i = 0; i < 8; i++) {
        objects[i] = kin_object_unref(objects[i]);
    }
}

static inline void expect_at(const kin_object *object, const char *path, const char *want)
{
    char scratch[2048];
    kin_str got;

    if (kin_value_str(kin_object_at(object, path), scratch, sizeof scratch, &got) != KIN_OK) {
        got = STR("(none)");
    }
    ASSERT_SLICE_EQ(got, want);
}

static inline int64_t series_count(const kin_object *event)
{
    int64_t count = 0;

    (void) !kin_value_int64(kin_object_at(event, "series.count"), &count);
    return count;
}

/* The one event there is: how often it was told; 0: once. */
static inline int64_t count_of_one(scene *s)
{
    kin_object *events[8];

    ASSERT_EQ(list(s, "shop", events), 1);
    int64_t count = series_count(events[0]);
    drop_all(events);
    return count;
}

static inline uint64_t fault(scene *s, const char *json)
{
    uint64_t id = 0;

    must(kin_server_fault(s->server, kin_str_of(json), &id, &err));
    return id;
}

#endif /* TESTS_UNIT_CONTROLLER_RECORDING_H */
