/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_test.c - reading paths, and writing them.
 */
#include "object/path.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "support/allocator.h"
#include "support/test.h"

/* A path made of `count` times `piece`, after `first`. */
static void repeat(text *t, const char *first, const char *piece, size_t count)
{
    text_append(t, "%s", first);
    for (size_t i = 0; i < count; i++) {
        text_append(t, "%s", piece);
    }
}

/* The steps, one to a word: m:name, e:index, f:name=literal or f:name!literal, each. */
static const char *shown(const kin__step *steps, size_t count)
{
    static text t;
    text_clear(&t);
    for (size_t i = 0; i < count; i++) {
        const kin__step *step = &steps[i];
        text_append(&t, i == 0 ? "" : " ");
        switch (step->kind) {
        case KIN__STEP_MEMBER:
            text_append(&t, "m:%.*s", KIN_STR_ARG(step->name));
            break;
        case KIN__STEP_ELEMENT:
            text_append(&t, "e:%" PRId64, step->index);
            break;
        case KIN__STEP_FILTER:
            text_append(&t, "f:%.*s%c%s:%.*s", KIN_STR_ARG(step->name), step->is_not ? '!' : '=',
                        kin_type_name(step->literal_type), KIN_STR_ARG(step->literal));
            break;
        case KIN__STEP_EACH:
            text_append(&t, "each");
            break;
        }
    }
    return t.chars;
}

/* Both ways to read a path give the same steps. */
static void check_steps(const char *chars, const char *want)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    kin__path_parsed parsed;
    kin_error err;

    ASSERT_OK(kin_path_new(chars, &path, &err));
    ASSERT_STR_EQ(shown(path->steps, path->count), want);
    ASSERT_OK(kin__path_parse(chars, &parsed, &err));
    ASSERT_STR_EQ(shown(parsed.steps, parsed.count), want);
}

static void check_text(const char *chars, const char *want)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    AUTO(kin_path_free) kin_path *again = NULL;

    ASSERT_OK(kin_path_new(chars, &path, NULL));
    ASSERT_STR_EQ(kin_path_text(path), want);

    ASSERT_OK(kin_path_new(want, &again, NULL));
    ASSERT_STR_EQ(kin_path_text(again), want);
    text first = { 0 };
    text_append(&first, "%s", shown(path->steps, path->count));
    ASSERT_STR_EQ(shown(again->steps, again->count), first.chars);
}

/* Both ways to read a path fail alike. */
static void check_fails(const char *chars, kin_err code, const char *message)
{
    kin_path *path = NULL;
    kin__path_parsed parsed;
    kin_error err;

    ASSERT_ERR(kin_path_new(chars, &path, &err), code);
    ASSERT_MESSAGE(&err, message);
    ASSERT_TRUE(path == NULL);
    ASSERT_ERR(kin__path_parse(chars, &parsed, &err), code);
    ASSERT_MESSAGE(&err, message);
}

#define MALFORMED(chars, message) check_fails(chars, KIN_ERR_MALFORMED, message)

TEST(path, is_made_of_members)
{
    check_steps("spec", "m:spec");
    check_steps("spec.nodeName", "m:spec m:nodeName");
    check_steps("a.b_c.d-e.$f.0.G9", "m:a m:b_c m:d-e m:$f m:0 m:G9");
    check_steps("spec.größe.名前", "m:spec m:größe m:名前");
}

TEST(path, may_be_empty)
{
    check_steps("", "");
    check_text("", "");
}

TEST(path, has_elements_counted_from_either_end)
{
    check_steps("spec.containers[0].image", "m:spec m:containers e:0 m:image");
    check_steps("a[-1]", "m:a e:-1");
    check_steps("[7][12]", "e:7 e:12");
    check_steps("[9223372036854775807]", "e:9223372036854775807");
    check_steps("[-9223372036854775808]", "e:-9223372036854775808");
}

