/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delta_fifo_test.c - what waits, what comes out, and what is merged.
 */
#include "cache/delta_fifo.h"

#include <string.h>

#include "base/error.h"
#include "unit/cache/delta_support.h"

/* What is known, and a fifo on it. */
typedef struct fixture {
    things known;
    const char *without; /* a key whose object is not to be had */
    kin__delta_fifo *fifo;
    kin__delta_fifo_options options;
} fixture;

static const kin_object *get(void *context, kin_str key)
{
    const fixture *f = context;

    for (size_t i = 0; i < f->known.count; i++) {
        if (kin__str_equal(kin_object_key(f->known.objects[i]), key)) {
            return f->known.objects[i];
        }
    }
    return NULL;
}

static void each(void *context, kin__known_fn fn, void *fn_context)
{
    const fixture *f = context;
    bool goes_on = true;

    for (size_t i = 0; i < f->known.count && goes_on; i++) {
        goes_on = fn(fn_context, kin_object_key(f->known.objects[i]), f->known.objects[i]);
    }
    if (f->without != NULL && goes_on) {
        (void) fn(fn_context, kin_str_of(f->without), NULL);
    }
}

/* NULL: nothing is known, not even that. */
static void begin_with(fixture *f, const char *known, size_t bound)
{
    kin_error err;

    f->options.bound = bound;
    if (known != NULL) {
        f->known = make_things(known);
        f->options.known = (kin__known){ f, get, each };
    }
    ASSERT_OK(kin__delta_fifo_new(&f->options, &f->fifo, &err));
}

static void begin(fixture *f, const char *known)
{
    begin_with(f, known, SIZE_MAX);
}

static void end(fixture *f)
{
    kin__delta_fifo_free(f->fifo);
    drop_things(&f->known);
}

/* "+foo@1 ~foo@2 -foo@3": added, updated, deleted. */
static void feed(fixture *f, const char *words)
{
    char word[64];
    int len;
    kin_error err;

    for (; sscanf(words, " %63s%n", word, &len) == 1; words += len) {
        kin_object *object = make_one(word + 1);
        kin_err code = word[0] == '+'   ? kin__delta_fifo_add(f->fifo, object, &err)
                       : word[0] == '~' ? kin__delta_fifo_update(f->fifo, object, &err)
                                        : kin__delta_fifo_delete(f->fifo, object, &err);
        ASSERT_OK(code);
        kin_object_unref(object);
    }
}

static void replace(fixture *f, const char *words)
{
    things all = make_things(words);
    kin_error err;

    ASSERT_OK(kin__delta_fifo_replace(f->fifo, all.objects, all.count, &err));
    drop_things(&all);
}

static void resync(fixture *f)
{
    kin_error err;
    ASSERT_OK(kin__delta_fifo_resync(f->fifo, &err));
}

static const char *pop(fixture *f)
{
    static text t;
    kin__deltas deltas;

    text_clear(&t);
    if (!kin__delta_fifo_pop(f->fifo, &deltas)) {
        return "nothing";
    }
    describe_deltas(&t, &deltas);
    kin__deltas_fini(&deltas);
    return t.chars;
}

/* All that waits; "; " between keys. */
static const char *pop_all(fixture *f)
{
    static text t;
    kin__delta_line all;
    size_t at = 0;

    text_clear(&t);
    kin__delta_fifo_pop_all(f->fifo, &all);
    for (kin__deltas *deltas; (deltas = kin__delta_line_next(&all, &at)) != NULL;) {
        text_append(&t, "%s", t.len == 0 ? "" : "; ");
        describe_deltas(&t, deltas);
    }
    kin__delta_fifo_give_back(f->fifo, &all);
    return t.chars;
}

TEST(delta_fifo, keeps_the_order_of_each_producer)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+a1@1 +b1@1 +a2@2 +a3@3 +b2@2 +b3@3");

    ASSERT_STR_EQ(pop_all(&f), "a1: added 1; b1: added 1; a2: added 2; a3: added 3; "
                               "b2: added 2; b3: added 3");
    end(&f);
}

TEST(delta_fifo, keeps_a_deletion_that_waits_when_a_replace_has_the_key)
{
    fixture f = { 0 };
    begin(&f, "foo@1");

    feed(&f, "-foo@1");
    replace(&f, "foo@2");

    ASSERT_STR_EQ(pop_all(&f), "foo: deleted 1, replaced 2");
    end(&f);
}

