/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - values of any encoding.
 *
 * Answers for what is missing, null or of another type, and hands the rest to the value's
 * encoding.
 */
#include "kin/value.h"

#include <assert.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/str.h"
#include "base/time.h"
#include "object/encoding.h"
#include "object/object.h"

/* Times and quantities with escapes are decoded here; none that makes sense is longer. */
#define SCRATCH 256

static kin_err demand(kin_value value, kin_type wanted);
static kin_err read_short(kin_value value, char scratch[SCRATCH], kin_str *out);

const kin__encoding *const kin__encodings[] = {
    [KIN__ENCODING_NONE] = NULL,
    [KIN__ENCODING_JSON] = &kin__json_encoding,
    [KIN__ENCODING_PROTO] = &kin__proto_encoding,
};

kin_type kin_value_type(kin_value value)
{
    const kin__encoding *encoding = kin__encoding_of(value);
    return encoding == NULL ? KIN_TYPE_MISSING : encoding->type(value);
}

const char *kin_type_name(kin_type type)
{
    switch (type) {
    case KIN_TYPE_MISSING:
        return "missing";
    case KIN_TYPE_NULL:
        return "null";
    case KIN_TYPE_BOOL:
        return "bool";
    case KIN_TYPE_NUMBER:
        return "number";
    case KIN_TYPE_STRING:
        return "string";
    case KIN_TYPE_ARRAY:
        return "array";
    case KIN_TYPE_OBJECT:
        return "object";
    }
    return "unknown type";
}

bool kin_value_exists(kin_value value)
{
    return kin_value_type(value) != KIN_TYPE_MISSING;
}

kin_err kin_value_str(kin_value value, char *scratch, size_t scratch_size, kin_str *out)
{
    kin_err code = demand(value, KIN_TYPE_STRING);
    return code != KIN_OK ? code : kin__encoding_of(value)->str(value, scratch, scratch_size, out);
}

size_t kin_value_scratch_size(kin_value value)
{
    if (kin_value_type(value) != KIN_TYPE_STRING) {
        return 0;
    }
    return kin__encoding_of(value)->scratch_size(value);
}

kin_err kin_value_int64(kin_value value, int64_t *out)
{
    kin_err code = demand(value, KIN_TYPE_NUMBER);
    return code != KIN_OK ? code : kin__encoding_of(value)->int64(value, out);
}

kin_err kin_value_double(kin_value value, double *out)
{
    kin_err code = demand(value, KIN_TYPE_NUMBER);
    return code != KIN_OK ? code : kin__encoding_of(value)->real(value, out);
}

kin_err kin_value_bool(kin_value value, bool *out)
{
    kin_err code = demand(value, KIN_TYPE_BOOL);

    if (code == KIN_OK) {
        *out = kin__encoding_of(value)->boolean(value);
    }
    return code;
}

kin_err kin_value_time(kin_value value, kin_time *out)
{
    const kin__encoding *encoding = kin__encoding_of(value);
    char scratch[SCRATCH];
    kin_str text;

    if (encoding != NULL && encoding->time != NULL && encoding->time(value, out)) {
        return KIN_OK;
    }
    kin_err code = read_short(value, scratch, &text);
    return code != KIN_OK ? code : kin__time_parse(text, out);
}

kin_err kin_value_quantity(kin_value value, int scale, int64_t *out)
{
    char scratch[SCRATCH];
    kin_str text;

    if (kin_value_type(value) == KIN_TYPE_NUMBER) {
        return kin__quantity_parse(kin__value_number_text(value, scratch), scale, out);
    }
    kin_err code = read_short(value, scratch, &text);
    return code != KIN_OK ? code : kin__quantity_parse(text, scale, out);
}

kin_value kin_value_member(kin_value value, kin_str name)
{
    const kin__encoding *encoding = kin__encoding_of(value);
    return encoding != NULL ? encoding->member(value, name) : value;
}

kin_value kin_value_element(kin_value value, size_t index)
{
    const kin__encoding *encoding = kin__encoding_of(value);
    return encoding != NULL ? encoding->element(value, index) : value;
}

