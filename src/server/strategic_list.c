/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_list.c - strategic merge patches: lists.
 *
 * The elements of both lists, and those of $setElementOrder, are put into one pool and told apart
 * by their keys: the value of the merge key for objects, the value itself for scalars.  Lists are
 * then lists of places in the pool, and what is left over at the end is released with it.  Keys are
 * numbers (server/strategic_keys.h), and who looks for one in a list makes a lookup of it first: so
 * time grows with the lengths of the lists, not with their product, as in Go.
 *
 * Go's slices share their memory, and one case depends on it: an element that is new takes a place
 * that a deleted one has left, and so has a place in the order of the original list, too.  So the
 * original list is kept as Go has it: `length` of `count` places are in use.
 */
#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "server/go_print.h"
#include "server/strategic_keys.h"
#include "server/strategic_state.h"

typedef struct item {
    kin__node *node; /* owned by the pool unless it is kept, or of an order list */
    uint32_t key;    /* KIN__NO_KEY: it has none */
    bool is_kept;    /* it went into the result */
    bool is_borrowed;
} item;

typedef struct sequence {
    uint32_t *places; /* owned */
    size_t count;
} sequence;

/* Where each key stands first in a list; UINT32_MAX: nowhere. */
typedef struct lookup {
    uint32_t *first; /* owned; by key */
} lookup;

/* The elements of the original list while directives delete some of them. */
typedef struct thinning {
    lookup of;      /* where keys stand that were not deleted yet */
    uint32_t *next; /* owned; the next one with the same key */
    uint32_t *tail; /* owned; what stands behind the end afterwards */
    bool *is_gone;  /* owned */
    size_t last;    /* the last one that is not gone, when there is one */
} thinning;

typedef struct merging {
    kin__strategic *s;
    const kin__strategic_field *field;
    item *items; /* owned */
    size_t item_count;
    kin__strategic_keys keys;
    sequence original; /* as it was; then, as Go has it, what its memory holds */
    size_t length;     /* of it that is in use */
    sequence instead;  /* what takes its place by a directive */
    bool is_replaced;  /* ... and that it does */
    sequence patch;    /* without directives, once they were followed */
    sequence order;    /* of $setElementOrder */
    sequence merged;
    sequence mine;   /* of `merged`, what the order names */
    sequence others; /* ... and what it does not */
    bool is_map;
} merging;

/* What a list is sorted by. */
typedef struct rank {
    uint32_t place;
    uint32_t from; /* where it was */
    size_t index;
} rank;

static void merging_fini(merging *m);
KIN__DEFINE_AUTO_FINI(merging, merging_fini)
static void lookup_fini(lookup *l);
KIN__DEFINE_AUTO_FINI(lookup, lookup_fini)
static void thinning_fini(thinning *t);
KIN__DEFINE_AUTO_FINI(thinning, thinning_fini)
static kin_err collect(merging *m, const kin__strategic_lists *lists);
static kin_err collect_list(merging *m, kin__node *list, bool is_borrowed, sequence *out);
static kin_err note_key(merging *m, item *it);
static kin_err merge_with_order(merging *m, const kin__strategic_lists *lists, bool *out_is_done);
static kin_err merge_slices(merging *m, bool is_delete, bool *out_is_done);
static kin_err merge_scalars(merging *m, bool is_delete, bool *out_is_done);
static kin_err merge_maps(merging *m);
static kin_err follow_directives(merging *m, bool *out_replaces);
static kin_err thinning_begin(merging *m, thinning *t);
static void delete_matching(merging *m, thinning *t, uint32_t key);
static void thinning_end(merging *m, const thinning *t);
static kin_err merge_elements(merging *m);
static sequence list_in_use(const merging *m);
static kin_err check_types(merging *m);
static kin_err check_order(merging *m);
static bool is_deletion(const kin__node *element);
static kin_err refuse_lists(merging *m, const char *before, const char *between, const char *after,
                            const sequence *a, const sequence *b);
