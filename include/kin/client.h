/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/client.h - talks to one API server: get, list, watch, create, update, patch, delete.
 *
 * For programs that want a thing once, and for writing.  Whoever wants to know a resource all the
 * time wants an informer.
 *
 * A client does its work on a loop (kin/loop.h).  Without one it makes its own, with a thread.
 * Connections, credentials and the list of resources the server has are shared by all calls.
 *
 *     kin_client *client;
 *     kin_object *pod;
 *     kin_error err;
 *
 *     if (kin_client_new(NULL, NULL, &client, &err) == KIN_OK &&
 *         kin_client_get(client, "pods", "shop", "web-0", &pod, &err) == KIN_OK) {
 *         ...
 *     }
 *
 * Every call has two forms: kin_client_run() waits for its end, kin_client_start() tells it to a
 * handler.  The functions named after a verb are short for the first.
 *
 * What it promises
 *   - Every call ends, in what the server said or in an error that tells what went wrong; when it
 *     is not to end by itself (a watch), it can be cancelled from any thread.
 *   - Answers of 429 and 5xx with Retry-After are tried again, up to 10 times and within the
 *     deadline; after a 401 credentials are renewed and it is tried once more.  Reads are also
 *     tried again when the connection was cut before an answer.  Nothing else is repeated.
 *   - An answer is decoded while it arrives.
 *
 * Threading: thread-safe.  Handlers run on the loop; a blocking call from there, or from another
 * loop or an index function, is refused with USAGE, because it might wait for itself.
 */
#ifndef KIN_CLIENT_H
#define KIN_CLIENT_H

#include "kin/common.h"
#include "kin/config.h"
#include "kin/loop.h"
#include "kin/object.h"
#include "kin/resource.h"

KIN_BEGIN_DECLS

typedef struct kin_client kin_client;

/* Zero means the default for every field. */
typedef struct kin_client_options {
    size_t size;                 /* set by KIN_CLIENT_OPTIONS_INIT */
    kin_loop *loop;              /* borrowed until the client is freed; NULL: one of its own, with a
                                    thread */
    kin_logger logger;           /* copied */
    kin_metrics *metrics;        /* NULL: nothing is counted */
    const char *user_agent;      /* NULL: "kinformer/VERSION" */
    double requests_per_second;  /* at most, watches excepted; 0: 50; below 0: no limit */
    uint32_t burst;              /* how many of them at once; 0: 100 */
    uint32_t connect_timeout_ms; /* 0: 30,000 */
    uint32_t dead_host_ms;       /* how long a host may not answer at all; 0: 45,000 */
    uint32_t connections;        /* at most; 0: 12 with HTTP/2, 1,024 with HTTP/1.1 */
    bool http1_only;
    bool no_compression; /* do not ask for gzip */
} kin_client_options;

#define KIN_CLIENT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(kin_client_options), NULL, KIN_LOGGER_INIT, NULL, NULL, 0, 0, 0, 0, 0, false, false \
    }

/*
 * config   referenced; NULL: kin_config_load() with its defaults
 * options  borrowed for the call; NULL for the defaults
 * out      owned by the caller; release with kin_client_free()
 *
 * Talks to nobody yet.  Fails as kin_config_load(); SYSTEM, LIMIT, USAGE, NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_client_new(const kin_config *config,
                                              const kin_client_options *options, kin_client **out,
                                              kin_error *err);

/* Cancels what is under way: each handler still hears its on_done, before this returns.  Handlers
 * may go on using the client until then; no thread may, or be in a call that waits.  From a loop,
 * a handler of an informer or an index function it is freed when that has returned, by a thread
 * called "kin-free"; a loop of the program may be freed meanwhile.  When there are no more threads
 * nothing is freed, and an error is logged.  In a forked child only memory goes, and nobody hears
 * of it.  NULL is ignored. */
KIN_API void kin_client_free(kin_client *client);

/* Borrowed from the client. */
KIN_API const kin_config *kin_client_config(const kin_client *client);
KIN_API kin_loop *kin_client_loop(const kin_client *client);

