/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/model.h - a cluster as few numbers as will do: its JSON is written anew each time.
 *
 * Things are elements of arrays and know each other by index; KIN__SIM_NONE is nobody.  Pods and
 * replica sets have a fixed number of places, because a cluster keeps within limits; places that
 * are free are a list.  So nothing but a new endpoint slice needs memory once the cluster stands.
 *
 * Here is only what is there and how it hangs together.  How it comes about is told by fill.h,
 * change.h, rollout.h and pod_life.h, how it looks by render.h.
 *
 * Threading: confined.
 */
#ifndef KIN_SIMULATE_MODEL_H
#define KIN_SIMULATE_MODEL_H

#include "kin/testing/simulation.h"
#include "simulate/names.h"
#include "simulate/words.h"

#define KIN__SIM_NONE UINT32_MAX
#define KIN__SIM_SLICE_ENDPOINTS 100         /* what kube-controller-manager puts into one */
#define KIN__SIM_HISTORY 2                   /* old replica sets of a deployment that are kept */
#define KIN__SIM_SETS (KIN__SIM_HISTORY + 2) /* beside the new one, and the one that goes next */
#define KIN__SIM_EVENT_NAME_SIZE 104

typedef enum kin__sim_stage {
    KIN__SIM_FREE = 0,      /* the place is */
    KIN__SIM_CREATED,       /* not scheduled yet */
    KIN__SIM_UNSCHEDULABLE, /* no node would have it, for the moment */
    KIN__SIM_SCHEDULED,
    KIN__SIM_STARTING, /* ContainerCreating */
    KIN__SIM_RUNNING,  /* and not ready */
    KIN__SIM_READY,
    KIN__SIM_CRASHED, /* CrashLoopBackOff */
    KIN__SIM_STOPPED  /* its containers have ended, because it is being deleted */
} kin__sim_stage;

typedef struct kin__sim_pod {
    kin__sim_uid uid;
    int64_t created_s;
    int64_t scheduled_s;
    int64_t started_s; /* its container, the last time */
    int64_t changed_s; /* when it last got ready or ceased to be, or its stage changed */
    int64_t crashed_s; /* the last time; 0: never */
    int64_t deleted_s; /* when it was asked to go; 0: it was not */
    uint32_t set;
    uint32_t next; /* of its set, the younger first; or of the free ones */
    uint32_t previous;
    uint32_t node;    /* NONE: not scheduled */
    uint32_t address; /* among those of its node; 0: none yet */
    uint32_t slice;   /* NONE: in none */
    uint32_t restarts;
    uint8_t stage;
    bool has_waited; /* was unschedulable at first */
    bool is_queued;
    char suffix[KIN__SIM_SUFFIX_LEN + 1];
} kin__sim_pod;

/* The pods of a replica set, or of all those of a deployment. */
typedef struct kin__sim_tally {
    uint32_t replicas; /* that are not being deleted */
    uint32_t ready;
    uint32_t terminating;
} kin__sim_tally;

typedef struct kin__sim_set {
    kin__sim_uid uid;
    int64_t created_s;
    int64_t spec_s;   /* when its spec was last written */
    int64_t status_s; /* when its status was; 0: never */
    uint32_t deployment;
    uint32_t next; /* of its deployment, the newer first; or of the free ones */
    uint32_t first_pod;
    uint32_t version; /* of the deployment's template; it is its revision as well */
    uint32_t replicas;
    uint32_t generation;
    uint32_t observed_generation;
    kin__sim_tally status; /* as it was last written */
    bool is_used;
    bool is_queued;
} kin__sim_set;

/* A deployment, its service and its config map. */
typedef struct kin__sim_deployment {
    kin__sim_uid uid;
    kin__sim_uid service_uid;
    kin__sim_uid config_uid;
    int64_t created_s;
    int64_t spec_s;
    int64_t status_s;
    int64_t available_s; /* when it last became so, or ceased to be */
    int64_t config_s;
    uint32_t ns;
    uint32_t first_set;
    uint32_t first_slice;
    uint32_t replicas;
    uint32_t version; /* of its template, from 1 */
    uint32_t generation;
    uint32_t observed_generation;
    uint32_t updated; /* of its status, as it was last written */
    kin__sim_tally status;
    uint32_t config_revision;
    uint32_t surge;    /* not 0 while it rolls out: pods it may have too many, or too few */
    uint16_t port;     /* of its container */
    uint8_t size;      /* of its container: which of some requests for resources */
    bool is_available; /* by the condition that was last written */
    bool is_queued;
    char name[KIN__SIM_APP_SIZE];
} kin__sim_deployment;

