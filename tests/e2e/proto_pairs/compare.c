/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - pairs of protobuf and JSON from proto_pairs, against what the library makes of them.
 *
 *     proto_pairs -count 1000 | proto-pairs-compare
 *
 * The message of each pair must render as the JSON of the pair, and the JSON must give the message
 * that Go makes of it, both byte for byte; and the objects made of the two must agree (objects.h).
 * Shows the first differences, says how many pairs were as they should, and fails when one was not,
 * unless it is in the list of exceptions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "objects.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "proto/render.h"

#define SHOWN_MAX 10   /* differences */
#define SHOWN_BYTES 80 /* on each side of one */

/* A pair that is known to differ. */
typedef struct exception {
    const char *from;
    const char *why;
} exception;

static const exception exceptions[] = {
    { "published v1.35.0 certificates.k8s.io.v1beta1.PodCertificateRequest.pb",
      "1.36 added stubPKCS10Request, which is null when it is not there: only the server's version "
      "tells that it was not known" },
};

enum { FROM, API_VERSION, KIND, ANSWER, PROTOBUF, JSON, BACK, TEXTS };

typedef struct pair {
    kin__buf texts[TEXTS];
} pair;

typedef struct count {
    size_t pairs;
    size_t rendered; /* as the JSON */
    size_t wanted_back;
    size_t came_back; /* as Go's message */
    size_t excepted;
    object_count objects;
    size_t disagreed; /* pairs whose objects do not agree */
    size_t shown;
} count;

static void print_objects(const count *c);
static bool read_pair(pair *p);
static bool read_text(kin__buf *out);
static kin_str text_of(const pair *p, int which);
static void compare(const pair *p, count *c);
static void compare_as_objects(const pair *p, count *c);
static bool is_exception(const pair *p);
static void render(const pair *p, kin_str message, kin__pb_message kind, count *c);
static void parse(const pair *p, kin__pb_message kind, count *c);
static void show(const pair *p, const char *what, kin_str got, kin_str want, count *c);
static void show_text(const char *label, kin_str text, size_t at);

