/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor_test.c - the cursor finds what is there, and stays inside bytes that make no sense.
 */
#include "json/cursor.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/string.h"
#include "support/random.h"
#include "support/test.h"

#define DOCUMENT_MAX 16384
#define MEMBERS_MAX 64

/* A document in a block of its own, so that a byte read beyond it is noticed. */
typedef struct exact {
    char *bytes;
    kin__json root;
} exact;

/* Writes a random document. */
typedef struct generator {
    uint64_t random;
    size_t len;
    char bytes[DOCUMENT_MAX];
} generator;

static exact exact_of(kin_str document);
static const char *text_at(const char *document, const char *path);
static kin__json at_path(kin__json value, const char *path);
static void describe(const char *document, text *out);
static const char *check(kin__json value, size_t depth);
static const char *check_container(kin__json value, size_t depth);
static const char *check_key(const kin__json_iter *iter, const char *at);
static void check_lookups(kin__json value, const kin__json_iter *members, size_t count);
static const char *end_of_string(const char *at);
static const char *after_space(const char *at);
static size_t visit(kin__json value, int depth);
static void generate(generator *g, int depth);
static void generate_string(generator *g);
static void generate_container(generator *g, int depth);
static void put(generator *g, const char *bytes);
static void put_space(generator *g);

TEST(cursor, knows_a_value_by_its_first_byte)
{
    static const struct {
        const char *document;
        kin_type type;
    } cases[] = { { "{}", KIN_TYPE_OBJECT },       { "[]", KIN_TYPE_ARRAY },
                  { "\"\"", KIN_TYPE_STRING },     { "true", KIN_TYPE_BOOL },
                  { "false", KIN_TYPE_BOOL },      { "null", KIN_TYPE_NULL },
                  { "0", KIN_TYPE_NUMBER },        { "-1", KIN_TYPE_NUMBER },
                  { "9e9", KIN_TYPE_NUMBER },      { "", KIN_TYPE_MISSING },
                  { " \t\r\n", KIN_TYPE_MISSING }, { "}", KIN_TYPE_MISSING },
                  { "+1", KIN_TYPE_MISSING },      { "\xff", KIN_TYPE_MISSING },
                  { ":", KIN_TYPE_MISSING },       { " \n[1]", KIN_TYPE_ARRAY } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_EQ(kin__json_type(kin__json_of(kin_str_of(cases[i].document))), cases[i].type);
    }
    ASSERT_EQ(kin__json_type(kin__json_of((kin_str){ NULL, 0 })), KIN_TYPE_MISSING);
    ASSERT_TRUE(kin__json_of(STR("  ")).at == NULL);
}

TEST(cursor, gives_the_text_of_a_value_without_what_surrounds_it)
{
    ASSERT_STR_EQ(text_at(" {\"a\": -1.5e3 ,\"b\":[ 1 , 2 ] } ", ""),
                  "{\"a\": -1.5e3 ,\"b\":[ 1 , 2 ] }");
    ASSERT_STR_EQ(text_at("{\"a\": -1.5e3 ,\"b\":[ 1 , 2 ] } ", "a"), "-1.5e3");
    ASSERT_STR_EQ(text_at("{\"a\": -1.5e3 ,\"b\":[ 1 , 2 ] } ", "b"), "[ 1 , 2 ]");
    ASSERT_STR_EQ(text_at("{\"a\":[true,null]}", "a.0"), "true");
    ASSERT_STR_EQ(text_at("{\"a\":[true,null]}", "a.1"), "null");
    ASSERT_STR_EQ(text_at("{\"a\":\"x\\\"y\"}", "a"), "\"x\\\"y\"");
    ASSERT_STR_EQ(text_at("{\"a\":1}", "b"), "");
}

