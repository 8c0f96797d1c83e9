/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_build_find.c - one walk over a message.
 *
 * The walk goes into the message itself, its metadata, and where the mask has something to say
 * below; all else it steps over by its length.  What the mask leaves out is neither looked at nor
 * checked.  Recursion goes as deep as a path of the mask is long.
 *
 * A field that JSON would not show may be cut without making the object partial; one that is absent
 * and that JSON would show as null makes it so when the mask leaves it out, because a partial
 * object says no null of its own (proto_encoding_field.c).
 */
#include "object/proto_build_find.h"

#include "base/error.h"
#include "base/str.h"
#include "object/mask.h"
#include "object/object.h"
#include "object/proto_build_note.h"
#include "object/proto_encoding.h"
#include "proto/entry.h"
#include "proto/meaning.h"

#define CACHE_LINE 64
#define FETCH_MAX 2048 /* then the processor sees by itself where it goes */
#define FETCH_NEXT 192 /* of the next item: its tag and what metadata begins with */

#define ANY_NUMBER UINT64_C(1) /* no field has the number 0 */

/* A message that is walked. */
typedef struct level {
    kin__pb_message message;
    kin__pb_scope scope;
    const kin__mask_node *node; /* what the mask says here; NULL: all of it stays */
    bool in_list;               /* it is an element of one, or lies inside one */
    bool in_managed;            /* it is metadata.managedFields, or lies inside */
} level;

/* A row of it, and what the mask says of that. */
typedef struct ruling {
    const kin__pb_row *row;      /* NULL: the tables do not know it */
    const kin__mask_node *below; /* of PARTS */
    kin__mask_verdict verdict;
} ruling;

static kin_err find_whole(kin__pb_finder *f, bool is_object);
static kin_err find_metadata(kin__pb_finder *f, const kin__pb_field *metadata);
static void fetch_soon(const uint8_t *at, size_t len);
static const uint8_t *item_end(const kin__pb_finder *f);
static kin_err walk(kin__pb_finder *f, const level *here, kin_str bytes);
static uint64_t find_named(const kin__pb_finder *f, const level *here);
static kin_err visit(kin__pb_finder *f, const level *here, const ruling *rule,
                     const kin__pb_field *field);
static kin_err visit_element(kin__pb_finder *f, const level *here, const ruling *rule,
                             const kin__pb_field *field);
static kin_err visit_entry(kin__pb_finder *f, const level *here, const ruling *rule,
                           const kin__pb_field *field);
static kin_err visit_message(kin__pb_finder *f, const level *here, const ruling *rule,
                             const kin__pb_field *field);
static kin_err keep(kin__pb_finder *f, const level *here, const kin__pb_field *field);
static kin_err cut(kin__pb_finder *f, const level *here, const kin__pb_row *row,
                   const kin__pb_field *field);
static kin_err enter(kin__pb_finder *f, const level *inner, const kin__pb_field *field);
static kin_err open_length(kin__pb_finder *f, const kin__pb_field *field, size_t *out_index);
static kin_err wrong_wire(kin__pb_finder *f, const level *here, const kin__pb_field *field);
static ruling judge(const kin__pb_finder *f, const level *here, uint32_t number);
static kin__mask_verdict judge_value(const kin__pb_finder *f, const kin__mask_node *node,
                                     const kin__pb_row *row, bool is_element);
static bool is_opaque(const kin__pb_row *row);
static bool is_shown(const kin__pb_row *row, const kin__pb_field *field);
static void note_absent(kin__pb_finder *f, const level *here, uint64_t absent);
static void note_cut(kin__pb_finder *f, const level *here, uint32_t number);
static bool is_in_managed(const level *here, uint32_t number);
static uint32_t place_of(const kin__pb_finder *f, const uint8_t *at);
static const uint8_t *end_of(const kin__pb_finder *f, const kin__pb_field *field);

