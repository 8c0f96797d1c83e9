/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask_test.c - what a mask leaves out of an object.
 */
#include "object/mask.h"

#include "base/str.h"
#include "object/object.h"
#include "unit/object/making.h"

static const char pod[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\","
    "\"uid\":\"u\",\"resourceVersion\":\"1\",\"labels\":{\"a\":\"1\",\"b\":\"2\"},"
    "\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{}}]},"
    "\"spec\":{\"nodeName\":\"x\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"},{\"image\":"
    "\"j\"}]},"
    "\"status\":{\"phase\":\"Running\"}}";

#define IDENTITY                                                                                   \
    "\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\","    \
    "\"uid\":\"u\",\"resourceVersion\":\"1\""

static void check_drop(const char *a, const char *b, const char *want)
{
    check_json(make_masked(pod, make_mask(KIN_MASK_DROP, a, b, NULL, NULL)), want);
}

static void check_keep(const char *a, const char *b, const char *want)
{
    check_json(make_masked(pod, make_mask(KIN_MASK_KEEP, a, b, NULL, NULL)), want);
}

static void check_refused(const char *path, kin_err code, const char *message)
{
    const char *paths[] = { "spec", path };
    kin_mask *mask = NULL;
    kin_error err;

    ASSERT_ERR(kin_mask_new(KIN_MASK_DROP, paths, 2, &mask, &err), code);
    ASSERT_CONTAINS(err.message, message);
    ASSERT_TRUE(mask == NULL);
}

TEST(mask, of_nothing_drops_nothing)
{
    check_drop(NULL, NULL, pod);
}

TEST(mask, drops_members)
{
    check_drop("metadata.managedFields", "status",
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"}},\"spec\":{\"nodeName\":\"x\","
               "\"containers\":[{\"name\":\"c\",\"image\":\"i\"},{\"image\":\"j\"}]}}");
}

TEST(mask, drops_members_of_each_element)
{
    check_drop("spec.containers[*].image", "metadata",
               "{" IDENTITY "},\"spec\":{\"nodeName\":\"x\",\"containers\":[{\"name\":\"c\"},{}]},"
               "\"status\":{\"phase\":\"Running\"}}");
}

TEST(mask, drops_each_element_and_each_member)
{
    check_drop("spec.containers[*]", "status[*]",
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"managedFields\":[{\"manager\":"
               "\"m\",\"fieldsV1\":{}}]},"
               "\"spec\":{\"nodeName\":\"x\",\"containers\":[]},\"status\":{}}");
}

TEST(mask, never_drops_what_identifies_the_object)
{
    check_drop("[*]", NULL, "{" IDENTITY "}}");
    check_drop("kind", "metadata.name",
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"managedFields\":[{\"manager\":"
               "\"m\",\"fieldsV1\":{}}]},"
               "\"spec\":{\"nodeName\":\"x\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"},"
               "{\"image\":\"j\"}]},\"status\":{\"phase\":\"Running\"}}");
    check_drop("[*][*]", NULL, "{" IDENTITY "},\"spec\":{},\"status\":{}}");
    check_drop("metadata[*]", "[*].phase",
               "{" IDENTITY
               "},\"spec\":{\"nodeName\":\"x\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"},"
               "{\"image\":\"j\"}]},\"status\":{}}");
}

TEST(mask, keeps_only_what_identifies_the_object)
{
    check_keep(NULL, NULL, "{" IDENTITY "}}");
}

TEST(mask, keeps_what_lies_on_or_under_its_paths)
{
    check_keep("spec.nodeName", "metadata.labels",
               "{" IDENTITY
               ",\"labels\":{\"a\":\"1\",\"b\":\"2\"}},\"spec\":{\"nodeName\":\"x\"}}");
    check_keep("status", NULL, "{" IDENTITY "},\"status\":{\"phase\":\"Running\"}}");
    check_keep("metadata", NULL,
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"},"
               "\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{}}]}}");
}

TEST(mask, keeps_the_containers_that_lead_to_its_paths)
{
    check_keep("spec.containers[*].name", NULL,
               "{" IDENTITY "},\"spec\":{\"containers\":[{\"name\":\"c\"},{}]}}");
    check_keep("status.absent", NULL, "{" IDENTITY "},\"status\":{}}");
}

TEST(mask, does_not_keep_what_leads_nowhere)
{
    /* A scalar on the way; an array where the path wants a member. */
    check_keep("spec.nodeName.x", "spec.containers.name", "{" IDENTITY "},\"spec\":{}}");
}

