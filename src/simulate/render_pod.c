/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_pod.c - pods, at every stage of their lives.
 *
 * Who manages which fields is what a cluster of 1.36 shows: kube-controller-manager what it made
 * the pod of; the scheduler the condition that says why the pod had to wait, and nothing when it
 * did not, because a binding is not a write of a pod; the kubelet what it has changed of the
 * status.  What admission adds (tolerations, the service account and its volume) belongs to nobody.
 */
#include "simulate/random.h"
#include "simulate/render.h"
#include "simulate/templates.h"

#define F_CONDITION(type)                                                                          \
    "'k:{`type`:`" type "`}':{'.':{},'f:lastProbeTime':{},'f:lastTransitionTime':{},"              \
    "'f:observedGeneration':{},'f:status':{},'f:type':{}}"
#define F_CONDITION_WITH_REASON(type)                                                              \
    "'k:{`type`:`" type "`}':{'.':{},'f:lastProbeTime':{},'f:lastTransitionTime':{},"              \
    "'f:message':{},'f:observedGeneration':{},'f:reason':{},'f:status':{},'f:type':{}}"
#define F_BOUND "'k:{`type`:`PodScheduled`}':{'f:observedGeneration':{}}"
#define CONDITION(type, status, time, more)                                                        \
    "{'type':'" type "','observedGeneration':<observed>,'status':'" status                         \
    "','lastProbeTime':null,'lastTransitionTime':'" time "'" more "}"
#define NOT_READY ",'reason':'ContainersNotReady','message':'containers with unready status: [app]'"
#define NO_NODES                                                                                   \
    "0/<nodes> nodes are available: <nodes> Insufficient cpu. no new claims to deallocate, "       \
    "preemption: 0/<nodes> nodes are available: <nodes> No preemption victims found for incoming " \
    "pod."
#define ACCESS_PATH "/var/run/secrets/kubernetes.io/serviceaccount"

/* Laid out by hand: the formatter cannot read them. */
/* clang-format off */
static const char pod_head[] =
    "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'<set>-<suffix>','generateName':'<set>-',"
    "'namespace':'<ns>','uid':'<uid>','generation':<generation>,'creationTimestamp':'<created>',";
static const char pod_deletion[] =
    "'deletionTimestamp':'<deleted>','deletionGracePeriodSeconds':30,";
static const char pod_metadata[] =
    "'labels':{" KIN__SIM_HASH_LABELS "},'annotations':{" KIN__SIM_POD_ANNOTATIONS "},"
    KIN__SIM_OWNER("apps/v1", "ReplicaSet", "<set>", "<set-uid>") ",'managedFields':["
    KIN__SIM_ENTRY("kube-controller-manager", "v1", "<created>")
    "'f:metadata':{" KIN__SIM_F_POD_ANNOTATIONS ",'f:generateName':{},"
    "'f:labels':{'.':{}," KIN__SIM_F_HASH_LABELS "}," KIN__SIM_F_OWNER("<set-uid>") "},"
    "'f:spec':{" KIN__SIM_F_CONTAINERS ",'f:dnsPolicy':{},'f:enableServiceLinks':{},"
    "'f:restartPolicy':{},'f:schedulerName':{},'f:securityContext':{},"
    "'f:terminationGracePeriodSeconds':{}," KIN__SIM_F_VOLUMES "}"
    KIN__SIM_ENTRY_END;
static const char scheduler_entry[] =
    "," KIN__SIM_ENTRY("kube-scheduler", "v1", "<waited>")
    "'f:status':{'f:conditions':{'.':{},'k:{`type`:`PodScheduled`}':{'.':{},'f:lastProbeTime':{},"
    "'f:lastTransitionTime':{},'f:message':{},<f-observed>'f:reason':{},'f:status':{},"
    "'f:type':{}}}}"
    KIN__SIM_STATUS_END;
static const char kubelet_entry[] =
    "," KIN__SIM_ENTRY("kubelet", "v1", "<changed>") "'f:status':{'f:conditions':{";
static const char kubelet_conditions_ready[] =
    F_CONDITION("ContainersReady") ","
    F_CONDITION("Initialized") ","
    F_CONDITION("PodReadyToStartContainers") ","
    F_BOUND ","
    F_CONDITION("Ready");
static const char kubelet_conditions_unready[] =
    F_CONDITION_WITH_REASON("ContainersReady") ","
    F_CONDITION("Initialized") ","
    F_CONDITION("PodReadyToStartContainers") ","
    F_BOUND ","
    F_CONDITION_WITH_REASON("Ready");
