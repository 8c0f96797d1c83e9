/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller_race_test.c - a controller that many threads use at once.
 *
 * For ThreadSanitizer; and whatever they do, no key is reconciled twice at once.
 */
#include "unit/controller/workshop.h"

#define ROUNDS 12
#define KEYS 8
#define CHANGES 60 /* of each round, by each thread that makes some */

typedef struct hall {
    workshop w;
    kin_informer *secrets;
    _Atomic int inside[KEYS];
    _Atomic bool is_over;
} hall;

static kin_err make_secret(kin_reconcile *r, kin_error *err)
{
    kin_object *secret = object_of("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
                                   "\"namespace\":\"default\",\"name\":\"%.*s\"}}",
                                   KIN_STR_ARG(kin_reconcile_name(r)));
    kin_err code = kin_reconcile_create(r, secret, NULL, err);

    kin_object_unref(secret);
    return code;
}

/* A Secret for each ConfigMap; what is left over goes. */
static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    hall *h = context;
    _Atomic int *inside = &h->inside[(kin_reconcile_name(r).data[0] - '0') % KEYS];
    kin_err code = KIN_OK;

    ASSERT_EQ(atomic_fetch_add(inside, 1), 0);
    kin_view view = kin_store_read(kin_informer_store(h->secrets));
    kin_object *secret = kin_object_ref(kin_view_get(&view, kin_reconcile_key(r)));
    kin_store_done(&view);
    bool is_wanted = kin_reconcile_object(r) != NULL;
    if (is_wanted && secret == NULL) {
        code = make_secret(r, err);
    } else if (!is_wanted && secret != NULL) {
        code = kin_reconcile_delete(r, secret, NULL, err);
    }
    kin_object_unref(secret);
    ASSERT_EQ(atomic_fetch_sub(inside, 1), 1);
    return code;
}

static void *change(void *context)
{
    hall *h = context;
    char name[2] = "0";
    kin_error err;

    for (int i = 0; i < CHANGES; i++) {
        name[0] = (char) ('0' + i % KEYS);
        if (i % 3 == 0) {
            (void) !kin_server_remove(h->w.server, "v1", i % 2 == 0 ? "ConfigMap" : "Secret",
                                      "default", name, NULL, &err);
        } else {
            put_map(&h->w, name, i % 2 == 0 ? "1" : "2");
        }
    }
    return NULL;
}

static void *add(void *context)
{
    hall *h = context;
    char key[] = "default/0";
    kin_error err;

    for (int i = 0; !atomic_load(&h->is_over); i++) {
        key[8] = (char) ('0' + i % KEYS);
        (void) !kin_controller_add(h->w.controller, kin_str_of(key), NULL, &err);
        (void) status_of(&h->w);
        (void) !kin_controller_wait_idle(h->w.controller, 0, &err);
        (void) sched_yield();
    }
    return NULL;
}

/* Its handlers go, and come again. */
static void *drop(void *context)
{
    hall *h = context;
    kin_error err;

    for (int i = 0; i < 3; i++) {
        ASSERT_OK(kin_informer_stop_and_drop(h->secrets, -1, &err));
        ASSERT_OK(kin_informer_start(h->secrets, &err));
        (void) sched_yield();
    }
    return NULL;
}

static void *stop(void *context)
{
    hall *h = context;
    kin_error err;

    (void) !kin_controller_stop(h->w.controller, 0, &err);
    return NULL;
}

static void play_round(hall *h, int number)
{
    static void *(*const parts[])(void *) = { change, drop, add, add };
    pthread_t threads[4];
    pthread_t stopper;

    h->w.options.debounce_ms = number % 3 == 0 ? 5 : 0;
    make_controller_about_maps(&h->w);
    ASSERT_OK(kin_controller_owns(h->w.controller, h->secrets, NULL, &h->w.err));
    ASSERT_OK(kin_controller_start(h->w.controller, &h->w.err));
    atomic_store(&h->is_over, false);
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(pthread_create(&threads[i], NULL, parts[i], h), 0);
    }
    ASSERT_EQ(pthread_join(threads[0], NULL), 0);
    ASSERT_EQ(pthread_create(&stopper, NULL, stop, h), 0);
    ASSERT_EQ(pthread_join(threads[1], NULL), 0);
    ASSERT_EQ(pthread_join(stopper, NULL), 0);
    atomic_store(&h->is_over, true);
    ASSERT_EQ(pthread_join(threads[2], NULL), 0);
    ASSERT_EQ(pthread_join(threads[3], NULL), 0);
    kin_controller_free(h->w.controller);
    h->w.controller = NULL;
}

TEST(controller, can_be_used_by_many_threads_at_once)
{
    static hall h;

    workshop_open(&h.w);
    h.secrets = make_informer_of(&h.w, "secrets");
    h.w.options.reconcile = reconcile;
    h.w.options.context = &h;
    h.w.options.workers = 4;
    ASSERT_OK(kin_informer_start(h.w.maps, &h.w.err));
    ASSERT_OK(kin_informer_start(h.secrets, &h.w.err));

    for (int i = 0; i < ROUNDS; i++) {
        play_round(&h, i);
    }

    kin_informer_free(h.secrets);
    workshop_close(&h.w);
}
