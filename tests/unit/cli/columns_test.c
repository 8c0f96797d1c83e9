/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_test.c - which columns a kind has.
 */
#include "unit/cli/objects.h"

static void expect(const char *group, const char *kind, const char *want)
{
    const kin__cli_column *columns = kin__cli_columns_of(group, kind);
    text shown = { 0 };

    for (size_t i = 0; i < kin__cli_columns_count(columns); i++) {
        text_append(&shown, "%s%s", i > 0 ? "|" : "", columns[i].heading);
    }
    ASSERT_STR_EQ(shown.chars, want);
}

TEST(columns, are_those_that_kubectl_shows)
{
    expect("", "Pod", "NAME|READY|STATUS|RESTARTS|AGE");
    expect("", "Node", "NAME|STATUS|ROLES|AGE|VERSION");
    expect("", "Service", "NAME|TYPE|CLUSTER-IP|EXTERNAL-IP|PORT(S)|AGE");
    expect("apps", "Deployment", "NAME|READY|UP-TO-DATE|AVAILABLE|AGE");
    expect("", "Event", "LAST SEEN|TYPE|REASON|OBJECT|MESSAGE");
    expect("rbac.authorization.k8s.io", "Role", "NAME|CREATED AT");
}

TEST(columns, of_all_other_kinds_are_name_and_age)
{
    expect("shop.io", "Pod", "NAME|AGE");
    expect("shop.io", "Widget", "NAME|AGE");
    expect("", "", "NAME|AGE");
}

TEST(columns, show_what_is_absent)
{
    ASSERT_STR_EQ(cells_of("batch", "CronJob", named("'spec':{'schedule':null}")),
                  "|<none>|<unset>|0|<none>|<unknown>");
}
