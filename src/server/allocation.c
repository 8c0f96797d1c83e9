/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocation.c - addresses of 10.96.0.0/12 and ports of 30000-32767 that no other service has.
 *
 * After patchAllocatedValues(), dropTypeDependentFields() and the allocators of kubernetes 1.36,
 * pkg/registry/core/service.  What services have is read from the services themselves, whenever
 * something new is to be given or was asked for.
 */
#include "server/allocation.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "kin/value.h"
#include "server/field.h"
#include "server/metadata_check.h"
#include "server/random.h"

#define NETWORK 0x0a600000u /* 10.96.0.0/12 */
#define HOST_BITS 20u

/* What services have: the others all the time, this one's ports as they are met. */
typedef struct taken {
    kin__listing others; /* and this one as it was */
    bool is_read;
    bool ports[KIN__NODE_PORT_COUNT];
} taken;

static void taken_fini(taken *all);
KIN__DEFINE_AUTO_FINI(taken, taken_fini)

static bool is_of_type(const kin__node *spec, const char *type);
static bool has_address(const kin__node *spec);
static bool has_node_ports(const kin__node *spec);
static bool is_for_outside(const kin__node *spec);
static void drop_equal(kin__node *spec, const kin__node *old, const char *const names[]);
static bool has_same_ports(const kin__node *spec, const kin__node *old);
static void drop_ports(kin__node *spec);
static bool give_address(kin__write *write, kin__node *spec, taken *all);
static bool draw_address(kin__write *write, kin__node *spec, taken *all);
static bool is_address_taken(const kin__write *write, const taken *all, kin_str address);
static bool give_ports(kin__write *write, kin__node *spec, taken *all);
static int64_t said_port(const kin__node *port);
static int64_t old_port(const kin__node *old, const kin__node *port);
static int64_t shared_port(const kin__node *ports, const kin__node *port);
static bool has_port(const kin__node *spec, int64_t number);
static bool read_taken(const kin__write *write, taken *all);
static bool is_itself(const kin__write *write, const kin__record *service);
static void take_ports_of(const kin_object *service, taken *all);
static bool is_in_range(int64_t port);
static void take(taken *all, int64_t port);
static bool check_address(const kin__write *write, const kin__node *spec, taken *all,
                          kin__refusal *no);
static void refuse_address(const kin__node *spec, const char *why, kin__refusal *no);
static bool check_ports(const kin__write *write, const kin__node *spec, taken *all,
                        kin__refusal *no);
static const char *why_not(const kin__write *write, const kin__node *ports, const kin__node *port,
                           const taken *all);
static int64_t free_port(kin__write *write, taken *all);

bool kin__allocate(kin__write *write, kin__node *spec)
{
    static const char *const of_address[] = { "clusterIP", "clusterIPs", "ipFamilies",
                                              "ipFamilyPolicy", NULL };
    static const char *const of_balancer[] = { "allocateLoadBalancerNodePorts", "loadBalancerClass",
                                               NULL };
    static const char *const of_outside[] = { "externalTrafficPolicy", NULL };
    const kin__node *old = kin__field(write->old, "spec");
    AUTO(taken_fini) taken all = { 0 };

    if (has_address(old) && !has_address(spec)) {
        drop_equal(spec, old, of_address);
    }
    if (has_node_ports(old) && !has_node_ports(spec) && has_same_ports(spec, old)) {
        drop_ports(spec);
    }
    if (is_of_type(old, "LoadBalancer") && !is_of_type(spec, "LoadBalancer")) {
        drop_equal(spec, old, of_balancer);
    }
    if (is_for_outside(old) && !is_for_outside(spec)) {
        drop_equal(spec, old, of_outside);
    }
    return (!has_address(spec) || give_address(write, spec, &all)) &&
           (!has_node_ports(spec) || give_ports(write, spec, &all));
}

void kin__allocation_check(const kin__write *write, kin__refusal *no)
{
    const kin__node *spec = kin__field(write->object, "spec");
    AUTO(taken_fini) taken all = { 0 };

    /* The real server tells the first alone. */
    (void) (check_address(write, spec, &all, no) && check_ports(write, spec, &all, no));
}

static void taken_fini(taken *all)
{
    kin__listing_fini(&all->others);
}