TEST(cursor, gives_what_stands_between_the_quotes)
{
    ASSERT_SLICE_EQ(kin__json_raw_string(kin__json_of(STR("\"\""))), "");
    ASSERT_SLICE_EQ(kin__json_raw_string(kin__json_of(STR(" \"a\\\"\\\\\" "))), "a\\\"\\\\");
    ASSERT_SLICE_EQ(kin__json_raw_string(kin__json_of(STR("[\"a\"]"))), "");
    ASSERT_SLICE_EQ(kin__json_raw_string((kin__json){ NULL, NULL }), "");
}

/* Strings are looked at in blocks of 16, the first few here and the rest by the kernel. */
TEST(cursor, finds_the_end_of_a_string_of_any_length)
{
    for (int len = 0; len < 200; len++) {
        for (int escape = -1; escape < len; escape += 1 + len / 7) {
            text document = { 0 };
            text want = { 0 };
            for (int i = 0; i < len; i++) {
                text_append(&want, "%s", i == escape ? "\\\"" : "x");
            }
            text_append(&document, "{\"%s\":\"%s\",\"z\":\"end\"}", want.chars, want.chars);
            exact e = exact_of(kin__str(document.chars, document.len));
            kin__json_iter iter = kin__json_walk(e.root);

            ASSERT_TRUE(kin__json_next(&iter));
            ASSERT_SLICE_EQ(iter.key, want.chars);
            ASSERT_SLICE_EQ(kin__json_raw_string(iter.value), want.chars);
            ASSERT_TRUE(kin__json_next(&iter));
            ASSERT_SLICE_EQ(iter.key, "z");
            ASSERT_FALSE(kin__json_next(&iter));
            kin__free(e.bytes);
        }
    }
}

TEST(cursor, finds_members_by_name)
{
    const char *document = "{ \"a\" : 1 , \"ab\" : { \"a\" : 2 } , \"b\" : [ { \"a\" : 3 } ] }";

    ASSERT_STR_EQ(text_at(document, "a"), "1");
    ASSERT_STR_EQ(text_at(document, "ab.a"), "2");
    ASSERT_STR_EQ(text_at(document, "b.0.a"), "3");
    ASSERT_STR_EQ(text_at(document, "c"), "");
    ASSERT_STR_EQ(text_at(document, "abc"), "");
    ASSERT_STR_EQ(text_at(document, "a.a"), "");
    ASSERT_STR_EQ(text_at("[\"a\",1]", "a"), "");
    ASSERT_STR_EQ(text_at("\"a\"", "a"), "");
    ASSERT_STR_EQ(text_at("{}", "a"), "");
    ASSERT_TRUE(kin__json_member(kin__json_of(STR("[1]")), STR("")).at == NULL);
}

/* As Go's decoder, and so the API server, has it. */
TEST(cursor, finds_the_last_of_two_equal_keys)
{
    ASSERT_STR_EQ(text_at("{\"a\":1,\"b\":2,\"a\":3,\"c\":4}", "a"), "3");
    ASSERT_STR_EQ(text_at("{\"a\":1,\"\\u0061\":5}", "a"), "5");
}

TEST(cursor, finds_keys_by_what_they_mean)
{
    kin__json value = kin__json_of(STR("{\"a\\/b\":1,\"\\u00e9\":2,\"x\\\"y\":3,\"\":4}"));

    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR("a/b"))), "1");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR("\xc3\xa9"))), "2");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR("x\"y"))), "3");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR(""))), "4");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, (kin_str){ NULL, 0 })), "4");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR("a\\/b"))), "");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, STR("x\\\"y"))), "");
}

/* Longer than what is looked at here: whether it has escapes is not known at once. */
TEST(cursor, finds_a_long_key_with_an_escape_near_its_end)
{
    char name[] = "0123456789012345678901234567890123456789012345678901234567890123456789/tail";
    text document = { 0 };
    text_append(&document, "{\"%.70s\\/tail\":1,\"%.70s\":2}", name, name);
    kin__json value = kin__json_of(kin__str(document.chars, document.len));

    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, kin_str_of(name))), "1");
    ASSERT_SLICE_EQ(kin__json_text(kin__json_member(value, kin__str(name, 70))), "2");
}

