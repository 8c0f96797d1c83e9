/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_token.c - RFC 7519 with HS256: head, claims and their HMAC, each in base64 for URLs.
 */
#include "server/service_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/base64.h"
#include "base/str.h"
#include "json/writer.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/text_tree.h"

#define HEAD "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"
#define MAC_LEN 32

static const kin__token_bond bonds[] = {
    { "Pod", "pod", "pods" },
    { "Secret", "secret", "secrets" },
    { "Node", "node", "nodes" },
};

static void write_claims(kin__engine *engine, const kin__service_account *account, kin__buf *out);
static void write_reference(kin__json_writer *w, const char *claim, kin_str name, kin_str uid);
static void write_text(kin__json_writer *w, const char *name, kin_str text);
static bool sign(const kin__engine *engine, kin_str text, char out[MAC_LEN]);
static bool is_signed(const kin__engine *engine, kin_str text, kin_str signature);
static bool is_good(const kin__engine *engine, const kin__node *claims);
static bool is_there(const kin__engine *engine, const char *resource, kin_str ns,
                     const kin__node *reference);
static bool append_base64(kin_str bytes, kin__buf *out);
static bool decode(kin_str text, kin__buf *out);

const kin__token_bond *kin__token_bond_of(kin_str kind)
{
    for (size_t i = 0; i < sizeof bonds / sizeof *bonds; i++) {
        if (kin__str_equal(kind, kin_str_of(bonds[i].kind))) {
            return &bonds[i];
        }
    }
    return NULL;
}

bool kin__service_token_append(kin__engine *engine, const kin__service_account *account,
                               kin__buf *out)
{
    AUTO(kin__buf_fini) kin__buf claims = { 0 };
    size_t start = out->len;
    char mac[MAC_LEN];

    write_claims(engine, account, &claims);
    return !kin__buf_failed(&claims) && append_base64(STR(HEAD), out) &&
           kin__buf_append_byte(out, '.') &&
           append_base64(kin__str(claims.data, claims.len), out) &&
           sign(engine, kin__str(out->data + start, out->len - start), mac) &&
           kin__buf_append_byte(out, '.') && append_base64(kin__str(mac, sizeof mac), out);
}

kin__node *kin__service_token_read(const kin__engine *engine, kin_str token)
{
    const char *first = token.len == 0 ? NULL : memchr(token.data, '.', token.len);
    const char *last = token.len == 0 ? NULL : memrchr(token.data, '.', token.len);
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__node_free) kin__node *claims = NULL;
    kin_error err;

    if (first == last ||
        !is_signed(engine, kin__str(token.data, (size_t) (last - token.data)),
                   kin__str(last + 1, token.len - (size_t) (last + 1 - token.data))) ||
        !decode(kin__str(first + 1, (size_t) (last - first - 1)), &json) ||
        kin__text_tree(kin__str(json.data, json.len), KIN_TYPE_OBJECT, &claims, &err) != KIN_OK) {
        return NULL;
    }
    return is_good(engine, claims) ? STEAL(claims) : NULL;
}

bool kin__service_token_is_ours(const kin__node *claims)
{
    const kin__node *audiences = kin__field(claims, "aud");
    kin__node_iter iter = { 0 };

    while (audiences != NULL && kin__node_next(audiences, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), STR(KIN__SERVICE_TOKEN_AUDIENCE))) {
            return true;
        }
    }
    return false;
}

bool kin__service_token_find(const kin__engine *engine, const char *resource, kin_str ns,
                             kin_str name, kin__record **out)
{
    kin__served *served = kin__shelf_find(engine->shelf, STR(""), STR("v1"), kin_str_of(resource));
    AUTO(kin__buf_fini) kin__buf key = { 0 };

    *out = NULL;
    if (served == NULL) {
        return true;
    }
    if (served->is_namespaced) {
        (void) kin__buf_append_format(&key, "%.*s/", KIN_STR_ARG(ns));
    }
    (void) kin__buf_append_str(&key, name);
    if (kin__buf_failed(&key)) {
        return false;
    }
    *out = kin__collection_get(served->collection, kin__str(key.data, key.len));
    return true;
}