static void print_list(const merging *m, const sequence *list, kin__buf *buf);
static kin_err partition(merging *m, const sequence *by);
static kin_err normalize(merging *m, const sequence *patch_order, sequence server_order);
static kin_err check_keys(merging *m, const sequence *list);
static kin_err sort_by(merging *m, sequence *list, const sequence *order);
static kin_err interleave(merging *m, const sequence *order);
static kin_err lookup_make(merging *m, const sequence *list, lookup *out);
static void lookup_add(const merging *m, lookup *l, uint32_t place, size_t index);
static size_t find(const merging *m, const lookup *l, uint32_t place);
static kin_err finish(merging *m, kin__node **out);
static kin_err reserve(merging *m, sequence *list, size_t count);
static int compare_ranks(const void *context, const void *a, const void *b);

kin_err kin__strategic_merge_lists(kin__strategic *s, const kin__strategic_lists *lists,
                                   const kin__strategic_field *field, kin__node **out)
{
    AUTO(merging_fini) merging m = { .s = s, .field = field };
    bool is_done = false;
    kin_err code = collect(&m, lists);

    if (code == KIN_OK) {
        code = lists->order != NULL ? merge_with_order(&m, lists, &is_done)
                                    : merge_slices(&m, lists->is_delete, &is_done);
    }
    if (code != KIN_OK || (is_done && m.merged.places == NULL)) {
        return code;
    }
    return finish(&m, out);
}

static void merging_fini(merging *m)
{
    for (size_t i = 0; i < m->item_count; i++) {
        if (!m->items[i].is_kept && !m->items[i].is_borrowed) {
            kin__node_free(m->items[i].node);
        }
    }
    kin__free(m->items);
    kin__strategic_keys_fini(&m->keys);
    kin__free(m->original.places);
    kin__free(m->instead.places);
    kin__free(m->patch.places);
    kin__free(m->order.places);
    kin__free(m->merged.places);
    kin__free(m->mine.places);
    kin__free(m->others.places);
}

static kin_err collect(merging *m, const kin__strategic_lists *lists)
{
    size_t count = 1;
    union {
        const kin__node *in;
        kin__node *out;
    } order = { lists->order };

    count += lists->original == NULL ? 0 : kin__node_count(lists->original);
    count += lists->patch == NULL ? 0 : kin__node_count(lists->patch);
    count += lists->order == NULL ? 0 : kin__node_count(lists->order);
    m->items = kin__alloc_zero(count, sizeof *m->items);
    if (m->items == NULL || !kin__strategic_keys_init(&m->keys, count)) {
        return kin__error_no_memory(&m->s->err);
    }
    kin_err code = KIN_OK;
    if ((code = collect_list(m, lists->original, false, &m->original)) != KIN_OK ||
        (code = collect_list(m, lists->patch, false, &m->patch)) != KIN_OK ||
        (code = collect_list(m, order.out, true, &m->order)) != KIN_OK) {
        return code;
    }
    m->length = m->original.count;
    return KIN_OK;
}

/* Takes the elements out, last one first, unless they are borrowed. */
static kin_err collect_list(merging *m, kin__node *list, bool is_borrowed, sequence *out)
{
    size_t count = list == NULL ? 0 : kin__node_count(list);
    kin_err code = reserve(m, out, count);

    if (code != KIN_OK) {
        return code;
    }
    size_t first = m->item_count;
    for (size_t i = count; i-- > 0;) {
        m->items[first + i].node =
            is_borrowed ? kin__node_element(list, i) : kin__node_take_element(list, i);
        m->items[first + i].is_borrowed = is_borrowed;
    }
    m->item_count += count;
    for (size_t i = 0; i < count; i++) {
        out->places[i] = (uint32_t) (first + i);
        if ((code = note_key(m, &m->items[first + i])) != KIN_OK) {
            return code;
        }
    }
    out->count = count;
    return KIN_OK;
}

/* An object has none when it lacks the merge key. */
static kin_err note_key(merging *m, item *it)
{
    const kin__node *value = it->node;

    if (kin__node_type(value) == KIN_TYPE_OBJECT) {
        value = m->field->key.name.len == 0 ? NULL : kin__node_member(value, m->field->key.name);
    }
    it->key = KIN__NO_KEY;
    return value == NULL || kin__strategic_keys_add(&m->keys, value, &it->key)
               ? KIN_OK
               : kin__error_no_memory(&m->s->err);
}

