/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.cpp - the whole public API, used from C++11.
 *
 * Calls every public function and expands every public macro; tools/check-cpp sees to it that
 * none is left out, that there is no warning, and that it links and runs.
 */
#include "kin/kin.h"
#include "kin/testing/server.h"
#include "kin/testing/simulation.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);          \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
#define CHECK_OK(call) CHECK((call) == KIN_OK)

static const char pod_json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\","
    "\"namespace\":\"demo\",\"uid\":\"u-1\",\"resourceVersion\":\"41\",\"generation\":2,"
    "\"creationTimestamp\":\"2026-11-15T21:48:12Z\",\"labels\":{\"app\":\"web\"},"
    "\"annotations\":{\"note\":\"a\\nb\"},\"ownerReferences\":[{\"name\":\"web\","
    "\"controller\":true}]},\"spec\":{\"containers\":[{\"image\":\"nginx\"},{\"image\":\"sh\"}],"
    "\"priority\":7,\"ratio\":0.5,\"hostNetwork\":true,\"memory\":\"2Ki\","
    "\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"plain\":{\"app\":\"web\"}}}";

static bool is(kin_str got, const char *want)
{
    return kin_str_equal(got, kin_str_of(want));
}

KIN_BEGIN_DECLS

KIN_API KIN_MUST_CHECK bool count_match(void *context, kin_value match);
void note(const char *format, ...) KIN_FORMAT(1, 2);

void note(const char *format, ...)
{
    (void) format;
}

bool count_match(void *context, kin_value match)
{
    int *count = static_cast<int *>(context);
    *count += kin_value_exists(match) ? 1 : 0;
    return true;
}

static void *take(void *context, size_t bytes)
{
    (void) context;
    return std::malloc(bytes);
}

static void *retake(void *context, void *memory, size_t bytes)
{
    (void) context;
    return std::realloc(memory, bytes);
}

static void give_back(void *context, void *memory)
{
    (void) context;
    std::free(memory);
}

static void say(void *context, kin_log_level level, const char *component, const char *message)
{
    (void) context;
    std::fprintf(stderr, "%s: %s: %s\n", kin_log_level_name(level), component, message);
}

static void count_call(void *context)
{
    ++*static_cast<int *>(context);
}

KIN_END_DECLS

static void use_common()
{
    char version[32];
    std::snprintf(version, sizeof version, "%d.%d.%d", KIN_VERSION_MAJOR, KIN_VERSION_MINOR,
                  KIN_VERSION_PATCH);
    CHECK(std::strcmp(kin_version(), version) == 0);
    CHECK(KIN_VERSION_AT_LEAST(0, 1, 0) && !KIN_VERSION_AT_LEAST(1000, 0, 0));
    CHECK(std::strcmp(kin_err_name(KIN_ERR_TYPE), "KIN_ERR_TYPE") == 0);
    kin_error err;
    CHECK(kin_error_set(&err, KIN_ERR_TYPE, "%d", 1) == KIN_ERR_TYPE);
    CHECK(std::strcmp(err.message, "1") == 0);

    char printed[8];
    kin_str part = { "abcdef", 3 };
    std::snprintf(printed, sizeof printed, "%.*s", KIN_STR_ARG(part));
    CHECK(std::strcmp(printed, "abc") == 0);
    kin_free(NULL);
}

static void use_allocator()
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    kin_error err;
    CHECK(kin_allocator_set(&allocator, &err) == KIN_ERR_USAGE);
    allocator.alloc = take;
    allocator.realloc = retake;
    allocator.release = give_back;
    CHECK_OK(kin_allocator_set(&allocator, &err));
}

static void use_log_and_metrics()
{
    kin_logger logger = KIN_LOGGER_INIT;
    logger.log = say;
    logger.level = KIN_LOG_INFO;
    CHECK(logger.size == sizeof logger);
    CHECK(std::strcmp(kin_log_level_name(KIN_LOG_DEBUG), "debug") == 0);

    kin_metrics *metrics = NULL;
    char *text = NULL;
    size_t len = 0;
    CHECK_OK(kin_metrics_new(&metrics, NULL));
    CHECK_OK(kin_metrics_text(metrics, &text, &len, NULL));
    CHECK(std::strlen(text) == len);
    kin_free(text);
    kin_metrics_free(metrics);
}

static void use_key()
{
    char buffer[16];
    kin_str key, in_namespace, name;
    int order = 0;
    CHECK_OK(
        kin_key_make(kin_str_of("demo"), kin_str_of("web-0"), buffer, sizeof buffer, &key, NULL));
    CHECK(is(key, "demo/web-0"));
    CHECK_OK(kin_key_split(key, &in_namespace, &name, NULL));
    CHECK(is(in_namespace, "demo") && is(name, "web-0"));
    CHECK_OK(kin_resource_version_compare(kin_str_of("9"), kin_str_of("10"), &order, NULL));
    CHECK(order < 0);
}

