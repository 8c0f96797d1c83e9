/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_test.c - one object in the form that was asked for.
 */
#include "unit/server/reading.h"

#define MAPS "/api/v1/namespaces/demo/configmaps"

static desk d;

static void open_with_six(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put_six(&d);
}

TEST(answer, is_protobuf_that_means_the_same)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, PROTO, MAPS "/c-2"), 200);

    kin_object *object = NULL;
    char *json = NULL;
    size_t len = 0;
    kin_error err;
    ASSERT_OK(kin_object_from_protobuf(d.body.data, d.body.len, NULL, &object, &err));
    ASSERT_OK(kin_object_json(object, &json, &len, &err));
    ASSERT_STR_EQ(json,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c-2\","
                  "\"namespace\":\"demo\",\"resourceVersion\":\"3\",\"labels\":{\"n\":\"0\"}}}");
    kin_free(json);
    kin_object_unref(object);
    desk_close(&d);
}

TEST(answer, is_a_table_of_one_row)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, "application/json;as=Table;g=meta.k8s.io;v=v1", MAPS "/c-2"), 200);
    ASSERT_CONTAINS(d.body.data, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\","
                                 "\"metadata\":{\"resourceVersion\":\"3\"}");
    ASSERT_CONTAINS(d.body.data, "\"rows\":[{\"cells\":[\"c-2\",");

    desk_close(&d);
}

TEST(answer, is_in_the_version_that_was_asked_for)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    add_custom(&d.s);
    desk_put(&d, desk_served(&d, "example.com", "v1", "widgets"),
             "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\","
             "\"namespace\":\"demo\",\"resourceVersion\":\"%llu\"}}");

    check_answer(&d, "application/json", "/apis/example.com/v1beta1/namespaces/demo/widgets/w", 200,
                 "{\"apiVersion\":\"example.com/v1beta1\",\"kind\":\"Widget\",\"metadata\":{"
                 "\"name\":\"w\",\"namespace\":\"demo\",\"resourceVersion\":\"2\"}}\n");

    desk_close(&d);
}

TEST(answer, of_metadata_says_its_own_version)
{
    open_with_six();

    ASSERT_EQ(desk_ask(&d, PARTIAL, MAPS "/c-1"), 200);
    ASSERT_CONTAINS(d.body.data, "\"apiVersion\":\"meta.k8s.io/v1\"");
    ASSERT_EQ(desk_ask(&d, PARTIAL "beta1", MAPS "/c-1"), 200);
    ASSERT_CONTAINS(d.body.data, "\"apiVersion\":\"meta.k8s.io/v1beta1\"");

    desk_close(&d);
}

TEST(answer, has_the_messages_of_records)
{
    kin_str message, again;
    open_with_six();
    const kin__served *maps = desk_served(&d, "", "v1", "configmaps");
    kin__record *record = kin__collection_get(maps->collection, STR("demo/c-1"));

    ASSERT_TRUE(kin__record_message(record, maps, &message));
    ASSERT_TRUE(kin__record_message(record, maps, &again));

    ASSERT_TRUE(message.len > 0 && message.data == again.data);
    desk_close(&d);
}

static int released;

static kin__body_state no_next(void *context, kin__body_pieces *out)
{
    (void) context;
    (void) out;
    return KIN__BODY_END;
}

static void count_release(void *context)
{
    (void) context;
    released++;
}

TEST(answer, releases_a_body_that_was_not_sent)
{
    kin__answer answer = { .body = { no_next, count_release, NULL } };

    kin__answer_fini(&answer);
    kin__answer_fini(&answer);

    ASSERT_EQ(released, 1);
}

TEST_FAILING_ALLOC(answer, is_refused_without_memory)
{
    static const char table[] = "application/json;as=Table;g=meta.k8s.io;v=v1";
    kin_error err;
    kin_err code = desk_open(&d, &err);

    if (code == KIN_OK) {
        code =
            desk_try_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("a", "1"), &err);
    }
    if (code == KIN_OK &&
        (desk_ask(&d, table, MAPS "/a") != 200 || desk_ask(&d, PROTO, MAPS "/a?pretty=1") != 200 ||
         desk_ask(&d, PARTIAL, MAPS "/a?pretty=1") != 200)) {
        code = KIN_ERR_NO_MEMORY;
    }
    desk_close(&d);
    return code;
}
