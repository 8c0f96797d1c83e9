/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_print_test.c - trees as Go prints them.
 */
#include "server/go_print.h"

#include "base/str.h"
#include "support/test.h"

static void assert_prints(const char *json, const char *want)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(json)), &node, &err));
    kin__go_print(node, &buf);
    ASSERT_SLICE_EQ(kin__str(buf.data, buf.len), want);
}

TEST(go_print, prints_maps_sorted_and_strings_as_they_are)
{
    assert_prints("{\"b\":[1,\"x y\",null,true],\"a\":{\"c\":1.5},\"d\":{},\"e\":[]}",
                  "map[a:map[c:1.5] b:[1 x y <nil> true] d:map[] e:[]]");
}

TEST_FAILING_ALLOC(go_print, survives_without_memory)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    if (kin__node_from_json(kin__json_of(STR("{\"a\":[{\"b\":1}]}")), &node, &err) != KIN_OK) {
        return err.code;
    }
    kin__go_print(node, &buf);
    return kin__buf_failed(&buf) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
