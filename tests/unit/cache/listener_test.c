/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_test.c - bounds, filters and options of a handler.
 */
#include "cache/listener.h"

#include "processor_support.h"

static kin_registration *add_bounded(world *w, diary *d, kin_delivery mode, size_t bound,
                                     kin_backlog_policy policy)
{
    kin_registration_options options = diary_options(d, mode);
    options.bound = bound;
    options.policy = policy;
    return add(w, &options);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

TEST(listener, merges_past_its_bound_from_what_was_last_told)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 2, KIN_BACKLOG_COALESCE);

    change_pod(&w, 0, 1);
    ASSERT_OK(kin_registration_dispatch(r, 1, NULL, &err));
    change_pod(&w, 0, 2);
    change_pod(&w, 1, 3);
    for (size_t version = 4; version < 100; version++) {
        change_pod(&w, version % 2, version);
    }

    ASSERT_EQ(status_of(r).pending, 2);
    ASSERT_EQ(status_of(r).merged, 96);
    dispatch_all(r);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 U0@1>98 A1@99");
    ASSERT_EQ(status_of(r).told, 3);
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, has_a_bound_of_1024_where_none_is_said)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 0, KIN_BACKLOG_COALESCE);

    for (size_t version = 1; version <= 1024; version++) {
        change_pod(&w, 0, version);
    }
    ASSERT_EQ(status_of(r).pending, 1024);
    ASSERT_EQ(status_of(r).merged, 0);
    change_pod(&w, 0, 1025);

    ASSERT_EQ(status_of(r).pending, 1024);
    ASSERT_EQ(status_of(r).merged, 1);
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, counts_what_it_told_and_nothing_else)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    change_pod(&w, 0, 1);
    kin__processor_set_synced(w.processor);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 1, KIN_BACKLOG_COALESCE);
    change_pod(&w, 0, 2);
    change_pod(&w, 0, 3);
    ASSERT_EQ(status_of(r).pending, 2); /* the first state, and what became of it */
    ASSERT_EQ(status_of(r).merged, 1);
    ASSERT_EQ(status_of(r).told, 0);

    ASSERT_OK(kin_registration_dispatch(r, 0, NULL, NULL));

    ASSERT_STR_EQ(diary_read(&d), "A0@1i S U0@1>3");
    ASSERT_EQ(status_of(r).told, 2); /* on_synced is no notification */
    ASSERT_EQ(status_of(r).pending, 0);
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, holds_no_more_than_there_is_when_a_handler_never_returns)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    diary_shut(&d, true);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_POOL, 10, KIN_BACKLOG_COALESCE);
    change_pod(&w, 0, 1);
    diary_await_inside(&d);

    for (size_t round = 0; round < 50; round++) {
        for (size_t i = 1; i < 20; i++) {
            change_pod(&w, i, 1);
            change_pod(&w, i, 2);
            delete_pod(&w, i, 3);
        }
        ASSERT_TRUE(status_of(r).pending <= 10 + 2 * 20);
    }
    kin_registration_remove(r);
    ASSERT_EQ(status_of(r).pending, 0);
    diary_shut(&d, false);
    ASSERT_OK(kin_registration_remove_and_wait(r, NULL));
    ASSERT_STR_EQ(diary_read(&d), "A0@1 X");
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, blocks_the_informer_at_its_bound_and_says_so)
{
    world w;
    diary d = DIARY;
    kin_error err;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 2, KIN_BACKLOG_BLOCK);

    change_pod(&w, 0, 1);
    ASSERT_FALSE(kin__processor_is_blocked(w.processor));
    change_pod(&w, 0, 2);
    ASSERT_TRUE(kin__processor_is_blocked(w.processor));
    ASSERT_TRUE(status_of(r).is_blocking);
    change_pod(&w, 0, 3); /* of the same batch, say */
    ASSERT_OK(kin_registration_dispatch(r, 1, NULL, &err));
    ASSERT_TRUE(kin__processor_is_blocked(w.processor));
    ASSERT_EQ(atomic_load(&w.wakes), 0);
    ASSERT_OK(kin_registration_dispatch(r, 1, NULL, &err));

    ASSERT_EQ(atomic_load(&w.wakes), 1);
    ASSERT_FALSE(kin__processor_is_blocked(w.processor));
    dispatch_all(r);
    ASSERT_STR_EQ(diary_read(&d), "A0@1 U0@1>2 U0@2>3");
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, blocks_nobody_once_it_is_removed)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 1, KIN_BACKLOG_BLOCK);
    change_pod(&w, 0, 1);
    ASSERT_TRUE(kin__processor_is_blocked(w.processor));

    kin_registration_remove(r);

    ASSERT_FALSE(kin__processor_is_blocked(w.processor));
    ASSERT_EQ(atomic_load(&w.wakes), 1);
    kin_registration_free(r);
    world_end(&w);
}

