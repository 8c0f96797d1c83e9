/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept.c - the header Accept.
 */
#include "server/accept.h"

#include "base/str.h"

#define CLAUSES_MAX 32 /* those behind them are not looked at */

typedef struct clause {
    kin_str type, subtype;
    kin_str params; /* behind the first ';' */
    double quality;
} clause;

static size_t read_clauses(kin_str accept, clause *out);
static bool read_clause(kin_str part, clause *out);
static double read_quality(kin_str params);
static double parse_quality(kin_str text);
static kin__wish read_wish(kin_str params);
static bool next_param(kin_str *rest, kin_str *out_name, kin_str *out_value);
static void sort_clauses(clause *clauses, size_t count);
static bool comes_before(const clause *a, const clause *b);
static bool matches(const clause *c, kin_str subtype);
static bool is_star(kin_str text);
static kin_str next_part(kin_str *rest, char separator);
static kin_str trim(kin_str text);

bool kin__accept_negotiate(kin_str accept, kin__accept_fn allows, const void *context,
                           kin__form_encoding *out_encoding, kin__wish *out)
{
    static const kin_str subtypes[] = {
        [KIN__FORM_JSON] = { "json", 4 },
        [KIN__FORM_PROTO] = { "vnd.kubernetes.protobuf", 23 },
    };
    clause clauses[CLAUSES_MAX];

    if (accept.len == 0) {
        *out_encoding = KIN__FORM_JSON;
        *out = (kin__wish){ 0 };
        return true;
    }
    size_t count = read_clauses(accept, clauses);
    sort_clauses(clauses, count);
    for (size_t i = 0; i < count; i++) {
        kin__wish wish = read_wish(clauses[i].params);
        for (size_t e = KIN__FORM_JSON; e <= KIN__FORM_PROTO; e++) {
            if (matches(&clauses[i], subtypes[e]) &&
                allows(context, (kin__form_encoding) e, &wish)) {
                *out_encoding = (kin__form_encoding) e;
                *out = wish;
                return true;
            }
        }
    }
    return false;
}

bool kin__accept_plain(const void *context, kin__form_encoding encoding, const kin__wish *wish)
{
    (void) context;
    (void) encoding;
    return !wish->has_convert && wish->server_version.len == 0 &&
           (wish->stream.len == 0 || kin__str_equal(wish->stream, STR("watch")));
}

bool kin__accept_names(kin_str accept, const char *const *types)
{
    static const char *const all[] = { "*/*", NULL };
    size_t count = 0;

    while (types[count] != NULL) {
        count++;
    }
    return kin__accept_first(accept, types) < count || kin__accept_first(accept, all) == 0;
}

size_t kin__accept_first(kin_str accept, const char *const *types)
{
    size_t count = 0;

    if (accept.len == 0) {
        return 0;
    }
    while (accept.len > 0) {
        kin_str part = next_part(&accept, ',');
        kin_str name = trim(next_part(&part, ';'));
        for (count = 0; types[count] != NULL; count++) {
            if (kin__str_equal(name, kin_str_of(types[count]))) {
                return count;
            }
        }
    }
    return count;
}

static size_t read_clauses(kin_str accept, clause *out)
{
    size_t count = 0;

    while (accept.len > 0 && count < CLAUSES_MAX) {
        kin_str part = trim(next_part(&accept, ','));
        if (read_clause(part, &out[count])) {
            count++;
        }
    }
    return count;
}

static bool read_clause(kin_str part, clause *out)
{
    kin_str params = part;
    kin_str name = next_part(&params, ';');
    kin_str rest = name;
    kin_str type = trim(next_part(&rest, '/'));
    kin_str subtype = trim(next_part(&rest, '/'));

    if (rest.len > 0) {
        return false;
    }
    if (subtype.len == 0) {
        if (!is_star(type)) {
            return false;
        }
        subtype = type;
    }
    *out = (clause){ type, subtype, params, read_quality(params) };
    return true;
}

static double read_quality(kin_str params)
{
    double quality = 1;
    kin_str name, value;

    while (next_param(&params, &name, &value)) {
        if (kin__str_equal(name, STR("q"))) {
            quality = parse_quality(value);
        }
    }
    return quality;
}

/* A plain decimal number; 0 for anything else. */
static double parse_quality(kin_str text)
{
    double value = 0;
    double unit = 1;
    bool has_point = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '.' && !has_point) {
            has_point = true;
        } else if (c >= '0' && c <= '9') {
            unit = has_point ? unit / 10 : unit;
            value = has_point ? value + (c - '0') * unit : value * 10 + (c - '0');
        } else {
            return 0;
        }
    }
    return value;
}

static kin__wish read_wish(kin_str params)
{
    kin__wish wish = { 0 };
    kin_str name, value;

    while (next_param(&params, &name, &value)) {
        if (kin__str_equal(name, STR("as"))) {
            wish.as = value;
            wish.has_convert = true;
        } else if (kin__str_equal(name, STR("g"))) {
            wish.group = value;
            wish.has_convert = true;
        } else if (kin__str_equal(name, STR("v"))) {
            wish.version = value;
            wish.has_convert = true;
        } else if (kin__str_equal(name, STR("stream"))) {
            wish.stream = value;
        } else if (kin__str_equal(name, STR("sv"))) {
            wish.server_version = value;
        } else if (kin__str_equal(name, STR("profile"))) {
            wish.profile = value;
        } else if (kin__str_equal(name, STR("pretty"))) {
            wish.is_pretty = kin__str_equal(value, STR("1"));
        }
    }
    return wish;
}

/* Those that are no name=value are skipped. */
static bool next_param(kin_str *rest, kin_str *out_name, kin_str *out_value)
{
    while (rest->len > 0) {
        kin_str param = next_part(rest, ';');
        kin_str name = next_part(&param, '=');
        if (param.len == 0) {
            continue;
        }
        kin_str value = next_part(&param, '=');
        if (param.len > 0) {
            continue;
        }
        *out_name = trim(name);
        *out_value = trim(value);
        return true;
    }
    return false;
}

/* By insertion, as Go's sort does it with up to twelve: "comes before" is no order in which the way
 * would not matter. */
static void sort_clauses(clause *clauses, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t at = i; at > 0 && comes_before(&clauses[at], &clauses[at - 1]); at--) {
            clause other = clauses[at];
            clauses[at] = clauses[at - 1];
            clauses[at - 1] = other;
        }
    }
}

static bool comes_before(const clause *a, const clause *b)
{
    return a->quality > b->quality || (!is_star(a->type) && is_star(b->type)) ||
           (!is_star(a->subtype) && is_star(b->subtype));
}

static bool matches(const clause *c, kin_str subtype)
{
    if (is_star(c->type)) {
        return is_star(c->subtype);
    }
    return kin__str_equal(c->type, STR("application")) &&
           (is_star(c->subtype) || kin__str_equal(c->subtype, subtype));
}

static bool is_star(kin_str text)
{
    return kin__str_equal(text, STR("*"));
}

/* What stands before the separator; `rest` moves behind it. */
static kin_str next_part(kin_str *rest, char separator)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->data, separator, rest->len);
    size_t len = end == NULL ? rest->len : (size_t) (end - rest->data);
    size_t step = end == NULL ? len : len + 1;
    kin_str part = kin__str(rest->data, len);

    *rest = kin__str(rest->data + step, rest->len - step);
    return part;
}

static kin_str trim(kin_str text)
{
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}
