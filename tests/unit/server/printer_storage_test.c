/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_storage_test.c - volumes and what is stored, where the fixture of printer_test.c says
 * nothing.
 */
#include "unit/server/printing.h"

TEST(printer_storage, has_no_capacity_when_there_is_none)
{
    check_cell_named("", "v1", "PersistentVolume", "{\"metadata\":{\"name\":\"v\"}}", "Capacity",
                     "0");
    check_cell_named("", "v1", "PersistentVolumeClaim",
                     "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"volumeName\":\"v\"}}", "Capacity",
                     "0");
    check_cell_named(
        "", "v1", "PersistentVolumeClaim",
        "{\"metadata\":{\"name\":\"c\"},\"status\":{\"capacity\":{\"storage\":\"1\"}}}", "Capacity",
        "");
}

TEST(printer_storage, names_each_access_mode_once)
{
    check_cell_named("", "v1", "PersistentVolume",
                     "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":["
                     "\"ReadWriteOncePod\",\"ReadWriteMany\",\"X\",\"ReadOnlyMany\","
                     "\"ReadWriteOnce\",\"ReadWriteMany\"]}}",
                     "Access Modes", "RWO,ROX,RWX,RWOP");
}

TEST(printer_storage, counts_the_servers_beyond_three)
{
    static const char *const group = "internal.apiserver.k8s.io";

    check_cell_named(group, "internal.apiserver.k8s.io/v1alpha1", "StorageVersion",
                     "{\"metadata\":{\"name\":\"s\"},\"status\":{\"storageVersions\":["
                     "{\"apiServerID\":\"a\",\"encodingVersion\":\"v1\"},{\"apiServerID\":\"b\"},"
                     "{\"apiServerID\":\"c\"},{\"apiServerID\":\"d\"},{\"apiServerID\":\"e\"}]}}",
                     "StorageVersions", "a=v1,b=,c= + 2 more...");
    check_cell_named(group, "internal.apiserver.k8s.io/v1alpha1", "StorageVersion",
                     "{\"metadata\":{\"name\":\"s\"}}", "StorageVersions", "<unset>");
}

TEST(printer_storage, says_how_far_a_migration_is)
{
    static const char *const group = "storagemigration.k8s.io";

    check_cell_named(
        group, "storagemigration.k8s.io/v1beta1", "StorageVersionMigration",
        "{\"metadata\":{\"name\":\"m\"},\"status\":{\"conditions\":[{\"type\":"
        "\"Running\",\"status\":\"True\"},{\"type\":\"Succeeded\",\"status\":\"True\"},"
        "{\"type\":\"Failed\",\"status\":\"False\"}]}}",
        "Status", "Succeeded");
    check_cell_named(group, "storagemigration.k8s.io/v1beta1", "StorageVersionMigration",
                     "{\"metadata\":{\"name\":\"m\"},\"status\":{\"conditions\":[{\"type\":"
                     "\"Failed\",\"status\":\"True\"}]}}",
                     "Status", "Failed");
}

TEST(printer_storage, says_who_is_the_default)
{
    static const char *const classes[] = {
        "{\"metadata\":{\"name\":\"s\",\"annotations\":{"
        "\"storageclass.kubernetes.io/is-default-class\":\"true\"}}}",
        "{\"metadata\":{\"name\":\"s\",\"annotations\":{"
        "\"storageclass.beta.kubernetes.io/is-default-class\":\"true\"}}}",
    };

    for (size_t i = 0; i < 2; i++) {
        check_cell_named("storage.k8s.io", "storage.k8s.io/v1", "StorageClass", classes[i], "Name",
                         "s (default)");
    }
    check_cell_named("storage.k8s.io", "storage.k8s.io/v1", "StorageClass",
                     "{\"metadata\":{\"name\":\"s\",\"annotations\":{"
                     "\"storageclass.kubernetes.io/is-default-class\":\"yes\",\"\":\"true\"}}}",
                     "Name", "s");
    check_cell_named("networking.k8s.io", "networking.k8s.io/v1", "IngressClass",
                     "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"\":\"true\"}}}", "Name",
                     "s");
}
