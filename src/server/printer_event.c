/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_event.c - cells of events.
 *
 * Events of the core group and of events.k8s.io are the same things with other names for some of
 * their fields.
 */
#include "server/printer_kinds.h"

static kin_value either(const kin_object *event, const char *core, const char *newer);
static kin_time first_seen(const kin_object *event);
static void add_filled(kin__printer *p, kin_value value, kin_value otherwise);
static kin_str trim_space(kin_str text);
static size_t space_at_start(kin_str text);
static size_t space_at_end(kin_str text);
static bool is_space(kin_str character);

void kin__print_event_last_seen(kin__printer *p)
{
    kin_value series = kin_object_at(p->object, "series");
    kin_time last = kin__value_date(either(p->object, "lastTimestamp", "deprecatedLastTimestamp"));

    if (kin__value_is_there(series)) {
        last = kin__value_date(kin_value_member(series, STR("lastObservedTime")));
    } else if (kin__date_is_none(last)) {
        last = first_seen(p->object);
    }
    kin__cell_begin(p);
    kin__cell_add_age(p, last);
    kin__cell_end(p);
}

void kin__print_event_first_seen(kin__printer *p)
{
    kin__cell_begin(p);
    kin__cell_add_age(p, first_seen(p->object));
    kin__cell_end(p);
}

/* "pod/web-0" */
void kin__print_event_object(kin__printer *p)
{
    kin_value object = either(p->object, "involvedObject", "regarding");
    kin_value name = kin_value_member(object, STR("name"));

    kin__cell_begin(p);
    kin__cell_add_lower(p, kin_value_member(object, STR("kind")));
    if (kin__value_is_filled(name)) {
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, name);
    }
    kin__cell_end(p);
}

void kin__print_event_field(kin__printer *p)
{
    kin_value object = either(p->object, "involvedObject", "regarding");

    kin__cell_write_value(p, kin_value_member(object, STR("fieldPath")), STR(""));
}

/* "kubelet, node-1" */
void kin__print_event_source(kin__printer *p)
{
    kin_value source = either(p->object, "source", "deprecatedSource");
    kin_value host = kin_value_member(source, STR("host"));
    kin_value instance = kin_object_at(p->object, "reportingInstance");

    kin__cell_begin(p);
    add_filled(p, kin_value_member(source, STR("component")),
               either(p->object, "reportingComponent", "reportingController"));
    if (kin__value_is_filled(host) || kin__value_is_filled(instance)) {
        kin__cell_add(p, STR(", "));
        add_filled(p, host, instance);
    }
    kin__cell_end(p);
}

void kin__print_event_message(kin__printer *p)
{
    kin__cell_begin(p);
    kin__cell_add_value(p, either(p->object, "message", "note"));
    p->has_failed |= kin__buf_failed(&p->text);
    kin__cell_write(p, trim_space(kin__str(p->text.data, p->text.len)));
}

/* An event that came once need not say so. */
void kin__print_event_count(kin__printer *p)
{
    kin_value series = kin_object_at(p->object, "series");
    int64_t count = kin__value_number(either(p->object, "count", "deprecatedCount"));

    if (kin__value_is_there(series)) {
        count = kin__value_number(kin_value_member(series, STR("count")));
    } else if (count == 0) {
        count = 1;
    }
    kin__json_write_int64(p->w, count);
}

static kin_value either(const kin_object *event, const char *core, const char *newer)
{
    kin_value value = kin_object_at(event, core);

    return kin__value_is_there(value) ? value : kin_object_at(event, newer);
}

static kin_time first_seen(const kin_object *event)
{
    kin_time first = kin__value_date(either(event, "firstTimestamp", "deprecatedFirstTimestamp"));

    return kin__date_is_none(first) ? kin__value_date(kin_object_at(event, "eventTime")) : first;
}

static void add_filled(kin__printer *p, kin_value value, kin_value otherwise)
{
    kin__cell_add_value(p, kin__value_is_filled(value) ? value : otherwise);
}

/* As Go's strings.TrimSpace. */
static kin_str trim_space(kin_str text)
{
    for (size_t len; text.len > 0 && (len = space_at_start(text)) > 0;) {
        text = kin__str(text.data + len, text.len - len);
    }
    for (size_t len; text.len > 0 && (len = space_at_end(text)) > 0;) {
        text.len -= len;
    }
    return text;
}

/* How many bytes a blank there takes; 0: there is none.  No blank takes more than three. */
static size_t space_at_start(kin_str text)
{
    for (size_t len = 1; len <= 3 && len <= text.len; len++) {
        if (is_space(kin__str(text.data, len))) {
            return len;
        }
    }
    return 0;
}

static size_t space_at_end(kin_str text)
{
    for (size_t len = 1; len <= 3 && len <= text.len; len++) {
        if (is_space(kin__str(text.data + text.len - len, len))) {
            return len;
        }
    }
    return 0;
}

/* Whether the bytes are one character with Unicode's property White_Space. */
static bool is_space(kin_str character)
{
    const unsigned char *c = (const unsigned char *) character.data;

    if (character.len == 1) {
        return c[0] == ' ' || (c[0] >= '\t' && c[0] <= '\r');
    }
    if (character.len == 2) {
        return c[0] == 0xc2 && (c[1] == 0x85 || c[1] == 0xa0);
    }
    if (c[0] == 0xe2) {
        return (c[1] == 0x80 &&
                ((c[2] >= 0x80 && c[2] <= 0x8a) || c[2] == 0xa8 || c[2] == 0xa9 || c[2] == 0xaf)) ||
               (c[1] == 0x81 && c[2] == 0x9f);
    }
    return (c[0] == 0xe1 && c[1] == 0x9a && c[2] == 0x80) ||
           (c[0] == 0xe3 && c[1] == 0x80 && c[2] == 0x80);
}
