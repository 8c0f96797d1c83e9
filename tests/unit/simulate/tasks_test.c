/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks_test.c - first come, first served.
 */
#include "simulate/tasks.h"

#include "support/test.h"
#include "unit/simulate/recorder.h"

TEST(tasks, come_out_in_their_order_while_the_queue_grows_around_its_end)
{
    kin__sim_tasks tasks = { 0 };
    kin__sim_task task;
    uint32_t in = 0;
    uint32_t out = 0;

    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 3; i++) {
            ASSERT_TRUE(kin__sim_tasks_push(&tasks, (kin__sim_task){ .index = in++ }));
        }
        for (int i = 0; i < 2; i++) {
            ASSERT_TRUE(kin__sim_tasks_pop(&tasks, &task));
            ASSERT_EQ(task.index, out++);
        }
    }

    while (kin__sim_tasks_pop(&tasks, &task)) {
        ASSERT_EQ(task.index, out++);
    }
    ASSERT_EQ(out, in);
    kin__sim_tasks_fini(&tasks);
}

TEST_FAILING_ALLOC(tasks, keep_what_they_have_when_there_is_no_memory)
{
    kin__sim_tasks tasks = { 0 };
    kin__sim_task task;
    uint32_t pushed = 0;

    use_counted_memory();
    while (pushed < 200 && kin__sim_tasks_push(&tasks, (kin__sim_task){ .index = pushed })) {
        pushed++;
    }
    for (uint32_t i = 0; i < pushed; i++) {
        ASSERT_TRUE(kin__sim_tasks_pop(&tasks, &task));
        ASSERT_EQ(task.index, i);
    }
    kin__sim_tasks_fini(&tasks);
    return pushed == 200 ? KIN_OK : KIN_ERR_NO_MEMORY;
}
