/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/identity.h - what the server gives to an object: its uid, its name, its times.
 *
 * Chance comes from engine->random, so that a server with a known seed gives the same names again.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_IDENTITY_H
#define KIN_SERVER_IDENTITY_H

#include "proto/render_time.h"
#include "server/deed.h"

#define KIN__UID_LEN 36
#define KIN__NAME_SUFFIX_LEN 5
#define KIN__NAME_BASE_MAX 58 /* of generateName: what is longer is cut */

/* A random UUID, version 4, terminated. */
void kin__identity_uid(kin__engine *engine, char out[KIN__UID_LEN + 1]);

/* The end of a generated name, terminated: of letters and digits that make no words. */
void kin__identity_suffix(kin__engine *engine, char out[KIN__NAME_SUFFIX_LEN + 1]);

/* The wall time `offset_s` seconds from now, as metadata has it: "2026-11-15T21:53:23Z".  The text
 * lies in `out`.  An offset may be any number, and beyond 292 years it is that of
 * kin__identity_span(). */
kin_str kin__identity_time(const kin__engine *engine, int64_t offset_s, char out[KIN__PB_TIME_MAX]);

/* The seconds that a real server has for so many: it counts nanoseconds in 64 bits, which start
 * anew beyond 292 years. */
int64_t kin__identity_span(int64_t seconds);

#endif /* KIN_SERVER_IDENTITY_H */
