/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/test.h - the test programs' harness.
 *
 *     TEST(buf, keeps_its_content_when_it_grows)
 *     {
 *         ...
 *         ASSERT_EQ(buf.len, 3);
 *     }
 *
 * A test registers itself and runs in a child process of its own.  It fails when an assertion
 * does, when it crashes, exits, or runs over the time limit, and when it ends with more memory,
 * file descriptors or threads than it began with.  Memory is counted through the library's
 * allocator; in a build with AddressSanitizer the rest of the heap is searched as well.
 *
 * A program takes parts of test names as arguments and then runs only those that contain one;
 * `--list` shows the names, `--no-fork` runs them in the program itself, for a debugger.  The
 * time limit is 30 seconds a test; TEST_TIME_LIMIT_MS in the environment sets another one.
 *
 * Arguments of an assertion are evaluated once.  Where there is a `got` and a `want`, both are
 * shown.
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <stdint.h>

#include "kin/common.h"

#define TEST(noun, sentence)                                                                       \
    static void test_##noun##_##sentence(void);                                                    \
    TEST__REGISTER(noun, sentence, test_##noun##_##sentence, NULL)                                 \
    static void test_##noun##_##sentence(void)

/*
 * A body that is run again and again: first with its allocation 1 failing, then with allocation
 * 2, and so on until a run sees no failure; once with only that allocation failing and once with
 * all that follow failing too.
 *
 * The body returns a kin_err: KIN_OK when everything worked; when a call returned
 * KIN_ERR_NO_MEMORY, it cleans up and returns that.  Any other outcome is a failure: another
 * code, OK though an allocation failed, a leak, or a body that allocates nothing.
 */
#define TEST_FAILING_ALLOC(noun, sentence)                                                         \
    static kin_err test_##noun##_##sentence(void);                                                 \
    TEST__REGISTER(noun, sentence, NULL, test_##noun##_##sentence)                                 \
    static kin_err test_##noun##_##sentence(void)

#define FAIL(...) test__fail(__FILE__, __LINE__, __VA_ARGS__)

#define ASSERT_TRUE(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            FAIL("%s is false", #condition);                                                       \
        }                                                                                          \
    } while (0)

#define ASSERT_FALSE(condition)                                                                    \
    do {                                                                                           \
        if (condition) {                                                                           \
            FAIL("%s is true", #condition);                                                        \
        }                                                                                          \
    } while (0)

/* Integers of any type, compared by their value: -1 is not UINT64_MAX. */
#define ASSERT_EQ(got, want)                                                                       \
    do {                                                                                           \
        __typeof__(got) test_got_ = (got);                                                         \
        __typeof__(want) test_want_ = (want);                                                      \
        test__equal_integers(__FILE__, __LINE__, #got, TEST__INTEGER(test_got_),                   \
                             TEST__INTEGER(test_want_));                                           \
    } while (0)

/* The very same number; not-a-number equals itself, and 0.0 is not -0.0. */
#define ASSERT_DOUBLE_EQ(got, want)                                                                \
    test__equal_doubles(__FILE__, __LINE__, #got, (double) (got), (double) (want))

/* Terminated strings; NULL equals only NULL. */
#define ASSERT_STR_EQ(got, want) test__equal_strings(__FILE__, __LINE__, #got, (got), (want))

/* A kin_str and a terminated string. */
#define ASSERT_SLICE_EQ(got, want) test__equal_slices(__FILE__, __LINE__, #got, (got), (want))

/* That the text contains the part. */
#define ASSERT_CONTAINS(text, part) test__contains(__FILE__, __LINE__, #text, (text), (part))

#define ASSERT_ERR(call, want) test__equal_codes(__FILE__, __LINE__, #call, (call), (want))
#define ASSERT_OK(call) ASSERT_ERR(call, KIN_OK)

/* That a kin_error says exactly this. */
#define ASSERT_MESSAGE(error, want)                                                                \
    test__equal_strings(__FILE__, __LINE__, #error "->message", (error)->message, (want))

/* A string to build expectations in.  All zero is an empty one; it holds no memory. */
typedef struct text {
    size_t len;
    char chars[16 * 1024]; /* terminated */
} text;

/* Fails the test when the text is full. */
void text_append(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

void text_clear(text *t);

/*
 * The bytes of tests/fixtures/`name`, terminated, and their number in `len`, which may be NULL.
 * Owned by the caller; release with free_fixture().  Fails the test when there is no such file.
 */
char *read_fixture(const char *name, size_t *len);
void free_fixture(char *bytes);

/*
 * Makes the counting allocator the library's again, after a test has set its own.  The library
 * must hold no memory.
 */
void use_test_allocator(void);

/* Blocks the library holds at the moment. */
long long live_blocks(void);

/* ---- inside -------------------------------------------------------------------------------- */

typedef struct test__case {
    const char *noun;
    const char *sentence;
    void (*body)(void);
    kin_err (*failing_body)(void);
    struct test__case *next;
} test__case;

typedef struct test__integer {
    bool is_negative;
    uintmax_t bits;
} test__integer;

#define TEST__REGISTER(noun, sentence, body, failing_body)                                         \
    __attribute__((constructor)) static void register_##noun##_##sentence(void)                    \
    {                                                                                              \
        static test__case self = { #noun, #sentence, body, failing_body, NULL };                   \
        test__register(&self);                                                                     \
    }

/* A float or double has no function here and does not compile. */
/* clang-format off */
#define TEST__INTEGER(x)                                                                           \
    _Generic((x),                                                                                  \
        float: (void) 0,                                                                           \
        double: (void) 0,                                                                          \
        unsigned long: test__unsigned,                                                             \
        unsigned long long: test__unsigned,                                                        \
        default: test__signed)((intmax_t) (x))
/* clang-format on */

test__integer test__signed(intmax_t value);
test__integer test__unsigned(intmax_t bits);

void test__register(test__case *test);
_Noreturn void test__fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void test__equal_integers(const char *file, int line, const char *what, test__integer got,
                          test__integer want);
void test__equal_doubles(const char *file, int line, const char *what, double got, double want);
void test__equal_strings(const char *file, int line, const char *what, const char *got,
                         const char *want);
void test__equal_slices(const char *file, int line, const char *what, kin_str got,
                        const char *want);
void test__contains(const char *file, int line, const char *what, const char *chars,
                    const char *part);
void test__equal_codes(const char *file, int line, const char *what, kin_err got, kin_err want);

#endif /* TESTS_SUPPORT_TEST_H */
