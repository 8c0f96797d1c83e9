/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_document.c - what the documents of discovery say.
 *
 * A document is checked as a whole and then walked with the cursor.  Strings are taken as they are
 * written: no name has escapes, and one that has is no name.
 */
#include "api/discovery_document.h"

#include "base/error.h"
#include "base/str.h"
#include "json/cursor.h"
#include "json/scanner.h"

#define QUOTED_MAX 64

/* The words of a list of strings. */
typedef struct words {
    size_t count;
    kin_str at[KIN__DISCOVERY_WORDS_MAX];
} words;

/* A version and what it belongs to, as they are walked. */
typedef struct place {
    const kin__discovery_sink *sink;
    kin_str group;
    kin_str version;
    kin_error *err;
} place;

static kin_err open_document(kin_str body, kin__json *out, kin_str *out_kind, kin_error *err);
static kin_err unexpected_kind(kin_str kind, kin_error *err);
static kin_err read_aggregated(kin__json list, place *at);
static kin_err read_aggregated_version(kin__json version, place *at);
static kin_err read_aggregated_resource(kin__json resource, const place *at);
static kin_err read_core_versions(kin__json document, place *at);
static kin_err read_groups(kin__json list, place *at);
static kin_err read_group(kin__json group, place *at);
static kin_err read_resource(kin__json resource, const place *at);
static kin_err tell(const place *at, kin__resource_facts *facts, kin__json resource);
static kin_str text_of(kin__json object, const char *name);
static void read_words(kin__json list, words *out);

kin_err kin__discovery_read_root(kin_str body, const kin__discovery_sink *sink, kin_error *err)
{
    place at = { .sink = sink, .err = err };
    kin__json document;
    kin_str kind = { NULL, 0 };

    if (open_document(body, &document, &kind, err) != KIN_OK) {
        return err->code;
    }
    if (kin__str_equal(kind, STR("APIGroupDiscoveryList"))) {
        return read_aggregated(document, &at);
    }
    if (kin__str_equal(kind, STR("APIVersions"))) {
        return read_core_versions(document, &at);
    }
    if (kin__str_equal(kind, STR("APIGroupList"))) {
        return read_groups(document, &at);
    }
    return unexpected_kind(kind, err);
}

