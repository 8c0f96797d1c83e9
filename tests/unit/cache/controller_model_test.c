/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_model_test.c - fifo, controller and store against a source that is an array.
 *
 * Two sources change at random, and what they do is brought to the controller one by one, or as a
 * whole.  After each processing the store must be what the sources are, and a handler that only
 * believes what it is told must hold the same objects; so must one of a processor, whenever it has
 * been told all.
 */
#include "cache/processor.h"
#include "unit/cache/controller_support.h"

#define NAMES 12
#define SOURCES 2

typedef struct world {
    kin_object *real[SOURCES][NAMES]; /* what the sources have; owned */
    char version[SOURCES][24];        /* where what was brought stands */
    kin_object *told[SOURCES][NAMES]; /* what the handler holds; owned */
    uint64_t next_version;
    uint64_t next_uid;
    uint64_t random;
    kin_store *store;
    kin__controller *controller;
    bool recreated_is_update;

    kin_notification staged[1024]; /* objects are owned */
    size_t count;
    size_t seen; /* notifications, for knowing that the test tests */
    bool balks;  /* staging fails now and then */

    kin__processor *processor; /* NULL: the handler is told here */
    kin_registration *registration;
} world;

static size_t number_in(kin_str key)
{
    size_t number = 0;
    for (size_t i = 3; i < key.len; i++) {
        number = number * 10 + (size_t) (key.data[i] - '0');
    }
    return number;
}

static size_t source_in(kin_str key)
{
    return key.data[0] == 'x' ? 0 : 1;
}

/* What the handler makes of what it is told. */
static void hear(void *context, const kin_notification *n)
{
    world *w = context;
    kin_object **held = &w->told[source_in(n->key)][number_in(n->key)];

    ASSERT_EQ(*held == NULL, n->type == KIN_NOTIFICATION_ADDED);
    ASSERT_TRUE(n->before == *held);
    if (n->type == KIN_NOTIFICATION_UPDATED && !w->recreated_is_update) {
        ASSERT_TRUE(kin__str_equal(kin_object_uid(n->object), kin_object_uid(*held)));
    }
    kin_object_unref(*held);
    *held = n->type == KIN_NOTIFICATION_DELETED ? NULL : kin_object_ref(n->object);
    w->seen++;
}

static kin_err stage(void *context, const kin_notification *n, kin_error *err)
{
    world *w = context;

    if (w->balks && random_below(&w->random, 8) == 0) {
        *err = (kin_error){ .code = KIN_ERR_NO_MEMORY };
        return KIN_ERR_NO_MEMORY;
    }
    if (w->processor != NULL) {
        return kin__processor_stage(w->processor, n, err);
    }
    ASSERT_TRUE(w->count < 1024);
    kin_notification *next = &w->staged[w->count++];
    *next = *n;
    next->object = kin_object_ref(n->object);
    next->before = kin_object_ref(n->before);
    next->key = kin_object_key(n->object);
    return KIN_OK;
}

static void unstage(void *context)
{
    world *w = context;

    if (w->processor != NULL) {
        kin__processor_unstage(w->processor);
        return;
    }
    w->count--;
    kin_object_unref(w->staged[w->count].object);
    kin_object_unref(w->staged[w->count].before);
}

static void commit(void *context, uint64_t version)
{
    world *w = context;

    if (w->processor != NULL) {
        kin__processor_commit(w->processor, version);
        return;
    }
    for (size_t i = 0; i < w->count; i++) {
        hear(w, &w->staged[i]);
        kin_object_unref(w->staged[i].object);
        kin_object_unref(w->staged[i].before);
    }
    w->count = 0;
}

static void dispatch(world *w, size_t max)
{
    kin_error err;

    if (w->processor != NULL) {
        ASSERT_OK(kin_registration_dispatch(w->registration, max, NULL, &err));
    }
}

static void forget_told(world *w)
{
    for (size_t i = 0; i < SOURCES * NAMES; i++) {
        w->told[i / NAMES][i % NAMES] = kin_object_unref(w->told[i / NAMES][i % NAMES]);
    }
}

