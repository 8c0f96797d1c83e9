/* SPDX-License-Identifier: Apache-2.0 */
/*
 * written_test.c - what was written and is not in the stores yet.
 */
#include "controller/written.h"

#include "base/str.h"
#include "unit/controller/workshop.h"

/* An informer that has synced, with the ConfigMap default/a. */
typedef struct ledger {
    workshop w;
    kin__written written;
    kin__written_place place;
    char version[32]; /* of default/a */
    char newer[32];
    kin_str uid;
    const kin_object *object;
} ledger;

static void ledger_open(ledger *l)
{
    memset(l, 0, sizeof *l);
    workshop_open(&l->w);
    uint64_t revision = put_map(&l->w, "a", "1");
    (void) snprintf(l->version, sizeof l->version, "%llu", (unsigned long long) revision);
    (void) snprintf(l->newer, sizeof l->newer, "%llu", (unsigned long long) revision + 1);
    ASSERT_OK(kin_informer_start(l->w.maps, &l->w.err));
    await_version(&l->w, l->w.maps, "default/a", revision);
    kin_view view = kin_store_read(kin_informer_store(l->w.maps));
    l->object = kin_object_ref(kin_view_get(&view, STR("default/a")));
    kin_store_done(&view);
    l->uid = kin_object_uid(l->object);
    l->place.informer = l->w.maps;
}

static void ledger_close(ledger *l)
{
    kin__written_drop(&l->written, &l->place);
    kin__written_clear(&l->written);
    kin_object_unref(l->object);
    workshop_close(&l->w);
}

static void owe(ledger *l, const char *key, const char *version, kin_str gone_uid, int64_t until_ms)
{
    const kin__written_what what = {
        .key = kin_str_of(key),
        .object_key = STR("default/a"),
        .version = kin_str_of(version),
        .gone_uid = gone_uid,
        .until_ms = until_ms,
    };

    ASSERT_OK(kin__written_add(&l->written, &l->place, &what, &l->w.err));
}

TEST(written, forgets_what_the_store_has)
{
    ledger l;

    ledger_open(&l);
    owe(&l, "x", l.version, STR(""), 100);
    owe(&l, "x", l.newer, STR(""), 200);
    ASSERT_EQ(kin__written_find(&l.written, STR("x"))->count, 2);
    ASSERT_TRUE(kin__written_is_owed(&l.place, STR("default/a")));
    ASSERT_FALSE(kin__written_is_owed(&l.place, STR("default/b")));

    kin__written_look(&l.written, &l.place);
    ASSERT_EQ(l.written.count, 1);
    ASSERT_EQ(kin__written_find(&l.written, STR("x"))->until_ms, 200);
    await_version(&l.w, l.w.maps, "default/b", put_map(&l.w, "b", "1")); /* something newer */
    kin__written_look(&l.written, &l.place);

    ASSERT_EQ(l.written.count, 0);
    ASSERT_TRUE(kin__written_find(&l.written, STR("x")) == NULL);
    ledger_close(&l);
}

TEST(written, waits_until_what_was_deleted_is_gone)
{
    ledger l;

    ledger_open(&l);
    owe(&l, "x", l.version, l.uid, 100);
    owe(&l, "x", "", STR("another"), 100); /* is not there */
    kin__written_look(&l.written, &l.place);
    ASSERT_EQ(l.written.count, 1);

    await_version(&l.w, l.w.maps, "default/a", remove_map(&l.w, "a"));
    kin__written_look(&l.written, &l.place);

    ASSERT_EQ(l.written.count, 0);
    ledger_close(&l);
}

/* What was created and deleted at once is not there at first either. */
TEST(written, does_not_take_for_gone_what_has_yet_to_come)
{
    ledger l;

    ledger_open(&l);
    owe(&l, "x", l.newer, STR("yet to come"), 100);
    kin__written_look(&l.written, &l.place);
    ASSERT_EQ(l.written.count, 1);

    await_version(&l.w, l.w.maps, "default/b", put_map(&l.w, "b", "1"));
    kin__written_look(&l.written, &l.place);

    ASSERT_EQ(l.written.count, 0);
    ledger_close(&l);
}