static const char kubelet_entry_end[] =
    "},'f:containerStatuses':{},'f:hostIP':{},'f:hostIPs':{},'f:observedGeneration':{},"
    "<f-phase>";
static const char kubelet_address[] =
    "'f:podIP':{},'f:podIPs':{'.':{},'k:{`ip`:`<ip>`}':{'.':{},'f:ip':{}}},";
static const char kubelet_start[] =
    "'f:startTime':{}}" KIN__SIM_STATUS_END;

static const char pod_spec[] =
    "]},'spec':{'volumes':[" KIN__SIM_CONFIG_VOLUME ",{'name':'kube-api-access-<access>',"
    "'projected':{'sources':[{'serviceAccountToken':{'expirationSeconds':3607,'path':'token'}},"
    "{'configMap':{'name':'kube-root-ca.crt','items':[{'key':'ca.crt','path':'ca.crt'}]}},"
    "{'downwardAPI':{'items':[{'path':'namespace','fieldRef':{'apiVersion':'v1',"
    "'fieldPath':'metadata.namespace'}}]}}],'defaultMode':420}}],"
    "'containers':[" KIN__SIM_CONTAINER ",{'name':'kube-api-access-<access>','readOnly':true,"
    "'mountPath':'" ACCESS_PATH "'}" KIN__SIM_CONTAINER_END "],'restartPolicy':'Always',"
    "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
    "'serviceAccountName':'default','serviceAccount':'default',";
static const char pod_node[] =
    "'nodeName':'<node>',";
static const char pod_spec_end[] =
    "'securityContext':{},'schedulerName':'default-scheduler',"
    "'tolerations':[{'key':'node.kubernetes.io/not-ready','operator':'Exists',"
    "'effect':'NoExecute','tolerationSeconds':300},{'key':'node.kubernetes.io/unreachable',"
    "'operator':'Exists','effect':'NoExecute','tolerationSeconds':300}],'priority':0,"
    "'enableServiceLinks':true,'preemptionPolicy':'PreemptLowerPriority'},'status':{";

static const char status_created[] =
    "'phase':'Pending',";
static const char status_waiting[] =
    "'phase':'Pending','conditions':[{'type':'PodScheduled','observedGeneration':<observed>,"
    "'status':'False','lastProbeTime':null,'lastTransitionTime':'<waited>',"
    "'reason':'Unschedulable','message':'" NO_NODES "'}],";
static const char status_bound[] =
    "'phase':'Pending','conditions':[{'type':'PodScheduled','status':'True',"
    "'lastProbeTime':null,'lastTransitionTime':'<scheduled>'}],";
static const char status_unready[] =
    "'observedGeneration':<observed>,'phase':'<phase>','conditions':["
    CONDITION("PodReadyToStartContainers", "<sandbox>", "<scheduled>", "") ","
    CONDITION("Initialized", "True", "<scheduled>", "") ","
    CONDITION("Ready", "False", "<changed>", NOT_READY) ","
    CONDITION("ContainersReady", "False", "<changed>", NOT_READY) ","
    CONDITION("PodScheduled", "True", "<scheduled>", "") "],";
static const char status_ready[] =
    "'observedGeneration':<observed>,'phase':'<phase>','conditions':["
    CONDITION("PodReadyToStartContainers", "<sandbox>", "<scheduled>", "") ","
    CONDITION("Initialized", "True", "<scheduled>", "") ","
    CONDITION("Ready", "True", "<changed>", "") ","
    CONDITION("ContainersReady", "True", "<changed>", "") ","
    CONDITION("PodScheduled", "True", "<scheduled>", "") "],";

static const char status_host[] =
    "'hostIP':'<host-ip>','hostIPs':[{'ip':'<host-ip>'}],";
static const char status_address[] =
    "'podIP':'<ip>','podIPs':[{'ip':'<ip>'}],";
static const char status_containers[] =
    "'startTime':'<scheduled>','containerStatuses':[{'name':'app','state':{";
static const char state_creating[] =
    "'waiting':{'reason':'ContainerCreating'}";
static const char state_running[] =
    "'running':{'startedAt':'<started>'}";
static const char state_crashed[] =
    "'waiting':{'reason':'CrashLoopBackOff','message':'back-off 10s restarting failed "
    "container=app pod=<set>-<suffix>_<ns>(<uid>)'}";
