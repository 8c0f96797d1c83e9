/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - one object while it is written.
 */
#include "server/write.h"

#include <inttypes.h>
#include <stdio.h>

#include "server/conversion.h"
#include "server/custom.h"
#include "server/field.h"
#include "server/record_version.h"
#include "server/strategy.h"
#include "server/write_options.h"

#define DUPLICATE_OWNERS                                                                           \
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in " \
    "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "   \
    "UID(s) observed: "
#define OWNERS_COMPARED 256 /* so that hostile lists take no time to speak of */

static bool has_owner_before(const kin__node *owners, size_t index);
static bool encode(const kin__served *stored, kin__node *tree, uint64_t revision, kin__buf *text,
                   kin__refusal *no);
static bool make_record(const kin__served *stored, const kin__buf *text, uint64_t revision,
                        kin__record **out, kin__refusal *no);
static bool replace_version(kin__node *tree, kin__buf *text, uint64_t revision);
static bool encode_as_given(const kin__served *stored, kin__node *tree, kin__buf *text,
                            kin__refusal *no);
static bool set_version(kin__node *tree, uint64_t revision);
static bool refuse_error(kin__refusal *no, const kin_error *err);

void kin__write_init(kin__write *write, kin__engine *engine, kin__served *served)
{
    kin__served *stored = kin__shelf_stored(engine->shelf, served);

    write->engine = engine;
    write->served = served;
    write->stored = stored == NULL ? served : stored;
}

void kin__write_fini(kin__write *write)
{
    kin__record_unref(write->before);
    kin__node_free(write->old);
    kin__node_free(write->object);
    write->before = NULL;
    write->old = write->object = NULL;
}

kin__codec_kind kin__codec_kind_of(const kin__served *served)
{
    return (kin__codec_kind){ served->api_version, served->kind, served->message };
}

bool kin__write_decode(kin__asked *asked, kin__write *write, kin__field_validation validation,
                       kin__answer *answer, kin__refusal *no)
{
    kin__body_type type = kin__body_type_of(asked->content_type);
    bool is_custom = (write->served->traits & KIN__IS_CUSTOM) != 0;
    const kin__codec_kind kind = kin__codec_kind_of(write->served);
    const kin__codec_body body = { asked->body, type == KIN__BODY_PROTOBUF, validation };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };

    if (type != KIN__BODY_JSON && (type != KIN__BODY_PROTOBUF || is_custom)) {
        return kin__refuse_body_type(no);
    }
    return kin__codec_decode(&kind, &body, &write->object, &warnings, no) &&
           kin__custom_prune(write, write->object, validation, &warnings, no) &&
           kin__custom_refuse(write, validation, &warnings, no) &&
           kin__answer_warn_all(answer, &warnings, no) &&
           kin__write_dedup_owners(write->object, answer, no) &&
           (kin__convert_to_stored(write->served, write->object) || kin__refuse_no_memory(no));
}

bool kin__write_match(kin__write *write, kin_str ns, kin_str name, kin__refusal *no)
{
    kin__node *metadata = kin__write_metadata(write);

    if (metadata == NULL) {
        return kin__refuse_no_memory(no);
    }
    if (name.len > 0) {
        kin_str own = kin__field_text(metadata, "name");
        if (own.len == 0) {
            return kin__refuse_bad_request(no,
                                           "the name of the object (%.*s based on URL) was "
                                           "undeterminable: name must be provided",
                                           KIN_STR_ARG(name));
        }
        if (!kin__str_equal(own, name)) {
            return kin__refuse_bad_request(no,
                                           "the name of the object (%.*s) does not match the name "
                                           "on the URL (%.*s)",
                                           KIN_STR_ARG(own), KIN_STR_ARG(name));
        }
    }
    kin_str own = kin__field_text(metadata, "namespace");
    if (!write->served->is_namespaced) {
        kin__field_remove(metadata, "namespace");
        return true;
    }
    if (own.len > 0 && !kin__str_equal(own, ns)) {
        return kin__refuse_bad_request(no, "the namespace of the provided object does not match "
                                           "the namespace sent on the request");
    }
    return own.len > 0 || kin__field_set_text(metadata, "namespace", ns) ||
           kin__refuse_no_memory(no);
}

