/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending_test.c - what becomes of notifications that wait.
 */
#include "cache/pending.h"

#include <stdlib.h>

#include "store_support.h"
#include "support/allocator.h"
#include "support/random.h"

static const kin_notification_type A = KIN_NOTIFICATION_ADDED;
static const kin_notification_type U = KIN_NOTIFICATION_UPDATED;
static const kin_notification_type D = KIN_NOTIFICATION_DELETED;

/* Consumes the objects; `before` may be NULL. */
static kin__note *new_note(kin_notification_type type, kin_object *before, kin_object *object)
{
    kin__note *note = NULL;
    kin_error err;
    kin_notification n = {
        .type = type, .key = kin_object_key(object), .object = object, .before = before
    };
    ASSERT_OK(kin__note_new(&n, 0, &note, &err));
    kin_object_unref(object);
    kin_object_unref(before);
    return note;
}

/* Of pod 0: from one version to another; 0: there is none. */
static kin__note *note_of(kin_notification_type type, size_t from, size_t to)
{
    return new_note(type, from == 0 ? NULL : numbered_pod(0, from), numbered_pod(0, to));
}

static void push(kin__pending *pending, kin__note *note)
{
    kin__pending_push(pending, note, true);
}

/* "U1>3" for an update from version 1 to version 3; "A3i" is initial, "D1>3t" a tombstone, "r" a
 * resync.  All that is pending, which is gone afterwards. */
static const char *pop_all(kin__pending *pending)
{
    static text t;
    text_clear(&t);
    for (kin__note *note; (note = kin__pending_pop(pending)) != NULL;) {
        const kin_notification *n = &note->told;
        text_append(&t, "%s%c", t.len == 0 ? "" : " ", "?AUD"[n->type]);
        if (n->before != NULL) {
            text_append(&t, "%.*s>", KIN_STR_ARG(kin_object_resource_version(n->before)));
        }
        text_append(&t, "%.*s%s%s%s", KIN_STR_ARG(kin_object_resource_version(n->object)),
                    n->is_initial ? "i" : "", n->is_tombstone ? "t" : "", n->is_resync ? "r" : "");
        kin__note_free(note);
    }
    ASSERT_EQ(pending->count, 0);
    ASSERT_EQ(pending->initial, 0);
    ASSERT_EQ(pending->key_count, 0);
    return t.chars;
}

TEST(pending, keeps_every_notification_in_order)
{
    kin__pending pending = { 0 };

    kin__pending_push(&pending, note_of(A, 0, 1), false);
    kin__pending_push(&pending, note_of(U, 1, 2), false);
    kin__pending_push(&pending, note_of(U, 2, 3), false);
    kin__pending_push(&pending, note_of(D, 3, 4), false);
    kin__pending_push(&pending, note_of(A, 0, 5), false);

    ASSERT_EQ(pending.count, 5);
    ASSERT_STR_EQ(pop_all(&pending), "A1 U1>2 U2>3 D3>4 A5");
    ASSERT_EQ(pending.merged, 0);
}

TEST(pending, makes_added_and_updated_one_addition)
{
    kin__pending pending = { 0 };
    kin__note *added = note_of(A, 0, 1);
    added->told.is_initial = true;

    push(&pending, added);
    push(&pending, note_of(U, 1, 2));

    ASSERT_EQ(pending.initial, 1);
    ASSERT_STR_EQ(pop_all(&pending), "A2i");
    ASSERT_EQ(pending.merged, 1);
}

TEST(pending, makes_added_and_deleted_nothing)
{
    kin__pending pending = { 0 };

    push(&pending, note_of(A, 0, 1));
    push(&pending, note_of(D, 1, 2));

    ASSERT_EQ(pending.count, 0);
    ASSERT_STR_EQ(pop_all(&pending), "");
    ASSERT_EQ(pending.merged, 2);
}

/* Writes down what it is asked; allows it when there is a context. */
static text asked;

static bool ask(void *context, const kin_notification *older, const kin_notification *newer)
{
    text_append(&asked, "%s%c%c", asked.len == 0 ? "" : " ", "?AUD"[older->type],
                "?AUD"[newer->type]);
    return context != NULL;
}

TEST(pending, asks_before_it_merges_or_cancels)
{
    kin__pending pending = { .may_merge = ask, .context = &asked };

    push(&pending, note_of(U, 1, 2));
    push(&pending, note_of(U, 2, 3));
    push(&pending, note_of(D, 3, 4));
    push(&pending, note_of(A, 0, 5)); /* cannot be merged */
    push(&pending, note_of(D, 5, 6));

    ASSERT_STR_EQ(pop_all(&pending), "D1>4");
    ASSERT_STR_EQ(asked.chars, "UU UD AD");
}