TEST(path, has_names_of_any_kind_in_quotes)
{
    check_steps("metadata.labels[\"app.kubernetes.io/name\"]",
                "m:metadata m:labels m:app.kubernetes.io/name");
    check_steps("[\"a b\"][\"]\"].c", "m:a b m:] m:c");
    check_steps("[\"\"]", "m:");
}

TEST(path, has_escapes_of_json_in_quotes)
{
    check_steps("[\"\\\"\\\\\\/\\u00e9\\ud83d\\ude00\"]", "m:\"\\/é😀");
    check_steps("[\"\\b\\f\\n\\r\\t\"]", "m:\b\f\n\r\t");
    check_steps("[?a==\"x\\\"y\"].b[\"\\u0041\"]", "f:a=string:x\"y m:b m:A");
}

TEST(path, may_have_a_nul_character_in_a_name)
{
    AUTO(kin_path_free) kin_path *path = NULL;

    ASSERT_OK(kin_path_new("[\"a\\u0000b\"]", &path, NULL));

    ASSERT_EQ(path->steps[0].name.len, 3u);
    ASSERT_EQ(memcmp(path->steps[0].name.data, "a\0b", 3), 0);
    ASSERT_STR_EQ(kin_path_text(path), "[\"a\\u0000b\"]");
}

TEST(path, has_filters_with_every_kind_of_literal)
{
    check_steps("status.conditions[?type==\"Ready\"].status",
                "m:status m:conditions f:type=string:Ready m:status");
    check_steps("[?a!=\"\"]", "f:a!string:");
    check_steps("[?a==12]", "f:a=number:12");
    check_steps("[?a==-0.5e+10]", "f:a=number:-0.5e+10");
    check_steps("[?a==0]", "f:a=number:0");
    check_steps("[?a==true]", "f:a=bool:true");
    check_steps("[?a!=false]", "f:a!bool:false");
    check_steps("[?a==null]", "f:a=null:null");
    check_steps("[?größe==1]", "f:größe=number:1");
}

TEST(path, has_a_step_for_each_element)
{
    check_steps("status.podIPs[*].ip", "m:status m:podIPs each m:ip");
    check_steps("[*][*]", "each each");
}

TEST(path, has_a_canonical_text)
{
    check_text("spec.containers[0].image", "spec.containers[0].image");
    check_text("[\"spec\"][\"nodeName\"]", "spec.nodeName");
    check_text("a[\"b.c\"].d", "a[\"b.c\"].d");
    check_text("a[\"\\u0062\\/\"]", "a[\"b/\"]");
    check_text("[\"\\u540d\"]", "名");
    check_text("[\"<&>\"]", "[\"\\u003c\\u0026\\u003e\"]");
    check_text("[\"\"]", "[\"\"]");
    check_text("[*][-2]", "[*][-2]");
    check_text("a[?type==\"Rea\\u0064y\"].b", "a[?type==\"Ready\"].b");
    check_text("a[?n!=1.50]", "a[?n!=1.50]");
    check_text("a[?n==null][?m==true]", "a[?n==null][?m==true]");
}

/* A name may look like the end of another kind of step. */
TEST(path, keeps_its_meaning_in_its_canonical_text)
{
    check_text("[\"*\"][\"0\"][\"?a==1\"]", "[\"*\"].0[\"?a==1\"]");
    check_text("a[\"0\"][0]", "a.0[0]");
}

