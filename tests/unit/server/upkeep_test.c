/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep_test.c - what the server does by itself.
 */
#include "unit/server/writing.h"

#define NAMESPACES "/api/v1/namespaces"

TEST(upkeep, waits_for_finalizers_on_the_loop)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", NAMESPACES, JSON, "{\"metadata\":{\"name\":\"n1\"}}"), 201);
    ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/configmaps", JSON,
                  "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"a.b/c\"]}}"),
              201);
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);
    for (int i = 0; i < 5; i++) {
        ASSERT_OK(kin_loop_dispatch(s.loop, 0, &err));
    }
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1/configmaps/held", NULL, NULL, 200,
                  "\"deletionTimestamp\"");
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 200);
    uint64_t rests = revision(&s);
    ASSERT_OK(kin_loop_dispatch(s.loop, 0, &err));
    ASSERT_EQ(revision(&s), rests);

    ASSERT_EQ(ask(&s, "PATCH", NAMESPACES "/n1/configmaps/held", MERGE,
                  "{\"metadata\":{\"finalizers\":[]}}"),
              200);
    for (int i = 0; i < 5; i++) {
        ASSERT_OK(kin_loop_dispatch(s.loop, 0, &err));
    }
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1", NULL, NULL), 404);
    scene_close(&s);
}

TEST(upkeep, does_nothing_when_there_is_none)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    kin__upkeep_free(s.engine.upkeep);
    s.engine.upkeep = NULL;
    ASSERT_EQ(ask(&s, "POST", NAMESPACES, JSON, "{\"metadata\":{\"name\":\"n1\"}}"), 201);
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);
    kin__upkeep_wake(&s.engine);
    kin__upkeep_removed(&s.engine);
    ASSERT_OK(kin_loop_dispatch(s.loop, 0, &err));
    ASSERT_ANSWER(&s, "GET", NAMESPACES "/n1", NULL, NULL, 200, "Terminating");
    scene_close(&s);
}

TEST(upkeep, can_be_freed_while_it_waits_for_its_turn)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    kin__upkeep_wake(&s.engine);
    kin__upkeep_free(s.engine.upkeep);
    s.engine.upkeep = NULL;
    ASSERT_OK(kin_loop_dispatch(s.loop, 0, &err));
    scene_close(&s);
}

TEST_FAILING_ALLOC(upkeep, is_made_of_one_block)
{
    kin__engine engine = { 0 };
    kin__upkeep *upkeep = NULL;
    kin_error err;
    kin_loop *loop = NULL;
    kin_err code = kin_loop_new(NULL, &loop, &err);

    engine.loop = loop;
    if (code == KIN_OK) {
        code = kin__upkeep_new(&engine, &upkeep, &err);
    }
    kin__upkeep_free(upkeep);
    kin_loop_free(loop);
    return code;
}

TEST(upkeep, gets_past_any_number_of_objects_that_finalizers_hold)
{
    scene s;
    kin_error err;
    bool has_more = true;
    const int count = KIN__UPKEEP_STEP + 10;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", NAMESPACES, JSON, "{\"metadata\":{\"name\":\"n1\"}}"), 201);
    for (int i = 0; i < count; i++) {
        char body[96];
        snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"c%d\",\"finalizers\":[\"a.b/c\"]}}",
                 i);
        ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/configmaps", JSON, body), 201);
    }
    ASSERT_EQ(ask(&s, "POST", NAMESPACES "/n1/secrets", JSON, "{\"metadata\":{\"name\":\"free\"}}"),
              201);
    ASSERT_EQ(ask(&s, "DELETE", NAMESPACES "/n1", NULL, NULL), 200);
    for (int i = 0; i < 5 && has_more; i++) {
        has_more = kin__upkeep_step(&s.engine);
    }
    ASSERT_FALSE(has_more);
    ASSERT_EQ(ask(&s, "GET", NAMESPACES "/n1/secrets/free", NULL, NULL), 404);
    for (int i = 0; i < count; i++) {
        char target[96];
        snprintf(target, sizeof target, NAMESPACES "/n1/configmaps/c%d", i);
        ASSERT_ANSWER(&s, "GET", target, NULL, NULL, 200, "\"deletionTimestamp\"");
    }
    scene_close(&s);
}
