/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - whether a cluster or a user makes sense.
 *
 * The rules of kubectl: client-go, tools/clientcmd/validation.go, transport/transport.go (CA with
 * the insecure flag) and transport/round_trippers.go (token with basic auth).  Ours beyond them:
 * what cannot be a header, what needs a terminal, and the auth-providers of old.
 */
#include "config/check.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "config/exec_plugin.h"

static kin_err check_proxy(const char *url, kin_error *err);
static kin_err check_certificate(const kin__user *user, kin_error *err);
static kin_err check_methods(const kin__user *user, kin_error *err);
static kin_err check_impersonation(const kin__user *user, kin_error *err);
static kin_err check_header_values(const char *const *values, const char *what, kin_error *err);
static kin_err check_provider(const char *name, kin_error *err);
static bool is_set(const char *path, kin_str data);
static kin_err refuse(kin_error *err, const char *words);

kin_err kin__cluster_check(const kin__cluster *cluster, kin_error *err)
{
    if (cluster->server == NULL) {
        return refuse(err, "it has no server");
    }
    if (cluster->ca_path != NULL && cluster->ca_data.len != 0) {
        return refuse(err, "certificate-authority and certificate-authority-data are both given");
    }
    if (cluster->is_insecure && is_set(cluster->ca_path, cluster->ca_data)) {
        return refuse(err, "specifying a root certificates file with the insecure flag is not "
                           "allowed (certificate-authority, insecure-skip-tls-verify)");
    }
    if (cluster->tls_server_name != NULL &&
        !kin__is_header_value(kin_str_of(cluster->tls_server_name))) {
        return refuse(err, "tls-server-name is no name of a host");
    }
    return cluster->proxy_url != NULL ? check_proxy(cluster->proxy_url, err) : KIN_OK;
}

kin_err kin__user_check(const kin__user *user, kin_error *err)
{
    if (user->token != NULL && !kin__is_header_value(kin_str_of(user->token))) {
        return refuse(err, "token: a line break or control character is in it");
    }
    if (check_methods(user, err) != KIN_OK || check_certificate(user, err) != KIN_OK ||
        check_impersonation(user, err) != KIN_OK) {
        return err->code;
    }
    if (user->exec != NULL && user->auth_provider != NULL) {
        return refuse(err, "exec and auth-provider are both given");
    }
    if (user->auth_provider != NULL) {
        return check_provider(user->auth_provider, err);
    }
    if (user->exec != NULL &&
        kin__exec_check(user->exec, kin__user_needs_plugin(user), err) != KIN_OK) {
        return kin__error_prefix(err, "exec");
    }
    return KIN_OK;
}

bool kin__user_needs_plugin(const kin__user *user)
{
    return user->exec != NULL && user->token == NULL && user->token_path == NULL &&
           user->username == NULL && !is_set(user->certificate_path, user->certificate_data);
}

bool kin__is_namespace(const char *ns)
{
    size_t len = strlen(ns);

    for (size_t i = 0; i < len; i++) {
        bool is_letter = (ns[i] >= 'a' && ns[i] <= 'z') || (ns[i] >= '0' && ns[i] <= '9');
        if (!is_letter && (ns[i] != '-' || i == 0 || i + 1 == len)) {
            return false;
        }
    }
    return len >= 1 && len <= 63;
}

bool kin__is_header_value(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char) text.data[i];
        if (c < 0x20 || c == 0x7f) {
            return false;
        }
    }
    return text.len != 0;
}

bool kin__is_pem(kin_str text)
{
    const char *begin = text.len != 0 ? memmem(text.data, text.len, "-----BEGIN ", 11) : NULL;

    return begin != NULL &&
           memmem(begin, (size_t) (text.data + text.len - begin), "-----END ", 9) != NULL;
}

