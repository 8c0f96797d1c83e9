/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object/path.h - the steps of a path.
 */
#ifndef KIN_OBJECT_PATH_H
#define KIN_OBJECT_PATH_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "kin/path.h"
#include "kin/value.h"

typedef enum kin__step_kind {
    KIN__STEP_MEMBER,  /* name */
    KIN__STEP_ELEMENT, /* index; negative counts from the end */
    KIN__STEP_FILTER,  /* the first element whose member `name` is (not) `literal` */
    KIN__STEP_EACH     /* [*] */
} kin__step_kind;

typedef struct kin__step {
    kin__step_kind kind;
    _Atomic uint32_t hint; /* an encoding's own: what it found out about the name; 0: nothing yet */
    kin_str name;          /* decoded */
    int64_t index;
    bool is_not;           /* != instead of == */
    kin_type literal_type; /* string, number, bool or null */
    kin_str literal;       /* a string decoded; others as they are written */
} kin__step;

struct kin_path {
    char *text; /* canonical; owned, as all strings of the steps, by this allocation */
    size_t count;
    kin__step steps[];
};

KIN__DEFINE_AUTO(kin_path, kin_path_free)

#define KIN__PATH_STEPS_MAX 1000

/* A path read onto the stack, for one call.  It must not be moved: strings of the steps may lie in
 * `strings`. */
typedef struct kin__path_parsed {
    size_t count;
    kin__step steps[KIN_PATH_TEXT_STEPS];
    char strings[512]; /* names and literals with escapes, decoded */
} kin__path_parsed;

/* Reads `text` without an allocation; strings without escapes are borrowed from it.  Fails as
 * kin_path_new(), and leaves nothing of use in `out` then; LIMIT when it has too many steps or too
 * long escaped strings. */
kin_err kin__path_parse(const char *text, kin__path_parsed *out, kin_error *err) KIN_MUST_CHECK;

/* Appends the canonical text of the steps. */
bool kin__path_append_text(const kin__step *steps, size_t count, kin__buf *buf);

/* `value` becomes what the steps lead to from it; with [*], the first match.  (walk.c) */
void kin__path_walk(const kin__step *steps, size_t count, kin_value *value);

/* Calls `fn` for each match; returns how many calls were made. */
size_t kin__path_each(const kin__step *steps, size_t count, kin_value value,
                      bool (*fn)(void *context, kin_value match), void *context);

#endif /* KIN_OBJECT_PATH_H */
