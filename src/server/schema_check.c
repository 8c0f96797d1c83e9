/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_check.c - an object of a custom resource beside its schema.
 */
#include "server/schema_check.h"

#include <stdio.h>

#include "json/number.h"
#include "server/metadata_check.h"
#include "server/pattern.h"
#include "server/quote.h"
#include "server/schema_embedded.h"
#include "server/schema_format.h"
#include "server/schema_lists.h"
#include "server/schema_place.h"

typedef struct checking {
    kin__schema_place at;
    kin__refusal *no;
} checking;

/* What several schemas are tried on. */
typedef struct whole {
    const kin__node *node, *old;
    bool is_root;
} whole;

static void check(checking *c, const kin__node *schema, const kin__node *node, const kin__node *old,
                  bool is_root);
static void check_compositions(checking *c, const kin__node *schema, const kin__node *node,
                               const kin__node *old, bool is_root);
static size_t count_fitting(checking *c, const kin__node *schemas, const whole *at);
static bool fits(checking *c, const kin__node *schema, const whole *at);
static void check_first(checking *c, const kin__node *schemas, const whole *at);
static void check_all(checking *c, const kin__node *schemas, const whole *at);
static void refuse_whole(checking *c, const char *why);
static bool check_type(checking *c, const kin__node *schema, const kin__node *node);
static const char *type_name(const kin__node *node);
static void check_object(checking *c, const kin__node *schema, const kin__node *node,
                         const kin__node *old, bool is_root);
static void check_count(checking *c, const kin__node *schema, size_t count);
static void check_array(checking *c, const kin__node *schema, const kin__node *node,
                        const kin__node *old);
static void check_string(checking *c, const kin__node *schema, kin_str text);
static void check_pattern(checking *c, kin_str pattern, kin_str text);
static void refuse_text(checking *c, kin_str text, kin__buf *why);
static void check_format(checking *c, const kin__node *schema, kin_str text);
static bool find_match(checking *c, kin_str pattern, kin_str text, bool *out);
static void check_factor(checking *c, const kin__node *schema, kin_str raw);
static void check_number(checking *c, const kin__node *schema, kin_str raw);
static void check_enum(checking *c, const kin__node *schema, const kin__node *node);
static const char *path_of(checking *c);

void kin__schema_check(const kin__node *schema, const kin__node *object, const kin__node *old,
                       kin__refusal *no)
{
    checking c = { .no = no };

    check(&c, schema, object, old, true);
    if (kin__buf_failed(&c.at.path)) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&c.at.path);
    kin__schema_embedded_check(schema, object, no);
    kin__schema_lists_check(schema, object, old, no);
}

/* In the order of the real server's validators. */
static void check(checking *c, const kin__node *schema, const kin__node *node, const kin__node *old,
                  bool is_root)
{
    if ((old != NULL && kin__node_equal(node, old)) || !check_type(c, schema, node)) {
        return;
    }
    check_compositions(c, schema, node, old, is_root);
    if (kin__node_is(node, KIN_TYPE_STRING)) {
        check_string(c, schema, kin__node_text(node));
        check_format(c, schema, kin__node_text(node));
    } else if (kin__node_is(node, KIN_TYPE_NUMBER)) {
        check_factor(c, schema, kin__node_text(node));
        check_number(c, schema, kin__node_text(node));
    } else if (kin__node_is(node, KIN_TYPE_ARRAY)) {
        check_array(c, schema, node, old);
    }
    check_enum(c, schema, node);
    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        check_object(c, schema, node, old, is_root);
    }
}

static void check_compositions(checking *c, const kin__node *schema, const kin__node *node,
                               const kin__node *old, bool is_root)
{
    const kin__node *any = kin__field(schema, "anyOf"), *one = kin__field(schema, "oneOf");
    const kin__node *all = kin__field(schema, "allOf"), *not = kin__field(schema, "not");
    whole at = { node, old, is_root };

    if (any != NULL && count_fitting(c, any, &at) == 0) {
        refuse_whole(c, "must validate at least one schema (anyOf)");
        check_first(c, any, &at);
    }
    size_t fitting = one == NULL ? 1 : count_fitting(c, one, &at);
    if (fitting == 0) {
        refuse_whole(c, "must validate one and only one schema (oneOf). Found none valid");
        check_first(c, one, &at);
    } else if (fitting > 1) {
        char why[96];
        (void) snprintf(why, sizeof why,
                        "must validate one and only one schema (oneOf). Found %zu valid "
                        "alternatives",
                        fitting);
        refuse_whole(c, why);
    }
    if (all != NULL) {
        check_all(c, all, &at);
    }
    if (not != NULL && fits(c, not, &at)) {
        refuse_whole(c, "must not validate the schema (not)");
    }
}

