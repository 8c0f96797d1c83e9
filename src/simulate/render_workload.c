/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_workload.c - deployments and replica sets.
 *
 * A deployment is managed by Helm, which wrote it, and by kube-controller-manager, which writes its
 * status; numbers that are 0 are left out, and nobody manages what is not there.
 */
#include "simulate/render.h"
#include "simulate/templates.h"

/* Laid out by hand: the formatter cannot read them. */
/* clang-format off */
static const char deployment_head[] =
    "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'<app>','namespace':'<ns>',"
    "'uid':'<deployment-uid>','generation':<generation>,'creationTimestamp':'<created>',"
    "'labels':{" KIN__SIM_APP_LABELS "},"
    "'annotations':{'deployment.kubernetes.io/revision':'<written-revision>',"
    "'meta.helm.sh/release-name':'<app>','meta.helm.sh/release-namespace':'<ns>'},"
    "'managedFields':[";
static const char helm_entry[] =
    KIN__SIM_ENTRY("helm", "apps/v1", "<spec-time>")
    "'f:metadata':{'f:annotations':{'.':{},'f:meta.helm.sh/release-name':{},"
    "'f:meta.helm.sh/release-namespace':{}},'f:labels':{'.':{}," KIN__SIM_F_APP_LABELS "}},"
    "'f:spec':{'f:progressDeadlineSeconds':{},'f:replicas':{},'f:revisionHistoryLimit':{},"
    "'f:selector':{},'f:strategy':{'f:rollingUpdate':{'.':{},'f:maxSurge':{},"
    "'f:maxUnavailable':{}},'f:type':{}},"
    KIN__SIM_F_TEMPLATE(KIN__SIM_F_APP_LABELS ",'f:tier':{}") "}"
    KIN__SIM_ENTRY_END;
static const char deployment_status_entry[] =
    KIN__SIM_ENTRY("kube-controller-manager", "apps/v1", "<status-time>")
    "'f:metadata':{'f:annotations':{'f:deployment.kubernetes.io/revision':{}}},'f:status':{"
    "<f-available>'f:conditions':{'.':{},'k:{`type`:`Available`}':{'.':{},"
    "'f:lastTransitionTime':{},'f:lastUpdateTime':{},'f:message':{},'f:reason':{},'f:status':{},"
    "'f:type':{}},'k:{`type`:`Progressing`}':{'.':{},'f:lastTransitionTime':{},"
    "'f:lastUpdateTime':{},'f:message':{},'f:reason':{},'f:status':{},'f:type':{}}},"
    "'f:observedGeneration':{},<f-ready><f-replicas>'f:terminatingReplicas':{}<f-unavailable>"
    "<f-updated>}"
    KIN__SIM_STATUS_END;
static const char deployment_spec[] =
    "]},'spec':{'replicas':<replicas>,'selector':{'matchLabels':{" KIN__SIM_SELECTOR "}},"
    KIN__SIM_TEMPLATE(KIN__SIM_APP_LABELS ",'tier':'<tier>'")
    ",'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'25%',"
    "'maxSurge':'25%'}},'revisionHistoryLimit':2,'progressDeadlineSeconds':600},'status':{";
static const char deployment_status[] =
    "'observedGeneration':<observed><has-replicas><has-updated><has-ready><has-available>"
    "<has-unavailable>,'terminatingReplicas':<terminating>,'conditions':["
    "{'type':'Available','status':'<is-available>','lastUpdateTime':'<available-time>',"
    "'lastTransitionTime':'<available-time>','reason':'<available-reason>',"
    "'message':'<available-message>'},"
    "{'type':'Progressing','status':'True','lastUpdateTime':'<status-time>',"
    "'lastTransitionTime':'<created>','reason':'<progress-reason>',"
    "'message':'ReplicaSet `<set>` <progress-message>'}]";