bool kin__write_load(kin__write *write, kin_str ns, kin_str name, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf key = { 0 };

    if (!kin__key_append(&key, write->served->is_namespaced ? ns : STR(""), name)) {
        return kin__refuse_no_memory(no);
    }
    kin__record *found =
        kin__collection_get(write->stored->collection, kin__str(key.data, key.len));
    if (found == NULL) {
        return true;
    }
    write->before = kin__record_ref(found);
    write->old = kin__tree_of(kin__record_text(found));
    return write->old != NULL || kin__refuse_no_memory(no);
}

kin__node *kin__write_metadata(kin__write *write)
{
    return kin__field_make(write->object, "metadata", KIN_TYPE_OBJECT);
}

bool kin__write_commit(kin__write *write, kin__record **out, kin__refusal *no)
{
    uint64_t next = kin__storage_next_revision(write->engine->storage);
    uint64_t revision = write->before != NULL ? write->before->revision : write->is_dry ? 0 : next;
    AUTO(kin__record_unref) kin__record *record = NULL;
    AUTO(kin__buf_fini) kin__buf text = { 0 };
    kin_error err;

    /* With the version that is there: what is equal then says nothing new. */
    if (!(revision == 0 ? encode_as_given(write->stored, write->object, &text, no)
                        : encode(write->stored, write->object, revision, &text, no))) {
        return false;
    }
    if (write->before != NULL &&
        kin__str_equal(kin__str(text.data, text.len), kin__record_text(write->before))) {
        *out = kin__record_ref(write->before);
        return true;
    }
    if (write->is_dry) {
        return make_record(write->stored, &text, revision, out, no);
    }
    if (revision != next && !replace_version(write->object, &text, next)) {
        return kin__refuse_no_memory(no);
    }
    if (!make_record(write->stored, &text, next, &record, no)) {
        return false;
    }
    kin__record *kept = kin__record_ref(record);
    if (kin__collection_put(write->stored->collection, kept, &err) != KIN_OK) {
        kin__record_unref(kept);
        return refuse_error(no, &err);
    }
    kin__strategy_written(write, record);
    *out = STEAL(record);
    return true;
}

bool kin__write_remove(kin__write *write, uint64_t version, kin__record **out, kin__refusal *no)
{
    kin__storage *storage = write->engine->storage;
    AUTO(kin__record_unref) kin__record *told = NULL;
    uint64_t revision =
        write->is_dry ? write->before->revision : kin__storage_next_revision(storage);
    kin_error err;

    /* Made first: what could fail has happened before anything changes. */
    if (out != NULL) {
        kin__node *tree = write->object != NULL ? write->object : write->old;
        if (!kin__write_record(write->stored, tree, version == 0 ? revision : version, &told, no)) {
            return false;
        }
    }
    if (!write->is_dry) {
        if (kin__collection_remove(write->stored->collection, kin__record_key(write->before),
                                   &err) != KIN_OK) {
            return refuse_error(no, &err);
        }
        kin__strategy_removed(write);
    }
    if (out != NULL) {
        *out = STEAL(told);
    }
    return true;
}

bool kin__write_record(const kin__served *stored, kin__node *tree, uint64_t revision,
                       kin__record **out, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    return encode(stored, tree, revision, &text, no) &&
           make_record(stored, &text, revision, out, no);
}

bool kin__answer_warn(kin__answer *answer, kin_str text)
{
    const char *base = answer->words.data;
    size_t start = answer->words.len;

    if (answer->warning_count == KIN__WARNINGS) {
        return true;
    }
    if (!kin__buf_append_str(&answer->words, text)) {
        return false;
    }
    for (size_t i = 0; i < answer->warning_count; i++) {
        size_t offset = (size_t) (answer->warnings[i].data - base);
        answer->warnings[i].data = answer->words.data + offset;
    }
    answer->warnings[answer->warning_count++] = kin__str(answer->words.data + start, text.len);
    return true;
}

bool kin__write_dedup_owners(kin__node *object, kin__answer *answer, kin__refusal *no)
{
    kin__node *owners = kin__field_at(object, "metadata", "ownerReferences");
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (!kin__node_is(owners, KIN_TYPE_ARRAY)) {
        return true;
    }
    for (size_t i = 0; i < kin__node_count(owners);) {
        if (!has_owner_before(owners, i)) {
            i++;
            continue;
        }
        (void) kin__buf_append_str(&text, text.len == 0 ? STR(DUPLICATE_OWNERS) : STR(", "));
        (void) kin__buf_append_str(&text, kin__field_text(kin__node_element(owners, i), "uid"));
        kin__node_remove_element(owners, i);
    }
    return (!kin__buf_failed(&text) &&
            (text.len == 0 || kin__answer_warn(answer, kin__str(text.data, text.len)))) ||
           kin__refuse_no_memory(no);
}