static kin_object *new_pod(const kin_mask *mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *pod = NULL;
    kin_error err;
    options.mask = mask;
    if (kin_object_from_json(pod_json, std::strlen(pod_json), &options, &pod, &err) != KIN_OK) {
        std::fprintf(stderr, "%s\n", err.message);
        std::exit(1);
    }
    return pod;
}

static void use_protobuf()
{
    static const char message[] = "\x0a\x07\x0a\x05web-0\x12\x06\x52\x04node";
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_object *pod = NULL;
    kin_str node;
    options.api_version = "v1";
    options.kind = "Pod";
    CHECK_OK(kin_object_from_protobuf(message, sizeof message - 1, &options, &pod, NULL));
    CHECK(is(kin_object_name(pod), "web-0"));
    CHECK_OK(kin_value_str(kin_object_at(pod, "spec.nodeName"), NULL, 0, &node));
    CHECK(is(node, "node"));
    kin_object_unref(pod);
}

static void use_metadata(const kin_object *pod)
{
    kin_time time;
    kin_str key, value;
    CHECK(is(kin_object_key(pod), "demo/web-0"));
    CHECK(is(kin_object_namespace(pod), "demo") && is(kin_object_name(pod), "web-0"));
    CHECK(is(kin_object_uid(pod), "u-1") && is(kin_object_resource_version(pod), "41"));
    CHECK(is(kin_object_api_version(pod), "v1") && is(kin_object_kind(pod), "Pod"));
    CHECK(kin_object_generation(pod) == 2);
    CHECK(kin_object_creation_time(pod, &time) && time.seconds == 1794779292);
    CHECK(!kin_object_deletion_time(pod, &time));
    CHECK(kin_object_label_count(pod) == 1);
    CHECK(kin_object_label_at(pod, 0, &key, &value) && is(key, "app") && is(value, "web"));
    CHECK(kin_object_label(pod, kin_str_of("app"), &value) && is(value, "web"));
    CHECK(kin_value_count(kin_object_annotations(pod)) == 1);
    CHECK(kin_value_exists(kin_object_annotation(pod, kin_str_of("note"))));
    CHECK(kin_value_count(kin_object_owners(pod)) == 1);
    CHECK(kin_value_exists(kin_object_controller_owner(pod)));
    CHECK(kin_object_size(pod) > 0);
}

static void use_object(const kin_object *pod)
{
    kin_path *images = NULL;
    char *json = NULL;
    size_t len = 0;
    bool is_equal = false;
    int count = 0;
    CHECK_OK(kin_path_new("spec.containers[*].image", &images, NULL));
    CHECK(std::strcmp(kin_path_text(images), "spec.containers[*].image") == 0);
    CHECK(kin_object_each(pod, images, count_match, &count) == 2 && count == 2);
    CHECK(kin_value_type(kin_object_at_path(pod, images)) == KIN_TYPE_STRING);
    CHECK(count_match(&count, kin_object_at(pod, "spec")) && count == 3);
    kin_path_free(images);
    CHECK(KIN_PATH_TEXT_STEPS == 32);

    kin_object *other = kin_object_ref(pod);
    CHECK_OK(kin_object_equal(pod, other, &is_equal));
    CHECK(is_equal);
    other = kin_object_unref(other);
    CHECK(other == NULL);
    CHECK_OK(kin_object_json(pod, &json, &len, NULL));
    CHECK(std::strlen(json) == len);
    kin_free(json);
}

static void use_mask()
{
    const char *const paths[] = { "spec" };
    kin_mask *mask = NULL;
    CHECK_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    kin_object *pod = new_pod(mask);
    kin_mask_free(mask);
    CHECK(kin_object_is_partial(pod) && !kin_value_exists(kin_object_at(pod, "spec")));
    kin_object_unref(pod);
}

static void use_values(const kin_object *pod)
{
    kin_value spec = kin_object_at(pod, "spec");
    int64_t number = 0;
    double real = 0;
    bool flag = false;
    kin_time time;
    CHECK(std::strcmp(kin_type_name(kin_value_type(spec)), "object") == 0);
    CHECK_OK(kin_value_int64(kin_value_member(spec, kin_str_of("priority")), &number));
    CHECK(number == 7);
    CHECK_OK(kin_value_double(kin_value_at(spec, "ratio"), &real));
    CHECK(real > 0.4 && real < 0.6);
    CHECK_OK(kin_value_bool(kin_value_at(spec, "hostNetwork"), &flag));
    CHECK(flag);
    CHECK_OK(kin_value_quantity(kin_value_at(spec, "memory"), 0, &number));
    CHECK(number == 2048);
    CHECK_OK(kin_value_time(kin_object_at(pod, "metadata.creationTimestamp"), &time));
    CHECK(time.nanoseconds == 0);
}

