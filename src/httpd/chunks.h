/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd/chunks.h - a chunked body, read as it arrives.
 *
 * Extensions and trailers are passed over; their lines are limited.  All zero is a reader at the
 * beginning.
 *
 * Threading: confined.
 */
#ifndef KIN_HTTPD_CHUNKS_H
#define KIN_HTTPD_CHUNKS_H

#include "kin/common.h"

typedef struct kin__chunks {
    unsigned state;  /* private */
    bool has_digits; /* private: of a size */
    size_t line_len; /* private */
    uint64_t left;   /* private: of the chunk */
} kin__chunks;

typedef enum kin__chunks_step {
    KIN__CHUNKS_ON,    /* all bytes are used up */
    KIN__CHUNKS_DATA,  /* a piece was found */
    KIN__CHUNKS_END,   /* the body is over; what lies behind `used` is not its own */
    KIN__CHUNKS_BROKEN /* no chunked body */
} kin__chunks_step;

/* Reads on; `*used` says how many bytes it took.  DATA gives a piece of them. */
kin__chunks_step kin__chunks_read(kin__chunks *chunks, const char *bytes, size_t len, size_t *used,
                                  kin_str *data);

#endif /* KIN_HTTPD_CHUNKS_H */
