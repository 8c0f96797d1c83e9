/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_options.c - how a write wants to be done.
 *
 * Texts are those of k8s.io/apimachinery, meta/v1/validation, as kube-apiserver 1.36 says them.
 */
#include "server/write_options.h"

#include "json/scanner.h"
#include "proto/envelope.h"
#include "server/codec_syntax.h"
#include "server/field.h"
#include "server/quote.h"

#define MANAGER_MAX 128
#define HANDLED " cannot be handled as a DeleteOptions: "
#define MUST_BE " (must be of type DeleteOptions): "
#define META_GROUP STR("meta.k8s.io")

static void check_dry_run(const kin__params *params, bool *out_is_dry, kin__refusal *no);
static void check_validation(const kin__params *params, kin__field_validation *out,
                             kin__refusal *no);
static void check_manager(const kin__params *params, kin__refusal *no);
static void add_not_supported(kin__refusal *no, const char *field, kin_str value,
                              const char *supported);
static bool is_media_type(kin_str name, const char *type);
static bool read_body(const kin__asked *asked, kin__delete_options *out, kin__refusal *no);
static bool decode_options(kin_str body, bool is_protobuf, kin__node **out, kin__refusal *no);
static bool strip_kind(kin_str body, kin__buf *out, kin__refusal *no);
static bool strip_envelope(kin_str body, kin__buf *out, kin__refusal *no);
static bool check_kind(kin_str api_version, kin_str kind, kin__refusal *no);
static bool shorten(kin__refusal *no);
static void cut_bytes(kin__refusal *no);
static void take_body(kin__delete_options *out, kin__refusal *no);
static void take_query(const kin__params *params, kin__delete_options *out, kin__refusal *no);
static void check_delete(const kin__delete_options *options, kin__refusal *no);

bool kin__write_options_read(const kin__params *params, const char *kind, kin__write_options *out,
                             kin__refusal *no)
{
    *out = (kin__write_options){ 0 };
    kin__refusal_begin_invalid(no, META_GROUP, kin_str_of(kind), STR(""));
    check_manager(params, no);
    check_dry_run(params, &out->is_dry, no);
    check_validation(params, &out->validation, no);
    return kin__refusal_end_invalid(no);
}

bool kin__patch_options_read(const kin__params *params, bool is_apply, kin__write_options *out,
                             kin__refusal *no)
{
    *out = (kin__write_options){ 0 };
    kin__refusal_begin_invalid(no, META_GROUP, STR("PatchOptions"), STR(""));
    if (is_apply && (params->field_manager == NULL || params->field_manager[0] == '\0')) {
        kin__refusal_add_invalid(no, "FieldValueRequired", "fieldManager",
                                 "Required value: is required for apply patch");
    } else if (!is_apply && params->force != KIN__UNSET) {
        kin__refusal_add_invalid(no, "FieldValueForbidden", "force",
                                 "Forbidden: may not be specified for non-apply patch");
    }
    check_manager(params, no);
    check_dry_run(params, &out->is_dry, no);
    check_validation(params, &out->validation, no);
    return kin__refusal_end_invalid(no);
}

bool kin__delete_options_read(const kin__asked *asked, kin__delete_options *out, kin__refusal *no)
{
    *out = (kin__delete_options){ 0 };
    if (asked->body.len > 0 && !read_body(asked, out, no)) {
        kin__delete_options_fini(out);
        return false;
    }
    kin__refusal_begin_invalid(no, META_GROUP, STR("DeleteOptions"), STR(""));
    if (out->tree != NULL) {
        take_body(out, no);
    } else {
        take_query(&asked->params, out, no);
    }
    check_delete(out, no);
    if (!kin__refusal_end_invalid(no)) {
        kin__delete_options_fini(out);
        return false;
    }
    return true;
}

void kin__delete_options_fini(kin__delete_options *options)
{
    kin__node_free(options->tree);
    *options = (kin__delete_options){ 0 };
}

kin__body_type kin__body_type_of(kin_str content_type)
{
    static const struct {
        const char *name;
        kin__body_type type;
    } types[] = {
        { "", KIN__BODY_JSON },
        { "application/json", KIN__BODY_JSON },
        { "application/vnd.kubernetes.protobuf", KIN__BODY_PROTOBUF },
        { "application/json-patch+json", KIN__BODY_JSON_PATCH },
        { "application/merge-patch+json", KIN__BODY_MERGE_PATCH },
        { "application/strategic-merge-patch+json", KIN__BODY_STRATEGIC_PATCH },
        { "application/apply-patch+yaml", KIN__BODY_APPLY_PATCH },
    };
    const char *end =
        content_type.len == 0 ? NULL : memchr(content_type.data, ';', content_type.len);
    kin_str name = end == NULL ? content_type
                               : kin__str(content_type.data, (size_t) (end - content_type.data));

    while (name.len > 0 && name.data[name.len - 1] == ' ') {
        name.len--;
    }
    if (name.len == 0 && content_type.len > 0) {
        return KIN__BODY_OTHER;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (is_media_type(name, types[i].name)) {
            return types[i].type;
        }
    }
    return KIN__BODY_OTHER;
}

