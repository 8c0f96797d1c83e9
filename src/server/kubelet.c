/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubelet.c - what a real server asks the kubelet of a pod's node for.
 *
 * The order is that of kube-apiserver's pod strategy: the pod, its container, its node, the node's
 * address.  There it would connect, and here nothing listens.
 */
#include "server/kubelet.h"

#include "server/field.h"
#include "server/query.h"
#include "server/service_token.h"
#include "server/strategy.h"

#define KUBELET_PORT 10250

/* In the order of PodSpec's own visitor. */
static const char *const container_lists[] = { "initContainers", "containers",
                                               "ephemeralContainers" };

static bool find(const kin__asked *asked, const char *resource, kin_str ns, kin_str name,
                 kin__node **out, kin__refusal *no);
static bool choose_container(const kin__asked *asked, const kin__node *spec, kin__buf *out,
                             kin__refusal *no);
static bool refuse_unnamed(const kin__node *spec, kin_str pod, kin__refusal *no);
static bool has_container(const kin__node *spec, kin_str name);
static bool refuse_connection(const kin__asked *asked, const kin__node *node, kin_str container,
                              kin__refusal *no);
static kin_str address_of(const kin__node *node);
static int64_t port_of(const kin__node *node);
static bool is_log(const kin__route *route);

bool kin__kubelet_serves(const kin__route *route)
{
    static const char *const subs[] = { "attach", "exec", "log", "portforward" };

    if (route->served == NULL || !kin__served_is(route->served, "", "pods")) {
        return false;
    }
    for (size_t i = 0; i < sizeof subs / sizeof *subs; i++) {
        if (kin__str_equal(route->sub, kin_str_of(subs[i]))) {
            return true;
        }
    }
    return false;
}

bool kin__serve_kubelet(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    const kin__route *route = &asked->route;
    AUTO(kin__node_free) kin__node *pod = NULL;
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf container = { 0 };

    if (!find(asked, "pods", route->ns, route->name, &pod, no)) {
        return false;
    }
    const kin__node *spec = kin__field(pod, "spec");
    if (!kin__str_equal(route->sub, STR("portforward")) &&
        !choose_container(asked, spec, &container, no)) {
        return false;
    }
    kin_str node_name = kin__field_text(spec, "nodeName");
    if (node_name.len == 0 && is_log(route)) {
        answer->status = 204;
        answer->content_type = "";
        return true;
    }
    if (node_name.len == 0) {
        return kin__refuse_bad_request(no, "pod %.*s does not have a host assigned",
                                       KIN_STR_ARG(route->name));
    }
    return find(asked, "nodes", STR(""), node_name, &node, no) &&
           refuse_connection(asked, node, kin__str(container.data, container.len), no);
}

/* A real server names the resource of the request when it finds none: a node is a pod then. */
static bool find(const kin__asked *asked, const char *resource, kin_str ns, kin_str name,
                 kin__node **out, kin__refusal *no)
{
    kin__record *record = NULL;

    if (!kin__service_token_find(asked->engine, resource, ns, name, &record)) {
        return kin__refuse_no_memory(no);
    }
    if (record == NULL) {
        return kin__refuse_not_found(no, asked->route.served, name);
    }
    *out = kin__tree_of(kin__record_text(record));
    return *out != NULL || kin__refuse_no_memory(no);
}

/* The one that is named, or the only one. */
static bool choose_container(const kin__asked *asked, const kin__node *spec, kin__buf *out,
                             kin__refusal *no)
{
    kin_str pod = asked->route.name;
    const kin__node *containers = kin__field(spec, "containers");
    kin__node_iter iter = { 0 };
    kin__query_pair pair;

    if (kin__query_find(asked->query, STR("container"), &pair)) {
        kin__query_unescape(pair.value, out);
    }
    kin_str name = kin__str(out->data, out->len);
    if (name.len > 0 && !has_container(spec, name)) {
        return kin__refuse_bad_request(no, "container %.*s is not valid for pod %.*s",
                                       KIN_STR_ARG(name), KIN_STR_ARG(pod));
    }
    if (name.len == 0) {
        if (containers == NULL || kin__node_count(containers) != 1) {
            return refuse_unnamed(spec, pod, no);
        }
        (void) kin__node_next(containers, &iter);
        (void) kin__buf_append_str(out, kin__field_text(iter.value, "name"));
    }
    return !kin__buf_failed(out) || kin__refuse_no_memory(no);
}

