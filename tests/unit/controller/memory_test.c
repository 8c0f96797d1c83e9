/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_test.c - a controller that lacks memory for a while: nothing is lost.
 *
 * Memory ends where a function of the program runs, right before what needs it, and comes back when
 * that has been refused.
 */
#include "controller/reconcile.h"
#include "support/allocator.h"
#include "unit/controller/workshop.h"

static void end_memory(void)
{
    test_allocator_plan((alloc_failure){ 1, true });
}

static void give_memory(void)
{
    test_allocator_plan((alloc_failure){ 0 });
}

static void give_memory_once_it_was_refused(void)
{
    while (test_allocator_failures() == 0) {
        (void) sched_yield();
    }
    give_memory();
}

/* No informer runs: nothing else wants memory. */
TEST(memory, that_a_worker_lacks_to_take_a_key_is_waited_for)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    ASSERT_OK(kin_controller_start(w.controller, &w.err));
    ASSERT_OK(kin_controller_add(w.controller, kin_str_of("default/a"), NULL, &w.err));
    await_loop(&w);

    end_memory();
    kin__mutex_lock(&w.controller->lock);
    w.controller->is_synced = true;
    kin__runtime_announce_locked(w.controller);
    kin__mutex_unlock(&w.controller->lock);
    give_memory_once_it_was_refused();

    await_seen(&w, "default/a");
    workshop_close(&w);
}

static void map_without_memory(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) object;
    hold(context);
    end_memory();
    kin_concerned_add(concerned, kin_str_of("default/x"));
}

TEST(memory, that_a_handler_lacks_to_queue_a_key_is_waited_for)
{
    workshop w;

    workshop_open(&w);
    kin_informer *secrets = make_informer_of(&w, "secrets");
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, secrets, NULL, &w.err));
    ASSERT_OK(kin_controller_maps(w.controller, w.maps, NULL, map_without_memory, &w, &w.err));
    put_map(&w, "a", "1");
    ASSERT_OK(kin_informer_start(secrets, &w.err));
    ASSERT_OK(kin_informer_wait_synced(secrets, -1, &w.err));
    ASSERT_OK(kin_informer_start(w.maps, &w.err));
    ASSERT_OK(kin_informer_wait_synced(w.maps, -1, &w.err));
    set_holding(&w, true);
    ASSERT_OK(kin_controller_start(w.controller, &w.err));
    await_held(&w, 1);
    await_loop(&w);

    set_holding(&w, false);
    give_memory_once_it_was_refused();

    await_idle(&w);
    expect_seen(&w, "default/x");
    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(secrets);
    workshop_close(&w);
}

static kin_err record_without_memory(void *context, kin_reconcile *r, kin_error *err)
{
    const kin__reconcile_write write = {
        .group = kin_str_of(""),
        .kind = kin_str_of("ConfigMap"),
        .key = kin_str_of("default/a"),
        .version = kin_str_of("999999"),
    };

    (void) err;
    end_memory();
    kin__reconcile_record(r, &write);
    note(context, "recorded");
    return KIN_OK;
}

TEST(memory, that_is_lacked_to_remember_a_write_is_waited_for)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = record_without_memory;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    give_memory_once_it_was_refused();

    await_seen(&w, "recorded");
    kin__mutex_lock(&w.controller->lock);
    ASSERT_EQ(w.controller->written.count, 1);
    kin__mutex_unlock(&w.controller->lock);
    workshop_close(&w);
}

static kin_err ask_without_memory(void *context, kin_reconcile *r, kin_error *err)
{
    static _Atomic bool has_asked;

    note_key(context, r, err);
    if (atomic_exchange(&has_asked, true)) {
        give_memory();
    } else {
        kin_reconcile_again(r, 1000);
        end_memory();
    }
    return KIN_OK;
}

TEST(memory, that_is_lacked_for_a_key_to_come_later_makes_it_come_at_once)
{
    workshop w;

    workshop_open(&w);
    w.options.reconcile = ask_without_memory;
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);

    await_seen(&w, "default/a default/a");

    await_idle(&w);
    expect_seen(&w, "default/a default/a");
    workshop_close(&w);
}

/* ---- a turn ---------------------------------------------------------------------------------- */

typedef struct poor_turn {
    workshop *w;
    size_t debounced; /* after it */
    int64_t left_ms;  /* until the next one */
} poor_turn;

static void turn_without_memory(void *context)
{
    poor_turn *turn = context;
    kin_controller *controller = turn->w->controller;

    kin__virtual_clock_advance(&turn->w->clock, 1000);
    end_memory();
    controller->turn_job.run(&controller->turn_job, controller);
    give_memory();
    turn->left_ms = controller->timer.node.due - kin__loop_now_ms(controller->loop);
    kin__mutex_lock(&controller->lock);
    turn->debounced = kin__debounce_count(&controller->debounce);
    kin__mutex_unlock(&controller->lock);
}

TEST(memory, that_a_turn_lacks_to_queue_a_key_is_waited_for_without_haste)
{
    workshop w;
    poor_turn turn = { .w = &w };

    workshop_open(&w);
    w.options.debounce_ms = 1000;
    make_controller_about_maps(&w);
    start(&w);
    await_idle(&w);
    await_version(&w, w.maps, "default/a", put_map(&w, "a", "1"));
    await_told(&w);
    await_loop(&w);

    ASSERT_OK(kin_loop_post(kin_client_loop(w.client), turn_without_memory, &turn, &w.err));
    await_loop(&w);

    ASSERT_EQ(turn.debounced, 1);
    ASSERT_TRUE(turn.left_ms > 0);
    pass(&w, 100);
    await_idle(&w);
    expect_seen(&w, "default/a");
    workshop_close(&w);
}
