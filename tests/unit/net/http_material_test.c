/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_material_test.c - certificates and keys, kept and compared.
 *
 * How connections use them is in http_fault_test.c.
 */
#include "net/http_state.h"
#include "support/test.h"

static const kin__http_tls full = { .ca = { "ca", 2 },
                                    .certificate = { "certificate", 11 },
                                    .key = { "key", 3 },
                                    .server_name = "api.test" };

static kin__http_material *make(const kin__http_tls *tls)
{
    kin__http_material *material;
    kin_error err;
    ASSERT_OK(kin__http_material_new(tls, "127.0.0.1:6443", &material, &err));
    return material;
}

TEST(http_material, is_empty_without_anything)
{
    AUTO(kin__http_material_unref) kin__http_material *material = make(NULL);

    ASSERT_EQ(material->ca.len, 0);
    ASSERT_TRUE(material->server_name == NULL);
    ASSERT_TRUE(material->connect_to == NULL);
    ASSERT_FALSE(material->insecure);
}

TEST(http_material, leads_to_the_host_where_the_name_is_another)
{
    AUTO(kin__http_material_unref) kin__http_material *material = make(&full);

    ASSERT_STR_EQ(material->server_name, "api.test");
    ASSERT_STR_EQ(material->connect_to->data, "::127.0.0.1:6443");
    ASSERT_TRUE(material->connect_to->next == NULL);
}

TEST(http_material, is_equal_when_all_of_it_is)
{
    AUTO(kin__http_material_unref) kin__http_material *material = make(&full);
    AUTO(kin__http_material_unref) kin__http_material *same = make(&full);
    ASSERT_TRUE(kin__http_material_equal(material, same));

    for (int i = 0; i < 5; i++) {
        kin__http_tls changed = full;
        changed.ca = i == 0 ? kin_str_of("CA") : changed.ca;
        changed.certificate = i == 1 ? kin_str_of("") : changed.certificate;
        changed.key = i == 2 ? kin_str_of("key2") : changed.key;
        changed.server_name = i == 3 ? NULL : changed.server_name;
        changed.insecure = i == 4;
        AUTO(kin__http_material_unref) kin__http_material *other = make(&changed);
        ASSERT_FALSE(kin__http_material_equal(material, other));
    }
}

TEST(http_material, stays_until_the_last_reference_goes)
{
    kin__http_material *material = make(&full);
    kin__http_material *again = kin__http_material_ref(material);

    kin__http_material_unref(material);
    ASSERT_STR_EQ(again->server_name, "api.test");
    kin__http_material_unref(again);
}

TEST_FAILING_ALLOC(http_material, fails_without_a_leak)
{
    kin__http_material *material;
    kin_error err;
    if (kin__http_material_new(&full, "127.0.0.1:6443", &material, &err) != KIN_OK) {
        return err.code;
    }
    kin__http_material_unref(material);
    return KIN_OK;
}
