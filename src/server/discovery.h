/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/discovery.h - what the server says it serves.
 *
 * All is compact JSON without a newline, in the order of the shelf.  Failures stay in the buffer.
 *
 * Threading: pure functions; the shelf is confined.
 */
#ifndef KIN_SERVER_DISCOVERY_H
#define KIN_SERVER_DISCOVERY_H

#include "base/buf.h"
#include "server/served.h"

/* APIVersions of /api; `address` is where the server is. */
void kin__discovery_write_versions(kin_str address, kin__buf *out);

/* APIGroupList of /apis. */
void kin__discovery_write_groups(const kin__shelf *shelf, kin__buf *out);

/* APIGroup of /apis/group; the group is there. */
void kin__discovery_write_group(const kin__shelf *shelf, kin_str group, kin__buf *out);

/* APIResourceList of /api/v1 and /apis/group/version; the version is there. */
void kin__discovery_write_resources(const kin__shelf *shelf, kin_str group, kin_str version,
                                    kin__buf *out);

/* APIGroupDiscoveryList of /api (`is_core`) or /apis, without kind and apiVersion: of these very
 * bytes the real server makes its ETag. */
void kin__discovery_write_all(const kin__shelf *shelf, bool is_core, kin__buf *out);

#endif /* KIN_SERVER_DISCOVERY_H */
