/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_pod.c - the cells of pods.
 *
 * A pod's status is told by the first of these that has something to say: its deletion, an init
 * container that is not done, the first container that waits or has ended, a gate, status.reason,
 * the phase.
 */
#include "server/printer_kinds.h"

/* Words, then a string of the object, then up to two numbers: "Init:1/3", "Init:Error". */
typedef struct reason {
    kin_str words;
    kin_value value;
    int number_count;
    int64_t numbers[2];
} reason;

typedef struct pod_state {
    int64_t ready;
    int64_t total;
    int64_t restarts;
    kin_time restarted; /* the last time; KIN__NO_DATE: not known */
    reason why;
} pod_state;

/* Restarts of one set of containers. */
typedef struct restarts {
    int64_t count;
    kin_time last;
} restarts;

static pod_state look_at(kin__printer *p);
static bool look_at_init(kin__printer *p, pod_state *state, restarts *all, restarts *sidecars);
static bool note_init_status(kin_value status, bool is_sidecar, pod_state *state);
static void look_at_containers(const kin_object *pod, pod_state *state, restarts from);
static void count_restarts(restarts *sum, kin_value status);
static reason ended_reason(kin_value terminated, bool is_init);
static void collect_init(const kin_object *pod, kin__pairs *pairs, int64_t *sidecar_count);
static bool has_condition(const kin_object *pod, kin_str type);
static void print_reason(kin__printer *p, const reason *why);
static void print_restarts(kin__printer *p, const pod_state *state);

static reason reason_of_value(kin_value value)
{
    return (reason){ .words = STR(""), .value = value };
}

static reason reason_of_words(kin_str words)
{
    return (reason){ .words = words };
}

static reason reason_of_number(kin_str words, int64_t number)
{
    return (reason){ .words = words, .number_count = 1, .numbers = { number } };
}

void kin__print_pod_state(kin__printer *p)
{
    pod_state state = look_at(p);

    kin__cell_begin(p);
    kin__cell_add_number(p, state.ready);
    kin__cell_add(p, STR("/"));
    kin__cell_add_number(p, state.total);
    kin__cell_end(p);
    print_reason(p, &state.why);
    print_restarts(p, &state);
}

/* podIP is the older field and the one that counts where the two differ. */
void kin__print_pod_ip(kin__printer *p)
{
    kin_value ip = kin_object_at(p->object, "status.podIP");

    if (!kin__value_is_filled(ip)) {
        ip = kin_object_at(p->object, "status.podIPs[0].ip");
    }
    kin__cell_write_value(p, kin__value_is_filled(ip) ? ip : (kin_value){ 0 }, STR("<none>"));
}

void kin__print_pod_gates(kin__printer *p)
{
    AUTO(kin__pairs_fini) kin__pairs conditions = { 0 };
    AUTO(kin__buf_fini) kin__buf type = { 0 };
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.conditions"));
    int64_t passed = 0;
    int64_t total = 0;

    while (kin_iter_next(&iter)) {
        bool is_true = kin__value_is(kin_value_member(iter.value, STR("status")), STR("True"));
        kin__pairs_open(&conditions, kin_value_member(iter.value, STR("type")));
        (void) kin__buf_append_str(&conditions.bytes, is_true ? STR("y") : STR(""));
        kin__pairs_close(&conditions);
    }
    kin__pairs_sort(&conditions);
    iter = kin_value_iter(kin_object_at(p->object, "spec.readinessGates"));
    for (; kin_iter_next(&iter); total++) {
        size_t found;
        type.len = 0;
        (void) kin__value_append(kin_value_member(iter.value, STR("conditionType")), &type);
        if (kin__pairs_first(&conditions, kin__str(type.data, type.len), &found)) {
            passed += kin__pairs_text(&conditions, found).len > 0;
        }
    }
    p->has_failed |= conditions.has_failed || kin__buf_failed(&type);
    kin__cell_begin(p);
    if (total == 0) {
        kin__cell_add(p, STR("<none>"));
    } else {
        kin__cell_add_number(p, passed);
        kin__cell_add(p, STR("/"));
        kin__cell_add_number(p, total);
    }
    kin__cell_end(p);
}

void kin__print_pod_conditions(kin__printer *p)
{
    kin_value phase = kin_object_at(p->object, "status.phase");
    bool is_failed = kin__value_is(phase, STR("Failed"));

    if (!is_failed && !kin__value_is(phase, STR("Succeeded"))) {
        return;
    }
    kin__json_key(p->w, STR("conditions"));
    kin__json_begin(p->w, '[');
    kin__json_begin(p->w, '{');
    kin__json_key(p->w, STR("type"));
    kin__json_string(p->w, STR("Completed"));
    kin__json_key(p->w, STR("status"));
    kin__json_string(p->w, STR("True"));
    kin__json_key(p->w, STR("reason"));
    kin__json_string(p->w, is_failed ? STR("Failed") : STR("Succeeded"));
    kin__json_key(p->w, STR("message"));
    kin__json_string(p->w, is_failed ? STR("The pod failed.")
                                     : STR("The pod has completed successfully."));
    kin__json_end(p->w, '}');
    kin__json_end(p->w, ']');
}