TEST(pending, keeps_both_when_they_may_not_be_merged)
{
    kin__pending pending = { .may_merge = ask };
    kin__note *resync = note_of(U, 2, 2);
    resync->told.is_resync = true;

    push(&pending, note_of(A, 0, 1));
    push(&pending, note_of(U, 1, 2));
    push(&pending, resync); /* tells nothing: not asked of */
    push(&pending, note_of(D, 2, 3));

    ASSERT_STR_EQ(pop_all(&pending), "A1 U1>2 D2>3");
    ASSERT_STR_EQ(asked.chars, "AU UD");
}

TEST(pending, makes_two_updates_one_from_what_was_told)
{
    kin__pending pending = { 0 };

    push(&pending, note_of(U, 1, 2));
    push(&pending, note_of(U, 2, 3));
    push(&pending, note_of(U, 3, 4));

    ASSERT_STR_EQ(pop_all(&pending), "U1>4");
}

TEST(pending, makes_updated_and_deleted_a_deletion)
{
    kin__pending pending = { 0 };

    push(&pending, note_of(U, 1, 2));
    push(&pending, note_of(D, 2, 3));

    ASSERT_STR_EQ(pop_all(&pending), "D1>3");
}

TEST(pending, keeps_deleted_and_added_apart)
{
    kin__pending pending = { 0 };

    push(&pending, note_of(D, 1, 2));
    push(&pending, note_of(A, 0, 3));
    push(&pending, note_of(U, 3, 4));

    ASSERT_STR_EQ(pop_all(&pending), "D1>2 A4");
}

TEST(pending, forgets_what_came_and_went_between_two_deletions)
{
    kin__pending pending = { 0 };

    for (size_t i = 0; i < 10; i++) {
        push(&pending, note_of(D, 1, 2));
        push(&pending, note_of(A, 0, 3));
        push(&pending, note_of(D, 3, 4));
        push(&pending, note_of(A, 0, 5));
        if (i == 0) {
            ASSERT_EQ(pending.count, 2);
            ASSERT_STR_EQ(pop_all(&pending), "D1>2 A5");
        }
        kin__list dropped = { 0 };
        kin__pending_drain(&pending, &dropped);
        kin__notes_free(&dropped);
    }
}

TEST(pending, prefers_a_deletion_that_was_seen)
{
    kin__pending pending = { 0 };
    kin__note *tombstone = note_of(D, 1, 1);
    tombstone->told.is_tombstone = true;
    kin__note *late_tombstone = note_of(D, 2, 2);
    late_tombstone->told.is_tombstone = true;

    push(&pending, tombstone);
    push(&pending, note_of(D, 1, 2));
    ASSERT_STR_EQ(pop_all(&pending), "D1>2");

    push(&pending, note_of(D, 1, 2));
    push(&pending, late_tombstone);
    ASSERT_STR_EQ(pop_all(&pending), "D1>2");
}

TEST(pending, drops_a_resync_of_what_waits_at_any_time)
{
    kin__pending pending = { 0 };
    kin__note *resync = note_of(U, 2, 2);
    resync->told.is_resync = true;
    kin__note *alone = note_of(U, 2, 2);
    alone->told.is_resync = true;

    kin__pending_push(&pending, note_of(U, 1, 2), false);
    kin__pending_push(&pending, resync, false);
    ASSERT_STR_EQ(pop_all(&pending), "U1>2");

    kin__pending_push(&pending, alone, false);
    kin__pending_push(&pending, note_of(U, 2, 3), true);
    ASSERT_STR_EQ(pop_all(&pending), "U2>3");
}

TEST(pending, merges_into_the_newest_of_a_key_and_keeps_its_place)
{
    kin__pending pending = { 0 };

    kin__pending_push(&pending, note_of(A, 0, 1), false);
    kin__pending_push(&pending, note_of(U, 1, 2), false);
    kin__pending_push(&pending, new_note(A, NULL, numbered_pod(1, 7)), false);
    push(&pending, note_of(U, 2, 3));

    ASSERT_STR_EQ(pop_all(&pending), "A1 U1>3 A7");
}

TEST(pending, takes_a_key_that_is_not_the_objects_own)
{
    kin__pending pending = { 0 };
    kin_object *object = numbered_pod(0, 1);
    kin_object *other = numbered_pod(1, 2);
    kin_error err;
    kin__note *note = NULL;
    char key[] = "uid-7";
    kin_notification n = { .type = A, .key = STR("uid-7"), .object = object };
    n.key.data = key;

    ASSERT_OK(kin__note_new(&n, 0, &note, &err));
    push(&pending, note);
    n = (kin_notification){ .type = U, .key = kin_str_of(key), .object = other, .before = object };
    ASSERT_OK(kin__note_new(&n, 0, &note, &err));
    key[0] = 'x';
    push(&pending, note);

    note = kin__pending_pop(&pending);
    ASSERT_SLICE_EQ(note->told.key, "uid-7");
    ASSERT_TRUE(note->told.object == other);
    ASSERT_EQ(pending.count, 0);
    kin__note_free(note);
    kin_object_unref(object);
    kin_object_unref(other);
}

#define KEYS 40

