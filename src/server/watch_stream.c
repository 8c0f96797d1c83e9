/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_stream.c - what a watch sends next.
 *
 * Objects that it begins with are sent from where they lie, three pieces each; changes are frames
 * that all watches share.  What goes wrong on purpose (server/spoil.h) is done here when it goes by
 * events, and by the body that wraps this one when it goes by bytes.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/str.h"
#include "httpd/websocket.h"
#include "object/object.h"
#include "server/record_form.h"
#include "server/record_version.h"
#include "server/watch_state.h"

#define BEFORE_DEADLINE_MS 2000
#define WAIT_MS 3000
#define PIECES_OF_ONE 4 /* at most: the head of a message, a lead, the object, a tail */
#define HEADS_MAX (KIN__BODY_PIECES / 2 * (size_t) KIN__WEBSOCKET_HEAD_MAX)

static kin__body_state step(kin__watching *watch, kin__body_pieces *out, bool *moved);
static kin__body_state end_waiting(kin__watching *watch, bool *moved);
static bool refuse_future(kin__watching *watch);
static kin__body_state give_initial(kin__watching *watch, kin__body_pieces *out);
static kin__frame *frame_of_initial(kin__watching *watch, kin__record *record);
static bool give_in_place(kin__watching *watch, kin__record *record, kin__body_pieces *out);
static void give_head(kin__watching *watch, size_t len, kin__body_pieces *out);
static bool reserve_leads(kin__watching *watch, const kin__body_pieces *out);
static kin__body_state give_change(kin__watching *watch, kin__body_pieces *out, bool *moved);
static kin__body_state give_nothing_new(kin__watching *watch, kin__body_pieces *out, bool *moved);
static bool is_gone(const kin__watching *watch);
static bool verdict_of(const kin__watching *watch, const kin__change *change, kin__event_type *out);
static bool is_among_others(const kin__watching *watch);
static kin__frame *frame_of(kin__watching *watch, kin__change *change, kin__event_type type);
static kin__frame *frame_of_record(kin__watching *watch, kin__event_type type, kin__record *record);
static bool give_bookmark(kin__watching *watch, uint64_t revision, bool is_initial_end,
                          kin__body_pieces *out);
static bool give(kin__watching *watch, kin__frame *frame, kin__body_pieces *out);
static kin__body_state give_spoiled(kin__watching *watch, kin__frame *frame, kin__body_pieces *out);
static bool is_spoiled_now(const kin__watching *watch);
static bool give_old_bookmark(kin__watching *watch, kin__body_pieces *out);
static void stall(kin__watching *watch);
static bool tell_error(kin__watching *watch);
static void pass_on(kin__watching *watch);
static bool is_enlarged_now(const kin__watching *watch);
static void let_go(kin__watching *watch);
static void on_deadline(kin__timer *timer, void *context);
static void on_bookmark(kin__timer *timer, void *context);
static void on_stall_end(kin__timer *timer, void *context);
static void set_bookmark_timer(kin__watching *watch);

kin__body_state kin__watching_next(void *context, kin__body_pieces *out)
{
    kin__watching *watch = context;
    kin__body_state state = KIN__BODY_MORE;
    bool moved = true;
    bool has_error = false;

    let_go(watch);
    if (!reserve_leads(watch, out)) {
        return KIN__BODY_CUT;
    }
    while (moved && state == KIN__BODY_MORE && out->count + PIECES_OF_ONE <= KIN__BODY_PIECES) {
        moved = false;
        has_error = has_error || watch->error != NULL;
        state = step(watch, out, &moved);
    }
    if (watch->form.shape == KIN__SHAPE_PARTIAL_LIST && out->count > 0 && !has_error) {
        /* No event is a list: a real server gives up on the first one, without a word. */
        out->count = 0;
        watch->phase = KIN__WATCH_OVER;
        return KIN__BODY_END;
    }
    return state == KIN__BODY_WAIT && out->count > 0 ? KIN__BODY_MORE : state;
}

