/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delta_fifo.c - what happened at a source and was not processed yet, by key.
 *
 * A replace or resync marks the keys it touches with a number of its own, and writes down how many
 * deltas each had.  From that it knows which keys were in the list without a set of its own, and
 * can take everything back when it fails.
 */
#include "cache/delta_fifo.h"

#include "base/alloc.h"
#include "base/error.h"

struct kin__delta_fifo {
    kin__delta_fifo_options options;
    kin__delta_line line;
    kin__buf key;        /* what the key function wrote last */
    uint32_t mark;       /* of the last replace or resync */
    size_t initial_left; /* keys of the first replace that wait */
    bool is_populated;
    bool is_closed;
};

/* A walk over the known objects. */
typedef struct visit {
    kin__delta_fifo *fifo;
    bool has_failed;
} visit;

static kin_err take_event(kin__delta_fifo *fifo, kin__delta_type type, const kin_object *object,
                          const char *what, kin_error *err);
static kin_err take_change(kin__delta_fifo *fifo, kin__delta_type type, const kin_object *object,
                           kin_error *err);
static kin_err take_deletion(kin__delta_fifo *fifo, const kin_object *object, kin_error *err);
static kin_err take_delta(kin__delta_fifo *fifo, kin_str name, kin__delta delta, kin_error *err);
static kin_err check_open(const kin__delta_fifo *fifo, kin_error *err);
static kin_err key_of(kin__delta_fifo *fifo, const kin_object *object, kin_str *out, bool *out_has,
                      kin_error *err);
static const kin_object *known(const kin__delta_fifo *fifo, kin_str key);
static kin_err transform(kin__delta_fifo *fifo, kin_str key, kin__delta_type type,
                         const kin_object *object, kin_object **out, kin_error *err);
static kin__deltas *queue(kin__delta_fifo *fifo, kin__deltas *key, kin_str name, kin__delta delta);
static bool replace_all(kin__delta_fifo *fifo, kin_object *const *objects, size_t count,
                        kin_error *err);
static bool replace_one(kin__delta_fifo *fifo, const kin_object *object, kin_error *err);
static bool leave_one(kin__delta_fifo *fifo, kin_str key);
static bool delete_waiting(kin__delta_fifo *fifo);
static bool visit_known(kin__delta_fifo *fifo, kin__known_fn fn);
static bool delete_known(void *context, kin_str key, const kin_object *object);
static bool sync_known(void *context, kin_str key, const kin_object *object);
static bool queue_whole(kin__delta_fifo *fifo, kin_str name, kin__delta delta);
static void touch(const kin__delta_fifo *fifo, kin__deltas *key);
static void take_back(kin__delta_fifo *fifo);
static void populate(kin__delta_fifo *fifo);
static void merge_touched(kin__delta_fifo *fifo);
static void merge(kin__delta_fifo *fifo, kin__deltas *key);
static size_t merge_deltas(const kin__delta *all, size_t count, bool existed, kin__delta *out);

kin_err kin__delta_fifo_new(const kin__delta_fifo_options *options, kin__delta_fifo **out,
                            kin_error *err)
{
    kin__delta_fifo *fifo = kin__alloc_zero(1, sizeof *fifo);

    if (fifo == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a fifo");
    }
    if (options != NULL) {
        fifo->options = *options;
    }
    if (fifo->options.bound == 0) {
        fifo->options.bound = KIN__DELTA_FIFO_BOUND;
    }
    *out = fifo;
    return KIN_OK;
}

void kin__delta_fifo_free(kin__delta_fifo *fifo)
{
    if (fifo != NULL) {
        kin__delta_line_clear(&fifo->line);
        kin__buf_fini(&fifo->key);
        kin__free(fifo);
    }
}

kin_err kin__delta_fifo_add(kin__delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    return take_event(fifo, KIN__DELTA_ADDED, object, "an added object", err);
}

kin_err kin__delta_fifo_update(kin__delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    return take_event(fifo, KIN__DELTA_UPDATED, object, "an updated object", err);
}

kin_err kin__delta_fifo_delete(kin__delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    return take_event(fifo, KIN__DELTA_DELETED, object, "a deleted object", err);
}

kin_err kin__delta_fifo_replace(kin__delta_fifo *fifo, kin_object *const *objects, size_t count,
                                kin_error *err)
{
    if (check_open(fifo, err) != KIN_OK || !replace_all(fifo, objects, count, err)) {
        return kin__error_prefix(err, "queue a whole state of %zu objects", count);
    }
    if (!fifo->is_populated) {
        populate(fifo);
    }
    if (fifo->line.delta_count > fifo->options.bound) {
        merge_touched(fifo);
    }
    return KIN_OK;
}

