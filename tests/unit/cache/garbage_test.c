/* SPDX-License-Identifier: Apache-2.0 */
/*
 * garbage_test.c - what was dropped waits for those who may see it, and for nobody else.
 */
#include "cache/garbage.h"

#include "base/slab.h"
#include "cache/batch.h"
#include "cache/epoch.h"
#include "cache/table.h"
#include "cache/version.h"
#include "support/test.h"

/* A line of versions without content. */
typedef struct line {
    kin__garbage *garbage;
    kin__batch batch;
    _Atomic(kin__version *) current;
} line;

static line begin(void)
{
    kin__slab_set_apart(true); /* so that blocks count parts */
    line l = { .garbage = kin__garbage_new(), .batch = { .number = 1 } };
    ASSERT_TRUE(l.garbage != NULL);
    atomic_init(&l.current, kin__version_make(&l.batch, 0, 0));
    return l;
}

static void publish(line *l)
{
    kin__version *before = atomic_load(&l->current);
    l->batch.number++;
    kin__version *version = kin__version_make(&l->batch, 0, 0);
    ASSERT_TRUE(version != NULL);
    kin__batch_drop(&l->batch, &before->part);
    kin__garbage_publish(l->garbage, &l->current, version);
    kin__garbage_take(l->garbage, &l->batch.dropped, l->batch.number);
}

static void end(line *l)
{
    kin__version *last = atomic_load(&l->current);
    l->batch.number++;
    kin__version_drop(last, &l->batch);
    kin__garbage_take(l->garbage, &l->batch.dropped, l->batch.number);
    kin__garbage_leave(l->garbage);
}

TEST(garbage, goes_at_once_when_nobody_sees_it)
{
    line l = begin();
    long long blocks = live_blocks();

    publish(&l);

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    ASSERT_EQ(live_blocks(), blocks);
    end(&l);
    ASSERT_EQ(live_blocks(), 0);
}

TEST(garbage, waits_for_read_sections)
{
    line l = begin();
    kin__reader *reader = kin__epoch_enter();
    publish(&l);
    publish(&l);
    ASSERT_EQ(kin__garbage_count(l.garbage), 2);

    kin__epoch_leave(reader);
    ASSERT_FALSE(kin__garbage_collect(l.garbage));

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    end(&l);
}

TEST(garbage, does_not_wait_for_later_read_sections)
{
    line l = begin();
    publish(&l);
    kin__reader *first = kin__epoch_enter();
    publish(&l);
    kin__epoch_leave(first);
    kin__reader *second = kin__epoch_enter();

    ASSERT_FALSE(kin__garbage_collect(l.garbage));

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    kin__epoch_leave(second);
    end(&l);
}

TEST(garbage, waits_for_the_snapshots_that_show_it)
{
    line l = begin();
    kin_snapshot first;
    kin_snapshot second;
    kin__garbage_add(l.garbage, &first, &l.current);
    publish(&l);
    publish(&l);
    kin__garbage_add(l.garbage, &second, &l.current);
    publish(&l);
    publish(&l);
    ASSERT_EQ(kin__garbage_count(l.garbage), 2);

    kin__garbage_remove(&second);
    ASSERT_EQ(kin__garbage_count(l.garbage), 1);
    kin__garbage_remove(&first);

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    end(&l);
}

TEST(garbage, waits_for_readers_also_when_a_snapshot_had_it)
{
    line l = begin();
    kin_snapshot snapshot;
    kin__garbage_add(l.garbage, &snapshot, &l.current);
    kin__reader *reader = kin__epoch_enter();
    publish(&l);

    kin__garbage_remove(&snapshot);
    ASSERT_EQ(kin__garbage_count(l.garbage), 1);
    kin__epoch_leave(reader);
    ASSERT_FALSE(kin__garbage_collect(l.garbage));

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    end(&l);
}

TEST(garbage, goes_with_the_last_snapshot_of_a_store_that_is_gone)
{
    line l = begin();
    kin_snapshot first;
    kin_snapshot second;
    kin__garbage_add(l.garbage, &first, &l.current);
    kin__garbage_add(l.garbage, &second, &l.current);
    /* Reads something else. */
    kin__reader *reader = kin__epoch_enter();

    end(&l);
    kin__garbage_remove(&first);
    ASSERT_EQ(kin__garbage_count(l.garbage), 1);
    kin__garbage_remove(&second);

    ASSERT_EQ(live_blocks(), 0);
    kin__epoch_leave(reader);
}

TEST(garbage, is_not_kept_by_a_snapshot_of_the_version_that_dropped_it)
{
    line l = begin();
    kin_snapshot snapshot;
    kin__version *before = atomic_load(&l.current);
    l.batch.number++;
    kin__version *version = kin__version_make(&l.batch, 0, 0);
    ASSERT_TRUE(version != NULL);
    kin__batch_drop(&l.batch, &before->part);

    kin__garbage_publish(l.garbage, &l.current, version);
    kin__garbage_add(l.garbage, &snapshot, &l.current);
    kin__garbage_take(l.garbage, &l.batch.dropped, l.batch.number);

    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    kin__garbage_remove(&snapshot);
    end(&l);
}

/* Its pile is being sorted out: nobody would look at what comes now. */
TEST(garbage, is_not_given_to_a_snapshot_that_is_ending)
{
    line l = begin();
    kin_snapshot older;
    kin_snapshot ending;
    kin__garbage_add(l.garbage, &older, &l.current);
    kin__garbage_add(l.garbage, &ending, &l.current);

    ending.is_ending = true;
    publish(&l);

    ASSERT_EQ(ending.kept.count, 0);
    ASSERT_EQ(older.kept.count, 1);
    kin__garbage_remove(&ending);
    ASSERT_EQ(kin__garbage_count(l.garbage), 1);
    kin__garbage_remove(&older);
    ASSERT_EQ(kin__garbage_count(l.garbage), 0);
    end(&l);
}

static void count_call(void *context)
{
    ++*(int *) context;
}

TEST(garbage, tells_when_the_end_of_a_snapshot_leaves_something_to_readers)
{
    line l = begin();
    kin_snapshot snapshot;
    int calls = 0;
    kin__garbage_on_unread(l.garbage, count_call, &calls);
    kin__garbage_add(l.garbage, &snapshot, &l.current);
    kin__reader *reader = kin__epoch_enter();
    publish(&l);
    ASSERT_FALSE(kin__garbage_collect(l.garbage)); /* the snapshot has it */
    ASSERT_EQ(calls, 0);

    kin__garbage_remove(&snapshot);

    ASSERT_EQ(calls, 1);
    ASSERT_TRUE(kin__garbage_collect(l.garbage));
    kin__garbage_nudge(l.garbage);
    ASSERT_EQ(calls, 2);
    kin__epoch_leave(reader);
    kin__garbage_nudge(l.garbage);
    ASSERT_EQ(calls, 2);
    ASSERT_FALSE(kin__garbage_collect(l.garbage));
    end(&l);
}
