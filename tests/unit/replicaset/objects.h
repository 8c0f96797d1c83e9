/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - objects in few words.  JSON is written with ' for ".
 */
#ifndef TESTS_UNIT_REPLICASET_OBJECTS_H
#define TESTS_UNIT_REPLICASET_OBJECTS_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kin/object.h"
#include "support/test.h"

#define NOW ((kin_time){ 1800000000, 0 }) /* 2027-01-15T08:00:00Z */

__attribute__((format(printf, 1, 2))) static inline kin_object *object_of(const char *format, ...)
{
    char json[4096];
    kin_object *object = NULL;
    kin_error err;
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(json, sizeof json, format, arguments);
    va_end(arguments);
    for (char *c = json; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    if (kin_object_from_json(json, strlen(json), NULL, &object, &err) != KIN_OK) {
        FAIL("%s: %s", json, err.message);
    }
    return object;
}

#endif /* TESTS_UNIT_REPLICASET_OBJECTS_H */
