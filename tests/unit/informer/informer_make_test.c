/* SPDX-License-Identifier: Apache-2.0 */
/*
 * informer_make_test.c - an informer of its options.
 */
#include <stdio.h>

#include "kin/factory.h"
#include "kin/path.h"
#include "unit/informer/scene.h"

static scene s;

TEST(informer_make, has_the_indexes_it_was_made_with)
{
    scene_open(&s);
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    index.name = "uid";
    index.path = "metadata.uid";
    kin_informer_options options = pods_options(&s);
    options.indexes = &index;
    options.index_count = 1;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    send_object(&s, "a@5");
    end_page(&s, "12");

    kin_view view = kin_store_read(kin_informer_store(s.informer));
    ASSERT_EQ(kin_view_index_count(&view, "uid", kin_str_of("u-a")), 1);
    kin_store_done(&view);
    scene_close(&s);
}

static void expect_refused(kin_informer_options options, kin_err code, const char *message)
{
    ASSERT_ERR(make_informer(&s, &options), code);
    ASSERT_MESSAGE(&s.err, message);
}

TEST(informer_make, refuses_options_that_make_no_sense)
{
    const char *const twice[] = { "shop", "shop", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resource = NULL;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: one of `resource` and `of` must be "
                   "given");
    options = pods_options(&s);
    options.namespaces = twice;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: \"shop\" twice in `namespaces`");
    options.ns = "bank";
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: both `ns` and `namespaces` are given");
    options = pods_options(&s);
    options.label_selector = "a in (";
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_MALFORMED);
    options = pods_options(&s);
    options.size = 0;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    scene_close(&s);
}

TEST(informer_make, refuses_a_client_that_is_none)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    kin_factory *factory = NULL;
    kin_error err;
    options.resource = "pods";

    ASSERT_ERR(kin_informer_new(NULL, &options, &informer, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make an informer: there is no client");
    ASSERT_ERR(kin_factory_new(NULL, &options, &factory, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "make a factory: there is no client");
}

TEST(informer_make, refuses_names_and_numbers_that_are_none)
{
    const char *const none[] = { NULL };
    const char *const empty[] = { "shop", "", NULL };
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resource = "";
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: `resource` is empty");
    options = pods_options(&s);
    options.namespaces = none;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: `namespaces` is empty");
    options.namespaces = empty;
    expect_refused(options, KIN_ERR_USAGE,
                   "make an informer: kin_informer_options: an empty name in `namespaces`");
    options = pods_options(&s);
    options.resync_ms = -1;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    options = pods_options(&s);
    options.start = (kin_start) 3;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    options = pods_options(&s);
    options.encoding = (kin_encoding) 9;
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_USAGE);
    options = pods_options(&s);
    options.field_selector = "a";
    ASSERT_ERR(make_informer(&s, &options), KIN_ERR_MALFORMED);
    scene_close(&s);
}

/* A server would list nothing there, and all would seem well. */
TEST(informer_make, refuses_a_namespace_that_cannot_be)
{
    static const char too_long[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    static const char *const names[] = { "Me dia", "Shop", "-shop", "shop-",
                                         "a/b",    "..",   "sh.op", too_long };
    char message[448];
    scene_open(&s);
    kin_informer_options options = pods_options(&s);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const several[] = { "shop", names[i], NULL };
        (void) snprintf(message, sizeof message,
                        "make an informer: kin_informer_options: no namespace can be called \"%s\"",
                        names[i]);
        options.ns = names[i];
        options.namespaces = NULL;
        expect_refused(options, KIN_ERR_USAGE, message);
        options.ns = NULL;
        options.namespaces = several;
        expect_refused(options, KIN_ERR_USAGE, message);
    }
    scene_close(&s);
}

TEST(informer_make, copies_strings)
{
    char resource[] = "pods";
    char ns[] = "shop";
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.resource = resource;
    options.ns = ns;
    ASSERT_OK(make_informer(&s, &options));
    resource[0] = ns[0] = 'x';

    ASSERT_OK(kin_informer_start(s.informer, &s.err));

    expect_call(&s, "list pods in shop rv=0");
    scene_close(&s);
}

/* What each list and watch of it is to say. */
static void expect_asked(const kin_informer_options *options)
{
    const kin_request *request = &s.at->request;

    ASSERT_STR_EQ(request->label_selector, options->label_selector);
    ASSERT_STR_EQ(request->field_selector, options->field_selector);
    ASSERT_TRUE(request->mask == options->mask);
    ASSERT_EQ(request->metadata_only, options->metadata_only);
    ASSERT_EQ(request->encoding, options->encoding);
}

TEST(informer_make, asks_for_what_its_options_say)
{
    static const char *const paths[] = { "metadata.managedFields" };
    kin_mask *mask = NULL;
    scene_open(&s);
    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, &s.err));
    kin_informer_options options = pods_options(&s);
    options.label_selector = "app=web";
    options.field_selector = "spec.nodeName=n1";
    options.mask = mask;
    options.metadata_only = true;
    options.page_size = 7;
    options.watch_seconds = 1000;
    begin_informer(&s, &options);

    expect_call(&s, "list pods rv=0");
    expect_asked(&options);
    ASSERT_EQ(s.at->request.limit, 7);
    end_page(&s, "12");
    expect_call(&s, "watch pods rv=12");
    expect_asked(&options);
    ASSERT_TRUE(s.at->request.timeout_seconds >= 1000 && s.at->request.timeout_seconds <= 2000);
    scene_close(&s);
    kin_mask_free(mask);
}

