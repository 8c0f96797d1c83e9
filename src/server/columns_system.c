/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_system.c - the columns of what the cluster itself needs: leases, priorities, flows, API
 * services.
 */
#include "server/columns_row.h"

static const kin__column api_service[] = {
    COLUMN_NAME,
    COLUMN("Service", "string", "", "The reference to the service that hosts this API endpoint.", 0,
           kin__print_api_service, NULL, NULL),
    COLUMN("Available", "string", "", "Whether this service is available.", 0,
           kin__print_api_available, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column lease[] = {
    COLUMN_NAME,
    COLUMN("Holder", "string", "",
           "holderIdentity contains the identity of the holder of a current lease. If Coordinated "
           "Leader Election is used, the holder identity must be equal to the elected "
           "LeaseCandidate.metadata.name field.",
           0, kin__print_text, "spec.holderIdentity", NULL),
    COLUMN_AGE,
};

static const kin__column lease_candidate[] = {
    COLUMN_NAME,
    COLUMN("LeaseName", "string", "",
           "LeaseName is the name of the lease for which this candidate is contending. This field "
           "is immutable.",
           0, kin__print_text, "spec.leaseName", NULL),
    COLUMN("BinaryVersion", "string", "", "", 0, kin__print_text, "spec.binaryVersion", NULL),
    COLUMN("EmulationVersion", "string", "", "", 0, kin__print_text, "spec.emulationVersion", NULL),
    COLUMN_AGE,
};

static const kin__column priority_class[] = {
    COLUMN_NAME,
    COLUMN("Value", "integer", "",
           "value represents the integer value of this priority class. This is the actual priority "
           "that pods receive when they have the name of this class in their pod spec.",
           0, kin__print_number, "value", NULL),
    COLUMN("Global-Default", "boolean", "",
           "globalDefault specifies whether this PriorityClass should be considered as the default "
           "priority for pods that do not have any priority class. Only one PriorityClass can be "
           "marked as `globalDefault`. However, if more than one PriorityClasses exists with their "
           "`globalDefault` field set to true, the smallest value of such global default "
           "PriorityClasses will be used as the default priority.",
           0, kin__print_flag, "globalDefault", NULL),
    COLUMN_AGE,
    COLUMN("PreemptionPolicy", "string", "",
           "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, "
           "PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
           0, kin__print_text, "preemptionPolicy", NULL),
};

static const kin__column workload[] = {
    COLUMN_NAME,
    COLUMN_AGE,
};

static const kin__column pod_group[] = {
    COLUMN_NAME,
    COLUMN("Policy", "string", "",
           "SchedulingPolicy defines the scheduling policy for this instance of the PodGroup. "
           "Controllers are expected to fill this field by copying it from a PodGroupTemplate. "
           "This field is immutable.",
           0, kin__print_group_policy, NULL, NULL),
    COLUMN("Workload", "string", "", "Name of the referenced Workload object", 0,
           kin__print_group_workload, NULL, NULL),
    COLUMN("Status", "string", "", "Status of the PodGroup", 0, kin__print_group_status, NULL,
           NULL),
    COLUMN_AGE,
};

static const kin__column runtime_class[] = {
    COLUMN_NAME,
    COLUMN("Handler", "string", "", "", 0, kin__print_text, "handler", NULL),
    COLUMN_AGE,
};

static const kin__column flow_schema[] = {
    COLUMN_NAME,
    COLUMN("PriorityLevel", "string", "",
           "`name` is the name of the priority level configuration being referenced Required.", 0,
           kin__print_text, "spec.priorityLevelConfiguration.name", NULL),
    COLUMN("MatchingPrecedence", "string", "",
           "`matchingPrecedence` is used to choose among the FlowSchemas that match a given "
           "request. The chosen FlowSchema is among those with the numerically lowest (which we "
           "take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must "
           "be ranged in [1,10000]. Note that if the precedence is not specified, it will be set "
           "to 1000 as default.",
           0, kin__print_number, "spec.matchingPrecedence", NULL),
    COLUMN("DistinguisherMethod", "string", "",
           "`distinguisherMethod` defines how to compute the flow distinguisher for requests that "
           "match this schema. `nil` specifies that the distinguisher is disabled and thus will "
           "always be the empty string.",
           0, kin__print_distinguisher, NULL, NULL),
    COLUMN_AGE,
    COLUMN("MissingPL", "string", "",
           "references a broken or non-existent PriorityLevelConfiguration", 0, kin__print_text,
           "status.conditions[?type==\"Dangling\"].status", "?"),
};

static const kin__column priority_level_configuration[] = {
    COLUMN_NAME,
    COLUMN("Type", "string", "",
           "`type` indicates whether this priority level is subject to limitation on request "
           "execution.  A value of `\"Exempt\"` means that requests of this priority level are not "
           "subject to a limit (and thus are never queued) and do not detract from the capacity "
           "made available to other priority levels.  A value of `\"Limited\"` means that (a) "
           "requests of this priority level _are_ subject to limits and (b) some of the server's "
           "limited capacity is made available exclusively to this priority level. Required.",
           0, kin__print_text, "spec.type", NULL),
    COLUMN("NominalConcurrencyShares", "string", "",
           "`nominalConcurrencyShares` (NCS) contributes to the computation of the "
           "NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution "
           "seats available at this priority level. This is used both for requests dispatched from "
           "this priority level as well as requests dispatched from other priority levels "
           "borrowing seats from this level. The server's concurrency limit (ServerCL) is divided "
           "among the Limited priority levels in proportion to their NCS values:\n\nNominalCL(i)  "
           "= ceil( ServerCL * NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)\n\nBigger "
           "numbers mean a larger nominal concurrency limit, at the expense of every other "
           "priority level.\n\nIf not specified, this field defaults to a value of 30.\n\nSetting "
           "this field to zero supports the construction of a \"jail\" for this priority level "
           "that is used to hold some request(s)",
           0, kin__print_number_or, "spec.limited.nominalConcurrencyShares", "<none>"),
    COLUMN("Queues", "string", "",
           "`queues` is the number of queues for this priority level. The queues exist "
           "independently at each apiserver. The value must be positive.  Setting it to 1 "
           "effectively precludes shufflesharding and thus makes the distinguisher method of "
           "associated flow schemas irrelevant.  This field has a default value of 64.",
           0, kin__print_number_or, "spec.limited.limitResponse.queuing.queues", "<none>"),
    COLUMN("HandSize", "string", "",
           "`handSize` is a small positive number that configures the shuffle sharding of requests "
           "into queues.  When enqueuing a request at this priority level the request's flow "
           "identifier (a string pair) is hashed and the hash value is used to shuffle the list of "
           "queues and deal a hand of the size specified here.  The request is put into one of the "
           "shortest queues in that hand. `handSize` must be no larger than `queues`, and should "
           "be significantly smaller (so that a few heavy flows do not saturate most of the "
           "queues).  See the user-facing documentation for more extensive guidance on setting "
           "this field.  This field has a default value of 8.",
           0, kin__print_number_or, "spec.limited.limitResponse.queuing.handSize", "<none>"),
    COLUMN("QueueLengthLimit", "string", "",
           "`queueLengthLimit` is the maximum number of requests allowed to be waiting in a given "
           "queue of this priority level at a time; excess requests are rejected.  This value must "
           "be positive.  If not specified, it will be defaulted to 50.",
           0, kin__print_number_or, "spec.limited.limitResponse.queuing.queueLengthLimit",
           "<none>"),
    COLUMN_AGE,
};

static const kin__columns kinds[] = {
    { KIND("apiregistration.k8s.io", "APIService", api_service), .is_repeated = true },
    { KIND("coordination.k8s.io", "Lease", lease) },
    { KIND("coordination.k8s.io", "LeaseCandidate", lease_candidate) },
    { KIND("scheduling.k8s.io", "PriorityClass", priority_class) },
    { KIND("scheduling.k8s.io", "Workload", workload) },
    { KIND("scheduling.k8s.io", "PodGroup", pod_group) },
    { KIND("node.k8s.io", "RuntimeClass", runtime_class) },
    { KIND("flowcontrol.apiserver.k8s.io", "FlowSchema", flow_schema),
      .order = kin__flow_schema_order },
    { KIND("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration",
           priority_level_configuration) },
};

const kin__columns_set kin__columns_system = { kinds, sizeof kinds / sizeof kinds[0] };
