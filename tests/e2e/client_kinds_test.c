/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_kinds_test.c - every kind the server has: listed, watched, written, in both encodings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e/support/calls.h"
#include "e2e/support/kinds.h"

#define OBJECTS_MAX 2000
#define RESOURCES_MAX 400
#define TRIES 20

/* Objects in the order they were told. */
typedef struct collection {
    kin_object *objects[OBJECTS_MAX];
    size_t count;
    bool has_end;
} collection;

/* What has been done so far. */
typedef struct tally {
    int listed;
    int watched;
    int written;
    int reviewed;
    int with_status;
    int in_protobuf;
    text left_out;
} tally;

static cluster c;
static kin_client *client;
static kin_resource *resources[RESOURCES_MAX];
static size_t resource_count;
static tally done;

/* `options` may be NULL. */
static void open_session(const kin_client_options *options)
{
    cluster_use_shared(&c);
    client = connect_as(&c, NULL, options);
    make_namespace(client, KINDS_NAMESPACE);
}

static void close_session(void)
{
    kin_client_free(client);
    cluster_stop(&c);
}

static bool keep_resource(void *context, const kin_resource *resource)
{
    (void) context;
    ASSERT_TRUE(resource_count < RESOURCES_MAX);
    resources[resource_count++] = kin_resource_ref(resource);
    return true;
}

static bool collect(void *context, kin_object *object)
{
    collection *all = context;

    ASSERT_TRUE(all->count < OBJECTS_MAX);
    all->objects[all->count++] = kin_object_ref(object);
    return true;
}

/* Ends the watch when all that is there has been told. */
static bool collect_event(void *context, const kin_event *event)
{
    collection *all = context;

    if (event->type == KIN_EVENT_ADDED) {
        return collect(context, event->object);
    }
    ASSERT_STR_EQ(event_name(event->type), "BOOKMARK");
    all->has_end = event->is_initial_end;
    return !all->has_end;
}

static void release(collection *all)
{
    for (size_t i = 0; i < all->count; i++) {
        kin_object_unref(all->objects[i]);
    }
    free(all);
}

static collection *list(const kin_resource *of, kin_encoding encoding, bool metadata_only)
{
    collection *all = calloc(1, sizeof *all);
    kin_reply reply = KIN_REPLY_INIT;
    kin_handler handler = { .size = sizeof handler, .context = all, .on_object = collect };
    kin_request request = { REQUEST, .verb = KIN_VERB_LIST, .of = of, .encoding = encoding,
                            .metadata_only = metadata_only };

    must_run_to(client, &request, &handler, &reply);
    ASSERT_EQ(reply.count, all->count);
    ASSERT_EQ(reply.http_status, 200);
    kin_reply_fini(&reply);
    return all;
}

static collection *watch(const kin_resource *of, kin_encoding encoding, bool metadata_only)
{
    collection *all = calloc(1, sizeof *all);
    kin_error err = { 0 };
    kin_handler handler = { .size = sizeof handler, .context = all, .on_event = collect_event };
    kin_request request = { REQUEST,
                            .verb = KIN_VERB_WATCH,
                            .of = of,
                            .encoding = encoding,
                            .metadata_only = metadata_only,
                            .initial_events = 1,
                            .timeout_seconds = 20 };

    ASSERT_ERR(kin_client_run(client, &request, &handler, NULL, &err), KIN_ERR_CANCELLED);
    ASSERT_TRUE(all->has_end);
    return all;
}

static kin_object *get(const kin_resource *of, const char *name, kin_encoding encoding)
{
    return must_run(client,
                    &(kin_request){ REQUEST, .verb = KIN_VERB_GET, .of = of, .ns = KINDS_NAMESPACE,
                                    .name = name, .encoding = encoding });
}

static void must_be_equal(const kin_object *a, const kin_object *b)
{
    kin_error err = { 0 };
    bool is_equal = false;
    char *texts[2] = { NULL, NULL };
    size_t len;

    ASSERT_OK(kin_object_json(a, &texts[0], &len, &err));
    ASSERT_OK(kin_object_json(b, &texts[1], &len, &err));
    ASSERT_STR_EQ(texts[0], texts[1]);
    ASSERT_OK(kin_object_equal(a, b, &is_equal));
    ASSERT_TRUE(is_equal);
    ASSERT_TRUE(kin_str_equal(kin_object_key(a), kin_object_key(b)));
    ASSERT_TRUE(kin_str_equal(kin_object_resource_version(a), kin_object_resource_version(b)));
    ASSERT_TRUE(kin_str_equal(kin_object_uid(a), kin_object_uid(b)));
    kin_free(texts[0]);
    kin_free(texts[1]);
}

