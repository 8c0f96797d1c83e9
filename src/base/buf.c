/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - a growable buffer of bytes.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

#define FIRST_CAPACITY 24

void kin__buf_fini(kin__buf *buf)
{
    kin__free(buf->data);
    *buf = (kin__buf){ 0 };
}

void kin__buf_clear(kin__buf *buf)
{
    buf->len = 0;
    buf->has_failed = false;
}

bool kin__buf_reserve(kin__buf *buf, size_t more)
{
    if (buf->capacity - buf->len >= more) {
        return true;
    }
    size_t needed;
    size_t capacity = buf->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : buf->capacity;
    char *data = NULL;
    if (!__builtin_add_overflow(buf->len, more, &needed)) {
        while (capacity < needed) {
            capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
        }
        data = kin__realloc(buf->data, capacity);
    }
    if (data == NULL) {
        buf->has_failed = true;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

bool kin__buf_grow_append(kin__buf *buf, const char *bytes, size_t len)
{
    if (!kin__buf_reserve(buf, len)) {
        return false;
    }
    memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    return true;
}

bool kin__buf_append_format(kin__buf *buf, const char *format, ...)
{
    va_list args;
    char small[128];

    va_start(args, format);
    int needed = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (needed < 0) {
        buf->has_failed = true;
        return false;
    }
    if ((size_t) needed < sizeof small) {
        return kin__buf_append(buf, small, (size_t) needed);
    }

    if (!kin__buf_reserve(buf, (size_t) needed + 1)) {
        return false;
    }
    va_start(args, format);
    (void) vsnprintf(buf->data + buf->len, (size_t) needed + 1, format, args);
    va_end(args);
    buf->len += (size_t) needed;
    return true;
}

kin_err kin__buf_take(kin__buf *buf, char **out, size_t *out_len, kin_error *err)
{
    char *data = buf->has_failed ? NULL : kin__realloc(buf->data, buf->len + 1);
    if (data == NULL) {
        return kin__error_no_memory(err);
    }
    data[buf->len] = '\0';
    *out = data;
    *out_len = buf->len;
    *buf = (kin__buf){ 0 };
    return KIN_OK;
}
