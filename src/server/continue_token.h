/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/continue_token.h - where the next page of a list begins.
 *
 * {"v":"meta.k8s.io/v1","rv":N,"start":"/ns/name\u0000"} in base64 for URLs, without padding, as
 * kube-apiserver 1.36 has it (storage/continue.go).  `start` is a key behind the list's prefix, its
 * last item's with a zero byte: the least key behind it.  Tokens of the watch cache begin it with a
 * slash, those of etcd do not; both are read.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_CONTINUE_TOKEN_H
#define KIN_SERVER_CONTINUE_TOKEN_H

#include "server/refusal.h"

typedef struct kin__continue {
    int64_t revision; /* of all pages; negative: the present one */
    kin__buf start;   /* behind the prefix, without a slash in front */
} kin__continue;

/* False with 400.  Release with kin__continue_fini(). */
bool kin__continue_read(const char *token, kin__continue *out, kin__refusal *no);
void kin__continue_fini(kin__continue *token);
KIN__DEFINE_AUTO_FINI(kin__continue, kin__continue_fini)

/* Appends a token.  `start` as above, without its slash.  False when there is no memory. */
bool kin__continue_write(int64_t revision, bool has_slash, kin_str start, kin__buf *out);

#endif /* KIN_SERVER_CONTINUE_TOKEN_H */
