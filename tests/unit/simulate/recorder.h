/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - a sink that keeps what it is given, and looks at it.
 *
 * Each object that comes must be JSON as the API server writes it: it is made protobuf by the
 * tables of the API and JSON again, and has to be the same bytes.  What is put must have no other
 * uid than what it replaces, and what is removed must be there.
 */
#ifndef TESTS_UNIT_SIMULATE_RECORDER_H
#define TESTS_UNIT_SIMULATE_RECORDER_H

#include "base/map.h"
#include "kin/object.h"
#include "kin/testing/simulation.h"
#include "simulate/sink.h"

typedef struct recorder {
    kin__map objects; /* "Pod shop/cart-api-...": kin_object, owned */
    uint64_t digest;  /* of all calls in their order */
    size_t calls;
    size_t pod_puts;
    size_t pod_bytes;
    size_t lease_puts;
    bool is_careless; /* takes objects as they come, and keeps none */
    size_t fails_at;  /* the call that fails with SERVER; 0: none */
} recorder;

kin__sink recorder_sink(recorder *self);
void recorder_fini(recorder *self);
KIN__DEFINE_AUTO_FINI(recorder, recorder_fini)

/* NULL when it is not there.  An empty `ns` for what has none. */
const kin_object *recorder_get(const recorder *self, const char *kind, kin_str ns, kin_str name);

/* How many of a kind are there. */
size_t recorder_count(const recorder *self, const char *kind);

/* Who is named is there: owners with their uids, nodes, services. */
void recorder_check_references(const recorder *self);

/* Counts add up, and slices list the ready pods: after a settle. */
void recorder_check_counts(const recorder *self);

/* A member as text or number; fails the test when it is not there. */
kin_str text_at(const kin_object *object, const char *path);
int64_t number_at(const kin_object *object, const char *path);
/* 0 when it is not there. */
int64_t count_at(const kin_object *object, const char *path);

/* Options without a zero, as a cluster wants them. */
kin_simulation_options options_of(uint32_t pods, uint32_t nodes, uint64_t seed);

/* Memory of the layer from the library's allocator, so that it is counted and can fail. */
void use_counted_memory(void);

#endif /* TESTS_UNIT_SIMULATE_RECORDER_H */
