/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_test.c - what a ReplicaSet says of itself, to a server that may lack a field.
 */
#include "replicaset_controller/status.h"

#include <string.h>

#include "unit/replicaset/objects.h"

static text sent;              /* the last patch; "": none was sent */
static const char *has_status; /* what the server answers with, once it has the patch */

/* In place of the library's: what would be sent is written down. */
kin_err kin_reconcile_patch(kin_reconcile *r, const kin_edit *edit, const char *subresource,
                            kin_object **out, kin_error *err)
{
    char *patch = NULL;
    size_t len = 0;

    (void) r;
    ASSERT_STR_EQ(subresource, "status");
    ASSERT_OK(kin_edit_merge_patch(edit, 0, &patch, &len, err));
    text_clear(&sent);
    text_append(&sent, "%s", strcmp(patch, "{}") == 0 ? "" : patch);
    kin_free(patch);
    *out = object_of("{'metadata':{'name':'web'},'status':%s}", has_status);
    return KIN_OK;
}

static void write_status(workshop *shop, const char *status, const counts *n)
{
    kin_object *set = object_of("{'metadata':{'name':'web','generation':1},'spec':{'replicas':3},"
                                "'status':%s}",
                                status);
    const work w = { .shop = shop, .set = set, .replicas = 3, .now = NOW };
    kin_error err;

    ASSERT_OK(status_write(&w, n, NULL, &err));
    kin_object_unref(set);
}

TEST(status, says_that_none_is_terminating_as_soon_as_it_has_counted)
{
    workshop shop = { 0 };
    const counts n = { .replicas = 3 };

    has_status = "{'terminatingReplicas':0}";
    write_status(&shop, "{'replicas':3,'observedGeneration':1}", &n);

    ASSERT_STR_EQ(sent.chars, "{\"status\":{\"terminatingReplicas\":0}}");
}

TEST(status, sends_nothing_when_all_is_as_it_was)
{
    workshop shop = { 0 };
    const counts n = { .replicas = 3, .terminating = 2 };

    has_status = "{'terminatingReplicas':2}";
    write_status(&shop, "{'replicas':3,'observedGeneration':1,'terminatingReplicas':2}", &n);

    ASSERT_STR_EQ(sent.chars, "");
}

TEST(status, writes_no_field_again_that_the_server_does_not_keep)
{
    workshop shop = { 0 };
    counts n = { .replicas = 3, .terminating = 1 };

    has_status = "{'replicas':3,'observedGeneration':1}";
    write_status(&shop, "{'replicas':3,'observedGeneration':1}", &n);
    ASSERT_STR_EQ(sent.chars, "{\"status\":{\"terminatingReplicas\":1}}");
    write_status(&shop, "{'replicas':3,'observedGeneration':1}", &n);
    ASSERT_STR_EQ(sent.chars, "");

    n.replicas = 2;
    write_status(&shop, "{'replicas':3,'observedGeneration':1}", &n);
    ASSERT_STR_EQ(sent.chars, "{\"status\":{\"replicas\":2}}");
}
