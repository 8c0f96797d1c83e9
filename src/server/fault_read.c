/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_read.c - faults as they are written, and those that make no sense.
 */
#include "server/fault_read.h"

#include <string.h>

#include "base/str.h"

static const struct act_name {
    const char *name;
    kin__fault_act act;
    kin__spoil_act spoil; /* what it does to an answer; NOTHING: something else */
} acts[] = {
    { "refuse", KIN__FAULT_REFUSE, KIN__SPOIL_NOTHING },
    { "reset", KIN__FAULT_RESET, KIN__SPOIL_NOTHING },
    { "ignore", KIN__FAULT_IGNORE, KIN__SPOIL_NOTHING },
    { "delay", KIN__FAULT_DELAY, KIN__SPOIL_NOTHING },
    { "status", KIN__FAULT_STATUS, KIN__SPOIL_NOTHING },
    { "drop", KIN__FAULT_DROP, KIN__SPOIL_NOTHING },
    { "cut", KIN__FAULT_CUT, KIN__SPOIL_CUT },
    { "hang-up", KIN__FAULT_HANG_UP, KIN__SPOIL_RESET },
    { "stall", KIN__FAULT_STALL, KIN__SPOIL_STALL },
    { "corrupt", KIN__FAULT_CORRUPT, KIN__SPOIL_CORRUPT },
    { "slow", KIN__FAULT_SLOW, KIN__SPOIL_NOTHING },
    { "expire", KIN__FAULT_EXPIRE, KIN__SPOIL_ERROR },
    { "error", KIN__FAULT_ERROR, KIN__SPOIL_ERROR },
    { "end", KIN__FAULT_END, KIN__SPOIL_END },
    { "duplicate", KIN__FAULT_DUPLICATE, KIN__SPOIL_DUPLICATE },
    { "oversize", KIN__FAULT_OVERSIZE, KIN__SPOIL_OVERSIZE },
    { "old-bookmark", KIN__FAULT_OLD_BOOKMARK, KIN__SPOIL_BOOKMARK },
    { "no-bookmarks", KIN__FAULT_NO_BOOKMARKS, KIN__SPOIL_NOTHING },
    { "no-initial-end", KIN__FAULT_NO_INITIAL_END, KIN__SPOIL_NOTHING },
    { "back-in-time", KIN__FAULT_BACK_IN_TIME, KIN__SPOIL_NOTHING },
    { "freeze", KIN__FAULT_FREEZE, KIN__SPOIL_NOTHING },
    { "token", KIN__FAULT_TOKEN, KIN__SPOIL_NOTHING },
    { "go-away", KIN__FAULT_GO_AWAY, KIN__SPOIL_NOTHING },
    { "cut-all", KIN__FAULT_CUT_ALL, KIN__SPOIL_NOTHING },
};

/* Reasons of a Status; of several with one code the first is the usual one. */
static const struct reason {
    int code;
    const char *reason;
} reasons[] = {
    { 400, "BadRequest" },    { 401, "Unauthorized" },          { 403, "Forbidden" },
    { 404, "NotFound" },      { 405, "MethodNotAllowed" },      { 406, "NotAcceptable" },
    { 409, "Conflict" },      { 409, "AlreadyExists" },         { 410, "Expired" },
    { 410, "Gone" },          { 413, "RequestEntityTooLarge" }, { 415, "UnsupportedMediaType" },
    { 422, "Invalid" },       { 429, "TooManyRequests" },       { 500, "InternalError" },
    { 500, "ServerTimeout" }, { 503, "ServiceUnavailable" },    { 504, "Timeout" },
};

static kin_err read_member(kin_str name, const kin__node *value, kin__fault *fault, kin_error *err);
static const char **text_member(kin__fault *fault, kin_str name);
static uint64_t *number_member(kin__fault *fault, kin_str name);
static kin_err keep_text(kin__fault *fault, const kin__node *value, const char **out,
                         kin_error *err);
static kin_err keep_reason(kin__fault *fault, const kin__node *value, kin_error *err);
static bool read_number(const kin__node *value, uint64_t *out);
static kin_err check(const kin__fault *fault, kin_error *err);
static kin_err check_verb(const kin__fault *fault, kin_error *err);
static bool is_verb(const char *text);
static bool strikes_requests_alone(kin__fault_act act);

