/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workshop.h - a controller of an embedded API server, on virtual time.
 *
 * The server, the loop and the workers have threads of their own, the first two in real time.  The
 * controller's time goes on only with pass().  Nothing here sleeps: tests wait until the controller
 * is idle, or for a knot that a reconcile ties.
 */
#ifndef TESTS_UNIT_CONTROLLER_WORKSHOP_H
#define TESTS_UNIT_CONTROLLER_WORKSHOP_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "controller/runtime.h"
#include "kin/controller.h"
#include "kin/testing/server.h"
#include "support/test.h"

typedef struct workshop {
    kin__virtual_clock clock;
    kin_server *server;
    kin_client *client;
    kin_informer *maps; /* ConfigMaps of all namespaces */
    kin_controller *controller;
    kin_controller_options options; /* for the controller */
    kin_error err;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    text seen; /* what reconciles have noted, with a blank between */
    int held;  /* reconciles that wait in hold() */
    bool is_holding;
} workshop;

/* ---- what reconciles note ------------------------------------------------------------------- */

static inline void note(workshop *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void note(workshop *w, const char *format, ...)
{
    char words[512];
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&w->lock);
    text_append(&w->seen, "%s%s", w->seen.len == 0 ? "" : " ", words);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* All that was noted since the last time. */
static inline void expect_seen(workshop *w, const char *words)
{
    pthread_mutex_lock(&w->lock);
    ASSERT_STR_EQ(w->seen.chars, words);
    text_clear(&w->seen);
    pthread_mutex_unlock(&w->lock);
}

/* Waits until these words have been noted, among others. */
static inline void await_seen(workshop *w, const char *words)
{
    pthread_mutex_lock(&w->lock);
    while (strstr(w->seen.chars, words) == NULL) {
        pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

/* In a reconcile: waits while the test wants that. */
static inline void hold(workshop *w)
{
    pthread_mutex_lock(&w->lock);
    w->held++;
    pthread_cond_broadcast(&w->changed);
    while (w->is_holding) {
        pthread_cond_wait(&w->changed, &w->lock);
    }
    w->held--;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static inline void await_held(workshop *w, int count)
{
    pthread_mutex_lock(&w->lock);
    while (w->held != count) {
        pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static inline void set_holding(workshop *w, bool is_holding)
{
    pthread_mutex_lock(&w->lock);
    w->is_holding = is_holding;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* Notes its key: what most controllers here do. */
static inline kin_err note_key(void *context, kin_reconcile *r, kin_error *err)
{
    (void) err;
    note(context, "%.*s", KIN_STR_ARG(kin_reconcile_key(r)));
    return KIN_OK;
}

/* ---- the workshop --------------------------------------------------------------------------- */

static inline kin_informer *make_informer(workshop *w, kin_informer_options options)
{
    kin_informer *informer = NULL;

    ASSERT_OK(kin_informer_new(w->client, &options, &informer, &w->err));
    return informer;
}

static inline kin_informer *make_informer_of(workshop *w, const char *resource)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = resource;
    return make_informer(w, options);
}

/* The controller is made by make_controller(), after the test has changed `options`. */
static inline void workshop_open(workshop *w)
{
    kin_server_options server = KIN_SERVER_OPTIONS_INIT;
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;

    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    kin__virtual_clock_init(&w->clock, 1000000, (kin_time){ 1767225600, 0 });
    server.has_no_tls = true;
    server.token = "";
    ASSERT_OK(kin_server_start(&server, &w->server, &w->err));
    const char *kubeconfig = kin_server_kubeconfig(w->server);
    ASSERT_OK(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &w->err));
    client.requests_per_second = -1;
    ASSERT_OK(kin_client_new(config, &client, &w->client, &w->err));
    kin_config_unref(config);
    w->maps = make_informer_of(w, "configmaps");
    w->options = (kin_controller_options) KIN_CONTROLLER_OPTIONS_INIT;
    w->options.name = "test";
    w->options.reconcile = note_key;
    w->options.context = w;
}

static inline void make_controller(workshop *w)
{
    ASSERT_OK(kin__runtime_new(w->client, &w->options, &w->clock.clock, &w->controller, &w->err));
}

/* About ConfigMaps, all of them. */
static inline void make_controller_about_maps(workshop *w)
{
    make_controller(w);
    ASSERT_OK(kin_controller_about(w->controller, w->maps, NULL, &w->err));
}

static inline void start(workshop *w)
{
    ASSERT_OK(kin_informer_start(w->maps, &w->err));
    ASSERT_OK(kin_controller_start(w->controller, &w->err));
}

static inline void await_idle(workshop *w)
{
    ASSERT_OK(kin_controller_wait_idle(w->controller, -1, &w->err));
}

static inline void workshop_close(workshop *w)
{
    set_holding(w, false);
    kin_controller_free(w->controller);
    kin_informer_free(w->maps);
    kin_client_free(w->client);
    kin_server_stop(w->server);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
}

static inline kin_controller_status status_of(workshop *w)
{
    kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;

    ASSERT_OK(kin_controller_get_status(w->controller, &status, &w->err));
    return status;
}

typedef struct workshop__round {
    workshop *w;
    bool is_over;
} workshop__round;

static inline void workshop__end_round(void *context)
{
    workshop__round *round = context;

    pthread_mutex_lock(&round->w->lock);
    round->is_over = true;
    pthread_cond_broadcast(&round->w->changed);
    pthread_mutex_unlock(&round->w->lock);
}

/* Until the loop has done all that was posted. */
static inline void await_loop(workshop *w)
{
    workshop__round round = { w, false };

    ASSERT_OK(kin_loop_post(kin_client_loop(w->client), workshop__end_round, &round, &w->err));
    pthread_mutex_lock(&w->lock);
    while (!round.is_over) {
        pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

typedef struct workshop__look {
    const kin_controller *controller;
    _Atomic bool is_set;
} workshop__look;

static inline void workshop__look_at_timer(void *context)
{
    workshop__look *l = context;

    l->is_set = kin__timer_is_set(&l->controller->timer);
}

/* Until a turn is to come by itself. */
static inline void await_timer(workshop *w)
{
    workshop__look timer = { .controller = w->controller };

    while (!timer.is_set) {
        ASSERT_OK(
            kin_loop_post(kin_client_loop(w->client), workshop__look_at_timer, &timer, &w->err));
        await_loop(w);
    }
}

/* Time goes on: the controller has a turn, and the queue finds what is due. */
static inline void pass(workshop *w, int64_t ms)
{
    kin__virtual_clock_advance(&w->clock, ms);
    kin__runtime_wake(w->controller);
    await_loop(w);
    (void) status_of(w);
}

/* Until its handlers have been told all that its informers know. */
static inline void await_told(workshop *w)
{
    bool is_behind = true;

    while (is_behind) {
        is_behind = false;
        for (kin__link *link = kin__list_first(&w->controller->watches); link != NULL;
             link = kin__list_next(&w->controller->watches, link)) {
            is_behind = is_behind ||
                        kin__runtime_watch_is_behind(KIN__OWNER(link, kin__runtime_watch, link));
        }
        (void) sched_yield();
    }
}

/* ---- what happens on the server ------------------------------------------------------------- */

static inline uint64_t put(workshop *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline uint64_t put(workshop *w, const char *format, ...)
{
    char json[4096];
    uint64_t revision = 0;
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(json, sizeof json, format, arguments);
    va_end(arguments);
    ASSERT_OK(kin_server_put(w->server, kin_str_of(json), &revision, &w->err));
    return revision;
}

/* A ConfigMap in "default". */
static inline uint64_t put_map(workshop *w, const char *name, const char *value)
{
    return put(w,
               "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
               "\"default\",\"name\":\"%s\"},\"data\":{\"value\":\"%s\"}}",
               name, value);
}

static inline uint64_t remove_map(workshop *w, const char *name)
{
    uint64_t revision = 0;

    ASSERT_OK(kin_server_remove(w->server, "v1", "ConfigMap", "default", name, &revision, &w->err));
    return revision;
}

/* Until the informer's store has it. */
static inline void await_version(workshop *w, kin_informer *informer, const char *key,
                                 uint64_t revision)
{
    char version[32];

    (void) snprintf(version, sizeof version, "%llu", (unsigned long long) revision);
    ASSERT_OK(kin_informer_wait_for(informer, kin_str_of(key), kin_str_of(version), -1, &w->err));
}

/* Writes it, and waits until all of it has been dealt with. */
static inline void settle_map(workshop *w, const char *name, const char *value)
{
    char key[256];
    uint64_t revision = put_map(w, name, value);

    (void) snprintf(key, sizeof key, "default/%s", name);
    await_version(w, w->maps, key, revision);
    await_idle(w);
}

static inline uint64_t fault(workshop *w, const char *json)
{
    uint64_t id = 0;

    ASSERT_OK(kin_server_fault(w->server, kin_str_of(json), &id, &w->err));
    return id;
}

/* Until the server has a request that the one fault there is concerns. */
static inline void await_fault(workshop *w)
{
    bool is_met = false;

    while (!is_met) {
        kin_server_answer answer = { 0 };
        ASSERT_OK(kin_server_ask(w->server, "GET", "/kin/faults", NULL, kin_str_of(""), &answer,
                                 &w->err));
        is_met = strstr(answer.body, "\"met\":0") == NULL;
        kin_server_answer_fini(&answer);
        (void) sched_yield();
    }
}

/* An object to be written; release it. */
static inline kin_object *object_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline kin_object *object_of(const char *format, ...)
{
    char json[4096];
    kin_object *object = NULL;
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(json, sizeof json, format, arguments);
    va_end(arguments);
    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, NULL));
    return object;
}

static inline kin_object *map_of(const char *name, const char *value)
{
    return object_of("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
                     "\"default\",\"name\":\"%s\"},\"data\":{\"value\":\"%s\"}}",
                     name, value);
}

#endif /* TESTS_UNIT_CONTROLLER_WORKSHOP_H */
