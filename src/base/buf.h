/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/buf.h - a growable buffer of bytes.
 *
 * All zero is an empty buffer.  An operation that fails for lack of memory leaves the buffer as
 * it was; the buffer also remembers the failure, so that a writer may append many times and ask
 * once (kin__buf_failed()).
 *
 * Threading: confined.
 */
#ifndef KIN_BASE_BUF_H
#define KIN_BASE_BUF_H

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "kin/common.h"

typedef struct kin__buf {
    char *data; /* owned; NULL while nothing was appended */
    size_t len;
    size_t capacity;
    bool has_failed;
} kin__buf;

void kin__buf_fini(kin__buf *buf);
KIN__DEFINE_AUTO_FINI(kin__buf, kin__buf_fini)

/* Forgets the content and any failure, keeps the memory. */
void kin__buf_clear(kin__buf *buf);

/* Room for `more` bytes beyond `len`; false when there is no memory. */
bool kin__buf_reserve(kin__buf *buf, size_t more);

bool kin__buf_grow_append(kin__buf *buf, const char *bytes, size_t len);

static inline bool kin__buf_append(kin__buf *buf, const char *bytes, size_t len)
{
    if (buf->capacity - buf->len < len) {
        return kin__buf_grow_append(buf, bytes, len);
    }
    if (len != 0) {
        memcpy(buf->data + buf->len, bytes, len);
        buf->len += len;
    }
    return true;
}

static inline bool kin__buf_append_str(kin__buf *buf, kin_str s)
{
    return kin__buf_append(buf, s.data, s.len);
}

static inline bool kin__buf_append_byte(kin__buf *buf, char byte)
{
    return kin__buf_append(buf, &byte, 1);
}

bool kin__buf_append_format(kin__buf *buf, const char *format, ...) KIN__PRINTF(2, 3);

/* True when an append since the last clear found no memory. */
static inline bool kin__buf_failed(const kin__buf *buf)
{
    return buf->has_failed;
}

/*
 * Hands the content over as a terminated block for kin_free(), of the exact size, and leaves the
 * buffer empty.  On failure (also an earlier append's) returns NO_MEMORY and the buffer keeps
 * what it has.
 */
kin_err kin__buf_take(kin__buf *buf, char **out, size_t *out_len, kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_BASE_BUF_H */
