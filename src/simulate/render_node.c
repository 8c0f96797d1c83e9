/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_node.c - namespaces, nodes and their leases.
 */
#include "simulate/random.h"
#include "simulate/render.h"
#include "simulate/templates.h"

#define NODE_CONDITION(type, status, reason, message)                                              \
    "{'type':'" type "','status':'" status "','lastHeartbeatTime':'<heartbeat>',"                  \
    "'lastTransitionTime':'<created>','reason':'" reason "','message':'" message "'}"
#define F_NODE_CONDITION(type) "'k:{`type`:`" type "`}':{'f:lastHeartbeatTime':{}}"
#define IMAGE(name, digest, bytes)                                                                 \
    "{'names':['registry.k8s.io/" name "@sha256:<" digest ">','registry.k8s.io/" name              \
    ":v1.36.3'],'sizeBytes':" bytes "}"

/* Laid out by hand: the formatter cannot read them. */
/* clang-format off */
static const char namespace_template[] =
    "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'<ns>','uid':'<uid>',"
    "'creationTimestamp':'<created>','labels':{'kubernetes.io/metadata.name':'<ns>'},"
    "'managedFields':[" KIN__SIM_ENTRY("kubectl-create", "v1", "<created>")
    "'f:metadata':{'f:labels':{'.':{},'f:kubernetes.io/metadata.name':{}}}" KIN__SIM_ENTRY_END
    "]},'spec':{'finalizers':['kubernetes']},'status':{'phase':'Active'}}";

static const char node_metadata[] =
    "{'kind':'Node','apiVersion':'v1','metadata':{'name':'<node>','uid':'<node-uid>',"
    "'creationTimestamp':'<created>','labels':{'beta.kubernetes.io/arch':'amd64',"
    "'beta.kubernetes.io/os':'linux','kubernetes.io/arch':'amd64',"
    "'kubernetes.io/hostname':'<node>','kubernetes.io/os':'linux',"
    "'node.kubernetes.io/instance-type':'m7.4xlarge','topology.kubernetes.io/region':'eu-west-1',"
    "'topology.kubernetes.io/zone':'<zone>'},"
    "'annotations':{'node.alpha.kubernetes.io/ttl':'0',"
    "'volumes.kubernetes.io/controller-managed-attach-detach':'true'},'managedFields':[";
static const char node_managers[] =
    KIN__SIM_ENTRY("kube-controller-manager", "v1", "<created>")
    "'f:metadata':{'f:annotations':{'f:node.alpha.kubernetes.io/ttl':{}}},"
    "'f:spec':{'f:podCIDR':{},'f:podCIDRs':{'.':{},'v:`<cidr>`':{}}}"
    KIN__SIM_ENTRY_END ","
    KIN__SIM_ENTRY("kubelet", "v1", "<created>")
    "'f:metadata':{'f:annotations':{'.':{},"
    "'f:volumes.kubernetes.io/controller-managed-attach-detach':{}},'f:labels':{'.':{},"
    "'f:beta.kubernetes.io/arch':{},'f:beta.kubernetes.io/os':{},'f:kubernetes.io/arch':{},"
    "'f:kubernetes.io/hostname':{},'f:kubernetes.io/os':{},"
    "'f:node.kubernetes.io/instance-type':{},'f:topology.kubernetes.io/region':{},"
    "'f:topology.kubernetes.io/zone':{}}},'f:spec':{'f:providerID':{}}"
    KIN__SIM_ENTRY_END ","
    KIN__SIM_ENTRY("kubelet", "v1", "<heartbeat>")
    "'f:status':{'f:conditions':{"
    F_NODE_CONDITION("DiskPressure") ","
    F_NODE_CONDITION("MemoryPressure") ","
    F_NODE_CONDITION("PIDPressure") ","
    "'k:{`type`:`Ready`}':{'f:lastHeartbeatTime':{},'f:lastTransitionTime':{},'f:message':{},"
    "'f:reason':{},'f:status':{}}},'f:images':{}}"
    KIN__SIM_STATUS_END "]},";
static const char node_spec[] =
    "'spec':{'podCIDR':'<cidr>','podCIDRs':['<cidr>'],"
    "'providerID':'aws:///<zone>/i-0<instance>'},"
    "'status':{'capacity':{'cpu':'16','ephemeral-storage':'104845292Ki','hugepages-1Gi':'0',"
    "'hugepages-2Mi':'0','memory':'64563344Ki','pods':'<pods-max>'},"
    "'allocatable':{'cpu':'15890m','ephemeral-storage':'95551679124','hugepages-1Gi':'0',"
    "'hugepages-2Mi':'0','memory':'61535376Ki','pods':'<pods-max>'},'conditions':["
    NODE_CONDITION("MemoryPressure", "False", "KubeletHasSufficientMemory",
                   "kubelet has sufficient memory available") ","
    NODE_CONDITION("DiskPressure", "False", "KubeletHasNoDiskPressure",
                   "kubelet has no disk pressure") ","
    NODE_CONDITION("PIDPressure", "False", "KubeletHasSufficientPID",
                   "kubelet has sufficient PID available") ","
    NODE_CONDITION("Ready", "True", "KubeletReady", "kubelet is posting ready status") "],";
