/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_table_test.c - the rows agree with each other.
 */
#include "server/builtin_table.h"

#include "unit/server/writing.h"

static bool has_sub(const kin__builtin *row, const char *name)
{
    for (const kin__served_sub *sub = row->subs; sub != NULL && sub->name != NULL; sub++) {
        if (strcmp(sub->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_same_version(const kin__builtin *a, const kin__builtin *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->version, b->version) == 0;
}

TEST(builtin_table, has_resources_of_a_version_in_order)
{
    for (size_t i = 1; i < kin__builtin_count; i++) {
        const kin__builtin *row = &kin__builtin_table[i];
        if (is_same_version(row, row - 1) && strcmp(row->resource, row[-1].resource) <= 0) {
            FAIL("%s", row->resource);
        }
    }
}

TEST(builtin_table, has_each_version_in_one_place)
{
    for (size_t i = 1; i < kin__builtin_count; i++) {
        for (size_t j = 0; j + 1 < i; j++) {
            const kin__builtin *row = &kin__builtin_table[i];
            if (is_same_version(row, &kin__builtin_table[j]) && !is_same_version(row, row - 1)) {
                FAIL("%s %s", row->group, row->version);
            }
        }
    }
}

TEST(builtin_table, has_traits_that_follow_from_subresources)
{
    for (size_t i = 0; i < kin__builtin_count; i++) {
        const kin__builtin *row = &kin__builtin_table[i];
        if (((row->traits & KIN__HAS_STATUS) != 0) != has_sub(row, "status") ||
            ((row->traits & KIN__HAS_SCALE) != 0) != has_sub(row, "scale")) {
            FAIL("%s", row->resource);
        }
    }
}

TEST(builtin_table, has_hashes_of_all_that_is_kept)
{
    for (size_t i = 0; i < kin__builtin_count; i++) {
        const kin__builtin *row = &kin__builtin_table[i];
        bool is_kept = (row->traits & KIN__IS_VIRTUAL) == 0 && (row->verbs & KIN__VERB_CREATE) != 0;
        if ((row->storage_hash[0] != '\0') != is_kept) {
            FAIL("%s", row->resource);
        }
    }
}

TEST(builtin_table, has_a_name_for_one_and_a_kind_of_each)
{
    for (size_t i = 0; i < kin__builtin_count; i++) {
        const kin__builtin *row = &kin__builtin_table[i];
        if (row->singular[0] == '\0' || row->kind[0] < 'A' || row->kind[0] > 'Z' ||
            row->verbs == 0) {
            FAIL("%s", row->resource);
        }
    }
}

/* Asks for each verb, and for each subresource, with little in the body and with nothing. */
static void ask_all(scene *s, const char *path)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
    static const char *const accepts[] = {
        "application/json",
        "application/vnd.kubernetes.protobuf",
        "application/json;as=Table;g=meta.k8s.io;v=v1",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    };
    static const char *const bodies[] = { "", "{}", "{\"metadata\":{\"name\":\"x\"}}" };

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *type = strcmp(methods[i], "PATCH") == 0 ? MERGE : JSON;
        for (size_t j = 0; j < sizeof accepts / sizeof *accepts; j++) {
            for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
                int status = ask_as(s, accepts[j], methods[i], path, type, kin_str_of(bodies[k]));
                ASSERT_TRUE(status >= 200 && status < 500);
            }
        }
    }
}

TEST(builtin_table, has_nothing_that_breaks_when_it_is_asked_for)
{
    scene s;
    kin_error err;
    const kin__served *served;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; (served = kin__shelf_at(s.engine.shelf, i)) != NULL; i++) {
        char path[256];
        int len = snprintf(
            path, sizeof path, "%s/%.*s/%s%.*s", served->group.len > 0 ? "/apis" : "/api",
            KIN_STR_ARG(served->api_version), served->is_namespaced ? "namespaces/default/" : "",
            KIN_STR_ARG(served->resource));
        ask_all(&s, path);
        (void) snprintf(path + len, sizeof path - (size_t) len, "/x");
        ask_all(&s, path);
        for (const kin__served_sub *sub = served->subs; sub != NULL && sub->name != NULL; sub++) {
            (void) snprintf(path + len, sizeof path - (size_t) len, "/x/%s", sub->name);
            ask_all(&s, path);
        }
    }
    ASSERT_ANSWER(&s, "GET", "/api/v1/componentstatuses", NULL, NULL, 200, "\"items\":[]");
    ASSERT_EQ(ask(&s, "GET", "/api/v1/componentstatuses/etcd-0", NULL, NULL), 404);
    scene_close(&s);
}
