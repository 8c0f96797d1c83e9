/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_version.c - the slow way from one version to another: through a tree and the codec.
 */
#include "server/record_version.h"

#include "base/str.h"
#include "server/codec.h"
#include "server/conversion.h"
#include "server/custom.h"
#include "server/field.h"

static bool is_outdated(const kin__served *served, const kin__record *record);
static bool write_text(const kin__served *served, const kin__record *record, kin__buf *out);

uint32_t kin__record_head_len(const kin__served *served)
{
    static const size_t frame = sizeof "{\"kind\":\"\",\"apiVersion\":\"\"," - 1;

    return (served->traits & KIN__IS_CUSTOM) != 0
               ? 0
               : (uint32_t) (frame + served->kind.len + served->api_version.len);
}

bool kin__record_is_in_version(const kin__served *served, const kin__record *record)
{
    return kin__records_are_native(served) ||
           (kin__str_equal(kin_object_api_version(record->object), served->api_version) &&
            !is_outdated(served, record));
}

kin__record *kin__record_for(const kin__served *served, kin__record *record)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_object *object = NULL;
    kin__record *made = NULL;
    kin_error err;

    if (kin__record_is_in_version(served, record)) {
        return kin__record_ref(record);
    }
    if (!write_text(served, record, &text) ||
        kin_object_from_json(text.data, text.len, NULL, &object, &err) != KIN_OK) {
        return NULL;
    }
    if (kin__record_new(object, kin__record_head_len(served), record->revision, &made, &err) !=
        KIN_OK) {
        kin_object_unref(object);
        return NULL;
    }
    return made;
}

/* Whether the definition has been written since. */
static bool is_outdated(const kin__served *served, const kin__record *record)
{
    return served->definition != NULL && served->definition->revision > record->revision;
}

static bool write_text(const kin__served *served, const kin__record *record, kin__buf *out)
{
    const kin__codec_kind kind = { served->api_version, served->kind, served->message };
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin__record_text(record));
    AUTO(kin__node_free) kin__node *known = NULL;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    kin_error err;

    if (tree == NULL || !kin__convert_from_stored(served, tree) ||
        !kin__field_set_text(tree, "apiVersion", served->api_version) ||
        (is_outdated(served, record) && !kin__custom_conform(served, tree)) ||
        !kin__node_append_json(tree, &text)) {
        return false;
    }
    const kin__codec_body body = { kin__str(text.data, text.len), false, KIN__FIELDS_IGNORE };
    return kin__codec_decode(&kind, &body, &known, &warnings, &no) &&
           kin__codec_encode(&kind, known, out, &err) == KIN_OK;
}
