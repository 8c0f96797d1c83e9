/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_test.c - the tables of the Kubernetes API types, and looking things up in them.
 */
#include "proto/schema.h"

#include <string.h>

#include "base/str.h"
#include "proto/schema_tables.h"
#include "support/test.h"

enum {
    PTR = KIN__PB_POINTER,
    REP = KIN__PB_LIST,
    MAP = KIN__PB_MAP,
    EMPTY = KIN__PB_OMITEMPTY,
    ZERO = KIN__PB_OMITZERO
};

static kin__pb_message message_of(const char *api_version, const char *kind)
{
    return kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind));
}

/* A row by a path of names, with the numbers on the wire: "2.1.2.19" in `numbers`. */
static const kin__pb_row *row_at(kin__pb_message message, const char *path, text *numbers)
{
    const kin__pb_row *row = NULL;

    text_clear(numbers);
    while (*path != '\0') {
        size_t len = strcspn(path, ".");
        kin__pb_inlines inlines;
        row = kin__pb_row_named(message, kin__str(path, len), &inlines);
        if (row == NULL) {
            FAIL("no row at %s", path);
        }
        for (size_t i = 0; i < inlines.count; i++) {
            text_append(numbers, "%d.", inlines.rows[i]->number);
        }
        path += path[len] == '.' ? len + 1 : len;
        text_append(numbers, *path == '\0' ? "%d" : "%d.", row->number);
        message = row->message;
    }
    return row;
}

static void assert_path(const char *api_version, const char *kind, const char *path,
                        const char *want)
{
    text numbers;

    (void) row_at(message_of(api_version, kind), path, &numbers);
    ASSERT_STR_EQ(numbers.chars, want);
}

static kin__pb_special special_at(const char *api_version, const char *kind, const char *path)
{
    text numbers;

    return kin__pb_special_of(row_at(message_of(api_version, kind), path, &numbers)->message);
}

TEST(schema, knows_kinds_of_all_groups)
{
    kin__pb_message pod = message_of("v1", "Pod");
    ASSERT_TRUE(pod != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("apps/v1", "Deployment") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("apps/v1", "Deployment") != message_of("apps/v1beta1", "Deployment"));
    ASSERT_TRUE(message_of("v1", "Status") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("apiextensions.k8s.io/v1", "CustomResourceDefinition") !=
                KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("apiregistration.k8s.io/v1", "APIService") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("meta.k8s.io/v1", "PartialObjectMetadata") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList") !=
                KIN__PB_NO_MESSAGE);
}

TEST(schema, knows_kinds_that_a_release_removed)
{
    ASSERT_TRUE(message_of("autoscaling/v2beta2", "HorizontalPodAutoscaler") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("resource.k8s.io/v1alpha2", "ResourceClaim") != KIN__PB_NO_MESSAGE);
    ASSERT_TRUE(message_of("v1", "PodStatusResult") != KIN__PB_NO_MESSAGE);
}

TEST(schema, does_not_know_other_kinds)
{
    const char *const others[][2] = {
        { "v1", "Po" },
        { "v1", "Pods" },
        { "v1", "pod" },
        { "v1", "" },
        { "v1", "Deployment" },
        { "v", "Pod" },
        { "v11", "Pod" },
        { "v2", "Pod" },
        { "/v1", "Pod" },
        { "apps/v1", "Pod" },
        { "apps/v", "Scale" },
        { "apps", "Scale" },
        { "a", "Pod" },
        { "zzz/v1", "Pod" },
        { "v1", "ZZZ" },
        { "v1", "A" },
        { "", "" },
        { "v1", "Table" },
        { "apps/v1", "DeleteOptions" },
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ASSERT_EQ(message_of(others[i][0], others[i][1]), KIN__PB_NO_MESSAGE);
    }
    ASSERT_EQ(kin__pb_message_of((kin_str){ 0 }, (kin_str){ 0 }), KIN__PB_NO_MESSAGE);
}

TEST(schema, takes_an_empty_version_for_that_of_the_core_group)
{
    ASSERT_TRUE(message_of("", "APIVersions") != KIN__PB_NO_MESSAGE);
    ASSERT_EQ(message_of("", "APIResourceList"), message_of("v1", "APIResourceList"));
}

