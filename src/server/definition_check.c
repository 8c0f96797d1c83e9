/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_check.c - what a CustomResourceDefinition may say.
 *
 * After ValidateCustomResourceDefinition of k8s.io/apiextensions-apiserver.  That one looks at a
 * definition in a form of its own, which shows in its words: what all versions have in common
 * stands beside them (spec.subresources, spec.additionalPrinterColumns), the first version's name
 * is spec.version, too, and a list of versions is quoted with Go's names.
 */
#include "server/definition_check.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "server/field.h"
#include "server/metadata_check.h"
#include "server/quote.h"

#define LABEL_MAX 63
#define LABEL_FORM                                                                                 \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define MIXED "may have mixed case, but should otherwise match: "
#define APPROVED "api-approved.kubernetes.io"
#define APPROVAL "protected groups must have approval annotation \"" APPROVED "\""
#define PROPOSAL ", see https://github.com/kubernetes/enhancements/pull/1111"
#define WARNING_MAX 256

/* The versions, and which of their members are the same in all of them. */
typedef struct lineup {
    const kin__node *versions; /* NULL: there are none */
    size_t count;
    bool has_common[4]; /* by the index of a member in `members` */
} lineup;

enum member { SCHEMA, SUBRESOURCES, COLUMNS, SELECTABLE };
static const char *const members[] = { "schema", "subresources", "additionalPrinterColumns",
                                       "selectableFields" };

/* Names in order, to be looked up. */
typedef struct nameset {
    kin_str *names; /* owned */
    size_t count;
} nameset;

/* The name of a field, terminated: "spec.versions[1].name". */
typedef struct place {
    char text[160];
} place;

static void check_spec(const kin__write *write, kin__refusal *no);
static void check_name(const kin__write *write, kin__refusal *no);
static void check_group(const kin__node *spec, kin__refusal *no);
static void check_either(const kin__node *object, const char *name, const char *field,
                         const char *one, const char *other, kin__refusal *no);
static void check_schemas(const kin__node *versions, kin__refusal *no);
static lineup line_up(const kin__node *versions);
static void check_versions(const lineup *all, kin__refusal *no);
static void check_version(const lineup *all, const kin__node *version, size_t index,
                          kin__refusal *no);
static void check_warning(const kin__node *version, const char *field, kin__refusal *no);
static void check_set(const lineup *all, kin__refusal *no);
static void refuse_versions(const lineup *all, const char *why, kin__refusal *no);
static void quote_version(const lineup *all, const kin__node *version, kin__buf *out);
static void quote_member(const lineup *all, const kin__node *version, enum member member,
                         kin__buf *out);
static void check_subresources(const kin__node *version, const char *base, kin__refusal *no);
static void check_path(const kin__node *scale, const char *name, const char *base, bool is_required,
                       kin__refusal *no);
static void check_columns(const kin__node *version, const char *base, kin__refusal *no);
static void check_column(const kin__node *column, const char *base, kin__refusal *no);
static bool is_in(kin_str word, const char *words);
static void check_required(const kin__node *object, const char *name, const char *field,
                           kin__refusal *no);
static void check_names(const kin__node *names, const char *base, kin__refusal *no);
static void check_label(kin_str text, bool is_mixed, const char *field, kin__refusal *no);
static void check_labels(const kin__node *list, const char *base, const char *name,
                         kin__refusal *no);
static const char *explain_label(kin_str text, bool is_mixed);
static void check_unchanged(const kin__write *write, kin__refusal *no);
static void check_same(const kin__node *now, const kin__node *old, const char *name,
                       const char *field, kin__refusal *no);
static bool is_established(const kin__node *definition);
static void check_stored(const kin__write *write, kin__refusal *no);
static void check_missing(const kin__node *stored, const nameset *names, kin__refusal *no);
static bool nameset_make(nameset *set, const kin__node *list, const char *member, kin__refusal *no);
static void nameset_fini(nameset *set);
KIN__DEFINE_AUTO_FINI(nameset, nameset_fini)
static bool nameset_has(const nameset *set, kin_str name);
static int compare_names(const void *context, const void *a, const void *b);
static void check_approval(const kin__write *write, kin__refusal *no);
static int approval_of(const kin__node *definition);
static bool is_url(kin_str text);
static bool ends_with(kin_str text, const char *end);
static bool begins_with(kin_str text, const char *start);
static place child(const char *base, const char *name);
static place element(const char *base, size_t index);

