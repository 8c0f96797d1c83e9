/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meaning.c - what a field means, by the row that describes it.
 */
#include "proto/meaning.h"

#include "base/str.h"

static bool is_removed(kin__pb_message message, const kin__pb_row *row);

bool kin__pb_is_nullable(const kin__pb_row *row)
{
    return (row->flags & KIN__PB_POINTER) != 0 || kin__pb_is_many(row) ||
           row->type == KIN__PB_BYTES ||
           (row->type == KIN__PB_MESSAGE && kin__pb_special_of(row->message) == KIN__PB_STRINGS);
}

bool kin__pb_is_nil_null(kin__pb_message message, const kin__pb_row *row)
{
    return (row->flags & KIN__PB_OMITEMPTY) == 0 && kin__pb_is_nullable(row) &&
           !is_removed(message, row);
}

bool kin__pb_is_claim_template(const kin__pb_row *row)
{
    return (row->flags & KIN__PB_LIST) != 0 &&
           kin__str_equal(kin__pb_row_name(row), STR("volumeClaimTemplates"));
}

static bool is_removed(kin__pb_message message, const kin__pb_row *row)
{
    unsigned until = row->releases & 15u;
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    for (size_t i = 0; i < count && until != KIN__PB_LAST_RELEASE - KIN__PB_FIRST_RELEASE; i++) {
        if ((rows[i].releases & 15u) > until) {
            return true;
        }
    }
    return false;
}
