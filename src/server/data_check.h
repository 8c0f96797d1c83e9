/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/data_check.h - what ConfigMaps and Secrets may hold, and when it may change.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_DATA_CHECK_H
#define KIN_SERVER_DATA_CHECK_H

#include "server/write.h"

#define KIN__DATA_MAX (1u << 20) /* bytes of all values together */

bool kin__served_has_data(const kin__served *served); /* ConfigMaps, Secrets */

/* Adds what is wrong to a refusal that was begun. */
void kin__data_check(const kin__write *write, kin__refusal *no);

#endif /* KIN_SERVER_DATA_CHECK_H */
