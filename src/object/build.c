/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - from bytes to an object.
 *
 *     bytes --scanner--> item with its index --find--> what is where --build--> object
 *
 * The bytes are looked at once, by the scanner; from there on only the index is walked.  When all
 * is known the object is allocated once, of its exact size, and filled in.
 *
 * An item of a list has neither apiVersion nor kind.  They are put where a typed object has
 * them when it is asked for alone: at the front, kind first.
 */
#include "object/object.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "object/encoding.h"
#include "object/find.h"
#include "object/mask.h"

/* Places are 32 bits wide; what the object has beside the bytes is checked when it is known. */
#define BYTES_MAX (UINT32_MAX - 65536u)

/* A member that is put at the front of the bytes. */
typedef struct insertion {
    kin_str opens; /* up to its value's opening quote */
    kin_str value; /* empty: nothing is put there */
} insertion;

/* Where the parts of an object come to lie, from its first byte. */
typedef struct layout {
    insertion kind;
    insertion api_version;
    uint32_t inserted; /* bytes of both */
    uint32_t places;
    uint32_t place_count; /* 0: no table */
    uint32_t key;
    uint32_t decoded;
    uint32_t bytes;
    uint32_t bytes_len;
} layout;

#define CLOSES STR("\",")

static kin_err scan(const kin__json_item *item, const kin_object_options *options, kin_object **out,
                    kin_error *err);
static kin_err build(const kin__json_item *item, const kin_object_options *options,
                     kin_object **out, kin_error *err);
static kin_err plan_insertions(const kin_object_options *options, const kin__found *found,
                               layout *out, kin_error *err);
static kin_err read_name(const char *text, const char *what, kin_str *out, kin_error *err);
static kin_err plan_layout(const kin__found *found, layout *plan, kin_error *err);
static uint32_t inserted_len(const insertion *member);
static void fill_header(kin_object *object, const kin__found *found, const layout *plan);
static void fill_labels(kin_object *object, const kin__found *found, const layout *plan);
static void fill_key(kin_object *object, const kin__found *found, const kin__json_item *item);
static void fill_bytes(kin_object *object, const kin__found *found, const kin__json_item *item,
                       const layout *plan);
static char *insert(kin_object *object, const insertion *member, char *out, uint32_t *out_place,
                    uint16_t *out_len);
static void fill_places(kin_object *object, const kin__found *found, const layout *plan);
static char *put(char *out, kin_str text);
static uint32_t map(const kin__found *found, const layout *plan, uint32_t place);
static uint32_t map_str(const kin__found *found, const layout *plan, const kin__found_str *str);

kin_err kin_object_from_json(const char *bytes, size_t len, const kin_object_options *options,
                             kin_object **out, kin_error *err)
{
    kin_error unwanted;
    kin_object_options ours;
    kin__json_item item = { .bytes = { bytes, len } };
    err = kin__error_or(err, &unwanted);

    if (kin__options_read(&ours, sizeof ours, options, "kin_object_options", err) != KIN_OK ||
        scan(&item, &ours, out, err) != KIN_OK) {
        return kin__error_prefix(err, "object from JSON");
    }
    return KIN_OK;
}

kin_err kin__object_from_item(const kin__json_item *item, const kin_object_options *options,
                              kin_object **out, kin_error *err)
{
    return item->places == NULL ? scan(item, options, out, err) : build(item, options, out, err);
}

/* Down to the members of metadata.labels; elsewhere the top-level fields are enough, unless the
 * mask has something to say below them. */
kin__json_reach kin__object_reach(const kin_mask *mask)
{
    kin__json_reach reach = { .depth = 3, .member_depth = 1, .member = STR("metadata") };

    if (mask != NULL && mask->depth > reach.depth) {
        reach.depth = mask->depth;
    }
    if (mask != NULL && !kin__mask_is_flat_outside(mask, reach.member)) {
        reach.member = kin__str(NULL, 0);
    }
    return reach;
}

