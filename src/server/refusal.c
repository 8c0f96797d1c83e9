/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal.c - what the server does not do, and the Status object that says so.
 *
 * A new message is written beside the old refusal and takes its place when it is whole, so that it
 * may quote what it replaces.  Where memory runs out, everything is dropped and has_no_memory says
 * so; what is added later changes nothing.
 */
#include "server/refusal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "server/codec.h"
#include "server/indent.h"
#include "server/quote.h"
#include "server/served.h"

#define UNKNOWN "the server could not find the requested resource"
#define METHOD "the server does not allow this method on the requested resource"

static bool replace(kin__refusal *no, int code, const char *reason, kin__buf *message);
static bool refuse_named(kin__refusal *no, int code, const char *reason,
                         const struct kin__served *served, kin_str name, kin__buf *message);
static void append_object_name(kin_str group, kin_str what, kin_str name, kin__buf *out);
static void append_formatted(kin__buf *out, const char *format, va_list args) KIN__PRINTF(2, 0);
static kin__refusal_word add_word(kin__refusal *no, kin_str text);
static void add_cause(kin__refusal *no, const char *reason, const char *field, const char *format,
                      va_list args) KIN__PRINTF(4, 0);
static kin_str word(const kin__refusal *no, kin__refusal_word place);
static void append_causes(const kin__refusal *no, kin__buf *out);
static bool is_repeated(const kin__refusal *no, size_t cause);
static void write_compact(const kin__refusal *no, kin__buf *out);
static void write_details(const kin__refusal *no, kin__json_writer *w);
static void write_causes(const kin__refusal *no, kin__json_writer *w);
static void write_text(kin__json_writer *w, kin_str name, kin_str text);

void kin__refusal_fini(kin__refusal *refusal)
{
    kin__buf_fini(&refusal->message);
    kin__buf_fini(&refusal->words);
    *refusal = (kin__refusal){ 0 };
}

bool kin__refuse(kin__refusal *no, int code, const char *reason, const char *format, ...)
{
    kin__buf message = { 0 };
    va_list args;

    va_start(args, format);
    append_formatted(&message, format, args);
    va_end(args);
    return replace(no, code, reason, &message);
}

bool kin__refuse_no_memory(kin__refusal *no)
{
    kin__refusal_fini(no);
    no->code = 500;
    no->reason = "";
    no->has_no_memory = true;
    return false;
}

bool kin__refuse_text(kin__refusal *no, int code, const char *text)
{
    (void) kin__refuse(no, code, "", "%s", text);
    no->is_text = !no->has_no_memory;
    return false;
}

bool kin__refuse_bad_request(kin__refusal *no, const char *format, ...)
{
    kin__buf message = { 0 };
    va_list args;

    va_start(args, format);
    append_formatted(&message, format, args);
    va_end(args);
    return replace(no, 400, "BadRequest", &message);
}

bool kin__refuse_not_found(kin__refusal *no, const struct kin__served *served, kin_str name)
{
    kin__buf message = { 0 };

    append_object_name(served->group, served->resource, name, &message);
    (void) kin__buf_append_str(&message, STR(" not found"));
    return refuse_named(no, 404, "NotFound", served, name, &message);
}

bool kin__refuse_unknown(kin__refusal *no)
{
    (void) kin__refuse(no, 404, "NotFound", UNKNOWN);
    no->has_details = !no->has_no_memory;
    return false;
}

bool kin__refuse_method(kin__refusal *no)
{
    (void) kin__refuse(no, 405, "MethodNotAllowed", METHOD);
    no->has_details = !no->has_no_memory;
    return false;
}

bool kin__refuse_exists(kin__refusal *no, const struct kin__served *served, kin_str name)
{
    kin__buf message = { 0 };

    append_object_name(served->group, served->resource, name, &message);
    (void) kin__buf_append_str(&message, STR(" already exists"));
    return refuse_named(no, 409, "AlreadyExists", served, name, &message);
}

bool kin__refuse_conflict(kin__refusal *no, const struct kin__served *served, kin_str name,
                          const char *format, ...)
{
    kin__buf message = { 0 };
    va_list args;

    (void) kin__buf_append_str(&message, STR("Operation cannot be fulfilled on "));
    append_object_name(served->group, served->resource, name, &message);
    (void) kin__buf_append_str(&message, STR(": "));
    va_start(args, format);
    append_formatted(&message, format, args);
    va_end(args);
    return refuse_named(no, 409, "Conflict", served, name, &message);
}