static bool is_of_type(const kin__node *spec, const char *type)
{
    return kin__str_equal(kin__field_text(spec, "type"), kin_str_of(type));
}

static bool has_address(const kin__node *spec)
{
    return spec != NULL && !is_of_type(spec, "ExternalName");
}

static bool has_node_ports(const kin__node *spec)
{
    return is_of_type(spec, "NodePort") ||
           (is_of_type(spec, "LoadBalancer") &&
            kin__field_is_true(spec, "allocateLoadBalancerNodePorts"));
}

static bool is_for_outside(const kin__node *spec)
{
    const kin__node *addresses = kin__field(spec, "externalIPs");

    return is_of_type(spec, "NodePort") || is_of_type(spec, "LoadBalancer") ||
           (is_of_type(spec, "ClusterIP") && addresses != NULL && kin__node_count(addresses) > 0);
}

static void drop_equal(kin__node *spec, const kin__node *old, const char *const names[])
{
    for (size_t i = 0; old != NULL && names[i] != NULL; i++) {
        if (kin__field_equal(spec, old, names[i])) {
            kin__field_remove(spec, names[i]);
        }
    }
}

/* Whether each port on the nodes is one that the service had. */
static bool has_same_ports(const kin__node *spec, const kin__node *old)
{
    const kin__node *ports = kin__field(spec, "ports");
    kin__node_iter iter = { 0 };
    int64_t number;

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (kin__field_int64(iter.value, "nodePort", &number) && number != 0 &&
            number != old_port(old, iter.value)) {
            return false;
        }
    }
    return true;
}

static void drop_ports(kin__node *spec)
{
    const kin__node *ports = kin__field(spec, "ports");
    kin__node_iter iter = { 0 };

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (kin__node_is(iter.value, KIN_TYPE_OBJECT)) {
            kin__field_remove(iter.value, "nodePort");
        }
    }
}

static bool give_address(kin__write *write, kin__node *spec, taken *all)
{
    static const char *const given[] = { "clusterIP", "clusterIPs", "ipFamilies",
                                         "ipFamilyPolicy" };
    const kin__node *old = kin__field(write->old, "spec");

    if (kin__field_text(spec, "clusterIP").len == 0) {
        kin__field_remove(spec, "clusterIP");
    }
    for (size_t i = 0; old != NULL && i < sizeof given / sizeof given[0]; i++) {
        if (kin__field(spec, given[i]) == NULL && !kin__field_copy(spec, old, given[i])) {
            return false;
        }
    }
    if (kin__field_text(spec, "clusterIP").len == 0 && !draw_address(write, spec, all)) {
        return false;
    }
    bool is_anywhere = kin__str_equal(kin__field_text(spec, "clusterIP"), STR("None")) &&
                       kin__field(spec, "selector") == NULL;
    kin__node *addresses = kin__field_make(spec, "clusterIPs", KIN_TYPE_ARRAY);
    return addresses != NULL &&
           (kin__node_count(addresses) > 0 ||
            kin__field_append_text(addresses, kin__field_text(spec, "clusterIP"))) &&
           kin__field_default_json(spec, "ipFamilies",
                                   is_anywhere ? "[\"IPv4\",\"IPv6\"]" : "[\"IPv4\"]") &&
           kin__field_default_text(spec, "ipFamilyPolicy",
                                   is_anywhere ? "RequireDualStack" : "SingleStack");
}

/* There are a million: of some that are drawn one is free. */
static bool draw_address(kin__write *write, kin__node *spec, taken *all)
{
    char address[32];

    if (!read_taken(write, all)) {
        return false;
    }
    for (int i = 0; i < 100; i++) {
        uint32_t host = 2 + (uint32_t) kin__random_below(write->engine, (1u << HOST_BITS) - 3);
        uint32_t number = NETWORK + host;
        (void) snprintf(address, sizeof address, "%u.%u.%u.%u", number >> 24, number >> 16 & 255u,
                        number >> 8 & 255u, number & 255u);
        if (!is_address_taken(write, all, kin_str_of(address))) {
            break;
        }
    }
    return kin__field_set_text(spec, "clusterIP", kin_str_of(address));
}