TEST(schema, knows_options_and_watch_events_where_the_server_names_them)
{
    const char *const kinds[] = { "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions",
                                  "PatchOptions",  "UpdateOptions", "WatchEvent" };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ASSERT_TRUE(message_of("v1", kinds[i]) != KIN__PB_NO_MESSAGE);
        ASSERT_EQ(message_of("meta.k8s.io/v1", kinds[i]), message_of("v1", kinds[i]));
    }
}

TEST(schema, walks_over_all_kinds_in_order)
{
    text before = { 0 };
    kin__pb_kind kind;
    size_t count = 0;

    for (; kin__pb_kind_at(count, &kind); count++) {
        text version = { 0 };
        text key = { 0 };
        text_append(&version, "%.*s%s%.*s", KIN_STR_ARG(kind.group), kind.group.len == 0 ? "" : "/",
                    KIN_STR_ARG(kind.version));
        text_append(&key, "%s %.*s", version.chars, KIN_STR_ARG(kind.kind));
        if (strcmp(before.chars, key.chars) >= 0) {
            FAIL("%s before %s", before.chars, key.chars);
        }
        ASSERT_EQ(kin__pb_message_of(kin_str_of(version.chars), kind.kind), kind.message);
        ASSERT_TRUE(kind.message < kin__pb_table_message_count);
        ASSERT_EQ(kind.version.data[0], 'v');
        before = key;
    }
    ASSERT_TRUE(count > 400);
    ASSERT_FALSE(kin__pb_kind_at(count + 1, &kind));
    ASSERT_FALSE(kin__pb_kind_at(SIZE_MAX, &kind));
    ASSERT_SLICE_EQ(kind.group, "");
    ASSERT_SLICE_EQ(kind.version, "v1");
}

/* All but one have metadata as 1 and items as 2; the items are of the kind without "List". */
TEST(schema, has_items_of_the_right_kind_in_lists)
{
    kin__pb_message odd = message_of("meta.k8s.io/v1beta1", "PartialObjectMetadataList");
    kin__pb_kind kind;
    size_t lists = 0;

    for (size_t i = 0; kin__pb_kind_at(i, &kind); i++) {
        kin__pb_inlines inlines;
        const kin__pb_row *items = kin__pb_row_named(kind.message, STR("items"), &inlines);
        text version = { 0 };
        if (items == NULL || kind.message == message_of("v1", "List")) {
            continue;
        }
        lists++;
        text_append(&version, "%.*s%s%.*s", KIN_STR_ARG(kind.group), kind.group.len == 0 ? "" : "/",
                    KIN_STR_ARG(kind.version));
        ASSERT_EQ(kin__pb_message_of(kin_str_of(version.chars),
                                     kin__str(kind.kind.data, kind.kind.len - 4)),
                  items->message);
        ASSERT_EQ(items->number, kind.message == odd ? 1 : 2);
        ASSERT_EQ(items->flags & ~EMPTY, KIN__PB_LIST);
        ASSERT_EQ(inlines.count, 0);
    }
    ASSERT_TRUE(lists > 170);
}

TEST(schema, gives_the_rows_of_a_message_in_the_order_of_json)
{
    const struct {
        const char *name;
        int number;
        int type;
        int flags;
    } want[] = {
        { "", 0, KIN__PB_TYPEMETA, 0 },
        { "metadata", 1, KIN__PB_MESSAGE, EMPTY },
        { "immutable", 5, KIN__PB_BOOL, PTR | EMPTY },
        { "data", 2, KIN__PB_BYTES, MAP | EMPTY },
        { "stringData", 4, KIN__PB_STRING, MAP | EMPTY },
        { "type", 3, KIN__PB_STRING, EMPTY },
    };
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message_of("v1", "Secret"), &count);

    ASSERT_EQ(count, 6);
    for (size_t i = 0; i < count; i++) {
        ASSERT_SLICE_EQ(kin__pb_row_name(&rows[i]), want[i].name);
        ASSERT_EQ(rows[i].number, want[i].number);
        ASSERT_EQ(rows[i].type, want[i].type);
        ASSERT_EQ(rows[i].flags, want[i].flags);
        ASSERT_EQ(rows[i].message == KIN__PB_NO_MESSAGE, want[i].type != KIN__PB_MESSAGE);
    }
}

