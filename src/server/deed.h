/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/deed.h - one request while it is served: what was asked, by whom, and the answer.
 *
 * kin__engine is what all verbs work on: the storage, the shelf, the clock.  Each verb is one
 * function
 *
 *     bool kin__serve_list(kin__asked *asked, kin__answer *answer, kin__refusal *no);
 *
 * that fills in the answer, or refuses.  Nothing here knows of connections: an answer is bytes, or
 * a source of them (httpd's kin__body), and kin_server_ask() is served by the same functions.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_DEED_H
#define KIN_SERVER_DEED_H

#include "base/clock.h"
#include "httpd/httpd.h"
#include "server/route.h"
#include "server/spoil.h"

/* The forms of a record beside its text. */
enum {
    KIN__RECORD_PROTO,         /* the message, without envelope */
    KIN__RECORD_PARTIAL,       /* JSON of its PartialObjectMetadata */
    KIN__RECORD_PARTIAL_PROTO, /* the message */
    KIN__RECORD_PARTIAL_BETA   /* as KIN__RECORD_PARTIAL, of meta.k8s.io/v1beta1 */
};

typedef struct kin__engine {
    kin_loop *loop;          /* borrowed */
    const kin__clock *clock; /* borrowed */
    kin__storage *storage;
    kin__shelf *shelf;
    struct kin__watchers *watchers; /* all that are open: server/watch.h */
    struct kin__upkeep *upkeep; /* what the server does by itself: server/upkeep.h; NULL: nothing */
    uint32_t bookmark_ms;
    const struct kin__guard *guard; /* borrowed; NULL: nothing is forbidden */
    kin_str address;                /* "127.0.0.1:43210": where /api says the server is; borrowed */
    bool is_furnished;              /* has what every cluster has: server/furnish.h */
    bool has_collector;             /* of garbage, beside the server: server/dependents.h */
    kin_str root_certificate;       /* of the server's authority, PEM; empty: no TLS; borrowed */
    uint64_t lists_from; /* lists at revisions before this one are too old: server/upkeep.h */
    unsigned char token_key[32]; /* what signs the tokens of service accounts */
    uint64_t random; /* state of the generator of uids and names: base on the clock, or a seed */
} kin__engine;

#define KIN__WARNINGS 16
#define KIN__ANSWER_FIELDS 4

typedef struct kin__asked {
    kin__engine *engine;
    kin_str method;
    kin_str user;         /* who asks; empty: the program that has the server */
    kin_str content_type; /* of the body, as it was sent; empty: none */
    kin_str body;
    kin_str user_agent;        /* names the field manager where none is named */
    kin_str query;             /* as it came */
    kin_str accept;            /* the header; for paths, whose forms differ from one to the other */
    kin_str if_none_match;     /* the header */
    struct kin__node *claims;  /* of the service account that asks; owned; NULL: none does */
    struct kin__node *persona; /* a UserInfo of whom it is taken for; owned; NULL: who it is */
    kin__route route;
    kin__params params;
    kin__form form;
    kin__visit *visit;  /* NULL for kin_server_ask(); for watches, which resume it */
    uint64_t present;   /* the revision that lists, gets and watches take for the newest one: 0 for
                           the  storage's own, an older one when a fault goes back in time */
    bool lies;          /* `present` is answered even to those who ask for a newer one */
    bool is_websocket;  /* that is asked for: watches come as messages, all else as ever */
    bool has_protocols; /* `protocols` are those that it offers beside a token */
    kin__buf protocols; /* owned */
    bool has_waited;    /* it is served for the second time, after answer.wait_ms */
    kin__spoil spoil;   /* what is to go wrong with the answer */
} kin__asked;

typedef struct kin__answer {
    int status;               /* 0: 200 */
    const char *content_type; /* static; NULL: as the form says; "": none */
    kin__buf bytes;           /* the body, newline and all */
    kin__body body;           /* next NULL: `bytes` is the body; else this source, which is released
                                 with the answer when it was not sent */
    kin_str warnings[KIN__WARNINGS]; /* texts for Warning: 299, owned by `words`; a few at most */
    size_t warning_count;
    kin__buf words;
    kin__visit_field fields[KIN__ANSWER_FIELDS]; /* further headers, in the place of those of the
                                                    same name; their texts lie in `words`, or
                                                    outlive the answer */
    size_t field_count;
    bool is_upgrade;  /* the body is frames of a WebSocket */
    uint32_t wait_ms; /* not 0: nothing was done, and it is to be served again after this time, with
                         has_waited (a revision was asked for that is yet to come) */
} kin__answer;

void kin__answer_fini(kin__answer *answer);
KIN__DEFINE_AUTO_FINI(kin__answer, kin__answer_fini)

/* All of it but its warnings: a refusal comes with those that there were before. */
void kin__answer_reset(kin__answer *answer);

/* One object (GET, and the answers of writes) in the form that was asked for. */
bool kin__answer_object(kin__asked *asked, kin__record *record, int status, kin__answer *answer,
                        kin__refusal *no);

/* The protobuf message of a record, made when first asked for; borrowed from it.  False when there
 * is none (custom resources) or no memory. */
bool kin__record_message(kin__record *record, const kin__served *served, kin_str *out);

/* The verbs. */
bool kin__serve_get(kin__asked *asked, kin__answer *answer, kin__refusal *no);    /* read.c */
bool kin__serve_list(kin__asked *asked, kin__answer *answer, kin__refusal *no);   /* list.c */
bool kin__serve_watch(kin__asked *asked, kin__answer *answer, kin__refusal *no);  /* watch.c */
bool kin__serve_create(kin__asked *asked, kin__answer *answer, kin__refusal *no); /* create.c */
bool kin__serve_update(kin__asked *asked, kin__answer *answer, kin__refusal *no); /* update.c */
bool kin__serve_patch(kin__asked *asked, kin__answer *answer, kin__refusal *no);  /* patch.c */
bool kin__serve_delete(kin__asked *asked, kin__answer *answer, kin__refusal *no); /* delete.c */
bool kin__serve_delete_collection(kin__asked *asked, kin__answer *answer, kin__refusal *no);
bool kin__serve_path(kin__asked *asked, kin__answer *answer, kin__refusal *no); /* paths.c:
                                                             discovery, /version, /readyz, ... */

/* Which objects a list or watch is about: namespace, label and field selector, as one test. */
typedef struct kin__filter kin__filter;

/* Of the request's parameters; 400 for selectors that are none and fields that the kind does not
 * support.  Release with kin__filter_free(). */
bool kin__filter_new(const kin__asked *asked, kin__filter **out, kin__refusal *no);
void kin__filter_free(kin__filter *filter);
KIN__DEFINE_AUTO(kin__filter, kin__filter_free)
bool kin__filter_matches(const kin__filter *filter, const kin_object *object);
bool kin__filter_is_all(const kin__filter *filter);    /* no selector */
kin_str kin__filter_prefix(const kin__filter *filter); /* of keys: "kube-system/", or empty */
/* The only key that can match, where the field selector names an object; empty: there may be many.
 */
kin_str kin__filter_key(const kin__filter *filter);

/*
 * The list itself, once its options were checked and its filter made: kin__serve_list() is all
 * three.  For a collection that is deleted `out_all` is what is to go, with references of its own;
 * then a list without a limit comes in pages of KIN__DELETED_AT_ONCE, as on the real server: they
 * are told as one list, with the metadata of the first page.  NULL: nothing is deleted.
 */
bool kin__list_objects(kin__asked *asked, kin__filter *filter, kin__listing *out_all,
                       kin__answer *answer, kin__refusal *no); /* list.c */
#define KIN__DELETED_AT_ONCE 10000

/* Checks the options of a list or watch as the real server does (422, 400), after its defaults for
 * watches without a version were applied to `params`. */
bool kin__options_check(const kin__served *served, kin__params *params, kin__refusal *no);

#endif /* KIN_SERVER_DEED_H */
