/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change.c - what differs between two states of an object, the most telling first.
 *
 * Both trees are walked together.  Where members or elements stand in the same order, which is
 * nearly always, each is met without a search; where not, they are looked up, but only in what is
 * small (LOOKUPS_MAX), and what is larger counts as one change.
 */
#include "cli/change.h"

#include <string.h>

#include "cli/cells.h"

#define DEPTH_MAX 32
#define VISITS_MAX 20000
#define LOOKUPS_MAX 256
#define NAME_MAX_BYTES 96 /* of a member; longer ones are cut in the path */

typedef struct walk {
    kin__cli_changes *out;
    size_t visits;
    kin__cli_text path;
} walk;

/* How telling a path is: the first row whose beginning and end it has. */
typedef struct rule {
    const char *begin;
    const char *end;
    int weight;
} rule;

static const rule rules[] = {
    { "metadata.deletionTimestamp", "", 99 },
    { "", "Timestamp", 5 },
    { "", "Time", 5 },
    { "", "edAt", 5 },
    { "metadata.generation", "", 3 },
    { "", ".observedGeneration", 3 },
    { "metadata.uid", "", 3 },
    { "", ".containerID", 10 },
    { "", ".imageID", 10 },
    { "status.", ".image", 10 },
    { "status.", ".name", 10 },
    { "status.phase", "", 100 },
    { "spec.nodeName", "", 95 },
    { "spec.replicas", "", 94 },
    { "spec.", ".image", 92 },
    { "spec.unschedulable", "", 91 },
    { "status.conditions[Ready].status", "", 90 },
    { "", ".restartCount", 88 },
    { "", "eadyReplicas", 86 },
    { "", ".ready", 84 },
    { "status.conditions", "].status", 80 },
    { "", "].reason", 60 },
    { "", ".reason", 70 },
    { "", ".message", 25 },
    { "metadata.labels", "", 62 },
    { "metadata.annotations", "", 30 },
    { "metadata.", "", 20 },
    { "status.", "", 45 },
    { "", "", 65 },
};

#define TELLING 11   /* what weighs less is shown only when there is nothing else, and then one */
#define OF_NOTHING 4 /* the weight of what comes or goes and says no more than its absence */

static const char *const element_names[] = { "name", "type", "key", "ip", "uid" };

static void compare(walk *w, kin_value before, kin_value after, size_t depth);
static void compare_objects(walk *w, kin_value before, kin_value after, size_t depth);
static void look_up_members(walk *w, kin_value before, kin_value after, size_t depth);
static void compare_arrays(walk *w, kin_value before, kin_value after, size_t depth);
static void look_up_elements(walk *w, kin_value before, kin_value after, const char *name,
                             size_t depth);
static void compare_member(walk *w, kin_value key, kin_value before, kin_value after, size_t depth);
static void compare_element(walk *w, const char *name, size_t number, kin_value before,
                            kin_value after, size_t depth);
static const char *name_of_elements(kin_value array);
static kin_value find_element(kin_value array, const char *name, kin_str wanted);
static bool is_left_out(const walk *w, kin_str name);
static size_t push_name(walk *w, kin_str name);
static size_t push(walk *w, const char *open, kin_str text, const char *close);
static void pop(walk *w, size_t len);
static void tell(walk *w, kin_value before, kin_value after);
static int weigh(const char *path);
static bool says_nothing(kin_value value);
static bool ends(const char *text, const char *with);
static void show_value(kin_value value, char *out, size_t size);
static void keep(kin_str text, char *out, size_t size);
static bool is_same(kin_value a, kin_value b);
static bool holds_more(kin_value value);
static kin_str text_of(kin_value value, char *scratch, size_t size);

void kin__cli_changes_find(const kin_object *before, const kin_object *after, kin__cli_changes *out)
{
    walk w = { out, 0, { 0 } };

    memset(out, 0, sizeof *out);
    compare(&w, kin_object_at(before, ""), kin_object_at(after, ""), 0);
    kin__cli_text_fini(&w.path);
}

bool kin__cli_changes_are_telling(const kin__cli_changes *changes)
{
    return changes->count > 0 && changes->list[0].weight >= TELLING;
}