TEST(schema, tells_types_and_flags)
{
    const struct {
        const char *path;
        int type;
        int flags;
    } want[] = {
        { "metadata.creationTimestamp", KIN__PB_MESSAGE, EMPTY | ZERO },
        { "metadata.deletionTimestamp", KIN__PB_MESSAGE, PTR | EMPTY },
        { "metadata.generation", KIN__PB_INT64, EMPTY },
        { "metadata.ownerReferences", KIN__PB_MESSAGE, REP | EMPTY },
        { "metadata.finalizers", KIN__PB_STRING, REP | EMPTY },
        { "spec.containers", KIN__PB_MESSAGE, REP },
        { "spec.containers.resources.limits", KIN__PB_MESSAGE, MAP | EMPTY },
        { "spec.containers.ports.containerPort", KIN__PB_INT32, 0 },
        { "spec.hostNetwork", KIN__PB_BOOL, EMPTY },
    };
    text numbers;

    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const kin__pb_row *row = row_at(message_of("v1", "Pod"), want[i].path, &numbers);
        ASSERT_EQ(row->type, want[i].type);
        ASSERT_EQ(row->flags, want[i].flags);
    }
    ASSERT_EQ(row_at(message_of("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                     "spec.versions.schema.openAPIV3Schema.maximum", &numbers)
                  ->type,
              KIN__PB_DOUBLE);
    ASSERT_EQ(row_at(message_of("v1", "Secret"), "data", &numbers)->type, KIN__PB_BYTES);
}

TEST(schema, finds_paths)
{
    assert_path("v1", "Pod", "metadata.managedFields", "1.17");
    assert_path("v1", "Pod", "spec.nodeName", "2.10");
    assert_path("v1", "Pod", "status.podIPs.ip", "3.12.1");
    assert_path("v1", "Service", "spec.ports.targetPort", "2.1.4");
    assert_path("apps/v1", "Deployment", "spec.template.metadata.labels", "2.3.1.11");
    assert_path("discovery.k8s.io/v1", "EndpointSlice", "endpoints.conditions.ready", "2.2.1");
    assert_path("apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec.versions.served",
                "2.7.2");
}

TEST(schema, finds_members_of_inline_messages)
{
    assert_path("v1", "Pod", "spec.volumes.name", "2.1.1");
    assert_path("v1", "Pod", "spec.volumes.configMap.name", "2.1.2.19.1.1");
    assert_path("v1", "Pod", "spec.containers.livenessProbe.httpGet.path", "2.2.10.1.2.1");
    assert_path("v1", "Pod", "spec.containers.livenessProbe.periodSeconds", "2.2.10.4");
    assert_path("v1", "PersistentVolume", "spec.hostPath.path", "2.2.3.1");
}

TEST(schema, finds_members_of_inline_messages_two_levels_deep)
{
    const char *const path = "spec.matchConstraints.resourceRules.";
    const char *const members[][2] = {
        { "resourceNames", "2.2.3.1" },
        { "operations", "2.2.3.2.1" },
        { "apiGroups", "2.2.3.2.2.1" },
    };

    for (size_t i = 0; i < 3; i++) {
        text whole = { 0 };
        text_append(&whole, "%s%s", path, members[i][0]);
        assert_path("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", whole.chars,
                    members[i][1]);
    }
}

TEST(schema, finds_no_member_that_is_not_there)
{
    static char long_name[70000];
    const char *const others[] = { "",           "specs",      "spe",     "Spec",    "kind",
                                   "apiVersion", "containers", "httpGet", "\"spec\"" };
    kin__pb_message pod = message_of("v1", "Pod");
    kin__pb_inlines inlines = { .count = 77 };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ASSERT_TRUE(kin__pb_row_named(pod, kin_str_of(others[i]), &inlines) == NULL);
    }
    memset(long_name, 'a', sizeof long_name);
    ASSERT_TRUE(kin__pb_row_named(pod, kin__str(long_name, sizeof long_name), &inlines) == NULL);
    ASSERT_TRUE(kin__pb_row_named(pod, (kin_str){ 0 }, &inlines) == NULL);
    ASSERT_TRUE(kin__pb_row_named(KIN__PB_NO_MESSAGE, STR("spec"), &inlines) == NULL);
    ASSERT_EQ(inlines.count, 77);
}

