/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.c - from the body of a request to the tree of an object, and back to JSON.
 */
#include "server/codec.h"

#include "base/str.h"
#include "proto/parse.h"
#include "proto/render.h"
#include "server/codec_decode.h"
#include "server/codec_sorted.h"

#define SUMMARY_BYTES 30

static bool refuse_words(const kin__codec_kind *kind, kin_str body,
                         const kin__codec_outcome *outcome, kin__refusal *no);
static bool refuse_strict(const kin__codec_kind *kind, kin__codec_outcome *outcome,
                          kin__refusal *no);
static void put_summary(kin_str body, kin__buf *buf);
static kin_err encode_typed(const kin__codec_kind *kind, const kin__node *tree, kin__buf *buf,
                            kin_error *err);
static kin_str text_of(const kin__buf *buf);
static kin_str version_of(kin_str api_version);

bool kin__codec_decode(const kin__codec_kind *kind, const kin__codec_body *body, kin__node **out,
                       kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__codec_outcome_fini) kin__codec_outcome outcome = { 0 };
    AUTO(kin__node_free) kin__node *made = NULL;
    kin_error err;

    kin_err code = kin__codec_decode_as(kind, body, &outcome, &made, &err);
    if (code != KIN_OK) {
        return code == KIN_ERR_INVALID ? refuse_words(kind, body->bytes, &outcome, no)
                                       : kin__refuse_no_memory(no);
    }
    if (outcome.notes.count != 0 && body->validation == KIN__FIELDS_STRICT) {
        return refuse_strict(kind, &outcome, no);
    }
    if (!kin__str_equal(text_of(&outcome.api_version), kind->api_version)) {
        return kin__refuse_bad_request(no,
                                       "the API version in the data (%.*s) does not match the "
                                       "expected API version (%.*s)",
                                       KIN_STR_ARG(text_of(&outcome.api_version)),
                                       KIN_STR_ARG(kind->api_version));
    }
    kin__codec_warnings_fini(warnings);
    *warnings = outcome.notes;
    outcome.notes = (kin__codec_warnings){ 0 };
    *out = STEAL(made);
    return true;
}

/* Before and after the body's kind is known. */
static bool refuse_words(const kin__codec_kind *kind, kin_str body,
                         const kin__codec_outcome *outcome, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf summary = { 0 };
    kin_str words = text_of(&outcome->words);

    if (outcome->is_recognized && outcome->kind.len != 0) {
        return kin__refuse_bad_request(no,
                                       "%.*s in version \"%.*s\" cannot be handled as a %.*s: %.*s",
                                       KIN_STR_ARG(text_of(&outcome->kind)),
                                       KIN_STR_ARG(version_of(text_of(&outcome->api_version))),
                                       KIN_STR_ARG(kind->kind), KIN_STR_ARG(words));
    }
    put_summary(body, &summary);
    return kin__buf_failed(&summary)
               ? kin__refuse_no_memory(no)
               : kin__refuse_bad_request(no,
                                         "the object provided is unrecognized (must be of type "
                                         "%.*s): %.*s (%.*s)",
                                         KIN_STR_ARG(kind->kind), KIN_STR_ARG(words),
                                         KIN_STR_ARG(text_of(&summary)));
}

/* All that would else be warned of. */
static bool refuse_strict(const kin__codec_kind *kind, kin__codec_outcome *outcome,
                          kin__refusal *no)
{
    kin__codec_strict_error(&outcome->notes, &outcome->words);
    return kin__buf_failed(&outcome->words) ? kin__refuse_no_memory(no)
                                            : refuse_words(kind, STR(""), outcome, no);
}

/* The first bytes: as they are of what looks like JSON, else in hexadecimal. */
static void put_summary(kin_str body, kin__buf *buf)
{
    size_t len = body.len < SUMMARY_BYTES ? body.len : SUMMARY_BYTES;

    if (body.len == 0) {
        (void) kin__buf_append_str(buf, STR("<empty>"));
        return;
    }
    for (size_t i = 0; body.data[0] != '{' && i < len; i++) {
        (void) kin__buf_append_format(buf, "%02x", (unsigned char) body.data[i]);
    }
    if (body.data[0] == '{') {
        (void) kin__buf_append(buf, body.data, len);
    }
    (void) kin__buf_append_str(buf, len < body.len ? STR(" ...") : STR(""));
}

kin_err kin__codec_encode(const kin__codec_kind *kind, const kin__node *tree, kin__buf *buf,
                          kin_error *err)
{
    return kind->message == KIN__PB_NO_MESSAGE ? kin__codec_sorted(tree, buf, err)
                                               : encode_typed(kind, tree, buf, err);
}

static kin_err encode_typed(const kin__codec_kind *kind, const kin__node *tree, kin__buf *buf,
                            kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin__pb_rendering rendering = { .kind = kind->kind,
                                    .api_version = kind->api_version,
                                    .release = KIN__CODEC_RELEASE };

    if (!kin__node_append_json(tree, &json)) {
        return kin__error_no_memory(err);
    }
    if (kin__pb_from_json_in(KIN__CODEC_RELEASE, kind->message, kin__json_of(text_of(&json)),
                             &message, err) != KIN_OK) {
        return err->code;
    }
    return kin__pb_render(kind->message, text_of(&message), &rendering, buf, err);
}

static kin_str text_of(const kin__buf *buf)
{
    return kin__str(buf->data == NULL ? "" : buf->data, buf->len);
}

static kin_str version_of(kin_str api_version)
{
    const char *slash =
        api_version.len == 0 ? NULL : memchr(api_version.data, '/', api_version.len);

    return slash == NULL
               ? api_version
               : kin__str(slash + 1, (size_t) (api_version.data + api_version.len - slash) - 1);
}
