/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/params.h - the parameters of a request.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_PARAMS_H
#define KIN_SERVER_PARAMS_H

#include "server/deeds.h"
#include "server/refusal.h"

typedef enum kin__tristate { KIN__UNSET, KIN__FALSE, KIN__TRUE } kin__tristate;

/* All that any verb knows.  Texts lie in `words`, terminated; NULL: absent. */
typedef struct kin__params {
    const char *label_selector;
    const char *field_selector;
    const char *resource_version;
    const char *resource_version_match;
    const char *continue_token;
    const char *include_object; /* of Tables */
    const char *dry_run;        /* the first value */
    bool has_dry_run;
    const char *field_manager;
    const char *field_validation;
    const char *propagation_policy;
    const char *uid; /* of deletions: a precondition, as resource_version is then */
    bool watch;
    bool allow_watch_bookmarks;
    kin__tristate send_initial_events;
    kin__tristate pretty;
    kin__tristate orphan_dependents;
    kin__tristate force;
    bool has_limit, has_timeout_seconds, has_grace_period;
    int64_t limit;
    int64_t timeout_seconds;
    int64_t grace_period_seconds;
    kin__buf words;
    kin__buf narrowed; /* where kin__params_narrow() has put the field selector */
} kin__params;

/*
 * Parameters that come twice: the first counts; unknown ones are ignored.  Booleans are true but
 * for "0" and "false" (`pretty` is Go's own: true for 1, t, true; unset when empty).  False with
 * 400 in Go's words for numbers that are none, of parameters that the deed has: limit and
 * timeoutSeconds of lists, watches and collections that are deleted, gracePeriodSeconds of
 * deletions.  Others that are no numbers are as if they were not there.
 */
bool kin__params_read(kin__deed deed, kin_str query, kin__params *out, kin__refusal *no);
void kin__params_fini(kin__params *params);
KIN__DEFINE_AUTO_FINI(kin__params, kin__params_fini)

/* `pretty` alone, for requests that are refused before their parameters are read. */
kin__tristate kin__params_pretty(kin_str query);

/* Adds metadata.name=`name` to the field selector: for the old paths /watch/.../name, which watch
 * one object. */
bool kin__params_narrow(kin__params *params, kin_str name, kin__refusal *no);

/* `text` as strconv.ParseInt(text, 10, 64) reads it; false with 400 and its error text. */
bool kin__params_parse_int(kin_str text, int64_t *out, kin__refusal *no);

#endif /* KIN_SERVER_PARAMS_H */
