/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - what a server's refusal says.
 *
 * Bytes are read where they lie, without a check before: the cursor and the reader keep inside
 * them whatever they are.  What is no use is as if it were not there.
 */
#include "api/status.h"

#include <string.h>

#include "api/media.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/cursor.h"
#include "json/number.h"
#include "json/scanner.h"
#include "json/string.h"
#include "proto/envelope.h"
#include "proto/reader.h"

#define QUOTED_MAX 200

/* More raw bytes than this never change a message: an escape takes 6 for 1 at most. */
#define MESSAGE_RAW_MAX (6 * sizeof((kin_error){ 0 }.message))

/* A text as it stands in its encoding. */
typedef struct raw_text {
    kin_str bytes;
    bool is_json; /* then with escapes */
} raw_text;

/* What a Status says; empty and 0 where it does not. */
typedef struct facts {
    raw_text status;
    raw_text message;
    raw_text reason;
    raw_text cause;
    raw_text continue_token;
    int64_t code;
    int64_t retry_seconds;
} facts;

/* The fields of protobuf: k8s.io/apimachinery, meta/v1/generated.proto. */
enum {
    LIST_META_CONTINUE = 3,
    STATUS_METADATA = 1,
    STATUS_STATUS = 2,
    STATUS_MESSAGE = 3,
    STATUS_REASON = 4,
    STATUS_DETAILS = 5,
    STATUS_CODE = 6,
    DETAILS_CAUSES = 4,
    DETAILS_RETRY = 5,
    CAUSE_REASON = 1,
};

/* By the reasons of meta/v1/types.go. */
static const struct {
    const char *reason;
    int http_status;
} reason_codes[] = {
    { "Unauthorized", 401 },
    { "Forbidden", 403 },
    { "NotFound", 404 },
    { "AlreadyExists", 409 },
    { "Conflict", 409 },
    { "Gone", 410 },
    { "Expired", 410 },
    { "Invalid", 422 },
    { "ServerTimeout", 500 },
    { "StorageReadError", 500 },
    { "Timeout", 504 },
    { "TooManyRequests", 429 },
    { "BadRequest", 400 },
    { "MethodNotAllowed", 405 },
    { "NotAcceptable", 406 },
    { "RequestEntityTooLarge", 413 },
    { "InternalError", 500 },
    { "UnsupportedMediaType", 415 },
    { "ServiceUnavailable", 503 },
};

static bool find_status(kin_str content_type, kin_str body, facts *out);
static bool find_in_json(kin_str body, facts *out);
static bool find_in_envelope(kin_str body, facts *out);
static void read_json(kin__json status, facts *out);
static raw_text json_text(kin__json object, const char *name);
static int64_t json_number(kin__json object, const char *name);
static void read_protobuf(kin_str message, facts *out);
static void read_details(kin_str message, facts *out);
static raw_text proto_text(kin_str message, uint32_t number);
static kin_err use_facts(const facts *said, int http_status, uint32_t retry_after_ms,
                         kin__status *out, kin_error *err);
static int settle_code(const facts *said, int http_status);
static void set_message(const facts *said, int http_status, kin_error *err);
static kin_err keep(const facts *said, kin__status *out, kin_error *err);
static kin_err use_other(int http_status, kin_str content_type, kin_str body, kin_error *err);
static kin_str first_line(kin_str body);
static bool is_html(kin__media media, kin_str body);
static size_t decode(raw_text text, char *out, size_t room);
static bool is_text(raw_text text, const char *want);
static kin_err copy_text(raw_text text, char **out, kin_error *err);
static uint32_t milliseconds(int64_t seconds);

void kin__status_fini(kin__status *status)
{
    kin__free(status->cause);
    kin__free(status->continue_token);
    *status = (kin__status){ NULL, NULL };
}

