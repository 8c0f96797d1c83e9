/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - one walk over an item's index.
 *
 * The index holds the places of the item's tokens down to some depth.  What lies between two of
 * them is known without looking: a string or scalar ends before the next token, less white space,
 * and a container whose inside is of no interest ends where the brackets balance.
 *
 * The walk goes into the item itself, its metadata, its labels, and where the mask has something
 * to say below; all else it steps over.  What the mask leaves out is neither looked at nor
 * checked.  Recursion goes as deep as a path of the mask is long.
 */
#include "object/find.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "json/string.h"
#include "object/few.h"
#include "object/finder.h"
#include "object/mask.h"
#include "object/object.h"

/* A container that is walked. */
typedef struct level {
    kin__find_scope scope;
    const kin__mask_node *node; /* what the mask says here; NULL: all of it stays */
    bool in_array;              /* it is one, or lies inside one */
    bool in_managed;            /* it is metadata.managedFields, or lies inside */
} level;

static kin_err walk(kin__finder *f, const level *here);
static kin_err visit(kin__finder *f, const level *here, const kin__find_member *member,
                     const kin__mask_node *below);
static void read_member(kin__finder *f, bool is_object, kin__find_member *out);
static kin__mask_verdict judge(const kin__finder *f, const level *here, bool is_object,
                               const kin__find_member *member, const kin__mask_node **out_below);
static kin_err cut_member(kin__finder *f, uint32_t start, uint32_t comma, bool has_kept);
static void note_cut(kin__finder *f, const level *here, const kin__find_member *member);
static void skip_value(kin__finder *f);
static void note_top(kin__finder *f, const kin__find_member *member);
static void order_labels(kin__found *found, const kin__json_item *item);
static int compare_labels(const void *context, const void *a, const void *b);
static bool is_close(char token);

/* What compare_labels() needs. */
typedef struct label_context {
    const kin__found *found;
    const kin__json_item *item;
} label_context;

kin_err kin__find(const kin__json_item *item, const kin_object_options *options, kin__found *found,
                  kin_error *err)
{
    const kin_mask *mask = options != NULL ? options->mask : NULL;

    *found = (kin__found){ .label_capacity = KIN__FOUND_LABELS_FEW };
    found->labels = found->few_labels;
    kin__cuts_init(&found->cuts);
    found->metadata.creation = KIN__NO_TIME;
    found->metadata.deletion = KIN__NO_TIME;

    kin__finder f = { .item = item, .mask = mask, .found = found, .err = err };
    f.needs_name = options == NULL || !options->allows_no_name;
    found->begin = kin__finder_place(&f);
    if (kin__finder_token(&f) != '{') {
        return kin__find_wrong_type(&f, "object", "an object");
    }
    level root = { .scope = KIN__FIND_ROOT, .node = mask != NULL ? mask->root : NULL };
    if (walk(&f, &root) != KIN_OK) {
        return err->code;
    }
    assert(f.at == item->place_count);
    found->end = item->places[f.at - 1] + 1;
    if (found->has_odd_top) {
        found->top_count = 0;
    }
    order_labels(found, item);
    return kin__find_check(&f);
}

void kin__found_fini(kin__found *found)
{
    kin__few_free(found->labels, found->few_labels);
    kin__cuts_fini(&found->cuts);
    kin__buf_fini(&found->decoded);
}

kin_str kin__found_text(const kin__found *found, const kin__json_item *item,
                        const kin__found_str *str)
{
    return str->decoded != 0 ? kin__str(found->decoded.data + str->decoded - 1, str->len)
                             : kin__str(item->bytes.data + str->place, str->len);
}

/* From the opening bracket to just after the closing one. */
static kin_err walk(kin__finder *f, const level *here)
{
    bool is_object = kin__finder_token(f) == '{';
    bool has_kept = false;
    uint32_t comma = 0;

    f->at++;
    while (!is_close(kin__finder_token(f))) {
        const kin__mask_node *below = NULL;
        kin__find_member member;
        kin_err code;
        read_member(f, is_object, &member);
        if (judge(f, here, is_object, &member, &below) == KIN__MASK_NOTHING) {
            note_cut(f, here, &member);
            skip_value(f);
            code = cut_member(f, member.start, comma, has_kept);
        } else {
            has_kept = true;
            code = visit(f, here, &member, below);
        }
        if (code != KIN_OK) {
            return code;
        }
        if (kin__finder_token(f) == ',') {
            comma = kin__finder_place(f);
            f->at++;
        }
    }
    f->at++;
    return KIN_OK;
}

