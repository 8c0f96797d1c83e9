/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_event.c - events.
 *
 * The scheduler records them by the newer interface (events.k8s.io), the others by the older one:
 * each leaves empty what the other fills in.
 */
#include <stdio.h>

#include "simulate/render.h"
#include "simulate/templates.h"

typedef enum subject { SUBJECT_POD, SUBJECT_SET, SUBJECT_DEPLOYMENT } subject;

typedef struct kind_of_event {
    const char *reason;
    const char *message; /* a template */
    const char *component;
    const char *action; /* of the newer interface; NULL: the older one */
    subject subject;
    bool is_warning;
    bool is_container; /* about the container, not the whole pod */
} kind_of_event;

static const kind_of_event kinds[KIN__SIM_REASONS] = {
    [KIN__SIM_SCHEDULING_FAILED] = { "FailedScheduling",
                                     "0/<nodes> nodes are available: <nodes> Insufficient cpu. no "
                                     "new claims to deallocate, preemption: 0/<nodes> nodes are "
                                     "available: <nodes> No preemption victims found for incoming "
                                     "pod.",
                                     "default-scheduler", "Scheduling", SUBJECT_POD, true, false },
    [KIN__SIM_SCHEDULED_TO] = { "Scheduled", "Successfully assigned <ns>/<pod> to <node>",
                                "default-scheduler", "Binding", SUBJECT_POD, false, false },
    [KIN__SIM_PULLED] = { "Pulled",
                          "Container image `<image>` already present on machine and can be "
                          "accessed by the pod",
                          "kubelet", NULL, SUBJECT_POD, false, true },
    [KIN__SIM_CONTAINER_CREATED] = { "Created", "Container created", "kubelet", NULL, SUBJECT_POD,
                                     false, true },
    [KIN__SIM_CONTAINER_STARTED] = { "Started", "Container started", "kubelet", NULL, SUBJECT_POD,
                                     false, true },
    [KIN__SIM_UNHEALTHY] = { "Unhealthy",
                             "Readiness probe failed: HTTP probe failed with statuscode: 503",
                             "kubelet", NULL, SUBJECT_POD, true, true },
    [KIN__SIM_BACK_OFF] = { "BackOff",
                            "Back-off restarting failed container app in pod <pod>_<ns>(<pod-uid>)",
                            "kubelet", NULL, SUBJECT_POD, true, true },
    [KIN__SIM_KILLING] = { "Killing", "Stopping container app", "kubelet", NULL, SUBJECT_POD, false,
                           true },
    [KIN__SIM_POD_CREATED] = { "SuccessfulCreate", "Created pod: <pod>", "replicaset-controller",
                               NULL, SUBJECT_SET, false, false },
    [KIN__SIM_POD_DELETED] = { "SuccessfulDelete", "Deleted pod: <pod>", "replicaset-controller",
                               NULL, SUBJECT_SET, false, false },
    [KIN__SIM_SCALED_UP] = { "ScalingReplicaSet", "Scaled up replica set <set> from <from> to <to>",
                             "deployment-controller", NULL, SUBJECT_DEPLOYMENT, false, false },
    [KIN__SIM_SCALED_DOWN] = { "ScalingReplicaSet",
                               "Scaled down replica set <set> from <from> to <to>",
                               "deployment-controller", NULL, SUBJECT_DEPLOYMENT, false, false },
};

/* Laid out by hand: the formatter cannot read them. */
/* clang-format off */
static const char event_head[] =
    "{'kind':'Event','apiVersion':'v1','metadata':{'name':'<event>','namespace':'<ns>',"
    "'uid':'<event-uid>','creationTimestamp':'<time>','managedFields':[";
static const char core_entry[] =
    KIN__SIM_ENTRY("<manager>", "v1", "<time>")
    "'f:count':{},'f:firstTimestamp':{},'f:involvedObject':{},'f:lastTimestamp':{},"
    "'f:message':{},'f:reason':{},'f:reportingComponent':{},<f-instance>"
    "'f:source':{'f:component':{}<f-host>},'f:type':{}"
    KIN__SIM_ENTRY_END;
static const char newer_entry[] =
    KIN__SIM_ENTRY("kube-scheduler", "events.k8s.io/v1", "<time>")
    "'f:action':{},'f:eventTime':{},'f:note':{},'f:reason':{},'f:regarding':{},"
    "'f:reportingController':{},'f:reportingInstance':{},'f:type':{}"
    KIN__SIM_ENTRY_END;
static const char event_object[] =
    "]},'involvedObject':{'kind':'<kind>','namespace':'<ns>','name':'<name>','uid':'<uid>',"
    "'apiVersion':'<version>'<path>},'reason':'<reason>','message':'";
static const char core_end[] =
    "','source':{'component':'<component>'<host>},'firstTimestamp':'<time>',"
    "'lastTimestamp':'<time>','count':1,'type':'<type>','eventTime':null,"
    "'reportingComponent':'<component>','reportingInstance':'<instance>'}";
static const char newer_end[] =
    "','source':{},'firstTimestamp':null,'lastTimestamp':null,'type':'<type>',"
    "'eventTime':'<micro-time>','action':'<action>','reportingComponent':'<component>',"
    "'reportingInstance':'default-scheduler-control-0'}";
