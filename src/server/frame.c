/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - the two framings of a watch, and the frames that watches share.
 *
 * The layout of the protobuf stream was seen on kube-apiserver 1.36.3: a length of four bytes, big
 * end first, then meta.v1.WatchEvent without an envelope, whose object.raw is an envelope.
 */
#include "server/frame.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/str.h"
#include "object/object.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "proto/reader.h"
#include "proto/render.h"
#include "server/codec.h"
#include "server/record_form.h"
#include "server/record_version.h"

/* What is kept with a change: by type, then by encoding and shape. */
typedef struct frames {
    kin__frame *slots[KIN__EVENT_DELETED + 1][4];
} frames;

#define LENGTH_LEN 4 /* of what stands before an event in a stream of protobuf */

static const char *const type_names[] = { "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" };

static bool write_proto_lead(kin_str type, const kin__frame_kind *kind, size_t len, kin__buf *lead);
static void put_header(kin__buf *buf, int number, size_t len);
static size_t header_size(size_t len);
static bool is_in_version(const kin__change *change, kin__event_type type,
                          const kin__served *served);
static kin__frame **slot_of(kin__change *change, kin__event_type type, const kin__form *form);
static bool write_bookmark(const kin__served *served, uint64_t revision, bool is_initial_end,
                           kin__buf *out);
static bool write_zero(const kin__served *served, kin_str json, kin__buf *out);
static kin__record *with_revision(const kin__record *record, uint64_t revision);

kin__frame *kin__frame_ref(kin__frame *frame)
{
    frame->refs++;
    return frame;
}

void kin__frame_unref(kin__frame *frame)
{
    if (frame != NULL && --frame->refs == 0) {
        kin__buf_fini(&frame->bytes);
        kin__free(frame);
    }
}

kin__frame_kind kin__frame_kind_of(const kin__served *served, const kin__form *form)
{
    if (form->shape == KIN__SHAPE_PLAIN) {
        return (kin__frame_kind){ served->api_version, served->kind };
    }
    return (kin__frame_kind){ form->is_v1beta1 ? STR("meta.k8s.io/v1beta1") : STR("meta.k8s.io/v1"),
                              STR("PartialObjectMetadata") };
}

bool kin__frame_write_lead(kin__event_type type, kin__form_encoding encoding,
                           const kin__frame_kind *kind, size_t len, kin__buf *lead)
{
    kin_str name = kin_str_of(type_names[type]);

    if (encoding == KIN__FORM_PROTO) {
        return write_proto_lead(name, kind, len, lead);
    }
    return kin__buf_append_str(lead, STR("{\"type\":\"")) && kin__buf_append_str(lead, name) &&
           kin__buf_append_str(lead, STR("\",\"object\":"));
}

kin_str kin__frame_tail(kin__form_encoding encoding)
{
    /* The envelope's contentEncoding and contentType, both empty. */
    return encoding == KIN__FORM_PROTO ? kin__str("\x1a\x00\x22\x00", 4) : STR("}\n");
}

kin_str kin__frame_message(kin__form_encoding encoding, kin_str bytes)
{
    size_t length = encoding == KIN__FORM_PROTO ? LENGTH_LEN : 0;

    return kin__str(bytes.data + length, bytes.len - length);
}

kin__frame *kin__frame_new(kin__event_type type, kin__form_encoding encoding,
                           const kin__frame_kind *kind, kin_str object)
{
    kin__frame *frame = kin__alloc_zero(1, sizeof *frame);

    if (frame == NULL) {
        return NULL;
    }
    frame->refs = 1;
    if (!kin__buf_reserve(&frame->bytes, KIN__FRAME_LEAD_MAX + kind->api_version.len +
                                             kind->kind.len + object.len) ||
        !kin__frame_write_lead(type, encoding, kind, object.len, &frame->bytes) ||
        !kin__buf_append_str(&frame->bytes, object) ||
        !kin__buf_append_str(&frame->bytes, kin__frame_tail(encoding))) {
        kin__frame_unref(frame);
        return NULL;
    }
    return frame;
}

kin__frame *kin__frame_of_refusal(const kin__refusal *no, kin__form_encoding encoding)
{
    kin__frame_kind kind = { STR("v1"), STR("Status") };
    AUTO(kin__buf_fini) kin__buf status = { 0 };

    if (encoding == KIN__FORM_JSON) {
        return kin__refusal_write_json(no, &status)
                   ? kin__frame_new(KIN__EVENT_ERROR, encoding, &kind,
                                    kin__str(status.data, status.len))
                   : NULL;
    }
    kin_str version, name, message;
    kin_error ignored;
    if (!kin__refusal_write_proto(no, &status) ||
        kin__pb_envelope_read(kin__str(status.data, status.len), &version, &name, &message,
                              &ignored)) {
        return NULL;
    }
    return kin__frame_new(KIN__EVENT_ERROR, encoding, &kind, message);
}

