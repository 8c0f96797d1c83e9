/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery.c - what the server says it serves.
 *
 * The shelf has groups, their versions and their resources in the right order; all that is written
 * here is one walk over it.
 */
#include "server/discovery.h"

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/str.h"
#include "json/writer.h"

static void write_group(const kin__shelf *shelf, size_t *index, kin__json_writer *w);
static size_t next_group(const kin__shelf *shelf, size_t index);
static void write_group_version(const kin__served *served, kin__json_writer *w);
static void write_resource(const kin__shelf *shelf, const kin__served *served, kin__json_writer *w);
static void write_hash(const kin__shelf *shelf, const kin__served *served, kin__json_writer *w);
static void write_subresource(const kin__served *served, const kin__served_sub *sub,
                              kin__json_writer *w);
static void discover_group(const kin__shelf *shelf, size_t *index, kin__json_writer *w);
static void discover_version(const kin__shelf *shelf, size_t *index, kin__json_writer *w);
static void discover_resource(const kin__served *served, kin__json_writer *w);
static void discover_subs(const kin__served *served, kin__json_writer *w);
static void write_kind(const kin__served *served, kin_str group, kin_str version, kin_str kind,
                       kin__json_writer *w);
static void write_verbs(uint32_t verbs, bool is_custom, kin__json_writer *w);
static void write_names(kin__json_writer *w, kin_str key, const char *const *names, size_t max);
static void write_text(kin__json_writer *w, kin_str key, kin_str text);
static bool is_of_version(const kin__served *served, kin_str group, kin_str version);

void kin__discovery_write_versions(kin_str address, kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_begin(&w, '{');
    write_text(&w, STR("kind"), STR("APIVersions"));
    kin__json_key(&w, STR("versions"));
    kin__json_raw(&w, STR("[\"v1\"]"));
    kin__json_key(&w, STR("serverAddressByClientCIDRs"));
    kin__json_begin(&w, '[');
    kin__json_begin(&w, '{');
    write_text(&w, STR("clientCIDR"), STR("0.0.0.0/0"));
    write_text(&w, STR("serverAddress"), address);
    kin__json_end(&w, '}');
    kin__json_end(&w, ']');
    kin__json_end(&w, '}');
}

void kin__discovery_write_groups(const kin__shelf *shelf, kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_begin(&w, '{');
    write_text(&w, STR("kind"), STR("APIGroupList"));
    write_text(&w, STR("apiVersion"), STR("v1"));
    kin__json_key(&w, STR("groups"));
    kin__json_begin(&w, '[');
    for (size_t i = 0; kin__shelf_at(shelf, i) != NULL;) {
        if (kin__shelf_at(shelf, i)->group.len == 0) {
            i++; /* the core is no group of /apis */
            continue;
        }
        kin__json_begin(&w, '{');
        write_group(shelf, &i, &w);
        kin__json_end(&w, '}');
    }
    kin__json_end(&w, ']');
    kin__json_end(&w, '}');
}

void kin__discovery_write_group(const kin__shelf *shelf, kin_str group, kin__buf *out)
{
    kin__json_writer w = { out, false };
    size_t index = 0;

    while (kin__shelf_at(shelf, index) != NULL &&
           !kin__str_equal(kin__shelf_at(shelf, index)->group, group)) {
        index++;
    }
    kin__json_begin(&w, '{');
    write_text(&w, STR("kind"), STR("APIGroup"));
    write_text(&w, STR("apiVersion"), STR("v1"));
    write_group(shelf, &index, &w);
    kin__json_end(&w, '}');
}

