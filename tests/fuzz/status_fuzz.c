/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_fuzz.c - whatever a server says with a refusal, it is an error with a clean sentence.
 *
 * The first byte chooses the content type, the second the HTTP status.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/status.h"
#include "base/str.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_line(const char *text, size_t room)
{
    CHECK(memchr(text, '\0', room) != NULL);
    CHECK(kin__utf8_is_valid(kin_str_of(text)));
    for (; *text != '\0'; text++) {
        CHECK((unsigned char) *text >= ' ' && *text != 0x7f);
    }
}

static void check_error(kin_err code, const kin_error *err)
{
    CHECK(code != KIN_OK && code == err->code && code != KIN_ERR_NO_MEMORY);
    CHECK(err->message[0] != '\0');
    check_line(err->message, sizeof err->message);
    check_line(err->reason, sizeof err->reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {
        "application/json", "application/vnd.kubernetes.protobuf", "text/plain", "text/html", "",
        "application/yaml"
    };
    kin__status more;
    kin_error err;

    if (size < 2) {
        return 0;
    }
    kin_str type = kin_str_of(types[data[0] % (sizeof types / sizeof types[0])]);
    kin_str body = { (const char *) data + 2, size - 2 };
    check_error(kin__status_read(100 + data[1] * 2, type, body, 0, &more, &err), &err);
    kin__status_fini(&more);

    if (kin__status_from_json(body, &more, &err) != KIN_OK) {
        check_error(err.code, &err);
    }
    kin__status_fini(&more);
    if (kin__status_from_protobuf(body, &more, &err) != KIN_OK) {
        check_error(err.code, &err);
    }
    kin__status_fini(&more);
    return 0;
}