/* What a handler would know, were it told all that is popped. */
typedef struct model {
    kin_object *now[KEYS];  /* at the source */
    kin_object *told[KEYS]; /* to the handler */
    size_t version;
} model;

static void change(model *m, kin__pending *pending, size_t i, uint64_t *random, bool is_merging)
{
    kin_object *before = m->now[i];
    kin_object *next = numbered_pod(i, ++m->version);
    kin__note *note = NULL;
    kin_error err;
    kin_notification n = { .key = kin_object_key(next), .object = next, .before = before };
    bool is_deletion = before != NULL && random_below(random, 3) == 0;
    n.type = before == NULL ? A : is_deletion ? D : U;

    ASSERT_OK(kin__note_new(&n, 0, &note, &err));
    kin__pending_push(pending, note, is_merging);
    m->now[i] = is_deletion ? kin_object_unref(next) : next;
    kin_object_unref(before);
}

static void be_told(model *m, kin__pending *pending)
{
    kin__note *note = kin__pending_pop(pending);
    if (note == NULL) {
        return;
    }
    const kin_notification *n = &note->told;
    size_t i = (size_t) strtoul(n->key.data + strlen("shop/pod-"), NULL, 10);

    ASSERT_TRUE(n->before == m->told[i]);
    ASSERT_EQ(n->type == A, m->told[i] == NULL);
    kin_object_unref(m->told[i]);
    m->told[i] = n->type == D ? NULL : kin_object_ref(n->object);
    kin__note_free(note);
}

/* Whatever is merged, the handler is told a row of states that fit each other, and in the end what
 * there is. */
TEST(pending, tells_the_same_in_the_end_and_stays_bounded)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        kin__pending pending = { 0 };
        model m = { .version = 0 };
        size_t bound = random_below(&random, 20);

        for (size_t i = 0; i < 2000; i++) {
            change(&m, &pending, random_below(&random, KEYS), &random, pending.count >= bound);
            ASSERT_TRUE(pending.count <= bound + 2 * (size_t) KEYS);
            if (random_below(&random, 1 + seed % 8) == 0) {
                be_told(&m, &pending);
            }
        }
        while (pending.count > 0) {
            be_told(&m, &pending);
        }
        for (size_t i = 0; i < KEYS; i++) {
            ASSERT_TRUE(m.now[i] == m.told[i]);
            kin_object_unref(m.now[i]);
            kin_object_unref(m.told[i]);
        }
    }
}

TEST(pending, loses_nothing_when_its_table_has_no_memory)
{
    kin__pending pending = { 0 };
    kin__note *notes[60];
    for (size_t i = 0; i < 60; i++) {
        notes[i] = new_note(i < 30 ? A : U, i < 30 ? NULL : numbered_pod(i % 30, i - 29),
                            numbered_pod(i % 30, i + 1));
    }

    test_allocator_plan((alloc_failure){ .first = 1, .is_lasting = true });
    for (size_t i = 0; i < 45; i++) {
        push(&pending, notes[i]);
    }
    ASSERT_TRUE(test_allocator_failures() > 0);
    test_allocator_plan((alloc_failure){ 0 });
    for (size_t i = 45; i < 60; i++) {
        push(&pending, notes[i]);
    }

    ASSERT_EQ(pending.count, 30);
    ASSERT_EQ(pending.merged, 30);
    for (size_t i = 0; i < 30; i++) {
        kin__note *note = kin__pending_pop(&pending);
        ASSERT_TRUE(note == notes[i + 30]);
        ASSERT_EQ(note->told.type, A);
        kin__note_free(note);
    }
}

/* Whoever keeps up with what happens has no more than that pending. */
TEST(pending, takes_no_memory_for_a_few_keys)
{
    kin__pending pending = { 0 };
    kin__note *notes[9];
    for (size_t i = 0; i < 9; i++) {
        notes[i] = new_note(A, NULL, numbered_pod(i, 1));
    }
    long long before = test_allocator_requests();

    for (size_t i = 0; i < 8; i++) {
        push(&pending, notes[i]);
    }
    long long of_eight = test_allocator_requests() - before;
    push(&pending, notes[8]);
    long long of_nine = test_allocator_requests() - before;

    ASSERT_EQ(of_eight, 0);
    ASSERT_EQ(of_nine, 1);
    for (size_t i = 0; i < 9; i++) {
        kin__note *note = kin__pending_pop(&pending);
        ASSERT_TRUE(note == notes[i]);
        kin__note_free(note);
    }
}

TEST_FAILING_ALLOC(pending, makes_a_note_or_says_that_it_cannot)
{
    kin_object *object = NULL;
    kin__note *note = NULL;
    kin_error err;
    kin_err code = make_pod_or_fail((pod){ .name = "web" }, &object, &err);

    if (code == KIN_OK) {
        kin_notification n = { .type = A, .key = STR("other"), .object = object };
        code = kin__note_new(&n, 0, &note, &err);
    }
    kin__note_free(note);
    kin_object_unref(object);
    return code;
}