TEST(delta_fifo, deletes_what_only_waits_once_over_several_replaces)
{
    for (int knows = 0; knows < 2; knows++) {
        fixture f = { 0 };
        begin(&f, knows ? "" : NULL);

        feed(&f, "+foo@1 +bar@1 -bar@2");
        replace(&f, "baz@3");
        replace(&f, "baz@4");
        replace(&f, "");
        replace(&f, "");

        ASSERT_STR_EQ(pop_all(&f), "foo: added 1, tombstone 1; bar: added 1, deleted 2; "
                                   "baz: replaced 3, replaced 4, tombstone 4");
        end(&f);
    }
}

TEST(delta_fifo, gives_all_that_happened_to_a_key_at_once)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+foo@1 ~foo@2 -foo@3");

    ASSERT_EQ(kin__delta_fifo_count(f.fifo), 1);
    ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 3);
    ASSERT_STR_EQ(pop(&f), "foo: added 1, updated 2, deleted 3");
    ASSERT_STR_EQ(pop(&f), "nothing");
    ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 0);
    end(&f);
}

TEST(delta_fifo, ignores_the_deletion_of_what_neither_waits_nor_is_known)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+foo@10 ~bar@15 +qux@17 -qux@18 -baz@20");

    ASSERT_STR_EQ(pop_all(&f), "foo: added 10; bar: updated 15; qux: added 17, deleted 18");
    end(&f);
}

TEST(delta_fifo, takes_the_deletion_of_what_is_known)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6 baz@7");

    feed(&f, "+foo@10 ~bar@15 -baz@20 -qux@21");

    ASSERT_STR_EQ(pop_all(&f), "foo: added 10; bar: updated 15; baz: deleted 20");
    end(&f);
}

TEST(delta_fifo, puts_a_replace_behind_what_waits)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+foo@10");
    replace(&f, "foo@15");

    ASSERT_STR_EQ(pop(&f), "foo: added 10, replaced 15");
    ASSERT_STR_EQ(pop(&f), "nothing");
    end(&f);
}

TEST(delta_fifo, resyncs_each_known_key_once)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6");

    resync(&f);
    resync(&f);

    ASSERT_STR_EQ(pop_all(&f), "foo: sync 5; bar: sync 6");
    end(&f);
}

TEST(delta_fifo, resyncs_nothing_of_which_something_waits)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6 baz@7");

    feed(&f, "-foo@10 ~bar@11");
    resync(&f);

    ASSERT_STR_EQ(pop_all(&f), "foo: deleted 10; bar: updated 11; baz: sync 7");
    end(&f);
}

TEST(delta_fifo, resyncs_nothing_when_nothing_is_known)
{
    fixture f = { .without = "lost" };
    begin(&f, "");

    feed(&f, "+foo@1");
    resync(&f);

    ASSERT_STR_EQ(pop_all(&f), "foo: added 1");
    end(&f);
}

TEST(delta_fifo, keeps_an_add_and_a_deletion_while_it_is_short)
{
    fixture f = { 0 };
    begin(&f, "");

    feed(&f, "+foo@5 -foo@6");

    ASSERT_STR_EQ(pop_all(&f), "foo: added 5, deleted 6");
    end(&f);
}

TEST(delta_fifo, makes_tombstones_of_known_objects_that_a_replace_has_not)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6 baz@7");

    feed(&f, "-baz@10");
    replace(&f, "foo@5");

    ASSERT_STR_EQ(pop_all(&f), "baz: deleted 10; foo: replaced 5; bar: tombstone 6");
    end(&f);
}

TEST(delta_fifo, makes_tombstones_with_the_newest_object_that_waits)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6 baz@7");

    feed(&f, "~baz@8 -bar@9 +bar@100");
    replace(&f, "foo@5");

    ASSERT_STR_EQ(pop_all(&f), "baz: updated 8, tombstone 8; "
                               "bar: deleted 9, added 100, tombstone 100; foo: replaced 5");
    end(&f);
}

TEST(delta_fifo, makes_tombstones_of_what_was_to_be_resynced)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6");

    resync(&f);
    replace(&f, "foo@5");

    ASSERT_STR_EQ(pop_all(&f), "foo: sync 5, replaced 5; bar: sync 6, tombstone 6");
    end(&f);
}

