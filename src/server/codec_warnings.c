/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_warnings.c - what is wrong with a body and not fatal, for Warning headers.
 */
#include "server/codec_warnings.h"

#include "base/str.h"
#include "server/quote.h"

static bool is_told(const kin__codec_warnings *warnings, kin_str text);

void kin__codec_warnings_fini(kin__codec_warnings *warnings)
{
    kin__buf_fini(&warnings->texts);
    warnings->count = 0;
}

kin_str kin__codec_warning(const kin__codec_warnings *warnings, size_t index)
{
    size_t begin = index == 0 ? 0 : warnings->ends[index - 1];

    return kin__str(warnings->texts.data + begin, warnings->ends[index] - begin);
}

void kin__codec_warn(kin__codec_warnings *warnings, const char *what, kin_str path)
{
    kin__buf *texts = &warnings->texts;
    size_t begin = texts->len;

    if (warnings->count == KIN__CODEC_WARNINGS_MAX) {
        return;
    }
    (void) kin__buf_append_str(texts, kin_str_of(what));
    (void) kin__buf_append_byte(texts, ' ');
    kin__quote_append(path, texts);
    if (kin__buf_failed(texts) ||
        is_told(warnings, kin__str(texts->data + begin, texts->len - begin))) {
        texts->len = begin;
        return;
    }
    warnings->ends[warnings->count++] = texts->len;
}

void kin__codec_strict_error(const kin__codec_warnings *warnings, kin__buf *buf)
{
    (void) kin__buf_append_str(buf, STR("strict decoding error: "));
    for (size_t i = 0; i < warnings->count; i++) {
        (void) kin__buf_append_str(buf, i == 0 ? STR("") : STR(", "));
        (void) kin__buf_append_str(buf, kin__codec_warning(warnings, i));
    }
}

static bool is_told(const kin__codec_warnings *warnings, kin_str text)
{
    for (size_t i = 0; i < warnings->count; i++) {
        if (kin__str_equal(kin__codec_warning(warnings, i), text)) {
            return true;
        }
    }
    return false;
}
