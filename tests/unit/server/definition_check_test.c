/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_check_test.c - what custom resource definitions may say, in the words of
 * kube-apiserver 1.36.3.
 */
#include "unit/server/widgets.h"

#define SCHEMA "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}"
#define V(name, more) "{\"name\":\"" name "\",\"served\":true," SCHEMA more "}"
#define STORED(name, more) V(name, ",\"storage\":true" more)
#define LABEL                                                                                      \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define MIXED "may have mixed case, but should otherwise match: " LABEL
#define SUBDOMAIN                                                                                  \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define GO_VERSION(name, storage)                                                                  \
    "{\\\"Name\\\":\\\"" name "\\\",\\\"Served\\\":true,\\\"Storage\\\":" storage                  \
    ",\\\"Deprecated\\\":false,\\\"DeprecationWarning\\\":null,\\\"Schema\\\":null,"               \
    "\\\"Subresources\\\":null,\\\"AdditionalPrinterColumns\\\":null,\\\"SelectableFields\\\":"    \
    "null}"

/* A definition of `plural`.`group`, asked for without being made. */
static int try(scene *s, const char *group, const char *names, const char *versions,
               const char *more)
{
    char body[4096];
    const char *plural = strstr(names, "\"plural\":\"") + strlen("\"plural\":\"");

    snprintf(
        body, sizeof body,
        "{\"metadata\":{\"name\":\"%.*s.%s\"},\"spec\":{\"group\":\"%s\",\"scope\":\"Cluster\","
        "\"names\":{%s},\"versions\":[%s]%s}}",
        (int) strcspn(plural, "\""), plural, group, group, names, versions, more);
    return ask(s, "POST", DEFINITIONS "?dryRun=All", JSON, body);
}

typedef struct definition_case {
    const char *group, *names, *versions, *more, *want;
} definition_case;

#define NAMES "\"plural\":\"things\",\"kind\":\"Thing\""

static void check_all(const definition_case *cases, size_t count)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < count; i++) {
        const definition_case *c = &cases[i];
        char want[4096];
        snprintf(want, sizeof want, " is invalid: %s\",\"reason\":\"Invalid\"", c->want);
        ASSERT_EQ(try(&s, c->group, c->names, c->versions, c->more), 422);
        ASSERT_CONTAINS(s.body, want);
    }
    ASSERT_EQ(try(&s, "kin.example", NAMES, STORED("v1", ""), ""), 201);
    scene_close(&s);
}