kin_err kin__status_code(int http_status)
{
    switch (http_status) {
    case 400:
    case 422:
        return KIN_ERR_INVALID;
    case 401:
        return KIN_ERR_UNAUTHORIZED;
    case 403:
        return KIN_ERR_FORBIDDEN;
    case 404:
        return KIN_ERR_NOT_FOUND;
    case 409:
        return KIN_ERR_CONFLICT;
    case 410:
        return KIN_ERR_EXPIRED;
    case 429:
        return KIN_ERR_THROTTLED;
    default:
        break;
    }
    switch (http_status / 100) {
    case 2:
        return KIN_OK;
    case 4:
        return KIN_ERR_REFUSED;
    case 5:
        return KIN_ERR_SERVER;
    default:
        return KIN_ERR_PROTOCOL;
    }
}

/* Its apiVersion is "v1" wherever it comes from; a custom resource may have the same kind. */
bool kin__status_is_kind(kin_str api_version, kin_str kind)
{
    return kin__str_equal(kind, STR("Status")) &&
           (api_version.len == 0 || kin__str_equal(api_version, STR("v1")) ||
            kin__str_equal(api_version, STR("meta.k8s.io/v1")));
}

kin_err kin__status_read(int http_status, kin_str content_type, kin_str body,
                         uint32_t retry_after_ms, kin__status *out, kin_error *err)
{
    facts said = { 0 };

    if (out != NULL) {
        *out = (kin__status){ NULL, NULL };
    }
    if (find_status(content_type, body, &said)) {
        return use_facts(&said, http_status, retry_after_ms, out, err);
    }
    (void) use_other(http_status, content_type, body, err);
    err->http_status = http_status;
    err->retry_after_ms = retry_after_ms;
    return err->code;
}

kin_err kin__status_from_json(kin_str json, kin__status *out, kin_error *err)
{
    facts said = { 0 };

    if (out != NULL) {
        *out = (kin__status){ NULL, NULL };
    }
    read_json(kin__json_of(json), &said);
    return is_text(said.status, "Success") ? KIN_OK : use_facts(&said, 0, 0, out, err);
}

kin_err kin__status_from_protobuf(kin_str message, kin__status *out, kin_error *err)
{
    facts said = { 0 };

    if (out != NULL) {
        *out = (kin__status){ NULL, NULL };
    }
    read_protobuf(message, &said);
    return is_text(said.status, "Success") ? KIN_OK : use_facts(&said, 0, 0, out, err);
}

/* Whether the body is the Status of a failure.  A server's 504 says that it is plain text, and has
 * no kind. */
static bool find_status(kin_str content_type, kin_str body, facts *out)
{
    switch (kin__media_of(content_type)) {
    case KIN__MEDIA_PROTOBUF:
        return find_in_envelope(body, out);
    case KIN__MEDIA_JSON:
    case KIN__MEDIA_TEXT:
    case KIN__MEDIA_NONE:
        return find_in_json(body, out);
    case KIN__MEDIA_HTML:
    case KIN__MEDIA_OTHER:
        break;
    }
    return false;
}

static bool find_in_json(kin_str body, facts *out)
{
    kin__json document = kin__json_of(body);
    raw_text kind = json_text(document, "kind");

    if (kind.bytes.data != NULL && !is_text(kind, "Status")) {
        return false;
    }
    read_json(document, out);
    return is_text(out->status, "Failure") ||
           (kind.bytes.data != NULL && !is_text(out->status, "Success"));
}

static bool find_in_envelope(kin_str body, facts *out)
{
    kin__pb_envelope envelope;
    kin_error unwanted;

    if (kin__pb_envelope_parse(body, 0, &envelope, &unwanted) != KIN_OK ||
        !kin__status_is_kind(envelope.api_version, envelope.kind)) {
        return false;
    }
    read_protobuf(envelope.message, out);
    return !is_text(out->status, "Success");
}

static void read_json(kin__json status, facts *out)
{
    kin__json details = kin__json_member(status, STR("details"));
    kin__json cause = kin__json_element(kin__json_member(details, STR("causes")), 0);

    out->status = json_text(status, "status");
    out->message = json_text(status, "message");
    out->reason = json_text(status, "reason");
    out->code = json_number(status, "code");
    out->retry_seconds = json_number(details, "retryAfterSeconds");
    out->cause = json_text(cause, "reason");
    out->continue_token = json_text(kin__json_member(status, STR("metadata")), "continue");
}

