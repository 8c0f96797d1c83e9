/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_patch_read.c - the operations of a JSON patch, one after the other.
 *
 * A real server reads a patch twice: into operations of its own to find unknown and duplicate
 * fields, unless nobody wants to know of them, and then into those of the library.  Faults have
 * the words of whoever comes first.
 */
#include "server/json_patch_read.h"

#include <stdio.h>

#include "base/str.h"
#include "json/scanner.h"
#include "json/string.h"
#include "server/codec_read.h"
#include "server/codec_read_state.h"
#include "server/codec_syntax.h"
#include "server/json_patch.h"

enum { OP, PATH, FROM, VALUE, FIELD_COUNT };

static const char *const fields[FIELD_COUNT] = { "op", "path", "from", "value" };

static bool check_syntax(kin_str patch, bool is_strict, kin__refusal *no);
static bool check_operation(kin__json element, size_t index, kin__codec_warnings *warnings,
                            kin__refusal *no);
static bool check_value(kin__json value, size_t index, kin__codec_warnings *warnings,
                        kin__refusal *no);
static bool refuse_count(size_t count, kin__refusal *no);
static void warn(kin__codec_warnings *warnings, const char *what, size_t index, kin_str name);
static int field_of(const kin__json_iter *member, kin_str *out_name, kin__buf *scratch);

bool kin__json_patch_check(kin_str patch, kin__field_validation validation,
                           kin__codec_warnings *warnings, kin__refusal *no)
{
    kin__json value = kin__json_of(patch);
    bool is_strict = validation != KIN__FIELDS_IGNORE;
    size_t count = 0;

    if (!check_syntax(patch, is_strict, no)) {
        return false;
    }
    kin__json_iter iter = kin__json_walk(value);
    while (kin__json_next(&iter)) {
        kin_type type = kin__json_type(iter.value);
        if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_NULL) {
            return kin__refuse_bad_request(
                no, "%sjson: cannot unmarshal %s into Go value of type %s",
                is_strict ? "error decoding patch: " : "", kin__codec_type_name(iter.value),
                is_strict ? "handlers.jsonPatchOp" : "jsonpatch.Operation");
        }
        /* What goes beyond is refused anyway, and not looked at. */
        if (is_strict && count <= KIN__JSON_PATCH_OPERATIONS_MAX &&
            !check_operation(iter.value, count, warnings, no)) {
            return false;
        }
        count++;
    }
    return count <= KIN__JSON_PATCH_OPERATIONS_MAX || refuse_count(count, no);
}

kin__json_patch_operation kin__json_patch_read(kin__json element)
{
    kin__json_patch_operation operation = { 0 };
    kin__json *const places[FIELD_COUNT] = { [OP] = &operation.op,
                                             [PATH] = &operation.path,
                                             [FROM] = &operation.from,
                                             [VALUE] = &operation.value };

    for (int i = 0; i < FIELD_COUNT; i++) {
        kin__json found = kin__json_member(element, kin_str_of(fields[i]));
        operation.has_value |= i == VALUE && found.at != NULL;
        *places[i] = kin__json_type(found) == KIN_TYPE_NULL ? (kin__json){ 0 } : found;
    }
    return operation;
}