TEST(path, says_what_it_expected_and_where)
{
    MALFORMED("spec..x", "read path \"spec..x\": expected a member name at byte 5");
    MALFORMED(".spec", "read path \".spec\": expected a member name at byte 0");
    MALFORMED("spec.", "read path \"spec.\": expected a member name at byte 5");
    MALFORMED("spec.[0]", "read path \"spec.[0]\": expected a member name at byte 5");
    MALFORMED("a b", "read path \"a b\": expected '.' or '[' at byte 1");
    MALFORMED("a[0]b", "read path \"a[0]b\": expected '.' or '[' at byte 4");
    MALFORMED("a]", "read path \"a]\": expected '.' or '[' at byte 1");
    MALFORMED("a[", "read path \"a[\": expected a number, a name in quotes, '*' or '?' at byte 2");
    MALFORMED("a[x]",
              "read path \"a[x]\": expected a number, a name in quotes, '*' or '?' at byte 2");
    MALFORMED("a['x']",
              "read path \"a['x']\": expected a number, a name in quotes, '*' or '?' at byte 2");
    MALFORMED("a[0", "read path \"a[0\": expected ']' at byte 3");
    MALFORMED("a[*x]", "read path \"a[*x]\": expected ']' at byte 3");
    MALFORMED("a[1.5]", "read path \"a[1.5]\": expected ']' at byte 3");
    MALFORMED("[\"\\ud800\"]", "read path \"[\"\\ud800\"]\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\ud800\\u0041\"]",
              "read path \"[\"\\ud800\\u0041\"]\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\udc00\"]", "read path \"[\"\\udc00\"]\": expected an escape of JSON at byte 2");
    MALFORMED("a[\"x\"", "read path \"a[\"x\"\": expected ']' at byte 5");
}

TEST(path, refuses_numbers_that_are_no_element)
{
    MALFORMED("a[-]",
              "read path \"a[-]\": expected a number, a name in quotes, '*' or '?' at byte 2");
    MALFORMED("a[-0]", "read path \"a[-0]\": expected the number of an element at byte 2");
    MALFORMED("a[01]", "read path \"a[01]\": expected the number of an element at byte 2");
    MALFORMED("a[+1]",
              "read path \"a[+1]\": expected a number, a name in quotes, '*' or '?' at byte 2");
    MALFORMED("a[9223372036854775808]",
              "read path \"a[9223372036854775808]\": expected the number of an element at byte 2");
    MALFORMED("a[-9223372036854775809]",
              "read path \"a[-9223372036854775809]\": expected the number of an element at byte 2");
}

TEST(path, refuses_strings_that_json_would_refuse)
{
    MALFORMED("[\"a", "read path \"[\"a\": expected '\"' at byte 3");
    MALFORMED("[\"a\tb\"]", "read path \"[\"a?b\"]\": expected no control character at byte 3");
    MALFORMED("[\"\\x\"]", "read path \"[\"\\x\"]\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\u12g4\"]", "read path \"[\"\\u12g4\"]\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\u123g\"]", "read path \"[\"\\u123g\"]\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\u12", "read path \"[\"\\u12\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\", "read path \"[\"\\\": expected an escape of JSON at byte 2");
    MALFORMED("[\"\\\"", "read path \"[\"\\\"\": expected '\"' at byte 4");
}

TEST(path, refuses_filters_of_another_form)
{
    MALFORMED("[?]", "read path \"[?]\": expected a member name at byte 2");
    MALFORMED("[?\"a\"==1]", "read path \"[?\"a\"==1]\": expected a member name at byte 2");
    MALFORMED("[?a.b==1]", "read path \"[?a.b==1]\": expected '==' or '!=' at byte 3");
    MALFORMED("[?a]", "read path \"[?a]\": expected '==' or '!=' at byte 3");
    MALFORMED("[?a=1]", "read path \"[?a=1]\": expected '==' or '!=' at byte 3");
    MALFORMED("[?a == 1]", "read path \"[?a == 1]\": expected '==' or '!=' at byte 3");
    MALFORMED("[?a==]",
              "read path \"[?a==]\": expected a string, a number, true, false or null at byte 5");
    MALFORMED(
        "[?a=='x']",
        "read path \"[?a=='x']\": expected a string, a number, true, false or null at byte 5");
    MALFORMED("[?a==[]]",
              "read path \"[?a==[]]\": expected a string, a number, true, false or null at byte 5");
    MALFORMED("[?a==01]", "read path \"[?a==01]\": expected ']' at byte 6");
    MALFORMED("[?a==1.]", "read path \"[?a==1.]\": expected a digit at byte 7");
    MALFORMED("[?a==-]", "read path \"[?a==-]\": expected a digit at byte 6");
    MALFORMED("[?a==1e]", "read path \"[?a==1e]\": expected a digit at byte 7");
    MALFORMED("[?a==tru]", "read path \"[?a==tru]\": expected true at byte 8");
    MALFORMED("[?a==truer]", "read path \"[?a==truer]\": expected ']' at byte 9");
    MALFORMED("[?a==1", "read path \"[?a==1\": expected ']' at byte 6");
    MALFORMED("[?a==",
              "read path \"[?a==\": expected a string, a number, true, false or null at byte 5");
}

