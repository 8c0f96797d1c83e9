/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - versions that are held.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "cache/garbage.h"
#include "cache/store_state.h"

kin_err kin_store_snapshot(const kin_store *store, kin_snapshot **out, kin_error *err)
{
    kin_error unwanted;
    err = kin__error_or(err, &unwanted);
    kin_snapshot *snapshot = kin__alloc(sizeof *snapshot);
    if (snapshot == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "take a snapshot");
    }
    /* What the store shows is no part of what the caller promised not to change. */
    kin__garbage_add(store->garbage, snapshot, &((kin_store *) store)->current);
    *out = snapshot;
    return KIN_OK;
}

void kin__snapshot_renew(kin_snapshot *snapshot, const kin_store *store)
{
    kin__garbage_remove(snapshot);
    kin__garbage_add(store->garbage, snapshot, &((kin_store *) store)->current);
}

void kin_snapshot_free(kin_snapshot *snapshot)
{
    if (snapshot != NULL) {
        kin__garbage_remove(snapshot);
        kin__free(snapshot);
    }
}

const kin_view *kin_snapshot_view(const kin_snapshot *snapshot)
{
    return &snapshot->view;
}
