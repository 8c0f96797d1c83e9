/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data_check.c - keys, sizes, and data that were declared immutable.
 *
 * After ValidateConfigMap() and ValidateSecret() of kubernetes 1.36, pkg/apis/core/validation; what
 * secrets of a certain type must have is in secret_check.c.
 */
#include "server/data_check.h"

#include <string.h>

#include "server/field.h"
#include "server/metadata_check.h"
#include "server/secret_check.h"
#include "server/strategy.h"

#define KEY_MAX 253
#define KEY_WORDS                                                                                  \
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "           \
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "                    \
    "'[-._a-zA-Z0-9]+')"

static kin_str type_of(const kin__node *secret);
static void check_immutable(const kin__write *write, const char *member, kin__refusal *no);
static void check_keys(const kin__node *object, const char *member, kin__refusal *no);
static void check_key(const char *member, kin_str key, kin__refusal *no);
static void add_wrong(const char *member, kin_str key, const char *why, kin__refusal *no);
static bool is_key(kin_str key);
static size_t size_of(const kin__node *data, bool is_base64);

bool kin__served_has_data(const kin__served *served)
{
    return kin__served_is(served, "", "configmaps") || kin__served_is(served, "", "secrets");
}

void kin__data_check(const kin__write *write, kin__refusal *no)
{
    bool is_secret = kin__served_is(write->served, "", "secrets");
    const kin__node *object = write->object, *old = write->old;

    if (is_secret && old != NULL && !kin__str_equal(type_of(object), type_of(old))) {
        kin__invalid_text(no, "type", kin__field_text(object, "type"), "field is immutable");
    }
    if (kin__field_is_true(old, "immutable")) {
        if (!kin__field_is_true(object, "immutable")) {
            kin__refusal_add_invalid(no, "FieldValueForbidden", "immutable",
                                     "Forbidden: field is immutable when `immutable` is set");
        }
        check_immutable(write, "data", no);
        check_immutable(write, "binaryData", no);
    }
    check_keys(object, "data", no);
    check_keys(object, "binaryData", no);
    if (size_of(kin__field(object, "data"), is_secret) +
            size_of(kin__field(object, "binaryData"), true) >
        KIN__DATA_MAX) {
        kin__refusal_add_invalid(no, "FieldValueTooLong", is_secret ? "data" : "[]",
                                 "Too long: may not be more than %u bytes", KIN__DATA_MAX);
    }
    if (is_secret) {
        kin__secret_check(object, no);
    }
}

/* One that was put directly may say none. */
static kin_str type_of(const kin__node *secret)
{
    kin_str type = kin__field_text(secret, "type");

    return type.len == 0 ? STR("Opaque") : type;
}

static void check_immutable(const kin__write *write, const char *member, kin__refusal *no)
{
    const kin__node *now = kin__field(write->object, member);
    const kin__node *before = kin__field(write->old, member);
    bool is_empty = (now == NULL || kin__node_count(now) == 0) &&
                    (before == NULL || kin__node_count(before) == 0);

    if (!is_empty && !kin__field_equal(write->object, write->old, member)) {
        kin__refusal_add_invalid(no, "FieldValueForbidden", member,
                                 "Forbidden: field is immutable when `immutable` is set");
    }
}

static void check_keys(const kin__node *object, const char *member, kin__refusal *no)
{
    const kin__node *data = kin__field(object, member);
    const kin__node *other = kin__field(object, "binaryData");
    kin__node_iter iter = { 0 };

    while (kin__node_is(data, KIN_TYPE_OBJECT) && kin__node_next(data, &iter)) {
        check_key(member, iter.name, no);
        if (data != other && kin__node_is(other, KIN_TYPE_OBJECT) &&
            kin__node_member(other, iter.name) != NULL) {
            add_wrong(member, iter.name, "duplicate of key present in binaryData", no);
        }
    }
}

/* Of the field "data[key]". */
static void add_wrong(const char *member, kin_str key, const char *why, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf field = { 0 };

    if (!kin__buf_append_format(&field, "%s[%.*s]%c", member, KIN_STR_ARG(key), 0)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__invalid_text(no, field.data, key, why);
}

static void check_key(const char *member, kin_str key, kin__refusal *no)
{
    if (key.len > KEY_MAX) {
        add_wrong(member, key, "must be no more than 253 characters", no);
    }
    if (!is_key(key)) {
        add_wrong(member, key, KEY_WORDS, no);
    }
    if (kin__str_equal(key, STR("."))) {
        add_wrong(member, key, "must not be '.'", no);
    } else if (kin__str_equal(key, STR(".."))) {
        add_wrong(member, key, "must not be '..'", no);
    } else if (key.len > 2 && memcmp(key.data, "..", 2) == 0) {
        add_wrong(member, key, "must not start with '..'", no);
    }
}

static bool is_key(kin_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_word && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return key.len > 0;
}

/* Of all values together. */
static size_t size_of(const kin__node *data, bool is_base64)
{
    kin__node_iter iter = { 0 };
    size_t size = 0;

    while (kin__node_is(data, KIN_TYPE_OBJECT) && kin__node_next(data, &iter)) {
        kin_str text = kin__node_text(iter.value);
        size_t padding = 0;
        while (is_base64 && padding < text.len && text.data[text.len - 1 - padding] == '=') {
            padding++;
        }
        size += is_base64 ? text.len / 4 * 3 - padding : text.len;
    }
    return size;
}