/* clang-format on */

static void subject_words(kin__sim_words *words, const kin__sim_model *model,
                          const kind_of_event *kind, uint32_t index);
static void reporter_words(kin__sim_words *words, const kind_of_event *kind);
static uint32_t event_set(const kin__sim_model *model, kin__sim_reason reason, uint32_t index);

/* Its uid is drawn from its name's number: a state of its own, so that to look at an event twice
 * changes nothing. */
void kin__sim_render_event(kin__sim_page *page, const kin__sim_model *model, kin__sim_reason reason,
                           uint32_t index, uint32_t from, uint32_t to, int64_t at_us,
                           kin__sim_event *event)
{
    const kind_of_event *kind = &kinds[reason];
    kin__sim_words *words = &page->words;
    uint32_t set = event_set(model, reason, index);
    uint64_t state = (uint64_t) at_us ^ model->sets[set].uid.low;

    kin__sim_page_clear(page);
    kin__sim_words_set(words, model, set);
    kin__sim_words_number(words, "from", from);
    kin__sim_words_number(words, "to", to);
    kin__sim_words_number(words, "nodes", model->node_count);
    kin__sim_words_time(words, "time", at_us / 1000000);
    kin__sim_words_micro(words, "micro-time", at_us);
    kin__sim_words_uid(words, "event-uid", kin__sim_uid_draw(&state));
    subject_words(words, model, kind, index);
    reporter_words(words, kind);
    const kin_str *name = kin__sim_words_find(words, kin_str_of("name"));
    (void) snprintf(event->name, sizeof event->name, "%.*s.%llx", KIN_STR_ARG(*name),
                    (unsigned long long) at_us * 1000); /* fits: 64 and 17 */
    event->ns = model->deployments[model->sets[set].deployment].ns;
    kin__sim_words_text(words, "event", event->name);

    kin__sim_page_fill(page, event_head);
    kin__sim_page_fill(page, kind->action == NULL ? core_entry : newer_entry);
    kin__sim_page_fill(page, event_object);
    kin__sim_page_fill(page, kind->message);
    kin__sim_page_fill(page, kind->action == NULL ? core_end : newer_end);
}

static void subject_words(kin__sim_words *words, const kin__sim_model *model,
                          const kind_of_event *kind, uint32_t index)
{
    static const char *const subjects[] = { "Pod", "ReplicaSet", "Deployment" };
    static const char *const names[] = { "pod", "set", "app" };
    static const char *const uids[] = { "pod-uid", "set-uid", "deployment-uid" };

    if (kind->subject != SUBJECT_DEPLOYMENT) {
        char *pod = kin__sim_words_room(words, "pod", KIN__SIM_POD_NAME_SIZE);
        kin__sim_pod_name(model, index, pod);
        kin__sim_words_text(words, "pod", pod);
        kin__sim_words_uid(words, "pod-uid", model->pods[index].uid);
        if (model->pods[index].node != KIN__SIM_NONE) {
            kin__sim_words_node(words, model, model->pods[index].node);
        }
    }
    kin__sim_words_text(words, "kind", subjects[kind->subject]);
    kin__sim_words_text(words, "version", kind->subject == SUBJECT_POD ? "v1" : "apps/v1");
    kin__sim_words_str(words, "name",
                       *kin__sim_words_find(words, kin_str_of(names[kind->subject])));
    kin__sim_words_str(words, "uid", *kin__sim_words_find(words, kin_str_of(uids[kind->subject])));
    kin__sim_words_text(words, "path",
                        kind->is_container ? ",\"fieldPath\":\"spec.containers{app}\"" : "");
}

static void reporter_words(kin__sim_words *words, const kind_of_event *kind)
{
    bool is_kubelet = kind->subject == SUBJECT_POD && kind->action == NULL;
    const kin_str *node = kin__sim_words_find(words, kin_str_of("node"));

    kin__sim_words_text(words, "reason", kind->reason);
    kin__sim_words_text(words, "type", kind->is_warning ? "Warning" : "Normal");
    kin__sim_words_text(words, "component", kind->component);
    kin__sim_words_text(words, "action", kind->action == NULL ? "" : kind->action);
    kin__sim_words_text(words, "manager", is_kubelet ? "kubelet" : "kube-controller-manager");
    kin__sim_words_text(words, "f-instance", is_kubelet ? "\"f:reportingInstance\":{}," : "");
    kin__sim_words_text(words, "f-host", is_kubelet ? ",\"f:host\":{}" : "");
    if (is_kubelet && node != NULL) {
        kin__sim_words_print(words, "host", ",\"host\":\"%.*s\"", KIN_STR_ARG(*node));
        kin__sim_words_str(words, "instance", *node);
    } else {
        kin__sim_words_text(words, "host", "");
        kin__sim_words_text(words, "instance", "");
    }
}

static uint32_t event_set(const kin__sim_model *model, kin__sim_reason reason, uint32_t index)
{
    return kinds[reason].subject == SUBJECT_DEPLOYMENT ? index : model->pods[index].set;
}