/* In the place of the handler there was comes one that knows nothing. */
static void join(world *w)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    kin_error err;

    kin_registration_free(w->registration);
    forget_told(w);
    options.context = w;
    options.on_add = options.on_update = options.on_delete = hear;
    options.mode = KIN_DELIVERY_QUEUE;
    options.bound = 4;
    options.tells_unchanged = random_below(&w->random, 2) == 0;
    ASSERT_OK(kin__processor_add(w->processor, &options, 0, &w->registration, &err));
}

/* A new state of an object; with another uid when it is not there. */
static kin_object *make_next(world *w, size_t source, size_t name)
{
    char words[3][24];
    const kin_object *now = w->real[source][name];
    kin_str uid = now == NULL ? STR("") : kin_object_uid(now);

    (void) snprintf(words[0], 24, "k%zu", name);
    (void) snprintf(words[1], 24, "%llu", (unsigned long long) ++w->next_version);
    (void) snprintf(words[2], 24, "%.*s", KIN_STR_ARG(uid));
    if (now == NULL) {
        (void) snprintf(words[2], 24, "u%llu", (unsigned long long) ++w->next_uid);
    }
    return make_thing(source == 0 ? "x" : "y", words[0], words[1], words[2]);
}

static void set_version(world *w, size_t source)
{
    (void) snprintf(w->version[source], 24, "%llu", (unsigned long long) w->next_version);
}

static void bring_whole(world *w, size_t source);

/* A change at the source, brought if it is watched.  While staging balks it may be refused; then
 * the whole is brought, as a reflector does. */
static void change(world *w, size_t source, bool is_watched)
{
    size_t name = random_below(&w->random, NAMES);
    kin_object **place = &w->real[source][name];
    kin__reflector_sink sink = kin__controller_sink(w->controller, source);
    kin_object *next = make_next(w, source, name);
    bool is_new = *place == NULL;
    bool goes = !is_new && random_below(&w->random, 3) == 0;
    kin_error err;
    kin_err code = KIN_OK;

    if (is_watched) {
        code = is_new ? sink.add(sink.context, next, &err)
               : goes ? sink.remove(sink.context, next, &err)
                      : sink.update(sink.context, next, &err);
        set_version(w, source);
    }
    kin_object_unref(*place);
    *place = goes ? NULL : kin_object_ref(next);
    kin_object_unref(next);
    if (code != KIN_OK) {
        ASSERT_EQ(code, KIN_ERR_NO_MEMORY);
        bring_whole(w, source);
    }
}

static void bring_whole(world *w, size_t source)
{
    kin__reflector_sink sink = kin__controller_sink(w->controller, source);
    kin_object *list[NAMES];
    size_t count = 0;
    size_t start = random_below(&w->random, NAMES);
    kin_error err;
    char version[24];

    (void) snprintf(version, sizeof version, "%llu", (unsigned long long) w->next_version);
    for (size_t i = 0; i < NAMES; i++) {
        kin_object *object = w->real[source][(start + i) % NAMES];
        if (object != NULL) {
            list[count++] = object;
        }
    }
    while (sink.replace(sink.context, list, count, kin_str_of(version), &err) != KIN_OK) {
        ASSERT_EQ(err.code, KIN_ERR_NO_MEMORY);
    }
    set_version(w, source);
}

static void compare(world *w)
{
    kin_view view = kin_store_read(w->store);
    size_t count = 0;

    for (size_t source = 0; source < SOURCES; source++) {
        for (size_t name = 0; name < NAMES; name++) {
            char key[16];
            (void) snprintf(key, sizeof key, "%s/k%zu", source == 0 ? "x" : "y", name);
            const kin_object *stored = kin_view_get(&view, kin_str_of(key));
            const kin_object *real = w->real[source][name];
            ASSERT_TRUE(stored == w->told[source][name]);
            ASSERT_TRUE((stored == NULL) == (real == NULL));
            if (real != NULL) {
                ASSERT_TRUE(kin__str_equal(kin_object_resource_version(stored),
                                           kin_object_resource_version(real)));
                ASSERT_TRUE(kin__str_equal(kin_object_uid(stored), kin_object_uid(real)));
                count++;
            }
        }
        ASSERT_SLICE_EQ(kin_view_resource_version(&view, source), w->version[source]);
    }
    ASSERT_EQ(kin_view_count(&view), count);
    kin_store_done(&view);
}

