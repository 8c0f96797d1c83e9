/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/list_watcher.h - informers of anything that can be listed and watched.
 *
 * An informer asks two things of where its objects are: a list of all there are, and a watch of
 * what changes from there on.  An API server does both (kin/client.h).  So can a program: files in
 * a directory, another cluster's objects, a recording (examples/09_replay.c), the state of a test.
 *
 *     kin_list_watcher mine = KIN_LIST_WATCHER_INIT;
 *     mine.context = ...;
 *     mine.start = ...;
 *     mine.cancel = ...;
 *     kin_source_new(loop, &mine, &source, &err);
 *
 *     kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
 *     options.of = resource;                                   of kin_resource_new()
 *     kin_informer_new_of_source(source, &options, &informer, &err);
 *
 * What a list watcher has to keep to
 *   - Every change has a version: a decimal number, higher than all before.  Objects carry theirs
 *     (metadata.resourceVersion).
 *   - A list is a state that was there, and its version is told with its end (kin_reply).  It may
 *     ignore `limit`, and what the request says of versions as long as it gives the newest state.
 *   - A watch tells in order what happened after the request's version; one that does not know that
 *     any more ends with EXPIRED, and is asked for a list.
 * In return it is asked for one thing at a time by each informer (by each of its namespaces), after
 * waits that grow while it fails; nothing is lost when a watch ends, however it does.
 *
 * Threading: its functions are called on the loop, and it calls the handler's on the loop; who has
 * news elsewhere brings it there with kin_loop_post().
 */
#ifndef KIN_LIST_WATCHER_H
#define KIN_LIST_WATCHER_H

#include "kin/informer.h"

KIN_BEGIN_DECLS

typedef struct kin_list_watcher {
    size_t size; /* set by KIN_LIST_WATCHER_INIT */
    void *context;

    /*
     * Begins a list or a watch, as the verb of `request` says (KIN_VERB_LIST, KIN_VERB_WATCH).  Of
     * the request these matter: `of`, `ns` and the selectors, `resource_version` (of a watch: where
     * it goes on from), `limit` and `continue_token`, `initial_events` (with KIN_START_WATCH_LIST
     * only), `mask` (what will be read of the objects; it need not be applied).
     *
     * What comes is told to `handler` (copied), after this has returned: each object of a list by
     * on_object; of a watch on_open when it stands, then each event by on_event; and in the end
     * on_done, once.  `out_call` is what cancel() is to be given.
     *
     * Fails with `err` set: then the handler is not called, and it is tried again later.
     */
    kin_err (*start)(void *context, const kin_request *request, const kin_handler *handler,
                     void **out_call, kin_error *err);

    /* Ends what start() has begun: on_done follows, with CANCELLED, after this has returned.  Not
     * called when on_done has been. */
    void (*cancel)(void *context, void *call);
} kin_list_watcher;

#define KIN_LIST_WATCHER_INIT                                                                      \
    {                                                                                              \
        sizeof(kin_list_watcher), NULL, NULL, NULL                                                 \
    }

/* What informers of a list watcher share: as the client is for those of a server. */
typedef struct kin_source kin_source;

/*
 * loop     borrowed until the source is freed; run by whoever likes
 * watcher  copied; both functions are needed
 * out      owned by the caller; release with kin_source_free()
 *
 * Fails with USAGE, NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_source_new(kin_loop *loop, const kin_list_watcher *watcher,
                                              kin_source **out, kin_error *err);

/* Its informers have been freed before; waits for those whose freeing was deferred.  From a loop, a
 * handler or an index function it is freed later, as a client is.  In a forked child it does
 * nothing. NULL is ignored. */
KIN_API void kin_source_free(kin_source *source);

/*
 * As kin_informer_new().  The resource is to be given by `of`, because nobody can be asked what a
 * name means; with KIN_START_AUTO, the whole state is fetched by a list.  The source is borrowed
 * until the informer is freed.
 */
KIN_API KIN_MUST_CHECK kin_err kin_informer_new_of_source(kin_source *source,
                                                          const kin_informer_options *options,
                                                          kin_informer **out, kin_error *err);

KIN_END_DECLS
#endif /* KIN_LIST_WATCHER_H */