static size_t count_fitting(checking *c, const kin__node *schemas, const whole *at)
{
    kin__node_iter iter = { 0 };
    size_t count = 0;

    while (kin__node_next(schemas, &iter)) {
        count += fits(c, iter.value, at) ? 1 : 0;
    }
    return count;
}

/* Whether there is nothing to refuse. */
static bool fits(checking *c, const kin__node *schema, const whole *at)
{
    AUTO(kin__refusal_fini) kin__refusal trial = { 0 };
    kin__refusal *no = c->no;

    c->no = &trial;
    check(c, schema, at->node, at->old, at->is_root);
    c->no = no;
    if (trial.has_no_memory) {
        (void) kin__refuse_no_memory(no);
    }
    return trial.cause_count == 0 && !trial.has_no_memory;
}

/* Of several that do not fit a real server quotes the one that comes closest, most often the first.
 */
static void check_first(checking *c, const kin__node *schemas, const whole *at)
{
    kin__node_iter iter = { 0 };

    if (kin__node_next(schemas, &iter)) {
        check(c, iter.value, at->node, at->old, at->is_root);
    }
}

static void check_all(checking *c, const kin__node *schemas, const whole *at)
{
    size_t fitting = count_fitting(c, schemas, at);
    kin__node_iter iter = { 0 };

    while (fitting < kin__node_count(schemas) && kin__node_next(schemas, &iter)) {
        check(c, iter.value, at->node, at->old, at->is_root);
    }
    if (fitting < kin__node_count(schemas)) {
        refuse_whole(c, fitting > 0 ? "must validate all the schemas (allOf)"
                                    : "must validate all the schemas (allOf). None validated");
    }
}

/* What has no field of its own. */
static void refuse_whole(checking *c, const char *why)
{
    kin__refusal_add_invalid(c->no, "FieldValueInvalid", "<nil>", "Invalid value: \"\": \"%s\" %s",
                             path_of(c), why);
}

static bool check_type(checking *c, const kin__node *schema, const kin__node *node)
{
    kin_str wanted = kin__field_text(schema, "type");
    const char *got = type_name(node);
    bool is_either = kin__field_is_true(schema, "x-kubernetes-int-or-string");

    if (kin__node_is(node, KIN_TYPE_NULL) && kin__field_is_true(schema, "nullable")) {
        return false; /* nothing else is to be said of it */
    }
    if (is_either ? strcmp(got, "integer") == 0 || strcmp(got, "string") == 0
                  : wanted.len == 0 || kin__str_equal(wanted, kin_str_of(got)) ||
                        (kin__str_equal(wanted, STR("number")) && strcmp(got, "integer") == 0)) {
        return true;
    }
    const char *path = path_of(c);
    kin_str named = is_either ? STR("integer,string") : wanted;
    kin__refusal_add_invalid(c->no, "FieldValueTypeInvalid", path,
                             "Invalid value: \"%s\": %s in body must be of type %.*s: \"%s\"", got,
                             path, KIN_STR_ARG(named), got);
    if (kin__str_equal(named, STR("integer")) && strcmp(got, "number") == 0) {
        kin__refusal_add_invalid(c->no, "FieldValueInvalid", "<nil>",
                                 "Invalid value: \"\": Checked value must be of type integer "
                                 "(default format) in %s",
                                 path);
    }
    return false;
}

static const char *type_name(const kin__node *node)
{
    int64_t number;

    switch (kin__node_type(node)) {
    case KIN_TYPE_NULL:
        return "null";
    case KIN_TYPE_BOOL:
        return "boolean";
    case KIN_TYPE_STRING:
        return "string";
    case KIN_TYPE_ARRAY:
        return "array";
    case KIN_TYPE_NUMBER:
        return kin__json_int64(kin__node_text(node), &number) == KIN_ERR_TYPE ? "number"
                                                                              : "integer";
    default:
        return "object";
    }
}

static void check_object(checking *c, const kin__node *schema, const kin__node *node,
                         const kin__node *old, bool is_root)
{
    const kin__node *required = kin__field(schema, "required");
    kin__node_iter iter = { 0 };

    check_count(c, schema, kin__node_count(node));
    while (required != NULL && kin__node_next(required, &iter)) {
        kin_str name = kin__node_text(iter.value);
        if (kin__node_member(node, name) == NULL) {
            size_t len = kin__schema_enter(&c->at, name);
            kin__refusal_add_invalid(c->no, "FieldValueRequired", path_of(c), "Required value");
            kin__schema_leave(&c->at, len);
        }
    }
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = kin__schema_member(schema, iter.name, &is_known);
        if (below != NULL && !kin__schema_is_own(schema, is_root, iter.name)) {
            size_t len = kin__schema_enter(&c->at, iter.name);
            const kin__node *before = old == NULL ? NULL : kin__node_member(old, iter.name);
            check(c, below, iter.value, before, false);
            kin__schema_leave(&c->at, len);
        }
    }
}