/* $setElementOrder decides; what it does not name keeps its place among the rest. */
static kin_err merge_with_order(merging *m, const kin__strategic_lists *lists, bool *out_is_done)
{
    bool has_original = lists->original != NULL;
    bool has_patch = lists->patch != NULL;
    bool merges = has_original && has_patch && (m->field->key.strategies & KIN__MERGE_MERGE) != 0;
    kin_err code = check_order(m);

    if (code != KIN_OK) {
        return code;
    }
    if (!has_original && !has_patch) {
        *out_is_done = true;
        return KIN_OK;
    }
    const sequence *from = has_patch ? &m->patch : &m->original;
    if ((code = check_types(m)) != KIN_OK) {
        return code;
    }
    if (merges) {
        code = merge_slices(m, false, out_is_done);
    } else if ((code = reserve(m, &m->merged, from->count)) == KIN_OK) {
        for (size_t i = 0; i < from->count; i++) {
            bool stays = true;
            kin__node *node = m->items[from->places[i]].node;
            if (!has_original && kin__strategic_undirect(node, &stays, &m->s->err) != KIN_OK) {
                return m->s->err.code;
            }
            if (stays) {
                m->merged.places[m->merged.count++] = from->places[i];
            }
        }
    }
    *out_is_done = false;
    if (code != KIN_OK || (code = partition(m, &m->order)) != KIN_OK) {
        return code;
    }
    return normalize(m, &m->order, m->original);
}

/* Strategy merge, or a list of what is to be deleted. */
static kin_err merge_slices(merging *m, bool is_delete, bool *out_is_done)
{
    kin_err code;

    if (m->original.count == 0 && m->patch.count == 0) {
        return reserve(m, &m->merged, 0);
    }
    if ((code = check_types(m)) != KIN_OK) {
        return code;
    }
    if (!m->is_map) {
        code = merge_scalars(m, is_delete, out_is_done);
    } else if (m->field->key.name.len == 0) {
        code = kin__strategic_refuse(m->s, 500, "cannot merge lists without merge key for %s",
                                     m->field->schema.kind);
    } else {
        code = merge_maps(m);
    }
    if (code != KIN_OK || *out_is_done) {
        return code;
    }
    if ((code = partition(m, &m->patch)) != KIN_OK) {
        return code;
    }
    return normalize(m, &m->patch, list_in_use(m));
}

/* Each value once; or those that are not in the patch. */
static kin_err merge_scalars(merging *m, bool is_delete, bool *out_is_done)
{
    size_t count = m->original.count + (is_delete ? 0 : m->patch.count);
    AUTO(lookup_fini) lookup seen = { 0 };
    kin_err code = reserve(m, &m->merged, count);

    if (code != KIN_OK ||
        (code = lookup_make(m, is_delete ? &m->patch : &m->merged, &seen)) != KIN_OK) {
        return code;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_new = i >= m->original.count;
        uint32_t place = is_new ? m->patch.places[i - m->original.count] : m->original.places[i];
        if (find(m, &seen, place) != SIZE_MAX) {
            continue;
        }
        if (!is_delete) {
            lookup_add(m, &seen, place, m->merged.count);
        }
        m->merged.places[m->merged.count++] = place;
    }
    *out_is_done = is_delete;
    return KIN_OK;
}

static kin_err merge_maps(merging *m)
{
    bool replaces = false;
    kin_err code = follow_directives(m, &replaces);

    if (code != KIN_OK) {
        return code;
    }
    if (replaces) {
        m->is_replaced = true;
        m->instead = m->patch;
        m->patch = (sequence){ 0 };
        if ((code = reserve(m, &m->patch, 0)) != KIN_OK) {
            return code;
        }
    }
    return merge_elements(m);
}

