/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_list_test.c - lists in strategic merge patches.  What they do was seen of
 * k8s.io/apimachinery 0.36.3.
 */
#include <stdio.h>
#include <stdlib.h>

#include "patching.h"
#include "server/strategic_patch.h"

static bool apply_to_pod(kin__node **tree, kin_str patch, kin__field_validation validation,
                         kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__codec_kind kind = { STR("v1"), STR("Pod"), kin__pb_message_of(STR("v1"), STR("Pod")) };

    return kin__strategic_patch_apply(&kind, tree, patch, validation, &shown, warnings, no);
}

/* Containers a, b, c: what of them is left, as names. */
static const char *merge(const char *changes, patched *out)
{
    return patch_as(apply_to_pod,
                    "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"1\"},{\"name\":\"b\"},"
                    "{\"name\":\"c\"}]}}",
                    kin_str_of(changes), KIN__FIELDS_WARN, out);
}

static const char *merge_finalizers(const char *changes, patched *out)
{
    return patch_as(apply_to_pod, "{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"c\"]}}",
                    kin_str_of(changes), KIN__FIELDS_WARN, out);
}

TEST(strategic_list, merges_elements_by_their_key_and_puts_those_of_the_patch_first)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"name\":\"d\"},{\"name\":\"b\",\"image\":"
                        "\"2\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[{\"name\":\"d\"},{\"name\":\"a\",\"image\":\"1\"},"
                  "{\"name\":\"b\",\"image\":\"2\"},{\"name\":\"c\"}]}}");
}

TEST(strategic_list, deletes_and_replaces_by_directives)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"},"
                        "{\"name\":\"x\",\"$patch\":\"delete\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"name\":\"c\"}]}}");
    ASSERT_STR_EQ(
        merge("{\"spec\":{\"containers\":[{\"name\":\"z\"},{\"$patch\":\"replace\"}]}}", &p),
        "{\"spec\":{\"containers\":[{\"name\":\"z\"}]}}");
}

TEST(strategic_list, orders_as_it_is_told)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"c\"},{\"name\":"
                        "\"a\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"a\","
                  "\"image\":\"1\"}]}}");
    ASSERT_STR_EQ(merge("{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"d\"},{\"name\":"
                        "\"a\"}],\"containers\":[{\"name\":\"d\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[{\"name\":\"d\"},{\"name\":\"a\",\"image\":\"1\"},"
                  "{\"name\":\"b\"},{\"name\":\"c\"}]}}");
}

/* The new one stands where the deleted one was in Go's memory, at the end. */
TEST(strategic_list, gives_a_new_element_the_place_of_a_deleted_one)
{
    patched p;

    ASSERT_STR_EQ(
        merge("{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"d\"}],"
              "\"containers\":[{\"name\":\"d\"},{\"name\":\"a\",\"$patch\":\"delete\"}]}}",
              &p),
        "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}]}}");
}

TEST(strategic_list, replaces_a_list_that_is_ordered_too)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"d\"}],"
                        "\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"},"
                        "{\"$patch\":\"replace\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[]}}");
}

/* The second element of the patch is merged into the first, which is new and stays as it is. */
TEST(strategic_list, leaves_the_directives_of_a_new_element)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"name\":\"d\",\"$setElementOrder/env\":[]},"
                        "{\"name\":\"d\",\"$setElementOrder/env\":[],\"image\":\"1\"}]}}",
                        &p),
                  "{\"spec\":{\"containers\":[{\"name\":\"d\",\"$setElementOrder/env\":[],"
                  "\"image\":\"1\"},{\"name\":\"a\",\"image\":\"1\"},{\"name\":\"b\"},"
                  "{\"name\":\"c\"}]}}");
}

TEST(strategic_list, merges_and_deletes_scalars)
{
    patched p;

    ASSERT_STR_EQ(merge_finalizers("{\"metadata\":{\"finalizers\":[\"d\",\"b\",\"d\"]}}", &p),
                  "{\"metadata\":{\"finalizers\":[\"d\",\"a\",\"b\",\"c\"]}}");
    ASSERT_STR_EQ(merge_finalizers("{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":"
                                   "[\"b\",\"x\"]}}",
                                   &p),
                  "{\"metadata\":{\"finalizers\":[\"a\",\"c\"]}}");
    ASSERT_STR_EQ(
        merge_finalizers("{\"metadata\":{\"$setElementOrder/finalizers\":[\"c\",\"a\"]}}", &p),
        "{\"metadata\":{\"finalizers\":[\"b\",\"c\",\"a\"]}}");
    ASSERT_STR_EQ(merge_finalizers("{\"metadata\":{\"finalizers\":[]}}", &p),
                  "{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"c\"]}}");
}

