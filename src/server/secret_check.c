/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_check.c - what a secret of a certain type must have.
 *
 * After ValidateSecret() of kubernetes 1.36, pkg/apis/core/validation.
 */
#include "server/secret_check.h"

#include "base/base64.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "server/codec_read_state.h"
#include "server/codec_syntax.h"
#include "server/field.h"
#include "server/metadata_check.h"

#define ACCOUNT "kubernetes.io/service-account.name"

static void check_account(const kin__node *secret, kin__refusal *no);
static void check_login(const kin__node *data, kin__refusal *no);
static void check_key(const kin__node *data, kin__refusal *no);
static void check_certificate(const kin__node *data, kin__refusal *no);
static void check_docker(const kin__node *data, const char *key, kin__refusal *no);
static void check_docker_json(kin_str text, const char *field, kin__refusal *no);
static bool require(const kin__node *data, const char *key, kin__refusal *no);
static void add_required(const char *key, kin__refusal *no);

void kin__secret_check(const kin__node *secret, kin__refusal *no)
{
    kin_str type = kin__field_text(secret, "type");
    const kin__node *data = kin__field(secret, "data");

    if (kin__str_equal(type, STR("kubernetes.io/service-account-token"))) {
        check_account(secret, no);
    } else if (kin__str_equal(type, STR("kubernetes.io/dockercfg"))) {
        check_docker(data, ".dockercfg", no);
    } else if (kin__str_equal(type, STR("kubernetes.io/dockerconfigjson"))) {
        check_docker(data, ".dockerconfigjson", no);
    } else if (kin__str_equal(type, STR("kubernetes.io/basic-auth"))) {
        check_login(data, no);
    } else if (kin__str_equal(type, STR("kubernetes.io/ssh-auth"))) {
        check_key(data, no);
    } else if (kin__str_equal(type, STR("kubernetes.io/tls"))) {
        check_certificate(data, no);
    }
}

/* The token itself may come later. */
static void check_account(const kin__node *secret, kin__refusal *no)
{
    const kin__node *annotations = kin__field_at(secret, "metadata", "annotations");

    if (annotations == NULL || kin__field_text(annotations, ACCOUNT).len == 0) {
        kin__refusal_add_invalid(no, "FieldValueRequired", "metadata.annotations[" ACCOUNT "]",
                                 "Required value");
    }
}

/* One of them is enough, and may be empty. */
static void check_login(const kin__node *data, kin__refusal *no)
{
    if (kin__field(data, "username") == NULL && kin__field(data, "password") == NULL) {
        add_required("username", no);
        add_required("password", no);
    }
}

static void check_key(const kin__node *data, kin__refusal *no)
{
    if (kin__field_text(data, "ssh-privatekey").len == 0) {
        add_required("ssh-privatekey", no);
    }
}

static void check_certificate(const kin__node *data, kin__refusal *no)
{
    (void) require(data, "tls.crt", no);
    (void) require(data, "tls.key", no);
}

static void check_docker(const kin__node *data, const char *key, kin__refusal *no)
{
    kin_str value = kin__field_text(data, key);
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__buf_fini) kin__buf field = { 0 };

    if (!require(data, key, no)) {
        return;
    }
    if (!kin__buf_reserve(&text, value.len + 1) ||
        !kin__buf_append_format(&field, "data[%s]%c", key, 0)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    if (kin__base64_decode(value, text.data, &text.len)) {
        check_docker_json(kin__str(text.data, text.len), field.data, no);
    }
}

static void check_docker_json(kin_str text, const char *field, kin__refusal *no)
{
    kin__json json = kin__json_of(text);
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    kin_error err;

    if (kin__json_check(text, &err) != KIN_OK) {
        kin__codec_syntax_error(text, &why);
    } else if (kin__json_type(json) != KIN_TYPE_OBJECT && kin__json_type(json) != KIN_TYPE_NULL) {
        (void) kin__buf_append_format(
            &why, "json: cannot unmarshal %s into Go value of type map[string]interface {}",
            kin__codec_type_name(json));
    } else {
        return;
    }
    (void) kin__buf_append_byte(&why, '\0');
    if (kin__buf_failed(&why)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__invalid_text(no, field, STR("<secret contents redacted>"), why.data);
}

static bool require(const kin__node *data, const char *key, kin__refusal *no)
{
    if (kin__field(data, key) == NULL) {
        add_required(key, no);
        return false;
    }
    return true;
}

static void add_required(const char *key, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf field = { 0 };

    if (!kin__buf_append_format(&field, "data[%s]%c", key, 0)) {
        (void) kin__refuse_no_memory(no);
        return;
    }
    kin__refusal_add_invalid(no, "FieldValueRequired", field.data, "Required value");
}
