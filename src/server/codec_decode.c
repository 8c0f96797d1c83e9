/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_decode.c - the body of a request as a tree, and what Go's decoder says of it.
 *
 * The steps are those of kube-apiserver's decoder: first only kind and apiVersion are looked for
 * (interpret), then the type they name is read, and only then it turns out whether that type is
 * the URL's.  So the first fault is the one a real server tells of.
 */
#include "server/codec_decode.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "json/scanner.h"
#include "json/string.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "proto/render.h"
#include "server/codec_read.h"
#include "server/codec_read_state.h"
#include "server/codec_syntax.h"
#include "server/go_type.h"

/* What the real server calls its scheme. */
#define SCHEME "pkg/runtime/scheme.go:111"

#define NOT_INTERPRETED "couldn't get version/kind; json parse error: "

/* One decoding. */
typedef struct decoding {
    const kin__codec_kind *expected;
    const kin__codec_body *body;
    kin__codec_outcome *outcome;
    kin_error *err;
} decoding;

static kin_err decode_typed(decoding *d, kin__node **out);
static kin_err decode_custom(decoding *d, kin__node **out);
static kin_err decode_metadata(decoding *d, kin__node *tree);
static kin_err canonical_metadata(decoding *d, const kin__node *metadata, kin__pb_message message,
                                  kin__node **out);
static kin_err decode_message(decoding *d, kin__pb_message message, kin__node **out);
static kin_err interpret(decoding *d);
static kin_err interpret_member(decoding *d, const kin__json_iter *member);
static kin_err interpret_envelope(decoding *d);
static kin_err default_type(decoding *d);
static kin_err read_as(decoding *d, kin__pb_message message, kin__json value, kin__node **out);
static kin__codec_warnings *notes_of(decoding *d);
static kin_err check_kind(decoding *d, kin__pb_message message);
static kin_err set_type(decoding *d, kin__node *tree);
static kin_err set_text(kin__node *tree, kin_str name, kin_str text, kin_error *err);
static kin_err refuse(decoding *d, const char *format, ...) KIN__PRINTF(2, 3);
static kin_str text_of(const kin__buf *buf);
static kin_str internal_package(kin_str api_version);
static bool is_group_version(kin_str text);
static bool equals_folded(kin_str name, const char *lower);

void kin__codec_outcome_fini(kin__codec_outcome *outcome)
{
    kin__codec_warnings_fini(&outcome->notes);
    kin__buf_fini(&outcome->words);
    kin__buf_fini(&outcome->api_version);
    kin__buf_fini(&outcome->kind);
}

kin_err kin__codec_decode_as(const kin__codec_kind *kind, const kin__codec_body *body,
                             kin__codec_outcome *outcome, kin__node **out, kin_error *err)
{
    AUTO(kin__node_free) kin__node *made = NULL;
    decoding d = { .expected = kind, .body = body, .outcome = outcome, .err = err };
    kin_err code = body->is_protobuf ? interpret_envelope(&d) : interpret(&d);

    if (code == KIN_OK) {
        code = kind->message == KIN__PB_NO_MESSAGE ? decode_custom(&d, &made)
                                                   : decode_typed(&d, &made);
    }
    if (kin__buf_failed(&outcome->words)) {
        return kin__error_no_memory(err);
    }
    if (code == KIN_OK) {
        *out = STEAL(made);
    }
    return code;
}

static kin_err decode_typed(decoding *d, kin__node **out)
{
    const kin__codec_outcome *said = d->outcome;

    if (default_type(d) != KIN_OK) {
        return d->err->code;
    }
    kin__pb_message message = kin__pb_message_of(text_of(&said->api_version), text_of(&said->kind));
    if (message == KIN__PB_NO_MESSAGE) {
        return refuse(
            d, "no kind \"%.*s\" is registered for version \"%.*s\" in scheme \"" SCHEME "\"",
            KIN_STR_ARG(text_of(&said->kind)), KIN_STR_ARG(text_of(&said->api_version)));
    }
    kin_err code = d->body->is_protobuf ? decode_message(d, message, out)
                                        : read_as(d, message, kin__json_of(d->body->bytes), out);
    if (code != KIN_OK || (code = check_kind(d, message)) != KIN_OK) {
        return code;
    }
    return set_type(d, *out);
}