void kin__cli_changes_show(const kin__cli_changes *changes, size_t max, kin__cli_text *out)
{
    size_t count = changes->count < max ? changes->count : max;

    while (count > 1 && changes->list[count - 1].weight < TELLING) {
        count--;
    }
    for (size_t i = 0; i < count; i++) {
        const kin__cli_change *c = &changes->list[i];
        kin__cli_text_say(out, "%s", i > 0 ? ", " : "");
        if (c->is_removed) {
            kin__cli_text_say(out, "-%s", c->path);
        } else if (c->is_added) {
            kin__cli_text_say(out, "+%s %s", c->path, c->after);
        } else {
            kin__cli_text_say(out, "%s %s -> %s", c->path, c->before, c->after);
        }
    }
    if (changes->total > count) {
        kin__cli_text_say(out, "%s%zu more", count > 0 ? ", " : "", changes->total - count);
    }
}

/* One of the two may be missing: then what is in the other has come, or gone. */
static void compare(walk *w, kin_value before, kin_value after, size_t depth)
{
    kin_type from = kin_value_type(before);
    kin_type to = kin_value_type(after);
    bool is_part = from == KIN_TYPE_MISSING ? holds_more(after)
                   : to == KIN_TYPE_MISSING ? holds_more(before)
                                            : from == to;
    kin_type type = from == KIN_TYPE_MISSING ? to : from;

    if (++w->visits > VISITS_MAX || is_same(before, after)) {
        return;
    }
    if (is_part && type == KIN_TYPE_OBJECT && depth < DEPTH_MAX) {
        compare_objects(w, before, after, depth + 1);
    } else if (is_part && type == KIN_TYPE_ARRAY && depth < DEPTH_MAX) {
        compare_arrays(w, before, after, depth + 1);
    } else {
        tell(w, before, after);
    }
}

static void compare_objects(walk *w, kin_value before, kin_value after, size_t depth)
{
    kin_iter a = kin_value_iter(before);
    kin_iter b = kin_value_iter(after);
    bool has_a = kin_iter_next(&a);
    bool has_b = kin_iter_next(&b);

    while (has_a && has_b && is_same(a.key, b.key)) {
        compare_member(w, a.key, a.value, b.value, depth);
        has_a = kin_iter_next(&a);
        has_b = kin_iter_next(&b);
    }
    if (!has_a && !has_b) {
        return;
    }
    if (kin_value_count(before) > LOOKUPS_MAX || kin_value_count(after) > LOOKUPS_MAX) {
        tell(w, before, after);
        return;
    }
    look_up_members(w, before, after, depth);
}

/* Those in front that both have are the same by now, or told: only the others are new to tell. */
static void look_up_members(walk *w, kin_value before, kin_value after, size_t depth)
{
    kin_iter a = kin_value_iter(before);
    kin_iter b = kin_value_iter(after);
    bool is_in_step = true;
    char scratch[NAME_MAX_BYTES];

    while (kin_iter_next(&a)) {
        is_in_step = kin_iter_next(&b) && is_in_step && is_same(a.key, b.key);
        if (!is_in_step) {
            kin_str name = text_of(a.key, scratch, sizeof scratch);
            compare_member(w, a.key, a.value, kin_value_member(after, name), depth);
        }
    }
    b = kin_value_iter(after);
    while (kin_iter_next(&b)) {
        kin_str name = text_of(b.key, scratch, sizeof scratch);
        if (!kin_value_exists(kin_value_member(before, name))) {
            compare_member(w, b.key, (kin_value){ 0 }, b.value, depth);
        }
    }
}

static void compare_arrays(walk *w, kin_value before, kin_value after, size_t depth)
{
    size_t before_count = kin_value_count(before);
    size_t after_count = kin_value_count(after);
    bool is_small = before_count <= LOOKUPS_MAX && after_count <= LOOKUPS_MAX;
    const char *name = name_of_elements(before_count > 0 ? before : after);

    if (name != NULL && is_small) {
        look_up_elements(w, before, after, name, depth);
        return;
    }
    if (before_count != after_count && before_count > 0 && after_count > 0) {
        tell(w, before, after);
        return;
    }
    kin_iter a = kin_value_iter(before);
    kin_iter b = kin_value_iter(after);
    bool has_a = kin_iter_next(&a);
    bool has_b = kin_iter_next(&b);
    for (size_t i = 0; has_a || has_b; i++) {
        compare_element(w, NULL, i, has_a ? a.value : (kin_value){ 0 },
                        has_b ? b.value : (kin_value){ 0 }, depth);
        has_a = has_a && kin_iter_next(&a);
        has_b = has_b && kin_iter_next(&b);
    }
}

