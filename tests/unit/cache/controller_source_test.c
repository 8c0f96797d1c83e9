/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_source_test.c - what a source brings, before it is processed.
 */
#include "base/error.h"
#include "cache/controller_state.h"
#include "unit/cache/controller_support.h"

/* The object that the store has; borrowed while nothing happens. */
static const kin_object *stored(const house *h, const char *key)
{
    kin_view view = kin_store_read(h->store);
    const kin_object *object = kin_view_get(&view, kin_str_of(key));
    kin_store_done(&view);
    return object;
}

TEST(controller_source, keeps_the_object_of_the_store_when_a_list_has_the_same_version)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1 b@2", "5");
    (void) process(&h);
    const kin_object *a = stored(&h, "a");

    bring_all(&h, 0, "a@1 b@2#new", "6");

    ASSERT_STR_EQ(process(&h), "update a 1 1 itself; delete b 2 tombstone; add b 2");
    ASSERT_TRUE(stored(&h, "a") == a);
    close_house(&h);
}

TEST(controller_source, keeps_the_object_that_waits_when_a_list_has_the_same_version)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1", "5");
    (void) process(&h);

    bring(&h, "~a@6");
    bring_all(&h, 0, "a@6", "6");

    ASSERT_STR_EQ(process(&h), "update a 1 6; update a 6 6 itself");
    close_house(&h);
}

TEST(controller_source, takes_no_version_and_version_0_for_no_sameness)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@0 b@", "5");
    (void) process(&h);

    bring_all(&h, 0, "a@0 b@", "6");

    ASSERT_STR_EQ(process(&h), "update a 0 0; update b  ");
    ASSERT_STR_EQ(state(&h), "a@0 b@ | 6");
    close_house(&h);
}

TEST(controller_source, stays_where_it_was_when_an_object_has_no_version)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "a@1", "5");

    bring(&h, "+b@");
    (void) process(&h);

    ASSERT_STR_EQ(state(&h), "a@1 b@ | 5");
    close_house(&h);
}

TEST(controller_source, refuses_objects_of_other_namespaces)
{
    static const kin_str namespaces[] = { { "x", 1 }, { "y", 1 } };
    house h;
    open_house(&h, (kin__controller_options){ .sources = 2, .namespaces = namespaces });
    bring_all(&h, 0, "x/a@1", "5");
    bring_all(&h, 1, "y/a@1 x/b@2 x/a@3", "6");
    (void) process(&h);

    bring_to(&h, 1, "~x/a@7 -x/a@8 +x/c@9");

    ASSERT_STR_EQ(process(&h), "");
    ASSERT_STR_EQ(state_of(&h, 2), "x/a@1 y/a@1 | 5 9");
    ASSERT_CONTAINS(h.refused.chars, "take \"x/b\": it comes from the source of namespace \"y\"");
    close_house(&h);
}

/* ---- keys and transforms ----------------------------------------------------------------------
 */

static kin_err key_by_uid(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    (void) context;
    if (kin__str_equal(kin_object_uid(object), STR("none"))) {
        return kin__error_set(err, KIN_ERR_INVALID, "no uid");
    }
    (void) kin__buf_append_str(out, kin_object_uid(object));
    return KIN_OK;
}

TEST(controller_source, takes_the_keys_that_a_function_makes_and_refuses_what_has_none)
{
    house h = { 0 };
    kin_error err;
    kin__store_options store = { .key = key_by_uid };
    kin__controller_options options =
        house_options(&h, (kin__controller_options){ .key = key_by_uid });
    ASSERT_OK(kin__store_new(&store, &h.store, &err));
    ASSERT_OK(kin__controller_new(h.store, &options, &h.controller, &err));

    bring_all(&h, 0, "a@1#u b@2#none c@3#w", "5");
    ASSERT_STR_EQ(process(&h), "add u 1 initial; add w 3 initial");
    ASSERT_STR_EQ(h.refused.chars, "no uid");
    bring_all(&h, 0, "d@6#w", "7");
    ASSERT_STR_EQ(process(&h), "delete u 1 tombstone; update w 3 6");
    bring(&h, "-d@8#w +e@9#none");
    ASSERT_STR_EQ(process(&h), "delete w 8");
    close_house(&h);
}

static size_t transforms;

/* Leaves nothing of "bad", gives "stray" another key, and counts. */
static kin_err transform(void *context, const kin_object *object, kin_object **out, kin_error *err)
{
    char name[32];
    char version[32];
    (void) context;

    transforms++;
    if (kin__str_equal(kin_object_name(object), STR("bad"))) {
        return kin__error_set(err, KIN_ERR_TYPE, "not this one");
    }
    bool strays = kin__str_equal(kin_object_name(object), STR("stray"));
    (void) snprintf(name, sizeof name, "%s", strays ? "home" : "");
    if (!strays) {
        (void) snprintf(name, sizeof name, "%.*s", KIN_STR_ARG(kin_object_name(object)));
    }
    (void) snprintf(version, sizeof version, "%.*s",
                    KIN_STR_ARG(kin_object_resource_version(object)));
    return make_thing_or_fail("", name, version, "1", out, err);
}