kin_err kin__discovery_read_version(kin_str body, kin_str group, kin_str version,
                                    const kin__discovery_sink *sink, kin_error *err)
{
    place at = { .sink = sink, .group = group, .version = version, .err = err };
    kin__json document;
    kin_str kind = { NULL, 0 };

    if (open_document(body, &document, &kind, err) != KIN_OK) {
        return err->code;
    }
    if (!kin__str_equal(kind, STR("APIResourceList"))) {
        return unexpected_kind(kind, err);
    }
    kin__json_iter resource = kin__json_walk(kin__json_member(document, STR("resources")));
    while (kin__json_next(&resource)) {
        if (read_resource(resource.value, &at) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

static kin_err open_document(kin_str body, kin__json *out, kin_str *out_kind, kin_error *err)
{
    if (kin__json_check(body, err) != KIN_OK) {
        return err->code;
    }
    *out = kin__json_of(body);
    *out_kind = text_of(*out, "kind");
    return KIN_OK;
}

static kin_err unexpected_kind(kin_str kind, kin_error *err)
{
    int quoted = (int) (kind.len < QUOTED_MAX ? kind.len : QUOTED_MAX);

    return kin__error_set(err, KIN_ERR_MALFORMED, "unexpected kind \"%.*s\"", quoted, kind.data);
}

static kin_err read_aggregated(kin__json list, place *at)
{
    kin__json_iter item = kin__json_walk(kin__json_member(list, STR("items")));

    while (kin__json_next(&item)) {
        kin__json_iter version = kin__json_walk(kin__json_member(item.value, STR("versions")));
        at->group = text_of(kin__json_member(item.value, STR("metadata")), "name");
        while (kin__json_next(&version)) {
            if (read_aggregated_version(version.value, at) != KIN_OK) {
                return at->err->code;
            }
        }
    }
    return KIN_OK;
}

static kin_err read_aggregated_version(kin__json version, place *at)
{
    kin__json_iter resource = kin__json_walk(kin__json_member(version, STR("resources")));

    at->version = text_of(version, "version");
    while (kin__json_next(&resource)) {
        if (read_aggregated_resource(resource.value, at) != KIN_OK) {
            return at->err->code;
        }
    }
    if (kin__str_equal(text_of(version, "freshness"), STR("Stale"))) {
        return at->sink->on_stale(at->sink->context, at->group, at->version, at->err);
    }
    return KIN_OK;
}

/* One without a kind is there only for its subresources. */
static kin_err read_aggregated_resource(kin__json resource, const place *at)
{
    kin__resource_facts facts = {
        .name = text_of(resource, "resource"),
        .kind = text_of(kin__json_member(resource, STR("responseKind")), "kind"),
        .singular = text_of(resource, "singularResource"),
        .is_namespaced = kin__str_equal(text_of(resource, "scope"), STR("Namespaced")),
    };

    return tell(at, &facts, resource);
}

static kin_err read_core_versions(kin__json document, place *at)
{
    kin__json_iter version = kin__json_walk(kin__json_member(document, STR("versions")));

    while (kin__json_next(&version)) {
        kin_str name = kin__json_raw_string(version.value);
        if (at->sink->on_version(at->sink->context, STR(""), name, at->err) != KIN_OK) {
            return at->err->code;
        }
    }
    return KIN_OK;
}

static kin_err read_groups(kin__json list, place *at)
{
    kin__json_iter group = kin__json_walk(kin__json_member(list, STR("groups")));

    while (kin__json_next(&group)) {
        if (read_group(group.value, at) != KIN_OK) {
            return at->err->code;
        }
    }
    return KIN_OK;
}

static kin_err read_group(kin__json group, place *at)
{
    const kin__discovery_sink *sink = at->sink;
    kin__json_iter version = kin__json_walk(kin__json_member(group, STR("versions")));
    kin_str name = text_of(group, "name");
    kin_str preferred = text_of(kin__json_member(group, STR("preferredVersion")), "version");

    if (preferred.len > 0 && sink->on_version(sink->context, name, preferred, at->err) != KIN_OK) {
        return at->err->code;
    }
    while (kin__json_next(&version)) {
        kin_str other = text_of(version.value, "version");
        if (!kin__str_equal(other, preferred) &&
            sink->on_version(sink->context, name, other, at->err) != KIN_OK) {
            return at->err->code;
        }
    }
    return KIN_OK;
}

static kin_err read_resource(kin__json resource, const place *at)
{
    kin__resource_facts facts = {
        .name = text_of(resource, "name"),
        .kind = text_of(resource, "kind"),
        .singular = text_of(resource, "singularName"),
        .is_namespaced = kin__str_equal(
            kin__json_text(kin__json_member(resource, STR("namespaced"))), STR("true")),
    };

    if (facts.name.len > 0 && memchr(facts.name.data, '/', facts.name.len) != NULL) {
        return KIN_OK; /* "pods/status" */
    }
    return tell(at, &facts, resource);
}

/* With what both forms call the same. */
static kin_err tell(const place *at, kin__resource_facts *facts, kin__json resource)
{
    words verbs;
    words short_names;

    if (facts->name.len == 0 || facts->kind.len == 0) {
        return KIN_OK;
    }
    read_words(kin__json_member(resource, STR("verbs")), &verbs);
    read_words(kin__json_member(resource, STR("shortNames")), &short_names);
    facts->group = at->group;
    facts->version = at->version;
    facts->verbs = verbs.at;
    facts->verb_count = verbs.count;
    facts->short_names = short_names.at;
    facts->short_name_count = short_names.count;
    return at->sink->on_resource(at->sink->context, facts, at->err);
}

static kin_str text_of(kin__json object, const char *name)
{
    return kin__json_raw_string(kin__json_member(object, kin_str_of(name)));
}

static void read_words(kin__json list, words *out)
{
    kin__json_iter word = kin__json_walk(list);

    out->count = 0;
    while (out->count < KIN__DISCOVERY_WORDS_MAX && kin__json_next(&word)) {
        kin_str text = kin__json_raw_string(word.value);
        if (text.len > 0) {
            out->at[out->count++] = text;
        }
    }
}
