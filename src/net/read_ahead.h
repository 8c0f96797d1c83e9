/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/read_ahead.h - how OpenSSL reads for libcurl.
 *
 * By itself libcurl has OpenSSL give its buffer of 17 KB back after each record and take another
 * one for the next, and ask the system for a record's head and its body apart.  For a watch, of
 * which each event is a record, that is a tenth of all that an event costs.  So buffers stay with
 * their connection, and where it is wanted all that is there is read at once.
 *
 * What was read that way is not in the socket any more, so the loop does not hear of it, and
 * libcurl asks only for what is already deciphered.  Whoever reads ahead must therefore ask, after
 * libcurl has worked on a socket, whether there is more, and let it work again.
 *
 * With a libcurl of another TLS library, or another OpenSSL than ours, nothing of this happens.
 */
#ifndef KIN_NET_READ_AHEAD_H
#define KIN_NET_READ_AHEAD_H

#include <curl/curl.h>
#include <stdbool.h>

/* For all connections of a multi handle.  All zero to begin with. */
typedef struct kin__read_ahead {
    void *tls; /* the connection of which a record was begun; NULL: none */
} kin__read_ahead;

/* For the connection that `easy` may open.  `ahead` stays as long as that; `is_wanted`: to read
 * ahead, not through a proxy with TLS of its own. */
CURLcode kin__read_ahead_apply(kin__read_ahead *ahead, CURL *easy, bool is_wanted);

/* To be called before libcurl works on a socket. */
static inline void kin__read_ahead_begin(kin__read_ahead *ahead)
{
    ahead->tls = NULL;
}

/* And afterwards: whether bytes wait behind those of the records that were read.  They may be less
 * than a record; then no record is begun the next time, and this is false. */
bool kin__read_ahead_has_more(const kin__read_ahead *ahead);

#endif /* KIN_NET_READ_AHEAD_H */
