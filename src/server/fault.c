/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - faults that stand, and which requests they fit.
 */
#include "server/fault.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/fault_read.h"
#include "server/query.h"
#include "server/text_tree.h"

#define DEFAULT_MESSAGE "a fault on command"

static void meet_all(kin__faults *faults, bool is_endless, const kin__route *route, kin_str query,
                     kin__fault_sum *sum);
static void free_fault(kin__fault *fault);
static void end_all(kin__faults *faults, kin__list *list);
static void write_list(const kin__list *list, kin__json_writer *w);
static bool fits(const kin__fault *fault, const kin__route *route, kin_str query);
static bool has_target(const kin__fault *fault, const kin__route *route, kin_str query);
static bool may_be_stale(const kin__route *route, kin_str query);
static bool begins_with_state(kin_str query);
static bool is_true(kin_str query, kin_str name);
static bool is_given(kin_str query, kin_str name, kin_str *out);
static bool is_text(const char *wanted, kin_str text);
static bool is_below(const char *wanted, kin_str path);
static bool is_resource(const char *wanted, kin_str resource, kin_str group);
static bool meet(kin__fault *fault, const kin__fault_sum *sum);
static bool has_room(const kin__fault *fault, const kin__fault_sum *sum);
static bool is_whole(const kin__fault_sum *sum);
static bool goes_by_events(const kin__fault *fault);
static bool is_used_up(const kin__fault *fault);
static void add_to(const kin__fault *fault, kin__fault_sum *sum);
static void spoil_with(const kin__fault *fault, kin__spoil *spoil);
static kin__spoil_error error_of(const kin__fault *fault);
static const char *reason_of(const kin__fault *fault);

void kin__faults_fini(kin__faults *faults)
{
    end_all(faults, &faults->list);
    end_all(faults, &faults->over);
}

kin_err kin__faults_add(kin__faults *faults, kin_str json, kin__fault **out, kin_error *err)
{
    AUTO(kin__node_free) kin__node *tree = NULL;

    if (kin__text_tree(json, KIN_TYPE_OBJECT, &tree, err)) {
        return kin__error_prefix(err, "fault");
    }
    kin__fault *fault = kin__alloc_zero(1, sizeof *fault);
    if (fault == NULL) {
        return kin__error_no_memory(err);
    }
    fault->times = 1;
    /* Texts lie one behind the other and do not move: none is longer than what it comes from. */
    if (!kin__buf_reserve(&fault->words, 2 * json.len + 16)) {
        free_fault(fault);
        return kin__error_no_memory(err);
    }
    if (kin__fault_read(tree, fault, err)) {
        free_fault(fault);
        return kin__error_prefix(err, "fault");
    }
    while (faults->over_count > KIN__FAULTS_KEPT) {
        kin__faults_end(faults, KIN__OWNER(kin__list_first(&faults->over), kin__fault, link));
    }
    fault->id = ++faults->last_id;
    kin__list_push(&faults->list, &fault->link);
    *out = fault;
    return KIN_OK;
}

kin__fault *kin__faults_find(const kin__faults *faults, uint64_t id)
{
    const kin__list *const lists[] = { &faults->list, &faults->over };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (kin__link *link = kin__list_first(lists[i]); link != NULL;
             link = kin__list_next(lists[i], link)) {
            kin__fault *fault = KIN__OWNER(link, kin__fault, link);
            if (fault->id == id) {
                return fault;
            }
        }
    }
    return NULL;
}

void kin__faults_end(kin__faults *faults, kin__fault *fault)
{
    kin__list_remove(&fault->link);
    faults->over_count -= fault->is_over ? 1u : 0u;
    free_fault(fault);
}

void kin__faults_retire(kin__faults *faults, kin__fault *fault)
{
    if (fault->is_over) {
        return;
    }
    kin__list_remove(&fault->link);
    kin__list_push(&faults->over, &fault->link);
    fault->is_over = true;
    faults->over_count++;
}

