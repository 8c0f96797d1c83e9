/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_options.c - which options of a list or watch go together.
 *
 * Order and words are those of kube-apiserver 1.36: selectors are read first (400), then the
 * defaults of SetListOptionsDefaults() are applied, then ValidateListOptions() speaks (422).
 */
#include <string.h>

#include "base/str.h"
#include "server/deed.h"
#include "server/field_terms.h"
#include "server/quote.h"
#include "server/selectors.h"

#define MATCH "resourceVersionMatch"
#define NOT_OLDER_THAN "NotOlderThan"

static bool check_selectors(const kin__params *params, kin__refusal *no);
static void set_defaults(kin__params *params);
static void check_list(const kin__params *params, kin__refusal *no);
static void check_watch(const kin__params *params, kin__refusal *no);
static void forbid(kin__refusal *no, const char *field, const char *why);
static void refuse_match(kin__refusal *no, const char *match, const char *supported);
static bool is_set(const char *text);
static bool is(const char *text, const char *word);

bool kin__options_check(const kin__served *served, kin__params *params, kin__refusal *no)
{
    (void) served;
    if (!check_selectors(params, no)) {
        return false;
    }
    set_defaults(params);
    kin__refusal_begin_invalid(no, STR("meta.k8s.io"), STR("ListOptions"), STR(""));
    if (params->watch) {
        check_watch(params, no);
    } else {
        check_list(params, no);
    }
    return kin__refusal_end_invalid(no);
}

/* Their grammar alone: which fields there are is told after the other options. */
static bool check_selectors(const kin__params *params, kin__refusal *no)
{
    AUTO(kin__field_terms_fini) kin__field_terms fields = { 0 };
    kin_selector *labels = NULL;

    if (!kin__label_selector_read(params->label_selector, &labels, no)) {
        return false;
    }
    kin_selector_free(labels);
    return !is_set(params->field_selector) ||
           kin__field_terms_read(params->field_selector, &fields, no);
}

/* A watch that would begin with the present state says so. */
static void set_defaults(kin__params *params)
{
    if (params->watch && params->send_initial_events == KIN__UNSET &&
        !is_set(params->resource_version_match) &&
        (!is_set(params->resource_version) || is(params->resource_version, "0"))) {
        params->send_initial_events = KIN__TRUE;
        params->resource_version_match = NOT_OLDER_THAN;
    }
}

static void check_list(const kin__params *params, kin__refusal *no)
{
    const char *match = params->resource_version_match;

    if (is_set(match)) {
        if (!is_set(params->resource_version)) {
            forbid(no, MATCH, MATCH " is forbidden unless resourceVersion is provided");
        }
        if (is_set(params->continue_token)) {
            forbid(no, MATCH, MATCH " is forbidden when continue is provided");
        }
        if (!is(match, "Exact") && !is(match, NOT_OLDER_THAN)) {
            refuse_match(no, match, "\"Exact\", \"NotOlderThan\", \"\"");
        }
        if (is(match, "Exact") && is(params->resource_version, "0")) {
            forbid(no, MATCH, MATCH " \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }
    if (params->send_initial_events != KIN__UNSET) {
        forbid(no, "sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
}

static void check_watch(const kin__params *params, kin__refusal *no)
{
    const char *match = params->resource_version_match;

    if (params->send_initial_events != KIN__UNSET && !is(match, NOT_OLDER_THAN)) {
        forbid(no, MATCH, "sendInitialEvents requires setting " MATCH " to " NOT_OLDER_THAN);
    }
    if (!is_set(match)) {
        return;
    }
    if (params->send_initial_events == KIN__UNSET) {
        forbid(no, MATCH, MATCH " is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!is(match, NOT_OLDER_THAN)) {
        refuse_match(no, match, "\"NotOlderThan\"");
    }
    if (is_set(params->continue_token)) {
        forbid(no, MATCH, MATCH " is forbidden when continue is provided");
    }
}

static void forbid(kin__refusal *no, const char *field, const char *why)
{
    kin__refusal_add_invalid(no, "FieldValueForbidden", field, "Forbidden: %s", why);
}

static void refuse_match(kin__refusal *no, const char *match, const char *supported)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(kin_str_of(match), &quoted);
    if (kin__buf_failed(&quoted)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueNotSupported", MATCH,
                             "Unsupported value: %.*s: supported values: %s", (int) quoted.len,
                             quoted.data, supported);
}

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}
