/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_test.c - a copy of a request is the request, and nobody else's.
 */
#include "api/request.h"

#include <string.h>

#include "support/test.h"

static const char *const json =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}";

static kin_request a_request(char *name, char *body)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_PATCH;
    request.resource = "pods";
    request.ns = "shop";
    request.name = name;
    request.body = kin_str_of(body);
    request.limit = 7;
    request.force = true;
    return request;
}

TEST(request, keeps_every_field)
{
    char name[] = "web-0";
    char body[] = "{}";
    kin_request request = a_request(name, body);
    kin__request copy;
    kin_error err;

    ASSERT_OK(kin__request_copy(&request, &copy, &err));

    ASSERT_STR_EQ(copy.is.resource, "pods");
    ASSERT_STR_EQ(copy.is.ns, "shop");
    ASSERT_STR_EQ(copy.is.name, "web-0");
    ASSERT_TRUE(copy.is.label_selector == NULL);
    ASSERT_SLICE_EQ(copy.is.body, "{}");
    ASSERT_EQ(copy.is.limit, 7);
    ASSERT_TRUE(copy.is.force);
    kin__request_fini(&copy);
}

TEST(request, does_not_look_at_the_callers_strings_again)
{
    char name[] = "web-0";
    char body[] = "{}";
    kin_request request = a_request(name, body);
    kin__request copy;
    kin_error err;

    ASSERT_OK(kin__request_copy(&request, &copy, &err));
    memset(name, 'x', sizeof name - 1);
    memset(body, 'x', sizeof body - 1);

    ASSERT_STR_EQ(copy.is.name, "web-0");
    ASSERT_SLICE_EQ(copy.is.body, "{}");
    kin__request_fini(&copy);
}

TEST(request, holds_its_object_and_resource)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_object *object;
    kin_resource *resource;
    kin__request copy;
    kin_error err;
    ASSERT_OK(kin_object_from_json(json, strlen(json), NULL, &object, &err));
    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &resource, &err));
    request.verb = KIN_VERB_CREATE;
    request.object = object;
    request.of = resource;

    ASSERT_OK(kin__request_copy(&request, &copy, &err));
    kin_object_unref(object);
    kin_resource_unref(resource);

    ASSERT_SLICE_EQ(kin_object_name(copy.is.object), "a");
    ASSERT_STR_EQ(kin_resource_kind(copy.is.of), "Pod");
    kin__request_fini(&copy);
}

TEST(request, refuses_one_that_was_not_initialised)
{
    kin_request request = { 0 };
    kin__request copy;
    kin_error err;

    ASSERT_ERR(kin__request_copy(&request, &copy, &err), KIN_ERR_USAGE);
    ASSERT_CONTAINS(err.message, "kin_request");
}

TEST_FAILING_ALLOC(request, survives_lack_of_memory)
{
    char name[] = "web-0";
    char body[] = "{}";
    kin_request request = a_request(name, body);
    kin__request copy;
    kin_error err;
    kin_err code = kin__request_copy(&request, &copy, &err);

    if (code == KIN_OK) {
        kin__request_fini(&copy);
    }
    return code;
}
