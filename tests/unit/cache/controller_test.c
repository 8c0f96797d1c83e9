/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_test.c - from fifos into the store, and what is told.
 */
#include "cache/controller.h"

#include "base/error.h"
#include "base/slab.h"
#include "unit/cache/controller_support.h"

static uint64_t number_of(const house *h)
{
    kin_view view = kin_store_read(h->store);
    uint64_t number = kin_view_number(&view);
    kin_store_done(&view);
    return number;
}

TEST(controller, tells_what_the_store_had_not_as_added)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });

    bring_all(&h, 0, "a@1 b@2", "5");
    bring(&h, "+c@6 ~d@7");

    ASSERT_STR_EQ(process(&h), "add a 1 initial; add b 2 initial; add c 6; add d 7");
    ASSERT_STR_EQ(state(&h), "a@1 b@2 c@6 d@7 | 7");
    close_house(&h);
}

TEST(controller, tells_what_the_store_had_as_updated)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");
    (void) process(&h);

    bring(&h, "~a@6 +b@7");

    ASSERT_STR_EQ(process(&h), "update a 1 6; update b 2 7");
    ASSERT_STR_EQ(state(&h), "a@6 b@7 | 7");
    close_house(&h);
}

TEST(controller, tells_deletions_with_the_last_state)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");
    (void) process(&h);

    bring(&h, "-a@6 -x@7");

    ASSERT_STR_EQ(process(&h), "delete a 6");
    ASSERT_STR_EQ(state(&h), "b@2 | 7");
    close_house(&h);
}

TEST(controller, tells_all_that_happened_to_a_key_at_its_place)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });

    bring(&h, "+a@1 +b@2 ~a@3 -b@4 -a@5 +a@6");

    ASSERT_STR_EQ(process(&h), "add a 1; update a 1 3; delete a 5; add a 6; add b 2; delete b 4");
    ASSERT_STR_EQ(state(&h), "a@6 | 6");
    close_house(&h);
}

TEST(controller, tells_deletions_of_a_replace_first_and_the_rest_in_the_order_of_the_list)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2 c@3", "5");
    (void) process(&h);

    bring_all(&h, 0, "d@6 b@7 a@1", "8");

    ASSERT_STR_EQ(process(&h), "delete c 3 tombstone; add d 6; update b 2 7; update a 1 1 itself");
    ASSERT_STR_EQ(state(&h), "a@1 b@7 d@6 | 8");
    close_house(&h);
}

TEST(controller, tells_what_a_new_list_shows_and_nothing_of_it_is_initial)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1", "5");
    ASSERT_STR_EQ(process(&h), "add a 1 initial");

    bring(&h, "~a@6");
    bring_all(&h, 0, "a@7 b@8", "9");

    ASSERT_STR_EQ(process(&h), "update a 1 6; update a 6 7; add b 8");
    close_house(&h);
}

/* Looks at the store at the moment that something is staged or committed. */
typedef struct witness {
    house h;
    text at_stage;
    text at_commit;
} witness;

static kin_err stage_and_look(void *context, const kin_notification *n, kin_error *err)
{
    witness *w = context;
    (void) n;
    (void) err;
    text_clear(&w->at_stage);
    text_append(&w->at_stage, "%s", state(&w->h));
    return KIN_OK;
}

static void commit_and_look(void *context, uint64_t version)
{
    witness *w = context;
    text_clear(&w->at_commit);
    text_append(&w->at_commit, "%s", state(&w->h));
    ASSERT_EQ(version, number_of(&w->h));
}

TEST(controller, makes_one_version_of_all_that_waits_and_tells_it_when_it_can_be_seen)
{
    witness w = { 0 };
    kin__controller_options options = { .stage = stage_and_look,
                                        .commit = commit_and_look,
                                        .context = &w };
    kin_error err;
    ASSERT_OK(kin__store_new(NULL, &w.h.store, &err));
    ASSERT_OK(kin__controller_new(w.h.store, &options, &w.h.controller, &err));
    bring_all(&w.h, 0, "a@1 b@2", "5");
    ASSERT_OK(kin__controller_process(w.h.controller, &err));
    uint64_t before = number_of(&w.h);

    bring(&w.h, "~a@6");
    bring_all(&w.h, 0, "a@7 c@8", "9");
    bring(&w.h, "+d@10");
    ASSERT_OK(kin__controller_process(w.h.controller, &err));

    ASSERT_STR_EQ(w.at_stage.chars, "a@1 b@2 | 5");
    ASSERT_STR_EQ(w.at_commit.chars, "a@7 c@8 d@10 | 10");
    ASSERT_EQ(number_of(&w.h), before + 1);
    close_house(&w.h);
}