void kin__definition_check(const kin__write *write, kin__refusal *no)
{
    const kin__node *accepted = kin__field_at(write->object, "status", "acceptedNames");

    if (kin__str_equal(write->sub, STR("status"))) {
        check_names(accepted, "status.acceptedNames", no);
        return;
    }
    if (write->old == NULL) {
        check_name(write, no);
    }
    check_spec(write, no);
    if (write->old != NULL) {
        check_unchanged(write, no);
    }
    check_names(accepted, "status.acceptedNames", no);
    check_stored(write, no);
    check_approval(write, no);
    if (kin__field_is_true(kin__field(write->object, "spec"), "preserveUnknownFields") &&
        !kin__field_is_true(kin__field(write->old, "spec"), "preserveUnknownFields")) {
        kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.preserveUnknownFields",
                                 "Invalid value: true: cannot set to true, set "
                                 "x-kubernetes-preserve-unknown-fields to true in "
                                 "spec.versions[*].schema instead");
    }
}

static void check_spec(const kin__write *write, kin__refusal *no)
{
    const kin__node *spec = kin__field(write->object, "spec");
    const lineup all = line_up(kin__field(spec, "versions"));
    const kin__node *names = kin__field(spec, "names");
    const kin__node *conversion = kin__field(spec, "conversion");

    check_group(spec, no);
    check_either(spec, "scope", "spec.scope", "Cluster", "Namespaced", no);
    check_schemas(all.versions, no);
    check_versions(&all, no);
    check_required(names, "plural", "spec.names.plural", no);
    check_required(names, "singular", "spec.names.singular", no);
    check_required(names, "kind", "spec.names.kind", no);
    check_required(names, "listKind", "spec.names.listKind", no);
    check_names(names, "spec.names", no);
    const kin__node *first = all.count == 0 ? NULL : kin__node_element(all.versions, 0);
    if (all.has_common[SUBRESOURCES]) {
        check_subresources(first, "spec", no);
    }
    if (all.has_common[COLUMNS]) {
        check_columns(first, "spec", no);
    }
    if (conversion != NULL) {
        check_either(conversion, "strategy", "spec.conversion.strategy", "None", "Webhook", no);
    }
}

