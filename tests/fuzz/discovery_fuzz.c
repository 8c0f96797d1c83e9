/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_fuzz.c - whatever a server says it has, discovery comes to an end.
 *
 * The input is the bodies of its answers, with a line feed of its own between two of them.  What is
 * asked for is a proper path, and what is found has proper names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/discovery.h"
#include "base/str.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_path(const char *path)
{
    CHECK(strncmp(path, "/api", 4) == 0);
    CHECK(strstr(path, "//") == NULL && strstr(path, "/.") == NULL);
    CHECK(strpbrk(path, "?#% \n\"\\") == NULL);
}

static void check_catalogue(const kin__catalogue *catalogue)
{
    for (size_t i = 0; i < kin__catalogue_count(catalogue); i++) {
        const kin_resource *resource = kin__catalogue_at(catalogue, i);
        CHECK(kin__resource_is_name(kin_str_of(kin_resource_name(resource))));
        CHECK(kin__resource_is_name(kin_str_of(kin_resource_kind(resource))));
        CHECK(kin__catalogue_find(catalogue, kin_str_of(kin_resource_name(resource))) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__discovery *discovery;
    const char *at = (const char *) data;
    size_t left = size;
    kin_err code = KIN_OK;
    kin_error err;

    CHECK(kin__discovery_new(&discovery, &err) == KIN_OK);
    while (code == KIN_OK && kin__discovery_next(discovery) != NULL) {
        const char *end = left == 0 ? NULL : memchr(at, '\n', left);
        size_t len = end == NULL ? left : (size_t) (end - at);
        check_path(kin__discovery_next(discovery));
        code = kin__discovery_answer(discovery, left == 0 ? 503 : 200, STR("application/json"),
                                     kin__str(at, len), &err);
        at += end == NULL ? left : len + 1;
        left -= end == NULL ? left : len + 1;
    }
    CHECK(kin__utf8_is_valid(kin_str_of(kin__discovery_missing(discovery))));
    kin__catalogue *catalogue = kin__discovery_take(discovery);
    if (code == KIN_OK) {
        check_catalogue(catalogue);
    }
    kin__catalogue_free(catalogue);
    kin__discovery_free(discovery);
    return 0;
}
