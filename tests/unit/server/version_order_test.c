/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version_order_test.c - which of two API versions is preferred.
 */
#include "server/version_order.h"

#include "base/str.h"
#include "support/test.h"

/* Each before all that follow, by Kubernetes' own example. */
static const char *const ranked[] = {
    "v10",       "v2",   "v1",    "v11beta2", "v10beta3", "v3beta2", "v3beta1", "v12alpha1",
    "v11alpha2", "foo1", "foo10", "v0",       "v01",      "v1alpha", "v1beta0", "v1gamma1",
};

TEST(version_order, prefers_stable_then_beta_then_alpha_then_others_by_name)
{
    size_t count = sizeof ranked / sizeof ranked[0];

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            int order = kin__version_compare(kin_str_of(ranked[i]), kin_str_of(ranked[j]));
            if (i == j ? order != 0 : (order < 0) != (i < j)) {
                FAIL("%s and %s: %d", ranked[i], ranked[j], order);
            }
        }
    }
}

TEST(version_order, takes_a_number_that_is_too_large_for_no_version)
{
    ASSERT_TRUE(kin__version_compare(STR("v1alpha1"), STR("v99999999999999999999999")) < 0);
}
