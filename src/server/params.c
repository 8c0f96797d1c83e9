/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params.c - the parameters of a request.
 *
 * Texts are collected in one buffer, which moves while it grows; so they are noted as offsets and
 * become pointers when all are there.
 */
#include "server/params.h"

#include <strings.h>

#include "base/str.h"
#include "server/query.h"
#include "server/quote.h"

#define ABSENT SIZE_MAX

/* Where the words of each parameter begin. */
enum param {
    LABEL_SELECTOR,
    FIELD_SELECTOR,
    RESOURCE_VERSION,
    RESOURCE_VERSION_MATCH,
    CONTINUE,
    INCLUDE_OBJECT,
    DRY_RUN,
    FIELD_MANAGER,
    FIELD_VALIDATION,
    PROPAGATION_POLICY,
    UID,
    WATCH,
    ALLOW_WATCH_BOOKMARKS,
    SEND_INITIAL_EVENTS,
    PRETTY,
    ORPHAN_DEPENDENTS,
    FORCE,
    TIMEOUT_SECONDS,
    LIMIT,
    GRACE_PERIOD_SECONDS,
    PARAM_COUNT
};

static const char *const names[PARAM_COUNT] = {
    [LABEL_SELECTOR] = "labelSelector",
    [FIELD_SELECTOR] = "fieldSelector",
    [RESOURCE_VERSION] = "resourceVersion",
    [RESOURCE_VERSION_MATCH] = "resourceVersionMatch",
    [CONTINUE] = "continue",
    [INCLUDE_OBJECT] = "includeObject",
    [DRY_RUN] = "dryRun",
    [FIELD_MANAGER] = "fieldManager",
    [FIELD_VALIDATION] = "fieldValidation",
    [PROPAGATION_POLICY] = "propagationPolicy",
    [UID] = "uid",
    [WATCH] = "watch",
    [ALLOW_WATCH_BOOKMARKS] = "allowWatchBookmarks",
    [SEND_INITIAL_EVENTS] = "sendInitialEvents",
    [PRETTY] = "pretty",
    [ORPHAN_DEPENDENTS] = "orphanDependents",
    [FORCE] = "force",
    [TIMEOUT_SECONDS] = "timeoutSeconds",
    [LIMIT] = "limit",
    [GRACE_PERIOD_SECONDS] = "gracePeriodSeconds",
};

typedef const char *values[PARAM_COUNT]; /* NULL: absent */

static bool collect(kin_str query, kin__buf *words, values out, kin__refusal *no);
static bool note(const kin__query_pair *pair, kin__buf *words, size_t places[PARAM_COUNT],
                 kin__refusal *no);
static void set_texts(values given, kin__params *out);
static void set_switches(values given, kin__params *out);
static bool set_numbers(kin__deed deed, values given, kin__params *out, kin__refusal *no);
static bool set_number(const char *text, bool is_known, bool *out_has, int64_t *out,
                       kin__refusal *no);
static bool is_true(const char *text);
static kin__tristate tristate(const char *text);
static kin__tristate pretty_of(kin_str text);
static bool refuse_number(kin_str text, const char *why, kin__refusal *no);
static bool parse_digits(kin_str digits, uint64_t max, uint64_t *out, bool *out_is_large);

bool kin__params_read(kin__deed deed, kin_str query, kin__params *out, kin__refusal *no)
{
    kin__params params = { 0 };
    values given = { NULL };

    if (!collect(query, &params.words, given, no)) {
        kin__params_fini(&params);
        return false;
    }
    set_texts(given, &params);
    set_switches(given, &params);
    if (!set_numbers(deed, given, &params, no)) {
        kin__params_fini(&params);
        return false;
    }
    *out = params;
    return true;
}

void kin__params_fini(kin__params *params)
{
    kin__buf_fini(&params->words);
    kin__buf_fini(&params->narrowed);
    *params = (kin__params){ 0 };
}

kin__tristate kin__params_pretty(kin_str query)
{
    AUTO(kin__buf_fini) kin__buf value = { 0 };
    kin__query_pair pair;

    if (!kin__query_find(query, kin_str_of(names[PRETTY]), &pair)) {
        return KIN__UNSET;
    }
    kin__query_unescape(pair.value, &value);
    return kin__buf_failed(&value) ? KIN__UNSET : pretty_of(kin__str(value.data, value.len));
}

bool kin__params_narrow(kin__params *params, kin_str name, kin__refusal *no)
{
    kin__buf words = { 0 };

    if (params->field_selector != NULL && params->field_selector[0] != '\0') {
        (void) kin__buf_append_format(&words, "%s,", params->field_selector);
    }
    (void) kin__buf_append_str(&words, STR("metadata.name="));
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (c == '\\' || c == ',' || c == '=') {
            (void) kin__buf_append_byte(&words, '\\');
        }
        (void) kin__buf_append_byte(&words, c);
    }
    (void) kin__buf_append_byte(&words, '\0');
    if (kin__buf_failed(&words)) {
        kin__buf_fini(&words);
        return kin__refuse_no_memory(no);
    }
    kin__buf_fini(&params->narrowed);
    params->narrowed = words;
    params->field_selector = words.data;
    return true;
}