static bool refuse_unnamed(const kin__node *spec, kin_str pod, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf names = { 0 };
    const kin__node *containers = kin__field(spec, "containers");

    if (containers == NULL || kin__node_count(containers) == 0) {
        return kin__refuse_bad_request(no, "a container name must be specified for pod %.*s",
                                       KIN_STR_ARG(pod));
    }
    for (size_t i = 0; i < sizeof container_lists / sizeof *container_lists; i++) {
        const kin__node *list = kin__field(spec, container_lists[i]);
        kin__node_iter iter = { 0 };
        while (list != NULL && kin__node_next(list, &iter)) {
            (void) kin__buf_append_str(&names, names.len > 0 ? STR(" ") : STR(""));
            (void) kin__buf_append_str(&names, kin__field_text(iter.value, "name"));
        }
    }
    if (kin__buf_failed(&names)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(
        no, "a container name must be specified for pod %.*s, choose one of: [%.*s]",
        KIN_STR_ARG(pod), (int) names.len, names.data);
}

static bool has_container(const kin__node *spec, kin_str name)
{
    for (size_t i = 0; i < sizeof container_lists / sizeof *container_lists; i++) {
        const kin__node *list = kin__field(spec, container_lists[i]);
        kin__node_iter iter = { 0 };
        while (list != NULL && kin__node_next(list, &iter)) {
            if (kin__str_equal(kin__field_text(iter.value, "name"), name)) {
                return true;
            }
        }
    }
    return false;
}

/* As if the node had been asked, and nothing listened there. */
static bool refuse_connection(const kin__asked *asked, const kin__node *node, kin_str container,
                              kin__refusal *no)
{
    const kin__route *route = &asked->route;
    kin_str host = address_of(node);
    unsigned port = (unsigned) port_of(node);

    if (host.len == 0) {
        return kin__refuse(no, 500, "", "no preferred addresses found; known addresses: []");
    }
    if (!is_log(route)) {
        return kin__refuse(no, 500, "",
                           "error dialing backend: dial tcp %.*s:%u: connect: connection refused",
                           KIN_STR_ARG(host), port);
    }
    return kin__refuse(no, 500, "",
                       "Get \"https://%.*s:%u/containerLogs/%.*s/%.*s/%.*s\": dial tcp %.*s:%u: "
                       "connect: connection refused",
                       KIN_STR_ARG(host), port, KIN_STR_ARG(route->ns), KIN_STR_ARG(route->name),
                       KIN_STR_ARG(container), KIN_STR_ARG(host), port);
}

/* By kube-apiserver's own preference; empty: the node has none. */
static kin_str address_of(const kin__node *node)
{
    static const char *const types[] = { "Hostname", "InternalDNS", "InternalIP", "ExternalDNS",
                                         "ExternalIP" };
    const kin__node *addresses = kin__field_at(node, "status", "addresses");

    for (size_t i = 0; addresses != NULL && i < sizeof types / sizeof *types; i++) {
        kin__node_iter iter = { 0 };
        while (kin__node_next(addresses, &iter)) {
            if (kin__str_equal(kin__field_text(iter.value, "type"), kin_str_of(types[i]))) {
                return kin__field_text(iter.value, "address");
            }
        }
    }
    return STR("");
}

static int64_t port_of(const kin__node *node)
{
    const kin__node *endpoints = kin__field_at(node, "status", "daemonEndpoints");
    int64_t port = 0;

    return kin__field_int64(kin__field(endpoints, "kubeletEndpoint"), "Port", &port) && port > 0
               ? port
               : KUBELET_PORT;
}

static bool is_log(const kin__route *route)
{
    return kin__str_equal(route->sub, STR("log"));
}
