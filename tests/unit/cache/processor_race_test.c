/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor_race_test.c - handlers that come and go on many threads while objects change.
 *
 * Each handler checks for itself all that is promised: its calls do not overlap, `before` is the
 * very object it was last told, states come in order, the store has at least what is told.  In the
 * end those that stayed know what the store has.  For ThreadSanitizer above all.
 */
#include <sched.h>
#include <stdlib.h>

#include "processor_support.h"
#include "support/random.h"

#define PODS 24
#define CHANGES 1500
#define GUESTS 4

/* A handler that knows what it was told. */
typedef struct witness {
    const kin_store *store;
    atomic_int inside;
    kin_object *known[PODS];
    atomic_size_t told;
    bool is_slow;
    atomic_bool has_failed;
    atomic_bool is_over;
} witness;

static unsigned long version_of(const kin_object *object)
{
    return strtoul(kin_object_resource_version(object).data, NULL, 10);
}

static void check_store(const kin_store *store, const kin_notification *n)
{
    kin_view view = kin_store_read(store);
    const kin_object *stored = kin_view_get(&view, n->key);
    if (stored != NULL) {
        ASSERT_TRUE(version_of(stored) >= version_of(n->object));
    }
    kin_store_done(&view);
}

static void witness_told(void *context, const kin_notification *n)
{
    witness *me = context;
    ASSERT_EQ(atomic_fetch_add(&me->inside, 1), 0);
    ASSERT_FALSE(atomic_load(&me->has_failed) || atomic_load(&me->is_over));
    size_t i = (size_t) strtoul(kin_object_name(n->object).data + 4, NULL, 10);

    ASSERT_TRUE(n->before == me->known[i]);
    ASSERT_EQ(n->type == KIN_NOTIFICATION_ADDED, n->before == NULL);
    if (n->before != NULL) {
        ASSERT_TRUE(version_of(n->object) > version_of(n->before));
    }
    check_store(me->store, n);
    kin_object_unref(me->known[i]);
    me->known[i] = n->type == KIN_NOTIFICATION_DELETED ? NULL : kin_object_ref(n->object);
    if (me->is_slow) {
        (void) sched_yield();
    }
    atomic_fetch_add(&me->told, 1);
    atomic_fetch_sub(&me->inside, 1);
}

static void witness_error(void *context, const kin_error *err)
{
    witness *me = context;
    ASSERT_EQ(err->code, KIN_ERR_LIMIT);
    ASSERT_EQ(atomic_load(&me->inside), 0);
    ASSERT_FALSE(atomic_load(&me->is_over));
    ASSERT_FALSE(atomic_exchange(&me->has_failed, true));
}

static void witness_end(void *context)
{
    witness *me = context;
    ASSERT_EQ(atomic_load(&me->inside), 0);
    ASSERT_FALSE(atomic_exchange(&me->is_over, true));
}

static kin_registration_options witness_options(witness *me, kin_delivery mode, size_t bound)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    options.context = me;
    options.on_add = options.on_update = options.on_delete = witness_told;
    options.on_error = witness_error;
    options.on_end = witness_end;
    options.mode = mode;
    options.bound = bound;
    return options;
}

static void forget(witness *me)
{
    for (size_t i = 0; i < PODS; i++) {
        me->known[i] = kin_object_unref(me->known[i]);
    }
}

/* ---- the cast -------------------------------------------------------------------------------- */

typedef struct scene {
    world w;
    atomic_bool is_over;
    atomic_size_t visits;
} scene;

/* Comes, is told a few things, and goes, again and again. */
static void *visit(void *context)
{
    scene *s = context;
    for (size_t round = 0; !atomic_load(&s->is_over); round++) {
        witness me = { .store = s->w.store };
        kin_registration *r = NULL;
        kin_error err;
        kin_registration_options options = witness_options(
            &me, round % 2 == 0 ? KIN_DELIVERY_POOL : KIN_DELIVERY_QUEUE, round % 3 == 0 ? 2 : 0);
        kin_err code = kin__processor_add(s->w.processor, &options, 0, &r, &err);
        if (code != KIN_OK) {
            ASSERT_ERR(code, KIN_ERR_USAGE);
            break;
        }
        if (options.mode == KIN_DELIVERY_QUEUE) {
            ASSERT_OK(kin_registration_dispatch(r, 30, NULL, NULL));
        }
        if (round % 5 == 0) {
            kin_registration_remove(r);
        }
        ASSERT_OK(kin_registration_remove_and_wait(r, NULL));
        ASSERT_TRUE(atomic_load(&me.is_over));
        kin_registration_free(r);
        forget(&me);
        atomic_fetch_add(&s->visits, 1);
    }
    return NULL;
}

static void change_some(world *w, size_t version, uint64_t *random)
{
    open_batch(w);
    for (size_t n = random_below(random, 6); n > 0; n--) {
        size_t i = random_below(random, PODS);
        if (kin__store_newest(w->store, numbered_key(i)) != NULL && random_below(random, 3) == 0) {
            drop_pod(w, i, version);
        } else {
            put_pod(w, i, version);
        }
        version++;
    }
    close_batch(w);
}

