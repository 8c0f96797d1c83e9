/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_undirect.c - a part of a strategic merge patch without its directives.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "server/strategic_state.h"

static kin_err undirect_object(kin__node *node, kin_error *err);
static kin_err undirect_array(kin__node *node, kin_error *err);

kin_err kin__strategic_undirect(kin__node *node, bool *out_stays, kin_error *err)
{
    *out_stays = kin__node_member(node, STR(KIN__STRATEGIC_PATCH)) == NULL;
    if (!*out_stays || kin__node_count(node) == 0) {
        return KIN_OK;
    }
    return kin__node_type(node) == KIN_TYPE_OBJECT ? undirect_object(node, err)
                                                   : undirect_array(node, err);
}

/* An object that is walked must not change, so the names of those that go are noted first. */
static kin_err undirect_object(kin__node *node, kin_error *err)
{
    kin_str *gone = kin__alloc_zero(kin__node_count(node), sizeof *gone);
    kin__node_iter iter = { 0 };
    size_t count = 0;
    kin_err code = gone == NULL ? kin__error_no_memory(err) : KIN_OK;

    while (code == KIN_OK && kin__node_next(node, &iter)) {
        bool stays = true;
        code = kin__strategic_undirect(iter.value, &stays, err);
        if (!stays) {
            gone[count++] = iter.name;
        }
    }
    for (size_t i = 0; i < count; i++) {
        kin__node_remove_member(node, gone[i]);
    }
    kin__free(gone);
    return code;
}

/* All elements are taken out, the last one first, and those that stay put back. */
static kin_err undirect_array(kin__node *node, kin_error *err)
{
    size_t count = kin__node_count(node);
    kin__node **elements = kin__alloc_zero(count, sizeof(kin__node *));
    kin_err code = elements == NULL ? kin__error_no_memory(err) : KIN_OK;

    for (size_t i = count; code == KIN_OK && i-- > 0;) {
        elements[i] = kin__node_take_element(node, i);
    }
    for (size_t i = 0; elements != NULL && i < count; i++) {
        bool stays = true;
        if (code == KIN_OK) {
            code = kin__strategic_undirect(elements[i], &stays, err);
        }
        if (code == KIN_OK && stays) {
            code = kin__node_append(node, elements[i], err);
        }
        if (code != KIN_OK || !stays) {
            kin__node_free(elements[i]);
        }
    }
    kin__free(elements);
    return code;
}
