/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_read.c - regular expressions: from their text to a program.
 *
 * By recursive descent, which appends steps as it goes.  Repetition and alternatives put a step in
 * front of what was just appended.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "server/pattern_class.h"
#include "server/pattern_state.h"

#define DEPTH_MAX 200
#define REPEAT_MAX 1000 /* as Go has it */
#define RANGES_MAX (KIN__PATTERN_STEPS * 8)
#define STEP sizeof(kin__pattern_step)
#define NO_LIMIT (-1)

enum { FOLDS = 1, DOT_IS_ALL = 2, HAS_LINES = 4 };

typedef struct reader {
    kin_str text;
    size_t at;
    unsigned flags;
    unsigned depth;
    kin__buf steps, ranges;
    bool is_wrong;
} reader;

static kin_err finish(reader *r, kin__pattern **out, kin_error *err);
static bool has(const reader *r, char c);
static bool take(reader *r, const char *word);
static void read_alternatives(reader *r);
static void read_sequence(reader *r);
static void repeat(reader *r, size_t start, long least, long most);
static bool read_counts(reader *r, long *least, long *most);
static bool read_count(reader *r, long *out);
static void read_atom(reader *r);
static void read_group(reader *r);
static bool read_flags(reader *r, unsigned *flags);
static void read_escape(reader *r);
static bool read_place(reader *r, char c);
static void read_quoted(reader *r);
static void read_class(reader *r);
static void read_class_item(reader *r);
static bool read_named_class(reader *r);
static uint32_t read_char(reader *r);
static uint32_t read_escaped_char(reader *r);
static uint32_t read_hex(reader *r);
static void add_step(reader *r, kin__pattern_step step);
static void insert_step(reader *r, size_t start, kin__pattern_step step);
static void add_place(reader *r, kin__pattern_place place);
static void add_chars(reader *r, size_t first, bool is_negated);
static void add_char(reader *r, uint32_t c);
static void add_range(reader *r, uint32_t from, uint32_t to);
static void add_class(reader *r, const kin__pattern_class *class, bool is_negated);
static size_t step_count(const reader *r);
static size_t range_count(const reader *r);

kin_err kin__pattern_new(kin_str text, kin__pattern **out, kin_error *err)
{
    reader r = { .text = text };

    read_alternatives(&r);
    if (r.at < text.len) {
        r.is_wrong = true; /* a bracket that nothing opened */
    }
    add_step(&r, (kin__pattern_step){ .op = KIN__PATTERN_MATCH });
    kin_err code = finish(&r, out, err);
    kin__buf_fini(&r.steps);
    kin__buf_fini(&r.ranges);
    return code;
}

static kin_err finish(reader *r, kin__pattern **out, kin_error *err)
{
    kin__pattern *made = NULL;

    if (r->is_wrong) {
        return kin__error_set(err, KIN_ERR_INVALID, "the pattern cannot be read");
    }
    if (!kin__buf_failed(&r->steps) && !kin__buf_failed(&r->ranges)) {
        made = kin__alloc_zero(1, sizeof *made);
    }
    if (made == NULL) {
        return kin__error_no_memory(err);
    }
    made->step_count = step_count(r);
    made->steps = (kin__pattern_step *) (void *) r->steps.data;
    made->ranges = (kin__pattern_range *) (void *) r->ranges.data;
    r->steps = r->ranges = (kin__buf){ 0 };
    *out = made;
    return KIN_OK;
}

static bool has(const reader *r, char c)
{
    return r->at < r->text.len && r->text.data[r->at] == c;
}

/* Goes on behind the word, where it is next. */
static bool take(reader *r, const char *word)
{
    kin_str rest = kin__str(r->text.data + r->at, r->text.len - r->at);

    if (!kin__str_starts_with(rest, kin_str_of(word))) {
        return false;
    }
    r->at += strlen(word);
    return true;
}

/* Up to the end, or to the bracket that closes the group. */
static void read_alternatives(reader *r)
{
    size_t start = step_count(r);

    if (++r->depth > DEPTH_MAX) {
        r->is_wrong = true;
    }
    read_sequence(r);
    while (!r->is_wrong && take(r, "|")) {
        int32_t len = (int32_t) (step_count(r) - start);
        insert_step(r, start, (kin__pattern_step){ KIN__PATTERN_SPLIT, 0, 0, 0, 1, len + 2 });
        size_t jump = step_count(r);
        add_step(r, (kin__pattern_step){ .op = KIN__PATTERN_JUMP });
        read_sequence(r);
        if (!r->is_wrong && !kin__buf_failed(&r->steps)) {
            kin__pattern_step *steps = (kin__pattern_step *) (void *) r->steps.data;
            steps[jump].first = (int32_t) (step_count(r) - jump);
        }
    }
    r->depth--;
}

