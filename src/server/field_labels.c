/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_labels.c - a table of the kinds that have fields of their own.
 *
 * Which labels each kind takes, and the texts for others, were asked of a server for all its kinds;
 * the values are those of the ToSelectableFields() functions of kubernetes 1.36, pkg/registry.
 */
#include "server/field_labels.h"

#include "base/str.h"
#include "server/quote.h"

typedef struct label_row {
    const char *name;
    kin__field_label label;
} label_row;

/* What is said of other names. */
typedef enum wording {
    PLAIN,   /* field label not supported: X */
    OF_KIND, /* field label "X" not supported for Job */
    OF_GVK,  /* field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: X */
} wording;

typedef struct kind_row {
    const char *group, *kind;
    const label_row *labels; /* end with a NULL name */
    wording words;
    bool has_no_namespace; /* metadata.namespace is not taken either */
} kind_row;

/* clang-format off */
#define AT(path) { KIN__FIELD_PATH, { path, NULL }, "" }
#define OR(path, other) { KIN__FIELD_PATH, { path, other }, "" }
#define AT_ELSE(path, otherwise) { KIN__FIELD_PATH, { path, NULL }, otherwise }

static const label_row pod[] = {
    { "spec.nodeName", AT("spec.nodeName") },
    { "spec.host", AT("spec.nodeName") },
    { "spec.restartPolicy", AT("spec.restartPolicy") },
    { "spec.schedulerName", AT("spec.schedulerName") },
    { "spec.serviceAccountName", AT("spec.serviceAccountName") },
    { "spec.hostNetwork", AT_ELSE("spec.hostNetwork", "false") },
    { "status.phase", AT("status.phase") },
    { "status.podIP", OR("status.podIP", "status.podIPs[0].ip") },
    { "status.podIPs", { KIN__FIELD_NOTHING, { NULL, NULL }, "" } },
    { "status.nominatedNodeName", AT("status.nominatedNodeName") },
    { 0 },
};
static const label_row node[] = {
    { "spec.unschedulable", AT_ELSE("spec.unschedulable", "false") },
    { 0 },
};
static const label_row space[] = { { "status.phase", AT("status.phase") }, { 0 } };
static const label_row secret[] = { { "type", AT("type") }, { 0 } };
static const label_row service[] = {
    { "spec.clusterIP", AT("spec.clusterIP") },
    { "spec.type", AT("spec.type") },
    { 0 },
};
static const label_row controller[] = {
    { "status.replicas", AT_ELSE("status.replicas", "0") },
    { 0 },
};
static const label_row event[] = {
    { "involvedObject.kind", AT("involvedObject.kind") },
    { "involvedObject.namespace", AT("involvedObject.namespace") },
    { "involvedObject.name", AT("involvedObject.name") },
    { "involvedObject.uid", AT("involvedObject.uid") },
    { "involvedObject.apiVersion", AT("involvedObject.apiVersion") },
    { "involvedObject.resourceVersion", AT("involvedObject.resourceVersion") },
    { "involvedObject.fieldPath", AT("involvedObject.fieldPath") },
    { "reason", AT("reason") },
    { "reportingComponent", AT("reportingComponent") },
    { "source", OR("source.component", "reportingComponent") },
    { "type", AT("type") },
    { 0 },
};
static const label_row new_event[] = { /* kept in the form of the core group */
    { "regarding.kind", AT("involvedObject.kind") },
    { "regarding.namespace", AT("involvedObject.namespace") },
    { "regarding.name", AT("involvedObject.name") },
    { "regarding.uid", AT("involvedObject.uid") },
    { "regarding.apiVersion", AT("involvedObject.apiVersion") },
    { "regarding.resourceVersion", AT("involvedObject.resourceVersion") },
    { "regarding.fieldPath", AT("involvedObject.fieldPath") },
    { "reason", AT("reason") },
    { "reportingController", AT("reportingComponent") },
    { "type", AT("type") },
    { 0 },
};
static const label_row job[] = {
    { "status.successful", AT_ELSE("status.succeeded", "0") },
    { 0 },
};
static const label_row signer[] = { { "spec.signerName", AT("spec.signerName") }, { 0 } };
static const label_row pod_certificate[] = {
    { "spec.signerName", AT("spec.signerName") },
    { "spec.podName", AT("spec.podName") },
    { "spec.nodeName", AT("spec.nodeName") },
    { 0 },
};
static const label_row slice[] = {
    { "spec.nodeName", AT("spec.nodeName") },
    { "spec.driver", AT("spec.driver") },
    { 0 },
};