/* Members of an object. */
static void check_count(checking *c, const kin__node *schema, size_t count)
{
    const char *path = path_of(c);
    int64_t limit = 0;

    if (kin__field_int64(schema, "minProperties", &limit) && limit > 0 &&
        count < (uint64_t) limit) {
        kin__refusal_add_invalid(
            c->no, "FieldValueInvalid", path,
            "Invalid value: %zu: %s in body should have at least %lld properties", count, path,
            (long long) limit);
    }
    if (kin__field_int64(schema, "maxProperties", &limit) && limit >= 0 &&
        count > (uint64_t) limit) {
        kin__refusal_add_invalid(c->no, "FieldValueTooMany", path,
                                 "Too many: %zu: must have at most %lld items", count,
                                 (long long) limit);
    }
}

static void check_array(checking *c, const kin__node *schema, const kin__node *node,
                        const kin__node *old)
{
    const kin__node *items = kin__field(schema, "items");
    size_t count = kin__node_count(node);
    kin__node_iter iter = { 0 };
    int64_t limit = 0;

    for (size_t i = 0; items != NULL && kin__node_next(node, &iter); i++) {
        size_t len = kin__schema_enter_element(&c->at, i);
        check(c, items, iter.value, kin__schema_counterpart(schema, iter.value, old), false);
        kin__schema_leave(&c->at, len);
    }
    if (kin__field_int64(schema, "maxItems", &limit) && limit >= 0 && count > (uint64_t) limit) {
        kin__refusal_add_invalid(c->no, "FieldValueTooMany", path_of(c),
                                 "Too many: %zu: must have at most %lld items", count,
                                 (long long) limit);
    }
    if (kin__field_int64(schema, "minItems", &limit) && limit > 0 && count < (uint64_t) limit) {
        const char *path = path_of(c);
        kin__refusal_add_invalid(c->no, "FieldValueInvalid", path,
                                 "Invalid value: %zu: %s in body should have at least %lld items",
                                 count, path, (long long) limit);
    }
}

/* Lengths are of characters, though the real message speaks of bytes.  One thing is told. */
static void check_string(checking *c, const kin__node *schema, kin_str text)
{
    int64_t limit = 0;
    int64_t count = 0;

    for (size_t i = 0; i < text.len; i++) {
        count += ((unsigned char) text.data[i] & 0xc0) != 0x80;
    }
    if (kin__field_int64(schema, "maxLength", &limit) && count > limit) {
        kin__refusal_add_invalid(c->no, "FieldValueTooLong", path_of(c),
                                 "Too long: may not be more than %lld bytes", (long long) limit);
        return;
    }
    if (kin__field_int64(schema, "minLength", &limit) && count < limit) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };
        (void) kin__buf_append_format(&why, "%s in body should be at least %lld chars long",
                                      path_of(c), (long long) limit);
        refuse_text(c, text, &why);
        return;
    }
    check_pattern(c, kin__field_text(schema, "pattern"), text);
}

/* A pattern that cannot be read is no reason to refuse what it should match. */
static void check_pattern(checking *c, kin_str pattern, kin_str text)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    bool is_match = true;

    if (pattern.len == 0 || !find_match(c, pattern, text, &is_match) || is_match) {
        return;
    }
    (void) kin__buf_append_format(&why, "%s in body should match '%.*s'", path_of(c),
                                  KIN_STR_ARG(pattern));
    refuse_text(c, text, &why);
}

static void refuse_text(checking *c, kin_str text, kin__buf *why)
{
    if (kin__buf_append_byte(why, '\0') && !kin__buf_failed(why)) {
        kin__invalid_text(c->no, path_of(c), text, why->data);
    } else {
        (void) kin__refuse_no_memory(c->no);
    }
}

static void check_format(checking *c, const kin__node *schema, kin_str text)
{
    kin_str format = kin__field_text(schema, "format");
    const char *pattern = kin__schema_format(format);
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };
    bool is_match = true;

    if (pattern == NULL || !find_match(c, kin_str_of(pattern), text, &is_match) || is_match) {
        return;
    }
    const char *path = path_of(c);
    kin__quote_append(text, &quoted);
    if (kin__buf_failed(&quoted)) {
        (void) kin__refuse_no_memory(c->no);
        return;
    }
    kin__refusal_add_invalid(c->no, "FieldValueTypeInvalid", path,
                             "Invalid value: %.*s: %s in body must be of type %.*s: %.*s",
                             (int) quoted.len, quoted.data, path, KIN_STR_ARG(format),
                             (int) quoted.len, quoted.data);
}