void kin__watching_release(void *context)
{
    kin__watching *watch = context;

    kin__watching_leave(watch);
    kin__timer_clear(watch->engine->loop, &watch->deadline);
    kin__timer_clear(watch->engine->loop, &watch->bookmark);
    kin__timer_clear(watch->engine->loop, &watch->stall);
    let_go(watch);
    kin__listing_fini(&watch->initial);
    kin__frame_unref(watch->error);
    kin__filter_free(watch->filter);
    kin__table_view_free(watch->table);
    kin__served_unref(watch->served);
    kin__buf_fini(&watch->leads);
    kin__buf_fini(&watch->words);
    kin__free(watch);
}

bool kin__watching_take_initial(kin__watching *watch, uint64_t revision)
{
    kin__range range = { .prefix = kin__filter_prefix(watch->filter), .revision = revision };
    kin_error ignored;

    watch->initial_revision = revision;
    watch->start_revision = revision;
    watch->phase = KIN__WATCH_INITIAL;
    /* Now: while the state is sent, changes behind it may be forgotten, and that must show. */
    watch->next_change = kin__collection_change_after(watch->served->collection, revision);
    return kin__collection_list(watch->served->collection, &range, &watch->initial, &ignored) ==
           KIN_OK;
}

kin_err kin__watching_set_timers(kin__watching *watch, kin_error *err)
{
    kin_loop *loop = watch->engine->loop;
    /* A version that is yet to come is waited for as long as ever, even past timeoutSeconds. */
    int64_t until =
        watch->phase == KIN__WATCH_WAITING ? kin__loop_now_ms(loop) + WAIT_MS : watch->deadline_ms;

    watch->deadline.fire = on_deadline;
    watch->deadline.context = watch;
    watch->bookmark.fire = on_bookmark;
    watch->bookmark.context = watch;
    if (kin__timer_set(loop, &watch->deadline, until, err)) {
        return err->code;
    }
    set_bookmark_timer(watch);
    return KIN_OK;
}

/* One step: an object, a change, a bookmark, or a new phase.  WAIT: nothing is to be done. */
static kin__body_state step(kin__watching *watch, kin__body_pieces *out, bool *moved)
{
    if (watch->is_stalled) {
        return KIN__BODY_WAIT;
    }
    if (watch->error != NULL) {
        kin__frame *error = watch->error;
        watch->error = NULL;
        watch->phase = KIN__WATCH_OVER;
        *moved = true;
        return give(watch, error, out) ? KIN__BODY_MORE : KIN__BODY_CUT;
    }
    switch (watch->phase) {
    case KIN__WATCH_WAITING:
        return end_waiting(watch, moved);
    case KIN__WATCH_INITIAL:
        *moved = true;
        return give_initial(watch, out);
    case KIN__WATCH_END_BOOKMARK:
        *moved = true;
        watch->phase = KIN__WATCH_LIVE;
        return !watch->wants_initial_end || watch->spoil.has_no_initial_end ||
                       give_bookmark(watch, watch->initial_revision, true, out)
                   ? KIN__BODY_MORE
                   : KIN__BODY_CUT;
    case KIN__WATCH_LIVE:
        return give_change(watch, out, moved);
    case KIN__WATCH_OVER:
    default:
        return KIN__BODY_END;
    }
}

static kin__body_state end_waiting(kin__watching *watch, bool *moved)
{
    uint64_t present = kin__storage_revision(watch->engine->storage);

    if (present >= watch->initial_revision) {
        *moved = true;
        return kin__watching_take_initial(watch, present) ? KIN__BODY_MORE : KIN__BODY_CUT;
    }
    if (!watch->is_late && watch->visit != NULL) {
        return KIN__BODY_WAIT;
    }
    *moved = true;
    return refuse_future(watch) ? KIN__BODY_MORE : KIN__BODY_CUT;
}

