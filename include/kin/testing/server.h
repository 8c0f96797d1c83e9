/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/testing/server.h - a Kubernetes API server inside the program, for its tests.
 *
 *     kin_server *server = NULL;
 *     if (kin_server_start(NULL, &server, &err)) { ... }
 *     kin_config *config = ... kin_server_kubeconfig(server) ...
 *     kin_str pod = kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",...}");
 *     kin_server_put(server, pod, NULL, &err);
 *     kin_str cut = kin_str_of("{\"do\":\"cut\",\"verb\":\"watch\",\"after_events\":3}");
 *     kin_server_fault(server, cut, NULL, &err);
 *     kin_server_stop(server);
 *
 * It is ready within milliseconds, keeps everything in memory, and any number of them live side by
 * side.  Lists and watches mean what they mean on kube-apiserver 1.36, resource versions, pages,
 * bookmarks, expiry and all; writes go through the same checks of metadata, versions and
 * preconditions.  There are no controllers but the one that empties and removes namespaces, and no
 * kubelet: pods stay as they were written.  docs/server.md tells what is served, and
 * docs/server-differences.md what a real server does otherwise.
 *
 * Part of libkin-testing, not of libkin: functions may change from one version to the next.
 *
 * Threading: thread-safe, but for kin_server_stop(), which is the last call of all.  A server works
 * on a thread of its own ("kin-loop"); calls hand it their work and wait until it is done.
 */
#ifndef KIN_TESTING_SERVER_H
#define KIN_TESTING_SERVER_H

#include "kin/common.h"
#include "kin/log.h"

KIN_BEGIN_DECLS

typedef struct kin_server kin_server;

/* Zero means the default for every field. */
typedef struct kin_server_options {
    size_t size;         /* set by KIN_SERVER_OPTIONS_INIT */
    const char *address; /* to listen on; NULL: "127.0.0.1" */
    uint16_t port;       /* 0: one that is free */
    bool has_no_tls;     /* plain HTTP; else TLS with an authority of the server's own */
    bool has_no_http2;   /* HTTP/1.1 only; without TLS it is that anyway */
    const char *token;   /* that requests must carry; NULL: one is made up for each server; "":
                            whoever comes is let in */
    uint32_t
        history_max; /* changes kept of each resource, to watch from and to list at; 0: 10,000 */
    uint32_t bookmark_ms;  /* from one bookmark of a watch to the next; 0: 60 s */
    kin_logger logger;     /* copied */
    const char *authority; /* certificate and key of one, PEM, as kin_server_authority() tells them:
                              who trusts that one trusts this server; NULL: one is made up */
    bool is_furnished;     /* has what every cluster has: the service "kubernetes" in "default", two
                              priority classes, and in each namespace the service account "default"
                              and the authority's certificate (ConfigMap "kube-root-ca.crt") */
    bool has_collector; /* a garbage collector (of a kube-controller-manager) runs beside it: what
                           is deleted with "Foreground" or "Orphan" is marked and given that
                           finalizer, for the collector to take away; else it goes at once */
} kin_server_options;

#define KIN_SERVER_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(kin_server_options), NULL, 0, false, false, NULL, 0, 0, KIN_LOGGER_INIT, NULL,      \
            false, false                                                                           \
    }

/*
 * Listens before it returns.  The namespaces default, kube-system, kube-public and kube-node-lease
 * are there, and nothing else unless it is to be furnished.
 *
 * options  borrowed for the call; NULL for the defaults
 * out      owned by the caller; release with kin_server_stop()
 *
 * Fails with SYSTEM (the port is taken, no descriptors), USAGE (options not initialised, an address
 * that is none), MALFORMED (an authority that is none), LIMIT (no more threads), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_server_start(const kin_server_options *options, kin_server **out,
                                                kin_error *err);

/* Cuts all connections, and frees everything.  NULL is ignored. */
KIN_API void kin_server_stop(kin_server *server);

/* "https://127.0.0.1:43210".  Borrowed. */
KIN_API const char *kin_server_url(const kin_server *server);

/* A kubeconfig (JSON, which is YAML) with the address, the authority and the token that the server
 * had when it started: for kin_config_from_text(), or a file for kubectl.  Borrowed. */
KIN_API const char *kin_server_kubeconfig(const kin_server *server);

/*
 * The authority that signed the server's certificate: its own certificate and its private key, PEM,
 * for the options of a server that takes this one's place.  With the same authority, port and token
 * a kubeconfig that was handed out before stays good.  NULL without TLS.  Borrowed: copy it before
 * the server is stopped.
 */
KIN_API const char *kin_server_authority(const kin_server *server);

/* The resource version of the last change. */
KIN_API uint64_t kin_server_revision(kin_server *server);

