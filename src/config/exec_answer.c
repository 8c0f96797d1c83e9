/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_answer.c - what an exec plugin answered.
 *
 * Walked with the cursor, in place: a tree would scatter copies of the token.
 */
#include "config/exec_answer.h"

#include "base/error.h"
#include "base/str.h"
#include "base/time.h"
#include "config/check.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "json/string.h"

static kin_err check_head(const kin__exec *exec, kin__json answer, kin_error *err);
static const char *known_version(kin_str raw);
static kin_err read_text(kin__json status, kin_str name, kin__vault *vault, kin_str *out,
                         kin_error *err);
static kin_err read_expiry(kin__json status, kin__vault *vault, kin__exec_credential *out,
                           kin_error *err);
static kin_err check_credential(kin_str token, const kin__exec_credential *credential,
                                kin_error *err);
static kin_err refuse(kin_error *err, const char *words);

kin_err kin__exec_answer(const kin__exec *exec, kin_str output, kin__vault *vault,
                         kin__exec_credential *out, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault own = { 0 };
    kin__exec_credential made = { 0 };
    kin_str token = { 0 };

    if (kin__json_check(output, err) != KIN_OK) {
        return refuse(err, "its answer is no JSON");
    }
    kin__json answer = kin__json_of(output);
    kin__json status = kin__json_member(answer, STR("status"));
    if (check_head(exec, answer, err) != KIN_OK) {
        return err->code;
    }
    if (kin__json_type(status) != KIN_TYPE_OBJECT) {
        return refuse(err, "its answer has no status");
    }
    if (read_text(status, STR("token"), &own, &token, err) != KIN_OK ||
        read_text(status, STR("clientCertificateData"), &own, &made.certificate, err) != KIN_OK ||
        read_text(status, STR("clientKeyData"), &own, &made.key, err) != KIN_OK ||
        read_expiry(status, &own, &made, err) != KIN_OK ||
        check_credential(token, &made, err) != KIN_OK) {
        return err->code;
    }
    made.token = token.len != 0 ? token.data : NULL;
    kin__vault_move(vault, &own);
    *out = made;
    return KIN_OK;
}

static kin_err check_head(const kin__exec *exec, kin__json answer, kin_error *err)
{
    kin_str kind = kin__json_raw_string(kin__json_member(answer, STR("kind")));
    kin_str version = kin__json_raw_string(kin__json_member(answer, STR("apiVersion")));

    if (!kin__json_string_equals(kind, STR("ExecCredential"))) {
        return refuse(err, "its answer is no ExecCredential");
    }
    if (!kin__json_string_equals(version, kin_str_of(exec->api_version))) {
        return kin__error_set(err, KIN_ERR_MALFORMED,
                              "it is configured to answer in apiVersion %s, and answered in %s",
                              exec->api_version, known_version(version));
    }
    return KIN_OK;
}

/* Named only when it is one of these: what else stands there may be anything. */
static const char *known_version(kin_str raw)
{
    static const char *const known[] = { "client.authentication.k8s.io/v1",
                                         "client.authentication.k8s.io/v1beta1",
                                         "client.authentication.k8s.io/v1alpha1" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (kin__json_string_equals(raw, kin_str_of(known[i]))) {
            return known[i];
        }
    }
    return "another";
}

/* Empty when it is not there, or null. */
static kin_err read_text(kin__json status, kin_str name, kin__vault *vault, kin_str *out,
                         kin_error *err)
{
    kin__json value = kin__json_member(status, name);
    kin_type type = kin__json_type(value);

    if (type == KIN_TYPE_MISSING || type == KIN_TYPE_NULL) {
        return KIN_OK;
    }
    if (type != KIN_TYPE_STRING) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its answer's status.%.*s is no string",
                              KIN_STR_ARG(name));
    }
    kin_str raw = kin__json_raw_string(value);
    char *text = kin__vault_alloc(vault, raw.len + 1);
    if (text == NULL) {
        return kin__error_no_memory(err);
    }
    *out = kin__str(text, raw.len != 0 ? kin__json_decode(raw, text) : 0);
    return KIN_OK;
}

static kin_err read_expiry(kin__json status, kin__vault *vault, kin__exec_credential *out,
                           kin_error *err)
{
    kin_str text = { 0 };

    if (read_text(status, STR("expirationTimestamp"), vault, &text, err) != KIN_OK) {
        return err->code;
    }
    if (text.len == 0) {
        return KIN_OK;
    }
    if (kin__time_parse(text, &out->expiry) != KIN_OK) {
        return refuse(err, "its answer's status.expirationTimestamp is no time");
    }
    out->expires = true;
    return KIN_OK;
}

static kin_err check_credential(kin_str token, const kin__exec_credential *credential,
                                kin_error *err)
{
    kin_str certificate = credential->certificate;
    kin_str key = credential->key;

    if (token.len == 0 && certificate.len == 0 && key.len == 0) {
        return refuse(err, "its answer has neither a token nor a certificate");
    }
    if ((certificate.len == 0) != (key.len == 0)) {
        return refuse(err, "its answer has only one of clientCertificateData and clientKeyData");
    }
    if (token.len != 0 && !kin__is_header_value(token)) {
        return refuse(err, "its token has a line break or control character in it");
    }
    if (certificate.len != 0 && (!kin__is_pem(certificate) || !kin__is_pem(key))) {
        return refuse(err, "its clientCertificateData or clientKeyData is no PEM");
    }
    return KIN_OK;
}

static kin_err refuse(kin_error *err, const char *words)
{
    return kin__error_set(err, KIN_ERR_MALFORMED, "%s", words);
}
