/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_bench.c - reading and writing a store, beside a map behind a read-write lock.
 *
 * Keys are asked for in random order.  Times of threads that run together are processor times too:
 * on a machine with few processors nothing else can be compared.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/map.h"
#include "bench.h"
#include "cache/store.h"
#include "measure.h"

#define KEY_ROOM 104
#define NODES 200
#define CHANGES_PER_SECOND 10000
#define CALLS 400000

/* Objects of one size of key, in a store and in a map. */
typedef struct stock {
    size_t count;
    size_t key_len;
    kin_store *store;
    kin__map map;
    pthread_rwlock_t lock;
    kin_str *keys;        /* in random order */
    char *chars;          /* of the keys, in that order too */
    kin_object **objects; /* in the order they were made */
    size_t next;          /* where the asking goes on */
} stock;

static void bench_gets(size_t count, size_t key_len);
static void bench_walks(const bench_pods *pods);
static void bench_threads(stock *s);
static void bench_writes(stock *s);
static void bench_empty(void);
static void stock_init(stock *s, size_t count, size_t key_len);
static void shuffle_keys(stock *s);
static void stock_fini(stock *s);
static kin_object *make_object(const char *key, size_t number);
static void write_key(char *key, size_t number, size_t wanted);
static void put(kin_store *store, const kin_object *object);
static double seconds_of(clockid_t clock);

void bench_store(const bench_pods *pods)
{
    printf("\n%-48s %10s %14s %14s\n", "store: get by key", "", "map, rwlock", "");
    bench_gets(20000, 30);
    bench_gets(20000, 100);
    bench_gets(1000000, 30);
    bench_gets(1000000, 100);
    bench_walks(pods);
    bench_empty();
}

/* ---- one object -------------------------------------------------------------------------- */

static kin_str next_key(stock *s)
{
    size_t at = s->next;
    s->next = at + 1 == s->count ? 0 : at + 1;
    return s->keys[at];
}

static uint64_t get_in_one_section(void *context, size_t calls)
{
    stock *s = context;
    uint64_t found = 0;
    kin_view view = kin_store_read(s->store);
    for (size_t i = 0; i < calls; i++) {
        found += kin_view_get(&view, next_key(s)) != NULL ? 1 : 0;
    }
    kin_store_done(&view);
    if (found != calls) {
        bench_fail("a key is missing");
    }
    return found;
}

static uint64_t get_in_own_sections(void *context, size_t calls)
{
    stock *s = context;
    uint64_t found = 0;
    for (size_t i = 0; i < calls; i++) {
        kin_view view = kin_store_read(s->store);
        found += kin_view_get(&view, next_key(s)) != NULL ? 1 : 0;
        kin_store_done(&view);
    }
    return found;
}

static uint64_t get_with_reference(void *context, size_t calls)
{
    stock *s = context;
    uint64_t found = 0;
    for (size_t i = 0; i < calls; i++) {
        kin_view view = kin_store_read(s->store);
        kin_object *object = kin_object_ref(kin_view_get(&view, next_key(s)));
        kin_store_done(&view);
        found += object != NULL ? 1 : 0;
        kin_object_unref(object);
    }
    return found;
}

static uint64_t get_from_map(void *context, size_t calls)
{
    stock *s = context;
    uint64_t found = 0;
    for (size_t i = 0; i < calls; i++) {
        pthread_rwlock_rdlock(&s->lock);
        found += kin__map_get(&s->map, next_key(s)) != NULL ? 1 : 0;
        pthread_rwlock_unlock(&s->lock);
    }
    return found;
}

static uint64_t get_with_reference_from_map(void *context, size_t calls)
{
    stock *s = context;
    uint64_t found = 0;
    for (size_t i = 0; i < calls; i++) {
        pthread_rwlock_rdlock(&s->lock);
        kin_object *object = kin_object_ref(kin__map_get(&s->map, next_key(s)));
        pthread_rwlock_unlock(&s->lock);
        found += object != NULL ? 1 : 0;
        kin_object_unref(object);
    }
    return found;
}

