/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip_body.c - a source of pieces that are those of another, compressed.
 *
 * Pieces are borrowed until the source is asked again.  So what came before the last question is
 * copied (`head`, at most KIN__GZIP_BODY_MIN bytes), and what came with it is not (`batch`).
 */
#include "server/gzip_body.h"

#include <limits.h>
#include <string.h>

/* clang-format off */
#include <zlib.h>
/* clang-format on */

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#define LEVEL 1
#define WINDOW_BITS 15
#define AS_GZIP 16
#define MEMORY_LEVEL 8
#define OS_UNKNOWN 255 /* what Go says of itself */
#define CHUNK (64 * 1024)

typedef struct gzip_body {
    kin__body inner;
    kin__buf head;
    kin__body_pieces batch;
    size_t at;             /* the first of the batch that is not passed on */
    kin__body_state state; /* that the batch came with */
    bool has_stream;
    bool is_flushed; /* all that is behind the present input is in the output */
    z_stream stream;
    gz_header header;
    unsigned char chunk[CHUNK];
} gzip_body;

static bool look_ahead(gzip_body *body, bool *out_is_large);
static bool keep_batch(gzip_body *body);
static kin_err begin_stream(gzip_body *body, kin_error *err);
static kin__body_state pass_on(void *context, kin__body_pieces *out);
static kin__body_state next(void *context, kin__body_pieces *out);
static bool feed(gzip_body *body);
static bool end(gzip_body *body, int flush);
static void take_input(gzip_body *body, kin_str piece);
static void release(void *context);
static void free_body(gzip_body *body);
static voidpf zip_alloc(voidpf opaque, uInt items, uInt size);
static void zip_free(voidpf opaque, voidpf memory);

kin_err kin__gzip_body(kin__body *body, bool *out_is_gzip, kin_error *err)
{
    gzip_body *zipped = kin__alloc_zero(1, sizeof *zipped);
    bool is_large = false;

    if (zipped == NULL) {
        return kin__error_no_memory(err);
    }
    zipped->inner = *body;
    if (!look_ahead(zipped, &is_large)) {
        free_body(zipped);
        return kin__error_no_memory(err);
    }
    if (is_large && begin_stream(zipped, err) != KIN_OK) {
        free_body(zipped);
        return err->code;
    }
    *body = (kin__body){ is_large ? next : pass_on, release, zipped };
    *out_is_gzip = is_large;
    return KIN_OK;
}

/* ---- the beginning -------------------------------------------------------------------------- */

static bool look_ahead(gzip_body *body, bool *out_is_large)
{
    size_t sum = 0;
    for (;;) {
        body->batch.count = 0;
        body->state = body->inner.next(body->inner.context, &body->batch);
        for (size_t i = 0; i < body->batch.count; i++) {
            sum += body->batch.pieces[i].len;
        }
        *out_is_large = sum > KIN__GZIP_BODY_MIN;
        if (*out_is_large || body->state != KIN__BODY_MORE) {
            return true;
        }
        if (!keep_batch(body)) {
            return false;
        }
    }
}

static bool keep_batch(gzip_body *body)
{
    for (size_t i = 0; i < body->batch.count; i++) {
        if (!kin__buf_append_str(&body->head, body->batch.pieces[i])) {
            return false;
        }
    }
    return true;
}