TEST(delta_fifo, makes_tombstones_without_known_objects)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+baz@10 -baz@11");
    replace(&f, "foo@5");
    replace(&f, "");

    ASSERT_STR_EQ(pop_all(&f), "baz: added 10, deleted 11; foo: replaced 5, tombstone 5");
    end(&f);
}

TEST(delta_fifo, makes_a_tombstone_of_a_key_alone_when_its_object_is_lost)
{
    fixture f = { .without = "lost" };
    begin(&f, "foo@5");

    replace(&f, "");
    replace(&f, "");
    ASSERT_STR_EQ(pop_all(&f), "foo: tombstone 5; lost: tombstone ?");

    replace(&f, "");
    feed(&f, "-lost@7");
    ASSERT_STR_EQ(pop_all(&f), "foo: tombstone 5; lost: deleted 7");
    end(&f);
}

TEST(delta_fifo, takes_two_deletions_for_one_and_keeps_what_was_seen)
{
    fixture f = { 0 };
    begin(&f, "foo@5 bar@6");

    replace(&f, "");
    feed(&f, "-foo@7 -bar@8 -bar@9");
    replace(&f, "");

    ASSERT_STR_EQ(pop_all(&f), "foo: deleted 7; bar: deleted 9");
    ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 0);
    end(&f);
}

TEST(delta_fifo, sends_a_key_that_comes_again_to_the_back_of_the_line)
{
    fixture f = { 0 };
    begin(&f, NULL);

    feed(&f, "+foo@10 +bar@1 +foo@11 +foo@13 +zab@30");
    ASSERT_STR_EQ(pop(&f), "foo: added 10, added 11, added 13");

    feed(&f, "+foo@14");
    ASSERT_STR_EQ(pop(&f), "bar: added 1");
    ASSERT_STR_EQ(pop(&f), "zab: added 30");
    ASSERT_STR_EQ(pop(&f), "foo: added 14");
    end(&f);
}

TEST(delta_fifo, has_synced_when_all_of_the_first_replace_was_taken_out)
{
    fixture f = { 0 };
    begin(&f, NULL);
    ASSERT_FALSE(kin__delta_fifo_has_synced(f.fifo));

    replace(&f, "a@1 b@2 b@3");
    ASSERT_FALSE(kin__delta_fifo_has_synced(f.fifo));
    feed(&f, "+c@4");
    ASSERT_STR_EQ(pop(&f), "a: replaced 1");
    ASSERT_FALSE(kin__delta_fifo_has_synced(f.fifo));
    ASSERT_STR_EQ(pop(&f), "b: replaced 2, replaced 3");

    ASSERT_TRUE(kin__delta_fifo_has_synced(f.fifo));
    end(&f);
}

TEST(delta_fifo, has_synced_at_once_when_a_change_or_nothing_comes_first)
{
    const char *const first[] = { "+a@1", "~a@1", "-a@1", "" };

    for (size_t i = 0; i < 4; i++) {
        fixture f = { 0 };
        begin(&f, "a@1");
        resync(&f);
        ASSERT_FALSE(kin__delta_fifo_has_synced(f.fifo));
        (void) pop_all(&f);

        feed(&f, first[i]);
        if (first[i][0] == '\0') {
            drop_things(&f.known);
            replace(&f, "");
        }

        ASSERT_TRUE(kin__delta_fifo_has_synced(f.fifo));
        replace(&f, "b@1");
        ASSERT_TRUE(kin__delta_fifo_has_synced(f.fifo));
        end(&f);
    }
}

TEST(delta_fifo, counts_tombstones_of_the_first_replace_as_initial)
{
    fixture f = { 0 };
    kin__deltas deltas;
    begin(&f, "foo@5 bar@6 baz@7");

    replace(&f, "foo@5");
    feed(&f, "+later@8");

    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(kin__delta_fifo_has_synced(f.fifo), i == 3);
        ASSERT_TRUE(kin__delta_fifo_pop(f.fifo, &deltas));
        ASSERT_TRUE(deltas.is_initial == (i < 3));
        kin__deltas_fini(&deltas);
    }
    end(&f);
}

TEST(delta_fifo, has_synced_when_all_was_taken_out_at_once)
{
    fixture f = { 0 };
    begin(&f, "");

    replace(&f, "foo@5 bar@6");
    (void) pop_all(&f);

    ASSERT_TRUE(kin__delta_fifo_has_synced(f.fifo));
    end(&f);
}

