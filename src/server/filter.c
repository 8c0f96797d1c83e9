/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.c - namespace, labels and fields as one test.
 *
 * Which objects can match is narrowed as the API server does it (registry.Store.ListPredicate): a
 * field selector that names a namespace stands for one in the path, and one that names an object
 * for its key.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/encoding.h"
#include "object/selector.h"
#include "server/deed.h"
#include "server/field_labels.h"
#include "server/field_terms.h"
#include "server/selectors.h"

#define NAMESPACE_MAX 63

typedef struct filter_term {
    kin__field_source source;
    kin_path *paths[KIN__FIELD_PATHS]; /* owned */
    kin_str otherwise;                 /* static */
    kin_str value;                     /* in the filter's terms */
    bool is_not;
} filter_term;

struct kin__filter {
    kin_selector *labels; /* NULL: no label selector */
    kin__field_terms fields;
    kin__buf field_text; /* what the names of `fields` lie in */
    filter_term *terms;  /* owned; as many as there are fields */
    kin__buf prefix;     /* "kube-system/" */
    kin__buf key;        /* the only one that can match */
};

static bool fill(kin__filter *filter, const kin__asked *asked, kin__refusal *no);
static bool read_fields(kin__filter *filter, const kin__asked *asked, kin__refusal *no);
static bool compile(const kin__field_term *from, const kin__field_label *label, filter_term *to,
                    kin__refusal *no);
static bool compile_path(kin_str text, kin_path **out, kin__refusal *no);
static bool narrow(kin__filter *filter, const kin__asked *asked);
static bool find_exact(const kin__filter *filter, kin__field_source source, kin_str *out);
static bool is_namespace(kin_str name);
static bool term_matches(const filter_term *term, const kin_object *object);
static bool path_matches(const filter_term *term, const kin_object *object);
static bool is_empty(kin_value value);

bool kin__filter_new(const kin__asked *asked, kin__filter **out, kin__refusal *no)
{
    AUTO(kin__filter_free) kin__filter *filter = kin__alloc_zero(1, sizeof *filter);

    if (filter == NULL) {
        return kin__refuse_no_memory(no);
    }
    if (!fill(filter, asked, no)) {
        return false;
    }
    *out = STEAL(filter);
    return true;
}

void kin__filter_free(kin__filter *filter)
{
    if (filter == NULL) {
        return;
    }
    for (size_t i = 0; filter->terms != NULL && i < filter->fields.count; i++) {
        for (size_t k = 0; k < KIN__FIELD_PATHS; k++) {
            kin_path_free(filter->terms[i].paths[k]);
        }
    }
    kin__free(filter->terms);
    kin__field_terms_fini(&filter->fields);
    kin__buf_fini(&filter->field_text);
    kin_selector_free(filter->labels);
    kin__buf_fini(&filter->prefix);
    kin__buf_fini(&filter->key);
    kin__free(filter);
}

bool kin__filter_matches(const kin__filter *filter, const kin_object *object)
{
    if (!kin__str_starts_with(kin_object_key(object), kin__filter_prefix(filter))) {
        return false;
    }
    if (filter->labels != NULL && !kin_selector_matches(filter->labels, object)) {
        return false;
    }
    for (size_t i = 0; i < filter->fields.count; i++) {
        if (term_matches(&filter->terms[i], object) == filter->terms[i].is_not) {
            return false;
        }
    }
    return true;
}

bool kin__filter_is_all(const kin__filter *filter)
{
    return filter->labels == NULL && filter->fields.count == 0;
}

kin_str kin__filter_prefix(const kin__filter *filter)
{
    return kin__str(filter->prefix.data, filter->prefix.len);
}

kin_str kin__filter_key(const kin__filter *filter)
{
    return kin__str(filter->key.data, filter->key.len);
}

static bool fill(kin__filter *filter, const kin__asked *asked, kin__refusal *no)
{
    if (!kin__label_selector_read(asked->params.label_selector, &filter->labels, no)) {
        return false;
    }
    if (filter->labels != NULL && kin_selector_is_everything(filter->labels)) {
        kin_selector_free(filter->labels);
        filter->labels = NULL;
    }
    if (!read_fields(filter, asked, no)) {
        return false;
    }
    return narrow(filter, asked) || kin__refuse_no_memory(no);
}

/* ---- fields --------------------------------------------------------------------------------- */

