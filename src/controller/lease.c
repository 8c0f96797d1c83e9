/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.c - a Lease's record, from the object and into it.
 */
#include "controller/lease.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/time.h"
#include "object/edit.h"

static const char bare_lease[] = "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                                 "\"metadata\":{},\"spec\":{}}";

static void unref(const kin_object *object);
KIN__DEFINE_AUTO(kin_object, unref)

static kin_err read_holder(kin_value spec, kin__lease_holder *out, kin_error *err);
static kin_err read_count(kin_value spec, const char *name, int64_t *out, kin_error *err);
static kin_err read_time(kin_value spec, const char *name, kin_time *out, kin_error *err);
static bool is_absent(kin_value value);
static kin_err malformed(kin_error *err, const char *name, kin_value value);
static kin_err set_record(kin_edit *edit, const kin__lease_record *record, kin_error *err);
static kin_err set_time(kin_edit *edit, const char *path, kin_time time, kin_error *err);
static bool is_same_time(kin_time a, kin_time b);

kin__lease_holder kin__lease_holder_of(kin_str name)
{
    kin__lease_holder holder = {
        .len = name.len,
        .hash = name.len == 0 ? 0 : kin__hash(name.data, name.len, kin__hash_seed()),
    };

    size_t kept = name.len > KIN__LEASE_HOLDER_MAX ? KIN__LEASE_HOLDER_MAX : name.len;
    if (kept > 0) {
        memcpy(holder.name, name.data, kept);
    }
    return holder;
}

bool kin__lease_holder_equal(const kin__lease_holder *a, const kin__lease_holder *b)
{
    return a->len == b->len && a->hash == b->hash && memcmp(a->name, b->name, sizeof a->name) == 0;
}

bool kin__lease_record_equal(const kin__lease_record *a, const kin__lease_record *b)
{
    return kin__lease_holder_equal(&a->holder, &b->holder) && a->duration_s == b->duration_s &&
           a->transitions == b->transitions && is_same_time(a->acquired, b->acquired) &&
           is_same_time(a->renewed, b->renewed);
}

kin_err kin__lease_read(const kin_object *lease, kin__lease_record *out, kin_error *err)
{
    kin_value spec = kin_object_at(lease, "spec");
    kin__lease_record record = { 0 };

    if (!is_absent(spec) && kin_value_type(spec) != KIN_TYPE_OBJECT) {
        return malformed(err, "spec", spec);
    }
    if (read_holder(spec, &record.holder, err) != KIN_OK ||
        read_count(spec, "leaseDurationSeconds", &record.duration_s, err) != KIN_OK ||
        read_count(spec, "leaseTransitions", &record.transitions, err) != KIN_OK ||
        read_time(spec, "acquireTime", &record.acquired, err) != KIN_OK ||
        read_time(spec, "renewTime", &record.renewed, err) != KIN_OK) {
        return err->code;
    }
    *out = record;
    return KIN_OK;
}

kin_err kin__lease_make(const char *ns, const char *name, const kin__lease_record *record,
                        kin_object **out, kin_error *err)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    AUTO(unref) kin_object *bare = NULL;
    AUTO(kin_edit_free) kin_edit *edit = NULL;

    options.allows_no_name = true;
    if (kin_object_from_json(bare_lease, sizeof bare_lease - 1, &options, &bare, err) != KIN_OK ||
        kin_object_edit(bare, &edit, err) != KIN_OK ||
        kin_edit_set_str(edit, "metadata.name", kin_str_of(name), err) != KIN_OK ||
        kin_edit_set_str(edit, "metadata.namespace", kin_str_of(ns), err) != KIN_OK ||
        set_record(edit, record, err) != KIN_OK) {
        return err->code;
    }
    return kin_edit_object(edit, out, err);
}

kin_err kin__lease_write(const kin_object *lease, const kin__lease_record *record, kin_object **out,
                         kin_error *err)
{
    AUTO(kin_edit_free) kin_edit *edit = NULL;

    if (kin_object_edit(lease, &edit, err) != KIN_OK || set_record(edit, record, err) != KIN_OK) {
        return err->code;
    }
    return kin_edit_object(edit, out, err);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* A name with escapes needs room to be read into: as much as it likes to take. */
static kin_err read_holder(kin_value spec, kin__lease_holder *out, kin_error *err)
{
    kin_value value = kin_value_member(spec, STR("holderIdentity"));
    kin_str name = { NULL, 0 };

    if (is_absent(value)) {
        *out = kin__lease_holder_of(name);
        return KIN_OK;
    }
    size_t size = kin_value_scratch_size(value);
    char *scratch = size == 0 ? NULL : kin__alloc(size);
    if (size != 0 && scratch == NULL) {
        return kin__error_no_memory(err);
    }
    kin_err code = kin_value_str(value, scratch, size, &name);
    if (code == KIN_OK) {
        *out = kin__lease_holder_of(name);
    }
    kin__free(scratch);
    return code == KIN_OK ? KIN_OK : malformed(err, "spec.holderIdentity", value);
}

static kin_err read_count(kin_value spec, const char *name, int64_t *out, kin_error *err)
{
    kin_value value = kin_value_member(spec, kin_str_of(name));
    int64_t count = 0;

    if (!is_absent(value) &&
        (kin_value_int64(value, &count) != KIN_OK || count < 0 || count > INT32_MAX)) {
        return malformed(err, name, value);
    }
    *out = count;
    return KIN_OK;
}

static kin_err read_time(kin_value spec, const char *name, kin_time *out, kin_error *err)
{
    kin_value value = kin_value_member(spec, kin_str_of(name));
    kin_time time = { 0, 0 };

    if (!is_absent(value) && kin_value_time(value, &time) != KIN_OK) {
        return malformed(err, name, value);
    }
    *out = time;
    return KIN_OK;
}

static bool is_absent(kin_value value)
{
    return !kin_value_exists(value) || kin_value_type(value) == KIN_TYPE_NULL;
}

static kin_err malformed(kin_error *err, const char *name, kin_value value)
{
    return kin__error_set(err, KIN_ERR_MALFORMED, "read a Lease: no Lease has such a %s (a %s)",
                          name, kin_type_name(kin_value_type(value)));
}

/* ---- writing -------------------------------------------------------------------------------- */

static kin_err set_record(kin_edit *edit, const kin__lease_record *record, kin_error *err)
{
    kin_str holder = kin_str_of(record->holder.name);

    if (kin_edit_set_str(edit, "spec.holderIdentity", holder, err) != KIN_OK ||
        kin_edit_set_int64(edit, "spec.leaseDurationSeconds", record->duration_s, err) != KIN_OK ||
        kin_edit_set_int64(edit, "spec.leaseTransitions", record->transitions, err) != KIN_OK ||
        set_time(edit, "spec.acquireTime", record->acquired, err) != KIN_OK) {
        return err->code;
    }
    return set_time(edit, "spec.renewTime", record->renewed, err);
}

static kin_err set_time(kin_edit *edit, const char *path, kin_time time, kin_error *err)
{
    char text[KIN__TIME_MICRO_LEN + 1];

    kin__time_write_micro(time, text);
    return kin_edit_set_str(edit, path, kin_str_of(text), err);
}

static bool is_same_time(kin_time a, kin_time b)
{
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

static void unref(const kin_object *object)
{
    kin_object_unref(object);
}
