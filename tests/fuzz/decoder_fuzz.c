/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder_fuzz.c - any answer gives the same objects, events and fault, however it is cut.
 *
 * The first byte chooses what was asked for, its lowest two bits the answer, the next two the
 * encoding and whether objects are known, then whether it is metadata and whether there is a mask;
 * the second the size of a chunk.  What is told must be as promised.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/decoder.h"
#include "base/hash.h"
#include "base/str.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct outcome {
    kin_err code;
    kin_error err;
    uint64_t hash; /* of all that was told */
    size_t count;
    uint8_t choice;
    kin_object *first; /* the one that is known; shared */
} outcome;

static void note(outcome *o, kin_str text)
{
    o->hash = kin__hash(text.data, text.len, o->hash + text.len + 1);
}

static void note_object(outcome *o, kin_object *object)
{
    note(o, kin_object_key(object));
    note(o, kin_object_uid(object));
    note(o, kin_object_kind(object));
    note(o, kin_object_api_version(object));
    note(o, kin__object_bytes(object));
    if (o->first == NULL) {
        o->first = kin_object_ref(object);
    }
    o->count++;
}

static bool is_metadata(const outcome *o)
{
    return (o->choice & 16) != 0;
}

static kin_err on_object(void *context, kin_object *object, kin_error *err)
{
    outcome *o = context;
    kin__answer answer = (kin__answer) (o->choice & 3);

    (void) err;
    CHECK(answer != KIN__ANSWER_WATCH);
    if (answer != KIN__ANSWER_OBJECT || is_metadata(o)) {
        CHECK(kin_str_equal(kin_object_kind(object),
                            is_metadata(o) ? STR("PartialObjectMetadata") : STR("ConfigMap")));
    }
    CHECK(answer == KIN__ANSWER_OBJECT || kin_object_name(object).len > 0);
    note_object(o, object);
    return KIN_OK;
}

static kin_err on_event(void *context, const kin_event *event, kin_error *err)
{
    outcome *o = context;

    (void) err;
    CHECK((o->choice & 3) == KIN__ANSWER_WATCH);
    o->hash += (uint64_t) event->type + event->is_initial_end;
    note(o, event->resource_version);
    if (event->type == KIN_EVENT_ERROR) {
        CHECK(event->object == NULL && event->error->code != KIN_OK);
        note(o, kin_str_of(event->error->message));
        note(o, kin_str_of(event->error->reason));
    } else if (event->type == KIN_EVENT_BOOKMARK) {
        CHECK(event->object == NULL && event->error == NULL && event->resource_version.len > 0);
    } else {
        CHECK(event->error == NULL && kin_object_name(event->object).len > 0);
        note_object(o, event->object);
    }
    return KIN_OK;
}

static kin_object *find_known(void *context, kin_str ns, kin_str name, kin_str uid,
                              kin_str resource_version)
{
    outcome *o = context;

    CHECK(name.len > 0 && uid.len > 0 && resource_version.len > 0);
    note(o, ns);
    note(o, name);
    note(o, uid);
    note(o, resource_version);
    return o->first != NULL && kin_str_equal(name, kin_object_name(o->first))
               ? kin_object_ref(o->first)
               : NULL;
}

static void decode(uint8_t choice, const kin_mask *mask, kin_str bytes, size_t step, outcome *out)
{
    kin__decoder_options options = {
        .answer = (kin__answer) (choice & 3),
        .content_type =
            choice & 4 ? STR("application/vnd.kubernetes.protobuf") : STR("application/json"),
        .api_version = "v1",
        .kind = "ConfigMap",
        .metadata_only = (choice & 16) != 0,
        .mask = choice & 32 ? mask : NULL,
        .object_bytes = 1 << 16,
        .handler = { out, on_object, on_event, choice & 8 ? find_known : NULL },
    };
    kin__decoder *decoder;

    memset(out, 0, sizeof *out);
    out->choice = choice;
    CHECK(kin__decoder_new(&options, &decoder, &out->err) == KIN_OK);
    for (size_t at = 0; at < bytes.len && out->code == KIN_OK; at += step) {
        size_t left = bytes.len - at;
        out->code =
            kin__decoder_feed(decoder, bytes.data + at, left < step ? left : step, &out->err);
    }
    if (out->code == KIN_OK) {
        out->code = kin__decoder_finish(decoder, &out->err);
    }
    if (out->code == KIN_OK) {
        kin__list_facts facts = kin__decoder_facts(decoder);
        note(out, kin_str_of(facts.resource_version));
        note(out, kin_str_of(facts.continue_token));
        out->hash += (uint64_t) facts.remaining;
    }
    note(out, kin_str_of(kin__decoder_status(decoder)->cause));
    note(out, kin_str_of(kin__decoder_status(decoder)->continue_token));
    kin__decoder_free(decoder);
    kin_object_unref(out->first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { "metadata.labels", "data.x", "items[*].y" };
    outcome whole;
    outcome cut;
    kin_mask *mask;

    if (size < 2 || size > 16384) {
        return 0;
    }
    CHECK(kin_mask_new(KIN_MASK_DROP, paths, 3, &mask, NULL) == KIN_OK);
    kin_str bytes = { (const char *) data + 2, size - 2 };
    decode(data[0], mask, bytes, size, &whole);
    decode(data[0], mask, bytes, 1 + (size_t) data[1], &cut);
    kin_mask_free(mask);

    CHECK(whole.code == cut.code && whole.count == cut.count && whole.hash == cut.hash);
    CHECK(whole.code == KIN_OK || strcmp(whole.err.message, cut.err.message) == 0);
    return 0;
}