void kin__refusal_begin_invalid(kin__refusal *no, kin_str group, kin_str kind, kin_str name)
{
    kin__buf message = { 0 };

    append_object_name(group, kind, name, &message);
    (void) kin__buf_append_str(&message, STR(" is invalid"));
    (void) replace(no, 422, "Invalid", &message);
    kin__refusal_set_details(no, name, group, kind);
}

void kin__refusal_add_invalid(kin__refusal *no, const char *reason, const char *field,
                              const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_cause(no, reason, field, format, args);
    va_end(args);
}

bool kin__refusal_end_invalid(kin__refusal *no)
{
    if (no->has_no_memory) {
        return false;
    }
    if (no->cause_count == 0) {
        kin__refusal_fini(no);
        return true;
    }
    (void) kin__buf_append_str(&no->message, STR(": "));
    append_causes(no, &no->message);
    return kin__buf_failed(&no->message) ? kin__refuse_no_memory(no) : false;
}

void kin__refusal_set_details(kin__refusal *no, kin_str name, kin_str group, kin_str kind)
{
    no->has_details = !no->has_no_memory;
    no->name = add_word(no, name);
    no->group = add_word(no, group);
    no->kind = add_word(no, kind);
}

void kin__refusal_set_uid(kin__refusal *no, kin_str uid)
{
    no->uid = add_word(no, uid);
}

void kin__refusal_set_continue(kin__refusal *no, kin_str token)
{
    no->continue_token = add_word(no, token);
}

void kin__refusal_set_retry_after(kin__refusal *no, uint32_t seconds)
{
    no->retry_after_s = no->has_no_memory ? 0 : seconds;
}

void kin__refusal_add_cause(kin__refusal *no, const char *reason, const char *field,
                            const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_cause(no, reason, field, format, args);
    va_end(args);
}

bool kin__refusal_write_json(const kin__refusal *no, kin__buf *out)
{
    if (!no->is_pretty) {
        write_compact(no, out);
        return !kin__buf_failed(out);
    }
    AUTO(kin__buf_fini) kin__buf compact = { 0 };
    write_compact(no, &compact);
    if (kin__buf_failed(&compact)) {
        return false;
    }
    kin__indent_append(kin__str(compact.data, compact.len), out);
    return !kin__buf_failed(out);
}

bool kin__refusal_write_proto(const kin__refusal *no, kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin_error err;

    write_compact(no, &json);
    if (kin__buf_failed(&json)) {
        return false;
    }
    kin__pb_message type = kin__pb_message_of(STR("v1"), STR("Status"));
    if (kin__pb_from_json_in(KIN__CODEC_RELEASE, type, kin__json_of(kin__str(json.data, json.len)),
                             &message, &err) != KIN_OK) {
        return false;
    }
    return kin__pb_envelope_append(STR("v1"), STR("Status"), kin__str(message.data, message.len),
                                   out);
}

/* `message` is consumed. */
static bool replace(kin__refusal *no, int code, const char *reason, kin__buf *message)
{
    if (kin__buf_failed(message)) {
        kin__buf_fini(message);
        return kin__refuse_no_memory(no);
    }
    kin__refusal_fini(no);
    no->code = code;
    no->reason = reason;
    no->message = *message;
    return false;
}

/* `message` is consumed; `name` may lie in what is replaced. */
static bool refuse_named(kin__refusal *no, int code, const char *reason,
                         const struct kin__served *served, kin_str name, kin__buf *message)
{
    kin__refusal made = { 0 };

    (void) replace(&made, code, reason, message);
    kin__refusal_set_details(&made, name, served->group, served->resource);
    kin__refusal_fini(no);
    *no = made;
    return false;
}

/* `deployments.apps "x"`, `pods "x"`. */
static void append_object_name(kin_str group, kin_str what, kin_str name, kin__buf *out)
{
    (void) kin__buf_append_str(out, what);
    if (group.len > 0) {
        (void) kin__buf_append_byte(out, '.');
        (void) kin__buf_append_str(out, group);
    }
    (void) kin__buf_append_byte(out, ' ');
    kin__quote_append(name, out);
}

static void append_formatted(kin__buf *out, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0 || !kin__buf_reserve(out, (size_t) len + 1)) {
        out->has_failed = true;
        return;
    }
    (void) vsnprintf(out->data + out->len, (size_t) len + 1, format, args);
    out->len += (size_t) len;
}

static kin__refusal_word add_word(kin__refusal *no, kin_str text)
{
    kin__refusal_word place = { (uint32_t) no->words.len, (uint32_t) text.len };

    if (no->has_no_memory || text.len == 0) {
        return (kin__refusal_word){ 0, 0 };
    }
    if (!kin__buf_append_str(&no->words, text) || no->words.len > UINT32_MAX) {
        (void) kin__refuse_no_memory(no);
        return (kin__refusal_word){ 0, 0 };
    }
    return place;
}

