/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_network.c - the columns of services, their endpoints, and ways to them.
 */
#include "server/columns_row.h"

static const kin__column service[] = {
    COLUMN_NAME,
    COLUMN("Type", "string", "",
           "type determines how the Service is exposed. Defaults to ClusterIP. Valid options are "
           "ExternalName, ClusterIP, NodePort, and LoadBalancer. \"ClusterIP\" allocates a "
           "cluster-internal IP address for load-balancing to endpoints. Endpoints are determined "
           "by the selector or if that is not specified, by manual construction of an Endpoints "
           "object or EndpointSlice objects. If clusterIP is \"None\", no virtual IP is allocated "
           "and the endpoints are published as a set of endpoints rather than a virtual IP. "
           "\"NodePort\" builds on ClusterIP and allocates a port on every node which routes to "
           "the same endpoints as the clusterIP. \"LoadBalancer\" builds on NodePort and creates "
           "an external load-balancer (if supported in the current cloud) which routes to the same "
           "endpoints as the clusterIP. \"ExternalName\" aliases this service to the specified "
           "externalName. Several other fields do not apply to ExternalName services. More info: "
           "https://kubernetes.io/docs/concepts/services-networking/service/"
           "#publishing-services-service-types",
           0, kin__print_text, "spec.type", NULL),
    COLUMN("Cluster-IP", "string", "",
           "clusterIP is the IP address of the service and is usually assigned randomly. If an "
           "address is specified manually, is in-range (as per system configuration), and is not "
           "in use, it will be allocated to the service; otherwise creation of the service will "
           "fail. This field may not be changed through updates unless the type field is also "
           "being changed to ExternalName (which requires this field to be blank) or the type "
           "field is being changed from ExternalName (in which case this field may optionally be "
           "specified, as describe above).  Valid values are \"None\", empty string (\"\"), or a "
           "valid IP address. Setting this to \"None\" makes a \"headless service\" (no virtual "
           "IP), which is useful when direct endpoint connections are preferred and proxying is "
           "not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this "
           "field is specified when creating a Service of type ExternalName, creation will fail. "
           "This field will be wiped when updating a Service to type ExternalName. More info: "
           "https://kubernetes.io/docs/concepts/services-networking/service/"
           "#virtual-ips-and-service-proxies",
           0, kin__print_cluster_ip, NULL, NULL),
    COLUMN("External-IP", "string", "",
           "externalIPs is a list of IP addresses for which nodes in the cluster will also accept "
           "traffic for this service.  These IPs are not managed by Kubernetes.  The user is "
           "responsible for ensuring that traffic arrives at a node with this IP.  A common "
           "example is external load-balancers that are not part of the Kubernetes system.",
           0, kin__print_external_ip, NULL, NULL),
    COLUMN("Port(s)", "string", "",
           "The list of ports that are exposed by this service. More info: "
           "https://kubernetes.io/docs/concepts/services-networking/service/"
           "#virtual-ips-and-service-proxies",
           0, kin__print_service_ports, NULL, NULL),
    COLUMN_AGE,
    COLUMN("Selector", "string", "",
           "Route service traffic to pods with label keys and values matching this selector. If "
           "empty or not present, the service is assumed to have an external process managing its "
           "endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, "
           "NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: "
           "https://kubernetes.io/docs/concepts/services-networking/service/",
           1, kin__print_labels, "spec.selector", NULL),
};

