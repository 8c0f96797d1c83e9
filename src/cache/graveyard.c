/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graveyard.c - what was deleted, in a store, in the order of its deletion.
 *
 * Staged graves are behind the batch that is being made, and no others are; the rest lie in a row,
 * the oldest first.  A batch of the store that finds no memory is paused, and dropped by the
 * next one: graves move only when all has been published.
 */
#include "cache/graveyard.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/str.h"

#define SLACK_PARTS 16 /* of the time to keep: so much longer, that many go together */
#define SLACK_MAX_MS 1000
#define DIGITS_MAX 18

typedef struct grave {
    kin__link link;
    kin_object *object; /* shared */
    uint64_t number;    /* of its notification in the batch */
    uint64_t order;     /* higher than those of all before it */
    kin_time at;
    int64_t due_ms;
} grave;

struct kin__graveyard {
    kin__graveyard_options options;
    kin_store *store;
    kin__list graves; /* the oldest first */
    size_t grave_count;
    kin__list staged;
    size_t staged_count;
    uint64_t number;      /* of notifications in the batch */
    uint64_t order;       /* of the last grave */
    const grave *burying; /* whose key the store asks for */
    kin__buf key;         /* scratch */
    kin__buf indexed_key; /* the same, of who writes the store */
};

/* What stands behind the key in a key of the store. */
typedef struct epitaph {
    uint64_t order;
    kin_time at;
    size_t key_len; /* of the key before it */
} epitaph;

static kin_err make_store(kin__graveyard *g, kin_error *err);
static bool is_gone(const kin_notification *notification, const kin_object **out);
static kin_err put_all(kin__graveyard *g, size_t over, kin_error *err);
static kin_err put(kin__graveyard *g, const grave *of, kin_error *err);
static kin_err remove_same(kin__graveyard *g, const grave *of, kin_error *err);
static bool has_room_for_index(kin__graveyard *g);
static const kin_object *find_same(kin__graveyard *g, const grave *of, kin_str *out_key);
static kin_err take_out(kin__graveyard *g, size_t count, kin_error *err);
static kin_err settle(kin__graveyard *g, kin_err code);
static void move_staged(kin__graveyard *g, size_t over, int64_t now_ms);
static void free_first(kin__list *list, size_t count);
static kin_err write_key(void *context, const kin_object *object, kin__buf *out, kin_error *err);
static kin_err write_old_key(const kin__graveyard *g, const kin_object *object, kin__buf *out,
                             kin_error *err);
static kin_err index_key(void *context, const kin_object *object, kin_index_sink *sink,
                         kin_error *err);
static void tell_unread(void *context);
static bool read_epitaph(const kin_view_iter *iter, epitaph *out);
static bool read_number(kin_str *text, char end, int64_t *out);

/* ---- reading -------------------------------------------------------------------------------- */

kin_deleted kin_deleted_get(const kin_view *view, kin_str key)
{
    kin_deleted last = { 0 };
    uint64_t order = 0;
    kin_view_iter iter = kin_view_by_index(view, KIN_DELETED_BY_KEY, key);

    while (kin_view_next(&iter)) {
        epitaph its;
        if (read_epitaph(&iter, &its) && its.order > order) {
            order = its.order;
            last = kin_deleted_of(&iter);
        }
    }
    return last;
}

kin_deleted kin_deleted_of(const kin_view_iter *iter)
{
    epitaph its;

    if (!read_epitaph(iter, &its)) {
        return (kin_deleted){ 0 };
    }
    return (kin_deleted){ iter->object, kin__str(iter->key.data, its.key_len), its.at };
}

/* ---- its life ------------------------------------------------------------------------------- */

kin_err kin__graveyard_new(const kin__graveyard_options *options, kin__graveyard **out,
                           kin_error *err)
{
    AUTO(kin__graveyard_free) kin__graveyard *g = kin__alloc_zero(1, sizeof *g);

    if (g == NULL) {
        return kin__error_no_memory(err);
    }
    g->options = *options;
    if (make_store(g, err) != KIN_OK) {
        return err->code;
    }
    *out = STEAL(g);
    return KIN_OK;
}

void kin__graveyard_free(kin__graveyard *graveyard)
{
    if (graveyard == NULL) {
        return;
    }
    free_first(&graveyard->graves, SIZE_MAX);
    free_first(&graveyard->staged, SIZE_MAX);
    kin__store_free(graveyard->store);
    kin__buf_fini(&graveyard->key);
    kin__buf_fini(&graveyard->indexed_key);
    kin__free(graveyard);
}