size_t kin_value_count(kin_value value)
{
    kin_iter iter = kin_value_iter(value);
    size_t count = 0;

    while (kin_iter_next(&iter)) {
        count++;
    }
    return count;
}

kin_iter kin_value_iter(kin_value value)
{
    kin_type type = kin_value_type(value);
    kin_iter iter = { 0 };

    if (type == KIN_TYPE_ARRAY || type == KIN_TYPE_OBJECT) {
        iter.container = value;
        kin__encoding_of(value)->iter(value, &iter);
    }
    return iter;
}

bool kin_iter_next(kin_iter *iter)
{
    const kin__encoding *encoding = kin__encoding_of(iter->container);
    return encoding != NULL && encoding->next(iter);
}

kin_err kin_value_json(kin_value value, char **out, size_t *out_len, kin_error *err)
{
    kin_error unwanted;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    err = kin__error_or(err, &unwanted);

    if (!kin_value_exists(value)) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "JSON of a value: it is missing");
    }
    if (kin__encoding_of(value)->append_json(value, &buf, err) != KIN_OK) {
        return kin__error_prefix(err, "JSON of a value");
    }
    return kin__buf_take(&buf, out, out_len, err);
}

kin_value kin__value_missing(kin_err code)
{
    return (kin_value){ .words = { (uint32_t) -code << 8 } };
}

/* The table of an object's fields lies behind its labels, a few cache lines on: asked for together
 * with the header, so that only one of them is waited for. */
kin_value kin__object_root(const kin_object *object)
{
    __builtin_prefetch((const void *) ((uintptr_t) object + 128));
    __builtin_prefetch((const void *) ((uintptr_t) object + 192));
    return kin__encodings[object->encoding]->root(object);
}

kin_value kin__object_value(const kin_object *object, uint32_t place)
{
    return kin__encodings[object->encoding]->value(object, place);
}

uint8_t kin__object_partiality(const kin_object *object)
{
    const kin__encoding *encoding = kin__encodings[object->encoding];
    uint8_t untold = encoding->untold != NULL ? encoding->untold(object) : 0;

    return object->flags | untold;
}

kin_str kin__value_number_text(kin_value value, char *scratch)
{
    assert(kin_value_type(value) == KIN_TYPE_NUMBER);
    return kin__encoding_of(value)->number_text(value, scratch);
}

bool kin__value_says(kin_value value, kin_str text)
{
    char scratch[KIN__NUMBER_TEXT];
    bool is_true = false;

    switch (kin_value_type(value)) {
    case KIN_TYPE_STRING:
        return kin__encoding_of(value)->is_str(value, text);
    case KIN_TYPE_NUMBER:
        return kin__str_equal(kin__value_number_text(value, scratch), text);
    case KIN_TYPE_BOOL:
        return kin_value_bool(value, &is_true) == KIN_OK &&
               kin__str_equal(is_true ? STR("true") : STR("false"), text);
    case KIN_TYPE_MISSING:
    case KIN_TYPE_NULL:
    case KIN_TYPE_ARRAY:
    case KIN_TYPE_OBJECT:
        break;
    }
    return text.len == 0;
}

/* What a typed function answers unless the value is of the type `wanted`. */
static kin_err demand(kin_value value, kin_type wanted)
{
    kin_type type = kin_value_type(value);

    if (type == wanted) {
        return KIN_OK;
    }
    if (type == KIN_TYPE_MISSING) {
        uint32_t code = value.words[0] >> 8;
        return code != 0 ? (kin_err) - (int) code : KIN_ERR_NOT_FOUND;
    }
    return type == KIN_TYPE_NULL ? KIN_ERR_NOT_FOUND : KIN_ERR_TYPE;
}

static kin_err read_short(kin_value value, char scratch[SCRATCH], kin_str *out)
{
    kin_err code = kin_value_str(value, scratch, SCRATCH, out);
    return code == KIN_ERR_RANGE ? KIN_ERR_MALFORMED : code;
}