static void write_claims(kin__engine *engine, const kin__service_account *account, kin__buf *out)
{
    int64_t now = kin__clock_wall(engine->clock).seconds;
    kin__json_writer w = { out, false };
    AUTO(kin__buf_fini) kin__buf user = { 0 };
    kin__node_iter iter = { 0 };
    char id[KIN__UID_LEN + 1];

    kin__identity_uid(engine, id);
    (void) kin__buf_append_format(&user, "system:serviceaccount:%.*s:%.*s",
                                  KIN_STR_ARG(account->ns), KIN_STR_ARG(account->name));
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("aud"));
    kin__json_begin(&w, '[');
    while (kin__node_next(account->audiences, &iter)) {
        kin__json_string(&w, kin__node_text(iter.value));
    }
    kin__json_end(&w, ']');
    kin__json_key(&w, STR("exp"));
    kin__json_write_int64(&w, now + account->lasts_s);
    kin__json_key(&w, STR("iat"));
    kin__json_write_int64(&w, now);
    write_text(&w, "iss", STR(KIN__SERVICE_TOKEN_AUDIENCE));
    write_text(&w, "jti", kin_str_of(id));
    kin__json_key(&w, STR("kubernetes.io"));
    kin__json_begin(&w, '{');
    write_text(&w, "namespace", account->ns);
    write_reference(&w, "serviceaccount", account->name, account->uid);
    if (account->bond != NULL) {
        write_reference(&w, account->bond->claim, account->bound_name, account->bound_uid);
    }
    kin__json_end(&w, '}');
    kin__json_key(&w, STR("nbf"));
    kin__json_write_int64(&w, now);
    write_text(&w, "sub", kin__str(user.data, user.len));
    kin__json_end(&w, '}');
    out->has_failed = out->has_failed || kin__buf_failed(&user);
}

static void write_reference(kin__json_writer *w, const char *claim, kin_str name, kin_str uid)
{
    kin__json_key(w, kin_str_of(claim));
    kin__json_begin(w, '{');
    write_text(w, "name", name);
    write_text(w, "uid", uid);
    kin__json_end(w, '}');
}

static void write_text(kin__json_writer *w, const char *name, kin_str text)
{
    kin__json_key(w, kin_str_of(name));
    kin__json_string(w, text);
}

static bool sign(const kin__engine *engine, kin_str text, char out[MAC_LEN])
{
    size_t len = 0;

    return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, engine->token_key,
                     sizeof engine->token_key, (const unsigned char *) text.data, text.len,
                     (unsigned char *) out, MAC_LEN, &len) != NULL &&
           len == MAC_LEN;
}

static bool is_signed(const kin__engine *engine, kin_str text, kin_str signature)
{
    AUTO(kin__buf_fini) kin__buf theirs = { 0 };
    char ours[MAC_LEN];

    return sign(engine, text, ours) && decode(signature, &theirs) && theirs.len == MAC_LEN &&
           CRYPTO_memcmp(ours, theirs.data, MAC_LEN) == 0;
}

/* Whether it has not expired, and its account and what it is bound to are those that are there. */
static bool is_good(const kin__engine *engine, const kin__node *claims)
{
    const kin__node *place = kin__field(claims, "kubernetes.io");
    kin_str ns = kin__field_text(place, "namespace");
    int64_t expires_s = 0;

    if (!kin__field_int64(claims, "exp", &expires_s) ||
        expires_s <= kin__clock_wall(engine->clock).seconds ||
        !is_there(engine, "serviceaccounts", ns, kin__field(place, "serviceaccount"))) {
        return false;
    }
    for (size_t i = 0; i < sizeof bonds / sizeof *bonds; i++) {
        const kin__node *bound = kin__field(place, bonds[i].claim);
        if (bound != NULL && !is_there(engine, bonds[i].resource, ns, bound)) {
            return false;
        }
    }
    return true;
}

static bool is_there(const kin__engine *engine, const char *resource, kin_str ns,
                     const kin__node *reference)
{
    kin__record *record = NULL;

    return kin__service_token_find(engine, resource, ns, kin__field_text(reference, "name"),
                                   &record) &&
           record != NULL &&
           kin__str_equal(kin_object_uid(record->object), kin__field_text(reference, "uid"));
}

static bool append_base64(kin_str bytes, kin__buf *out)
{
    size_t start = out->len, len = kin__base64_len(bytes.len);

    if (!kin__buf_reserve(out, len)) {
        return false;
    }
    kin__base64_write(bytes, out->data + start);
    while (len > 0 && out->data[start + len - 1] == '=') {
        len--;
    }
    for (char *at = out->data + start; at < out->data + start + len; at++) {
        *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
    }
    out->len = start + len;
    return true;
}

static bool decode(kin_str text, kin__buf *out)
{
    if (!kin__buf_append_str(out, text)) {
        return false;
    }
    for (size_t i = 0; i < out->len; i++) {
        out->data[i] = out->data[i] == '-' ? '+' : out->data[i] == '_' ? '/' : out->data[i];
    }
    while (out->len % 4 != 0) {
        if (!kin__buf_append_byte(out, '=')) {
            return false;
        }
    }
    return out->len > 0 && kin__base64_decode(kin__str(out->data, out->len), out->data, &out->len);
}