void kin__faults_write(const kin__faults *faults, kin__json_writer *w)
{
    kin__json_begin(w, '[');
    write_list(&faults->list, w);
    write_list(&faults->over, w);
    kin__json_end(w, ']');
}

void kin__faults_meet(kin__faults *faults, const kin__route *route, kin_str query,
                      kin__fault_sum *out)
{
    *out = (kin__fault_sum){ 0 };
    meet_all(faults, false, route, query, out);
    meet_all(faults, true, route, query, out);
}

void kin__fault_refuse(const kin__fault *fault, kin__refusal *no)
{
    const char *message = fault->message == NULL ? DEFAULT_MESSAGE : fault->message;

    if (fault->is_text) {
        (void) kin__refuse_text(no, (int) fault->code, message);
    } else {
        (void) kin__refuse(no, (int) fault->code, reason_of(fault), "%s", message);
    }
    kin__refusal_set_retry_after(no, (uint32_t) fault->retry_after);
}

bool kin__fault_spoil_open(kin__fault *fault, const kin__watch_about *about, kin__spoil *spoil)
{
    if (!fault->is_now || !kin__fault_strikes_answers(fault->act) ||
        !is_text(fault->verb, STR("watch")) || !is_text(fault->ns, about->ns) ||
        !is_text(fault->name, about->name) || !is_below(fault->path, about->path) ||
        !is_resource(fault->resource, about->served->resource, about->served->group)) {
        return false;
    }
    fault->met++;
    fault->met_open++;
    spoil_with(fault, spoil);
    if (!spoil->by_events) { /* of bytes an open answer keeps no count */
        spoil->by_events = true;
        spoil->after = 0;
    }
    return true;
}

/* Those with or those without an end. */
static void meet_all(kin__faults *faults, bool is_endless, const kin__route *route, kin_str query,
                     kin__fault_sum *sum)
{
    for (kin__link *link = kin__list_first(&faults->list); link != NULL;) {
        kin__fault *fault = KIN__OWNER(link, kin__fault, link);
        link = kin__list_next(&faults->list, link);
        if ((fault->times == 0) != is_endless || fault->act < KIN__FAULT_DELAY ||
            fault->act >= KIN__FAULT_FREEZE || !fits(fault, route, query) || !meet(fault, sum)) {
            continue;
        }
        add_to(fault, sum);
        if (is_used_up(fault)) {
            kin__faults_retire(faults, fault);
        }
    }
}

static void free_fault(kin__fault *fault)
{
    kin__buf_fini(&fault->words);
    kin__free(fault);
}

static void end_all(kin__faults *faults, kin__list *list)
{
    for (kin__link *link; (link = kin__list_first(list)) != NULL;) {
        kin__faults_end(faults, KIN__OWNER(link, kin__fault, link));
    }
}

static void write_list(const kin__list *list, kin__json_writer *w)
{
    for (kin__link *link = kin__list_first(list); link != NULL; link = kin__list_next(list, link)) {
        const kin__fault *fault = KIN__OWNER(link, kin__fault, link);
        kin__json_begin(w, '{');
        kin__json_key(w, STR("id"));
        kin__json_write_int64(w, (int64_t) fault->id);
        kin__json_key(w, STR("do"));
        kin__json_string(w, kin_str_of(kin__fault_name(fault->act)));
        kin__json_key(w, STR("times"));
        kin__json_write_int64(w, (int64_t) fault->times);
        kin__json_key(w, STR("met"));
        kin__json_write_int64(w, (int64_t) fault->met);
        kin__json_key(w, STR("over"));
        kin__json_raw(w, fault->is_over ? STR("true") : STR("false"));
        kin__json_end(w, '}');
    }
}

static bool fits(const kin__fault *fault, const kin__route *route, kin_str query)
{
    return has_target(fault, route, query) &&
           is_text(fault->verb, kin_str_of(kin__deed_name(route->deed))) &&
           is_resource(fault->resource, route->resource, route->group) &&
           is_text(fault->ns, route->ns) && is_text(fault->name, route->name) &&
           is_below(fault->path, route->path);
}

