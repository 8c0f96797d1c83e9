/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/prometheus.h - the words of the Prometheus text format, version 0.0.4.
 *
 * The appending functions leave it to the buffer to remember that there was no memory.
 */
#ifndef KIN_BASE_PROMETHEUS_H
#define KIN_BASE_PROMETHEUS_H

#include "base/buf.h"

/* [a-zA-Z_:][a-zA-Z0-9_:]* */
bool kin__prometheus_is_metric_name(const char *name);

/* [a-zA-Z_][a-zA-Z0-9_]*, and not one of Prometheus' own, which begin with "__". */
bool kin__prometheus_is_label_name(const char *name);

/* The lines "# HELP" and "# TYPE". */
void kin__prometheus_append_head(kin__buf *buf, const char *name, const char *type,
                                 const char *help);

/* name="value", with `value` escaped. */
void kin__prometheus_append_label(kin__buf *buf, const char *name, const char *value);

/* A decimal number of seconds, exact and without superfluous zeros: "0.005", "60", "-1.5". */
void kin__prometheus_append_seconds(kin__buf *buf, bool is_negative, uint64_t nanoseconds);

#endif /* KIN_BASE_PROMETHEUS_H */