typedef struct kin__sim_slice {
    kin__sim_uid uid;
    int64_t created_s;
    int64_t changed_s;
    uint32_t deployment;
    uint32_t next; /* of its deployment */
    uint32_t endpoints;
    uint32_t generation;
    bool is_queued;
    char suffix[KIN__SIM_SUFFIX_LEN + 1];
} kin__sim_slice;

typedef struct kin__sim_node {
    kin__sim_uid uid;
    kin__sim_uid lease_uid;
    int64_t created_s;
    int64_t heartbeat_s; /* of its conditions */
    int64_t renewed_us;  /* its lease */
    uint32_t pods;
    uint32_t last_address; /* that it gave to a pod */
} kin__sim_node;

typedef struct kin__sim_namespace {
    kin__sim_uid uid;
    int64_t created_s;
    char name[KIN__SIM_NAMESPACE_SIZE];
} kin__sim_namespace;

/* An event that is in the server, and goes when it is the oldest of too many. */
typedef struct kin__sim_event {
    uint32_t ns; /* NONE: default, as for those of nodes */
    char name[KIN__SIM_EVENT_NAME_SIZE];
} kin__sim_event;

typedef struct kin__sim_model {
    uint64_t seed_state;
    int64_t now_us;
    uint32_t wanted; /* pods, as the options have it */
    uint32_t pods_min;
    uint32_t pods_max;
    uint32_t replicas_min; /* of all deployments together */
    uint32_t replicas_max;
    uint32_t surge_max;

    kin__sim_namespace *namespaces; /* arrays are owned */
    uint32_t namespace_count;
    kin__sim_node *nodes;
    uint32_t node_count;
    kin__sim_deployment *deployments;
    uint32_t deployment_count;
    kin__sim_set *sets;
    uint32_t set_places;
    uint32_t set_count;
    uint32_t free_set;
    kin__sim_pod *pods;
    uint32_t pod_places; /* pods_max */
    uint32_t pod_count;
    uint32_t free_pod;
    kin__sim_slice *slices;
    uint32_t slice_count;
    uint32_t slice_capacity;
    kin__sim_event *events; /* a ring */
    uint32_t event_first;
    uint32_t event_count;
    uint32_t event_max;
    uint64_t *taken_addresses; /* bits: of each node 1 << address_bits */
    uint32_t address_bits;
    uint32_t replicas; /* of all deployments, wanted */
    uint32_t surge;    /* of all that roll out */
} kin__sim_model;

/* Places for `deployments` with their sets, and for pods up to the limit that follows from
 * options->pods.  `options` has no zeros where they mean a default. */
kin_err kin__sim_model_init(kin__sim_model *model, const kin_simulation_options *options,
                            uint32_t namespaces, uint32_t deployments,
                            kin_error *err) KIN_MUST_CHECK;
void kin__sim_model_fini(kin__sim_model *model);

static inline int64_t kin__sim_now_s(const kin__sim_model *model)
{
    return model->now_us / 1000000;
}

kin__sim_uid kin__sim_uid_draw(uint64_t *state);

/* A set of `deployment` for its version, with no pods; NONE when all places are taken. */
uint32_t kin__sim_set_add(kin__sim_model *model, uint32_t deployment, uint32_t version);

/* It has no pods. */
void kin__sim_set_drop(kin__sim_model *model, uint32_t set);

/* A pod of `set`, with a name and a uid of its own; NONE when all places are taken. */
uint32_t kin__sim_pod_add(kin__sim_model *model, uint32_t set);
void kin__sim_pod_drop(kin__sim_model *model, uint32_t pod);

/* Chooses a node for it: the emptier one of two. */
void kin__sim_pod_place(kin__sim_model *model, uint32_t pod);

/* An address on its node. */
void kin__sim_pod_address(kin__sim_model *model, uint32_t pod);

/* Into a slice of its deployment's service that has room, or into a new one. */
kin_err kin__sim_slice_join(kin__sim_model *model, uint32_t pod, kin_error *err) KIN_MUST_CHECK;
void kin__sim_slice_leave(kin__sim_model *model, uint32_t pod);

/* As the set's pods are now. */
kin__sim_tally kin__sim_set_tally(const kin__sim_model *model, uint32_t set);

/* The set of the deployment's present version; NONE: it is not made yet. */
uint32_t kin__sim_current_set(const kin__sim_model *model, uint32_t deployment);

static inline bool kin__sim_pod_is_ready(const kin__sim_pod *pod)
{
    return pod->stage == KIN__SIM_READY && pod->deleted_s == 0;
}

#endif /* KIN_SIMULATE_MODEL_H */
