/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_tree.c - checked by the scanner, then made a tree.
 */
#include "server/text_tree.h"

#include "json/scanner.h"

kin_err kin__text_tree(kin_str json, kin_type type, kin__node **out, kin_error *err)
{
    kin__json document = kin__json_of(json);

    if (kin__json_check(json, err) != KIN_OK) {
        return err->code;
    }
    if (kin__json_type(document) != type) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "not %s",
                              type == KIN_TYPE_ARRAY ? "an array" : "an object");
    }
    return kin__node_from_json(document, out, err);
}
