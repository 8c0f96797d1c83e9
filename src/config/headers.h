/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/headers.h - the headers that say who asks.
 *
 * Threading: a pure function.
 */
#ifndef KIN_CONFIG_HEADERS_H
#define KIN_CONFIG_HEADERS_H

#include "config/config.h"

/*
 * "Authorization: ..." and "Impersonate-...: ...", ending with NULL; in `vault`.  `token` is the
 * bearer token, NULL for none: then the configuration's username and password count.  To a server
 * without https only impersonation goes out.  Fails with NO_MEMORY.
 */
kin_err kin__headers_make(const kin_config *config, const char *token, kin__vault *vault,
                          const char *const **out, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_HEADERS_H */
