/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategic_keys_test.c - keys of list elements as numbers.
 */
#include "server/strategic_keys.h"

#include <stdio.h>

#include "base/str.h"
#include "server/field.h"
#include "support/test.h"

/* The number of each element of a JSON array, as text: "0 1 0". */
static const char *numbers_of(const char *json, char *out, size_t size)
{
    AUTO(kin__node_free) kin__node *list = kin__tree_of(kin_str_of(json));
    kin__strategic_keys keys = { 0 };
    kin__node_iter iter = { 0 };
    size_t len = 0;

    ASSERT_TRUE(list != NULL && kin__strategic_keys_init(&keys, kin__node_count(list)));
    while (kin__node_next(list, &iter)) {
        uint32_t number = 99;
        ASSERT_TRUE(kin__strategic_keys_add(&keys, iter.value, &number));
        len += (size_t) snprintf(out + len, size - len, "%s%u", len == 0 ? "" : " ", number);
    }
    kin__strategic_keys_fini(&keys);
    return out;
}

TEST(strategic_keys, are_numbered_as_they_come_and_equal_ones_alike)
{
    char out[128];

    ASSERT_STR_EQ(numbers_of("[\"b\",\"a\",\"b\",\"\",\"a\",\"bb\"]", out, sizeof out),
                  "0 1 0 2 1 3");
}

TEST(strategic_keys, tell_types_apart_and_know_numbers_however_they_are_written)
{
    char out[128];

    ASSERT_STR_EQ(numbers_of("[1,\"1\",1.5,15e-1,true,\"true\",-0,0]", out, sizeof out),
                  "0 1 2 2 3 4 5 5");
    ASSERT_STR_EQ(numbers_of("[{\"a\":1},{\"a\":1},{\"a\":2},[1],[1]]", out, sizeof out),
                  "0 0 1 2 2");
}

TEST(strategic_keys, are_found_among_many)
{
    enum { MANY = 5000 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__strategic_keys keys = { 0 };
    kin__node_iter iter = { 0 };

    for (int i = 0; i < 2 * MANY; i++) {
        ASSERT_TRUE(kin__buf_append_format(&json, "%s\"%d\"", i == 0 ? "[" : ",", i % MANY));
    }
    ASSERT_TRUE(kin__buf_append_byte(&json, ']'));
    AUTO(kin__node_free) kin__node *list = kin__tree_of(kin__str(json.data, json.len));
    ASSERT_TRUE(kin__strategic_keys_init(&keys, MANY));
    for (uint32_t i = 0; kin__node_next(list, &iter); i++) {
        uint32_t number = 0;
        ASSERT_TRUE(kin__strategic_keys_add(&keys, iter.value, &number));
        ASSERT_EQ(number, i % MANY);
    }
    kin__strategic_keys_fini(&keys);
}

TEST_FAILING_ALLOC(strategic_keys, survive_every_lack_of_memory)
{
    AUTO(kin__node_free) kin__node *value = kin__tree_of(STR("\"a\""));
    kin__strategic_keys keys = { 0 };
    uint32_t number = 0;
    bool is_done = value != NULL && kin__strategic_keys_init(&keys, 1) &&
                   kin__strategic_keys_add(&keys, value, &number);

    kin__strategic_keys_fini(&keys);
    return is_done ? KIN_OK : KIN_ERR_NO_MEMORY;
}