kin_err kin__pb_find(const kin__pb_item *item, kin__pb_message message,
                     const kin_object_options *options, kin__pb_known *known, kin_error *err)
{
    const kin_mask *mask = options != NULL ? options->mask : NULL;
    kin__pb_finder f = { .item = item, .mask = mask, .known = known, .err = err };
    const kin__pb_row *metadata = kin__pb_row_of(message, KIN__PB_METADATA);
    /* Of kinds that have no such metadata nothing is known, and so they have no name. */
    bool is_object = metadata != NULL && metadata->type == KIN__PB_MESSAGE &&
                     kin__pb_is_object_meta(metadata->message);
    level root = {
        .message = message,
        .scope = is_object ? KIN__PB_SCOPE_ROOT : KIN__PB_SCOPE_ELSEWHERE,
        .node = mask != NULL ? mask->root : NULL,
    };

    f.needs_name = options == NULL || !options->allows_no_name;
    kin__pb_known_init(known);
    kin_err code = mask == NULL || mask->drops_managed_only ? find_whole(&f, is_object)
                                                            : walk(&f, &root, item->bytes);
    if (code != KIN_OK) {
        return code;
    }
    kin__pb_edits_settle(&known->edits);
    return kin__pb_check(&f);
}

/* The usual case: all stays, or all but managedFields. */
static kin_err find_whole(kin__pb_finder *f, bool is_object)
{
    kin__pb_reader reader = kin__pb_read_str(f->item->bytes);
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (is_object && field.number == KIN__PB_METADATA && find_metadata(f, &field) != KIN_OK) {
            return f->err->code;
        }
    }
    return reader.fault == NULL
               ? KIN_OK
               : kin__pb_complain(f, KIN_ERR_MALFORMED, "", reader.at, "%s", reader.fault);
}

static kin_err find_metadata(kin__pb_finder *f, const kin__pb_field *metadata)
{
    bool drops_managed = f->mask != NULL;
    kin__pb_reader reader;
    kin__pb_field field;
    size_t index = 0;

    if (kin__pb_note_object(f, metadata) != KIN_OK ||
        (drops_managed && open_length(f, metadata, &index) != KIN_OK)) {
        return f->err->code;
    }
    reader = kin__pb_read_str(kin__pb_content(metadata));
    fetch_soon(reader.end, (size_t) (item_end(f) - reader.end));
    fetch_soon(item_end(f), FETCH_NEXT);
    for (;;) {
        kin__pb_skim_metadata(f, &reader);
        if (!kin__pb_next(&reader, &field)) {
            break;
        }
        bool is_dropped = drops_managed && field.number == KIN__PB_MANAGED_FIELDS;
        kin_err code = is_dropped ? cut(f, NULL, NULL, &field) : kin__pb_note_metadata(f, &field);
        if (code != KIN_OK) {
            return code;
        }
    }
    if (reader.fault != NULL) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, "metadata", reader.at, "%s", reader.fault);
    }
    if (drops_managed) {
        kin__pb_edits_close(&f->known->edits, index, (uint32_t) metadata->len);
    }
    return KIN_OK;
}

/* Mostly managedFields lie between the metadata and the rest, which is copied, and then the next
 * item of a list follows: both are far away in memory, and known long before they are read. */
static inline void fetch_soon(const uint8_t *at, size_t len)
{
    for (size_t i = 0; i < len && i < FETCH_MAX; i += CACHE_LINE) {
        __builtin_prefetch(at + i);
    }
}

static inline const uint8_t *item_end(const kin__pb_finder *f)
{
    return (const uint8_t *) f->item->bytes.data + f->item->bytes.len;
}

/* Fields of one number mostly stand together: they share a ruling. */
static kin_err walk(kin__pb_finder *f, const level *here, kin_str bytes)
{
    kin__pb_reader reader = kin__pb_read_str(bytes);
    ruling rule = { .verdict = KIN__MASK_WHOLE };
    uint64_t named = find_named(f, here);
    uint64_t numbers = 0;
    uint32_t last = 0;
    kin__pb_field field;

    while (kin__pb_next(&reader, &field)) {
        if (field.number != last) {
            last = field.number;
            uint64_t bit = last <= KIN__PB_NUMBER_MAX ? UINT64_C(1) << last : ANY_NUMBER;
            rule =
                (named & bit) != 0 ? judge(f, here, last) : (ruling){ .verdict = KIN__MASK_WHOLE };
            numbers |= bit;
        }
        if (visit(f, here, &rule, &field) != KIN_OK) {
            return f->err->code;
        }
    }
    if (reader.fault != NULL) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, kin__pb_scope_path(here->scope), reader.at,
                                "%s", reader.fault);
    }
    if (here->node != NULL) {
        note_absent(f, here, named & ~numbers);
    }
    return KIN_OK;
}

