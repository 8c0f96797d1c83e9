/* SPDX-License-Identifier: Apache-2.0 */
/*
 * factory_test.c - informers that are shared, on a client and a server.
 */
#include "kin/factory.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/api/calling.h"

#define LIST_MAPS "GET /api/v1/configmaps?"
#define LIST_PODS "GET /api/v1/pods?"

static stage s;
static kin_client *client;
static kin_factory *factory;
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

static kin_informer_options for_resource(const char *resource)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = resource;
    options.encoding = KIN_ENCODING_JSON;
    return options;
}

static kin_informer *ask(const kin_informer_options *options)
{
    kin_informer *informer = NULL;

    ASSERT_OK(kin_factory_informer(factory, options, &informer, &err));
    return informer;
}

static kin_informer *ask_for(const char *resource)
{
    kin_informer_options options = for_resource(resource);

    return ask(&options);
}

/* The server has one map, and a watch that stays open. */
static void answer_maps(void)
{
    answer(&s, LIST_MAPS, 200, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
    answer_open(&s, LIST_MAPS, EVENT("ADDED", MAP("b", "13")));
}

TEST(factory, gives_the_same_informer_to_who_asks_for_the_same)
{
    begin(NULL);
    kin_informer_options options = for_resource("configmaps");
    kin_informer *informer = ask(&options);

    ASSERT_TRUE(ask_for("configmaps") == informer);
    ASSERT_FALSE(ask_for("pods") == informer);
    options.label_selector = "a=b";
    kin_informer *selected = ask(&options);
    ASSERT_FALSE(selected == informer);
    ASSERT_TRUE(ask(&options) == selected);
    options.ns = "shop";
    ASSERT_FALSE(ask(&options) == selected);
    options = for_resource("configmaps");
    options.metadata_only = true;
    ASSERT_FALSE(ask(&options) == informer);
    finish();
}

TEST(factory, knows_the_other_names_of_built_in_resources)
{
    kin_resource *known;
    kin_resource *beta;
    begin(NULL);
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &known, &err));
    ASSERT_OK(kin_resource_new("apps", "v1beta1", "deployments", "Deployment", true, &beta, &err));
    kin_informer_options by_resource = for_resource(NULL);
    by_resource.of = known;
    kin_informer *maps = ask_for("cm");

    ASSERT_TRUE(ask_for("configmaps") == maps);
    ASSERT_TRUE(ask_for("ConfigMap") == maps);
    ASSERT_TRUE(ask_for("configmaps.v1.") == maps);
    ASSERT_TRUE(ask(&by_resource) == maps);
    by_resource.of = beta;
    ASSERT_FALSE(ask(&by_resource) == ask_for("deploy"));
    ASSERT_FALSE(ask_for("hpa.v1.autoscaling") == ask_for("hpa.v2.autoscaling"));
    kin_resource_unref(known);
    kin_resource_unref(beta);
    finish();
}

TEST(factory, learns_the_other_names_of_resources_from_the_server)
{
    kin_resource *widgets;
    begin(NULL);
    kin_informer *one = ask_for("widgets");
    kin_informer *other = ask_for("Widget");
    ASSERT_FALSE(one == other);

    ASSERT_OK(kin_client_resource(client, "widgets", &widgets, &err));

    ASSERT_TRUE(ask_for("widgets") == one);
    ASSERT_TRUE(ask_for("Widget") == other);
    ASSERT_TRUE(ask_for("widgets.shop.io") == one);
    kin_informer_options options = for_resource(NULL);
    options.of = widgets;
    ASSERT_TRUE(ask(&options) == one);
    kin_resource_unref(widgets);
    finish();
}

TEST(factory, takes_selectors_and_namespaces_by_what_they_mean)
{
    static const char *const two[] = { "bank", "shop", NULL };
    static const char *const turned[] = { "shop", "bank", NULL };
    static const char *const one[] = { "shop", NULL };
    begin(NULL);
    kin_informer_options options = for_resource("configmaps");
    options.label_selector = "a=b,c";
    options.field_selector = "metadata.name=x,metadata.namespace!=y";
    options.namespaces = two;
    kin_informer *informer = ask(&options);

    options.label_selector = "c, a=b";
    options.field_selector = "metadata.namespace!=y,metadata.name==x";
    options.namespaces = turned;
    ASSERT_TRUE(ask(&options) == informer);
    options.namespaces = one;
    ASSERT_FALSE(ask(&options) == informer);
    options.label_selector = "";
    options.field_selector = NULL;
    kin_informer *shop = ask(&options);
    options.label_selector = NULL;
    options.namespaces = NULL;
    options.ns = "shop";
    ASSERT_TRUE(ask(&options) == shop);
    options.ns = "";
    kin_informer *all = ask(&options);
    ASSERT_TRUE(ask_for("configmaps") == all);
    finish();
}

