/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graveyard_test.c - what was deleted stays for its time.
 */
#include "cache/graveyard.h"

#include "base/error.h"
#include "base/slab.h"
#include "unit/cache/store_support.h"

#define WALL_S 1763290000

typedef struct yard {
    kin__virtual_clock clock;
    kin__graveyard *graveyard;
    kin_error err;
} yard;

static yard y;

static void open_yard(kin__graveyard_options options)
{
    y = (yard){ 0 };
    kin__virtual_clock_init(&y.clock, 1000, (kin_time){ WALL_S, 0 });
    options.clock = &y.clock.clock;
    options.keep_ms = options.keep_ms == 0 ? 60000 : options.keep_ms;
    ASSERT_OK(kin__graveyard_new(&options, &y.graveyard, &y.err));
}

static void close_yard(void)
{
    kin__graveyard_free(y.graveyard);
}

static int64_t now(void)
{
    return kin__clock_now_ms(&y.clock.clock);
}

/* "web-0#2@7" in the namespace "shop": of name, uid and version. */
static kin_err object_of(const char *words, kin_object **out, kin_error *err)
{
    const char *mark = strchr(words, '#');
    const char *at = strchr(words, '@');
    char json[512];
    int len = snprintf(json, sizeof json,
                       "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"%.*s\",\"uid\":\"%.*s\","
                       "\"resourceVersion\":\"%s\"},\"spec\":{\"nodeName\":\"node-%.*s\"}}",
                       (int) (mark - words), words, (int) (at - mark - 1), mark + 1, at + 1,
                       (int) (at - mark - 1), mark + 1);

    return kin_object_from_json(json, (size_t) len, NULL, out, err);
}

static kin_err stage_deleted(const char *words)
{
    kin_object *object;
    kin_err code = object_of(words, &object, &y.err);

    if (code != KIN_OK) {
        return code;
    }
    kin_notification gone = { .type = KIN_NOTIFICATION_DELETED, .object = object };
    gone.key = kin_object_key(object);
    gone.before = object;
    code = kin__graveyard_stage(y.graveyard, &gone, &y.err);
    kin_object_unref(object);
    return code;
}

static void stage_updated(const char *before, const char *after)
{
    kin_object *old;
    kin_object *new_;
    ASSERT_OK(object_of(before, &old, &y.err));
    ASSERT_OK(object_of(after, &new_, &y.err));
    kin_notification changed = { .type = KIN_NOTIFICATION_UPDATED, .object = new_, .before = old };

    ASSERT_OK(kin__graveyard_stage(y.graveyard, &changed, &y.err));
    kin_object_unref(old);
    kin_object_unref(new_);
}

static void bury(const char *words)
{
    ASSERT_OK(stage_deleted(words));
    ASSERT_OK(kin__graveyard_bury(y.graveyard, now(), &y.err));
}

static void pass(int64_t ms)
{
    kin__virtual_clock_advance(&y.clock, ms);
    ASSERT_OK(kin__graveyard_expire(y.graveyard, now(), &y.err));
}

/* All that are there, as "web-0#2@7", by their uids; at most 16. */
static const char *dead(void)
{
    static text all;
    const kin_object *found[16];
    size_t count = 0;
    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    kin_view_iter iter = kin_view_all(&view);

    text_clear(&all);
    while (kin_view_next(&iter)) {
        ASSERT_TRUE(count < 16);
        size_t at = count++;
        kin_str uid = kin_object_uid(iter.object);
        for (; at > 0 && kin__str_compare(kin_object_uid(found[at - 1]), uid) > 0; at--) {
            found[at] = found[at - 1];
        }
        found[at] = iter.object;
    }
    for (size_t i = 0; i < count; i++) {
        const kin_object *object = found[i];
        text_append(&all, "%s%.*s#%.*s@%.*s", i == 0 ? "" : " ",
                    KIN_STR_ARG(kin_object_name(object)), KIN_STR_ARG(kin_object_uid(object)),
                    KIN_STR_ARG(kin_object_resource_version(object)));
    }
    kin_store_done(&view);
    return all.chars;
}

TEST(graveyard, keeps_what_was_deleted_for_its_time)
{
    open_yard((kin__graveyard_options){ .keep_ms = 1600 });
    ASSERT_TRUE(kin__graveyard_due_ms(y.graveyard) == INT64_MAX);
    bury("web-0#1@7");
    ASSERT_EQ(kin__graveyard_due_ms(y.graveyard), 1000 + 1600 + 100);

    pass(1699);
    ASSERT_STR_EQ(dead(), "web-0#1@7");
    pass(1);

    ASSERT_STR_EQ(dead(), "");
    ASSERT_TRUE(kin__graveyard_due_ms(y.graveyard) == INT64_MAX);
    close_yard();
}

