/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/printer_kinds.h - the cells of certain kinds.
 *
 * Where a function writes more than one cell, it says how many.
 */
#ifndef KIN_SERVER_PRINTER_KINDS_H
#define KIN_SERVER_PRINTER_KINDS_H

#include "server/printer.h"

/* printer_pod.c */
void kin__print_pod_state(kin__printer *p); /* 3: ready, status, restarts */
void kin__print_pod_ip(kin__printer *p);
void kin__print_pod_gates(kin__printer *p);
void kin__print_pod_conditions(kin__printer *p); /* of the row */

/* printer_workload.c */
void kin__print_ready_of_desired(kin__printer *p);
void kin__print_deployment_selector(kin__printer *p);
void kin__print_job_status(kin__printer *p);
void kin__print_job_completions(kin__printer *p);
void kin__print_job_duration(kin__printer *p);
void kin__print_suspended(kin__printer *p);
void kin__print_controller(kin__printer *p);

/* printer_autoscaler.c */
void kin__print_metrics(kin__printer *p);

/* printer_network.c */
void kin__print_cluster_ip(kin__printer *p);
void kin__print_external_ip(kin__printer *p);
void kin__print_service_ports(kin__printer *p);
void kin__print_endpoints(kin__printer *p);
void kin__print_slice_ports(kin__printer *p);
void kin__print_slice_endpoints(kin__printer *p);
void kin__print_ingress_hosts(kin__printer *p);
void kin__print_load_balancer(kin__printer *p); /* the addresses at the path */
void kin__print_ingress_ports(kin__printer *p);
void kin__print_ingress_parameters(kin__printer *p);
void kin__print_ip_parent(kin__printer *p); /* 2: the parent, and an age without a column */

/* printer_core.c */
void kin__print_node_status(kin__printer *p);
void kin__print_node_roles(kin__printer *p);
void kin__print_node_kernel(kin__printer *p);
void kin__print_data_count(kin__printer *p);
void kin__print_quota(kin__printer *p);     /* 2: requests, limits */
void kin__print_component(kin__printer *p); /* 3: status, message, error */

/* printer_event.c */
void kin__print_event_last_seen(kin__printer *p);
void kin__print_event_first_seen(kin__printer *p);
void kin__print_event_object(kin__printer *p);
void kin__print_event_field(kin__printer *p);
void kin__print_event_source(kin__printer *p);
void kin__print_event_message(kin__printer *p);
void kin__print_event_count(kin__printer *p);

/* printer_storage.c */
void kin__print_volume_capacity(kin__printer *p);
void kin__print_access_modes(kin__printer *p);
void kin__print_volume_phase(kin__printer *p);
void kin__print_volume_claim(kin__printer *p);
void kin__print_volume_class(kin__printer *p);
void kin__print_claim_capacity(kin__printer *p);
void kin__print_claim_modes(kin__printer *p);
void kin__print_token_requests(kin__printer *p);
void kin__print_storage_versions(kin__printer *p);
void kin__print_migration_resource(kin__printer *p);
void kin__print_migration_status(kin__printer *p);

/* printer_access.c */
void kin__print_subjects(kin__printer *p); /* those of the kind that `otherwise` names */
void kin__print_request_duration(kin__printer *p);
void kin__print_request_condition(kin__printer *p);
void kin__print_pod_request_state(kin__printer *p);
void kin__print_param_kind(kin__printer *p);
void kin__print_param_ref(kin__printer *p);
void kin__print_api_service(kin__printer *p);
void kin__print_api_available(kin__printer *p);
void kin__print_distinguisher(kin__printer *p);
int kin__flow_schema_order(const kin_object *a, const kin_object *b);

/* printer_devices.c */
void kin__print_claim_state(kin__printer *p);
void kin__print_pool_status(kin__printer *p); /* 8: from the total of devices on */
void kin__print_group_policy(kin__printer *p);
void kin__print_group_workload(kin__printer *p);
void kin__print_group_status(kin__printer *p);

#endif /* KIN_SERVER_PRINTER_KINDS_H */
