/* SPDX-License-Identifier: Apache-2.0 */
/*
 * furnish.c - what every cluster has without anybody's doing.
 *
 * As kube-apiserver 1.36.3 and the controllers serviceaccount and root-ca-cert-publisher write it.
 */
#include "server/furnish.h"

#include <stdio.h>

#include "base/str.h"
#include "json/writer.h"
#include "server/direct.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/strategy.h"

#define CRITICAL_OF_CLUSTER                                                                        \
    "{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\",\"metadata\":{\"name\":"  \
    "\"system-cluster-critical\"},\"value\":2000000000,\"description\":\"Used for system "         \
    "critical pods that must run in the cluster, but can be moved to another node if "             \
    "necessary.\",\"preemptionPolicy\":\"PreemptLowerPriority\"}"
#define CRITICAL_OF_NODE                                                                           \
    "{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\",\"metadata\":{\"name\":"  \
    "\"system-node-critical\"},\"value\":2000001000,\"description\":\"Used for system critical "   \
    "pods that must not be moved from their current node.\",\"preemptionPolicy\":"                 \
    "\"PreemptLowerPriority\"}"
#define RANGE                                                                                      \
    "{\"kind\":\"ServiceCIDR\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{\"name\":"    \
    "\"kubernetes\"},\"spec\":{\"cidrs\":[\"10.96.0.0/12\"]},\"status\":{\"conditions\":[{"        \
    "\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"\",\"message\":\"Kubernetes default "     \
    "Service CIDR is ready\",\"lastTransitionTime\":\""
#define ADDRESS                                                                                    \
    "{\"kind\":\"IPAddress\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{\"name\":"      \
    "\"10.96.0.1\",\"labels\":{\"ipaddress.kubernetes.io/ip-family\":\"IPv4\","                    \
    "\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"}},\"spec\":{\"parentRef\":{"    \
    "\"resource\":\"services\",\"namespace\":\"default\",\"name\":\"kubernetes\"}}}"
#define SERVICE                                                                                    \
    "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"kubernetes\","           \
    "\"namespace\":\"default\",\"labels\":{\"component\":\"apiserver\",\"provider\":"              \
    "\"kubernetes\"}},\"spec\":{\"clusterIP\":\"10.96.0.1\",\"clusterIPs\":[\"10.96.0.1\"],"       \
    "\"internalTrafficPolicy\":\"Cluster\",\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":"          \
    "\"SingleStack\",\"sessionAffinity\":\"None\",\"type\":\"ClusterIP\",\"ports\":[{\"name\":"    \
    "\"https\",\"protocol\":\"TCP\",\"port\":443,\"targetPort\":"
#define ENDPOINTS                                                                                  \
    "{\"kind\":\"Endpoints\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"kubernetes\","         \
    "\"namespace\":\"default\",\"labels\":{\"endpointslice.kubernetes.io/"                         \
    "skip-mirror\":\"true\"}},"                                                                    \
    "\"subsets\":[{\"addresses\":[{\"ip\":\"%.*s\"}],\"ports\":[{\"name\":\"https\",\"port\":%.*"  \
    "s,"                                                                                           \
    "\"protocol\":\"TCP\"}]}]}"
#define SLICE                                                                                      \
    "{\"kind\":\"EndpointSlice\",\"apiVersion\":\"discovery.k8s.io/v1\",\"metadata\":{\"name\":"   \
    "\"kubernetes\",\"namespace\":\"default\",\"labels\":{\"kubernetes.io/service-name\":"         \
    "\"kubernetes\"}},\"addressType\":\"%s\",\"endpoints\":[{\"addresses\":[\"%.*s\"],"            \
    "\"conditions\":{\"ready\":true}}],\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\","       \
    "\"port\":%.*s}]}"
#define DESCRIPTION                                                                                \
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "      \
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "      \
    "guaranteed across distributions of Kubernetes clusters."