static void look_up_elements(walk *w, kin_value before, kin_value after, const char *name,
                             size_t depth)
{
    kin_iter iter = kin_value_iter(before);
    char scratch[NAME_MAX_BYTES];

    for (size_t i = 0; kin_iter_next(&iter); i++) {
        kin_value own = kin_value_member(iter.value, kin_str_of(name));
        kin_str text = text_of(own, scratch, sizeof scratch);
        compare_element(w, name, i, iter.value, find_element(after, name, text), depth);
    }
    iter = kin_value_iter(after);
    for (size_t i = 0; kin_iter_next(&iter); i++) {
        kin_value own = kin_value_member(iter.value, kin_str_of(name));
        kin_str text = text_of(own, scratch, sizeof scratch);
        if (!kin_value_exists(find_element(before, name, text))) {
            compare_element(w, name, i, (kin_value){ 0 }, iter.value, depth);
        }
    }
}

static void compare_member(walk *w, kin_value key, kin_value before, kin_value after, size_t depth)
{
    char scratch[NAME_MAX_BYTES];
    kin_str name = text_of(key, scratch, sizeof scratch);

    if (!is_left_out(w, name)) {
        size_t len = push_name(w, name);
        compare(w, before, after, depth);
        pop(w, len);
    }
}

static void compare_element(walk *w, const char *name, size_t number, kin_value before,
                            kin_value after, size_t depth)
{
    kin_value one = kin_value_exists(before) ? before : after;
    char scratch[NAME_MAX_BYTES];
    size_t len = 0;

    if (name != NULL) {
        kin_value own = kin_value_member(one, kin_str_of(name));
        len = push(w, "[", text_of(own, scratch, sizeof scratch), "]");
    } else {
        int digits = snprintf(scratch, sizeof scratch, "%zu", number);
        len = push(w, "[", (kin_str){ scratch, (size_t) digits }, "]");
    }
    compare(w, before, after, depth);
    pop(w, len);
}

/* By which member all elements can be told apart; NULL: by none. */
static const char *name_of_elements(kin_value array)
{
    for (size_t i = 0; i < sizeof element_names / sizeof element_names[0]; i++) {
        kin_iter iter = kin_value_iter(array);
        size_t count = 0;
        bool has_all = true;
        while (has_all && count < LOOKUPS_MAX && kin_iter_next(&iter)) {
            kin_value name = kin_value_member(iter.value, kin_str_of(element_names[i]));
            has_all = kin_value_type(name) == KIN_TYPE_STRING;
            count++;
        }
        if (has_all && count > 0) {
            return element_names[i];
        }
    }
    return NULL;
}

static kin_value find_element(kin_value array, const char *name, kin_str wanted)
{
    kin_iter iter = kin_value_iter(array);
    char scratch[NAME_MAX_BYTES];

    while (kin_iter_next(&iter)) {
        kin_value own = kin_value_member(iter.value, kin_str_of(name));
        if (kin_str_equal(text_of(own, scratch, sizeof scratch), wanted)) {
            return iter.value;
        }
    }
    return (kin_value){ 0 };
}

static bool is_left_out(const walk *w, kin_str name)
{
    return strcmp(kin__cli_text_chars(&w->path), "metadata") == 0 &&
           (kin_str_equal(name, kin_str_of("resourceVersion")) ||
            kin_str_equal(name, kin_str_of("managedFields")));
}

/* A name with a dot in it is put into brackets, as in a path. */
static size_t push_name(walk *w, kin_str name)
{
    bool has_dots = name.len > 0 && (memchr(name.data, '.', name.len) != NULL ||
                                     memchr(name.data, '/', name.len) != NULL);

    if (has_dots) {
        return push(w, "[\"", name, "\"]");
    }
    return push(w, w->path.len > 0 ? "." : "", name, "");
}

/* Returns how long the path was. */
static size_t push(walk *w, const char *open, kin_str text, const char *close)
{
    size_t before = w->path.len;

    text.len = kin__cli_text_cut(text, NAME_MAX_BYTES);
    kin__cli_text_append(&w->path, kin_str_of(open));
    kin__cli_text_safe(&w->path, text);
    kin__cli_text_append(&w->path, kin_str_of(close));
    return before;
}

static void pop(walk *w, size_t len)
{
    w->path.len = len;
    w->path.chars[len] = '\0';
}

