/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c - heads of answers.
 */
#include "httpd/reply.h"

#include "base/str.h"

bool kin__reply_write(const kin__reply *reply, kin__buf *out)
{
    const char *words = kin__status_text(reply->status);
    if (words != NULL) {
        kin__buf_append_format(out, "HTTP/1.%u %d %s\r\n", reply->minor, reply->status, words);
    } else {
        kin__buf_append_format(out, "HTTP/1.%u %03d status code %d\r\n", reply->minor,
                               reply->status, reply->status);
    }
    for (size_t i = 0; i < reply->count; i++) {
        if (!kin__field_is(reply->fields[i].name, STR("Connection"))) {
            kin__reply_write_field(out, reply->fields[i].name, reply->fields[i].value);
        }
    }
    kin__reply_write_field(out, STR("Date"), reply->date);
    if (reply->has_length) {
        kin__buf_append_format(out, "Content-Length: %zu\r\n", reply->length);
    }
    if (!reply->is_kept && reply->minor != 0) {
        kin__reply_write_field(out, STR("Connection"), STR("close"));
    } else if (reply->is_kept && reply->minor == 0) {
        kin__reply_write_field(out, STR("Connection"), STR("keep-alive"));
    }
    if (reply->framing == KIN__FRAMING_CHUNKS) {
        kin__reply_write_field(out, STR("Transfer-Encoding"), STR("chunked"));
    }
    kin__buf_append_str(out, STR("\r\n"));
    return !kin__buf_failed(out);
}

/* Go's words; see (*conn).serve in net/http/server.go. */
bool kin__reply_write_refusal(kin__refusal refusal, kin__buf *out)
{
    const char *text = kin__status_text(refusal.status);
    const char *colon = refusal.words == NULL ? "" : ": ";
    const char *words = refusal.words == NULL ? "" : refusal.words;
    const char *head = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n";
    if (refusal.status == 501) {
        kin__buf_append_format(out, "HTTP/1.1 501 %s%sUnsupported transfer encoding", text, head);
    } else {
        kin__buf_append_format(out, "HTTP/1.1 %d %s%s%s%s%d %s%s%s", refusal.status, text, colon,
                               words, head, refusal.status, text, colon, words);
    }
    return !kin__buf_failed(out);
}

void kin__reply_write_field(kin__buf *out, kin_str name, kin_str value)
{
    kin__buf_append_str(out, name);
    kin__buf_append_str(out, STR(": "));
    size_t begin = out->len;
    if (kin__buf_append_str(out, value)) {
        for (size_t i = begin; i < out->len; i++) {
            if (out->data[i] == '\r' || out->data[i] == '\n') {
                out->data[i] = ' ';
            }
        }
    }
    kin__buf_append_str(out, STR("\r\n"));
}

/* The words of Go's net/http, which follow the register of IANA and differ in capitals. */
const char *kin__status_text(int status)
{
    static const struct {
        int status;
        const char *words;
    } texts[] = {
        { 100, "Continue" },
        { 101, "Switching Protocols" },
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 203, "Non-Authoritative Information" },
        { 204, "No Content" },
        { 205, "Reset Content" },
        { 206, "Partial Content" },
        { 300, "Multiple Choices" },
        { 301, "Moved Permanently" },
        { 302, "Found" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 307, "Temporary Redirect" },
        { 308, "Permanent Redirect" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 402, "Payment Required" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 407, "Proxy Authentication Required" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 410, "Gone" },
        { 411, "Length Required" },
        { 412, "Precondition Failed" },
        { 413, "Request Entity Too Large" },
        { 414, "Request URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 416, "Requested Range Not Satisfiable" },
        { 417, "Expectation Failed" },
        { 418, "I'm a teapot" },
        { 421, "Misdirected Request" },
        { 422, "Unprocessable Entity" },
        { 423, "Locked" },
        { 424, "Failed Dependency" },
        { 425, "Too Early" },
        { 426, "Upgrade Required" },
        { 428, "Precondition Required" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 451, "Unavailable For Legal Reasons" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
        { 505, "HTTP Version Not Supported" },
        { 507, "Insufficient Storage" },
        { 511, "Network Authentication Required" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].status == status) {
            return texts[i].words;
        }
    }
    return NULL;
}