static void read_sequence(reader *r)
{
    while (!r->is_wrong && r->at < r->text.len && !has(r, '|') && !has(r, ')')) {
        size_t start = step_count(r);
        long least = 0, most = NO_LIMIT;
        read_atom(r);
        size_t before = r->at;
        if (take(r, "+")) {
            least = 1;
        } else if (take(r, "?")) {
            most = 1;
        } else if (!take(r, "*") && !read_counts(r, &least, &most)) {
            continue;
        }
        (void) take(r, "?"); /* which of several matches it is does not matter */
        r->is_wrong = r->is_wrong || before == r->at || has(r, '*') || has(r, '+') || has(r, '?');
        repeat(r, start, least, most);
    }
}

/* What was appended since `start`, again and again. */
static void repeat(reader *r, size_t start, long least, long most)
{
    AUTO(kin__buf_fini) kin__buf once = { 0 };
    size_t len = step_count(r) - start;
    int32_t over = (int32_t) len;

    if (len == 0) {
        return; /* nothing, however often */
    }
    if (r->is_wrong || kin__buf_failed(&r->steps) ||
        !kin__buf_append(&once, r->steps.data + start * STEP, len * STEP)) {
        r->steps.has_failed = r->steps.has_failed || kin__buf_failed(&once);
        return;
    }
    long copies = most == NO_LIMIT ? (least == 0 ? 1 : least) : most;
    if ((len + 1) * (size_t) copies > KIN__PATTERN_STEPS) {
        r->is_wrong = true;
        return;
    }
    r->steps.len = start * STEP;
    for (long i = 0; i < copies; i++) {
        bool is_optional = i >= least;
        if (is_optional) {
            /* Past what is left; and where there is no limit, past the way back. */
            int32_t left = (int32_t) (copies - i) * (over + 1) + (most == NO_LIMIT ? 1 : 0);
            add_step(r, (kin__pattern_step){ KIN__PATTERN_SPLIT, 0, 0, 0, 1, left });
        }
        (void) kin__buf_append(&r->steps, once.data, once.len);
    }
    if (most == NO_LIMIT && least == 0) {
        add_step(r, (kin__pattern_step){ KIN__PATTERN_JUMP, 0, 0, 0, -(over + 1), 0 });
    } else if (most == NO_LIMIT) {
        add_step(r, (kin__pattern_step){ KIN__PATTERN_SPLIT, 0, 0, 0, -over, 1 });
    }
}

/* "{2}", "{2,}", "{2,5}"; what only looks like it is a text like others. */
static bool read_counts(reader *r, long *least, long *most)
{
    size_t before = r->at;
    bool is_read = take(r, "{") && read_count(r, least);

    *most = *least;
    if (is_read && take(r, ",")) {
        *most = NO_LIMIT;
        is_read = has(r, '}') || read_count(r, most);
    }
    if (!is_read || !take(r, "}")) {
        r->at = before;
        return false;
    }
    r->is_wrong = r->is_wrong || *least > REPEAT_MAX || *most > REPEAT_MAX ||
                  (*most != NO_LIMIT && *most < *least);
    return true;
}

static bool read_count(reader *r, long *out)
{
    size_t start = r->at;
    long count = 0;

    for (; r->at < r->text.len && r->text.data[r->at] >= '0' && r->text.data[r->at] <= '9';
         r->at++) {
        count = count > REPEAT_MAX ? count : count * 10 + (r->text.data[r->at] - '0');
    }
    *out = count;
    return r->at > start;
}

static void read_atom(reader *r)
{
    if (take(r, "(")) {
        read_group(r);
    } else if (take(r, "[")) {
        read_class(r);
    } else if (take(r, "\\")) {
        read_escape(r);
    } else if (take(r, ".")) {
        size_t first = range_count(r);
        if ((r->flags & DOT_IS_ALL) == 0) {
            add_range(r, '\n', '\n');
        }
        add_chars(r, first, true);
    } else if (take(r, "^")) {
        add_place(r,
                  (r->flags & HAS_LINES) != 0 ? KIN__PATTERN_LINE_BEGIN : KIN__PATTERN_TEXT_BEGIN);
    } else if (take(r, "$")) {
        add_place(r, (r->flags & HAS_LINES) != 0 ? KIN__PATTERN_LINE_END : KIN__PATTERN_TEXT_END);
    } else if (has(r, '*') || has(r, '+') || has(r, '?')) {
        r->is_wrong = true; /* nothing that could be repeated */
    } else {
        add_char(r, read_char(r));
    }
}

