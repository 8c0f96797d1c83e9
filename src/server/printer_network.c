/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_network.c - cells of services, endpoints, ingresses and addresses.
 */
#include "server/printer_kinds.h"

#define SHOWN_MAX 3

static void collect_load_balancer(kin_value ingress, kin__pairs *pairs);
static void add_list(kin__printer *p, kin_value strings, bool is_first);
static void print_load_balancer_service(kin__printer *p, kin_value external);
static void add_subset(kin__printer *p, kin_value subset, int64_t *shown, int64_t *count);
static void add_addresses(kin__printer *p, kin_value addresses, const kin_value *port,
                          int64_t *shown);
static void add_host_port(kin__printer *p, kin_value host, const kin_value *port);
static void end_list(kin__printer *p, int64_t count, kin_str otherwise);

void kin__print_cluster_ip(kin__printer *p)
{
    kin_value ip = kin_object_at(p->object, "spec.clusterIPs[0]");

    if (!kin__value_is_there(ip)) {
        ip = kin_object_at(p->object, "spec.clusterIP");
        ip = kin__value_is_filled(ip) ? ip : (kin_value){ 0 };
    }
    kin__cell_write_value(p, ip, STR("<none>"));
}

void kin__print_external_ip(kin__printer *p)
{
    kin_value type = kin_object_at(p->object, "spec.type");
    kin_value external = kin_object_at(p->object, "spec.externalIPs");

    if (kin__value_is(type, STR("ExternalName"))) {
        kin__cell_write_value(p, kin_object_at(p->object, "spec.externalName"), STR(""));
    } else if (kin__value_is(type, STR("LoadBalancer"))) {
        print_load_balancer_service(p, external);
    } else if (!kin__value_is(type, STR("ClusterIP")) && !kin__value_is(type, STR("NodePort"))) {
        kin__cell_write(p, STR("<unknown>"));
    } else if (kin_value_count(external) == 0) {
        kin__cell_write(p, STR("<none>"));
    } else {
        kin__cell_begin(p);
        add_list(p, external, true);
        kin__cell_end(p);
    }
}

/* What the balancer has given it, then the addresses of the service itself. */
static void print_load_balancer_service(kin__printer *p, kin_value external)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };

    collect_load_balancer(kin_object_at(p->object, "status.loadBalancer.ingress"), &pairs);
    kin__cell_begin(p);
    kin__cell_add_pairs(p, &pairs, STR(","));
    add_list(p, external, p->text.len == 0);
    if (p->text.len == 0 && kin_value_count(external) == 0) {
        kin__cell_add(p, STR("<pending>"));
    }
    kin__cell_end(p);
}

void kin__print_service_ports(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "spec.ports"));

    kin__cell_begin(p);
    while (kin_iter_next(&iter)) {
        int64_t node_port = kin__value_number(kin_value_member(iter.value, STR("nodePort")));
        kin__cell_add(p, p->text.len == 0 ? STR("") : STR(","));
        kin__cell_add_number(p, kin__value_number(kin_value_member(iter.value, STR("port"))));
        if (node_port > 0) {
            kin__cell_add(p, STR(":"));
            kin__cell_add_number(p, node_port);
        }
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, kin_value_member(iter.value, STR("protocol")));
    }
    if (p->text.len == 0) {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

void kin__print_endpoints(kin__printer *p)
{
    kin_value subsets = kin_object_at(p->object, "subsets");
    kin_iter iter = kin_value_iter(subsets);
    int64_t shown = 0;
    int64_t count = 0;

    kin__cell_begin(p);
    while (kin_iter_next(&iter)) {
        add_subset(p, iter.value, &shown, &count);
    }
    end_list(p, count, STR(""));
    if (kin_value_count(subsets) == 0) {
        kin__cell_add(p, STR("<none>"));
    }
    kin__cell_end(p);
}

/* Each address with each port, or alone where there are no ports. */
static void add_subset(kin__printer *p, kin_value subset, int64_t *shown, int64_t *count)
{
    kin_value addresses = kin_value_member(subset, STR("addresses"));
    int64_t address_count = (int64_t) kin_value_count(addresses);
    kin_iter ports = kin_value_iter(kin_value_member(subset, STR("ports")));
    bool has_ports = false;

    while (kin_iter_next(&ports)) {
        has_ports = true;
        *count += address_count;
        kin_value port = kin_value_member(ports.value, STR("port"));
        add_addresses(p, addresses, &port, shown);
    }
    if (!has_ports) {
        *count += address_count;
        add_addresses(p, addresses, NULL, shown);
    }
}

static void add_addresses(kin__printer *p, kin_value addresses, const kin_value *port,
                          int64_t *shown)
{
    kin_iter iter = kin_value_iter(addresses);

    while (*shown < SHOWN_MAX && kin_iter_next(&iter)) {
        kin__cell_add(p, *shown == 0 ? STR("") : STR(","));
        add_host_port(p, kin_value_member(iter.value, STR("ip")), port);
        ++*shown;
    }
}

/* As Go's net.JoinHostPort; without a port the host alone. */
static void add_host_port(kin__printer *p, kin_value host, const kin_value *port)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (port == NULL) {
        kin__cell_add_value(p, host);
        return;
    }
    (void) kin__value_append(host, &text);
    p->has_failed |= kin__buf_failed(&text);
    bool has_colon = text.len != 0 && (memchr(text.data, ':', text.len) != NULL ||
                                       memchr(text.data, '%', text.len) != NULL);
    kin__cell_add(p, has_colon ? STR("[") : STR(""));
    kin__cell_add(p, kin__str(text.data, text.len));
    kin__cell_add(p, has_colon ? STR("]:") : STR(":"));
    kin__cell_add_number(p, kin__value_number(*port));
}

