/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit/server/widgets.h - a custom resource for tests: widgets of example.com, with a schema, in
 * two versions.
 */
#ifndef TESTS_UNIT_SERVER_WIDGETS_H
#define TESTS_UNIT_SERVER_WIDGETS_H

#include "unit/server/writing.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets"

#define SPEC_SCHEMA                                                                                \
    "{\"type\":\"object\",\"required\":[\"size\"],\"properties\":{"                                \
    "\"size\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":10},"                                \
    "\"color\":{\"type\":\"string\",\"enum\":[\"red\",\"blue\"],\"default\":\"red\"},"             \
    "\"name\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":4},"                              \
    "\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":2},"                \
    "\"free\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},"                \
    "\"any\":{\"x-kubernetes-int-or-string\":true},"                                               \
    "\"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}}}"
#define VERSION_1                                                                                  \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":" \
    "\"object\",\"properties\":{\"spec\":" SPEC_SCHEMA ",\"status\":{\"type\":\"object\","         \
    "\"properties\":{\"phase\":{\"type\":\"string\"}}}}}},\"subresources\":{\"status\":{},"        \
    "\"scale\":{\"specReplicasPath\":\".spec.size\",\"statusReplicasPath\":\".status.count\"}}}"
#define VERSION_BETA                                                                               \
    "{\"name\":\"v1beta1\",\"served\":true,\"storage\":false,\"schema\":{\"openAPIV3Schema\":{"    \
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}"
#define DEFINITION(versions)                                                                       \
    "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","        \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\","              \
    "\"shortNames\":"                                                                              \
    "[\"wd\"]},\"versions\":[" versions "]}}"
#define WIDGET(metadata, spec)                                                                     \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{" metadata               \
    "},\"spec\":" spec "}"

static inline void open_with_definition(scene *s)
{
    kin_error err;

    ASSERT_OK(scene_open(s, &err));
    ASSERT_EQ(ask(s, "POST", DEFINITIONS, JSON, DEFINITION(VERSION_1 "," VERSION_BETA)), 201);
}

#endif /* TESTS_UNIT_SERVER_WIDGETS_H */