static void process_all(world *w)
{
    kin_error err;

    while (kin__controller_process(w->controller, &err) != KIN_OK) {
        ASSERT_EQ(err.code, KIN_ERR_NO_MEMORY);
    }
    ASSERT_FALSE(kin__controller_is_pending(w->controller));
    if (random_below(&w->random, 4) == 0) {
        dispatch(w, 3);
    } else {
        dispatch(w, 0);
        compare(w);
    }
}

static void step_world(world *w)
{
    size_t dice = random_below(&w->random, 100);
    size_t source = random_below(&w->random, SOURCES);
    kin_error err;

    if (dice < 85) {
        change(w, source, true);
    } else if (dice < 88) {
        for (size_t missed = random_below(&w->random, 20); missed > 0; missed--) {
            change(w, source, false);
        }
        bring_whole(w, source);
    } else if (dice < 90) {
        if (kin__controller_resync(w->controller, source, &err) != KIN_OK) {
            ASSERT_EQ(err.code, KIN_ERR_NO_MEMORY);
        }
    } else if (dice < 92) {
        kin__reflector_sink sink = kin__controller_sink(w->controller, source);
        char version[24];
        (void) snprintf(version, sizeof version, "%llu", (unsigned long long) ++w->next_version);
        if (sink.bookmark(sink.context, kin_str_of(version), &err) == KIN_OK) {
            set_version(w, source);
        }
    } else if (dice < 93 && w->balks) {
        if (kin__controller_process(w->controller, &err) == KIN_OK) {
            dispatch(w, 0);
            compare(w);
        }
    } else if (dice == 93 && w->processor != NULL) {
        join(w);
    } else {
        process_all(w);
    }
}

static void run_world(world *w, size_t bound, bool has_processor, size_t steps)
{
    static const kin_str namespaces[] = { { "x", 1 }, { "y", 1 } };
    kin__store_options store = { .sources = SOURCES };
    kin__controller_options options = {
        .sources = SOURCES,
        .namespaces = namespaces,
        .bound = bound,
        .stage = stage,
        .unstage = unstage,
        .commit = commit,
        .context = w,
        .recreated_is_update = w->recreated_is_update,
    };
    kin_error err;

    ASSERT_OK(kin__store_new(&store, &w->store, &err));
    ASSERT_OK(kin__controller_new(w->store, &options, &w->controller, &err));
    kin__processor_options processor = { .store = w->store };
    if (has_processor) {
        ASSERT_OK(kin__processor_new(&processor, &w->processor, &err));
    }
    for (size_t source = 0; source < SOURCES; source++) {
        change(w, source, false);
        bring_whole(w, source);
    }
    if (w->processor != NULL) {
        join(w);
    }
    process_all(w);
    ASSERT_TRUE(kin__controller_has_synced(w->controller));
    for (size_t i = 0; i < steps; i++) {
        step_world(w);
    }
    process_all(w);
    dispatch(w, 0);
    compare(w);
    ASSERT_TRUE(w->seen > steps / 4);
    kin__controller_free(w->controller);
    kin_registration_free(w->registration);
    kin__processor_free(w->processor);
    kin__store_free(w->store);
    forget_told(w);
    for (size_t i = 0; i < SOURCES * NAMES; i++) {
        kin_object_unref(w->real[i / NAMES][i % NAMES]);
    }
}

TEST(controller_model, holds_what_the_sources_have_and_tells_it)
{
    static world w;
    w = (world){ .random = random_start(20261116) };
    run_world(&w, SIZE_MAX, false, 400000 / SLOWER);
}

TEST(controller_model, holds_what_the_sources_have_when_everything_merges)
{
    static world w;
    w = (world){ .random = random_start(20261117) };
    run_world(&w, 1, false, 300000 / SLOWER);
}

TEST(controller_model, holds_what_the_sources_have_when_something_merges)
{
    static world w;
    w = (world){ .random = random_start(20261118), .recreated_is_update = true };
    run_world(&w, 10, false, 200000 / SLOWER);
}

TEST(controller_model, holds_what_the_sources_have_when_staging_fails_now_and_then)
{
    static world w;
    w = (world){ .random = random_start(20261119), .balks = true };
    run_world(&w, 20, false, 100000 / SLOWER);
}

TEST(controller_model, holds_what_the_sources_have_and_a_processor_tells_it)
{
    static world w;
    w = (world){ .random = random_start(20261120), .balks = true };
    run_world(&w, 20, true, 200000 / SLOWER);
}
