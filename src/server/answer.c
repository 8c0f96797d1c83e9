/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - one object in the form that was asked for.
 */
#include "base/str.h"
#include "proto/envelope.h"
#include "server/deed.h"
#include "server/frame.h"
#include "server/indent.h"
#include "server/record_form.h"
#include "server/record_version.h"
#include "server/table_choice.h"

static kin__record *shown_of(const kin__asked *asked, kin__record *record);
static bool write_table(const kin__asked *asked, const kin_object *object, kin__buf *out,
                        kin__refusal *no);
static bool write_json(kin_str json, bool is_pretty, kin__buf *out);

void kin__answer_fini(kin__answer *answer)
{
    kin__answer_reset(answer);
    kin__buf_fini(&answer->words);
    answer->warning_count = 0;
}

void kin__answer_reset(kin__answer *answer)
{
    if (answer->body.next != NULL) {
        answer->body.release(answer->body.context);
    }
    kin__buf_fini(&answer->bytes);
    answer->body = (kin__body){ 0 };
    answer->bytes = (kin__buf){ 0 };
    answer->status = 0;
    answer->content_type = NULL;
    answer->field_count = 0;
    answer->is_upgrade = false;
    answer->wait_ms = 0;
}

bool kin__answer_object(kin__asked *asked, kin__record *record, int status, kin__answer *answer,
                        kin__refusal *no)
{
    const kin__served *served = asked->route.served;
    AUTO(kin__record_unref) kin__record *shown = shown_of(asked, record);
    const kin__form *form = &asked->form;
    kin_str bytes;

    if (shown == NULL) {
        return kin__refuse_no_memory(no);
    }
    if (!kin__form_check_shape(form, served, false, no)) {
        return false;
    }
    answer->status = status;
    if (form->shape == KIN__SHAPE_TABLE) {
        return write_table(asked, shown->object, &answer->bytes, no);
    }
    if (!kin__record_form(shown, served, form, &bytes)) {
        return kin__refuse_no_memory(no);
    }
    if (form->encoding == KIN__FORM_JSON) {
        return write_json(bytes, form->is_pretty, &answer->bytes) || kin__refuse_no_memory(no);
    }
    kin__frame_kind kind = kin__frame_kind_of(served, form);
    return kin__pb_envelope_append(kind.api_version, kind.kind, bytes, &answer->bytes) ||
           kin__refuse_no_memory(no);
}

bool kin__record_message(kin__record *record, const kin__served *served, kin_str *out)
{
    static const kin__form form = { .encoding = KIN__FORM_PROTO };

    return kin__record_form(record, served, &form, out);
}

/* In the version that was asked for, and as large as a fault makes it; a new reference, NULL when
 * there is no memory. */
static kin__record *shown_of(const kin__asked *asked, kin__record *record)
{
    AUTO(kin__record_unref) kin__record *shown = kin__record_for(asked->route.served, record);

    if (shown != NULL && asked->spoil.act == KIN__SPOIL_OVERSIZE && asked->spoil.after == 0) {
        return kin__record_enlarged(shown, asked->spoil.size);
    }
    return STEAL(shown);
}

static bool write_table(const kin__asked *asked, const kin_object *object, kin__buf *out,
                        kin__refusal *no)
{
    AUTO(kin__table_choice_fini) kin__table_choice choice = { 0 };
    AUTO(kin__buf_fini) kin__buf compact = { 0 };
    kin__json_writer w = { &compact, false };
    kin_error err;

    if (!kin__table_choose(asked, &choice, no)) {
        return false;
    }
    kin__table table = { .w = &w,
                         .columns = choice.columns,
                         .api_version = choice.api_version,
                         .include = choice.include,
                         .now = kin__clock_wall(asked->engine->clock) };
    if (kin__table_object(&table, object, true, &err) != KIN_OK || kin__buf_failed(&compact) ||
        !write_json(kin__str(compact.data, compact.len), asked->form.is_pretty, out)) {
        return kin__refuse_no_memory(no);
    }
    return true;
}

/* Only what is not indented ends with a newline. */
static bool write_json(kin_str json, bool is_pretty, kin__buf *out)
{
    if (is_pretty) {
        kin__indent_append(json, out);
    } else {
        (void) kin__buf_append_str(out, json);
        (void) kin__buf_append_byte(out, '\n');
    }
    return !kin__buf_failed(out);
}
