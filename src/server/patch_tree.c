/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_tree.c - merge patches as trees: reading them, and moving their parts into objects.
 */
#include "server/patch_tree.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/scanner.h"
#include "server/codec_read.h"
#include "server/codec_read_state.h"
#include "server/codec_syntax.h"

static bool refuse_syntax(kin_str patch, bool is_lenient, const kin__patch_words *words,
                          kin__refusal *no);
static kin_err drop_null_members(kin__node *object, size_t count, kin_error *err);
static bool read_tree(kin_str patch, const kin__patch_words *words, kin__node **out,
                      kin__codec_warnings *notes, kin__refusal *no);

bool kin__patch_tree(kin_str patch, kin__field_validation validation, const kin__patch_words *words,
                     kin__node **out, kin__codec_warnings *warnings, kin__refusal *no)
{
    kin__json value = kin__json_of(patch);
    kin_type type = kin__json_type(value);
    bool is_lenient = validation == KIN__FIELDS_IGNORE;
    kin_error unwanted;

    if (kin__json_check(patch, &unwanted) != KIN_OK) {
        return refuse_syntax(patch, is_lenient, words, no);
    }
    bool wants_object = !is_lenient || words->lenient == NULL;
    if (wants_object && type != KIN_TYPE_OBJECT && type != KIN_TYPE_NULL) {
        return kin__refuse_bad_request(
            no, "%sjson: cannot unmarshal %s into Go value of type map[string]interface {}",
            words->prefix, kin__codec_type_name(value));
    }
    return read_tree(patch, words, out, is_lenient ? NULL : warnings, no);
}

static bool refuse_syntax(kin_str patch, bool is_lenient, const kin__patch_words *words,
                          kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf said = { 0 };

    if (is_lenient && words->lenient != NULL) {
        return kin__refuse_bad_request(no, "%s", words->lenient);
    }
    kin__codec_syntax_error(patch, &said);
    return kin__buf_failed(&said)
               ? kin__refuse_no_memory(no)
               : kin__refuse_bad_request(no, "%s%.*s", words->prefix, (int) said.len, said.data);
}

static bool read_tree(kin_str patch, const kin__patch_words *words, kin__node **out,
                      kin__codec_warnings *notes, kin__refusal *no)
{
    kin__codec_reading reading = { .message = KIN__PB_NO_MESSAGE, .notes = notes };
    kin_error err;

    kin_err code = kin__codec_read(&reading, kin__json_of(patch), out, &err);
    if (code == KIN_ERR_INVALID) {
        (void) kin__refuse_bad_request(no, "%s%.*s", words->prefix, (int) reading.words.len,
                                       reading.words.data);
    } else if (code != KIN_OK) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&reading.words);
    return code == KIN_OK;
}

kin_err kin__patch_drop_nulls(kin__node *node, kin_error *err)
{
    kin__node_iter iter = { 0 };
    size_t null_count = 0;

    while (kin__node_next(node, &iter)) {
        null_count += kin__node_type(iter.value) == KIN_TYPE_NULL;
        if (kin__patch_drop_nulls(iter.value, err) != KIN_OK) {
            return err->code;
        }
    }
    return null_count == 0 || kin__node_type(node) != KIN_TYPE_OBJECT
               ? KIN_OK
               : drop_null_members(node, null_count, err);
}

/* An object that is walked must not change, so their names are noted first. */
static kin_err drop_null_members(kin__node *object, size_t count, kin_error *err)
{
    kin_str *names = kin__alloc_zero(count, sizeof *names);
    kin__node_iter iter = { 0 };
    size_t noted = 0;

    if (names == NULL) {
        return kin__error_no_memory(err);
    }
    while (kin__node_next(object, &iter)) {
        if (kin__node_type(iter.value) == KIN_TYPE_NULL) {
            names[noted++] = iter.name;
        }
    }
    for (size_t i = 0; i < noted; i++) {
        kin__node_remove_member(object, names[i]);
    }
    kin__free(names);
    return KIN_OK;
}

kin_err kin__patch_null(kin__node **out, kin_error *err)
{
    return kin__node_from_json(kin__json_of(STR("null")), out, err);
}

kin_err kin__patch_take(kin__node *object, kin_str name, kin__node **out, kin_error *err)
{
    kin__node *none = NULL;

    if (kin__patch_null(&none, err) != KIN_OK) {
        return err->code;
    }
    *out = kin__node_swap_member(object, name, none);
    return KIN_OK;
}

kin_err kin__patch_move(kin__node *from, kin_str name, kin__node *to, kin_str to_name,
                        kin_error *err)
{
    AUTO(kin__node_free) kin__node *taken = NULL;

    if (kin__patch_take(from, name, &taken, err) != KIN_OK ||
        kin__node_set_member(to, to_name, taken, err) != KIN_OK) {
        return err->code;
    }
    taken = NULL;
    return KIN_OK;
}
