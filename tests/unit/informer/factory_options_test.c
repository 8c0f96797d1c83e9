/* SPDX-License-Identifier: Apache-2.0 */
/*
 * factory_options_test.c - what a factory gives to its informers, and which of them are the same.
 */
#include "informer/informer_state.h"
#include "kin/factory.h"
#include "kin/path.h"
#include "unit/api/calling.h"

static stage s;
static kin_client *client;
static kin_factory *factory;
static kin_metrics *metrics;
static kin_mask *mask;
static text log_of_its_own;
static kin_error err;

static void begin(const kin_informer_options *defaults)
{
    stage_open(&s);
    answer_discovery(&s);
    client = open_client(&s, "", NULL);
    ASSERT_OK(kin_factory_new(client, defaults, &factory, &err));
}

static void finish(void)
{
    kin_factory_free(factory);
    kin_client_free(client);
    stage_close(&s);
}

static kin_informer *ask(const kin_informer_options *options)
{
    kin_informer *informer = NULL;

    ASSERT_OK(kin_factory_informer(factory, options, &informer, &err));
    return informer;
}

static kin_informer_options for_maps(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = "configmaps";
    return options;
}

static kin_err transform(void *context, const kin_object *object, kin_object **out, kin_error *why)
{
    (void) context;
    (void) why;
    *out = kin_object_ref(object);
    return KIN_OK;
}

static kin_err make_key(void *context, const kin_object *object, char *out, size_t out_size,
                        size_t *out_len, kin_error *why)
{
    (void) context;
    (void) object;
    (void) why;
    (void) out_size;
    out[0] = 'k';
    *out_len = 1;
    return KIN_OK;
}

static void on_trouble(void *context, const kin_error *what, int64_t retry_ms)
{
    (void) context;
    (void) what;
    (void) retry_ms;
}

/* Every field has another value than none. */
static kin_informer_options all_defaults(const kin_index_options *index)
{
    static const char *const paths[] = { "metadata.managedFields" };
    kin_informer_options defaults = KIN_INFORMER_OPTIONS_INIT;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    ASSERT_OK(kin_metrics_new(&metrics, &err));
    defaults.ns = "shop";
    defaults.label_selector = "a=b";
    defaults.field_selector = "c=d";
    defaults.mask = mask;
    defaults.transform = transform;
    defaults.metadata_only = true;
    defaults.key = make_key;
    defaults.context = &s;
    defaults.indexes = index;
    defaults.index_count = 1;
    defaults.resync_ms = 60000;
    defaults.start = KIN_START_LIST;
    defaults.encoding = KIN_ENCODING_JSON;
    defaults.page_size = 7;
    defaults.watch_seconds = 77;
    defaults.retry_first_ms = 71;
    defaults.retry_max_ms = 72;
    defaults.internal_retry_ms = 73;
    defaults.idle_ms = 74;
    defaults.recreated_is_update = true;
    defaults.on_trouble = on_trouble;
    defaults.logger = stage_logger(&s);
    defaults.logger.context = &log_of_its_own;
    defaults.metrics = metrics;
    return defaults;
}

static bool has_index(const kin_informer *informer, const char *name)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;

    options.name = name;
    options.path = "kind";
    bool is_taken = kin_store_add_index(kin_informer_store(informer), &options, &err) != KIN_OK;
    return is_taken;
}

TEST(factory_options, come_from_its_defaults_where_a_request_has_none)
{
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "k";
    index.path = "data.k";
    kin_informer_options defaults = all_defaults(&index);
    begin(&defaults);
    kin_informer_options options = for_maps();

    const kin_informer *informer = ask(&options);

    const kin_informer_options *its = &informer->options;
    ASSERT_STR_EQ(informer->sources[0].ns, "shop");
    ASSERT_STR_EQ(its->label_selector, "a=b");
    ASSERT_STR_EQ(its->field_selector, "c=d");
    ASSERT_TRUE(its->mask == mask && its->metrics == metrics && its->context == &s);
    ASSERT_TRUE(its->transform == transform && its->key == make_key);
    ASSERT_TRUE(its->on_trouble == on_trouble && informer->parts.logger.context == &log_of_its_own);
    ASSERT_TRUE(its->metadata_only && its->recreated_is_update);
    ASSERT_EQ(its->resync_ms, 60000);
    ASSERT_EQ(its->start, KIN_START_LIST);
    ASSERT_EQ(its->encoding, KIN_ENCODING_JSON);
    ASSERT_EQ(its->page_size, 7);
    ASSERT_EQ(its->watch_seconds, 77);
    ASSERT_EQ(its->retry_first_ms, 71);
    ASSERT_EQ(its->retry_max_ms, 72);
    ASSERT_EQ(its->internal_retry_ms, 73);
    ASSERT_EQ(its->idle_ms, 74);
    ASSERT_TRUE(has_index(informer, "k"));
    ASSERT_STR_EQ(its->resource, "configmaps");
    ASSERT_STR_EQ(its->name, "configmaps");
    finish();
    kin_mask_free(mask);
    kin_metrics_free(metrics);
}

