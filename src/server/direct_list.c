/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct_list.c - the items of a list, put one after the other from where they lie.
 */
#include "server/direct_list.h"

#include "base/str.h"
#include "json/cursor.h"
#include "json/scanner.h"
#include "server/direct.h"

/* What items that do not say their kind are. */
typedef struct list_kind {
    kin_str api_version; /* raw, between its quotes */
    kin_str kind;        /* raw, less "List" */
} list_kind;

static list_kind kind_of(kin__json list);
static bool put_item(kin__engine *engine, const list_kind *kind, kin__json item, kin__buf *scratch,
                     uint64_t *out_revision, kin__refusal *no);
static bool name_item(size_t number, kin__refusal *no);

bool kin__put_list_direct(kin__engine *engine, kin_str json, uint64_t *out_revision,
                          kin__refusal *no)
{
    kin__json list = kin__json_of(json);
    AUTO(kin__buf_fini) kin__buf scratch = { 0 };
    kin_error err;

    if (kin__json_check(json, &err)) {
        return kin__refuse_bad_request(no, "%s", err.message);
    }
    kin__json items = kin__json_member(list, STR("items"));
    list_kind kind = kind_of(list);
    if (kin__json_type(items) != KIN_TYPE_ARRAY) {
        return kin__refuse_bad_request(no, "not a list: it has no items");
    }
    uint64_t newest = 0;
    uint64_t revision = 0;
    kin__json_iter iter = kin__json_walk(items);
    for (size_t i = 0; kin__json_next(&iter); i++) {
        if (!put_item(engine, &kind, iter.value, &scratch, &revision, no)) {
            return name_item(i, no);
        }
        newest = revision > newest ? revision : newest;
    }
    *out_revision = newest == 0 ? kin__storage_revision(engine->storage) : newest;
    return true;
}

static list_kind kind_of(kin__json list)
{
    list_kind out = { kin__json_raw_string(kin__json_member(list, STR("apiVersion"))),
                      kin__json_raw_string(kin__json_member(list, STR("kind"))) };

    out.kind.len = out.kind.len > 4 ? out.kind.len - 4 : 0;
    return out;
}

static bool put_item(kin__engine *engine, const list_kind *kind, kin__json item, kin__buf *scratch,
                     uint64_t *out_revision, kin__refusal *no)
{
    kin_str text = kin__json_text(item);
    bool has_kind = kin__json_type(kin__json_member(item, STR("kind"))) == KIN_TYPE_STRING;

    if (has_kind || kin__json_type(item) != KIN_TYPE_OBJECT || kind->kind.len == 0) {
        return kin__put_checked(engine, text, out_revision, no);
    }
    kin__buf_clear(scratch);
    bool is_empty = kin__str_equal(text, STR("{}"));
    if (!kin__buf_append_format(scratch, "{\"apiVersion\":\"%.*s\",\"kind\":\"%.*s\"%s",
                                KIN_STR_ARG(kind->api_version), KIN_STR_ARG(kind->kind),
                                is_empty ? "" : ",") ||
        !kin__buf_append(scratch, text.data + 1, text.len - 1)) {
        return kin__refuse_no_memory(no);
    }
    return kin__put_checked(engine, kin__str(scratch->data, scratch->len), out_revision, no);
}

/* False, as it must be. */
static bool name_item(size_t number, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf message = { 0 };

    if (kin__buf_append_format(&message, "items[%zu]: %.*s", number, (int) no->message.len,
                               no->message.len == 0 ? "" : no->message.data)) {
        kin__buf other = no->message;
        no->message = message;
        message = other;
    }
    return false;
}