TEST(path, refuses_what_is_no_utf8)
{
    MALFORMED("a.\xff", "read path \"a.?\": expected UTF-8 at byte 2");
    MALFORMED("[\"\xc3\"]", "read path \"[\"?\"]\": expected UTF-8 at byte 2");
    MALFORMED("\xed\xa0\x80", "read path \"???\": expected UTF-8 at byte 0");
}

TEST(path, refuses_every_beginning_that_is_unfinished)
{
    static const char whole[] = "[\"\\u0041\"][?a==\"b\"]";
    for (size_t len = 1; len < sizeof whole - 1; len++) {
        char chars[sizeof whole] = "";
        kin_path *path = NULL;
        memcpy(chars, whole, len);
        kin_err code = kin_path_new(chars, &path, NULL);
        kin_path_free(path);
        ASSERT_ERR(code, len == strlen("[\"\\u0041\"]") ? KIN_OK : KIN_ERR_MALFORMED);
    }
}

TEST(path, needs_a_text)
{
    kin_path *path = NULL;
    kin_error err;

    ASSERT_ERR(kin_path_new(NULL, &path, &err), KIN_ERR_USAGE);
    ASSERT_MESSAGE(&err, "read path: there is no text");
}

TEST(path, has_at_most_a_thousand_steps)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    text most = { 0 };
    text more = { 0 };
    kin_error err;
    repeat(&most, "a", ".b", 999);
    repeat(&more, "a", "[0]", 1000);

    ASSERT_OK(kin_path_new(most.chars, &path, NULL));
    ASSERT_EQ(path->count, 1000u);
    ASSERT_STR_EQ(kin_path_text(path), most.chars);

    kin_path *none = NULL;
    ASSERT_ERR(kin_path_new(more.chars, &none, &err), KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "[0]\"...: there are too many steps at byte 3001");
    ASSERT_TRUE(none == NULL);
}

TEST(path, has_fewer_steps_when_it_is_read_as_text)
{
    text most = { 0 };
    text more = { 0 };
    kin__path_parsed parsed;
    kin_error err;
    repeat(&most, "a", ".b", KIN_PATH_TEXT_STEPS - 1);
    repeat(&more, "a", ".b", KIN_PATH_TEXT_STEPS);

    ASSERT_OK(kin__path_parse(most.chars, &parsed, &err));
    ASSERT_EQ(parsed.count, (size_t) KIN_PATH_TEXT_STEPS);
    ASSERT_ERR(kin__path_parse(more.chars, &parsed, &err), KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, ": there are too many steps at byte 65");
}

TEST(path, has_short_escaped_strings_when_it_is_read_as_text)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    text chars = { 0 };
    kin__path_parsed parsed;
    kin_error err;
    repeat(&chars, "[\"\\n", "x", 511);
    text_append(&chars, "\"]");

    ASSERT_ERR(kin__path_parse(chars.chars, &parsed, &err), KIN_ERR_LIMIT);
    ASSERT_CONTAINS(err.message, "\"...: the strings with escapes are too long at byte 516");
    ASSERT_OK(kin_path_new(chars.chars, &path, NULL));
    ASSERT_EQ(path->steps[0].name.len, 512u);
}