static raw_text json_text(kin__json object, const char *name)
{
    return (raw_text){ kin__json_raw_string(kin__json_member(object, kin_str_of(name))), true };
}

static int64_t json_number(kin__json object, const char *name)
{
    kin__json member = kin__json_member(object, kin_str_of(name));
    kin_str raw = kin__json_text(member);
    kin_error unwanted;
    int64_t number = 0;

    /* The reader of numbers wants valid ones, and these bytes may be anything. */
    if (kin__json_type(member) != KIN_TYPE_NUMBER || kin__json_check(raw, &unwanted) != KIN_OK ||
        kin__json_int64(raw, &number) != KIN_OK) {
        return 0;
    }
    return number;
}

static void read_protobuf(kin_str message, facts *out)
{
    kin__pb_reader reader = kin__pb_read(message.data, message.len);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        kin_str content = kin__str((const char *) field.bytes, field.len);
        raw_text text = { content, false };
        if (field.wire == KIN__PB_VARINT && field.number == STATUS_CODE) {
            out->code = (int32_t) (uint32_t) field.varint;
        }
        if (field.wire != KIN__PB_LEN) {
            continue;
        }
        if (field.number == STATUS_METADATA) {
            out->continue_token = proto_text(content, LIST_META_CONTINUE);
        } else if (field.number == STATUS_STATUS) {
            out->status = text;
        } else if (field.number == STATUS_MESSAGE) {
            out->message = text;
        } else if (field.number == STATUS_REASON) {
            out->reason = text;
        } else if (field.number == STATUS_DETAILS) {
            read_details(content, out);
        }
    }
}

static void read_details(kin_str message, facts *out)
{
    kin__pb_reader reader = kin__pb_read(message.data, message.len);
    kin__pb_field field;
    bool had_cause = false;

    while (kin__pb_next(&reader, &field)) {
        if (field.number == DETAILS_CAUSES && field.wire == KIN__PB_LEN && !had_cause) {
            had_cause = true;
            out->cause = proto_text(kin__str((const char *) field.bytes, field.len), CAUSE_REASON);
        } else if (field.number == DETAILS_RETRY && field.wire == KIN__PB_VARINT) {
            out->retry_seconds = (int32_t) (uint32_t) field.varint;
        }
    }
}

static raw_text proto_text(kin_str message, uint32_t number)
{
    kin__pb_reader reader = kin__pb_read(message.data, message.len);
    kin__pb_field field;
    raw_text text = { { NULL, 0 }, false };

    while (kin__pb_next(&reader, &field)) {
        if (field.number == number && field.wire == KIN__PB_LEN) {
            text.bytes = kin__str((const char *) field.bytes, field.len);
        }
    }
    return text;
}

static kin_err use_facts(const facts *said, int http_status, uint32_t retry_after_ms,
                         kin__status *out, kin_error *err)
{
    int code = settle_code(said, http_status);

    set_message(said, code, err);
    err->code = kin__status_code(code);
    err->http_status = code;
    err->retry_after_ms = retry_after_ms != 0 ? retry_after_ms : milliseconds(said->retry_seconds);
    err->reason[decode(said->reason, err->reason, sizeof err->reason - 1)] = '\0';
    kin__utf8_clean_line(err->reason);
    return out == NULL ? err->code : keep(said, out, err);
}

/* 400 at least. */
static int settle_code(const facts *said, int http_status)
{
    if (said->code >= 400 && said->code <= 599) {
        return (int) said->code;
    }
    for (size_t i = 0; i < sizeof reason_codes / sizeof reason_codes[0]; i++) {
        if (is_text(said->reason, reason_codes[i].reason)) {
            return reason_codes[i].http_status;
        }
    }
    return http_status >= 400 && http_status <= 599 ? http_status : 500;
}

static void set_message(const facts *said, int http_status, kin_error *err)
{
    char message[MESSAGE_RAW_MAX];
    char reason[sizeof err->reason];
    size_t len = decode(said->message, message, sizeof message);

    if (len > 0) {
        kin__error_set(err, KIN_ERR_SERVER, "%.*s", (int) len, message);
        return;
    }
    len = decode(said->reason, reason, sizeof reason);
    kin__error_set(err, KIN_ERR_SERVER, "the server answered %d%s%.*s", http_status,
                   len > 0 ? ", " : "", (int) len, reason);
}

