/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names_test.c - names are short enough, and no two are equal.
 */
#include "simulate/names.h"

#include <string.h>

#include "base/map.h"
#include "support/test.h"

TEST(names, gives_no_name_twice)
{
    AUTO(kin__map_clear) kin__map seen = { 0 };

    for (uint32_t i = 0; i < 2000; i++) {
        char app[KIN__SIM_APP_SIZE];
        char ns[KIN__SIM_NAMESPACE_SIZE];
        void *before = NULL;
        kin__sim_app_name(i, app);
        kin__sim_namespace_name(i, ns);

        ASSERT_OK(kin__map_put(&seen, kin_str_of(app), &seen, &before, NULL));
        ASSERT_TRUE(before == NULL);
        ASSERT_OK(kin__map_put(&seen, kin_str_of(ns), &seen, &before, NULL));
        ASSERT_TRUE(before == NULL);
    }
}

TEST(names, leaves_room_in_a_pods_name)
{
    char app[KIN__SIM_APP_SIZE];
    char ns[KIN__SIM_NAMESPACE_SIZE];
    size_t longest = 0;

    for (uint32_t i = 0; i < 1256; i++) {
        kin__sim_app_name(1000000 + i, app);
        longest = strlen(app) > longest ? strlen(app) : longest;
    }
    kin__sim_namespace_name(215, ns);

    ASSERT_TRUE(longest + 1 + KIN__SIM_HASH_MAX + 1 + KIN__SIM_SUFFIX_LEN < 63);
    ASSERT_STR_EQ(ns, "analytics-14");
}

TEST(names, writes_suffixes_and_hashes_of_safe_characters)
{
    char suffix[KIN__SIM_SUFFIX_LEN + 1];
    char hash[KIN__SIM_HASH_MAX + 1];

    kin__sim_suffix(26 + 27 * 20, suffix);
    kin__sim_template_hash(4294967295u, hash);

    ASSERT_STR_EQ(suffix, "92bbb");
    ASSERT_STR_EQ(hash, "86f8fbc6f9");
}
