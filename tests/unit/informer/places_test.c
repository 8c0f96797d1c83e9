/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places_test.c - every public call, made in every place where a program can be.
 *
 * Each cell of the table (places_rows.c) has a world of its own: a loop with a thread, a client, an
 * informer, a server on loopback.  What a call leaves undone shows at the end of its cell, as
 * memory that is still held, and what waits for itself shows as a cell that does not end.
 */
#include "unit/informer/places.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "unit/api/calling.h"

#define PATIENCE_S 20

static const char *const place_names[] = {
    "elsewhere",
    "a pool handler",
    "a blocking handler",
    "a dispatched handler",
    "an inline handler",
    "the loop",
    "a transform",
    "a key function",
    "an index function",
    "an index function while it is added",
    "on_trouble",
    "a stopped informer",
    "a forked child",
    "another loop",
    "a dispatched handler that blocks",
};

static raw_server *server;

/* ---- the server ------------------------------------------------------------------------------ */

static bool say(raw_connection *c, int status, const char *type, const char *body)
{
    char head[256];

    (void) snprintf(head, sizeof head,
                    "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", status,
                    type, strlen(body));
    return raw_write(c, head) && raw_write(c, body);
}

static bool begins(const raw_connection *c, const char *with)
{
    return strncmp(c->request, with, strlen(with)) == 0;
}

