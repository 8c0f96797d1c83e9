/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/columns_custom.h - the cells of custom resources, by the type of their column.
 */
#ifndef KIN_SERVER_COLUMNS_CUSTOM_H
#define KIN_SERVER_COLUMNS_CUSTOM_H

#include "server/columns.h"

/* The function for a column of that type; one that writes null for a type that is none. */
kin__print_fn kin__custom_print_of(kin_str type);

#endif /* KIN_SERVER_COLUMNS_CUSTOM_H */
