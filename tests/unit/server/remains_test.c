/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remains_test.c - what keeps a namespace from going is counted and told.
 */
#include "server/remains.h"

#include "server/condition.h"
#include "server/field.h"
#include "unit/server/writing.h"

static void make(scene *s, const char *name, const char *finalizers)
{
    char body[256];

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%s\",\"finalizers\":[%s]}}", name,
                    finalizers);
    ASSERT_EQ(ask(s, "POST", CONFIGMAPS, JSON, body), 201);
}

static kin_str message_of(const kin__node *ns, const char *type)
{
    return kin__field_text(kin__condition_of(ns, type), "message");
}

TEST(remains, are_counted_by_resource_and_by_finalizer)
{
    scene s;
    kin__remains remains = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    make(&s, "a", "\"x.y/b\",\"x.y/a\"");
    make(&s, "b", "\"x.y/b\"");
    make(&s, "c", "");
    const kin__served *maps =
        kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("configmaps"));
    const kin__served *secrets =
        kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("secrets"));
    ASSERT_TRUE(kin__remains_count(&remains, maps, STR("default/")));
    ASSERT_TRUE(kin__remains_count(&remains, secrets, STR("default/")));
    AUTO(kin__node_free) kin__node *ns = kin__tree_of(STR("{}"));
    ASSERT_TRUE(kin__remains_tell(&remains, &s.engine, ns));
    ASSERT_SLICE_EQ(message_of(ns, "NamespaceContentRemaining"),
                    "Some resources are remaining: configmaps. has 3 resource instances");
    ASSERT_SLICE_EQ(message_of(ns, "NamespaceFinalizersRemaining"),
                    "Some content in the namespace has finalizers remaining: x.y/a in 1 resource "
                    "instances, x.y/b in 2 resource instances");
    scene_close(&s);
}

TEST(remains, beyond_what_there_is_room_for_are_dropped)
{
    scene s;
    kin__remains remains = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (int i = 0; i < 2 * KIN__TALLY_MAX; i++) {
        char name[16], finalizer[16];
        (void) snprintf(name, sizeof name, "c-%d", i);
        (void) snprintf(finalizer, sizeof finalizer, "\"a/f%02d\"", i);
        make(&s, name, finalizer);
    }
    const kin__served *maps =
        kin__shelf_find(s.engine.shelf, STR(""), STR("v1"), STR("configmaps"));
    ASSERT_TRUE(kin__remains_count(&remains, maps, STR("default/")));
    ASSERT_EQ(remains.finalizers.count, KIN__TALLY_MAX);
    ASSERT_EQ(remains.resources.rows[0].number, 2 * KIN__TALLY_MAX);
    scene_close(&s);
}

TEST(remains, when_nothing_does_are_told_too)
{
    scene s;
    const kin__remains none = { 0 };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    AUTO(kin__node_free) kin__node *ns = kin__tree_of(STR("{}"));
    ASSERT_TRUE(kin__remains_tell(&none, &s.engine, ns));
    ASSERT_EQ(kin__node_count(kin__field_at(ns, "status", "conditions")), 5);
    ASSERT_SLICE_EQ(message_of(ns, "NamespaceContentRemaining"),
                    "All content successfully removed");
    scene_close(&s);
}
