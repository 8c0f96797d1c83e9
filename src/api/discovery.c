/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery.c - which requests find out what a server has, and what their answers say.
 *
 * A list of targets, asked in order: /api and /apis.  A root that answers in the old form puts the
 * versions it names behind itself, those of /api before /apis: so the catalogue comes out in the
 * same order either way.
 */
#include "api/discovery.h"

#include "api/discovery_document.h"
#include "api/media.h"
#include "api/status.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"

/* How much of a name a message quotes. */
#define QUOTED_MAX 253

/* A root is asked what there is; where it or a version of the core fails, all does. */
typedef enum target_kind { TARGET_ROOT, TARGET_CORE, TARGET_GROUP } target_kind;

typedef struct target {
    target_kind kind;
    char *path;    /* owned */
    kin_str group; /* both lie in `path`; empty for a root */
    kin_str version;
} target;

struct kin__discovery {
    kin__catalogue *catalogue; /* owned; NULL: taken */
    target *targets;           /* owned */
    size_t count;
    size_t capacity;
    size_t at;      /* the one to be asked */
    size_t next_at; /* where the next one that comes up goes */
    size_t groups;  /* how many versions of groups were asked for */
    size_t failed;  /* ... and failed */
    kin__buf missing;
    size_t missing_last; /* where the last name in it begins */
};

static kin_err read_answer(kin__discovery *discovery, int status, kin_str content_type,
                           kin_str body, kin_error *err);
static kin_err take_failure(kin__discovery *discovery, kin_error *err);
static kin_err on_resource(void *context, const kin__resource_facts *facts, kin_error *err);
static kin_err on_version(void *context, kin_str group, kin_str version, kin_error *err);
static kin_err on_stale(void *context, kin_str group, kin_str version, kin_error *err);
static kin_err put_target(kin__discovery *discovery, target_kind kind, kin_str group,
                          kin_str version, kin_error *err);
static kin_err make_target(target_kind kind, kin_str group, kin_str version, target *out,
                           kin_error *err);
static kin_err note_missing(kin__discovery *discovery, kin_str group, kin_str version,
                            const char *remark, kin_error *err);
static int quoted_len(kin_str text);

kin_err kin__discovery_new(kin__discovery **out, kin_error *err)
{
    AUTO(kin__discovery_free) kin__discovery *discovery = kin__alloc_zero(1, sizeof *discovery);

    if (discovery == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__catalogue_new(&discovery->catalogue, err) != KIN_OK ||
        put_target(discovery, TARGET_ROOT, STR("/api"), STR(""), err) != KIN_OK ||
        put_target(discovery, TARGET_ROOT, STR("/apis"), STR(""), err) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(discovery);
    return KIN_OK;
}

void kin__discovery_free(kin__discovery *discovery)
{
    if (discovery != NULL) {
        for (size_t i = 0; i < discovery->count; i++) {
            kin__free(discovery->targets[i].path);
        }
        kin__free(discovery->targets);
        kin__catalogue_free(discovery->catalogue);
        kin__buf_fini(&discovery->missing);
        kin__free(discovery);
    }
}

const char *kin__discovery_next(const kin__discovery *discovery)
{
    return discovery->at < discovery->count ? discovery->targets[discovery->at].path : NULL;
}

kin_err kin__discovery_answer(kin__discovery *discovery, int status, kin_str content_type,
                              kin_str body, kin_error *err)
{
    if (discovery->at >= discovery->count) {
        return kin__error_set(err, KIN_ERR_USAGE, "discovery: nothing was asked");
    }
    discovery->next_at = discovery->at + 1;
    if (read_answer(discovery, status, content_type, body, err) != KIN_OK &&
        take_failure(discovery, err) != KIN_OK) {
        return kin__error_prefix(err, "discovery of %s", discovery->targets[discovery->at].path);
    }
    discovery->at++;
    return KIN_OK;
}

kin__catalogue *kin__discovery_take(kin__discovery *discovery)
{
    return discovery->at < discovery->count ? NULL : STEAL(discovery->catalogue);
}

const char *kin__discovery_missing(const kin__discovery *discovery)
{
    return discovery->missing.len > 0 ? discovery->missing.data : "";
}

static kin_err read_answer(kin__discovery *discovery, int status, kin_str content_type,
                           kin_str body, kin_error *err)
{
    const target *asked = &discovery->targets[discovery->at];
    kin__discovery_sink sink = { discovery, on_resource, on_version, on_stale };

    discovery->groups += asked->kind == TARGET_GROUP;
    if (status != 200) {
        return kin__status_read(status, content_type, body, 0, NULL, err);
    }
    if (kin__media_of(content_type) != KIN__MEDIA_JSON) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "expected JSON, found \"%.*s\"",
                              quoted_len(content_type), content_type.data);
    }
    return asked->kind == TARGET_ROOT
               ? kin__discovery_read_root(body, &sink, err)
               : kin__discovery_read_version(body, asked->group, asked->version, &sink, err);
}