TEST(mask, joins_names_and_stars_that_meet)
{
    check_drop("[*].nodeName", "spec.containers",
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"managedFields\":[{\"manager\":"
               "\"m\",\"fieldsV1\":{}}]},"
               "\"spec\":{},\"status\":{\"phase\":\"Running\"}}");
    check_keep("[*].phase", "status.other",
               "{" IDENTITY "},\"spec\":{},\"status\":{\"phase\":\"Running\"}}");
}

TEST(mask, matches_names_with_escapes)
{
    check_json(
        make_masked("{\"metadata\":{\"name\":\"n\"},\"sp\\u0065c\":1,\"a\":{\"b\\\"c\":2,\"d\":3}}",
                    make_mask(KIN_MASK_DROP, "spec", "a[\"b\\\"c\"]", NULL, NULL)),
        "{\"metadata\":{\"name\":\"n\"},\"a\":{\"d\":3}}");
}

TEST(mask, drops_every_one_of_repeated_members)
{
    check_json(make_masked("{\"x\":1,\"metadata\":{\"name\":\"n\"},\"x\":2,\"y\":3,\"x\":4}",
                           make_mask(KIN_MASK_DROP, "x", NULL, NULL, NULL)),
               "{\"metadata\":{\"name\":\"n\"},\"y\":3}");
}

TEST(mask, takes_a_path_and_one_below_it)
{
    check_drop("spec.containers[*].image", "spec",
               "{" IDENTITY ",\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"managedFields\":[{\"manager\":"
               "\"m\",\"fieldsV1\":{}}]},"
               "\"status\":{\"phase\":\"Running\"}}");
    check_keep("status", "status.phase", "{" IDENTITY "},\"status\":{\"phase\":\"Running\"}}");
}

TEST(mask, refuses_paths_that_cannot_be_masked)
{
    check_refused("spec.containers[0]", KIN_ERR_USAGE,
                  "make a mask: path 1: \"spec.containers[0]\": a mask cannot choose elements");
    check_refused("status.conditions[?type==\"Ready\"]", KIN_ERR_USAGE,
                  "a mask cannot choose elements, only members and [*]");
    check_refused("", KIN_ERR_USAGE, "make a mask: path 1: it is empty");
    check_refused(NULL, KIN_ERR_USAGE, "make a mask: path 1: it is NULL");
    check_refused("spec..x", KIN_ERR_MALFORMED, "make a mask: path 1: ");
}

TEST(mask, refuses_a_mode_it_does_not_know)
{
    kin_mask *mask = NULL;
    kin_error err;

    ASSERT_ERR(kin_mask_new((kin_mask_mode) 2, NULL, 0, &mask, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make a mask: unknown mode 2");
}

/* Each path has its name at another depth, and stars elsewhere: a place may match any set of
 * them, and there are 2^18 sets. */
TEST(mask, refuses_paths_that_combine_without_end)
{
    enum { PATHS = 18 };
    static text texts[PATHS];
    const char *paths[PATHS];
    kin_mask *mask = NULL;
    kin_error err;

    for (int i = 0; i < PATHS; i++) {
        for (int step = 0; step < PATHS; step++) {
            text_append(&texts[i], step == i ? ".a" : "[*]");
        }
        text_append(&texts[i], ".p%d", i);
        paths[i] = texts[i].chars[0] == '.' ? texts[i].chars + 1 : texts[i].chars;
    }

    ASSERT_ERR(kin_mask_new(KIN_MASK_DROP, paths, PATHS, &mask, &err), KIN_ERR_LIMIT);
    ASSERT_MESSAGE(&err, "make a mask: names and [*] combine to more than 65536 places");
}

TEST(mask, has_an_end_as_deep_as_its_longest_path)
{
    kin_mask *mask = make_mask(KIN_MASK_DROP, "a.b.c", "x[*].y[*]", "d", NULL);

    ASSERT_EQ(mask->depth, 4);
    kin_mask_free(mask);
    mask = make_mask(KIN_MASK_KEEP, NULL, NULL, NULL, NULL);
    ASSERT_EQ(mask->depth, 2);
    kin_mask_free(mask);
    mask = make_mask(KIN_MASK_KEEP, "metadata", NULL, NULL, NULL);
    ASSERT_EQ(mask->depth, 1);
    kin_mask_free(mask);
    kin_mask_free(NULL);
}

TEST_FAILING_ALLOC(mask, is_made_of_paths_that_meet)
{
    const char *paths[] = { "[*].a.b", "spec[*].c", "metadata", "spec.x[*].y", "[*]" };
    kin_mask *drop = NULL;
    kin_mask *keep = NULL;
    kin_err code = kin_mask_new(KIN_MASK_DROP, paths, 5, &drop, NULL);

    if (code == KIN_OK) {
        code = kin_mask_new(KIN_MASK_KEEP, paths, 4, &keep, NULL);
    }
    kin_mask_free(drop);
    kin_mask_free(keep);
    return code;
}
