/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_form.c - forms of a record, made when first asked for.
 */
#include "server/record_form.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/tree.h"
#include "object/object.h"
#include "proto/parse.h"
#include "server/codec.h"
#include "server/partial.h"

#define ANNOTATION "kin.test/oversize"

static bool make(const kin__record *record, const kin__served *served, const kin__form *form,
                 kin__buf *out);
static bool write_plain(const kin_object *object, const kin__served *served,
                        kin__form_encoding encoding, kin__buf *out);
static bool write_partial(const kin_object *object, const kin__form *form, kin__buf *out);
static bool set_annotation(kin__node *tree, uint64_t size);
static kin__node *member_made(kin__node *object, kin_str name);

bool kin__record_form(kin__record *record, const kin__served *served, const kin__form *form,
                      kin_str *out)
{
    bool is_proto = form->encoding == KIN__FORM_PROTO;
    bool is_plain = form->shape == KIN__SHAPE_PLAIN;
    AUTO(kin__buf_fini) kin__buf made = { 0 };
    kin_error ignored;

    if (is_plain && !is_proto) {
        *out = kin__record_text(record);
        return true;
    }
    int place = is_plain           ? KIN__RECORD_PROTO
                : is_proto         ? KIN__RECORD_PARTIAL_PROTO
                : form->is_v1beta1 ? KIN__RECORD_PARTIAL_BETA
                                   : KIN__RECORD_PARTIAL;
    if (record->forms[place].data == NULL) {
        if (!make(record, served, form, &made) ||
            kin__buf_take(&made, &record->forms[place].data, &record->forms[place].len, &ignored)) {
            return false;
        }
    }
    *out = kin__str(record->forms[place].data, record->forms[place].len);
    return true;
}

bool kin__object_form(const kin_object *object, const kin__served *served, const kin__form *form,
                      kin__buf *out)
{
    return form->shape == KIN__SHAPE_PLAIN ? write_plain(object, served, form->encoding, out)
                                           : write_partial(object, form, out);
}

kin__record *kin__record_enlarged(const kin__record *record, uint64_t size)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_object *object = NULL;
    kin__record *out = NULL;
    kin_error ignored;

    if (kin__node_from_json(kin__json_of(kin__record_text(record)), &tree, &ignored) ||
        !set_annotation(tree, size) || !kin__node_append_json(tree, &text) ||
        kin_object_from_json(text.data, text.len, NULL, &object, &ignored)) {
        return NULL;
    }
    if (kin__record_new(object, record->head_len, record->revision, &out, &ignored)) {
        kin_object_unref(object);
        return NULL;
    }
    return out;
}

/* An empty form takes a byte, so that it is known to have been made. */
static bool make(const kin__record *record, const kin__served *served, const kin__form *form,
                 kin__buf *out)
{
    return kin__buf_reserve(out, 1) && kin__object_form(record->object, served, form, out);
}

static bool write_plain(const kin_object *object, const kin__served *served,
                        kin__form_encoding encoding, kin__buf *out)
{
    kin_str text = kin__object_bytes(object);
    kin_error ignored;

    if (encoding == KIN__FORM_JSON) {
        return kin__buf_append_str(out, text);
    }
    return kin__pb_from_json_in(KIN__CODEC_RELEASE, served->message, kin__json_of(text), out,
                                &ignored) == KIN_OK;
}

static bool write_partial(const kin_object *object, const kin__form *form, kin__buf *out)
{
    kin__json_writer w = { out, false };
    kin_error ignored;

    if (form->encoding == KIN__FORM_PROTO) {
        return kin__partial_message(object, out, &ignored) == KIN_OK;
    }
    return kin__partial_write(&w, object,
                              form->is_v1beta1 ? STR("meta.k8s.io/v1beta1") : STR(KIN__META_V1),
                              &ignored) == KIN_OK &&
           !kin__buf_failed(out);
}

static bool set_annotation(kin__node *tree, uint64_t size)
{
    kin__node *metadata = member_made(tree, STR("metadata"));
    kin__node *annotations = metadata == NULL ? NULL : member_made(metadata, STR("annotations"));
    AUTO(kin__node_free) kin__node *value = NULL;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_error ignored;

    if (annotations == NULL || !kin__buf_reserve(&text, size)) {
        return false;
    }
    memset(text.data, 'x', size);
    if (kin__node_string(kin__str(text.data, size), &value, &ignored) ||
        kin__node_set_member(annotations, STR(ANNOTATION), value, &ignored)) {
        return false;
    }
    value = NULL; /* the tree has it */
    return true;
}

/* The member, an object; made when it is not there. */
static kin__node *member_made(kin__node *object, kin_str name)
{
    kin__node *member = kin__node_member(object, name);
    kin_error ignored;

    if (member != NULL && kin__node_type(member) == KIN_TYPE_OBJECT) {
        return member;
    }
    if (kin__node_container(KIN_TYPE_OBJECT, &member, &ignored)) {
        return NULL;
    }
    if (kin__node_set_member(object, name, member, &ignored)) {
        kin__node_free(member);
        return NULL;
    }
    return member;
}
