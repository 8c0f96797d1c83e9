/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h - an error that this program itself has found.
 */
#ifndef REPLICASET_CONTROLLER_FAILURE_H
#define REPLICASET_CONTROLLER_FAILURE_H

#include <kin/kin.h>

/* Fills in `err` and returns `code`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
kin_err
failure(kin_error *err, kin_err code, const char *format, ...);

#endif /* REPLICASET_CONTROLLER_FAILURE_H */
