/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_source.c - a token or PEM file that is read again when it changes.
 *
 * The state is taken before the file is read, and kept only when that went well: what changes in
 * between, or is whole only later, is seen the next time.
 */
#include "config/file_source.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "config/check.h"

static bool is_due(const kin__file_source *source, int64_t now_ms);
static kin_err look(kin__file_source *source, bool *out_changed, kin_error *err);
static kin_err take(kin__file_source *source, bool *out_changed, kin_error *err);
static kin_err check_content(const kin__file_source *source, kin_str content, kin_error *err);
static bool is_same_state(const kin__file_state *a, const kin__file_state *b);
static kin_str trim(kin_str text);

void kin__file_source_init(kin__file_source *source, const kin__machine *machine,
                           kin__file_kind kind, const char *what, const char *path)
{
    *source = (kin__file_source){ .machine = machine, .kind = kind, .what = what, .path = path };
}

void kin__file_source_fini(kin__file_source *source)
{
    kin__vault_fini(&source->vault);
    source->path = NULL;
}

kin_err kin__file_source_refresh(kin__file_source *source, int64_t now_ms, bool *out_changed,
                                 kin_error *err)
{
    bool is_changed = false;

    if (source->path != NULL && is_due(source, now_ms)) {
        kin_err code = look(source, &is_changed, err);
        source->is_failing = code != KIN_OK;
        source->is_stale = false;
        source->tried_ms = now_ms;
        if (code != KIN_OK) {
            return kin__error_prefix(err, "%s \"%s\"", source->what, source->path);
        }
    }
    *out_changed = is_changed;
    return KIN_OK;
}

void kin__file_source_expire(kin__file_source *source)
{
    source->is_stale = true;
}

static bool is_due(const kin__file_source *source, int64_t now_ms)
{
    int64_t pause_ms = source->is_failing                ? KIN__FAILED_FILE_MS
                       : source->kind == KIN__FILE_TOKEN ? KIN__TOKEN_FILE_MS
                                                         : KIN__PEM_FILE_MS;

    return !source->has_content || source->is_stale || now_ms - source->tried_ms >= pause_ms;
}

static kin_err look(kin__file_source *source, bool *out_changed, kin_error *err)
{
    kin__file_state state;

    if (kin__machine_state(source->machine, source->path, &state, err) != KIN_OK) {
        return err->code;
    }
    if (!state.is_regular) {
        return kin__error_set(err, KIN_ERR_SYSTEM, "not a regular file");
    }
    bool needs_reading = !source->has_content || source->is_stale ||
                         source->kind == KIN__FILE_TOKEN || !is_same_state(&state, &source->state);
    if (needs_reading && take(source, out_changed, err) != KIN_OK) {
        return err->code;
    }
    source->state = state;
    return KIN_OK;
}

static kin_err take(kin__file_source *source, bool *out_changed, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin_str content;

    if (kin__machine_read(source->machine, source->path, KIN__FILE_BYTES_MAX, &vault, &content,
                          err) != KIN_OK) {
        return err->code;
    }
    if (source->kind == KIN__FILE_TOKEN) {
        content = trim(content);
        ((char *) (uintptr_t) content.data)[content.len] = '\0'; /* white space, or the end */
    }
    if (check_content(source, content, err) != KIN_OK) {
        return err->code;
    }
    if (source->has_content && kin__str_equal(content, source->content)) {
        return KIN_OK;
    }
    kin__vault_fini(&source->vault);
    kin__vault_move(&source->vault, &vault);
    source->content = content;
    source->has_content = true;
    *out_changed = true;
    return KIN_OK;
}

static kin_err check_content(const kin__file_source *source, kin_str content, kin_error *err)
{
    if (content.len == 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "it is empty");
    }
    if (source->kind == KIN__FILE_TOKEN && !kin__is_header_value(content)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "a line break or control character is in it");
    }
    if (source->kind == KIN__FILE_PEM && !kin__is_pem(content)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "it is no PEM");
    }
    return KIN_OK;
}

static bool is_same_state(const kin__file_state *a, const kin__file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

static kin_str trim(kin_str text)
{
    static const char spaces[] = " \t\r\n\v\f";

    while (text.len != 0 && memchr(spaces, text.data[text.len - 1], sizeof spaces - 1) != NULL) {
        text.len--;
    }
    while (text.len != 0 && memchr(spaces, text.data[0], sizeof spaces - 1) != NULL) {
        text = kin__str(text.data + 1, text.len - 1);
    }
    return text;
}
