/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_service.c - services, their endpoint slices, and config maps.
 */
#include "simulate/render.h"
#include "simulate/templates.h"

#define HELM_ANNOTATIONS                                                                           \
    "'annotations':{'meta.helm.sh/release-name':'<app>','meta.helm.sh/release-namespace':'<ns>'}"
#define F_HELM_ANNOTATIONS                                                                         \
    "'f:annotations':{'.':{},'f:meta.helm.sh/release-name':{},"                                    \
    "'f:meta.helm.sh/release-namespace':{}}"

/* Laid out by hand: the formatter cannot read them. */
/* clang-format off */
static const char config_map_template[] =
    "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'<app>-config','namespace':'<ns>',"
    "'uid':'<uid>','creationTimestamp':'<created>','labels':{" KIN__SIM_APP_LABELS "},"
    HELM_ANNOTATIONS ",'managedFields':[" KIN__SIM_ENTRY("helm", "v1", "<config-time>")
    "'f:data':{'.':{},'f:config.yaml':{},'f:revision':{}},"
    "'f:metadata':{" F_HELM_ANNOTATIONS ",'f:labels':{'.':{}," KIN__SIM_F_APP_LABELS "}}"
    KIN__SIM_ENTRY_END "]},'data':{"
    "'config.yaml':'listen: :<port>\\nlog:\\n  level: <level>\\n  format: json\\n"
    "database:\\n  pool: <pool>\\n  timeout: 5s\\nfeatures:\\n  - retries\\n  - tracing\\n',"
    "'revision':'<config-revision>'}}";

static const char service_template[] =
    "{'kind':'Service','apiVersion':'v1','metadata':{'name':'<app>','namespace':'<ns>',"
    "'uid':'<service-uid>','creationTimestamp':'<created>','labels':{" KIN__SIM_APP_LABELS "},"
    HELM_ANNOTATIONS ",'managedFields':[" KIN__SIM_ENTRY("helm", "v1", "<created>")
    "'f:metadata':{" F_HELM_ANNOTATIONS ",'f:labels':{'.':{}," KIN__SIM_F_APP_LABELS "}},"
    "'f:spec':{'f:internalTrafficPolicy':{},'f:ports':{'.':{},"
    "'k:{`port`:80,`protocol`:`TCP`}':{'.':{},'f:name':{},'f:port':{},'f:protocol':{},"
    "'f:targetPort':{}}},'f:selector':{},'f:sessionAffinity':{},'f:type':{}}"
    KIN__SIM_ENTRY_END "]},"
    "'spec':{'ports':[{'name':'http','protocol':'TCP','port':80,'targetPort':'http'}],"
    "'selector':{" KIN__SIM_SELECTOR "},'clusterIP':'<cluster-ip>','clusterIPs':['<cluster-ip>'],"
    "'type':'ClusterIP','sessionAffinity':'None','ipFamilies':['IPv4'],"
    "'ipFamilyPolicy':'SingleStack','internalTrafficPolicy':'Cluster'},"
    "'status':{'loadBalancer':{}}}";

static const char slice_head[] =
    "{'kind':'EndpointSlice','apiVersion':'discovery.k8s.io/v1','metadata':{"
    "'name':'<app>-<suffix>','generateName':'<app>-','namespace':'<ns>','uid':'<uid>',"
    "'generation':<generation>,'creationTimestamp':'<created>','labels':{" KIN__SIM_APP_LABELS ","
    "'endpointslice.kubernetes.io/managed-by':'endpointslice-controller.k8s.io',"
    "'kubernetes.io/service-name':'<app>'},"
    "'annotations':{'endpoints.kubernetes.io/last-change-trigger-time':'<changed>'},"
    KIN__SIM_OWNER("v1", "Service", "<app>", "<service-uid>") ",'managedFields':["
    KIN__SIM_ENTRY("kube-controller-manager", "discovery.k8s.io/v1", "<changed>")
    "'f:addressType':{},'f:endpoints':{},'f:metadata':{'f:annotations':{'.':{},"
    "'f:endpoints.kubernetes.io/last-change-trigger-time':{}},'f:generateName':{},"
    "'f:labels':{'.':{}," KIN__SIM_F_APP_LABELS ",'f:endpointslice.kubernetes.io/managed-by':{},"
    "'f:kubernetes.io/service-name':{}}," KIN__SIM_F_OWNER("<service-uid>") "},'f:ports':{}"
    KIN__SIM_ENTRY_END "]},'addressType':'IPv4','endpoints':";
