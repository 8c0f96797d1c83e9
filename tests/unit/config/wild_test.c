/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wild_test.c - kubeconfigs as the tools that people use write them.
 */
#include "config/field.h"
#include "unit/config/making.h"

typedef struct sample {
    const char *tool;
    const char *yaml;
    const char *server; /* NULL: it is refused, with `refusal` in the message */
    const char *ns;
    const char *command; /* of the plugin; NULL: none is needed */
    const char *refusal;
} sample;

static const sample samples[] = {
    { "kind",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " PEM64 "\n"
      "    server: https://127.0.0.1:35771\n  name: kind-kind\ncontexts:\n- context:\n"
      "    cluster: kind-kind\n    user: kind-kind\n  name: kind-kind\n"
      "current-context: kind-kind\nkind: Config\npreferences: {}\nusers:\n- name: kind-kind\n"
      "  user:\n    client-certificate-data: " PEM64 "\n    client-key-data: " PEM64 "\n",
      "https://127.0.0.1:35771", "default", NULL, NULL },
    { "minikube",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority: "
      "/users/me/.minikube/ca.crt\n"
      "    extensions:\n    - extension:\n        last-update: Mon, 16 Nov 2026 08:00:00 UTC\n"
      "        provider: minikube.sigs.k8s.io\n        version: v1.37.0\n      name: cluster_info\n"
      "    server: https://192.168.49.2:8443\n  name: minikube\ncontexts:\n- context:\n"
      "    cluster: minikube\n    extensions:\n    - extension:\n"
      "        last-update: Mon, 16 Nov 2026 08:00:00 UTC\n"
      "        provider: minikube.sigs.k8s.io\n        version: v1.37.0\n      name: context_info\n"
      "    namespace: default\n    user: minikube\n  name: minikube\ncurrent-context: minikube\n"
      "kind: Config\npreferences: {}\nusers:\n- name: minikube\n  user:\n"
      "    client-certificate: /users/me/.minikube/profiles/minikube/client.crt\n"
      "    client-key: /users/me/.minikube/profiles/minikube/client.key\n",
      "https://192.168.49.2:8443", "default", NULL, NULL },
    { "aws eks update-kubeconfig",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " PEM64 "\n"
      "    server: https://ABCDEF0123456789.gr7.eu-west-1.eks.amazonaws.com\n"
      "  name: arn:aws:eks:eu-west-1:123456789012:cluster/prod\ncontexts:\n- context:\n"
      "    cluster: arn:aws:eks:eu-west-1:123456789012:cluster/prod\n"
      "    user: arn:aws:eks:eu-west-1:123456789012:cluster/prod\n"
      "  name: arn:aws:eks:eu-west-1:123456789012:cluster/prod\n"
      "current-context: arn:aws:eks:eu-west-1:123456789012:cluster/prod\nkind: Config\n"
      "preferences: {}\nusers:\n- name: arn:aws:eks:eu-west-1:123456789012:cluster/prod\n"
      "  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n"
      "      args:\n      - --region\n      - eu-west-1\n      - eks\n      - get-token\n"
      "      - --cluster-name\n      - prod\n      - --output\n      - json\n      command: aws\n"
      "      env:\n      - name: AWS_PROFILE\n        value: prod\n",
      "https://ABCDEF0123456789.gr7.eu-west-1.eks.amazonaws.com", "default", "aws", NULL },
    { "gcloud container clusters get-credentials",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " PEM64 "\n"
      "    server: https://34.90.1.2\n  name: gke_p_europe-west4_c\ncontexts:\n- context:\n"
      "    cluster: gke_p_europe-west4_c\n    user: gke_p_europe-west4_c\n"
      "  name: gke_p_europe-west4_c\ncurrent-context: gke_p_europe-west4_c\nkind: Config\n"
      "preferences: {}\nusers:\n- name: gke_p_europe-west4_c\n  user:\n    exec:\n"
      "      apiVersion: client.authentication.k8s.io/v1beta1\n"
      "      command: gke-gcloud-auth-plugin\n      installHint: Install gke-gcloud-auth-plugin "
      "for use with kubectl by following\n        https://cloud.google.com/kubernetes-engine/docs\n"
      "      provideClusterInfo: true\n",
      "https://34.90.1.2", "default", "gke-gcloud-auth-plugin", NULL },
    { "az aks get-credentials with kubelogin",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " PEM64 "\n"
      "    server: https://aks-dns-1.hcp.westeurope.azmk8s.io:443\n  name: aks\ncontexts:\n"
      "- context:\n    cluster: aks\n    user: clusterUser_rg_aks\n  name: aks\n"
      "current-context: aks\nkind: Config\npreferences: {}\nusers:\n- name: clusterUser_rg_aks\n"
      "  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n      args:\n"
      "      - get-token\n      - --environment\n      - AzurePublicCloud\n      - --server-id\n"
      "      - 6dae42f8-4368-4678-94ff-3960e28e3630\n      command: kubelogin\n      env: null\n"
      "      installHint: |2\n\n        kubelogin is not installed which is required\n"
      "      provideClusterInfo: false\n",
      "https://aks-dns-1.hcp.westeurope.azmk8s.io:443", "default", "kubelogin", NULL },
    { "kubectl oidc-login",
      "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c:6443'}}]\n"
      "contexts: [{name: oidc, context: {cluster: c, user: oidc}}]\ncurrent-context: oidc\n"
      "users:\n- name: oidc\n  user:\n    exec:\n"
      "      apiVersion: client.authentication.k8s.io/v1\n      args:\n      - oidc-login\n"
      "      - get-token\n      - --oidc-issuer-url=https://issuer.example\n"
      "      - --oidc-client-id=k\n      command: kubectl\n      env: null\n"
      "      interactiveMode: IfAvailable\n      provideClusterInfo: false\n",
      "https://c:6443", "default", "kubectl", NULL },
    { "kubectl config set-credentials --auth-provider=oidc",
      "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c:6443'}}]\n"
      "contexts: [{name: oidc, context: {cluster: c, user: me}}]\ncurrent-context: oidc\n"
      "users:\n- name: me\n  user:\n    auth-provider:\n      config:\n        client-id: k\n"
      "        id-token: eyJ\n        idp-issuer-url: https://issuer.example\n"
      "        refresh-token: q1bKLFOyUiosTfawzA93TzZIDzH2TNa2SMm0zEiPKTUwME6BkEo6Sql5yUWVBSWpK\n"
      "      name: oidc\n",
      NULL, NULL, NULL, "user \"me\": the auth-provider \"oidc\" is not supported" },
    { "k3s",
      "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " PEM64 "\n"
      "    server: https://127.0.0.1:6443\n  name: default\ncontexts:\n- context:\n"
      "    cluster: default\n    user: default\n  name: default\ncurrent-context: default\n"
      "kind: Config\npreferences: {}\nusers:\n- name: default\n  user:\n"
      "    client-certificate-data: " PEM64 "\n    client-key-data: " PEM64 "\n",
      "https://127.0.0.1:6443", "default", NULL, NULL },
    { "rancher",
      "apiVersion: v1\nkind: Config\nclusters:\n- name: \"prod\"\n  cluster:\n"
      "    server: \"https://rancher.example/k8s/clusters/c-m-abcdef\"\n"
      "    certificate-authority-data: \"LS0tLS1CRUdJTiBYLS0t\\\n      LS0KQUE9PQotLS0t\\\n"
      "      LUVORCBYLS0tLS0K\"\n\nusers:\n- name: \"prod\"\n  user:\n"
      "    token: \"kubeconfig-user-abc:xyz\"\n\n\ncontexts:\n- name: \"prod\"\n  context:\n"
      "    user: \"prod\"\n    cluster: \"prod\"\n\ncurrent-context: \"prod\"\n",
      "https://rancher.example/k8s/clusters/c-m-abcdef", "default", NULL, NULL },
    { "oc login",
      "apiVersion: v1\nclusters:\n- cluster:\n    insecure-skip-tls-verify: true\n"
      "    server: https://api.crc.testing:6443\n  name: api-crc-testing:6443\ncontexts:\n"
      "- context:\n    cluster: api-crc-testing:6443\n    namespace: my-project\n"
      "    user: developer/api-crc-testing:6443\n"
      "  name: my-project/api-crc-testing:6443/developer\n"
      "current-context: my-project/api-crc-testing:6443/developer\nkind: Config\n"
      "preferences: {}\nusers:\n- name: developer/api-crc-testing:6443\n  user:\n"
      "    token: sha256~abc\n",
      "https://api.crc.testing:6443", "my-project", NULL, NULL },
    { "kubectl config view -o json",
      "{\n    \"kind\": \"Config\",\n    \"apiVersion\": \"v1\",\n    \"preferences\": {},\n"
      "    \"clusters\": [{\"name\": \"c\", \"cluster\": {\"server\": \"https://c\"}}],\n"
      "    \"users\": [{\"name\": \"u\", \"user\": {\"token\": \"t\"}}],\n"
      "    \"contexts\": [{\"name\": \"x\", \"context\": {\"cluster\": \"c\", \"user\": \"u\"}}],\n"
      "    \"current-context\": \"x\"\n}\n",
      "https://c", "default", NULL, NULL },
    { "kubectl config with nothing set",
      "apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: \"\"\nkind: Config\n"
      "preferences: {}\nusers: null\n",
      NULL, NULL, NULL, "no context is chosen" },
    { "a file with CRLF line ends and a byte order mark",
      "\xef\xbb\xbf"
      "apiVersion: v1\r\nkind: Config\r\ncurrent-context: x\r\ncontexts:\r\n"
      "- name: x\r\n  context:\r\n    cluster: c\r\nclusters:\r\n- name: c\r\n  cluster:\r\n"
      "    server: https://c\r\n",
      "https://c", "default", NULL, NULL },
};