/* `name` in capitals or not. */
static bool is_media_type(kin_str name, const char *type)
{
    size_t len = strlen(type);

    for (size_t i = 0; i < name.len && i < len; i++) {
        char c = name.data[i];
        if ((c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c) != type[i]) {
            return false;
        }
    }
    return name.len == len;
}

bool kin__refuse_body_type(kin__refusal *no)
{
    return kin__refuse(no, 415, "UnsupportedMediaType",
                       "the body of the request was in an unknown format - accepted media types "
                       "include: application/json, application/yaml, "
                       "application/vnd.kubernetes.protobuf");
}

static void check_dry_run(const kin__params *params, bool *out_is_dry, kin__refusal *no)
{
    *out_is_dry = params->has_dry_run;
    if (params->has_dry_run && strcmp(params->dry_run, "All") != 0) {
        AUTO(kin__buf_fini) kin__buf value = { 0 };
        kin__quote_append(kin_str_of(params->dry_run), &value);
        kin__refusal_add_invalid(no, "FieldValueNotSupported", "dryRun",
                                 "Unsupported value: [%.*s]: supported values: \"All\"",
                                 (int) value.len, value.data);
    }
}

static void check_validation(const kin__params *params, kin__field_validation *out,
                             kin__refusal *no)
{
    const char *value = params->field_validation == NULL ? "" : params->field_validation;

    if (value[0] == '\0' || strcmp(value, "Warn") == 0) {
        *out = KIN__FIELDS_WARN;
    } else if (strcmp(value, "Strict") == 0) {
        *out = KIN__FIELDS_STRICT;
    } else if (strcmp(value, "Ignore") == 0) {
        *out = KIN__FIELDS_IGNORE;
    } else {
        add_not_supported(no, "fieldValidation", kin_str_of(value),
                          "\"\", \"Ignore\", \"Strict\", \"Warn\"");
    }
}

/* Of Go's unprintable characters only the controls are known here. */
static void check_manager(const kin__params *params, kin__refusal *no)
{
    kin_str manager = kin_str_of(params->field_manager);

    if (manager.len > MANAGER_MAX) {
        kin__refusal_add_invalid(no, "FieldValueTooLong", "fieldManager",
                                 "Too long: may not be more than 128 bytes");
    }
    for (size_t i = 0; i < manager.len; i++) {
        unsigned char c = (unsigned char) manager.data[i];
        if (c < 0x20 || c == 0x7f) {
            AUTO(kin__buf_fini) kin__buf value = { 0 };
            kin__quote_append(manager, &value);
            kin__refusal_add_invalid(no, "FieldValueInvalid", "fieldManager",
                                     "Invalid value: %.*s: invalid character U+%04X (at position "
                                     "%zu)",
                                     (int) value.len, value.data, (unsigned) c, i);
            return;
        }
    }
}

static void add_not_supported(kin__refusal *no, const char *field, kin_str value,
                              const char *supported)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(value, &quoted);
    kin__refusal_add_invalid(no, "FieldValueNotSupported", field,
                             "Unsupported value: %.*s: supported values: %s", (int) quoted.len,
                             quoted.data, supported);
}

static bool read_body(const kin__asked *asked, kin__delete_options *out, kin__refusal *no)
{
    kin__body_type type = kin__body_type_of(asked->content_type);

    if (type != KIN__BODY_JSON && type != KIN__BODY_PROTOBUF) {
        return kin__refuse_body_type(no);
    }
    return decode_options(asked->body, type == KIN__BODY_PROTOBUF, &out->tree, no);
}

/* DeleteOptions are a kind of every version of every group, and which one a body names is all the
 * same: it is decoded as one that names none. */
static bool decode_options(kin_str body, bool is_protobuf, kin__node **out, kin__refusal *no)
{
    const kin__codec_kind kind = { STR("v1"), STR("DeleteOptions"),
                                   kin__pb_message_of(STR("v1"), STR("DeleteOptions")) };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__buf_fini) kin__buf bare = { 0 };

    if (!(is_protobuf ? strip_envelope(body, &bare, no) : strip_kind(body, &bare, no))) {
        return false;
    }
    const kin__codec_body of = { kin__str(bare.data, bare.len), is_protobuf, KIN__FIELDS_IGNORE };
    return kin__codec_decode(&kind, &of, out, &warnings, no) || shorten(no);
}

static bool strip_kind(kin_str body, kin__buf *out, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    kin_error err;

    if (kin__json_check(body, &err) != KIN_OK) {
        kin__codec_syntax_error(body, &why);
        return kin__buf_failed(&why)
                   ? kin__refuse_no_memory(no)
                   : kin__refuse_bad_request(no,
                                             "couldn't get version/kind; json parse error: %.*s",
                                             (int) why.len, why.data);
    }
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(body);
    if (tree == NULL) {
        return kin__refuse_no_memory(no);
    }
    if (!kin__node_is(tree, KIN_TYPE_OBJECT)) {
        return kin__buf_append_str(out, body) || kin__refuse_no_memory(no);
    }
    if (!check_kind(kin__field_text(tree, "apiVersion"), kin__field_text(tree, "kind"), no)) {
        return false;
    }
    kin__field_remove(tree, "kind");
    kin__field_remove(tree, "apiVersion");
    return kin__node_append_json(tree, out) || kin__refuse_no_memory(no);
}