/* Of an item without an index. */
static kin_err scan(const kin__json_item *item, const kin_object_options *options, kin_object **out,
                    kin_error *err)
{
    kin__json_scanner_options scanner_options = {
        .reach = kin__object_reach(options != NULL ? options->mask : NULL),
        .offset = item->offset,
    };
    kin_str bytes = item->bytes;
    kin__json_scanner *scanner = NULL;
    kin_err code;

    if (bytes.len > BYTES_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "%zu bytes are too many", bytes.len);
    }
    if (kin__json_scanner_new(&scanner_options, &scanner, err) != KIN_OK) {
        return err->code;
    }
    code = kin__json_scanner_feed(scanner, bytes.data, bytes.len, err);
    if (code == KIN_OK) {
        code = kin__json_scanner_finish(scanner, err);
    }
    if (code == KIN_OK) {
        const kin__json_index *index = kin__json_scanner_index(scanner);
        kin__json_item scanned = { bytes, index->places, index->count, item->offset };
        code = build(&scanned, options, out, err);
    }
    kin__json_scanner_free(scanner);
    return code;
}

static kin_err build(const kin__json_item *item, const kin_object_options *options,
                     kin_object **out, kin_error *err)
{
    AUTO(kin__found_fini) kin__found found;
    layout plan = { 0 };

    if (kin__find(item, options, &found, err) != KIN_OK ||
        (options != NULL && plan_insertions(options, &found, &plan, err) != KIN_OK) ||
        plan_layout(&found, &plan, err) != KIN_OK) {
        return err->code;
    }
    kin_object *object = kin__alloc(plan.bytes + (size_t) plan.bytes_len);
    if (object == NULL) {
        return kin__error_no_memory(err);
    }
    fill_header(object, &found, &plan);
    fill_labels(object, &found, &plan);
    fill_key(object, &found, item);
    fill_bytes(object, &found, item, &plan);
    fill_places(object, &found, &plan);
    *out = object;
    return KIN_OK;
}

static kin_err plan_insertions(const kin_object_options *options, const kin__found *found,
                               layout *out, kin_error *err)
{
    insertion kind = { STR("\"kind\":\""), { NULL, 0 } };
    insertion api_version = { STR("\"apiVersion\":\""), { NULL, 0 } };

    if ((found->kind.place == 0 && read_name(options->kind, "kind", &kind.value, err) != KIN_OK) ||
        (found->api_version.place == 0 &&
         read_name(options->api_version, "api_version", &api_version.value, err) != KIN_OK)) {
        return err->code;
    }
    out->kind = kind;
    out->api_version = api_version;
    out->inserted = inserted_len(&kind) + inserted_len(&api_version);
    return KIN_OK;
}

/* Every apiVersion and kind there is can be written into JSON as it is; a text that cannot is
 * none. */
static kin_err read_name(const char *text, const char *what, kin_str *out, kin_error *err)
{
    kin_str name = kin_str_of(text);

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char) name.data[i];
        if (c <= ' ' || c > '~' || c == '"' || c == '\\') {
            return kin__error_set(err, KIN_ERR_USAGE, "option %s: unexpected byte 0x%02x in it",
                                  what, c);
        }
    }
    if (name.len > KIN__FOUND_STR_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "option %s: longer than %d bytes", what,
                              KIN__FOUND_STR_MAX);
    }
    *out = name;
    return KIN_OK;
}

/* The rest of the plan. */
static kin_err plan_layout(const kin__found *found, layout *plan, kin_error *err)
{
    uint32_t inserted_count =
        (plan->kind.value.len > 0 ? 1u : 0u) + (plan->api_version.value.len > 0 ? 1u : 0u);
    uint32_t place_count = found->top_count > 0 ? inserted_count + found->top_count : 0;
    uint64_t places = sizeof(kin_object) + found->label_count * sizeof(kin__label);
    uint64_t key = places + place_count * sizeof(uint32_t);
    uint64_t decoded = key + kin__found_key_len(found);
    uint64_t bytes = decoded + found->decoded.len;
    uint64_t bytes_len =
        (uint64_t) plan->inserted + found->end - found->begin - kin__cuts_removed(&found->cuts);

    if (bytes + bytes_len > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "it would be %llu bytes long",
                              (unsigned long long) (bytes + bytes_len));
    }
    plan->places = (uint32_t) places;
    plan->place_count = place_count;
    plan->key = (uint32_t) key;
    plan->decoded = (uint32_t) decoded;
    plan->bytes = (uint32_t) bytes;
    plan->bytes_len = (uint32_t) bytes_len;
    return KIN_OK;
}

static uint32_t inserted_len(const insertion *member)
{
    return member->value.len == 0 ? 0
                                  : (uint32_t) (member->opens.len + member->value.len + CLOSES.len);
}

