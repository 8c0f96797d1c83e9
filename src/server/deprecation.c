/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deprecation.c - versions that are on their way out.
 *
 * The built-in ones are those that kube-apiserver 1.36 warns of: APILifecycleDeprecated() and its
 * like in k8s.io/api.
 */
#include "server/deprecation.h"

#include <string.h>

#include "server/field.h"
#include "server/version_order.h"

#define AGED(group, version, kind, since, until)                                                   \
    {                                                                                              \
        group, version, kind,                                                                      \
            group "/" version " " kind " is deprecated in v1." since "+, unavailable in v1." until \
                  "+"                                                                              \
    }

typedef struct row {
    const char *group, *version, *kind, *text;
} row;

static const row rows[] = {
    { "", "v1", "Endpoints",
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice" },
    { "", "v1", "ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+" },
    AGED("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicy", "35", "38"),
    AGED("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicyBinding", "35", "38"),
    AGED("certificates.k8s.io", "v1alpha1", "ClusterTrustBundle", "34", "37"),
    AGED("coordination.k8s.io", "v1alpha2", "LeaseCandidate", "35", "38"),
    AGED("coordination.k8s.io", "v1beta1", "LeaseCandidate", "36", "39"),
    AGED("networking.k8s.io", "v1beta1", "IPAddress", "34", "37"),
    AGED("networking.k8s.io", "v1beta1", "ServiceCIDR", "34", "37"),
    AGED("resource.k8s.io", "v1alpha3", "DeviceTaintRule", "36", "39"),
    AGED("resource.k8s.io", "v1beta1", "DeviceClass", "35", "38"),
    AGED("resource.k8s.io", "v1beta1", "ResourceClaim", "35", "38"),
    AGED("resource.k8s.io", "v1beta1", "ResourceClaimTemplate", "35", "38"),
    AGED("resource.k8s.io", "v1beta1", "ResourceSlice", "35", "38"),
    AGED("resource.k8s.io", "v1beta2", "DeviceClass", "36", "39"),
    AGED("resource.k8s.io", "v1beta2", "ResourceClaim", "36", "39"),
    AGED("resource.k8s.io", "v1beta2", "ResourceClaimTemplate", "36", "39"),
    AGED("resource.k8s.io", "v1beta2", "ResourceSlice", "36", "39"),
    { "storage.k8s.io", "v1beta1", "VolumeAttributesClass",
      "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in "
      "v1.37+; use storage.k8s.io/v1 VolumeAttributesClass" },
};

static kin_str successor_of(const kin__node *spec, kin_str version);

kin_str kin__deprecation_of(const char *group, const char *version, const char *kind)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].kind, kind) == 0 && strcmp(rows[i].version, version) == 0 &&
            strcmp(rows[i].group, group) == 0) {
            return kin_str_of(rows[i].text);
        }
    }
    return STR("");
}

void kin__deprecation_append(const kin__node *spec, const kin__node *version, kin__buf *out)
{
    const kin__node *own = kin__field(version, "deprecationWarning");
    kin_str group = kin__field_text(spec, "group");
    kin_str kind = kin__field_text(kin__field(spec, "names"), "kind");
    kin_str name = kin__field_text(version, "name");

    if (!kin__field_is_true(version, "deprecated")) {
        return;
    }
    if (own != NULL) {
        (void) kin__buf_append_str(out, kin__node_text(own));
        return;
    }
    kin_str successor = successor_of(spec, name);
    (void) kin__buf_append_format(out, "%.*s/%.*s %.*s is deprecated", KIN_STR_ARG(group),
                                  KIN_STR_ARG(name), KIN_STR_ARG(kind));
    if (successor.len > 0) {
        (void) kin__buf_append_format(out, "; use %.*s/%.*s %.*s", KIN_STR_ARG(group),
                                      KIN_STR_ARG(successor), KIN_STR_ARG(kind));
    }
}

/* The best of the versions that are better and here to stay; empty when there is none. */
static kin_str successor_of(const kin__node *spec, kin_str version)
{
    const kin__node *versions = kin__field(spec, "versions");
    kin__node_iter iter = { 0 };
    kin_str best = STR("");

    while (versions != NULL && kin__node_next(versions, &iter)) {
        kin_str name = kin__field_text(iter.value, "name");
        if (kin__field_is_true(iter.value, "served") &&
            !kin__field_is_true(iter.value, "deprecated") &&
            kin__version_compare(name, version) < 0 &&
            (best.len == 0 || kin__version_compare(name, best) < 0)) {
            best = name;
        }
    }
    return best;
}
