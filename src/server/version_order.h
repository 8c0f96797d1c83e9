/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/version_order.h - which of two API versions is preferred.
 *
 * Threading: a pure function.
 */
#ifndef KIN_SERVER_VERSION_ORDER_H
#define KIN_SERVER_VERSION_ORDER_H

#include "kin/common.h"

/*
 * Negative when `a` comes before `b`: v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1, and then
 * what is no such version, by bytes (apimachinery, version.CompareKubeAwareVersionStrings).  0 only
 * for equal ones.
 */
int kin__version_compare(kin_str a, kin_str b);

#endif /* KIN_SERVER_VERSION_ORDER_H */