/* Nothing is defaulted, and the tree keeps its kind. */
static kin_err decode_custom(decoding *d, kin__node **out)
{
    kin__codec_outcome *said = d->outcome;

    if (d->body->is_protobuf) {
        return refuse(d, "custom resources have no protobuf form");
    }
    if (read_as(d, KIN__PB_NO_MESSAGE, kin__json_of(d->body->bytes), out) != KIN_OK) {
        return d->err->code;
    }
    const kin__node *kind = kin__node_member(*out, STR("kind"));
    const kin__node *version = kin__node_member(*out, STR("apiVersion"));
    bool has_kind = kind != NULL && kin__node_type(kind) == KIN_TYPE_STRING;
    bool has_version = version != NULL && kin__node_type(version) == KIN_TYPE_STRING;
    kin__buf_clear(&said->kind);
    kin__buf_clear(&said->api_version);
    if (!kin__buf_append_str(&said->kind, has_kind ? kin__node_text(kind) : STR("")) ||
        !kin__buf_append_str(&said->api_version, has_version ? kin__node_text(version) : STR(""))) {
        return kin__error_no_memory(d->err);
    }
    if (said->kind.len == 0) {
        if (d->body->validation == KIN__FIELDS_IGNORE && default_type(d) != KIN_OK) {
            return d->err->code;
        }
        return refuse(d, "Object 'Kind' is missing in '%.*s'", KIN_STR_ARG(d->body->bytes));
    }
    return decode_metadata(d, *out);
}

/* Of a custom resource: a struct in Go, and nothing else is. */
static kin_err decode_metadata(decoding *d, kin__node *tree)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__node_free) kin__node *typed = NULL;
    AUTO(kin__node_free) kin__node *canonical = NULL;
    kin__codec_reading reading = { .message = kin__codec_object_meta(),
                                   .notes = notes_of(d),
                                   .prefix = STR("metadata."),
                                   .has_no_duplicates = true };
    const kin__node *metadata = kin__node_member(tree, STR("metadata"));

    if (metadata == NULL) {
        return KIN_OK;
    }
    if (!kin__node_append_json(metadata, &json)) {
        return kin__error_no_memory(d->err);
    }
    kin_err code = kin__codec_read(&reading, kin__json_of(text_of(&json)), &typed, d->err);
    if (code == KIN_ERR_INVALID) {
        code = refuse(d, "%.*s", KIN_STR_ARG(text_of(&reading.words)));
    }
    kin__buf_fini(&reading.words);
    if (code != KIN_OK || canonical_metadata(d, typed, reading.message, &canonical) != KIN_OK ||
        kin__node_set_member(tree, STR("metadata"), canonical, d->err) != KIN_OK) {
        return d->err->code;
    }
    canonical = NULL;
    return KIN_OK;
}

/* With the times of Go, and without what is empty. */
static kin_err canonical_metadata(decoding *d, const kin__node *metadata, kin__pb_message message,
                                  kin__node **out)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__codec_kind kind = { .message = message };

    if (kin__codec_encode(&kind, metadata, &json, d->err) != KIN_OK) {
        return d->err->code;
    }
    return kin__node_from_json(kin__json_of(text_of(&json)), out, d->err);
}

/* Of an envelope. */
static kin_err decode_message(decoding *d, kin__pb_message message, kin__node **out)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__pb_envelope envelope = { 0 };
    kin__pb_rendering rendering = { .release = KIN__CODEC_RELEASE };
    kin_error unwanted;

    if (kin__pb_envelope_parse(d->body->bytes, 0, &envelope, &unwanted) != KIN_OK) {
        return refuse(d, "%s", unwanted.message);
    }
    kin_err code = kin__pb_render(message, envelope.message, &rendering, &json, &unwanted);
    if (code == KIN_ERR_NO_MEMORY) {
        return kin__error_no_memory(d->err);
    }
    if (code != KIN_OK) {
        return refuse(d, "%s", unwanted.message);
    }
    return read_as(d, message, kin__json_of(text_of(&json)), out);
}