/* Elements of the patch with a $patch: after them the patch has none. */
static kin_err follow_directives(merging *m, bool *out_replaces)
{
    AUTO(thinning_fini) thinning thin = { 0 };
    size_t kept = 0;

    for (size_t i = 0; i < m->patch.count; i++) {
        const item *it = &m->items[m->patch.places[i]];
        const kin__node *directive = kin__node_member(it->node, STR(KIN__STRATEGIC_PATCH));
        if (directive == NULL) {
            m->patch.places[kept++] = m->patch.places[i];
            continue;
        }
        bool is_text = kin__node_type(directive) == KIN_TYPE_STRING;
        kin_str word = is_text ? kin__node_text(directive) : STR("");
        kin_err code = KIN_OK;
        if (kin__str_equal(word, STR("delete"))) {
            code = it->key == KIN__NO_KEY
                       ? kin__strategic_no_key(m->s, it->node, m->field->key.name)
                   : thin.is_gone == NULL ? thinning_begin(m, &thin)
                                          : KIN_OK;
            if (code == KIN_OK) {
                delete_matching(m, &thin, it->key);
            }
        } else if (kin__str_equal(word, STR("replace"))) {
            *out_replaces = true;
        } else if (kin__str_equal(word, STR("merge"))) {
            code = kin__strategic_refuse(m->s, 500,
                                         "merging lists cannot yet be specified in the patch");
        } else {
            AUTO(kin__buf_fini) kin__buf map = { 0 };
            kin__go_print(it->node, &map);
            code = kin__buf_failed(&map)
                       ? kin__error_no_memory(&m->s->err)
                       : kin__strategic_refuse(m->s, 500, "unknown patch type: %.*s in map: %.*s",
                                               KIN_STR_ARG(word), (int) map.len, map.data);
        }
        if (code != KIN_OK) {
            return code;
        }
    }
    m->patch.count = kept;
    if (thin.is_gone != NULL) {
        thinning_end(m, &thin);
    }
    return KIN_OK;
}

static kin_err thinning_begin(merging *m, thinning *t)
{
    size_t count = m->original.count;

    t->next = kin__alloc_zero(count + 1, sizeof *t->next);
    t->tail = kin__alloc_zero(count + 1, sizeof *t->tail);
    t->is_gone = kin__alloc_zero(count + 1, sizeof *t->is_gone);
    if (t->next == NULL || t->tail == NULL || t->is_gone == NULL) {
        return kin__error_no_memory(&m->s->err);
    }
    kin_err code = lookup_make(m, &(sequence){ 0 }, &t->of);
    for (size_t i = count; code == KIN_OK && i-- > 0;) {
        uint32_t key = m->items[m->original.places[i]].key;
        if (key != KIN__NO_KEY) {
            t->next[i] = t->of.first[key];
            t->of.first[key] = (uint32_t) i;
        }
    }
    t->last = count == 0 ? 0 : count - 1;
    return code;
}

/* In Go those after a deleted one move up, one deletion after the other, and what was the last of
 * them before stays behind the end. */
static void delete_matching(merging *m, thinning *t, uint32_t key)
{
    for (uint32_t at = t->of.first[key]; at != UINT32_MAX; at = t->next[at]) {
        m->length--;
        t->tail[m->length] = m->original.places[t->last];
        t->is_gone[at] = true;
        while (t->last > 0 && t->is_gone[t->last]) {
            t->last--;
        }
    }
    t->of.first[key] = UINT32_MAX;
}

static void thinning_end(merging *m, const thinning *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->original.count; i++) {
        if (!t->is_gone[i]) {
            m->original.places[kept++] = m->original.places[i];
        }
    }
    for (size_t i = kept; i < m->original.count; i++) {
        m->original.places[i] = t->tail[i];
    }
}

static void thinning_fini(thinning *t)
{
    lookup_fini(&t->of);
    kin__free(t->next);
    kin__free(t->tail);
    kin__free(t->is_gone);
}

