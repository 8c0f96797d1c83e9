/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/common.h - what every header of kinformer shares: errors, strings, export macros.
 *
 * Errors.  A function that can fail returns a kin_err and must be checked.  The
 * sentence for people goes into a kin_error that the caller provides as the last
 * argument; NULL is allowed where only the code matters.  On failure no other
 * out-parameter is touched; on success every one of them is set.
 *
 * Structs.  One that begins with `size` is made with its KIN_..._INIT and then filled in, field by
 * field: so a program and a library of different versions understand each other.  One that was only
 * zeroed is refused with USAGE.  New fields may come at the end; zero means the default.
 *
 * Pointers.  NULL is allowed where the declaration says so: always for `err`, for optional fields,
 * and for what is to be freed or unreferenced.  A call, an informer or a factory of a client that
 * is NULL, because making that failed, is refused with USAGE; any other NULL is not looked for, as
 * in memcpy().
 *
 * Strings.  kin_str is a pointer and a length.  It is NOT terminated by a NUL: the
 * characters lie inside an object's own bytes.  Print one with
 * printf("%.*s", KIN_STR_ARG(name)).
 *
 * Ownership, in the words used by all headers
 *   borrowed  valid for the call, or for as long as the thing it was taken from
 *   owned     the receiver releases it with the function that is named
 *   shared    counted: the receiver holds a reference, and unrefs it
 *
 * Threading, in the words used by all headers
 *   immutable    any thread, any time, without a lock
 *   thread-safe  any thread; locks inside
 *   confined     one thread at a time; the caller sees to it
 */
#ifndef KIN_COMMON_H
#define KIN_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define KIN_BEGIN_DECLS extern "C" {
#define KIN_END_DECLS }
#else
#define KIN_BEGIN_DECLS
#define KIN_END_DECLS
#endif

#if defined(__GNUC__)
#define KIN_API __attribute__((visibility("default")))
#define KIN_MUST_CHECK __attribute__((warn_unused_result))
#define KIN_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define KIN_API
#define KIN_MUST_CHECK
#define KIN_FORMAT(text, first)
#endif

/* The version of the headers; kin_version() tells that of the library that was linked. */
#define KIN_VERSION_MAJOR 0
#define KIN_VERSION_MINOR 1
#define KIN_VERSION_PATCH 0

/* True when the headers are of that version or a later one: #if KIN_VERSION_AT_LEAST(0, 1, 0) */
#define KIN_VERSION_AT_LEAST(major, minor, patch)                                                  \
    (KIN_VERSION_MAJOR > (major) ||                                                                \
     (KIN_VERSION_MAJOR == (major) &&                                                              \
      (KIN_VERSION_MINOR > (minor) ||                                                              \
       (KIN_VERSION_MINOR == (minor) && KIN_VERSION_PATCH >= (patch)))))

KIN_BEGIN_DECLS

/*
 * What went wrong, as far as a program would act on it.  New values may appear;
 * treat an unknown one as a failure that is not worth retrying.
 */
typedef enum kin_err {
    KIN_OK = 0,
    KIN_ERR_NO_MEMORY = -1, /* an allocation failed; nothing was changed */
    KIN_ERR_USAGE = -2,     /* the caller broke a documented rule */
    KIN_ERR_NOT_FOUND = -3, /* there is no such thing */
    KIN_ERR_MALFORMED = -4, /* bytes or text that do not say what they should */
    KIN_ERR_TYPE = -5,      /* it is there, and of another type */
    KIN_ERR_RANGE = -6,     /* it does not fit: a number, or a string into its scratch */
    KIN_ERR_LIMIT = -7,     /* over a limit: ours (depth, size, count) or the system's (threads) */
    KIN_ERR_PARTIAL = -8,   /* needs the whole object, and this one is partial */
    KIN_ERR_SYSTEM = -9,    /* the operating system refused: a file, a descriptor, a process */

    /* On the way to the server and back. */
    KIN_ERR_CANCELLED = -20, /* the program ended it */
    KIN_ERR_TIMEOUT = -21,   /* a deadline passed */
    KIN_ERR_CONNECT = -22,   /* no connection: no such host, refused, unreachable */
    KIN_ERR_TLS = -23,       /* the server is not who it should be, or does not want us */
    KIN_ERR_CLOSED = -24,    /* the connection was cut before the answer was whole */
    KIN_ERR_PROTOCOL = -25,  /* the answer is not what an API server would say */

    /* What the server answered: http_status, reason and retry_after_ms tell more. */
    KIN_ERR_UNAUTHORIZED = -40, /* 401, or credentials could not be had */
    KIN_ERR_FORBIDDEN = -41,    /* 403 */
    KIN_ERR_CONFLICT = -42,  /* 409: another version is there (or, by its reason, AlreadyExists) */
    KIN_ERR_EXPIRED = -43,   /* 410: the resource version or page is too old: list again */
    KIN_ERR_INVALID = -44,   /* 400, 422: it makes no sense to the server */
    KIN_ERR_THROTTLED = -45, /* 429: later */
    KIN_ERR_REFUSED = -46,   /* any other 4xx: 405, 406, 413, 415 */
    KIN_ERR_SERVER = -47     /* 5xx */
} kin_err;

/* "KIN_ERR_TYPE" for KIN_ERR_TYPE; "unknown error" for a number that is none. */
KIN_API const char *kin_err_name(kin_err code);

/*
 * The details of a failure.  Needs no initialisation and no release.  The layout is
 * fixed for ever.
 */
typedef struct kin_error {
    kin_err code;
    int http_status;         /* 0 when the failure was local */
    uint32_t retry_after_ms; /* how long the server asked us to wait; 0: it did not */
    char reason[52];         /* the server's reason ("Conflict"), or empty */
    char message[448];       /* from what was wanted to what went wrong: one terminated line of
                              * valid UTF-8 without control characters */
} kin_error;

/*
 * For the program's own functions that the library calls and that may fail (kin_reconcile_fn,
 * kin_transform_fn, kin_index_fn and their like): sets code and message, clears the rest, and
 * returns `code`.  What is too long is cut; control characters and what is no UTF-8 become "?".
 * A message may quote the `err` that it goes into.  NULL is ignored.
 *
 *     return kin_error_set(err, KIN_ERR_MALFORMED, "no port in %s", text);
 */
KIN_API kin_err kin_error_set(kin_error *err, kin_err code, const char *format, ...)
    KIN_FORMAT(3, 4);

/* A string that somebody else holds.  `data` may be NULL only while `len` is 0. */
typedef struct kin_str {
    const char *data;
    size_t len; /* in bytes */
} kin_str;

/* The two arguments that "%.*s" wants.  Evaluates `s` more than once; what is longer than an int
 * can say is cut. */
#define KIN_STR_ARG(s) ((int) ((s).len > 0x7fffffff ? 0x7fffffff : (s).len)), ((s).data)

/* A kin_str over a terminated string; NULL gives an empty one. */
KIN_API kin_str kin_str_of(const char *text);

/* True when both hold the same bytes. */
KIN_API bool kin_str_equal(kin_str a, kin_str b);

/* "0.1.0": the version of the library at run time. */
KIN_API const char *kin_version(void);

/* Releases memory that a function of this library handed out as "release with kin_free()".
 * NULL is ignored. */
KIN_API void kin_free(void *memory);

KIN_END_DECLS
#endif /* KIN_COMMON_H */
