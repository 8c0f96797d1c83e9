/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.c - what was told, and how often: one Event object.
 *
 * A key is all texts, each behind its length in two bytes, and the severity.  So no two that differ
 * have the same key, whatever bytes they hold, and the texts are read from it again.
 */
#include "controller/series.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "controller/quoted.h"

/* "." and 64 bits in hexadecimal. */
#define SUFFIX_MAX 17

static size_t key_len(const kin__told *told);
static size_t valid_name_len(kin_str name);
static void write_text(kin__buf *out, const char *name, kin_str value);
static void write_object(kin__buf *out, const char *name, const kin_str texts[]);
static void write_time(kin__buf *out, kin_time time);
static void write_series(const kin__event_series *series, kin__buf *out);

bool kin__told_key(const kin__told *told, kin__buf *out, size_t *out_object_len)
{
    size_t len = key_len(told);

    kin__buf_clear(out);
    if (len > KIN__TOLD_KEY_MAX || !kin__buf_reserve(out, len)) {
        return false;
    }
    for (size_t i = 0; i < KIN__TOLD_TEXTS; i++) {
        kin_str text = told->texts[i];
        const char length[2] = { (char) (text.len & 0xff), (char) (text.len >> 8) };

        if (i == KIN__TOLD_RELATED) {
            *out_object_len = out->len;
        }
        (void) kin__buf_append(out, length, sizeof length);
        (void) kin__buf_append_str(out, text);
    }
    return kin__buf_append_byte(out, (char) told->severity);
}

kin__event_series *kin__series_new(const kin__told *told, kin_str key, size_t object_len)
{
    kin__event_series *series = kin__alloc_zero(1, sizeof *series + key.len + told->note.len);

    if (series == NULL) {
        return NULL;
    }
    series->count = 1;
    series->severity = told->severity;
    series->key_len = (uint32_t) key.len;
    series->object_len = (uint32_t) object_len;
    series->note_len = (uint32_t) told->note.len;
    memcpy(series->bytes, key.data, key.len);
    if (told->note.len != 0) {
        memcpy(series->bytes + key.len, told->note.data, told->note.len);
    }
    return series;
}

kin_str kin__series_key(const kin__event_series *series)
{
    return kin__str(series->bytes, series->key_len);
}

kin_str kin__series_object(const kin__event_series *series)
{
    return kin__str(series->bytes, series->object_len);
}

void kin__series_told(const kin__event_series *series, kin__told *out)
{
    const char *at = series->bytes;

    out->severity = series->severity;
    out->note = kin__str(series->bytes + series->key_len, series->note_len);
    for (size_t i = 0; i < KIN__TOLD_TEXTS; i++) {
        size_t len = (unsigned char) at[0] | (size_t) (unsigned char) at[1] << 8;

        out->texts[i] = kin__str(at + 2, len);
        at += 2 + len;
    }
}

/* An object's name may be one that no Event can have ("system:node"), or too long: then it is cut
 * where it stops being valid.  (client-go takes a random name instead.) */
void kin__series_name(const kin__event_series *series, char out[KIN__SERIES_NAME_MAX + 1])
{
    kin__told told;

    kin__series_told(series, &told);
    kin_str name = told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME];
    name.len = valid_name_len(name);
    if (name.len == 0) {
        name = STR("event");
    }
    (void) snprintf(out, KIN__SERIES_NAME_MAX + 1, "%.*s.%llx", KIN_STR_ARG(name),
                    (unsigned long long) series->serial);
}

kin_str kin__series_namespace(const kin__event_series *series)
{
    kin__told told;

    kin__series_told(series, &told);
    kin_str ns = told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAMESPACE];
    return ns.len != 0 ? ns : STR("default");
}