static bool strip_envelope(kin_str body, kin__buf *out, kin__refusal *no)
{
    kin_str api_version, kind, message;
    kin_error err;

    if (kin__pb_envelope_read(body, &api_version, &kind, &message, &err) != KIN_OK) {
        return kin__refuse_bad_request(no, "%s", err.message);
    }
    return check_kind(api_version, kind, no) &&
           (kin__pb_envelope_append(STR("v1"), STR("DeleteOptions"), message, out) ||
            kin__refuse_no_memory(no));
}

static bool check_kind(kin_str api_version, kin_str kind, kin__refusal *no)
{
    if (kind.len == 0 || kin__str_equal(kind, STR("DeleteOptions"))) {
        return true;
    }
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    (void) kin__buf_append_str(&text, STR("no kind "));
    kin__quote_append(kind, &text);
    (void) kin__buf_append_str(&text, STR(" is registered for version "));
    kin__quote_append(api_version, &text);
    if (kin__buf_failed(&text)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "%.*s in scheme \"pkg/runtime/scheme.go:111\"",
                                   (int) text.len, text.data);
}

/* What the codec says of objects is said without the object's kind here. */
static bool shorten(kin__refusal *no)
{
    static const kin_str words[] = { { HANDLED, sizeof HANDLED - 1 },
                                     { MUST_BE, sizeof MUST_BE - 1 } };

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        kin_str word = words[w];
        for (size_t i = 0; i + word.len <= no->message.len; i++) {
            if (memcmp(no->message.data + i, word.data, word.len) == 0) {
                size_t from = i + word.len;
                memmove(no->message.data, no->message.data + from, no->message.len - from);
                no->message.len -= from;
                cut_bytes(no);
                return false;
            }
        }
    }
    return false;
}

/* Nor the bytes in hexadecimal behind it. */
static void cut_bytes(kin__refusal *no)
{
    size_t at = no->message.len;

    while (at > 0 && no->message.data[at - 1] != '(') {
        at--;
    }
    if (at > 1 && no->message.data[no->message.len - 1] == ')') {
        no->message.len = at - 2;
    }
}

static void take_body(kin__delete_options *out, kin__refusal *no)
{
    const kin__node *tree = out->tree;
    const kin__node *preconditions = kin__field(tree, "preconditions");
    const kin__node *dry_run = kin__field(tree, "dryRun");

    out->has_grace_period = kin__field_int64(tree, "gracePeriodSeconds", &out->grace_period_s);
    out->propagation_policy = kin__field_text(tree, "propagationPolicy");
    out->uid = kin__field_text(preconditions, "uid");
    out->resource_version = kin__field_text(preconditions, "resourceVersion");
    if (kin__field(tree, "orphanDependents") != NULL) {
        out->orphan_dependents =
            kin__field_is_true(tree, "orphanDependents") ? KIN__TRUE : KIN__FALSE;
    }
    out->is_dry = kin__node_is(dry_run, KIN_TYPE_ARRAY) && kin__node_count(dry_run) > 0;
    if (out->is_dry) {
        AUTO(kin__buf_fini) kin__buf text = { 0 };
        (void) kin__buf_append_str(&text, kin__node_text(kin__node_element(dry_run, 0)));
        (void) kin__buf_append_byte(&text, '\0');
        const kin__params params = { .has_dry_run = true, .dry_run = text.data };
        if (kin__buf_failed(&text)) {
            (void) kin__refuse_no_memory(no);
        } else {
            check_dry_run(&params, &out->is_dry, no);
        }
    }
}

static void take_query(const kin__params *params, kin__delete_options *out, kin__refusal *no)
{
    out->has_grace_period = params->has_grace_period;
    out->grace_period_s = params->grace_period_seconds;
    out->propagation_policy = kin_str_of(params->propagation_policy);
    out->uid = kin_str_of(params->uid);
    out->resource_version = kin_str_of(params->resource_version);
    out->orphan_dependents = params->orphan_dependents;
    check_dry_run(params, &out->is_dry, no);
}

static void check_delete(const kin__delete_options *options, kin__refusal *no)
{
    static const char supported[] = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
    kin_str policy = options->propagation_policy;

    if (policy.len == 0) {
        return;
    }
    if (options->orphan_dependents != KIN__UNSET) {
        AUTO(kin__buf_fini) kin__buf quoted = { 0 };
        kin__quote_append(policy, &quoted);
        kin__refusal_add_invalid(no, "FieldValueInvalid", "propagationPolicy",
                                 "Invalid value: %.*s: orphanDependents and deletionPropagation "
                                 "cannot be both set",
                                 (int) quoted.len, quoted.data);
    }
    if (!kin__str_equal(policy, STR("Foreground")) && !kin__str_equal(policy, STR("Background")) &&
        !kin__str_equal(policy, STR("Orphan"))) {
        add_not_supported(no, "propagationPolicy", policy, supported);
    }
}
