/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head.c - header lines, of which a few are kept.
 *
 * libcurl gives lines of HTTP/2 the shape of HTTP/1.1's ("HTTP/2 200", "content-type: ...") and
 * limits their length and number.
 */
#include "net/http_head.h"

#include <curl/curl.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"

#define DATE_MAX 64u /* bytes of a Retry-After that may be a date */

static void begin(kin__head_reader *reader, kin_str line);
static void read_field(kin__head_reader *reader, kin_str name, kin_str value, kin_time now);
static void set(kin__buf *buf, kin_str value);
static uint32_t read_retry_after(kin_str value, kin_time now);
static bool read_number(kin_str *text, uint32_t *out);
static void read_warnings(kin__buf *warnings, kin_str value);
static bool read_warning(kin_str *rest, kin__buf *warnings);
static void append_quoted(kin_str *rest, kin__buf *out);
static void skip_until(kin_str *text, char end);
static kin_str trim(kin_str text);
static bool is_name(kin_str name, const char *wanted);
static bool has_failed(const kin__head_reader *reader);

void kin__head_reader_fini(kin__head_reader *reader)
{
    kin__buf_fini(&reader->content_type);
    kin__buf_fini(&reader->content_encoding);
    kin__buf_fini(&reader->location);
    kin__buf_fini(&reader->etag);
    kin__buf_fini(&reader->warnings);
}

kin_err kin__head_reader_line(kin__head_reader *reader, kin_str line, kin_time now, kin_error *err)
{
    if (reader->is_complete) {
        return KIN_OK;
    }
    kin_str text = trim(line);
    if (text.len == 0) {
        reader->is_complete = reader->status >= 200;
        return KIN_OK;
    }
    if (kin__str_starts_with(text, STR("HTTP/"))) {
        begin(reader, text);
        return KIN_OK;
    }
    const char *colon = memchr(text.data, ':', text.len);
    if (colon != NULL) {
        size_t len = (size_t) (colon - text.data);
        kin_str value = trim(kin__str(colon + 1, text.len - len - 1));
        read_field(reader, kin__str(text.data, len), value, now);
    }
    return has_failed(reader) ? kin__error_no_memory(err) : KIN_OK;
}

kin__http_head kin__head_reader_get(const kin__head_reader *reader)
{
    return (kin__http_head){
        .status = reader->status,
        .content_type = kin__str(reader->content_type.data, reader->content_type.len),
        .location = kin__str(reader->location.data, reader->location.len),
        .retry_after_ms = reader->retry_after_ms,
        .is_http2 = reader->is_http2,
        .warnings = kin__str(reader->warnings.data, reader->warnings.len),
        .etag = kin__str(reader->etag.data, reader->etag.len),
    };
}

/* "HTTP/1.1 200 OK", "HTTP/2 200 " */
static void begin(kin__head_reader *reader, kin_str line)
{
    kin_str rest = line;
    uint32_t status = 0;

    kin__buf_clear(&reader->content_type);
    kin__buf_clear(&reader->content_encoding);
    kin__buf_clear(&reader->location);
    kin__buf_clear(&reader->etag);
    kin__buf_clear(&reader->warnings);
    reader->is_gzip = false;
    reader->retry_after_ms = 0;
    reader->is_http2 = kin__str_starts_with(line, STR("HTTP/2"));
    skip_until(&rest, ' ');
    rest = trim(rest);
    reader->status = read_number(&rest, &status) && status < 1000 ? (int) status : 0;
}

static void read_field(kin__head_reader *reader, kin_str name, kin_str value, kin_time now)
{
    if (is_name(name, "content-type")) {
        set(&reader->content_type, value);
    } else if (is_name(name, "content-encoding")) {
        set(&reader->content_encoding, value);
        reader->is_gzip = is_name(value, "gzip") || is_name(value, "x-gzip");
    } else if (is_name(name, "location")) {
        set(&reader->location, value);
    } else if (is_name(name, "etag")) {
        set(&reader->etag, value);
    } else if (is_name(name, "retry-after")) {
        reader->retry_after_ms = read_retry_after(value, now);
    } else if (is_name(name, "warning")) {
        read_warnings(&reader->warnings, value);
    }
}

