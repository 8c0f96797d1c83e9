/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.c - a body that breaks at a given byte, or drips.
 *
 * It hands on what the body inside gives, cut where something is to happen.  A slow one gives as
 * many bytes as a tenth of a second is worth, and waits for the next tenth.
 */
#include "server/spoil.h"

#include "base/alloc.h"
#include "base/str.h"

#define TICK_MS 100

typedef struct spoiled {
    kin__spoil spoil;
    kin__body inner;
    kin_loop *loop;
    kin__visit *visit;
    kin__timer timer;
    uint64_t passed;       /* bytes that were given */
    kin__body_pieces kept; /* what inner gave and was not handed on yet: from kept_next */
    size_t kept_next;
    kin__body_state state; /* that inner said with them */
    char other;            /* the byte that takes another's place */
    bool is_resting;       /* until the timer fires */
} spoiled;

static kin__body_state next(void *context, kin__body_pieces *out);
static void release(void *context);
static kin__body_state break_now(spoiled *s);
static bool breaks_by_bytes(const spoiled *s);
static void pass(spoiled *s, kin__body_pieces *out, uint64_t most);
static uint64_t drip(spoiled *s);
static void rest(spoiled *s, uint32_t ms);
static void on_tick(kin__timer *timer, void *context);

kin_err kin__spoil_body(const kin__spoil *spoil, kin_loop *loop, kin__visit *visit, kin__body *body,
                        kin_error *err)
{
    spoiled *s = kin__alloc_zero(1, sizeof *s);

    if (s == NULL) {
        return kin__error_no_memory(err);
    }
    s->spoil = *spoil;
    s->inner = *body;
    s->loop = loop;
    s->visit = visit;
    s->timer.fire = on_tick;
    s->timer.context = s;
    s->state = KIN__BODY_MORE;
    *body = (kin__body){ next, release, s };
    return KIN_OK;
}

static kin__body_state next(void *context, kin__body_pieces *out)
{
    spoiled *s = context;
    uint64_t most = UINT64_MAX;

    if (s->is_resting) {
        return KIN__BODY_WAIT;
    }
    if (breaks_by_bytes(s) && s->passed >= s->spoil.after && s->spoil.act != KIN__SPOIL_CORRUPT) {
        kin__body_state broken = break_now(s);
        if (broken != KIN__BODY_MORE) {
            return broken;
        }
    }
    if (s->kept_next == s->kept.count) {
        if (s->state == KIN__BODY_END || s->state == KIN__BODY_CUT || s->state == KIN__BODY_RESET) {
            return s->state;
        }
        s->kept = (kin__body_pieces){ .count = 0 };
        s->kept_next = 0;
        s->state = s->inner.next(s->inner.context, &s->kept);
        if (s->kept.count == 0) {
            return s->state;
        }
    }
    if (s->spoil.bytes_per_s > 0 && s->visit != NULL) {
        most = drip(s);
    }
    if (breaks_by_bytes(s) && s->spoil.after > s->passed && s->spoil.after - s->passed < most) {
        most = s->spoil.after - s->passed;
    }
    pass(s, out, most);
    return KIN__BODY_MORE;
}

static void release(void *context)
{
    spoiled *s = context;

    if (s->loop != NULL) {
        kin__timer_clear(s->loop, &s->timer);
    }
    s->inner.release(s->inner.context);
    kin__free(s);
}

/* MORE: the stall is over before it began, since nobody waits. */
static kin__body_state break_now(spoiled *s)
{
    switch (s->spoil.act) {
    case KIN__SPOIL_STALL:
        if (s->spoil.ms == 0) {
            return KIN__BODY_WAIT;
        }
        s->spoil.act = KIN__SPOIL_NOTHING;
        rest(s, s->spoil.ms);
        return s->is_resting ? KIN__BODY_WAIT : KIN__BODY_MORE;
    case KIN__SPOIL_RESET:
        return KIN__BODY_RESET;
    default:
        return KIN__BODY_CUT;
    }
}

static bool breaks_by_bytes(const spoiled *s)
{
    return !s->spoil.by_events && s->spoil.act >= KIN__SPOIL_CUT &&
           s->spoil.act <= KIN__SPOIL_CORRUPT;
}

/* Hands on up to `most` bytes.  The byte to be changed is a piece of its own. */
static void pass(spoiled *s, kin__body_pieces *out, uint64_t most)
{
    while (s->kept_next < s->kept.count && most > 0 && out->count < KIN__BODY_PIECES) {
        kin_str *piece = &s->kept.pieces[s->kept_next];
        size_t len = piece->len < most ? piece->len : (size_t) most;
        if (s->spoil.act == KIN__SPOIL_CORRUPT && !s->spoil.by_events &&
            s->passed == s->spoil.after && len > 0) {
            s->other = (char) (piece->data[0] ^ 0x15);
            out->pieces[out->count++] = kin__str(&s->other, 1);
            s->spoil.act = KIN__SPOIL_NOTHING;
            len = 1;
        } else if (len > 0) {
            out->pieces[out->count++] = kin__str(piece->data, len);
        }
        s->passed += len;
        most -= len;
        piece->data += len;
        piece->len -= len;
        s->kept_next += piece->len == 0 ? 1u : 0u;
    }
}

/* How many bytes may go now; then comes a rest. */
static uint64_t drip(spoiled *s)
{
    uint64_t most = s->spoil.bytes_per_s * (uint64_t) TICK_MS / 1000;

    rest(s, TICK_MS);
    return most == 0 ? 1 : most;
}

/* Unless nobody waits, or there is no memory for it. */
static void rest(spoiled *s, uint32_t ms)
{
    kin_error ignored;

    s->is_resting =
        s->visit != NULL &&
        kin__timer_set(s->loop, &s->timer, kin__loop_now_ms(s->loop) + ms, &ignored) == KIN_OK;
}

static void on_tick(kin__timer *timer, void *context)
{
    spoiled *s = context;

    (void) timer;
    s->is_resting = false;
    kin__visit_resume(s->visit);
}
