/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_sink_test.c - objects go to the server one by one, or in lists.
 *
 * The server is three functions of this program, in place of the real one.
 */
#include "simulate/server_sink.h"

#include <string.h>

#include "kin/object.h"
#include "support/test.h"
#include "unit/simulate/recorder.h"

struct kin_server {
    size_t puts;
    size_t lists;
    size_t items;
    size_t longest;
    size_t removals;
    kin_err code; /* what it answers */
};

kin_err kin_server_put(kin_server *server, kin_str json, uint64_t *out_revision, kin_error *err)
{
    (void) json;
    (void) out_revision;
    (void) err;
    server->puts++;
    return server->code;
}

kin_err kin_server_put_list(kin_server *server, kin_str json, uint64_t *out_revision,
                            kin_error *err)
{
    (void) out_revision;
    (void) err;
    server->lists++;
    server->longest = json.len > server->longest ? json.len : server->longest;
    ASSERT_TRUE(json.len > 60);
    ASSERT_TRUE(memcmp(json.data, "{\"kind\":\"List\",\"apiVersion\":\"v1\",", 32) == 0);
    ASSERT_TRUE(memcmp(json.data + json.len - 3, "}]}", 3) == 0);
    for (size_t i = 0; i + 8 < json.len; i++) {
        server->items += memcmp(json.data + i, "{\"n\":", 5) == 0;
    }
    return server->code;
}

kin_err kin_server_remove(kin_server *server, const char *api_version, const char *kind,
                          const char *ns, const char *name, uint64_t *out_revision, kin_error *err)
{
    (void) out_revision;
    (void) err;
    server->removals++;
    ASSERT_STR_EQ(api_version, "v1");
    ASSERT_STR_EQ(kind, "Pod");
    ASSERT_STR_EQ(ns, "shop");
    ASSERT_STR_EQ(name, "web-0");
    return server->code;
}

static const char item[] = "{\"n\":1}";

TEST(server_sink, puts_and_removes_one_by_one)
{
    kin_server server = { 0 };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);

    ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));
    ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));
    ASSERT_OK(sink.remove(sink.context, "v1", "Pod", "shop", "web-0", NULL));

    ASSERT_EQ(server.puts, 2);
    ASSERT_EQ(server.lists, 0);
    ASSERT_EQ(server.removals, 1);
    kin__server_sink_fini(&self);
}

TEST(server_sink, gathers_lists_of_a_megabyte_and_hands_over_the_rest_at_the_end)
{
    kin_server server = { 0 };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);

    kin__server_sink_begin(&self);
    for (int i = 0; i < 300000; i++) {
        ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));
    }
    ASSERT_EQ(server.lists, 2);
    ASSERT_OK(kin__server_sink_end(&self, NULL));

    ASSERT_EQ(server.lists, 3);
    ASSERT_EQ(server.items, 300000);
    ASSERT_EQ(server.puts, 0);
    ASSERT_TRUE(server.longest < (1 << 20) + 100);
    ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));
    ASSERT_EQ(server.puts, 1);
    kin__server_sink_fini(&self);
}

TEST(server_sink, removes_after_what_was_put_before)
{
    kin_server server = { 0 };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);

    kin__server_sink_begin(&self);
    ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));
    ASSERT_OK(sink.remove(sink.context, "v1", "Pod", "shop", "web-0", NULL));
    ASSERT_EQ(server.lists, 1);
    ASSERT_OK(kin__server_sink_end(&self, NULL));

    ASSERT_EQ(server.lists, 1);
}

TEST(server_sink, passes_on_what_the_server_refuses)
{
    kin_server server = { .code = KIN_ERR_INVALID };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);

    ASSERT_ERR(sink.put(sink.context, kin_str_of(item), NULL), KIN_ERR_INVALID);
    kin__server_sink_begin(&self);
    ASSERT_OK(sink.put(sink.context, kin_str_of(item), NULL));

    ASSERT_ERR(kin__server_sink_end(&self, NULL), KIN_ERR_INVALID);
}

TEST(server_sink, minds_nobody_who_removes_first)
{
    kin_server server = { .code = KIN_ERR_NOT_FOUND };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);

    ASSERT_OK(sink.remove(sink.context, "v1", "Pod", "shop", "web-0", NULL));
    ASSERT_EQ(server.removals, 1);
    server.code = KIN_ERR_INVALID;
    ASSERT_ERR(sink.remove(sink.context, "v1", "Pod", "shop", "web-0", NULL), KIN_ERR_INVALID);
    kin__server_sink_fini(&self);
}

TEST_FAILING_ALLOC(server_sink, says_when_there_is_no_memory_for_a_list)
{
    kin_server server = { 0 };
    kin__server_sink self = { .server = &server };
    kin__sink sink = kin__server_sink_of(&self);
    kin_error err;
    kin_err code = KIN_OK;

    use_counted_memory();
    kin__server_sink_begin(&self);
    for (int i = 0; i < 5000 && code == KIN_OK; i++) {
        code = sink.put(sink.context, kin_str_of(item), &err);
    }
    if (code == KIN_OK) {
        code = kin__server_sink_end(&self, &err);
    }
    kin__server_sink_fini(&self);
    return code;
}
