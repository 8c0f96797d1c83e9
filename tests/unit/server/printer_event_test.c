/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_event_test.c - events, where the fixture of printer_test.c says nothing.
 */
#include "unit/server/printing.h"

static void check_event(const char *fields, const char *name, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"e\"}%s}", fields);
    check_cell_named("", "v1", "Event", json.chars, name, want);
}

TEST(printer_event, trims_the_blanks_of_unicode_from_its_message)
{
    check_event(",\"message\":\" \\t\\n\\u00a0\\u3000a b\\u2003\\u0085\\r\"", "Message", "a b");
    check_event(",\"message\":\"\\u2028\\u1680\\u202f\\u205f\"", "Message", "");
    check_event(",\"message\":\"\\u200b.\\u200b\"", "Message", "\u200b.\u200b");
    check_event("", "Message", "");
}

TEST(printer_event, was_first_seen_when_it_happened)
{
    check_event(",\"eventTime\":\"2026-11-16T14:30:00.5Z\"", "First Seen", "29m");
    check_event(",\"eventTime\":\"2026-11-16T14:30:00.5Z\"", "Last Seen", "29m");
    check_event(",\"firstTimestamp\":\"2026-11-16T14:00:00Z\",\"lastTimestamp\":"
                "\"2026-11-16T14:59:00Z\"",
                "Last Seen", "60s");
    check_event(",\"lastTimestamp\":\"2026-11-16T14:59:00Z\",\"series\":{\"count\":3}", "Last Seen",
                "<unknown>");
}

TEST(printer_event, says_who_told_it)
{
    check_event(",\"source\":{\"component\":\"c\"}", "Source", "c");
    check_event(",\"source\":{\"component\":\"c\",\"host\":\"h\"},\"reportingComponent\":\"r\","
                "\"reportingInstance\":\"i\"",
                "Source", "c, h");
    check_event(",\"source\":{\"host\":\"h\"},\"reportingComponent\":\"r\"", "Source", "r, h");
    check_event(",\"reportingInstance\":\"i\"", "Source", ", i");
}

TEST(printer_event, names_what_it_is_about)
{
    check_event(",\"involvedObject\":{\"kind\":\"ReplicaSet\",\"name\":\"R\",\"fieldPath\":\"f\"}",
                "Object", "replicaset/R");
    check_event(",\"involvedObject\":{\"kind\":\"ReplicaSet\",\"fieldPath\":\"f\"}", "Object",
                "replicaset");
    check_event(",\"involvedObject\":{\"fieldPath\":\"f\"}", "Subobject", "f");
}

TEST_FAILING_ALLOC(printer_event, needs_memory_for_its_message)
{
    static const char json[] = "{\"metadata\":{\"name\":\"e\"},\"message\":\"\\u0041\"}";
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    kin_object *object = NULL;
    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, NULL);

    if (code == KIN_OK && !kin__buf_reserve(&row, 4096)) {
        code = KIN_ERR_NO_MEMORY;
    }
    if (code == KIN_OK) {
        code = printing_row(kin__columns_of(STR(""), STR("Event")), object, PRINTING_NOW, &row);
    }
    kin_object_unref(object);
    return code;
}