TEST(schema, finds_every_row_by_its_number)
{
    for (size_t i = 0; i < kin__pb_table_message_count; i++) {
        size_t count;
        const kin__pb_row *rows = kin__pb_rows((kin__pb_message) i, &count);
        const kin__pb_row *want[KIN__PB_NUMBER_MAX + 1] = { NULL };
        for (size_t k = 0; k < count; k++) {
            ASSERT_TRUE(rows[k].number <= KIN__PB_NUMBER_MAX);
            want[rows[k].number] = rows[k].number == 0 ? NULL : &rows[k];
        }
        for (uint32_t number = 0; number <= KIN__PB_NUMBER_MAX; number++) {
            ASSERT_TRUE(kin__pb_row_of((kin__pb_message) i, number) == want[number]);
        }
        ASSERT_TRUE(kin__pb_row_of((kin__pb_message) i, 256) == NULL);
        ASSERT_TRUE(kin__pb_row_of((kin__pb_message) i, 536870911) == NULL);
        ASSERT_TRUE(kin__pb_row_of((kin__pb_message) i, UINT32_MAX) == NULL);
    }
}

/* What `outer` names must be what a walk over all inline rows finds. */
static void assert_names(kin__pb_message outer, kin__pb_message message, kin__pb_inlines inlines)
{
    size_t count;
    const kin__pb_row *rows = kin__pb_rows(message, &count);

    for (size_t i = 0; i < count; i++) {
        kin__pb_inlines got;
        if ((rows[i].flags & KIN__PB_INLINE) != 0) {
            kin__pb_inlines inner = inlines;
            ASSERT_TRUE(inner.count < KIN__PB_INLINE_MAX);
            inner.rows[inner.count++] = &rows[i];
            ASSERT_EQ(rows[i].flags, KIN__PB_INLINE);
            assert_names(outer, rows[i].message, inner);
        } else if (rows[i].name != 0) {
            ASSERT_TRUE(kin__pb_row_named(outer, kin__pb_row_name(&rows[i]), &got) == &rows[i]);
            ASSERT_EQ(got.count, inlines.count);
            ASSERT_EQ(memcmp(got.rows, inlines.rows, inlines.count * sizeof got.rows[0]), 0);
        }
    }
}

TEST(schema, finds_every_row_by_its_name)
{
    for (size_t i = 0; i < kin__pb_table_message_count; i++) {
        assert_names((kin__pb_message) i, (kin__pb_message) i, (kin__pb_inlines){ 0 });
    }
}

TEST(schema, has_only_rows_that_make_sense)
{
    for (size_t i = 0; i < kin__pb_table_message_count; i++) {
        size_t count;
        const kin__pb_row *rows = kin__pb_rows((kin__pb_message) i, &count);
        for (size_t k = 0; k < count; k++) {
            kin__pb_row row = rows[k];
            bool has_name = kin__pb_row_name(&row).len != 0;
            bool is_named = row.type != KIN__PB_TYPEMETA && (row.flags & KIN__PB_INLINE) == 0 &&
                            kin__pb_special_of((kin__pb_message) i) == KIN__PB_PLAIN;
            ASSERT_TRUE(row.type <= KIN__PB_TYPEMETA);
            ASSERT_EQ(row.number == 0, row.type == KIN__PB_TYPEMETA);
            ASSERT_EQ(row.message != KIN__PB_NO_MESSAGE, row.type == KIN__PB_MESSAGE);
            ASSERT_TRUE(row.message == KIN__PB_NO_MESSAGE ||
                        row.message < kin__pb_table_message_count);
            ASSERT_EQ(has_name, is_named);
            ASSERT_TRUE(row.releases >> 4 <= (row.releases & 15));
            ASSERT_TRUE(KIN__PB_FIRST_RELEASE + (row.releases & 15) <= KIN__PB_LAST_RELEASE);
        }
    }
}