/* Each element of the patch into the one with its key, or behind the last. */
static kin_err merge_elements(merging *m)
{
    sequence used = list_in_use(m);
    AUTO(lookup_fini) lookup there = { 0 };
    kin_err code = reserve(m, &m->merged, used.count + m->patch.count);

    if (code != KIN_OK || (code = lookup_make(m, &used, &there)) != KIN_OK) {
        return code;
    }
    if (used.count != 0) {
        memcpy(m->merged.places, used.places, used.count * sizeof *m->merged.places);
    }
    m->merged.count = used.count;
    for (size_t i = 0; i < m->patch.count; i++) {
        uint32_t place = m->patch.places[i];
        kin__strategic_outcome outcome;
        if (m->items[place].key == KIN__NO_KEY) {
            return kin__strategic_no_key(m->s, m->items[place].node, m->field->key.name);
        }
        size_t index = find(m, &there, place);
        if (index != SIZE_MAX) {
            code = kin__strategic_merge(m->s, m->items[m->merged.places[index]].node,
                                        m->items[place].node, m->field->schema, &outcome);
            if (code != KIN_OK) {
                return code;
            }
            continue;
        }
        if (!m->is_replaced && m->merged.count < m->original.count) {
            m->original.places[m->merged.count] = place;
        }
        lookup_add(m, &there, place, m->merged.count);
        m->merged.places[m->merged.count++] = place;
    }
    return KIN_OK;
}

/* What Go has in its variable for the original list. */
static sequence list_in_use(const merging *m)
{
    return m->is_replaced ? m->instead : (sequence){ m->original.places, m->length };
}

/* All elements of both lists have one type, and it is no list. */
static kin_err check_types(merging *m)
{
    kin__strategic_type first = KIN__STRATEGIC_NULL;
    bool has_first = false;
    size_t count = m->original.count + m->patch.count;

    for (size_t i = 0; i < count; i++) {
        uint32_t place =
            i < m->original.count ? m->original.places[i] : m->patch.places[i - m->original.count];
        kin__strategic_type type = kin__strategic_type_of(m->items[place].node);
        if (!has_first) {
            first = type;
            has_first = true;
        }
        if (type == KIN__STRATEGIC_NULL) {
            return kin__strategic_refuse(m->s, 500, "list with a null element");
        }
        if (type == KIN__STRATEGIC_LIST && type == first) {
            return kin__strategic_refuse_generic(m->s);
        }
        if (type != first) {
            return refuse_lists(m, "list element types are not identical: [", " ", "]",
                                &m->original, &m->patch);
        }
    }
    if (!has_first) {
        return kin__strategic_refuse(m->s, 500, "no elements in any of the given slices");
    }
    m->is_map = first == KIN__STRATEGIC_MAP;
    return KIN_OK;
}

/* The patch's elements, but for those that are deleted, stand in the order list, in that order. */
static kin_err check_order(merging *m)
{
    bool has_key = m->field->key.name.len != 0;
    size_t at = 0;
    size_t in_order = 0;

    if (m->order.count == 0 || m->patch.count == 0) {
        return KIN_OK;
    }
    for (size_t i = 0; has_key && i < m->patch.count; i++) {
        const item *it = &m->items[m->patch.places[i]];
        if (kin__node_type(it->node) != KIN_TYPE_OBJECT) {
            return kin__strategic_bad_type(m->s, KIN__STRATEGIC_MAP, it->node);
        }
    }
    while (at < m->patch.count && in_order < m->order.count) {
        const item *mine = &m->items[m->patch.places[at]];
        const item *ordered = &m->items[m->order.places[in_order]];
        if (kin__node_type(mine->node) == KIN_TYPE_OBJECT &&
            kin__node_member(mine->node, STR(KIN__STRATEGIC_PATCH)) != NULL) {
            at++;
            continue;
        }
        if (has_key && kin__node_type(ordered->node) != KIN_TYPE_OBJECT) {
            return kin__strategic_bad_type(m->s, KIN__STRATEGIC_MAP, ordered->node);
        }
        if (mine->key == KIN__NO_KEY || ordered->key == KIN__NO_KEY) {
            const item *lacking = mine->key == KIN__NO_KEY ? mine : ordered;
            return kin__strategic_no_key(m->s, lacking->node, m->field->key.name);
        }
        at += mine->key == ordered->key;
        in_order++;
    }
    while (at < m->patch.count) {
        if (!has_key || !is_deletion(m->items[m->patch.places[at]].node)) {
            return refuse_lists(m, "The order in patch list:\n",
                                "\n doesn't match " KIN__STRATEGIC_ORDER " list:\n", "\n",
                                &m->patch, &m->order);
        }
        at++;
    }
    return KIN_OK;
}

