/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/go_type.h - the Go types behind the tables, by the names that a real server's messages
 * use.
 *
 * Threading: immutable.
 */
#ifndef KIN_SERVER_GO_TYPE_H
#define KIN_SERVER_GO_TYPE_H

#include "base/buf.h"
#include "proto/schema.h"

/* "v1.PodSpec"; empty when there is none. */
kin_str kin__go_type(kin__pb_message message);

/* The same without its package: "PodSpec". */
kin_str kin__go_struct(kin__pb_message message);

/* Appends the type of a single value of a row of `owner`: "v1.RestartPolicy", "int32",
 * "v1.Container". */
void kin__go_append_element(kin__pb_message owner, const kin__pb_row *row, kin__buf *buf);

/* Appends the type of the row's field, pointers aside: "[]v1.Container", "map[string]string",
 * "v1.ResourceList". */
void kin__go_append_field(kin__pb_message owner, const kin__pb_row *row, kin__buf *buf);

#endif /* KIN_SERVER_GO_TYPE_H */
