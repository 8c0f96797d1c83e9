/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoder.c - the bytes of a good answer, as they arrive, into objects and events.
 */
#include "api/decoder.h"

#include "api/decoder_state.h"
#include "api/media.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#define METADATA_KIND STR("PartialObjectMetadata")
#define QUOTED_MAX 64

static kin_err copy_names(kin__decoder *decoder, const kin__decoder_options *options,
                          kin_error *err);
static void expect_more(kin__decoder *decoder, const kin_object *object);
static kin_err tell_event(kin__decoder *decoder, const kin_event *event, kin_error *err);
static const char *expectation(const kin__decoder *decoder);

kin_err kin__decoder_new(const kin__decoder_options *options, kin__decoder **out, kin_error *err)
{
    kin__media media = kin__media_of(options->content_type);
    kin_str type = options->content_type;

    if (media != KIN__MEDIA_JSON && media != KIN__MEDIA_PROTOBUF) {
        int quoted = (int) (type.len < QUOTED_MAX ? type.len : QUOTED_MAX);
        return kin__error_set(err, KIN_ERR_PROTOCOL,
                              "expected an answer in JSON or protobuf, found \"%.*s\"", quoted,
                              type.data);
    }
    if (options->api_version == NULL || options->kind == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "decoder: api_version and kind are required");
    }
    AUTO(kin__decoder_free) kin__decoder *decoder = kin__alloc_zero(1, sizeof *decoder);
    if (decoder == NULL) {
        return kin__error_no_memory(err);
    }
    decoder->list_remaining = -1;
    if (copy_names(decoder, options, err) != KIN_OK ||
        (media == KIN__MEDIA_JSON ? kin__decoder_open_json(decoder, err)
                                  : kin__decoder_open_proto(decoder, err)) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(decoder);
    return KIN_OK;
}

void kin__decoder_free(kin__decoder *decoder)
{
    if (decoder != NULL) {
        kin__json_framer_free(decoder->json);
        kin__pb_framer_free(decoder->proto);
        kin__buf_fini(&decoder->names);
        kin__buf_fini(&decoder->list_names);
        kin__free(decoder->list_version);
        kin__free(decoder->list_continue);
        kin__status_fini(&decoder->status);
        kin__free(decoder);
    }
}

kin_err kin__decoder_feed(kin__decoder *decoder, const char *bytes, size_t len, kin_error *err)
{
    return decoder->json != NULL ? kin__json_framer_feed(decoder->json, bytes, len, err)
                                 : kin__pb_framer_feed(decoder->proto, bytes, len, err);
}

kin_err kin__decoder_finish(kin__decoder *decoder, kin_error *err)
{
    kin_err code = decoder->json != NULL ? kin__json_framer_finish(decoder->json, err)
                                         : kin__pb_framer_finish(decoder->proto, err);

    if (code != KIN_OK) {
        return code;
    }
    if (decoder->options.answer == KIN__ANSWER_OBJECT && !decoder->had_item) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "the answer is empty");
    }
    return decoder->json != NULL && kin__decoder_is_list(decoder)
               ? kin__decoder_read_envelope(decoder, err)
               : KIN_OK;
}

kin__list_facts kin__decoder_facts(const kin__decoder *decoder)
{
    return (kin__list_facts){
        .resource_version = decoder->list_version,
        .continue_token = decoder->list_continue,
        .remaining = decoder->list_remaining,
    };
}

const kin__status *kin__decoder_status(const kin__decoder *decoder)
{
    return &decoder->status;
}

kin_object *kin__decoder_known(const kin__decoder *decoder, const kin__peek *identity)
{
    const kin__decoder_handler *handler = &decoder->options.handler;

    return handler->known(handler->context, identity->ns, identity->name, identity->uid,
                          identity->resource_version);
}

kin_err kin__decoder_tell_object(kin__decoder *decoder, kin_object *object, kin_error *err)
{
    const kin__decoder_handler *handler = &decoder->options.handler;
    AUTO(kin_object_unref) const kin_object *owned = object;

    if (!kin__decoder_is_expected(decoder, kin_object_kind(object))) {
        return kin__decoder_unexpected(decoder, kin_object_kind(object), err);
    }
    (void) owned;
    expect_more(decoder, object);
    return handler->on_object(handler->context, object, err);
}

kin_err kin__decoder_tell_change(kin__decoder *decoder, kin_event_type type, kin_object *object,
                                 kin_error *err)
{
    AUTO(kin_object_unref) const kin_object *owned = object;

    if (!kin__decoder_is_expected(decoder, kin_object_kind(object))) {
        return kin__decoder_unexpected(decoder, kin_object_kind(object), err);
    }
    (void) owned;
    if (!decoder->is_past_initial) {
        expect_more(decoder, object);
    }
    return tell_event(decoder,
                      &(kin_event){
                          .type = type,
                          .object = object,
                          .resource_version = kin_object_resource_version(object),
                      },
                      err);
}

