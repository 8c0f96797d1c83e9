/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - comparing two trees and writing what differs.
 *
 * The patch is written as the trees are walked.  Whether anything differs inside two objects is
 * known only at their end; when nothing did, what was written for them is taken back.  So each
 * value is looked at once.  The walk recurses with the depth of the trees, 1,000 at most, in frames
 * of 200 bytes a level (gcc 12, -O2).
 */
#include "object/patch.h"

#include "base/str.h"

typedef struct patch {
    kin__json_writer w;
    bool replaces_array;
} patch;

/* Members that are not compared. */
typedef struct except {
    const kin__patch_demand *names;
    size_t count;
} except;

static void write_metadata(patch *p, const kin__node *before, const kin__node *after,
                           except demands);
static void write_changes(patch *p, const kin__node *before, const kin__node *after, except apart);
static bool is_apart(except apart, kin_str name);
static void write_change(patch *p, kin_str name, const kin__node *before, const kin__node *after);
static void write_object_change(patch *p, kin_str name, const kin__node *before,
                                const kin__node *after);
static bool has_type(const kin__node *node, kin_type type);

bool kin__patch_append(const kin__node *before, const kin__node *after,
                       const kin__patch_demand *demands, size_t demand_count, kin__buf *buf,
                       bool *out_replaces_array)
{
    const kin__patch_demand metadata = { .name = STR("metadata") };
    patch p = { .w = { buf, false } };

    kin__json_begin(&p.w, '{');
    if (demand_count == 0) {
        write_changes(&p, before, after, (except){ 0 });
    } else {
        write_metadata(&p, kin__node_member(before, metadata.name),
                       kin__node_member(after, metadata.name), (except){ demands, demand_count });
        write_changes(&p, before, after, (except){ &metadata, 1 });
    }
    kin__json_end(&p.w, '}');
    *out_replaces_array = p.replaces_array;
    return !kin__buf_failed(buf);
}

/* Metadata that is gone, or no object any more, gives up each of its members: the demands need it
 * to be an object. */
static void write_metadata(patch *p, const kin__node *before, const kin__node *after,
                           except demands)
{
    kin__json_key(&p->w, STR("metadata"));
    kin__json_begin(&p->w, '{');
    for (size_t i = 0; i < demands.count; i++) {
        kin__json_key(&p->w, demands.names[i].name);
        kin__json_string(&p->w, demands.names[i].value);
    }
    write_changes(p, has_type(before, KIN_TYPE_OBJECT) ? before : NULL,
                  has_type(after, KIN_TYPE_OBJECT) ? after : NULL, demands);
    kin__json_end(&p->w, '}');
}

/* Between two objects; NULL is one without members. */
static void write_changes(patch *p, const kin__node *before, const kin__node *after, except apart)
{
    kin__node_iter now = { 0 };
    kin__node_iter then = { 0 };

    while (after != NULL && kin__node_next(after, &now)) {
        const kin__node *old = before == NULL ? NULL : kin__node_member(before, now.name);
        if (!is_apart(apart, now.name)) {
            write_change(p, now.name, old, now.value);
        }
    }
    while (before != NULL && kin__node_next(before, &then)) {
        bool is_gone = after == NULL || kin__node_member(after, then.name) == NULL;
        if (is_gone && !is_apart(apart, then.name)) {
            kin__json_key(&p->w, then.name);
            kin__json_null(&p->w);
        }
    }
}

static bool is_apart(except apart, kin_str name)
{
    for (size_t i = 0; i < apart.count; i++) {
        if (kin__str_equal(apart.names[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* `before` is NULL for a member that was not there. */
static void write_change(patch *p, kin_str name, const kin__node *before, const kin__node *after)
{
    if (has_type(before, KIN_TYPE_OBJECT) && has_type(after, KIN_TYPE_OBJECT)) {
        write_object_change(p, name, before, after);
        return;
    }
    if (before != NULL && kin__node_equal(before, after)) {
        return;
    }
    if (has_type(before, KIN_TYPE_ARRAY) && has_type(after, KIN_TYPE_ARRAY)) {
        p->replaces_array = true;
    }
    kin__json_key(&p->w, name);
    kin__node_write(after, &p->w);
}

static void write_object_change(patch *p, kin_str name, const kin__node *before,
                                const kin__node *after)
{
    patch start = *p;
    size_t start_len = p->w.buf->len;

    kin__json_key(&p->w, name);
    kin__json_begin(&p->w, '{');
    size_t inner_len = p->w.buf->len;
    write_changes(p, before, after, (except){ 0 });
    if (p->w.buf->len == inner_len) {
        p->w.buf->len = start_len;
        *p = start;
        return;
    }
    kin__json_end(&p->w, '}');
}

static bool has_type(const kin__node *node, kin_type type)
{
    return node != NULL && kin__node_type(node) == type;
}