static void expect_knows_store(world *w, witness *me)
{
    kin_view view = kin_store_read(w->store);
    for (size_t i = 0; i < PODS; i++) {
        ASSERT_TRUE(kin_view_get(&view, numbered_key(i)) == me->known[i]);
    }
    kin_store_done(&view);
}

TEST(processor_race, keeps_its_promises_while_handlers_come_and_go)
{
    scene s = { .visits = 0 };
    uint64_t random = random_start(7);
    pthread_t guests[GUESTS];
    witness stay[4] = { { .is_slow = true }, { .is_slow = false }, { .is_slow = true }, { 0 } };
    static const kin_delivery modes[] = { KIN_DELIVERY_POOL, KIN_DELIVERY_POOL, KIN_DELIVERY_POOL,
                                          KIN_DELIVERY_INLINE };
    static const size_t bounds[] = { 1, 0, 8, 0 };
    kin_registration *r[4];
    world_begin(&s.w, 0);
    for (size_t i = 0; i < 4; i++) {
        stay[i].store = s.w.store;
        kin_registration_options options = witness_options(&stay[i], modes[i], bounds[i]);
        r[i] = add(&s.w, &options);
    }
    for (size_t i = 0; i < GUESTS; i++) {
        ASSERT_EQ(pthread_create(&guests[i], NULL, visit, &s), 0);
    }

    for (size_t i = 0; i < CHANGES || atomic_load(&s.visits) < 20; i++) {
        change_some(&s.w, 1 + 10 * i, &random);
    }
    ASSERT_OK(kin__processor_stop(s.w.processor, true, INT64_MAX, &s.w.err));
    atomic_store(&s.is_over, true);
    for (size_t i = 0; i < GUESTS; i++) {
        ASSERT_EQ(pthread_join(guests[i], NULL), 0);
    }

    for (size_t i = 0; i < 4; i++) {
        expect_knows_store(&s.w, &stay[i]);
        ASSERT_TRUE(atomic_load(&stay[i].is_over));
        forget(&stay[i]);
        kin_registration_free(r[i]);
    }
    world_end(&s.w);
}

/* Stopped in the middle, without a word to those who come and go. */
TEST(processor_race, stops_while_handlers_come_and_go)
{
    for (size_t round = 0; round < 10; round++) {
        scene s = { .visits = 0 };
        uint64_t random = round;
        pthread_t guests[GUESTS];
        world_begin(&s.w, 0);
        for (size_t i = 0; i < GUESTS; i++) {
            ASSERT_EQ(pthread_create(&guests[i], NULL, visit, &s), 0);
        }

        for (size_t i = 0; i < 20 * round; i++) {
            change_some(&s.w, 1 + 10 * i, &random);
        }
        ASSERT_OK(kin__processor_stop(s.w.processor, round % 2 == 0, INT64_MAX, &s.w.err));

        for (size_t i = 0; i < GUESTS; i++) {
            ASSERT_EQ(pthread_join(guests[i], NULL), 0);
        }
        world_end(&s.w);
    }
}

/* A handler that fails when it is behind, and comes again. */
static void tend(world *w, witness *me, kin_registration **r)
{
    if (*r != NULL && !atomic_load(&me->is_over)) {
        return;
    }
    if (*r != NULL) {
        kin_registration_status status = KIN_REGISTRATION_STATUS_INIT;
        ASSERT_OK(kin_registration_get_status(*r, &status, &w->err));
        ASSERT_EQ(status.state, KIN_REGISTRATION_FAILED);
        ASSERT_EQ(status.error.code, KIN_ERR_LIMIT);
        ASSERT_TRUE(atomic_load(&me->has_failed));
        kin_registration_free(*r);
        forget(me);
    }
    *me = (witness){ .store = w->store, .is_slow = true };
    kin_registration_options options = witness_options(me, KIN_DELIVERY_POOL, 2);
    options.policy = KIN_BACKLOG_FAIL;
    *r = add(w, &options);
}

TEST(processor_race, ends_those_that_cannot_keep_up_where_the_program_wants_that)
{
    world w;
    uint64_t random = random_start(11);
    witness frail[3];
    kin_registration *r[3] = { NULL };
    size_t failures = 0;
    witness patient = { .is_slow = true };
    world_begin(&w, 0);
    patient.store = w.store;
    kin_registration_options options = witness_options(&patient, KIN_DELIVERY_POOL, 2);
    kin_registration *stays = add(&w, &options);

    for (size_t i = 0; failures < 60; i++) {
        for (size_t j = 0; j < 3; j++) {
            failures += r[j] != NULL && atomic_load(&frail[j].is_over);
            tend(&w, &frail[j], &r[j]);
        }
        change_some(&w, 1 + 10 * i, &random);
    }
    ASSERT_OK(kin__processor_stop(w.processor, true, INT64_MAX, &w.err));

    expect_knows_store(&w, &patient);
    for (size_t j = 0; j < 3; j++) {
        ASSERT_TRUE(atomic_load(&frail[j].is_over));
        if (!atomic_load(&frail[j].has_failed)) {
            expect_knows_store(&w, &frail[j]);
        }
        forget(&frail[j]);
        kin_registration_free(r[j]);
    }
    forget(&patient);
    kin_registration_free(stays);
    world_end(&w);
}