/* Whether the answer will have what it is to strike. */
static bool has_target(const kin__fault *fault, const kin__route *route, kin_str query)
{
    if (kin__fault_strikes_watches_alone(fault) && route->deed != KIN__DEED_WATCH) {
        return false;
    }
    switch (fault->act) {
    case KIN__FAULT_NO_INITIAL_END:
        return is_true(query, STR("allowWatchBookmarks")) && begins_with_state(query);
    case KIN__FAULT_OLD_BOOKMARK:
    case KIN__FAULT_NO_BOOKMARKS:
        return is_true(query, STR("allowWatchBookmarks"));
    case KIN__FAULT_OVERSIZE:
        return route->deed == KIN__DEED_WATCH || route->deed == KIN__DEED_LIST ||
               (route->is_resource && fault->after == 0);
    case KIN__FAULT_BACK_IN_TIME:
        return may_be_stale(route, query);
    default:
        return true;
    }
}

/*
 * What a replica that is behind answers from its cache as far as that goes: reads that name a
 * version and are content with a newer one.  Without a version, in the pages of a list and where
 * there is no cache it asks etcd; and the changes after a version are the same everywhere.  Seen on
 * kube-apiserver 1.36.3, whose etcd was stopped.
 */
static bool may_be_stale(const kin__route *route, kin_str query)
{
    kin_str version;
    kin_str text;

    if ((route->deed != KIN__DEED_GET && route->deed != KIN__DEED_LIST &&
         route->deed != KIN__DEED_WATCH) ||
        (route->served != NULL && (route->served->traits & KIN__IS_UNCACHED) != 0) ||
        !is_given(query, STR("resourceVersion"), &version) ||
        is_given(query, STR("continue"), &text)) {
        return false;
    }
    return route->deed != KIN__DEED_WATCH || kin__query_equals(version, STR("0")) ||
           is_true(query, STR("sendInitialEvents"));
}

/* A watch: where nothing else is said, one without a version does. */
static bool begins_with_state(kin_str query)
{
    kin_str text;

    return is_given(query, STR("sendInitialEvents"), &text)
               ? is_true(query, STR("sendInitialEvents"))
               : !is_given(query, STR("resourceVersion"), &text) ||
                     kin__query_equals(text, STR("0"));
}

static bool is_true(kin_str query, kin_str name)
{
    kin_str text;

    return is_given(query, name, &text) && !kin__query_equals(text, STR("false")) &&
           !kin__query_equals(text, STR("0"));
}

static bool is_given(kin_str query, kin_str name, kin_str *out)
{
    kin__query_pair pair;

    if (!kin__query_find(query, name, &pair) || pair.value.len == 0) {
        return false;
    }
    *out = pair.value;
    return true;
}

static bool is_text(const char *wanted, kin_str text)
{
    return wanted == NULL || kin__str_equal(kin_str_of(wanted), text);
}

static bool is_below(const char *wanted, kin_str path)
{
    return wanted == NULL || kin__str_starts_with(path, kin_str_of(wanted));
}

/* "deployments" or "deployments.apps". */
static bool is_resource(const char *wanted, kin_str resource, kin_str group)
{
    kin_str text = kin_str_of(wanted);

    if (wanted == NULL || kin__str_equal(text, resource)) {
        return true;
    }
    return group.len > 0 && text.len == resource.len + 1 + group.len &&
           kin__str_starts_with(text, resource) && text.data[resource.len] == '.' &&
           memcmp(text.data + resource.len + 1, group.data, group.len) == 0;
}

/* Counts a request that fits; true when this is one that it strikes. */
static bool meet(kin__fault *fault, const kin__fault_sum *sum)
{
    if (fault->is_now && !fault->has_times) {
        return false;
    }
    if (fault->skip > 0) {
        fault->skip--;
        return false;
    }
    if (is_used_up(fault) || !has_room(fault, sum)) {
        return false;
    }
    fault->met++;
    return true;
}

/* Whether it would show beside those that strike the same request; if not, it waits for the next
 * one.  A refusal has bytes that may break, but no events and no state. */
