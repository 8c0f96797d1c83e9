/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom.c - custom resources by the schema of their definition.
 *
 * Three walks over the object, each along the schema: pruning, defaults, checks.  They recurse with
 * the depth of both, which the codec limits for the object.
 */
#include "server/custom.h"

#include "json/number.h"
#include "server/field.h"
#include "server/metadata_check.h"
#include "server/quote.h"

/* Where a walk is: "spec.list[2]". */
typedef struct place {
    kin__buf path;
} place;

typedef struct pruning {
    place at;
    kin__codec_warnings *warnings; /* NULL: nobody wants to know */
    bool has_failed;
} pruning;

typedef struct checking {
    place at;
    kin__refusal *no;
} checking;

static bool conform(const kin__served *served, kin__node *object, kin__codec_warnings *warnings);
static const kin__node *find_schema(const kin__node *definition, kin_str version);
static size_t enter(place *at, kin_str name);
static size_t enter_element(place *at, size_t index);
static void leave(place *at, size_t len);
static bool is_own_member(const kin__node *schema, bool is_root, kin_str name);
static const kin__node *schema_of_member(const kin__node *schema, kin_str name, bool *is_known);
static void prune(pruning *p, const kin__node *schema, kin__node *node, bool is_root);
static void prune_members(pruning *p, const kin__node *schema, kin__node *node, bool is_root);
static void drop(pruning *p, kin__node *node, const kin__buf *names);
static bool fill_in(const kin__node *schema, kin__node *node, bool is_root);
static bool fill_in_members(const kin__node *schema, kin__node *node, bool is_root);
static bool is_unset(const kin__node *schema, const kin__node *value);
static void drop_nulls(const kin__node *properties, kin__node *node);
static void check(checking *c, const kin__node *schema, const kin__node *node, bool is_root);
static bool check_type(checking *c, const kin__node *schema, const kin__node *node);
static const char *type_name(const kin__node *node);
static void check_object(checking *c, const kin__node *schema, const kin__node *node, bool is_root);
static void check_array(checking *c, const kin__node *schema, const kin__node *node);
static void check_string(checking *c, const kin__node *schema, kin_str text);
static void check_number(checking *c, const kin__node *schema, kin_str raw);
static void check_enum(checking *c, const kin__node *schema, const kin__node *node);
static const char *path_of(checking *c);

bool kin__custom_prune(const kin__write *write, kin__node *object, kin__field_validation validation,
                       kin__codec_warnings *warnings, kin__refusal *no)
{
    bool is_custom = (write->served->traits & KIN__IS_CUSTOM) != 0;
    kin__codec_warnings *told = validation == KIN__FIELDS_IGNORE ? NULL : warnings;

    return !is_custom ||
           ((conform(write->served, object, told) &&
             (write->stored == write->served || conform(write->stored, object, NULL)) &&
             !kin__buf_failed(&warnings->texts)) ||
            kin__refuse_no_memory(no));
}

bool kin__custom_conform(const kin__served *served, kin__node *object)
{
    return conform(served, object, NULL);
}

bool kin__custom_refuse(const kin__write *write, kin__field_validation validation,
                        const kin__codec_warnings *warnings, kin__refusal *no)
{
    const kin__served *served = write->served;
    AUTO(kin__buf_fini) kin__buf why = { 0 };

    if (validation != KIN__FIELDS_STRICT || warnings->count == 0) {
        return true;
    }
    kin__codec_strict_error(warnings, &why);
    if (kin__buf_failed(&why)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "%.*s in version \"%.*s\" cannot be handled as a %.*s: %.*s",
                                   KIN_STR_ARG(served->kind), KIN_STR_ARG(served->version),
                                   KIN_STR_ARG(served->kind), (int) why.len, why.data);
}

void kin__custom_check(kin__write *write, kin__refusal *no)
{
    const kin__served *served = write->served;
    kin_str kind = kin__field_text(write->object, "kind");
    checking c = { .no = no };

    if (!kin__str_equal(kind, served->kind)) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };
        (void) kin__buf_append_format(&why, "must be %.*s", KIN_STR_ARG(served->kind));
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(no, "kind", kind, kin__buf_failed(&why) ? "" : why.data);
    }
    if (served->definition == NULL) {
        return;
    }
    AUTO(kin__node_free) kin__node *definition = kin__tree_of(kin__record_text(served->definition));
    if (definition == NULL) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    const kin__node *schema = find_schema(definition, served->version);
    if (schema != NULL) {
        check(&c, schema, write->object, true);
    }
    if (kin__buf_failed(&c.at.path)) {
        (void) kin__refuse_no_memory(no);
    }
    kin__buf_fini(&c.at.path);
}