static const char node_status[] =
    "'addresses':[{'type':'InternalIP','address':'<host-ip>'},"
    "{'type':'Hostname','address':'<node>'}],"
    "'daemonEndpoints':{'kubeletEndpoint':{'Port':10250}},"
    "'nodeInfo':{'machineID':'<machine>','systemUUID':'<system>','bootID':'<boot>',"
    "'kernelVersion':'6.12.48','osImage':'Debian GNU/Linux 13 (trixie)',"
    "'containerRuntimeVersion':'containerd://2.1.4','kubeletVersion':'v1.36.3',"
    "'kubeProxyVersion':'','operatingSystem':'linux','architecture':'amd64'},"
    "'images':[" IMAGE("kube-proxy", "proxy-digest", "27363416") ","
    IMAGE("coredns/coredns", "dns-digest", "22384805") ","
    "{'names':['registry.k8s.io/pause:3.10.1'],'sizeBytes':320448}],"
    "'runtimeHandlers':[{'name':'','features':{'recursiveReadOnlyMounts':true,"
    "'userNamespaces':true}},{'name':'runc','features':{'recursiveReadOnlyMounts':true,"
    "'userNamespaces':true}}],'features':{'supplementalGroupsPolicy':true}}}";

static const char lease_template[] =
    "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'name':'<node>',"
    "'namespace':'kube-node-lease','uid':'<uid>','creationTimestamp':'<created>',"
    "'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'<node>','uid':'<node-uid>'}],"
    "'managedFields':[" KIN__SIM_ENTRY("kubelet", "coordination.k8s.io/v1", "<renewed>")
    "'f:metadata':{" KIN__SIM_F_OWNER("<node-uid>") "},'f:spec':{'f:holderIdentity':{},"
    "'f:leaseDurationSeconds':{},'f:renewTime':{}}" KIN__SIM_ENTRY_END
    "]},'spec':{'holderIdentity':'<node>','leaseDurationSeconds':40,"
    "'renewTime':'<renewed-micro>'}}";
/* clang-format on */

void kin__sim_render_namespace(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_namespace *ns = &model->namespaces[index];

    kin__sim_page_clear(page);
    kin__sim_words_text(&page->words, "ns", ns->name);
    kin__sim_words_uid(&page->words, "uid", ns->uid);
    kin__sim_words_time(&page->words, "created", ns->created_s);
    kin__sim_page_fill(page, namespace_template);
}

void kin__sim_render_node(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_node *node = &model->nodes[index];
    kin__sim_words *words = &page->words;
    uint64_t of = node->uid.low;

    kin__sim_page_clear(page);
    kin__sim_words_node(words, model, index);
    kin__sim_words_time(words, "created", node->created_s);
    kin__sim_words_time(words, "heartbeat", node->heartbeat_s);
    kin__sim_words_pod_address(words, "first-address", model, index, 0);
    const kin_str *address = kin__sim_words_find(words, kin_str_of("first-address"));
    kin__sim_words_print(words, "cidr", "%.*s/%u", KIN_STR_ARG(*address), 32 - model->address_bits);
    kin__sim_words_number(words, "pods-max", ((uint32_t) 1 << model->address_bits) - 3);
    kin__sim_words_print(words, "instance", "%016llx", (unsigned long long) kin__sim_draw(&of));
    kin__sim_words_print(words, "machine", "ec2%029llx", (unsigned long long) kin__sim_draw(&of));
    kin__sim_words_uid(words, "system", (kin__sim_uid){ node->uid.high ^ 0xec2, node->uid.low });
    kin__sim_words_uid(words, "boot", (kin__sim_uid){ node->lease_uid.high ^ 1, node->uid.low });
    kin__sim_words_digest(words, "proxy-digest", 1);
    kin__sim_words_digest(words, "dns-digest", 2);
    kin__sim_page_fill(page, node_metadata);
    kin__sim_page_fill(page, node_managers);
    kin__sim_page_fill(page, node_spec);
    kin__sim_page_fill(page, node_status);
}

void kin__sim_render_lease(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_node *node = &model->nodes[index];

    kin__sim_page_clear(page);
    kin__sim_words_node(&page->words, model, index);
    kin__sim_words_uid(&page->words, "uid", node->lease_uid);
    kin__sim_words_time(&page->words, "created", node->created_s);
    kin__sim_words_time(&page->words, "renewed", node->renewed_us / 1000000);
    kin__sim_words_micro(&page->words, "renewed-micro", node->renewed_us);
    kin__sim_page_fill(page, lease_template);
}