TEST(listener, ends_with_an_error_past_its_bound_when_it_is_to_fail)
{
    world w;
    diary d = DIARY;
    diary other = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 2, KIN_BACKLOG_FAIL);
    kin_registration *bystander = add_diary(&w, &other, KIN_DELIVERY_INLINE);

    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);
    ASSERT_EQ(status_of(r).state, KIN_REGISTRATION_ACTIVE);
    change_pod(&w, 0, 3);
    change_pod(&w, 0, 4);

    kin_registration_status status = status_of(r);
    ASSERT_EQ(status.state, KIN_REGISTRATION_FAILED);
    ASSERT_EQ(status.error.code, KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&status.error,
                   "tell handler \"diary\": 2 notifications are pending, and no more may be");
    ASSERT_EQ(dispatch_all(r), 1);
    ASSERT_STR_EQ(diary_read(&d), "E X");
    ASSERT_EQ(d.err.code, KIN_ERR_LIMIT);
    ASSERT_STR_EQ(diary_read(&other), "A0@1 U0@1>2 U0@2>3 U0@3>4");
    kin_registration_free(r);
    kin_registration_free(bystander);
    world_end(&w);
}

TEST(listener, may_be_removed_before_its_error_was_told)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration *r = add_bounded(&w, &d, KIN_DELIVERY_QUEUE, 1, KIN_BACKLOG_FAIL);
    change_pod(&w, 0, 1);
    change_pod(&w, 0, 2);

    ASSERT_OK(kin_registration_remove_and_wait(r, NULL));

    ASSERT_STR_EQ(diary_read(&d), "X");
    ASSERT_EQ(status_of(r).state, KIN_REGISTRATION_FAILED);
    kin_registration_free(r);
    world_end(&w);
}

/* ---- filters --------------------------------------------------------------------------------- */

static kin_object *labelled_pod(size_t version, const char *app)
{
    char labels[64];
    char version_text[16];
    (void) snprintf(labels, sizeof labels, "\"app\":\"%s\"", app);
    (void) snprintf(version_text, sizeof version_text, "%zu", version);
    return make_pod(
        (pod){ .ns = "shop", .name = "pod-0", .version = version_text, .labels = labels });
}

static bool is_web(void *context, const kin_object *object)
{
    kin_str app;
    (void) context;
    return kin_object_label(object, STR("app"), &app) && kin__str_equal(app, STR("web"));
}

/* Enters, stays, leaves, comes back, and goes for good with a last state that does not match. */
static const char *told_by_filter(kin_registration_options *options, world *w, diary *d)
{
    static const char *const apps[] = { "db", "web", "web", "db", "db", "web" };
    kin_registration *r = add(w, options);

    for (size_t i = 0; i < 6; i++) {
        open_batch(w);
        put_object(w, labelled_pod(i + 1, apps[i]), false);
        close_batch(w);
    }
    delete_pod(w, 0, 7);
    dispatch_all(r);
    kin_registration_free(r);
    return diary_read(d);
}

TEST(listener, sees_through_its_label_selector)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.label_selector = "app=web";

    ASSERT_STR_EQ(told_by_filter(&options, &w, &d), "A0@2 U0@2>3 D0@3>3 A0@6 D0@6>7 X");
    world_end(&w);
}

TEST(listener, sees_through_its_field_selector)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.field_selector = "metadata.labels.app=web";

    ASSERT_STR_EQ(told_by_filter(&options, &w, &d), "A0@2 U0@2>3 D0@3>3 A0@6 D0@6>7 X");
    world_end(&w);
}

TEST(listener, sees_through_its_filter)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.filter = is_web;

    ASSERT_STR_EQ(told_by_filter(&options, &w, &d), "A0@2 U0@2>3 D0@3>3 A0@6 D0@6>7 X");
    world_end(&w);
}