/* One map; pods are forbidden. */
static void serve(raw_connection *c)
{
    bool is_open = true;

    while (is_open && raw_read_request(c)) {
        if (begins(c, "GET /api ")) {
            is_open = say(c, 200, AGGREGATED, CORE);
        } else if (begins(c, "GET /apis ")) {
            is_open = say(c, 200, AGGREGATED, GROUPS);
        } else if (begins(c, "GET /version")) {
            is_open = say(c, 200, JSON, "{\"gitVersion\":\"v1.36.3\"}");
        } else if (begins(c, "GET /api/v1/pods")) {
            is_open = say(c, 403, JSON, "{\"kind\":\"Status\",\"code\":403}");
        } else if (begins(c, "GET ") && strstr(c->request, "watch=") != NULL) {
            (void) raw_write(c, "HTTP/1.1 200 OK\r\nContent-Type: " JSON
                                "\r\nTransfer-Encoding: chunked\r\n\r\n");
            raw_wait_for_end(c);
            is_open = false;
        } else if (begins(c, "GET /api/v1/configmaps")) {
            is_open = say(c, 200, JSON, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
        } else if (begins(c, "GET /api/v1/namespaces/shop/configmaps?")) {
            is_open = say(c, 200, JSON, MAPS("\"resourceVersion\":\"12\"", MAP("a", "5")));
        } else {
            is_open = say(c, 200, JSON, MAP("a", "6"));
        }
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static kin_err code_of(const char *word, size_t len)
{
    bool is_refused = strncmp(word, "no ", 3) == 0 || (len == 2 && strncmp(word, "no", 2) == 0) ||
                      strncmp(word, "stops", len) == 0;

    return is_refused                         ? KIN_ERR_USAGE
           : strncmp(word, "timed", len) == 0 ? ONLY_WITH_A_DEADLINE
                                              : KIN_OK;
}

static const char *word_at(const row *r, place where, size_t *len)
{
    const char *word = r->words;

    place column = where == OTHER_LOOP ? ON_LOOP : where == OTHER_BLOCKING ? BLOCKING : where;

    for (int i = 0; i < (int) column; i++) {
        word = strchr(word, ' ') + 1;
    }
    *len = strcspn(word, " ");
    return word;
}

/* ---- being there ----------------------------------------------------------------------------- */

/* The call, once. */
static void visit(world *w)
{
    if (!atomic_exchange(&w->is_visited, true)) {
        w->got = w->what->call(w);
        (void) sem_post(&w->done);
    }
}

static void visit_told(void *context, const kin_notification *n)
{
    (void) n;
    visit(context);
}

static void visit_posted(void *context)
{
    visit(context);
}

static kin_err visit_transform(void *context, const kin_object *object, kin_object **out,
                               kin_error *err)
{
    world *w = context;

    (void) err;
    if (w->where == TRANSFORM) {
        visit(w);
    }
    *out = kin_object_ref(object);
    return KIN_OK;
}

static kin_err visit_key(void *context, const kin_object *object, char *out, size_t out_size,
                         size_t *out_len, kin_error *err)
{
    world *w = context;
    kin_str key = kin_object_key(object);

    (void) out_size;
    (void) err;
    visit(w);
    memcpy(out, key.data, key.len);
    *out_len = key.len;
    return KIN_OK;
}

static kin_err visit_index(void *context, const kin_object *object, kin_index_sink *sink,
                           kin_error *err)
{
    (void) err;
    visit(context);
    kin_index_add(sink, kin_object_name(object));
    return KIN_OK;
}

static void visit_trouble(void *context, const kin_error *err, int64_t retry_ms)
{
    world *w = context;

    (void) err;
    (void) retry_ms;
    if (w->where == TROUBLE) {
        visit(w);
    }
}

static kin_index_options visited_index(world *w)
{
    kin_index_options index = KIN_INDEX_OPTIONS_INIT;

    index.name = "visited";
    index.fn = visit_index;
    index.context = w;
    return index;
}

/* On a thread of the program. */
static void go_there(void *context)
{
    world *w = context;
    kin_index_options index = visited_index(w);
    kin_error err;

    switch (w->where) {
    case ON_LOOP:
        ASSERT_OK(kin_loop_post(w->loop, visit_posted, w, &err));
        break;
    case OTHER_LOOP:
        ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
        ASSERT_OK(kin_loop_post(w->spare, visit_posted, w, &err));
        ASSERT_OK(kin_loop_dispatch(w->spare, 0, &err));
        break;
    case OTHER_BLOCKING:
    case DISPATCH:
        ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
        ASSERT_OK(kin_registration_dispatch(w->own, 1, NULL, &err));
        break;
    case ADDING:
        ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
        ASSERT_OK(kin_store_add_index(kin_informer_store(w->informer), &index, &err));
        break;
    case ELSEWHERE:
        ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
        visit(w);
        break;
    case STOPPED:
        ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
        ASSERT_OK(kin_informer_stop(w->informer, -1, &err));
        visit(w);
        break;
    default:
        break;
    }
}

/* A child that hangs is ended by its alarm. */
static void go_to_child(world *w)
{
    int status = 0;
    kin_error err;

    ASSERT_OK(kin_informer_wait_synced(w->informer, -1, &err));
    pid_t child = fork();
    if (child == 0) {
        (void) alarm(PATIENCE_S);
        kin_err got = w->what->call(w);
        _exit(got == KIN_OK ? 0 : got == KIN_ERR_USAGE ? 1 : 2);
    }
    ASSERT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    w->got = !WIFEXITED(status)         ? KIN_ERR_CLOSED
             : WEXITSTATUS(status) == 0 ? KIN_OK
             : WEXITSTATUS(status) == 1 ? KIN_ERR_USAGE
                                        : KIN_ERR_PROTOCOL;
    (void) sem_post(&w->done);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static void count_errors(void *context, kin_log_level level, const char *component,
                         const char *message)
{
    world *w = context;

    (void) component;
    (void) message;
    atomic_fetch_add(&w->errors, level == KIN_LOG_ERROR);
}

static void make_client(world *w)
{
    kin_loop_options on_loop = KIN_LOOP_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    char yaml[512];

    on_loop.logger.context = options.logger.context = w;
    on_loop.logger.log = options.logger.log = count_errors;
    (void) snprintf(yaml, sizeof yaml,
                    "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
                    "contexts: [{name: x, context: {cluster: c, user: u, namespace: shop}}]\n"
                    "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:%d'}}]\n"
                    "users: [{name: u, user: {}}]\n",
                    raw_server_port(server));
    ASSERT_OK(kin_config_from_text(yaml, strlen(yaml), NULL, NULL, &w->config, &w->err));
    ASSERT_OK(kin_loop_new(&on_loop, &w->loop, &w->err));
    ASSERT_OK(kin_loop_new(&on_loop, &w->spare, &w->err));
    ASSERT_OK(kin_loop_start(w->loop, &w->err));
    options.loop = w->loop;
    options.requests_per_second = -1;
    ASSERT_OK(kin_client_new(w->config, &options, &w->client, &w->err));
    ASSERT_OK(kin_factory_new(w->client, NULL, &w->factory, &w->err));
    ASSERT_OK(kin_source_new(w->loop, &place_watcher, &w->source, &w->err));
}

static void make_informer(world *w)
{
    kin_index_options index = visited_index(w);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.of = w->where == TROUBLE ? w->pods : w->maps;
    options.encoding = KIN_ENCODING_JSON;
    options.keep_deleted_ms = 1000000;
    options.transform = visit_transform;
    options.key = w->where == KEY ? visit_key : NULL;
    options.on_trouble = visit_trouble;
    options.context = w;
    options.indexes = &index;
    options.index_count = w->where == INDEX ? 1 : 0;
    ASSERT_OK(kin_informer_new(w->client, &options, &w->informer, &w->err));
}

static void add_handlers(world *w)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    bool is_handler = w->where == POOL || w->where == BLOCKING || w->where == DISPATCH ||
                      w->where == OTHER_BLOCKING || w->where == INLINE;

    bool is_blocking = w->where == BLOCKING || w->where == OTHER_BLOCKING;

    options.mode = KIN_DELIVERY_QUEUE;
    ASSERT_OK(kin_informer_add_handler(w->informer, &options, &w->queue, &w->err));
    options.context = w;
    options.on_add = is_handler ? visit_told : NULL;
    options.mode = w->where == DISPATCH || w->where == OTHER_BLOCKING ? KIN_DELIVERY_QUEUE
                   : w->where == INLINE                               ? KIN_DELIVERY_INLINE
                                                                      : KIN_DELIVERY_POOL;
    options.policy = is_blocking ? KIN_BACKLOG_BLOCK : KIN_BACKLOG_COALESCE;
    options.bound = is_blocking ? 1 : 0;
    ASSERT_OK(kin_informer_add_handler(w->informer, &options, &w->own, &w->err));
}

static void make_world(world *w, place where, const row *what)
{
    memset(w, 0, sizeof *w);
    w->where = where;
    w->what = what;
    (void) sem_init(&w->done, 0, 0);
    w->object = object_of(MAP("a", "5"), NULL);
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &w->maps, &w->err));
    ASSERT_OK(kin_resource_new("", "v1", "pods", "Pod", true, &w->pods, &w->err));
    make_client(w);
    kin_request request = request_for(KIN_VERB_GET, NULL, "shop", "a");
    request.of = w->maps;
    ASSERT_OK(kin_client_start(w->client, &request, NULL, &w->call, &w->err));
    make_informer(w);
    add_handlers(w);
}

static void end_world(world *w)
{
    kin_call_free(w->call);
    kin_registration_free(w->made_registration);
    kin_registration_free(w->queue);
    kin_registration_free(w->own);
    kin_factory_free(w->made_factory);
    kin_factory_free(w->factory);
    kin_informer_free(w->made_of_source);
    kin_source_free(w->made_source);
    kin_source_free(w->source);
    kin_informer_free(w->made_informer);
    kin_informer_free(w->made_unsynced);
    kin_informer_free(w->informer);
    kin_client_free(w->made_client);
    kin_client_free(w->client);
    kin_loop_free(w->made_loop);
    kin_loop_free(w->spare);
    kin_loop_free(w->loop);
    (void) kin_resource_unref(w->maps);
    (void) kin_resource_unref(w->pods);
    kin_object_unref(w->object);
    (void) kin_config_unref(w->config);
    (void) sem_destroy(&w->done);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool is_in_time(const struct timespec *until)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec < until->tv_sec;
}

static void await_state(const kin_informer *informer, kin_informer_state state,
                        const struct timespec *until)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err;

    while (status.state != state) {
        ASSERT_TRUE(is_in_time(until));
        ASSERT_OK(kin_informer_get_status(informer, &status, &err));
        (void) sched_yield();
    }
}

