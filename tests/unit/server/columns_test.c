/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_test.c - the columns of built-in kinds.
 */
#include "server/columns.h"

#include "server/columns_row.h"
#include "unit/server/printing.h"

TEST(columns, are_name_and_creation_for_kinds_without_printers)
{
    static const char *const kinds[][2] = {
        { "", "LimitRange" },
        { "rbac.authorization.k8s.io", "Role" },
        { "rbac.authorization.k8s.io", "ClusterRole" },
        { "storage.k8s.io", "CSIStorageCapacity" },
        { "apiextensions.k8s.io", "CustomResourceDefinition" },
        { "example.com", "Pod" },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const kin__columns *columns =
            kin__columns_of(kin_str_of(kinds[i][0]), kin_str_of(kinds[i][1]));
        ASSERT_EQ(columns->count, 2);
        ASSERT_SLICE_EQ(columns->columns[0].name, "Name");
        ASSERT_SLICE_EQ(columns->columns[1].name, "Created At");
        ASSERT_SLICE_EQ(columns->columns[1].type, "date");
        ASSERT_TRUE(columns->is_null_when_empty);
    }
    check_cells("", "v1", "LimitRange",
                "{\"metadata\":{\"name\":\"l\",\"creationTimestamp\":\"2026-11-16T14:00:00Z\"}}",
                "\"l\",\"2026-11-16T14:00:00Z\"");
    check_cells("", "v1", "LimitRange", "{\"metadata\":{\"name\":\"l\"}}",
                "\"l\",\"0001-01-01T00:00:00Z\"");
}

TEST(columns, go_by_group_and_kind)
{
    const kin__columns *pods = kin__columns_of(STR(""), STR("Pod"));
    const kin__columns *events = kin__columns_of(STR("events.k8s.io"), STR("Event"));

    ASSERT_EQ(pods->count, 9);
    ASSERT_SLICE_EQ(pods->columns[2].name, "Status");
    ASSERT_EQ(pods->columns[8].priority, 1);
    ASSERT_SLICE_EQ(events->columns[0].name, "Last Seen");
    ASSERT_TRUE(events->columns == kin__columns_of(STR(""), STR("Event"))->columns);
    ASSERT_FALSE(pods->is_null_when_empty);
    ASSERT_FALSE(pods->is_repeated);
    ASSERT_TRUE(kin__columns_of(STR("apiregistration.k8s.io"), STR("APIService"))->is_repeated);
}

TEST(columns, of_flow_schemas_put_them_in_order)
{
    const kin__columns *columns =
        kin__columns_of(STR("flowcontrol.apiserver.k8s.io"), STR("FlowSchema"));
    static const char *const schemas[] = {
        "{\"metadata\":{\"name\":\"z\"},\"spec\":{\"matchingPrecedence\":5}}",
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"matchingPrecedence\":10}}",
        "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"matchingPrecedence\":10}}",
    };
    kin_object *objects[3];

    for (size_t i = 0; i < 3; i++) {
        objects[i] =
            printing_make("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", kin_str_of(schemas[i]));
    }

    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            int order = columns->order(objects[i], objects[j]);
            ASSERT_EQ(order < 0, i < j);
            ASSERT_EQ(order > 0, i > j);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        kin_object_unref(objects[i]);
    }
    ASSERT_TRUE(kin__columns_of(STR(""), STR("Pod"))->order == NULL);
}

/* That an empty object of the kind has a cell for each column, as bookmarks do. */
static void check_kind(const kin__columns *columns)
{
    kin_object *object = printing_make("v1", "Any", STR("{}"));
    AUTO(kin__buf_fini) kin__buf row = { 0 };
    size_t extra = kin__str_equal(columns->kind, STR("IPAddress"));

    ASSERT_TRUE(kin__columns_of(columns->group, columns->kind) == columns);
    ASSERT_OK(printing_row(columns, object, PRINTING_NOW, &row));
    kin_object *parsed = printing_make("v1", "Row", kin_str_of(row.data));
    ASSERT_EQ(kin_value_count(kin_object_at(parsed, "cells")), columns->count + extra);
    kin_object_unref(parsed);
    kin_object_unref(object);
}

TEST(columns, of_every_kind_have_a_cell_each)
{
    static const kin__columns_set *const sets[] = {
        &kin__columns_core,   &kin__columns_workload, &kin__columns_network, &kin__columns_storage,
        &kin__columns_access, &kin__columns_system,   &kin__columns_devices,
    };
    size_t count = 0;

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        for (size_t j = 0; j < sets[i]->count; j++, count++) {
            check_kind(&sets[i]->kinds[j]);
        }
    }
    ASSERT_EQ(count, 65);
}