static const char set_head[] =
    "{'kind':'ReplicaSet','apiVersion':'apps/v1','metadata':{'name':'<set>','namespace':'<ns>',"
    "'uid':'<set-uid>','generation':<generation>,'creationTimestamp':'<created>',"
    "'labels':{" KIN__SIM_HASH_LABELS "},"
    "'annotations':{'deployment.kubernetes.io/desired-replicas':'<desired>',"
    "'deployment.kubernetes.io/max-replicas':'<max>',"
    "'deployment.kubernetes.io/revision':'<revision>',"
    "'meta.helm.sh/release-name':'<app>','meta.helm.sh/release-namespace':'<ns>'},"
    KIN__SIM_OWNER("apps/v1", "Deployment", "<app>", "<deployment-uid>") ",'managedFields':[";
static const char set_spec_entry[] =
    KIN__SIM_ENTRY("kube-controller-manager", "apps/v1", "<spec-time>")
    "'f:metadata':{'f:annotations':{'.':{},'f:deployment.kubernetes.io/desired-replicas':{},"
    "'f:deployment.kubernetes.io/max-replicas':{},'f:deployment.kubernetes.io/revision':{},"
    "'f:meta.helm.sh/release-name':{},'f:meta.helm.sh/release-namespace':{}},"
    "'f:labels':{'.':{}," KIN__SIM_F_HASH_LABELS "}," KIN__SIM_F_OWNER("<deployment-uid>") "},"
    "'f:spec':{'f:replicas':{},'f:selector':{}," KIN__SIM_F_TEMPLATE(KIN__SIM_F_HASH_LABELS) "}"
    KIN__SIM_ENTRY_END;
static const char set_status_entry[] =
    KIN__SIM_ENTRY("kube-controller-manager", "apps/v1", "<status-time>")
    "'f:status':{<f-available><f-labeled>'f:observedGeneration':{},<f-ready>'f:replicas':{},"
    "'f:terminatingReplicas':{}}"
    KIN__SIM_STATUS_END;
static const char set_spec[] =
    "]},'spec':{'replicas':<replicas>,'selector':{'matchLabels':{" KIN__SIM_SELECTOR
    ",'pod-template-hash':'<hash>'}}," KIN__SIM_TEMPLATE(KIN__SIM_HASH_LABELS) "},"
    "'status':{'replicas':<status-replicas>";
static const char set_status[] =
    "<has-labeled><has-ready><has-available>,'terminatingReplicas':<terminating>,"
    "'observedGeneration':<observed>";
/* clang-format on */

static void condition_words(kin__sim_words *words, const kin__sim_model *model,
                            const kin__sim_deployment *deployment);
static void count_words(kin__sim_words *words, const char *status_name, const char *member,
                        const char *field_name, const char *field, uint32_t count);
static void tally_words(kin__sim_words *words, const kin__sim_tally *tally);

void kin__sim_render_deployment(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_deployment *deployment = &model->deployments[index];
    kin__sim_words *words = &page->words;

    kin__sim_page_clear(page);
    kin__sim_words_set(words, model, deployment->first_set);
    kin__sim_words_version(words, model, index, deployment->version);
    kin__sim_words_number(words, "written-revision", model->sets[deployment->first_set].version);
    kin__sim_words_number(words, "generation", deployment->generation);
    kin__sim_words_number(words, "observed", deployment->observed_generation);
    kin__sim_words_number(words, "replicas", deployment->replicas);
    kin__sim_words_time(words, "created", deployment->created_s);
    kin__sim_words_time(words, "spec-time", deployment->spec_s);
    kin__sim_words_time(words, "status-time", deployment->status_s);
    condition_words(words, model, deployment);
    tally_words(words, &deployment->status);
    count_words(words, "has-updated", "updatedReplicas", "f-updated", ",\"f:updatedReplicas\":{}",
                deployment->updated);
    count_words(words, "has-unavailable", "unavailableReplicas", "f-unavailable",
                ",\"f:unavailableReplicas\":{}",
                deployment->status.replicas - deployment->status.ready);
    kin__sim_page_fill(page, deployment_head);
    kin__sim_page_entries(page, helm_entry, deployment->spec_s, deployment_status_entry,
                          deployment->status_s);
    kin__sim_page_fill(page, deployment_spec);
    kin__sim_page_fill(page, deployment_status);
    kin__sim_page_fill(page, "}}");
}

