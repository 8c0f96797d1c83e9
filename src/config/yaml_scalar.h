/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/yaml_scalar.h - what a plain YAML scalar means: text, a number, true, false, nothing.
 *
 * As kubectl's reader takes it (go-yaml 2: resolve.go): YAML 1.1, so that "yes", "off" and "0x1f"
 * are no text, and a time is.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONFIG_YAML_SCALAR_H
#define KIN_CONFIG_YAML_SCALAR_H

#include "json/writer.h"
#include "kin/common.h"

typedef enum kin__yaml_type {
    KIN__YAML_NULL,
    KIN__YAML_BOOL,
    KIN__YAML_NUMBER,
    KIN__YAML_STRING,
    KIN__YAML_LIST,
    KIN__YAML_MAP
} kin__yaml_type;

/* Of a scalar without quotes and tag. */
kin__yaml_type kin__yaml_plain_type(kin_str text);

/* Of a KIN__YAML_BOOL. */
bool kin__yaml_plain_bool(kin_str text);

/* Writes a KIN__YAML_NUMBER; false when JSON has no such number (.inf, .nan). */
bool kin__yaml_plain_number(kin_str text, kin__json_writer *w);

#endif /* KIN_CONFIG_YAML_SCALAR_H */