TEST(delta_fifo, gives_what_waits_and_takes_nothing_once_it_is_closed)
{
    fixture f = { 0 };
    kin_error err;
    kin_object *object = thing("bar", "1");
    begin(&f, NULL);
    feed(&f, "+foo@1");

    kin__delta_fifo_close(f.fifo);

    ASSERT_ERR(kin__delta_fifo_add(f.fifo, object, &err), KIN_ERR_CANCELLED);
    ASSERT_MESSAGE(&err, "queue an added object \"bar\": the fifo is closed");
    ASSERT_ERR(kin__delta_fifo_replace(f.fifo, &object, 1, &err), KIN_ERR_CANCELLED);
    ASSERT_ERR(kin__delta_fifo_resync(f.fifo, &err), KIN_ERR_CANCELLED);
    ASSERT_STR_EQ(pop(&f), "foo: added 1");
    ASSERT_STR_EQ(pop(&f), "nothing");
    ASSERT_TRUE(kin__delta_fifo_is_closed(f.fifo));
    kin_object_unref(object);
    end(&f);
}

/* ---- keys and transforms --------------------------------------------------------------------- */

static kin_err key_by_uid(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    (void) context;
    if (kin_object_uid(object).len == 0) {
        return kin__error_set(err, KIN_ERR_INVALID, "it has no uid");
    }
    (void) kin__buf_append_str(out, kin_object_uid(object));
    return KIN_OK;
}

TEST(delta_fifo, takes_the_keys_that_a_function_makes)
{
    fixture f = { .options.key = key_by_uid };
    kin_error err;
    kin_object *without = make_thing("", "a", "1", "");
    begin(&f, NULL);

    feed(&f, "+a@1#x +b@2#y ~c@3#x");
    replace(&f, "d@4#x");
    ASSERT_OK(kin__delta_fifo_add(f.fifo, without, &err));
    ASSERT_OK(kin__delta_fifo_update(f.fifo, without, &err));
    ASSERT_OK(kin__delta_fifo_delete(f.fifo, without, &err));

    ASSERT_STR_EQ(pop_all(&f), "x: added 1, updated 3, replaced 4; y: added 2, tombstone 2");
    kin_object_unref(without);
    end(&f);
}

/* The version becomes ten times what it was; of "bad" there is nothing. */
static kin_err ten_times(void *context, kin_str key, kin__delta_type type, const kin_object *object,
                         kin_object **out, kin_error *err)
{
    char name[32];
    char version[32];
    (void) context;
    (void) type;
    (void) err;

    *out = NULL;
    if (!kin__str_starts_with(key, STR("bad"))) {
        (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(key));
        (void) snprintf(version, sizeof version, "%.*s0",
                        KIN_STR_ARG(kin_object_resource_version(object)));
        *out = make_thing("", name, version, "1");
    }
    return KIN_OK;
}

TEST(delta_fifo, transforms_each_object_once)
{
    fixture f = { .options.transform = ten_times };
    begin(&f, "foo@5 bar@6 baz@7");

    feed(&f, "+foo@1 ~foo@2 -foo@3");
    replace(&f, "bar@8");
    replace(&f, "");
    ASSERT_STR_EQ(pop_all(&f), "foo: added 10, updated 20, deleted 30; "
                               "bar: replaced 80, tombstone 80; baz: tombstone 7");

    resync(&f);
    ASSERT_STR_EQ(pop_all(&f), "foo: sync 5; bar: sync 6; baz: sync 7");
    end(&f);
}

TEST(delta_fifo, leaves_as_it_was_what_cannot_be_transformed)
{
    fixture f = { .options.transform = ten_times };
    begin(&f, "bad@5 bad2@6 baz@7");

    feed(&f, "+bad@1 ~bad2@2 ~baz@3");
    ASSERT_STR_EQ(pop(&f), "baz: updated 30");
    replace(&f, "bad@8 bad3@9");
    ASSERT_STR_EQ(pop_all(&f), "bad: sync 5; bad2: tombstone 6; baz: tombstone 7");
    feed(&f, "-bad@10");
    replace(&f, "bad@8");
    ASSERT_STR_EQ(pop_all(&f), "bad: tombstone 5; bad2: tombstone 6; baz: tombstone 7");
    resync(&f);
    replace(&f, "bad@8");
    ASSERT_STR_EQ(pop_all(&f), "bad: sync 5; bad2: sync 6, tombstone 6; baz: sync 7, tombstone 7");
    end(&f);
}