static bool is_address_taken(const kin__write *write, const taken *all, kin_str address)
{
    for (size_t i = 0; i < all->others.count; i++) {
        const kin__record *service = all->others.records[i];
        kin_str other;
        kin_value has = kin_object_at(service->object, "spec.clusterIP");
        if (kin_value_str(has, NULL, 0, &other) == KIN_OK && kin__str_equal(other, address) &&
            !is_itself(write, service)) {
            return true;
        }
    }
    return false;
}

/* First those that are said or were there, so that none of them is drawn for another. */
static bool give_ports(kin__write *write, kin__node *spec, taken *all)
{
    const kin__node *old = kin__field(write->old, "spec");
    const kin__node *ports = kin__field(spec, "ports");
    kin__node_iter iter = { 0 };

    while (ports != NULL && kin__node_next(ports, &iter)) {
        int64_t number = said_port(iter.value);
        if (number == 0 && (number = old_port(old, iter.value)) != 0 &&
            !kin__field_set_int64(iter.value, "nodePort", number)) {
            return false;
        }
        take(all, number);
    }
    iter = (kin__node_iter){ 0 };
    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (!kin__node_is(iter.value, KIN_TYPE_OBJECT) || said_port(iter.value) != 0) {
            continue;
        }
        int64_t number = write->old == NULL ? shared_port(ports, iter.value) : 0;
        if (number == 0) {
            if (!read_taken(write, all)) {
                return false;
            }
            number = free_port(write, all);
        }
        if (number != 0 && !kin__field_set_int64(iter.value, "nodePort", number)) {
            return false;
        }
    }
    return true;
}

/* 0 when it says none. */
static int64_t said_port(const kin__node *port)
{
    int64_t number = 0;

    return kin__field_int64(port, "nodePort", &number) ? number : 0;
}

/* That of the same port and protocol; 0 when there is none. */
static int64_t old_port(const kin__node *old, const kin__node *port)
{
    const kin__node *ports = kin__field(old, "ports");
    kin__node_iter iter = { 0 };
    int64_t number = 0;

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (kin__field_equal(iter.value, port, "port") &&
            kin__field_equal(iter.value, port, "protocol") &&
            kin__field_int64(iter.value, "nodePort", &number)) {
            return number;
        }
    }
    return 0;
}

/* That of the same port with another protocol: a new service has one for both. */
static int64_t shared_port(const kin__node *ports, const kin__node *port)
{
    kin__node_iter iter = { 0 };

    while (kin__node_next(ports, &iter)) {
        if (iter.value != port && kin__field_equal(iter.value, port, "port") &&
            said_port(iter.value) != 0) {
            return said_port(iter.value);
        }
    }
    return 0;
}

static bool has_port(const kin__node *spec, int64_t number)
{
    const kin__node *ports = kin__field(spec, "ports");
    kin__node_iter iter = { 0 };

    while (ports != NULL && kin__node_next(ports, &iter)) {
        if (said_port(iter.value) == number) {
            return true;
        }
    }
    return false;
}

static bool read_taken(const kin__write *write, taken *all)
{
    const kin__range everywhere = { 0 };
    kin_error err;

    if (all->is_read) {
        return true;
    }
    if (kin__collection_list(write->served->collection, &everywhere, &all->others, &err) !=
        KIN_OK) {
        return false;
    }
    for (size_t i = 0; i < all->others.count; i++) {
        if (!is_itself(write, all->others.records[i])) {
            take_ports_of(all->others.records[i]->object, all);
        }
    }
    all->is_read = true;
    return true;
}

static bool is_itself(const kin__write *write, const kin__record *service)
{
    return write->before != NULL &&
           kin__str_equal(kin__record_key(write->before), kin__record_key(service));
}

static void take_ports_of(const kin_object *service, taken *all)
{
    kin_iter iter = kin_value_iter(kin_object_at(service, "spec.ports"));
    int64_t number;

    while (kin_iter_next(&iter)) {
        if (kin_value_int64(kin_value_member(iter.value, STR("nodePort")), &number) == KIN_OK) {
            take(all, number);
        }
    }
}

static bool is_in_range(int64_t port)
{
    return port >= KIN__NODE_PORT_FIRST && port < KIN__NODE_PORT_FIRST + KIN__NODE_PORT_COUNT;
}

