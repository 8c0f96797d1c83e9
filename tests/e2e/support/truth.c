/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth.c - threads that write, and ask when they do not know.
 */
#include "e2e/support/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/random.h"
#include "support/test.h"

#define REQUEST .size = sizeof(kin_request)
#define PATCHED_PERCENT 60
#define DELETED_PERCENT 20
#define REST_MS_MAX 30
#define PADDING_MAX 1024

static truth_object *add_object(truth *t, const char *ns, const char *name);
static void *write_on(void *context);
static void change(truth_writer *w, truth_object *object);
static bool create(truth *t, kin_client *client, truth_object *object, uint64_t *seed);
static bool patch(truth *t, kin_client *client, truth_object *object, uint64_t *seed);
static bool erase(truth *t, kin_client *client, truth_object *object);
static bool run(truth *t, kin_client *client, truth_object *object, kin_request *request);
static void find_out(kin_client *client, truth_object *object);
static void note(truth_object *object, const kin_object *as);
static const truth_state *last_of(const truth_object *object);
static void rest(size_t ms);

void truth_start(truth *t, kin_client *client, const char *const *namespaces, size_t writers,
                 size_t each, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    (void) pthread_mutex_init(&t->lock, NULL);
    for (size_t i = 0; i < writers; i++) {
        truth_writer *w = &t->writers[i];

        *w = (truth_writer){ .owner = t, .client = client, .seed = seed + i, .first = t->count };
        for (size_t n = 0; namespaces[n] != NULL; n++) {
            for (size_t at = 0; at < each; at++) {
                char name[48];

                (void) snprintf(name, sizeof name, "w%zu-%zu", i, at);
                (void) add_object(t, namespaces[n], name);
            }
        }
        w->count = t->count - w->first;
    }
    for (size_t n = 0; namespaces[n] != NULL; n++) {
        (void) add_object(t, namespaces[n], "marker");
    }
    for (t->writer_count = 0; t->writer_count < writers; t->writer_count++) {
        truth_writer *w = &t->writers[t->writer_count];
        ASSERT_EQ(pthread_create(&w->thread, NULL, write_on, w), 0);
    }
}

void truth_stop(truth *t)
{
    (void) pthread_mutex_lock(&t->lock);
    t->is_stopping = true;
    (void) pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->writer_count; i++) {
        (void) pthread_join(t->writers[i].thread, NULL);
    }
    t->writer_count = 0;
}

void truth_fini(truth *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->objects[i].states);
    }
    (void) pthread_mutex_destroy(&t->lock);
}

uint64_t truth_mark(truth *t, kin_client *client, const char *ns, char *key, size_t size)
{
    uint64_t seed = 0;

    (void) snprintf(key, size, "%s/marker", ns);
    truth_object *object = (truth_object *) (uintptr_t) truth_find(t, key);
    ASSERT_TRUE(object != NULL);
    while (!(last_of(object) == NULL ? create(t, client, object, &seed)
                                     : patch(t, client, object, &seed))) {
        find_out(client, object);
    }
    return last_of(object)->version;
}

const truth_object *truth_find(const truth *t, const char *key)
{
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->objects[i].key, key) == 0) {
            return &t->objects[i];
        }
    }
    return NULL;
}

static truth_object *add_object(truth *t, const char *ns, const char *name)
{
    ASSERT_TRUE(t->count < TRUTH_OBJECTS_MAX);
    truth_object *object = &t->objects[t->count++];

    (void) snprintf(object->ns, sizeof object->ns, "%s", ns);
    (void) snprintf(object->name, sizeof object->name, "%s", name);
    (void) snprintf(object->key, sizeof object->key, "%s/%s", ns, name);
    return object;
}

static bool is_stopping(truth *t)
{
    (void) pthread_mutex_lock(&t->lock);
    bool result = t->is_stopping;
    (void) pthread_mutex_unlock(&t->lock);
    return result;
}

static void *write_on(void *context)
{
    truth_writer *w = context;

    while (!is_stopping(w->owner)) {
        change(w, &w->owner->objects[w->first + random_below(&w->seed, w->count)]);
        rest(random_below(&w->seed, REST_MS_MAX));
    }
    return NULL;
}

static void change(truth_writer *w, truth_object *object)
{
    const truth_state *last = last_of(object);
    size_t percent = random_below(&w->seed, 100);
    bool is_done;

    if (last == NULL || last->is_gone) {
        is_done = create(w->owner, w->client, object, &w->seed);
    } else if (percent < PATCHED_PERCENT) {
        is_done = patch(w->owner, w->client, object, &w->seed);
    } else if (percent < PATCHED_PERCENT + DELETED_PERCENT) {
        is_done = erase(w->owner, w->client, object);
    } else {
        is_done =
            erase(w->owner, w->client, object) && create(w->owner, w->client, object, &w->seed);
    }
    if (!is_done) {
        find_out(w->client, object);
    }
}

