/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/spoil.h - what is to go wrong with one answer, and a body with which it does.
 *
 * A kin__spoil is what the faults that match a request come to.  All zero: nothing goes wrong.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_SPOIL_H
#define KIN_SERVER_SPOIL_H

#include "httpd/httpd.h"

typedef enum kin__spoil_act {
    KIN__SPOIL_NOTHING,
    KIN__SPOIL_CUT,       /* the connection is closed in the middle of the body, or of a frame */
    KIN__SPOIL_RESET,     /* the same, with a reset */
    KIN__SPOIL_STALL,     /* nothing more is sent, and nothing is closed */
    KIN__SPOIL_CORRUPT,   /* one byte is another */
    KIN__SPOIL_ERROR,     /* watches: an ERROR with a status, and the end */
    KIN__SPOIL_END,       /* watches: the end, as after a time-out */
    KIN__SPOIL_DUPLICATE, /* watches: the event comes twice */
    KIN__SPOIL_BOOKMARK,  /* watches: a bookmark that is `by` revisions old comes before it */
    KIN__SPOIL_OVERSIZE   /* an object has `size` bytes more, in an annotation: that of an event, an
                             item of a list, the one that is answered */
} kin__spoil_act;

#define KIN__SPOIL_MESSAGE_MAX 200

/* The status of an ERROR. */
typedef struct kin__spoil_error {
    int code;
    uint32_t retry_after_s; /* 0: none */
    const char *reason;     /* static */
    char message[KIN__SPOIL_MESSAGE_MAX + 1];
} kin__spoil_error;

typedef struct kin__spoil {
    kin__spoil_act act;
    bool by_events;          /* `after` counts events of a watch or items, else bytes of the body */
    uint64_t after;          /* that go well before it happens */
    uint64_t size;           /* of OVERSIZE */
    uint64_t by;             /* of BOOKMARK */
    uint32_t ms;             /* of STALL: how long; 0: for ever */
    kin__spoil_error error;  /* of ERROR */
    uint32_t bytes_per_s;    /* 0: as fast as it goes */
    bool has_no_bookmarks;   /* watches */
    bool has_no_initial_end; /* watches: the bookmark that ends the initial events is left out */
} kin__spoil;

/*
 * Wraps a body: cut, reset, stall and corrupt by bytes, and the slow one.  On success `*body` is
 * the new one, which releases the old.  `loop` and `visit` are for waiting; NULL: nobody waits, and
 * what is slow is not.  Fails with NO_MEMORY, and `*body` is as it was.
 */
kin_err kin__spoil_body(const kin__spoil *spoil, kin_loop *loop, kin__visit *visit, kin__body *body,
                        kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_SPOIL_H */