static bool refuse_future(kin__watching *watch)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    (void) kin__refuse(&no, 504, "Timeout",
                       "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64,
                       watch->initial_revision, kin__storage_revision(watch->engine->storage));
    kin__refusal_add_cause(&no, "ResourceVersionTooLarge", NULL, "Too large resource version");
    kin__refusal_set_retry_after(&no, 1);
    watch->error = kin__frame_of_refusal(&no, watch->form.encoding);
    return watch->error != NULL;
}

/* The next object that matches; at the end, on to the next phase. */
static kin__body_state give_initial(kin__watching *watch, kin__body_pieces *out)
{
    for (; watch->initial_next < watch->initial.count; watch->initial_next++) {
        kin__record *record = watch->initial.records[watch->initial_next];
        if (!kin__filter_matches(watch->filter, record->object)) {
            continue;
        }
        if (is_spoiled_now(watch)) {
            kin__frame *frame = frame_of_initial(watch, record);
            return frame == NULL ? KIN__BODY_CUT : give_spoiled(watch, frame, out);
        }
        watch->initial_next++;
        bool is_given = watch->table == NULL && kin__record_is_in_version(watch->served, record)
                            ? give_in_place(watch, record, out)
                            : give(watch, frame_of_initial(watch, record), out);
        return is_given ? KIN__BODY_MORE : KIN__BODY_CUT;
    }
    watch->phase = KIN__WATCH_END_BOOKMARK;
    return KIN__BODY_MORE;
}

static kin__frame *frame_of_initial(kin__watching *watch, kin__record *record)
{
    AUTO(kin__record_unref) kin__record *shown = kin__record_for(watch->served, record);

    return shown == NULL ? NULL : frame_of_record(watch, KIN__EVENT_ADDED, shown);
}

/* The listing holds the record until the watch is over, and the record its forms. */
static bool give_in_place(kin__watching *watch, kin__record *record, kin__body_pieces *out)
{
    kin__frame_kind kind = kin__frame_kind_of(watch->served, &watch->form);
    size_t begin = watch->leads.len;
    kin_str object;

    if (!kin__record_form(record, watch->served, &watch->form, &object) ||
        !kin__frame_write_lead(KIN__EVENT_ADDED, watch->form.encoding, &kind, object.len,
                               &watch->leads)) {
        return false;
    }
    kin_str lead = kin__str(watch->leads.data + begin, watch->leads.len - begin);
    kin_str tail = kin__frame_tail(watch->form.encoding);
    if (watch->is_websocket) {
        lead = kin__frame_message(watch->form.encoding, lead);
        give_head(watch, lead.len + object.len + tail.len, out);
    }
    out->pieces[out->count++] = lead;
    out->pieces[out->count++] = object;
    out->pieces[out->count++] = tail;
    watch->events++;
    kin__watchers_count_event(watch->engine->watchers);
    return true;
}

/* Of a message; there is room for it. */
static void give_head(kin__watching *watch, size_t len, kin__body_pieces *out)
{
    kin__websocket_opcode opcode =
        watch->form.encoding == KIN__FORM_PROTO ? KIN__WEBSOCKET_BINARY : KIN__WEBSOCKET_TEXT;
    char *head = watch->leads.data + watch->leads.len;
    size_t head_len = kin__websocket_write_head(opcode, len, head);

    watch->leads.len += head_len;
    out->pieces[out->count++] = kin__str(head, head_len);
}

/* So that leads do not move while pieces point to them. */
static bool reserve_leads(kin__watching *watch, const kin__body_pieces *out)
{
    kin__frame_kind kind = kin__frame_kind_of(watch->served, &watch->form);
    size_t most = (KIN__BODY_PIECES - out->count) / (PIECES_OF_ONE - 1);
    size_t lead = KIN__FRAME_LEAD_MAX + kind.api_version.len + kind.kind.len;
    size_t room = (watch->phase > KIN__WATCH_INITIAL ? 0 : most * lead) +
                  (watch->is_websocket ? HEADS_MAX : 0);

    kin__buf_clear(&watch->leads);
    return room == 0 || kin__buf_reserve(&watch->leads, room);
}