/* What the JSON says it is; and that it is JSON. */
static kin_err interpret(decoding *d)
{
    kin__json value = kin__json_of(d->body->bytes);
    kin_error unwanted;

    if (kin__json_check(d->body->bytes, &unwanted) != KIN_OK) {
        kin_err code = refuse(d, NOT_INTERPRETED);
        kin__codec_syntax_error(d->body->bytes, &d->outcome->words);
        return code;
    }
    kin_type type = kin__json_type(value);
    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_NULL) {
        return refuse(d,
                      NOT_INTERPRETED
                      "json: cannot unmarshal %s into Go value of type struct { APIVersion string "
                      "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                      "\"json:\\\"kind,omitempty\\\"\" }",
                      kin__codec_type_name(value));
    }
    kin__json_iter iter = kin__json_walk(value);
    kin_err code = KIN_OK;
    while (code == KIN_OK && kin__json_next(&iter)) {
        code = interpret_member(d, &iter);
    }
    kin_str version = text_of(&d->outcome->api_version);
    if (code == KIN_OK && !is_group_version(version)) {
        code = refuse(d, "unexpected GroupVersion string: %.*s", KIN_STR_ARG(version));
    }
    d->outcome->is_recognized = code == KIN_OK;
    return code;
}

/* Here names match in any case, as everywhere in Go; the type itself is read with the exact one. */
static kin_err interpret_member(decoding *d, const kin__json_iter *member)
{
    char small[64]; /* ten characters, each of them an escape */
    kin_str name = member->key;
    kin_type type = kin__json_type(member->value);

    if (!member->is_plain_key && name.len <= sizeof small) {
        name = kin__str(small, kin__json_decode(member->key, small));
    }
    bool is_kind = equals_folded(name, "kind");
    if ((!is_kind && !equals_folded(name, "apiversion")) || type == KIN_TYPE_NULL) {
        return KIN_OK;
    }
    if (type != KIN_TYPE_STRING) {
        return refuse(
            d, NOT_INTERPRETED "json: cannot unmarshal %s into Go struct field .%s of type string",
            kin__codec_type_name(member->value), is_kind ? "kind" : "apiVersion");
    }
    kin__buf *to = is_kind ? &d->outcome->kind : &d->outcome->api_version;
    kin_str raw = kin__json_raw_string(member->value);
    kin__buf_clear(to);
    if (!kin__buf_reserve(to, raw.len + 1)) {
        return kin__error_no_memory(d->err);
    }
    to->len = kin__json_decode(raw, to->data);
    return KIN_OK;
}

static kin_err interpret_envelope(decoding *d)
{
    kin__pb_envelope envelope = { 0 };
    kin_error fault;
    bool has_magic = d->body->bytes.len >= KIN__PB_MAGIC_LEN &&
                     memcmp(d->body->bytes.data, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN) == 0;

    if (d->body->bytes.len == 0) {
        return refuse(d, "empty data");
    }
    if (!has_magic) {
        return refuse(d, "provided data does not appear to be a protobuf message, expected prefix "
                         "[107 56 115 0]");
    }
    if (kin__pb_envelope_parse(d->body->bytes, 0, &envelope, &fault) != KIN_OK) {
        return refuse(d, "%s", fault.message);
    }
    if (!kin__buf_append_str(&d->outcome->api_version, envelope.api_version) ||
        !kin__buf_append_str(&d->outcome->kind, envelope.kind)) {
        return kin__error_no_memory(d->err);
    }
    d->outcome->is_recognized = true;
    return KIN_OK;
}

/* What the body does not say is the URL's. */
static kin_err default_type(decoding *d)
{
    kin__codec_outcome *said = d->outcome;

    if ((said->kind.len == 0 && !kin__buf_append_str(&said->kind, d->expected->kind)) ||
        (said->api_version.len == 0 &&
         !kin__buf_append_str(&said->api_version, d->expected->api_version))) {
        return kin__error_no_memory(d->err);
    }
    return KIN_OK;
}

