/* SPDX-License-Identifier: Apache-2.0 */
/*
 * success.c - answers that are no object of the resource.
 */
#include "server/success.h"

#include "base/str.h"
#include "json/cursor.h"
#include "json/writer.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "server/codec.h"
#include "server/indent.h"

static void write_status(const kin__success *success, kin__buf *out);
static void write_text(kin__json_writer *w, kin_str name, kin_str text);
static bool append_proto(kin_str api_version, kin_str kind, kin_str json, kin__buf *out);
static bool fill(kin__asked *asked, kin_str api_version, kin_str kind, const kin__buf *json,
                 kin__answer *answer);

bool kin__answer_success(kin__asked *asked, const kin__success *success, kin__answer *answer,
                         kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    write_status(success, &json);
    answer->status = success->status;
    return fill(asked, STR("v1"), STR("Status"), &json, answer) || kin__refuse_no_memory(no);
}

bool kin__answer_kind(kin__asked *asked, kin_str api_version, kin_str kind, const kin__node *tree,
                      int status, kin__answer *answer, kin__refusal *no)
{
    const kin__codec_kind of = { api_version, kind, kin__pb_message_of(api_version, kind) };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin_error err;

    if (kin__codec_encode(&of, tree, &json, &err) != KIN_OK) {
        return err.code == KIN_ERR_NO_MEMORY
                   ? kin__refuse_no_memory(no)
                   : kin__refuse(no, 500, "InternalError", "Internal error occurred: %s",
                                 err.message);
    }
    answer->status = status;
    return fill(asked, api_version, kind, &json, answer) || kin__refuse_no_memory(no);
}

static bool fill(kin__asked *asked, kin_str api_version, kin_str kind, const kin__buf *json,
                 kin__answer *answer)
{
    kin_str text = kin__str(json->data, json->len);

    if (kin__buf_failed(json)) {
        return false;
    }
    if (asked->form.encoding == KIN__FORM_PROTO) {
        answer->content_type = "application/vnd.kubernetes.protobuf";
        return append_proto(api_version, kind, text, &answer->bytes);
    }
    answer->content_type = "application/json";
    if (asked->form.is_pretty) {
        kin__indent_append(text, &answer->bytes);
    } else {
        (void) kin__buf_append_str(&answer->bytes, text);
        (void) kin__buf_append_byte(&answer->bytes, '\n');
    }
    return !kin__buf_failed(&answer->bytes);
}

static void write_status(const kin__success *success, kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_raw(&w, STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                          "\"status\":\"Success\""));
    w.wants_comma = true;
    if (success->name.len > 0) {
        kin__json_key(&w, STR("details"));
        kin__json_begin(&w, '{');
        write_text(&w, STR("name"), success->name);
        write_text(&w, STR("group"), success->group);
        write_text(&w, STR("kind"), success->kind);
        write_text(&w, STR("uid"), success->uid);
        kin__json_end(&w, '}');
    }
    if (success->status != 200) {
        kin__json_key(&w, STR("code"));
        kin__json_write_int64(&w, success->status);
    }
    kin__json_end(&w, '}');
}

static void write_text(kin__json_writer *w, kin_str name, kin_str text)
{
    if (text.len > 0) {
        kin__json_key(w, name);
        kin__json_string(w, text);
    }
}

static bool append_proto(kin_str api_version, kin_str kind, kin_str json, kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin__pb_message type = kin__pb_message_of(api_version, kind);
    kin_error err;

    return kin__pb_from_json_in(KIN__CODEC_RELEASE, type, kin__json_of(json), &message, &err) ==
               KIN_OK &&
           kin__pb_envelope_append(api_version, kind, kin__str(message.data, message.len), out);
}