static void check_cell(place where, const row *what)
{
    static world w; /* some calls in it go on for a while after the cell has failed */
    long long blocks = live_blocks();
    struct timespec until;
    kin__thread thread;
    size_t len;
    const char *word = word_at(what, where, &len);

    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    make_world(&w, where, what);
    kin_informer *informer = w.informer;
    ASSERT_OK(kin_informer_start(informer, &w.err));
    if (where == FORKED) {
        go_to_child(&w);
    } else {
        ASSERT_OK(kin__thread_start(&thread, "test-goer", go_there, &w, &w.err));
    }
    int waited;
    while ((waited = sem_timedwait(&w.done, &until)) != 0 && errno == EINTR) {
    }
    if (waited != 0) {
        FAIL("%s in %s does not return", what->name, place_names[where]);
    }
    if (w.got != code_of(word, len)) {
        FAIL("%s in %s should be \"%.*s\", but is %s: %s", what->name, place_names[where],
             (int) len, word, kin_err_name(w.got), w.err.message);
    }
    if (where != FORKED &&
        strncmp(what->name, "kin_informer_stop", strlen("kin_informer_stop")) == 0) {
        await_state(informer, KIN_INFORMER_STOPPED, &until);
    }
    if (where != FORKED) {
        kin__thread_join(&thread);
    }
    end_world(&w);
    while (live_blocks() > blocks && is_in_time(&until)) {
        (void) sched_yield();
    }
    if (live_blocks() != blocks) {
        FAIL("%s in %s leaves %lld blocks behind", what->name, place_names[where],
             live_blocks() - blocks);
    }
}

static void check_place(place where)
{
    for (size_t i = 0; i < place_row_count; i++) {
        server = raw_server_start(&(raw_server_options){ .serve = serve });
        check_cell(where, &place_rows[i]);
        raw_server_stop(server);
    }
}

TEST(places, a_thread_of_the_program)
{
    check_place(ELSEWHERE);
}

TEST(places, a_handler_on_the_pool)
{
    check_place(POOL);
}

TEST(places, a_handler_that_blocks)
{
    check_place(BLOCKING);
}

TEST(places, a_handler_that_is_dispatched)
{
    check_place(DISPATCH);
}

TEST(places, a_handler_on_the_loop)
{
    check_place(INLINE);
}

TEST(places, the_loop)
{
    check_place(ON_LOOP);
}

TEST(places, another_loop)
{
    check_place(OTHER_LOOP);
}

TEST(places, a_dispatched_handler_that_blocks)
{
    check_place(OTHER_BLOCKING);
}

TEST(places, a_transform)
{
    check_place(TRANSFORM);
}

TEST(places, a_key_function)
{
    check_place(KEY);
}

TEST(places, an_index_function)
{
    check_place(INDEX);
}

TEST(places, an_index_function_while_its_index_is_added)
{
    check_place(ADDING);
}

TEST(places, on_trouble)
{
    check_place(TROUBLE);
}

TEST(places, after_a_stop)
{
    check_place(STOPPED);
}

TEST(places, a_forked_child)
{
    check_place(FORKED);
}