TEST(wild, kubeconfigs_are_read_as_they_are_meant)
{
    static virtual_machine m;

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const sample *s = &samples[i];
        if (s->server == NULL) {
            expect_refused(s->yaml,
                           s->refusal != NULL && strstr(s->refusal, "auth-provider") != NULL
                               ? KIN_ERR_USAGE
                               : KIN_ERR_NOT_FOUND,
                           s->refusal);
            continue;
        }
        virtual_machine_init(&m);
        kin_config *config = make_config(&m, s->yaml);
        ASSERT_STR_EQ(kin_config_server(config), s->server);
        ASSERT_STR_EQ(kin_config_namespace(config), s->ns);
        ASSERT_EQ(config->needs_plugin, s->command != NULL);
        if (s->command != NULL) {
            ASSERT_STR_EQ(config->user.exec->command, s->command);
        }
        (void) kin_config_unref(config);
    }
}

TEST(wild, aws_has_its_arguments_and_variables)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    kin_config *config = make_config(&m, samples[2].yaml);

    const kin__exec *exec = config->user.exec;

    ASSERT_EQ(kin__texts_count(exec->arguments), 8);
    ASSERT_STR_EQ(exec->arguments[3], "get-token");
    ASSERT_EQ(exec->variable_count, 1);
    ASSERT_STR_EQ(exec->variables[0].name, "AWS_PROFILE");
    (void) kin_config_unref(config);
}

TEST(wild, rancher_has_its_ca_in_pieces)
{
    static virtual_machine m;
    virtual_machine_init(&m);
    kin_config *config = make_config(&m, samples[8].yaml);

    ASSERT_SLICE_EQ(config->cluster.ca_data, PEM);
    (void) kin_config_unref(config);
}