/* It may hold a password, so that not even a part of it is quoted. */
static kin_err check_proxy(const char *url, kin_error *err)
{
    static const char *const schemes[] = { "http://", "https://", "socks5://" };
    kin_str text = kin_str_of(url);

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t len = strlen(schemes[i]);
        if (text.len > len && strncasecmp(url, schemes[i], len) == 0) {
            bool is_clean = kin__is_header_value(text) && strchr(url, ' ') == NULL;
            return is_clean && url[len] != '/' ? KIN_OK : refuse(err, "proxy-url is no URL");
        }
    }
    return refuse(err, "proxy-url does not begin with http://, https:// or socks5://");
}

static kin_err check_certificate(const kin__user *user, kin_error *err)
{
    if (!is_set(user->certificate_path, user->certificate_data)) {
        return KIN_OK;
    }
    if (user->certificate_path != NULL && user->certificate_data.len != 0) {
        return refuse(err, "client-certificate and client-certificate-data are both given");
    }
    if (user->key_path != NULL && user->key_data.len != 0) {
        return refuse(err, "client-key and client-key-data are both given");
    }
    if (!is_set(user->key_path, user->key_data)) {
        return refuse(err, "a client certificate needs client-key or client-key-data");
    }
    return KIN_OK;
}

static kin_err check_methods(const kin__user *user, kin_error *err)
{
    bool has_token = user->token != NULL || user->token_path != NULL;

    if (has_token && (user->username != NULL || user->password != NULL)) {
        return refuse(err, "a token and a username or password are both given; only one is "
                           "allowed");
    }
    return KIN_OK;
}

static kin_err check_impersonation(const kin__user *user, kin_error *err)
{
    const char *const names[] = { user->as, user->as == NULL ? NULL : user->as_uid, NULL };

    if (user->as == NULL &&
        (user->as_uid != NULL || (user->as_groups != NULL && user->as_groups[0] != NULL) ||
         user->extra_count != 0)) {
        return refuse(err, "as-uid, as-groups or as-user-extra without as");
    }
    if (check_header_values(names, "as, as-uid", err) != KIN_OK ||
        check_header_values(user->as_groups, "as-groups", err) != KIN_OK) {
        return err->code;
    }
    for (size_t i = 0; i < user->extra_count; i++) {
        if (user->extras[i].key[0] == '\0') {
            return refuse(err, "as-user-extra: an empty key");
        }
        if (check_header_values(user->extras[i].values, "as-user-extra", err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

/* An empty value is refused too: it would go out as no header at all. */
static kin_err check_header_values(const char *const *values, const char *what, kin_error *err)
{
    for (; values != NULL && *values != NULL; values++) {
        if (!kin__is_header_value(kin_str_of(*values))) {
            return kin__error_set(err, KIN_ERR_USAGE,
                                  "%s: empty, or a line break or control character is in it", what);
        }
    }
    return KIN_OK;
}

static kin_err check_provider(const char *name, kin_error *err)
{
    if (strcmp(name, "gcp") == 0) {
        return refuse(err, "the auth-provider \"gcp\" was removed from Kubernetes; use the exec "
                           "plugin gke-gcloud-auth-plugin");
    }
    if (strcmp(name, "azure") == 0) {
        return refuse(err, "the auth-provider \"azure\" was removed from Kubernetes; use the exec "
                           "plugin kubelogin");
    }
    if (strcmp(name, "oidc") == 0) {
        return refuse(err, "the auth-provider \"oidc\" is not supported; use an exec plugin for "
                           "OpenID Connect (kubectl oidc-login), or a tokenFile");
    }
    return kin__error_set(err, KIN_ERR_USAGE,
                          "the auth-provider \"%.64s\" is not supported; use an exec plugin", name);
}

static bool is_set(const char *path, kin_str data)
{
    return path != NULL || data.len != 0;
}

static kin_err refuse(kin_error *err, const char *words)
{
    return kin__error_set(err, KIN_ERR_USAGE, "%s", words);
}