static kin_err begin_stream(gzip_body *body, kin_error *err)
{
    body->stream.zalloc = zip_alloc;
    body->stream.zfree = zip_free;
    if (deflateInit2(&body->stream, LEVEL, Z_DEFLATED, WINDOW_BITS + AS_GZIP, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return kin__error_no_memory(err);
    }
    body->has_stream = true;
    body->header.os = OS_UNKNOWN;
    (void) deflateSetHeader(&body->stream, &body->header); /* fails for no gzip stream alone */
    take_input(body, kin__str(body->head.data, body->head.len));
    return KIN_OK;
}

/* ---- as it is ------------------------------------------------------------------------------- */

static kin__body_state pass_on(void *context, kin__body_pieces *out)
{
    gzip_body *body = context;

    if (body->head.len > 0) {
        out->pieces[out->count++] = kin__str(body->head.data, body->head.len);
        body->head.len = 0; /* the bytes stay */
    }
    if (body->at == body->batch.count && body->state == KIN__BODY_WAIT && out->count == 0) {
        body->batch.count = 0; /* what was looked at is passed on; from here on it is the other's */
        body->at = 0;
        return body->inner.next(body->inner.context, out);
    }
    while (body->at < body->batch.count && out->count < KIN__BODY_PIECES) {
        out->pieces[out->count++] = body->batch.pieces[body->at++];
    }
    bool is_more = body->at < body->batch.count || body->state == KIN__BODY_WAIT;
    return is_more ? KIN__BODY_MORE : body->state;
}

/* ---- compressed ----------------------------------------------------------------------------- */

static kin__body_state next(void *context, kin__body_pieces *out)
{
    gzip_body *body = context;
    bool is_over = false;

    body->stream.next_out = body->chunk;
    body->stream.avail_out = CHUNK;
    while (body->stream.avail_out > 0 && !is_over) {
        if (body->stream.avail_in > 0 || feed(body)) {
            (void) deflate(&body->stream, Z_NO_FLUSH);
        } else if (body->state == KIN__BODY_MORE) {
            body->batch.count = 0;
            body->at = 0;
            body->state = body->inner.next(body->inner.context, &body->batch);
            body->is_flushed = false;
        } else if (body->state == KIN__BODY_WAIT && body->is_flushed) {
            body->state = KIN__BODY_MORE;
            is_over = true;
        } else {
            is_over = end(body, body->state == KIN__BODY_END ? Z_FINISH : Z_SYNC_FLUSH) &&
                      body->state != KIN__BODY_WAIT;
        }
    }
    size_t len = CHUNK - body->stream.avail_out;
    if (len > 0) {
        out->pieces[out->count++] = kin__str((const char *) body->chunk, len);
    }
    if (is_over && body->state == KIN__BODY_MORE) {
        return len > 0 ? KIN__BODY_MORE : KIN__BODY_WAIT;
    }
    return is_over ? body->state : KIN__BODY_MORE;
}

/* The next piece of the batch; false when there is none. */
static bool feed(gzip_body *body)
{
    while (body->at < body->batch.count) {
        kin_str piece = body->batch.pieces[body->at];
        if (piece.len > UINT_MAX) { /* zlib counts in 32 bits */
            body->batch.pieces[body->at] = kin__str(piece.data + UINT_MAX, piece.len - UINT_MAX);
            piece.len = UINT_MAX;
        } else {
            body->at++;
        }
        if (piece.len > 0) {
            take_input(body, piece);
            return true;
        }
    }
    return false;
}

/* Whether all is in the output. */
static bool end(gzip_body *body, int flush)
{
    int result = deflate(&body->stream, flush);
    body->is_flushed = flush == Z_FINISH ? result == Z_STREAM_END : body->stream.avail_out > 0;
    return body->is_flushed;
}

static void take_input(gzip_body *body, kin_str piece)
{
    /* zlib reads only, and says const by a macro that others must not see */
    body->stream.next_in = (Bytef *) (uintptr_t) piece.data;
    body->stream.avail_in = (uInt) piece.len;
}

static void release(void *context)
{
    gzip_body *body = context;

    body->inner.release(body->inner.context);
    free_body(body);
}

/* All but the body within. */
static void free_body(gzip_body *body)
{
    if (body->has_stream) {
        (void) deflateEnd(&body->stream);
    }
    kin__buf_fini(&body->head);
    kin__free(body);
}

static voidpf zip_alloc(voidpf opaque, uInt items, uInt size)
{
    (void) opaque;
    return kin__alloc_zero(items, size);
}

static void zip_free(voidpf opaque, voidpf memory)
{
    (void) opaque;
    kin__free(memory);
}