static kin__body_state give_change(kin__watching *watch, kin__body_pieces *out, bool *moved)
{
    kin__collection *collection = watch->served->collection;
    kin__event_type type;

    if (watch->next_change < kin__collection_first_change(collection)) {
        watch->phase = KIN__WATCH_OVER; /* it stayed behind for too long */
        return KIN__BODY_END;
    }
    kin__change *change = kin__collection_change(collection, watch->next_change);
    if (change == NULL) {
        return give_nothing_new(watch, out, moved);
    }
    *moved = true;
    if (change->revision <= watch->start_revision || !verdict_of(watch, change, &type)) {
        watch->next_change++;
        return KIN__BODY_MORE;
    }
    kin__frame *frame = frame_of(watch, change, type);
    if (frame == NULL) {
        return KIN__BODY_CUT;
    }
    if (is_spoiled_now(watch)) {
        return give_spoiled(watch, frame, out);
    }
    watch->next_change++;
    return give(watch, frame, out) ? KIN__BODY_MORE : KIN__BODY_CUT;
}

/* A bookmark that is due, the end of a resource that is gone, or waiting. */
static kin__body_state give_nothing_new(kin__watching *watch, kin__body_pieces *out, bool *moved)
{
    uint64_t revision = kin__storage_revision(watch->engine->storage);
    bool is_due = watch->is_bookmark_due && watch->wants_bookmarks &&
                  !watch->spoil.has_no_bookmarks && revision > watch->start_revision &&
                  !(watch->served->traits & KIN__IS_UNCACHED);

    watch->is_bookmark_due = false;
    if (is_spoiled_now(watch) && watch->spoil.after == 0 &&
        watch->spoil.act != KIN__SPOIL_DUPLICATE && watch->spoil.act != KIN__SPOIL_OVERSIZE &&
        watch->spoil.act != KIN__SPOIL_CORRUPT) {
        *moved = true;
        return give_spoiled(watch, NULL, out);
    }
    if (is_due) {
        *moved = true;
        return give_bookmark(watch, revision, false, out) ? KIN__BODY_MORE : KIN__BODY_CUT;
    }
    if (is_gone(watch)) {
        watch->phase = KIN__WATCH_OVER;
        return KIN__BODY_END;
    }
    return KIN__BODY_WAIT;
}

/* A custom resource may go, and another may have come with its name.  Its kin__served is another
 * with each change of the definition; the collection stays. */
static bool is_gone(const kin__watching *watch)
{
    const kin__served *served = watch->served;

    if ((served->traits & KIN__IS_CUSTOM) == 0) {
        return false;
    }
    const kin__served *now =
        kin__shelf_find(watch->engine->shelf, served->group, served->version, served->resource);
    return now == NULL || now->collection != served->collection;
}

/* By what matched before and what matches now; false: it does not concern this watch. */
static bool verdict_of(const kin__watching *watch, const kin__change *change, kin__event_type *out)
{
    bool did = change->before != NULL && kin__filter_matches(watch->filter, change->before->object);
    bool does = change->after != NULL && kin__filter_matches(watch->filter, change->after->object);

    if (!did && !does) {
        return false;
    }
    *out = !does ? KIN__EVENT_DELETED : did ? KIN__EVENT_MODIFIED : KIN__EVENT_ADDED;
    return true;
}

/* Whether others may send the same now, and somebody will let go of what is kept for them. */
static bool is_among_others(const kin__watching *watch)
{
    uint64_t end = kin__collection_end_change(watch->served->collection);

    return watch->hall != NULL && end - watch->next_change <= KIN__FRAMES_KEPT;
}

static kin__frame *frame_of(kin__watching *watch, kin__change *change, kin__event_type type)
{
    if (watch->table == NULL && is_among_others(watch) && !is_enlarged_now(watch)) {
        return kin__frame_of_change(change, type, watch->served, &watch->form);
    }
    AUTO(kin__record_unref) kin__record *record = kin__frame_record(change, type, watch->served);
    return record == NULL ? NULL : frame_of_record(watch, type, record);
}

