/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - which pods go first when there are too many.
 */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

#include "pod.h"
#include "reading.h"

#define COST "controller.kubernetes.io/pod-deletion-cost"

typedef struct ranked {
    rank rank;
    kin_object *pod;
} ranked;

static int phase_of(const kin_object *pod);
static int64_t cost_of(const kin_object *pod);
static int age_of(kin_time then, kin_time now);
static void count_restarts(const kin_object *pod, rank *out);
static bool is_sidecar(const kin_object *pod, kin_str name);
static int compare_texts(kin_str a, kin_str b);
static int compare_nodes(const void *a, const void *b);
static int compare_ranked(const void *a, const void *b);
static kin_str *sorted_nodes(const pod_list *family);
static size_t count_of(kin_str node, const kin_str *nodes, size_t count);

rank rank_of(const kin_object *pod, kin_time now)
{
    rank r = { 0 };
    kin_time since = { 0, 0 };
    kin_time created = { 0, 0 };

    r.has_node = pod_node(pod).len > 0;
    r.phase = phase_of(pod);
    r.is_ready = pod_is_ready(pod, &since);
    r.cost = cost_of(pod);
    r.ready_age = age_of(since, now);
    count_restarts(pod, &r);
    (void) kin_object_creation_time(pod, &created);
    r.age = age_of(created, now);
    r.uid = kin_object_uid(pod);
    return r;
}

/* One for each of what may differ. */
#define LESS_FIRST(field)                                                                          \
    if (a->field != b->field) {                                                                    \
        return a->field < b->field ? -1 : 1;                                                       \
    }
#define MORE_FIRST(field)                                                                          \
    if (a->field != b->field) {                                                                    \
        return a->field > b->field ? -1 : 1;                                                       \
    }

int rank_compare(const rank *a, const rank *b)
{
    LESS_FIRST(has_node)
    LESS_FIRST(phase)
    LESS_FIRST(is_ready)
    LESS_FIRST(cost)
    MORE_FIRST(neighbours)
    if (a->is_ready) {
        LESS_FIRST(ready_age)
    }
    MORE_FIRST(restarts)
    MORE_FIRST(sidecar_restarts)
    LESS_FIRST(age)
    return compare_texts(a->uid, b->uid);
}

bool rank_sort(pod_list *list, const pod_list *family, kin_time now)
{
    if (list->count == 0) {
        return true;
    }
    ranked *all = malloc(list->count * sizeof *all);
    kin_str *nodes = sorted_nodes(family);

    if (all == NULL || nodes == NULL) {
        free(all);
        free(nodes);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        all[i].pod = list->pods[i];
        all[i].rank = rank_of(all[i].pod, now);
        all[i].rank.neighbours = count_of(pod_node(all[i].pod), nodes, family->count);
    }
    qsort(all, list->count, sizeof *all, compare_ranked);
    for (size_t i = 0; i < list->count; i++) {
        list->pods[i] = all[i].pod;
    }
    free(all);
    free(nodes);
    return true;
}

static int phase_of(const kin_object *pod)
{
    kin_str phase = read_text(kin_object_at(pod, "status.phase"));

    if (kin_str_equal(phase, kin_str_of("Running"))) {
        return 2;
    }
    return kin_str_equal(phase, kin_str_of("Unknown")) ? 1 : 0;
}

/* A 32-bit number without a plus sign or a zero in front; what is none counts as 0. */
static int64_t cost_of(const kin_object *pod)
{
    kin_str text = read_text(kin_object_annotation(pod, kin_str_of(COST)));
    bool is_negative = text.len > 0 && text.data[0] == '-';
    size_t first = is_negative ? 1 : 0;
    int64_t cost = 0;

    if (text.len == first || text.len > 11 || (text.data[first] == '0' && text.len > 1)) {
        return 0;
    }
    for (size_t i = first; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return 0;
        }
        cost = cost * 10 + (text.data[i] - '0');
    }
    cost = is_negative ? -cost : cost;
    return cost < INT32_MIN || cost > INT32_MAX ? 0 : cost;
}

/* The power of two that the age in nanoseconds has reached. */
static int age_of(kin_time then, kin_time now)
{
    int64_t seconds = now.seconds - then.seconds;
    int power = -1;

    if (then.seconds == 0 || seconds < 0) {
        return -1;
    }
    if (seconds > INT64_MAX / 1000000000 - 1) {
        return 62;
    }
    for (int64_t age = seconds * 1000000000 + now.nanoseconds - then.nanoseconds; age > 0;
         age /= 2) {
        power++;
    }
    return power;
}

static void count_restarts(const kin_object *pod, rank *out)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "status.containerStatuses"));

    while (kin_iter_next(&iter)) {
        int64_t count = read_number(kin_value_at(iter.value, "restartCount"), 0);

        out->restarts = count > out->restarts ? count : out->restarts;
    }
    iter = kin_value_iter(kin_object_at(pod, "status.initContainerStatuses"));
    while (kin_iter_next(&iter)) {
        int64_t count = read_number(kin_value_at(iter.value, "restartCount"), 0);

        if (count > out->sidecar_restarts &&
            is_sidecar(pod, read_text(kin_value_at(iter.value, "name")))) {
            out->sidecar_restarts = count;
        }
    }
}

/* An init container that is to run all the time. */
static bool is_sidecar(const kin_object *pod, kin_str name)
{
    kin_iter iter = kin_value_iter(kin_object_at(pod, "spec.initContainers"));

    while (kin_iter_next(&iter)) {
        if (kin_str_equal(read_text(kin_value_at(iter.value, "name")), name)) {
            return kin_str_equal(read_text(kin_value_at(iter.value, "restartPolicy")),
                                 kin_str_of("Always"));
        }
    }
    return false;
}

static int compare_texts(kin_str a, kin_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.data, b.data, len);

    if (order != 0 || a.len == b.len) {
        return order;
    }
    return a.len < b.len ? -1 : 1;
}

static int compare_nodes(const void *a, const void *b)
{
    return compare_texts(*(const kin_str *) a, *(const kin_str *) b);
}

static int compare_ranked(const void *a, const void *b)
{
    return rank_compare(&((const ranked *) a)->rank, &((const ranked *) b)->rank);
}

/* The node of each pod of the family, so that equal ones are beside each other. */
static kin_str *sorted_nodes(const pod_list *family)
{
    kin_str *nodes = malloc((family->count + 1) * sizeof *nodes);

    if (nodes == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < family->count; i++) {
        nodes[i] = pod_node(family->pods[i]);
    }
    if (family->count > 0) {
        qsort(nodes, family->count, sizeof *nodes, compare_nodes);
    }
    return nodes;
}

/* How many of them are `node`: found by halves, then counted to both sides. */
static size_t count_of(kin_str node, const kin_str *nodes, size_t count)
{
    const kin_str *found =
        count == 0 ? NULL : bsearch(&node, nodes, count, sizeof node, compare_nodes);

    if (found == NULL) {
        return 0;
    }
    const kin_str *first = found;
    const kin_str *last = found;
    while (first > nodes && kin_str_equal(first[-1], node)) {
        first--;
    }
    while (last < nodes + count - 1 && kin_str_equal(last[1], node)) {
        last++;
    }
    return (size_t) (last - first) + 1;
}
