/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/pattern_class.h - classes of characters that have a name in regular expressions.
 */
#ifndef KIN_SERVER_PATTERN_CLASS_H
#define KIN_SERVER_PATTERN_CLASS_H

#include "server/pattern_state.h"

typedef struct kin__pattern_class {
    char letter;                  /* of \d; 0: it has none */
    const char *name;             /* of [:digit:]; "": it has none */
    kin__pattern_range ranges[4]; /* in order */
    size_t count;
} kin__pattern_class;

/* NULL: there is none. */
const kin__pattern_class *kin__pattern_class_of_letter(int letter);
const kin__pattern_class *kin__pattern_class_of_name(kin_str name);

#endif /* KIN_SERVER_PATTERN_CLASS_H */
