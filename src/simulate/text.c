/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - JSON out of templates.
 *
 * Room for a whole template is taken at once, in which every character may become two.  Only words
 * look again.
 */
#include "simulate/text.h"

#include <assert.h>
#include <string.h>

#include "simulate/fault.h"
#include "simulate/memory.h"

#define FIRST_CAPACITY 16384

static bool reserve(kin__sim_text *text, size_t more);
static const char *word_fill(kin__sim_text *text, const char *name, size_t reserved,
                             const kin__sim_words *words);

void kin__sim_text_fini(kin__sim_text *text)
{
    kin__sim_release(text->data);
    *text = (kin__sim_text){ 0 };
}

void kin__sim_text_clear(kin__sim_text *text)
{
    text->len = 0;
    text->has_failed = false;
}

void kin__sim_text_add(kin__sim_text *text, kin_str bytes)
{
    if (reserve(text, bytes.len) && bytes.len > 0) {
        memcpy(text->data + text->len, bytes.data, bytes.len);
        text->len += bytes.len;
    }
}

void kin__sim_text_fill(kin__sim_text *text, const char *template, const kin__sim_words *words)
{
    size_t reserved = strlen(template) * 2;

    if (!reserve(text, reserved)) {
        return;
    }
    char *out = text->data + text->len;
    for (const char *in = template; *in != '\0'; in++) {
        if (*in == '<') {
            text->len = (size_t) (out - text->data);
            in = word_fill(text, in + 1, reserved, words);
            if (in == NULL) {
                return;
            }
            out = text->data + text->len;
        } else if (*in == '`') {
            *out++ = '\\';
            *out++ = '"';
        } else {
            *out++ = *in == '\'' ? '"' : *in;
        }
    }
    text->len = (size_t) (out - text->data);
}

kin_err kin__sim_text_get(const kin__sim_text *text, kin_str *out, kin_error *err)
{
    if (text->has_failed) {
        return kin__sim_no_memory(err);
    }
    *out = (kin_str){ text->data, text->len };
    return KIN_OK;
}

static bool reserve(kin__sim_text *text, size_t more)
{
    if (text->has_failed) {
        return false;
    }
    if (text->capacity - text->len >= more) {
        return true;
    }
    size_t capacity = text->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : text->capacity;
    while (capacity - text->len < more) {
        capacity *= 2;
    }
    char *data = kin__sim_resize(text->data, capacity);
    if (data == NULL) {
        text->has_failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

/* The word behind a '<', with `reserved` bytes left behind it.  Returns where its '>' is, or NULL
 * when there is no memory. */
static const char *word_fill(kin__sim_text *text, const char *name, size_t reserved,
                             const kin__sim_words *words)
{
    const char *end = strchr(name, '>');
    assert(end != NULL);
    const kin_str *value = kin__sim_words_find(words, (kin_str){ name, (size_t) (end - name) });
    assert(value != NULL);

    if (!reserve(text, value->len + reserved)) {
        return NULL;
    }
    memcpy(text->data + text->len, value->data, value->len);
    text->len += value->len;
    return end;
}
