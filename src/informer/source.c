/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - informers of a program's list watcher: a caller that calls it.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/options.h"
#include "base/thread.h"
#include "informer/informer.h"
#include "kin/list_watcher.h"
#include "net/loop.h"

struct kin_source {
    kin_loop *loop;
    kin_list_watcher watcher;
    kin__pool *pool;
    _Atomic uint64_t made; /* informers */
    kin__thread freer;     /* where it is freed when whoever asked for that cannot wait */
};

/* What stands for a kin_call. */
typedef struct call {
    const kin_source *source;
    void *its; /* the watcher's */
} call;

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err);
static void cancel(kin_call *its);
static void release(kin_call *its);
static uint64_t seed_of(kin_source *source);
static void free_alone(void *context);
static void free_now(kin_source *source);

kin_err kin_source_new(kin_loop *loop, const kin_list_watcher *watcher, kin_source **out,
                       kin_error *err)
{
    kin_error unwanted;
    kin_list_watcher ours;

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&ours, sizeof ours, watcher, "kin_list_watcher", err) != KIN_OK) {
        return kin__error_prefix(err, "make a source");
    }
    if (ours.start == NULL || ours.cancel == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make a source: kin_list_watcher: `start` and `cancel` are needed");
    }
    if (kin__loop_is_forked(loop)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make a source: not on a loop from before a fork");
    }
    kin_source *source = kin__alloc_zero(1, sizeof *source);
    if (source == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a source");
    }
    source->loop = loop;
    source->watcher = ours;
    if (kin__pool_new(NULL, &source->pool, err) != KIN_OK) {
        kin__free(source);
        return kin__error_prefix(err, "make a source");
    }
    *out = source;
    return KIN_OK;
}

void kin_source_free(kin_source *source)
{
    kin_error err;

    if (source == NULL || kin__loop_is_forked(source->loop)) {
        return;
    }
    if (!kin__inside_is_any()) {
        free_now(source);
        return;
    }
    kin__loop_hold(source->loop);
    if (kin__thread_start_alone(&source->freer, "kin-free", free_alone, source, &err) != KIN_OK) {
        kin__loop_let_go(source->loop);
        kin__log(kin__loop_logger(source->loop), KIN_LOG_ERROR, "source", "not freed: %s",
                 err.message);
    }
}

/* In place of somebody who could not wait. */
static void free_alone(void *context)
{
    kin_source *source = context;
    kin_loop *loop = source->loop;

    free_now(source);
    kin__loop_let_go(loop);
}

static void free_now(kin_source *source)
{
    kin__pool_free(source->pool);
    kin__free(source);
}

/* Objects come as they are: a streaming list is worth it only where bytes are decoded. */
kin_err kin_informer_new_of_source(kin_source *source, const kin_informer_options *options,
                                   kin_informer **out, kin_error *err)
{
    kin_error unwanted;
    kin_informer_options ours;
    kin__informer_parts parts = {
        .loop = source->loop,
        .caller = { source, NULL, start, cancel, release },
        .pool = source->pool,
        .logger = KIN_LOGGER_INIT,
        .seed = seed_of(source),
    };

    err = kin__error_or(err, &unwanted);
    if (kin__options_read(&ours, sizeof ours, options, "kin_informer_options", err) != KIN_OK) {
        return kin__error_prefix(err, "make an informer");
    }
    if (ours.of == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make an informer: kin_informer_options: `of` is needed, where no "
                              "server can be asked what a name means");
    }
    if (kin__loop_is_forked(source->loop)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make an informer: not of a source from before a fork");
    }
    ours.start = ours.start == KIN_START_AUTO ? KIN_START_LIST : ours.start;
    return kin__informer_make(&parts, &ours, out, err);
}

static kin_err start(void *context, const kin_request *request, const kin_handler *handler,
                     const kin__call_options *options, kin_call **out, kin_error *err)
{
    const kin_source *source = context;
    call *mine = kin__alloc_zero(1, sizeof *mine);

    (void) options;
    if (mine == NULL) {
        return kin__error_no_memory(err);
    }
    mine->source = source;
    *err = (kin_error){ 0 };
    kin_err code =
        source->watcher.start(source->watcher.context, request, handler, &mine->its, err);
    if (code != KIN_OK) {
        kin__free(mine);
        return kin__error_told(err, code, "the list watcher");
    }
    *out = (kin_call *) (void *) mine;
    return KIN_OK;
}

static void cancel(kin_call *its)
{
    const call *mine = (const call *) (void *) its;
    const kin_list_watcher *watcher = &mine->source->watcher;

    watcher->cancel(watcher->context, mine->its);
}

static void release(kin_call *its)
{
    kin__free(its);
}

/* Another one for each informer. */
static uint64_t seed_of(kin_source *source)
{
    uint64_t number = atomic_fetch_add_explicit(&source->made, 1, memory_order_relaxed);

    return kin__hash(&number, sizeof number, kin__hash_seed());
}