#define ACCOUNT "default"
#define CERTIFICATE "kube-root-ca.crt"
#define KEY_BYTES 128

static bool put(kin__engine *engine, kin_str json, kin__refusal *no);
static bool put_range(kin__engine *engine, kin__refusal *no);
static bool put_service(kin__engine *engine, kin__refusal *no);
static bool put_endpoints(kin__engine *engine, kin__refusal *no);
static size_t port_at(kin_str address);
static bool put_text(kin__engine *engine, const kin__buf *json, kin__refusal *no);
static const kin__record *find(const kin__engine *engine, const char *resource, kin_str ns,
                               const char *name);
static bool has_certificate(const kin__engine *engine, kin_str ns);
static bool put_account(kin__engine *engine, kin_str ns, kin__refusal *no);
static bool put_certificate(kin__engine *engine, kin_str ns, kin__refusal *no);
static void begin(kin__json_writer *w, const char *kind, const char *name, kin_str ns);

bool kin__furnish_cluster(kin__engine *engine, kin__refusal *no)
{
    const kin__served *served =
        kin__shelf_find(engine->shelf, STR(""), STR("v1"), STR("namespaces"));
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    const kin__range all = { 0 };
    size_t unused = 0;
    bool waits = false;
    kin_error err;

    if (!put(engine, STR(CRITICAL_OF_CLUSTER), no) || !put(engine, STR(CRITICAL_OF_NODE), no) ||
        !put_range(engine, no) || !put(engine, STR(ADDRESS), no) || !put_service(engine, no) ||
        !put_endpoints(engine, no)) {
        return false;
    }
    if (kin__collection_list(served->collection, &all, &listing, &err) != KIN_OK) {
        return kin__refuse_no_memory(no);
    }
    for (size_t i = 0; i < listing.count; i++) {
        (void) kin__furnish_namespace(engine, listing.records[i], &unused, &waits);
    }
    return !waits || kin__refuse_no_memory(no);
}

bool kin__furnish_namespace(kin__engine *engine, kin__record *record, size_t *budget, bool *waits)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_str ns = kin_object_name(record->object);
    kin_time unused;

    (void) budget;
    if (kin_object_deletion_time(record->object, &unused)) {
        return false;
    }
    bool is_done =
        (find(engine, "serviceaccounts", ns, ACCOUNT) != NULL || put_account(engine, ns, &no)) &&
        (has_certificate(engine, ns) || put_certificate(engine, ns, &no));
    *waits = !is_done || *waits;
    return false;
}

bool kin__furnish_concerns(const kin__served *served)
{
    return kin__served_is(served, "", "serviceaccounts") ||
           kin__served_is(served, "", "configmaps");
}

bool kin__furnish_concerns_change(const kin__served *served, const kin_object *object)
{
    return kin__served_is(served, "", "configmaps") &&
           kin__str_equal(kin_object_name(object), STR(CERTIFICATE));
}

static bool put(kin__engine *engine, kin_str json, kin__refusal *no)
{
    uint64_t unused;

    return kin__put_direct(engine, json, &unused, no);
}

/* Of addresses for services: ready since now. */
static bool put_range(kin__engine *engine, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    char now[KIN__PB_TIME_MAX];

    (void) kin__buf_append_str(&json, STR(RANGE));
    (void) kin__buf_append_str(&json, kin__identity_time(engine, 0, now));
    (void) kin__buf_append_str(&json, STR("\"}]}}"));
    return put_text(engine, &json, no);
}

/* It leads to the port that the server listens on. */
static bool put_service(kin__engine *engine, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    size_t port = port_at(engine->address);

    (void) kin__buf_append_str(&json, STR(SERVICE));
    (void) kin__buf_append(&json, engine->address.data + port, engine->address.len - port);
    (void) kin__buf_append_str(&json, STR("}]},\"status\":{\"loadBalancer\":{}}}"));
    return put_text(engine, &json, no);
}