/* ---- merging --------------------------------------------------------------------------------- */

TEST(delta_fifo, merges_past_its_bound)
{
    static const struct {
        const char *known;
        const char *fed;
        const char *want;
    } rows[] = {
        { "", "+a@1 ~a@2", "a: added 2" },
        { "", "+a@1 ~a@2 ~a@3", "a: added 3" },
        { "", "+a@1 -a@2", "" },
        { "", "+a@1 -a@2 +a@3", "a: added 3" },
        { "", "+a@1 ~a@2 -a@3 +a@4 ~a@5", "a: added 5" },
        { "", "~a@1 -a@2", "" },
        { "a@1", "~a@2 ~a@3", "a: updated 3" },
        { "a@1", "+a@2 ~a@3", "a: updated 3" },
        { "a@1", "~a@2 -a@3", "a: deleted 3" },
        { "a@1", "-a@2 +a@3", "a: deleted 2, added 3" },
        { "a@1", "~a@2 -a@3 +a@4 ~a@5 ~a@6", "a: deleted 3, added 6" },
        { "a@1", "-a@2 +a@3 -a@4", "a: deleted 2" },
        { "a@1", "-a@2 +a@3 -a@4 +a@5", "a: deleted 2, added 5" },
        { NULL, "+a@1 -a@2", "" },
        { NULL, "~a@1 -a@2", "a: deleted 2" },
        { NULL, "~a@1 ~a@2 +b@1", "a: updated 2; b: added 1" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f = { 0 };
        begin_with(&f, rows[i].known, 1);
        feed(&f, rows[i].fed);
        ASSERT_STR_EQ(pop_all(&f), rows[i].want);
        ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 0);
        end(&f);
    }
}

TEST(delta_fifo, merges_a_replace_past_its_bound)
{
    fixture f = { 0 };
    begin_with(&f, "a@1 b@1 c@1", 3);

    feed(&f, "~a@2 ~b@2 +d@2");
    replace(&f, "a@3 e@3");

    ASSERT_STR_EQ(pop_all(&f), "a: replaced 3; b: tombstone 2; e: replaced 3; c: tombstone 1");
    end(&f);
}

TEST(delta_fifo, merges_nothing_before_its_bound)
{
    fixture f = { 0 };
    begin_with(&f, "a@1", 4);

    feed(&f, "~a@2 ~a@3 ~a@4 ~a@5");
    ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 4);
    feed(&f, "~a@6");
    ASSERT_EQ(kin__delta_fifo_deltas(f.fifo), 1);

    ASSERT_STR_EQ(pop_all(&f), "a: updated 6");
    end(&f);
}

TEST(delta_fifo, has_synced_without_what_merged_to_nothing)
{
    fixture f = { 0 };
    begin_with(&f, "", 1);

    replace(&f, "a@1 b@1");
    feed(&f, "-a@2");
    ASSERT_FALSE(kin__delta_fifo_has_synced(f.fifo));
    feed(&f, "+a@3");
    ASSERT_STR_EQ(pop(&f), "b: replaced 1");

    ASSERT_TRUE(kin__delta_fifo_has_synced(f.fifo));
    ASSERT_STR_EQ(pop(&f), "a: added 3");
    end(&f);
}

TEST(delta_fifo, stays_small_under_a_million_updates_of_few_keys)
{
    fixture f = { 0 };
    uint64_t random = random_start(20261116);
    kin_error err;
    kin_object *objects[4];
    long long most = 0;
    begin_with(&f, "k0@1 k1@1 k2@1", 100);
    for (size_t i = 0; i < 4; i++) {
        char name[8];
        (void) snprintf(name, sizeof name, "k%zu", i);
        objects[i] = thing(name, "2");
    }
    long long before = live_blocks();

    for (size_t i = 0; i < 1000000 / SLOWER; i++) {
        size_t key = random_below(&random, 4);
        kin_err code = random_below(&random, 8) == 0
                           ? kin__delta_fifo_delete(f.fifo, objects[key], &err)
                           : kin__delta_fifo_update(f.fifo, objects[key], &err);
        ASSERT_OK(code);
        ASSERT_TRUE(kin__delta_fifo_deltas(f.fifo) <= 100 + 2 * 4);
        most = live_blocks() - before > most ? live_blocks() - before : most;
    }

    ASSERT_TRUE(most <= 2 + 4);
    for (size_t i = 0; i < 4; i++) {
        kin_object_unref(objects[i]);
    }
    end(&f);
}