static void use_strings_and_walks(const kin_object *pod)
{
    kin_value note = kin_object_annotation(pod, kin_str_of("note"));
    kin_value containers = kin_object_at(pod, "spec.containers");
    kin_value first = kin_value_element(containers, 0);
    char scratch[16];
    char *json = NULL;
    size_t len = 0;
    kin_str text;
    bool is_equal = true;
    CHECK(kin_value_scratch_size(note) > 0 && kin_value_scratch_size(note) <= sizeof scratch);
    CHECK_OK(kin_value_str(note, scratch, sizeof scratch, &text));
    CHECK(is(text, "a\nb"));

    kin_iter iter = kin_value_iter(containers);
    CHECK(kin_iter_next(&iter) && kin_iter_next(&iter));
    CHECK_OK(kin_value_equal(first, iter.value, &is_equal));
    CHECK(!is_equal && !kin_iter_next(&iter));
    CHECK_OK(kin_value_json(first, &json, &len, NULL));
    CHECK(std::strcmp(json, "{\"image\":\"nginx\"}") == 0);
    kin_free(json);
}

static void use_selectors(const kin_object *pod)
{
    kin_selector *selector = NULL;
    kin_field_selector *fields = NULL;
    CHECK_OK(kin_selector_parse("app in (web)", &selector, NULL));
    CHECK(kin_selector_matches(selector, pod));
    CHECK(std::strlen(kin_selector_text(selector)) > 0);
    CHECK(!kin_selector_is_everything(selector) && !kin_selector_is_nothing(selector));
    kin_selector_free(selector);
    CHECK_OK(kin_selector_from_value(kin_object_at(pod, "spec.selector"), &selector, NULL));
    CHECK(kin_selector_matches(selector, pod));
    kin_selector_free(selector);
    CHECK_OK(kin_selector_from_labels(kin_object_at(pod, "spec.plain"), &selector, NULL));
    CHECK(kin_selector_matches(selector, pod));
    kin_selector_free(selector);

    CHECK_OK(kin_field_selector_parse("metadata.name=web-0", &fields, NULL));
    CHECK(kin_field_selector_matches(fields, pod));
    CHECK(std::strcmp(kin_field_selector_text(fields), "metadata.name=web-0") == 0);
    kin_field_selector_free(fields);
}

static void use_edit(const kin_object *pod)
{
    kin_edit *edit = NULL;
    kin_object *changed = NULL;
    char *patch = NULL;
    size_t len = 0;
    CHECK_OK(kin_object_edit(pod, &edit, NULL));
    CHECK_OK(kin_edit_set_str(edit, "spec.nodeName", kin_str_of("node-1"), NULL));
    CHECK_OK(kin_edit_set_int64(edit, "spec.priority", 8, NULL));
    CHECK_OK(kin_edit_set_double(edit, "spec.ratio", 0.25, NULL));
    CHECK_OK(kin_edit_set_bool(edit, "spec.hostNetwork", false, NULL));
    CHECK_OK(kin_edit_set_json(edit, "spec.plain", kin_str_of("{\"app\":\"db\"}"), NULL));
    CHECK_OK(kin_edit_remove(edit, "metadata.annotations", NULL));
    CHECK_OK(kin_edit_append_str(edit, "metadata.finalizers", kin_str_of("a/b"), NULL));
    CHECK_OK(kin_edit_append_json(edit, "spec.containers", kin_str_of("{}"), NULL));
    CHECK_OK(kin_edit_object(edit, &changed, NULL));
    CHECK(kin_value_count(kin_object_at(changed, "spec.containers")) == 3);
    kin_object_unref(changed);
    CHECK_OK(kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED | KIN_PATCH_IF_SAME_UID, &patch,
                                  &len, NULL));
    CHECK(std::strlen(patch) == len && std::strstr(patch, "\"node-1\"") != NULL);
    kin_free(patch);
    kin_edit_free(edit);
}