static bool is_deletion(const kin__node *element)
{
    const kin__node *directive = kin__node_member(element, STR(KIN__STRATEGIC_PATCH));

    return directive != NULL && kin__str_equal(kin__node_text(directive), STR("delete"));
}

/* With the two lists between the words, as Go prints them. */
static kin_err refuse_lists(merging *m, const char *before, const char *between, const char *after,
                            const sequence *a, const sequence *b)
{
    AUTO(kin__buf_fini) kin__buf words = { 0 };

    (void) kin__buf_append_str(&words, kin_str_of(before));
    print_list(m, a, &words);
    (void) kin__buf_append_str(&words, kin_str_of(between));
    print_list(m, b, &words);
    (void) kin__buf_append_str(&words, kin_str_of(after));
    if (kin__buf_failed(&words)) {
        return kin__error_no_memory(&m->s->err);
    }
    return kin__strategic_refuse(m->s, 500, "%.*s", (int) words.len, words.data);
}

static void print_list(const merging *m, const sequence *list, kin__buf *buf)
{
    (void) kin__buf_append_byte(buf, '[');
    for (size_t i = 0; i < list->count; i++) {
        (void) kin__buf_append_str(buf, i == 0 ? STR("") : STR(" "));
        kin__go_print(m->items[list->places[i]].node, buf);
    }
    (void) kin__buf_append_byte(buf, ']');
}

/* Those of `merged` that have a key of the list `by`, and the others. */
static kin_err partition(merging *m, const sequence *by)
{
    AUTO(lookup_fini) lookup named = { 0 };
    kin_err code;

    if ((code = reserve(m, &m->mine, m->merged.count)) != KIN_OK ||
        (code = reserve(m, &m->others, m->merged.count)) != KIN_OK ||
        (code = lookup_make(m, by, &named)) != KIN_OK) {
        return code;
    }
    for (size_t i = 0; i < m->merged.count; i++) {
        uint32_t place = m->merged.places[i];
        const item *it = &m->items[place];
        if (m->field->key.name.len != 0 && kin__node_type(it->node) != KIN_TYPE_OBJECT) {
            return kin__strategic_bad_type(m->s, KIN__STRATEGIC_MAP, it->node);
        }
        if (it->key == KIN__NO_KEY) {
            return kin__strategic_no_key(m->s, it->node, m->field->key.name);
        }
        sequence *to = find(m, &named, place) == SIZE_MAX ? &m->others : &m->mine;
        to->places[to->count++] = place;
    }
    return KIN_OK;
}

static kin_err normalize(merging *m, const sequence *patch_order, sequence server_order)
{
    kin_err code = KIN_OK;

    if (m->is_map && ((code = check_keys(m, patch_order)) != KIN_OK ||
                      (code = check_keys(m, &server_order)) != KIN_OK)) {
        return code;
    }
    if ((code = sort_by(m, &m->mine, patch_order)) != KIN_OK ||
        (code = sort_by(m, &m->others, &server_order)) != KIN_OK) {
        return code;
    }
    return interleave(m, &server_order);
}

static kin_err check_keys(merging *m, const sequence *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const item *it = &m->items[list->places[i]];
        if (kin__node_type(it->node) != KIN_TYPE_OBJECT) {
            return kin__strategic_bad_type(m->s, KIN__STRATEGIC_MAP, it->node);
        }
        if (it->key == KIN__NO_KEY) {
            return kin__strategic_no_key(m->s, it->node, m->field->key.name);
        }
    }
    return KIN_OK;
}

/* By the places their keys have in the order; stable.  What the object holds of an old directive to
 * delete comes last. */