kin_err kin__fault_read(const kin__node *tree, kin__fault *fault, kin_error *err)
{
    const kin__node *act = kin__node_member(tree, STR("do"));
    kin__node_iter iter = { 0 };
    bool is_known = false;

    for (size_t i = 0; act != NULL && i < sizeof acts / sizeof *acts; i++) {
        if (kin__str_equal(kin__node_text(act), kin_str_of(acts[i].name))) {
            fault->act = acts[i].act;
            is_known = true;
        }
    }
    if (!is_known) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "\"do\" says nothing that can go wrong");
    }
    while (kin__node_next(tree, &iter)) {
        if (!kin__str_equal(iter.name, STR("do")) &&
            read_member(iter.name, iter.value, fault, err)) {
            return err->code;
        }
    }
    return check(fault, err);
}

const char *kin__fault_name(kin__fault_act act)
{
    return acts[act].name;
}

kin__spoil_act kin__fault_spoil_act(kin__fault_act act)
{
    return acts[act].spoil;
}

const char *kin__fault_reason_of(uint64_t code)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if ((uint64_t) reasons[i].code == code) {
            return reasons[i].reason;
        }
    }
    return "";
}

bool kin__fault_strikes_answers(kin__fault_act act)
{
    return act >= KIN__FAULT_CUT && act <= KIN__FAULT_NO_INITIAL_END;
}

/* Of a list only the size goes by items. */
bool kin__fault_strikes_watches_alone(const kin__fault *fault)
{
    return fault->act == KIN__FAULT_EXPIRE || fault->act == KIN__FAULT_ERROR ||
           fault->act == KIN__FAULT_END || fault->act == KIN__FAULT_DUPLICATE ||
           fault->act == KIN__FAULT_OLD_BOOKMARK || fault->act == KIN__FAULT_NO_BOOKMARKS ||
           fault->act == KIN__FAULT_NO_INITIAL_END ||
           (fault->by_events && kin__fault_strikes_answers(fault->act) &&
            fault->act != KIN__FAULT_OVERSIZE);
}

static kin_err read_member(kin_str name, const kin__node *value, kin__fault *fault, kin_error *err)
{
    const char **text = text_member(fault, name);
    uint64_t *number = number_member(fault, name);
    bool *flag = kin__str_equal(name, STR("now"))    ? &fault->is_now
                 : kin__str_equal(name, STR("text")) ? &fault->is_text
                 : kin__str_equal(name, STR("lies")) ? &fault->lies
                                                     : NULL;

    if (text == &fault->reason && kin__node_type(value) == KIN_TYPE_STRING) {
        return keep_reason(fault, value, err);
    }
    if (text != NULL && kin__node_type(value) == KIN_TYPE_STRING) {
        return keep_text(fault, value, text, err);
    }
    if (number != NULL && read_number(value, number)) {
        fault->by_events = fault->by_events || kin__str_equal(name, STR("after_events"));
        fault->has_times = fault->has_times || kin__str_equal(name, STR("times"));
        return KIN_OK;
    }
    if (flag != NULL && kin__node_type(value) == KIN_TYPE_BOOL) {
        *flag = kin__str_equal(kin__node_text(value), STR("true"));
        return KIN_OK;
    }
    bool is_known = text != NULL || number != NULL || flag != NULL;
    return kin__error_set(err, KIN_ERR_MALFORMED, "\"%.*s\" is %s", KIN_STR_ARG(name),
                          !is_known        ? "not known"
                          : text != NULL   ? "not a string"
                          : number != NULL ? "not a whole number from 0 on"
                                           : "neither true nor false");
}

static const char **text_member(kin__fault *fault, kin_str name)
{
    const struct {
        const char *name;
        const char **place;
    } members[] = {
        { "verb", &fault->verb },       { "resource", &fault->resource },
        { "namespace", &fault->ns },    { "name", &fault->name },
        { "path", &fault->path },       { "reason", &fault->reason },
        { "message", &fault->message }, { "token", &fault->token },
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (kin__str_equal(name, kin_str_of(members[i].name))) {
            return members[i].place;
        }
    }
    return NULL;
}

static uint64_t *number_member(kin__fault *fault, kin_str name)
{
    const struct {
        const char *name;
        uint64_t *place;
    } members[] = {
        { "skip", &fault->skip },
        { "times", &fault->times },
        { "after_bytes", &fault->after },
        { "after_events", &fault->after },
        { "ms", &fault->ms },
        { "code", &fault->code },
        { "retry_after", &fault->retry_after },
        { "bytes_per_second", &fault->bytes_per_second },
        { "size", &fault->size },
        { "by", &fault->by },
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (kin__str_equal(name, kin_str_of(members[i].name))) {
            return members[i].place;
        }
    }
    return NULL;
}

static kin_err keep_text(kin__fault *fault, const kin__node *value, const char **out,
                         kin_error *err)
{
    kin_str text = kin__node_text(value);
    size_t begin = fault->words.len;

    if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "a text has a zero byte");
    }
    if (!kin__buf_append_str(&fault->words, text) || !kin__buf_append_byte(&fault->words, '\0')) {
        return kin__error_no_memory(err);
    }
    *out = fault->words.data + begin;
    return KIN_OK;
}

