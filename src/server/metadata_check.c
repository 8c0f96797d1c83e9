/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata_check.c - what metadata may say.
 *
 * After ValidateObjectMetaAccessor and ValidateObjectMetaAccessorUpdate of k8s.io/apimachinery,
 * api/validation, and of what k8s.io/kubernetes, apis/core/validation, adds of finalizers.
 */
#include "server/metadata_check.h"

#include <arpa/inet.h>

#include "object/label_name.h"
#include "server/field.h"
#include "server/quote.h"

#define SUBDOMAIN_MAX 253
#define LABEL_MAX 63

#define SUBDOMAIN_FORM                                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define LABEL_FORM                                                                                 \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "   \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "     \
    "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

static void check_generate_name(const kin__served *served, kin_str prefix, kin__refusal *no);
static void check_name(const kin__served *served, const kin__node *metadata, kin__refusal *no);
static void check_path_name(const kin__node *metadata, kin__refusal *no);
static void check_labels(const kin__node *labels, kin__refusal *no);
static void check_annotations(const kin__node *annotations, kin__refusal *no);
static void explain_key(const char *field, kin_str key, bool ignores_case, kin__refusal *no);
static void check_owners(const kin__node *owners, kin__refusal *no);
static void check_controllers(const kin__node *owners, kin__refusal *no);
static void check_finalizers(const kin__served *served, const kin__node *finalizers,
                             kin__refusal *no);
static bool is_event(const kin__served *served);
static void check_content(const kin__served *served, const kin__node *metadata, kin__refusal *no);
static void check_replacement(const kin__node *metadata, const kin__node *old, kin__refusal *no);
static bool is_standard_finalizer(kin_str name);
static void check_changes(const kin__node *metadata, const kin__node *old, kin__refusal *no);
static void check_new_finalizers(const kin__node *finalizers, const kin__node *old,
                                 kin__refusal *no);
static bool has_text(const kin__node *array, kin_str text);
static void check_immutable(const kin__node *metadata, const kin__node *old, const char *name,
                            const char *field, kin__refusal *no);
static void explain_path_name(kin_str name, kin__buf *out);
static void explain_address(kin_str name, kin__buf *out);
static bool is_label(kin_str text);
static bool is_subdomain(kin_str text);

void kin__metadata_check(const kin__served *served, const kin__node *metadata, kin__refusal *no)
{
    check_name(served, metadata, no);
    check_content(served, metadata, no);
}

void kin__metadata_check_update(const kin__served *served, const kin__node *metadata,
                                const kin__node *old, kin__refusal *no)
{
    check_path_name(metadata, no);
    check_content(served, metadata, no);
    check_replacement(metadata, old, no);
    /* Again by the kind's own check: core events have none, and the newer ones half of it. */
    if (is_event(served)) {
        if (served->group.len > 0) {
            check_replacement(metadata, old, no);
        }
        return;
    }
    check_content(served, metadata, no);
    check_replacement(metadata, old, no);
}

static void check_content(const kin__served *served, const kin__node *metadata, kin__refusal *no)
{
    check_labels(kin__field(metadata, "labels"), no);
    check_annotations(kin__field(metadata, "annotations"), no);
    check_owners(kin__field(metadata, "ownerReferences"), no);
    check_finalizers(served, kin__field(metadata, "finalizers"), no);
}

static void check_replacement(const kin__node *metadata, const kin__node *old, kin__refusal *no)
{
    check_changes(metadata, old, no);
    check_labels(kin__field(metadata, "labels"), no);
    check_annotations(kin__field(metadata, "annotations"), no);
    check_owners(kin__field(metadata, "ownerReferences"), no);
}

bool kin__name_explain(kin__name_rule rule, kin_str name, kin__buf *out)
{
    size_t from = out->len;
    bool is_path = rule == KIN__NAME_PATH;
    size_t max = rule == KIN__NAME_LABEL ? LABEL_MAX : SUBDOMAIN_MAX;

    if (is_path) {
        explain_path_name(name, out);
    } else if (rule == KIN__NAME_ADDRESS) {
        explain_address(name, out);
    } else if (name.len > max) {
        (void) kin__buf_append_format(out, "must be no more than %zu characters", max);
    } else if (rule == KIN__NAME_SUBDOMAIN && !is_subdomain(name)) {
        (void) kin__buf_append_str(out, STR(SUBDOMAIN_FORM));
    } else if (rule == KIN__NAME_LABEL && !is_label(name)) {
        (void) kin__buf_append_str(out, is_subdomain(name) ? STR("must not contain dots")
                                                           : STR(LABEL_FORM));
    }
    return out->len > from;
}

