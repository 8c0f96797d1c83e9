/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.h - the JSON libraries to compare with, as they are packaged.
 *
 *     simdjson  C++; builds a document on a tape, with the best instructions of the processor
 *     yajl      C; calls back for each value
 *     cJSON     C; builds a tree with an allocation for each value
 */
#ifndef KIN_BENCH_PEERS_H
#define KIN_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parser that is used again and again, and so keeps its memory.  NULL: no memory. */
typedef struct peer_simdjson peer_simdjson;
peer_simdjson *peer_simdjson_new(void);
void peer_simdjson_free(peer_simdjson *peer);

/* "3.0.1" and "icelake": the version, and the set of instructions that is in use. */
const char *peer_simdjson_version(void);
const char *peer_simdjson_implementation(void);

/* Parses a list into a document; returns how many items it has, 0 when it is not right.  The bytes
 * are followed by at least 64 others that may be read. */
uint64_t peer_simdjson_list(peer_simdjson *peer, const char *bytes, size_t len);

/* Parses an object; returns the length of the string called `name` in the object called `part`,
 * or 0. */
uint64_t peer_simdjson_field(peer_simdjson *peer, const char *bytes, size_t len, const char *part,
                             const char *name);

const char *peer_yajl_version(void);

/* Parses anything; returns how many objects stand `depth` containers deep, 0 when it is not
 * right. */
uint64_t peer_yajl_count(const char *bytes, size_t len, size_t depth);

const char *peer_cjson_version(void);

/* A tree, or NULL. */
void *peer_cjson_parse(const char *bytes, size_t len);
void peer_cjson_free(void *tree);

/* How many elements the member "items" has. */
uint64_t peer_cjson_items(const void *tree);

/* The length of the string called `name` in the object called `part`, or 0. */
uint64_t peer_cjson_field(const void *tree, const char *part, const char *name);

#ifdef __cplusplus
}
#endif
#endif /* KIN_BENCH_PEERS_H */