static bool is_same_state(const collection *a, const collection *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!kin_str_equal(kin_object_key(a->objects[i]), kin_object_key(b->objects[i])) ||
            !kin_str_equal(kin_object_resource_version(a->objects[i]),
                           kin_object_resource_version(b->objects[i]))) {
            return false;
        }
    }
    return true;
}

typedef collection *(*fetch_fn)(const kin_resource *of, kin_encoding encoding, bool metadata_only);

/* In two encodings.  Controllers inside the server write, too: it is asked again until both show
 * the same state. */
static size_t compare(fetch_fn fetch, const kin_resource *of, kin_encoding encoding,
                      bool metadata_only)
{
    for (int tries = 0; tries < TRIES; tries++) {
        collection *plain = fetch(of, KIN_ENCODING_JSON, metadata_only);
        collection *other = fetch(of, encoding, metadata_only);
        bool is_same = is_same_state(plain, other);
        size_t count = plain->count;

        for (size_t i = 0; is_same && i < count; i++) {
            must_be_equal(plain->objects[i], other->objects[i]);
        }
        release(plain);
        release(other);
        if (is_same) {
            return count;
        }
    }
    FAIL("%s: no two answers show the same state", kin_resource_name(of));
}

static void compare_gets(const kin_resource *of, const char *name, kin_encoding encoding)
{
    for (int tries = 0; tries < TRIES; tries++) {
        kin_object *plain = get(of, name, KIN_ENCODING_JSON);
        kin_object *other = get(of, name, encoding);
        bool is_same =
            kin_str_equal(kin_object_resource_version(plain), kin_object_resource_version(other));

        if (is_same) {
            must_be_equal(plain, other);
        }
        kin_object_unref(plain);
        kin_object_unref(other);
        if (is_same) {
            return;
        }
    }
    FAIL("%s: it changes all the time", kin_resource_name(of));
}

/* The answer of a list says what is known in protobuf. */
static bool is_known_in_protobuf(const kin_resource *of)
{
    kin_error err = { 0 };
    kin_request request = { REQUEST,    .verb = KIN_VERB_LIST, .of = of,
                            .limit = 1, .one_page = true,      .encoding = KIN_ENCODING_PROTOBUF };
    kin_err code = kin_client_run(client, &request, NULL, NULL, &err);

    if (code == KIN_ERR_USAGE) {
        ASSERT_CONTAINS(err.message, "no protobuf is known for kind");
        return false;
    }
    ASSERT_STR_EQ(err.message, "");
    return true;
}

static void create(const kin_resource *of, const kind_sample *sample)
{
    static char body[8192];
    kin_request request = { REQUEST, .verb = KIN_VERB_CREATE, .of = of, .ns = KINDS_NAMESPACE,
                            .field_validation = "Strict" };

    (void) snprintf(body, sizeof body, "{\"metadata\":{\"name\":\"%s\"}%s}",
                    kind_sample_name(sample), sample->rest != NULL ? sample->rest : "");
    request.body = kin_str_of(body);
    kin_object *made = must_run(client, &request);
    ASSERT_SLICE_EQ(kin_object_name(made), kind_sample_name(sample));
    ASSERT_SLICE_EQ(kin_object_kind(made), kin_resource_kind(of));
    ASSERT_SLICE_EQ(kin_object_api_version(made), kin_resource_api_version(of));
    kin_object_unref(made);
}

static void patch_label(const kin_resource *of, const char *name)
{
    kin_str value = { NULL, 0 };
    kin_object *patched = must_run(
        client, &(kin_request){ REQUEST, .verb = KIN_VERB_PATCH, .of = of, .ns = KINDS_NAMESPACE,
                                .name = name,
                                .body = kin_str_of("{\"metadata\":{\"labels\":{\"p\":\"q\"}}}") });

    ASSERT_TRUE(kin_object_label(patched, kin_str_of("p"), &value));
    ASSERT_SLICE_EQ(value, "q");
    kin_object_unref(patched);
}

/* Edits what was got in one encoding or the other and sends it; again when somebody was faster. */
static void update(const kin_resource *of, const char *name, kin_encoding encoding,
                   const char *subresource)
{
    kin_err code = KIN_ERR_CONFLICT;
    kin_error err = { 0 };

    for (int tries = 0; code == KIN_ERR_CONFLICT && tries < TRIES; tries++) {
        kin_object *old = get(of, name, encoding);
        kin_edit *edit = NULL;
        kin_object *new = NULL;
        kin_request request = { REQUEST, .verb = KIN_VERB_UPDATE, .of = of, .ns = KINDS_NAMESPACE,
                                .subresource = subresource };

        ASSERT_OK(kin_object_edit(old, &edit, &err));
        ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.u", kin_str_of("v"), &err));
        ASSERT_OK(kin_edit_object(edit, &new, &err));
        request.object = new;
        code = kin_client_run(client, &request, NULL, NULL, &err);
        kin_object_unref(new);
        kin_edit_free(edit);
        kin_object_unref(old);
    }
    if (code != KIN_OK) {
        FAIL("%s", err.message);
    }
}

