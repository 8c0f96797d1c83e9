/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/controller_state.h - what a controller is made of.
 */
#ifndef KIN_CACHE_CONTROLLER_STATE_H
#define KIN_CACHE_CONTROLLER_STATE_H

#include "cache/controller.h"

/* What a source has brought, and how far it is. */
typedef struct kin__controller_source {
    kin__controller *controller;
    size_t number;
    char *ns; /* owned, terminated; NULL: any */
    kin__delta_fifo *fifo;
    kin_view known;     /* open inside an input */
    kin__buf version;   /* the newest that came */
    kin__buf other_key; /* scratch */
    bool has_version;   /* it is not in the store yet */
    bool is_synced;

    /* Of the open batch. */
    kin__delta_line batch;
    size_t at;           /* which key comes next; one behind it while `delta` is not 0 */
    size_t delta;        /* which of its deltas */
    bool are_gone_told;  /* deletions of a replace are through */
    bool is_version_set; /* in the batch */
    bool syncs;          /* it has synced with this batch */
} kin__controller_source;

struct kin__controller {
    kin_store *store;
    kin__controller_options options;
    kin__version_waits waits;
    bool is_open;      /* a batch is; paused in the store outside of calls */
    bool is_published; /* one was, and nobody has been told */
    uint64_t version;  /* of that one, in the store */
    size_t staged;     /* notifications of the open batch */
    bool is_synced;
    size_t count;
    kin__controller_source sources[];
};

/* Goes on with the open batch, and publishes it.  Fails as kin__controller_process(). */
kin_err kin__controller_finish_batch(kin__controller *controller, kin_error *err) KIN_MUST_CHECK;

/* Fills in what comes from reflectors into the source's fifo. */
kin_err kin__controller_source_init(kin__controller_source *source, kin_error *err) KIN_MUST_CHECK;
void kin__controller_source_fini(kin__controller_source *source);

kin_err kin__controller_source_resync(kin__controller_source *source,
                                      kin_error *err) KIN_MUST_CHECK;

/* Whether two objects with one key are the same version of the same. */
bool kin__controller_is_same(const kin_object *a, const kin_object *b);

/* Tells that an object is refused. */
void kin__controller_refuse(kin__controller *controller, const kin_object *object,
                            const kin_error *err);

#endif /* KIN_CACHE_CONTROLLER_STATE_H */
