/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scanner_test.c - what is right, what is wrong and where, however the bytes are cut.
 */
#include "json/scanner.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

typedef struct run {
    size_t step;    /* bytes a chunk; 0: all at once */
    uint32_t depth; /* of the index */
    bool allows_many;
    const kin__json_kernel *kernel; /* NULL: the best */
} run;

/* Feeds a copy of each chunk in a block of its exact size, so that a sanitizer sees any other byte
 * that is touched. */
static kin_err feed(kin__json_scanner *scanner, const char *bytes, size_t len, size_t step,
                    kin_error *err)
{
    kin_err code = KIN_OK;

    step = step == 0 ? len + 1 : step;
    for (size_t place = 0; place < len && code == KIN_OK; place += step) {
        size_t size = len - place < step ? len - place : step;
        char *chunk = malloc(size);
        memcpy(chunk, bytes + place, size);
        code = kin__json_scanner_feed(scanner, chunk, size, err);
        free(chunk);
    }
    return code == KIN_OK ? kin__json_scanner_finish(scanner, err) : code;
}

/* "right: 0 3 7" with the places of the index, or the message. */
static const char *scan(const char *bytes, size_t len, run how, text *got)
{
    kin__json_scanner_options options = { .reach = { .depth = how.depth },
                                          .allows_many = how.allows_many,
                                          .kernel = how.kernel };
    kin__json_scanner *scanner = NULL;
    kin_error err;

    text_clear(got);
    ASSERT_OK(kin__json_scanner_new(&options, &scanner, &err));
    if (feed(scanner, bytes, len, how.step, &err) != KIN_OK) {
        text_append(got, "%s", err.message);
    } else {
        const kin__json_index *index = kin__json_scanner_index(scanner);
        text_append(got, "right:");
        for (size_t i = 0; i < index->count && i < 2000; i++) {
            text_append(got, " %u", index->places[i]);
        }
    }
    kin__json_scanner_free(scanner);
    return got->chars;
}

/* The same verdict from every kernel and however the bytes are cut. */
static void expect(const char *bytes, const char *verdict)
{
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    text got = { 0 };

    for (size_t k = 0; k < count; k++) {
        for (size_t step = 0; step < 70; step += step < 9 ? 1 : 11) {
            run how = { .step = step, .kernel = all[k] };
            ASSERT_STR_EQ(scan(bytes, strlen(bytes), how, &got), verdict);
        }
    }
}

TEST(scanner, takes_every_kind_of_value)
{
    expect("{}", "right: 0 1");
    expect(" [ ] \n", "right: 1 3");
    expect("\"\"", "right: 0");
    expect("0", "right: 0");
    expect("-12.5e+3 ", "right: 0");
    expect("true", "right: 0");
    expect("\tnull\r\n", "right: 1");
    expect("{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u00e9\\ud83d\\ude00\\n\"}", "right: 0 48");
}