TEST(graveyard, keeps_nothing_for_less_than_its_time)
{
    open_yard((kin__graveyard_options){ .keep_ms = 1600 });
    bury("web-0#1@7");
    kin__virtual_clock_advance(&y.clock, 101);
    bury("web-1#2@8");

    pass(1599);

    ASSERT_STR_EQ(dead(), "web-1#2@8");
    close_yard();
}

TEST(graveyard, says_what_had_a_key_and_since_when_it_is_gone)
{
    open_yard((kin__graveyard_options){ 0 });
    bury("web-0#1@7");
    kin__virtual_clock_advance(&y.clock, 2500);
    bury("web-0#2@9");
    bury("web-1#3@10");

    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    kin_deleted last = kin_deleted_get(&view, kin_str_of("shop/web-0"));

    ASSERT_SLICE_EQ(kin_object_uid(last.object), "2");
    ASSERT_SLICE_EQ(last.key, "shop/web-0");
    ASSERT_EQ(last.at.seconds, WALL_S + 2);
    ASSERT_EQ(last.at.nanoseconds, 500000000);
    ASSERT_TRUE(kin_deleted_get(&view, kin_str_of("shop/web-2")).object == NULL);
    ASSERT_EQ(kin_view_index_count(&view, KIN_DELETED_BY_KEY, kin_str_of("shop/web-0")), 2);
    kin_store_done(&view);
    close_yard();
}

TEST(graveyard, knows_the_last_one_also_within_one_moment)
{
    open_yard((kin__graveyard_options){ 0 });
    for (int i = 10; i < 40; i++) {
        char words[32];
        (void) snprintf(words, sizeof words, "web-0#%d@%d", i, i);
        ASSERT_OK(stage_deleted(words));
    }
    ASSERT_OK(kin__graveyard_bury(y.graveyard, now(), &y.err));

    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    ASSERT_SLICE_EQ(kin_object_uid(kin_deleted_get(&view, kin_str_of("shop/web-0")).object), "39");
    kin_store_done(&view);
    close_yard();
}

TEST(graveyard, has_indexes_as_any_store)
{
    open_yard((kin__graveyard_options){ 0 });
    add_path_index(kin__graveyard_store(y.graveyard), "node", "spec.nodeName");
    bury("web-0#1@7");

    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    kin_view_iter iter = kin_view_by_index(&view, "node", kin_str_of("node-1"));
    ASSERT_TRUE(kin_view_next(&iter));
    kin_deleted it = kin_deleted_of(&iter);

    ASSERT_TRUE(it.object == iter.object);
    ASSERT_SLICE_EQ(it.key, "shop/web-0");
    ASSERT_EQ(it.at.seconds, WALL_S);
    kin_store_done(&view);
    close_yard();
}

TEST(graveyard, says_nothing_of_another_store_s_objects)
{
    static const char *const keys[] = { "web-0",
                                        "\n\n1 2",
                                        "\n\n 1 2 3",
                                        "x\n1 2 3",
                                        "a long key\n1 2 3",
                                        "\n\n1 2 3x",
                                        "\n\n1 2 9999999999999999999",
                                        "\n\n1 2 -",
                                        "" };
    kin_object *object = make_pod((pod){ .ns = "shop", .name = "x" });

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        kin_view_iter iter = { .object = object, .key = kin_str_of(keys[i]) };
        ASSERT_TRUE(kin_deleted_of(&iter).object == NULL);
    }
    ASSERT_TRUE(kin_deleted_of(&(kin_view_iter){ 0 }).object == NULL);
    kin_object_unref(object);
}

TEST(graveyard, buries_what_was_made_again_unseen)
{
    open_yard((kin__graveyard_options){ 0 });
    stage_updated("web-0#1@7", "web-0#2@8");
    stage_updated("web-1#3@7", "web-1#3@8");

    ASSERT_OK(kin__graveyard_bury(y.graveyard, now(), &y.err));

    ASSERT_STR_EQ(dead(), "web-0#1@7");
    close_yard();
}

TEST(graveyard, has_one_that_was_gone_twice_once)
{
    open_yard((kin__graveyard_options){ 0 });
    bury("web-0#1@7");
    kin__virtual_clock_advance(&y.clock, 30000);
    bury("web-0#1@9");
    ASSERT_STR_EQ(dead(), "web-0#1@9");

    pass(40000);
    ASSERT_STR_EQ(dead(), "web-0#1@9");
    pass(30000);

    ASSERT_STR_EQ(dead(), "");
    close_yard();
}

TEST(graveyard, keeps_no_more_than_it_may)
{
    open_yard((kin__graveyard_options){ .most = 2 });
    bury("a#1@1");
    bury("b#2@2");
    bury("c#3@3");
    ASSERT_STR_EQ(dead(), "b#2@2 c#3@3");

    ASSERT_OK(stage_deleted("d#4@4"));
    ASSERT_OK(stage_deleted("e#5@5"));
    ASSERT_OK(stage_deleted("f#6@6"));
    ASSERT_OK(kin__graveyard_bury(y.graveyard, now(), &y.err));

    ASSERT_STR_EQ(dead(), "e#5@5 f#6@6");
    pass(70000);
    ASSERT_STR_EQ(dead(), "");
    close_yard();
}

