/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proto_scan.c - finding a field of a message, quickly.
 *
 * Fields are stepped over by their tags alone; only the one that was looked for is read.  Nearly
 * all have a tag of one or two bytes and a length, or a number, of as many.  All else, and
 * everything that is wrong, is left to the reader.
 */
#include "object/proto_scan.h"

#include "proto/schema.h"

static const uint8_t *step(const uint8_t *at, const uint8_t *end, uint32_t *out_number,
                           bool *out_fault);
static const uint8_t *step_any(const uint8_t *at, const uint8_t *end, uint32_t *out_number,
                               bool *out_fault);
static kin__pb_found read_at(const uint8_t *at, const uint8_t *end, kin__pb_field *out);

kin__pb_found kin__pb_find_first(kin_str message, uint32_t number, kin__pb_field *out)
{
    kin__pb_reader reader = kin__pb_read_str(message);
    bool is_faulty = false;
    uint32_t found;

    for (const uint8_t *at = reader.at; at != NULL;) {
        const uint8_t *next = step(at, reader.end, &found, &is_faulty);
        if (next != NULL && found == number) {
            return read_at(at, reader.end, out);
        }
        at = next;
    }
    return is_faulty ? KIN__PB_FAULTY : KIN__PB_ABSENT;
}

kin__pb_found kin__pb_find_last(kin_str message, uint32_t number, kin__pb_field *out)
{
    kin__pb_reader reader = kin__pb_read_str(message);
    const uint8_t *last = NULL;
    bool is_faulty = false;
    bool is_repeated = false;
    uint32_t found;

    for (const uint8_t *at = reader.at; at != NULL;) {
        const uint8_t *next = step(at, reader.end, &found, &is_faulty);
        if (next == NULL) {
            break;
        }
        if (found == number) {
            is_repeated = last != NULL;
            last = at;
        } else if (last != NULL && found > number) {
            break;
        }
        at = next;
    }
    if (is_faulty) {
        return KIN__PB_FAULTY;
    }
    if (last == NULL) {
        return KIN__PB_ABSENT;
    }
    kin__pb_found result = read_at(last, reader.end, out);
    return is_repeated ? KIN__PB_REPEATED : result;
}

uint64_t kin__pb_find_numbers(kin_str message)
{
    kin__pb_reader reader = kin__pb_read_str(message);
    uint64_t numbers = 0;
    bool is_faulty;
    uint32_t found;

    for (const uint8_t *at = reader.at; at != NULL;) {
        at = step(at, reader.end, &found, &is_faulty);
        if (at != NULL && found <= KIN__PB_NUMBER_MAX) {
            numbers |= UINT64_C(1) << found;
        }
    }
    return numbers;
}

/* Just after the field at `at`; NULL at the end, and at a fault.  The processor guesses the
 * branches and runs ahead over fields without a length; one with a length costs it a load. */
static inline __attribute__((always_inline)) const uint8_t *
step(const uint8_t *at, const uint8_t *end, uint32_t *out_number, bool *out_fault)
{
    if (end - at < 4) {
        return step_any(at, end, out_number, out_fault);
    }
    const uint8_t *next = at + 1;
    uint32_t tag = at[0];
    if (tag >= 0x80) {
        tag = (tag & 0x7fu) | (uint32_t) at[1] << 7;
        next++;
    }
    uint32_t value = *next++;
    if (value >= 0x80) {
        value = (value & 0x7fu) | (uint32_t) *next++ << 7;
    }
    *out_number = tag >> 3;
    /* Either may go on in a third byte; number 0. */
    if (((tag | value) & 0x4000u) != 0 || tag < 8) {
        return step_any(at, end, out_number, out_fault);
    }
    if ((tag & 7u) == KIN__PB_VARINT) {
        return next;
    }
    if ((tag & 7u) != KIN__PB_LEN || value > end - next) {
        return step_any(at, end, out_number, out_fault);
    }
    return next + value;
}

static __attribute__((noinline)) const uint8_t *step_any(const uint8_t *at, const uint8_t *end,
                                                         uint32_t *out_number, bool *out_fault)
{
    kin__pb_reader reader = { .at = at, .end = end };
    kin__pb_field field;

    if (!kin__pb_next(&reader, &field)) {
        *out_fault = reader.fault != NULL;
        return NULL;
    }
    *out_number = field.number;
    return reader.at;
}

static kin__pb_found read_at(const uint8_t *at, const uint8_t *end, kin__pb_field *out)
{
    kin__pb_reader reader = { .at = at, .end = end };
    return kin__pb_next(&reader, out) ? KIN__PB_PRESENT : KIN__PB_FAULTY;
}