TEST(cursor, finds_elements_by_their_number)
{
    const char *document = "[ 1 , [2, 3] , {\"a\":4} , \"5\" ]";

    ASSERT_STR_EQ(text_at(document, "0"), "1");
    ASSERT_STR_EQ(text_at(document, "1"), "[2, 3]");
    ASSERT_STR_EQ(text_at(document, "2.a"), "4");
    ASSERT_STR_EQ(text_at(document, "3"), "\"5\"");
    kin__json value = kin__json_of(kin_str_of(document));
    ASSERT_TRUE(kin__json_element(value, 4).at == NULL);
    ASSERT_TRUE(kin__json_element(value, SIZE_MAX).at == NULL);
    ASSERT_TRUE(kin__json_element(kin__json_of(STR("[]")), 0).at == NULL);
    ASSERT_TRUE(kin__json_element(kin__json_of(STR("{\"a\":1}")), 0).at == NULL);
    ASSERT_TRUE(kin__json_element(kin__json_of(STR("12")), 0).at == NULL);
}

TEST(cursor, walks_members_and_elements_in_their_order)
{
    text out = { 0 };

    describe(" { \"a\" : 1 , \"b\" : [ ] , \"a\" : { } } ", &out);
    describe("[ 1, \"two\" ,{\"x\":[3]}]", &out);
    describe("{}", &out);
    describe("[ ]", &out);
    describe("\"text\"", &out);
    describe("", &out);

    ASSERT_STR_EQ(out.chars, "a=1 b=[ ] a={ } . =1 =\"two\" ={\"x\":[3]} . . . . . ");
}

/* Not valid, and so never seen behind the scanner. */
TEST(cursor, ends_a_walk_where_the_bytes_make_no_sense)
{
    text out = { 0 };

    describe("{\"a\":1,b\":2}", &out);
    describe("{\"a\":1,\"b\" 22}", &out);
    describe("{\"a\":1,\"b\":}", &out);
    describe("{\"a\":1 \"b\":2}", &out);
    describe("{\"a\":1,\"b\"", &out);
    describe("{\"a\":[}", &out);
    describe("[1,2 3]", &out);
    describe("[1,,2]", &out);
    describe("[1,", &out);

    ASSERT_STR_EQ(out.chars, "a=1 . a=1 . a=1 . a=1 . a=1 . a=[} . =1 =2 . =1 . =1 . ");
}

TEST(cursor, stays_at_the_end_of_a_walk)
{
    kin_str document = STR("[[1,2]] 3");
    kin__json_iter iter = kin__json_walk(kin__json_of(document));

    ASSERT_TRUE(kin__json_next(&iter));
    for (int i = 0; i < 3; i++) {
        ASSERT_FALSE(kin__json_next(&iter));
        ASSERT_TRUE(iter.value.at == NULL);
        ASSERT_EQ(iter.next - document.data, 7);
    }
}

TEST(cursor, goes_on_where_an_inner_walk_ended)
{
    kin__json_iter outer = kin__json_walk(kin__json_of(STR("[[1,[2]], {\"a\":3} ,4]")));
    text out = { 0 };

    while (kin__json_next(&outer)) {
        kin__json_iter inner = kin__json_walk(outer.value);
        while (kin__json_next(&inner)) {
            kin_str got = kin__json_text(inner.value);
            text_append(&out, "%.*s ", KIN_STR_ARG(got));
        }
        text_append(&out, "; ");
        outer.next = inner.next;
    }

    ASSERT_STR_EQ(out.chars, "1 [2] ; 3 ; ; ");
}

TEST(cursor, reads_a_pod)
{
    size_t len;
    char *bytes = read_fixture("list-pod-get.json", &len);
    kin__json pod = kin__json_of(kin__str(bytes, len));

    ASSERT_SLICE_EQ(kin__json_text(at_path(pod, "kind")), "\"Pod\"");
    ASSERT_SLICE_EQ(kin__json_text(at_path(pod, "spec.nodeName")), "\"node-0\"");
    ASSERT_SLICE_EQ(kin__json_text(at_path(pod, "status.podIP")), "\"10.0.0.0\"");
    ASSERT_SLICE_EQ(kin__json_text(at_path(pod, "spec.containers.0.image")),
                    "\"registry.example.com/team-0/app-0:v1.0.0\"");
    ASSERT_TRUE(check(pod, 0) <= bytes + len);
    free_fixture(bytes);
}

