/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/failure.h - what kind of failure an error of a list or watch is.
 *
 * By code and HTTP status first: proxies and overloaded servers answer in plain text, without a
 * reason.  What follows from each kind is cache/reflector.h's table.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CACHE_FAILURE_H
#define KIN_CACHE_FAILURE_H

#include "kin/common.h"

typedef enum kin__failure {
    KIN__FAILURE_EXPIRED,   /* 410: the version or the page is not to be had any more */
    KIN__FAILURE_TOO_LARGE, /* a version that the server has not seen yet */
    KIN__FAILURE_AWAY,      /* nobody there: no connection, cut, too late; 502, 503, 504, which is
                               what a proxy says then */
    KIN__FAILURE_THROTTLED, /* 429 */
    KIN__FAILURE_DENIED,    /* 401, 403, 404 */
    KIN__FAILURE_UNFIT,     /* any other 4xx: the server does not do what was asked */
    KIN__FAILURE_BROKEN,    /* 500 and other 5xx; an answer that makes no sense */
    KIN__FAILURE_LOCAL      /* our own: no memory, a refusal of the system */
} kin__failure;

/* `cause` is the reason of the error's first cause, and may be NULL. */
kin__failure kin__failure_of(const kin_error *err, const char *cause);

#endif /* KIN_CACHE_FAILURE_H */
