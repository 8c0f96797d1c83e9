/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_model_test.c - a work queue beside one that is too simple to be wrong.
 */
#include "support/random.h"
#include "unit/queue/support.h"

#define KEYS 14
#define WORKERS 3
#define STEPS 60000
#define NEVER INT64_MAX

/* What is known of a key. */
typedef struct known {
    bool is_waiting;
    bool is_running;
    bool is_again;
    int priority;
    uint64_t since; /* its place among those who wait */
    int64_t due_ms; /* NEVER: not later */
    int later_priority;
    uint64_t later_order; /* of those that are due at the same time */
    uint32_t failures;
} known;

typedef struct model {
    desk desk;
    known keys[KEYS];
    kin_queue_item items[WORKERS];
    int has[WORKERS]; /* the key that a worker has; -1: none */
    uint64_t order;
    int64_t now_ms;
    uint64_t random;
} model;

static size_t some(model *m, size_t end)
{
    return random_below(&m->random, end);
}

static kin_str key_of(size_t k)
{
    static const char names[KEYS][8] = { "a", "b", "c", "d", "e", "f", "g",
                                         "h", "i", "j", "k", "l", "m", "n" };
    return kin_str_of(names[k]);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void model_add(model *m, known *k, int priority)
{
    if (k->is_waiting || k->is_again) {
        if (k->is_waiting && priority > k->priority) {
            k->since = m->order++;
        }
        k->priority = larger(priority, k->priority);
        return;
    }
    k->priority = priority;
    k->is_again = k->is_running;
    k->is_waiting = !k->is_running;
    k->since = m->order++;
}

static void model_later(model *m, known *k, int64_t delay_ms, int priority, bool replaces)
{
    int64_t due_ms = m->now_ms + delay_ms;

    bool is_merged = k->due_ms != NEVER && !replaces;
    if (!is_merged || due_ms < k->due_ms) {
        k->due_ms = due_ms;
        k->later_order = m->order++;
    }
    k->later_priority = is_merged ? larger(priority, k->later_priority) : priority;
}

/* What is due comes, in the order of its times. */
static void model_promote(model *m)
{
    for (;;) {
        known *first = NULL;
        for (size_t i = 0; i < KEYS; i++) {
            known *k = &m->keys[i];
            if (k->due_ms <= m->now_ms &&
                (first == NULL || k->due_ms < first->due_ms ||
                 (k->due_ms == first->due_ms && k->later_order < first->later_order))) {
                first = k;
            }
        }
        if (first == NULL) {
            return;
        }
        first->due_ms = NEVER;
        model_add(m, first, first->later_priority);
    }
}

static void step_add(model *m)
{
    size_t k = some(m, KEYS);
    kin_queue_add_options options = KIN_QUEUE_ADD_OPTIONS_INIT;
    options.priority = (kin_priority) ((int) some(m, 3) - 1);
    options.delay_ms = some(m, 3) == 0 ? (int64_t) some(m, 20) : 0;
    options.replaces_later = some(m, 4) == 0;

    ASSERT_OK(kin_queue_add(m->desk.queue, key_of(k), &options, NULL));
    if (options.delay_ms > 0) {
        model_later(m, &m->keys[k], options.delay_ms, options.priority, options.replaces_later);
    } else {
        m->keys[k].due_ms = options.replaces_later ? NEVER : m->keys[k].due_ms;
        model_add(m, &m->keys[k], options.priority);
    }
}

static void step_take(model *m)
{
    size_t worker = some(m, WORKERS);
    kin_queue_item item;
    if (m->has[worker] >= 0) {
        return;
    }
    model_promote(m);
    kin_err code = kin_queue_take(m->desk.queue, NULL, 0, &item, NULL);
    size_t waiting = 0;
    for (size_t i = 0; i < KEYS; i++) {
        waiting += m->keys[i].is_waiting;
    }
    ASSERT_ERR(code, waiting > 0 ? KIN_OK : KIN_ERR_TIMEOUT);
    if (code != KIN_OK) {
        return;
    }
    size_t taken = (size_t) (item.key.data[0] - 'a');
    known *k = &m->keys[taken];
    ASSERT_TRUE(k->is_waiting);
    ASSERT_EQ((int) item.priority, k->priority);
    ASSERT_EQ(item.failures, k->failures);
    for (size_t i = 0; i < KEYS; i++) {
        const known *other = &m->keys[i];
        ASSERT_FALSE(other->is_waiting && other->priority == k->priority &&
                     other->since < k->since);
    }
    k->is_waiting = false;
    k->is_running = true;
    m->items[worker] = item;
    m->has[worker] = (int) taken;
}

static void step_give_back(model *m)
{
    size_t worker = some(m, WORKERS);
    if (m->has[worker] < 0) {
        return;
    }
    known *k = &m->keys[m->has[worker]];
    if (some(m, 3) == 0) {
        model_later(m, k, (int64_t) 1 << (k->failures > 4 ? 4 : k->failures),
                    m->items[worker].priority, false);
        k->failures++;
        kin_queue_retry(m->desk.queue, &m->items[worker]);
    } else {
        kin_queue_done(m->desk.queue, &m->items[worker]);
    }
    k->is_running = false;
    if (k->is_again) {
        k->is_again = false;
        k->is_waiting = true;
        k->since = m->order++;
    }
    m->has[worker] = -1;
}

static void step_else(model *m)
{
    size_t k = some(m, KEYS);
    switch (some(m, 3)) {
    case 0:
        ASSERT_EQ(kin_queue_cancel(m->desk.queue, key_of(k)), m->keys[k].due_ms != NEVER);
        m->keys[k].due_ms = NEVER;
        break;
    case 1:
        kin_queue_forget(m->desk.queue, key_of(k));
        m->keys[k].failures = 0;
        break;
    default:
        pass(&m->desk, 3);
        m->now_ms += 3;
        break;
    }
}

static void compare(model *m)
{
    size_t waiting = 0;
    size_t running = 0;
    size_t again = 0;
    size_t later = 0;
    size_t held = 0;
    size_t remembered = 0;
    model_promote(m);
    kin_queue_status status = status_of(&m->desk);

    for (size_t i = 0; i < KEYS; i++) {
        const known *k = &m->keys[i];
        bool is_held = k->is_waiting || k->is_running || k->due_ms != NEVER;
        waiting += k->is_waiting;
        running += k->is_running;
        again += k->is_again;
        later += k->due_ms != NEVER;
        held += is_held;
        remembered += !is_held && k->failures > 0;
        ASSERT_EQ(kin_queue_failures(m->desk.queue, key_of(i)), k->failures);
    }
    ASSERT_EQ(status.waiting, waiting);
    ASSERT_EQ(status.running, running);
    ASSERT_EQ(status.added_again, again);
    ASSERT_EQ(status.later, later);
    ASSERT_EQ(status.held, held);
    ASSERT_EQ(status.remembered, remembered);
}

TEST(queue_model, does_what_the_queue_does)
{
    static model m;
    kin_limiter limiter = KIN_LIMITER_INIT;
    limiter.base_ms = 1;
    limiter.max_ms = 16;
    desk_open_limited(&m.desk, &limiter);
    m.random = random_start(11);
    for (size_t i = 0; i < KEYS; i++) {
        m.keys[i].due_ms = NEVER;
    }
    for (size_t i = 0; i < WORKERS; i++) {
        m.has[i] = -1;
    }

    for (int step = 0; step < STEPS; step++) {
        size_t what = some(&m, 10);
        if (what < 3) {
            step_add(&m);
        } else if (what < 6) {
            step_take(&m);
        } else if (what < 8) {
            step_give_back(&m);
        } else {
            step_else(&m);
        }
        compare(&m);
    }
    desk_close(&m.desk);
}