TEST(written, wakes_what_is_parked_when_all_is_paid_or_time_is_up)
{
    ledger l;
    kin_str key;
    kin_str version;

    ledger_open(&l);
    owe(&l, "paid", l.version, STR(""), 300);
    owe(&l, "late", l.newer, STR(""), 200);
    kin__written_park(&l.written, kin__written_find(&l.written, STR("paid")), KIN_PRIORITY_LOW);
    kin__written_park(&l.written, kin__written_find(&l.written, STR("paid")), KIN_PRIORITY_HIGH);
    kin__written_park(&l.written, kin__written_find(&l.written, STR("late")), KIN_PRIORITY_NORMAL);
    ASSERT_EQ(l.written.parked_count, 2);
    ASSERT_TRUE(kin__written_next(&l.written, 199) == NULL);
    ASSERT_EQ(kin__written_due_ms(&l.written), 200);

    kin__written_look(&l.written, &l.place);
    kin__debt *paid = kin__written_next(&l.written, 199);
    ASSERT_SLICE_EQ(kin__str(paid->key, paid->len), "paid");
    ASSERT_EQ(paid->priority, KIN_PRIORITY_HIGH);
    kin__written_unpark(&l.written, paid);
    ASSERT_TRUE(kin__written_find(&l.written, STR("paid")) == NULL);
    kin__debt *late = kin__written_next(&l.written, 200);
    ASSERT_SLICE_EQ(kin__str(late->key, late->len), "late");
    ASSERT_TRUE(kin__written_missing(&l.place, late, &key, &version));
    ASSERT_SLICE_EQ(key, "default/a");
    ASSERT_SLICE_EQ(version, l.newer);
    kin__written_unpark(&l.written, late);

    ASSERT_EQ(late->count, 1); /* still owed */
    ASSERT_EQ(kin__written_due_ms(&l.written), INT64_MAX);
    ledger_close(&l);
}

TEST(written, looks_at_what_is_owed_to_one_key_alone)
{
    ledger l;

    ledger_open(&l);
    owe(&l, "x", l.version, STR(""), 100);
    owe(&l, "x", l.newer, STR(""), 100);
    owe(&l, "y", l.version, STR(""), 100);
    owe(&l, "z", l.version, STR(""), 100);
    kin__debt *z = kin__written_find(&l.written, STR("z"));
    kin__written_park(&l.written, z, KIN_PRIORITY_NORMAL);

    ASSERT_TRUE(kin__written_look_for(&l.written, kin__written_find(&l.written, STR("x"))) != NULL);
    ASSERT_EQ(l.written.count, 3);
    ASSERT_TRUE(kin__written_look_for(&l.written, kin__written_find(&l.written, STR("y"))) == NULL);
    ASSERT_EQ(l.written.count, 2);
    ASSERT_TRUE(kin__written_look_for(&l.written, z) == z); /* still to be woken */
    ASSERT_EQ(z->count, 0);

    ASSERT_EQ(l.written.count, 1);
    ledger_close(&l);
}

/* It is another server, or one that was brought back from a copy. */
TEST(written, forgets_what_a_store_owes_that_has_gone_back)
{
    ledger l;
    kin__written_what what = { .key = STR("x"), .object_key = STR("default/a") };

    ledger_open(&l);
    what.version = STR("1000002");
    what.stood_at = kin_str_of(l.version);
    ASSERT_OK(kin__written_add(&l.written, &l.place, &what, &l.w.err));
    kin__written_look(&l.written, &l.place);
    ASSERT_EQ(l.written.count, 1);

    what.stood_at = STR("1000001");
    ASSERT_OK(kin__written_add(&l.written, &l.place, &what, &l.w.err));
    kin__written_look(&l.written, &l.place);

    ASSERT_EQ(l.written.count, 1);
    ledger_close(&l);
}

TEST_FAILING_ALLOC(written, survives_every_failed_allocation)
{
    kin__written written = { 0 };
    kin__written_place place = { 0 };
    const kin__written_what what = { STR("x"), STR("default/a"), STR("1"), STR("u"), STR("1"), 5 };
    kin_error err;
    kin_err code = kin__written_add(&written, &place, &what, &err);

    ASSERT_EQ(written.count, code == KIN_OK ? 1 : 0);
    ASSERT_EQ(written.debts.count, written.count);
    kin__written_drop(&written, &place);
    kin__written_clear(&written);
    return code;
}
