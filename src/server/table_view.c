/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_view.c - events with Tables of one row.
 */
#include "server/table_view.h"

#include "base/alloc.h"
#include "base/str.h"
#include "server/table_choice.h"

struct kin__table_view {
    const kin__clock *clock;
    kin__table_choice choice;
    bool has_begun; /* the columns were told */
};

bool kin__table_view_new(const kin__asked *asked, kin__table_view **out, kin__refusal *no)
{
    kin__table_view *view = kin__alloc_zero(1, sizeof *view);

    if (view == NULL) {
        return kin__refuse_no_memory(no);
    }
    view->clock = asked->engine->clock;
    if (!kin__table_choose(asked, &view->choice, no)) {
        kin__free(view);
        return false;
    }
    *out = view;
    return true;
}

void kin__table_view_free(kin__table_view *view)
{
    if (view != NULL) {
        kin__table_choice_fini(&view->choice);
        kin__free(view);
    }
}

kin__frame *kin__table_view_frame(kin__table_view *view, kin__event_type type,
                                  const kin_object *object)
{
    static const kin__frame_kind kind; /* JSON needs none */
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin__json_writer w = { &text, false };
    kin__table table = { .w = &w,
                         .columns = view->choice.columns,
                         .api_version = view->choice.api_version,
                         .include = view->choice.include,
                         .now = kin__clock_wall(view->clock) };
    kin_error ignored;

    if (kin__table_object(&table, object, !view->has_begun, &ignored) || kin__buf_failed(&text)) {
        return NULL;
    }
    view->has_begun = true;
    return kin__frame_new(type, KIN__FORM_JSON, &kind, kin__str(text.data, text.len));
}
