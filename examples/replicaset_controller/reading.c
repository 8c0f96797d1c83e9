/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.c - members of objects that may be missing.
 */
#include "reading.h"

kin_str read_text(kin_value value)
{
    kin_str text = { NULL, 0 };

    return kin_value_str(value, NULL, 0, &text) == KIN_OK ? text : (kin_str){ NULL, 0 };
}

int64_t read_number(kin_value value, int64_t otherwise)
{
    int64_t number;

    return kin_value_int64(value, &number) == KIN_OK ? number : otherwise;
}

kin_time read_time(kin_value value)
{
    kin_time moment;

    return kin_value_time(value, &moment) == KIN_OK ? moment : (kin_time){ 0, 0 };
}