static kin_err read_as(decoding *d, kin__pb_message message, kin__json value, kin__node **out)
{
    kin__codec_reading reading = { .message = message, .notes = notes_of(d) };
    kin_err code = kin__codec_read(&reading, value, out, d->err);

    if (code == KIN_ERR_INVALID) {
        code = refuse(d, "%.*s", KIN_STR_ARG(text_of(&reading.words)));
    }
    kin__buf_fini(&reading.words);
    return code;
}

static kin__codec_warnings *notes_of(decoding *d)
{
    return d->body->validation == KIN__FIELDS_IGNORE ? NULL : &d->outcome->notes;
}

/* Another kind cannot be converted to this one; another version of it can. */
static kin_err check_kind(decoding *d, kin__pb_message message)
{
    kin_str type = kin__go_type(message);
    kin_str package = internal_package(d->expected->api_version);

    if (kin__str_equal(text_of(&d->outcome->kind), d->expected->kind)) {
        return KIN_OK;
    }
    return refuse(d, "converting (%.*s) to (%.*s.%.*s): unknown conversion", KIN_STR_ARG(type),
                  KIN_STR_ARG(package), KIN_STR_ARG(d->expected->kind));
}

static kin_err set_type(decoding *d, kin__node *tree)
{
    if (set_text(tree, STR("kind"), d->expected->kind, d->err) != KIN_OK) {
        return d->err->code;
    }
    return set_text(tree, STR("apiVersion"), d->expected->api_version, d->err);
}

static kin_err set_text(kin__node *tree, kin_str name, kin_str text, kin_error *err)
{
    kin__node *value = NULL;

    if (kin__node_string(text, &value, err) != KIN_OK) {
        return err->code;
    }
    if (kin__node_set_member(tree, name, value, err) != KIN_OK) {
        kin__node_free(value);
        return err->code;
    }
    return KIN_OK;
}

/* Words that have no room are the buffer's failure, and asked for at the end. */
static kin_err refuse(decoding *d, const char *format, ...)
{
    kin__buf *words = &d->outcome->words;
    va_list list;
    va_list again;

    va_start(list, format);
    va_copy(again, list);
    int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    kin__buf_clear(words);
    if (len >= 0 && kin__buf_reserve(words, (size_t) len + 1)) {
        words->len = (size_t) vsnprintf(words->data, (size_t) len + 1, format, again);
    } else {
        words->has_failed = true;
    }
    va_end(again);
    return kin__error_set(d->err, KIN_ERR_INVALID, "refused");
}

kin__pb_message kin__codec_object_meta(void)
{
    kin__pb_inlines inlines;
    const kin__pb_row *row = kin__pb_row_named(kin__pb_message_of(STR("v1"), STR("ConfigMap")),
                                               STR("metadata"), &inlines);

    return row == NULL ? KIN__PB_NO_MESSAGE : row->message;
}

static kin_str text_of(const kin__buf *buf)
{
    return kin__str(buf->data == NULL ? "" : buf->data, buf->len);
}

/* The Go package of a group's internal types. */
static kin_str internal_package(kin_str api_version)
{
    const char *slash =
        api_version.len == 0 ? NULL : memchr(api_version.data, '/', api_version.len);

    if (slash == NULL || kin__str_starts_with(api_version, STR("events.k8s.io/"))) {
        return STR("core");
    }
    if (kin__str_starts_with(api_version, STR("internal."))) {
        return STR("apiserverinternal");
    }
    kin_str group = kin__str(api_version.data, (size_t) (slash - api_version.data));
    const char *dot = memchr(group.data, '.', group.len);
    return dot == NULL ? group : kin__str(group.data, (size_t) (dot - group.data));
}

/* At most one slash. */
static bool is_group_version(kin_str text)
{
    size_t slashes = 0;

    for (size_t i = 0; i < text.len; i++) {
        slashes += text.data[i] == '/';
    }
    return slashes <= 1;
}

static bool equals_folded(kin_str name, const char *lower)
{
    if (name.len != strlen(lower)) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if ((name.data[i] | 0x20) != lower[i]) {
            return false;
        }
    }
    return true;
}
