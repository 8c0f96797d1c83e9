/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_answer.c - lists as they are sent: piece by piece, or as a whole where they are indented or
 * a Table.
 */
#include "server/list_answer.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "server/indent.h"
#include "server/list_body.h"
#include "server/table_choice.h"

/* A row of a Table before it has its place. */
typedef struct list_row {
    const kin_object *object;
    size_t index;
} list_row;

static bool answer_table(kin__asked *asked, const kin__list_meta *meta, const kin__listing *listing,
                         kin__answer *answer, kin__refusal *no);
static bool write_table(const kin__asked *asked, const kin__table_choice *choice,
                        const kin__list_meta *meta, const kin__listing *listing, kin__buf *out);
static list_row *sort_rows(const kin__listing *listing, const kin__columns *columns);
static int compare_rows(const void *context, const void *a, const void *b);
static bool drain(kin__body *body, kin__buf *out);
static bool finish(bool is_pretty, kin_str compact, kin__answer *answer, kin__refusal *no);

bool kin__answer_list(kin__asked *asked, const kin__list_meta *meta, kin__listing *listing,
                      kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf compact = { 0 };
    const kin__list_body_options options = { asked->route.served, &asked->form, meta };
    kin__body body;

    if (!kin__form_check_shape(&asked->form, asked->route.served, true, no)) {
        return false;
    }
    if (asked->form.shape == KIN__SHAPE_TABLE) {
        return answer_table(asked, meta, listing, answer, no);
    }
    if (!kin__list_body_new(&options, listing, &body, no)) {
        return false;
    }
    if (!asked->form.is_pretty || asked->form.encoding != KIN__FORM_JSON) {
        answer->body = body;
        return true;
    }
    bool is_drained = drain(&body, &compact);
    body.release(body.context);
    if (!is_drained) {
        return kin__refuse_no_memory(no);
    }
    return finish(true, kin__str(compact.data, compact.len - 1), answer, no);
}

/* ---- Tables --------------------------------------------------------------------------------- */

static bool answer_table(kin__asked *asked, const kin__list_meta *meta, const kin__listing *listing,
                         kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__table_choice_fini) kin__table_choice choice = { 0 };
    AUTO(kin__buf_fini) kin__buf compact = { 0 };

    if (!kin__table_choose(asked, &choice, no)) {
        return false;
    }
    if (!write_table(asked, &choice, meta, listing, &compact)) {
        return kin__refuse_no_memory(no);
    }
    return finish(asked->form.is_pretty, kin__str(compact.data, compact.len), answer, no);
}

static bool write_table(const kin__asked *asked, const kin__table_choice *choice,
                        const kin__list_meta *meta, const kin__listing *listing, kin__buf *out)
{
    kin__json_writer w = { out, false };
    kin__table table = { .w = &w,
                         .columns = choice->columns,
                         .api_version = choice->api_version,
                         .include = choice->include,
                         .now = kin__clock_wall(asked->engine->clock) };
    list_row *rows = sort_rows(listing, choice->columns);
    kin_err code = rows == NULL ? KIN_ERR_NO_MEMORY : KIN_OK;
    kin_error err;

    kin__table_begin(&table, meta, true);
    for (size_t i = 0; code == KIN_OK && i < listing->count; i++) {
        code = kin__table_row(&table, rows[i].object, &err);
    }
    kin__table_end(&table);
    kin__free(rows);
    return code == KIN_OK && !kin__buf_failed(out);
}

/* As the columns ask for; NULL when there is no memory. */
static list_row *sort_rows(const kin__listing *listing, const kin__columns *columns)
{
    list_row *rows = kin__alloc_zero(listing->count, sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < listing->count; i++) {
        rows[i] = (list_row){ listing->records[i]->object, i };
    }
    if (columns->order != NULL) {
        kin__sort(rows, listing->count, sizeof *rows, compare_rows, columns);
    }
    return rows;
}

static int compare_rows(const void *context, const void *a, const void *b)
{
    const kin__columns *columns = context;
    const list_row *x = a;
    const list_row *y = b;
    int order = columns->order(x->object, y->object);

    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* ---- as a whole ----------------------------------------------------------------------------- */

static bool drain(kin__body *body, kin__buf *out)
{
    kin__body_state state = KIN__BODY_MORE;
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body->next(body->context, &pieces);
        for (size_t i = 0; i < pieces.count; i++) {
            (void) kin__buf_append_str(out, pieces.pieces[i]);
        }
    }
    return state == KIN__BODY_END && !kin__buf_failed(out);
}

/* Only what is not indented ends with a newline. */
static bool finish(bool is_pretty, kin_str compact, kin__answer *answer, kin__refusal *no)
{
    if (is_pretty) {
        kin__indent_append(compact, &answer->bytes);
    } else {
        (void) kin__buf_append_str(&answer->bytes, compact);
        (void) kin__buf_append_byte(&answer->bytes, '\n');
    }
    return !kin__buf_failed(&answer->bytes) || kin__refuse_no_memory(no);
}