TEST(controller_source, transforms_each_object_once)
{
    house h;
    kin_error err;
    open_house(&h, (kin__controller_options){ .transform = transform });
    transforms = 0;

    bring_all(&h, 0, "a@1 b@2", "5");
    ASSERT_EQ(transforms, 2);
    ASSERT_STR_EQ(process(&h), "add a 1 initial; add b 2 initial");
    bring_all(&h, 0, "a@1 b@6", "7");
    ASSERT_EQ(transforms, 3);
    ASSERT_STR_EQ(process(&h), "update a 1 1 itself; update b 2 6");
    ASSERT_OK(kin__controller_resync(h.controller, 0, &err));
    bring(&h, "-a@8");
    ASSERT_EQ(transforms, 4);
    bring_all(&h, 0, "", "9");
    ASSERT_EQ(transforms, 4);
    close_house(&h);
}

TEST(controller_source, leaves_as_it_was_what_cannot_be_transformed)
{
    house h;
    open_house(&h, (kin__controller_options){ 0 });
    bring_all(&h, 0, "bad@1 good@2 gone@3", "5");
    (void) process(&h);
    ((kin__controller_source *) kin__controller_sink(h.controller, 0).context)
        ->controller->options.transform = transform;

    bring(&h, "~bad@6 ~good@7");
    ASSERT_STR_EQ(process(&h), "update good 2 7");
    bring_all(&h, 0, "bad@8 good@9 stray@10", "11");
    ASSERT_STR_EQ(process(&h),
                  "delete gone 3 tombstone; update bad 1 1 itself resync; update good 7 9");
    bring(&h, "-bad@12");
    ASSERT_STR_EQ(process(&h), "delete bad 1 tombstone");
    ASSERT_STR_EQ(h.refused.chars,
                  "transform \"bad\": not this one; transform \"bad\": not this one; "
                  "transform \"stray\": its key has changed; transform \"bad\": not this one");
    ASSERT_STR_EQ(state(&h), "good@9 | 12");
    close_house(&h);
}

static kin_err transform_without_memory(void *context, const kin_object *object, kin_object **out,
                                        kin_error *err)
{
    (void) context;
    (void) object;
    (void) out;
    return kin__error_no_memory(err);
}

TEST(controller_source, refuses_what_there_is_no_memory_to_transform)
{
    house h;
    kin_error err;
    things all = make_things("a@1 b@2");
    open_house(&h, (kin__controller_options){ .transform = transform_without_memory });
    kin__reflector_sink sink = kin__controller_sink(h.controller, 0);

    ASSERT_ERR(sink.replace(sink.context, all.objects, all.count, STR("5"), &err),
               KIN_ERR_NO_MEMORY);
    ASSERT_ERR(sink.add(sink.context, all.objects[0], &err), KIN_ERR_NO_MEMORY);

    ASSERT_FALSE(kin__controller_is_pending(h.controller));
    ASSERT_EQ(h.refused.len, 0);
    drop_things(&all);
    close_house(&h);
}

/* ---- the bound --------------------------------------------------------------------------------
 */

TEST(controller_source, merges_past_its_bound_by_what_the_store_has)
{
    house h;
    open_house(&h, (kin__controller_options){ .bound = 2 });
    bring_all(&h, 0, "a@1 b@2 c@3", "5");
    (void) process(&h);

    bring(&h, "~a@6 ~b@7 ~a@8 -b@9 +d@10 ~d@11 -c@12 +c@13 ~c@14 +e@15 -e@16");
    ASSERT_EQ(kin__controller_deltas(h.controller), 5);

    ASSERT_STR_EQ(process(&h), "update a 1 8; delete b 9; add d 11; delete c 12; add c 14");
    ASSERT_STR_EQ(state(&h), "a@8 c@14 d@11 | 16");
    close_house(&h);
}

/* ---- trouble ----------------------------------------------------------------------------------
 */

static size_t troubled;

static void note_trouble(void *context, size_t source, const kin__reflector_trouble *trouble)
{
    (void) context;
    (void) trouble;
    troubled = source + 1;
}

TEST(controller_source, hands_on_what_its_reflector_has_to_say)
{
    static const kin_str namespaces[] = { { "x", 1 }, { "y", 1 } };
    house h;
    kin__reflector_trouble trouble = { 0 };
    open_house(&h, (kin__controller_options){
                       .sources = 2, .namespaces = namespaces, .trouble = note_trouble });
    kin__reflector_sink sink = kin__controller_sink(h.controller, 1);

    sink.trouble(sink.context, &trouble);

    ASSERT_EQ(troubled, 2);
    close_house(&h);
}
