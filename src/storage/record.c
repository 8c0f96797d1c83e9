/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - one state of one object, counted.
 */
#include "storage/record.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "object/encoding.h"
#include "object/object.h"

kin_err kin__record_new(kin_object *object, uint32_t head_len, uint64_t revision, kin__record **out,
                        kin_error *err)
{
    assert(object->encoding == KIN__ENCODING_JSON && head_len < object->bytes_len);
    kin__record *record = kin__alloc_zero(1, sizeof *record);
    if (record == NULL) {
        return kin__error_no_memory(err);
    }
    record->refs = 1;
    record->head_len = head_len;
    record->revision = revision;
    record->object = object;
    *out = record;
    return KIN_OK;
}

kin__record *kin__record_ref(kin__record *record)
{
    record->refs++;
    return record;
}

void kin__record_unref(kin__record *record)
{
    if (record == NULL || --record->refs > 0) {
        return;
    }
    for (size_t i = 0; i < KIN__RECORD_FORMS; i++) {
        kin__free(record->forms[i].data);
    }
    kin_object_unref(record->object);
    kin__free(record);
}

kin_str kin__record_text(const kin__record *record)
{
    return kin__object_bytes(record->object);
}

kin_str kin__record_key(const kin__record *record)
{
    return kin_object_key(record->object);
}
