/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predicate_test.c - which changes matter.
 */
#include <stdio.h>
#include <string.h>

#include "kin/controller.h"
#include "support/test.h"

static kin_object *object_of(const char *metadata)
{
    char json[512];
    kin_object *object = NULL;

    (void) snprintf(json, sizeof json, "{\"metadata\":{\"name\":\"a\",%s}}", metadata);
    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, NULL));
    return object;
}

/* Whether it matters that the first became the second. */
static bool matters(kin_predicate_fn fn, const void *context, const char *before, const char *now)
{
    kin_object *old = object_of(before);
    kin_object *new = object_of(now);
    kin_notification n = { .type = KIN_NOTIFICATION_UPDATED, .object = new, .before = old };
    bool is_passed = fn(context, &n);

    kin_object_unref(old);
    kin_object_unref(new);
    return is_passed;
}

static bool always(const void *unused, const kin_notification *n)
{
    (void) unused;
    (void) n;
    return true;
}

TEST(predicate, sees_what_has_changed)
{
    ASSERT_TRUE(matters(kin_generation_changed, NULL, "\"generation\":1", "\"generation\":2"));
    ASSERT_FALSE(matters(kin_generation_changed, NULL, "\"generation\":1,\"labels\":{}",
                         "\"generation\":1,\"labels\":{\"a\":\"b\"}"));
    ASSERT_TRUE(matters(kin_version_changed, NULL, "\"resourceVersion\":\"1\"",
                        "\"resourceVersion\":\"2\""));
    ASSERT_FALSE(matters(kin_version_changed, NULL, "\"resourceVersion\":\"1\"",
                         "\"resourceVersion\":\"1\""));
}

TEST(predicate, compares_labels)
{
    ASSERT_TRUE(matters(kin_labels_changed, NULL, "\"labels\":{}", "\"labels\":{\"a\":\"b\"}"));
    ASSERT_TRUE(
        matters(kin_labels_changed, NULL, "\"labels\":{\"a\":\"b\"}", "\"labels\":{\"a\":\"c\"}"));
    ASSERT_TRUE(
        matters(kin_labels_changed, NULL, "\"labels\":{\"a\":\"b\"}", "\"labels\":{\"c\":\"b\"}"));
    ASSERT_FALSE(matters(kin_labels_changed, NULL, "\"labels\":{\"a\":\"b\",\"c\":\"d\"}",
                         "\"labels\":{\"c\":\"d\",\"a\":\"b\"},\"generation\":7"));
}

TEST(predicate, compares_annotations)
{
    ASSERT_TRUE(matters(kin_annotations_changed, NULL, "\"generation\":1",
                        "\"annotations\":{\"a\":\"b\"}"));
    ASSERT_TRUE(matters(kin_annotations_changed, NULL, "\"annotations\":{\"a\":\"c\"}",
                        "\"annotations\":{\"a\":\"b\"}"));
    ASSERT_FALSE(matters(kin_annotations_changed, NULL, "\"annotations\":{\"a\":\"b\",\"c\":\"d\"}",
                         "\"annotations\":{\"c\":\"d\",\"a\":\"b\"}"));
    ASSERT_FALSE(matters(kin_annotations_changed, NULL, "\"generation\":1", "\"generation\":2"));
}

TEST(predicate, passes_what_comes_new_and_what_goes)
{
    static const kin_predicate_fn all[] = { kin_generation_changed, kin_labels_changed,
                                            kin_annotations_changed, kin_version_changed };
    kin_object *object = object_of("\"generation\":1");
    kin_notification added = { .type = KIN_NOTIFICATION_ADDED, .object = object };
    kin_notification gone = { .type = KIN_NOTIFICATION_DELETED,
                              .object = object,
                              .before = object };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ASSERT_TRUE(all[i](NULL, &added));
        ASSERT_TRUE(all[i](NULL, &gone));
    }
    kin_object_unref(object);
}

/* Deleted and made again unseen. */
TEST(predicate, passes_what_was_made_again)
{
    static const kin_predicate_fn all[] = { kin_generation_changed, kin_labels_changed,
                                            kin_annotations_changed, kin_version_changed };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ASSERT_TRUE(matters(all[i], NULL, "\"generation\":1,\"uid\":\"1\"",
                            "\"generation\":1,\"uid\":\"2\""));
        ASSERT_FALSE(matters(all[i], NULL, "\"generation\":1,\"uid\":\"1\"",
                             "\"generation\":1,\"uid\":\"1\""));
    }
}

TEST(predicate, can_be_put_together)
{
    static const kin_predicate two[] = { { kin_generation_changed, NULL },
                                         { kin_labels_changed, NULL },
                                         { NULL, NULL } };
    static const kin_predicate none[] = { { NULL, NULL } };
    static const kin_predicate nested[] = { { kin_none_of, two },
                                            { always, NULL },
                                            { NULL, NULL } };
    const char *old = "\"generation\":1";
    const char *newer = "\"generation\":2";
    const char *both = "\"generation\":2,\"labels\":{\"a\":\"b\"}";

    ASSERT_TRUE(matters(kin_any_of, two, old, newer));
    ASSERT_FALSE(matters(kin_any_of, two, old, old));
    ASSERT_FALSE(matters(kin_all_of, two, old, newer));
    ASSERT_TRUE(matters(kin_all_of, two, old, both));
    ASSERT_FALSE(matters(kin_none_of, two, old, newer));
    ASSERT_TRUE(matters(kin_none_of, two, old, old));
    ASSERT_TRUE(matters(kin_all_of, none, old, old));
    ASSERT_FALSE(matters(kin_any_of, none, old, both));
    ASSERT_TRUE(matters(kin_none_of, none, old, both));
    ASSERT_TRUE(matters(kin_all_of, nested, old, old));
    ASSERT_FALSE(matters(kin_all_of, nested, old, newer));
}
