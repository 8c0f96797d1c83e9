/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_cells.c - how a pod fares, in three cells.
 *
 * The rules are those of printPod() in k8s.io/kubernetes, pkg/printers/internalversion.
 */
#include <inttypes.h>

#include "cli/cells.h"
#include "cli/duration.h"

#define CONTAINERS_MAX 1000 /* more than any node would run: each is looked up among all */

/* What the three cells tell. */
typedef struct pod {
    const kin_object *object;
    kin__cli_text reason;
    int64_t ready;
    int64_t total;
    int64_t restarts;
    int64_t sidecar_restarts;
    int64_t last_restart; /* seconds since 1970; 0: never */
    int64_t last_sidecar_restart;
    bool is_initializing;
} pod;

static void look(const kin_object *object, pod *p);
static void look_at_reason(pod *p);
static void look_at_init(pod *p);
static bool look_at_init_status(pod *p, kin_value status, size_t number, size_t count);
static void look_at_containers(pod *p);
static bool is_ended(kin_value status);
static bool is_running(kin_value status);
static bool say_why(kin_value status, kin__cli_text *out);
static void look_at_end(pod *p);
static void set_reason(pod *p, const char *prefix, kin_str reason);
static void say_exit(const char *prefix, kin_value terminated, kin__cli_text *out);
static bool is_sidecar(const pod *p, kin_str name);
static int64_t later(int64_t known, kin_value status);

void kin__cli_cell_pod_ready(const kin_object *object, int64_t now, kin__cli_text *out)
{
    pod p = { 0 };

    (void) now;
    look(object, &p);
    kin__cli_text_say(out, "%" PRId64 "/%" PRId64, p.ready, p.total);
    kin__cli_text_fini(&p.reason);
}

void kin__cli_cell_pod_status(const kin_object *object, int64_t now, kin__cli_text *out)
{
    pod p = { 0 };

    (void) now;
    look(object, &p);
    kin__cli_text_append(out, kin__cli_text_str(&p.reason));
    kin__cli_text_fini(&p.reason);
}

void kin__cli_cell_pod_restarts(const kin_object *object, int64_t now, kin__cli_text *out)
{
    pod p = { 0 };

    look(object, &p);
    kin__cli_text_say(out, "%" PRId64, p.restarts);
    if (p.restarts != 0 && p.last_restart != 0) {
        kin__cli_text_say(out, " (");
        kin__cli_duration_show(now - p.last_restart, out);
        kin__cli_text_say(out, " ago)");
    }
    kin__cli_text_fini(&p.reason);
}

static void look(const kin_object *object, pod *p)
{
    p->object = object;
    p->total = (int64_t) kin_value_count(kin_object_at(object, "spec.containers"));
    look_at_reason(p);
    look_at_init(p);
    bool is_initialized =
        kin_str_equal(kin__cli_condition(object, "Initialized"), kin_str_of("True"));
    if (!p->is_initializing || is_initialized) {
        look_at_containers(p);
    }
    look_at_end(p);
}

static void look_at_reason(pod *p)
{
    kin_value whole = kin_object_at(p->object, "");
    kin_str reason = kin__cli_str_at(whole, "status.reason");
    kin_str gated = kin__cli_str_at(whole, "status.conditions[?type==\"PodScheduled\"].reason");

    set_reason(p, "", reason.len > 0 ? reason : kin__cli_str_at(whole, "status.phase"));
    if (kin_str_equal(gated, kin_str_of("SchedulingGated"))) {
        set_reason(p, "", gated);
    }
}

/* Up to the first that has not done its work. */
static void look_at_init(pod *p)
{
    kin_value specs = kin_object_at(p->object, "spec.initContainers");
    kin_iter iter = kin_value_iter(specs);
    size_t count = 0;

    while (kin_iter_next(&iter)) {
        kin_str policy = kin__cli_str_at(iter.value, "restartPolicy");
        p->total += kin_str_equal(policy, kin_str_of("Always"));
        count++;
    }
    iter = kin_value_iter(kin_object_at(p->object, "status.initContainerStatuses"));
    for (size_t number = 0; number < CONTAINERS_MAX && kin_iter_next(&iter); number++) {
        if (!look_at_init_status(p, iter.value, number, count)) {
            return;
        }
    }
}

static bool look_at_init_status(pod *p, kin_value status, size_t number, size_t count)
{
    kin_value terminated = kin_value_at(status, "state.terminated");
    bool has_terminated = kin_value_type(terminated) == KIN_TYPE_OBJECT;
    kin_str waiting = kin__cli_str_at(status, "state.waiting.reason");
    int64_t restarts = kin__cli_number_at(status, "restartCount");

    p->restarts += restarts;
    p->last_restart = later(p->last_restart, status);
    if (is_sidecar(p, kin__cli_str_at(status, "name"))) {
        p->sidecar_restarts += restarts;
        p->last_sidecar_restart = later(p->last_sidecar_restart, status);
        if (!has_terminated && kin__cli_bool_at(status, "started")) {
            p->ready += kin__cli_bool_at(status, "ready");
            return true;
        }
    }
    if (has_terminated && kin__cli_number_at(terminated, "exitCode") == 0) {
        return true;
    }
    p->is_initializing = true;
    if (has_terminated) {
        kin__cli_text_clear(&p->reason);
        say_exit("Init:", terminated, &p->reason);
    } else if (waiting.len > 0 && !kin_str_equal(waiting, kin_str_of("PodInitializing"))) {
        set_reason(p, "Init:", waiting);
    } else {
        kin__cli_text_clear(&p->reason);
        kin__cli_text_say(&p->reason, "Init:%zu/%zu", number, count);
    }
    return false;
}