void kin__series_write_event(const kin__event_series *series, kin_str controller, kin_str instance,
                             kin__buf *out)
{
    char name[KIN__SERIES_NAME_MAX + 1];
    kin__told told;

    kin__series_told(series, &told);
    kin__series_name(series, name);
    (void) kin__buf_append_format(out,
                                  "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\","
                                  "\"metadata\":{\"name\":\"%s\"",
                                  name);
    write_text(out, "namespace", kin__series_namespace(series));
    (void) kin__buf_append_str(out, STR("},\"eventTime\":"));
    write_time(out, series->first);
    write_text(out, "reportingController", controller);
    write_text(out, "reportingInstance", instance);
    write_text(out, "action", told.texts[KIN__TOLD_ACTION]);
    write_text(out, "reason", told.texts[KIN__TOLD_REASON]);
    write_object(out, "regarding", told.texts + KIN__TOLD_REGARDING);
    if (told.texts[KIN__TOLD_RELATED + KIN__TOLD_NAME].len != 0) {
        write_object(out, "related", told.texts + KIN__TOLD_RELATED);
    }
    write_text(out, "note", told.note);
    write_text(out, "type", told.severity == KIN_SEVERITY_WARNING ? STR("Warning") : STR("Normal"));
    if (series->count_sent > 1) {
        (void) kin__buf_append_byte(out, ',');
        write_series(series, out);
    }
    (void) kin__buf_append_byte(out, '}');
}

void kin__series_write_patch(const kin__event_series *series, kin__buf *out)
{
    (void) kin__buf_append_byte(out, '{');
    write_series(series, out);
    (void) kin__buf_append_byte(out, '}');
}

size_t kin__told_cut(kin_str text, size_t max)
{
    if (text.len <= max) {
        return text.len;
    }
    size_t len = max;
    while (len > 0 && max - len < 3 && ((unsigned char) text.data[len] & 0xc0) == 0x80) {
        len--;
    }
    return len;
}

static size_t key_len(const kin__told *told)
{
    size_t len = 1;

    for (size_t i = 0; i < KIN__TOLD_TEXTS; i++) {
        if (told->texts[i].len > KIN__TOLD_KEY_MAX) {
            return SIZE_MAX;
        }
        len += 2 + told->texts[i].len;
    }
    return len;
}

/* How much of `name` is a DNS subdomain that leaves room for the suffix: labels of lower-case
 * letters, digits and hyphens inside, with dots between. */
static size_t valid_name_len(kin_str name)
{
    size_t max = KIN__SERIES_NAME_MAX - SUFFIX_MAX;
    size_t valid = 0;
    bool is_inside = false;

    for (size_t i = 0; i < name.len && i < max; i++) {
        char c = name.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (is_plain) {
            valid = i + 1;
            is_inside = true;
        } else if (c == '.' && valid == i && is_inside) {
            is_inside = false;
        } else if (c != '-' || !is_inside) {
            break;
        }
    }
    return valid;
}

static void write_text(kin__buf *out, const char *name, kin_str value)
{
    (void) kin__buf_append_format(out, ",\"%s\":", name);
    kin__quoted_append(out, value);
}

static void write_object(kin__buf *out, const char *name, const kin_str texts[])
{
    static const char *const names[] = { "apiVersion", "kind", "namespace", "name", "uid" };
    const char *before = "{";

    (void) kin__buf_append_format(out, ",\"%s\":", name);
    for (size_t i = 0; i < KIN__TOLD_OBJECT; i++) {
        if (texts[i].len != 0) {
            (void) kin__buf_append_format(out, "%s\"%s\":", before, names[i]);
            kin__quoted_append(out, texts[i]);
            before = ",";
        }
    }
    (void) kin__buf_append_str(out, before[0] == '{' ? STR("{}") : STR("}"));
}

static void write_time(kin__buf *out, kin_time time)
{
    char text[KIN__TIME_MICRO_LEN + 1];

    kin__time_write_micro(time, text);
    (void) kin__buf_append_format(out, "\"%s\"", text);
}

/* The API's count has 32 bits. */
static void write_series(const kin__event_series *series, kin__buf *out)
{
    uint64_t count = series->count_sent > INT32_MAX ? INT32_MAX : series->count_sent;

    (void) kin__buf_append_format(
        out, "\"series\":{\"count\":%llu,\"lastObservedTime\":", (unsigned long long) count);
    write_time(out, series->last_sent);
    (void) kin__buf_append_byte(out, '}');
}