bool kin__answer_warn_all(kin__answer *answer, const kin__codec_warnings *warnings,
                          kin__refusal *no)
{
    for (size_t i = 0; i < warnings->count; i++) {
        if (!kin__answer_warn(answer, kin__codec_warning(warnings, i))) {
            return kin__refuse_no_memory(no);
        }
    }
    return true;
}

bool kin__key_append(kin__buf *out, kin_str ns, kin_str name)
{
    if (ns.len > 0) {
        (void) kin__buf_append_str(out, ns);
        (void) kin__buf_append_byte(out, '/');
    }
    (void) kin__buf_append_str(out, name);
    return !kin__buf_failed(out);
}

/* Equal in everything, as a real server compares them. */
static bool has_owner_before(const kin__node *owners, size_t index)
{
    const kin__node *owner = kin__node_element(owners, index);

    for (size_t i = 0; i < index && i < OWNERS_COMPARED; i++) {
        if (kin__node_equal(kin__node_element(owners, i), owner)) {
            return true;
        }
    }
    return false;
}

/* As it would be kept, with the version that it was sent with, if any: a dry run does not mind. */
static bool encode_as_given(const kin__served *stored, kin__node *tree, kin__buf *text,
                            kin__refusal *no)
{
    const kin__codec_kind kind = kin__codec_kind_of(stored);
    kin_error err;

    if (!kin__field_set_text(tree, "apiVersion", stored->api_version)) {
        return kin__refuse_no_memory(no);
    }
    return kin__codec_encode(&kind, tree, text, &err) == KIN_OK || refuse_error(no, &err);
}

/* As it is kept, with that version; 0: without one. */
static bool encode(const kin__served *stored, kin__node *tree, uint64_t revision, kin__buf *text,
                   kin__refusal *no)
{
    const kin__codec_kind kind = kin__codec_kind_of(stored);
    kin_error err;

    if (!kin__field_set_text(tree, "apiVersion", stored->api_version) ||
        !set_version(tree, revision)) {
        return kin__refuse_no_memory(no);
    }
    return kin__codec_encode(&kind, tree, text, &err) == KIN_OK || refuse_error(no, &err);
}

static bool make_record(const kin__served *stored, const kin__buf *text, uint64_t revision,
                        kin__record **out, kin__refusal *no)
{
    static const kin_object_options options = { .size = sizeof(kin_object_options),
                                                .allows_no_name = true };
    kin_object *object = NULL;
    kin_error err;

    if (kin_object_from_json(text->data, text->len, &options, &object, &err) != KIN_OK) {
        return refuse_error(no, &err);
    }
    if (kin__record_new(object, kin__record_head_len(stored), revision, out, &err) != KIN_OK) {
        (void) kin_object_unref(object);
        return refuse_error(no, &err);
    }
    return true;
}

/* In the tree, and in the text that was made of it, which need not be made again for that.  The
 * text has a version: digits, without escapes.  False when there is no memory. */
static bool replace_version(kin__node *tree, kin__buf *text, uint64_t revision)
{
    kin__json metadata =
        kin__json_member(kin__json_of(kin__str(text->data, text->len)), STR("metadata"));
    kin_str version = kin__json_raw_string(kin__json_member(metadata, STR("resourceVersion")));
    AUTO(kin__buf_fini) kin__buf before = *text;
    size_t head = (size_t) (version.data - before.data);

    *text = (kin__buf){ 0 };
    return set_version(tree, revision) && kin__buf_reserve(text, before.len + 24) &&
           kin__buf_append(text, before.data, head) &&
           kin__buf_append_format(text, "%" PRIu64, revision) &&
           kin__buf_append(text, version.data + version.len, before.len - head - version.len);
}

static bool set_version(kin__node *tree, uint64_t revision)
{
    kin__node *metadata = kin__field_make(tree, "metadata", KIN_TYPE_OBJECT);
    char text[24];

    if (metadata == NULL) {
        return false;
    }
    if (revision == 0) {
        kin__field_remove(metadata, "resourceVersion");
        return true;
    }
    int len = snprintf(text, sizeof text, "%" PRIu64, revision);
    return kin__field_set_text(metadata, "resourceVersion", kin__str(text, (size_t) len));
}

static bool refuse_error(kin__refusal *no, const kin_error *err)
{
    if (err->code == KIN_ERR_NO_MEMORY) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse(no, 500, "InternalError", "Internal error occurred: %s", err->message);
}