static void check_name(const kin__write *write, kin__refusal *no)
{
    const kin__node *spec = kin__field(write->object, "spec");
    kin_str name = kin__field_text(kin__field(write->object, "metadata"), "name");
    AUTO(kin__buf_fini) kin__buf wanted = { 0 };

    (void) kin__buf_append_str(&wanted, kin__field_text(kin__field(spec, "names"), "plural"));
    (void) kin__buf_append_byte(&wanted, '.');
    (void) kin__buf_append_str(&wanted, kin__field_text(spec, "group"));
    if (kin__buf_failed(&wanted)) {
        (void) kin__refuse_no_memory(no);
    } else if (name.len > 0 && !kin__str_equal(name, kin__str(wanted.data, wanted.len))) {
        kin__invalid_text(no, "metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
    }
}

static void check_group(const kin__node *spec, kin__refusal *no)
{
    kin_str group = kin__field_text(spec, "group");
    AUTO(kin__buf_fini) kin__buf why = { 0 };

    if (group.len == 0) {
        check_required(spec, "group", "spec.group", no);
    } else if (kin__name_explain(KIN__NAME_SUBDOMAIN, group, &why)) {
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(no, "spec.group", group, kin__buf_failed(&why) ? "" : why.data);
    } else if (memchr(group.data, '.', group.len) == NULL) {
        kin__invalid_text(no, "spec.group", group, "should be a domain with at least one dot");
    }
    if (kin__buf_failed(&why)) {
        (void) kin__refuse_no_memory(no);
    }
}

static void check_either(const kin__node *object, const char *name, const char *field,
                         const char *one, const char *other, kin__refusal *no)
{
    kin_str value = kin__field_text(object, name);
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    if (value.len == 0) {
        check_required(object, name, field, no);
        return;
    }
    if (kin__str_equal(value, kin_str_of(one)) || kin__str_equal(value, kin_str_of(other))) {
        return;
    }
    kin__quote_append(value, &quoted);
    if (kin__buf_failed(&quoted)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueNotSupported", field,
                             "Unsupported value: %.*s: supported values: \"%s\", \"%s\"",
                             (int) quoted.len, quoted.data, one, other);
}

/* ---- versions -------------------------------------------------------------------------------- */

static void check_schemas(const kin__node *versions, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    for (size_t i = 0; versions != NULL && kin__node_next(versions, &iter); i++) {
        if (kin__field_at(iter.value, "schema", "openAPIV3Schema") == NULL) {
            place version = element("spec.versions", i);
            place field = child(version.text, "schema.openAPIV3Schema");
            kin__refusal_add_invalid(no, "FieldValueRequired", field.text, "Required value");
        }
    }
}

static lineup line_up(const kin__node *versions)
{
    lineup all = { .versions = versions,
                   .count = versions == NULL ? 0 : kin__node_count(versions) };
    const kin__node *first = all.count == 0 ? NULL : kin__node_element(versions, 0);

    for (size_t m = 0; first != NULL && m < sizeof members / sizeof *members; m++) {
        kin__node_iter iter = { 0 };
        all.has_common[m] = true;
        while (all.has_common[m] && kin__node_next(versions, &iter)) {
            all.has_common[m] = kin__field_equal(first, iter.value, members[m]);
        }
    }
    return all;
}

static void check_versions(const lineup *all, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    for (size_t i = 0; all->versions != NULL && kin__node_next(all->versions, &iter); i++) {
        check_version(all, iter.value, i, no);
    }
    check_set(all, no);
    if (all->count > 0) {
        kin_str first = kin__field_text(kin__node_element(all->versions, 0), "name");
        if (first.len > 0) {
            check_label(first, false, "spec.version", no);
        }
    }
}

static void check_version(const lineup *all, const kin__node *version, size_t index,
                          kin__refusal *no)
{
    place base = element("spec.versions", index);
    place name = child(base.text, "name");
    place warning = child(base.text, "deprecationWarning");

    check_label(kin__field_text(version, "name"), false, name.text, no);
    check_warning(version, warning.text, no);
    if (!all->has_common[SUBRESOURCES]) {
        check_subresources(version, base.text, no);
    }
    if (!all->has_common[COLUMNS]) {
        check_columns(version, base.text, no);
    }
}

/* Of Go's unprintable characters only the controls are known here. */
static void check_warning(const kin__node *version, const char *field, kin__refusal *no)
{
    kin_str warning = kin__field_text(version, "deprecationWarning");

    if (!kin__node_is(kin__field(version, "deprecationWarning"), KIN_TYPE_STRING)) {
        return;
    }
    if (!kin__field_is_true(version, "deprecated")) {
        kin__invalid_text(no, field, warning, "can only be set for deprecated versions");
        return;
    }
    if (warning.len > WARNING_MAX) {
        kin__invalid_text(no, field, warning, "must be <= 256 characters long");
    }
    if (warning.len == 0) {
        kin__invalid_text(no, field, warning, "must not be an empty string");
    }
    for (size_t i = 0; i < warning.len; i++) {
        unsigned char c = (unsigned char) warning.data[i];
        if (c < ' ' || c == 0x7f) {
            char why[128];
            (void) snprintf(why, sizeof why,
                            "must only contain printable UTF-8 characters; non-printable character "
                            "found at index %zu",
                            i);
            kin__invalid_text(no, field, warning, why);
            return;
        }
    }
}

/* Each name once, and one of them is stored. */
static void check_set(const lineup *all, kin__refusal *no)
{
    AUTO(nameset_fini) nameset names = { 0 };
    kin__node_iter iter = { 0 };
    size_t storages = 0;
    bool is_unique = true;

    if (!nameset_make(&names, all->versions, "name", no)) {
        return;
    }
    while (all->versions != NULL && kin__node_next(all->versions, &iter)) {
        storages += kin__field_is_true(iter.value, "storage");
    }
    for (size_t i = 1; i < names.count; i++) {
        is_unique = is_unique && !kin__str_equal(names.names[i - 1], names.names[i]);
    }
    if (!is_unique) {
        refuse_versions(all, "must contain unique version names", no);
    }
    if (storages != 1) {
        refuse_versions(all, "must have exactly one version marked as storage version", no);
    }
}

static void refuse_versions(const lineup *all, const char *why, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__node_iter iter = { 0 };

    (void) kin__buf_append_str(&shown, all->versions == NULL ? STR("null") : STR("["));
    for (size_t i = 0; all->versions != NULL && kin__node_next(all->versions, &iter); i++) {
        (void) kin__buf_append_str(&shown, i == 0 ? STR("") : STR(","));
        quote_version(all, iter.value, &shown);
    }
    (void) kin__buf_append_str(&shown, all->versions == NULL ? STR("") : STR("]"));
    if (kin__buf_failed(&shown)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", "spec.versions", "Invalid value: %.*s: %s",
                             (int) shown.len, shown.data, why);
}

/* As Go prints its own form of a version.  What versions do not have in common is quoted as it was
 * sent, without Go's names for its members. */
static void quote_version(const lineup *all, const kin__node *version, kin__buf *out)
{
    const kin__node *warning = kin__field(version, "deprecationWarning");
    kin__json_writer w = { out, false };

    (void) kin__buf_append_str(out, STR("{\"Name\":"));
    kin__json_string(&w, kin__field_text(version, "name"));
    (void) kin__buf_append_format(out, ",\"Served\":%s,\"Storage\":%s,\"Deprecated\":%s",
                                  kin__field_is_true(version, "served") ? "true" : "false",
                                  kin__field_is_true(version, "storage") ? "true" : "false",
                                  kin__field_is_true(version, "deprecated") ? "true" : "false");
    (void) kin__buf_append_str(out, STR(",\"DeprecationWarning\":"));
    if (warning == NULL || !kin__node_append_json(warning, out)) {
        (void) kin__buf_append_str(out, STR("null"));
    }
    (void) kin__buf_append_str(out, STR(",\"Schema\":"));
    quote_member(all, version, SCHEMA, out);
    (void) kin__buf_append_str(out, STR(",\"Subresources\":"));
    quote_member(all, version, SUBRESOURCES, out);
    (void) kin__buf_append_str(out, STR(",\"AdditionalPrinterColumns\":"));
    quote_member(all, version, COLUMNS, out);
    (void) kin__buf_append_str(out, STR(",\"SelectableFields\":"));
    quote_member(all, version, SELECTABLE, out);
    (void) kin__buf_append_byte(out, '}');
}

/* What all have in common is not theirs. */
static void quote_member(const lineup *all, const kin__node *version, enum member member,
                         kin__buf *out)
{
    const kin__node *value = kin__field(version, members[member]);

    if (value == NULL || all->has_common[member] || !kin__node_append_json(value, out)) {
        (void) kin__buf_append_str(out, STR("null"));
    }
}

static void check_subresources(const kin__node *version, const char *base, kin__refusal *no)
{
    const kin__node *scale = kin__field_at(version, "subresources", "scale");
    place at = child(base, "subresources.scale");

    if (scale != NULL) {
        check_path(scale, "specReplicasPath", at.text, true, no);
        check_path(scale, "statusReplicasPath", at.text, true, no);
        check_path(scale, "labelSelectorPath", at.text, false, no);
    }
}

static void check_path(const kin__node *scale, const char *name, const char *base, bool is_required,
                       kin__refusal *no)
{
    kin_str path = kin__field_text(scale, name);
    place field = child(base, name);
    bool is_in_spec = begins_with(path, ".spec.");
    bool is_in_status = begins_with(path, ".status.");

    if (path.len == 0) {
        if (is_required) {
            kin__refusal_add_invalid(no, "FieldValueRequired", field.text, "Required value");
        }
    } else if (path.data[0] != '.') {
        kin__invalid_text(no, field.text, path, "must be a simple json path starting with .");
    } else if (!is_required && !is_in_spec && !is_in_status) {
        kin__invalid_text(no, field.text, path,
                          "should be a json path under either .spec or .status");
    } else if (is_required && name[1] == 'p' && !is_in_spec) {
        kin__invalid_text(no, field.text, path, "should be a json path under .spec");
    } else if (is_required && name[1] == 't' && !is_in_status) {
        kin__invalid_text(no, field.text, path, "should be a json path under .status");
    }
}

static void check_columns(const kin__node *version, const char *base, kin__refusal *no)
{
    const kin__node *columns = kin__field(version, "additionalPrinterColumns");
    place list = child(base, "additionalPrinterColumns");
    kin__node_iter iter = { 0 };

    for (size_t i = 0; columns != NULL && kin__node_next(columns, &iter); i++) {
        place at = element(list.text, i);
        check_column(iter.value, at.text, no);
    }
}

static void check_column(const kin__node *column, const char *base, kin__refusal *no)
{
    static const char types[] = "boolean,date,integer,number,string";
    static const char formats[] = "byte,date,date-time,double,float,int32,int64,password";
    kin_str type = kin__field_text(column, "type");
    kin_str format = kin__field_text(column, "format");
    kin_str path = kin__field_text(column, "jsonPath");
    place of_type = child(base, "type");
    place of_path = child(base, "JSONPath");
    char why[96];

    check_required(column, "name", child(base, "name").text, no);
    (void) snprintf(why, sizeof why, "must be one of %s", types);
    if (type.len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", of_type.text, "Required value: %s", why);
    } else if (!is_in(type, types)) {
        kin__invalid_text(no, of_type.text, type, why);
    }
    (void) snprintf(why, sizeof why, "must be one of %s", formats);
    if (format.len > 0 && !is_in(format, formats)) {
        kin__invalid_text(no, child(base, "format").text, format, why);
    }
    if (path.len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", of_path.text, "Required value");
    } else if (path.data[0] != '.') {
        kin__invalid_text(no, of_path.text, path, "must be a simple json path starting with .");
    }
}

/* Among words with commas between. */
static bool is_in(kin_str word, const char *words)
{
    for (const char *at = words; at != NULL;) {
        const char *end = strchr(at, ',');
        size_t len = end == NULL ? strlen(at) : (size_t) (end - at);
        if (kin__str_equal(word, kin__str(at, len))) {
            return true;
        }
        at = end == NULL ? NULL : end + 1;
    }
    return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void check_required(const kin__node *object, const char *name, const char *field,
                           kin__refusal *no)
{
    if (kin__field_text(object, name).len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", field, "Required value");
    }
}

static void check_names(const kin__node *names, const char *base, kin__refusal *no)
{
    static const struct {
        const char *name;
        bool is_mixed;
    } words[] = {
        { "plural", false }, { "singular", false }, { "kind", true }, { "listKind", true }
    };
    kin_str kind = kin__field_text(names, "kind");
    kin_str list_kind = kin__field_text(names, "listKind");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        kin_str word = kin__field_text(names, words[i].name);
        if (word.len > 0) {
            check_label(word, words[i].is_mixed, child(base, words[i].name).text, no);
        }
    }
    check_labels(kin__field(names, "shortNames"), base, "shortNames", no);
    if (kind.len > 0 && kin__str_equal(kind, list_kind)) {
        kin__invalid_text(no, child(base, "listKind").text, list_kind,
                          "kind and listKind may not be the same");
    }
    check_labels(kin__field(names, "categories"), base, "categories", no);
}

static void check_label(kin_str text, bool is_mixed, const char *field, kin__refusal *no)
{
    const char *why = explain_label(text, is_mixed);

    if (why != NULL) {
        kin__invalid_text(no, field, text, why);
    }
}

static void check_labels(const kin__node *list, const char *base, const char *name,
                         kin__refusal *no)
{
    place of_list = child(base, name);
    kin__node_iter iter = { 0 };

    for (size_t i = 0; list != NULL && kin__node_next(list, &iter); i++) {
        check_label(kin__node_text(iter.value), false, element(of_list.text, i).text, no);
    }
}

/* IsDNS1035Label, of the text in lower case where it may be mixed; NULL: it is one. */
static const char *explain_label(kin_str text, bool is_mixed)
{
    bool is_right = text.len > 0;

    if (text.len > LABEL_MAX) {
        return is_mixed ? MIXED "must be no more than 63 characters"
                        : "must be no more than 63 characters";
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (is_mixed && c >= 'A' && c <= 'Z');
        bool is_inside = i > 0 && ((c >= '0' && c <= '9') || (c == '-' && i + 1 < text.len));
        is_right = is_right && (is_letter || is_inside);
    }
    return is_right ? NULL : is_mixed ? MIXED LABEL_FORM : LABEL_FORM;
}

/* ---- what was there before ------------------------------------------------------------------- */

static void check_unchanged(const kin__write *write, kin__refusal *no)
{
    const kin__node *spec = kin__field(write->object, "spec");
    const kin__node *old = kin__field(write->old, "spec");

    if (is_established(write->old)) {
        check_same(spec, old, "scope", "spec.scope", no);
        check_same(kin__field(spec, "names"), kin__field(old, "names"), "kind", "spec.names.kind",
                   no);
    }
    check_same(spec, old, "group", "spec.group", no);
    check_same(kin__field(spec, "names"), kin__field(old, "names"), "plural", "spec.names.plural",
               no);
}

static void check_same(const kin__node *now, const kin__node *old, const char *name,
                       const char *field, kin__refusal *no)
{
    if (!kin__str_equal(kin__field_text(now, name), kin__field_text(old, name))) {
        kin__invalid_text(no, field, kin__field_text(now, name), "field is immutable");
    }
}

static bool is_established(const kin__node *definition)
{
    const kin__node *conditions = kin__field_at(definition, "status", "conditions");
    kin__node_iter iter = { 0 };

    while (conditions != NULL && kin__node_next(conditions, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "type"), STR("Established"))) {
            return kin__str_equal(kin__field_text(iter.value, "status"), STR("True"));
        }
    }
    return false;
}

