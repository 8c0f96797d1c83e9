/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune.c - a tree that was patched, made an object again.
 *
 * The tree is written as JSON and decoded like any body, which is what a real server does too.
 */
#include "server/prune.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/string.h"
#include "server/codec_decode.h"
#include "server/quote.h"

static bool merge_warnings(kin__codec_warnings *warnings, const kin__codec_warnings *more);
static bool refuse_strict(const kin__node *tree, kin_str shown, const kin__codec_warnings *warnings,
                          kin__refusal *no);
static bool refuse_words(const kin__node *tree, kin_str shown, kin_str words, kin__refusal *no);
static void put_sorted(const kin__node *tree, kin__buf *buf);
static int compare_names(const void *context, const void *a, const void *b);
static kin_str text_of(const kin__buf *buf);

bool kin__prune(const kin__codec_kind *kind, kin__node **tree, kin__field_validation validation,
                kin_str shown, kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__codec_outcome_fini) kin__codec_outcome outcome = { 0 };
    kin__node *made = NULL;
    kin_error err;

    if (!kin__node_append_json(*tree, &json)) {
        return kin__refuse_no_memory(no);
    }
    kin__codec_body body = { .bytes = text_of(&json), .validation = validation };
    kin_err code = kin__codec_decode_as(kind, &body, &outcome, &made, &err);
    if (code != KIN_OK) {
        return code == KIN_ERR_INVALID ? refuse_words(*tree, shown, text_of(&outcome.words), no)
                                       : kin__refuse_no_memory(no);
    }
    AUTO(kin__node_free) kin__node *decoded = made;
    if (!merge_warnings(warnings, &outcome.notes)) {
        return kin__refuse_no_memory(no);
    }
    if (warnings->count != 0 && validation == KIN__FIELDS_STRICT) {
        return refuse_strict(*tree, shown, warnings, no);
    }
    if (!kin__str_equal(text_of(&outcome.api_version), kind->api_version)) {
        return kin__refuse_bad_request(no,
                                       "the API version in the data (%.*s) does not match the "
                                       "expected API version (%.*s)",
                                       KIN_STR_ARG(text_of(&outcome.api_version)),
                                       KIN_STR_ARG(kind->api_version));
    }
    kin__node_free(*tree);
    *tree = STEAL(decoded);
    return true;
}

/* A real server does not look for the same text twice here. */
static bool merge_warnings(kin__codec_warnings *warnings, const kin__codec_warnings *more)
{
    for (size_t i = 0; i < more->count && warnings->count < KIN__CODEC_WARNINGS_MAX; i++) {
        if (!kin__buf_append_str(&warnings->texts, kin__codec_warning(more, i))) {
            return false;
        }
        warnings->ends[warnings->count++] = warnings->texts.len;
    }
    return !kin__buf_failed(&warnings->texts);
}

static bool refuse_strict(const kin__node *tree, kin_str shown, const kin__codec_warnings *warnings,
                          kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };

    kin__codec_strict_error(warnings, &words);
    return kin__buf_failed(&words) ? kin__refuse_no_memory(no)
                                   : refuse_words(tree, shown, text_of(&words), no);
}

static bool refuse_words(const kin__node *tree, kin_str shown, kin_str words, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf value = { 0 };

    if (shown.len == 0) {
        put_sorted(tree, &json);
        shown = text_of(&json);
    }
    kin__quote_append(shown, &value);
    if (kin__buf_failed(&value) || kin__buf_failed(&json)) {
        return kin__refuse_no_memory(no);
    }
    kin__refusal_begin_invalid(no, STR(""), STR(""), STR(""));
    kin__refusal_add_invalid(no, "FieldValueInvalid", "patch", "Invalid value: %.*s: %.*s",
                             KIN_STR_ARG(text_of(&value)), KIN_STR_ARG(words));
    return kin__refusal_end_invalid(no);
}

/* With its own members sorted: so the patches of a real server leave an object. */
static void put_sorted(const kin__node *tree, kin__buf *buf)
{
    size_t count = kin__node_count(tree);
    kin__node_iter iter = { 0 };
    kin_str *names = kin__alloc_zero(count + 1, sizeof *names);

    if (names == NULL || kin__node_type(tree) != KIN_TYPE_OBJECT) {
        buf->has_failed = names == NULL;
        (void) kin__node_append_json(tree, buf);
        kin__free(names);
        return;
    }
    for (size_t i = 0; kin__node_next(tree, &iter); i++) {
        names[i] = iter.name;
    }
    kin__sort(names, count, sizeof *names, compare_names, NULL);
    (void) kin__buf_append_byte(buf, '{');
    for (size_t i = 0; i < count; i++) {
        (void) kin__buf_append_str(buf, i == 0 ? STR("") : STR(","));
        (void) kin__json_append_string(buf, names[i]);
        (void) kin__buf_append_byte(buf, ':');
        (void) kin__node_append_json(kin__node_member(tree, names[i]), buf);
    }
    (void) kin__buf_append_byte(buf, '}');
    kin__free(names);
}

static int compare_names(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(*(const kin_str *) a, *(const kin_str *) b);
}

static kin_str text_of(const kin__buf *buf)
{
    return kin__str(buf->data == NULL ? "" : buf->data, buf->len);
}
