/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_test.c - whole Tables, beside those of an API server.
 */
#include "server/table.h"

#include "unit/server/printing.h"

/* A table of config maps, or of what `kind` of the core group is. */
static kin__table make_table(kin__json_writer *w, const char *kind)
{
    return (kin__table){
        .w = w,
        .columns = kin__columns_of(STR(""), kin_str_of(kind)),
        .api_version = STR(KIN__META_V1),
        .now = PRINTING_NOW,
    };
}

static kin_object *config_map(const char *json)
{
    return printing_make("v1", "ConfigMap", kin_str_of(json));
}

/* What stands behind `"rows":`. */
static const char *rows_of(kin__buf *out)
{
    ASSERT_TRUE(kin__buf_append_byte(out, '\0'));
    char *rows = strstr(out->data, "\"rows\":");
    ASSERT_TRUE(rows != NULL);
    return rows + strlen("\"rows\":");
}

TEST(table, of_a_list_is_what_an_api_server_sends)
{
    size_t len;
    char *list = read_fixture("list-configmaps.json", NULL);
    char *want = read_fixture("table-configmaps.json", &len);
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__table table = make_table(&w, "ConfigMap");
    kin__list_meta meta = { .resource_version = STR("404") };
    kin__json_iter iter =
        kin__json_walk(kin__json_member(kin__json_of(kin_str_of(list)), STR("items")));
    kin_error err;

    table.now = (kin_time){ 1794779554, 500000000 };
    kin__table_begin(&table, &meta, true);
    while (kin__json_next(&iter)) {
        kin_object *object = printing_make("v1", "ConfigMap", kin__json_text(iter.value));
        ASSERT_OK(kin__table_row(&table, object, &err));
        kin_object_unref(object);
    }
    kin__table_end(&table);
    kin__buf_append_byte(&out, '\n');
    kin__buf_append_byte(&out, '\0');

    ASSERT_EQ(out.len - 1, len);
    ASSERT_STR_EQ(out.data, want);
    free_fixture(list);
    free_fixture(want);
}

/* The events of the fixture: of its first and of its later ones, and the bookmark. */
TEST(table, of_an_event_tells_its_columns_only_the_first_time)
{
    size_t len;
    size_t count = 0;
    char *want = read_fixture("table-configmaps-watch.json", &len);

    for (char *line = want, *end; (end = strchr(line, '\n')) != NULL; line = end + 1, count++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        AUTO(kin__buf_fini) kin__buf json = { 0 };
        kin__json_writer w = { &out, false };
        kin__table table = make_table(&w, "ConfigMap");
        kin__json event = kin__json_of(kin__str(line, (size_t) (end - line)));
        kin__json object = kin__json_member(event, STR("object"));
        kin__json row = kin__json_element(kin__json_member(object, STR("rows")), 0);
        kin_str metadata =
            kin__json_text(kin__json_member(kin__json_member(row, STR("object")), STR("metadata")));
        kin_str type = kin__json_raw_string(kin__json_member(event, STR("type")));
        kin_error err;
        kin__buf_append_format(&json, "{\"metadata\":%.*s,\"data\":%s}", KIN_STR_ARG(metadata),
                               kin__str_equal(type, STR("BOOKMARK")) ? "null" : "{\"k\":\"v\"}");
        kin_object *shown = printing_make("v1", "ConfigMap", kin__str(json.data, json.len));
        table.now = (kin_time){ 1794779682, 900000000 };

        ASSERT_OK(kin__table_object(&table, shown, count == 0, &err));

        kin__buf_append_byte(&out, '\0');
        *end = '\0';
        ASSERT_CONTAINS(line, out.data);
        kin_object_unref(shown);
    }
    ASSERT_TRUE(count >= 4);
    free_fixture(want);
}

TEST(table, tells_what_the_list_says_of_itself)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__table table = make_table(&w, "ConfigMap");
    kin__list_meta meta = {
        .resource_version = STR("7"), .next = STR("ab\"c"), .remaining = 0, .has_remaining = true
    };

    table.api_version = STR("meta.k8s.io/v1beta1");
    kin__table_begin(&table, &meta, false);
    kin__table_end(&table);
    kin__buf_append_byte(&out, '\0');

    ASSERT_STR_EQ(out.data,
                  "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1beta1\",\"metadata\":{"
                  "\"resourceVersion\":\"7\",\"continue\":\"ab\\\"c\",\"remainingItemCount\":0},"
                  "\"columnDefinitions\":null,\"rows\":[]}");
}