void kin__discovery_write_resources(const kin__shelf *shelf, kin_str group, kin_str version,
                                    kin__buf *out)
{
    kin__json_writer w = { out, false };
    bool has_begun = false;

    for (size_t i = 0; kin__shelf_at(shelf, i) != NULL; i++) {
        const kin__served *served = kin__shelf_at(shelf, i);
        if (!is_of_version(served, group, version)) {
            continue;
        }
        if (!has_begun) {
            kin__json_begin(&w, '{');
            write_text(&w, STR("kind"), STR("APIResourceList"));
            if (group.len > 0) {
                write_text(&w, STR("apiVersion"), STR("v1"));
            }
            write_text(&w, STR("groupVersion"), served->api_version);
            kin__json_key(&w, STR("resources"));
            kin__json_begin(&w, '[');
            has_begun = true;
        }
        write_resource(shelf, served, &w);
        for (const kin__served_sub *sub = served->subs; sub != NULL && sub->name != NULL; sub++) {
            write_subresource(served, sub, &w);
        }
    }
    if (has_begun) {
        kin__json_end(&w, ']');
        kin__json_end(&w, '}');
    }
}

void kin__discovery_write_all(const kin__shelf *shelf, bool is_core, kin__buf *out)
{
    kin__json_writer w = { out, false };

    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("metadata"));
    kin__json_raw(&w, STR("{}"));
    kin__json_key(&w, STR("items"));
    kin__json_begin(&w, '[');
    for (size_t i = 0; kin__shelf_at(shelf, i) != NULL;) {
        if ((kin__shelf_at(shelf, i)->group.len == 0) == is_core) {
            discover_group(shelf, &i, &w);
        } else {
            i = next_group(shelf, i);
        }
    }
    kin__json_end(&w, ']');
    kin__json_end(&w, '}');
}

/* name, versions and preferredVersion of the group at `*index`, which moves behind it. */
static void write_group(const kin__shelf *shelf, size_t *index, kin__json_writer *w)
{
    const kin__served *first = kin__shelf_at(shelf, *index);
    size_t end = first == NULL ? *index : next_group(shelf, *index);
    const kin__served *before = NULL;

    if (first == NULL) {
        return;
    }
    write_text(w, STR("name"), first->group);
    kin__json_key(w, STR("versions"));
    kin__json_begin(w, '[');
    for (size_t i = *index; i < end; i++) {
        const kin__served *served = kin__shelf_at(shelf, i);
        if (before == NULL || !kin__str_equal(before->version, served->version)) {
            write_group_version(served, w);
        }
        before = served;
    }
    kin__json_end(w, ']');
    kin__json_key(w, STR("preferredVersion"));
    write_group_version(first, w);
    *index = end;
}

static size_t next_group(const kin__shelf *shelf, size_t index)
{
    kin_str group = kin__shelf_at(shelf, index)->group;

    while (kin__shelf_at(shelf, index) != NULL &&
           kin__str_equal(kin__shelf_at(shelf, index)->group, group)) {
        index++;
    }
    return index;
}

static void write_group_version(const kin__served *served, kin__json_writer *w)
{
    kin__json_begin(w, '{');
    write_text(w, STR("groupVersion"), served->api_version);
    write_text(w, STR("version"), served->version);
    kin__json_end(w, '}');
}

static void write_resource(const kin__shelf *shelf, const kin__served *served, kin__json_writer *w)
{
    kin__json_begin(w, '{');
    write_text(w, STR("name"), served->resource);
    write_text(w, STR("singularName"), served->singular);
    kin__json_key(w, STR("namespaced"));
    kin__json_bool(w, served->is_namespaced);
    write_text(w, STR("kind"), served->kind);
    write_verbs(served->verbs, (served->traits & KIN__IS_CUSTOM) != 0, w);
    write_names(w, STR("shortNames"), served->short_names, KIN__SERVED_SHORT_NAMES);
    write_names(w, STR("categories"), served->categories, KIN__SERVED_CATEGORIES);
    write_hash(shelf, served, w);
    kin__json_end(w, '}');
}