void kin__invalid_text(kin__refusal *no, const char *field, kin_str value, const char *why)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(value, &quoted);
    if (kin__buf_failed(&quoted)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", field, "Invalid value: %.*s: %s",
                             (int) quoted.len, quoted.data, why);
}

/* The beginning of a name; a dash at its end is in the middle of the name. */
static void check_generate_name(const kin__served *served, kin_str prefix, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    AUTO(kin__buf_fini) kin__buf name = { 0 };

    (void) kin__buf_append_str(&name, prefix);
    if (!kin__buf_failed(&name) && name.len > 1 && name.data[name.len - 1] == '-') {
        name.len--;
        name.data[name.len - 1] = 'a';
    }
    if (!kin__buf_failed(&name) && name.len > 0 &&
        kin__name_explain(served->name_rule, kin__str(name.data, name.len), &why)) {
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(no, "metadata.generateName", prefix,
                          kin__buf_failed(&why) ? "" : why.data);
    }
    if (kin__buf_failed(&name) || kin__buf_failed(&why)) {
        (void) kin__refuse_no_memory(no);
    }
}

static void check_name(const kin__served *served, const kin__node *metadata, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    kin_str name = kin__field_text(metadata, "name");

    check_generate_name(served, kin__field_text(metadata, "generateName"), no);
    if (name.len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", "metadata.name",
                                 "Required value: name or generateName is required");
    } else if (kin__name_explain(served->name_rule, name, &why)) {
        (void) kin__buf_append_byte(&why, '\0');
        kin__invalid_text(no, "metadata.name", name, kin__buf_failed(&why) ? "" : why.data);
    }
    if (kin__buf_failed(&why)) {
        (void) kin__refuse_no_memory(no);
    }
}

static void check_path_name(const kin__node *metadata, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    kin_str name = kin__field_text(metadata, "name");

    explain_path_name(name, &why);
    (void) kin__buf_append_byte(&why, '\0');
    if (kin__buf_failed(&why)) {
        (void) kin__refuse_no_memory(no);
    } else if (why.len > 1) {
        kin__invalid_text(no, "metadata.name", name, why.data);
    }
}

static void check_labels(const kin__node *labels, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    while (labels != NULL && kin__node_next(labels, &iter)) {
        explain_key("metadata.labels", iter.name, false, no);
        kin_str value = kin__node_text(iter.value);
        if (!kin__label_value_is_valid(value)) {
            kin__fault why = { 0 };
            kin__label_value_explain(value, &why);
            kin__invalid_text(no, "metadata.labels", value, why.words);
        }
    }
}

static void check_annotations(const kin__node *annotations, kin__refusal *no)
{
    kin__node_iter iter = { 0 };
    size_t bytes = 0;

    while (annotations != NULL && kin__node_next(annotations, &iter)) {
        explain_key("metadata.annotations", iter.name, true, no);
        bytes += iter.name.len + kin__node_text(iter.value).len;
    }
    if (bytes > KIN__ANNOTATIONS_MAX) {
        kin__refusal_add_invalid(no, "FieldValueTooLong", "metadata.annotations",
                                 "Too long: may not be more than 262144 bytes");
    }
}

void kin__key_check(const char *field, kin_str key, kin__refusal *no)
{
    explain_key(field, key, false, no);
}

/* Names of annotations are checked in lower case, and quoted as they are. */
static void explain_key(const char *field, kin_str key, bool ignores_case, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf lower = { 0 };
    kin_str checked = key;

    if (ignores_case) {
        (void) kin__buf_append_str(&lower, key);
        if (kin__buf_failed(&lower)) {
            (void) kin__refuse_no_memory(no);
            return;
        }
        for (size_t i = 0; i < lower.len; i++) {
            char c = lower.data[i];
            lower.data[i] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
        }
        checked = kin__str(lower.data, lower.len);
    }
    if (!kin__label_key_is_valid(checked)) {
        kin__fault why = { 0 };
        kin__label_key_explain(checked, &why);
        /* Each of several words is an error of its own. */
        for (char *word = why.words; word != NULL;) {
            char *end = strstr(word, "; ");
            if (end != NULL) {
                *end = '\0';
            }
            kin__invalid_text(no, field, key, word);
            word = end == NULL ? NULL : end + 2;
        }
    }
}