kin_store *kin__graveyard_store(const kin__graveyard *graveyard)
{
    return graveyard == NULL ? NULL : graveyard->store;
}

static kin_err make_store(kin__graveyard *g, kin_error *err)
{
    kin_index_options by_key = KIN_INDEX_OPTIONS_INIT;
    kin__store_options store = {
        .key = write_key,
        .on_unread = g->options.on_unread == NULL ? NULL : tell_unread,
        .context = g,
    };

    by_key.name = KIN_DELETED_BY_KEY;
    by_key.fn = index_key;
    by_key.context = g;
    if (kin__store_new(&store, &g->store, err) != KIN_OK) {
        return err->code;
    }
    return kin_store_add_index(g->store, &by_key, err);
}

/* ---- staging -------------------------------------------------------------------------------- */

kin_err kin__graveyard_stage(kin__graveyard *graveyard, const kin_notification *notification,
                             kin_error *err)
{
    const kin_object *gone;

    if (graveyard == NULL) {
        return KIN_OK;
    }
    if (is_gone(notification, &gone)) {
        grave *its = kin__alloc_zero(1, sizeof *its);
        if (its == NULL) {
            return kin__error_no_memory(err);
        }
        its->object = kin_object_ref(gone);
        its->number = graveyard->number;
        kin__list_push(&graveyard->staged, &its->link);
        graveyard->staged_count++;
    }
    graveyard->number++;
    return KIN_OK;
}

void kin__graveyard_unstage(kin__graveyard *graveyard)
{
    if (graveyard == NULL || graveyard->number == 0) {
        return;
    }
    graveyard->number--;
    if (graveyard->staged_count != 0) {
        grave *last = KIN__OWNER(graveyard->staged.head.prev, grave, link);
        if (last->number == graveyard->number) {
            kin__list_remove(&last->link);
            kin_object_unref(last->object);
            kin__free(last);
            graveyard->staged_count--;
        }
    }
}

/* One that was made again unseen may be told as an update. */
static bool is_gone(const kin_notification *notification, const kin_object **out)
{
    if (notification->type == KIN_NOTIFICATION_DELETED) {
        *out = notification->object;
        return true;
    }
    if (notification->type != KIN_NOTIFICATION_UPDATED || notification->before == NULL) {
        return false;
    }
    kin_str old_uid = kin_object_uid(notification->before);
    kin_str uid = kin_object_uid(notification->object);
    *out = notification->before;
    return old_uid.len != 0 && uid.len != 0 && !kin__str_equal(old_uid, uid);
}

/* ---- burying -------------------------------------------------------------------------------- */

kin_err kin__graveyard_bury(kin__graveyard *graveyard, int64_t now_ms, kin_error *err)
{
    kin_err code = KIN_OK;
    size_t over = 0;

    if (graveyard == NULL) {
        return KIN_OK;
    }
    if (graveyard->staged_count != 0) {
        size_t all = graveyard->grave_count + graveyard->staged_count;
        size_t most = graveyard->options.most;

        over = most != 0 && all > most ? all - most : 0;
        kin__store_begin(graveyard->store);
        code = settle(graveyard, put_all(graveyard, over, err));
    }
    if (code == KIN_OK) {
        move_staged(graveyard, over, now_ms);
        graveyard->number = 0;
    }
    return code;
}

/* Without the oldest `over` of all, of which some may be staged ones. */
static kin_err put_all(kin__graveyard *g, size_t over, kin_error *err)
{
    kin_time now = kin__clock_wall(g->options.clock);
    size_t old = over < g->grave_count ? over : g->grave_count;
    size_t skipped = over - old;
    kin_err code = take_out(g, old, err);

    for (kin__link *link = kin__list_first(&g->staged); link != NULL && code == KIN_OK;
         link = kin__list_next(&g->staged, link)) {
        grave *its = KIN__OWNER(link, grave, link);

        its->at = now;
        its->order = ++g->order;
        if (skipped != 0) {
            skipped--;
        } else {
            code = put(g, its, err);
        }
    }
    return code;
}

/* One that the store cannot take, because its key is too long, is not kept. */
static kin_err put(kin__graveyard *g, const grave *of, kin_error *err)
{
    const kin_object *old;
    kin_err code = remove_same(g, of, err);

    if (code == KIN_OK) {
        g->burying = of;
        code = kin__store_put(g->store, of->object, &old, err);
        g->burying = NULL;
    }
    return code == KIN_ERR_NO_MEMORY ? code : KIN_OK;
}

