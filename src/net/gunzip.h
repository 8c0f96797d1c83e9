/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net/gunzip.h - gzip undone, as the bytes arrive.
 *
 * The input may be split anywhere, which changes neither output nor error.  It may be several
 * members one after another, as API servers from Kubernetes 1.37 on send a compressed watch: a new
 * member with each flush.  Each piece of input gives all the output it can.  Memory is bounded,
 * however much comes out of how little: the output goes on in pieces of up to 64 KB.
 *
 * Threading: confined.
 */
#ifndef KIN_NET_GUNZIP_H
#define KIN_NET_GUNZIP_H

#include "base/cleanup.h"
#include "kin/common.h"

typedef struct kin__gunzip kin__gunzip;

/* Gets plain bytes, borrowed for the call.  What it returns other than KIN_OK, with `err` set, ends
 * the feeding with that.  It does not free the kin__gunzip. */
typedef kin_err (*kin__gunzip_sink)(void *context, const char *bytes, size_t len, kin_error *err);

/* `out` is owned by the caller; release with kin__gunzip_free().  Fails with NO_MEMORY. */
kin_err kin__gunzip_new(kin__gunzip **out, kin_error *err) KIN_MUST_CHECK;

/* NULL is ignored. */
void kin__gunzip_free(kin__gunzip *gunzip);
KIN__DEFINE_AUTO(kin__gunzip, kin__gunzip_free)

/* Fails with PROTOCOL where the bytes are not gzip, a checksum or length is wrong, or something
 * else (padding included) follows a member; with NO_MEMORY; with the sink's error.  After a failure
 * it is only freed. */
kin_err kin__gunzip_feed(kin__gunzip *gunzip, const char *bytes, size_t len, kin__gunzip_sink sink,
                         void *context, kin_error *err) KIN_MUST_CHECK;

/* That the input may end here: after a member, or before any byte.  Fails with PROTOCOL. */
kin_err kin__gunzip_finish(const kin__gunzip *gunzip, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_NET_GUNZIP_H */