TEST(factory_options, of_a_request_come_before_its_defaults)
{
    static const char *const namespaces[] = { "bank", "shop", NULL };
    kin_informer_options defaults = KIN_INFORMER_OPTIONS_INIT;
    defaults.ns = "shop";
    defaults.label_selector = "a=b";
    defaults.page_size = 7;
    defaults.name = "theirs";
    begin(&defaults);
    kin_informer_options options = for_maps();
    options.namespaces = namespaces;
    options.label_selector = "x=y";
    options.page_size = -1;

    const kin_informer *informer = ask(&options);

    ASSERT_EQ(informer->source_count, 2);
    ASSERT_STR_EQ(informer->sources[0].ns, "bank");
    ASSERT_STR_EQ(informer->options.label_selector, "x=y");
    ASSERT_EQ(informer->options.page_size, -1);
    ASSERT_STR_EQ(informer->options.name, "configmaps");
    finish();
}

TEST(factory_options, may_have_several_namespaces_as_defaults)
{
    static const char *const namespaces[] = { "bank", "shop", NULL };
    kin_informer_options defaults = KIN_INFORMER_OPTIONS_INIT;
    defaults.namespaces = namespaces;
    begin(&defaults);
    kin_informer_options options = for_maps();

    ASSERT_EQ(ask(&options)->source_count, 2);
    options.ns = "other";
    const kin_informer *other = ask(&options);
    ASSERT_EQ(other->source_count, 1);
    ASSERT_STR_EQ(other->sources[0].ns, "other");
    finish();
}

/* Each request differs from a plain one in a single word. */
static size_t write_requests(kin_informer_options *requests, const kin_resource *of)
{
    static const char *const both[] = { "bank", "shop", NULL };
    static const char *const one[] = { "bank", NULL };
    size_t count = 0;

    for (size_t i = 0; i < 16; i++) {
        requests[i] = for_maps();
    }
    requests[count++].resource = "pods";
    requests[count].resource = NULL;
    requests[count++].of = of;
    requests[count++].ns = "shop";
    requests[count++].namespaces = both;
    requests[count++].namespaces = one;
    requests[count++].label_selector = "a=b";
    requests[count++].field_selector = "a=b";
    requests[count++].mask = mask;
    requests[count++].transform = transform;
    requests[count].transform = transform;
    requests[count++].context = &s;
    requests[count++].metadata_only = true;
    requests[count++].key = make_key;
    requests[count++].encoding = KIN_ENCODING_JSON;
    return count;
}

TEST(factory_options, make_another_informer_where_it_keeps_something_else)
{
    static const char *const paths[] = { "metadata.managedFields" };
    kin_informer_options requests[16];
    kin_informer *informers[16];
    kin_resource *of = NULL;
    begin(NULL);
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &err));
    ASSERT_OK(kin_resource_new("shop.io", "v1", "widgets", "Widget", true, &of, &err));
    kin_informer_options plain = for_maps();
    kin_informer *first = ask(&plain);

    size_t count = write_requests(requests, of);
    for (size_t i = 0; i < count; i++) {
        informers[i] = ask(&requests[i]);
        ASSERT_FALSE(informers[i] == first);
        for (size_t k = 0; k < i; k++) {
            ASSERT_FALSE(informers[i] == informers[k]);
        }
    }

    for (size_t i = 0; i < count; i++) {
        ASSERT_TRUE(ask(&requests[i]) == informers[i]);
    }
    plain.page_size = 9; /* and the like: as the first request had it */
    plain.resync_ms = 60000;
    plain.name = "other";
    plain.context = &s;
    ASSERT_TRUE(ask(&plain) == first);
    finish();
    kin_mask_free(mask);
    kin_resource_unref(of);
}

TEST(factory_options, of_a_resource_tell_it_from_others_of_its_name)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_resource *old = NULL;
    kin_resource *new = NULL;
    kin_resource *other = NULL;
    begin(NULL);
    ASSERT_OK(kin_resource_new("shop.io", "v1", "widgets", "Widget", true, &old, &err));
    ASSERT_OK(kin_resource_new("shop.io", "v2", "widgets", "Widget", true, &new, &err));
    ASSERT_OK(kin_resource_new("shop.io", "v1", "gadgets", "Gadget", true, &other, &err));
    options.of = old;
    const kin_informer *first = ask(&options);

    ASSERT_TRUE(ask(&options) == first);
    options.of = new;
    ASSERT_FALSE(ask(&options) == first);
    options.of = other;
    ASSERT_FALSE(ask(&options) == first);
    finish();
    kin_resource_unref(old);
    kin_resource_unref(new);
    kin_resource_unref(other);
}

/* One that is asked for after a stop waits for the next start. */
TEST(factory_options, of_its_start_end_with_a_stop)
{
    begin(NULL);
    kin_informer_options options = for_maps();
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_factory_stop(factory, 0, &err));

    kin_informer *informer = ask(&options);
    for (int i = 0; i < 10; i++) {
        turn(&s);
    }

    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    ASSERT_OK(kin_informer_get_status(informer, &status, &err));
    ASSERT_EQ(status.state, KIN_INFORMER_NEW);
    finish();
}