/* Of custom resources it is made here: eight bytes of the SHA-256 of the stored kind's names. */
static void write_hash(const kin__shelf *shelf, const kin__served *served, kin__json_writer *w)
{
    const kin__served *stored = kin__shelf_stored(shelf, served);
    AUTO(kin__buf_fini) kin__buf names = { 0 };
    unsigned char digest[EVP_MAX_MD_SIZE];
    char hash[12];

    if (served->storage_hash[0] != '\0') {
        write_text(w, STR("storageVersionHash"), kin_str_of(served->storage_hash));
        return;
    }
    if (stored == NULL || (served->traits & KIN__IS_CUSTOM) == 0) {
        return;
    }
    (void) kin__buf_append_format(&names, "%s/%s", stored->api_version.data, stored->kind.data);
    if (kin__buf_failed(&names) ||
        EVP_Q_digest(NULL, "SHA256", NULL, names.data, names.len, digest, NULL) != 1) {
        w->buf->has_failed = true;
        return;
    }
    kin__base64_write(kin__str((const char *) digest, 8), hash);
    write_text(w, STR("storageVersionHash"), kin__str(hash, sizeof hash));
}

static void write_subresource(const kin__served *served, const kin__served_sub *sub,
                              kin__json_writer *w)
{
    kin__json_begin(w, '{');
    kin__json_key(w, STR("name"));
    kin__json_raw(w, STR("\""));
    (void) kin__buf_append_str(w->buf, served->resource);
    (void) kin__buf_append_format(w->buf, "/%s\"", sub->name);
    write_text(w, STR("singularName"), STR(""));
    kin__json_key(w, STR("namespaced"));
    kin__json_bool(w, served->is_namespaced);
    if (sub->version[0] != '\0') {
        write_text(w, STR("group"), kin_str_of(sub->group));
        write_text(w, STR("version"), kin_str_of(sub->version));
    }
    write_text(w, STR("kind"), sub->kind[0] == '\0' ? served->kind : kin_str_of(sub->kind));
    write_verbs(sub->verbs, false, w);
    kin__json_end(w, '}');
}

/* The group at `*index`, which moves behind it. */
static void discover_group(const kin__shelf *shelf, size_t *index, kin__json_writer *w)
{
    size_t end = next_group(shelf, *index);
    kin_str group = kin__shelf_at(shelf, *index)->group;

    kin__json_begin(w, '{');
    kin__json_key(w, STR("metadata"));
    kin__json_begin(w, '{');
    if (group.len > 0) {
        write_text(w, STR("name"), group);
    }
    kin__json_end(w, '}');
    kin__json_key(w, STR("versions"));
    kin__json_begin(w, '[');
    while (*index < end) {
        discover_version(shelf, index, w);
    }
    kin__json_end(w, ']');
    kin__json_end(w, '}');
}

static void discover_version(const kin__shelf *shelf, size_t *index, kin__json_writer *w)
{
    const kin__served *first = kin__shelf_at(shelf, *index);

    kin__json_begin(w, '{');
    write_text(w, STR("version"), first->version);
    kin__json_key(w, STR("resources"));
    kin__json_begin(w, '[');
    for (;; ++*index) {
        const kin__served *served = kin__shelf_at(shelf, *index);
        if (served == NULL || !is_of_version(served, first->group, first->version)) {
            break;
        }
        discover_resource(served, w);
    }
    kin__json_end(w, ']');
    write_text(w, STR("freshness"), STR("Current"));
    kin__json_end(w, '}');
}

static void discover_resource(const kin__served *served, kin__json_writer *w)
{
    kin__json_begin(w, '{');
    write_text(w, STR("resource"), served->resource);
    write_kind(served, STR(""), STR(""), served->kind, w);
    write_text(w, STR("scope"), served->is_namespaced ? STR("Namespaced") : STR("Cluster"));
    write_text(w, STR("singularResource"), served->singular);
    write_verbs(served->verbs, (served->traits & KIN__IS_CUSTOM) != 0, w);
    write_names(w, STR("shortNames"), served->short_names, KIN__SERVED_SHORT_NAMES);
    write_names(w, STR("categories"), served->categories, KIN__SERVED_CATEGORIES);
    if (served->subs != NULL && served->subs->name != NULL) {
        discover_subs(served, w);
    }
    kin__json_end(w, '}');
}