static void take(taken *all, int64_t port)
{
    if (is_in_range(port)) {
        all->ports[port - KIN__NODE_PORT_FIRST] = true;
    }
}

/* Somewhere, and from there the first that is free; 0 when none is. */
static int64_t free_port(kin__write *write, taken *all)
{
    size_t at = (size_t) kin__random_below(write->engine, KIN__NODE_PORT_COUNT);

    for (size_t i = 0; i < KIN__NODE_PORT_COUNT; i++, at = (at + 1) % KIN__NODE_PORT_COUNT) {
        if (!all->ports[at]) {
            all->ports[at] = true;
            return KIN__NODE_PORT_FIRST + (int64_t) at;
        }
    }
    return 0;
}

/* Of an address that the service did not have before.  False when there is something wrong. */
static bool check_address(const kin__write *write, const kin__node *spec, taken *all,
                          kin__refusal *no)
{
    kin_str address = kin__field_text(spec, "clusterIP");
    char text[INET6_ADDRSTRLEN];
    struct in6_addr six;
    struct in_addr four;

    if (!has_address(spec) || kin__str_equal(address, STR("None")) ||
        kin__field_text(kin__field(write->old, "spec"), "clusterIP").len > 0) {
        return true;
    }
    (void) snprintf(text, sizeof text, "%.*s", KIN_STR_ARG(address));
    if (inet_pton(AF_INET6, text, &six) == 1) {
        return true; /* is for clusters that have such addresses */
    }
    if (inet_pton(AF_INET, text, &four) != 1) {
        kin__invalid_text(no, "spec.clusterIPs[0]", address,
                          "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        return false;
    }
    if (ntohl(four.s_addr) >> HOST_BITS != NETWORK >> HOST_BITS) {
        refuse_address(spec, "the provided network does not match the current range", no);
        return false;
    }
    if (!read_taken(write, all)) {
        return kin__refuse_no_memory(no);
    }
    if (is_address_taken(write, all, address)) {
        refuse_address(spec, "provided IP is already allocated", no);
        return false;
    }
    return true;
}

static void refuse_address(const kin__node *spec, const char *why, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf addresses = { 0 };

    if (!kin__node_append_json(kin__field(spec, "clusterIPs"), &addresses)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.clusterIPs",
                             "Invalid value: %.*s: failed to allocate IP %.*s: %s",
                             (int) addresses.len, addresses.data,
                             KIN_STR_ARG(kin__field_text(spec, "clusterIP")), why);
}

static bool check_ports(const kin__write *write, const kin__node *spec, taken *all,
                        kin__refusal *no)
{
    const kin__node *old = kin__field(write->old, "spec");
    const kin__node *ports = kin__field(spec, "ports");
    kin__node_iter iter = { 0 };
    char field[48];

    if (!is_of_type(spec, "NodePort") && !is_of_type(spec, "LoadBalancer")) {
        return true;
    }
    for (size_t i = 0; ports != NULL && kin__node_next(ports, &iter); i++) {
        int64_t number = said_port(iter.value);
        if (number == 0 || has_port(old, number)) {
            continue;
        }
        if (!read_taken(write, all)) {
            return kin__refuse_no_memory(no);
        }
        const char *why = why_not(write, ports, iter.value, all);
        if (why != NULL) {
            (void) snprintf(field, sizeof field, "spec.ports[%zu].nodePort", i);
            kin__refusal_add_invalid(no, "FieldValueInvalid", field,
                                     "Invalid value: %" PRId64 ": %s", number, why);
            return false;
        }
        take(all, number);
    }
    return true;
}

/* NULL when the service may have that port on the nodes.  One port may have it for two
 * protocols. */
static const char *why_not(const kin__write *write, const kin__node *ports, const kin__node *port,
                           const taken *all)
{
    int64_t number = said_port(port);
    kin__node_iter iter = { 0 };

    if (!is_in_range(number)) {
        return "provided port is not in the valid range. The range of valid ports is 30000-32767";
    }
    while (kin__node_next(ports, &iter) && iter.value != port) {
        if (said_port(iter.value) == number &&
            (write->old != NULL || kin__field_equal(iter.value, port, "port"))) {
            return NULL;
        }
    }
    return all->ports[number - KIN__NODE_PORT_FIRST] ? "provided port is already allocated" : NULL;
}
