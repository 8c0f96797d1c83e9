/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.c - members of a YAML map into the fields of a struct.
 */
#include "config/field.h"

#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/str.h"

static const kin__field *find_field(const kin__field *fields, kin_str name);
static kin_err read_field(const kin__yaml *node, const kin__field *field,
                          const kin__field_home *home, void *place, kin_error *err);
static kin_err read_path(const kin__yaml *node, const char *what, const kin__field_home *home,
                         const char **out, kin_error *err);
static kin_err read_data(const kin__yaml *node, const char *what, kin__vault *vault, kin_str *out,
                         kin_error *err);
static kin_err read_flag(const kin__yaml *node, const char *what, bool *out, kin_error *err);
static kin_err copy_field(const void *from, kin__field_kind kind, kin__vault *vault, void *to,
                          kin_error *err);
static kin_err wrong_type(const kin__yaml *node, const char *what, const char *wanted,
                          kin_error *err);

kin_err kin__fields_read(const kin__yaml *node, const kin__field *fields,
                         const kin__field_home *home, void *out, kin_error *err)
{
    if (node == NULL || node->type == KIN__YAML_NULL) {
        return KIN_OK;
    }
    if (node->type != KIN__YAML_MAP) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: expected a map, found %s",
                              (unsigned) node->line, kin__yaml_type_name(node->type));
    }
    for (const kin__yaml_item *item = node->items; item != NULL; item = item->next) {
        const kin__field *field = find_field(fields, item->key);
        if (field != NULL && item->value->type != KIN__YAML_NULL &&
            read_field(item->value, field, home, (char *) out + field->offset, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

kin_err kin__fields_copy(const void *from, const kin__field *fields, kin__vault *vault, void *out,
                         kin_error *err)
{
    for (; fields->name != NULL; fields++) {
        if (copy_field((const char *) from + fields->offset, fields->kind, vault,
                       (char *) out + fields->offset, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

kin_err kin__field_one_text(const kin__yaml *node, const char *what, kin__vault *vault,
                            const char **out, kin_error *err)
{
    const char *copy = NULL;

    if (node->type != KIN__YAML_STRING) {
        return wrong_type(node, what, "a string", err);
    }
    if (memchr(node->text.data, '\0', node->text.len) != NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: %s: a string with a NUL in it",
                              (unsigned) node->line, what);
    }
    if (node->text.len != 0) {
        copy = kin__vault_copy(vault, node->text);
        if (copy == NULL) {
            return kin__error_no_memory(err);
        }
    }
    *out = copy;
    return KIN_OK;
}

kin_err kin__field_texts(const kin__yaml *node, const char *what, kin__vault *vault,
                         const char *const **out, kin_error *err)
{
    size_t count = 0;

    if (node->type != KIN__YAML_LIST) {
        return wrong_type(node, what, "a list", err);
    }
    for (const kin__yaml_item *item = node->items; item != NULL; item = item->next) {
        count++;
    }
    const char **texts = kin__vault_alloc(vault, (count + 1) * sizeof *texts);
    if (texts == NULL) {
        return kin__error_no_memory(err);
    }
    const char **next = texts;
    for (const kin__yaml_item *item = node->items; item != NULL; item = item->next, next++) {
        *next = "";
        if (item->value->type == KIN__YAML_NULL) {
            continue;
        }
        if (kin__field_one_text(item->value, what, vault, next, err) != KIN_OK) {
            return err->code;
        }
        *next = *next == NULL ? "" : *next;
    }
    *out = texts;
    return KIN_OK;
}

const char *kin__path_from(const char *directory, const char *path, kin__vault *vault)
{
    size_t len = strlen(directory);
    size_t more = strlen(path);

    if (path[0] == '/') {
        return kin__vault_copy(vault, kin__str(path, more));
    }
    while (len != 0 && directory[len - 1] == '/') {
        len--;
    }
    char *whole = kin__vault_alloc(vault, len + 1 + more + 1);
    if (whole != NULL) {
        memcpy(whole, directory, len);
        whole[len] = '/';
        memcpy(whole + len + 1, path, more);
    }
    return whole;
}

size_t kin__texts_count(const char *const *texts)
{
    size_t count = 0;

    while (texts != NULL && texts[count] != NULL) {
        count++;
    }
    return count;
}

kin_err kin__texts_copy(const char *const *texts, kin__vault *vault, const char *const **out,
                        kin_error *err)
{
    size_t count = kin__texts_count(texts);
    const char **copies = NULL;

    if (texts != NULL) {
        copies = kin__vault_alloc(vault, (count + 1) * sizeof *copies);
        if (copies == NULL) {
            return kin__error_no_memory(err);
        }
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = kin__vault_copy(vault, kin_str_of(texts[i]));
        if (copies[i] == NULL) {
            return kin__error_no_memory(err);
        }
    }
    *out = copies;
    return KIN_OK;
}

static const kin__field *find_field(const kin__field *fields, kin_str name)
{
    for (; fields->name != NULL; fields++) {
        if (kin__str_equal(kin_str_of(fields->name), name)) {
            return fields;
        }
    }
    return NULL;
}

static kin_err read_field(const kin__yaml *node, const kin__field *field,
                          const kin__field_home *home, void *place, kin_error *err)
{
    switch (field->kind) {
    case KIN__FIELD_TEXT:
        return kin__field_one_text(node, field->name, home->vault, place, err);
    case KIN__FIELD_PATH:
        return read_path(node, field->name, home, place, err);
    case KIN__FIELD_DATA:
        return read_data(node, field->name, home->vault, place, err);
    case KIN__FIELD_FLAG:
        return read_flag(node, field->name, place, err);
    case KIN__FIELD_TEXTS:
        return kin__field_texts(node, field->name, home->vault, place, err);
    case KIN__FIELD_NODE:
        break;
    }
    memcpy(place, &node, sizeof node);
    return KIN_OK;
}

static kin_err read_path(const kin__yaml *node, const char *what, const kin__field_home *home,
                         const char **out, kin_error *err)
{
    const char *path = NULL;

    if (kin__field_one_text(node, what, home->vault, &path, err) != KIN_OK) {
        return err->code;
    }
    if (path != NULL) {
        path = kin__path_from(home->directory, path, home->vault);
        if (path == NULL) {
            return kin__error_no_memory(err);
        }
    }
    *out = path;
    return KIN_OK;
}

static kin_err read_data(const kin__yaml *node, const char *what, kin__vault *vault, kin_str *out,
                         kin_error *err)
{
    size_t len = 0;

    if (node->type != KIN__YAML_STRING) {
        return wrong_type(node, what, "a string in base64", err);
    }
    char *bytes = kin__vault_alloc(vault, node->text.len + 1);
    if (bytes == NULL) {
        return kin__error_no_memory(err);
    }
    if (!kin__base64_decode(node->text, bytes, &len)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: %s: a string that is no base64",
                              (unsigned) node->line, what);
    }
    bytes[len] = '\0';
    *out = kin__str(bytes, len);
    return KIN_OK;
}

static kin_err read_flag(const kin__yaml *node, const char *what, bool *out, kin_error *err)
{
    if (node->type != KIN__YAML_BOOL) {
        return wrong_type(node, what, "true or false", err);
    }
    *out = kin__yaml_plain_bool(node->text);
    return KIN_OK;
}

static kin_err copy_field(const void *from, kin__field_kind kind, kin__vault *vault, void *to,
                          kin_error *err)
{
    if (kind == KIN__FIELD_TEXT || kind == KIN__FIELD_PATH) {
        const char *text = *(const char *const *) from;
        const char *copy = text != NULL ? kin__vault_copy(vault, kin_str_of(text)) : NULL;
        if (text != NULL && copy == NULL) {
            return kin__error_no_memory(err);
        }
        *(const char **) to = copy;
    } else if (kind == KIN__FIELD_DATA) {
        kin_str data = *(const kin_str *) from;
        const char *copy = kin__vault_copy(vault, data);
        if (copy == NULL) {
            return kin__error_no_memory(err);
        }
        *(kin_str *) to = kin__str(copy, data.len);
    } else if (kind == KIN__FIELD_FLAG) {
        *(bool *) to = *(const bool *) from;
    } else if (kind == KIN__FIELD_TEXTS) {
        return kin__texts_copy(*(const char *const *const *) from, vault, to, err);
    }
    return KIN_OK;
}

static kin_err wrong_type(const kin__yaml *node, const char *what, const char *wanted,
                          kin_error *err)
{
    bool is_scalar = node->type == KIN__YAML_BOOL || node->type == KIN__YAML_NUMBER;
    bool wants_text = strcmp(wanted, "a string") == 0;

    return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: %s: expected %s, found %s%s",
                          (unsigned) node->line, what, wanted, kin__yaml_type_name(node->type),
                          is_scalar && wants_text ? "; put it in quotes" : "");
}