static const char state_stopped[] =
    "'terminated':{'exitCode':0,'reason':'Completed','startedAt':'<started>',"
    "'finishedAt':'<changed>','containerID':'containerd://<container>'}";
static const char last_state[] =
    "},'lastState':{";
static const char last_crash[] =
    "'terminated':{'exitCode':<exit>,'reason':'<exit-reason>','startedAt':'<last-started>',"
    "'finishedAt':'<crashed>','containerID':'containerd://<last-container>'}";
static const char container_creating[] =
    "},'ready':false,'restartCount':0,'image':'<image>','imageID':'','started':false}],";
static const char container_made[] =
    "},'ready':<ready>,'restartCount':<restarts>,'image':'<image>',"
    "'imageID':'<image-name>@sha256:<image-digest>','containerID':'containerd://<container>',"
    "'started':<is-started>,'allocatedResources':{'cpu':'<cpu>','memory':'<memory>'},"
    "'resources':" KIN__SIM_RESOURCES ",'volumeMounts':[{'name':'config','mountPath':'/etc/app',"
    "'readOnly':true,'recursiveReadOnly':'Disabled'},{'name':'kube-api-access-<access>',"
    "'mountPath':'" ACCESS_PATH "','readOnly':true,'recursiveReadOnly':'Disabled'}],"
    "'user':{'linux':{'uid':1000,'gid':1000,'supplementalGroups':[1000]}}}],";
static const char status_end[] =
    "'qosClass':'Burstable'}}";
/* clang-format on */

static void words_set(kin__sim_page *page, const kin__sim_model *model, uint32_t index);
static void times_set(kin__sim_words *words, const kin__sim_pod *pod);
static void container_words(kin__sim_words *words, const kin__sim_pod *pod);
static void managers_write(kin__sim_page *page, const kin__sim_pod *pod);
static void status_write(kin__sim_page *page, const kin__sim_pod *pod);
static void conditions_write(kin__sim_page *page, const kin__sim_pod *pod);
static void container_write(kin__sim_page *page, const kin__sim_pod *pod);
static bool has_kubelet(const kin__sim_pod *pod);

void kin__sim_render_pod(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_pod *pod = &model->pods[index];

    kin__sim_page_clear(page);
    words_set(page, model, index);
    kin__sim_page_fill(page, pod_head);
    if (pod->deleted_s != 0) {
        kin__sim_page_fill(page, pod_deletion);
    }
    kin__sim_page_fill(page, pod_metadata);
    managers_write(page, pod);
    kin__sim_page_fill(page, pod_spec);
    if (pod->node != KIN__SIM_NONE) {
        kin__sim_page_fill(page, pod_node);
    }
    kin__sim_page_fill(page, pod_spec_end);
    status_write(page, pod);
    kin__sim_page_fill(page, status_end);
}

/* A deletion is a new generation (k8s.io/apiserver/pkg/registry/rest/delete.go), and the kubelet
 * has seen it when it has stopped the pod. */
static void words_set(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_pod *pod = &model->pods[index];
    kin__sim_words *words = &page->words;
    char access[KIN__SIM_SUFFIX_LEN + 1];

    kin__sim_words_set(words, model, pod->set);
    kin__sim_words_text(words, "suffix", pod->suffix);
    kin__sim_words_uid(words, "uid", pod->uid);
    kin__sim_words_number(words, "generation", pod->deleted_s == 0 ? 1 : 2);
    kin__sim_words_number(words, "observed", pod->stage == KIN__SIM_STOPPED ? 2 : 1);
    kin__sim_words_number(words, "nodes", model->node_count);
    kin__sim_suffix(kin__sim_mix(pod->uid.low), access);
    kin__sim_words_print(words, "access", "%s", access);
    if (pod->node != KIN__SIM_NONE) {
        kin__sim_words_node(words, model, pod->node);
    }
    if (pod->address != 0) {
        kin__sim_words_pod_address(words, "ip", model, pod->node, pod->address);
    }
    times_set(words, pod);
    container_words(words, pod);
}

static void times_set(kin__sim_words *words, const kin__sim_pod *pod)
{
    kin__sim_words_time(words, "created", pod->created_s);
    kin__sim_words_time(words, "waited", pod->created_s);
    kin__sim_words_time(words, "scheduled", pod->scheduled_s);
    kin__sim_words_time(words, "started", pod->started_s);
    kin__sim_words_time(words, "changed", pod->changed_s);
    kin__sim_words_time(words, "deleted", pod->deleted_s + 30);
    kin__sim_words_time(words, "crashed", pod->crashed_s);
    kin__sim_words_time(words, "last-started",
                        pod->crashed_s - (int64_t) (pod->uid.low % 3600) - 2);
}