static pod_state look_at(kin__printer *p)
{
    kin_value status = kin_object_at(p->object, "status");
    kin_value phase = kin_value_member(status, STR("phase"));
    kin_value given = kin_value_member(status, STR("reason"));
    kin_iter iter = kin_value_iter(kin_value_member(status, STR("conditions")));
    pod_state state = { .restarted = KIN__NO_DATE };
    restarts all = { 0, KIN__NO_DATE };
    restarts sidecars = { 0, KIN__NO_DATE };
    kin_time deleted;

    state.why = reason_of_value(kin__value_is_filled(given) ? given : phase);
    while (kin_iter_next(&iter)) {
        if (kin__value_is(kin_value_member(iter.value, STR("type")), STR("PodScheduled")) &&
            kin__value_is(kin_value_member(iter.value, STR("reason")), STR("SchedulingGated"))) {
            state.why = reason_of_words(STR("SchedulingGated"));
        }
    }
    state.total = (int64_t) kin_value_count(kin_object_at(p->object, "spec.containers"));
    bool is_initializing = look_at_init(p, &state, &all, &sidecars);
    state.restarts = all.count;
    state.restarted = all.last;
    if (!is_initializing || has_condition(p->object, STR("Initialized"))) {
        look_at_containers(p->object, &state, sidecars);
    }
    if (kin_object_deletion_time(p->object, &deleted)) {
        if (kin__value_is(given, STR("NodeLost"))) {
            state.why = reason_of_words(STR("Unknown"));
        } else if (!kin__value_is(phase, STR("Failed")) &&
                   !kin__value_is(phase, STR("Succeeded"))) {
            state.why = reason_of_words(STR("Terminating"));
        }
    }
    return state;
}

/* Init containers, up to the first that is not done; true when there is such a one.  Those that are
 * restarted always, sidecars, count among the containers. */
static bool look_at_init(kin__printer *p, pod_state *state, restarts *all, restarts *sidecars)
{
    AUTO(kin__pairs_fini) kin__pairs known = { 0 };
    AUTO(kin__buf_fini) kin__buf name = { 0 };
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.initContainerStatuses"));
    int64_t sidecar_count = 0;
    bool is_initializing = false;

    collect_init(p->object, &known, &sidecar_count);
    state->total += sidecar_count;
    for (int64_t i = 0; !is_initializing && kin_iter_next(&iter); i++) {
        size_t found;
        name.len = 0;
        (void) kin__value_append(kin_value_member(iter.value, STR("name")), &name);
        bool is_sidecar = kin__pairs_last(&known, kin__str(name.data, name.len), &found) &&
                          kin__pairs_text(&known, found).len > 0;
        count_restarts(all, iter.value);
        if (is_sidecar) {
            count_restarts(sidecars, iter.value);
        }
        is_initializing = note_init_status(iter.value, is_sidecar, state);
        if (is_initializing && state->why.number_count == 2) {
            state->why.numbers[0] = i;
            state->why.numbers[1] = (int64_t) known.count;
        }
    }
    p->has_failed |= known.has_failed || kin__buf_failed(&name);
    return is_initializing;
}

/* True when the container is not done yet; then it says why.  Of the two numbers of "Init:1/3" the
 * caller knows. */
static bool note_init_status(kin_value status, bool is_sidecar, pod_state *state)
{
    kin_value terminated = kin_value_at(status, "state.terminated");
    kin_value waiting = kin_value_at(status, "state.waiting.reason");
    bool has_ended = kin__value_is_there(terminated);

    if (has_ended && kin__value_number(kin_value_member(terminated, STR("exitCode"))) == 0) {
        return false;
    }
    if (is_sidecar && kin__value_flag(kin_value_member(status, STR("started")), false)) {
        state->ready += kin__value_flag(kin_value_member(status, STR("ready")), false);
        return false;
    }
    if (has_ended) {
        state->why = ended_reason(terminated, true);
    } else if (kin__value_is_filled(waiting) && !kin__value_is(waiting, STR("PodInitializing"))) {
        state->why = (reason){ .words = STR("Init:"), .value = waiting };
    } else {
        state->why = (reason){ .words = STR("Init:"), .number_count = 2 };
    }
    return true;
}

