/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_test.c - one object as it is shown.
 */
#include "cli/row.h"

#include "unit/cli/objects.h"

static kin_error err;

static kin_resource *resource(const char *group, const char *name, const char *kind)
{
    kin_resource *out = NULL;

    ASSERT_OK(kin_resource_new(group, "v1", name, kind, true, &out, &err));
    return out;
}

static void expect_table(bool has_namespace, bool has_kind, const char *want)
{
    kin_resource *pods = resource("", "pods", "Pod");
    kin__cli_rows rows = { kin__cli_columns_of("", "Pod"), has_namespace, has_kind, pods, NOW };
    kin__cli_printer printer;
    kin__cli_text out = { 0 };
    kin_object *object = named("'status':{'phase':'Running'}");

    kin__cli_printer_init(&printer, kin__cli_rows_width(&rows));
    kin__cli_rows_add_headings(&rows, &printer);
    kin__cli_rows_add(&rows, object, &printer);
    kin__cli_printer_write(&printer, &out);

    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_printer_fini(&printer);
    kin__cli_text_fini(&out);
    kin_object_unref(object);
    kin_resource_unref(pods);
}

static void expect_path(const char *path_text, bool is_shown, const char *want)
{
    kin_object *object = named("'a':[{'n':1},{'n':'x\\ny\\u001b'}],'o':{'b':[]}");
    kin_path *path = NULL;
    kin__cli_text out = { 0 };

    ASSERT_OK(kin_path_new(path_text, &path, &err));
    kin__cli_row_path(path, object, is_shown, &out);
    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_text_fini(&out);
    kin_path_free(path);
    kin_object_unref(object);
}

TEST(row, is_a_row_of_a_table)
{
    expect_table(false, false,
                 "NAME    READY   STATUS    RESTARTS   AGE\n"
                 "web-0   0/0     Running   0          <unknown>\n");
    expect_table(true, false,
                 "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\n"
                 "shop        web-0   0/0     Running   0          <unknown>\n");
    expect_table(false, true,
                 "NAME        READY   STATUS    RESTARTS   AGE\n"
                 "pod/web-0   0/0     Running   0          <unknown>\n");
}

TEST(row, is_a_name_with_its_kind)
{
    kin_resource *pods = resource("", "pods", "Pod");
    kin_resource *sets = resource("apps", "replicasets", "ReplicaSet");
    kin_object *object = named("");
    kin__cli_text out = { 0 };

    kin__cli_row_name(pods, object, &out);
    kin__cli_text_say(&out, " ");
    kin__cli_row_name(sets, object, &out);

    ASSERT_STR_EQ(kin__cli_text_chars(&out), "pod/web-0 replicaset.apps/web-0");
    kin__cli_text_fini(&out);
    kin_object_unref(object);
    kin_resource_unref(pods);
    kin_resource_unref(sets);
}

TEST(row, is_what_a_path_leads_to)
{
    expect_path("metadata.name", true, "web-0");
    expect_path("a[*].n", false, "1 x\ny\x1b");
    expect_path("a[*].n", true, "1 x\ny?");
    expect_path("o", true, "{\"b\":[]}");
    expect_path("none", true, "");
}