static void note_version(void *context, uint64_t version)
{
    *(uint64_t *) context = version;
}

/* After a mass deletion the store publishes once more, by itself. */
TEST(controller, tells_the_version_of_the_batch_and_no_later_one)
{
    enum { COUNT = 2000 };
    static kin_object *objects[COUNT];
    house h = { 0 };
    uint64_t told = 0;
    kin_error err;
    kin__controller_options options = { .commit = note_version, .context = &told };
    ASSERT_OK(kin__store_new(NULL, &h.store, &err));
    ASSERT_OK(kin__controller_new(h.store, &options, &h.controller, &err));
    kin__reflector_sink sink = kin__controller_sink(h.controller, 0);
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        (void) snprintf(name, sizeof name, "k%zu", i);
        objects[i] = thing(name, "1");
    }
    ASSERT_OK(sink.replace(sink.context, objects, COUNT, STR("5"), &err));
    ASSERT_OK(kin__controller_process(h.controller, &err));
    uint64_t before = number_of(&h);
    ASSERT_EQ(told, before);

    ASSERT_OK(sink.replace(sink.context, objects, 1, STR("6"), &err));
    ASSERT_OK(kin__controller_process(h.controller, &err));

    ASSERT_EQ(told, before + 1);
    ASSERT_EQ(number_of(&h), before + 2);
    for (size_t i = 0; i < COUNT; i++) {
        kin_object_unref(objects[i]);
    }
    close_house(&h);
}

TEST(controller, does_nothing_when_nothing_waits)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    uint64_t before = number_of(&h);

    ASSERT_FALSE(kin__controller_is_pending(h.controller));
    ASSERT_STR_EQ(process(&h), "");

    ASSERT_EQ(h.commits, 0);
    ASSERT_EQ(number_of(&h), before);
    close_house(&h);
}

TEST(controller, moves_the_version_with_bookmarks_and_deletions)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1", "5");
    (void) process(&h);

    bring(&h, "=7");
    ASSERT_TRUE(kin__controller_is_pending(h.controller));
    ASSERT_STR_EQ(process(&h), "");
    ASSERT_STR_EQ(state(&h), "a@1 | 7");
    bring(&h, "-a@8");
    (void) process(&h);
    ASSERT_STR_EQ(state(&h), "| 8");
    close_house(&h);
}

TEST(controller, tells_a_new_uid_as_a_deletion_and_an_add)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1#x b@2#y", "5");
    (void) process(&h);

    bring_all(&h, 0, "a@6#z b@7#y", "8");

    ASSERT_STR_EQ(process(&h), "delete a 1 tombstone; add a 6; update b 2 7");
    close_house(&h);
}

TEST(controller, tells_a_new_uid_as_an_update_where_that_is_wanted)
{
    house h;
    open_house(&h, (kin__controller_options){ .recreated_is_update = true });
    bring_all(&h, 0, "a@1#x", "5");
    (void) process(&h);

    bring_all(&h, 0, "a@6#z", "8");

    ASSERT_STR_EQ(process(&h), "update a 1 6");
    close_house(&h);
}

TEST(controller, resyncs_what_it_has)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");
    (void) process(&h);
    uint64_t before = number_of(&h);

    ASSERT_OK(kin__controller_resync(h.controller, 0, &err));
    const char *told = process(&h);
    ASSERT_CONTAINS(told, "update a 1 1 itself resync");
    ASSERT_CONTAINS(told, "update b 2 2 itself resync");
    ASSERT_EQ(number_of(&h), before);

    bring(&h, "~a@6");
    ASSERT_OK(kin__controller_resync(h.controller, 0, &err));
    ASSERT_STR_EQ(process(&h), "update a 1 6; update b 2 2 itself resync");
    close_house(&h);
}

TEST(controller, has_synced_when_the_first_state_was_told)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    ASSERT_FALSE(kin__controller_has_synced(h.controller));

    bring_all(&h, 0, "a@1", "5");
    ASSERT_FALSE(kin__controller_has_synced(h.controller));
    (void) process(&h);

    ASSERT_TRUE(kin__controller_has_synced(h.controller));
    ASSERT_EQ(h.syncs, 1);
    bring_all(&h, 0, "a@2", "6");
    (void) process(&h);
    ASSERT_EQ(h.syncs, 1);
    close_house(&h);
}

