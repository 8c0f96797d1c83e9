/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remains.c - objects and finalizers counted, and told in the words of the namespace controller of
 * kubernetes 1.36 (pkg/controller/namespace/deletion).
 */
#include "server/remains.h"

#include <stdio.h>
#include <string.h>

#include "server/condition.h"
#include "server/field.h"

static void add(kin__tally *tally, kin_str name, size_t number);
static bool list(const kin__tally *tally, const char *before, const char *link, kin__buf *out);

bool kin__remains_count(kin__remains *remains, const kin__served *served, kin_str prefix)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    const kin__range range = { .prefix = prefix };
    char name[KIN__TALLY_NAME];
    kin_error err;

    if (kin__collection_list(served->collection, &range, &listing, &err) != KIN_OK) {
        return false;
    }
    (void) snprintf(name, sizeof name, "%.*s.%.*s", KIN_STR_ARG(served->resource),
                    KIN_STR_ARG(served->group));
    if (listing.count > 0) {
        add(&remains->resources, kin_str_of(name), listing.count);
    }
    for (size_t i = 0; i < listing.count; i++) {
        kin_iter iter =
            kin_value_iter(kin_object_at(listing.records[i]->object, "metadata.finalizers"));
        while (kin_iter_next(&iter)) {
            char scratch[KIN__TALLY_NAME];
            kin_str text;
            if (kin_value_str(iter.value, scratch, sizeof scratch, &text) == KIN_OK) {
                add(&remains->finalizers, text, 1);
            }
        }
    }
    return true;
}

bool kin__remains_tell(const kin__remains *remains, kin__engine *engine, kin__node *ns)
{
    AUTO(kin__buf_fini) kin__buf content = { 0 };
    AUTO(kin__buf_fini) kin__buf finalizers = { 0 };
    kin__condition all[] = {
        { "NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered",
          "All resources successfully discovered" },
        { "NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
          "All legacy kube types successfully parsed" },
        { "NamespaceDeletionContentFailure", "False", "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization" },
        { "NamespaceContentRemaining", "False", "ContentRemoved",
          "All content successfully removed" },
        { "NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
          "All content-preserving finalizers finished" },
    };

    if (!list(&remains->resources, "Some resources are remaining: ", " has ", &content) ||
        !list(&remains->finalizers,
              "Some content in the namespace has finalizers remaining: ", " in ", &finalizers)) {
        return false;
    }
    if (remains->resources.count > 0) {
        all[3] = (kin__condition){ all[3].type, "True", "SomeResourcesRemain", content.data };
    }
    if (remains->finalizers.count > 0) {
        all[4] = (kin__condition){ all[4].type, "True", "SomeFinalizersRemain", finalizers.data };
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!kin__condition_set(engine, ns, &all[i])) {
            return false;
        }
    }
    return true;
}

static void add(kin__tally *tally, kin_str name, size_t number)
{
    size_t at = 0;

    while (at < tally->count && kin__str_compare(kin_str_of(tally->rows[at].name), name) < 0) {
        at++;
    }
    if (at < tally->count && kin__str_equal(kin_str_of(tally->rows[at].name), name)) {
        tally->rows[at].number += number;
        return;
    }
    if (tally->count == KIN__TALLY_MAX || name.len >= KIN__TALLY_NAME) {
        return;
    }
    memmove(&tally->rows[at + 1], &tally->rows[at], (tally->count - at) * sizeof tally->rows[0]);
    memcpy(tally->rows[at].name, name.data, name.len);
    tally->rows[at].name[name.len] = '\0';
    tally->rows[at].number = number;
    tally->count++;
}

/* As text, terminated. */
static bool list(const kin__tally *tally, const char *before, const char *link, kin__buf *out)
{
    bool is_well = kin__buf_append_str(out, kin_str_of(before));

    for (size_t i = 0; is_well && i < tally->count; i++) {
        is_well = kin__buf_append_format(out, "%s%s%s%zu resource instances", i > 0 ? ", " : "",
                                         tally->rows[i].name, link, tally->rows[i].number);
    }
    return is_well && kin__buf_append_byte(out, '\0');
}