/* The numbers on which the mask has something to say here, as bits; one for all beyond
 * KIN__PB_NUMBER_MAX.  Metadata always gets its turn. */
static uint64_t find_named(const kin__pb_finder *f, const level *here)
{
    uint64_t named = here->scope == KIN__PB_SCOPE_ROOT ? UINT64_C(1) << KIN__PB_METADATA : 0;

    if (here->node == NULL) {
        return named;
    }
    if (f->mask->mode != KIN_MASK_DROP || here->node->each != NULL) {
        return UINT64_MAX;
    }
    for (const kin__mask_node *node = here->node->members; node != NULL; node = node->next) {
        kin__pb_inlines inlines;
        const kin__pb_row *row =
            kin__pb_row_named(here->message, kin__str(node->name, node->name_len), &inlines);
        if (row != NULL && inlines.count > 0) {
            row = inlines.rows[0];
        }
        named |= row != NULL ? UINT64_C(1) << row->number : 0;
    }
    return named;
}

static kin_err visit(kin__pb_finder *f, const level *here, const ruling *rule,
                     const kin__pb_field *field)
{
    switch (rule->verdict) {
    case KIN__MASK_NOTHING:
        return cut(f, here, rule->row, field);
    case KIN__MASK_WHOLE:
        if (keep(f, here, field) != KIN_OK) {
            return f->err->code;
        }
        return here->scope == KIN__PB_SCOPE_ROOT && field->number == KIN__PB_METADATA
                   ? visit_message(f, here, rule, field)
                   : KIN_OK;
    case KIN__MASK_PARTS:
        break;
    }
    if ((rule->row->flags & KIN__PB_LIST) != 0) {
        return visit_element(f, here, rule, field);
    }
    if ((rule->row->flags & KIN__PB_MAP) != 0) {
        return visit_entry(f, here, rule, field);
    }
    return keep(f, here, field) != KIN_OK ? f->err->code : visit_message(f, here, rule, field);
}

static kin_err visit_element(kin__pb_finder *f, const level *here, const ruling *rule,
                             const kin__pb_field *field)
{
    level inside = *here;
    ruling element = { .row = rule->row, .below = rule->below->each };

    inside.in_list = true;
    element.verdict = judge_value(f, element.below, rule->row, true);
    if (element.verdict == KIN__MASK_NOTHING) {
        return cut(f, &inside, NULL, field);
    }
    if (keep(f, here, field) != KIN_OK) {
        return f->err->code;
    }
    return element.verdict == KIN__MASK_PARTS ? visit_message(f, &inside, &element, field) : KIN_OK;
}

/* By its key.  The length of its value stands inside that of the entry. */
static kin_err visit_entry(kin__pb_finder *f, const level *here, const ruling *rule,
                           const kin__pb_field *field)
{
    ruling member = { .row = rule->row };
    kin__pb_reader reader = kin__pb_read(field->bytes, field->len);
    kin__pb_entry entry;
    size_t index;

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, here, field);
    }
    if (!kin__pb_entry_read(rule->row, &reader, &entry)) {
        return kin__pb_complain(f, KIN_ERR_MALFORMED, kin__pb_scope_path(here->scope), reader.at,
                                "%s", reader.fault);
    }
    member.below = kin__mask_member(rule->below, entry.key, true);
    member.verdict = judge_value(f, member.below, rule->row, true);
    if (member.verdict == KIN__MASK_NOTHING) {
        return cut(f, here, NULL, field);
    }
    if (keep(f, here, field) != KIN_OK) {
        return f->err->code;
    }
    if (member.verdict == KIN__MASK_WHOLE || entry.value.start == NULL) {
        return KIN_OK;
    }
    if (open_length(f, field, &index) != KIN_OK ||
        visit_message(f, here, &member, &entry.value) != KIN_OK) {
        return f->err->code;
    }
    kin__pb_edits_close(&f->known->edits, index, (uint32_t) field->len);
    return KIN_OK;
}