TEST(controller, has_synced_with_an_empty_first_state)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });

    bring_all(&h, 0, "", "");
    ASSERT_TRUE(kin__controller_is_pending(h.controller));
    (void) process(&h);

    ASSERT_TRUE(kin__controller_has_synced(h.controller));
    close_house(&h);
}

static const kin_str two_namespaces[] = { { "x", 1 }, { "y", 1 } };

TEST(controller, has_synced_when_all_sources_have)
{
    house h;
    open_house(&h, (kin__controller_options){ .sources = 2, .namespaces = two_namespaces });

    bring_all(&h, 0, "x/a@1", "5");
    (void) process(&h);
    ASSERT_TRUE(kin__controller_source_has_synced(h.controller, 0));
    ASSERT_FALSE(kin__controller_source_has_synced(h.controller, 1));
    ASSERT_FALSE(kin__controller_has_synced(h.controller));
    bring_all(&h, 1, "", "6");
    (void) process(&h);

    ASSERT_TRUE(kin__controller_has_synced(h.controller));
    ASSERT_EQ(h.syncs, 1);
    close_house(&h);
}

TEST(controller, replaces_only_what_is_of_the_source)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ .sources = 2, .namespaces = two_namespaces });
    bring_all(&h, 0, "x/a@1 x/b@2", "5");
    bring_all(&h, 1, "y/a@1 y/b@2", "6");
    ASSERT_STR_EQ(process(&h), "add x/a 1 initial; add x/b 2 initial; "
                               "add y/a 1 initial; add y/b 2 initial");

    bring_all(&h, 1, "y/b@2", "7");
    ASSERT_STR_EQ(process(&h), "delete y/a 1 tombstone; update y/b 2 2 itself");
    ASSERT_STR_EQ(state_of(&h, 2), "x/a@1 x/b@2 y/b@2 | 5 7");

    ASSERT_OK(kin__controller_resync(h.controller, 1, &err));
    ASSERT_STR_EQ(process(&h), "update y/b 2 2 itself resync");
    close_house(&h);
}

TEST(controller, needs_a_namespace_for_each_of_several_sources)
{
    kin_store *store;
    kin__controller *controller;
    kin_error err;
    ASSERT_OK(kin__store_new(NULL, &store, &err));

    ASSERT_ERR(
        kin__controller_new(store, &(kin__controller_options){ .sources = 2 }, &controller, &err),
        KIN_ERR_USAGE);

    ASSERT_MESSAGE(&err, "make a controller: 2 sources need a namespace each");
    kin__store_free(store);
}

static kin_err key_of_good_ones(void *context, const kin_object *object, kin__buf *out,
                                kin_error *err)
{
    (void) context;
    if (kin__str_equal(kin_object_name(object), STR("bad"))) {
        return kin__error_set(err, KIN_ERR_INVALID, "no such key");
    }
    (void) kin__buf_append_str(out, kin_object_key(object));
    return KIN_OK;
}

TEST(controller, goes_on_without_what_the_store_refuses)
{
    house h = { 0 };
    kin_error err;
    kin__store_options store = { .key = key_of_good_ones };
    kin__controller_options options = house_options(&h, (kin__controller_options){ 0 });
    ASSERT_OK(kin__store_new(&store, &h.store, &err));
    ASSERT_OK(kin__controller_new(h.store, &options, &h.controller, &err));

    bring_all(&h, 0, "a@1 bad@2 b@3", "5");
    bring(&h, "~bad@6 -bad@7");

    ASSERT_STR_EQ(process(&h), "add a 1 initial; add b 3 initial");
    ASSERT_STR_EQ(h.refused.chars, "put \"bad\" into a store: no such key; "
                                   "put \"bad\" into a store: no such key");
    ASSERT_STR_EQ(state(&h), "a@1 b@3 | 7");
    ASSERT_TRUE(kin__controller_has_synced(h.controller));
    close_house(&h);
}

/* ---- what cannot be done yet ------------------------------------------------------------------
 */