TEST(factory, tells_those_apart_that_keep_what_was_deleted)
{
    static const kin_index_options by_uid = { sizeof by_uid, "uid", "metadata.uid", NULL, NULL };
    begin(NULL);
    kin_informer_options options = for_resource("configmaps");
    options.keep_deleted_ms = 1000;
    kin_informer *keeping = ask(&options);

    ASSERT_FALSE(ask_for("configmaps") == keeping);
    ASSERT_TRUE(kin_informer_deleted(keeping) != NULL);
    options.indexes = &by_uid;
    options.index_count = 1;
    ASSERT_TRUE(ask(&options) == keeping);
    kin_error taken;
    ASSERT_ERR(kin_store_add_index(kin_informer_deleted(keeping), &by_uid, &taken), KIN_ERR_USAGE);
    ASSERT_CONTAINS(taken.message, "the name is taken");
    finish();
}

TEST(factory, refuses_what_makes_no_sense_beside_one_that_does)
{
    static const char *const two[] = { "bank", "shop", NULL };
    static const char *const one[] = { "shop", NULL };
    kin_resource *known;
    kin_informer *informer = NULL;
    begin(NULL);
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &known, &err));
    kin_informer_options options = for_resource("configmaps");
    options.namespaces = two;
    (void) ask(&options);

    options.namespaces = one;
    options.ns = "bank";
    ASSERT_ERR(kin_factory_informer(factory, &options, &informer, &err), KIN_ERR_USAGE);
    options.ns = NULL;
    options.namespaces = two;
    options.of = known;
    ASSERT_ERR(kin_factory_informer(factory, &options, &informer, &err), KIN_ERR_USAGE);
    options.of = NULL;
    options.label_selector = "a in (";
    ASSERT_ERR(kin_factory_informer(factory, &options, &informer, &err), KIN_ERR_MALFORMED);
    kin_resource_unref(known);
    finish();
}

TEST(factory, fills_up_requests_with_its_defaults)
{
    kin_informer_options defaults = KIN_INFORMER_OPTIONS_INIT;
    defaults.ns = "shop";
    defaults.label_selector = "a=b";
    begin(&defaults);
    kin_informer_options options = for_resource("configmaps");
    kin_informer *informer = ask(&options);

    options.ns = "shop";
    options.label_selector = "a=b";
    ASSERT_TRUE(ask(&options) == informer);
    options.ns = "bank";
    ASSERT_FALSE(ask(&options) == informer);
    finish();
}

TEST(factory, starts_and_waits_for_all)
{
    begin(NULL);
    answer_maps();
    kin_informer *maps = ask_for("configmaps");

    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_factory_wait_synced(factory, -1, &err));
    ASSERT_OK(kin_informer_wait_for(maps, kin_str_of("shop/b"), kin_str_of("13"), -1, &err));

    kin_view view = kin_store_read(kin_informer_store(maps));
    ASSERT_EQ(kin_view_count(&view), 2);
    kin_store_done(&view);
    ASSERT_OK(kin_factory_stop(factory, -1, &err));
    finish();
}

TEST(factory, starts_what_is_asked_for_after_its_start)
{
    begin(NULL);
    answer_maps();
    ASSERT_OK(kin_factory_start(factory, &err));

    (void) ask_for("configmaps");

    ASSERT_OK(kin_factory_wait_synced(factory, -1, &err));
    finish();
}

TEST(factory, names_those_that_are_not_synced)
{
    begin(NULL);
    answer_maps();
    answer(
        &s, LIST_PODS, 403,
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"you may "
        "not\",\"reason\":\"Forbidden\",\"code\":403}");
    kin_informer *maps = ask_for("configmaps");
    kin_informer *pods = ask_for("pods");
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_informer_wait_synced(maps, -1, &err));
    while (status.state != KIN_INFORMER_FORBIDDEN) {
        turn(&s);
        ASSERT_OK(kin_informer_get_status(pods, &status, &err));
    }

    ASSERT_ERR(kin_factory_wait_synced(factory, 0, &err), KIN_ERR_TIMEOUT);

    ASSERT_MESSAGE(&err, "wait until all informers are synced: 1 is not: pods (forbidden: list "
                         "pods: you may not)");
    finish();
}

TEST(factory, adds_the_indexes_that_are_asked_for)
{
    begin(NULL);
    answer_maps();
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "k";
    index.path = "data.k";
    kin_informer_options options = for_resource("configmaps");
    kin_informer *informer = ask(&options);
    options.indexes = &index;
    options.index_count = 1;

    ASSERT_TRUE(ask(&options) == informer);
    ASSERT_TRUE(ask(&options) == informer);
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_factory_wait_synced(factory, -1, &err));

    kin_view view = kin_store_read(kin_informer_store(informer));
    ASSERT_TRUE(kin_view_index_count(&view, "k", kin_str_of("v")) >= 1);
    kin_store_done(&view);
    finish();
}