static void discover_subs(const kin__served *served, kin__json_writer *w)
{
    kin__json_key(w, STR("subresources"));
    kin__json_begin(w, '[');
    for (const kin__served_sub *sub = served->subs; sub->name != NULL; sub++) {
        kin__json_begin(w, '{');
        write_text(w, STR("subresource"), kin_str_of(sub->name));
        write_kind(served, kin_str_of(sub->group), kin_str_of(sub->version),
                   sub->kind[0] == '\0' ? served->kind : kin_str_of(sub->kind), w);
        write_verbs(sub->verbs, false, w);
        kin__json_end(w, '}');
    }
    kin__json_end(w, ']');
}

/* Empty texts mean the resource's own.  Those of built-in ones stay empty, custom ones tell. */
static void write_kind(const kin__served *served, kin_str group, kin_str version, kin_str kind,
                       kin__json_writer *w)
{
    if (version.len == 0 && (served->traits & KIN__IS_CUSTOM) != 0) {
        group = served->group;
        version = served->version;
    }
    kin__json_key(w, STR("responseKind"));
    kin__json_begin(w, '{');
    write_text(w, STR("group"), group);
    write_text(w, STR("version"), version);
    write_text(w, STR("kind"), kind);
    kin__json_end(w, '}');
}

/* By the alphabet; those of custom resources in the order of the controller that tells them. */
static void write_verbs(uint32_t verbs, bool is_custom, kin__json_writer *w)
{
    typedef struct row {
        uint32_t verb;
        const char *name;
    } row;
    enum { COUNT = 8 };
    static const row built_in[COUNT] = {
        { KIN__VERB_CREATE, "create" },
        { KIN__VERB_DELETE, "delete" },
        { KIN__VERB_DELETE_COLLECTION, "deletecollection" },
        { KIN__VERB_GET, "get" },
        { KIN__VERB_LIST, "list" },
        { KIN__VERB_PATCH, "patch" },
        { KIN__VERB_UPDATE, "update" },
        { KIN__VERB_WATCH, "watch" },
    };
    static const row custom[COUNT] = {
        { KIN__VERB_DELETE, "delete" }, { KIN__VERB_DELETE_COLLECTION, "deletecollection" },
        { KIN__VERB_GET, "get" },       { KIN__VERB_LIST, "list" },
        { KIN__VERB_PATCH, "patch" },   { KIN__VERB_CREATE, "create" },
        { KIN__VERB_UPDATE, "update" }, { KIN__VERB_WATCH, "watch" },
    };
    const row *rows = is_custom ? custom : built_in;

    kin__json_key(w, STR("verbs"));
    kin__json_begin(w, '[');
    for (size_t i = 0; i < COUNT; i++) {
        if ((verbs & rows[i].verb) != 0) {
            kin__json_string(w, kin_str_of(rows[i].name));
        }
    }
    kin__json_end(w, ']');
}

static void write_names(kin__json_writer *w, kin_str key, const char *const *names, size_t max)
{
    if (names[0] == NULL) {
        return;
    }
    kin__json_key(w, key);
    kin__json_begin(w, '[');
    for (size_t i = 0; i < max && names[i] != NULL; i++) {
        kin__json_string(w, kin_str_of(names[i]));
    }
    kin__json_end(w, ']');
}

static void write_text(kin__json_writer *w, kin_str key, kin_str text)
{
    kin__json_key(w, key);
    kin__json_string(w, text);
}

static bool is_of_version(const kin__served *served, kin_str group, kin_str version)
{
    return kin__str_equal(served->group, group) && kin__str_equal(served->version, version);
}