static const char endpoint_template[] =
    "{'addresses':['<ip>'],'conditions':{'ready':<ready>,'serving':<serving>,"
    "'terminating':<terminating>},'targetRef':{'kind':'Pod','namespace':'<ns>',"
    "'name':'<pod>','uid':'<uid>'},'nodeName':'<node>','zone':'<zone>'}";
static const char slice_end[] =
    ",'ports':[{'name':'http','protocol':'TCP','port':<port>}]}";
/* clang-format on */

static void endpoints_write(kin__sim_page *page, const kin__sim_model *model, uint32_t slice);
static void endpoint_write(kin__sim_page *page, const kin__sim_model *model, uint32_t index);

void kin__sim_render_config_map(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_deployment *deployment = &model->deployments[index];
    kin__sim_words *words = &page->words;

    kin__sim_page_clear(page);
    kin__sim_words_app(words, model, index);
    kin__sim_words_uid(words, "uid", deployment->config_uid);
    kin__sim_words_time(words, "created", deployment->created_s);
    kin__sim_words_time(words, "config-time", deployment->config_s);
    kin__sim_words_text(words, "level", deployment->config_revision % 2 == 0 ? "debug" : "info");
    kin__sim_words_number(words, "pool", 5 + deployment->config_revision % 7 * 5);
    kin__sim_words_number(words, "config-revision", deployment->config_revision);
    kin__sim_page_fill(page, config_map_template);
}

void kin__sim_render_service(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    kin__sim_page_clear(page);
    kin__sim_words_app(&page->words, model, index);
    kin__sim_words_time(&page->words, "created", model->deployments[index].created_s);
    kin__sim_page_fill(page, service_template);
}

void kin__sim_render_slice(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_slice *slice = &model->slices[index];
    kin__sim_words *words = &page->words;

    kin__sim_page_clear(page);
    kin__sim_words_app(words, model, slice->deployment);
    kin__sim_words_text(words, "suffix", slice->suffix);
    kin__sim_words_uid(words, "uid", slice->uid);
    kin__sim_words_number(words, "generation", slice->generation);
    kin__sim_words_time(words, "created", slice->created_s);
    kin__sim_words_time(words, "changed", slice->changed_s);
    kin__sim_page_fill(page, slice_head);
    endpoints_write(page, model, index);
    kin__sim_page_fill(page, slice_end);
}

/* An empty list is null: it was kept as protobuf, which does not know the difference. */
static void endpoints_write(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_slice *slice = &model->slices[index];
    const char *before = "[";

    if (slice->endpoints == 0) {
        kin__sim_page_fill(page, "null");
        return;
    }
    for (uint32_t set = model->deployments[slice->deployment].first_set; set != KIN__SIM_NONE;
         set = model->sets[set].next) {
        for (uint32_t pod = model->sets[set].first_pod; pod != KIN__SIM_NONE;
             pod = model->pods[pod].next) {
            if (model->pods[pod].slice == index) {
                kin__sim_page_fill(page, before);
                endpoint_write(page, model, pod);
                before = ",";
            }
        }
    }
    kin__sim_page_fill(page, "]");
}

/* Its words are forgotten again, so that there is room for the next one's. */
static void endpoint_write(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_pod *pod = &model->pods[index];
    kin__sim_words *words = &page->words;
    size_t count = words->count;
    size_t used = words->used;
    char name[KIN__SIM_POD_NAME_SIZE];

    kin__sim_pod_name(model, index, name);
    kin__sim_words_text(words, "pod", name);
    kin__sim_words_uid(words, "uid", pod->uid);
    kin__sim_words_node(words, model, pod->node);
    kin__sim_words_pod_address(words, "ip", model, pod->node, pod->address);
    kin__sim_words_text(words, "ready", kin__sim_pod_is_ready(pod) ? "true" : "false");
    kin__sim_words_text(words, "serving", pod->stage == KIN__SIM_READY ? "true" : "false");
    kin__sim_words_text(words, "terminating", pod->deleted_s != 0 ? "true" : "false");
    kin__sim_page_fill(page, endpoint_template);
    words->count = count;
    words->used = used;
}