/* ---- what to ask ------------------------------------------------------------------------- */

typedef enum kin_verb {
    KIN_VERB_GET = 1,
    KIN_VERB_LIST = 2,
    KIN_VERB_WATCH = 3,
    KIN_VERB_CREATE = 4,
    KIN_VERB_UPDATE = 5,
    KIN_VERB_PATCH = 6,
    KIN_VERB_DELETE = 7,
    KIN_VERB_DELETE_COLLECTION = 8
} kin_verb;

typedef enum kin_patch_type {
    KIN_PATCH_MERGE = 0, /* RFC 7386; what kin_edit makes */
    KIN_PATCH_JSON = 1,  /* RFC 6902 */
    KIN_PATCH_STRATEGIC = 2,
    KIN_PATCH_APPLY = 3 /* server-side apply: JSON or YAML; needs field_manager */
} kin_patch_type;

typedef enum kin_encoding {
    KIN_ENCODING_AUTO = 0, /* protobuf for kinds that this library knows in it, else JSON */
    KIN_ENCODING_JSON = 1,
    KIN_ENCODING_PROTOBUF = 2 /* an error for kinds that are not known in it */
} kin_encoding;

/*
 * One call.  Zero means absent or the default for every field.  All pointers are borrowed for the
 * call that takes the request.
 */
typedef struct kin_request {
    size_t size; /* set by KIN_REQUEST_INIT */
    kin_verb verb;
    kin_encoding encoding;

    /* Of which resource: one of these. */
    const char *resource;   /* as people write it: "pods", "po", "Pod", "deployments.apps",
                               "deployments.v1.apps" */
    const kin_resource *of; /* or as it is known */

    /* Of which object.  Without a namespace: all of them for list and watch; for delete collection
     * it is an error, because servers delete within one; else that of `object`, else the
     * configuration's.  Ignored where the resource has none. */
    const char *ns;
    const char *name;        /* NULL: that of `object` */
    const char *subresource; /* "status", "scale" */

    /* LIST, WATCH, DELETE_COLLECTION. */
    const char *label_selector;
    const char *field_selector;
    const char *resource_version;       /* also of GET */
    const char *resource_version_match; /* "Exact", "NotOlderThan" */
    const char *continue_token;
    int64_t limit;            /* LIST: how many objects to a page; 0: all in one */
    bool one_page;            /* LIST: end after one page; the reply has the token for the next */
    bool no_bookmarks;        /* WATCH: do not ask for them */
    int8_t initial_events;    /* WATCH: 1: sendInitialEvents=true (a streaming list, with
                                 resourceVersionMatch=NotOlderThan unless set), -1: =false */
    uint32_t timeout_seconds; /* WATCH: when the server is to end it; 0: as it likes */

    /* CREATE, UPDATE, PATCH.  What to send: an object, or bytes. */
    const kin_object *object;
    kin_str body; /* JSON; of an apply patch also YAML */
    kin_patch_type patch_type;
    const char *field_manager;
    const char *field_validation; /* "Strict", "Warn", "Ignore" */
    bool force;                   /* of an apply patch */
    bool dry_run;                 /* also of DELETE */

    /* DELETE, DELETE_COLLECTION. */
    bool has_grace_period;
    int64_t grace_period_seconds;
    const char *propagation; /* "Background", "Foreground", "Orphan" */
    const char *if_uid;      /* only if it is still this one ... */
    const char *if_version;  /* ... in this version */

    /* How to answer. */
    const kin_mask
        *mask;          /* what to keep of each object; NULL: everything.  Borrowed until on_done */
    bool metadata_only; /* objects of kind PartialObjectMetadata */
    size_t object_bytes;  /* the largest object that is accepted; 0: 64 MB */
    uint32_t deadline_ms; /* for all of it; 0: 60,000, of a list 10 minutes, of a watch none */
    uint32_t idle_ms;     /* without a byte of an answer; 0: 60,000, of a watch that the server has
                             accepted none */
    uint32_t connect_timeout_ms; /* to a connection ready for use; 0, or more than the client's: as
                                    the client's.  A watch does not wait for longer either */
} kin_request;