/* Pruned and defaulted by the schema of one version. */
static bool conform(const kin__served *served, kin__node *object, kin__codec_warnings *warnings)
{
    if (served->definition == NULL) {
        return true;
    }
    AUTO(kin__node_free) kin__node *definition = kin__tree_of(kin__record_text(served->definition));
    const kin__node *schema = find_schema(definition, served->version);
    bool keeps_all = kin__field_is_true(kin__field(definition, "spec"), "preserveUnknownFields");
    pruning p = { .warnings = warnings };

    if (schema != NULL && !keeps_all) {
        prune(&p, schema, object, true);
    }
    bool has_failed = definition == NULL || p.has_failed || kin__buf_failed(&p.at.path);
    kin__buf_fini(&p.at.path);
    return !has_failed && (schema == NULL || fill_in(schema, object, true));
}

static const kin__node *find_schema(const kin__node *definition, kin_str version)
{
    const kin__node *versions = kin__field_at(definition, "spec", "versions");
    kin__node_iter iter = { 0 };

    while (versions != NULL && kin__node_next(versions, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "name"), version)) {
            return kin__field_at(iter.value, "schema", "openAPIV3Schema");
        }
    }
    return NULL;
}

/* Both return what leave() wants. */
static size_t enter(place *at, kin_str name)
{
    size_t len = at->path.len;

    if (len > 0) {
        (void) kin__buf_append_byte(&at->path, '.');
    }
    (void) kin__buf_append_str(&at->path, name);
    return len;
}

static size_t enter_element(place *at, size_t index)
{
    size_t len = at->path.len;

    (void) kin__buf_append_format(&at->path, "[%zu]", index);
    return len;
}

static void leave(place *at, size_t len)
{
    at->path.len = len;
}

/* What every object has, whatever its schema says. */
static bool is_own_member(const kin__node *schema, bool is_root, kin_str name)
{
    return (is_root || kin__field_is_true(schema, "x-kubernetes-embedded-resource")) &&
           (kin__str_equal(name, STR("metadata")) || kin__str_equal(name, STR("kind")) ||
            kin__str_equal(name, STR("apiVersion")));
}

/* NULL with `is_known` for members that are allowed and of which nothing is said. */
static const kin__node *schema_of_member(const kin__node *schema, kin_str name, bool *is_known)
{
    const kin__node *properties = kin__field(schema, "properties");
    const kin__node *others = kin__field(schema, "additionalProperties");
    const kin__node *found = properties == NULL ? NULL : kin__node_member(properties, name);

    if (found == NULL && kin__node_is(others, KIN_TYPE_OBJECT)) {
        found = others;
    }
    *is_known = found != NULL || kin__field_is_true(schema, "additionalProperties") ||
                kin__field_is_true(schema, "x-kubernetes-preserve-unknown-fields");
    return found;
}

static void prune(pruning *p, const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        prune_members(p, schema, node, is_root);
    } else if (kin__node_is(node, KIN_TYPE_ARRAY) && items != NULL) {
        for (size_t i = 0; kin__node_next(node, &iter); i++) {
            size_t len = enter_element(&p->at, i);
            prune(p, items, iter.value, false);
            leave(&p->at, len);
        }
    }
}

static void prune_members(pruning *p, const kin__node *schema, kin__node *node, bool is_root)
{
    AUTO(kin__buf_fini) kin__buf names = { 0 }; /* each behind its length */
    kin__node_iter iter = { 0 };

    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        (void) schema_of_member(schema, iter.name, &is_known);
        if (!is_known && !is_own_member(schema, is_root, iter.name)) {
            (void) kin__buf_append(&names, (const char *) &iter.name.len, sizeof iter.name.len);
            (void) kin__buf_append_str(&names, iter.name);
        }
    }
    if (kin__buf_failed(&names)) { /* a length may stand there without its name */
        p->has_failed = true;
        return;
    }
    drop(p, node, &names);
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = schema_of_member(schema, iter.name, &is_known);
        if (below != NULL && !is_own_member(schema, is_root, iter.name)) {
            size_t len = enter(&p->at, iter.name);
            prune(p, below, iter.value, false);
            leave(&p->at, len);
        }
    }
}

static void drop(pruning *p, kin__node *node, const kin__buf *names)
{
    for (size_t at = 0; at < names->len;) {
        size_t name_len;
        memcpy(&name_len, names->data + at, sizeof name_len);
        at += sizeof name_len;
        kin_str name = kin__str(names->data + at, name_len);
        at += name_len;
        if (p->warnings != NULL) {
            size_t len = enter(&p->at, name);
            kin__codec_warn(p->warnings, "unknown field",
                            kin__str(p->at.path.data, p->at.path.len));
            leave(&p->at, len);
        }
        kin__node_remove_member(node, name);
    }
}

