/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/refusal.h - why a request is refused, and the Status object that says so.
 *
 * Functions that serve a request return false when they refuse it, and fill in a kin__refusal; what
 * they would have answered is then released.  Lack of memory is a refusal too (500), one that needs
 * none.
 *
 * Texts, reasons and members are those of kube-apiserver 1.36.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_REFUSAL_H
#define KIN_SERVER_REFUSAL_H

#include "base/buf.h"
#include "json/writer.h"
#include "kin/common.h"

#define KIN__REFUSAL_CAUSES 16

struct kin__served;

/* A place in the refusal's words. */
typedef struct kin__refusal_word {
    uint32_t at, len;
} kin__refusal_word;

typedef struct kin__refusal {
    int code;           /* 0: nothing was refused */
    const char *reason; /* static: "NotFound"; "": none is said */
    bool is_text;       /* plain text in place of a Status: message is the whole body */
    bool has_no_memory; /* message and all below are empty: 500 */
    bool has_details;   /* even when there is nothing in them: "details":{} */
    bool is_pretty;     /* indented, whatever was asked for */
    bool closes;        /* the connection ends after it */
    uint32_t retry_after_s;
    kin__buf message;
    kin__buf words; /* where the texts below lie; private */
    kin__refusal_word name, group, kind, uid, continue_token;
    struct {
        const char *reason; /* static; NULL: none */
        kin__refusal_word message, field;
    } causes[KIN__REFUSAL_CAUSES];
    size_t cause_count; /* those beyond the array are dropped */
} kin__refusal;

void kin__refusal_fini(kin__refusal *refusal);
KIN__DEFINE_AUTO_FINI(kin__refusal, kin__refusal_fini)

/* Each returns false, so that a function can end with it.  A refusal that was there is replaced. */
bool kin__refuse(kin__refusal *no, int code, const char *reason, const char *format, ...)
    KIN__PRINTF(4, 5);
bool kin__refuse_no_memory(kin__refusal *no);
bool kin__refuse_text(kin__refusal *no, int code, const char *text); /* "404 page not found\n" */

/* 400 BadRequest. */
bool kin__refuse_bad_request(kin__refusal *no, const char *format, ...) KIN__PRINTF(2, 3);
/* 404 `pods "x" not found`, `deployments.apps "x" not found`, with details. */
bool kin__refuse_not_found(kin__refusal *no, const struct kin__served *served, kin_str name);
/* 404 "the server could not find the requested resource", details:{}. */
bool kin__refuse_unknown(kin__refusal *no);
/* 405, details:{}. */
bool kin__refuse_method(kin__refusal *no);
/* 409 AlreadyExists and Conflict (`Operation cannot be fulfilled on pods "x": ...`), with details.
 */
bool kin__refuse_exists(kin__refusal *no, const struct kin__served *served, kin_str name);
bool kin__refuse_conflict(kin__refusal *no, const struct kin__served *served, kin_str name,
                          const char *format, ...) KIN__PRINTF(4, 5);

/* 422 Invalid: begun, then causes are added, then ended, which writes the message of them
 * (`Pod "x" is invalid: a`, or `...: [a, b]`).  `field_error` is "metadata.name: Required value:
 * ..."; its part behind the field is the cause's message. */
void kin__refusal_begin_invalid(kin__refusal *no, kin_str group, kin_str kind, kin_str name);
void kin__refusal_add_invalid(kin__refusal *no, const char *reason, const char *field,
                              const char *format, ...) KIN__PRINTF(4, 5);
bool kin__refusal_end_invalid(kin__refusal *no); /* true when no cause was added: not refused */

/* The members of `details`; texts are copied. */
void kin__refusal_set_details(kin__refusal *no, kin_str name, kin_str group, kin_str kind);
void kin__refusal_set_uid(kin__refusal *no, kin_str uid);
void kin__refusal_set_continue(kin__refusal *no, kin_str token);
void kin__refusal_set_retry_after(kin__refusal *no, uint32_t seconds);
void kin__refusal_add_cause(kin__refusal *no, const char *reason, const char *field,
                            const char *format, ...) KIN__PRINTF(4, 5);

/* The Status as JSON, members in the server's order, without a newline; as a protobuf envelope. */
bool kin__refusal_write_json(const kin__refusal *no, kin__buf *out);
bool kin__refusal_write_proto(const kin__refusal *no, kin__buf *out);

#endif /* KIN_SERVER_REFUSAL_H */