/* One that stays, and of which something is left out or noted. */
static kin_err visit_message(kin__pb_finder *f, const level *here, const ruling *rule,
                             const kin__pb_field *field)
{
    level inner = {
        .message = rule->row->message,
        .node = rule->below,
        .in_list = here->in_list,
        .in_managed = is_in_managed(here, field->number),
    };

    if (field->wire != KIN__PB_LEN) {
        return wrong_wire(f, here, field);
    }
    if (here->scope == KIN__PB_SCOPE_ROOT && field->number == KIN__PB_METADATA) {
        inner.scope = KIN__PB_SCOPE_METADATA;
    }
    return enter(f, &inner, field);
}

static kin_err keep(kin__pb_finder *f, const level *here, const kin__pb_field *field)
{
    switch (here->scope) {
    case KIN__PB_SCOPE_ROOT:
        return field->number == KIN__PB_METADATA ? kin__pb_note_object(f, field) : KIN_OK;
    case KIN__PB_SCOPE_METADATA:
        return kin__pb_note_metadata(f, field);
    case KIN__PB_SCOPE_ELSEWHERE:
        break;
    }
    return KIN_OK;
}

/* `here` NULL: it is managedFields.  `row` NULL: whatever it is, JSON would show it. */
static kin_err cut(kin__pb_finder *f, const level *here, const kin__pb_row *row,
                   const kin__pb_field *field)
{
    if (here != NULL && (row == NULL || is_shown(row, field))) {
        note_cut(f, here, field->number);
    }
    return kin__pb_edits_cut(&f->known->edits, place_of(f, field->start),
                             place_of(f, end_of(f, field)))
               ? KIN_OK
               : kin__error_no_memory(f->err);
}

static kin_err enter(kin__pb_finder *f, const level *inner, const kin__pb_field *field)
{
    size_t index;

    if (inner->node == NULL) {
        return walk(f, inner, kin__pb_content(field));
    }
    if (open_length(f, field, &index) != KIN_OK ||
        walk(f, inner, kin__pb_content(field)) != KIN_OK) {
        return f->err->code;
    }
    kin__pb_edits_close(&f->known->edits, index, (uint32_t) field->len);
    return KIN_OK;
}

/* The length of a field stands between its tag and its content. */
static kin_err open_length(kin__pb_finder *f, const kin__pb_field *field, size_t *out_index)
{
    const uint8_t *length = field->start;

    while (*length >= 0x80) {
        length++;
    }
    return kin__pb_edits_open(&f->known->edits, place_of(f, length + 1), place_of(f, field->bytes),
                              out_index)
               ? KIN_OK
               : kin__error_no_memory(f->err);
}

static kin_err wrong_wire(kin__pb_finder *f, const level *here, const kin__pb_field *field)
{
    return kin__pb_complain(f, KIN_ERR_MALFORMED, kin__pb_scope_path(here->scope), field->start,
                            "field %u of the wrong wire type", field->number);
}

/* Metadata always gets its turn, so that what is wrong with it is told.  Inline messages are not
 * there in JSON: their members stand where they are. */