kin_err kin__decoder_tell_bookmark(kin__decoder *decoder, const kin__bookmark *bookmark,
                                   kin_error *err)
{
    decoder->is_past_initial = decoder->is_past_initial || bookmark->is_initial_end;
    return tell_event(decoder,
                      &(kin_event){
                          .type = KIN_EVENT_BOOKMARK,
                          .is_initial_end = bookmark->is_initial_end,
                          .resource_version = bookmark->resource_version,
                      },
                      err);
}

kin_err kin__decoder_tell_error(kin__decoder *decoder, kin_err code, kin_error *failure,
                                kin_error *err)
{
    if (code == KIN_ERR_NO_MEMORY) {
        return kin__error_no_memory(err);
    }
    if (code == KIN_OK) {
        kin__error_set(failure, KIN_ERR_PROTOCOL, "the watch ends with an error that tells none");
    }
    return tell_event(decoder, &(kin_event){ .type = KIN_EVENT_ERROR, .error = failure }, err);
}

kin_err kin__decoder_event_type(kin_str name, uint64_t offset, kin_event_type *out, kin_error *err)
{
    static const struct {
        const char *name;
        kin_event_type type;
    } types[] = {
        { "ADDED", KIN_EVENT_ADDED },     { "MODIFIED", KIN_EVENT_MODIFIED },
        { "DELETED", KIN_EVENT_DELETED }, { "BOOKMARK", KIN_EVENT_BOOKMARK },
        { "ERROR", KIN_EVENT_ERROR },
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (kin__str_equal(name, kin_str_of(types[i].name))) {
            *out = types[i].type;
            return KIN_OK;
        }
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "unknown type of event \"%.*s\" at byte %llu",
                          (int) (name.len < QUOTED_MAX ? name.len : QUOTED_MAX), name.data,
                          (unsigned long long) offset);
}

kin_err kin__decoder_take_success(kin__decoder *decoder, kin_error *err)
{
    kin__answer answer = decoder->options.answer;

    return answer == KIN__ANSWER_OBJECT || answer == KIN__ANSWER_DELETIONS
               ? KIN_OK
               : kin__decoder_unexpected(decoder, STR("Status"), err);
}

kin_err kin__decoder_unexpected(const kin__decoder *decoder, kin_str kind, kin_error *err)
{
    kin_str expected = decoder->expected_kind;

    return kin__error_set(err, KIN_ERR_PROTOCOL, "expected %s%.*s, found kind \"%.*s\"",
                          expectation(decoder), KIN_STR_ARG(expected),
                          (int) (kind.len < QUOTED_MAX ? kind.len : QUOTED_MAX), kind.data);
}

/* What answers a request for one object may be of a kind of its own, as the scale of a deployment
 * is. */
bool kin__decoder_is_expected(const kin__decoder *decoder, kin_str kind)
{
    if (decoder->options.answer == KIN__ANSWER_OBJECT && !decoder->options.metadata_only) {
        return !kin__str_equal(kind, STR("Table")) ||
               kin__str_equal(decoder->expected_kind, STR("Table"));
    }
    return kin__str_equal(kind, decoder->expected_kind);
}

kin__status *kin__decoder_fresh_status(kin__decoder *decoder)
{
    kin__status_fini(&decoder->status);
    return &decoder->status;
}

static kin_err copy_names(kin__decoder *decoder, const kin__decoder_options *options,
                          kin_error *err)
{
    size_t version_size = strlen(options->api_version) + 1;
    size_t kind_size = strlen(options->kind) + 1;

    if (!kin__buf_append(&decoder->names, options->api_version, version_size) ||
        !kin__buf_append(&decoder->names, options->kind, kind_size)) {
        return kin__error_no_memory(err);
    }
    decoder->options = *options;
    decoder->options.content_type = kin__str(NULL, 0);
    decoder->options.api_version = decoder->names.data;
    decoder->options.kind = decoder->names.data + version_size;
    decoder->expected_kind =
        options->metadata_only ? METADATA_KIND : kin_str_of(decoder->options.kind);
    decoder->making = (kin_object_options){
        .size = sizeof decoder->making,
        .mask = options->mask,
        .api_version = decoder->options.api_version,
        .kind = decoder->options.kind,
        .allows_no_name = options->answer == KIN__ANSWER_OBJECT,
    };
    return KIN_OK;
}

/* Of a whole state there are many, and most of them are kept. */
static void expect_more(kin__decoder *decoder, const kin_object *object)
{
    decoder->made_bytes += kin_object_size(object);
    if (decoder->made_bytes >= KIN__ALLOC_STEP) {
        decoder->made_bytes = 0;
        kin__alloc_expect();
    }
}

static kin_err tell_event(kin__decoder *decoder, const kin_event *event, kin_error *err)
{
    return decoder->options.handler.on_event(decoder->options.handler.context, event, err);
}

static const char *expectation(const kin__decoder *decoder)
{
    switch (decoder->options.answer) {
    case KIN__ANSWER_LIST:
    case KIN__ANSWER_DELETIONS:
        return "a list of ";
    case KIN__ANSWER_WATCH:
        return "events of ";
    case KIN__ANSWER_OBJECT:
        break;
    }
    return "an object, as ";
}
