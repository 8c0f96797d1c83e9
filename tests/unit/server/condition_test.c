/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition_test.c - conditions found, and set.
 */
#include "server/condition.h"

#include "server/field.h"
#include "unit/server/writing.h"

TEST(condition, has_a_new_time_only_when_its_status_changes)
{
    scene s;
    kin__condition ready = { "Ready", "False", "Waits", "it waits" };
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    AUTO(kin__node_free) kin__node *object = kin__tree_of(STR("{}"));
    ASSERT_TRUE(kin__condition_of(object, "Ready") == NULL);
    ASSERT_TRUE(kin__condition_set(&s.engine, object, &ready));
    kin__virtual_clock_advance(&s.clock, 1000);
    ready.message = "it still waits";
    ASSERT_TRUE(kin__condition_set(&s.engine, object, &ready));
    const kin__node *found = kin__condition_of(object, "Ready");
    ASSERT_SLICE_EQ(kin__field_text(found, "lastTransitionTime"), "2026-11-16T12:00:00Z");
    ASSERT_SLICE_EQ(kin__field_text(found, "message"), "it still waits");
    ready.status = "True";
    ASSERT_TRUE(kin__condition_set(&s.engine, object, &ready));
    ASSERT_SLICE_EQ(kin__field_text(found, "lastTransitionTime"), "2026-11-16T12:00:01Z");
    ASSERT_EQ(kin__node_count(kin__field_at(object, "status", "conditions")), 1);
    scene_close(&s);
}