TEST(controller, shows_nothing_and_takes_nothing_until_all_is_staged)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");
    (void) process(&h);
    bring(&h, "~a@6 -b@7");

    h.is_full = true;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);
    kin__reflector_sink sink = kin__controller_sink(h.controller, 0);
    ASSERT_ERR(sink.bookmark(sink.context, STR("8"), &err), KIN_ERR_LIMIT);
    ASSERT_STR_EQ(state(&h), "a@1 b@2 | 5");
    ASSERT_TRUE(kin__controller_is_pending(h.controller));
    h.is_full = false;
    bring(&h, "=9");

    ASSERT_STR_EQ(state(&h), "a@6 | 7");
    ASSERT_EQ(h.commits, 1);
    ASSERT_STR_EQ(process(&h), "update a 1 6; delete b 7");
    ASSERT_STR_EQ(state(&h), "a@6 | 9");
    close_house(&h);
}

TEST(controller, has_something_to_do_while_what_it_published_is_not_told)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1", "5");
    (void) process(&h);
    bring(&h, "~a@");
    h.is_full = true;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);

    h.is_full = false;
    bring(&h, "-unknown@");

    ASSERT_STR_EQ(state(&h), "a@ | 5");
    ASSERT_TRUE(kin__controller_is_pending(h.controller));
    ASSERT_STR_EQ(process(&h), "update a 1 ");
    close_house(&h);
}

TEST(controller, can_be_freed_in_the_middle_of_a_batch)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");

    h.is_full = true;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);

    close_house(&h);
}

TEST(controller, begins_anew_when_an_index_was_added_to_a_batch_that_was_half_done)
{
    house h;
    kin_error err;
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "version";
    index.path = "metadata.resourceVersion";
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2 c@3 d@4", "5");
    (void) process(&h);
    bring(&h, "~a@6 -b@7 +e@8 ~c@9");

    h.left = 2;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);
    ASSERT_EQ(h.count, 2);
    ASSERT_OK(kin_store_add_index(h.store, &index, &err));
    ASSERT_STR_EQ(state(&h), "a@1 b@2 c@3 d@4 | 5");
    h.left = 3;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);
    ASSERT_EQ(h.count, 3);
    h.left = 0;

    ASSERT_STR_EQ(process(&h), "update a 1 6; delete b 7; add e 8; update c 3 9");
    ASSERT_STR_EQ(state(&h), "a@6 c@9 d@4 e@8 | 9");
    kin_view view = kin_store_read(h.store);
    ASSERT_EQ(kin_view_index_count(&view, "version", STR("9")), 1);
    ASSERT_EQ(kin_view_index_count(&view, "version", STR("3")), 0);
    kin_store_done(&view);
    close_house(&h);
}

static kin_err prepare_or_not(void *context, kin_error *err)
{
    house *h = context;

    if (h->is_full) {
        return kin__error_set(err, KIN_ERR_LIMIT, "not yet");
    }
    text_append(&h->refused, "prepared %zu", h->count);
    return KIN_OK;
}

TEST(controller, publishes_nothing_before_all_is_prepared)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ .prepare = prepare_or_not });
    bring_all(&h, 0, "", "5");

    h.is_full = true;
    ASSERT_ERR(kin__controller_process(h.controller, &err), KIN_ERR_LIMIT);
    ASSERT_STR_EQ(state(&h), "| ");
    h.is_full = false;

    ASSERT_STR_EQ(process(&h), "");
    ASSERT_STR_EQ(h.refused.chars, "prepared 0");
    ASSERT_STR_EQ(state(&h), "| 5");
    close_house(&h);
}

/* A step that is to be repeated when there was no memory. */
static kin_err bring_or_fail(house *h, char type, const char *name, const char *version,
                             const char *uid, kin_error *err)
{
    kin__reflector_sink sink = kin__controller_sink(h->controller, 0);
    kin_object *object = NULL;

    kin_err code = make_thing_or_fail("", name, version, uid, &object, err);
    if (code == KIN_OK) {
        code = type == '+'   ? sink.add(sink.context, object, err)
               : type == '*' ? sink.replace(sink.context, &object, 1, kin_str_of(version), err)
                             : sink.remove(sink.context, object, err);
        kin_object_unref(object);
    }
    return code;
}

static kin_err process_or_fail(house *h, const char *before, bool *is_through, kin_error *err)
{
    kin_err code = kin__controller_process(h->controller, err);

    if (code != KIN_OK) {
        ASSERT_STR_EQ(state(h), before);
        ASSERT_EQ(h->told.len, 0);
        *is_through = kin__controller_process(h->controller, err) == KIN_OK;
    }
    return code;
}