/* Of a record in the version that is watched; for this watch alone. */
static kin__frame *frame_of_record(kin__watching *watch, kin__event_type type, kin__record *record)
{
    AUTO(kin__record_unref)
    kin__record *shown = is_enlarged_now(watch) ? kin__record_enlarged(record, watch->spoil.size)
                                                : kin__record_ref(record);

    if (shown == NULL) {
        return NULL;
    }
    return watch->table != NULL ? kin__table_view_frame(watch->table, type, shown->object)
                                : kin__frame_of_record(type, shown, watch->served, &watch->form);
}

static bool give_bookmark(kin__watching *watch, uint64_t revision, bool is_initial_end,
                          kin__body_pieces *out)
{
    if (watch->table == NULL) {
        return give(watch,
                    kin__frame_of_bookmark(watch->served, &watch->form, revision, is_initial_end),
                    out);
    }
    AUTO(kin_object_unref)
    const kin_object *object = kin__bookmark_object(watch->served, revision, is_initial_end);
    return object != NULL &&
           give(watch, kin__table_view_frame(watch->table, KIN__EVENT_BOOKMARK, object), out);
}

/* Consumes `frame`, which may be NULL: then there was no memory. */
static bool give(kin__watching *watch, kin__frame *frame, kin__body_pieces *out)
{
    if (frame == NULL) {
        return false;
    }
    kin_str bytes = kin__str(frame->bytes.data, frame->bytes.len);
    watch->held[watch->held_count++] = frame;
    if (watch->is_websocket) {
        bytes = kin__frame_message(watch->form.encoding, bytes);
        give_head(watch, bytes.len, out);
    }
    out->pieces[out->count++] = bytes;
    watch->events++;
    kin__watchers_count_event(watch->engine->watchers);
    return true;
}

static bool is_spoiled_now(const kin__watching *watch)
{
    return watch->spoil.act != KIN__SPOIL_NOTHING && watch->spoil.by_events &&
           watch->events >= watch->spoil.after;
}

/* Does it, once.  `frame` is the event on which it happens, consumed; NULL: it happens on none. */
static kin__body_state give_spoiled(kin__watching *watch, kin__frame *frame, kin__body_pieces *out)
{
    kin__spoil_act act = watch->spoil.act;

    watch->spoil.act = KIN__SPOIL_NOTHING;
    if (frame != NULL && (act == KIN__SPOIL_DUPLICATE || act == KIN__SPOIL_OVERSIZE)) {
        pass_on(watch);
        return (act == KIN__SPOIL_OVERSIZE || give(watch, kin__frame_ref(frame), out)) &&
                       give(watch, frame, out)
                   ? KIN__BODY_MORE
                   : KIN__BODY_CUT;
    }
    if (frame != NULL && act == KIN__SPOIL_CORRUPT) {
        kin__frame_kind kind = kin__frame_kind_of(watch->served, &watch->form);
        kin__frame *other = kin__frame_new(KIN__EVENT_MODIFIED, watch->form.encoding, &kind,
                                           kin__str(frame->bytes.data, frame->bytes.len / 2));
        kin__frame_unref(frame);
        pass_on(watch);
        return give(watch, other, out) ? KIN__BODY_MORE : KIN__BODY_CUT;
    }
    if (frame != NULL && (act == KIN__SPOIL_CUT || act == KIN__SPOIL_RESET) &&
        give(watch, kin__frame_ref(frame), out)) {
        out->pieces[out->count - 1].len /= 2;
    }
    kin__frame_unref(frame);
    switch (act) {
    case KIN__SPOIL_BOOKMARK:
        return give_old_bookmark(watch, out) ? KIN__BODY_MORE : KIN__BODY_CUT;
    case KIN__SPOIL_CUT:
        return KIN__BODY_CUT;
    case KIN__SPOIL_RESET:
        return KIN__BODY_RESET;
    case KIN__SPOIL_STALL:
        stall(watch);
        return KIN__BODY_WAIT;
    case KIN__SPOIL_ERROR:
        return tell_error(watch) ? KIN__BODY_MORE : KIN__BODY_CUT;
    default:
        watch->phase = KIN__WATCH_OVER;
        return KIN__BODY_MORE;
    }
}

