/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_labels_test.c - which fields can be selected by.  The rows are what kube-apiserver 1.36.3
 * said of all its kinds.
 */
#include "server/field_labels.h"

#include "unit/server/reading.h"

static const char *const names[] = {
    "metadata.name",
    "metadata.namespace",
    "name",
    "status.phase",
    "spec.host",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
    "spec.unschedulable",
    "type",
    "spec.clusterIP",
    "spec.type",
    "status.replicas",
    "status.successful",
    "spec.signerName",
    "spec.driver",
    "spec.pool.name",
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingComponent",
    "reportingController",
    "source",
    "metadata.labels",
};

static const struct row {
    const char *group, *version, *resource;
    const char *labels;
    const char *otherwise; /* what is said of "x.y" */
} rows[] = {
    { "", "v1", "configmaps", "metadata.name metadata.namespace ",
      "\"x.y\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"" },
    { "apps", "v1", "deployments", "metadata.name metadata.namespace ",
      "\"x.y\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"" },
    { "storage.k8s.io", "v1", "storageclasses", "metadata.name metadata.namespace ",
      "\"x.y\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"" },
    { "", "v1", "events",
      "metadata.name metadata.namespace type involvedObject.kind involvedObject.namespace "
      "involvedObject.name involvedObject.uid involvedObject.apiVersion "
      "involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source ",
      "field label not supported: x.y" },
    { "", "v1", "namespaces", "metadata.name status.phase ", "field label not supported: x.y" },
    { "", "v1", "nodes", "metadata.name spec.unschedulable ", "field label not supported: x.y" },
    { "", "v1", "pods",
      "metadata.name metadata.namespace status.phase spec.host spec.nodeName spec.restartPolicy "
      "spec.schedulerName spec.serviceAccountName spec.hostNetwork status.podIP status.podIPs "
      "status.nominatedNodeName ",
      "field label not supported: x.y" },
    { "", "v1", "replicationcontrollers", "metadata.name metadata.namespace status.replicas ",
      "field label not supported: x.y" },
    { "", "v1", "secrets", "metadata.name metadata.namespace type ",
      "field label not supported: x.y" },
    { "", "v1", "services", "metadata.name metadata.namespace spec.clusterIP spec.type ",
      "field label not supported: x.y" },
    { "events.k8s.io", "v1", "events",
      "metadata.name metadata.namespace type regarding.kind regarding.namespace regarding.name "
      "regarding.uid regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason "
      "reportingController ",
      "field label not supported: x.y" },
    { "batch", "v1", "jobs", "metadata.name metadata.namespace status.successful ",
      "field label \"x.y\" not supported for Job" },
    { "certificates.k8s.io", "v1", "certificatesigningrequests", "metadata.name spec.signerName ",
      "field label not supported: x.y" },
    { "resource.k8s.io", "v1", "resourceslices", "metadata.name spec.nodeName spec.driver ",
      "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x.y" },
    { "example.com", "v1", "widgets", "metadata.name metadata.namespace ",
      "field label not supported: x.y" },
    { "example.com", "v1", "gadgets", "metadata.name ", "field label not supported: x.y" },
};

TEST(field_labels, are_those_of_a_real_server)
{
    desk d;
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    add_custom(&d.s);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        kin__served *served = kin__shelf_find(d.s.shelf, kin_str_of(row->group),
                                              kin_str_of(row->version), kin_str_of(row->resource));
        AUTO(kin__refusal_fini) kin__refusal no = { 0 };
        kin__field_label label;
        text got = { 0 };
        if (served == NULL) {
            continue; /* not all of them are served here */
        }
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            if (kin__field_label_find(served, kin_str_of(names[k]), &label, &no)) {
                text_append(&got, "%s ", names[k]);
            }
        }
        ASSERT_STR_EQ(got.chars, row->labels);
        ASSERT_FALSE(kin__field_label_find(served, STR("x.y"), &label, &no));
        ASSERT_EQ(no.code, 400);
        ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), row->otherwise);
    }
    desk_close(&d);
}