TEST(strategic_list, refuses_in_the_words_of_the_server)
{
    patched p;

    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"image\":\"x\"}]}}", &p),
                  "map: map[image:x] does not contain declared merge key: name");
    ASSERT_EQ(p.code, 500);
    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[[1]]}}", &p),
                  "list element types are not identical: [[map[image:1 name:a] map[name:b] "
                  "map[name:c]] [[1]]]");
    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"merge\"}]}}", &p),
                  "merging lists cannot yet be specified in the patch");
    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"x\"}]}}", &p),
                  "unknown patch type: x in map: map[$patch:x name:a]");
    ASSERT_STR_EQ(merge("{\"spec\":{\"containers\":[{\"$patch\":\"delete\"}]}}", &p),
                  "map: map[$patch:delete] does not contain declared merge key: name");
    ASSERT_STR_EQ(merge("{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"a\"}],"
                        "\"containers\":[{\"name\":\"d\"}]}}",
                        &p),
                  "The order in patch list:\n[map[name:d]]\n doesn't match $setElementOrder "
                  "list:\n[map[name:a]]\n");
    ASSERT_STR_EQ(merge_finalizers("{\"metadata\":{\"finalizers\":[null]}}", &p),
                  "list with a null element");
    ASSERT_EQ(p.code, 500);
}

/* `count` elements from the format, which has one number. */
static char *many(const char *head, const char *tail, int count, int first)
{
    size_t size = (size_t) count * 24 + 200;
    char *all = malloc(size);
    size_t at = 0;

    ASSERT_TRUE(all != NULL);
    at += (size_t) snprintf(all, size, "%s", head);
    for (int i = 0; i < count; i++) {
        at += (size_t) snprintf(all + at, size - at, "%s{\"name\":\"%d\"}", i == 0 ? "" : ",",
                                first + i);
    }
    (void) snprintf(all + at, size - at, "%s", tail);
    return all;
}

/* What comes of a patch that is too long for a text; release with free(). */
static char *merge_long(const char *document, const char *changes)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(document)), &tree, &err));
    ASSERT_TRUE(apply_to_pod(&tree, kin_str_of(changes), KIN__FIELDS_WARN, &warnings, &no));
    ASSERT_TRUE(kin__node_append_json(tree, &json) && kin__buf_append_byte(&json, '\0'));
    char *copy = strdup(json.data);
    ASSERT_TRUE(copy != NULL);
    return copy;
}

/* Were each element compared with each other, this would take longer than a test may. */
TEST(strategic_list, takes_a_time_that_grows_with_the_lists_and_not_with_their_product)
{
    char *document = many("{\"spec\":{\"containers\":[", "]}}", 100000, 0);
    char *more = many("{\"spec\":{\"containers\":[", "]}}", 100000, 100000);
    char *both = many("{\"spec\":{\"containers\":[", "]}}", 200000, 0);
    char *merged = merge_long(document, more);
    char *same = merge_long(document, document);

    ASSERT_EQ(strlen(merged), strlen(both));
    ASSERT_TRUE(strncmp(merged, more, strlen(more) - strlen("]}}")) == 0);
    ASSERT_TRUE(strcmp(same, document) == 0);
    free(document);
    free(more);
    free(both);
    free(merged);
    free(same);
}

TEST(strategic_list, takes_a_place_that_several_deleted_ones_have_left)
{
    patched p;

    ASSERT_STR_EQ(
        merge("{\"spec\":{\"containers\":[{\"name\":\"c\",\"$patch\":\"delete\"},{\"name\":"
              "\"a\",\"$patch\":\"delete\"},{\"name\":\"a\",\"$patch\":\"delete\"},{"
              "\"name\":\"x\"}]}}",
              &p),
        "{\"spec\":{\"containers\":[{\"name\":\"x\"},{\"name\":\"b\"}]}}");
}