static bool has_room(const kin__fault *fault, const kin__fault_sum *sum)
{
    const kin__spoil *spoil = &sum->spoil;

    if (fault->act == KIN__FAULT_DELAY) {
        return true;
    }
    if (sum->is_dropped) {
        return false;
    }
    switch (fault->act) {
    case KIN__FAULT_DROP:
        return is_whole(sum) && sum->status == NULL && spoil->bytes_per_s == 0 &&
               spoil->act == KIN__SPOIL_NOTHING;
    case KIN__FAULT_STATUS:
        return is_whole(sum) && sum->status == NULL && !spoil->by_events;
    case KIN__FAULT_SLOW:
        return spoil->bytes_per_s == 0;
    case KIN__FAULT_NO_BOOKMARKS:
        return sum->status == NULL && !spoil->has_no_bookmarks;
    case KIN__FAULT_NO_INITIAL_END:
        return sum->status == NULL && !spoil->has_no_initial_end;
    case KIN__FAULT_BACK_IN_TIME:
        return sum->status == NULL && sum->back_by == 0;
    default:
        return spoil->act == KIN__SPOIL_NOTHING && (sum->status == NULL || !goes_by_events(fault));
    }
}

/* Nothing needs the state that would be answered. */
static bool is_whole(const kin__fault_sum *sum)
{
    return sum->back_by == 0 && !sum->spoil.has_no_bookmarks && !sum->spoil.has_no_initial_end;
}

static bool goes_by_events(const kin__fault *fault)
{
    return fault->by_events || kin__fault_spoil_act(fault->act) >= KIN__SPOIL_ERROR;
}

static bool is_used_up(const kin__fault *fault)
{
    return fault->times != 0 && fault->met - fault->met_open >= fault->times;
}

static void add_to(const kin__fault *fault, kin__fault_sum *sum)
{
    switch (fault->act) {
    case KIN__FAULT_DELAY:
        sum->delay_ms += (uint32_t) fault->ms;
        break;
    case KIN__FAULT_STATUS:
        sum->status = fault;
        break;
    case KIN__FAULT_DROP:
        sum->is_dropped = true;
        break;
    case KIN__FAULT_BACK_IN_TIME:
        sum->back_by = fault->by;
        sum->lies = fault->lies;
        break;
    default:
        spoil_with(fault, &sum->spoil);
        break;
    }
}

static void spoil_with(const kin__fault *fault, kin__spoil *spoil)
{
    switch (fault->act) {
    case KIN__FAULT_SLOW:
        spoil->bytes_per_s = (uint32_t) fault->bytes_per_second;
        break;
    case KIN__FAULT_NO_BOOKMARKS:
        spoil->has_no_bookmarks = true;
        break;
    case KIN__FAULT_NO_INITIAL_END:
        spoil->has_no_initial_end = true;
        break;
    default:
        spoil->act = kin__fault_spoil_act(fault->act);
        spoil->after = fault->after;
        spoil->size = fault->size;
        spoil->by = fault->by;
        spoil->ms = (uint32_t) fault->ms;
        spoil->error = error_of(fault);
        spoil->by_events = goes_by_events(fault);
        break;
    }
}

/* That of "expire" is what a real server says. */
static kin__spoil_error error_of(const kin__fault *fault)
{
    bool is_expired = fault->act == KIN__FAULT_EXPIRE;
    const char *message = is_expired ? "The resourceVersion for the provided watch is too old."
                          : fault->message == NULL ? DEFAULT_MESSAGE
                                                   : fault->message;
    kin__spoil_error error = { .code = is_expired ? 410 : (int) fault->code,
                               .retry_after_s = (uint32_t) fault->retry_after,
                               .reason = is_expired ? "Expired" : reason_of(fault) };

    (void) snprintf(error.message, sizeof error.message, "%s", message);
    return error;
}

static const char *reason_of(const kin__fault *fault)
{
    return fault->reason != NULL ? fault->reason : kin__fault_reason_of(fault->code);
}