/* Adds a to f; then replaces them by "a" with another uid; what failed once is tried again. */
static kin_err fill_and_replace(house *h, kin_error *err)
{
    bool is_through = true;
    kin_err code = KIN_OK;

    for (const char *name = "a\0b\0c\0d\0e\0f\0"; *name != '\0' && code == KIN_OK; name += 2) {
        code = bring_or_fail(h, '+', name, "1", "x", err);
    }
    if (code != KIN_OK) {
        return code;
    }
    code = process_or_fail(h, "| ", &is_through, err);
    if (is_through) {
        ASSERT_STR_EQ(h->told.chars, "add a 1; add b 1; add c 1; add d 1; add e 1; add f 1");
        ASSERT_STR_EQ(state(h), "a@1 b@1 c@1 d@1 e@1 f@1 | 1");
    }
    text_clear(&h->told);
    kin_err step = is_through ? bring_or_fail(h, '*', "a", "2", "y", err) : KIN_ERR_NO_MEMORY;
    if (step != KIN_OK) {
        return step;
    }
    step = process_or_fail(h, "a@1 b@1 c@1 d@1 e@1 f@1 | 1", &is_through, err);
    if (is_through) {
        ASSERT_CONTAINS(h->told.chars, "delete a 1 tombstone; add a 2");
        ASSERT_EQ(h->told.len, strlen("delete a 1 tombstone; ") * 6 + strlen("add a 2"));
        ASSERT_STR_EQ(state(h), "a@2 | 2");
    }
    return code != KIN_OK ? code : step;
}

TEST_FAILING_ALLOC(controller, loses_nothing_for_lack_of_memory)
{
    static house h;
    kin_error err;
    kin__slab_set_apart(true);
    h = (house){ 0 };
    kin__controller_options options = house_options(&h, (kin__controller_options){ 0 });

    kin_err code = kin__store_new(NULL, &h.store, &err);
    if (code == KIN_OK) {
        code = kin__controller_new(h.store, &options, &h.controller, &err);
    }
    if (code == KIN_OK) {
        code = fill_and_replace(&h, &err);
    }
    close_house(&h);
    return code;
}

/* ---- read your writes -------------------------------------------------------------------------
 */

TEST(controller, says_who_waited_for_what_a_batch_brought)
{
    house h;
    kin_error err;
    bool is_over;
    kin__version_wait six = { .key = STR("a"), .resource_version = STR("6") };
    kin__version_wait nine = { .key = STR("b"), .resource_version = STR("9") };
    kin__version_wait five = { .key = STR("a"), .resource_version = STR("5") };
    open_house(&h, (kin__controller_options){ 0 });
    ASSERT_OK(kin__controller_wait(h.controller, &nine, &is_over, &err));
    ASSERT_FALSE(is_over);
    bring_all(&h, 0, "a@1", "5");
    (void) process(&h);
    ASSERT_OK(kin__controller_wait(h.controller, &five, &is_over, &err));
    ASSERT_TRUE(is_over);
    ASSERT_OK(kin__controller_wait(h.controller, &six, &is_over, &err));
    ASSERT_FALSE(is_over);

    bring(&h, "~a@7");
    ASSERT_TRUE(kin__controller_take_wait(h.controller) == NULL);
    (void) process(&h);
    ASSERT_TRUE(kin__controller_take_wait(h.controller) == &six);
    ASSERT_TRUE(kin__controller_take_wait(h.controller) == NULL);

    bring(&h, "=10");
    (void) process(&h);
    ASSERT_TRUE(kin__controller_take_wait(h.controller) == &nine);
    close_house(&h);
}

TEST(controller, waits_for_the_source_that_has_the_namespace)
{
    house h;
    kin_error err;
    bool is_over;
    kin__version_wait wait = { .key = STR("y/a"), .resource_version = STR("6") };
    kin__version_wait stray = { .key = STR("z/a"), .resource_version = STR("6") };
    open_house(&h, (kin__controller_options){ .sources = 2, .namespaces = two_namespaces });
    ASSERT_OK(kin__controller_wait(h.controller, &wait, &is_over, &err));
    ASSERT_ERR(kin__controller_wait(h.controller, &stray, &is_over, &err), KIN_ERR_NOT_FOUND);
    ASSERT_MESSAGE(&err, "wait for \"z/a\": no source has the namespace \"z\"");

    bring_all(&h, 0, "", "8");
    (void) process(&h);
    ASSERT_TRUE(kin__controller_take_wait(h.controller) == NULL);
    bring_all(&h, 1, "", "7");
    (void) process(&h);

    ASSERT_TRUE(kin__controller_take_wait(h.controller) == &wait);
    close_house(&h);
}