/* The first that is not well says why. */
static void look_at_containers(pod *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.containerStatuses"));
    kin__cli_text reason = { 0 };
    bool has_running = false;

    p->restarts = p->sidecar_restarts;
    p->last_restart = p->last_sidecar_restart;
    while (kin_iter_next(&iter)) {
        p->restarts += kin__cli_number_at(iter.value, "restartCount");
        p->last_restart = later(p->last_restart, iter.value);
        bool says_why = reason.len > 0 ? is_ended(iter.value) : say_why(iter.value, &reason);
        if (!says_why && is_running(iter.value)) {
            has_running = true;
            p->ready++;
        }
    }
    if (reason.len > 0) {
        set_reason(p, "", kin__cli_text_str(&reason));
    }
    kin__cli_text_fini(&reason);
    if (has_running && kin_str_equal(kin__cli_text_str(&p->reason), kin_str_of("Completed"))) {
        bool is_ready = kin_str_equal(kin__cli_condition(p->object, "Ready"), kin_str_of("True"));
        set_reason(p, "", kin_str_of(is_ready ? "Running" : "NotReady"));
    }
}

/* Waits for a reason, or has terminated. */
static bool is_ended(kin_value status)
{
    return kin__cli_str_at(status, "state.waiting.reason").len > 0 ||
           kin_value_type(kin_value_at(status, "state.terminated")) == KIN_TYPE_OBJECT;
}

static bool is_running(kin_value status)
{
    return kin__cli_bool_at(status, "ready") &&
           kin_value_type(kin_value_at(status, "state.running")) == KIN_TYPE_OBJECT;
}

/* False, and nothing, for a container that has not ended. */
static bool say_why(kin_value status, kin__cli_text *out)
{
    kin_str waiting = kin__cli_str_at(status, "state.waiting.reason");

    if (!is_ended(status)) {
        return false;
    }
    if (waiting.len > 0) {
        kin__cli_text_append(out, waiting);
    } else {
        say_exit("", kin_value_at(status, "state.terminated"), out);
    }
    return true;
}

static void look_at_end(pod *p)
{
    kin_value whole = kin_object_at(p->object, "");
    kin_str phase = kin__cli_str_at(whole, "status.phase");
    kin_time time;

    if (!kin_object_deletion_time(p->object, &time)) {
        return;
    }
    if (kin_str_equal(kin__cli_str_at(whole, "status.reason"), kin_str_of("NodeLost"))) {
        set_reason(p, "", kin_str_of("Unknown"));
    } else if (!kin_str_equal(phase, kin_str_of("Failed")) &&
               !kin_str_equal(phase, kin_str_of("Succeeded"))) {
        set_reason(p, "", kin_str_of("Terminating"));
    }
}

static void set_reason(pod *p, const char *prefix, kin_str reason)
{
    kin__cli_text_clear(&p->reason);
    kin__cli_text_say(&p->reason, "%s%.*s", prefix, KIN_STR_ARG(reason));
}

/* Its reason, or the signal, or the code. */
static void say_exit(const char *prefix, kin_value terminated, kin__cli_text *out)
{
    kin_str reason = kin__cli_str_at(terminated, "reason");
    int64_t signal_number = kin__cli_number_at(terminated, "signal");

    if (reason.len > 0) {
        kin__cli_text_say(out, "%s%.*s", prefix, KIN_STR_ARG(reason));
    } else if (signal_number != 0) {
        kin__cli_text_say(out, "%sSignal:%" PRId64, prefix, signal_number);
    } else {
        kin__cli_text_say(out, "%sExitCode:%" PRId64, prefix,
                          kin__cli_number_at(terminated, "exitCode"));
    }
}

/* An init container that stays. */
static bool is_sidecar(const pod *p, kin_str name)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "spec.initContainers"));

    while (kin_iter_next(&iter)) {
        if (kin_str_equal(kin__cli_str_at(iter.value, "name"), name)) {
            return kin_str_equal(kin__cli_str_at(iter.value, "restartPolicy"),
                                 kin_str_of("Always"));
        }
    }
    return false;
}

static int64_t later(int64_t known, kin_value status)
{
    kin_time time;

    if (kin_value_time(kin_value_at(status, "lastState.terminated.finishedAt"), &time) != KIN_OK) {
        return known;
    }
    return time.seconds > known ? time.seconds : known;
}