/* The text is copied: a watch outlives its request. */
static bool read_fields(kin__filter *filter, const kin__asked *asked, kin__refusal *no)
{
    const char *text = asked->params.field_selector;

    if (text == NULL || *text == '\0') {
        return true;
    }
    if (!kin__buf_append(&filter->field_text, text, strlen(text) + 1)) {
        return kin__refuse_no_memory(no);
    }
    AUTO(kin__field_terms_fini) kin__field_terms fields = { 0 };
    if (!kin__field_terms_read(filter->field_text.data, &fields, no)) {
        return false;
    }
    filter->terms = kin__alloc_zero(fields.count, sizeof *filter->terms);
    if (filter->terms == NULL) {
        return kin__refuse_no_memory(no);
    }
    filter->fields = fields;
    fields = (kin__field_terms){ 0 };
    for (size_t i = 0; i < filter->fields.count; i++) {
        const kin__field_term *term = &filter->fields.terms[i];
        kin__field_label label;
        if (!kin__field_label_find(asked->route.served, term->name, &label, no) ||
            !compile(term, &label, &filter->terms[i], no)) {
            return false;
        }
    }
    return true;
}

static bool compile(const kin__field_term *from, const kin__field_label *label, filter_term *to,
                    kin__refusal *no)
{
    to->source = label->source;
    to->otherwise = kin_str_of(label->otherwise);
    to->value = from->value;
    to->is_not = from->is_not;
    if (label->source != KIN__FIELD_PATH) {
        return true;
    }
    if (label->paths[0] == NULL) {
        return compile_path(from->name, &to->paths[0], no);
    }
    for (size_t i = 0; i < KIN__FIELD_PATHS && label->paths[i] != NULL; i++) {
        if (!compile_path(kin_str_of(label->paths[i]), &to->paths[i], no)) {
            return false;
        }
    }
    return true;
}

/* A path of a definition that is none leads nowhere: then it stays NULL. */
static bool compile_path(kin_str text, kin_path **out, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf terminated = { 0 };
    kin_error err;

    if (!kin__buf_append_str(&terminated, text) || !kin__buf_append_byte(&terminated, '\0')) {
        return kin__refuse_no_memory(no);
    }
    kin_err code = kin_path_new(terminated.data, out, &err);
    return code != KIN_ERR_NO_MEMORY || kin__refuse_no_memory(no);
}

/* ---- which keys ----------------------------------------------------------------------------- */

static bool narrow(kin__filter *filter, const kin__asked *asked)
{
    const kin__served *served = asked->route.served;
    bool is_continued =
        asked->params.continue_token != NULL && *asked->params.continue_token != '\0';
    kin_str ns = asked->route.ns;
    kin_str name;

    if (served->is_namespaced) {
        if (ns.len == 0 && (!find_exact(filter, KIN__FIELD_NAMESPACE, &ns) || !is_namespace(ns))) {
            return true;
        }
        (void) kin__buf_append_str(&filter->prefix, ns);
        (void) kin__buf_append_byte(&filter->prefix, '/');
    }
    if (!is_continued && find_exact(filter, KIN__FIELD_NAME, &name) && name.len > 0) {
        (void) kin__buf_append_str(&filter->key, kin__filter_prefix(filter));
        (void) kin__buf_append_str(&filter->key, name);
    }
    return !kin__buf_failed(&filter->prefix) && !kin__buf_failed(&filter->key);
}

static bool find_exact(const kin__filter *filter, kin__field_source source, kin_str *out)
{
    for (size_t i = 0; i < filter->fields.count; i++) {
        if (filter->terms[i].source == source && !filter->terms[i].is_not) {
            *out = filter->terms[i].value;
            return true;
        }
    }
    return false;
}

/* An RFC 1123 label. */
static bool is_namespace(kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool is_inner = i > 0 && i + 1 < name.len;
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(c == '-' && is_inner)) {
            return false;
        }
    }
    return name.len > 0 && name.len <= NAMESPACE_MAX;
}

/* ---- matching ------------------------------------------------------------------------------- */

static bool term_matches(const filter_term *term, const kin_object *object)
{
    switch (term->source) {
    case KIN__FIELD_NAME:
        return kin__str_equal(kin_object_name(object), term->value);
    case KIN__FIELD_NAMESPACE:
        return kin__str_equal(kin_object_namespace(object), term->value);
    case KIN__FIELD_PATH:
        return path_matches(term, object);
    case KIN__FIELD_NOTHING:
    default:
        return term->value.len == 0;
    }
}

static bool path_matches(const filter_term *term, const kin_object *object)
{
    for (size_t i = 0; i < KIN__FIELD_PATHS && term->paths[i] != NULL; i++) {
        kin_value value = kin_object_at_path(object, term->paths[i]);
        if (!is_empty(value)) {
            return kin__value_says(value, term->value);
        }
    }
    return kin__str_equal(term->otherwise, term->value);
}

static bool is_empty(kin_value value)
{
    return kin__value_says(value, STR(""));
}