/*
 * Writes an object as it stands, status included: it is made, or replaces the one that is there.
 * Metadata that only a server can give is given as ever (uid, creationTimestamp, resourceVersion;
 * generation when the spec changes); a namespace that is missing is made too, and an object that
 * names none goes into "default".
 *
 * json          an object with apiVersion and kind
 * out_revision  its resource version afterwards: the old one when nothing changed; may be NULL
 *
 * Fails with MALFORMED, NOT_FOUND (no such kind is served), INVALID (what the server would refuse
 * with 422), NO_MEMORY.
 */
KIN_API KIN_MUST_CHECK kin_err kin_server_put(kin_server *server, kin_str json,
                                              uint64_t *out_revision, kin_error *err);

/* Many at once: a List, a typed one or one of kind List.  Stops at the first that fails, and says
 * which; `out_revision` is the newest of theirs. */
KIN_API KIN_MUST_CHECK kin_err kin_server_put_list(kin_server *server, kin_str json,
                                                   uint64_t *out_revision, kin_error *err);

/* Removes an object at once, whatever finalizers it has.  An empty `ns` for cluster-scoped ones.
 * Fails with NOT_FOUND. */
KIN_API KIN_MUST_CHECK kin_err kin_server_remove(kin_server *server, const char *api_version,
                                                 const char *kind, const char *ns, const char *name,
                                                 uint64_t *out_revision, kin_error *err);

/* What an HTTP client would get, without a connection: no faults, no authentication. */
typedef struct kin_server_answer {
    int status;
    char *body; /* owned: kin_server_answer_fini() */
    size_t len;
} kin_server_answer;

/* One request, JSON in and out: "GET", "/api/v1/pods?limit=1".  `content_type` may be NULL
 * (application/json).  Watches are answered with what there is up to now.  Fails with USAGE and
 * NO_MEMORY; what the server refuses is an answer, not a failure. */
KIN_API KIN_MUST_CHECK kin_err kin_server_ask(kin_server *server, const char *method,
                                              const char *path, const char *content_type,
                                              kin_str body, kin_server_answer *out, kin_error *err);
KIN_API void kin_server_answer_fini(kin_server_answer *answer);

/* Forgets all history up to `revision` (0: up to now): whoever asks for older versions is told 410.
 * Open watches go on. */
KIN_API KIN_MUST_CHECK kin_err kin_server_compact(kin_server *server, uint64_t revision,
                                                  kin_error *err);

/* A bookmark for every open watch that asked for some, now. */
KIN_API KIN_MUST_CHECK kin_err kin_server_bookmark(kin_server *server, kin_error *err);

/* The token that requests must carry from now on; "": none. */
KIN_API KIN_MUST_CHECK kin_err kin_server_set_token(kin_server *server, const char *token,
                                                    kin_error *err);

/*
 * Forbids: an array of rules {"verbs":["list","watch"],"resources":["secrets","*"],
 * "namespaces":["kube-system"]}, each member an array in which "*" means all, and absent ones mean
 * all.  A request that a rule matches is answered with 403.  Replaces the rules that were there;
 * "[]" ends them.  Fails with MALFORMED.
 */
KIN_API KIN_MUST_CHECK kin_err kin_server_forbid(kin_server *server, kin_str rules, kin_error *err);

/*
 * Adds a fault, as docs/server.md describes them: a JSON object {"do": what, ...} that says what
 * goes wrong, for which requests, after how many and how often.  The same over HTTP: POST
 * /kin/faults; GET lists them with how often each was met and whether it is over, which is when it
 * has struck as often as it was to; DELETE removes them.  Of those that are over the newest 64 or
 * more are known, older ones are forgotten.
 *
 * out_id  for kin_server_end_fault(); may be NULL
 *
 * Fails with MALFORMED (what is wrong with it), NO_MEMORY; then there is no fault.
 */
KIN_API KIN_MUST_CHECK kin_err kin_server_fault(kin_server *server, kin_str fault, uint64_t *out_id,
                                                kin_error *err);

/* 0: all of them.  What a fault holds up (a stall, a delay) goes on.  Fails with NOT_FOUND: there
 * was none, it was ended, or it is over and forgotten. */
KIN_API KIN_MUST_CHECK kin_err kin_server_end_fault(kin_server *server, uint64_t id,
                                                    kin_error *err);

/* What it has done so far. */
typedef struct kin_server_counts {
    uint64_t connections; /* accepted */
    uint64_t requests;
    uint64_t watches;   /* open now */
    uint64_t events;    /* sent on watches, bookmarks included */
    uint64_t bytes_out; /* of bodies */
    uint64_t objects;   /* held now */
    uint64_t changes;   /* of history, held now */
} kin_server_counts;

KIN_API void kin_server_get_counts(kin_server *server, kin_server_counts *out);

KIN_END_DECLS
#endif /* KIN_TESTING_SERVER_H */
