/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - objects in few words, and cells of them.  JSON is written with ' for ".
 */
#ifndef TESTS_UNIT_CLI_OBJECTS_H
#define TESTS_UNIT_CLI_OBJECTS_H

#include <string.h>

#include "cli/columns.h"
#include "kin/object.h"
#include "support/test.h"

#define NOW 1800000000 /* 2027-01-15T08:00:00Z */

static inline void to_json(const char *words, text *out)
{
    text_clear(out);
    text_append(out, "%s", words);
    for (size_t i = 0; i < out->len; i++) {
        out->chars[i] = out->chars[i] == '\'' ? '"' : out->chars[i];
    }
}

static inline kin_object *object_of(const char *words)
{
    static text json;
    kin_object *object = NULL;
    kin_error err;

    to_json(words, &json);
    if (kin_object_from_json(json.chars, json.len, NULL, &object, &err) != KIN_OK) {
        FAIL("%s", err.message);
    }
    return object;
}

/* An object with a name, and these members. */
static inline kin_object *named(const char *members)
{
    static text words;

    text_clear(&words);
    text_append(&words, "{'metadata':{'name':'web-0','namespace':'shop'}%s%s}",
                members[0] != '\0' ? "," : "", members);
    return object_of(words.chars);
}

/* The cells of its kind but the name, with a bar between them. */
static inline const char *cells_of(const char *group, const char *kind, kin_object *object)
{
    static text shown;
    kin__cli_text cell = { 0 };
    const kin__cli_column *columns = kin__cli_columns_of(group, kind);
    const char *separator = "";

    text_clear(&shown);
    for (size_t i = 0; columns[i].heading != NULL; i++) {
        if (strcmp(columns[i].heading, "NAME") == 0) {
            continue;
        }
        kin__cli_text_clear(&cell);
        kin__cli_column_cell(&columns[i], object, NOW, &cell);
        text_append(&shown, "%s%s", separator, kin__cli_text_chars(&cell));
        separator = "|";
    }
    kin__cli_text_fini(&cell);
    kin_object_unref(object);
    return shown.chars;
}

#endif /* TESTS_UNIT_CLI_OBJECTS_H */