kin__frame *kin__frame_of_bookmark(const kin__served *served, const kin__form *form,
                                   uint64_t revision, bool is_initial_end)
{
    kin__frame_kind kind = kin__frame_kind_of(served, form);
    AUTO(kin_object_unref)
    const kin_object *object = kin__bookmark_object(served, revision, is_initial_end);
    AUTO(kin__buf_fini) kin__buf bytes = { 0 };

    if (object == NULL || !kin__object_form(object, served, form, &bytes)) {
        return NULL;
    }
    return kin__frame_new(KIN__EVENT_BOOKMARK, form->encoding, &kind,
                          kin__str(bytes.data, bytes.len));
}

kin_object *kin__bookmark_object(const kin__served *served, uint64_t revision, bool is_initial_end)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_object *object = NULL;
    kin_error ignored;

    options.allows_no_name = true;
    if (!write_bookmark(served, revision, is_initial_end, &text) ||
        kin_object_from_json(text.data, text.len, &options, &object, &ignored)) {
        return NULL;
    }
    return object;
}

kin__frame *kin__frame_of_change(kin__change *change, kin__event_type type, kin__served *served,
                                 const kin__form *form)
{
    kin__frame **slot = is_in_version(change, type, served) ? slot_of(change, type, form) : NULL;

    if (slot != NULL && *slot != NULL) {
        return kin__frame_ref(*slot);
    }
    AUTO(kin__record_unref) kin__record *record = kin__frame_record(change, type, served);
    kin__frame *frame = record == NULL ? NULL : kin__frame_of_record(type, record, served, form);
    if (slot != NULL && frame != NULL) {
        *slot = kin__frame_ref(frame);
    }
    return frame;
}

kin__record *kin__frame_record(const kin__change *change, kin__event_type type,
                               const kin__served *served)
{
    AUTO(kin__record_unref)
    kin__record *stored = type == KIN__EVENT_DELETED
                              ? with_revision(change->before, change->revision)
                              : kin__record_ref(change->after);

    return stored == NULL ? NULL : kin__record_for(served, stored);
}

kin__frame *kin__frame_of_record(kin__event_type type, kin__record *record,
                                 const kin__served *served, const kin__form *form)
{
    kin__frame_kind kind = kin__frame_kind_of(served, form);
    kin_str object;

    return kin__record_form(record, served, form, &object)
               ? kin__frame_new(type, form->encoding, &kind, object)
               : NULL;
}

void kin__frames_forget(kin__change *change)
{
    kin__frames_release(change->frames);
    change->frames = NULL;
}

void kin__frames_release(void *kept)
{
    frames *all = kept;

    if (all == NULL) {
        return;
    }
    for (size_t type = 0; type <= KIN__EVENT_DELETED; type++) {
        for (size_t i = 0; i < 4; i++) {
            kin__frame_unref(all->slots[type][i]);
        }
    }
    kin__free(all);
}

/* The lengths are written outside in: frame, object, raw, envelope, its message. */
static bool write_proto_lead(kin_str type, const kin__frame_kind *kind, size_t len, kin__buf *lead)
{
    size_t names = header_size(kind->api_version.len) + kind->api_version.len +
                   header_size(kind->kind.len) + kind->kind.len;
    size_t envelope = KIN__PB_MAGIC_LEN + header_size(names) + names + header_size(len) + len +
                      kin__frame_tail(KIN__FORM_PROTO).len;
    size_t raw = header_size(envelope) + envelope;
    size_t event = header_size(type.len) + type.len + header_size(raw) + raw;
    const char length[LENGTH_LEN] = { (char) (event >> 24 & 0xff), (char) (event >> 16 & 0xff),
                                      (char) (event >> 8 & 0xff), (char) (event & 0xff) };

    (void) kin__buf_append(lead, length, sizeof length);
    put_header(lead, 1, type.len);
    (void) kin__buf_append_str(lead, type);
    put_header(lead, 2, raw);
    put_header(lead, 1, envelope);
    (void) kin__buf_append(lead, KIN__PB_MAGIC, KIN__PB_MAGIC_LEN);
    put_header(lead, KIN__PB_ENVELOPE_TYPE, names);
    put_header(lead, 1, kind->api_version.len);
    (void) kin__buf_append_str(lead, kind->api_version);
    put_header(lead, 2, kind->kind.len);
    (void) kin__buf_append_str(lead, kind->kind);
    put_header(lead, KIN__PB_ENVELOPE_RAW, len);
    return !kin__buf_failed(lead);
}

