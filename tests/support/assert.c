/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assert.c - comparing, and showing both sides when they differ.
 */
#include "support/test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool same_integers(test__integer a, test__integer b);
static void print_integer(const char *label, test__integer value);
static void print_bytes(const char *label, const char *bytes, size_t len);
static void print_strings(const char *got, size_t got_len, const char *want, size_t want_len);
static _Noreturn void end_failed(const char *file, int line);

_Noreturn void test__fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) vprintf(format, args);
    va_end(args);
    (void) printf("\n");
    end_failed(file, line);
}

test__integer test__signed(intmax_t value)
{
    return (test__integer){ value < 0, (uintmax_t) value };
}

test__integer test__unsigned(intmax_t bits)
{
    return (test__integer){ false, (uintmax_t) bits };
}

void test__equal_integers(const char *file, int line, const char *what, test__integer got,
                          test__integer want)
{
    if (!same_integers(got, want)) {
        (void) printf("%s\n", what);
        print_integer("got ", got);
        print_integer("want", want);
        end_failed(file, line);
    }
}

void test__equal_doubles(const char *file, int line, const char *what, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) != 0) {
        test__fail(file, line, "%s\n  got  %.17g\n  want %.17g", what, got, want);
    }
}

void test__equal_strings(const char *file, int line, const char *what, const char *got,
                         const char *want)
{
    size_t got_len = got == NULL ? 0 : strlen(got);
    size_t want_len = want == NULL ? 0 : strlen(want);
    bool is_same = got == NULL || want == NULL ? got == want : strcmp(got, want) == 0;

    if (!is_same) {
        (void) printf("%s\n", what);
        print_strings(got, got_len, want, want_len);
        end_failed(file, line);
    }
}

void test__equal_slices(const char *file, int line, const char *what, kin_str got, const char *want)
{
    size_t want_len = strlen(want);

    if (got.len != want_len || (want_len != 0 && memcmp(got.data, want, want_len) != 0)) {
        (void) printf("%s\n", what);
        print_strings(got.len == 0 ? "" : got.data, got.len, want, want_len);
        end_failed(file, line);
    }
}

void test__contains(const char *file, int line, const char *what, const char *chars,
                    const char *part)
{
    if (chars == NULL || strstr(chars, part) == NULL) {
        (void) printf("%s does not contain what it should\n", what);
        print_bytes("got ", chars, chars == NULL ? 0 : strlen(chars));
        print_bytes("part", part, strlen(part));
        end_failed(file, line);
    }
}

void test__equal_codes(const char *file, int line, const char *what, kin_err got, kin_err want)
{
    if (got != want) {
        test__fail(file, line, "%s\n  got  %s (%d)\n  want %s (%d)", what, kin_err_name(got),
                   (int) got, kin_err_name(want), (int) want);
    }
}

static bool same_integers(test__integer a, test__integer b)
{
    return a.is_negative == b.is_negative && a.bits == b.bits;
}

static void print_integer(const char *label, test__integer value)
{
    if (value.is_negative) {
        (void) printf("  %s %" PRIdMAX "\n", label, (intmax_t) value.bits);
    } else {
        (void) printf("  %s %" PRIuMAX "\n", label, value.bits);
    }
}

static void print_strings(const char *got, size_t got_len, const char *want, size_t want_len)
{
    size_t at = 0;

    print_bytes("got ", got, got_len);
    print_bytes("want", want, want_len);
    if (got != NULL && want != NULL) {
        while (at < got_len && at < want_len && got[at] == want[at]) {
            at++;
        }
        (void) printf("  lengths %zu and %zu, first difference at byte %zu\n", got_len, want_len,
                      at);
    }
}

static void print_bytes(const char *label, const char *bytes, size_t len)
{
    if (bytes == NULL) {
        (void) printf("  %s NULL\n", label);
        return;
    }
    (void) printf("  %s \"", label);
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char) bytes[i];
        if (byte == '"' || byte == '\\') {
            (void) printf("\\%c", byte);
        } else if (byte == '\n') {
            (void) printf("\\n");
        } else if (byte < 0x20 || byte == 0x7f) {
            (void) printf("\\x%02x", byte);
        } else {
            (void) putchar(byte);
        }
    }
    (void) printf("\"\n");
}

/* The whole process ends, whichever thread the assertion was in. */
static _Noreturn void end_failed(const char *file, int line)
{
    (void) printf("  at %s:%d\n", file, line);
    (void) fflush(NULL);
    _exit(1);
}
