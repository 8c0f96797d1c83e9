/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gunzip.c - zlib's inflate, over and over.
 */
#include "net/gunzip.h"

#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"

#define OUTPUT_SIZE ((size_t) 64 * 1024)
#define INPUT_MAX ((size_t) 1 << 30) /* at once: zlib counts in unsigned int */
#define GZIP_ONLY (16 + MAX_WBITS)   /* for inflateInit2: gzip around deflate with any window */

struct kin__gunzip {
    z_stream stream;
    uint64_t members;  /* that are whole */
    bool is_in_member; /* its first byte has come */
    unsigned char output[OUTPUT_SIZE];
};

static kin_err feed_some(kin__gunzip *gunzip, kin__gunzip_sink sink, void *context, kin_error *err);
static kin_err begin_member(kin__gunzip *gunzip, kin_error *err);
static kin_err fault(const kin__gunzip *gunzip, int result, kin_error *err);
static void *allocate(void *context, uInt count, uInt bytes);
static void release(void *context, void *memory);

kin_err kin__gunzip_new(kin__gunzip **out, kin_error *err)
{
    kin__gunzip *gunzip = kin__alloc(sizeof *gunzip);
    if (gunzip == NULL) {
        return kin__error_no_memory(err);
    }
    gunzip->stream = (z_stream){ .zalloc = allocate, .zfree = release };
    gunzip->members = 0;
    gunzip->is_in_member = false;
    int result = inflateInit2(&gunzip->stream, GZIP_ONLY);
    if (result != Z_OK) {
        kin__free(gunzip);
        return result == Z_MEM_ERROR
                   ? kin__error_no_memory(err)
                   : kin__error_set(err, KIN_ERR_SYSTEM, "zlib does not work: error %d", result);
    }
    *out = gunzip;
    return KIN_OK;
}

void kin__gunzip_free(kin__gunzip *gunzip)
{
    if (gunzip != NULL) {
        (void) inflateEnd(&gunzip->stream);
        kin__free(gunzip);
    }
}

kin_err kin__gunzip_feed(kin__gunzip *gunzip, const char *bytes, size_t len, kin__gunzip_sink sink,
                         void *context, kin_error *err)
{
    while (len > 0) {
        size_t part = len < INPUT_MAX ? len : INPUT_MAX;
        gunzip->stream.next_in = (z_const Bytef *) (uintptr_t) bytes; /* zlib only reads it */
        gunzip->stream.avail_in = (uInt) part;
        if (feed_some(gunzip, sink, context, err) != KIN_OK) {
            return err->code;
        }
        bytes += part;
        len -= part;
    }
    return KIN_OK;
}

kin_err kin__gunzip_finish(const kin__gunzip *gunzip, kin_error *err)
{
    if (gunzip->is_in_member) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "gzip: the data ends too early");
    }
    return KIN_OK;
}

/* Until all input is used up and zlib holds no output back.  What comes before a fault is handed
 * over, so that it does not depend on the split. */
static kin_err feed_some(kin__gunzip *gunzip, kin__gunzip_sink sink, void *context, kin_error *err)
{
    z_stream *stream = &gunzip->stream;
    do {
        if (!gunzip->is_in_member && begin_member(gunzip, err) != KIN_OK) {
            return err->code;
        }
        stream->next_out = gunzip->output;
        stream->avail_out = OUTPUT_SIZE;
        int result = inflate(stream, Z_SYNC_FLUSH);
        size_t len = OUTPUT_SIZE - stream->avail_out;
        if (len > 0 && sink(context, (const char *) gunzip->output, len, err) != KIN_OK) {
            return err->code;
        }
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            return fault(gunzip, result, err);
        }
        if (result == Z_STREAM_END) {
            gunzip->is_in_member = false;
            gunzip->members++;
        }
    } while (stream->avail_in > 0 || (gunzip->is_in_member && stream->avail_out == 0));
    return KIN_OK;
}

static kin_err begin_member(kin__gunzip *gunzip, kin_error *err)
{
    gunzip->is_in_member = true;
    int result = gunzip->members == 0 ? Z_OK : inflateReset(&gunzip->stream);
    return result == Z_OK ? KIN_OK : fault(gunzip, result, err);
}

static kin_err fault(const kin__gunzip *gunzip, int result, kin_error *err)
{
    if (result == Z_MEM_ERROR) {
        return kin__error_no_memory(err);
    }
    bool is_header = gunzip->stream.total_out == 0 && gunzip->stream.total_in <= 2;
    if (is_header && gunzip->members > 0) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "gzip: something else follows the data");
    }
    if (is_header) {
        return kin__error_set(err, KIN_ERR_PROTOCOL, "gzip: the data is not gzip");
    }
    const char *what = gunzip->stream.msg != NULL ? gunzip->stream.msg : "the data is damaged";
    return kin__error_set(err, KIN_ERR_PROTOCOL, "gzip: %s", what);
}

static void *allocate(void *context, uInt count, uInt bytes)
{
    (void) context;
    size_t size;
    return __builtin_mul_overflow((size_t) count, (size_t) bytes, &size) ? NULL : kin__alloc(size);
}

static void release(void *context, void *memory)
{
    (void) context;
    kin__free(memory);
}
