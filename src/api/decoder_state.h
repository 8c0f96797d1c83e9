/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/decoder_state.h - what the parts of the decoder share.
 *
 *     decoder.c        takes the answer's bytes, and hands over what comes of them
 *     decoder_json.c   items and events in JSON
 *     decoder_proto.c  the same in protobuf
 */
#ifndef KIN_API_DECODER_STATE_H
#define KIN_API_DECODER_STATE_H

#include "api/decoder.h"
#include "api/peek.h"
#include "base/buf.h"
#include "object/object.h"

struct kin__decoder {
    kin__decoder_options options; /* `content_type` is not kept; names lie in `names` */
    kin__buf names;
    kin_str expected_kind;     /* of objects */
    kin_object_options making; /* of objects; its names are those of what has none itself */
    kin__json_framer *json;    /* owned; one of these two */
    kin__pb_framer *proto;     /* owned */
    kin__pb_message message;   /* of api_version and kind that were asked for */
    kin__buf list_names;       /* what a list in JSON says of its items, if it is something else */
    size_t made_bytes;         /* of objects, since memory was last expected */
    bool had_item;             /* an item of a list, or the one object */
    bool is_past_initial;      /* of a watch: its initial events are over */
    char *list_version;        /* owned; NULL: not told */
    char *list_continue;       /* owned; NULL: not told */
    int64_t list_remaining;    /* -1: not told */
    kin__status status;
};

/* Sets up the framer. */
kin_err kin__decoder_open_json(kin__decoder *decoder, kin_error *err) KIN_MUST_CHECK;
kin_err kin__decoder_open_proto(kin__decoder *decoder, kin_error *err) KIN_MUST_CHECK;

/* Of a list in JSON, when all bytes have come. */
kin_err kin__decoder_read_envelope(kin__decoder *decoder, kin_error *err) KIN_MUST_CHECK;

static inline bool kin__decoder_is_list(const kin__decoder *decoder)
{
    return decoder->options.answer == KIN__ANSWER_LIST ||
           decoder->options.answer == KIN__ANSWER_DELETIONS;
}

/* The known object of that identity, shared; NULL: there is none. */
kin_object *kin__decoder_known(const kin__decoder *decoder, const kin__peek *identity);

/* An object of a list, or the one that was asked for; consumed. */
kin_err kin__decoder_tell_object(kin__decoder *decoder, kin_object *object,
                                 kin_error *err) KIN_MUST_CHECK;

/* ADDED, MODIFIED or DELETED; the object is consumed. */
kin_err kin__decoder_tell_change(kin__decoder *decoder, kin_event_type type, kin_object *object,
                                 kin_error *err) KIN_MUST_CHECK;

kin_err kin__decoder_tell_bookmark(kin__decoder *decoder, const kin__bookmark *bookmark,
                                   kin_error *err) KIN_MUST_CHECK;

/* What kin__status_from_...() said of the object of an ERROR event: KIN_OK, or with `failure`. */
kin_err kin__decoder_tell_error(kin__decoder *decoder, kin_err code, kin_error *failure,
                                kin_error *err) KIN_MUST_CHECK;

/* By its name; fails with MALFORMED, `offset` being that of the event. */
kin_err kin__decoder_event_type(kin_str name, uint64_t offset, kin_event_type *out,
                                kin_error *err) KIN_MUST_CHECK;

/* What a Status of success is good for: KIN_OK, or PROTOCOL where a list must come. */
kin_err kin__decoder_take_success(kin__decoder *decoder, kin_error *err) KIN_MUST_CHECK;

/* PROTOCOL, "expected a list, found kind ...". */
kin_err kin__decoder_unexpected(const kin__decoder *decoder, kin_str kind, kin_error *err);

/* Whether an object of that kind is what was asked for; of a single object all but tables are. */
bool kin__decoder_is_expected(const kin__decoder *decoder, kin_str kind);

/* Forgets the last Status; for the functions of api/status.h to fill in. */
kin__status *kin__decoder_fresh_status(kin__decoder *decoder);

#endif /* KIN_API_DECODER_STATE_H */
