/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor_model_test.c - random changes, handlers, filters and lacks of memory.
 *
 * Handlers join and leave at any moment of a batch, see all objects or some, have short queues and
 * are told now and then.  Each knows what it was told: that must fit what it is told next, and in
 * the end be what the store has and the handler may see.
 */
#include <stdlib.h>

#include "processor_support.h"
#include "support/allocator.h"
#include "support/random.h"

#define PODS 10
#define HANDLERS 6
#define STEPS 3000

typedef struct handler {
    kin_registration *registration; /* NULL: not there */
    bool is_choosy;                 /* sees only what has app=web */
    bool is_synced;
    kin_object *known[PODS];
} handler;

typedef struct play {
    world w;
    uint64_t random;
    size_t version;
    bool is_open;      /* a batch is staged */
    bool is_published; /* ... and can be seen */
    handler handlers[HANDLERS];
} play;

static bool is_web(void *context, const kin_object *object)
{
    kin_str app;
    (void) context;
    return kin_object_label(object, STR("app"), &app) && kin__str_equal(app, STR("web"));
}

static void be_told(void *context, const kin_notification *n)
{
    handler *h = context;
    size_t i = (size_t) strtoul(kin_object_name(n->object).data + 4, NULL, 10);

    ASSERT_TRUE(n->before == h->known[i]);
    ASSERT_EQ(n->type == KIN_NOTIFICATION_ADDED, n->before == NULL);
    ASSERT_TRUE(!n->is_initial || (n->type == KIN_NOTIFICATION_ADDED && !h->is_synced));
    ASSERT_TRUE(!h->is_choosy || n->type == KIN_NOTIFICATION_DELETED || is_web(NULL, n->object));
    ASSERT_TRUE(n->type != KIN_NOTIFICATION_UPDATED || n->object != n->before);
    kin_object_unref(h->known[i]);
    h->known[i] = n->type == KIN_NOTIFICATION_DELETED ? NULL : kin_object_ref(n->object);
}

static void be_synced(void *context)
{
    ((handler *) context)->is_synced = true;
}

static void forget(void *context)
{
    handler *h = context;
    for (size_t i = 0; i < PODS; i++) {
        h->known[i] = kin_object_unref(h->known[i]);
    }
}

static bool chance(play *p, size_t one_in)
{
    return random_below(&p->random, one_in) == 0;
}

static void join(play *p, handler *h)
{
    static const char *const labels[] = { NULL, "app=web", NULL, NULL };
    static const char *const fields[] = { NULL, NULL, "metadata.labels.app=web", NULL };
    size_t kind = random_below(&p->random, 4);
    *h = (handler){ .is_choosy = kind > 0 };
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.context = h;
    options.on_add = options.on_update = options.on_delete = be_told;
    options.on_synced = be_synced;
    options.on_end = forget;
    options.mode = KIN_DELIVERY_QUEUE;
    options.bound = 1 + random_below(&p->random, 8);
    options.label_selector = labels[kind];
    options.field_selector = fields[kind];
    options.filter = kind == 3 ? is_web : NULL;
    h->registration = add(&p->w, &options);
}

static void leave(handler *h)
{
    kin_registration_free(h->registration);
    h->registration = NULL;
}

static void dispatch_some(play *p, handler *h)
{
    size_t max = 1 + random_below(&p->random, 6);
    ASSERT_OK(kin_registration_dispatch(h->registration, max, NULL, &p->w.err));
}

/* A change that finds no memory at first is tried again. */
static void stage(play *p, const kin_notification *n)
{
    kin_err code = KIN_OK;
    do {
        bool is_scarce = chance(p, 10);
        long long first = 1 + (long long) random_below(&p->random, 4);
        test_allocator_plan((alloc_failure){ is_scarce ? first : 0, true });
        code = kin__processor_stage(p->w.processor, n, &p->w.err);
        test_allocator_plan((alloc_failure){ 0 });
    } while (code == KIN_ERR_NO_MEMORY);
    ASSERT_OK(code);
    if (chance(p, 20)) {
        kin__processor_unstage(p->w.processor);
        ASSERT_OK(kin__processor_stage(p->w.processor, n, &p->w.err));
    }
}

static kin_object *next_state(play *p, size_t i)
{
    char name[16];
    char version[16];
    (void) snprintf(name, sizeof name, "pod-%zu", i);
    (void) snprintf(version, sizeof version, "%zu", ++p->version);
    return make_pod((pod){ .ns = "shop",
                           .name = name,
                           .version = version,
                           .labels = chance(p, 2) ? "\"app\":\"web\"" : "\"app\":\"db\"" });
}

static void change(play *p)
{
    size_t i = random_below(&p->random, PODS);
    kin_object *object = next_state(p, i);
    kin_str key = kin_object_key(object);
    const kin_object *before = kin__store_newest(p->w.store, key);
    bool is_deletion = before != NULL && chance(p, 3);
    kin_notification n = { .key = key, .object = object, .before = before };
    n.type = before == NULL ? KIN_NOTIFICATION_ADDED
             : is_deletion  ? KIN_NOTIFICATION_DELETED
                            : KIN_NOTIFICATION_UPDATED;

    stage(p, &n);
    if (is_deletion) {
        ASSERT_OK(kin__store_remove(p->w.store, key, &before, &p->w.err));
    } else {
        ASSERT_OK(kin__store_put(p->w.store, object, &before, &p->w.err));
    }
    kin_object_unref(object);
}

/* One more step of the batch: it is opened, changed, published, committed. */
static void go_on(play *p)
{
    if (!p->is_open) {
        open_batch(&p->w);
        p->is_open = true;
    } else if (p->is_published) {
        commit(&p->w);
        p->is_open = p->is_published = false;
    } else if (chance(p, 4)) {
        publish(&p->w);
        p->is_published = true;
    } else {
        change(p);
    }
}

static void expect_knows_store(play *p, handler *h)
{
    kin_view view = kin_store_read(p->w.store);
    for (size_t i = 0; i < PODS; i++) {
        const kin_object *stored = kin_view_get(&view, numbered_key(i));
        bool is_visible = stored != NULL && (!h->is_choosy || is_web(NULL, stored));
        ASSERT_TRUE(h->known[i] == (is_visible ? stored : NULL));
    }
    kin_store_done(&view);
}

static void step(play *p)
{
    handler *h = &p->handlers[random_below(&p->random, HANDLERS)];

    switch (random_below(&p->random, 8)) {
    case 0:
        if (h->registration == NULL) {
            join(p, h);
        } else if (chance(p, 8)) {
            leave(h);
        }
        break;
    case 1:
        if (h->registration != NULL) {
            dispatch_some(p, h);
            ASSERT_TRUE(status_of(h->registration).pending <= 8 + 3 * (size_t) PODS);
        }
        break;
    default:
        go_on(p);
        break;
    }
}

TEST(processor_model, tells_every_handler_what_it_may_see)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        play p = { .random = random_start(seed) };
        world_begin(&p.w, 0);
        kin__processor_set_synced(p.w.processor);

        for (size_t i = 0; i < STEPS; i++) {
            step(&p);
        }
        while (p.is_open) {
            go_on(&p);
        }

        for (size_t i = 0; i < HANDLERS; i++) {
            handler *h = &p.handlers[i];
            if (h->registration != NULL) {
                dispatch_all(h->registration);
                expect_knows_store(&p, h);
                ASSERT_TRUE(h->is_synced && kin_registration_has_synced(h->registration));
                leave(h);
            }
        }
        world_end(&p.w);
    }
}