/* A group may fail, if not all of them do. */
static kin_err take_failure(kin__discovery *discovery, kin_error *err)
{
    const target *asked = &discovery->targets[discovery->at];
    kin_error failure = *err;
    bool is_last = discovery->at + 1 == discovery->count;

    if (asked->kind != TARGET_GROUP || err->code == KIN_ERR_NO_MEMORY) {
        return err->code;
    }
    discovery->failed++;
    if (note_missing(discovery, asked->group, asked->version, "", err) != KIN_OK) {
        return err->code;
    }
    if (is_last && discovery->failed == discovery->groups) {
        *err = failure;
        return err->code;
    }
    return KIN_OK;
}

/* A resource that has no proper name is left out, and its version is named as missing. */
static kin_err on_resource(void *context, const kin__resource_facts *facts, kin_error *err)
{
    kin__discovery *discovery = context;
    AUTO(kin_resource_unref) const kin_resource *resource = NULL;
    kin_resource *made;

    if (kin__resource_make(facts, &made, err) != KIN_OK) {
        return err->code == KIN_ERR_MALFORMED
                   ? note_missing(discovery, facts->group, facts->version, "", err)
                   : err->code;
    }
    resource = made;
    return kin__catalogue_add(discovery->catalogue, resource, err);
}

static kin_err on_version(void *context, kin_str group, kin_str version, kin_error *err)
{
    kin__discovery *discovery = context;
    bool is_core = group.len == 0;

    if ((!is_core && !kin__resource_is_name(group)) || !kin__resource_is_name(version)) {
        return note_missing(discovery, group, version, "", err);
    }
    return put_target(discovery, is_core ? TARGET_CORE : TARGET_GROUP, group, version, err);
}

static kin_err on_stale(void *context, kin_str group, kin_str version, kin_error *err)
{
    return note_missing(context, group, version, " (stale)", err);
}

/* Behind the one at hand and those it has brought up already. */
static kin_err put_target(kin__discovery *discovery, target_kind kind, kin_str group,
                          kin_str version, kin_error *err)
{
    target made;

    if (discovery->count == KIN__DISCOVERY_TARGETS_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "more than %d versions of groups",
                              KIN__DISCOVERY_TARGETS_MAX);
    }
    if (discovery->count == discovery->capacity) {
        size_t capacity = discovery->capacity == 0 ? 32 : discovery->capacity * 2;
        target *grown = kin__realloc(discovery->targets, capacity * sizeof *grown);
        if (grown == NULL) {
            return kin__error_no_memory(err);
        }
        discovery->targets = grown;
        discovery->capacity = capacity;
    }
    if (make_target(kind, group, version, &made, err) != KIN_OK) {
        return err->code;
    }
    target *place = &discovery->targets[discovery->next_at];
    memmove(place + 1, place, (discovery->count - discovery->next_at) * sizeof *place);
    *place = made;
    discovery->next_at++;
    discovery->count++;
    return KIN_OK;
}

/* Of a root `group` is the path. */
static kin_err make_target(target_kind kind, kin_str group, kin_str version, target *out,
                           kin_error *err)
{
    static const char *const openings[] = { "", "/api", "/apis/" };
    AUTO(kin__buf_fini) kin__buf path = { 0 };
    size_t opening = strlen(openings[kind]);
    size_t len;

    kin__buf_append_format(&path, "%s%.*s%s%.*s", openings[kind], KIN_STR_ARG(group),
                           kind == TARGET_ROOT ? "" : "/", KIN_STR_ARG(version));
    if (kin__buf_take(&path, &out->path, &len, err) != KIN_OK) {
        return err->code;
    }
    out->kind = kind;
    out->group = kin__str(out->path + opening, kind == TARGET_GROUP ? group.len : 0);
    out->version = kin__str(out->path + len - version.len, version.len);
    return KIN_OK;
}

/* Once, when it is the one that was named last. */
static kin_err note_missing(kin__discovery *discovery, kin_str group, kin_str version,
                            const char *remark, kin_error *err)
{
    kin__buf *missing = &discovery->missing;
    AUTO(kin__buf_fini) kin__buf name = { 0 };

    kin__buf_append_format(&name, "%.*s%s%.*s%s", quoted_len(group), group.data,
                           group.len > 0 ? "/" : "", quoted_len(version), version.data, remark);
    if (kin__buf_failed(&name) || !kin__buf_append_byte(&name, '\0')) {
        return kin__error_no_memory(err);
    }
    kin__utf8_clean_line(name.data);
    if (missing->len > 0 && strcmp(missing->data + discovery->missing_last, name.data) == 0) {
        return KIN_OK;
    }
    if (!kin__buf_reserve(missing, name.len + 2)) {
        return kin__error_no_memory(err);
    }
    if (missing->len > 0) {
        missing->len--;
        kin__buf_append(missing, ", ", 2);
    }
    discovery->missing_last = missing->len;
    kin__buf_append(missing, name.data, strlen(name.data) + 1);
    return KIN_OK;
}

static int quoted_len(kin_str text)
{
    return (int) (text.len < QUOTED_MAX ? text.len : QUOTED_MAX);
}