TEST(table, without_rows_has_none_or_null)
{
    static const char *const kinds[][2] = { { "Pod", "[]}" }, { "LimitRange", "null}" } };

    for (size_t i = 0; i < 2; i++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin__json_writer w = { &out, false };
        kin__table table = make_table(&w, kinds[i][0]);
        kin__list_meta meta = { 0 };
        kin__table_begin(&table, &meta, true);
        kin__table_end(&table);
        ASSERT_STR_EQ(rows_of(&out), kinds[i][1]);
    }
}

TEST(table, shows_as_much_of_the_object_as_is_asked_for)
{
    static const struct {
        kin__table_include include;
        const char *want;
    } cases[] = {
        { KIN__TABLE_METADATA, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1"
                               "\",\"metadata\":{\"name\":\"c\",\"labels\":{\"a\":\"b\"}}}}]}" },
        { KIN__TABLE_OBJECT, "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                             "\"c\",\"labels\":{\"a\":\"b\"}},\"data\":{\"k\":\"v\"}}}]}" },
        { KIN__TABLE_NOTHING, "null}]}" },
    };
    kin_object *object =
        config_map("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\","
                   "\"labels\":{\"a\":\"b\"}},\"data\":{\"k\":\"v\"}}");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin__json_writer w = { &out, false };
        kin__table table = make_table(&w, "ConfigMap");
        kin_error err;
        table.include = cases[i].include;
        ASSERT_OK(kin__table_object(&table, object, true, &err));
        const char *rows = rows_of(&out);
        ASSERT_STR_EQ(strstr(rows, "\"object\":") + strlen("\"object\":"), cases[i].want);
    }
    kin_object_unref(object);
}

TEST(table, of_the_end_of_initial_events_keeps_its_metadata)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__table table = make_table(&w, "ConfigMap");
    kin_object *object = config_map("{\"metadata\":{\"resourceVersion\":\"9\",\"annotations\":{"
                                    "\"k8s.io/initial-events-end\":\"true\"}}}");
    kin_error err;

    table.include = KIN__TABLE_NOTHING;
    ASSERT_OK(kin__table_object(&table, object, false, &err));

    ASSERT_STR_EQ(rows_of(&out),
                  "[{\"cells\":[\"\",0,\"\\u003cunknown\\u003e\"],\"object\":{\"kind\":"
                  "\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
                  "\"resourceVersion\":\"9\",\"annotations\":{\"k8s.io/initial-events-end\":"
                  "\"true\"}}}}]}");
    kin_object_unref(object);
}

TEST(table, of_api_services_tells_its_columns_every_time)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__table table = make_table(&w, "Pod");
    kin__list_meta meta = { 0 };

    table.columns = kin__columns_of(STR("apiregistration.k8s.io"), STR("APIService"));
    kin__table_begin(&table, &meta, false);
    kin__buf_append_byte(&out, '\0');

    ASSERT_CONTAINS(out.data, "\"columnDefinitions\":[{\"name\":\"Name\"");
}

TEST(table, does_not_show_protobuf_that_has_no_json)
{
    static const char bytes[] = "\x0a\x03\x0a\x01n\x12\x02\xff\xff"; /* data: no entry of a map */
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__json_writer w = { &out, false };
    kin__table table = make_table(&w, "ConfigMap");
    kin_object *object;
    kin_error err;

    options.api_version = "v1";
    options.kind = "ConfigMap";
    ASSERT_OK(kin_object_from_protobuf(bytes, sizeof bytes - 1, &options, &object, &err));
    table.include = KIN__TABLE_OBJECT;

    ASSERT_ERR(kin__table_object(&table, object, true, &err), KIN_ERR_MALFORMED);
    kin_object_unref(object);
}

TEST_FAILING_ALLOC(table, needs_memory)
{
    static const char json[] = "{\"metadata\":{\"name\":\"c\"},\"data\":{}}";
    static const kin__table_include includes[] = { KIN__TABLE_METADATA, KIN__TABLE_OBJECT };
    kin_object *object = NULL;
    kin_error err;
    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &object, &err);

    for (size_t i = 0; code == KIN_OK && i < 2; i++) {
        AUTO(kin__buf_fini) kin__buf out = { 0 };
        kin__json_writer w = { &out, false };
        kin__table table = make_table(&w, "ConfigMap");
        table.include = includes[i];
        code = kin__table_object(&table, object, true, &err);
    }
    kin_object_unref(object);
    return code;
}