/* Behind its bracket. */
static void read_group(reader *r)
{
    unsigned flags = r->flags;

    if (take(r, "?P<") || take(r, "?<")) {
        while (r->at < r->text.len && !take(r, ">")) {
            r->at++;
        }
    } else if (take(r, "?")) {
        unsigned inside = flags;
        if (!read_flags(r, &inside)) {
            r->is_wrong = true;
            return;
        }
        r->flags = inside;
        if (take(r, ")")) {
            return; /* up to the end of the group around it, which puts them back */
        }
        r->is_wrong = !take(r, ":");
    }
    read_alternatives(r);
    r->is_wrong = r->is_wrong || !take(r, ")");
    r->flags = flags;
}

static bool read_flags(reader *r, unsigned *flags)
{
    bool is_off = false;

    for (; r->at < r->text.len && !has(r, ':') && !has(r, ')'); r->at++) {
        char c = r->text.data[r->at];
        unsigned flag = c == 'i' ? FOLDS : c == 's' ? DOT_IS_ALL : c == 'm' ? HAS_LINES : 0;
        if (flag == 0 && c != 'U' && (c != '-' || is_off)) {
            return false;
        }
        is_off = is_off || c == '-';
        *flags = is_off ? *flags & ~flag : *flags | flag;
    }
    return true;
}

/* Behind the backslash. */
static void read_escape(reader *r)
{
    char c = r->at < r->text.len ? r->text.data[r->at] : '\0';
    const kin__pattern_class *class = kin__pattern_class_of_letter(c | 0x20);

    if (take(r, "Q")) {
        read_quoted(r);
    } else if (class != NULL && c != '\0') {
        size_t first = range_count(r);
        r->at++;
        add_class(r, class, false);
        add_chars(r, first, c < 'a');
    } else if (!read_place(r, c)) {
        add_char(r, read_escaped_char(r));
    }
}

static bool read_place(reader *r, char c)
{
    static const struct {
        char letter;
        kin__pattern_place place;
    } places[] = {
        { 'A', KIN__PATTERN_TEXT_BEGIN },
        { 'z', KIN__PATTERN_TEXT_END },
        { 'b', KIN__PATTERN_WORD_EDGE },
        { 'B', KIN__PATTERN_NO_WORD_EDGE },
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (c == places[i].letter) {
            r->at++;
            add_place(r, places[i].place);
            return true;
        }
    }
    return false;
}

/* \Q...\E */
static void read_quoted(reader *r)
{
    while (!r->is_wrong && r->at < r->text.len && !take(r, "\\E")) {
        add_char(r, read_char(r));
    }
}

/* Behind its bracket. */
static void read_class(reader *r)
{
    size_t first = range_count(r);
    bool is_negated = take(r, "^");
    bool is_first = true;

    while (!r->is_wrong && (is_first || !has(r, ']'))) {
        r->is_wrong = r->at >= r->text.len;
        if (!r->is_wrong && !read_named_class(r)) {
            read_class_item(r);
        }
        is_first = false;
    }
    r->is_wrong = r->is_wrong || !take(r, "]");
    add_chars(r, first, is_negated);
}

/* A character, or a range of them. */
static void read_class_item(reader *r)
{
    uint32_t from = take(r, "\\") ? read_escaped_char(r) : read_char(r);
    uint32_t to = from;
    bool is_range = has(r, '-') && r->at + 1 < r->text.len && r->text.data[r->at + 1] != ']';

    if (is_range) {
        r->at++;
        to = take(r, "\\") ? read_escaped_char(r) : read_char(r);
    }
    r->is_wrong = r->is_wrong || to < from;
    add_range(r, from, to);
}

/* \d, \D, [:alpha:], [:^alpha:] */
static bool read_named_class(reader *r)
{
    kin_str rest = kin__str(r->text.data + r->at, r->text.len - r->at);
    const kin__pattern_class *class = NULL;
    bool is_negated = false;
    size_t len = 2;

    if (rest.len >= 2 && rest.data[0] == '\\') {
        class = kin__pattern_class_of_letter(rest.data[1] | 0x20);
        is_negated = rest.data[1] < 'a';
    } else if (kin__str_starts_with(rest, STR("[:"))) {
        is_negated = rest.len > 2 && rest.data[2] == '^';
        size_t begin = is_negated ? 3 : 2;
        const char *end = memchr(rest.data, ']', rest.len);
        len = end == NULL ? 0 : (size_t) (end - rest.data) + 1;
        if (len >= begin + 2 && rest.data[len - 2] == ':') {
            class = kin__pattern_class_of_name(kin__str(rest.data + begin, len - begin - 2));
            r->is_wrong = r->is_wrong || class == NULL;
        }
    }
    if (class != NULL) {
        add_class(r, class, is_negated);
        r->at += len;
    }
    return class != NULL;
}

