/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_undirect_test.c - parts of a strategic merge patch without their directives.
 */
#include "base/str.h"
#include "server/strategic_state.h"
#include "support/test.h"

static const char *undirect(const char *json, bool *out_stays, text *out)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin_error err;

    ASSERT_OK(kin__node_from_json(kin__json_of(kin_str_of(json)), &node, &err));
    ASSERT_OK(kin__strategic_undirect(node, out_stays, &err));
    ASSERT_TRUE(kin__node_append_json(node, &buf));
    text_clear(out);
    text_append(out, "%.*s", (int) buf.len, buf.data);
    return out->chars;
}

TEST(strategic_undirect, takes_out_what_has_a_directive)
{
    bool stays;
    text t;

    ASSERT_STR_EQ(undirect("{\"a\":[1,{\"$patch\":\"x\"},{\"b\":{\"$patch\":1},\"c\":2}],"
                           "\"d\":{\"$patch\":\"delete\"},\"$retainKeys\":[]}",
                           &stays, &t),
                  "{\"a\":[1,{\"c\":2}],\"$retainKeys\":[]}");
    ASSERT_TRUE(stays);
    (void) undirect("{\"$patch\":\"delete\",\"a\":1}", &stays, &t);
    ASSERT_FALSE(stays);
    ASSERT_STR_EQ(undirect("5", &stays, &t), "5");
    ASSERT_TRUE(stays);
}

TEST_FAILING_ALLOC(strategic_undirect, survives_without_memory)
{
    AUTO(kin__node_free) kin__node *node = NULL;
    bool stays;
    kin_error err;

    if (kin__node_from_json(kin__json_of(STR("{\"a\":[{\"$patch\":1},{\"b\":[1]}],\"c\":{}}")),
                            &node, &err) != KIN_OK) {
        return err.code;
    }
    return kin__strategic_undirect(node, &stays, &err);
}