TEST(scanner, says_what_is_wrong_and_where)
{
    expect("", "JSON ends at byte 0, expected a value");
    expect("  ", "JSON ends at byte 2, expected a value");
    expect("{", "JSON ends at byte 1, expected a member name or '}'");
    expect("{\"a\"", "JSON ends at byte 4, expected ':'");
    expect("[1,", "JSON ends at byte 3, expected a value");
    expect("\"abc", "JSON ends at byte 4 inside a string");
    expect("\"abc\\", "JSON ends at byte 5 inside a string");
    expect("tru", "JSON ends at byte 3, expected true");
    expect("1.", "JSON ends at byte 2, expected a digit");
    expect("[1.]", "expected a digit, found ']' at byte 3");
    expect("[1 2]", "expected ',' or ']', found '2' at byte 3");
    expect("{\"a\" 1}", "expected ':', found '1' at byte 5");
    expect("{a:1}", "expected a member name or '}', found 'a' at byte 1");
    expect("[1,]", "expected a value, found ']' at byte 3");
    expect("{\"a\":1,}", "expected a member name, found '}' at byte 7");
    expect("[1]]", "expected the end, found ']' at byte 3");
    expect("{}{}", "expected the end, found '{' at byte 2");
    expect("nul", "JSON ends at byte 3, expected null");
    expect("[nulll]", "expected the end of the value, found 'l' at byte 5");
    expect("[0123]", "expected the end of the value, found '1' at byte 2");
    expect("['a']", "expected a value, found ''' at byte 1");
    expect("[\"a\x01\"]", "control character in a string at byte 3");
    expect("[\"\xff\"]", "invalid UTF-8 at byte 2");
    expect("[\"\xe2\x82\"]", "invalid UTF-8 at byte 4");
    expect("[\"\\q\"]", "invalid escape at byte 3");
    expect("[\"\\ud800\"]", "surrogate without its pair at byte 8");
    expect("\xef\xbb\xbf{}", "expected a value, found byte 0xef at byte 0");
    expect("[\"a\"\"b\"]", "expected ',' or ']', found '\"' at byte 4");
    expect("[1\"b\"]", "expected ',' or ']', found '\"' at byte 2");
    expect("[\\n]", "expected a value, found '\\' at byte 1");
    expect("[\x0c]", "expected a value, found byte 0x0c at byte 1");
    expect("[\x1a]", "expected a value, found byte 0x1a at byte 1");
}

/* Two faults in one block: the first one is reported, whichever check finds it. */
TEST(scanner, reports_the_first_fault)
{
    expect("[1 2,\"\x01\"]", "expected ',' or ']', found '2' at byte 3");
    expect("[\"\x01\" 2 3]", "control character in a string at byte 2");
    expect("[\"\\q\",01]", "invalid escape at byte 3");
    expect("[01,\"\\q\"]", "expected the end of the value, found '1' at byte 2");
}

TEST(scanner, refuses_a_byte_zero)
{
    text got = { 0 };

    ASSERT_STR_EQ(scan("[\0]", 3, (run){ 0 }, &got), "expected a value, found byte 0x00 at byte 1");
    ASSERT_STR_EQ(scan("[\"\0\"]", 5, (run){ 0 }, &got), "control character in a string at byte 2");
}

TEST(scanner, notes_tokens_down_to_the_depth_asked_for)
{
    const char *bytes = "{\"a\":[1,{\"b\":[2]}],\"c\":3}";
    text got = { 0 };

    ASSERT_STR_EQ(scan(bytes, strlen(bytes), (run){ .depth = 0 }, &got), "right: 0 24");
    ASSERT_STR_EQ(scan(bytes, strlen(bytes), (run){ .depth = 1 }, &got),
                  "right: 0 1 4 5 17 18 19 22 23 24");
    ASSERT_STR_EQ(scan(bytes, strlen(bytes), (run){ .depth = 2 }, &got),
                  "right: 0 1 4 5 6 7 8 16 17 18 19 22 23 24");
}

/* "metadata" all the way down, of the others only the member itself. */
TEST(scanner, reaches_deeper_into_one_member_only)
{
    const char *bytes =
        "{\"s\":{\"b\":[2]},\"m\":{\"c\":{}},\"mm\":[3],\"\\u006d\":[4],\"x\":\"m\"}";
    kin__json_scanner_options options = {
        .reach = { .depth = 2, .member_depth = 1, .member = { "m", 1 } }
    };
    kin__json_scanner *scanner = NULL;
    kin_error err;
    text got = { 0 };

    ASSERT_OK(kin__json_scanner_new(&options, &scanner, &err));
    ASSERT_OK(feed(scanner, bytes, strlen(bytes), 0, &err));
    const kin__json_index *index = kin__json_scanner_index(scanner);
    for (size_t i = 0; i < index->count; i++) {
        text_append(&got, "%c", bytes[index->places[i]]);
    }
    ASSERT_STR_EQ(got.chars, "{\":{},\":{\":{}},\":[],\":[4],\":\"}");
    kin__json_scanner_free(scanner);
}