static bool fill_in(const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *items = kin__field(schema, "items");
    kin__node_iter iter = { 0 };

    if (kin__node_is(node, KIN_TYPE_OBJECT)) {
        return fill_in_members(schema, node, is_root);
    }
    while (kin__node_is(node, KIN_TYPE_ARRAY) && items != NULL && kin__node_next(node, &iter)) {
        if (!fill_in(items, iter.value, false)) {
            return false;
        }
    }
    return true;
}

static bool fill_in_members(const kin__node *schema, kin__node *node, bool is_root)
{
    const kin__node *properties = kin__field(schema, "properties");
    kin__node_iter iter = { 0 };
    kin_error err;

    while (properties != NULL && kin__node_next(properties, &iter)) {
        const kin__node *value = kin__field(iter.value, "default");
        if (value == NULL || !is_unset(iter.value, kin__node_member(node, iter.name))) {
            continue;
        }
        kin__node *copy = kin__tree_copy(value);
        if (copy == NULL || kin__node_set_member(node, iter.name, copy, &err) != KIN_OK) {
            kin__node_free(copy);
            return false;
        }
    }
    drop_nulls(properties, node);
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = schema_of_member(schema, iter.name, &is_known);
        if (below != NULL && !is_own_member(schema, is_root, iter.name) &&
            !fill_in(below, iter.value, false)) {
            return false;
        }
    }
    return true;
}

/* null where it may not be is as good as nothing. */
static bool is_unset(const kin__node *schema, const kin__node *value)
{
    return value == NULL ||
           (kin__node_is(value, KIN_TYPE_NULL) && !kin__field_is_true(schema, "nullable"));
}

/* null where it may not be, and where no default is, goes. */
static void drop_nulls(const kin__node *properties, kin__node *node)
{
    kin__node_iter iter = { 0 };

    while (properties != NULL && kin__node_next(properties, &iter)) {
        const kin__node *value = kin__node_member(node, iter.name);
        if (value != NULL && is_unset(iter.value, value)) {
            kin__node_remove_member(node, iter.name);
        }
    }
}

static void check(checking *c, const kin__node *schema, const kin__node *node, bool is_root)
{
    if (!check_type(c, schema, node)) {
        return;
    }
    check_enum(c, schema, node);
    switch (kin__node_type(node)) {
    case KIN_TYPE_OBJECT:
        check_object(c, schema, node, is_root);
        break;
    case KIN_TYPE_ARRAY:
        check_array(c, schema, node);
        break;
    case KIN_TYPE_STRING:
        check_string(c, schema, kin__node_text(node));
        break;
    case KIN_TYPE_NUMBER:
        check_number(c, schema, kin__node_text(node));
        break;
    default:
        break;
    }
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
    int64_t whole;

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
        return kin__json_int64(kin__node_text(node), &whole) == KIN_ERR_TYPE ? "number" : "integer";
    default:
        return "object";
    }
}

static void check_object(checking *c, const kin__node *schema, const kin__node *node, bool is_root)
{
    const kin__node *required = kin__field(schema, "required");
    kin__node_iter iter = { 0 };

    while (required != NULL && kin__node_next(required, &iter)) {
        kin_str name = kin__node_text(iter.value);
        if (kin__node_member(node, name) == NULL) {
            size_t len = enter(&c->at, name);
            kin__refusal_add_invalid(c->no, "FieldValueRequired", path_of(c), "Required value");
            leave(&c->at, len);
        }
    }
    iter = (kin__node_iter){ 0 };
    while (kin__node_next(node, &iter)) {
        bool is_known = false;
        const kin__node *below = schema_of_member(schema, iter.name, &is_known);
        if (below != NULL && !is_own_member(schema, is_root, iter.name)) {
            size_t len = enter(&c->at, iter.name);
            check(c, below, iter.value, false);
            leave(&c->at, len);
        }
    }
}

static void check_array(checking *c, const kin__node *schema, const kin__node *node)
{
    const kin__node *items = kin__field(schema, "items");
    size_t count = kin__node_count(node);
    kin__node_iter iter = { 0 };
    int64_t limit = 0;

    for (size_t i = 0; items != NULL && kin__node_next(node, &iter); i++) {
        size_t len = enter_element(&c->at, i);
        check(c, items, iter.value, false);
        leave(&c->at, len);
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

/* Lengths are of characters, though the real message speaks of bytes. */
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
    }
    if (kin__field_int64(schema, "minLength", &limit) && count < limit) {
        AUTO(kin__buf_fini) kin__buf why = { 0 };
        const char *path = path_of(c);
        (void) kin__buf_append_format(&why, "%s in body should be at least %lld chars long", path,
                                      (long long) limit);
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(c->no, path, text, kin__buf_failed(&why) ? "" : why.data);
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