int main(void)
{
    pair p = { 0 };
    count c = { 0 };

    while (read_pair(&p)) {
        compare(&p, &c);
        c.pairs++;
    }
    (void) printf("%zu of %zu messages render as Go's JSON (%zu known exceptions)\n", c.rendered,
                  c.pairs, c.excepted);
    (void) printf("%zu of %zu JSON texts give Go's message\n", c.came_back, c.wanted_back);
    print_objects(&c);
    for (int i = 0; i < TEXTS; i++) {
        kin__buf_fini(&p.texts[i]);
    }
    bool is_good = c.rendered + c.excepted == c.pairs && c.came_back == c.wanted_back &&
                   c.disagreed == 0 && c.objects.made != 0;
    return is_good && c.pairs != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void print_objects(const count *c)
{
    const object_count *o = &c->objects;

    (void) printf("%zu of %zu objects agree with those of Go's JSON; %zu pairs are no objects, and "
                  "%zu only in JSON because of names that are not UTF-8\n",
                  o->agreed, o->made, o->pairs - o->made - o->not_utf, o->not_utf);
    (void) printf("%zu values read by their paths, %zu of them spelt as Go's\n", o->values,
                  o->spelt);
}

static bool read_pair(pair *p)
{
    for (int i = 0; i < TEXTS; i++) {
        if (!read_text(&p->texts[i])) {
            if (i != 0) {
                (void) printf("the pairs end inside one\n");
                exit(EXIT_FAILURE);
            }
            return false;
        }
    }
    return true;
}

static bool read_text(kin__buf *out)
{
    unsigned char head[4];

    kin__buf_clear(out);
    if (fread(head, 1, sizeof head, stdin) != sizeof head) {
        return false;
    }
    size_t len = (size_t) head[0] << 24 | (size_t) head[1] << 16 | (size_t) head[2] << 8 | head[3];
    if (!kin__buf_reserve(out, len) || fread(out->data, 1, len, stdin) != len) {
        return false;
    }
    out->len = len;
    return true;
}

static kin_str text_of(const pair *p, int which)
{
    return kin__str(p->texts[which].data, p->texts[which].len);
}

static void compare(const pair *p, count *c)
{
    kin_str api_version;
    kin_str kind;
    kin_str message;
    kin_error err;
    kin__pb_message number = kin__pb_message_of(text_of(p, API_VERSION), text_of(p, KIND));

    if (kin__pb_envelope_read(text_of(p, PROTOBUF), &api_version, &kind, &message, &err) !=
        KIN_OK) {
        show(p, "the envelope", kin_str_of(err.message), STR(""), c);
        return;
    }
    if (number == KIN__PB_NO_MESSAGE) {
        show(p, "the tables have no such kind", STR(""), STR(""), c);
        return;
    }
    render(p, message, number, c);
    if (!kin__str_equal(text_of(p, BACK), STR("-"))) {
        parse(p, number, c);
    }
    compare_as_objects(p, c);
}

static void compare_as_objects(const pair *p, count *c)
{
    AUTO(kin__buf_fini) kin__buf why = { 0 };

    if (!compare_objects(text_of(p, PROTOBUF), text_of(p, JSON), &c->objects, &why) &&
        !is_exception(p)) {
        c->disagreed++;
        show(p, "the object", kin__str(why.data, why.len), STR(""), c);
    }
}

static void render(const pair *p, kin_str message, kin__pb_message kind, count *c)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err = { 0 };
    kin__pb_rendering rendering = { .kind = text_of(p, KIND),
                                    .api_version = text_of(p, API_VERSION),
                                    .is_list_answer = p->texts[ANSWER].len != 0 };

    kin_err code = kin__pb_render(kind, message, &rendering, &out, &err);
    kin_str got = code == KIN_OK ? kin__str(out.data, out.len) : kin_str_of(err.message);
    if (code == KIN_OK && rendering.unknown_count == 0 && kin__str_equal(got, text_of(p, JSON))) {
        c->rendered++;
    } else if (is_exception(p)) {
        c->excepted++;
    } else {
        show(p, rendering.unknown_count == 0 ? "rendering" : "rendering, with unknown fields", got,
             text_of(p, JSON), c);
    }
}

static void parse(const pair *p, kin__pb_message kind, count *c)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin_error err = { 0 };

    kin_err code = kin__pb_from_json(kind, kin__json_of(text_of(p, JSON)), &out, &err);
    kin_str got = code == KIN_OK ? kin__str(out.data, out.len) : kin_str_of(err.message);
    c->wanted_back++;
    if (code == KIN_OK && kin__str_equal(got, text_of(p, BACK))) {
        c->came_back++;
    } else {
        show(p, "the message of the JSON", got, text_of(p, BACK), c);
    }
}

static bool is_exception(const pair *p)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (kin__str_equal(text_of(p, FROM), kin_str_of(exceptions[i].from))) {
            (void) printf("%s: %s\n", exceptions[i].from, exceptions[i].why);
            return true;
        }
    }
    return false;
}

static void show(const pair *p, const char *what, kin_str got, kin_str want, count *c)
{
    size_t at = 0;

    if (c->shown++ >= SHOWN_MAX) {
        return;
    }
    while (at < got.len && at < want.len && got.data[at] == want.data[at]) {
        at++;
    }
    (void) printf("%.*s, %.*s of %.*s: %s differs at byte %zu\n", KIN_STR_ARG(text_of(p, FROM)),
                  KIN_STR_ARG(text_of(p, KIND)), KIN_STR_ARG(text_of(p, API_VERSION)), what, at);
    show_text("  got  ", got, at);
    show_text("  want ", want, at);
}

static void show_text(const char *label, kin_str text, size_t at)
{
    size_t from = at > SHOWN_BYTES ? at - SHOWN_BYTES : 0;
    size_t to = at + SHOWN_BYTES < text.len ? at + SHOWN_BYTES : text.len;

    (void) printf("%s", label);
    for (size_t i = from; i < to; i++) {
        unsigned char c = (unsigned char) text.data[i];
        (void) printf(c >= 0x20 && c < 0x7f ? "%c" : "\\x%02x", c);
    }
    (void) printf("\n");
}