/* Where the service leads to, in both of its forms. */
static bool put_endpoints(kin__engine *engine, kin__refusal *no)
{
    kin_str address = engine->address;
    size_t at = port_at(address);
    AUTO(kin__buf_fini) kin__buf old = { 0 };
    AUTO(kin__buf_fini) kin__buf slice = { 0 };
    kin_str port = kin__str(address.data + at, address.len - at);
    kin_str host = kin__str(address.data, at > 0 ? at - 1 : 0);
    bool is_v6 = host.len > 2 && host.data[0] == '[';
    if (is_v6) {
        host = kin__str(host.data + 1, host.len - 2);
    }
    (void) kin__buf_append_format(&old, ENDPOINTS, KIN_STR_ARG(host), KIN_STR_ARG(port));
    (void) kin__buf_append_format(&slice, SLICE, is_v6 ? "IPv6" : "IPv4", KIN_STR_ARG(host),
                                  KIN_STR_ARG(port));
    return put_text(engine, &old, no) && put_text(engine, &slice, no);
}

/* Behind the last colon. */
static size_t port_at(kin_str address)
{
    size_t at = address.len;

    while (at > 0 && address.data[at - 1] != ':') {
        at--;
    }
    return at;
}

static bool put_text(kin__engine *engine, const kin__buf *json, kin__refusal *no)
{
    return kin__buf_failed(json) ? kin__refuse_no_memory(no)
                                 : put(engine, kin__str(json->data, json->len), no);
}

/* A namespace has 63 bytes at most. */
static const kin__record *find(const kin__engine *engine, const char *resource, kin_str ns,
                               const char *name)
{
    const kin__served *served =
        kin__shelf_find(engine->shelf, STR(""), STR("v1"), kin_str_of(resource));
    char key[KEY_BYTES];
    int len = snprintf(key, sizeof key, "%.*s/%s", KIN_STR_ARG(ns), name);

    return len < KEY_BYTES ? kin__collection_get(served->collection, kin__str(key, (size_t) len))
                           : NULL;
}

/* The server's own: whoever writes another there does not keep it. */
static bool has_certificate(const kin__engine *engine, kin_str ns)
{
    const kin__record *record = find(engine, "configmaps", ns, CERTIFICATE);
    AUTO(kin__node_free)
    kin__node *tree = record == NULL ? NULL : kin__tree_of(kin__record_text(record));

    return record != NULL && kin__str_equal(kin__field_text(kin__field(tree, "data"), "ca.crt"),
                                            engine->root_certificate);
}

static bool put_account(kin__engine *engine, kin_str ns, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    begin(&w, "ServiceAccount", ACCOUNT, ns);
    kin__json_end(&w, '}');
    kin__json_end(&w, '}');
    return put_text(engine, &json, no);
}

static bool put_certificate(kin__engine *engine, kin_str ns, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    begin(&w, "ConfigMap", CERTIFICATE, ns);
    kin__json_key(&w, STR("annotations"));
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("kubernetes.io/description"));
    kin__json_string(&w, STR(DESCRIPTION));
    kin__json_end(&w, '}');
    kin__json_end(&w, '}');
    kin__json_key(&w, STR("data"));
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("ca.crt"));
    kin__json_string(&w, engine->root_certificate);
    kin__json_end(&w, '}');
    kin__json_end(&w, '}');
    return put_text(engine, &json, no);
}

/* Up to the members of its metadata. */
static void begin(kin__json_writer *w, const char *kind, const char *name, kin_str ns)
{
    kin__json_begin(w, '{');
    kin__json_key(w, STR("kind"));
    kin__json_string(w, kin_str_of(kind));
    kin__json_key(w, STR("apiVersion"));
    kin__json_string(w, STR("v1"));
    kin__json_key(w, STR("metadata"));
    kin__json_begin(w, '{');
    kin__json_key(w, STR("name"));
    kin__json_string(w, kin_str_of(name));
    kin__json_key(w, STR("namespace"));
    kin__json_string(w, ns);
}