static kin_err keep_reason(kin__fault *fault, const kin__node *value, kin_error *err)
{
    kin_str text = kin__node_text(value);

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (kin__str_equal(text, kin_str_of(reasons[i].reason))) {
            fault->reason = reasons[i].reason;
            return KIN_OK;
        }
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "\"reason\" is none that a server gives");
}

static bool read_number(const kin__node *value, uint64_t *out)
{
    kin_str digits = kin__node_text(value);
    uint64_t number = 0;

    if (kin__node_type(value) != KIN_TYPE_NUMBER || digits.len > 18) {
        return false;
    }
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t) (digits.data[i] - '0');
    }
    *out = number;
    return true;
}

/* What a fault needs to be one. */
static kin_err check(const kin__fault *fault, kin_error *err)
{
    const char *lacks = NULL;

    if (fault->act == KIN__FAULT_DELAY && fault->ms == 0) {
        lacks = "\"ms\"";
    } else if (fault->act == KIN__FAULT_STATUS && (fault->code < 200 || fault->code > 599)) {
        lacks = "a \"code\" from 200 to 599";
    } else if (fault->act == KIN__FAULT_ERROR && (fault->code < 400 || fault->code > 599)) {
        lacks = "a \"code\" from 400 to 599";
    } else if (fault->act == KIN__FAULT_SLOW && fault->bytes_per_second == 0) {
        lacks = "\"bytes_per_second\"";
    } else if (fault->act == KIN__FAULT_OVERSIZE && fault->size == 0) {
        lacks = "\"size\"";
    } else if ((fault->act == KIN__FAULT_BACK_IN_TIME || fault->act == KIN__FAULT_OLD_BOOKMARK) &&
               fault->by == 0) {
        lacks = "\"by\"";
    } else if (fault->act == KIN__FAULT_TOKEN && fault->token == NULL) {
        lacks = "\"token\"";
    }
    if (lacks != NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "\"%s\" needs %s", acts[fault->act].name,
                              lacks);
    }
    if (fault->lies && fault->act != KIN__FAULT_BACK_IN_TIME) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "\"%s\" has no \"lies\"",
                              acts[fault->act].name);
    }
    if (fault->is_now && strikes_requests_alone(fault->act)) {
        return kin__error_set(
            err, KIN_ERR_MALFORMED,
            "\"%s\" strikes requests to come, not open watches: it has no \"now\"",
            acts[fault->act].name);
    }
    if (fault->ms > UINT32_MAX || fault->size > 256u << 20 || fault->retry_after > UINT32_MAX ||
        fault->bytes_per_second > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "a number is too large");
    }
    if (fault->act == KIN__FAULT_ERROR && fault->message != NULL &&
        strlen(fault->message) > KIN__SPOIL_MESSAGE_MAX) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "\"message\" has over %d bytes",
                              KIN__SPOIL_MESSAGE_MAX);
    }
    return fault->verb == NULL ? KIN_OK : check_verb(fault, err);
}

/* With another verb it would wait for a request that never comes. */
static kin_err check_verb(const kin__fault *fault, kin_error *err)
{
    if (!is_verb(fault->verb)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "\"verb\" is none that requests have");
    }
    if (strcmp(fault->verb, "watch") == 0) {
        return KIN_OK;
    }
    if (kin__fault_strikes_watches_alone(fault)) {
        return kin__error_set(
            err, KIN_ERR_MALFORMED, "\"%s\"%s strikes watches only, and \"verb\" is another",
            acts[fault->act].name, fault->by_events ? " with \"after_events\"" : "");
    }
    return fault->is_now && kin__fault_strikes_answers(fault->act)
               ? kin__error_set(err, KIN_ERR_MALFORMED,
                                "\"now\" strikes open watches, and \"verb\" is another")
               : KIN_OK;
}

static bool is_verb(const char *text)
{
    for (int deed = KIN__DEED_GET; deed <= KIN__DEED_DELETE_COLLECTION; deed++) {
        if (strcmp(text, kin__deed_name((kin__deed) deed)) == 0) {
            return true;
        }
    }
    return false;
}

/* What it does is done before an answer begins, and an open watch has begun. */
static bool strikes_requests_alone(kin__fault_act act)
{
    return act == KIN__FAULT_DELAY || act == KIN__FAULT_STATUS || act == KIN__FAULT_DROP ||
           act == KIN__FAULT_SLOW || act == KIN__FAULT_BACK_IN_TIME;
}