/* False when it could not be found out. */
static bool find_match(checking *c, kin_str pattern, kin_str text, bool *out)
{
    AUTO(kin__pattern_free) kin__pattern *made = NULL;
    kin_error err;
    kin_err code = kin__pattern_new(pattern, &made, &err);

    if (code == KIN_OK) {
        code = kin__pattern_matches(made, text, out, &err);
    }
    if (code == KIN_ERR_NO_MEMORY) {
        (void) kin__refuse_no_memory(c->no);
    }
    return code == KIN_OK;
}

/* Numbers of an order at which each is a multiple of all pass. */
static void check_factor(checking *c, const kin__node *schema, kin_str raw)
{
    const kin__node *factor = kin__field(schema, "multipleOf");
    double value = 0, step = 0;

    if (!kin__node_is(factor, KIN_TYPE_NUMBER) || kin__json_double(raw, &value) != KIN_OK ||
        kin__json_double(kin__node_text(factor), &step) != KIN_OK || !(step > 0)) {
        return;
    }
    double times = value / step;
    bool is_whole = !(times > -1e15 && times < 1e15);
    if (!is_whole) {
        double off = times - (double) (int64_t) times;
        is_whole = (off < 0 ? -off : off) < 1e-9 || (off < 0 ? -off : off) > 1 - 1e-9;
    }
    if (!is_whole) {
        const char *path = path_of(c);
        kin__refusal_add_invalid(c->no, "FieldValueInvalid", path,
                                 "Invalid value: %.*s: %s in body should be a multiple of %.*s",
                                 KIN_STR_ARG(raw), path, KIN_STR_ARG(kin__node_text(factor)));
    }
}

static void check_number(checking *c, const kin__node *schema, kin_str raw)
{
    static const struct {
        const char *limit, *exclusive, *word;
        int sign;
    } sides[] = {
        { "minimum", "exclusiveMinimum", "greater", 1 },
        { "maximum", "exclusiveMaximum", "less", -1 },
    };
    double value = 0;

    if (kin__json_double(raw, &value) != KIN_OK) {
        return;
    }
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        const kin__node *limit = kin__field(schema, sides[i].limit);
        bool is_exclusive = kin__field_is_true(schema, sides[i].exclusive);
        double bound = 0;
        if (!kin__node_is(limit, KIN_TYPE_NUMBER) ||
            kin__json_double(kin__node_text(limit), &bound) != KIN_OK) {
            continue;
        }
        double beyond = (value - bound) * sides[i].sign;
        if (beyond < 0 || (is_exclusive && !(beyond > 0))) {
            const char *path = path_of(c);
            kin__refusal_add_invalid(c->no, "FieldValueInvalid", path,
                                     "Invalid value: %.*s: %s in body should be %s than %s%.*s",
                                     KIN_STR_ARG(raw), path, sides[i].word,
                                     is_exclusive ? "" : "or equal to ",
                                     KIN_STR_ARG(kin__node_text(limit)));
        }
    }
}

static void check_enum(checking *c, const kin__node *schema, const kin__node *node)
{
    const kin__node *values = kin__field(schema, "enum");
    AUTO(kin__buf_fini) kin__buf all = { 0 };
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__node_iter iter = { 0 };

    if (values == NULL) {
        return;
    }
    while (kin__node_next(values, &iter)) {
        if (kin__node_equal(iter.value, node)) {
            return;
        }
        (void) kin__buf_append_str(&all, all.len == 0 ? STR("") : STR(", "));
        (void) kin__node_append_json(iter.value, &all);
    }
    (void) kin__node_append_json(node, &shown);
    if (kin__buf_failed(&all) || kin__buf_failed(&shown)) {
        (void) kin__refuse_no_memory(c->no);
        return;
    }
    kin__refusal_add_invalid(c->no, "FieldValueNotSupported", path_of(c),
                             "Unsupported value: %.*s: supported values: %.*s", (int) shown.len,
                             shown.data, (int) all.len, all.data);
}

/* Terminated; good until the walk goes on. */
static const char *path_of(checking *c)
{
    if (!kin__buf_append_byte(&c->at.path, '\0')) {
        (void) kin__refuse_no_memory(c->no);
        return "";
    }
    c->at.path.len--;
    return c->at.path.data;
}