static bool has_status(const kin_resource *of, const char *name)
{
    kin_error err = { 0 };
    kin_reply reply = KIN_REPLY_INIT;
    kin_request request = { REQUEST,      .verb = KIN_VERB_GET,   .of = of, .ns = KINDS_NAMESPACE,
                            .name = name, .subresource = "status" };
    kin_err code = kin_client_run(client, &request, NULL, &reply, &err);

    kin_reply_fini(&reply);
    if (code != KIN_OK) {
        ASSERT_ERR(code, KIN_ERR_NOT_FOUND);
    }
    return code == KIN_OK;
}

static void get_metadata(const kin_resource *of, const char *name)
{
    kin_object *objects[2];

    for (int i = 0; i < 2; i++) {
        objects[i] = must_run(
            client,
            &(kin_request){ REQUEST, .verb = KIN_VERB_GET, .of = of, .ns = KINDS_NAMESPACE,
                            .name = name, .metadata_only = true,
                            .encoding = i == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF });
        ASSERT_SLICE_EQ(kin_object_name(objects[i]), name);
    }
    if (kin_str_equal(kin_object_resource_version(objects[0]),
                      kin_object_resource_version(objects[1]))) {
        must_be_equal(objects[0], objects[1]);
    }
    kin_object_unref(objects[0]);
    kin_object_unref(objects[1]);
}

/* Nobody removes finalizers here but us; of a namespace there is one more. */
static void remove_it(const kin_resource *of, const char *name)
{
    kin_error err = { 0 };
    kin_request request = { REQUEST,      .verb = KIN_VERB_DELETE,
                            .of = of,     .ns = KINDS_NAMESPACE,
                            .name = name, .propagation = "Background" };

    kin_object_unref(must_run(client, &request));
    if (strcmp(kin_resource_name(of), "namespaces") == 0) {
        char body[256];

        (void) snprintf(body, sizeof body,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                        "\"%s\"},\"spec\":{}}",
                        name);
        kin_object_unref(must_run(
            client, &(kin_request){ REQUEST, .verb = KIN_VERB_UPDATE, .of = of, .name = name,
                                    .subresource = "finalize", .body = kin_str_of(body) }));
    } else {
        request = (kin_request){
            REQUEST,      .verb = KIN_VERB_PATCH,
            .of = of,     .ns = KINDS_NAMESPACE,
            .name = name, .body = kin_str_of("{\"metadata\":{\"finalizers\":null}}")
        };
        (void) !kin_client_run(client, &request, NULL, NULL, &err);
    }
}

static void must_be_gone(const kin_resource *of, const char *name)
{
    kin_err code = KIN_OK;

    for (int64_t until = now_ms() + 10000; code == KIN_OK && now_ms() < until;) {
        kin_error err = { 0 };
        kin_reply reply = KIN_REPLY_INIT;
        kin_request request = { REQUEST, .verb = KIN_VERB_GET, .of = of, .ns = KINDS_NAMESPACE,
                                .name = name };

        code = kin_client_run(client, &request, NULL, &reply, &err);
        kin_reply_fini(&reply);
    }
    ASSERT_ERR(code, KIN_ERR_NOT_FOUND);
}

static void write_all_ways(const kin_resource *of, const kind_sample *sample, kin_encoding encoding)
{
    const char *name = kind_sample_name(sample);

    create(of, sample);
    compare_gets(of, name, encoding);
    get_metadata(of, name);
    ASSERT_TRUE(compare(list, of, encoding, false) > 0);
    ASSERT_TRUE(compare(list, of, KIN_ENCODING_PROTOBUF, true) > 0);
    ASSERT_TRUE(compare(watch, of, encoding, false) > 0);
    ASSERT_TRUE(compare(watch, of, KIN_ENCODING_PROTOBUF, true) > 0);
    patch_label(of, name);
    update(of, name, KIN_ENCODING_JSON, NULL);
    update(of, name, encoding, NULL);
    if (has_status(of, name)) {
        update(of, name, encoding, "status");
        done.with_status++;
    }
    remove_it(of, name);
    must_be_gone(of, name);
    done.written++;
}

/* A kind that is only created: a question, whose answer is not kept. */
static kin_object *ask(const kin_resource *of, const kind_sample *sample, kin_encoding encoding)
{
    static char body[1024];

    (void) snprintf(body, sizeof body, "{\"metadata\":{}%s}",
                    sample->rest != NULL ? sample->rest : "");
    return must_run(client, &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .of = of,
                                            .ns = KINDS_NAMESPACE, .body = kin_str_of(body),
                                            .encoding = encoding });
}

