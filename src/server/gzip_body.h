/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/gzip_body.h - a body in gzip, where it is worth it.
 *
 * As kube-apiserver 1.36 has it: only bodies of more than 128 KiB, at level 1, with Go's header.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_GZIP_BODY_H
#define KIN_SERVER_GZIP_BODY_H

#include "httpd/httpd.h"

#define KIN__GZIP_BODY_MIN (128 * 1024) /* bodies of up to so many bytes stay as they are */

/*
 * Looks at the first pieces of `*body`, and puts in its place one that begins with them, compressed
 * or not: then it releases the old one.  Fails with NO_MEMORY; then `*body` is the old one, of
 * which the beginning is lost, and can only be released.
 */
kin_err kin__gzip_body(kin__body *body, bool *out_is_gzip, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_SERVER_GZIP_BODY_H */
