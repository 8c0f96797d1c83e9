/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy.c - HTTPS_PROXY and NO_PROXY.
 */
#include "net/proxy.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define ADDRESS_TEXT_MAX 64u

typedef struct address {
    uint8_t bytes[16]; /* of IPv4: ::ffff:a.b.c.d */
    bool is_known;
} address;

static const char *get_first(char *(*get)(const char *name), const char *upper, const char *lower);
static bool is_exempt(kin_str host, kin_str port, const char *rules);
static bool rule_matches(kin_str rule, kin_str host, kin_str port);
static bool range_matches(kin_str range, kin_str host, bool *is_range);
static bool domain_matches(kin_str domain, kin_str host);
static address parse_address(kin_str text);
static bool has_prefix(const uint8_t *a, const uint8_t *b, unsigned bits);
static bool is_this_machine(kin_str host);
static kin_str strip(kin_str text);
static kin_str without_brackets(kin_str host);
static bool ends_with(kin_str text, kin_str end);

const char *kin__proxy_choose(const kin__proxy_target *target, char *(*get)(const char *name))
{
    kin_str host = without_brackets(kin_str_of(target->host));
    const char *proxy = target->has_tls ? get_first(get, "HTTPS_PROXY", "https_proxy")
                                        : get_first(get, "HTTP_PROXY", "http_proxy");
    if (proxy[0] == '\0' || is_this_machine(host)) {
        return "";
    }
    /* In a CGI program HTTP_PROXY is a header of the request ("httpoxy"). */
    if (!target->has_tls && get_first(get, "REQUEST_METHOD", "REQUEST_METHOD")[0] != '\0') {
        return "";
    }
    const char *rules = get_first(get, "NO_PROXY", "no_proxy");
    return is_exempt(host, kin_str_of(target->port), rules) ? "" : proxy;
}

static const char *get_first(char *(*get)(const char *name), const char *upper, const char *lower)
{
    const char *value = get(upper);
    if (value == NULL || value[0] == '\0') {
        value = get(lower);
    }
    return value != NULL ? value : "";
}

static bool is_exempt(kin_str host, kin_str port, const char *rules)
{
    for (const char *rule = rules; *rule != '\0';) {
        size_t len = strcspn(rule, ",");
        if (rule_matches(strip(kin__str(rule, len)), host, port)) {
            return true;
        }
        rule += len + (rule[len] == ',');
    }
    return false;
}

static bool rule_matches(kin_str rule, kin_str host, kin_str port)
{
    bool is_range = false;

    if (rule.len == 0 || kin__str_equal(rule, STR("*"))) {
        return rule.len != 0;
    }
    bool is_in_range = range_matches(rule, host, &is_range);
    if (is_range) {
        return is_in_range;
    }
    address rule_address = parse_address(without_brackets(rule));
    const char *colon = rule_address.is_known ? NULL : memrchr(rule.data, ':', rule.len);
    if (colon != NULL) {
        kin_str rule_port = kin__str(colon + 1, rule.len - (size_t) (colon - rule.data) - 1);
        if (!kin__str_equal(rule_port, port)) {
            return false;
        }
        rule.len = (size_t) (colon - rule.data);
        rule_address = parse_address(without_brackets(rule));
    }
    if (rule_address.is_known) {
        address host_address = parse_address(host);
        return host_address.is_known &&
               memcmp(host_address.bytes, rule_address.bytes, sizeof host_address.bytes) == 0;
    }
    return domain_matches(rule, host);
}

/* "10.0.0.0/8" */
static bool range_matches(kin_str range, kin_str host, bool *is_range)
{
    const char *slash = memchr(range.data, '/', range.len);
    if (slash == NULL) {
        return false;
    }
    kin_str text = kin__str(range.data, (size_t) (slash - range.data));
    address base = parse_address(text);
    address wanted = parse_address(host);
    size_t digits = range.len - text.len - 1;
    unsigned bits = 0;
    for (size_t i = 1; i <= digits && i <= 3; i++) {
        if (slash[i] < '0' || slash[i] > '9') {
            return false;
        }
        bits = bits * 10 + (unsigned) (slash[i] - '0');
    }
    bool is_ipv4 = memchr(text.data, ':', text.len) == NULL;
    bits += is_ipv4 ? 96 : 0;
    *is_range = base.is_known && digits != 0 && digits <= 3 && bits <= 128;
    return *is_range && wanted.is_known && has_prefix(base.bytes, wanted.bytes, bits);
}

/* "example.com" is the domain and all in it, ".example.com" and "*.example.com" all in it. */
static bool domain_matches(kin_str domain, kin_str host)
{
    if (kin__str_starts_with(domain, STR("*."))) {
        domain = kin__str(domain.data + 1, domain.len - 1);
    }
    if (domain.len != 0 && domain.data[0] == '.') {
        return ends_with(host, domain);
    }
    if (!ends_with(host, domain)) {
        return false;
    }
    return host.len == domain.len || host.data[host.len - domain.len - 1] == '.';
}

static address parse_address(kin_str text)
{
    address parsed = { 0 };
    char terminated[ADDRESS_TEXT_MAX];

    if (text.len == 0 || text.len >= sizeof terminated) {
        return parsed;
    }
    memcpy(terminated, text.data, text.len);
    terminated[text.len] = '\0';
    if (inet_pton(AF_INET6, terminated, parsed.bytes) == 1) {
        parsed.is_known = true;
    } else if (inet_pton(AF_INET, terminated, parsed.bytes + 12) == 1) {
        memset(parsed.bytes, 0, 10);
        parsed.bytes[10] = 0xff;
        parsed.bytes[11] = 0xff;
        parsed.is_known = true;
    }
    return parsed;
}

static bool has_prefix(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    return memcmp(a, b, whole) == 0 &&
           (rest == 0 || ((unsigned) (a[whole] ^ b[whole]) >> (8 - rest)) == 0);
}

static bool is_this_machine(kin_str host)
{
    static const uint8_t loopback[16] = { [15] = 1 };
    static const uint8_t loopback_ipv4[16] = { [10] = 0xff, [11] = 0xff, [12] = 127 };

    if (host.len == strlen("localhost") && strncasecmp(host.data, "localhost", host.len) == 0) {
        return true;
    }
    address parsed = parse_address(host);
    return parsed.is_known && (memcmp(parsed.bytes, loopback, sizeof loopback) == 0 ||
                               has_prefix(parsed.bytes, loopback_ipv4, 96 + 8));
}

static kin_str strip(kin_str text)
{
    while (text.len != 0 && text.data[0] == ' ') {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len != 0 && text.data[text.len - 1] == ' ') {
        text.len--;
    }
    return text;
}

static kin_str without_brackets(kin_str host)
{
    bool has_both = host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']';
    return has_both ? kin__str(host.data + 1, host.len - 2) : host;
}

static bool ends_with(kin_str text, kin_str end)
{
    return text.len >= end.len && end.len != 0 &&
           strncasecmp(text.data + text.len - end.len, end.data, end.len) == 0;
}