/* Escapes take room for as long as they are written; what they decode to is packed. */
TEST(path, has_room_for_many_escaped_strings)
{
    text chars = { 0 };
    text want = { 0 };
    repeat(&chars, "[\"\\u00e9\\u00e9\\u00e9\"]", "[\"\\u00e9\\u00e9\\u00e9\"]", 30);
    repeat(&want, "m:ééé", " m:ééé", 30);

    check_steps(chars.chars, want.chars);
}

TEST(path, borrows_nothing_from_the_text_it_was_made_of)
{
    AUTO(kin_path_free) kin_path *path = NULL;
    char chars[] = "a[\"b.c\"][?d==\"e\"][?f==1]";

    ASSERT_OK(kin_path_new(chars, &path, NULL));
    memset(chars, 'x', sizeof chars - 1);

    ASSERT_STR_EQ(kin_path_text(path), "a[\"b.c\"][?d==\"e\"][?f==1]");
    ASSERT_STR_EQ(shown(path->steps, path->count), "m:a m:b.c f:d=string:e f:f=number:1");
}

TEST(path, is_one_allocation)
{
    long long before = live_blocks();
    AUTO(kin_path_free) kin_path *path = NULL;

    ASSERT_OK(kin_path_new("a[\"b\\n\"].c[?d==\"e\"]", &path, NULL));

    ASSERT_EQ(live_blocks() - before, 1);
}

TEST(path, read_as_text_allocates_nothing)
{
    kin__path_parsed parsed;
    kin_error err;
    test_allocator_plan((alloc_failure){ 0 });

    ASSERT_OK(kin__path_parse("a[\"b\\n\"].c[?d==\"e\"]", &parsed, &err));

    ASSERT_EQ(test_allocator_requests(), 0);
    ASSERT_SLICE_EQ(parsed.steps[1].name, "b\n");
    ASSERT_TRUE(parsed.steps[1].name.data == parsed.strings);
}

TEST(path, may_be_freed_without_being_there)
{
    kin_path_free(NULL);
}

TEST(path, shows_only_the_beginning_of_a_long_text)
{
    text chars = { 0 };
    text want = { 0 };
    kin_path *path = NULL;
    kin_error err;
    repeat(&chars, "x", "ö", 600);
    text_append(&chars, ".");
    repeat(&want, "read path \"x", "ö", 127);
    text_append(&want, "\"...: expected a member name at byte 1202");

    ASSERT_ERR(kin_path_new(chars.chars, &path, &err), KIN_ERR_MALFORMED);

    ASSERT_MESSAGE(&err, want.chars);
}

TEST_FAILING_ALLOC(path, is_not_made_without_memory)
{
    kin_path *path = NULL;
    kin_error err;
    kin_err code = kin_path_new("spec[\"a\\u0062.c\"][?d==\"e\"].f[*][0]", &path, &err);
    if (code != KIN_OK) {
        ASSERT_TRUE(path == NULL);
        ASSERT_MESSAGE(&err, "out of memory");
        return code;
    }
    ASSERT_STR_EQ(kin_path_text(path), "spec[\"ab.c\"][?d==\"e\"].f[*][0]");
    kin_path_free(path);
    return KIN_OK;
}

TEST_FAILING_ALLOC(path, is_not_written_without_memory)
{
    AUTO(kin__buf_fini) kin__buf buf = { 0 };
    kin__path_parsed parsed;
    kin_error err;
    ASSERT_OK(kin__path_parse("spec[\"a b\"][0].c[?d!=null][*]", &parsed, &err));

    if (!kin__path_append_text(parsed.steps, parsed.count, &buf)) {
        return KIN_ERR_NO_MEMORY;
    }
    ASSERT_SLICE_EQ(((kin_str){ buf.data, buf.len }), "spec[\"a b\"][0].c[?d!=null][*]");
    return KIN_OK;
}
