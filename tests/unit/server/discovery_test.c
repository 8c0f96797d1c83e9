/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery_test.c - what the server says it serves, compared with what a real one says.
 */
#include "server/discovery.h"

#include "shelves.h"

/* The fixture ends with a newline. */
static void assert_fixture(const kin__buf *got, const char *head, const char *name)
{
    AUTO(kin__buf_fini) kin__buf whole = { 0 };
    size_t len;
    char *want = read_fixture(name, &len);

    ASSERT_FALSE(kin__buf_failed(got));
    kin__buf_append_str(&whole, kin_str_of(head));
    kin__buf_append(&whole, got->data + (head[0] != '\0'), got->len - (head[0] != '\0'));
    kin__buf_append_byte(&whole, '\n');
    for (size_t i = 0; i < whole.len && i < len; i++) {
        if (whole.data[i] != want[i]) {
            size_t from = i < 60 ? 0 : i - 60;
            FAIL("%s: at byte %zu: ...%.90s, want ...%.90s", name, i, whole.data + from,
                 want + from);
        }
    }
    ASSERT_EQ(whole.len, len);
    free_fixture(want);
}

TEST(discovery, of_the_core_is_that_of_a_real_server)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__discovery_write_resources(s.shelf, STR(""), STR("v1"), &out);

    assert_fixture(&out, "", "discovery-api-v1.json");
    shelved_free(&s);
}

TEST(discovery, of_a_group_is_that_of_a_real_server)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__discovery_write_resources(s.shelf, STR("apps"), STR("v1"), &out);

    assert_fixture(&out, "", "discovery-apis-apps-v1.json");
    shelved_free(&s);
}

TEST(discovery, of_all_groups_is_that_of_a_real_server_that_serves_them_all)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__discovery_write_groups(s.shelf, &out);

    assert_fixture(&out, "", "discovery-apis-all.json");
    shelved_free(&s);
}

TEST(discovery, in_one_piece_is_that_of_a_real_server_that_serves_it_all)
{
    static const char head[] =
        "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",";
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf core = { 0 };
    AUTO(kin__buf_fini) kin__buf groups = { 0 };

    kin__discovery_write_all(s.shelf, true, &core);
    kin__discovery_write_all(s.shelf, false, &groups);

    assert_fixture(&core, head, "discovery-api-aggregated.json");
    assert_fixture(&groups, head, "discovery-apis-aggregated-all.json");
    shelved_free(&s);
}

TEST(discovery, says_where_the_server_is)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__discovery_write_versions(STR("127.0.0.1:26443"), &out);

    assert_fixture(&out, "", "discovery-api.json");
}

TEST(discovery, tells_one_group)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    kin__discovery_write_group(s.shelf, STR("autoscaling"), &out);

    ASSERT_SLICE_EQ(
        kin__str(out.data, out.len),
        "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"autoscaling\","
        "\"versions\":[{\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"},"
        "{\"groupVersion\":\"autoscaling/v1\",\"version\":\"v1\"}],"
        "\"preferredVersion\":{\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"}}");
    shelved_free(&s);
}

TEST(discovery, tells_custom_resources_with_their_own_order_of_verbs)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    add_custom(&s);
    kin__discovery_write_resources(s.shelf, STR("example.com"), STR("v1"), &out);

    ASSERT_SLICE_EQ(
        kin__str(out.data, out.len),
        "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"example.com/v1\","
        "\"resources\":[{\"name\":\"gadgets\",\"singularName\":\"gadget\",\"namespaced\":false,"
        "\"kind\":\"Gadget\",\"verbs\":[\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\","
        "\"create\",\"update\",\"watch\"],\"shortNames\":[\"ga\"],\"categories\":[\"all\",\"toys\"]"
        ","
        "\"storageVersionHash\":\"ggWp2HxsL0Q=\"},{\"name\":\"gadgets/status\",\"singularName\":"
        "\"\",\"namespaced\":false,\"kind\":\"Gadget\",\"verbs\":[\"get\",\"patch\",\"update\"]},"
        "{\"name\":\"widgets\",\"singularName\":\"widget\",\"namespaced\":true,\"kind\":\"Widget\","
        "\"verbs\":[\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"create\","
        "\"update\",\"watch\"],\"shortNames\":[\"wi\"],\"categories\":[\"all\",\"toys\"],"
        "\"storageVersionHash\":\"gIwvi5rymmg=\"},{\"name\":\"widgets/status\",\"singularName\":"
        "\"\",\"namespaced\":true,\"kind\":\"Widget\",\"verbs\":[\"get\",\"patch\",\"update\"]}]}");
    shelved_free(&s);
}

TEST(discovery, in_one_piece_names_the_group_of_custom_kinds)
{
    shelved s = shelved_new();
    AUTO(kin__buf_fini) kin__buf out = { 0 };

    add_custom(&s);
    kin__discovery_write_all(s.shelf, false, &out);
    kin__buf_append_byte(&out, '\0');

    ASSERT_CONTAINS(out.data,
                    "\"freshness\":\"Current\"}]},{\"metadata\":{\"name\":\"example.com\"},"
                    "\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":"
                    "\"gadgets\",\"responseKind\":{\"group\":\"example.com\",\"version\":"
                    "\"v1\",\"kind\":\"Gadget\"},\"scope\":\"Cluster\"");
    ASSERT_CONTAINS(out.data, "\"subresources\":[{\"subresource\":\"status\",\"responseKind\":{"
                              "\"group\":\"example.com\",\"version\":\"v1\",\"kind\":\"Widget\"},"
                              "\"verbs\":[\"get\",\"patch\",\"update\"]}]}],\"freshness\":"
                              "\"Current\"},{\"version\":\"v1beta1\"");
    shelved_free(&s);
}

TEST_FAILING_ALLOC(discovery, leaves_the_failure_in_the_buffer)
{
    shelved s;
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err;

    if (shelved_try(&s, &err) != KIN_OK) {
        return err.code;
    }
    kin__discovery_write_group(s.shelf, STR("apps"), &out);
    shelved_free(&s);
    return kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