void kin__print_slice_ports(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "ports"));
    int64_t count = 0;

    kin__cell_begin(p);
    for (; kin_iter_next(&iter); count++) {
        kin_value port = kin_value_member(iter.value, STR("port"));
        kin_value name = kin_value_member(iter.value, STR("name"));
        if (count >= SHOWN_MAX) {
            continue;
        }
        kin__cell_add(p, count == 0 ? STR("") : STR(","));
        if (kin__value_is_there(port)) {
            kin__cell_add_number(p, kin__value_number(port));
        } else if (kin__value_is_there(name)) {
            kin__cell_add_value(p, name);
        } else {
            kin__cell_add(p, STR("*"));
        }
    }
    end_list(p, count, STR("<unset>"));
    kin__cell_end(p);
}

void kin__print_slice_endpoints(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "endpoints"));
    int64_t count = 0;

    kin__cell_begin(p);
    while (kin_iter_next(&iter)) {
        kin_iter addresses = kin_value_iter(kin_value_member(iter.value, STR("addresses")));
        for (; kin_iter_next(&addresses); count++) {
            if (count < SHOWN_MAX) {
                kin__cell_add(p, count == 0 ? STR("") : STR(","));
                kin__cell_add_value(p, addresses.value);
            }
        }
    }
    end_list(p, count, STR("<unset>"));
    kin__cell_end(p);
}

/* Rules without a host count among those that are not shown, if any are. */
void kin__print_ingress_hosts(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "spec.rules"));
    int64_t count = 0;
    int64_t shown = 0;
    bool has_more = false;

    kin__cell_begin(p);
    for (; kin_iter_next(&iter); count++) {
        kin_value host = kin_value_member(iter.value, STR("host"));
        has_more |= shown == SHOWN_MAX;
        if (!has_more && kin__value_is_filled(host)) {
            kin__cell_add(p, shown == 0 ? STR("") : STR(","));
            kin__cell_add_value(p, host);
            shown++;
        }
    }
    if (shown == 0) {
        kin__cell_add(p, STR("*"));
    }
    end_list(p, has_more ? count : 0, STR(""));
    kin__cell_end(p);
}

void kin__print_load_balancer(kin__printer *p)
{
    AUTO(kin__pairs_fini) kin__pairs pairs = { 0 };

    collect_load_balancer(kin__cell_value(p), &pairs);
    kin__cell_begin(p);
    kin__cell_add_pairs(p, &pairs, STR(","));
    kin__cell_end(p);
}

void kin__print_ingress_ports(kin__printer *p)
{
    bool has_tls = kin_value_count(kin_object_at(p->object, "spec.tls")) > 0;

    kin__cell_write(p, has_tls ? STR("80, 443") : STR("80"));
}

void kin__print_ingress_parameters(kin__printer *p)
{
    kin_value parameters = kin_object_at(p->object, "spec.parameters");
    kin_value group = kin_value_member(parameters, STR("apiGroup"));

    if (!kin__value_is_there(parameters)) {
        kin__cell_write(p, STR("<none>"));
        return;
    }
    kin__cell_begin(p);
    kin__cell_add_value(p, kin_value_member(parameters, STR("kind")));
    kin__cell_add(p, kin__value_is_there(group) ? STR(".") : STR(""));
    kin__cell_add_value(p, group);
    kin__cell_add(p, STR("/"));
    kin__cell_add_value(p, kin_value_member(parameters, STR("name")));
    kin__cell_end(p);
}

/* "services/default/kubernetes" */
void kin__print_ip_parent(kin__printer *p)
{
    kin_value parent = kin_object_at(p->object, "spec.parentRef");
    kin_value group = kin_value_member(parent, STR("group"));
    kin_value space = kin_value_member(parent, STR("namespace"));

    kin__cell_begin(p);
    if (!kin__value_is_there(parent)) {
        kin__cell_add(p, STR("<none>"));
    } else {
        kin__cell_add_lower(p, kin_value_member(parent, STR("resource")));
        kin__cell_add(p, kin__value_is_filled(group) ? STR(".") : STR(""));
        kin__cell_add_lower(p, group);
        kin__cell_add(p, kin__value_is_filled(space) ? STR("/") : STR(""));
        kin__cell_add_value(p, space);
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, kin_value_member(parent, STR("name")));
    }
    kin__cell_end(p);
    kin__print_age(p);
}

/* Addresses or, where there is none, host names: each once. */
static void collect_load_balancer(kin_value ingress, kin__pairs *pairs)
{
    kin_iter iter = kin_value_iter(ingress);

    while (kin_iter_next(&iter)) {
        kin_value name = kin_value_member(iter.value, STR("ip"));
        if (!kin__value_is_filled(name)) {
            name = kin_value_member(iter.value, STR("hostname"));
        }
        if (kin__value_is_filled(name)) {
            kin__pairs_open(pairs, name);
            (void) kin__value_append(name, &pairs->bytes);
            kin__pairs_close(pairs);
        }
    }
}

static void add_list(kin__printer *p, kin_value strings, bool is_first)
{
    kin_iter iter = kin_value_iter(strings);

    for (; kin_iter_next(&iter); is_first = false) {
        kin__cell_add(p, is_first ? STR("") : STR(","));
        kin__cell_add_value(p, iter.value);
    }
}

/* How many of `count` are not shown; `otherwise` when the cell is empty. */
static void end_list(kin__printer *p, int64_t count, kin_str otherwise)
{
    if (count > SHOWN_MAX) {
        kin__cell_add(p, STR(" + "));
        kin__cell_add_number(p, count - SHOWN_MAX);
        kin__cell_add(p, STR(" more..."));
    } else if (p->text.len == 0) {
        kin__cell_add(p, otherwise);
    }
}