TEST(graveyard, forgets_what_is_taken_back)
{
    open_yard((kin__graveyard_options){ 0 });
    ASSERT_OK(stage_deleted("a#1@1"));
    stage_updated("b#2@1", "b#2@2");
    ASSERT_OK(stage_deleted("c#3@3"));
    stage_updated("d#4@1", "d#4@2");

    kin__graveyard_unstage(y.graveyard);
    kin__graveyard_unstage(y.graveyard);
    kin__graveyard_unstage(y.graveyard);
    ASSERT_OK(kin__graveyard_bury(y.graveyard, now(), &y.err));

    ASSERT_STR_EQ(dead(), "a#1@1");
    close_yard();
}

static kin_err key_of_program(void *context, const kin_object *object, kin__buf *out,
                              kin_error *err)
{
    (void) context;
    if (kin__str_equal(kin_object_name(object), STR("bad"))) {
        return kin__error_set(err, KIN_ERR_INVALID, "no such key");
    }
    (void) kin__buf_append_str(out, STR("uid:"));
    (void) kin__buf_append_str(out, kin_object_uid(object));
    return KIN_OK;
}

TEST(graveyard, finds_by_keys_of_the_program)
{
    open_yard((kin__graveyard_options){ .key = key_of_program });
    bury("web-0#17@7");
    bury("bad#18@7");

    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    kin_deleted it = kin_deleted_get(&view, kin_str_of("uid:17"));
    ASSERT_SLICE_EQ(kin_object_name(it.object), "web-0");
    ASSERT_SLICE_EQ(it.key, "uid:17");
    ASSERT_EQ(kin_view_count(&view), 1);
    kin_store_done(&view);
    pass(70000);
    ASSERT_STR_EQ(dead(), "");
    close_yard();
}

TEST(graveyard, may_be_none)
{
    kin_error err;

    ASSERT_TRUE(kin__graveyard_store(NULL) == NULL);
    ASSERT_OK(kin__graveyard_stage(NULL, &(kin_notification){ 0 }, &err));
    kin__graveyard_unstage(NULL);
    ASSERT_OK(kin__graveyard_bury(NULL, 0, &err));
    ASSERT_OK(kin__graveyard_expire(NULL, 0, &err));
    ASSERT_TRUE(kin__graveyard_due_ms(NULL) == INT64_MAX);
}

/* Both are there or none is; a second attempt works as soon as there is memory. */
static kin_err bury_both(kin_error *err)
{
    kin_err first = kin__graveyard_bury(y.graveyard, now(), err);

    if (first != KIN_OK) {
        ASSERT_STR_EQ(dead(), "");
        if (kin__graveyard_bury(y.graveyard, now(), err) != KIN_OK) {
            ASSERT_STR_EQ(dead(), "");
            return first;
        }
    }
    kin_view view = kin_store_read(kin__graveyard_store(y.graveyard));
    ASSERT_TRUE(kin_deleted_get(&view, kin_str_of("uid:2")).object != NULL);
    kin_store_done(&view);
    ASSERT_STR_EQ(dead(), "web-0#1@1 web-1#2@2");
    return first;
}

static kin_err expire_both(kin_error *err)
{
    kin__virtual_clock_advance(&y.clock, 70000);
    kin_err first = kin__graveyard_expire(y.graveyard, now(), err);

    if (first == KIN_OK || kin__graveyard_expire(y.graveyard, now(), err) == KIN_OK) {
        ASSERT_STR_EQ(dead(), "");
    } else {
        ASSERT_STR_EQ(dead(), "web-0#1@1 web-1#2@2");
    }
    return first;
}

static kin_err live_and_die(kin_error *err)
{
    kin_err code = stage_deleted("web-0#1@1");

    if (code == KIN_OK) {
        code = stage_deleted("web-1#2@2");
    }
    if (code == KIN_OK) {
        code = bury_both(err);
    }
    return code == KIN_OK ? expire_both(err) : code;
}

TEST_FAILING_ALLOC(graveyard, loses_nothing_for_lack_of_memory)
{
    kin__slab_set_apart(true);
    kin__graveyard_options options = { .keep_ms = 60000, .key = key_of_program };
    kin_error err;

    y = (yard){ 0 };
    kin__virtual_clock_init(&y.clock, 1000, (kin_time){ WALL_S, 0 });
    options.clock = &y.clock.clock;
    kin_err code = kin__graveyard_new(&options, &y.graveyard, &err);
    if (code == KIN_OK) {
        code = live_and_die(&err);
        kin__graveyard_free(y.graveyard);
    }
    return code;
}