static const kind_row kinds[] = {
    { "", "Pod", pod, PLAIN, false },
    { "", "Node", node, PLAIN, true },
    { "", "Namespace", space, PLAIN, true },
    { "", "Secret", secret, PLAIN, false },
    { "", "Service", service, PLAIN, false },
    { "", "ReplicationController", controller, PLAIN, false },
    { "", "Event", event, PLAIN, false },
    { "events.k8s.io", "Event", new_event, PLAIN, false },
    { "batch", "Job", job, OF_KIND, false },
    { "certificates.k8s.io", "CertificateSigningRequest", signer, PLAIN, true },
    { "certificates.k8s.io", "ClusterTrustBundle", signer, PLAIN, true },
    { "certificates.k8s.io", "PodCertificateRequest", pod_certificate, PLAIN, false },
    { "resource.k8s.io", "ResourceSlice", slice, OF_GVK, true },
};
/* clang-format on */

static const kind_row *row_of(const kin__served *served);
static bool find_meta(kin_str name, bool has_namespace, kin__field_label *out);
static bool find_own(const kind_row *row, kin_str name, kin__field_label *out);
static bool find_custom(const kin__served *served, kin_str name, kin__field_label *out);
static bool is_text(kin_value value, kin_str lead, kin_str want);
static bool refuse(const kin__served *served, const kind_row *row, kin_str name, kin__refusal *no);
static bool refuse_by_default(kin_str name, kin__refusal *no);

bool kin__field_label_find(const kin__served *served, kin_str name, kin__field_label *out,
                           kin__refusal *no)
{
    static const kind_row custom = { .words = PLAIN };
    const kind_row *row = row_of(served);

    if ((served->traits & KIN__IS_CUSTOM) != 0) {
        return find_meta(name, served->is_namespaced, out) || find_custom(served, name, out) ||
               refuse(served, &custom, name, no);
    }
    if (find_meta(name, row == NULL || !row->has_no_namespace, out) || find_own(row, name, out)) {
        return true;
    }
    return row == NULL ? refuse_by_default(name, no) : refuse(served, row, name, no);
}

static const kind_row *row_of(const kin__served *served)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kin__str_equal(served->kind, kin_str_of(kinds[i].kind)) &&
            kin__str_equal(served->group, kin_str_of(kinds[i].group))) {
            return &kinds[i];
        }
    }
    return NULL;
}

static bool find_meta(kin_str name, bool has_namespace, kin__field_label *out)
{
    bool is_name = kin__str_equal(name, STR("metadata.name"));
    if (!is_name && !(has_namespace && kin__str_equal(name, STR("metadata.namespace")))) {
        return false;
    }
    *out = (kin__field_label){ .source = is_name ? KIN__FIELD_NAME : KIN__FIELD_NAMESPACE };
    return true;
}

static bool find_own(const kind_row *row, kin_str name, kin__field_label *out)
{
    for (const label_row *at = row == NULL ? NULL : row->labels; at != NULL && at->name != NULL;
         at++) {
        if (kin__str_equal(name, kin_str_of(at->name))) {
            *out = at->label;
            return true;
        }
    }
    return false;
}

/* By the definition's selectableFields of this version. */
static bool find_custom(const kin__served *served, kin_str name, kin__field_label *out)
{
    if (served->definition == NULL || name.len == 0) {
        return false;
    }
    kin_iter versions = kin_value_iter(kin_object_at(served->definition->object, "spec.versions"));
    while (kin_iter_next(&versions)) {
        if (!is_text(kin_value_at(versions.value, "name"), STR(""), served->version)) {
            continue;
        }
        kin_iter fields = kin_value_iter(kin_value_at(versions.value, "selectableFields"));
        while (kin_iter_next(&fields)) {
            if (is_text(kin_value_at(fields.value, "jsonPath"), STR("."), name)) {
                *out = (kin__field_label){ .source = KIN__FIELD_PATH, .otherwise = "" };
                return true;
            }
        }
    }
    return false;
}

static bool is_text(kin_value value, kin_str lead, kin_str want)
{
    kin_str text;
    return kin_value_str(value, NULL, 0, &text) == KIN_OK && text.len == lead.len + want.len &&
           kin__str_starts_with(text, lead) &&
           kin__str_equal(kin__str(text.data + lead.len, want.len), want);
}

static bool refuse(const kin__served *served, const kind_row *row, kin_str name, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    if (row->words == OF_GVK) {
        return kin__refuse_bad_request(no, "field label not supported for %.*s, Kind=%.*s: %.*s",
                                       KIN_STR_ARG(served->api_version), KIN_STR_ARG(served->kind),
                                       KIN_STR_ARG(name));
    }
    if (row->words == PLAIN) {
        return kin__refuse_bad_request(no, "field label not supported: %.*s", KIN_STR_ARG(name));
    }
    kin__quote_append(name, &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "field label %.*s not supported for %.*s", (int) quoted.len,
                                   quoted.data, KIN_STR_ARG(served->kind));
}

static bool refuse_by_default(kin_str name, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(name, &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(
        no, "%.*s is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        (int) quoted.len, quoted.data);
}
