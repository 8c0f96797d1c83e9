/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template_test.c - the pod that a ReplicaSet wants.
 */
#include "replicaset_controller/template.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kin/owner.h"
#include "unit/replicaset/objects.h"

static kin_object *set_named(const char *name)
{
    return object_of("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':'%s',"
                     "'namespace':'shop','uid':'u1'},'spec':{'template':{'metadata':{'name':'no',"
                     "'labels':{'app':'web'},'annotations':{'note':'a \\\\ b'},"
                     "'finalizers':['example.com/hold']},"
                     "'spec':{'containers':[{'name':'c','image':'i'}]}}}}",
                     name);
}

static kin_str text_at(const kin_object *object, const char *path)
{
    kin_str found = { NULL, 0 };

    ASSERT_OK(kin_value_str(kin_object_at(object, path), NULL, 0, &found));
    return found;
}

TEST(template, becomes_a_pod_of_its_replica_set)
{
    kin_object *set = set_named("web");
    kin_object *pod = NULL;
    kin_error err;

    ASSERT_OK(template_pod(set, &pod, &err));

    ASSERT_SLICE_EQ(kin_object_kind(pod), "Pod");
    ASSERT_SLICE_EQ(kin_object_namespace(pod), "shop");
    ASSERT_TRUE(kin_object_is_controlled_by(pod, set));
    ASSERT_SLICE_EQ(text_at(pod, "metadata.labels.app"), "web");
    ASSERT_TRUE(kin_value_exists(kin_object_at(pod, "metadata.annotations.note")));
    ASSERT_SLICE_EQ(text_at(pod, "metadata.finalizers[0]"), "example.com/hold");
    ASSERT_SLICE_EQ(text_at(pod, "spec.containers[0].image"), "i");
    kin_object_unref(pod);
    kin_object_unref(set);
}

TEST(template, gives_each_pod_a_name_of_its_own)
{
    kin_object *set = set_named("web");
    kin_object *pods[2];
    kin_error err;

    ASSERT_OK(template_pod(set, &pods[0], &err));
    ASSERT_OK(template_pod(set, &pods[1], &err));

    ASSERT_EQ(kin_object_name(pods[0]).len, strlen("web-xxxxx"));
    ASSERT_TRUE(memcmp(kin_object_name(pods[0]).data, "web-", 4) == 0);
    ASSERT_FALSE(kin_str_equal(kin_object_name(pods[0]), kin_object_name(pods[1])));
    kin_object_unref(pods[0]);
    kin_object_unref(pods[1]);
    kin_object_unref(set);
}

TEST(template, cuts_the_name_of_its_replica_set_so_that_a_pod_can_have_it)
{
    char name[254];
    kin_object *pod = NULL;
    kin_error err;

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    kin_object *set = set_named(name);

    ASSERT_OK(template_pod(set, &pod, &err));

    ASSERT_EQ(kin_object_name(pod).len, 63);
    kin_object_unref(pod);
    kin_object_unref(set);
}