static kin_err keep(const facts *said, kin__status *out, kin_error *err)
{
    AUTO(kin__status_fini) kin__status kept = { NULL, NULL };
    kin_error no_memory;

    if (copy_text(said->cause, &kept.cause, &no_memory) != KIN_OK ||
        copy_text(said->continue_token, &kept.continue_token, &no_memory) != KIN_OK) {
        *err = no_memory;
        return err->code;
    }
    *out = kept;
    kept = (kin__status){ NULL, NULL };
    return err->code;
}

/* A body that is no Status. */
static kin_err use_other(int http_status, kin_str content_type, kin_str body, kin_error *err)
{
    kin_err code = kin__status_code(http_status);
    kin__media media = kin__media_of(content_type);
    kin_str line = first_line(body);

    if (code == KIN_OK) {
        code = KIN_ERR_PROTOCOL;
    }
    if (is_html(media, body)) {
        return kin__error_set(err, code, "the server answered %d with a page of HTML", http_status);
    }
    if (line.len > 0 && (media == KIN__MEDIA_TEXT || media == KIN__MEDIA_NONE)) {
        return kin__error_set(err, code, "the server answered %d: %.*s", http_status,
                              (int) line.len, line.data);
    }
    if (body.len > 0 && content_type.len > 0) {
        int quoted = (int) (content_type.len < QUOTED_MAX ? content_type.len : QUOTED_MAX);
        return kin__error_set(err, code, "the server answered %d with %.*s that is no Status",
                              http_status, quoted, content_type.data);
    }
    return kin__error_set(err, code, "the server answered %d", http_status);
}

/* The first line that has something in it, QUOTED_MAX bytes of it at most. */
static kin_str first_line(kin_str body)
{
    size_t from = 0;
    size_t len = 0;

    while (from < body.len && (unsigned char) body.data[from] <= ' ') {
        from++;
    }
    while (from + len < body.len && body.data[from + len] != '\n' &&
           body.data[from + len] != '\r' && len < QUOTED_MAX) {
        len++;
    }
    return len == 0 ? STR("") : kin__str(body.data + from, len);
}

/* Proxies are not particular about the type. */
static bool is_html(kin__media media, kin_str body)
{
    kin_str line = first_line(body);

    return media == KIN__MEDIA_HTML ||
           (media != KIN__MEDIA_PROTOBUF && line.len > 1 && line.data[0] == '<');
}

/* At most `room` bytes of what the text means; it is not terminated.  A zero would end it early,
 * and becomes a question mark. */
static size_t decode(raw_text text, char *out, size_t room)
{
    kin_str bytes = text.bytes;
    size_t len = bytes.len < room ? bytes.len : room;

    if (text.is_json) {
        len = kin__json_decode(kin__str(bytes.data, len), out);
    } else if (len > 0) {
        memcpy(out, bytes.data, len);
    }
    for (size_t i = 0; i < len; i++) {
        if (out[i] == '\0') {
            out[i] = '?';
        }
    }
    return len;
}

static bool is_text(raw_text text, const char *want)
{
    return text.is_json
               ? text.bytes.data != NULL && kin__json_string_equals(text.bytes, kin_str_of(want))
               : kin__str_equal(text.bytes, kin_str_of(want));
}

/* NULL for an empty one. */
static kin_err copy_text(raw_text text, char **out, kin_error *err)
{
    if (text.bytes.len == 0) {
        *out = NULL;
        return KIN_OK;
    }
    char *copy = kin__alloc(text.bytes.len + 1);
    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    copy[decode(text, copy, text.bytes.len)] = '\0';
    *out = copy;
    return KIN_OK;
}

static uint32_t milliseconds(int64_t seconds)
{
    if (seconds <= 0) {
        return 0;
    }
    return seconds > UINT32_MAX / 1000 ? UINT32_MAX : (uint32_t) seconds * 1000;
}