TEST(definition_check, knows_what_can_be_a_name)
{
    static const definition_case cases[] = {
        { "kin.example", "\"plural\":\"things\",\"singular\":\"x\",\"kind\":\"Th\\\"ing\"",
          STORED("v1", ""), "",
          "[spec.names.kind: Invalid value: \\\"Th\\\\\\\"ing\\\": " MIXED
          ", spec.names.listKind: Invalid value: \\\"Th\\\\\\\"ingList\\\": " MIXED "]" },
        { "kin.example", "\"plural\":\"th.ings\",\"kind\":\"Thing\"", STORED("v1", ""), "",
          "spec.names.plural: Invalid value: \\\"th.ings\\\": " LABEL },
        { "kin.example", NAMES ",\"singular\":\"a_b\"", STORED("v1", ""), "",
          "spec.names.singular: Invalid value: \\\"a_b\\\": " LABEL },
        { "kin.example", NAMES ",\"singular\":\"1b\"", STORED("v1", ""), "",
          "spec.names.singular: Invalid value: \\\"1b\\\": " LABEL },
        { "kin.example", NAMES ",\"singular\":\"b-\"", STORED("v1", ""), "",
          "spec.names.singular: Invalid value: \\\"b-\\\": " LABEL },
        { "kin.example",
          NAMES ",\"singular\":"
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
          STORED("v1", ""), "",
          "spec.names.singular: Invalid value: "
          "\\\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\\": must be no "
          "more than 63 characters" },
        { "kin.example", NAMES ",\"listKind\":\"Thing\"", STORED("v1", ""), "",
          "spec.names.listKind: Invalid value: \\\"Thing\\\": kind and listKind may not be the "
          "same" },
        { "kin.example", NAMES ",\"shortNames\":[\"ok\",\"Bad\"],\"categories\":[\"\"]",
          STORED("v1", ""), "",
          "[spec.names.shortNames[1]: Invalid value: \\\"Bad\\\": " LABEL
          ", spec.names.categories[0]: Invalid value: \\\"\\\": " LABEL "]" },
    };

    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(definition_check, knows_what_can_be_a_group)
{
    static const definition_case cases[] = {
        { "kin", NAMES, STORED("v1", ""), "",
          "spec.group: Invalid value: \\\"kin\\\": should be a domain with at least one dot" },
        { "a_b.c", NAMES, STORED("v1", ""), "",
          "[metadata.name: Invalid value: \\\"things.a_b.c\\\": " SUBDOMAIN
          ", spec.group: Invalid value: \\\"a_b.c\\\": " SUBDOMAIN "]" },
        { "x.k8s.io", NAMES, STORED("v1", ""), "",
          "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups "
          "must have approval annotation \\\"api-approved.kubernetes.io\\\", see "
          "https://github.com/kubernetes/enhancements/pull/1111" },
    };

    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(definition_check, knows_what_can_be_versions)
{
    static const definition_case cases[] = {
        { "kin.example", NAMES, STORED("V1", ""), "",
          "[spec.versions[0].name: Invalid value: \\\"V1\\\": " LABEL
          ", spec.version: Invalid value: \\\"V1\\\": " LABEL "]" },
        { "kin.example", NAMES, STORED("", ""), "",
          "spec.versions[0].name: Invalid value: \\\"\\\": " LABEL },
        { "kin.example", NAMES, STORED("v1", "") "," V("v1", ""), "",
          "spec.versions: Invalid value: [" GO_VERSION("v1", "true") "," GO_VERSION(
              "v1", "false") "]: must contain unique version names" },
        { "kin.example", NAMES, STORED("v1", "") "," STORED("v2", ""), "",
          "[spec.versions: Invalid value: [" GO_VERSION("v1", "true") "," GO_VERSION(
              "v2", "true") "]: must have exactly one version marked as storage version, "
                            "status.storedVersions: "
                            "Invalid value: [\\\"v1\\\"]: must have the storage version v2]" },
        { "kin.example", NAMES, "{\"name\":\"v1\",\"served\":true,\"storage\":true}", "",
          "spec.versions[0].schema.openAPIV3Schema: Required value" },
        { "kin.example", NAMES, STORED("v1", ",\"deprecationWarning\":\"x\""), "",
          "spec.versions[0].deprecationWarning: Invalid value: \\\"x\\\": can only be set for "
          "deprecated versions" },
    };

    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(definition_check, knows_what_the_server_reads_of_a_version)
{
    static const definition_case cases[] = {
        { "kin.example", NAMES, STORED("v1", ",\"subresources\":{\"scale\":{}}"), "",
          "[spec.subresources.scale.specReplicasPath: Required value, "
          "spec.subresources.scale.statusReplicasPath: Required value]" },
        { "kin.example", NAMES,
          STORED(
              "v1",
              ",\"subresources\":{\"scale\":{\"specReplicasPath\":\"spec.x\","
              "\"statusReplicasPath\":\".spec.y\",\"labelSelectorPath\":\".meta.x\"}}") "," V("v2",
                                                                                              ""),
          "",
          "[spec.versions[0].subresources.scale.specReplicasPath: Invalid value: \\\"spec.x\\\": "
          "must be a simple json path starting with ., "
          "spec.versions[0].subresources.scale.statusReplicasPath: Invalid value: "
          "\\\".spec.y\\\": should be a json path under .status, "
          "spec.versions[0].subresources.scale.labelSelectorPath: Invalid value: "
          "\\\".meta.x\\\": should be a json path under either .spec or .status]" },
        { "kin.example", NAMES,
          STORED("v1", ",\"additionalPrinterColumns\":[{\"type\":\"foo\"},{\"name\":\"a\","
                       "\"type\":\"string\",\"format\":\"foo\",\"jsonPath\":\".x\"}]"),
          "",
          "[spec.additionalPrinterColumns[0].name: Required value, "
          "spec.additionalPrinterColumns[0].type: Invalid value: \\\"foo\\\": must be one of "
          "boolean,date,integer,number,string, spec.additionalPrinterColumns[0].JSONPath: Required "
          "value, spec.additionalPrinterColumns[1].format: Invalid value: \\\"foo\\\": must be one "
          "of byte,date,date-time,double,float,int32,int64,password]" },
        { "kin.example", NAMES, STORED("v1", ""), ",\"conversion\":{\"strategy\":\"Foo\"}",
          "spec.conversion.strategy: Unsupported value: \\\"Foo\\\": supported values: "
          "\\\"None\\\", \\\"Webhook\\\"" },
        { "kin.example", NAMES, STORED("v1", ""), ",\"preserveUnknownFields\":true",
          "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
          "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead" },
    };

    check_all(cases, sizeof cases / sizeof *cases);
}

#define MINE DEFINITIONS "/widgets.example.com"

TEST(definition_check, keeps_what_objects_depend_on)
{
    scene s;

    open_with_definition(&s);
    ASSERT_ANSWER(&s, "PATCH", MINE "?dryRun=All", MERGE, "{\"spec\":{\"scope\":\"Cluster\"}}", 200,
                  "\"scope\":\"Cluster\"");
    settle(&s);
    ASSERT_ANSWER(&s, "PATCH", MINE, MERGE,
                  "{\"spec\":{\"scope\":\"Cluster\",\"group\":\"b.c\",\"names\":{\"kind\":\"X\","
                  "\"plural\":\"y\"}}}",
                  422,
                  "is invalid: [spec.scope: Invalid value: \\\"Cluster\\\": field is immutable, "
                  "spec.names.kind: Invalid value: \\\"X\\\": field is immutable, spec.group: "
                  "Invalid value: \\\"b.c\\\": field is immutable, spec.names.plural: Invalid "
                  "value: \\\"y\\\": field is immutable]");
    ASSERT_ANSWER(&s, "PATCH", MINE, MERGE, "{\"spec\":{\"versions\":[" STORED("v2", "") "]}}", 422,
                  "is invalid: status.storedVersions[0]: Invalid value: \\\"v1\\\": missing from "
                  "spec.versions; v1 was previously a storage version, and must remain in "
                  "spec.versions until a storage migration ensures no data remains persisted in v1 "
                  "and removes v1 from status.storedVersions\"");
    ASSERT_ANSWER(&s, "PATCH", MINE "/status", MERGE,
                  "{\"status\":{\"acceptedNames\":{\"kind\":\"a\\\"b\"}}}", 422,
                  "status.acceptedNames.kind: Invalid value: \\\"a\\\\\\\"b\\\": " MIXED);
    scene_close(&s);
}

TEST_FAILING_ALLOC(definition_check, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    if (code == KIN_OK) {
        int status = try(&s, "x_y", "\"plural\":\"A\",\"kind\":\"b c\",\"shortNames\":[\"D\"]",
                         STORED("V1", "") "," STORED("V1", ",\"subresources\":{\"scale\":{}}"), "");
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 422 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
