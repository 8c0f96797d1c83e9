/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/log.h - telling the program's logger something.
 *
 * What returns an error does not log it.  Warnings are for where the library goes on
 * regardless, and their text says how it goes on.  Never with a lock held: the program's
 * function runs inside the call.
 */
#ifndef KIN_BASE_LOG_H
#define KIN_BASE_LOG_H

#include "base/error.h"
#include "kin/log.h"

/*
 * Hands one line to `logger` (NULL: silence), if it wants that level; nothing is formatted
 * otherwise.  The line is valid UTF-8 without control characters whatever it quotes, and is
 * cut after 1,023 bytes.
 */
void kin__log(const kin_logger *logger, kin_log_level level, const char *component,
              const char *format, ...) KIN__PRINTF(4, 5);

#endif /* KIN_BASE_LOG_H */
