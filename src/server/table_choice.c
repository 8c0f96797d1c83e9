/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_choice.c - columns by kind or definition, and includeObject.
 */
#include "server/table_choice.h"

#include <string.h>

#include "base/str.h"
#include "server/quote.h"

static bool read_include(const char *text, kin__table_include *out);
static bool refuse_include(const char *text, kin__refusal *no);

bool kin__table_choose(const kin__asked *asked, kin__table_choice *out, kin__refusal *no)
{
    const kin__served *served = asked->route.served;
    kin_error ignored;

    *out = (kin__table_choice){ .api_version = asked->form.is_v1beta1 ? STR("meta.k8s.io/v1beta1")
                                                                      : STR(KIN__META_V1) };
    if (!read_include(asked->params.include_object, &out->include)) {
        return refuse_include(asked->params.include_object, no);
    }
    if (served->definition == NULL) {
        out->columns = kin__columns_of(served->group, served->kind);
        return true;
    }
    if (kin__columns_from_crd(served->definition->object, served->version, &out->custom,
                              &ignored)) {
        return kin__refuse_no_memory(no);
    }
    out->columns = out->custom;
    return true;
}

void kin__table_choice_fini(kin__table_choice *choice)
{
    kin__columns_free(choice->custom);
    choice->custom = NULL;
}

static bool read_include(const char *text, kin__table_include *out)
{
    if (text == NULL || *text == '\0' || strcmp(text, "Metadata") == 0) {
        *out = KIN__TABLE_METADATA;
        return true;
    }
    if (strcmp(text, "Object") == 0 || strcmp(text, "None") == 0) {
        *out = *text == 'O' ? KIN__TABLE_OBJECT : KIN__TABLE_NOTHING;
        return true;
    }
    return false;
}

static bool refuse_include(const char *text, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf quoted = { 0 };

    kin__quote_append(kin_str_of(text), &quoted);
    if (kin__buf_failed(&quoted)) {
        return kin__refuse_no_memory(no);
    }
    (void) kin__refuse_bad_request(
        no,
        "Unable to convert to Table as requested: includeObject: Invalid "
        "value: %.*s: must be 'Metadata', 'Object', 'None', or empty",
        (int) quoted.len, quoted.data);
    no->is_pretty = true;
    return false;
}