TEST(scanner, takes_documents_one_after_another_when_allowed)
{
    text got = { 0 };
    run many = { .allows_many = true };

    ASSERT_STR_EQ(scan("{}\n{\"a\":1}\n", 11, many, &got), "right: 0 1 3 9");
    ASSERT_STR_EQ(scan("", 0, many, &got), "right:");
    ASSERT_STR_EQ(scan("{}\n{", 4, many, &got),
                  "JSON ends at byte 4, expected a member name or '}'");
    ASSERT_STR_EQ(scan("{}]", 3, many, &got), "expected a value or the end, found ']' at byte 2");
}

static char *repeat(const char *unit, size_t count, size_t *len)
{
    size_t unit_len = strlen(unit);
    char *bytes = malloc(count * unit_len + 1);

    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + i * unit_len, unit, unit_len);
    }
    *len = count * unit_len;
    return bytes;
}

TEST(scanner, limits_the_depth)
{
    text got = { 0 };
    size_t len;
    char *bytes = repeat("[", 100000, &len);

    ASSERT_STR_EQ(scan(bytes, len, (run){ 0 }, &got),
                  "JSON is nested deeper than 1000 at byte 1000");
    ASSERT_STR_EQ(scan(bytes, len, (run){ .step = 7 }, &got),
                  "JSON is nested deeper than 1000 at byte 1000");
    memset(bytes + 1000, ']', 1000);
    ASSERT_STR_EQ(scan(bytes, 2000, (run){ 0 }, &got), "right: 0 1999");
    free(bytes);

    bytes = repeat("{\"a\":", 2000, &len);
    ASSERT_STR_EQ(scan(bytes, len, (run){ 0 }, &got),
                  "JSON is nested deeper than 1000 at byte 5000");
    free(bytes);
}

/* Around the places where the containers that are open fill a word of bits, or more than one. */
TEST(scanner, counts_the_levels_at_the_edge_of_a_word)
{
    static text bytes;
    text got = { 0 };

    for (int depth = 56; depth < 136; depth += depth == 72 ? 50 : 1) {
        for (int kind = 0; kind < 3; kind++) {
            text_clear(&bytes);
            for (int i = 0; i < depth; i++) {
                text_append(&bytes, (i + kind) % 3 == 0 ? "[" : "{\"a\":");
            }
            text_append(&bytes, "[{},[[{\"b\":[]}]],%60d]", 7);
            for (int i = depth - 1; i >= 0; i--) {
                text_append(&bytes, (i + kind) % 3 == 0 ? "]" : "}");
            }
            char *blanks = strchr(bytes.chars, ' ');
            memset(blanks, '1', strspn(blanks, " "));
            for (size_t step = 0; step < 200; step += 67) {
                run how = { .step = step };
                ASSERT_CONTAINS(scan(bytes.chars, bytes.len, how, &got), "right: 0 ");
            }
        }
    }
}

TEST(scanner, takes_numbers_and_strings_of_any_length)
{
    text got = { 0 };
    size_t len;
    char *bytes = repeat("1234567890", 100000, &len);

    ASSERT_STR_EQ(scan(bytes, len, (run){ .step = 1000 }, &got), "right: 0");
    bytes[0] = '"';
    bytes[len - 1] = '"';
    ASSERT_STR_EQ(scan(bytes, len, (run){ .step = 1000 }, &got), "right: 0");
    bytes[len - 1] = ' ';
    ASSERT_STR_EQ(scan(bytes, len, (run){ .step = 1000 }, &got),
                  "JSON ends at byte 1000000 inside a string");
    free(bytes);
}

/* A real answer of a server, and the same with one byte changed at a time: whatever the verdict, it
 * does not depend on the kernel or on how the bytes are cut. */