/* Each function, at each place, against a reader that goes byte by byte. */
TEST(cursor, agrees_with_a_plain_reader_on_random_documents)
{
    static generator g;
    g.random = random_start(20260106);

    for (int i = 0; i < 3000; i++) {
        g.len = 0;
        put_space(&g);
        generate(&g, 0);
        put_space(&g);
        exact e = exact_of(kin__str(g.bytes, g.len));
        ASSERT_TRUE(check(e.root, 0) <= e.bytes + g.len);
        kin__free(e.bytes);
    }
}

TEST(cursor, stays_inside_a_document_that_is_cut_anywhere)
{
    static generator g;
    g.random = random_start(20260107);

    for (int i = 0; i < 200; i++) {
        g.len = 0;
        generate(&g, 0);
        for (size_t len = 0; len < g.len; len += 1 + g.len / 100) {
            exact e = exact_of(kin__str(g.bytes, len));
            ASSERT_TRUE(visit(e.root, 0) <= len + 1);
            kin__free(e.bytes);
        }
    }
}

TEST(cursor, stays_inside_any_bytes_and_comes_to_an_end)
{
    static const char alphabet[] = "{}[]{}[]\"\"\"::,,\\\\ \n0-1e.tfnaub\x01\xff";
    uint64_t random = random_start(20260108);

    for (int i = 0; i < 100000; i++) {
        char bytes[160];
        size_t len = random_below(&random, i % 16 == 0 ? sizeof bytes : 24);
        for (size_t k = 0; k < len; k++) {
            bytes[k] = alphabet[random_below(&random, sizeof alphabet - 1)];
        }
        if (len != 0 && i % 2 == 0) {
            bytes[0] = "{["[i / 2 % 2];
        }
        exact e = exact_of(kin__str(bytes, len));
        ASSERT_TRUE(visit(e.root, 0) <= len + 1);
        kin__free(e.bytes);
    }
}

/* As above, with documents that make sense up to some places. */
TEST(cursor, stays_inside_documents_with_wrong_bytes)
{
    static generator g;
    g.random = random_start(20260109);

    for (int i = 0; i < 10000; i++) {
        g.len = 0;
        generate(&g, 2);
        for (size_t wrong = random_below(&g.random, 4); wrong > 0; wrong--) {
            g.bytes[random_below(&g.random, g.len)] = "{}[]\":,\\ 1"[random_below(&g.random, 10)];
        }
        exact e = exact_of(kin__str(g.bytes, g.len));
        ASSERT_TRUE(visit(e.root, 0) <= g.len + 1);
        kin__free(e.bytes);
    }
}

static exact exact_of(kin_str document)
{
    exact e = { .bytes = kin__alloc(document.len) };
    ASSERT_TRUE(e.bytes != NULL);
    memcpy(e.bytes, document.data, document.len);
    e.root = kin__json_of(kin__str(e.bytes, document.len));
    return e;
}

/* The text of what is found at `path`; valid until the next call. */
static const char *text_at(const char *document, const char *path)
{
    static text out;
    exact e = exact_of(kin_str_of(document));
    kin_str got = kin__json_text(at_path(e.root, path));

    text_clear(&out);
    text_append(&out, "%.*s", KIN_STR_ARG(got));
    kin__free(e.bytes);
    return out.chars;
}

/* "a.0.b": members by name, elements by a digit. */
static kin__json at_path(kin__json value, const char *path)
{
    while (*path != '\0') {
        size_t len = strcspn(path, ".");
        bool is_index = *path >= '0' && *path <= '9';
        value = is_index ? kin__json_element(value, (size_t) (*path - '0'))
                         : kin__json_member(value, kin__str(path, len));
        path += path[len] == '.' ? len + 1 : len;
    }
    return value;
}