/* A member or element that stays: to just after its value. */
static kin_err visit(kin__finder *f, const level *here, const kin__find_member *member,
                     const kin__mask_node *below)
{
    level inner = { .scope = KIN__FIND_ELSEWHERE, .node = below };

    inner.in_array = here->in_array || kin__finder_token(f) == '[';
    inner.in_managed = here->in_managed || (here->scope == KIN__FIND_METADATA &&
                                            kin__find_is_key(member, STR("managedFields")));
    if (here->scope == KIN__FIND_ROOT) {
        note_top(f, member);
    }
    if (here->scope != KIN__FIND_ELSEWHERE &&
        kin__find_note(f, here->scope, member, &inner.scope) != KIN_OK) {
        return f->err->code;
    }
    if (inner.scope != KIN__FIND_ELSEWHERE || inner.node != NULL) {
        return walk(f, &inner);
    }
    skip_value(f);
    return KIN_OK;
}

/* Goes to the value. */
static void read_member(kin__finder *f, bool is_object, kin__find_member *out)
{
    out->start = kin__finder_place(f);
    out->key = kin__str(NULL, 0);
    out->is_plain = true;
    if (is_object) {
        out->key = kin__finder_string(f);
        out->is_plain = !kin__json_has_escapes(out->key);
        f->at += 2;
    }
}

/* Metadata always gets its turn, so that what is wrong with it is told. */
static kin__mask_verdict judge(const kin__finder *f, const level *here, bool is_object,
                               const kin__find_member *member, const kin__mask_node **out_below)
{
    if (here->node == NULL) {
        return KIN__MASK_WHOLE;
    }
    const kin__mask_node *below =
        is_object ? kin__mask_member(here->node, member->key, member->is_plain) : here->node->each;
    kin__mask_verdict verdict = kin__mask_judge(f->mask, below, kin__finder_token(f));
    if (verdict == KIN__MASK_PARTS) {
        *out_below = below;
    } else if (verdict == KIN__MASK_NOTHING && here->scope == KIN__FIND_ROOT &&
               kin__find_is_key(member, STR("metadata"))) {
        verdict = KIN__MASK_WHOLE;
    }
    return verdict;
}

/*
 * Cuts out what began at `start` and ends before the token at hand, with one comma: the one
 * before it when something before it has stayed, else the one after it, if there is one.
 */
static kin_err cut_member(kin__finder *f, uint32_t start, uint32_t comma, bool has_kept)
{
    uint32_t from = has_kept ? comma : start;
    uint32_t to = !has_kept && kin__finder_token(f) == ',' ? f->item->places[f->at + 1]
                                                           : kin__finder_end_before(f, f->at);

    if (!kin__cuts_add(&f->found->cuts, from, to)) {
        return kin__error_no_memory(f->err);
    }
    return KIN_OK;
}

static void note_cut(kin__finder *f, const level *here, const kin__find_member *member)
{
    if (here->in_managed ||
        (here->scope == KIN__FIND_METADATA && kin__find_is_key(member, STR("managedFields")))) {
        return;
    }
    f->found->flags |= KIN__OBJECT_PARTIAL;
    if (here->in_array) {
        f->found->flags |= KIN__OBJECT_PARTIAL_ARRAY;
    }
}

static void skip_value(kin__finder *f)
{
    const uint32_t *places = f->item->places;
    const char *bytes = f->item->bytes.data;
    size_t at = f->at;
    size_t open = 0;

    do {
        assert(at < f->item->place_count);
        char token = bytes[places[at++]];
        if (token == '{' || token == '[') {
            open++;
        } else if (is_close(token)) {
            open--;
        }
    } while (open > 0);
    f->at = at;
}

static void note_top(kin__finder *f, const kin__find_member *member)
{
    kin__found *found = f->found;

    if (!member->is_plain || found->top_count == KIN__FOUND_TOPS_MAX) {
        found->has_odd_top = true;
        return;
    }
    found->tops[found->top_count++] = member->start;
}

/* Of labels with one key the last one stays. */
static void order_labels(kin__found *found, const kin__json_item *item)
{
    kin__found_label *labels = found->labels;
    label_context context = { found, item };
    size_t kept = 0;

    kin__sort(labels, found->label_count, sizeof *labels, compare_labels, &context);
    for (size_t i = 0; i < found->label_count; i++) {
        bool is_last = i + 1 == found->label_count ||
                       !kin__str_equal(kin__found_text(found, item, &labels[i].key),
                                       kin__found_text(found, item, &labels[i + 1].key));
        if (is_last) {
            labels[kept++] = labels[i];
        }
    }
    found->label_count = kept;
}

static int compare_labels(const void *context, const void *a, const void *b)
{
    const label_context *c = context;
    const kin__found_label *left = a;
    const kin__found_label *right = b;
    int order = kin__str_compare(kin__found_text(c->found, c->item, &left->key),
                                 kin__found_text(c->found, c->item, &right->key));

    if (order == 0) {
        order = (left->key.place > right->key.place) - (left->key.place < right->key.place);
    }
    return order;
}

static bool is_close(char token)
{
    return token == '}' || token == ']';
}