TEST(scanner, gives_one_verdict_on_real_and_damaged_bytes)
{
    static const char damage[] = "\"\\{}[]:,0x \x01\x80";
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    size_t len;
    char *bytes = read_fixture("list-pod-get.json", &len);
    uint64_t random = 11;
    text want = { 0 };
    text got = { 0 };

    for (int round = 0; round < 150; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t place = (size_t) (random >> 33) % len;
        char kept = bytes[place];
        bytes[place] = round == 0 ? kept : damage[(random >> 20) % (sizeof damage - 1)];
        run plain = { .step = 1, .depth = 3, .kernel = all[count - 1] };
        (void) scan(bytes, len, plain, &want);
        for (size_t k = 0; k < count; k++) {
            run how = { .depth = 3, .kernel = all[k] };
            ASSERT_STR_EQ(scan(bytes, len, how, &got), want.chars);
            how.step = 64 + (size_t) (random >> 50) % 500;
            ASSERT_STR_EQ(scan(bytes, len, how, &got), want.chars);
        }
        if (round == 0) {
            ASSERT_CONTAINS(want.chars, "right: 0 1 ");
        }
        bytes[place] = kept;
    }
    free_fixture(bytes);
}

/* Each of these deep inside a compact document, at every place of a block: what stands at the
 * border of two blocks is judged like anything else. */
TEST(scanner, gives_one_verdict_wherever_the_blocks_begin)
{
    static const char *const snippets[] = {
        "1",
        "\"\\n\"",
        "\"\\q\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\u12\"",
        "[1,]",
        "{\"a\":}",
        "{\"a\"}",
        "{\"a\":1,}",
        "[,1]",
        "[1 2]",
        "[ 1, {} ]",
        "{\"a\" : 1}",
        "\"\xc3\xa9\"",
        "\"\xe2\x82\"",
        "\"\xff\"",
        "tru",
        "01",
        "-",
        "{]",
        "[}",
        ",",
        "]",
        "\"a\"\"b\"",
        "1\"b\"",
        "{\"a\":\"b\":1}",
        "[\"a\":1]",
        "{\"a\",1}",
        "{1:1}",
        "\"\x01\"",
        "{\"a\":{}}",
        "[[],{},[{}]]",
        "true,false,null",
        "[1],   ",
        "{} ",
    };
    const kin__json_kernel *all[5];
    size_t count = kin__json_kernel_list(all);
    static text bytes;
    static text want;
    static text got;

    for (size_t i = 0; i < sizeof snippets / sizeof snippets[0]; i++) {
        for (int pad = 64; pad < 130; pad++) { /* the first block has shallow tokens */
            text_clear(&bytes);
            text_append(&bytes, "[[{\"k\":\"%*s\",\"v\":[%s,1,\"%70s\",{\"a\":[2]}]}]]", pad, "",
                        snippets[i], "");
            run plain = { .step = 1, .kernel = all[count - 1] };
            (void) scan(bytes.chars, bytes.len, plain, &want);
            for (size_t k = 0; k < count; k++) {
                run how = { .kernel = all[k] };
                ASSERT_STR_EQ(scan(bytes.chars, bytes.len, how, &got), want.chars);
            }
        }
    }
}