/* The tag of a field with a length, and the length. */
static void put_header(kin__buf *buf, int number, size_t len)
{
    uint8_t varint[10];

    (void) kin__buf_append_byte(buf, (char) (number << 3 | 2));
    (void) kin__buf_append(buf, (const char *) varint, kin__pb_put_varint(len, varint));
}

static size_t header_size(size_t len)
{
    return 1 + kin__pb_varint_size(len);
}

/* Whether the change is in that version: frames in others are not shared. */
static bool is_in_version(const kin__change *change, kin__event_type type,
                          const kin__served *served)
{
    const kin__record *record = type == KIN__EVENT_DELETED ? change->before : change->after;

    return kin__record_is_in_version(served, record);
}

/* NULL when there is no memory for it: then the frame is not shared. */
static kin__frame **slot_of(kin__change *change, kin__event_type type, const kin__form *form)
{
    if (change->frames == NULL) {
        change->frames = kin__alloc_zero(1, sizeof(frames));
    }
    if (change->frames == NULL || form->is_v1beta1) {
        return NULL;
    }
    size_t place =
        (form->encoding == KIN__FORM_PROTO ? 1u : 0u) + (form->shape == KIN__SHAPE_PLAIN ? 0u : 2u);
    return &((frames *) change->frames)->slots[type][place];
}

/* Of a custom resource the kind and metadata alone, sorted; of a built-in kind what Go writes for
 * an object that has nothing but metadata.  In apps the types of the server's own are not those of
 * the API, and the way from one to the other leaves traces. */
static bool write_bookmark(const kin__served *served, uint64_t revision, bool is_initial_end,
                           kin__buf *out)
{
    bool is_apps = kin__str_equal(served->group, STR("apps"));
    bool is_daemon_set = is_apps && kin__str_equal(served->kind, STR("DaemonSet"));
    bool has_replicas = is_apps && (kin__str_equal(served->kind, STR("Deployment")) ||
                                    kin__str_equal(served->kind, STR("ReplicaSet")) ||
                                    kin__str_equal(served->kind, STR("StatefulSet")));
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("apiVersion"));
    kin__json_string(&w, served->api_version);
    kin__json_key(&w, STR("kind"));
    kin__json_string(&w, served->kind);
    if (!kin__buf_append_format(
            &json, ",\"metadata\":{%s%s%s%s%s\"resourceVersion\":\"%" PRIu64 "\"}%s}",
            is_daemon_set || is_initial_end ? "\"annotations\":{" : "",
            is_daemon_set ? "\"deprecated.daemonset.template.generation\":\"0\"" : "",
            is_daemon_set && is_initial_end ? "," : "",
            is_initial_end ? "\"k8s.io/initial-events-end\":\"true\"" : "",
            is_daemon_set || is_initial_end ? "}," : "", revision,
            has_replicas ? ",\"spec\":{\"replicas\":0}" : "")) {
        return false;
    }
    return served->traits & KIN__IS_CUSTOM ? kin__buf_append(out, json.data, json.len)
                                           : write_zero(served, kin__str(json.data, json.len), out);
}

static bool write_zero(const kin__served *served, kin_str json, kin__buf *out)
{
    kin__pb_rendering rendering = { .kind = served->kind,
                                    .api_version = served->api_version,
                                    .release = KIN__CODEC_RELEASE };
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin_error ignored;

    return kin__pb_from_json_in(KIN__CODEC_RELEASE, served->message, kin__json_of(json), &message,
                                &ignored) == KIN_OK &&
           kin__pb_render(served->message, kin__str(message.data, message.len), &rendering, out,
                          &ignored) == KIN_OK;
}

/* The same state under another version.  The version stands in the text once, as the object found
 * it: digits, which need no escapes. */
static kin__record *with_revision(const kin__record *record, uint64_t revision)
{
    kin_str text = kin__record_text(record);
    kin_str version = kin_object_resource_version(record->object);
    size_t before = (size_t) (version.data - text.data);
    AUTO(kin__buf_fini) kin__buf changed = { 0 };
    kin_object *object = NULL;
    kin__record *out = NULL;
    kin_error ignored;

    if (!kin__buf_append(&changed, text.data, before) ||
        !kin__buf_append_format(&changed, "%" PRIu64, revision) ||
        !kin__buf_append(&changed, version.data + version.len, text.len - before - version.len) ||
        kin_object_from_json(changed.data, changed.len, NULL, &object, &ignored)) {
        return NULL;
    }
    if (kin__record_new(object, record->head_len, revision, &out, &ignored)) {
        kin_object_unref(object);
        return NULL;
    }
    return out;
}