static void fill_header(kin_object *object, const kin__found *found, const layout *plan)
{
    const kin__found_metadata *metadata = &found->metadata;

    *object = (kin_object){
        .bytes = plan->bytes,
        .bytes_len = plan->bytes_len,
        .place_count = plan->place_count,
        .encoding = KIN__ENCODING_JSON,
        .flags = found->flags,
        .label_count = (uint16_t) found->label_count,
        .key_len = (uint16_t) (plan->decoded - plan->key),
        .namespace_len = (uint16_t) metadata->in_namespace.len,
        .key = plan->key,
        .uid = map_str(found, plan, &metadata->uid),
        .version = map_str(found, plan, &metadata->version),
        .api_version = map_str(found, plan, &found->api_version),
        .kind = map_str(found, plan, &found->kind),
        .uid_len = (uint16_t) metadata->uid.len,
        .version_len = (uint16_t) metadata->version.len,
        .api_version_len = (uint16_t) found->api_version.len,
        .kind_len = (uint16_t) found->kind.len,
        .annotations = map(found, plan, metadata->annotations),
        .owners = map(found, plan, metadata->owners),
        .places = plan->places,
        .generation = metadata->generation,
        .creation = metadata->creation,
        .deletion = metadata->deletion,
    };
    atomic_init(&object->refs, 1);
}

static void fill_labels(kin_object *object, const kin__found *found, const layout *plan)
{
    for (size_t i = 0; i < found->label_count; i++) {
        const kin__found_label *label = &found->labels[i];
        object->labels[i] = (kin__label){
            .key = map_str(found, plan, &label->key),
            .value = map_str(found, plan, &label->value),
            .key_len = (uint16_t) label->key.len,
            .value_len = (uint16_t) label->value.len,
        };
    }
}

static void fill_key(kin_object *object, const kin__found *found, const kin__json_item *item)
{
    kin_str in_namespace = kin__found_text(found, item, &found->metadata.in_namespace);
    kin_str name = kin__found_text(found, item, &found->metadata.name);
    char *out = (char *) object + object->key;

    if (in_namespace.len > 0) {
        out = put(out, in_namespace);
        *out++ = '/';
    }
    out = put(out, name);
    (void) put(out, kin__str(found->decoded.data, found->decoded.len));
}

static void fill_bytes(kin_object *object, const kin__found *found, const kin__json_item *item,
                       const layout *plan)
{
    char *out = (char *) object + plan->bytes;

    *out++ = '{';
    out = insert(object, &plan->kind, out, &object->kind, &object->kind_len);
    out = insert(object, &plan->api_version, out, &object->api_version, &object->api_version_len);
    kin__cuts_copy(&found->cuts, item->bytes.data, found->begin + 1, found->end, out);
}

static char *insert(kin_object *object, const insertion *member, char *out, uint32_t *out_place,
                    uint16_t *out_len)
{
    if (member->value.len == 0) {
        return out;
    }
    out = put(out, member->opens);
    *out_place = (uint32_t) (out - (char *) object);
    *out_len = (uint16_t) member->value.len;
    out = put(out, member->value);
    return put(out, CLOSES);
}

/* What was put at the front comes first in the table too. */
static void fill_places(kin_object *object, const kin__found *found, const layout *plan)
{
    uint32_t *places = (uint32_t *) (void *) ((char *) object + plan->places);
    uint32_t front = plan->bytes + 1;

    if (plan->place_count == 0) {
        return;
    }
    if (plan->kind.value.len > 0) {
        *places++ = front;
    }
    if (plan->api_version.value.len > 0) {
        *places++ = front + inserted_len(&plan->kind);
    }
    for (uint32_t i = 0; i < found->top_count; i++) {
        places[i] = map(found, plan, found->tops[i]);
    }
}

static char *put(char *out, kin_str text)
{
    if (text.len > 0) {
        memcpy(out, text.data, text.len);
    }
    return out + text.len;
}

/* From a place in the item to one in the object. */
static uint32_t map(const kin__found *found, const layout *plan, uint32_t place)
{
    if (place == 0) {
        return 0;
    }
    return plan->bytes + plan->inserted + kin__cuts_map(&found->cuts, place) - found->begin;
}

static uint32_t map_str(const kin__found *found, const layout *plan, const kin__found_str *str)
{
    return str->decoded != 0 ? plan->decoded + str->decoded - 1 : map(found, plan, str->place);
}
