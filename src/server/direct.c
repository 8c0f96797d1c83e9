/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct.c - objects put and removed without a request.
 */
#include "server/direct.h"

#include "json/scanner.h"
#include "server/conversion.h"
#include "server/custom.h"
#include "server/field.h"
#include "server/namespaces.h"
#include "server/write.h"

static bool refuse_kind(kin_str api_version, kin_str kind, kin__refusal *no);
static bool put(kin__write *write, uint64_t *out_revision, kin__refusal *no);

bool kin__put_direct(kin__engine *engine, kin_str json, uint64_t *out_revision, kin__refusal *no)
{
    kin_error err;

    if (kin__json_check(json, &err) != KIN_OK) {
        return kin__refuse_bad_request(no, "%s", err.message);
    }
    return kin__put_checked(engine, json, out_revision, no);
}

bool kin__put_checked(kin__engine *engine, kin_str json, uint64_t *out_revision, kin__refusal *no)
{
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__write_fini) kin__write write = { 0 };

    /* Both are written without escapes by everybody. */
    kin__json object = kin__json_of(json);
    kin_str api_version = kin__json_raw_string(kin__json_member(object, STR("apiVersion")));
    kin_str kind = kin__json_raw_string(kin__json_member(object, STR("kind")));
    if (api_version.len == 0 || kind.len == 0) {
        return kin__refuse_bad_request(no, "an object needs apiVersion and kind");
    }
    kin__served *served = kin__shelf_find_kind(engine->shelf, api_version, kind);
    if (served == NULL || served->collection == NULL) {
        return refuse_kind(api_version, kind, no);
    }
    const kin__codec_kind as = kin__codec_kind_of(served);
    const kin__codec_body body = { json, false, KIN__FIELDS_IGNORE };
    kin__write_init(&write, engine, served);
    write.is_direct = true;
    return kin__codec_decode(&as, &body, &write.object, &warnings, no) &&
           kin__custom_prune(&write, write.object, KIN__FIELDS_IGNORE, &warnings, no) &&
           (kin__convert_to_stored(served, write.object) || kin__refuse_no_memory(no)) &&
           put(&write, out_revision, no);
}

bool kin__remove_direct(kin__engine *engine, kin_str api_version, kin_str kind, kin_str ns,
                        kin_str name, uint64_t *out_revision, kin__refusal *no)
{
    kin__served *served = kin__shelf_find_kind(engine->shelf, api_version, kind);
    AUTO(kin__write_fini) kin__write write = { 0 };

    if (served == NULL || served->collection == NULL) {
        return refuse_kind(api_version, kind, no);
    }
    kin__write_init(&write, engine, served);
    if (!kin__write_load(&write, ns, name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, served, name);
    }
    if (!kin__write_remove(&write, 0, NULL, no)) {
        return false;
    }
    *out_revision = kin__storage_revision(engine->storage);
    return true;
}

static bool refuse_kind(kin_str api_version, kin_str kind, kin__refusal *no)
{
    return kin__refuse(no, 404, "NotFound", "no kind %.*s of %.*s is served", KIN_STR_ARG(kind),
                       KIN_STR_ARG(api_version));
}

static bool put(kin__write *write, uint64_t *out_revision, kin__refusal *no)
{
    const kin__node *metadata = kin__field(write->object, "metadata");
    AUTO(kin__record_unref) kin__record *after = NULL;
    kin_str name = kin__field_text(metadata, "name");
    kin_str ns = kin__field_text(metadata, "namespace");

    if (write->served->is_namespaced && ns.len == 0) {
        ns = STR("default");
    }
    if (!kin__write_match(write, ns, STR(""), no) ||
        (write->served->is_namespaced && !kin__namespace_make(write->engine, ns, no)) ||
        (name.len > 0 && !kin__write_load(write, ns, name, no))) {
        return false;
    }
    if (!(write->before == NULL ? kin__create(write, &after, no)
                                : kin__update(write, &after, no))) {
        return false;
    }
    *out_revision = after->revision;
    return true;
}