static kin_err sort_by(merging *m, sequence *list, const sequence *order)
{
    AUTO(lookup_fini) lookup ordered = { 0 };
    rank *ranks = kin__alloc_zero(list->count + 1, sizeof *ranks);
    kin_err code =
        ranks == NULL ? kin__error_no_memory(&m->s->err) : lookup_make(m, order, &ordered);

    for (size_t i = 0; code == KIN_OK && i < list->count; i++) {
        ranks[i].place = list->places[i];
        ranks[i].from = (uint32_t) i;
        ranks[i].index = find(m, &ordered, list->places[i]);
        if (is_deletion(m->items[list->places[i]].node)) {
            ranks[i].index = SIZE_MAX;
        }
    }
    if (code == KIN_OK) {
        kin__sort(ranks, list->count, sizeof *ranks, compare_ranks, NULL);
        for (size_t i = 0; i < list->count; i++) {
            list->places[i] = ranks[i].place;
        }
    }
    kin__free(ranks);
    return code;
}

/* The others are put among those of the patch: each before the first that follows it in the order.
 * `merged` gets them all. */
static kin_err interleave(merging *m, const sequence *order)
{
    AUTO(lookup_fini) lookup ordered = { 0 };
    kin_err code = lookup_make(m, order, &ordered);
    size_t other = 0;
    size_t mine = 0;

    if (code != KIN_OK) {
        return code;
    }
    m->merged.count = 0;
    while (other < m->others.count || mine < m->mine.count) {
        bool takes_other = mine == m->mine.count;
        if (!takes_other && other < m->others.count) {
            size_t left = find(m, &ordered, m->others.places[other]);
            size_t right = find(m, &ordered, m->mine.places[mine]);
            takes_other = left != SIZE_MAX && right != SIZE_MAX && left < right;
        }
        m->merged.places[m->merged.count++] =
            takes_other ? m->others.places[other] : m->mine.places[mine];
        other += takes_other;
        mine += !takes_other;
    }
    return KIN_OK;
}

/* Of the keys of all lists; `list` may be empty and grow by lookup_add(). */
static kin_err lookup_make(merging *m, const sequence *list, lookup *out)
{
    size_t size = ((size_t) m->keys.count + 1) * sizeof *out->first;

    out->first = kin__alloc(size);
    if (out->first == NULL) {
        return kin__error_no_memory(&m->s->err);
    }
    memset(out->first, 0xff, size); /* UINT32_MAX */
    for (size_t i = 0; i < list->count; i++) {
        lookup_add(m, out, list->places[i], i);
    }
    return KIN_OK;
}

static void lookup_fini(lookup *l)
{
    kin__free(l->first);
}

/* An element at `index` of the list, behind all that are there. */
static void lookup_add(const merging *m, lookup *l, uint32_t place, size_t index)
{
    uint32_t key = m->items[place].key;

    if (key != KIN__NO_KEY && l->first[key] == UINT32_MAX) {
        l->first[key] = (uint32_t) index;
    }
}

/* The first with the same key; SIZE_MAX: none. */
static size_t find(const merging *m, const lookup *l, uint32_t place)
{
    uint32_t key = m->items[place].key;

    return key == KIN__NO_KEY || l->first[key] == UINT32_MAX ? SIZE_MAX : l->first[key];
}

static kin_err finish(merging *m, kin__node **out)
{
    AUTO(kin__node_free) kin__node *made = NULL;

    if (kin__node_container(KIN_TYPE_ARRAY, &made, &m->s->err) != KIN_OK) {
        return m->s->err.code;
    }
    for (size_t i = 0; i < m->merged.count; i++) {
        item *it = &m->items[m->merged.places[i]];
        if (it->is_kept) {
            continue;
        }
        if (kin__node_append(made, it->node, &m->s->err) != KIN_OK) {
            return m->s->err.code;
        }
        it->is_kept = true;
    }
    *out = STEAL(made);
    return KIN_OK;
}

static kin_err reserve(merging *m, sequence *list, size_t count)
{
    kin__free(list->places);
    list->count = 0;
    list->places = kin__alloc_zero(count + 1, sizeof *list->places);
    return list->places == NULL ? kin__error_no_memory(&m->s->err) : KIN_OK;
}

static int compare_ranks(const void *context, const void *a, const void *b)
{
    const rank *x = a;
    const rank *y = b;

    (void) context;
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->from < y->from ? -1 : x->from > y->from;
}