static void print_get(const stock *s, const char *what, double got, double beside)
{
    printf("  %-9zu %3zu bytes  %-27s %7.1f ns %9.1f ns %12.2f x\n", s->count, s->key_len, what,
           got * 1e9, beside * 1e9, beside / got);
}

static void promise_get(const stock *s, const char *what, double got, double small, double large)
{
    char text[80];
    snprintf(text, sizeof text, "%s, of %zu objects", what, s->count);
    bench_promise_below(text, got * 1e9, s->count > 100000 ? large : small, "ns");
}

static void bench_gets(size_t count, size_t key_len)
{
    stock s;
    stock_init(&s, count, key_len);
    double one = bench_each_call(get_in_one_section, &s, CALLS);
    double own = bench_each_call(get_in_own_sections, &s, CALLS);
    double referenced = bench_each_call(get_with_reference, &s, CALLS);
    double map = bench_each_call(get_from_map, &s, CALLS);
    double map_referenced = bench_each_call(get_with_reference_from_map, &s, CALLS);

    print_get(&s, "many in a read section", one, map);
    print_get(&s, "a read section for each", own, map);
    print_get(&s, "and a reference", referenced, map_referenced);
    if (key_len == 30) {
        promise_get(&s, "get", one, 25, 100);
        promise_get(&s, "get and reference", referenced, 60, 160);
        bench_writes(&s);
    }
    if (count == 20000 && key_len == 30) {
        bench_threads(&s);
    }
    stock_fini(&s);
}

/* ---- many objects ------------------------------------------------------------------------ */

typedef struct walk_work {
    kin_store *store;
    kin__map *map;
    kin_selector *selector;
} walk_work;

static uint64_t walk_all(void *context, size_t calls)
{
    walk_work *w = context;
    uint64_t sum = 0;
    size_t seen = 0;
    kin_view view = kin_store_read(w->store);
    while (seen < calls) {
        kin_view_iter iter = kin_view_all(&view);
        while (kin_view_next(&iter)) {
            sum += (uintptr_t) iter.object;
            seen++;
        }
    }
    kin_store_done(&view);
    return sum;
}

static uint64_t walk_map(void *context, size_t calls)
{
    walk_work *w = context;
    uint64_t sum = 0;
    size_t seen = 0;
    while (seen < calls) {
        kin__map_iter iter = kin__map_begin(w->map);
        while (kin__map_next(&iter)) {
            sum += (uintptr_t) iter.value;
            seen++;
        }
    }
    return sum;
}

static uint64_t walk_nodes(void *context, size_t calls)
{
    walk_work *w = context;
    uint64_t sum = 0;
    size_t seen = 0;
    kin_view view = kin_store_read(w->store);
    for (size_t node = 0; seen < calls; node = (node + 1) % NODES) {
        char value[32];
        int len = snprintf(value, sizeof value, "node-%zu", node);
        kin_view_iter iter = kin_view_by_index(&view, "node", (kin_str){ value, (size_t) len });
        while (kin_view_next(&iter)) {
            sum += (uintptr_t) iter.object;
            seen++;
        }
    }
    kin_store_done(&view);
    return sum;
}

static uint64_t walk_selected(void *context, size_t calls)
{
    walk_work *w = context;
    uint64_t sum = 0;
    kin_view view = kin_store_read(w->store);
    size_t count = kin_view_count(&view);
    for (size_t seen = 0; seen < calls; seen += count) {
        kin_view_iter iter = kin_view_all(&view);
        while (kin_view_next_matching(&iter, w->selector, NULL)) {
            sum += (uintptr_t) iter.object;
        }
    }
    kin_store_done(&view);
    return sum;
}