static bool check_syntax(kin_str patch, bool is_strict, kin__refusal *no)
{
    kin__json value = kin__json_of(patch);
    kin_error unwanted;

    if (kin__json_check(patch, &unwanted) != KIN_OK) {
        AUTO(kin__buf_fini) kin__buf words = { 0 };
        kin__codec_syntax_error(patch, &words);
        return kin__buf_failed(&words)
                   ? kin__refuse_no_memory(no)
                   : kin__refuse_bad_request(no, "%s%.*s",
                                             is_strict ? "error decoding patch: " : "",
                                             (int) words.len, words.data);
    }
    kin_type type = kin__json_type(value);
    if (type == KIN_TYPE_ARRAY || type == KIN_TYPE_NULL) {
        return true;
    }
    return kin__refuse_bad_request(no, "%sjson: cannot unmarshal %s into Go value of type %s",
                                   is_strict ? "error decoding patch: " : "",
                                   kin__codec_type_name(value),
                                   is_strict ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch");
}

static bool check_operation(kin__json element, size_t index, kin__codec_warnings *warnings,
                            kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf scratch = { 0 };
    kin__json_iter iter = kin__json_walk(element);
    bool is_seen[FIELD_COUNT] = { false };

    while (kin__json_next(&iter)) {
        kin_str name;
        kin_type type = kin__json_type(iter.value);
        int field = field_of(&iter, &name, &scratch);
        if (kin__buf_failed(&scratch) || kin__buf_failed(&warnings->texts)) {
            return kin__refuse_no_memory(no);
        }
        if (field == FIELD_COUNT) {
            warn(warnings, "json patch unknown field", index, name);
            continue;
        }
        if (is_seen[field]) {
            warn(warnings, "json patch duplicate field", index, name);
        }
        is_seen[field] = true;
        if (field == VALUE) {
            if (!check_value(iter.value, index, warnings, no)) {
                return false;
            }
        } else if (type != KIN_TYPE_STRING && type != KIN_TYPE_NULL) {
            return kin__refuse_bad_request(no,
                                           "error decoding patch: json: cannot unmarshal %s into "
                                           "Go struct field jsonPatchOp.%s of type string",
                                           kin__codec_type_name(iter.value), fields[field]);
        }
    }
    return !kin__buf_failed(&warnings->texts) || kin__refuse_no_memory(no);
}

/* Only for what is to be said of it. */
static bool check_value(kin__json value, size_t index, kin__codec_warnings *warnings,
                        kin__refusal *no)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings notes = { 0 };
    AUTO(kin__node_free) kin__node *tree = NULL;
    char prefix[64];
    kin__codec_reading reading = { .message = KIN__PB_NO_MESSAGE, .notes = &notes };
    kin_error err;
    kin_type type = kin__json_type(value);

    if (type != KIN_TYPE_OBJECT && type != KIN_TYPE_ARRAY && type != KIN_TYPE_NUMBER) {
        return true;
    }
    (void) snprintf(prefix, sizeof prefix, "[%zu].value%s", index,
                    type == KIN_TYPE_OBJECT ? "." : "");
    reading.prefix = kin_str_of(prefix);
    kin_err code = kin__codec_read(&reading, value, &tree, &err);
    if (code == KIN_ERR_INVALID) {
        (void) kin__refuse_bad_request(no, "error decoding patch: %.*s", (int) reading.words.len,
                                       reading.words.data);
    } else if (code != KIN_OK) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&reading.words);
    for (size_t i = 0; code == KIN_OK && i < notes.count; i++) {
        if (warnings->count == KIN__CODEC_WARNINGS_MAX) {
            break;
        }
        (void) kin__buf_append_str(&warnings->texts, STR("json patch "));
        (void) kin__buf_append_str(&warnings->texts, kin__codec_warning(&notes, i));
        warnings->ends[warnings->count++] = warnings->texts.len;
    }
    return code == KIN_OK;
}

static bool refuse_count(size_t count, kin__refusal *no)
{
    return kin__refuse(
        no, 413, "RequestEntityTooLarge",
        "Request entity too large: The allowed maximum operations in a JSON patch is "
        "%d, got %zu",
        KIN__JSON_PATCH_OPERATIONS_MAX, count);
}

static void warn(kin__codec_warnings *warnings, const char *what, size_t index, kin_str name)
{
    AUTO(kin__buf_fini) kin__buf path = { 0 };

    (void) kin__buf_append_format(&path, "[%zu].", index);
    (void) kin__buf_append_str(&path, name);
    if (kin__buf_failed(&path)) {
        warnings->texts.has_failed = true;
    } else {
        kin__codec_warn(warnings, what, kin__str(path.data, path.len));
    }
}

/* FIELD_COUNT when it is none of them. */
static int field_of(const kin__json_iter *member, kin_str *out_name, kin__buf *scratch)
{
    *out_name = member->key;
    if (!member->is_plain_key && kin__json_has_escapes(member->key)) {
        kin__buf_clear(scratch);
        if (!kin__buf_reserve(scratch, member->key.len)) {
            return FIELD_COUNT;
        }
        *out_name = kin__str(scratch->data, kin__json_decode(member->key, scratch->data));
    }
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (kin__str_equal(*out_name, kin_str_of(fields[i]))) {
            return i;
        }
    }
    return FIELD_COUNT;
}