void kin__sim_render_set(kin__sim_page *page, const kin__sim_model *model, uint32_t index)
{
    const kin__sim_set *set = &model->sets[index];
    uint32_t desired = model->deployments[set->deployment].replicas;
    kin__sim_words *words = &page->words;

    kin__sim_page_clear(page);
    kin__sim_words_set(words, model, index);
    kin__sim_words_number(words, "generation", set->generation);
    kin__sim_words_number(words, "observed", set->observed_generation);
    kin__sim_words_number(words, "replicas", set->replicas);
    kin__sim_words_number(words, "status-replicas", set->status.replicas);
    kin__sim_words_number(words, "desired", desired);
    kin__sim_words_number(words, "max", desired + (desired + 3) / 4);
    kin__sim_words_time(words, "created", set->created_s);
    kin__sim_words_time(words, "spec-time", set->spec_s);
    kin__sim_words_time(words, "status-time", set->status_s);
    tally_words(words, &set->status);
    kin__sim_page_fill(page, set_head);
    if (set->status_s == 0) {
        kin__sim_page_fill(page, set_spec_entry);
    } else {
        kin__sim_page_entries(page, set_spec_entry, set->spec_s, set_status_entry, set->status_s);
    }
    kin__sim_page_fill(page, set_spec);
    if (set->status_s != 0) {
        kin__sim_page_fill(page, set_status);
    }
    kin__sim_page_fill(page, "}}");
}

static void condition_words(kin__sim_words *words, const kin__sim_model *model,
                            const kin__sim_deployment *deployment)
{
    bool is_done = deployment->surge == 0 && deployment->status.ready == deployment->replicas &&
                   deployment->updated == deployment->status.replicas;
    bool is_new = model->sets[deployment->first_set].created_s >= deployment->spec_s;

    kin__sim_words_text(words, "is-available", deployment->is_available ? "True" : "False");
    kin__sim_words_time(words, "available-time", deployment->available_s);
    kin__sim_words_text(words, "available-reason",
                        deployment->is_available ? "MinimumReplicasAvailable"
                                                 : "MinimumReplicasUnavailable");
    kin__sim_words_text(words, "available-message",
                        deployment->is_available
                            ? "Deployment has minimum availability."
                            : "Deployment does not have minimum availability.");
    kin__sim_words_text(words, "progress-reason",
                        is_done  ? "NewReplicaSetAvailable"
                        : is_new ? "NewReplicaSetCreated"
                                 : "ReplicaSetUpdated");
    kin__sim_words_text(words, "progress-message",
                        is_done  ? "has successfully progressed."
                        : is_new ? "has been created."
                                 : "is progressing.");
}

/* Members of a status that stand there only when they are not 0, and who manages them. */
static void tally_words(kin__sim_words *words, const kin__sim_tally *tally)
{
    count_words(words, "has-replicas", "replicas", "f-replicas", "\"f:replicas\":{},",
                tally->replicas);
    count_words(words, "has-labeled", "fullyLabeledReplicas", "f-labeled",
                "\"f:fullyLabeledReplicas\":{},", tally->replicas);
    count_words(words, "has-ready", "readyReplicas", "f-ready", "\"f:readyReplicas\":{},",
                tally->ready);
    count_words(words, "has-available", "availableReplicas", "f-available",
                "\"f:availableReplicas\":{},", tally->ready);
    kin__sim_words_number(words, "terminating", tally->terminating);
}

static void count_words(kin__sim_words *words, const char *status_name, const char *member,
                        const char *field_name, const char *field, uint32_t count)
{
    if (count == 0) {
        kin__sim_words_text(words, status_name, "");
        kin__sim_words_text(words, field_name, "");
        return;
    }
    kin__sim_words_text(words, field_name, field);
    kin__sim_words_print(words, status_name, ",\"%s\":%u", member, count);
}
