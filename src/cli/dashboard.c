/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dashboard.c - the page that the demo shows: what informers know, and what happened last.
 *
 * What counts most comes first: a terminal of 24 lines cuts off the oldest changes, and one of 80
 * columns nothing but what changes say.
 */
#include "cli/dashboard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cells.h"
#include "cli/memory.h"
#include "cli/printer.h"

#define NAMESPACES_SHOWN 8

static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed" };
enum { PHASES = sizeof phases / sizeof phases[0] };

/* The pods of a namespace. */
typedef struct tally {
    kin_str ns; /* borrowed from the view */
    size_t pods;
    size_t of_phase[PHASES];
} tally;

typedef struct tallies {
    tally *list;
    size_t count;
} tallies;

static void show_head(const kin__cli_dashboard *dashboard, kin__cli_text *out);
static void show_resources(const kin__cli_dashboard *dashboard, kin__cli_text *out);
static void show_namespaces(const kin_view *pods, kin__cli_text *out);
static void show_last(const kin__cli_dashboard *dashboard, kin__cli_text *out);
static void show_figures(const kin__cli_dashboard *dashboard, kin__cli_text *out);
static void count_namespace(const kin_view *pods, kin_str ns, tallies *all);
static int compare_tallies(const void *a, const void *b);
static void add_number(kin__cli_printer *printer, uint64_t number);

void kin__cli_dashboard_fini(kin__cli_dashboard *dashboard)
{
    for (size_t i = 0; i < KIN__CLI_DASHBOARD_LAST; i++) {
        kin__cli_text_fini(&dashboard->last[i]);
    }
}

void kin__cli_dashboard_tell(kin__cli_dashboard *dashboard, kin_str line)
{
    kin__cli_text *place = &dashboard->last[dashboard->last_count++ % KIN__CLI_DASHBOARD_LAST];

    kin__cli_text_clear(place);
    kin__cli_text_append(place, line);
}

void kin__cli_dashboard_show(const kin__cli_dashboard *dashboard, const kin_view *pods,
                             kin__cli_text *out)
{
    show_head(dashboard, out);
    show_figures(dashboard, out);
    kin__cli_text_say(out, "\n");
    show_resources(dashboard, out);
    if (pods != NULL) {
        show_namespaces(pods, out);
    }
    show_last(dashboard, out);
}

void kin__cli_dashboard_summarize(const kin__cli_dashboard *dashboard, kin__cli_text *out)
{
    for (size_t i = 0; i < KIN__CLI_DASHBOARD_RESOURCES; i++) {
        const kin__cli_dashboard_resource *r = &dashboard->resources[i];
        kin__cli_text_say(out, "%" PRIu64 " %s (%" PRIu64 " changes, %s), ", r->objects, r->name,
                          r->changes, r->state);
    }
    show_figures(dashboard, out);
}

void kin__cli_dashboard_show_bytes(uint64_t bytes, kin__cli_text *out)
{
    if (bytes >= 10000000) {
        kin__cli_text_say(out, "%" PRIu64 " MB", bytes / 1000000);
    } else if (bytes >= 1000000) {
        kin__cli_text_say(out, "%.1f MB", (double) bytes / 1e6);
    } else {
        kin__cli_text_say(out, "%" PRIu64 " KB", (bytes + 999) / 1000);
    }
}

static void show_head(const kin__cli_dashboard *dashboard, kin__cli_text *out)
{
    kin__cli_text_say(out, "%s\n%" PRId64 " s", dashboard->title, dashboard->elapsed_ms / 1000);
    if (dashboard->duration_ms > 0) {
        kin__cli_text_say(out, " of %" PRId64, dashboard->duration_ms / 1000);
    }
    kin__cli_text_say(out, ", Ctrl-C ends\n");
}

static void show_resources(const kin__cli_dashboard *dashboard, kin__cli_text *out)
{
    static const char *const headings[] = { "INFORMER", "STATE", "OBJECTS", "CHANGES", "MEMORY" };
    const size_t columns = sizeof headings / sizeof headings[0];
    kin__cli_printer printer;
    kin__cli_text bytes = { 0 };

    kin__cli_printer_init(&printer, columns);
    for (size_t i = 0; i < columns; i++) {
        kin__cli_printer_add(&printer, kin_str_of(headings[i]));
    }
    for (size_t i = 0; i < KIN__CLI_DASHBOARD_RESOURCES; i++) {
        const kin__cli_dashboard_resource *r = &dashboard->resources[i];
        kin__cli_printer_add(&printer, kin_str_of(r->name));
        kin__cli_printer_add(&printer, kin_str_of(r->state));
        add_number(&printer, r->objects);
        add_number(&printer, r->changes);
        kin__cli_text_clear(&bytes);
        kin__cli_dashboard_show_bytes(r->bytes, &bytes);
        kin__cli_printer_add(&printer, kin__cli_text_str(&bytes));
    }
    kin__cli_printer_write(&printer, out);
    kin__cli_printer_fini(&printer);
    kin__cli_text_fini(&bytes);
}

