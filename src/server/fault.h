/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/fault.h - what is to go wrong, for which requests, after how many and how often.
 *
 * A fault is a JSON object:
 *
 *   what     "do": refuse reset ignore                        new connections
 *                  freeze                                     open connections
 *                  delay status drop                          requests, before they are served
 *                  cut hang-up stall corrupt slow                answers
 *                  oversize                                   objects of answers
 *                  expire error end duplicate                 watches
 *                  old-bookmark no-bookmarks no-initial-end
 *                  back-in-time                               reads that a stale replica answers
 *                  token go-away cut-all                      at once
 *
 *   which    "verb", "resource", "namespace", "name", "path" (its beginning): all that are named
 *            must fit; none: every request but those of /kin/
 *
 *   when     "skip": requests that fit and are spared first (0); "times": how often then (1; 0:
 *            without end); "now": true: also the watches that are open, each of them once
 *
 *   how      "after_bytes", "after_events": what goes well before (0); "ms": how long a delay or a
 *            stall (0: for ever), or how long connections are so (0: until the fault is ended);
 *            "code", "reason", "message", "retry_after": of status and error; "text": true: the
 *            message alone is the status's body; "bytes_per_second": of slow; "size": of oversize;
 *            "by": how many revisions back in time; "lies": true: even for those who ask for a
 * newer one; "token": the new one
 *
 * A fault is over when it cannot strike any more.  Then no request looks at it; a record of it is
 * kept for those who list faults.
 *
 * docs/server.md is the page for users.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_FAULT_H
#define KIN_SERVER_FAULT_H

#include "base/list.h"
#include "json/writer.h"
#include "server/route.h"
#include "server/spoil.h"
#include "server/watch.h"

typedef enum kin__fault_act {
    KIN__FAULT_REFUSE,
    KIN__FAULT_RESET,
    KIN__FAULT_IGNORE,
    KIN__FAULT_DELAY,
    KIN__FAULT_STATUS,
    KIN__FAULT_DROP,
    KIN__FAULT_CUT,
    KIN__FAULT_HANG_UP, /* a cut with a reset */
    KIN__FAULT_STALL,
    KIN__FAULT_CORRUPT,
    KIN__FAULT_SLOW,
    KIN__FAULT_EXPIRE,
    KIN__FAULT_ERROR,
    KIN__FAULT_END,
    KIN__FAULT_DUPLICATE,
    KIN__FAULT_OVERSIZE,
    KIN__FAULT_OLD_BOOKMARK,
    KIN__FAULT_NO_BOOKMARKS,
    KIN__FAULT_NO_INITIAL_END,
    KIN__FAULT_BACK_IN_TIME,
    KIN__FAULT_FREEZE,
    KIN__FAULT_TOKEN,
    KIN__FAULT_GO_AWAY,
    KIN__FAULT_CUT_ALL
} kin__fault_act;

typedef struct kin__fault {
    kin__link link;
    uint64_t id;
    kin__fault_act act;
    kin__buf words;                                 /* where the texts lie */
    const char *verb, *resource, *ns, *name, *path; /* NULL: any */
    const char *message, *token;                    /* NULL: none */
    const char *reason;                             /* static; NULL: that of the code */
    uint64_t skip, times, met; /* times 0: without end; met: how often it was */
    uint64_t met_open;         /* by watches that were open, which `times` does not count */
    uint64_t after, ms, code, retry_after, bytes_per_second, size, by;
    bool by_events, is_now, is_text, has_times, lies;
    bool is_over; /* it is among those that are */
} kin__fault;

/* All of them; all zero is none. */
typedef struct kin__faults {
    kin__list list; /* that may strike yet */
    kin__list over; /* that may not, by when they were over */
    size_t over_count;
    uint64_t last_id;
} kin__faults;

/* Of how many that are over a record is left when one is added: the newest. */
#define KIN__FAULTS_KEPT 64

void kin__faults_fini(kin__faults *faults);

/* Reads one and puts it behind the others; borrowed until it is ended.  Fails with MALFORMED (what
 * is wrong), NO_MEMORY. */
kin_err kin__faults_add(kin__faults *faults, kin_str json, kin__fault **out,
                        kin_error *err) KIN_MUST_CHECK;
kin__fault *kin__faults_find(const kin__faults *faults, uint64_t id); /* NULL: none */
void kin__faults_end(kin__faults *faults, kin__fault *fault);

/* It is over: it stays to be found and listed, for a while. */
void kin__faults_retire(kin__faults *faults, kin__fault *fault);

/* Writes them as an array, each with its id, how often it was met and whether it is over: first
 * those that are not, as they were added, then those that are. */
void kin__faults_write(const kin__faults *faults, kin__json_writer *w);

/* What faults that fit a request come to; each of them has been met by it.  One that would not show
 * beside another, as a second status, is left for the next request: the older one strikes first,
 * and one without end last. */
typedef struct kin__fault_sum {
    uint32_t delay_ms;
    const kin__fault *status; /* borrowed until a fault is ended or added; NULL: none */
    bool is_dropped;
    uint64_t back_by; /* revisions */
    bool lies;        /* about it, to those who ask for a newer one */
    kin__spoil spoil;
} kin__fault_sum;

void kin__faults_meet(kin__faults *faults, const kin__route *route, kin_str query,
                      kin__fault_sum *out);

/* The refusal that a "status" comes to. */
void kin__fault_refuse(const kin__fault *fault, kin__refusal *no);

/* Whether the fault is one for open watches and fits this one; then it is put into `spoil`. */
bool kin__fault_spoil_open(kin__fault *fault, const kin__watch_about *about, kin__spoil *spoil);

#endif /* KIN_SERVER_FAULT_H */