/* ---- memory ---------------------------------------------------------------------------------- */

TEST(delta_fifo, needs_no_block_for_each_key_of_a_replace)
{
    enum { COUNT = 5000 };
    static kin_object *objects[COUNT];
    fixture f = { 0 };
    kin_error err;
    begin(&f, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "k%zu", i);
        objects[i] = thing(name, "1");
    }
    long long before = live_blocks();

    ASSERT_OK(kin__delta_fifo_replace(f.fifo, objects, COUNT, &err));
    ASSERT_EQ(live_blocks() - before, 2);

    kin__delta_line all;
    kin__delta_fifo_pop_all(f.fifo, &all);
    ASSERT_EQ(kin__delta_line_count(&all), COUNT);
    kin__delta_fifo_give_back(f.fifo, &all);
    ASSERT_EQ(live_blocks() - before, 0);
    for (size_t i = 0; i < COUNT; i++) {
        kin_object_unref(objects[i]);
    }
    end(&f);
}

/* What a failure must leave as it was. */
static kin_err change_all(fixture *f, things *list, kin_error *err)
{
    kin_err code = kin__delta_fifo_replace(f->fifo, list->objects, list->count, err);

    if (code != KIN_OK) {
        ASSERT_EQ(kin__delta_fifo_count(f->fifo), 2);
        ASSERT_EQ(kin__delta_fifo_deltas(f->fifo), 2);
        ASSERT_FALSE(kin__delta_fifo_has_synced(f->fifo));
        ASSERT_STR_EQ(pop_all(f), "k0: sync 1; k1: sync 1");
    }
    return code;
}

TEST_FAILING_ALLOC(delta_fifo, takes_a_replace_as_a_whole_or_not_at_all)
{
    fixture f = { 0 };
    kin_error err;
    things list = { .count = 0 };
    kin_err code = KIN_OK;

    f.options.bound = SIZE_MAX;
    f.options.known = (kin__known){ &f, get, each };
    for (size_t i = 0; i < 20 && code == KIN_OK; i++) {
        char name[8];
        (void) snprintf(name, sizeof name, "k%zu", i);
        kin_object **place = i < 3 ? &f.known.objects[f.known.count] : &list.objects[list.count];
        code = make_thing_or_fail("", name, "1", "1", place, &err);
        f.known.count += code == KIN_OK && i < 3;
        list.count += code == KIN_OK && i >= 3;
    }
    if (code == KIN_OK) {
        code = kin__delta_fifo_new(&f.options, &f.fifo, &err);
    }
    if (code == KIN_OK) {
        f.known.count = 2;
        code = kin__delta_fifo_resync(f.fifo, &err);
        ASSERT_EQ(kin__delta_fifo_count(f.fifo), code == KIN_OK ? 2 : 0);
        f.known.count = 3;
        list.objects[list.count++] = kin_object_ref(f.known.objects[0]);
    }
    if (code == KIN_OK) {
        code = change_all(&f, &list, &err);
    }
    end(&f);
    drop_things(&list);
    return code;
}

TEST_FAILING_ALLOC(delta_fifo, takes_a_resync_as_a_whole_or_not_at_all)
{
    fixture f = { 0 };
    kin_error err;
    kin_err code = KIN_OK;

    f.options.known = (kin__known){ &f, get, each };
    for (size_t i = 0; i < 20 && code == KIN_OK; i++) {
        char name[8];
        (void) snprintf(name, sizeof name, "k%zu", i);
        code = make_thing_or_fail("", name, "1", "1", &f.known.objects[i], &err);
        f.known.count += code == KIN_OK;
    }
    if (code == KIN_OK) {
        code = kin__delta_fifo_new(&f.options, &f.fifo, &err);
    }
    if (code == KIN_OK) {
        code = kin__delta_fifo_resync(f.fifo, &err);
        ASSERT_EQ(kin__delta_fifo_count(f.fifo), code == KIN_OK ? 20 : 0);
    }
    end(&f);
    return code;
}
