/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_storage.c - cells of volumes and their drivers, and of how objects are stored.
 */
#include "server/printer_kinds.h"

#define SHOWN_MAX 3

static void print_modes(kin__printer *p, kin_value modes);
static void print_quantity(kin__printer *p, kin_value quantity);

void kin__print_volume_capacity(kin__printer *p)
{
    print_quantity(p, kin_object_at(p->object, "spec.capacity.storage"));
}

void kin__print_access_modes(kin__printer *p)
{
    print_modes(p, kin__cell_value(p));
}

void kin__print_volume_phase(kin__printer *p)
{
    kin_time deleted;

    if (kin_object_deletion_time(p->object, &deleted)) {
        kin__cell_write(p, STR("Terminating"));
    } else {
        kin__cell_write_value(p, kin_object_at(p->object, "status.phase"), STR(""));
    }
}

void kin__print_volume_claim(kin__printer *p)
{
    kin_value claim = kin_object_at(p->object, "spec.claimRef");

    kin__cell_begin(p);
    if (kin__value_is_there(claim)) {
        kin__cell_add_value(p, kin_value_member(claim, STR("namespace")));
        kin__cell_add(p, STR("/"));
        kin__cell_add_value(p, kin_value_member(claim, STR("name")));
    }
    kin__cell_end(p);
}

/* An annotation from before there was a field counts more than that. */
void kin__print_volume_class(kin__printer *p)
{
    kin_value class =
        kin_object_annotation(p->object, STR("volume.beta.kubernetes.io/storage-class"));

    if (!kin__value_is_there(class)) {
        class = kin_object_at(p->object, "spec.storageClassName");
    }
    kin__cell_write_value(p, class, STR(""));
}

/* Both only of claims that have a volume. */
void kin__print_claim_capacity(kin__printer *p)
{
    if (kin__value_is_filled(kin_object_at(p->object, "spec.volumeName"))) {
        print_quantity(p, kin_object_at(p->object, "status.capacity.storage"));
    } else {
        kin__cell_write(p, STR(""));
    }
}

void kin__print_claim_modes(kin__printer *p)
{
    if (kin__value_is_filled(kin_object_at(p->object, "spec.volumeName"))) {
        print_modes(p, kin_object_at(p->object, "status.accessModes"));
    } else {
        kin__cell_write(p, STR(""));
    }
}

void kin__print_token_requests(kin__printer *p)
{
    kin_value requests = kin_object_at(p->object, "spec.tokenRequests");
    kin_iter iter = kin_value_iter(requests);

    kin__cell_begin(p);
    if (!kin__value_is_there(requests)) {
        kin__cell_add(p, STR("<unset>"));
    }
    for (bool is_first = true; kin_iter_next(&iter); is_first = false) {
        kin__cell_add(p, is_first ? STR("") : STR(","));
        kin__cell_add_value(p, kin_value_member(iter.value, STR("audience")));
    }
    kin__cell_end(p);
}

/* "apiserver-1=apps/v1" for each server, three at most. */
void kin__print_storage_versions(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.storageVersions"));
    int64_t count = 0;

    kin__cell_begin(p);
    for (; kin_iter_next(&iter); count++) {
        if (count < SHOWN_MAX) {
            kin__cell_add(p, count == 0 ? STR("") : STR(","));
            kin__cell_add_value(p, kin_value_member(iter.value, STR("apiServerID")));
            kin__cell_add(p, STR("="));
            kin__cell_add_value(p, kin_value_member(iter.value, STR("encodingVersion")));
        }
    }
    if (count == 0) {
        kin__cell_add(p, STR("<unset>"));
    } else if (count > SHOWN_MAX) {
        kin__cell_add(p, STR(" + "));
        kin__cell_add_number(p, count - SHOWN_MAX);
        kin__cell_add(p, STR(" more..."));
    }
    kin__cell_end(p);
}

/* "deployments.apps" */
void kin__print_migration_resource(kin__printer *p)
{
    kin_value group = kin_object_at(p->object, "spec.resource.group");

    kin__cell_begin(p);
    kin__cell_add_value(p, kin_object_at(p->object, "spec.resource.resource"));
    if (kin__value_is_filled(group)) {
        kin__cell_add(p, STR("."));
        kin__cell_add_value(p, group);
    }
    kin__cell_end(p);
}

void kin__print_migration_status(kin__printer *p)
{
    kin_iter iter = kin_value_iter(kin_object_at(p->object, "status.conditions"));
    kin_str status = STR("Unknown");

    while (kin_iter_next(&iter)) {
        kin_value type = kin_value_member(iter.value, STR("type"));
        if (!kin__value_is(kin_value_member(iter.value, STR("status")), STR("True"))) {
            continue;
        }
        status = kin__value_is(type, STR("Running"))     ? STR("Running")
                 : kin__value_is(type, STR("Failed"))    ? STR("Failed")
                 : kin__value_is(type, STR("Succeeded")) ? STR("Succeeded")
                                                         : status;
    }
    kin__cell_write(p, status);
}

/* Each once, and always in this order. */
static void print_modes(kin__printer *p, kin_value modes)
{
    static const struct {
        kin_str mode;
        kin_str text;
    } known[] = {
        { TEXT("ReadWriteOnce"), TEXT("RWO") },
        { TEXT("ReadOnlyMany"), TEXT("ROX") },
        { TEXT("ReadWriteMany"), TEXT("RWX") },
        { TEXT("ReadWriteOncePod"), TEXT("RWOP") },
    };

    kin__cell_begin(p);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        kin_iter iter = kin_value_iter(modes);
        while (kin_iter_next(&iter)) {
            if (kin__value_is(iter.value, known[i].mode)) {
                kin__cell_add(p, p->text.len == 0 ? STR("") : STR(","));
                kin__cell_add(p, known[i].text);
                break;
            }
        }
    }
    kin__cell_end(p);
}

static void print_quantity(kin__printer *p, kin_value quantity)
{
    kin__cell_begin(p);
    kin__cell_add_quantity(p, quantity);
    kin__cell_end(p);
}
