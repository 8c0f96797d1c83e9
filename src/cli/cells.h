/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cells.h - cells that have to be worked out of several fields.
 *
 * Each appends what the API server would show in that place of its table.  `now` is in seconds
 * since 1970.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CLI_CELLS_H
#define KIN_CLI_CELLS_H

#include "cli/text.h"
#include "kin/object.h"

#define KIN__CLI_CELL(name)                                                                        \
    void kin__cli_cell_##name(const kin_object *object, int64_t now, kin__cli_text *out)

KIN__CLI_CELL(name);
KIN__CLI_CELL(age);

/* pod_cells.c */
KIN__CLI_CELL(pod_ready);
KIN__CLI_CELL(pod_status);
KIN__CLI_CELL(pod_restarts);

/* workload_cells.c */
KIN__CLI_CELL(ready_of_replicas);
KIN__CLI_CELL(job_status);
KIN__CLI_CELL(job_completions);
KIN__CLI_CELL(job_duration);
KIN__CLI_CELL(node_selector);
KIN__CLI_CELL(cron_suspend);
KIN__CLI_CELL(cron_active);
KIN__CLI_CELL(cron_last);

/* cells.c */
KIN__CLI_CELL(node_status);
KIN__CLI_CELL(node_roles);
KIN__CLI_CELL(service_external);
KIN__CLI_CELL(service_ports);
KIN__CLI_CELL(data_count);
KIN__CLI_CELL(access_modes);
KIN__CLI_CELL(claim_status);
KIN__CLI_CELL(volume_claim);
KIN__CLI_CELL(event_seen);
KIN__CLI_CELL(event_object);
KIN__CLI_CELL(role_reference);

/* ---- what they are made of --------------------------------------------------------------- */

/* The text of a string, number or bool; JSON of an array or object; nothing of what is missing or
 * null.  True when there was something. */
bool kin__cli_value_show(kin_value value, kin__cli_text *out);

/* Of what is missing, of another type, or written with escapes (as no word of the API is): "", 0,
 * false. */
kin_str kin__cli_str_at(kin_value value, const char *path);
int64_t kin__cli_number_at(kin_value value, const char *path);
bool kin__cli_bool_at(kin_value value, const char *path);

/* How long ago, as ages are shown; false when there is no time. */
bool kin__cli_show_since(kin_value time, int64_t now, kin__cli_text *out);

/* What the condition of that type says: "True", or "" when there is none. */
kin_str kin__cli_condition(const kin_object *object, const char *type);

#endif /* KIN_CLI_CELLS_H */