static uint32_t read_char(reader *r)
{
    size_t len = 0;
    uint32_t c = 0;

    if (r->at >= r->text.len) {
        r->is_wrong = true;
    } else {
        c = kin__pattern_char(kin__str(r->text.data + r->at, r->text.len - r->at), &len);
    }
    r->at += len;
    return c;
}

/* Behind the backslash.  Letters and digits that mean nothing are wrong. */
static uint32_t read_escaped_char(reader *r)
{
    static const char letters[] = "afnrtv";
    static const char meant[] = "\a\f\n\r\t\v";
    uint32_t c = read_char(r);
    const char *found = c > 0 && c < 0x80 ? strchr(letters, (int) c) : NULL;

    if (c == 'x') {
        return read_hex(r);
    }
    if (found != NULL) {
        return (uint32_t) meant[found - letters];
    }
    r->is_wrong = r->is_wrong || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                  (c >= 'a' && c <= 'z');
    return c;
}

/* Behind \x: "7f" or "{10ffff}". */
static uint32_t read_hex(reader *r)
{
    bool is_long = take(r, "{");
    uint32_t value = 0;
    size_t count = 0;

    for (; count < (is_long ? 8 : 2) && r->at < r->text.len && !has(r, '}'); count++, r->at++) {
        char c = r->text.data[r->at];
        char low = (char) (c | 0x20);
        bool is_digit = c >= '0' && c <= '9';
        r->is_wrong = r->is_wrong || (!is_digit && (low < 'a' || low > 'f'));
        value = value << 4 | (uint32_t) (is_digit ? c - '0' : low - 'a' + 10);
    }
    r->is_wrong =
        r->is_wrong || count == 0 || (is_long ? !take(r, "}") : count != 2) || value > 0x10ffff;
    return value;
}

static void add_step(reader *r, kin__pattern_step step)
{
    r->is_wrong = r->is_wrong || step_count(r) >= KIN__PATTERN_STEPS;
    if (!r->is_wrong) {
        (void) kin__buf_append(&r->steps, (const char *) &step, sizeof step);
    }
}

/* In front of what was appended since `start`. */
static void insert_step(reader *r, size_t start, kin__pattern_step step)
{
    size_t offset = start * STEP;
    size_t len = r->steps.len - offset;

    add_step(r, step);
    if (!r->is_wrong && !kin__buf_failed(&r->steps)) {
        memmove(r->steps.data + offset + STEP, r->steps.data + offset, len);
        memcpy(r->steps.data + offset, &step, STEP);
    }
}

static void add_place(reader *r, kin__pattern_place place)
{
    add_step(r, (kin__pattern_step){ .op = KIN__PATTERN_ASSERT, .place = place });
}

/* One character of the ranges since `first`. */
static void add_chars(reader *r, size_t first, bool is_negated)
{
    add_step(r, (kin__pattern_step){ KIN__PATTERN_CHARS, 0, is_negated, (r->flags & FOLDS) != 0,
                                     (int32_t) first, (int32_t) (range_count(r) - first) });
}

static void add_char(reader *r, uint32_t c)
{
    size_t first = range_count(r);

    add_range(r, c, c);
    add_chars(r, first, false);
}

static void add_range(reader *r, uint32_t from, uint32_t to)
{
    kin__pattern_range range = { from, to };

    r->is_wrong = r->is_wrong || range_count(r) >= RANGES_MAX;
    if (!r->is_wrong) {
        (void) kin__buf_append(&r->ranges, (const char *) &range, sizeof range);
    }
}

/* All that is in it, or all that lies around. */
static void add_class(reader *r, const kin__pattern_class *class, bool is_negated)
{
    uint32_t next = 0;

    for (size_t i = 0; i < class->count; i++) {
        const kin__pattern_range *range = &class->ranges[i];
        if (!is_negated) {
            add_range(r, range->from, range->to);
        } else if (range->from > next) {
            add_range(r, next, range->from - 1);
        }
        next = range->to + 1;
    }
    if (is_negated) {
        add_range(r, next, 0x10ffff);
    }
}

static size_t step_count(const reader *r)
{
    return r->steps.len / STEP;
}

static size_t range_count(const reader *r)
{
    return r->ranges.len / sizeof(kin__pattern_range);
}
