/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_class.c - classes of characters that have a name in regular expressions.
 *
 * After Go's regexp/syntax: white space has a vertical tab as [:space:] and none as \s.
 */
#include "server/pattern_class.h"

#include "base/str.h"

static const kin__pattern_class classes[] = {
    { 'd', "digit", { { '0', '9' } }, 1 },
    { 'w', "word", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } }, 4 },
    { 's', "", { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } }, 3 },
    { 0, "space", { { '\t', '\r' }, { ' ', ' ' } }, 2 },
    { 0, "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } }, 3 },
    { 0, "alpha", { { 'A', 'Z' }, { 'a', 'z' } }, 2 },
    { 0, "ascii", { { 0, 0x7f } }, 1 },
    { 0, "blank", { { '\t', '\t' }, { ' ', ' ' } }, 2 },
    { 0, "cntrl", { { 0, 0x1f }, { 0x7f, 0x7f } }, 2 },
    { 0, "graph", { { '!', '~' } }, 1 },
    { 0, "lower", { { 'a', 'z' } }, 1 },
    { 0, "print", { { ' ', '~' } }, 1 },
    { 0, "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } }, 4 },
    { 0, "upper", { { 'A', 'Z' } }, 1 },
    { 0, "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } }, 3 },
};

const kin__pattern_class *kin__pattern_class_of_letter(int letter)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (letter != 0 && classes[i].letter == letter) {
            return &classes[i];
        }
    }
    return NULL;
}

const kin__pattern_class *kin__pattern_class_of_name(kin_str name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (name.len > 0 && kin__str_equal(kin_str_of(classes[i].name), name)) {
            return &classes[i];
        }
    }
    return NULL;
}
