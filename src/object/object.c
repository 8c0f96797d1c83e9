/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - references to objects, and what is kept at hand of them.
 *
 * Nothing here knows an encoding: strings are slices of the object, values go through
 * object/encoding.h.
 */
#include "object/object.h"

#include "base/alloc.h"
#include "base/str.h"
#include "object/encoding.h"

static bool read_time(int64_t seconds, kin_time *out);
static kin_value value_at(const kin_object *object, uint32_t place);

kin_object *kin_object_ref(const kin_object *object)
{
    /* Only the count ever changes, and it is no part of what the object says. */
    kin_object *counted = (kin_object *) object;

    if (counted != NULL) {
        /* Relaxed: whoever takes a reference has one already. */
        (void) atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
    }
    return counted;
}

kin_object *kin_object_unref(const kin_object *object)
{
    kin_object *counted = (kin_object *) object;

    /* Release: what this thread did with the object comes before the drop of its reference.  The
     * acquire of whoever drops the last one pairs with it, so that all of that comes before the
     * memory goes. */
    if (counted != NULL &&
        atomic_fetch_sub_explicit(&counted->refs, 1, memory_order_release) == 1) {
        (void) atomic_load_explicit(&counted->refs, memory_order_acquire);
        kin__free(counted);
    }
    return NULL;
}

kin_str kin_object_key(const kin_object *object)
{
    return kin__object_slice(object, object->key, object->key_len);
}

kin_str kin_object_namespace(const kin_object *object)
{
    return kin__object_slice(object, object->key, object->namespace_len);
}

kin_str kin_object_name(const kin_object *object)
{
    uint32_t before = object->namespace_len > 0 ? object->namespace_len + 1u : 0;
    return kin__object_slice(object, object->key + before, object->key_len - before);
}

kin_str kin_object_uid(const kin_object *object)
{
    return kin__object_slice(object, object->uid, object->uid_len);
}

kin_str kin_object_resource_version(const kin_object *object)
{
    return kin__object_slice(object, object->version, object->version_len);
}

kin_str kin_object_api_version(const kin_object *object)
{
    return kin__object_slice(object, object->api_version, object->api_version_len);
}

kin_str kin_object_kind(const kin_object *object)
{
    return kin__object_slice(object, object->kind, object->kind_len);
}

int64_t kin_object_generation(const kin_object *object)
{
    return object->generation;
}

bool kin_object_creation_time(const kin_object *object, kin_time *out)
{
    return read_time(object->creation, out);
}

bool kin_object_deletion_time(const kin_object *object, kin_time *out)
{
    return read_time(object->deletion, out);
}

size_t kin_object_label_count(const kin_object *object)
{
    return object->label_count;
}

bool kin_object_label_at(const kin_object *object, size_t index, kin_str *out_key,
                         kin_str *out_value)
{
    if (index >= object->label_count) {
        return false;
    }
    const kin__label *label = &object->labels[index];
    *out_key = kin__object_slice(object, label->key, label->key_len);
    *out_value = kin__object_slice(object, label->value, label->value_len);
    return true;
}

bool kin_object_label(const kin_object *object, kin_str key, kin_str *out)
{
    size_t low = 0;
    size_t high = object->label_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const kin__label *label = &object->labels[middle];
        int order = kin__str_compare(key, kin__object_slice(object, label->key, label->key_len));
        if (order == 0) {
            *out = kin__object_slice(object, label->value, label->value_len);
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

kin_value kin_object_annotations(const kin_object *object)
{
    return value_at(object, object->annotations);
}

kin_value kin_object_annotation(const kin_object *object, kin_str key)
{
    return kin_value_member(kin_object_annotations(object), key);
}

kin_value kin_object_owners(const kin_object *object)
{
    return value_at(object, object->owners);
}

kin_value kin_object_controller_owner(const kin_object *object)
{
    kin_iter owners = kin_value_iter(kin_object_owners(object));

    while (kin_iter_next(&owners)) {
        bool is_controller = false;
        kin_value controller = kin_value_member(owners.value, STR("controller"));
        if (kin_value_bool(controller, &is_controller) == KIN_OK && is_controller) {
            return owners.value;
        }
    }
    return kin__value_missing(KIN_ERR_NOT_FOUND);
}

bool kin_object_is_partial(const kin_object *object)
{
    return (kin__object_partiality(object) & KIN__OBJECT_PARTIAL) != 0;
}

kin_err kin_object_json(const kin_object *object, char **out, size_t *out_len, kin_error *err)
{
    return kin_value_json(kin__object_root(object), out, out_len, err);
}

kin_err kin_object_equal(const kin_object *a, const kin_object *b, bool *out)
{
    return kin_value_equal(kin__object_root(a), kin__object_root(b), out);
}

size_t kin_object_size(const kin_object *object)
{
    return kin__object_bytes_end(object);
}

static bool read_time(int64_t seconds, kin_time *out)
{
    if (seconds == KIN__NO_TIME) {
        return false;
    }
    *out = (kin_time){ .seconds = seconds };
    return true;
}

static kin_value value_at(const kin_object *object, uint32_t place)
{
    if (place == 0) {
        return kin__value_missing(KIN_ERR_NOT_FOUND);
    }
    return kin__object_value(object, place);
}