/* Keeps the heaviest; of equals, those that came first. */
static void tell(walk *w, kin_value before, kin_value after)
{
    kin__cli_changes *out = w->out;
    int weight = weigh(kin__cli_text_chars(&w->path));
    size_t at = out->count;
    bool is_pair = kin_value_exists(before) && kin_value_exists(after);

    if (!is_pair && says_nothing(kin_value_exists(before) ? before : after)) {
        weight = OF_NOTHING;
    } else if (!kin_value_exists(after)) {
        weight /= 2;
    }
    out->total++;
    while (at > 0 && out->list[at - 1].weight < weight) {
        at--;
    }
    if (at == KIN__CLI_CHANGES_MAX) {
        return;
    }
    out->count += out->count < KIN__CLI_CHANGES_MAX ? 1 : 0;
    memmove(&out->list[at + 1], &out->list[at], (out->count - 1 - at) * sizeof out->list[0]);
    kin__cli_change *own = &out->list[at];
    memset(own, 0, sizeof *own);
    own->weight = weight;
    own->is_added = !kin_value_exists(before);
    own->is_removed = !kin_value_exists(after);
    keep(kin__cli_text_str(&w->path), own->path, sizeof own->path);
    show_value(before, own->before, sizeof own->before);
    show_value(after, own->after, sizeof own->after);
}

static int weigh(const char *path)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const rule *r = &rules[i];
        if (strncmp(path, r->begin, strlen(r->begin)) == 0 && ends(path, r->end)) {
            return r->weight;
        }
    }
    return 0;
}

/* 0, false, "", null, or empty. */
static bool says_nothing(kin_value value)
{
    double number = 1;
    bool answer = true;
    kin_str text = { "", 1 };

    (void) !kin_value_double(value, &number);
    (void) !kin_value_bool(value, &answer);
    (void) !kin_value_str(value, NULL, 0, &text);
    return number == 0 || !answer || text.len == 0 || kin_value_type(value) == KIN_TYPE_NULL ||
           (kin_value_type(value) >= KIN_TYPE_ARRAY && !holds_more(value));
}

static bool ends(const char *text, const char *with)
{
    size_t len = strlen(text);
    size_t with_len = strlen(with);

    return len >= with_len && strcmp(text + len - with_len, with) == 0;
}

/* "Running", "3", "[2]", "{...}". */
static void show_value(kin_value value, char *out, size_t size)
{
    kin_type type = kin_value_type(value);
    kin__cli_text text = { 0 };

    if (type == KIN_TYPE_ARRAY) {
        kin__cli_text_say(&text, "[%zu]", kin_value_count(value));
    } else if (type == KIN_TYPE_OBJECT) {
        kin__cli_text_say(&text, kin_value_count(value) > 0 ? "{...}" : "{}");
    } else if (type == KIN_TYPE_NULL) {
        kin__cli_text_say(&text, "null");
    } else {
        kin__cli_text whole = { 0 };
        (void) kin__cli_value_show(value, &whole);
        kin_str shown = kin__cli_text_str(&whole);
        shown.len = kin__cli_text_cut(shown, size);
        kin__cli_text_safe(&text, shown);
        kin__cli_text_fini(&whole);
    }
    if (type == KIN_TYPE_STRING && text.len == 0) {
        kin__cli_text_say(&text, "\"\"");
    }
    keep(kin__cli_text_str(&text), out, size);
    kin__cli_text_fini(&text);
}

/* What is too long ends in "...". */
static void keep(kin_str text, char *out, size_t size)
{
    if (text.len < size) {
        snprintf(out, size, "%.*s", KIN_STR_ARG(text));
        return;
    }
    size_t len = size - 4;
    while (len > 0 && (text.data[len] & 0xc0) == 0x80) {
        len--;
    }
    snprintf(out, size, "%.*s...", (int) len, text.data);
}

static bool is_same(kin_value a, kin_value b)
{
    bool is_equal = false;

    return kin_value_equal(a, b, &is_equal) == KIN_OK && is_equal;
}

/* An array or object with something in it. */
static bool holds_more(kin_value value)
{
    kin_iter iter = kin_value_iter(value);

    return kin_iter_next(&iter);
}

/* Empty for what is no string, or has escapes and is too long for the scratch. */
static kin_str text_of(kin_value value, char *scratch, size_t size)
{
    kin_str text = { "", 0 };

    if (kin_value_str(value, scratch, size, &text) != KIN_OK) {
        return (kin_str){ "", 0 };
    }
    return text;
}
