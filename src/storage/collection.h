/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage/collection.h - what a collection consists of, for the files of this layer.
 */
#ifndef KIN_STORAGE_COLLECTION_H
#define KIN_STORAGE_COLLECTION_H

#include "base/list.h"
#include "storage/history.h"
#include "storage/order.h"
#include "storage/storage.h"

struct kin__storage {
    uint64_t revision;
    uint64_t compacted;
    size_t history_max;
    void (*release_frames)(void *frames);
    kin__list collections;
};

struct kin__collection {
    kin__link link;
    kin__storage *storage;
    kin__order order;               /* holds a reference of each record */
    kin__history history;           /* and so does this */
    void (*changed)(void *context); /* NULL: nobody listens */
    void *context;
};

#endif /* KIN_STORAGE_COLLECTION_H */
