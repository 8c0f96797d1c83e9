/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - the parts of the benchmark.
 *
 * Each prints a line for each case and notes the promised figures (measure.h).
 */
#ifndef KIN_BENCH_BENCH_H
#define KIN_BENCH_BENCH_H

#include "kin/object.h"
#include "pods.h"

/* Going through the list, beside other JSON libraries. */
void bench_json(const bench_pods *pods);

/* Making objects of the list, beside copying the same bytes; and their memory. */
void bench_objects(const bench_pods *pods);

/* Reading a field, and matching labels. */
void bench_fields(const bench_pods *pods);
void bench_selectors(const bench_pods *pods);

/* The same pods as protobuf: making objects, reading a field, writing JSON. */
void bench_proto(const bench_pods *pods);

/* Reading and writing a store. */
void bench_store(const bench_pods *pods);

/* Keys through a work queue. */
void bench_queue(const bench_pods *pods);

/* The embedded API server: lists, watches, delays, starts. */
void bench_server(const bench_pods *pods);

/* Makes an object of every pod, through `mask` (NULL: none), from chunks of `chunk` bytes (0: all
 * at once); returns how many.  `out` has room for all. */
size_t bench_make_objects(const bench_pods *pods, const kin_mask *mask, size_t chunk,
                          kin_object **out);
void bench_drop_objects(kin_object **objects, size_t count);

/* The objects of all pods, whole; release with bench_drop_objects() and kin__free(). */
kin_object **bench_whole_objects(const bench_pods *pods);

#endif /* KIN_BENCH_BENCH_H */