static void describe(const char *document, text *out)
{
    kin__json_iter iter = kin__json_walk(kin__json_of(kin_str_of(document)));

    while (kin__json_next(&iter)) {
        kin_str got = kin__json_text(iter.value);
        text_append(out, "%.*s=%.*s ", KIN_STR_ARG(iter.key), KIN_STR_ARG(got));
    }
    text_append(out, ". ");
}

/* ---- the plain reader: only for valid documents ---------------------------------------- */

/* Checks all that the cursor says of the value and those below it; returns its end. */
static const char *check(kin__json value, size_t depth)
{
    static const char scalar_bytes[] = "+-.0123456789Eaeflnrstu";
    const char *after = value.at;

    if (*after == '"') {
        after = end_of_string(after + 1) + 1;
        kin_str raw = kin__json_raw_string(value);
        ASSERT_TRUE(raw.data == value.at + 1);
        ASSERT_TRUE(raw.data + raw.len == after - 1);
    } else if (*after == '{' || *after == '[') {
        after = check_container(value, depth);
    } else {
        while (after != value.end && strchr(scalar_bytes, *after) != NULL) {
            after++;
        }
    }
    ASSERT_TRUE(kin__json_skip(value) == after);
    kin_str got = kin__json_text(value);
    ASSERT_TRUE(got.data == value.at);
    ASSERT_EQ(got.len, (size_t) (after - value.at));
    return after;
}

static const char *check_container(kin__json value, size_t depth)
{
    kin__json_iter members[MEMBERS_MAX];
    size_t count = 0;
    kin__json_iter iter = kin__json_walk(value);
    const char *at = after_space(value.at + 1);

    ASSERT_EQ(iter.is_object, *value.at == '{');
    while (*at != '}' && *at != ']') {
        ASSERT_TRUE(count < MEMBERS_MAX);
        ASSERT_TRUE(kin__json_next(&iter));
        at = iter.is_object ? check_key(&iter, at) : at;
        ASSERT_TRUE(iter.value.at == at);
        ASSERT_TRUE(iter.value.end == value.end);
        members[count++] = iter;
        const char *after = check(iter.value, depth + 1);
        if ((count + depth) % 2 == 0) {
            iter.next = after;
        }
        at = after_space(after);
        at = *at == ',' ? after_space(at + 1) : at;
    }
    ASSERT_FALSE(kin__json_next(&iter));
    ASSERT_TRUE(iter.next == at + 1);
    check_lookups(value, members, count);
    return at + 1;
}

/* Returns where the value begins. */
static const char *check_key(const kin__json_iter *iter, const char *at)
{
    const char *quote = end_of_string(at + 1);

    ASSERT_EQ(*at, '"');
    ASSERT_TRUE(iter->key.data == at + 1);
    ASSERT_TRUE(iter->key.data + iter->key.len == quote);
    ASSERT_FALSE(iter->is_plain_key && kin__json_has_escapes(iter->key));
    at = after_space(quote + 1);
    ASSERT_EQ(*at, ':');
    return after_space(at + 1);
}

static void check_lookups(kin__json value, const kin__json_iter *members, size_t count)
{
    char name[DOCUMENT_MAX];

    for (size_t i = 0; i < count; i++) {
        if (*value.at == '[') {
            ASSERT_TRUE(kin__json_element(value, i).at == members[i].value.at);
            continue;
        }
        const char *last = NULL;
        for (size_t k = 0; k < count; k++) {
            bool is_same = kin__json_strings_equal(members[i].key, members[k].key);
            last = is_same ? members[k].value.at : last;
        }
        size_t len = kin__json_decode(members[i].key, name);
        ASSERT_TRUE(kin__json_member(value, kin__str(name, len)).at == last);
    }
    ASSERT_TRUE(kin__json_element(value, *value.at == '[' ? count : 0).at == NULL);
    ASSERT_TRUE(kin__json_member(value, STR("not there")).at == NULL);
}

