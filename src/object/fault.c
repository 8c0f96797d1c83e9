/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - what is wrong with a selector, in the API server's words.
 */
#include "object/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

/* How much of the selector a message shows at least, and at most. */
#define TEXT_SHOWN_MIN 16
#define TEXT_SHOWN_MAX 64

#define MORE "..."

static void append(kin__fault *fault, const char *bytes, size_t len);
static void quote_character(kin__fault *fault, kin_str character);
static const char *more_if(bool is_cut);

void kin__fault_say(kin__fault *fault, const char *format, ...)
{
    char words[sizeof fault->words];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (len > 0) {
        append(fault, words, strlen(words));
    }
}

void kin__fault_show(kin__fault *fault, kin_str input)
{
    size_t shown = kin__fault_clip(input, KIN__FAULT_QUOTE_MAX);

    append(fault, input.data, shown);
    kin__fault_say(fault, "%s", more_if(shown < input.len));
}

void kin__fault_quote(kin__fault *fault, kin_str input)
{
    size_t shown = kin__fault_clip(input, KIN__FAULT_QUOTE_MAX);

    append(fault, "\"", 1);
    for (size_t i = 0; i < shown;) {
        size_t len = kin__utf8_char_len(input.data + i, shown - i);
        len = len == 0 ? 1 : len;
        quote_character(fault, kin__str(input.data + i, len));
        i += len;
    }
    kin__fault_say(fault, "%s\"", more_if(shown < input.len));
}

void kin__fault_enclose(kin__fault *fault, size_t from)
{
    size_t len = fault->len - from;

    if (kin__fault_is_full(fault)) {
        len--;
    }
    memmove(fault->words + from + 1, fault->words + from, len);
    fault->words[from] = '[';
    fault->len = from + 1 + len;
    fault->words[fault->len] = '\0';
    append(fault, "]", 1);
}

bool kin__fault_is_full(const kin__fault *fault)
{
    return fault->len == sizeof fault->words - 1;
}

kin_err kin__fault_raise(const kin__fault *fault, const char *wanted, kin_str text, kin_error *err)
{
    char place[32];
    (void) snprintf(place, sizeof place, " at byte %zu", fault->at);

    size_t room = sizeof err->message - 1 - strlen(wanted) - strlen(" \"\": ") - strlen(place);
    size_t for_text = room > fault->len + strlen(MORE) ? room - fault->len - strlen(MORE) : 0;
    for_text = for_text < TEXT_SHOWN_MIN ? TEXT_SHOWN_MIN : for_text;
    for_text = for_text > TEXT_SHOWN_MAX ? TEXT_SHOWN_MAX : for_text;
    size_t text_len = kin__fault_clip(text, for_text);
    room -= text_len + strlen(more_if(text_len < text.len));

    size_t len = fault->len;
    if (len > room) {
        len = kin__fault_clip(kin__str(fault->words, fault->len), room - strlen(MORE));
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "%s \"%.*s%s\": %.*s%s%s", wanted, (int) text_len,
                          text.data, more_if(text_len < text.len), (int) len, fault->words,
                          more_if(len < fault->len), place);
}

size_t kin__fault_clip(kin_str text, size_t room)
{
    if (text.len <= room) {
        return text.len;
    }
    size_t len = room;
    while (len > 0 && ((unsigned char) text.data[len] & 0xc0) == 0x80) {
        len--;
    }
    return len;
}

static void append(kin__fault *fault, const char *bytes, size_t len)
{
    size_t room = sizeof fault->words - 1 - fault->len;

    len = len < room ? len : room;
    if (len != 0) {
        memcpy(fault->words + fault->len, bytes, len);
        fault->len += len;
    }
    fault->words[fault->len] = '\0';
}

/* Of two bytes that are control characters (C1) the first is 0xc2, and the second the character. */
static void quote_character(kin__fault *fault, kin_str character)
{
    static const char named[] = "\a\b\t\n\v\f\r\"\\";
    static const char letters[] = "abtnvfr\"\\";
    unsigned char first = (unsigned char) character.data[0];
    const char *at = memchr(named, first, sizeof named - 1);

    if (at != NULL) {
        kin__fault_say(fault, "\\%c", letters[at - named]);
    } else if (character.len == 1 && (first < 0x20 || first >= 0x7f)) {
        kin__fault_say(fault, "\\x%02x", first);
    } else if (first == 0xc2 && (unsigned char) character.data[1] < 0xa0) {
        kin__fault_say(fault, "\\u%04x", (unsigned char) character.data[1]);
    } else {
        append(fault, character.data, character.len);
    }
}

static const char *more_if(bool is_cut)
{
    return is_cut ? MORE : "";
}