TEST(informer_make, asks_for_a_list_or_a_stream_as_its_options_say)
{
    static const char *const words[] = { "list pods rv=0", "list pods rv=0", "stream pods rv=" };

    for (int i = 0; i < 3; i++) {
        scene_open(&s);
        kin_informer_options options = pods_options(&s);
        options.start = (kin_start) i;
        begin_informer(&s, &options);
        expect_call(&s, words[i]);
        scene_close(&s);
    }
}

static text logged;

static void write_line(void *context, kin_log_level level, const char *component,
                       const char *message)
{
    (void) level;
    (void) component;
    text_append(context, "%s|", message);
}

TEST(informer_make, has_the_name_and_the_logger_of_its_options)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.name = "mine";
    options.logger = (kin_logger) KIN_LOGGER_INIT;
    options.logger.context = &logged;
    options.logger.log = write_line;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");

    end_badly(&s, KIN_ERR_FORBIDDEN, 403, "you may not");

    ASSERT_CONTAINS(logged.chars, "mine: you may not");
    ASSERT_ERR(kin_informer_wait_synced(s.informer, 0, &s.err), KIN_ERR_TIMEOUT);
    ASSERT_CONTAINS(s.err.message, "informer \"mine\"");
    scene_close(&s);
}

TEST(informer_make, takes_an_empty_namespace_for_all)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.ns = "";

    begin_informer(&s, &options);

    expect_call(&s, "list pods rv=0");
    scene_close(&s);
}

TEST_FAILING_ALLOC(informer_make, makes_it_or_says_that_there_is_no_memory)
{
    const char *const namespaces[] = { "shop", "bank", NULL };
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;
    kin_err code = scene_try_to_open(&s);

    if (code == KIN_OK) {
        kin_informer_options options = pods_options(&s);
        index.name = "uid";
        index.path = "metadata.uid";
        options.indexes = &index;
        options.index_count = 1;
        options.namespaces = namespaces;
        options.label_selector = "a=b";
        code = make_informer(&s, &options);
    }
    scene_close(&s);
    return code;
}

TEST(informer_make, waits_as_the_program_says)
{
    static const struct {
        kin_err code;
        int http_status;
    } ways[] = { { KIN_ERR_CONNECT, 0 }, { KIN_ERR_FORBIDDEN, 403 } };

    for (size_t i = 0; i < 2; i++) {
        scene_open(&s);
        kin_informer_options options = pods_options(&s);
        options.retry_first_ms = 3000;
        options.retry_max_ms = 5000;
        begin_informer(&s, &options);

        for (int attempt = 0; attempt < 3; attempt++) {
            int64_t least_ms = attempt == 0 ? 3000 : 5000;

            expect_call(&s, "list pods rv=0");
            end_badly(&s, ways[i].code, ways[i].http_status, "not now");
            ASSERT_TRUE(s.retry_ms >= least_ms && s.retry_ms <= 2 * least_ms);
            pass(&s, s.retry_ms);
        }
        scene_close(&s);
    }
}

TEST(informer_make, sits_out_internal_errors_and_silence_as_the_program_says)
{
    scene_open(&s);
    kin_informer_options options = pods_options(&s);
    options.internal_retry_ms = 60000;
    options.idle_ms = 12345;
    begin_informer(&s, &options);
    expect_call(&s, "list pods rv=0");
    end_page(&s, "12");

    expect_call(&s, "watch pods rv=12");
    ASSERT_EQ(s.at->request.idle_ms, 12345);
    send_open(&s);
    send_error(&s, KIN_ERR_SERVER, 500, "etcd is busy");
    end_well(&s);
    pass(&s, s.retry_ms);

    expect_call(&s, "watch pods rv=12");
    scene_close(&s);
}