#define KIN_REQUEST_INIT                                                                           \
    {                                                                                              \
        sizeof(kin_request), (kin_verb) 0, KIN_ENCODING_AUTO, NULL, NULL, NULL, NULL, NULL, NULL,  \
            NULL, NULL, NULL, NULL, 0, false, false, 0, 0, NULL, { NULL, 0 }, KIN_PATCH_MERGE,     \
            NULL, NULL, false, false, false, 0, NULL, NULL, NULL, NULL, false, 0, 0, 0, 0          \
    }

/* ---- what comes back --------------------------------------------------------------------- */

typedef enum kin_event_type {
    KIN_EVENT_ADDED = 1,
    KIN_EVENT_MODIFIED = 2,
    KIN_EVENT_DELETED = 3,
    KIN_EVENT_BOOKMARK = 4, /* no object: everything up to `resource_version` has been told */
    KIN_EVENT_ERROR = 5     /* no object: `error`; the watch ends after it, without another */
} kin_event_type;

/* One event of a watch.  Borrowed for the call. */
typedef struct kin_event {
    kin_event_type type;
    bool is_initial_end;      /* a bookmark: all objects there were have been told */
    kin_object *object;       /* take a reference to keep it; NULL for bookmarks and errors */
    kin_str resource_version; /* of the object or bookmark */
    const kin_error *error;
} kin_event;

/* What a call came to, beside its error.  Strings are terminated. */
typedef struct kin_reply {
    size_t size;            /* set by KIN_REPLY_INIT */
    int http_status;        /* of the last answer; 0: there was none */
    uint32_t attempts;      /* how many requests went out */
    kin_object *object;     /* GET and writes, when the server sent one; shared */
    char *resource_version; /* LIST: the version of the list; NULL: none */
    char *continue_token;   /* LIST: for the next page; after EXPIRED: for an inconsistent rest */
    int64_t remaining;      /* LIST: how many objects after this page; -1: not told */
    uint64_t count;         /* how many objects or events were told */
    char *cause;            /* of an error: the reason of its first cause
                               ("ResourceVersionTooLarge", "FieldValueInvalid"); NULL: none */
    char *warnings;         /* of the server, one a line; NULL: none */
} kin_reply;

#define KIN_REPLY_INIT                                                                             \
    {                                                                                              \
        sizeof(kin_reply), 0, 0, NULL, NULL, NULL, -1, 0, NULL, NULL                               \
    }

/* Releases what is in it. */
KIN_API void kin_reply_fini(kin_reply *reply);

/*
 * Who hears of it, on the loop; functions may be NULL.  Those that return bool end the call with
 * CANCELLED by false.
 */
typedef struct kin_handler {
    size_t size; /* set by KIN_HANDLER_INIT */
    void *context;
    bool (*on_object)(void *context, kin_object *object); /* LIST: each, borrowed; GET and writes */
    bool (*on_event)(void *context, const kin_event *event); /* WATCH */
    bool (*on_open)(void *context);                          /* WATCH: the server has accepted it */
    /* Once, as the last.  `err` is NULL when all went well.  A watch that the server ended, as it
     * does by and by, went well. */
    void (*on_done)(void *context, const kin_reply *reply, const kin_error *err);
} kin_handler;

#define KIN_HANDLER_INIT                                                                           \
    {                                                                                              \
        sizeof(kin_handler), NULL, NULL, NULL, NULL, NULL                                          \
    }

/* ---- the two forms ----------------------------------------------------------------------- */

/*
 * Waits until it is done.
 *
 * handler  borrowed for the call; NULL: nobody
 * reply    filled in also when it fails; release with kin_reply_fini(); NULL: not wanted
 *
 * Fails with the codes of kin/common.h; USAGE for a request that makes no sense (says which field).
 */