static void look_at_containers(const kin_object *pod, pod_state *state, restarts from)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "status.containerStatuses"));
    reason first_failure = { 0 };
    bool has_reason = false;
    bool has_failure = false;
    bool has_running = false;

    while (kin_iter_next(&iter)) {
        kin_value waiting = kin_value_at(iter.value, "state.waiting.reason");
        kin_value terminated = kin_value_at(iter.value, "state.terminated");
        count_restarts(&from, iter.value);
        if (kin__value_is_filled(waiting)) {
            state->why = has_reason ? state->why : reason_of_value(waiting);
            has_reason = true;
        } else if (kin__value_is_there(terminated)) {
            reason why = ended_reason(terminated, false);
            bool is_failure = kin__value_number(kin_value_member(terminated, STR("exitCode"))) != 0;
            state->why = has_reason ? state->why : why;
            has_reason = true;
            first_failure = has_failure || !is_failure ? first_failure : why;
            has_failure |= is_failure;
        } else if (kin__value_flag(kin_value_member(iter.value, STR("ready")), false) &&
                   kin__value_is_there(kin_value_at(iter.value, "state.running"))) {
            has_running = true;
            state->ready++;
        }
    }
    state->restarts = from.count;
    state->restarted = from.last;
    if (state->why.words.len != 0 || !kin__value_is(state->why.value, STR("Completed"))) {
        return;
    }
    if (has_running && has_condition(pod, STR("Ready"))) {
        state->why = reason_of_words(STR("Running"));
    } else if (has_failure) {
        state->why = first_failure;
    } else if (has_running) {
        state->why = reason_of_words(STR("NotReady"));
    }
}

static void count_restarts(restarts *sum, kin_value status)
{
    kin_time ended = kin__value_date(kin_value_at(status, "lastState.terminated.finishedAt"));

    sum->count += (int32_t) kin__value_number(kin_value_member(status, STR("restartCount")));
    if (kin__date_is_before(sum->last, ended)) {
        sum->last = ended;
    }
}

/* Of a container that has ended: its reason, else its signal, else its exit code. */
static reason ended_reason(kin_value terminated, bool is_init)
{
    kin_value why = kin_value_member(terminated, STR("reason"));
    int64_t signal = kin__value_number(kin_value_member(terminated, STR("signal")));
    int64_t code = kin__value_number(kin_value_member(terminated, STR("exitCode")));

    if (kin__value_is_filled(why)) {
        return (reason){ .words = is_init ? STR("Init:") : STR(""), .value = why };
    }
    if (signal != 0) {
        return reason_of_number(is_init ? STR("Init:Signal:") : STR("Signal:"), signal);
    }
    return reason_of_number(is_init ? STR("Init:ExitCode:") : STR("ExitCode:"), code);
}

/* The names of init containers, with a text for those that are restarted always. */
static void collect_init(const kin_object *pod, kin__pairs *pairs, int64_t *sidecar_count)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "spec.initContainers"));

    while (kin_iter_next(&iter)) {
        bool is_sidecar =
            kin__value_is(kin_value_member(iter.value, STR("restartPolicy")), STR("Always"));
        *sidecar_count += is_sidecar;
        kin__pairs_open(pairs, kin_value_member(iter.value, STR("name")));
        (void) kin__buf_append_str(&pairs->bytes, is_sidecar ? STR("y") : STR(""));
        kin__pairs_close(pairs);
    }
    kin__pairs_sort(pairs);
}

/* "Ready" is true when any of that type is, "Initialized" when the first of them is. */
static bool has_condition(const kin_object *pod, kin_str type)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "status.conditions"));
    bool is_first_only = kin__str_equal(type, STR("Initialized"));

    while (kin_iter_next(&iter)) {
        if (!kin__value_is(kin_value_member(iter.value, STR("type")), type)) {
            continue;
        }
        if (kin__value_is(kin_value_member(iter.value, STR("status")), STR("True"))) {
            return true;
        }
        if (is_first_only) {
            return false;
        }
    }
    return false;
}

static void print_reason(kin__printer *p, const reason *why)
{
    kin__cell_begin(p);
    kin__cell_add(p, why->words);
    kin__cell_add_value(p, why->value);
    for (int i = 0; i < why->number_count; i++) {
        kin__cell_add(p, i == 0 ? STR("") : STR("/"));
        kin__cell_add_number(p, why->numbers[i]);
    }
    kin__cell_end(p);
}

static void print_restarts(kin__printer *p, const pod_state *state)
{
    kin__cell_begin(p);
    kin__cell_add_number(p, state->restarts);
    if (state->restarts != 0 && !kin__date_is_none(state->restarted)) {
        kin__cell_add(p, STR(" ("));
        kin__cell_add_age(p, state->restarted);
        kin__cell_add(p, STR(" ago)"));
    }
    kin__cell_end(p);
}