/* One may be gone, come back and be gone again with the same uid: when it did not match a selector
 * for a while.  Its last state counts. */
static kin_err remove_same(kin__graveyard *g, const grave *of, kin_error *err)
{
    const kin_object *old;
    kin_str key;

    kin__buf_clear(&g->key);
    kin_err code = write_old_key(g, of->object, &g->key, err);
    if (code == KIN_OK && !has_room_for_index(g)) {
        code = kin__error_no_memory(err);
    }
    if (code != KIN_OK || find_same(g, of, &key) == NULL) {
        return code;
    }
    kin__buf_clear(&g->key);
    if (!kin__buf_append_str(&g->key, key)) {
        return kin__error_no_memory(err);
    }
    return kin__store_remove(g->store, kin__str(g->key.data, g->key.len), &old, err);
}

static bool has_room_for_index(kin__graveyard *g)
{
    kin__buf_clear(&g->indexed_key);
    return g->options.key == NULL || kin__buf_reserve(&g->indexed_key, g->key.len);
}

static const kin_object *find_same(kin__graveyard *g, const grave *of, kin_str *out_key)
{
    kin_view view = kin__store_newest_view(g->store);
    kin_view_iter iter =
        kin_view_by_index(&view, KIN_DELETED_BY_KEY, kin__str(g->key.data, g->key.len));

    while (kin_view_next(&iter)) {
        if (kin__str_equal(kin_object_uid(iter.object), kin_object_uid(of->object))) {
            *out_key = iter.key;
            return iter.object;
        }
    }
    return NULL;
}

/* The oldest `count`; those that lie somewhere else by now are not there. */
static kin_err take_out(kin__graveyard *g, size_t count, kin_error *err)
{
    kin__link *link = kin__list_first(&g->graves);

    for (; count > 0; count--, link = kin__list_next(&g->graves, link)) {
        const kin_object *old;
        const grave *its = KIN__OWNER(link, grave, link);

        kin__buf_clear(&g->key);
        g->burying = its;
        kin_err code = write_key(g, its->object, &g->key, err);
        g->burying = NULL;
        if (code == KIN_OK && kin__buf_failed(&g->key)) {
            code = kin__error_no_memory(err);
        }
        if (code == KIN_OK) {
            code = kin__store_remove(g->store, kin__str(g->key.data, g->key.len), &old, err);
        }
        if (code == KIN_ERR_NO_MEMORY) {
            return code;
        }
    }
    return KIN_OK;
}

/* The end of a batch. */
static kin_err settle(kin__graveyard *g, kin_err code)
{
    if (code == KIN_OK) {
        kin__store_publish(g->store);
    } else {
        kin__store_pause(g->store);
    }
    return code;
}

static void move_staged(kin__graveyard *g, size_t over, int64_t now_ms)
{
    bool is_endless = g->options.keep_ms > INT64_MAX - now_ms;

    for (kin__link *link; (link = kin__list_first(&g->staged)) != NULL;) {
        KIN__OWNER(link, grave, link)->due_ms =
            is_endless ? INT64_MAX : now_ms + g->options.keep_ms;
        kin__list_remove(link);
        kin__list_push(&g->graves, link);
    }
    free_first(&g->graves, over);
    g->grave_count += g->staged_count - over;
    g->staged_count = 0;
}

static void free_first(kin__list *list, size_t count)
{
    for (kin__link *link; count > 0 && (link = kin__list_first(list)) != NULL; count--) {
        grave *its = KIN__OWNER(link, grave, link);
        kin__list_remove(link);
        kin_object_unref(its->object);
        kin__free(its);
    }
}

/* ---- expiring ------------------------------------------------------------------------------- */

int64_t kin__graveyard_due_ms(const kin__graveyard *graveyard)
{
    if (graveyard == NULL || graveyard->grave_count == 0) {
        return INT64_MAX;
    }
    int64_t due_ms = KIN__OWNER(kin__list_first(&graveyard->graves), grave, link)->due_ms;
    int64_t slack_ms = graveyard->options.keep_ms / SLACK_PARTS;

    slack_ms = slack_ms > SLACK_MAX_MS ? SLACK_MAX_MS : slack_ms;
    return due_ms > INT64_MAX - slack_ms ? INT64_MAX : due_ms + slack_ms;
}