static void use_loop()
{
    kin_loop_options options = KIN_LOOP_OPTIONS_INIT;
    kin_loop *loop = NULL;
    int calls = 0;
    CHECK_OK(kin_loop_new(&options, &loop, NULL));
    CHECK(kin_loop_fd(loop) >= 0 && !kin_loop_is_inside(loop));
    CHECK_OK(kin_loop_post(loop, count_call, &calls, NULL));
    CHECK_OK(kin_loop_dispatch(loop, 0, NULL));
    CHECK(calls == 1);
    CHECK_OK(kin_loop_start(loop, NULL));
    CHECK(kin_loop_dispatch(loop, 0, NULL) == KIN_ERR_USAGE);
    kin_loop_stop(loop);
    kin_loop_free(loop);
}

static void use_config()
{
    static const char kubeconfig[] =
        "{\"current-context\":\"here\",\"contexts\":[{\"name\":\"here\",\"context\":"
        "{\"cluster\":\"c\"}}],\"clusters\":[{\"name\":\"c\",\"cluster\":"
        "{\"server\":\"https://c\"}}]}";
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    options.ns = "demo";
    CHECK_OK(
        kin_config_from_text(kubeconfig, sizeof kubeconfig - 1, NULL, &options, &config, NULL));
    CHECK(kin_config_ref(config) == config);
    CHECK(std::strcmp(kin_config_server(config), "https://c") == 0);
    CHECK(std::strcmp(kin_config_namespace(config), "demo") == 0);
    CHECK(std::strcmp(kin_config_context(config), "here") == 0);
    CHECK(kin_config_unref(config) == NULL);
    kin_config_unref(config);

    options.path = "/nowhere/at/all";
    CHECK(kin_config_load(&options, &config, NULL) == KIN_ERR_NOT_FOUND);
    if (std::getenv("KUBERNETES_SERVICE_HOST") == NULL) {
        CHECK(kin_config_in_cluster(&config, NULL) == KIN_ERR_NOT_FOUND);
    }
}

static bool see_object(void *context, kin_object *object)
{
    (void) context;
    return object != NULL;
}

static bool see_resource(void *context, const kin_resource *resource)
{
    (void) context;
    return resource != NULL;
}

static void use_resource()
{
    kin_resource *resource = NULL;
    const char *name = NULL;

    CHECK_OK(kin_resource_new("apps", "v1", "deployments", "Deployment", true, &resource, NULL));
    CHECK(kin_resource_ref(resource) == resource);
    CHECK(std::strcmp(kin_resource_group(resource), "apps") == 0);
    CHECK(std::strcmp(kin_resource_version(resource), "v1") == 0);
    CHECK(std::strcmp(kin_resource_api_version(resource), "apps/v1") == 0);
    CHECK(std::strcmp(kin_resource_name(resource), "deployments") == 0);
    CHECK(std::strcmp(kin_resource_kind(resource), "Deployment") == 0);
    CHECK(kin_resource_singular(resource) != NULL);
    CHECK(kin_resource_is_namespaced(resource));
    CHECK(kin_resource_can(resource, "watch"));
    CHECK(!kin_resource_short_name(resource, 0, &name));
    CHECK(kin_resource_unref(resource) == NULL);
    kin_resource_unref(resource);
}

