/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - strings and files for tests.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/test.h"

#ifndef TEST_FIXTURES
#define TEST_FIXTURES "tests/fixtures"
#endif

void text_append(text *t, const char *format, ...)
{
    size_t room = sizeof t->chars - t->len;
    va_list args;

    va_start(args, format);
    int needed = vsnprintf(t->chars + t->len, room, format, args);
    va_end(args);
    if (needed < 0 || (size_t) needed >= room) {
        FAIL("a text holds %zu bytes at most", sizeof t->chars - 1);
    }
    t->len += (size_t) needed;
}

void text_clear(text *t)
{
    t->len = 0;
    t->chars[0] = '\0';
}

char *read_fixture(const char *name, size_t *len)
{
    char path[1024];
    (void) snprintf(path, sizeof path, "%s/%s", TEST_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        FAIL("cannot open %s (errno %d)", path, errno);
    }
    long size = ftell(file);
    char *bytes = size < 0 ? NULL : malloc((size_t) size + 1);
    rewind(file);
    if (bytes == NULL || fread(bytes, 1, (size_t) size, file) != (size_t) size) {
        FAIL("cannot read %s", path);
    }
    (void) fclose(file);
    bytes[size] = '\0';
    if (len != NULL) {
        *len = (size_t) size;
    }
    return bytes;
}

void free_fixture(char *bytes)
{
    free(bytes);
}
