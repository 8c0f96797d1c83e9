/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - the rules of indexes, and the values they find.
 */
#include "cache/index.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/inside.h"
#include "base/str.h"
#include "object/encoding.h"

struct kin_index_sink {
    const kin__batch *batch;
    kin__index_values *values;
    uint32_t index;
    bool has_failed;  /* there was no memory */
    bool is_too_long; /* a value was */
    kin_err fault;    /* a value that could not be read */
};

static bool reserve_value(kin__index_values *values);
static void evaluate_path(const kin__index_rule *rule, const kin_object *object,
                          kin_index_sink *sink);
static bool add_match(void *context, kin_value match);
static void add_string(kin_index_sink *sink, kin_value match);
static void add_decoded(kin_index_sink *sink, kin_value match, size_t room);

size_t kin__index_rule_bytes(const kin__index_rule *rule)
{
    return sizeof *rule + rule->name_len + 1;
}

kin_err kin__index_rule_make(kin__batch *batch, const kin_index_options *options,
                             kin__index_rule **out, kin_error *err)
{
    if (options->name == NULL || options->name[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "it has no name");
    }
    if ((options->path == NULL) == (options->fn == NULL)) {
        return kin__error_set(err, KIN_ERR_USAGE, "one of path and fn is required");
    }
    AUTO(kin_path_free) kin_path *path = NULL;
    if (options->path != NULL && kin_path_new(options->path, &path, err) != KIN_OK) {
        return err->code;
    }
    size_t len = strlen(options->name);
    kin__index_rule *rule = kin__batch_make(batch, KIN__PART_RULE, 0, sizeof *rule + len + 1);
    if (rule == NULL) {
        return kin__error_no_memory(err);
    }
    rule->fn = options->fn;
    rule->context = options->context;
    rule->path = STEAL(path);
    rule->name_len = len;
    memcpy(rule->name, options->name, len + 1);
    *out = rule;
    return KIN_OK;
}

void kin__index_rule_fini(kin__index_rule *rule)
{
    kin_path_free(rule->path);
}

void kin__index_values_fini(kin__index_values *values)
{
    kin__free(values->items);
    kin__buf_fini(&values->bytes);
    *values = (kin__index_values){ 0 };
}

/* The buffer never stays without memory: a value may be empty, and still has an address. */
bool kin__index_values_put(kin__index_values *values, size_t index, uint64_t hash, kin_str value)
{
    if (!reserve_value(values) || !kin__buf_reserve(&values->bytes, value.len + 1)) {
        return false;
    }
    values->items[values->count++] = (kin__index_value){
        .hash = hash,
        .at = values->bytes.len,
        .len = (uint32_t) value.len,
        .index = (uint32_t) index,
    };
    return kin__buf_append_str(&values->bytes, value);
}

kin_err kin__index_evaluate(const kin__index_rule *rule, uint32_t index, const kin__batch *batch,
                            const kin_object *object, kin__index_values *values, bool *out_is_ours,
                            kin_error *err)
{
    kin_index_sink sink = { .batch = batch, .values = values, .index = index };
    size_t count = values->count;
    size_t len = values->bytes.len;
    kin_err code = KIN_OK;

    if (rule->path != NULL) {
        evaluate_path(rule, object, &sink);
        code = sink.fault == KIN_OK
                   ? KIN_OK
                   : kin__error_set(err, sink.fault, "read %s", kin_path_text(rule->path));
    } else {
        *err = (kin_error){ 0 };
        kin__inside_enter(KIN__INSIDE_CHANGE);
        code = rule->fn(rule->context, object, &sink, err);
        kin__inside_leave(KIN__INSIDE_CHANGE);
        if (code != KIN_OK) {
            (void) kin__error_told(err, code, "the function");
        }
    }
    if (sink.has_failed) {
        code = kin__error_no_memory(err);
    } else if (code == KIN_OK && sink.is_too_long) {
        code = kin__error_set(err, KIN_ERR_LIMIT, "a value has more than %d bytes", KIN__KEY_MAX);
    }
    if (code != KIN_OK) {
        values->count = count;
        values->bytes.len = len;
        *out_is_ours = sink.has_failed;
    }
    return code;
}

void kin_index_add(kin_index_sink *sink, kin_str value)
{
    kin__index_values *values = sink->values;

    if (value.len > KIN__KEY_MAX) {
        sink->is_too_long = true;
        return;
    }
    uint64_t hash = kin__batch_hash(sink->batch, value);
    if (sink->has_failed || !kin__index_values_put(values, sink->index, hash, value)) {
        sink->has_failed = true;
    }
}

void kin__index_drop(kin__index *index, kin__batch *batch)
{
    kin_walk walk = kin__table_walk(index->values);
    for (kin__entry *value; (value = kin__walk_next(&walk)) != NULL;) {
        kin__table set = value->set;
        kin__table_drop(&set, batch);
        kin__batch_drop(batch, &value->part);
    }
    kin__table_drop(&index->values, batch);
    kin__batch_drop(batch, &index->rule->part);
}

static bool reserve_value(kin__index_values *values)
{
    if (values->count < values->capacity) {
        return true;
    }
    size_t capacity = values->capacity == 0 ? 8 : values->capacity * 2;
    kin__index_value *items = kin__realloc(values->items, capacity * sizeof *items);
    if (items == NULL) {
        return false;
    }
    values->items = items;
    values->capacity = capacity;
    return true;
}

static void evaluate_path(const kin__index_rule *rule, const kin_object *object,
                          kin_index_sink *sink)
{
    (void) kin_object_each(object, rule->path, add_match, sink);
}

static bool add_match(void *context, kin_value match)
{
    kin_index_sink *sink = context;
    char number[KIN__NUMBER_TEXT];
    bool is_true = false;

    switch (kin_value_type(match)) {
    case KIN_TYPE_STRING:
        add_string(sink, match);
        break;
    case KIN_TYPE_NUMBER:
        kin_index_add(sink, kin__value_number_text(match, number));
        break;
    case KIN_TYPE_BOOL:
        if (kin_value_bool(match, &is_true) == KIN_OK) {
            kin_index_add(sink, is_true ? STR("true") : STR("false"));
        }
        break;
    default:
        break; /* nothing to be found under */
    }
    return !sink->has_failed && sink->fault == KIN_OK;
}

static void add_string(kin_index_sink *sink, kin_value match)
{
    size_t room = kin_value_scratch_size(match);
    kin_str text;

    if (room != 0) {
        add_decoded(sink, match, room);
        return;
    }
    kin_err code = kin_value_str(match, NULL, 0, &text);
    if (code != KIN_OK) {
        sink->fault = code;
        return;
    }
    kin_index_add(sink, text);
}

static void add_decoded(kin_index_sink *sink, kin_value match, size_t room)
{
    char *scratch = kin__alloc(room);
    kin_str text;

    if (scratch == NULL) {
        sink->has_failed = true;
        return;
    }
    kin_err code = kin_value_str(match, scratch, room, &text);
    if (code != KIN_OK) {
        sink->fault = code;
    } else {
        kin_index_add(sink, text);
    }
    kin__free(scratch);
}