/* In one call, and without an allocation: the test counts none. */
TEST(scanner, checks_a_document_in_one_call)
{
    kin_error err;

    ASSERT_OK(kin__json_check((kin_str){ " {\"a\":[1,\"\\n\"]} ", 15 }, &err));
    ASSERT_ERR(kin__json_check((kin_str){ "{} 1", 4 }, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "expected the end, found '1' at byte 3");
    ASSERT_ERR(kin__json_check((kin_str){ "[1,[2]", 6 }, &err), KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err, "JSON ends at byte 6, expected ',' or ']'");
    ASSERT_EQ(live_blocks(), 0);
}

TEST(scanner, can_be_used_again_after_a_fault)
{
    kin__json_scanner_options options = { .reach = { .depth = 1 } };
    kin__json_scanner *scanner = NULL;
    kin_error err;

    ASSERT_OK(kin__json_scanner_new(&options, &scanner, &err));
    ASSERT_ERR(kin__json_scanner_feed(scanner, "[\"\\ud800\" tr", 12, &err), KIN_ERR_MALFORMED);
    kin__json_scanner_reset(scanner);
    ASSERT_OK(kin__json_scanner_feed(scanner, "[1]", 3, &err));
    ASSERT_OK(kin__json_scanner_finish(scanner, &err));
    ASSERT_EQ(kin__json_scanner_index(scanner)->count, 3);
    kin__json_scanner_free(scanner);
}

typedef struct seen {
    text log;
    kin__json_scanner *scanner;
    uint64_t refuse_at;
} seen;

static kin_err on_token(void *context, char token, uint32_t depth, uint64_t offset, kin_error *err)
{
    seen *s = context;

    text_append(&s->log, "%c%u@%llu ", token, depth, (unsigned long long) offset);
    if (offset == s->refuse_at) {
        err->code = KIN_ERR_USAGE;
        return KIN_ERR_USAGE;
    }
    if (token == '{') {
        kin__json_scanner_mark(s->scanner, offset);
    }
    return KIN_OK;
}

TEST(scanner, tells_the_hook_and_counts_from_its_mark)
{
    const char *bytes = "[1,{\"a\":2}]";
    seen s = { .refuse_at = UINT64_MAX };
    kin__json_scanner_options options = {
        .reach = { .depth = 2 }, .hook_depth = 1, .hook = on_token, .context = &s
    };
    kin_error err;

    ASSERT_OK(kin__json_scanner_new(&options, &s.scanner, &err));
    ASSERT_OK(feed(s.scanner, bytes, strlen(bytes), 1, &err));
    ASSERT_STR_EQ(s.log.chars, "[0@0 11@1 ,1@2 {1@3 }1@9 ]0@10 ");
    const kin__json_index *index = kin__json_scanner_index(s.scanner);
    ASSERT_EQ(index->count, 6);
    ASSERT_EQ(index->places[0], 0);
    ASSERT_EQ(index->places[1], 1);

    kin__json_scanner_reset(s.scanner);
    s.refuse_at = 2;
    ASSERT_ERR(feed(s.scanner, bytes, strlen(bytes), 1, &err), KIN_ERR_USAGE);
    kin__json_scanner_free(s.scanner);
}

/* Skips every array that stands in the document itself. */
static kin_err on_token_skipping(void *context, char token, uint32_t depth, uint64_t offset,
                                 kin_error *err)
{
    seen *s = context;

    (void) err;
    text_append(&s->log, "%c@%llu ", token, (unsigned long long) offset);
    if (token == '[' && depth == 1) {
        kin__json_scanner_skip(s->scanner);
    }
    return KIN_OK;
}

static void expect_skipping(const char *bytes, const char *want)
{
    for (size_t step = 0; step < 70; step++) {
        seen s = { 0 };
        kin__json_scanner_options options = { .hook_depth = 1,
                                              .hook = on_token_skipping,
                                              .context = &s };
        kin_error err;
        ASSERT_OK(kin__json_scanner_new(&options, &s.scanner, &err));
        if (feed(s.scanner, bytes, strlen(bytes), step, &err) != KIN_OK) {
            text_append(&s.log, "%s", err.message);
        }
        ASSERT_STR_EQ(s.log.chars, want);
        kin__json_scanner_free(s.scanner);
    }
}

TEST(scanner, goes_on_at_the_bracket_that_closes_what_it_skips)
{
    expect_skipping("{\"a\":[],\"b\":1}", "{@0 \"@1 :@4 [@5 ]@6 ,@7 \"@8 :@11 1@12 }@13 ");
    expect_skipping("[[1,2],[[3]]]", "[@0 [@1 ]@5 ,@6 [@7 ]@11 ]@12 ");
    expect_skipping("[[tru,\"\\ud800\xff\",],7]", "[@0 [@1 ]@16 ,@17 7@18 ]@19 ");
    expect_skipping("[[\"\\ud800\"],\"\\ud800\"]",
                    "[@0 [@1 ]@10 ,@11 \"@12 surrogate without its pair at byte 19");
    expect_skipping("[[\"]\\\"]\\\\\"],tru]",
                    "[@0 [@1 ]@10 ,@11 t@12 expected true, found ']' at byte 15");
    expect_skipping("[[{}", "[@0 [@1 JSON ends at byte 4, expected ',' or ']'");
    expect_skipping("[[\"]", "[@0 [@1 JSON ends at byte 4 inside a string");
    expect_skipping("[[1}]", "[@0 [@1 expected ',' or ']', found '}' at byte 3");
}

TEST(scanner, forgets_what_it_skips_when_it_is_reset)
{
    seen s = { 0 };
    kin__json_scanner_options options = { .hook_depth = 1,
                                          .hook = on_token_skipping,
                                          .context = &s };
    kin_error err;

    ASSERT_OK(kin__json_scanner_new(&options, &s.scanner, &err));
    ASSERT_OK(kin__json_scanner_feed(s.scanner, "[[[\"", 4, &err));
    kin__json_scanner_reset(s.scanner);
    text_clear(&s.log);
    ASSERT_OK(feed(s.scanner, "[1]", 3, 1, &err));
    ASSERT_STR_EQ(s.log.chars, "[@0 1@1 ]@2 ");
    kin__json_scanner_free(s.scanner);
}

TEST(scanner, counts_bytes_from_where_it_is_told)
{
    kin__json_scanner_options options = { .reach = { .depth = 1 }, .offset = UINT64_C(5000000000) };
    kin__json_scanner *scanner = NULL;
    kin_error err;

    ASSERT_OK(kin__json_scanner_new(&options, &scanner, &err));
    for (int round = 0; round < 2; round++) {
        ASSERT_OK(feed(scanner, "[1]", 3, 2, &err));
        ASSERT_EQ(kin__json_scanner_index(scanner)->count, 3);
        ASSERT_EQ(kin__json_scanner_index(scanner)->places[2], 2);
        kin__json_scanner_reset(scanner);
        ASSERT_ERR(feed(scanner, "[1}", 3, 2, &err), KIN_ERR_MALFORMED);
        ASSERT_CONTAINS(err.message, "at byte 5000000002");
        kin__json_scanner_reset(scanner);
    }
    kin__json_scanner_free(scanner);
}

TEST(scanner, checks_one_document_that_is_there_whole)
{
    static const char *const good[] = { "{}",  " [1, {\"a\":[[]]}] ", "null", "-1.5e3", "\"x\"",
                                        "[[]]" };
    static const char *const bad[] = { "", " ", "{", "{}{}", "[1,]", "nul", "1 2", "\"\xff\"" };
    kin_error err;
    size_t len;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ASSERT_OK(kin__json_check(kin_str_of(good[i]), &err));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_ERR(kin__json_check(kin_str_of(bad[i]), &err), KIN_ERR_MALFORMED);
    }
    char *deep = repeat("[", 1001, &len);
    ASSERT_ERR(kin__json_check((kin_str){ deep, len }, &err), KIN_ERR_LIMIT);
    free(deep);
}

TEST_FAILING_ALLOC(scanner, survives_without_memory)
{
    kin__json_scanner_options options = { .reach = { .depth = 1 } };
    kin__json_scanner *scanner = NULL;
    kin_error err;
    size_t len;
    char *bytes = repeat("[1],", 2000, &len);
    bytes[0] = '[';
    bytes[1] = '[';

    bytes[len - 1] = ']';
    kin_err code = kin__json_scanner_new(&options, &scanner, &err);
    if (code == KIN_OK) {
        code = kin__json_scanner_feed(scanner, bytes, len, &err);
    }
    kin__json_scanner_free(scanner);
    free(bytes);
    return code;
}