static void container_words(kin__sim_words *words, const kin__sim_pod *pod)
{
    bool is_stopped = pod->stage == KIN__SIM_STOPPED;
    bool is_starting = pod->stage == KIN__SIM_STARTING;
    bool is_killed = pod->uid.low % 4 == 0; /* by the kernel, for want of memory */
    uint64_t container = pod->uid.high + pod->restarts;

    kin__sim_words_text(words, "phase",
                        is_stopped    ? "Succeeded"
                        : is_starting ? "Pending"
                                      : "Running");
    kin__sim_words_text(words, "sandbox", is_stopped || is_starting ? "False" : "True");
    kin__sim_words_text(words, "ready", pod->stage == KIN__SIM_READY ? "true" : "false");
    kin__sim_words_text(words, "is-started",
                        pod->stage == KIN__SIM_CRASHED || is_stopped ? "false" : "true");
    kin__sim_words_text(words, "f-phase", is_starting ? "" : "\"f:phase\":{},");
    kin__sim_words_text(words, "f-observed",
                        has_kubelet(pod) ? "" : "\"f:observedGeneration\":{},");
    kin__sim_words_number(words, "restarts", pod->restarts);
    kin__sim_words_number(words, "exit", is_killed ? 137 : 1);
    kin__sim_words_text(words, "exit-reason", is_killed ? "OOMKilled" : "Error");
    if (pod->stage == KIN__SIM_CRASHED) {
        container--; /* the next one is not there yet */
    }
    kin__sim_words_digest(words, "container", kin__sim_mix(container));
    kin__sim_words_digest(words, "last-container", kin__sim_mix(pod->uid.high + pod->restarts - 1));
}

static void managers_write(kin__sim_page *page, const kin__sim_pod *pod)
{
    if (pod->has_waited) {
        kin__sim_page_fill(page, scheduler_entry);
    }
    if (!has_kubelet(pod)) {
        return;
    }
    kin__sim_page_fill(page, kubelet_entry);
    kin__sim_page_fill(page, pod->stage == KIN__SIM_READY ? kubelet_conditions_ready
                                                          : kubelet_conditions_unready);
    kin__sim_page_fill(page, kubelet_entry_end);
    if (pod->address != 0) {
        kin__sim_page_fill(page, kubelet_address);
    }
    kin__sim_page_fill(page, kubelet_start);
}

static void status_write(kin__sim_page *page, const kin__sim_pod *pod)
{
    conditions_write(page, pod);
    if (!has_kubelet(pod)) {
        return;
    }
    kin__sim_page_fill(page, status_host);
    if (pod->address != 0) {
        kin__sim_page_fill(page, status_address);
    }
    container_write(page, pod);
}

static void conditions_write(kin__sim_page *page, const kin__sim_pod *pod)
{
    static const char *const templates[] = {
        [KIN__SIM_CREATED] = status_created, [KIN__SIM_UNSCHEDULABLE] = status_waiting,
        [KIN__SIM_SCHEDULED] = status_bound, [KIN__SIM_STARTING] = status_unready,
        [KIN__SIM_RUNNING] = status_unready, [KIN__SIM_READY] = status_ready,
        [KIN__SIM_CRASHED] = status_unready, [KIN__SIM_STOPPED] = status_unready,
    };

    kin__sim_page_fill(page, templates[pod->stage]);
}

static void container_write(kin__sim_page *page, const kin__sim_pod *pod)
{
    kin__sim_page_fill(page, status_containers);
    kin__sim_page_fill(page, pod->stage == KIN__SIM_STARTING  ? state_creating
                             : pod->stage == KIN__SIM_CRASHED ? state_crashed
                             : pod->stage == KIN__SIM_STOPPED ? state_stopped
                                                              : state_running);
    kin__sim_page_fill(page, last_state);
    if (pod->crashed_s != 0) {
        kin__sim_page_fill(page, last_crash);
    }
    kin__sim_page_fill(page, pod->stage == KIN__SIM_STARTING ? container_creating : container_made);
}

static bool has_kubelet(const kin__sim_pod *pod)
{
    return pod->stage >= KIN__SIM_STARTING;
}