/* Some answers are lists in no particular order: it is asked again until both have the same. */
static void review(const kin_resource *of, const kind_sample *sample)
{
    for (int tries = 0; tries < TRIES; tries++) {
        kin_object *plain = ask(of, sample, KIN_ENCODING_JSON);
        kin_object *other = ask(of, sample, KIN_ENCODING_PROTOBUF);
        bool is_equal = false;

        ASSERT_OK(kin_object_equal(plain, other, &is_equal));
        if (is_equal || tries == TRIES - 1) {
            must_be_equal(plain, other);
            tries = TRIES;
        }
        kin_object_unref(plain);
        kin_object_unref(other);
    }
    done.reviewed++;
}

static void leave_out(const kin_resource *of, const char *why)
{
    text_append(&done.left_out, "  %s of %s: %s\n", kin_resource_name(of),
                kin_resource_api_version(of), why);
}

static void try_kind(const kin_resource *of)
{
    const kind_sample *sample = kind_sample_of(of);
    kin_encoding encoding = KIN_ENCODING_AUTO;

    (void) printf("%s of %s\n", kin_resource_name(of), kin_resource_api_version(of));
    (void) fflush(stdout);
    if (kin_resource_can(of, "list")) {
        encoding = is_known_in_protobuf(of) ? KIN_ENCODING_PROTOBUF : KIN_ENCODING_AUTO;
        done.in_protobuf += encoding == KIN_ENCODING_PROTOBUF;
        (void) compare(list, of, encoding, false);
        (void) compare(list, of, KIN_ENCODING_AUTO, false);
        done.listed++;
    }
    if (kin_resource_can(of, "watch")) {
        (void) compare(watch, of, encoding, false);
        done.watched++;
    }
    if (sample == NULL || sample->why_not != NULL) {
        leave_out(of, sample != NULL ? sample->why_not : "no sample of it is known");
    } else if (kin_resource_can(of, "get")) {
        write_all_ways(of, sample, encoding);
    } else {
        review(of, sample);
    }
}

static void try_all_kinds(bool http1_only)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = { 0 };

    options.http1_only = http1_only;
    open_session(&options);
    must_be_ok(kin_client_each_resource(client, keep_resource, NULL, &err), &err);

    for (size_t i = 0; i < resource_count; i++) {
        if (strstr(kin_resource_group(resources[i]), ".example") == NULL) {
            try_kind(resources[i]);
        }
        kin_resource_unref(resources[i]);
    }

    (void) printf("%zu resources: %d listed, %d watched, %d written, %d reviewed, %d with status, "
                  "%d in protobuf; not written:\n%s",
                  resource_count, done.listed, done.watched, done.written, done.reviewed,
                  done.with_status, done.in_protobuf, done.left_out.chars);
    ASSERT_TRUE(done.written >= 58);
    ASSERT_EQ(done.listed, done.written + 1); /* and componentstatuses */
    close_session();
}

TEST(client_kinds, are_listed_watched_and_written_in_both_encodings)
{
    try_all_kinds(false);
}

TEST(client_kinds, are_listed_watched_and_written_in_both_encodings_over_http1)
{
    try_all_kinds(true);
}

/* Alpha and beta versions: whatever comes, both encodings say the same. */
TEST(client_kinds, that_are_off_by_default_are_listed_and_watched)
{
    kin_error err = { 0 };
    cluster_start(&c, (const char *[]){ "--runtime-config=api/all=true", NULL });
    client = connect_as(&c, NULL, NULL);
    must_be_ok(kin_client_each_resource(client, keep_resource, NULL, &err), &err);

    for (size_t i = 0; i < resource_count; i++) {
        const kin_resource *of = resources[i];
        bool is_stable = strcmp(kin_resource_version(of), "v1") == 0;

        if (!is_stable && kin_resource_can(of, "list") && kin_resource_can(of, "watch")) {
            bool is_known = is_known_in_protobuf(of);

            (void) printf("%s of %s: %s\n", kin_resource_name(of), kin_resource_api_version(of),
                          is_known ? "in protobuf" : "in JSON");
            (void) compare(list, of, KIN_ENCODING_AUTO, false);
            (void) compare(watch, of, KIN_ENCODING_AUTO, false);
            (void) compare(list, of, KIN_ENCODING_PROTOBUF, true);
            done.listed++;
        }
        kin_resource_unref(of);
    }

    ASSERT_TRUE(done.listed >= 20);
    close_session();
}

TEST(client_kinds, that_are_deprecated_come_with_a_warning)
{
    kin_reply reply = KIN_REPLY_INIT;
    open_session(NULL);

    must_run_to(client,
                &(kin_request){ REQUEST, .verb = KIN_VERB_LIST, .resource = "componentstatuses" },
                NULL, &reply);

    ASSERT_STR_EQ(reply.warnings, "v1 ComponentStatus is deprecated in v1.19+");
    kin_reply_fini(&reply);
    close_session();
}