static void check_owners(const kin__node *owners, kin__refusal *no)
{
    kin__node_iter iter = { 0 };

    while (owners != NULL && kin__node_next(owners, &iter)) {
        kin_str api_version = kin__field_text(iter.value, "apiVersion");
        if (api_version.len == 0 || api_version.data[api_version.len - 1] == '/') {
            kin__invalid_text(no, "metadata.ownerReferences.apiVersion", api_version,
                              "version must not be empty");
        }
        if (kin__field_text(iter.value, "kind").len == 0) {
            kin__invalid_text(no, "metadata.ownerReferences.kind", STR(""), "must not be empty");
        }
        if (kin__field_text(iter.value, "name").len == 0) {
            kin__invalid_text(no, "metadata.ownerReferences.name", STR(""), "must not be empty");
        }
        if (kin__field_text(iter.value, "uid").len == 0) {
            kin__invalid_text(no, "metadata.ownerReferences.uid", STR(""), "must not be empty");
        }
    }
    check_controllers(owners, no);
}

static void check_controllers(const kin__node *owners, kin__refusal *no)
{
    const kin__node *first = NULL;
    kin__node_iter iter = { 0 };

    while (owners != NULL && kin__node_next(owners, &iter)) {
        if (!kin__field_is_true(iter.value, "controller")) {
            continue;
        }
        if (first == NULL) {
            first = iter.value;
            continue;
        }
        AUTO(kin__buf_fini) kin__buf all = { 0 };
        if (!kin__node_append_json(owners, &all)) {
            (void) kin__refuse_no_memory(no);
            return;
        }
        kin__refusal_add_invalid(no, "FieldValueInvalid", "metadata.ownerReferences",
                                 "Invalid value: %.*s: Only one reference can have Controller set "
                                 "to true. Found \"true\" in references for %.*s/%.*s and "
                                 "%.*s/%.*s",
                                 (int) all.len, all.data,
                                 KIN_STR_ARG(kin__field_text(first, "kind")),
                                 KIN_STR_ARG(kin__field_text(first, "name")),
                                 KIN_STR_ARG(kin__field_text(iter.value, "kind")),
                                 KIN_STR_ARG(kin__field_text(iter.value, "name")));
    }
}

static bool is_event(const kin__served *served)
{
    return kin__str_equal(served->kind, STR("Event")) && (served->traits & KIN__IS_CUSTOM) == 0;
}

/* Kinds of Kubernetes' own, but for those of two groups and core events, want a domain before the
 * name. */
static void check_finalizers(const kin__served *served, const kin__node *finalizers,
                             kin__refusal *no)
{
    bool wants_domain = (served->traits & KIN__IS_CUSTOM) == 0 &&
                        (!is_event(served) || served->group.len > 0) &&
                        !kin__str_equal(served->group, STR("coordination.k8s.io")) &&
                        !kin__str_equal(served->group, STR("apiextensions.k8s.io"));
    kin__node_iter iter = { 0 };

    while (finalizers != NULL && kin__node_next(finalizers, &iter)) {
        explain_key("metadata.finalizers", kin__node_text(iter.value), false, no);
    }
    iter = (kin__node_iter){ 0 };
    for (size_t i = 0; finalizers != NULL && kin__node_next(finalizers, &iter); i++) {
        kin_str name = kin__node_text(iter.value);
        if (wants_domain && (name.len == 0 || memchr(name.data, '/', name.len) == NULL) &&
            !is_standard_finalizer(name)) {
            char field[48] = "metadata.finalizers[";
            AUTO(kin__buf_fini) kin__buf text = { 0 };
            (void) kin__buf_append_format(&text, "metadata.finalizers[%zu]", i);
            if (kin__buf_failed(&text) || text.len >= sizeof field) {
                (void) kin__refuse_no_memory(no);
                return;
            }
            memcpy(field, text.data, text.len);
            field[text.len] = '\0';
            kin__invalid_text(no, field, name,
                              "name is neither a standard finalizer name nor is it fully "
                              "qualified");
        }
    }
}

static bool is_standard_finalizer(kin_str name)
{
    return kin__str_equal(name, STR("kubernetes")) || kin__str_equal(name, STR("orphan")) ||
           kin__str_equal(name, STR("foregroundDeletion"));
}