kin_err kin__graveyard_expire(kin__graveyard *graveyard, int64_t now_ms, kin_error *err)
{
    size_t count = 0;

    if (kin__graveyard_due_ms(graveyard) > now_ms) {
        return KIN_OK;
    }
    for (kin__link *link = kin__list_first(&graveyard->graves);
         link != NULL && KIN__OWNER(link, grave, link)->due_ms <= now_ms;
         link = kin__list_next(&graveyard->graves, link)) {
        count++;
    }
    kin__store_begin(graveyard->store);
    kin_err code = settle(graveyard, take_out(graveyard, count, err));
    if (code == KIN_OK) {
        free_first(&graveyard->graves, count);
        graveyard->grave_count -= count;
    }
    return code;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static kin_err write_key(void *context, const kin_object *object, kin__buf *out, kin_error *err)
{
    const kin__graveyard *g = context;
    kin_err code = write_old_key(g, object, out, err);

    if (code == KIN_OK) {
        kin__buf_append_byte(out, '\n');
        kin__buf_append_str(out, kin_object_uid(object));
        kin__buf_append_format(out, "\n%llu %lld %09d", (unsigned long long) g->burying->order,
                               (long long) g->burying->at.seconds,
                               (int) g->burying->at.nanoseconds);
    }
    return code;
}

static kin_err write_old_key(const kin__graveyard *g, const kin_object *object, kin__buf *out,
                             kin_error *err)
{
    kin_err code = KIN_OK;

    if (g->options.key != NULL) {
        code = g->options.key(g->options.context, object, out, err);
    } else {
        (void) kin__buf_append_str(out, kin_object_key(object));
    }
    return code == KIN_OK && kin__buf_failed(out) ? kin__error_no_memory(err) : code;
}

/* Under the writer lock of the store.  The key was made before, and its room stays: what fails here
 * would leave the object where nobody finds it. */
static kin_err index_key(void *context, const kin_object *object, kin_index_sink *sink,
                         kin_error *err)
{
    kin__graveyard *g = context;

    if (g->options.key == NULL) {
        kin_index_add(sink, kin_object_key(object));
        return KIN_OK;
    }
    kin__buf_clear(&g->indexed_key);
    kin_err code = write_old_key(g, object, &g->indexed_key, err);
    if (code == KIN_OK) {
        kin_index_add(sink, kin__str(g->indexed_key.data, g->indexed_key.len));
    }
    return code;
}

static void tell_unread(void *context)
{
    const kin__graveyard *g = context;

    g->options.on_unread(g->options.context);
}

/* "shop/web-0", LF, the uid, LF, "17 1763290000 000000000" */
static bool read_epitaph(const kin_view_iter *iter, epitaph *out)
{
    if (iter->object == NULL) {
        return false; /* it has come to its end */
    }
    size_t uid_len = kin_object_uid(iter->object).len;
    size_t at = iter->key.len;
    int64_t order;
    int64_t seconds;
    int64_t nanoseconds;

    while (at > 0 && iter->key.data[at - 1] != '\n') {
        at--;
    }
    kin_str rest = kin__str(iter->key.data + at, iter->key.len - at);
    if (at < uid_len + 2 || iter->key.data[at - uid_len - 2] != '\n' ||
        !read_number(&rest, ' ', &order) || !read_number(&rest, ' ', &seconds) ||
        !read_number(&rest, '\0', &nanoseconds)) {
        return false;
    }
    *out = (epitaph){ (uint64_t) order, { seconds, (int32_t) nanoseconds }, at - uid_len - 2 };
    return true;
}

/* `end` is what stands behind it; NUL: nothing does. */
static bool read_number(kin_str *text, char end, int64_t *out)
{
    bool is_negative = text->len > 0 && text->data[0] == '-';
    size_t first = is_negative;
    size_t at = first;
    int64_t number = 0;

    for (; at < text->len && text->data[at] >= '0' && text->data[at] <= '9'; at++) {
        if (at - first == DIGITS_MAX) {
            return false;
        }
        number = number * 10 + (text->data[at] - '0');
    }
    bool is_whole = end == '\0' ? at == text->len : at < text->len && text->data[at] == end;
    if (at == first || !is_whole) {
        return false;
    }
    at += end != '\0';
    *text = kin__str(text->data + at, text->len - at);
    *out = is_negative ? -number : number;
    return true;
}
