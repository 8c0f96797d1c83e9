/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_access.c - the columns of who may do what, certificates, and what looks at requests.
 */
#include "server/columns_row.h"

static const kin__column role_binding[] = {
    COLUMN_NAME,
    COLUMN("Role", "string", "",
           "RoleRef can reference a Role in the current namespace or a ClusterRole in the global "
           "namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
           0, kin__print_reference, "roleRef", NULL),
    COLUMN_AGE,
    COLUMN("Users", "string", "", "Users in the roleBinding", 1, kin__print_subjects, NULL, "User"),
    COLUMN("Groups", "string", "", "Groups in the roleBinding", 1, kin__print_subjects, NULL,
           "Group"),
    COLUMN("ServiceAccounts", "string", "", "ServiceAccounts in the roleBinding", 1,
           kin__print_subjects, NULL, "ServiceAccount"),
};

static const kin__column cluster_role_binding[] = {
    COLUMN_NAME,
    COLUMN("Role", "string", "",
           "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef "
           "cannot be resolved, the Authorizer must return an error.",
           0, kin__print_reference, "roleRef", NULL),
    COLUMN_AGE,
    COLUMN("Users", "string", "", "Users in the clusterRoleBinding", 1, kin__print_subjects, NULL,
           "User"),
    COLUMN("Groups", "string", "", "Groups in the clusterRoleBinding", 1, kin__print_subjects, NULL,
           "Group"),
    COLUMN("ServiceAccounts", "string", "", "ServiceAccounts in the clusterRoleBinding", 1,
           kin__print_subjects, NULL, "ServiceAccount"),
};

static const kin__column certificate_signing_request[] = {
    COLUMN_NAME,
    COLUMN_AGE,
    COLUMN("SignerName", "string", "",
           "Requested signer for the request. It is a qualified name in the form: "
           "`scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it's a kubelet "
           "client certificate, it is assigned\n    "
           "\"kubernetes.io/kube-apiserver-client-kubelet\".\n 2. If it's a kubelet serving "
           "certificate, it is assigned\n    \"kubernetes.io/kubelet-serving\".\n 3. Otherwise, it "
           "is assigned \"kubernetes.io/legacy-unknown\".\nDistribution of trust for signers "
           "happens out of band. You can select on this field using `spec.signerName`.",
           0, kin__print_filled, "spec.signerName", "<none>"),
    COLUMN("Requestor", "string", "", "Base64-encoded PKCS#10 CSR data", 0, kin__print_text,
           "spec.username", NULL),
    COLUMN("RequestedDuration", "string", "",
           "expirationSeconds is the requested duration of validity of the issued certificate. The "
           "certificate signer may issue a certificate with a different validity duration so a "
           "client must check the delta between the notBefore and and notAfter fields in the "
           "issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree "
           "implementations of the well-known Kubernetes signers will honor this field as long as "
           "the requested duration is not greater than the maximum duration they will honor per "
           "the --cluster-signing-duration CLI flag to the Kubernetes controller "
           "manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. "
           "Old signer that is unaware of the field (such as the in-tree\n     implementations "
           "prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested "
           "duration\n  3. Signer whose configured minimum is longer than the requested "
           "duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.",
           0, kin__print_request_duration, NULL, NULL),
    COLUMN("Condition", "string", "",
           "Conditions applied to the request, such as approval or denial.", 0,
           kin__print_request_condition, NULL, NULL),
};

static const kin__column cluster_trust_bundle[] = {
    COLUMN_NAME,
    COLUMN("SignerName", "string", "",
           "signerName indicates the associated signer, if any.\n\nIn order to create or update a "
           "ClusterTrustBundle that sets signerName, you must have the following cluster-scoped "
           "permission: group=certificates.k8s.io resource=signers resourceName=<the signer name> "
           "verb=attest.\n\nIf signerName is not empty, then the ClusterTrustBundle object must be "
           "named with the signer name as a prefix (translating slashes to colons). For example, "
           "for the signer name `example.com/foo`, valid ClusterTrustBundle object names include "
           "`example.com:foo:abc` and `example.com:foo:v1`.\n\nIf signerName is empty, then the "
           "ClusterTrustBundle object's name must not have such a prefix.\n\nList/watch requests "
           "for ClusterTrustBundles can filter on this field using a `spec.signerName=NAME` field "
           "selector.",
           0, kin__print_filled, "spec.signerName", "<none>"),
};