kin_err kin__delta_fifo_resync(kin__delta_fifo *fifo, kin_error *err)
{
    if (check_open(fifo, err) != KIN_OK) {
        return kin__error_prefix(err, "queue a resync");
    }
    fifo->mark++;
    if (!visit_known(fifo, sync_known)) {
        take_back(fifo);
        kin__error_no_memory(err);
        return kin__error_prefix(err, "queue a resync");
    }
    return KIN_OK;
}

bool kin__delta_fifo_pop(kin__delta_fifo *fifo, kin__deltas *out)
{
    if (!kin__delta_line_pop(&fifo->line, out)) {
        return false;
    }
    fifo->initial_left -= out->is_initial;
    return true;
}

void kin__delta_fifo_pop_all(kin__delta_fifo *fifo, kin__delta_line *out)
{
    kin__delta_line_take(&fifo->line, out);
    fifo->initial_left = 0;
}

void kin__delta_fifo_give_back(kin__delta_fifo *fifo, kin__delta_line *taken)
{
    kin__delta_line_give_back(&fifo->line, taken);
}

size_t kin__delta_fifo_count(const kin__delta_fifo *fifo)
{
    return kin__delta_line_count(&fifo->line);
}

size_t kin__delta_fifo_deltas(const kin__delta_fifo *fifo)
{
    return fifo->line.delta_count;
}

bool kin__delta_fifo_has_synced(const kin__delta_fifo *fifo)
{
    return fifo->is_populated && fifo->initial_left == 0;
}

void kin__delta_fifo_close(kin__delta_fifo *fifo)
{
    fifo->is_closed = true;
}

bool kin__delta_fifo_is_closed(const kin__delta_fifo *fifo)
{
    return fifo->is_closed;
}

static kin_err take_event(kin__delta_fifo *fifo, kin__delta_type type, const kin_object *object,
                          const char *what, kin_error *err)
{
    kin_err code = check_open(fifo, err);

    if (code == KIN_OK) {
        code = type == KIN__DELTA_DELETED ? take_deletion(fifo, object, err)
                                          : take_change(fifo, type, object, err);
    }
    if (code != KIN_OK) {
        return kin__error_prefix(err, "queue %s \"%.*s\"", what,
                                 KIN_STR_ARG(kin_object_key(object)));
    }
    fifo->is_populated = true;
    return KIN_OK;
}

static kin_err take_change(kin__delta_fifo *fifo, kin__delta_type type, const kin_object *object,
                           kin_error *err)
{
    kin_str key;
    bool has_key;
    kin_object *ours;

    kin_err code = key_of(fifo, object, &key, &has_key, err);
    if (code != KIN_OK || !has_key) {
        return code;
    }
    code = transform(fifo, key, type, object, &ours, err);
    if (code != KIN_OK || ours == NULL) {
        return code;
    }
    return take_delta(fifo, key, (kin__delta){ .object = ours, .type = type }, err);
}

static kin_err take_deletion(kin__delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    kin_str key;
    bool has_key;
    kin_object *ours;

    kin_err code = key_of(fifo, object, &key, &has_key, err);
    if (code != KIN_OK || !has_key) {
        return code;
    }
    kin__deltas *waiting = kin__delta_line_find(&fifo->line, key);
    const kin_object *last =
        waiting != NULL ? kin__deltas_newest(waiting)->object : known(fifo, key);
    if (waiting == NULL && last == NULL) {
        return KIN_OK;
    }
    code = transform(fifo, key, KIN__DELTA_DELETED, object, &ours, err);
    if (code != KIN_OK) {
        return code;
    }
    bool is_seen = ours != NULL;
    return take_delta(fifo, key,
                      (kin__delta){ .object = is_seen ? ours : kin_object_ref(last),
                                    .type = KIN__DELTA_DELETED,
                                    .is_tombstone = !is_seen },
                      err);
}

/* Of an event.  Consumes the delta's object in any case. */
static kin_err take_delta(kin__delta_fifo *fifo, kin_str name, kin__delta delta, kin_error *err)
{
    kin__deltas *key = queue(fifo, kin__delta_line_find(&fifo->line, name), name, delta);

    if (key == NULL) {
        return kin__error_no_memory(err);
    }
    if (fifo->line.delta_count > fifo->options.bound && key->count > 1) {
        merge(fifo, key);
    }
    return KIN_OK;
}

static kin_err check_open(const kin__delta_fifo *fifo, kin_error *err)
{
    return fifo->is_closed ? kin__error_set(err, KIN_ERR_CANCELLED, "the fifo is closed") : KIN_OK;
}

