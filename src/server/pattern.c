/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c - regular expressions: running them.
 *
 * Pike's machine without its captures: all the steps that the text so far can lead to are kept, and
 * each character leads from them to the next ones.  No step is kept twice.
 */
#include "server/pattern.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "server/pattern_state.h"

/* No character. */
#define NONE UINT32_MAX

/* A set of steps; `slots` says where each of them is, if it is. */
typedef struct set {
    uint32_t *steps, *slots;
    size_t count;
} set;

typedef struct run {
    const kin__pattern *pattern;
    set begun;             /* where the characters so far have led */
    set reached;           /* these, and what they lead to without another character */
    uint32_t *stack;       /* room for all steps twice, and one */
    uint32_t before, next; /* the characters around the place; NONE at the ends */
    bool has_matched;
} run;

static void *run_init(run *r, const kin__pattern *pattern);
static void reach(run *r, uint32_t start);
static size_t follow(run *r, uint32_t at, size_t depth);
static bool keep(set *all, uint32_t step);
static bool is_at(const run *r, kin__pattern_place place);
static bool is_word(uint32_t c);
static void take_char(run *r);
static bool has_char(const kin__pattern *pattern, const kin__pattern_step *step, uint32_t c);
static bool is_in(const kin__pattern *pattern, const kin__pattern_step *step, uint32_t c);

void kin__pattern_free(kin__pattern *pattern)
{
    if (pattern != NULL) {
        kin__free(pattern->steps);
        kin__free(pattern->ranges);
        kin__free(pattern);
    }
}

kin_err kin__pattern_matches(const kin__pattern *pattern, kin_str text, bool *out, kin_error *err)
{
    run r = { .before = NONE };
    void *memory = run_init(&r, pattern);

    if (memory == NULL) {
        return kin__error_no_memory(err);
    }
    for (size_t at = 0, len = 0;; at += len) {
        kin_str rest = kin__str(text.data + at, text.len - at);
        r.next = rest.len == 0 ? NONE : kin__pattern_char(rest, &len);
        r.reached.count = 0;
        for (size_t i = 0; i < r.begun.count; i++) {
            reach(&r, r.begun.steps[i]);
        }
        reach(&r, 0); /* a match may begin anywhere */
        if (r.has_matched || r.next == NONE) {
            break;
        }
        take_char(&r);
    }
    kin__free(memory);
    *out = r.has_matched;
    return KIN_OK;
}

uint32_t kin__pattern_char(kin_str text, size_t *out_len)
{
    static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    size_t len = kin__utf8_char_len(text.data, text.len);

    *out_len = len == 0 ? 1 : len;
    if (len == 0) {
        return 0xfffd;
    }
    uint32_t c = (unsigned char) text.data[0] & lead[len];
    for (size_t i = 1; i < len; i++) {
        c = c << 6 | ((unsigned char) text.data[i] & 0x3f);
    }
    return c;
}

/* One block for all of it; NULL when there is no memory. */
static void *run_init(run *r, const kin__pattern *pattern)
{
    size_t count = pattern->step_count;
    uint32_t *words = kin__alloc_zero(6 * count + 1, sizeof *words);

    r->pattern = pattern;
    if (words != NULL) {
        r->begun = (set){ words, words + count, 0 };
        r->reached = (set){ words + 2 * count, words + 3 * count, 0 };
        r->stack = words + 4 * count;
    }
    return words;
}

static void reach(run *r, uint32_t start)
{
    size_t depth = 0;

    r->stack[depth++] = start;
    while (depth > 0) {
        uint32_t at = r->stack[--depth];
        if (keep(&r->reached, at)) {
            depth = follow(r, at, depth);
        }
    }
}

/* Puts what a step leads to onto the stack; returns how much is there then. */
static size_t follow(run *r, uint32_t at, size_t depth)
{
    const kin__pattern_step *step = &r->pattern->steps[at];

    switch (step->op) {
    case KIN__PATTERN_SPLIT:
        r->stack[depth++] = (uint32_t) ((int32_t) at + step->first);
        r->stack[depth++] = (uint32_t) ((int32_t) at + step->second);
        break;
    case KIN__PATTERN_JUMP:
        r->stack[depth++] = (uint32_t) ((int32_t) at + step->first);
        break;
    case KIN__PATTERN_ASSERT:
        if (is_at(r, step->place)) {
            r->stack[depth++] = at + 1;
        }
        break;
    case KIN__PATTERN_MATCH:
        r->has_matched = true;
        break;
    case KIN__PATTERN_CHARS:
    default:
        break;
    }
    return depth;
}

/* False when it is there already. */
static bool keep(set *all, uint32_t step)
{
    uint32_t slot = all->slots[step];

    if (slot < all->count && all->steps[slot] == step) {
        return false;
    }
    all->slots[step] = (uint32_t) all->count;
    all->steps[all->count++] = step;
    return true;
}

static bool is_at(const run *r, kin__pattern_place place)
{
    bool is_edge = is_word(r->before) != is_word(r->next);

    switch (place) {
    case KIN__PATTERN_TEXT_BEGIN:
        return r->before == NONE;
    case KIN__PATTERN_TEXT_END:
        return r->next == NONE;
    case KIN__PATTERN_LINE_BEGIN:
        return r->before == NONE || r->before == '\n';
    case KIN__PATTERN_LINE_END:
        return r->next == NONE || r->next == '\n';
    case KIN__PATTERN_WORD_EDGE:
        return is_edge;
    case KIN__PATTERN_NO_WORD_EDGE:
    default:
        return !is_edge;
    }
}

static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static void take_char(run *r)
{
    r->begun.count = 0;
    for (size_t i = 0; i < r->reached.count; i++) {
        uint32_t at = r->reached.steps[i];
        const kin__pattern_step *step = &r->pattern->steps[at];
        if (step->op == KIN__PATTERN_CHARS && has_char(r->pattern, step, r->next)) {
            (void) keep(&r->begun, at + 1);
        }
    }
    r->before = r->next;
}

static bool has_char(const kin__pattern *pattern, const kin__pattern_step *step, uint32_t c)
{
    uint32_t other = c ^ 0x20;
    bool has_cases = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

    return (is_in(pattern, step, c) ||
            (step->is_folded && has_cases && is_in(pattern, step, other))) != step->is_negated;
}

static bool is_in(const kin__pattern *pattern, const kin__pattern_step *step, uint32_t c)
{
    for (int32_t i = 0; i < step->second; i++) {
        const kin__pattern_range *range = &pattern->ranges[step->first + i];
        if (c >= range->from && c <= range->to) {
            return true;
        }
    }
    return false;
}
