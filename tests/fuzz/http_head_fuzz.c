/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_head_fuzz.c - any lines make a head whose parts are in bounds; NO_PROXY may be any text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_head.h"
#include "net/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static char *rules;

static char *get(const char *name)
{
    static char proxy[] = "proxy.test";
    return strcmp(name, "HTTPS_PROXY") == 0 ? proxy : strcmp(name, "NO_PROXY") == 0 ? rules : NULL;
}

static void read_lines(kin__head_reader *reader, const char *text, size_t len)
{
    const kin_time now = { .seconds = 1794816000 };
    for (size_t i = 0; i < len;) {
        const char *end = memchr(text + i, '\n', len - i);
        size_t count = end == NULL ? len - i : (size_t) (end - text) - i + 1;
        kin_error err;
        CHECK(kin__head_reader_line(reader, (kin_str){ text + i, count }, now, &err) == KIN_OK);
        i += count;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__head_reader reader = { 0 };
    read_lines(&reader, (const char *) data, size);
    kin__http_head head = kin__head_reader_get(&reader);
    CHECK(head.status >= 0 && head.status < 1000);
    CHECK(head.retry_after_ms <= KIN__RETRY_AFTER_MAX_MS);
    CHECK(head.content_type.len <= size && head.location.len <= size && head.etag.len <= size);
    CHECK(head.warnings.len <= size);
    kin__head_reader_fini(&reader);

    rules = calloc(1, size + 1);
    CHECK(rules != NULL);
    memcpy(rules, data, size);
    static const char *const hosts[] = { "api.test", "10.1.2.3", "[fd00::1]" };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        kin__proxy_target target = { .has_tls = true, .host = hosts[i], .port = "6443" };
        const char *proxy = kin__proxy_choose(&target, get);
        CHECK(strcmp(proxy, "") == 0 || strcmp(proxy, "proxy.test") == 0);
    }
    free(rules);
    return 0;
}