/* Borrowed from the object, or from `fifo->key` until the next call.  Not `out_has`: the object was
 * refused. */
static kin_err key_of(kin__delta_fifo *fifo, const kin_object *object, kin_str *out, bool *out_has,
                      kin_error *err)
{
    kin_err code = KIN_OK;

    *out = kin_object_key(object);
    if (fifo->options.key != NULL) {
        kin__buf_clear(&fifo->key);
        code = fifo->options.key(fifo->options.context, object, &fifo->key, err);
        if (code == KIN_OK && kin__buf_failed(&fifo->key)) {
            code = kin__error_no_memory(err);
        }
        *out = (kin_str){ fifo->key.data, fifo->key.len };
    }
    *out_has = code == KIN_OK;
    if (code == KIN_OK || code == KIN_ERR_NO_MEMORY) {
        return code;
    }
    if (fifo->options.refused != NULL) {
        fifo->options.refused(fifo->options.context, object, err);
    }
    return KIN_OK;
}

static const kin_object *known(const kin__delta_fifo *fifo, kin_str key)
{
    const kin__known *store = &fifo->options.known;
    return store->get == NULL ? NULL : store->get(store->context, key);
}

static kin_err transform(kin__delta_fifo *fifo, kin_str key, kin__delta_type type,
                         const kin_object *object, kin_object **out, kin_error *err)
{
    if (fifo->options.transform == NULL) {
        *out = kin_object_ref(object);
        return KIN_OK;
    }
    return fifo->options.transform(fifo->options.context, key, type, object, out, err);
}

/* `key` is what waits of it, or NULL.  Consumes the delta's object in any case; NULL when there is
 * no memory. */
static kin__deltas *queue(kin__delta_fifo *fifo, kin__deltas *key, kin_str name, kin__delta delta)
{
    bool copies_key = fifo->options.key != NULL || delta.object == NULL;

    if (key != NULL && delta.type == KIN__DELTA_DELETED &&
        kin__deltas_newest(key)->type == KIN__DELTA_DELETED) {
        if (delta.is_tombstone) {
            kin_object_unref(delta.object);
        } else {
            kin__delta_line_exchange_newest(key, delta);
        }
        return key;
    }
    /* `name` may lie in an object that goes before the delta does. */
    kin_str lasting = copies_key ? name : kin_object_key(delta.object);
    key = kin__delta_line_push(&fifo->line, key, lasting, copies_key, delta);
    if (key == NULL) {
        kin_object_unref(delta.object);
    }
    return key;
}

/* Of the two kinds of keys that are to be deleted, those that wait are in the fifo; so are all keys
 * of the list.  What is known and in neither is found by asking the fifo. */
static bool replace_all(kin__delta_fifo *fifo, kin_object *const *objects, size_t count,
                        kin_error *err)
{
    bool is_done = true;

    fifo->mark++;
    if (!kin__delta_line_reserve(&fifo->line, count)) {
        kin__error_no_memory(err);
        return false;
    }
    for (size_t i = 0; i < count && is_done; i++) {
        is_done = replace_one(fifo, objects[i], err);
    }
    if (is_done && (!delete_waiting(fifo) || !visit_known(fifo, delete_known))) {
        kin__error_no_memory(err);
        is_done = false;
    }
    if (!is_done) {
        take_back(fifo);
    }
    return is_done;
}

static bool replace_one(kin__delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    kin_str key;
    bool has_key;
    kin_object *ours;

    if (key_of(fifo, object, &key, &has_key, err) != KIN_OK) {
        return false;
    }
    if (!has_key) {
        return true;
    }
    if (transform(fifo, key, KIN__DELTA_REPLACED, object, &ours, err) != KIN_OK) {
        return false;
    }
    kin__delta delta = { .object = ours, .type = KIN__DELTA_REPLACED };
    if (ours == NULL ? !leave_one(fifo, key) : !queue_whole(fifo, key, delta)) {
        kin__error_no_memory(err);
        return false;
    }
    return true;
}

/* In the list, and not to be touched: as if it were what waits or is known. */
static bool leave_one(kin__delta_fifo *fifo, kin_str name)
{
    kin__deltas *key = kin__delta_line_find(&fifo->line, name);

    if (key != NULL) {
        touch(fifo, key);
        return true;
    }
    const kin_object *object = known(fifo, name);
    return object == NULL ||
           queue_whole(fifo, name,
                       (kin__delta){ .object = kin_object_ref(object), .type = KIN__DELTA_SYNC });
}

