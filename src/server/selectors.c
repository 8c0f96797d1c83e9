/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selectors.c - label selectors, with the words of the API server for what is wrong.
 *
 * Quotations of more than KIN__FAULT_QUOTE_MAX bytes are cut in these words; the API server tells
 * them in full.
 */
#include "server/selectors.h"

#include "base/str.h"
#include "object/fault.h"
#include "object/selector.h"

bool kin__label_selector_read(const char *text, kin_selector **out, kin__refusal *no)
{
    kin_str whole = kin_str_of(text);
    kin__fault fault = { 0 };
    kin_error err;

    if (whole.len == 0) {
        *out = NULL;
        return true;
    }
    kin_err code = whole.len > KIN__SELECTOR_TEXT_MAX
                       ? kin__error_set(&err, KIN_ERR_LIMIT, "the label selector is too long")
                       : kin__selector_read(whole, out, &fault, &err);
    if (code == KIN_OK) {
        return true;
    }
    if (code == KIN_ERR_NO_MEMORY) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_bad_request(no, "%s", fault.len > 0 ? fault.words : err.message);
}