static void set(kin__buf *buf, kin_str value)
{
    kin__buf_clear(buf);
    (void) kin__buf_append_str(buf, value); /* the caller asks once for all of them */
}

/* Seconds or a date (RFC 9110, 10.2.3); anything else, and the past, is nothing. */
static uint32_t read_retry_after(kin_str value, kin_time now)
{
    kin_str rest = value;
    uint32_t seconds = 0;
    char text[DATE_MAX + 1];

    if (read_number(&rest, &seconds) && rest.len == 0) {
        return seconds < KIN__RETRY_AFTER_MAX_MS / 1000 ? seconds * 1000 : KIN__RETRY_AFTER_MAX_MS;
    }
    if (value.len > DATE_MAX || value.len == 0 || memchr(value.data, 0, value.len) != NULL) {
        return 0;
    }
    memcpy(text, value.data, value.len);
    text[value.len] = '\0';
    time_t when = curl_getdate(text, NULL);
    if (when < 0 || (int64_t) when <= now.seconds) {
        return 0;
    }
    int64_t ahead = (int64_t) when - now.seconds;
    return ahead < KIN__RETRY_AFTER_MAX_MS / 1000 ? (uint32_t) ahead * 1000
                                                  : KIN__RETRY_AFTER_MAX_MS;
}

/* Digits at the front; what is too large becomes the largest there is. */
static bool read_number(kin_str *text, uint32_t *out)
{
    uint64_t number = 0;
    size_t count = 0;
    while (count < text->len && text->data[count] >= '0' && text->data[count] <= '9') {
        number = number * 10 + (uint64_t) (text->data[count] - '0');
        number = number > UINT32_MAX ? UINT32_MAX : number;
        count++;
    }
    *text = kin__str(text->data + count, text->len - count);
    *out = (uint32_t) number;
    return count != 0;
}

/* 299 - "a text" "a date", 299 - "another" (RFC 7234, 5.5) */
static void read_warnings(kin__buf *warnings, kin_str value)
{
    kin_str rest = value;
    while (read_warning(&rest, warnings)) {
        skip_until(&rest, ',');
        if (rest.len != 0) {
            rest = trim(kin__str(rest.data + 1, rest.len - 1));
        }
    }
}

/* Leaves `rest` behind the text; false when there is none. */
static bool read_warning(kin_str *rest, kin__buf *warnings)
{
    uint32_t code = 0;
    kin__buf ignored = { 0 };

    if (!read_number(rest, &code)) {
        return false;
    }
    skip_until(rest, '"');
    if (rest->len == 0) {
        return false;
    }
    if (code == 299 && warnings->len != 0) {
        (void) kin__buf_append_byte(warnings, '\n');
    }
    append_quoted(rest, code == 299 ? warnings : &ignored);
    kin__buf_fini(&ignored);
    return true;
}

/* A quoted string, with what follows a backslash taken as it is. */
static void append_quoted(kin_str *rest, kin__buf *out)
{
    size_t i = 1;
    while (i < rest->len && rest->data[i] != '"') {
        i += rest->data[i] == '\\' && i + 1 < rest->len;
        (void) kin__buf_append_byte(out, rest->data[i] == '\n' ? ' ' : rest->data[i]);
        i++;
    }
    i += i < rest->len;
    *rest = kin__str(rest->data + i, rest->len - i);
}

static void skip_until(kin_str *text, char end)
{
    const char *place = text->len == 0 ? NULL : memchr(text->data, end, text->len);
    size_t skipped = place == NULL ? text->len : (size_t) (place - text->data);
    *text = kin__str(text->data + skipped, text->len - skipped);
}

static kin_str trim(kin_str text)
{
    while (text.len != 0 && memchr(" \t\r\n", text.data[0], 4) != NULL) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len != 0 && memchr(" \t\r\n", text.data[text.len - 1], 4) != NULL) {
        text.len--;
    }
    return text;
}

static bool is_name(kin_str name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.data, wanted, name.len) == 0;
}

static bool has_failed(const kin__head_reader *reader)
{
    return kin__buf_failed(&reader->content_type) || kin__buf_failed(&reader->content_encoding) ||
           kin__buf_failed(&reader->location) || kin__buf_failed(&reader->etag) ||
           kin__buf_failed(&reader->warnings);
}
