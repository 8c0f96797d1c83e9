/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/field.h - members of a YAML map into the fields of a struct, by a table.
 *
 * Members that no table names are passed over, as kubectl does; a member of the wrong type is an
 * error.  Nothing (null) and an empty string are the same as no member.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONFIG_FIELD_H
#define KIN_CONFIG_FIELD_H

#include "config/yaml.h"

typedef enum kin__field_kind {
    KIN__FIELD_TEXT,  /* const char *: terminated; NULL: not there */
    KIN__FIELD_PATH,  /* const char *: the same; absolute */
    KIN__FIELD_DATA,  /* kin_str: was base64 */
    KIN__FIELD_FLAG,  /* bool */
    KIN__FIELD_TEXTS, /* const char *const *: ends with NULL; NULL: not there */
    KIN__FIELD_NODE   /* const kin__yaml *: a list or a map, as it is; never copied */
} kin__field_kind;

typedef struct kin__field {
    const char *name; /* of the member */
    kin__field_kind kind;
    size_t offset; /* in the struct */
} kin__field;

/* Where fields lie, and where relative paths begin. */
typedef struct kin__field_home {
    kin__vault *vault;
    const char *directory; /* absolute */
} kin__field_home;

/* `node` may be NULL or a null.  The table ends with a NULL name.  Fails with MALFORMED ("line 7:
 * token: ..."; no value is quoted), NO_MEMORY. */
kin_err kin__fields_read(const kin__yaml *node, const kin__field *fields,
                         const kin__field_home *home, void *out, kin_error *err) KIN_MUST_CHECK;

/* Copies what the table names, except nodes, from one struct to another. */
kin_err kin__fields_copy(const void *from, const kin__field *fields, kin__vault *vault, void *out,
                         kin_error *err) KIN_MUST_CHECK;

/* A string without NUL bytes.  `what` names it in the message. */
kin_err kin__field_one_text(const kin__yaml *node, const char *what, kin__vault *vault,
                            const char **out, kin_error *err) KIN_MUST_CHECK;

/* The strings of a list. */
kin_err kin__field_texts(const kin__yaml *node, const char *what, kin__vault *vault,
                         const char *const **out, kin_error *err) KIN_MUST_CHECK;

/* `path` from `directory` on, unless it is absolute; NULL when there is no memory. */
const char *kin__path_from(const char *directory, const char *path, kin__vault *vault);

/* How many there are before the NULL; 0 for NULL. */
size_t kin__texts_count(const char *const *texts);

/* A copy; NULL gives NULL.  Fails with NO_MEMORY. */
kin_err kin__texts_copy(const char *const *texts, kin__vault *vault, const char *const **out,
                        kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_FIELD_H */
