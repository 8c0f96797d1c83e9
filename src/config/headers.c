/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers.c - the headers that say who asks.
 *
 * Facts: client-go, transport/round_trippers.go.
 */
#include "config/headers.h"

#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/str.h"
#include "config/field.h"

typedef struct list {
    kin__vault *vault;
    const char **items; /* has room for all */
    size_t count;
    bool has_failed; /* there was no memory */
} list;

static size_t count_all(const kin__user *user);
static void add_authorization(list *headers, const kin__user *user, const char *token);
static void add_impersonation(list *headers, const kin__user *user);
static void add(list *headers, const char *name, const char *value);
static char *basic_of(const char *username, const char *password, kin__vault *vault);
static char *escaped_name(const char *key, kin__vault *vault);
static bool is_name_char(char c);

kin_err kin__headers_make(const kin_config *config, const char *token, kin__vault *vault,
                          const char *const **out, kin_error *err)
{
    size_t most = count_all(&config->user) + 1;
    list headers = { .vault = vault, .items = kin__vault_alloc(vault, most * sizeof(char *)) };

    if (headers.items == NULL) {
        return kin__error_no_memory(err);
    }
    if (config->is_https) {
        add_authorization(&headers, &config->user, token);
    }
    add_impersonation(&headers, &config->user);
    if (headers.has_failed) {
        return kin__error_no_memory(err);
    }
    *out = headers.items;
    return KIN_OK;
}

static size_t count_all(const kin__user *user)
{
    size_t count = 3 + kin__texts_count(user->as_groups); /* Authorization, user, uid */

    for (size_t i = 0; i < user->extra_count; i++) {
        count += kin__texts_count(user->extras[i].values);
    }
    return count;
}

static void add_authorization(list *headers, const kin__user *user, const char *token)
{
    if (token != NULL) {
        add(headers, "Authorization: Bearer ", token);
    } else if (user->username != NULL) {
        const char *password = user->password != NULL ? user->password : "";
        add(headers, "Authorization: Basic ", basic_of(user->username, password, headers->vault));
    }
}

static void add_impersonation(list *headers, const kin__user *user)
{
    if (user->as == NULL) {
        return;
    }
    add(headers, "Impersonate-User: ", user->as);
    if (user->as_uid != NULL) {
        add(headers, "Impersonate-Uid: ", user->as_uid);
    }
    for (size_t i = 0; i < kin__texts_count(user->as_groups); i++) {
        add(headers, "Impersonate-Group: ", user->as_groups[i]);
    }
    for (size_t i = 0; i < user->extra_count; i++) {
        const char *name = escaped_name(user->extras[i].key, headers->vault);
        for (const char *const *value = user->extras[i].values; *value != NULL; value++) {
            add(headers, name, *value);
        }
    }
}

/* NULL for either: there was no memory for it. */
static void add(list *headers, const char *name, const char *value)
{
    size_t len = kin_str_of(name).len;
    size_t more = kin_str_of(value).len;
    char *whole = kin__vault_alloc(headers->vault, len + more + 1);

    if (whole == NULL || name == NULL || value == NULL) {
        headers->has_failed = true;
        return;
    }
    memcpy(whole, name, len);
    memcpy(whole + len, value, more);
    headers->items[headers->count++] = whole;
}

static char *basic_of(const char *username, const char *password, kin__vault *vault)
{
    size_t len = strlen(username);
    size_t more = strlen(password);
    char *plain = kin__vault_alloc(vault, len + 1 + more);
    char *encoded = kin__vault_alloc(vault, kin__base64_len(len + 1 + more) + 1);

    if (plain == NULL || encoded == NULL) {
        return NULL;
    }
    memcpy(plain, username, len);
    plain[len] = ':';
    memcpy(plain + len + 1, password, more);
    kin__base64_write(kin__str(plain, len + 1 + more), encoded);
    return encoded;
}

/* "Impersonate-Extra-KEY: ", with what no header's name may hold as %XX. */
static char *escaped_name(const char *key, kin__vault *vault)
{
    static const char prefix[] = "Impersonate-Extra-";
    static const char digits[] = "0123456789ABCDEF";
    char *name = kin__vault_alloc(vault, sizeof prefix + 3 * strlen(key) + 2);

    if (name == NULL) {
        return NULL;
    }
    memcpy(name, prefix, sizeof prefix - 1);
    char *at = name + sizeof prefix - 1;
    for (; *key != '\0'; key++) {
        if (is_name_char(*key)) {
            *at++ = *key;
        } else {
            *at++ = '%';
            *at++ = digits[(unsigned char) *key >> 4];
            *at++ = digits[(unsigned char) *key & 15];
        }
    }
    memcpy(at, ": ", 3);
    return name;
}

/* A token of RFC 7230, without the '%' that escapes. */
static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$&'*+-.^_`|~", c) != NULL);
}
