/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/frame.h - one event of a watch, as the bytes that are sent.
 *
 * JSON: {"type":"ADDED","object":{...}} and a newline.  Protobuf: four bytes of length and a
 * WatchEvent whose object is in an envelope.  Whoever sends objects that lie somewhere already puts
 * a lead before and a tail behind them; frames in one piece are counted, and those of a change are
 * made once for all watches that send it.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_FRAME_H
#define KIN_SERVER_FRAME_H

#include "server/deed.h"

typedef enum kin__event_type {
    KIN__EVENT_ADDED,
    KIN__EVENT_MODIFIED,
    KIN__EVENT_DELETED,
    KIN__EVENT_BOOKMARK,
    KIN__EVENT_ERROR
} kin__event_type;

typedef struct kin__frame {
    uint32_t refs;
    kin__buf bytes;
} kin__frame;

kin__frame *kin__frame_ref(kin__frame *frame);
void kin__frame_unref(kin__frame *frame); /* NULL is ignored */

/* How an object is named in an envelope: as itself, or as what its shape makes of it. */
typedef struct kin__frame_kind {
    kin_str api_version;
    kin_str kind;
} kin__frame_kind;

kin__frame_kind kin__frame_kind_of(const kin__served *served, const kin__form *form);

/* What stands before an object of `len` bytes, appended to `lead`; at most
 * KIN__FRAME_LEAD_MAX bytes and the two names.  False when there is no memory. */
#define KIN__FRAME_LEAD_MAX 64
bool kin__frame_write_lead(kin__event_type type, kin__form_encoding encoding,
                           const kin__frame_kind *kind, size_t len, kin__buf *lead);
kin_str kin__frame_tail(kin__form_encoding encoding);

/* An event without what tells in a stream how long it is: the message of a WebSocket. */
kin_str kin__frame_message(kin__form_encoding encoding, kin_str bytes);

/* A frame of bytes: an object's JSON or message.  NULL when there is no memory. */
kin__frame *kin__frame_new(kin__event_type type, kin__form_encoding encoding,
                           const kin__frame_kind *kind, kin_str object);

/* An ERROR: the Status of a refusal. */
kin__frame *kin__frame_of_refusal(const kin__refusal *no, kin__form_encoding encoding);

/* A BOOKMARK: an object of the kind without anything but its version and, at the end of the initial
 * events, the annotation that says so.  Not for Tables. */
kin__frame *kin__frame_of_bookmark(const kin__served *served, const kin__form *form,
                                   uint64_t revision, bool is_initial_end);

/* The object of a bookmark, in JSON; a new reference, NULL when there is no memory. */
kin_object *kin__bookmark_object(const kin__served *served, uint64_t revision, bool is_initial_end);

/*
 * A change as one of ADDED, MODIFIED and DELETED, a new reference: made once for each encoding and
 * shape, and kept with the change until kin__frames_forget().  DELETED shows the state before, with
 * the revision of the change.  Not for Tables.  NULL when there is no memory.
 */
kin__frame *kin__frame_of_change(kin__change *change, kin__event_type type, kin__served *served,
                                 const kin__form *form);

/* The record that an event shows, in the version of `served`; a new reference, NULL when there is
 * no memory. */
kin__record *kin__frame_record(const kin__change *change, kin__event_type type,
                               const kin__served *served);

/* A frame of a record that is in the version of `served`.  Not for Tables. */
kin__frame *kin__frame_of_record(kin__event_type type, kin__record *record,
                                 const kin__served *served, const kin__form *form);

/* Of how many of a collection's newest changes frames are kept, for watches that are a little
 * behind; for one that is further behind they are made and let go. */
#define KIN__FRAMES_KEPT 64

void kin__frames_forget(kin__change *change);
void kin__frames_release(void *frames); /* for the storage */

#endif /* KIN_SERVER_FRAME_H */