static bool delete_waiting(kin__delta_fifo *fifo)
{
    size_t at = 0;

    for (kin__deltas *key; (key = kin__delta_line_next(&fifo->line, &at)) != NULL;) {
        if (key->mark == fifo->mark) {
            continue;
        }
        const kin__delta *last = kin__deltas_newest(key);
        if (!queue_whole(fifo, kin__deltas_key(key),
                         (kin__delta){ .object = kin_object_ref(last->object),
                                       .type = KIN__DELTA_DELETED,
                                       .is_tombstone = true })) {
            return false;
        }
    }
    return true;
}

/* False when there is no memory. */
static bool visit_known(kin__delta_fifo *fifo, kin__known_fn fn)
{
    visit v = { .fifo = fifo };

    if (fifo->options.known.each != NULL) {
        fifo->options.known.each(fifo->options.known.context, fn, &v);
    }
    return !v.has_failed;
}

static bool delete_known(void *context, kin_str key, const kin_object *object)
{
    visit *v = context;
    kin__delta delta = { .type = KIN__DELTA_DELETED, .is_tombstone = true };

    if (kin__delta_line_find(&v->fifo->line, key) == NULL) {
        delta.object = kin_object_ref(object);
        v->has_failed = !queue_whole(v->fifo, key, delta);
    }
    return !v->has_failed;
}

static bool sync_known(void *context, kin_str key, const kin_object *object)
{
    visit *v = context;
    kin__delta delta = { .type = KIN__DELTA_SYNC };

    if (object != NULL && kin__delta_line_find(&v->fifo->line, key) == NULL) {
        delta.object = kin_object_ref(object);
        v->has_failed = !queue_whole(v->fifo, key, delta);
    }
    return !v->has_failed;
}

/* Of a replace or resync: it can be taken back.  Consumes the delta's object in any case. */
static bool queue_whole(kin__delta_fifo *fifo, kin_str name, kin__delta delta)
{
    kin__deltas *key = kin__delta_line_find(&fifo->line, name);

    if (key != NULL) {
        touch(fifo, key);
    }
    key = queue(fifo, key, name, delta);
    if (key != NULL && key->mark != fifo->mark) {
        key->mark = fifo->mark;
        key->kept = 0;
    }
    return key != NULL;
}

static void touch(const kin__delta_fifo *fifo, kin__deltas *key)
{
    if (key->mark != fifo->mark) {
        key->mark = fifo->mark;
        key->kept = key->count;
    }
}

static void take_back(kin__delta_fifo *fifo)
{
    size_t at = 0;

    for (kin__deltas *key; (key = kin__delta_line_next(&fifo->line, &at)) != NULL;) {
        if (key->mark == fifo->mark) {
            kin__delta_line_truncate(&fifo->line, key, key->kept);
        }
    }
}

static void populate(kin__delta_fifo *fifo)
{
    size_t at = 0;

    for (kin__deltas *key; (key = kin__delta_line_next(&fifo->line, &at)) != NULL;) {
        key->is_initial = true;
    }
    fifo->initial_left = kin__delta_line_count(&fifo->line);
    fifo->is_populated = true;
}

static void merge_touched(kin__delta_fifo *fifo)
{
    size_t at = 0;

    for (kin__deltas *key; (key = kin__delta_line_next(&fifo->line, &at)) != NULL;) {
        if (key->mark == fifo->mark && key->count > 1) {
            merge(fifo, key);
        }
    }
}

/* Without known objects, what begins with an add is new. */
static void merge(kin__delta_fifo *fifo, kin__deltas *key)
{
    kin__delta few[2];
    const kin__delta *all = kin__deltas_all(key);
    bool existed = fifo->options.known.get != NULL ? known(fifo, kin__deltas_key(key)) != NULL
                                                   : all[0].type != KIN__DELTA_ADDED;
    size_t count = merge_deltas(all, key->count, existed, few);

    if (count == 0) {
        fifo->initial_left -= key->is_initial;
        kin__delta_line_truncate(&fifo->line, key, 0);
    } else {
        kin__delta_line_exchange(&fifo->line, key, few, count);
    }
}

/*
 * What is left of a key's deltas, whose object was there before them or not.  The first deletion is
 * that of the object that was there; what came and went after it was never told.
 */
static size_t merge_deltas(const kin__delta *all, size_t count, bool existed, kin__delta *out)
{
    size_t deletion = count;
    size_t base = 0; /* the first one behind the last deletion */
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        if (all[i].type == KIN__DELTA_DELETED) {
            deletion = deletion == count ? i : deletion;
            base = i + 1;
        }
    }
    if (existed && deletion != count) {
        out[len++] = all[deletion];
    }
    if (base < count) {
        out[len] = all[count - 1];
        if (!existed || deletion != count) {
            out[len].type = all[base].type;
        }
        len++;
    }
    return len;
}