static const char *end_of_string(const char *at)
{
    while (*at != '"') {
        at += *at == '\\' ? 2 : 1;
    }
    return at;
}

static const char *after_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* ---- any bytes --------------------------------------------------------------------------- */

/* Asks everything of everything that is there; returns how many values that were. */
static size_t visit(kin__json value, int depth)
{
    kin_type type = kin__json_type(value);
    const char *after = kin__json_skip(value);
    if (type == KIN_TYPE_MISSING) {
        ASSERT_TRUE(after == value.at);
        return 1;
    }
    ASSERT_TRUE(after > value.at && after <= value.end);
    kin_str got = kin__json_text(value);
    kin_str raw = kin__json_raw_string(value);
    ASSERT_TRUE(got.data + got.len == after);
    ASSERT_TRUE(raw.len < got.len || (raw.len == 0 && raw.data == NULL) || after == value.end);
    kin__json found = kin__json_member(value, STR("a"));
    ASSERT_TRUE(found.at == NULL || (found.at > value.at && found.at < found.end));
    found = kin__json_element(value, 2);
    ASSERT_TRUE(found.at == NULL || (found.at > value.at && found.at < found.end));

    size_t count = 1;
    kin__json_iter iter = kin__json_walk(value);
    while (kin__json_next(&iter)) {
        ASSERT_TRUE(iter.value.at > value.at && iter.value.at < value.end);
        if (depth < 4) {
            count += visit(iter.value, depth + 1);
        }
    }
    ASSERT_TRUE(iter.next == NULL || (iter.next > value.at && iter.next <= value.end));
    return count;
}

/* ---- random documents -------------------------------------------------------------------- */

static void generate(generator *g, int depth)
{
    static const char *const scalars[] = { "true", "false", "null", "0", "-12.5e+3", "1234567890" };
    size_t kind = random_below(&g->random, depth > 5 || g->len > DOCUMENT_MAX / 8 ? 3 : 7);

    if (kind == 0) {
        put(g, scalars[random_below(&g->random, sizeof scalars / sizeof scalars[0])]);
    } else if (kind <= 2) {
        generate_string(g);
    } else {
        generate_container(g, depth);
    }
}

static void generate_container(generator *g, int depth)
{
    bool is_object = random_below(&g->random, 2) == 0;

    put(g, is_object ? "{" : "[");
    put_space(g);
    for (size_t i = random_below(&g->random, 6); i > 0; i--) {
        if (is_object) {
            generate_string(g);
            put_space(g);
            put(g, ":");
            put_space(g);
        }
        generate(g, depth + 1);
        put_space(g);
        put(g, i > 1 ? "," : "");
        put_space(g);
    }
    put(g, is_object ? "}" : "]");
}

/* Often the same few, in different spellings; sometimes long. */
static void generate_string(generator *g)
{
    static const char *const pieces[] = { "a",  "\\u0061",  "b",    "\\\\", "\\\"",
                                          "[{", "}],:",     "/",    "\\/",  "0123456789",
                                          "é",  "\\u00e9 ", "\\n ", "",     "" };
    size_t count = random_below(&g->random, 8) == 0 ? random_below(&g->random, 30) : 2;

    put(g, "\"");
    for (; count > 0; count--) {
        put(g, pieces[random_below(&g->random, sizeof pieces / sizeof pieces[0])]);
    }
    put(g, "\"");
}

static void put(generator *g, const char *bytes)
{
    size_t len = strlen(bytes);
    ASSERT_TRUE(g->len + len <= sizeof g->bytes);
    memcpy(g->bytes + g->len, bytes, len);
    g->len += len;
}

static void put_space(generator *g)
{
    static const char *const spaces[] = { "", "", "", "", " ", "\n  ", "\t\r" };
    put(g, spaces[random_below(&g->random, sizeof spaces / sizeof spaces[0])]);
}