/* Merged first and filtered then: it is added once, and never known by its other states. */
TEST(listener, filters_what_was_merged)
{
    world w;
    diary d = DIARY;
    world_begin(&w, 0);
    kin_registration_options options = diary_options(&d, KIN_DELIVERY_QUEUE);
    options.filter = is_web;
    options.bound = 1;

    ASSERT_STR_EQ(told_by_filter(&options, &w, &d), "X");
    world_end(&w);
}

TEST(listener, filters_what_the_store_had_too)
{
    world w;
    diary d[3] = { DIARY, DIARY, DIARY };
    kin_registration *r[3];
    world_begin(&w, 0);
    first_list(&w, 2);
    open_batch(&w);
    put_object(&w, labelled_pod(5, "web"), false);
    close_batch(&w);

    for (size_t i = 0; i < 3; i++) {
        kin_registration_options options = diary_options(&d[i], KIN_DELIVERY_QUEUE);
        options.label_selector = i == 0 ? "app=web" : NULL;
        options.field_selector = i == 1 ? "metadata.labels.app=web" : NULL;
        options.filter = i == 2 ? is_web : NULL;
        r[i] = add(&w, &options);
        dispatch_all(r[i]);
        ASSERT_STR_EQ(diary_read(&d[i]), "A0@5i S");
        ASSERT_TRUE(kin_registration_has_synced(r[i]));
        kin_registration_free(r[i]);
    }
    world_end(&w);
}

/* ---- options --------------------------------------------------------------------------------- */

TEST(listener, refuses_options_that_make_no_sense)
{
    world w;
    kin_registration *r = NULL;
    world_begin(&w, 0);
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.size = 0;
    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &r, &w.err), KIN_ERR_USAGE);
    options.size = sizeof options;
    options.mode = (kin_delivery) 9;
    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &r, &w.err), KIN_ERR_USAGE);
    options.mode = KIN_DELIVERY_QUEUE;
    options.policy = (kin_backlog_policy) -1;
    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &r, &w.err), KIN_ERR_USAGE);
    options.policy = KIN_BACKLOG_COALESCE;
    options.label_selector = "a in (";
    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &r, &w.err), KIN_ERR_MALFORMED);
    options.label_selector = NULL;
    options.field_selector = "no operator";
    ASSERT_ERR(kin__processor_add(w.processor, &options, 0, &r, &w.err), KIN_ERR_MALFORMED);
    ASSERT_TRUE(r == NULL);

    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    options.field_selector = NULL;
    r = add(&w, &options);
    status.size = 0;
    ASSERT_ERR(kin_registration_get_status(r, &status, &w.err), KIN_ERR_USAGE);
    kin_registration_free(r);
    kin_registration_free(NULL);
    world_end(&w);
}

TEST(listener, has_a_name_in_any_case)
{
    world w;
    kin_error err;
    char name[] = "mine";
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    world_begin(&w, 0);
    kin_registration *nameless = add(&w, &options);
    options.name = name;
    kin_registration *named = add(&w, &options);
    name[0] = 'x'; /* it was copied */

    ASSERT_ERR(kin_registration_dispatch(nameless, 0, NULL, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "dispatch handler \"handler\": its mode is not KIN_DELIVERY_QUEUE");
    ASSERT_ERR(kin_registration_dispatch(named, 0, NULL, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "dispatch handler \"mine\": its mode is not KIN_DELIVERY_QUEUE");
    kin_registration_free(nameless);
    kin_registration_free(named);
    world_end(&w);
}

TEST(listener, does_without_any_function)
{
    world w;
    world_begin(&w, 0);
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.mode = KIN_DELIVERY_QUEUE;
    options.bound = 3;
    options.policy = KIN_BACKLOG_FAIL;
    kin_registration *r = add(&w, &options);

    first_list(&w, 2);
    change_pod(&w, 0, 2);
    ASSERT_EQ(dispatch_all(r), 3);
    for (size_t i = 0; i < 5; i++) {
        change_pod(&w, i, 3);
    }
    ASSERT_EQ(dispatch_all(r), 1);

    ASSERT_EQ(status_of(r).state, KIN_REGISTRATION_FAILED);
    kin_registration_free(r);
    world_end(&w);
}