static uint64_t walk_map_selected(void *context, size_t calls)
{
    walk_work *w = context;
    uint64_t sum = 0;
    for (size_t seen = 0; seen < calls;) {
        kin__map_iter iter = kin__map_begin(w->map);
        while (kin__map_next(&iter)) {
            sum += kin_selector_matches(w->selector, iter.value) ? (uintptr_t) iter.value : 0;
            seen++;
        }
    }
    return sum;
}

static void print_walk(const char *what, double got, double beside)
{
    if (beside > 0) {
        printf("  %-46s %7.1f ns %9.1f ns %12.2f x\n", what, got * 1e9, beside * 1e9, beside / got);
    } else {
        printf("  %-46s %7.1f ns\n", what, got * 1e9);
    }
}

static void bench_pod_walks(const bench_pods *pods)
{
    kin_object **objects = bench_whole_objects(pods);
    kin__map map = { 0 };
    walk_work w = { .map = &map };
    kin_error err;
    if (kin__store_new(NULL, &w.store, &err) != KIN_OK ||
        kin_selector_parse("app=web", &w.selector, &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
    kin__store_begin(w.store);
    for (size_t i = 0; i < pods->count; i++) {
        put(w.store, objects[i]);
        if (kin__map_put(&map, kin_object_key(objects[i]), objects[i], NULL, &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
    }
    kin__store_publish(w.store);
    size_t calls = pods->count * 20;
    double selected = bench_each_call(walk_selected, &w, calls);
    print_walk("label selector, whole pods", selected,
               bench_each_call(walk_map_selected, &w, calls));
    bench_promise_below("label selector, an object", selected * 1e9, 60, "ns");
    kin_selector_free(w.selector);
    kin__store_free(w.store);
    kin__map_clear(&map);
    bench_drop_objects(objects, pods->count);
    kin__free(objects);
}

static void bench_walks(const bench_pods *pods)
{
    kin_index_options options = KIN_INDEX_OPTIONS_INIT;
    kin_error err;
    options.name = "node";
    options.path = "spec.nodeName";

    printf("\n%-48s %10s %14s\n", "store: many objects, for each", "", "map");
    for (size_t count = 20000; count <= 1000000; count *= 50) {
        stock s;
        char text[64];
        stock_init(&s, count, 30);
        if (kin_store_add_index(s.store, &options, &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
        walk_work w = { .store = s.store, .map = &s.map };
        size_t calls = count > 100000 ? count : count * 50;
        double all = bench_each_call(walk_all, &w, calls);
        double node = bench_each_call(walk_nodes, &w, calls);
        snprintf(text, sizeof text, "all, of %zu", count);
        print_walk(text, all, bench_each_call(walk_map, &w, calls));
        snprintf(text, sizeof text, "by index, %zu at a time", count / NODES);
        print_walk(text, node, 0);
        if (count == 20000) {
            bench_promise_below("list, an object", all * 1e9, 8, "ns");
            bench_promise_below("by index, an object", node * 1e9, 15, "ns");
        }
        stock_fini(&s);
    }
    bench_pod_walks(pods);
}

/* ---- threads ----------------------------------------------------------------------------- */

typedef struct reading {
    stock s; /* a copy */
    pthread_t thread;
    pthread_barrier_t *start;
    double seconds; /* of the processor, for each get */
} reading;

static atomic_bool has_ended;

static void *read_on(void *context)
{
    reading *r = context;
    stock own = r->s; /* on a stack of its own: no other thread writes beside it */
    bench_use(get_in_own_sections(&own, CALLS));
    (void) pthread_barrier_wait(r->start);
    double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    bench_use(get_in_own_sections(&own, 10 * CALLS));
    r->seconds = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start) / (10.0 * CALLS);
    return NULL;
}

static double read_with(stock *s, size_t threads)
{
    reading readings[2];
    pthread_barrier_t start;
    double sum = 0;

    pthread_barrier_init(&start, NULL, (unsigned) threads);
    for (size_t i = 0; i < threads; i++) {
        readings[i].s = *s;
        readings[i].s.next = i * s->count / 2;
        readings[i].start = &start;
        if (pthread_create(&readings[i].thread, NULL, read_on, &readings[i]) != 0) {
            bench_fail("no thread");
        }
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(readings[i].thread, NULL);
        sum += readings[i].seconds;
    }
    pthread_barrier_destroy(&start);
    return sum / (double) threads;
}

/* One change and one version each time. */
static void *write_on(void *context)
{
    stock *s = context;
    struct timespec pause = { .tv_nsec = 200000 };
    double start = seconds_of(CLOCK_MONOTONIC);
    size_t done = 0;

    while (!atomic_load(&has_ended)) {
        double due = (seconds_of(CLOCK_MONOTONIC) - start) * CHANGES_PER_SECOND;
        for (; (double) done < due; done++) {
            kin__store_begin(s->store);
            put(s->store, s->objects[done * 7919 % s->count]);
            kin__store_publish(s->store);
        }
        (void) nanosleep(&pause, NULL);
    }
    return NULL;
}

static double middle_of_three(double a, double b, double c)
{
    return a > b ? (b > c ? b : (a > c ? c : a)) : (a > c ? a : (b > c ? c : b));
}

static void bench_threads(stock *s)
{
    pthread_t writer;
    double alone[3];
    double two[3];
    double beside[3];

    for (size_t i = 0; i < 3; i++) {
        alone[i] = read_with(s, 1);
        two[i] = read_with(s, 2);
        atomic_store(&has_ended, false);
        if (pthread_create(&writer, NULL, write_on, s) != 0) {
            bench_fail("no thread");
        }
        beside[i] = read_with(s, 1);
        atomic_store(&has_ended, true);
        pthread_join(writer, NULL);
    }
    double one = middle_of_three(alone[0], alone[1], alone[2]);
    double both = middle_of_three(two[0], two[1], two[2]);
    double written = middle_of_three(beside[0], beside[1], beside[2]);
    printf("  %-46s %7.1f ns; two readers %.1f ns, beside a writer %.1f ns\n", "one reader's get",
           one * 1e9, both * 1e9, written * 1e9);
    bench_promise_at_least("two readers beside one", 2 * one / both, 1.8, "x");
    bench_promise_below("a reader beside 10,000 changes a second", written / one, 1.2, "x");
}

/* ---- writing ----------------------------------------------------------------------------- */

static uint64_t change_alone(void *context, size_t calls)
{
    stock *s = context;
    for (size_t i = 0; i < calls; i++) {
        kin__store_begin(s->store);
        put(s->store, s->objects[s->next++ * 7919 % s->count]);
        kin__store_publish(s->store);
    }
    s->next = 0;
    return calls;
}

static uint64_t change_by_hundreds(void *context, size_t calls)
{
    stock *s = context;
    for (size_t i = 0; i < calls; i++) {
        if (i % 100 == 0) {
            kin__store_begin(s->store);
        }
        put(s->store, s->objects[s->next++ * 7919 % s->count]);
        if (i % 100 == 99) {
            kin__store_publish(s->store);
        }
    }
    s->next = 0;
    return calls;
}

static void bench_writes(stock *s)
{
    double alone = bench_each_call(change_alone, s, 20000);
    double hundred = bench_each_call(change_by_hundreds, s, 100000);
    kin__store_usage usage = kin__store_measure(s->store);

    printf("  %-46s %7.0f ns; a hundred at once %.0f ns each; %zu bytes an object\n",
           "a change and its version", alone * 1e9, hundred * 1e9,
           usage.structure_bytes / s->count);
}

static void bench_empty(void)
{
    enum { STORES = 1000 };
    static kin_store *stores[STORES];
    kin_error err;
    size_t before = mallinfo2().uordblks;

    for (size_t i = 0; i < STORES; i++) {
        if (kin__store_new(NULL, &stores[i], &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
    }
    double bytes = (double) (mallinfo2().uordblks - before) / STORES;
    for (size_t i = 0; i < STORES; i++) {
        kin__store_free(stores[i]);
    }
    printf("  %-46s %7.0f bytes\n", "an empty store, of 1,000", bytes);
    bench_promise_below("an empty store", bytes, 1024, "B");
}

/* ---- stock ------------------------------------------------------------------------------- */

static void stock_init(stock *s, size_t count, size_t key_len)
{
    kin_error err;

    *s = (stock){ .count = count, .key_len = key_len };
    s->keys = kin__alloc(count * sizeof *s->keys);
    s->chars = kin__alloc(count * KEY_ROOM);
    s->objects = kin__alloc(count * sizeof *s->objects);
    if (s->keys == NULL || s->chars == NULL || s->objects == NULL ||
        pthread_rwlock_init(&s->lock, NULL) != 0 ||
        kin__store_new(NULL, &s->store, &err) != KIN_OK) {
        bench_fail("no memory");
    }
    kin__store_begin(s->store);
    for (size_t i = 0; i < count; i++) {
        char key[KEY_ROOM];
        write_key(key, i, key_len);
        s->objects[i] = make_object(key, i);
        s->keys[i] = kin_object_key(s->objects[i]);
        put(s->store, s->objects[i]);
        if (kin__map_put(&s->map, s->keys[i], s->objects[i], NULL, &err) != KIN_OK) {
            bench_fail("%s", err.message);
        }
    }
    kin__store_publish(s->store);
    shuffle_keys(s);
}

/* And copies them in that order: finding the key to ask for costs nothing then. */
static void shuffle_keys(stock *s)
{
    uint64_t random = 1;
    char *end = s->chars;

    for (size_t i = s->count - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t other = (size_t) (random >> 33) % (i + 1);
        kin_str key = s->keys[i];
        s->keys[i] = s->keys[other];
        s->keys[other] = key;
    }
    for (size_t i = 0; i < s->count; i++) {
        memcpy(end, s->keys[i].data, s->keys[i].len);
        s->keys[i].data = end;
        end += s->keys[i].len;
    }
}

static void stock_fini(stock *s)
{
    kin__store_free(s->store);
    kin__map_clear(&s->map);
    bench_drop_objects(s->objects, s->count);
    kin__free(s->objects);
    kin__free(s->chars);
    kin__free(s->keys);
    pthread_rwlock_destroy(&s->lock);
}

/* "ns-7/app-42-00a3f21-0000123", and as long as is wanted. */
static void write_key(char *key, size_t number, size_t wanted)
{
    int len = snprintf(key, KEY_ROOM, "ns-%zu/app-%zu-%07zx-%07zu", number % 20, number % 100,
                       number * 40503 % 268435456, number);
    size_t written = (size_t) len;
    for (; written < wanted; written++) {
        key[written] = 'x';
    }
    key[written] = '\0';
}

static kin_object *make_object(const char *key, size_t number)
{
    char json[512];
    const char *slash = strchr(key, '/');
    kin_object *object = NULL;
    kin_error err;
    int len = snprintf(json, sizeof json,
                       "{\"metadata\":{\"namespace\":\"%.*s\",\"name\":\"%s\","
                       "\"resourceVersion\":\"%zu\"},\"spec\":{\"nodeName\":\"node-%zu\"}}",
                       (int) (slash - key), key, slash + 1, number, number % NODES);

    if (kin_object_from_json(json, (size_t) len, NULL, &object, &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
    return object;
}

static void put(kin_store *store, const kin_object *object)
{
    const kin_object *old;
    kin_error err;
    if (kin__store_put(store, object, &old, &err) != KIN_OK) {
        bench_fail("%s", err.message);
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) {
        bench_fail("there is no such clock");
    }
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