TEST(factory, removes_one_and_makes_another)
{
    begin(NULL);
    (void) ask_for("pods");
    long long before = live_blocks();
    kin_informer *informer = ask_for("configmaps");

    ASSERT_OK(kin_factory_remove(factory, informer, &err));
    ASSERT_EQ(live_blocks(), before);
    ASSERT_ERR(kin_factory_remove(factory, informer, &err), KIN_ERR_NOT_FOUND);
    (void) ask_for("configmaps");
    finish();
}

TEST(factory, drops_the_handlers_of_all_when_a_stop_says_so)
{
    kin_registration *registration = NULL;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
    begin(NULL);
    answer_maps();
    kin_informer *maps = ask_for("configmaps");
    handler.mode = KIN_DELIVERY_QUEUE;
    ASSERT_OK(kin_informer_add_handler(maps, &handler, &registration, &err));
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_factory_wait_synced(factory, -1, &err));

    ASSERT_OK(kin_factory_stop_and_drop(factory, -1, &err));

    ASSERT_OK(kin_registration_get_status(registration, &status, &err));
    ASSERT_EQ(status.state, KIN_REGISTRATION_STOPPED);
    ASSERT_TRUE(status.dropped > 0);
    kin_registration_free(registration);
    finish();
}

TEST(factory, goes_on_after_a_stop)
{
    begin(NULL);
    answer_maps();
    kin_informer *maps = ask_for("configmaps");
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_informer_wait_synced(maps, -1, &err));
    ASSERT_OK(kin_informer_wait_for(maps, kin_str_of("shop/b"), kin_str_of("13"), -1, &err));
    ASSERT_OK(kin_factory_stop(factory, 0, &err));

    answer(&s, LIST_MAPS, 200, MAPS("\"resourceVersion\":\"14\"", MAP("a", "5")));
    answer_open(&s, LIST_MAPS, EVENT("DELETED", MAP("b", "14")));
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_informer_wait_for(maps, kin_str_of("shop/b"), kin_str_of("14"), -1, &err));

    kin_view view = kin_store_read(kin_informer_store(maps));
    ASSERT_TRUE(kin_view_get(&view, kin_str_of("shop/b")) == NULL);
    kin_store_done(&view);
    finish();
}

TEST(factory, passes_on_what_makes_no_sense)
{
    begin(NULL);
    kin_informer *informer = NULL;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    ASSERT_ERR(kin_factory_informer(factory, &options, &informer, &err), KIN_ERR_USAGE);
    options.resource = "pods";
    options.label_selector = "a in (";
    ASSERT_ERR(kin_factory_informer(factory, &options, &informer, &err), KIN_ERR_MALFORMED);
    finish();
}

static int be_a_child(kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration *registration;
    int wrong = 0;

    wrong += kin_informer_start(informer, NULL) != KIN_ERR_USAGE;
    wrong += kin_informer_stop(informer, -1, NULL) != KIN_ERR_USAGE;
    wrong += kin_informer_get_status(informer, &status, NULL) != KIN_ERR_USAGE;
    wrong += kin_informer_wait_for(informer, kin_str_of("a"), kin_str_of("1"), -1, NULL) !=
             KIN_ERR_USAGE;
    wrong += kin_informer_add_handler(informer, &handler, &registration, NULL) != KIN_ERR_USAGE;
    kin_factory_free(factory);
    kin_client_free(client);
    return wrong;
}

TEST(factory, may_be_freed_in_a_forked_child)
{
    begin(NULL);
    answer_maps();
    kin_informer *maps = ask_for("configmaps");
    ASSERT_OK(kin_factory_start(factory, &err));
    ASSERT_OK(kin_factory_wait_synced(factory, -1, &err));

    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        _exit(be_a_child(maps));
    }

    ASSERT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    ASSERT_EQ(status, 0);
    ASSERT_OK(kin_informer_wait_for(maps, kin_str_of("shop/b"), kin_str_of("13"), -1, &err));
    finish();
}

TEST_FAILING_ALLOC(factory, makes_informers_or_says_that_there_is_no_memory)
{
    kin_informer_options options = for_resource("configmaps");
    kin_informer *informer = NULL;
    kin_factory *mine = NULL;
    static kin_client fake;

    kin_err code = kin_loop_new(NULL, &s.loop, &err);
    if (code != KIN_OK) {
        return code;
    }
    fake.loop = s.loop;
    code = kin_factory_new(&fake, NULL, &mine, &err);
    if (code == KIN_OK) {
        code = kin_factory_informer(mine, &options, &informer, &err);
    }
    if (code == KIN_OK) {
        options.resource = "cm";
        options.label_selector = "";
        code = kin_factory_informer(mine, &options, &informer, &err);
    }
    kin_factory_free(mine);
    kin__client_guest *guest = atomic_exchange(&fake.guest, NULL);
    if (guest != NULL) {
        guest->free(guest);
    }
    kin_loop_free(s.loop);
    return code;
}