static ruling judge(const kin__pb_finder *f, const level *here, uint32_t number)
{
    bool is_metadata = here->scope == KIN__PB_SCOPE_ROOT && number == KIN__PB_METADATA;
    ruling rule = { .verdict = KIN__MASK_WHOLE };

    if (here->node == NULL && !is_metadata) {
        return rule;
    }
    rule.row = kin__pb_row_of(here->message, number);
    if (here->node == NULL) {
        return rule;
    }
    if (rule.row == NULL) {
        rule.verdict = kin__mask_judge(f->mask, NULL, 0);
    } else if ((rule.row->flags & KIN__PB_INLINE) != 0) {
        rule.below = here->node;
        rule.verdict = KIN__MASK_PARTS;
    } else {
        const kin__mask_node *below =
            kin__mask_member(here->node, kin__pb_row_name(rule.row), true);
        rule.verdict = judge_value(f, below, rule.row, false);
        rule.below = rule.verdict == KIN__MASK_PARTS ? below : NULL;
    }
    if (is_metadata && rule.verdict == KIN__MASK_NOTHING) {
        rule.verdict = KIN__MASK_WHOLE;
    }
    return rule;
}

/* What is JSON by itself is not looked into: it stays as a whole when parts of it would. */
static kin__mask_verdict judge_value(const kin__pb_finder *f, const kin__mask_node *node,
                                     const kin__pb_row *row, bool is_element)
{
    char first = '"';

    if (!is_element && (row->flags & KIN__PB_LIST) != 0) {
        first = '[';
    } else if (!is_element && (row->flags & KIN__PB_MAP) != 0) {
        first = '{';
    } else if (row->type == KIN__PB_MESSAGE) {
        if (node != NULL && !node->is_end && is_opaque(row)) {
            return KIN__MASK_WHOLE;
        }
        first = kin__pb_special_of(row->message) == KIN__PB_PLAIN ? '{' : '"';
    }
    return kin__mask_judge(f->mask, node, first);
}

/* Messages whose JSON may be an object or an array of its own. */
static bool is_opaque(const kin__pb_row *row)
{
    switch (kin__pb_special_of(row->message)) {
    case KIN__PB_PLAIN:
    case KIN__PB_TIME:
    case KIN__PB_MICROTIME:
    case KIN__PB_QUANTITY:
    case KIN__PB_INTORSTR:
        return false;
    default:
        return true;
    }
}

/* A zero may be on the wire and not in JSON. */
static bool is_shown(const kin__pb_row *row, const kin__pb_field *field)
{
    bool is_zero_time = (row->flags & KIN__PB_OMITZERO) != 0 && field->len == 0;

    return kin__pb_is_many(row) || !(is_zero_time || kin__pb_is_omitted(row, field));
}

static void note_absent(kin__pb_finder *f, const level *here, uint64_t absent)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(here->message, &count);

    for (size_t i = 0; i < count && absent != 0; i++) {
        if ((rows[i].flags & (KIN__PB_OMITEMPTY | KIN__PB_INLINE)) == 0 && rows[i].number != 0 &&
            (absent >> rows[i].number & 1) != 0 && kin__pb_is_nil_null(here->message, &rows[i]) &&
            judge(f, here, rows[i].number).verdict == KIN__MASK_NOTHING) {
            note_cut(f, here, rows[i].number);
        }
    }
}

static void note_cut(kin__pb_finder *f, const level *here, uint32_t number)
{
    if (is_in_managed(here, number)) {
        return;
    }
    f->known->flags |= KIN__OBJECT_PARTIAL;
    if (here->in_list) {
        f->known->flags |= KIN__OBJECT_PARTIAL_ARRAY;
    }
}

/* Whether a field of that number lies in metadata.managedFields, or is it. */
static bool is_in_managed(const level *here, uint32_t number)
{
    return here->in_managed ||
           (here->scope == KIN__PB_SCOPE_METADATA && number == KIN__PB_MANAGED_FIELDS);
}

static uint32_t place_of(const kin__pb_finder *f, const uint8_t *at)
{
    return (uint32_t) ((const char *) at - f->item->bytes.data);
}

static const uint8_t *end_of(const kin__pb_finder *f, const kin__pb_field *field)
{
    kin_str bytes = f->item->bytes;
    kin__pb_reader reader = kin__pb_read(field->start, bytes.len - place_of(f, field->start));
    kin__pb_field again;

    if (field->wire == KIN__PB_LEN) {
        return field->bytes + field->len;
    }
    (void) kin__pb_next(&reader, &again);
    return reader.at;
}
