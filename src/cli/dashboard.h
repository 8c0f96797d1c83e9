/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/dashboard.h - the page that the demo shows: what informers know, and what happened last.
 *
 * Threading: confined.
 */
#ifndef KIN_CLI_DASHBOARD_H
#define KIN_CLI_DASHBOARD_H

#include "cli/text.h"
#include "kin/store.h"

#define KIN__CLI_DASHBOARD_RESOURCES 3
#define KIN__CLI_DASHBOARD_LAST 10

/* How one informer stands. */
typedef struct kin__cli_dashboard_resource {
    const char *name;
    const char *state;
    uint64_t objects;
    uint64_t bytes;   /* of objects and store */
    uint64_t changes; /* told since the beginning, the initial objects left out */
} kin__cli_dashboard_resource;

typedef struct kin__cli_dashboard {
    const char *title;
    kin__cli_dashboard_resource resources[KIN__CLI_DASHBOARD_RESOURCES];
    int64_t elapsed_ms;
    int64_t duration_ms; /* 0: until Ctrl-C */
    int64_t lag_us;      /* from a write in the server to a handler, the last; -1: not known */
    int64_t longest_lag_us;
    uint64_t resident_bytes;

    kin__cli_text last[KIN__CLI_DASHBOARD_LAST]; /* changes, a ring */
    size_t last_count;                           /* ever */
} kin__cli_dashboard;

void kin__cli_dashboard_fini(kin__cli_dashboard *dashboard);

/* A line for a change; it pushes out the oldest. */
void kin__cli_dashboard_tell(kin__cli_dashboard *dashboard, kin_str line);

/* The whole page.  `pods`: what is counted by namespace and phase; NULL: nothing. */
void kin__cli_dashboard_show(const kin__cli_dashboard *dashboard, const kin_view *pods,
                             kin__cli_text *out);

/* The same on one line. */
void kin__cli_dashboard_summarize(const kin__cli_dashboard *dashboard, kin__cli_text *out);

/* "14 MB", "310 KB". */
void kin__cli_dashboard_show_bytes(uint64_t bytes, kin__cli_text *out);

#endif /* KIN_CLI_DASHBOARD_H */