TEST(schema, writes_names_as_members)
{
    text numbers;
    kin__pb_message pod = message_of("v1", "Pod");
    const kin__pb_row *row = row_at(pod, "spec.nodeName", &numbers);
    size_t count;

    ASSERT_SLICE_EQ(kin__pb_row_name(row), "nodeName");
    ASSERT_SLICE_EQ(kin__pb_row_member(row), ",\"nodeName\":");
    row = kin__pb_rows(pod, &count);
    ASSERT_SLICE_EQ(kin__pb_row_name(row), "");
    ASSERT_SLICE_EQ(kin__pb_row_member(row), "");
    row = row_at(message_of("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                 "spec.versions.schema.openAPIV3Schema.x-kubernetes-preserve-unknown-fields",
                 &numbers);
    ASSERT_SLICE_EQ(kin__pb_row_member(row), ",\"x-kubernetes-preserve-unknown-fields\":");
}

TEST(schema, tells_messages_whose_json_is_their_own)
{
    const char *const ext = "apiextensions.k8s.io/v1";
    const char *const crd = "CustomResourceDefinition";
    const char *const schema = "spec.versions.schema.openAPIV3Schema.";
    const struct {
        const char *member;
        kin__pb_special want;
    } members[] = {
        { "default", KIN__PB_JSON },
        { "items", KIN__PB_SCHEMA_OR_ARRAY },
        { "additionalProperties", KIN__PB_SCHEMA_OR_BOOL },
        { "dependencies", KIN__PB_SCHEMA_OR_STRINGS },
        { "not", KIN__PB_PLAIN },
    };

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        text path = { 0 };
        text_append(&path, "%s%s", schema, members[i].member);
        ASSERT_EQ(special_at(ext, crd, path.chars), members[i].want);
    }
    ASSERT_EQ(special_at("v1", "Pod", "metadata"), KIN__PB_PLAIN);
    ASSERT_EQ(special_at("v1", "Pod", "metadata.creationTimestamp"), KIN__PB_TIME);
    ASSERT_EQ(special_at("v1", "Pod", "metadata.managedFields.fieldsV1"), KIN__PB_FIELDSV1);
    ASSERT_EQ(special_at("v1", "Event", "eventTime"), KIN__PB_MICROTIME);
    ASSERT_EQ(special_at("v1", "Node", "status.capacity"), KIN__PB_QUANTITY);
    ASSERT_EQ(special_at("v1", "Service", "spec.ports.targetPort"), KIN__PB_INTORSTR);
    ASSERT_EQ(special_at("v1", "WatchEvent", "object"), KIN__PB_RAW);
    ASSERT_EQ(special_at("v1", "APIResourceList", "resources.verbs"), KIN__PB_STRINGS);
    ASSERT_EQ(kin__pb_special_of(message_of("v1", "Pod")), KIN__PB_PLAIN);
}

TEST(schema, tells_which_releases_have_a_field)
{
    const struct {
        const char *path;
        int since;
        int until;
    } want[] = {
        { "metadata.name", 30, 37 },
        { "spec.workloadRef", 35, 35 },
        { "spec.resourceClaims.source", 30, 30 },
        { "status.observedGeneration", 33, 37 },
    };
    text numbers;

    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const kin__pb_row *row = row_at(message_of("v1", "Pod"), want[i].path, &numbers);
        ASSERT_EQ(KIN__PB_FIRST_RELEASE + (row->releases >> 4), want[i].since);
        ASSERT_EQ(KIN__PB_FIRST_RELEASE + (row->releases & 15), want[i].until);
    }
}

TEST(schema, has_no_rows_for_no_message)
{
    size_t count = 7;

    (void) kin__pb_rows(KIN__PB_NO_MESSAGE, &count);
    ASSERT_EQ(count, 0);
    ASSERT_TRUE(kin__pb_row_of(KIN__PB_NO_MESSAGE, 1) == NULL);
    ASSERT_EQ(kin__pb_special_of(KIN__PB_NO_MESSAGE), KIN__PB_PLAIN);
    ASSERT_TRUE(kin__pb_row_of((kin__pb_message) kin__pb_table_message_count, 1) == NULL);
}
