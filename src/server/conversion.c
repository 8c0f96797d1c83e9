/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion.c - a table of kinds whose versions differ, by names or by more.
 *
 * That of events is pkg/apis/events/v1/conversion.go of kubernetes 1.36.
 */
#include "server/conversion.h"

#include "base/str.h"
#include "server/conversion_autoscaler.h"
#include "server/conversion_devices.h"

typedef struct name_row {
    const char *stored, *shown;
} name_row;

typedef bool (*tree_fn)(kin__node *tree);

typedef struct kind_row {
    const char *api_version, *kind;
    const name_row *names;          /* end with NULL; no name stands on both sides; or NULL */
    tree_fn to_stored, from_stored; /* what names do not tell; or NULL */
} kind_row;

static const name_row event[] = {
    { "involvedObject", "regarding" },
    { "message", "note" },
    { "source", "deprecatedSource" },
    { "firstTimestamp", "deprecatedFirstTimestamp" },
    { "lastTimestamp", "deprecatedLastTimestamp" },
    { "count", "deprecatedCount" },
    { "reportingComponent", "reportingController" },
    { NULL, NULL },
};

static const kind_row kinds[] = {
    { "events.k8s.io/v1", "Event", event, NULL, NULL },
    { "autoscaling/v1", "HorizontalPodAutoscaler", NULL, kin__autoscaler_to_stored,
      kin__autoscaler_from_stored },
    { "autoscaling/v2", "HorizontalPodAutoscaler", NULL, kin__autoscaler_drop_notes, NULL },
    { "resource.k8s.io/v1beta1", "ResourceClaim", NULL, kin__claim_to_stored,
      kin__claim_from_stored },
    { "resource.k8s.io/v1beta1", "ResourceClaimTemplate", NULL, kin__claim_template_to_stored,
      kin__claim_template_from_stored },
    { "resource.k8s.io/v1beta1", "ResourceSlice", NULL, kin__slice_to_stored,
      kin__slice_from_stored },
};

static const kind_row *row_of(const kin__served *served);
static bool rename_member(kin__node *tree, const char *from, const char *to);

bool kin__convert_to_stored(const kin__served *served, kin__node *tree)
{
    const kind_row *kind = row_of(served);

    for (const name_row *row = kind->names; row != NULL && row->stored != NULL; row++) {
        if (!rename_member(tree, row->shown, row->stored)) {
            return false;
        }
    }
    return kind->to_stored == NULL || kind->to_stored(tree);
}

bool kin__convert_from_stored(const kin__served *served, kin__node *tree)
{
    const kind_row *kind = row_of(served);

    for (const name_row *row = kind->names; row != NULL && row->stored != NULL; row++) {
        if (!rename_member(tree, row->stored, row->shown)) {
            return false;
        }
    }
    return kind->from_stored == NULL || kind->from_stored(tree);
}

static const kind_row *row_of(const kin__served *served)
{
    static const kind_row unchanged;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if ((served->traits & KIN__IS_CUSTOM) == 0 &&
            kin__str_equal(served->kind, kin_str_of(kinds[i].kind)) &&
            kin__str_equal(served->api_version, kin_str_of(kinds[i].api_version))) {
            return &kinds[i];
        }
    }
    return &unchanged;
}

static bool rename_member(kin__node *tree, const char *from, const char *to)
{
    kin__node *member = kin__node_take_member(tree, kin_str_of(from));
    kin_error err;

    if (member == NULL) {
        return true;
    }
    if (kin__node_set_member(tree, kin_str_of(to), member, &err) != KIN_OK) {
        kin__node_free(member);
        return false;
    }
    return true;
}