static const kin__column endpoints[] = {
    COLUMN_NAME,
    COLUMN("Endpoints", "string", "",
           "The set of all endpoints is the union of all subsets. Addresses are placed into "
           "subsets according to the IPs they share. A single address with multiple ports, some of "
           "which are ready and some of which are not (because they come from different "
           "containers) will result in the address being displayed in different subsets for the "
           "different ports. No address will appear in both Addresses and NotReadyAddresses in the "
           "same subset. Sets of addresses and ports that comprise a service.",
           0, kin__print_endpoints, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column endpoint_slice[] = {
    COLUMN_NAME,
    COLUMN("AddressType", "string", "",
           "addressType specifies the type of address carried by this EndpointSlice. All addresses "
           "in this slice must be the same type. This field is immutable after creation. The "
           "following address types are currently supported: * IPv4: Represents an IPv4 Address. * "
           "IPv6: Represents an IPv6 Address. * FQDN: Represents a Fully Qualified Domain Name. "
           "(Deprecated) The EndpointSlice controller only generates, and kube-proxy only "
           "processes, slices of addressType \"IPv4\" and \"IPv6\". No semantics are defined for "
           "the \"FQDN\" type.",
           0, kin__print_text, "addressType", NULL),
    COLUMN("Ports", "string", "",
           "ports specifies the list of network ports exposed by each endpoint in this slice. Each "
           "port must have a unique name. Each slice may include a maximum of 100 ports. Services "
           "always have at least 1 port, so EndpointSlices generated by the EndpointSlice "
           "controller will likewise always have at least 1 port. EndpointSlices used for other "
           "purposes may have an empty ports list.",
           0, kin__print_slice_ports, NULL, NULL),
    COLUMN("Endpoints", "string", "",
           "endpoints is a list of unique endpoints in this slice. Each slice may include a "
           "maximum of 1000 endpoints.",
           0, kin__print_slice_endpoints, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column ingress[] = {
    COLUMN_NAME,
    COLUMN("Class", "string", "",
           "The name of the IngressClass resource that should be used for additional configuration",
           0, kin__print_text, "spec.ingressClassName", "<none>"),
    COLUMN("Hosts", "string", "",
           "Hosts that incoming requests are matched against before the ingress rule", 0,
           kin__print_ingress_hosts, NULL, NULL),
    COLUMN("Address", "string", "",
           "Address is a list containing ingress points for the load-balancer", 0,
           kin__print_load_balancer, "status.loadBalancer.ingress", NULL),
    COLUMN("Ports", "string", "", "Ports of TLS configurations that open", 0,
           kin__print_ingress_ports, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column ingress_class[] = {
    COLUMN("Name", "string", "name", DESCRIBES_NAME, 0, kin__print_default_name,
           "ingressclass.kubernetes.io/is-default-class", NULL),
    COLUMN("Controller", "string", "", "Controller that is responsible for handling this class", 0,
           kin__print_text, "spec.controller", NULL),
    COLUMN("Parameters", "string", "", "A reference to a resource with additional parameters", 0,
           kin__print_ingress_parameters, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column network_policy[] = {
    COLUMN_NAME,
    COLUMN("Pod-Selector", "string", "",
           "podSelector selects the pods to which this NetworkPolicy object applies. The array of "
           "rules is applied to any pods selected by this field. An empty selector matches all "
           "pods in the policy's namespace. Multiple network policies can select the same set of "
           "pods. In this case, the ingress rules for each are combined additively. This field is "
           "optional. If it is not specified, it defaults to an empty selector.",
           0, kin__print_selector, "spec.podSelector", NULL),
    COLUMN_AGE,
};

static const kin__column service_cidr[] = {
    COLUMN_NAME,
    COLUMN("CIDRs", "string", "",
           "CIDRs defines the IP blocks in CIDR notation (e.g. \"192.168.0.0/24\" or "
           "\"2001:db8::/64\") from which to assign service cluster IPs. Max of two CIDRs is "
           "allowed, one of each IP family. This field is immutable.",
           0, kin__print_list, "spec.cidrs", NULL),
    COLUMN_AGE,
};

static const kin__column ip_address[] = {
    COLUMN_NAME,
    COLUMN("ParentRef", "string", "",
           "ParentRef references the resource that an IPAddress is attached to. An IPAddress must "
           "reference a parent object.",
           0, kin__print_ip_parent, NULL, NULL),
};

static const kin__columns kinds[] = {
    { KIND("", "Service", service) },
    { KIND("", "Endpoints", endpoints) },
    { KIND("discovery.k8s.io", "EndpointSlice", endpoint_slice) },
    { KIND("networking.k8s.io", "Ingress", ingress) },
    { KIND("networking.k8s.io", "IngressClass", ingress_class) },
    { KIND("networking.k8s.io", "NetworkPolicy", network_policy) },
    { KIND("networking.k8s.io", "ServiceCIDR", service_cidr) },
    { KIND("networking.k8s.io", "IPAddress", ip_address) },
};

const kin__columns_set kin__columns_network = { kinds, sizeof kinds / sizeof kinds[0] };
