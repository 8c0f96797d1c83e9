/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - keys of objects, and the order of resource versions.
 *
 * Resource versions have any number of digits, so they are compared as text: without leading zeros
 * the longer one is the greater one.
 */
#include "kin/key.h"

#include "base/error.h"
#include "base/str.h"

/* Of a key or version that is quoted in a message. */
#define QUOTED_MAX 256

static bool has_slash(kin_str s);
static bool is_version(kin_str s);
static int quoted_len(kin_str s);

kin_err kin_key_make(kin_str in_namespace, kin_str name, char *buffer, size_t buffer_size,
                     kin_str *out, kin_error *err)
{
    kin_error unwanted;
    size_t len = 0;

    err = kin__error_or(err, &unwanted);
    if (name.len == 0) {
        return kin__error_set(err, KIN_ERR_USAGE, "make key: the name is empty");
    }
    if (has_slash(in_namespace) || has_slash(name)) {
        kin_str culprit = has_slash(in_namespace) ? in_namespace : name;
        return kin__error_set(err, KIN_ERR_USAGE, "make key: \"%.*s\" has a slash",
                              quoted_len(culprit), culprit.data);
    }
    if (buffer_size < 2 || buffer_size - 2 < name.len ||
        buffer_size - 2 - name.len < in_namespace.len) {
        return kin__error_set(err, KIN_ERR_RANGE,
                              "make key: %zu and %zu bytes into a buffer of %zu", in_namespace.len,
                              name.len, buffer_size);
    }
    if (in_namespace.len > 0) {
        memcpy(buffer, in_namespace.data, in_namespace.len);
        buffer[in_namespace.len] = '/';
        len = in_namespace.len + 1;
    }
    memcpy(buffer + len, name.data, name.len);
    len += name.len;
    buffer[len] = '\0';
    *out = kin__str(buffer, len);
    return KIN_OK;
}

kin_err kin_key_split(kin_str key, kin_str *out_namespace, kin_str *out_name, kin_error *err)
{
    kin_error unwanted;
    kin_str in_namespace = STR("");
    kin_str name = key;

    err = kin__error_or(err, &unwanted);
    const char *slash = key.len == 0 ? NULL : memchr(key.data, '/', key.len);
    if (slash != NULL) {
        in_namespace = kin__str(key.data, (size_t) (slash - key.data));
        name = kin__str(slash + 1, key.len - in_namespace.len - 1);
    }
    if (name.len == 0 || has_slash(name)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "unexpected key format: \"%.*s\"",
                              quoted_len(key), key.data);
    }
    *out_namespace = in_namespace;
    *out_name = name;
    return KIN_OK;
}

kin_err kin_resource_version_compare(kin_str a, kin_str b, int *out, kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (!is_version(a) || !is_version(b)) {
        kin_str culprit = is_version(a) ? b : a;
        return kin__error_set(err, KIN_ERR_MALFORMED,
                              "compare resource versions: \"%.*s\" is not one", quoted_len(culprit),
                              culprit.data);
    }
    *out = a.len != b.len ? (a.len > b.len) - (a.len < b.len) : kin__str_compare(a, b);
    return KIN_OK;
}

static bool has_slash(kin_str s)
{
    return s.len > 0 && memchr(s.data, '/', s.len) != NULL;
}

static bool is_version(kin_str s)
{
    if (s.len == 0 || s.data[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return false;
        }
    }
    return true;
}

static int quoted_len(kin_str s)
{
    return s.len < QUOTED_MAX ? (int) s.len : QUOTED_MAX;
}