static const kin__column pod_certificate_request[] = {
    COLUMN_NAME,
    COLUMN("PodName", "string", "",
           "podName is the name of the pod into which the certificate will be mounted.", 0,
           kin__print_text, "spec.podName", NULL),
    COLUMN("ServiceAccountName", "string", "",
           "serviceAccountName is the name of the service account the pod is running as.", 0,
           kin__print_text, "spec.serviceAccountName", NULL),
    COLUMN("NodeName", "string", "", "nodeName is the name of the node the pod is assigned to.", 0,
           kin__print_text, "spec.nodeName", NULL),
    COLUMN("SignerName", "string", "",
           "signerName indicates the requested signer.\n\nAll signer names beginning with "
           "`kubernetes.io` are reserved for use by the Kubernetes project.  There is currently "
           "one well-known signer documented by the Kubernetes project, "
           "`kubernetes.io/kube-apiserver-client-pod`, which will issue client certificates "
           "understood by kube-apiserver.  It is currently unimplemented.",
           0, kin__print_text, "spec.signerName", NULL),
    COLUMN("State", "string", "", "Is the request Pending, Issued, Denied, or Failed?", 0,
           kin__print_pod_request_state, NULL, NULL),
    COLUMN("UnverifiedUserAnnotations", "string", "",
           "unverifiedUserAnnotations allow pod authors to pass additional information to the "
           "signer implementation.  Kubernetes does not restrict or validate this metadata in any "
           "way.\n\nEntries are subject to the same validation as object metadata annotations, "
           "with the addition that all keys must be domain-prefixed. No restrictions are placed on "
           "values, except an overall size limitation on the entire field.\n\nSigners should "
           "document the keys and values they support.  Signers should deny requests that contain "
           "keys they do not recognize.",
           0, kin__print_labels, "spec.unverifiedUserAnnotations", NULL),
};

static const kin__column mutating_webhook_configuration[] = {
    COLUMN_NAME,
    COLUMN("Webhooks", "integer", "",
           "Webhooks indicates the number of webhooks registered in this configuration", 0,
           kin__print_count, "webhooks", NULL),
    COLUMN_AGE,
};

static const kin__column validating_webhook_configuration[] = {
    COLUMN_NAME,
    COLUMN("Webhooks", "integer", "",
           "Webhooks indicates the number of webhooks registered in this configuration", 0,
           kin__print_count, "webhooks", NULL),
    COLUMN_AGE,
};

static const kin__column validating_admission_policy[] = {
    COLUMN_NAME,
    COLUMN("Validations", "integer", "",
           "Validations indicates the number of validation rules defined in this configuration", 0,
           kin__print_count, "spec.validations", NULL),
    COLUMN("ParamKind", "string", "",
           "ParamKind specifies the kind of resources used to parameterize this policy", 0,
           kin__print_param_kind, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column validating_admission_policy_binding[] = {
    COLUMN_NAME,
    COLUMN("PolicyName", "string", "",
           "PolicyName indicates the policy definition which the policy binding binded to", 0,
           kin__print_text, "spec.policyName", NULL),
    COLUMN("ParamRef", "string", "",
           "ParamRef indicates the param resource which sets the configuration param", 0,
           kin__print_param_ref, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column mutating_admission_policy[] = {
    COLUMN_NAME,
    COLUMN("Mutations", "integer", "",
           "Mutation indicates the number of mutations rules defined in this configuration", 0,
           kin__print_count, "spec.mutations", NULL),
    COLUMN("ParamKind", "string", "",
           "ParamKind specifies the kind of resources used to parameterize this policy", 0,
           kin__print_param_kind, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column mutating_admission_policy_binding[] = {
    COLUMN_NAME,
    COLUMN("PolicyName", "string", "",
           "PolicyName indicates the policy definition which the policy binding binded to", 0,
           kin__print_text, "spec.policyName", NULL),
    COLUMN("ParamRef", "string", "",
           "ParamRef indicates the param resource which sets the configuration param", 0,
           kin__print_param_ref, NULL, NULL),
    COLUMN_AGE,
};

static const kin__columns kinds[] = {
    { KIND("rbac.authorization.k8s.io", "RoleBinding", role_binding) },
    { KIND("rbac.authorization.k8s.io", "ClusterRoleBinding", cluster_role_binding) },
    { KIND("certificates.k8s.io", "CertificateSigningRequest", certificate_signing_request) },
    { KIND("certificates.k8s.io", "ClusterTrustBundle", cluster_trust_bundle) },
    { KIND("certificates.k8s.io", "PodCertificateRequest", pod_certificate_request) },
    { KIND("admissionregistration.k8s.io", "MutatingWebhookConfiguration",
           mutating_webhook_configuration) },
    { KIND("admissionregistration.k8s.io", "ValidatingWebhookConfiguration",
           validating_webhook_configuration) },
    { KIND("admissionregistration.k8s.io", "ValidatingAdmissionPolicy",
           validating_admission_policy) },
    { KIND("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding",
           validating_admission_policy_binding) },
    { KIND("admissionregistration.k8s.io", "MutatingAdmissionPolicy", mutating_admission_policy) },
    { KIND("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding",
           mutating_admission_policy_binding) },
};

const kin__columns_set kin__columns_access = { kinds, sizeof kinds / sizeof kinds[0] };