/* Nobody listens on port 1: every call ends, and says so. */
static void use_client()
{
    static const char kubeconfig[] =
        "{\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"http://127.0.0.1:1\"}}],"
        "\"contexts\":[{\"name\":\"here\",\"context\":{\"cluster\":\"c\",\"user\":\"\"}}],"
        "\"current-context\":\"here\"}";
    kin_config *config = NULL;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_client *client = NULL;
    kin_request request = KIN_REQUEST_INIT;
    kin_reply reply = KIN_REPLY_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_call *call = NULL;
    kin_object *object = NULL;
    kin_resource *resource = NULL;
    char *version = NULL;

    CHECK_OK(kin_config_from_text(kubeconfig, sizeof kubeconfig - 1, NULL, NULL, &config, NULL));
    CHECK_OK(kin_object_from_json(pod_json, sizeof pod_json - 1, NULL, &object, NULL));
    CHECK_OK(kin_client_new(config, &options, &client, NULL));
    CHECK(kin_client_config(client) == config && kin_client_loop(client) != NULL);
    request.verb = KIN_VERB_LIST;
    request.resource = "pods";
    handler.on_object = see_object;
    CHECK(kin_client_run(client, &request, &handler, &reply, NULL) == KIN_ERR_CONNECT);
    kin_reply_fini(&reply);
    CHECK_OK(kin_client_start(client, &request, &handler, &call, NULL));
    kin_call_cancel(call);
    kin_call_free(call);
    CHECK(kin_client_get(client, "pods", "demo", "a", &object, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_list(client, "pods", NULL, see_object, NULL, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_create(client, object, NULL, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_update(client, object, NULL, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_patch(client, "pods", "demo", "a", kin_str_of("{}"), NULL, NULL) ==
          KIN_ERR_CONNECT);
    CHECK(kin_client_delete(client, "pods", "demo", "a", NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_resource(client, "pods", &resource, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_resource_of_kind(client, "v1", "Pod", &resource, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_each_resource(client, see_resource, NULL, NULL) == KIN_ERR_CONNECT);
    CHECK(kin_client_server_version(client, &version, NULL) == KIN_ERR_CONNECT);
    kin_client_free(client);
    kin_object_unref(object);
    kin_config_unref(config);
}

KIN_BEGIN_DECLS

static kin_err index_by_name(void *context, const kin_object *object, kin_index_sink *sink,
                             kin_error *err)
{
    (void) context;
    (void) err;
    kin_index_add(sink, kin_object_name(object));
    return KIN_OK;
}

KIN_END_DECLS

/* Stores belong to what fills them: without one this only has to compile and link. */
static void use_store(kin_store *store)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_snapshot *snapshot = NULL;

    if (store == NULL) {
        return;
    }
    options.name = "name";
    options.fn = index_by_name;
    CHECK_OK(kin_store_add_index(store, &options, NULL));
    CHECK_OK(kin_store_snapshot(store, &snapshot, NULL));
    CHECK(kin_view_count(kin_snapshot_view(snapshot)) == 0);
    kin_snapshot_free(snapshot);
    kin_view view = kin_store_read(store);
    CHECK(kin_view_get(&view, kin_str_of("demo/web-0")) == NULL);
    CHECK(kin_view_number(&view) > 0 && kin_view_resource_version(&view, 0).len == 0);
    kin_view_iter iter = kin_view_all(&view);
    CHECK(!kin_view_next(&iter));
    iter = kin_view_by_index(&view, "name", kin_str_of("web-0"));
    CHECK(!kin_view_next_matching(&iter, NULL, NULL));
    iter = kin_view_in_namespace(&view, kin_str_of("demo"));
    CHECK(iter.object == NULL);
    kin_index_iter values = kin_index_iter();
    CHECK(!kin_view_next_value(&view, "name", &values));
    CHECK(kin_view_index_name(&view, 0) != NULL);
    CHECK(kin_view_index_count(&view, "name", kin_str_of("web-0")) == 0);
    kin_store_done(&view);
    CHECK_OK(kin_store_remove_index(store, "name", NULL));
}

KIN_BEGIN_DECLS

static void see_notification(void *context, const kin_notification *notification)
{
    (void) context;
    (void) notification;
}

KIN_END_DECLS

/* Registrations come from informers: without one this only has to compile and link. */
static void use_registration(kin_registration *registration)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;

    options.on_add = options.on_update = options.on_delete = see_notification;
    options.resync_ms = KIN_RESYNC_NEVER;
    CHECK(options.size == sizeof options && options.mode == KIN_DELIVERY_POOL);
    if (registration != NULL) {
        CHECK(kin_registration_fd(registration) >= 0);
        CHECK_OK(kin_registration_dispatch(registration, 0, NULL, NULL));
        CHECK(kin_registration_has_synced(registration));
        CHECK_OK(kin_registration_wait_synced(registration, 0, NULL));
        CHECK_OK(kin_registration_get_status(registration, &status, NULL));
        kin_registration_remove(registration);
        CHECK_OK(kin_registration_remove_and_wait(registration, NULL));
    }
    kin_registration_free(registration);
}

/* Informers need a client, and that a server. */
static void use_informer(kin_client *client)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_registration *registration = NULL;
    kin_informer *informer = NULL;

    options.resource = "pods";
    CHECK(options.size == sizeof options && options.start == KIN_START_AUTO);
    CHECK(KIN_INFORMER_KEY_MAX >= 253);
    CHECK(strcmp(kin_informer_state_name(KIN_INFORMER_WATCHING), "watching") == 0);
    if (client != NULL) {
        CHECK_OK(kin_informer_new(client, &options, &informer, NULL));
        CHECK_OK(kin_informer_add_handler(informer, &handler, &registration, NULL));
        CHECK_OK(kin_informer_start(informer, NULL));
        CHECK_OK(kin_informer_wait_synced(informer, 1000, NULL));
        CHECK_OK(kin_informer_wait_for(informer, kin_str_of("a/b"), kin_str_of("1"), 0, NULL));
        CHECK(kin_informer_has_synced(informer) && kin_informer_store(informer) != NULL);
        CHECK_OK(kin_informer_get_status(informer, &status, NULL));
        CHECK_OK(kin_informer_stop(informer, -1, NULL));
        CHECK_OK(kin_informer_stop_and_drop(informer, -1, NULL));
    }
    kin_informer_free(informer);
}

/* A list watcher that never begins. */
static kin_err refuse_to_start(void *, const kin_request *, const kin_handler *, void **,
                               kin_error *)
{
    return KIN_ERR_SYSTEM;
}

static void cancel_nothing(void *, void *)
{
}

static void use_source()
{
    kin_list_watcher watcher = KIN_LIST_WATCHER_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_source *source = NULL;
    kin_informer *informer = NULL;
    kin_resource *things = NULL;
    kin_loop *loop = NULL;

    watcher.start = refuse_to_start;
    watcher.cancel = cancel_nothing;
    CHECK_OK(kin_loop_new(NULL, &loop, NULL));
    CHECK_OK(kin_resource_new("x", "v1", "things", "Thing", true, &things, NULL));
    CHECK_OK(kin_source_new(loop, &watcher, &source, NULL));
    options.of = things;
    options.keep_deleted_ms = 1000;
    CHECK_OK(kin_informer_new_of_source(source, &options, &informer, NULL));
    kin_view view = kin_store_read(kin_informer_deleted(informer));
    kin_view_iter iter = kin_view_by_index(&view, KIN_DELETED_BY_KEY, kin_str_of("a/b"));
    CHECK(!kin_view_next(&iter) && kin_deleted_of(&iter).object == NULL);
    CHECK(kin_deleted_get(&view, kin_str_of("a/b")).object == NULL);
    kin_store_done(&view);
    kin_informer_free(informer);
    kin_source_free(source);
    kin_resource_unref(things);
    kin_loop_free(loop);
}

static void use_factory(kin_client *client)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_factory *factory = NULL;
    kin_informer *informer = NULL;

    if (client != NULL) {
        CHECK_OK(kin_factory_new(client, NULL, &factory, NULL));
        CHECK_OK(kin_factory_informer(factory, &options, &informer, NULL));
        CHECK_OK(kin_factory_start(factory, NULL));
        CHECK_OK(kin_factory_wait_synced(factory, 1000, NULL));
        CHECK_OK(kin_factory_stop(factory, -1, NULL));
        CHECK_OK(kin_factory_stop_and_drop(factory, -1, NULL));
        CHECK_OK(kin_factory_remove(factory, informer, NULL));
    }
    kin_factory_free(factory);
}

static void use_server()
{
    kin_server_options options = KIN_SERVER_OPTIONS_INIT;
    kin_simulation_options of_simulation = KIN_SIMULATION_OPTIONS_INIT;
    kin_server *server = NULL;
    kin_simulation *simulation = NULL;
    kin_simulation_counts simulated;
    kin_server_counts counts;
    kin_server_answer answer;
    uint64_t revision = 0, fault = 0;

    CHECK_OK(kin_server_start(&options, &server, NULL));
    CHECK(strncmp(kin_server_url(server), "https://127.0.0.1:", 18) == 0);
    CHECK(kin_server_kubeconfig(server)[0] == '{');
    CHECK(kin_server_authority(server)[0] == '-');
    CHECK_OK(kin_server_put(server,
                            kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                                       "\"metadata\":{\"name\":\"n\"}}"),
                            &revision, NULL));
    CHECK(kin_server_revision(server) == revision);
    CHECK_OK(kin_server_put_list(
        server, kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}"), NULL, NULL));
    CHECK_OK(
        kin_server_ask(server, "GET", "/api/v1/nodes/n", NULL, kin_str_of(NULL), &answer, NULL));
    CHECK(answer.status == 200);
    kin_server_answer_fini(&answer);
    CHECK_OK(kin_server_remove(server, "v1", "Node", "", "n", NULL, NULL));
    CHECK_OK(kin_server_compact(server, 0, NULL));
    CHECK_OK(kin_server_bookmark(server, NULL));
    CHECK_OK(kin_server_set_token(server, "secret", NULL));
    CHECK_OK(kin_server_forbid(server, kin_str_of("[]"), NULL));
    CHECK_OK(kin_server_fault(server, kin_str_of("{\"do\":\"drop\"}"), &fault, NULL));
    CHECK_OK(kin_server_end_fault(server, fault, NULL));
    kin_server_get_counts(server, &counts);
    CHECK(counts.connections == 0);
    of_simulation.pods = KIN_SIMULATION_PODS_MAX + 1;
    CHECK(kin_simulation_new(server, &of_simulation, &simulation, NULL) == KIN_ERR_RANGE);
    of_simulation.pods = KIN_SIMULATION_RATE_MAX > KIN_SIMULATION_NODES_MAX ? 10 : 0;
    CHECK_OK(kin_simulation_new(server, &of_simulation, &simulation, NULL));
    CHECK_OK(kin_simulation_step(simulation, 10, NULL));
    CHECK_OK(kin_simulation_settle(simulation, NULL));
    CHECK_OK(kin_simulation_start(simulation, NULL));
    CHECK_OK(kin_simulation_stop(simulation, NULL));
    kin_simulation_get_counts(simulation, &simulated);
    CHECK(simulated.changes >= 10);
    kin_simulation_free(simulation);
    kin_server_stop(server);
}

static void use_queue()
{
    kin_limiter limiter = KIN_LIMITER_INIT;
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_queue_add_options low = KIN_QUEUE_ADD_OPTIONS_INIT;
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    kin_notification notification = {};
    kin_queue *queue = NULL;
    kin_worker *worker = NULL;
    kin_queue_item item;
    kin_str key = kin_str_of("demo/web");
    kin_error err;
    int fd = -1;

    limiter.base_ms = 60000;
    options.limiter = &limiter;
    low.priority = KIN_PRIORITY_LOW;
    notification.key = kin_str_of("demo/fresh");
    CHECK_OK(kin_queue_new(&options, &queue, &err));
    CHECK_OK(kin_worker_new(queue, &worker, &err));
    CHECK_OK(kin_queue_fd(queue, &fd, &err));
    CHECK_OK(kin_queue_add(queue, key, &low, &err));
    CHECK_OK(kin_queue_add_notification(queue, &notification, &err));
    CHECK(fd >= 0 && kin_queue_length(queue) == 2);
    CHECK_OK(kin_queue_take(queue, worker, 0, &item, &err));
    CHECK(is(item.key, "demo/fresh"));
    kin_queue_done(queue, &item);
    CHECK_OK(kin_queue_take(queue, worker, 0, &item, &err));
    kin_queue_retry(queue, &item);
    CHECK(kin_queue_failures(queue, key) == 1 && kin_queue_cancel(queue, key));
    CHECK_OK(kin_queue_add_limited(queue, key, NULL, &err));
    kin_queue_forget(queue, key);
    CHECK_OK(kin_queue_get_status(queue, &status, &err));
    CHECK(status.later == 1 && status.taken == 2);
    kin_worker_stop(worker);
    CHECK(kin_queue_take(queue, worker, -1, &item, &err) == KIN_ERR_CANCELLED);
    kin_worker_free(worker);
    kin_queue_shut_down(queue);
    CHECK_OK(kin_queue_drain(queue, 0, &err));
    kin_queue_shut_down_now(queue);
    kin_queue_free(queue);
}

static kin_err clean_up(void *context, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    (void) context;
    (void) r;
    (void) object;
    (void) err;
    return KIN_OK;
}

static void use_owner(const kin_object *pod, kin_reconcile *r)
{
    kin_edit *edit = NULL;
    bool is_done = false;

    CHECK_OK(kin_object_edit(pod, &edit, NULL));
    CHECK(kin_edit_set_controller(edit, pod, NULL) == KIN_ERR_CONFLICT);
    CHECK_OK(kin_edit_remove_owner(edit, pod, NULL));
    CHECK(!kin_object_is_controlled_by(pod, pod));
    CHECK_OK(kin_edit_add_finalizer(edit, "example.com/hold", NULL));
    CHECK_OK(kin_edit_remove_finalizer(edit, "example.com/hold", NULL));
    CHECK(!kin_object_has_finalizer(pod, "example.com/hold"));
    if (r != NULL) {
        CHECK_OK(
            kin_reconcile_finalize(r, pod, "example.com/hold", clean_up, NULL, &is_done, NULL));
    }
    kin_edit_free(edit);
}

static kin_err lose_once(void *context, kin_error *err)
{
    (void) err;
    int *calls = static_cast<int *>(context);
    return ++*calls == 1 ? KIN_ERR_CONFLICT : KIN_OK;
}

static kin_err change_nothing(void *context, const kin_object *object, kin_edit *edit,
                              kin_error *err)
{
    (void) context;
    (void) object;
    (void) edit;
    (void) err;
    return KIN_OK;
}

static void use_retry_and_events(const kin_object *pod, kin_client *client)
{
    kin_recorder_options options = KIN_RECORDER_OPTIONS_INIT;
    kin_recorder_status status = KIN_RECORDER_STATUS_INIT;
    kin_recorder *recorder = NULL;
    int calls = 0;

    CHECK_OK(kin_retry_on_conflict(lose_once, &calls, NULL));
    CHECK(calls == 2);
    if (client != NULL) {
        CHECK_OK(
            kin_client_modify(client, "pods", "demo", "a", NULL, change_nothing, NULL, NULL, NULL));
        options.controller = "example.com/foo";
        CHECK_OK(kin_recorder_new(client, &options, &recorder, NULL));
        kin_recorder_tell(recorder, pod, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made %d", 1);
        CHECK_OK(kin_recorder_flush(recorder, 1000, NULL));
        CHECK_OK(kin_recorder_get_status(recorder, &status, NULL));
    }
    kin_recorder_free(recorder);
}

static void note_leader(void *context, const char *identity)
{
    (void) context;
    (void) identity;
}

static void use_leader(kin_client *client)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;
    kin_leader_status status = KIN_LEADER_STATUS_INIT;
    kin_leader *leader = NULL;

    options.name = "foo";
    options.on_new_leader = note_leader;
    if (client != NULL) {
        CHECK_OK(kin_leader_new(client, &options, &leader, NULL));
        CHECK_OK(kin_leader_start(leader, NULL));
        CHECK_OK(kin_leader_wait(leader, 1000, NULL));
        CHECK(kin_leader_is_leading(leader));
        CHECK_OK(kin_leader_check(leader, 0, NULL));
        CHECK_OK(kin_leader_get_status(leader, &status, NULL));
        CHECK_OK(kin_leader_stop(leader, 1000, NULL));
    }
    kin_leader_free(leader);
}

static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    kin_edit *edit = static_cast<kin_edit *>(context);
    kin_request request = KIN_REQUEST_INIT;
    const kin_object *object = kin_reconcile_object(r);

    CHECK(kin_reconcile_key(r).len >= kin_reconcile_name(r).len);
    CHECK(kin_reconcile_namespace(r).len == 0 && kin_reconcile_client(r) != NULL);
    CHECK(kin_reconcile_failures(r) == 0 && kin_reconcile_left_ms(r) < 0);
    kin_reconcile_again(r, 1000);
    if (!kin_reconcile_is_over(r)) {
        CHECK_OK(kin_reconcile_create(r, object, NULL, err));
        CHECK_OK(kin_reconcile_patch(r, edit, "status", NULL, err));
        CHECK_OK(kin_reconcile_delete(r, object, "Background", err));
        CHECK_OK(kin_reconcile_run(r, &request, NULL, err));
    }
    return KIN_OK;
}

static void map_to_key(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) context;
    kin_concerned_add(concerned, kin_object_key(object));
}

static void use_controller(kin_client *client, kin_informer *informer)
{
    static const kin_predicate some[] = { { kin_generation_changed, NULL },
                                          { kin_labels_changed, NULL },
                                          { kin_annotations_changed, NULL },
                                          { kin_version_changed, NULL },
                                          { NULL, NULL } };
    static const kin_predicate any = { kin_any_of, some };
    static const kin_predicate all[] = { { kin_all_of, some }, { kin_none_of, some } };
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
    kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;
    kin_controller *controller = NULL;

    options.name = "foo";
    options.reconcile = reconcile;
    if (client != NULL) {
        CHECK_OK(kin_controller_new(client, &options, &controller, NULL));
        CHECK_OK(kin_controller_about(controller, informer, &any, NULL));
        CHECK_OK(kin_controller_owns(controller, informer, &all[0], NULL));
        CHECK_OK(kin_controller_maps(controller, informer, &all[1], map_to_key, NULL, NULL));
        CHECK_OK(kin_controller_reads(controller, informer, NULL));
        CHECK_OK(kin_controller_start(controller, NULL));
        CHECK_OK(kin_controller_add(controller, kin_str_of("foo"), NULL, NULL));
        CHECK_OK(kin_controller_wait_idle(controller, 1000, NULL));
        CHECK_OK(kin_controller_get_status(controller, &status, NULL));
        CHECK_OK(kin_controller_stop(controller, 1000, NULL));
    }
    kin_controller_free(controller);
}

int main()
{
    use_allocator();
    use_common();
    use_log_and_metrics();
    use_loop();
    use_config();
    use_resource();
    use_client();
    use_key();
    use_mask();
    use_protobuf();
    kin_object *pod = new_pod(NULL);
    use_metadata(pod);
    use_object(pod);
    use_values(pod);
    use_strings_and_walks(pod);
    use_selectors(pod);
    use_edit(pod);
    use_store(NULL);
    use_registration(NULL);
    use_informer(NULL);
    use_source();
    use_factory(NULL);
    use_queue();
    use_controller(NULL, NULL);
    use_owner(pod, NULL);
    use_retry_and_events(pod, NULL);
    use_leader(NULL);
    use_server();
    kin_object_unref(pod);
    return 0;
}