static void check_changes(const kin__node *metadata, const kin__node *old, kin__refusal *no)
{
    if (kin__field(old, "deletionTimestamp") != NULL) {
        check_new_finalizers(kin__field(metadata, "finalizers"), kin__field(old, "finalizers"), no);
    }
    check_immutable(metadata, old, "name", "metadata.name", no);
    check_immutable(metadata, old, "namespace", "metadata.namespace", no);
    check_immutable(metadata, old, "uid", "metadata.uid", no);
    check_immutable(metadata, old, "creationTimestamp", "metadata.creationTimestamp", no);
    check_immutable(metadata, old, "deletionTimestamp", "metadata.deletionTimestamp", no);
    check_immutable(metadata, old, "deletionGracePeriodSeconds",
                    "metadata.deletionGracePeriodSeconds", no);
}

static void check_new_finalizers(const kin__node *finalizers, const kin__node *old,
                                 kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf found = { 0 };
    kin__node_iter iter = { 0 };

    while (finalizers != NULL && kin__node_next(finalizers, &iter)) {
        kin_str name = kin__node_text(iter.value);
        if (!has_text(old, name)) {
            (void) kin__buf_append_str(&found, found.len == 0 ? STR("") : STR(", "));
            kin__quote_append(name, &found);
        }
    }
    if (kin__buf_failed(&found)) {
        (void) kin__refuse_no_memory(no);
    } else if (found.len > 0) {
        kin__refusal_add_invalid(no, "FieldValueForbidden", "metadata.finalizers",
                                 "Forbidden: no new finalizers can be added if the object is being "
                                 "deleted, found new finalizers []string{%.*s}",
                                 (int) found.len, found.data);
    }
}

static bool has_text(const kin__node *array, kin_str text)
{
    kin__node_iter iter = { 0 };

    while (array != NULL && kin__node_next(array, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), text)) {
            return true;
        }
    }
    return false;
}

static void check_immutable(const kin__node *metadata, const kin__node *old, const char *name,
                            const char *field, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf value = { 0 };
    const kin__node *now = kin__field(metadata, name);

    if (kin__field_equal(metadata, old, name)) {
        return;
    }
    if (now == NULL) {
        (void) kin__buf_append_str(&value, STR("null"));
    } else {
        (void) kin__node_append_json(now, &value);
    }
    if (kin__buf_failed(&value)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueInvalid", field,
                             "Invalid value: %.*s: field is immutable", (int) value.len,
                             value.data);
}

static void explain_address(kin_str name, kin__buf *out)
{
    char text[INET6_ADDRSTRLEN] = "";
    char canonical[INET6_ADDRSTRLEN] = "";
    struct in6_addr address;
    int family = name.len > 0 && memchr(name.data, ':', name.len) != NULL ? AF_INET6 : AF_INET;

    if (name.len > 0 && name.len < sizeof text) {
        memcpy(text, name.data, name.len);
    }
    if (inet_pton(family, text, &address) != 1) {
        (void) kin__buf_append_str(out, STR("must be a valid IP address, (e.g. 10.9.8.7 or "
                                            "2001:db8::ffff)"));
    } else if (inet_ntop(family, &address, canonical, sizeof canonical) != NULL &&
               !kin__str_equal(name, kin_str_of(canonical))) {
        (void) kin__buf_append_format(out, "must be in canonical form (\"%s\")", canonical);
    }
}

static void explain_path_name(kin_str name, kin__buf *out)
{
    if (kin__str_equal(name, STR(".")) || kin__str_equal(name, STR(".."))) {
        (void) kin__buf_append_format(out, "may not be '%.*s'", KIN_STR_ARG(name));
    } else if (name.len > 0 && memchr(name.data, '/', name.len) != NULL) {
        (void) kin__buf_append_str(out, STR("may not contain '/'"));
    } else if (name.len > 0 && memchr(name.data, '%', name.len) != NULL) {
        (void) kin__buf_append_str(out, STR("may not contain '%'"));
    }
}

static bool is_label(kin_str text)
{
    if (text.len == 0 || text.data[0] == '-' || text.data[text.len - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
            return false;
        }
    }
    return true;
}

static bool is_subdomain(kin_str text)
{
    size_t from = 0;

    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len || text.data[i] == '.') {
            if (!is_label(kin__str(text.data + from, i - from))) {
                return false;
            }
            from = i + 1;
        }
    }
    return true;
}
