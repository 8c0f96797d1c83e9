/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/options.h - reading a struct that the caller filled in, whatever its version.
 */
#ifndef KIN_BASE_OPTIONS_H
#define KIN_BASE_OPTIONS_H

#include "kin/common.h"

/*
 * Copies the caller's struct into ours.  Both begin with a size_t `size`.
 *
 * An older caller's struct is shorter: the fields it lacks stay zero, which means
 * "default".  A newer caller's is longer: it is accepted only while the bytes we do not
 * know are zero, so no option is ever ignored in silence.  NULL gives all defaults.
 * `size` of ours is `our_size` afterwards: the copy may be read by this function again.
 *
 * `type` is the struct's name, for the message.  Fails with USAGE.
 */
kin_err kin__options_read(void *ours, size_t our_size, const void *theirs, const char *type,
                          kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_BASE_OPTIONS_H */