/* What changes always, so that a write is never without effect. */
static void compose(truth_object *object, uint64_t *seed, char *out, size_t size)
{
    bool is_picked = strcmp(object->name, "marker") == 0 || random_below(seed, 3) > 0;

    (void) snprintf(out, size,
                    "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"pick\":\"%s\"}},"
                    "\"data\":{\"n\":\"%zu\",\"padding\":\"%0*d\"}}",
                    object->name, is_picked ? "yes" : "no", object->count,
                    (int) random_below(seed, PADDING_MAX) + 1, 0);
}

static bool create(truth *t, kin_client *client, truth_object *object, uint64_t *seed)
{
    char body[PADDING_MAX + 512];

    compose(object, seed, body, sizeof body);
    return run(t, client, object,
               &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .body = kin_str_of(body) });
}

static bool patch(truth *t, kin_client *client, truth_object *object, uint64_t *seed)
{
    char body[PADDING_MAX + 512];

    compose(object, seed, body, sizeof body);
    return run(t, client, object,
               &(kin_request){ REQUEST, .verb = KIN_VERB_PATCH, .name = object->name,
                               .body = kin_str_of(body) });
}

static bool erase(truth *t, kin_client *client, truth_object *object)
{
    return run(t, client, object,
               &(kin_request){ REQUEST, .verb = KIN_VERB_DELETE, .name = object->name });
}

/* False: it failed, or nobody knows. */
static bool run(truth *t, kin_client *client, truth_object *object, kin_request *request)
{
    kin_reply reply = KIN_REPLY_INIT;
    kin_error err;

    request->resource = "configmaps";
    request->ns = object->ns;
    bool is_done = kin_client_run(client, request, NULL, &reply, &err) == KIN_OK;
    (void) pthread_mutex_lock(&t->lock);
    t->writes += is_done ? 1 : 0;
    t->failures += is_done ? 0 : 1;
    (void) pthread_mutex_unlock(&t->lock);
    if (is_done) {
        note(object, request->verb == KIN_VERB_DELETE ? NULL : reply.object);
    }
    kin_reply_fini(&reply);
    return is_done;
}

/* One write at most is in doubt, so what is there now is all that there can have been. */
static void find_out(kin_client *client, truth_object *object)
{
    for (;;) {
        kin_object *now = NULL;
        kin_error err;
        kin_err code = kin_client_get(client, "configmaps", object->ns, object->name, &now, &err);

        if (code == KIN_OK) {
            note(object, now);
            kin_object_unref(now);
            return;
        }
        if (code == KIN_ERR_NOT_FOUND && err.http_status == 404) {
            note(object, NULL);
            return;
        }
        rest(100);
    }
}

/* NULL: it is gone.  What is known already is not noted again. */
static void note(truth_object *object, const kin_object *as)
{
    const truth_state *last = last_of(object);
    truth_state state = { .is_gone = as == NULL };
    kin_str pick = { NULL, 0 };

    if (as != NULL) {
        (void) snprintf(state.uid, sizeof state.uid, "%.*s", KIN_STR_ARG(kin_object_uid(as)));
        char digits[32];
        (void) snprintf(digits, sizeof digits, "%.*s",
                        KIN_STR_ARG(kin_object_resource_version(as)));
        state.version = strtoull(digits, NULL, 10);
        state.is_picked = kin_object_label(as, kin_str_of("pick"), &pick) &&
                          kin_str_equal(pick, kin_str_of("yes"));
    }
    if (last == NULL ? state.is_gone
                     : last->is_gone == state.is_gone && last->version == state.version) {
        return;
    }
    if (object->count == object->capacity) {
        object->capacity = object->capacity == 0 ? 64 : 2 * object->capacity;
        object->states = realloc(object->states, object->capacity * sizeof *object->states);
        ASSERT_TRUE(object->states != NULL);
    }
    object->states[object->count++] = state;
}

static const truth_state *last_of(const truth_object *object)
{
    return object->count == 0 ? NULL : &object->states[object->count - 1];
}

static void rest(size_t ms)
{
    (void) nanosleep(&(struct timespec){ .tv_sec = (time_t) (ms / 1000),
                                         .tv_nsec = (long) (ms % 1000) * 1000000 },
                     NULL);
}
