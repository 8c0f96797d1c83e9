/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_material.c - certificates and keys, as connections use them.
 *
 * They go to libcurl as blobs, never through files.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/http_state.h"

static bool set_server_name(kin__http_material *material, const char *name, const char *address);
static CURLcode set_blob(CURL *easy, CURLoption option, const kin__buf *text);
static kin_str str_of(const kin__buf *buf);
static void wipe(kin__buf *buf);

kin_err kin__http_material_new(const kin__http_tls *tls, const char *address,
                               kin__http_material **out, kin_error *err)
{
    static const kin__http_tls none = { 0 };
    const kin__http_tls *from = tls != NULL ? tls : &none;

    AUTO(kin__http_material_unref)
    kin__http_material *material = kin__alloc_zero(1, sizeof *material);
    if (material == NULL) {
        return kin__error_no_memory(err);
    }
    material->refs = 1;
    material->insecure = from->insecure;
    if (from->server_name != NULL && from->server_name[0] != '\0' &&
        !set_server_name(material, from->server_name, address)) {
        return kin__error_no_memory(err);
    }
    if (!kin__buf_append_str(&material->ca, from->ca) ||
        !kin__buf_append_str(&material->certificate, from->certificate) ||
        !kin__buf_append_str(&material->key, from->key)) {
        return kin__error_no_memory(err);
    }
    *out = STEAL(material);
    return KIN_OK;
}

kin__http_material *kin__http_material_ref(kin__http_material *material)
{
    material->refs++;
    return material;
}

void kin__http_material_unref(kin__http_material *material)
{
    if (material == NULL || --material->refs != 0) {
        return;
    }
    wipe(&material->key);
    kin__buf_fini(&material->ca);
    kin__buf_fini(&material->certificate);
    kin__buf_fini(&material->key);
    curl_slist_free_all(material->connect_to);
    kin__free(material->server_name);
    kin__free(material);
}

bool kin__http_material_equal(const kin__http_material *a, const kin__http_material *b)
{
    return a->insecure == b->insecure &&
           kin__str_equal(kin_str_of(a->server_name), kin_str_of(b->server_name)) &&
           kin__str_equal(str_of(&a->ca), str_of(&b->ca)) &&
           kin__str_equal(str_of(&a->certificate), str_of(&b->certificate)) &&
           kin__str_equal(str_of(&a->key), str_of(&b->key));
}

/* With authorities of our own, the system's directory of them does not count. */
CURLcode kin__http_material_apply(const kin__http_material *material, CURL *easy)
{
    CURLcode code = CURLE_OK;
    long verify = material->insecure ? 0L : 1L;

    code = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify);
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verify * 2);
    }
    if (code == CURLE_OK) {
        code = curl_easy_setopt(easy, CURLOPT_CONNECT_TO, material->connect_to);
    }
    if (code == CURLE_OK && material->ca.len != 0) {
        code = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    if (code == CURLE_OK) {
        code = set_blob(easy, CURLOPT_CAINFO_BLOB, &material->ca);
    }
    if (code == CURLE_OK) {
        code = set_blob(easy, CURLOPT_SSLCERT_BLOB, &material->certificate);
    }
    if (code == CURLE_OK) {
        code = set_blob(easy, CURLOPT_SSLKEY_BLOB, &material->key);
    }
    return code;
}

static bool set_server_name(kin__http_material *material, const char *name, const char *address)
{
    AUTO(kin__buf_fini) kin__buf route = { 0 };
    kin__buf copy = { 0 };
    kin_error unwanted;
    size_t len;

    (void) kin__buf_append_format(&route, "::%s", address);
    (void) kin__buf_append_byte(&route, '\0');
    if (kin__buf_failed(&route)) {
        return false;
    }
    material->connect_to = curl_slist_append(NULL, route.data);
    (void) kin__buf_append_format(&copy, "%s", name);
    if (kin__buf_take(&copy, &material->server_name, &len, &unwanted) != KIN_OK) {
        kin__buf_fini(&copy);
        return false;
    }
    return material->connect_to != NULL;
}

static CURLcode set_blob(CURL *easy, CURLoption option, const kin__buf *text)
{
    if (text->len == 0) {
        return CURLE_OK;
    }
    struct curl_blob blob = { .data = text->data, .len = text->len, .flags = CURL_BLOB_NOCOPY };
    return curl_easy_setopt(easy, option, &blob);
}

static kin_str str_of(const kin__buf *buf)
{
    return kin__str(buf->data, buf->len);
}

static void wipe(kin__buf *buf)
{
    if (buf->len != 0) {
        explicit_bzero(buf->data, buf->len);
    }
}