/* The versions that objects may be kept in stay. */
static void check_stored(const kin__write *write, kin__refusal *no)
{
    const kin__node *stored = kin__field_at(write->object, "status", "storedVersions");
    const kin__node *versions = kin__field_at(write->object, "spec", "versions");
    AUTO(nameset_fini) nameset kept = { 0 };
    AUTO(nameset_fini) nameset names = { 0 };
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__node_iter iter = { 0 };

    if (stored == NULL || kin__node_count(stored) == 0) {
        kin__refusal_add_invalid(no, "FieldValueInvalid", "status.storedVersions",
                                 "Invalid value: null: must have at least one stored version");
        return;
    }
    if (!kin__node_append_json(stored, &shown)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    if (!nameset_make(&kept, stored, NULL, no) || !nameset_make(&names, versions, "name", no)) {
        return;
    }
    while (versions != NULL && kin__node_next(versions, &iter)) {
        kin_str name = kin__field_text(iter.value, "name");
        if (kin__field_is_true(iter.value, "storage") && !nameset_has(&kept, name)) {
            kin__refusal_add_invalid(no, "FieldValueInvalid", "status.storedVersions",
                                     "Invalid value: %.*s: must have the storage version %.*s",
                                     (int) shown.len, shown.data, KIN_STR_ARG(name));
        }
    }
    check_missing(stored, &names, no);
}

static void check_missing(const kin__node *stored, const nameset *names, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    for (size_t i = 0; kin__node_next(stored, &iter); i++) {
        kin_str name = kin__node_text(iter.value);
        if (!nameset_has(names, name)) {
            kin__refusal_add_invalid(
                no, "FieldValueInvalid", element("status.storedVersions", i).text,
                "Invalid value: \"%.*s\": missing from spec.versions; %.*s was previously a "
                "storage version, and must remain in spec.versions until a storage migration "
                "ensures no data remains persisted in %.*s and removes %.*s from "
                "status.storedVersions",
                KIN_STR_ARG(name), KIN_STR_ARG(name), KIN_STR_ARG(name), KIN_STR_ARG(name));
        }
    }
}

/* Of the elements of a list, or of a member of each. */
static bool nameset_make(nameset *set, const kin__node *list, const char *member, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    set->names = kin__alloc_zero((list == NULL ? 0 : kin__node_count(list)) + 1, sizeof(kin_str));
    if (set->names == NULL) {
        return kin__refuse_no_memory(no);
    }
    while (list != NULL && kin__node_next(list, &iter)) {
        set->names[set->count++] =
            member == NULL ? kin__node_text(iter.value) : kin__field_text(iter.value, member);
    }
    kin__sort(set->names, set->count, sizeof *set->names, compare_names, NULL);
    return true;
}

static void nameset_fini(nameset *set)
{
    kin__free(set->names);
}

static bool nameset_has(const nameset *set, kin_str name)
{
    size_t from = 0;
    size_t to = set->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = kin__str_compare(set->names[middle], name);
        if (order == 0) {
            return true;
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return false;
}

static int compare_names(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(*(const kin_str *) a, *(const kin_str *) b);
}

/* ---- groups of the Kubernetes project -------------------------------------------------------- */

enum { APPROVAL_MISSING, APPROVAL_INVALID, APPROVAL_BYPASSED, APPROVAL_GIVEN };

static void check_approval(const kin__write *write, kin__refusal *no)
{
    static const char field[] = "metadata.annotations[" APPROVED "]";
    kin_str group = kin__field_text(kin__field(write->object, "spec"), "group");
    int state = approval_of(write->object);

    if ((!ends_with(group, ".k8s.io") && !ends_with(group, ".kubernetes.io") &&
         !kin__str_equal(group, STR("k8s.io")) && !kin__str_equal(group, STR("kubernetes.io"))) ||
        (write->old != NULL && approval_of(write->old) == state)) {
        return;
    }
    if (state == APPROVAL_MISSING) {
        kin__refusal_add_invalid(no, "FieldValueRequired", field, "Required value: %s",
                                 APPROVAL PROPOSAL);
    } else if (state == APPROVAL_INVALID) {
        kin__invalid_text(
            no, field,
            kin__field_text(kin__field_at(write->object, "metadata", "annotations"), APPROVED),
            APPROVAL " with either a URL or a reason starting with \"unapproved\"" PROPOSAL);
    }
}

static int approval_of(const kin__node *definition)
{
    kin_str text = kin__field_text(kin__field_at(definition, "metadata", "annotations"), APPROVED);

    return text.len == 0                     ? APPROVAL_MISSING
           : begins_with(text, "unapproved") ? APPROVAL_BYPASSED
           : is_url(text)                    ? APPROVAL_GIVEN
                                             : APPROVAL_INVALID;
}

/* With a scheme and a host: all that Go asks for here. */
static bool is_url(kin_str text)
{
    size_t at = 0;

    while (at < text.len && ((text.data[at] >= 'a' && text.data[at] <= 'z') ||
                             (text.data[at] >= 'A' && text.data[at] <= 'Z'))) {
        at++;
    }
    return at > 0 && text.len > at + 3 && memcmp(text.data + at, "://", 3) == 0 &&
           text.data[at + 3] != '/';
}

static bool ends_with(kin_str text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.data + text.len - len, end, len) == 0;
}

static bool begins_with(kin_str text, const char *start)
{
    size_t len = strlen(start);

    return text.len >= len && memcmp(text.data, start, len) == 0;
}

static place child(const char *base, const char *name)
{
    place p;

    (void) snprintf(p.text, sizeof p.text, "%.100s.%.40s", base, name);
    return p;
}

static place element(const char *base, size_t index)
{
    place p;

    (void) snprintf(p.text, sizeof p.text, "%.120s[%zu]", base, index);
    return p;
}
