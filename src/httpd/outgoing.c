/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outgoing.c - pieces and what frames them.
 */
#include "httpd/outgoing.h"

#include "base/str.h"

static struct iovec part_of(kin_str bytes);

kin__body_state kin__outgoing_ask(kin__outgoing *outgoing, const kin__body *body)
{
    kin__body_pieces pieces;
    pieces.count = 0;
    kin__body_state state = body->next(body->context, &pieces);
    size_t count = pieces.count > KIN__BODY_PIECES ? KIN__BODY_PIECES : pieces.count;

    kin__outgoing_clear(outgoing);
    for (size_t i = 0; i < count; i++) {
        if (pieces.pieces[i].len != 0) {
            outgoing->parts[outgoing->end++] = part_of(pieces.pieces[i]);
            outgoing->len += pieces.pieces[i].len;
        }
    }
    return state;
}

void kin__outgoing_make_chunk(kin__outgoing *outgoing, bool is_last)
{
    kin_str tail = is_last ? STR("\r\n0\r\n\r\n") : STR("\r\n");
    if (outgoing->len == 0) {
        if (is_last) {
            outgoing->parts[outgoing->end++] = part_of(STR("0\r\n\r\n"));
            outgoing->len = 5;
        }
        return;
    }
    size_t at = sizeof outgoing->size;
    outgoing->size[--at] = '\n';
    outgoing->size[--at] = '\r';
    for (size_t rest = outgoing->len; rest != 0; rest >>= 4) {
        outgoing->size[--at] = "0123456789abcdef"[rest & 15];
    }
    kin_str size = kin__str(outgoing->size + at, sizeof outgoing->size - at);
    outgoing->parts[--outgoing->first] = part_of(size);
    outgoing->parts[outgoing->end++] = part_of(tail);
    outgoing->len += size.len + tail.len;
}

void kin__outgoing_put_first(kin__outgoing *outgoing, kin_str bytes)
{
    outgoing->parts[--outgoing->first] = part_of(bytes);
    outgoing->len += bytes.len;
}

void kin__outgoing_put_last(kin__outgoing *outgoing, kin_str bytes)
{
    outgoing->parts[outgoing->end++] = part_of(bytes);
    outgoing->len += bytes.len;
}

void kin__outgoing_cut(kin__outgoing *outgoing, size_t count)
{
    size_t left = count;
    outgoing->len -= count;
    if (outgoing->len == 0) {
        outgoing->first = outgoing->end;
        return;
    }
    while (left >= outgoing->parts[outgoing->first].iov_len) {
        left -= outgoing->parts[outgoing->first++].iov_len;
    }
    struct iovec *part = &outgoing->parts[outgoing->first];
    part->iov_base = (char *) part->iov_base + left;
    part->iov_len -= left;
}

void kin__outgoing_clear(kin__outgoing *outgoing)
{
    outgoing->first = outgoing->end = KIN__OUTGOING_FRONT;
    outgoing->len = 0;
}

/* writev(2) does not write to it. */
static struct iovec part_of(kin_str bytes)
{
    return (struct iovec){ .iov_base = (void *) (uintptr_t) bytes.data, .iov_len = bytes.len };
}