/* By name, so that the order stays from page to page. */
static void show_namespaces(const kin_view *pods, kin__cli_text *out)
{
    tallies all = { NULL, 0 };
    kin_index_iter iter;
    kin__cli_printer printer;

    memset(&iter, 0, sizeof iter);
    while (kin_view_next_value(pods, "namespace", &iter)) {
        count_namespace(pods, iter.value, &all);
    }
    if (all.count > 1) {
        qsort(all.list, all.count, sizeof all.list[0], compare_tallies);
    }
    kin__cli_printer_init(&printer, PHASES + 2);
    kin__cli_printer_add(&printer, kin_str_of("NAMESPACE"));
    kin__cli_printer_add(&printer, kin_str_of("PODS"));
    for (size_t i = 0; i < PHASES; i++) {
        kin__cli_printer_add(&printer, kin_str_of(phases[i]));
    }
    for (size_t i = 0; i < all.count && i < NAMESPACES_SHOWN; i++) {
        kin__cli_printer_add(&printer, all.list[i].ns);
        add_number(&printer, all.list[i].pods);
        for (size_t j = 0; j < PHASES; j++) {
            add_number(&printer, all.list[i].of_phase[j]);
        }
    }
    kin__cli_text_append(out, kin_str_of("\n"));
    kin__cli_printer_write(&printer, out);
    if (all.count > NAMESPACES_SHOWN) {
        kin__cli_text_say(out, "and %zu more\n", all.count - NAMESPACES_SHOWN);
    }
    kin__cli_printer_fini(&printer);
    kin__cli_free(all.list);
}

/* From the newest. */
static void show_last(const kin__cli_dashboard *dashboard, kin__cli_text *out)
{
    kin__cli_text_append(out, kin_str_of("\nLAST CHANGES\n"));
    for (size_t i = 0; i < KIN__CLI_DASHBOARD_LAST && i < dashboard->last_count; i++) {
        size_t at = (dashboard->last_count - 1 - i) % KIN__CLI_DASHBOARD_LAST;
        kin__cli_text_append(out, kin__cli_text_str(&dashboard->last[at]));
        kin__cli_text_append(out, kin_str_of("\n"));
    }
}

static void show_figures(const kin__cli_dashboard *dashboard, kin__cli_text *out)
{
    if (dashboard->lag_us >= 0) {
        kin__cli_text_say(out, "from a write to a handler %.1f ms (at most %.1f ms), ",
                          (double) dashboard->lag_us / 1e3,
                          (double) dashboard->longest_lag_us / 1e3);
    }
    kin__cli_text_say(out, "memory of all ");
    kin__cli_dashboard_show_bytes(dashboard->resident_bytes, out);
    kin__cli_text_say(out, "\n");
}

static void count_namespace(const kin_view *pods, kin_str ns, tallies *all)
{
    kin_view_iter iter = kin_view_in_namespace(pods, ns);
    tally own = { ns, 0, { 0 } };

    while (kin_view_next(&iter)) {
        kin_str phase = kin__cli_str_at(kin_object_at(iter.object, "status.phase"), "");
        own.pods++;
        for (size_t i = 0; i < PHASES; i++) {
            own.of_phase[i] += kin_str_equal(phase, kin_str_of(phases[i]));
        }
    }
    if (own.pods > 0) {
        all->list = kin__cli_grow(all->list, all->count + 1, sizeof all->list[0]);
        all->list[all->count++] = own;
    }
}

static int compare_tallies(const void *a, const void *b)
{
    const tally *x = a;
    const tally *y = b;
    size_t len = x->ns.len < y->ns.len ? x->ns.len : y->ns.len;
    int order = memcmp(x->ns.data, y->ns.data, len);

    if (order != 0) {
        return order;
    }
    return x->ns.len < y->ns.len ? -1 : x->ns.len > y->ns.len;
}

static void add_number(kin__cli_printer *printer, uint64_t number)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, number);

    kin__cli_printer_add(printer, (kin_str){ digits, (size_t) len });
}