bool kin__params_parse_int(kin_str text, int64_t *out, kin__refusal *no)
{
    bool is_negative = text.len > 0 && text.data[0] == '-';
    size_t sign = text.len > 0 && (is_negative || text.data[0] == '+') ? 1 : 0;
    kin_str digits = kin__str(text.data + sign, text.len - sign);
    uint64_t max = (uint64_t) INT64_MAX + (is_negative ? 1 : 0);
    uint64_t value;
    bool is_large;

    if (!parse_digits(digits, max, &value, &is_large)) {
        return refuse_number(text, "invalid syntax", no);
    }
    if (is_large) {
        return refuse_number(text, "value out of range", no);
    }
    *out = is_negative ? (int64_t) (0 - value) : (int64_t) value;
    return true;
}

/* The first of each name. */
static bool collect(kin_str query, kin__buf *words, values out, kin__refusal *no)
{
    size_t places[PARAM_COUNT];
    kin__query_pair pair;

    for (size_t i = 0; i < PARAM_COUNT; i++) {
        places[i] = ABSENT;
    }
    while (kin__query_next(&query, &pair)) {
        if (!note(&pair, words, places, no)) {
            return false;
        }
    }
    if (kin__buf_failed(words)) {
        return kin__refuse_no_memory(no);
    }
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        out[i] = places[i] == ABSENT ? NULL : words->data + places[i];
    }
    return true;
}

/* Values are terminated texts from here on, so that one with a NUL inside would lose its end. */
static bool note(const kin__query_pair *pair, kin__buf *words, size_t places[PARAM_COUNT],
                 kin__refusal *no)
{
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        if (places[i] == ABSENT && kin__query_equals(pair->name, kin_str_of(names[i]))) {
            places[i] = words->len;
            kin__query_unescape(pair->value, words);
            if (words->len > places[i] &&
                memchr(words->data + places[i], '\0', words->len - places[i]) != NULL) {
                return kin__refuse_bad_request(no, "parameter \"%s\" has a NUL character",
                                               names[i]);
            }
            (void) kin__buf_append_byte(words, '\0');
            return true;
        }
    }
    return true;
}

static void set_texts(values given, kin__params *out)
{
    out->label_selector = given[LABEL_SELECTOR];
    out->field_selector = given[FIELD_SELECTOR];
    out->resource_version = given[RESOURCE_VERSION];
    out->resource_version_match = given[RESOURCE_VERSION_MATCH];
    out->continue_token = given[CONTINUE];
    out->include_object = given[INCLUDE_OBJECT];
    out->dry_run = given[DRY_RUN];
    out->has_dry_run = given[DRY_RUN] != NULL;
    out->field_manager = given[FIELD_MANAGER];
    out->field_validation = given[FIELD_VALIDATION];
    out->propagation_policy = given[PROPAGATION_POLICY];
    out->uid = given[UID];
}

static void set_switches(values given, kin__params *out)
{
    out->watch = is_true(given[WATCH]);
    out->allow_watch_bookmarks = is_true(given[ALLOW_WATCH_BOOKMARKS]);
    out->send_initial_events = tristate(given[SEND_INITIAL_EVENTS]);
    out->pretty = pretty_of(kin_str_of(given[PRETTY]));
    out->orphan_dependents = tristate(given[ORPHAN_DEPENDENTS]);
    out->force = tristate(given[FORCE]);
}

/* In the order of the real server's conversion, which tells the first that is wrong. */
static bool set_numbers(kin__deed deed, values given, kin__params *out, kin__refusal *no)
{
    bool is_list =
        deed == KIN__DEED_LIST || deed == KIN__DEED_WATCH || deed == KIN__DEED_DELETE_COLLECTION;
    bool is_delete = deed == KIN__DEED_DELETE || deed == KIN__DEED_DELETE_COLLECTION;

    return set_number(given[TIMEOUT_SECONDS], is_list, &out->has_timeout_seconds,
                      &out->timeout_seconds, no) &&
           set_number(given[LIMIT], is_list, &out->has_limit, &out->limit, no) &&
           set_number(given[GRACE_PERIOD_SECONDS], is_delete, &out->has_grace_period,
                      &out->grace_period_seconds, no);
}

static bool set_number(const char *text, bool is_known, bool *out_has, int64_t *out,
                       kin__refusal *no)
{
    if (text == NULL || !is_known) {
        return true;
    }
    *out_has = true;
    return kin__params_parse_int(kin_str_of(text), out, no);
}

static bool is_true(const char *text)
{
    return text != NULL && strcmp(text, "0") != 0 && strcasecmp(text, "false") != 0;
}

static kin__tristate tristate(const char *text)
{
    return text == NULL ? KIN__UNSET : is_true(text) ? KIN__TRUE : KIN__FALSE;
}

/* strconv.ParseBool, and what it refuses is false. */
static kin__tristate pretty_of(kin_str text)
{
    static const char *const yes[] = { "1", "t", "T", "TRUE", "true", "True" };

    if (text.len == 0) {
        return KIN__UNSET;
    }
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (kin__str_equal(text, kin_str_of(yes[i]))) {
            return KIN__TRUE;
        }
    }
    return KIN__FALSE;
}

static bool refuse_number(kin_str text, const char *why, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(text, &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "strconv.ParseInt: parsing %.*s: %s", (int) quoted.len,
                                   quoted.data, why);
}

/* False when there is anything but digits, or nothing. */
static bool parse_digits(kin_str digits, uint64_t max, uint64_t *out, bool *out_is_large)
{
    uint64_t value = 0;
    bool is_large = false;

    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t) (digits.data[i] - '0');
        is_large = is_large || value > (max - digit) / 10;
        value = is_large ? 0 : value * 10 + digit;
    }
    *out = value;
    *out_is_large = is_large;
    return digits.len > 0;
}
