/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - finding the columns of a built-in kind.
 */
#include "server/columns.h"

#include "server/columns_row.h"

static const kin__column default_columns[] = {
    COLUMN_NAME,
    COLUMN("Created At", "date", "", DESCRIBES_AGE, 0, kin__print_created, NULL, NULL),
};

static const kin__columns default_kind = {
    .columns = default_columns,
    .count = sizeof default_columns / sizeof default_columns[0],
    .is_null_when_empty = true,
};

static const kin__columns_set *const sets[] = {
    &kin__columns_core,   &kin__columns_workload, &kin__columns_network, &kin__columns_storage,
    &kin__columns_access, &kin__columns_system,   &kin__columns_devices,
};

const kin__columns *kin__columns_of(kin_str group, kin_str kind)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        for (size_t j = 0; j < sets[i]->count; j++) {
            const kin__columns *columns = &sets[i]->kinds[j];
            if (kin__str_equal(columns->kind, kind) && kin__str_equal(columns->group, group)) {
                return columns;
            }
        }
    }
    return &default_kind;
}