static void add_cause(kin__refusal *no, const char *reason, const char *field, const char *format,
                      va_list args)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };

    if (no->cause_count == KIN__REFUSAL_CAUSES) {
        return;
    }
    append_formatted(&message, format, args);
    if (kin__buf_failed(&message)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_word text = add_word(no, kin__str(message.data, message.len));
    kin__refusal_word place = add_word(no, kin_str_of(field));
    if (no->has_no_memory) {
        return;
    }
    size_t index = no->cause_count++;
    no->causes[index].reason = reason;
    no->causes[index].message = text;
    no->causes[index].field = place;
}

static kin_str word(const kin__refusal *no, kin__refusal_word place)
{
    return place.len == 0 ? STR("") : kin__str(no->words.data + place.at, place.len);
}

/* As Go's error aggregates do it: what was said already is not said again. */
static void append_causes(const kin__refusal *no, kin__buf *out)
{
    size_t start = out->len;
    size_t told = 0;

    for (size_t i = 0; i < no->cause_count; i++) {
        if (is_repeated(no, i)) {
            continue;
        }
        if (told++ > 0) {
            (void) kin__buf_append_str(out, STR(", "));
        } else {
            (void) kin__buf_append_byte(out, '[');
        }
        (void) kin__buf_append_str(out, word(no, no->causes[i].field));
        (void) kin__buf_append_str(out, STR(": "));
        (void) kin__buf_append_str(out, word(no, no->causes[i].message));
    }
    if (told > 1) {
        (void) kin__buf_append_byte(out, ']');
    } else if (!kin__buf_failed(out)) {
        memmove(out->data + start, out->data + start + 1, out->len - start - 1);
        out->len--;
    }
}

static bool is_repeated(const kin__refusal *no, size_t cause)
{
    kin_str field = word(no, no->causes[cause].field);
    kin_str message = word(no, no->causes[cause].message);

    for (size_t i = 0; i < cause; i++) {
        if (kin__str_equal(word(no, no->causes[i].field), field) &&
            kin__str_equal(word(no, no->causes[i].message), message)) {
            return true;
        }
    }
    return false;
}

static void write_compact(const kin__refusal *no, kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_begin(&w, '{');
    write_text(&w, STR("kind"), STR("Status"));
    write_text(&w, STR("apiVersion"), STR("v1"));
    kin__json_key(&w, STR("metadata"));
    kin__json_begin(&w, '{');
    write_text(&w, STR("continue"), word(no, no->continue_token));
    kin__json_end(&w, '}');
    write_text(&w, STR("status"), STR("Failure"));
    write_text(&w, STR("message"),
               no->has_no_memory ? STR("the server has no memory left")
                                 : kin__str(no->message.data, no->message.len));
    write_text(&w, STR("reason"), kin_str_of(no->reason));
    if (no->has_details || no->cause_count > 0 || no->retry_after_s > 0 || no->uid.len > 0) {
        write_details(no, &w);
    }
    kin__json_key(&w, STR("code"));
    kin__json_write_int64(&w, no->code);
    kin__json_end(&w, '}');
}

static void write_details(const kin__refusal *no, kin__json_writer *w)
{
    kin__json_key(w, STR("details"));
    kin__json_begin(w, '{');
    write_text(w, STR("name"), word(no, no->name));
    write_text(w, STR("group"), word(no, no->group));
    write_text(w, STR("kind"), word(no, no->kind));
    write_text(w, STR("uid"), word(no, no->uid));
    if (no->cause_count > 0) {
        write_causes(no, w);
    }
    if (no->retry_after_s > 0) {
        kin__json_key(w, STR("retryAfterSeconds"));
        kin__json_write_int64(w, no->retry_after_s);
    }
    kin__json_end(w, '}');
}

static void write_causes(const kin__refusal *no, kin__json_writer *w)
{
    kin__json_key(w, STR("causes"));
    kin__json_begin(w, '[');
    for (size_t i = 0; i < no->cause_count; i++) {
        kin__json_begin(w, '{');
        write_text(w, STR("reason"), kin_str_of(no->causes[i].reason));
        write_text(w, STR("message"), word(no, no->causes[i].message));
        write_text(w, STR("field"), word(no, no->causes[i].field));
        kin__json_end(w, '}');
    }
    kin__json_end(w, ']');
}

/* Nothing for an empty text. */
static void write_text(kin__json_writer *w, kin_str name, kin_str text)
{
    if (text.len > 0) {
        kin__json_key(w, name);
        kin__json_string(w, text);
    }
}
