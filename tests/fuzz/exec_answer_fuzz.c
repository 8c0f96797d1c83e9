/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_answer_fuzz.c - any bytes as what an exec plugin answered.
 */
#include "config/exec_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "config/check.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const kin__exec exec = { .command = "p",
                                    .api_version = "client.authentication.k8s.io/v1" };
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec_credential credential;
    kin_error err;

    if (kin__exec_answer(&exec, kin__str((const char *) data, size), &vault, &credential, &err) !=
        KIN_OK) {
        CHECK(err.code == KIN_ERR_MALFORMED && vault.blocks == NULL);
        return 0;
    }
    CHECK(credential.token != NULL || credential.certificate.len != 0);
    CHECK(credential.token == NULL || kin__is_header_value(kin_str_of(credential.token)));
    CHECK((credential.certificate.len == 0) == (credential.key.len == 0));
    return 0;
}
