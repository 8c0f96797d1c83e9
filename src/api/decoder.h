/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/decoder.h - the bytes of a good answer, as they arrive, into objects and events.
 *
 * Four answers in two encodings; the answer's Content-Type decides which.  Stands on json/framer.h
 * and proto/framer.h: one pass, any split, one staging buffer, and no memory of its own for an
 * item beside the object that is made of it.
 *
 * Threading: confined.
 */
#ifndef KIN_API_DECODER_H
#define KIN_API_DECODER_H

#include "api/status.h"
#include "base/cleanup.h"
#include "kin/client.h"

typedef enum kin__answer {
    KIN__ANSWER_OBJECT,   /* one object, with or without a name, or a Status of success: of all
                             requests for one object, a delete included */
    KIN__ANSWER_LIST,     /* a list, and nothing else */
    KIN__ANSWER_WATCH,    /* events */
    KIN__ANSWER_DELETIONS /* a list, or a Status of success: of a delete of a collection */
} kin__answer;

/* What the surroundings of the objects said.  Strings are owned by the decoder, and never empty;
 * NULL: not told. */
typedef struct kin__list_facts {
    const char *resource_version;
    const char *continue_token;
    int64_t remaining; /* -1: not told */
} kin__list_facts;

/* What these return other than KIN_OK (with `err` set) ends the decoding. */
typedef struct kin__decoder_handler {
    void *context;
    /* An object, borrowed.  Of OBJECT, LIST and DELETIONS. */
    kin_err (*on_object)(void *context, kin_object *object, kin_error *err);
    /* An event, borrowed.  ERROR too: it is not an error of the decoding. */
    kin_err (*on_event)(void *context, const kin_event *event, kin_error *err);
    /*
     * Asked before an item of a list, or an ADDED event before the end of the initial ones, becomes
     * an object, with what it says of itself; an object that is returned (shared) is taken in its
     * place.  So a list that is asked for again keeps what has not changed.  NULL: every item
     * becomes an object.
     *
     * With it the items of a list in JSON are only checked when they become objects, and then in a
     * second pass: it pays when most of them are known, and costs when none is.
     */
    kin_object *(*known)(void *context, kin_str ns, kin_str name, kin_str uid,
                         kin_str resource_version);
} kin__decoder_handler;

typedef struct kin__decoder_options {
    kin__answer answer;
    kin_str content_type;    /* of the answer; borrowed for the call */
    const char *api_version; /* of the resource that was asked for; copied */
    const char *kind;        /* the same; objects of a list or watch must have it */
    bool metadata_only;      /* then objects must be PartialObjectMetadata */
    const kin_mask *mask;    /* borrowed until free; NULL: everything is kept */
    size_t object_bytes;     /* the largest object; 0: 64 MB */
    kin__decoder_handler handler;
} kin__decoder_options;

typedef struct kin__decoder kin__decoder;

/* Fails with PROTOCOL (a content type that is neither: says which), USAGE (no api_version or kind),
 * NO_MEMORY. */
kin_err kin__decoder_new(const kin__decoder_options *options, kin__decoder **out,
                         kin_error *err) KIN_MUST_CHECK;
void kin__decoder_free(kin__decoder *decoder);
KIN__DEFINE_AUTO(kin__decoder, kin__decoder_free)

/*
 * Takes the next bytes, borrowed for the call.  Fails with MALFORMED (at which byte of the answer),
 * PROTOCOL (something of another kind than was asked for: which), LIMIT (an object that is too
 * large), NOT_FOUND (a kind that is not known in protobuf), NO_MEMORY, what the handler returned,
 * or, when a Status of failure comes where it is no event, with what that says; then only status()
 * and free() may follow.
 */
kin_err kin__decoder_feed(kin__decoder *decoder, const char *bytes, size_t len,
                          kin_error *err) KIN_MUST_CHECK;

/*
 * There are no more bytes.  Fails as feed(), and with MALFORMED when the answer is not whole; of a
 * watch that ends inside an event too.  Until this succeeds, what was told of a list may be part of
 * a whole that is not there.
 */
kin_err kin__decoder_finish(kin__decoder *decoder, kin_error *err) KIN_MUST_CHECK;

/* After finish, of a list. */
kin__list_facts kin__decoder_facts(const kin__decoder *decoder);

/* More of the last Status of failure: of an ERROR event, while it is told and after, or of what
 * feed() or finish() failed with.  Borrowed; all NULL when there was none. */
const kin__status *kin__decoder_status(const kin__decoder *decoder);

#endif /* KIN_API_DECODER_H */