static bool give_old_bookmark(kin__watching *watch, kin__body_pieces *out)
{
    uint64_t revision = kin__storage_revision(watch->engine->storage);

    return give_bookmark(watch, revision > watch->spoil.by ? revision - watch->spoil.by : 1, false,
                         out);
}

/* For ever where there is no memory for its end. */
static void stall(kin__watching *watch)
{
    kin_loop *loop = watch->engine->loop;
    kin_error ignored;

    watch->is_stalled = true;
    watch->stall.fire = on_stall_end;
    watch->stall.context = watch;
    if (watch->spoil.ms > 0 && watch->visit != NULL) {
        (void) (kin__timer_set(loop, &watch->stall, kin__loop_now_ms(loop) + watch->spoil.ms,
                               &ignored) == KIN_OK);
    }
}

static bool tell_error(kin__watching *watch)
{
    const kin__spoil_error *error = &watch->spoil.error;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    (void) kin__refuse(&no, error->code, error->reason, "%s", error->message);
    kin__refusal_set_retry_after(&no, error->retry_after_s);
    watch->error = kin__frame_of_refusal(&no, watch->form.encoding);
    return watch->error != NULL;
}

/* What was spoiled has been sent all the same. */
static void pass_on(kin__watching *watch)
{
    if (watch->phase == KIN__WATCH_INITIAL) {
        watch->initial_next++;
    } else {
        watch->next_change++;
    }
}

static bool is_enlarged_now(const kin__watching *watch)
{
    return watch->spoil.act == KIN__SPOIL_OVERSIZE && is_spoiled_now(watch);
}

static void let_go(kin__watching *watch)
{
    while (watch->held_count > 0) {
        kin__frame_unref(watch->held[--watch->held_count]);
    }
    if (watch->phase > KIN__WATCH_INITIAL && watch->initial.count > 0) {
        kin__listing_fini(&watch->initial);
        watch->initial = (kin__listing){ 0 };
    }
}

static void on_deadline(kin__timer *timer, void *context)
{
    kin__watching *watch = context;
    kin_error ignored;

    (void) timer;
    if (watch->phase == KIN__WATCH_WAITING && !watch->is_late) {
        watch->is_late = true;
        /* Moving a timer that is not set may fail; then the end comes early. */
        if (kin__timer_set(watch->engine->loop, &watch->deadline, watch->deadline_ms, &ignored)) {
            watch->phase = KIN__WATCH_OVER;
        }
    } else if (!watch->is_stalled) {
        watch->phase = KIN__WATCH_OVER;
    }
    kin__visit_resume(watch->visit);
}

static void on_stall_end(kin__timer *timer, void *context)
{
    kin__watching *watch = context;

    (void) timer;
    watch->is_stalled = false;
    kin__visit_resume(watch->visit);
}

static void on_bookmark(kin__timer *timer, void *context)
{
    kin__watching *watch = context;

    (void) timer;
    watch->is_bookmark_due = true;
    set_bookmark_timer(watch);
    kin__visit_resume(watch->visit);
}

/* Two seconds before the end, and every minute until then. */
static void set_bookmark_timer(kin__watching *watch)
{
    int64_t now = kin__loop_now_ms(watch->engine->loop);
    int64_t due = now + watch->engine->bookmark_ms;
    int64_t last = watch->deadline_ms - BEFORE_DEADLINE_MS;
    kin_error ignored;

    if (!watch->wants_bookmarks) {
        return;
    }
    if (last > now && last < due) {
        due = last;
    }
    if (kin__timer_set(watch->engine->loop, &watch->bookmark, due, &ignored)) {
        watch->wants_bookmarks = false; /* they are a kindness; nobody counts on them */
    }
}