KIN_API KIN_MUST_CHECK kin_err kin_client_run(kin_client *client, const kin_request *request,
                                              const kin_handler *handler, kin_reply *reply,
                                              kin_error *err);

typedef struct kin_call kin_call;

/*
 * Starts it and returns.  Everything after that is told to the handler, also what fails at once.
 *
 * handler  copied
 * out      owned by the caller; release with kin_call_free(), which leaves the call alone; NULL:
 * not wanted
 *
 * Fails with USAGE, NO_MEMORY, CANCELLED (the client is being freed); then nothing has started, and
 * no function of the handler is called.
 */
KIN_API KIN_MUST_CHECK kin_err kin_client_start(kin_client *client, const kin_request *request,
                                                const kin_handler *handler, kin_call **out,
                                                kin_error *err);

/* Ends it with CANCELLED, if it has not ended yet.  From any thread; on_done comes on the loop. */
KIN_API void kin_call_cancel(kin_call *call);

/* Ends nothing: it only gives up the means to cancel.  NULL is ignored. */
KIN_API void kin_call_free(kin_call *call);

/* ---- short forms ------------------------------------------------------------------------- */

/* `out` is shared: release with kin_object_unref(). */
KIN_API KIN_MUST_CHECK kin_err kin_client_get(kin_client *client, const char *resource,
                                              const char *ns, const char *name, kin_object **out,
                                              kin_error *err);

/* Each object is borrowed for the call of `fn`; false ends it, with success.  In pages of 500. */
KIN_API KIN_MUST_CHECK kin_err kin_client_list(kin_client *client, const char *resource,
                                               const char *ns,
                                               bool (*fn)(void *context, kin_object *object),
                                               void *context, kin_error *err);

/* The resource, namespace and name are those of `object`; it needs apiVersion and kind.  `out` may
 * be NULL. */
KIN_API KIN_MUST_CHECK kin_err kin_client_create(kin_client *client, const kin_object *object,
                                                 kin_object **out, kin_error *err);
KIN_API KIN_MUST_CHECK kin_err kin_client_update(kin_client *client, const kin_object *object,
                                                 kin_object **out, kin_error *err);

/* A merge patch, as kin_edit makes it. */
KIN_API KIN_MUST_CHECK kin_err kin_client_patch(kin_client *client, const char *resource,
                                                const char *ns, const char *name, kin_str patch,
                                                kin_object **out, kin_error *err);

KIN_API KIN_MUST_CHECK kin_err kin_client_delete(kin_client *client, const char *resource,
                                                 const char *ns, const char *name, kin_error *err);

/* ---- the server itself ------------------------------------------------------------------- */

/*
 * The resource that people mean by `name`: "pods", "po", "pod", "Pod", "deployments.apps",
 * "deployments.v1.apps".  Asked of the server once, and again when a name is not known.
 * `out` is shared: release with kin_resource_unref().  Fails with NOT_FOUND, and as any call.
 */
KIN_API KIN_MUST_CHECK kin_err kin_client_resource(kin_client *client, const char *name,
                                                   kin_resource **out, kin_error *err);

/* The resource of a kind: ("apps/v1", "Deployment").  Otherwise as above. */
KIN_API KIN_MUST_CHECK kin_err kin_client_resource_of_kind(kin_client *client,
                                                           const char *api_version,
                                                           const char *kind, kin_resource **out,
                                                           kin_error *err);

/* Calls `fn` for every resource the server has, freshly asked, subresources left out; false ends
 * it. */
KIN_API KIN_MUST_CHECK kin_err kin_client_each_resource(kin_client *client,
                                                        bool (*fn)(void *context,
                                                                   const kin_resource *resource),
                                                        void *context, kin_error *err);

/* "v1.36.3": what the server says of itself.  `out` is owned; release with kin_free(). */
KIN_API KIN_MUST_CHECK kin_err kin_client_server_version(kin_client *client, char **out,
                                                         kin_error *err);

KIN_END_DECLS
#endif /* KIN_CLIENT_H */
