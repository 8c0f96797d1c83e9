/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series_test.c - what was told, as a key and as an Event.
 */
#include "controller/series.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "support/test.h"

static kin__told told_of(const char *ns, const char *name)
{
    kin__told told = { .severity = KIN_SEVERITY_NORMAL };

    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_API_VERSION] = STR("v1");
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_KIND] = STR("Pod");
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAMESPACE] = kin_str_of(ns);
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin_str_of(name);
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_UID] = STR("u-1");
    told.texts[KIN__TOLD_REASON] = STR("Made");
    told.texts[KIN__TOLD_ACTION] = STR("Make");
    told.note = STR("made it");
    return told;
}

static kin__event_series *series_of(const kin__told *told)
{
    AUTO(kin__buf_fini) kin__buf key = { 0 };
    size_t object_len = 0;

    ASSERT_TRUE(kin__told_key(told, &key, &object_len));
    kin__event_series *series = kin__series_new(told, kin__str(key.data, key.len), object_len);
    ASSERT_TRUE(series != NULL);
    series->serial = 0x18a;
    series->first = (kin_time){ 1767225600, 123456789 };
    series->last = series->last_sent = (kin_time){ 1767225601, 5000 };
    series->count_sent = 1;
    return series;
}

static bool have_one_key(const kin__told *a, const kin__told *b)
{
    AUTO(kin__buf_fini) kin__buf key_a = { 0 };
    AUTO(kin__buf_fini) kin__buf key_b = { 0 };
    size_t len;

    ASSERT_TRUE(kin__told_key(a, &key_a, &len));
    ASSERT_TRUE(kin__told_key(b, &key_b, &len));
    return kin__str_equal(kin__str(key_a.data, key_a.len), kin__str(key_b.data, key_b.len));
}

static void expect_name(const char *object, size_t len, const char *want)
{
    char name[KIN__SERIES_NAME_MAX + 1];
    kin__told told = told_of("shop", "");

    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin__str(object, len);
    kin__event_series *series = series_of(&told);
    kin__series_name(series, name);
    ASSERT_STR_EQ(name, want);
    kin__free(series);
}

TEST(series, is_the_same_whatever_its_note_says)
{
    kin__told a = told_of("shop", "web");
    kin__told b = told_of("shop", "web");

    b.note = STR("another");
    ASSERT_TRUE(have_one_key(&a, &b));
}

TEST(series, is_another_when_anything_else_differs)
{
    kin__told a = told_of("shop", "web");

    for (size_t i = 0; i < KIN__TOLD_TEXTS; i++) {
        kin__told b = a;
        b.texts[i] = STR("other");
        ASSERT_FALSE(have_one_key(&a, &b));
    }
    kin__told warning = a;
    warning.severity = KIN_SEVERITY_WARNING;
    ASSERT_FALSE(have_one_key(&a, &warning));
}

TEST(series, is_another_though_its_texts_in_a_row_are_the_same)
{
    kin__told a = told_of("ab", "c");
    kin__told b = told_of("a", "bc");
    kin__told c = told_of("", "abc");

    ASSERT_FALSE(have_one_key(&a, &b));
    ASSERT_FALSE(have_one_key(&b, &c));
}

TEST(series, has_no_key_when_names_are_too_long)
{
    static char name[KIN__TOLD_KEY_MAX];
    AUTO(kin__buf_fini) kin__buf key = { 0 };
    kin__told told = told_of("shop", "");
    size_t len;

    memset(name, 'a', sizeof name);
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin__str(name, 4000);
    ASSERT_TRUE(kin__told_key(&told, &key, &len));
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin__str(name, sizeof name);
    ASSERT_FALSE(kin__told_key(&told, &key, &len));
    ASSERT_FALSE(kin__buf_failed(&key));
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = STR("web");
    told.texts[KIN__TOLD_ACTION] = (kin_str){ name, SIZE_MAX - 20 };
    ASSERT_FALSE(kin__told_key(&told, &key, &len));
}

TEST(series, gives_back_what_was_told)
{
    kin__told told = told_of("shop", "web");
    kin__told back = { 0 };

    told.severity = KIN_SEVERITY_WARNING;
    told.texts[KIN__TOLD_RELATED + KIN__TOLD_NAME] = STR("n\0ode");
    kin__event_series *series = series_of(&told);
    kin__series_told(series, &back);
    for (size_t i = 0; i < KIN__TOLD_TEXTS; i++) {
        ASSERT_TRUE(kin__str_equal(back.texts[i], told.texts[i]));
    }
    ASSERT_SLICE_EQ(back.note, "made it");
    ASSERT_EQ(back.severity, KIN_SEVERITY_WARNING);
    kin__free(series);
}

TEST(series, is_called_after_its_object)
{
    expect_name("web-0", 5, "web-0.18a");
    expect_name("a.b-c.d", 7, "a.b-c.d.18a");
}

TEST(series, has_a_valid_name_whatever_its_object_is_called)
{
    expect_name("system:node", 11, "system.18a");
    expect_name("web-", 4, "web.18a");
    expect_name("a..b", 4, "a.18a");
    expect_name("a.-b", 4, "a.18a");
    expect_name("a-.b", 4, "a.18a");
    expect_name("-a", 2, "event.18a");
    expect_name(".a", 2, "event.18a");
    expect_name("Web", 3, "event.18a");
    expect_name("", 0, "event.18a");
    expect_name("\xc3\xbc\0x", 4, "event.18a");
}

TEST(series, has_a_name_of_253_bytes_at_most)
{
    char object[300];
    char name[KIN__SERIES_NAME_MAX + 1];
    kin__told told = told_of("shop", "");

    memset(object, 'a', sizeof object);
    object[235] = '.';
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_NAME] = kin__str(object, 253);
    kin__event_series *series = series_of(&told);
    series->serial = UINT64_MAX;
    kin__series_name(series, name);
    ASSERT_EQ(strlen(name), 235 + 17);
    object[235] = 'a';
    kin__free(series);
    series = series_of(&told);
    series->serial = UINT64_MAX;
    kin__series_name(series, name);
    ASSERT_EQ(strlen(name), 253);
    ASSERT_STR_EQ(name + 236, ".ffffffffffffffff");
    kin__free(series);
}

TEST(series, is_written_as_an_event)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__told told = told_of("shop", "web");
    kin__event_series *series = series_of(&told);

    kin__series_write_event(series, STR("example.com/foo"), STR("foo-1"), &out);
    ASSERT_SLICE_EQ(
        kin__str(out.data, out.len),
        "{\"apiVersion\":\"events.k8s.io/"
        "v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"web.18a\","
        "\"namespace\":\"shop\"},\"eventTime\":\"2026-01-01T00:00:00.123456Z\","
        "\"reportingController\":\"example.com/foo\",\"reportingInstance\":\"foo-1\","
        "\"action\":\"Make\",\"reason\":\"Made\",\"regarding\":{\"apiVersion\":\"v1\",\"kind\":"
        "\"Pod\",\"namespace\":\"shop\",\"name\":\"web\",\"uid\":\"u-1\"},\"note\":\"made it\","
        "\"type\":\"Normal\"}");
    kin__free(series);
}

TEST(series, is_written_with_all_it_has)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__told told = told_of("", "no\"de");

    told.severity = KIN_SEVERITY_WARNING;
    told.texts[KIN__TOLD_REGARDING + KIN__TOLD_UID] = STR("");
    told.texts[KIN__TOLD_RELATED + KIN__TOLD_KIND] = STR("Zone");
    told.texts[KIN__TOLD_RELATED + KIN__TOLD_NAME] = STR("z\n");
    told.note = STR("");
    kin__event_series *series = series_of(&told);
    series->count_sent = 3;
    kin__series_write_event(series, STR("foo"), STR("foo-1"), &out);
    ASSERT_SLICE_EQ(
        kin__str(out.data, out.len),
        "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"no.18a\","
        "\"namespace\":\"default\"},\"eventTime\":\"2026-01-01T00:00:00.123456Z\","
        "\"reportingController\":\"foo\",\"reportingInstance\":\"foo-1\","
        "\"action\":\"Make\",\"reason\":\"Made\",\"regarding\":{\"apiVersion\":\"v1\",\"kind\":"
        "\"Pod\",\"name\":\"no\\\"de\"},\"related\":{\"kind\":\"Zone\",\"name\":\"z\\u000a\"},"
        "\"note\":\"\",\"type\":\"Warning\",\"series\":{\"count\":3,\"lastObservedTime\":"
        "\"2026-01-01T00:00:01.000005Z\"}}");
    kin__free(series);
}

TEST(series, says_how_often_in_a_patch)
{
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__told told = told_of("shop", "web");
    kin__event_series *series = series_of(&told);

    series->count = 9;
    series->count_sent = 7;
    kin__series_write_patch(series, &out);
    ASSERT_SLICE_EQ(
        kin__str(out.data, out.len),
        "{\"series\":{\"count\":7,\"lastObservedTime\":\"2026-01-01T00:00:01.000005Z\"}}");
    kin__buf_clear(&out);
    series->count_sent = 1ull << 40;
    kin__series_write_patch(series, &out);
    (void) kin__buf_append_byte(&out, '\0');
    ASSERT_CONTAINS(out.data, "\"count\":2147483647,");
    kin__free(series);
}

TEST(series, texts_are_cut_between_characters)
{
    ASSERT_EQ(kin__told_cut(STR("abc"), 3), 3);
    ASSERT_EQ(kin__told_cut(STR("abcd"), 3), 3);
    ASSERT_EQ(kin__told_cut(STR("ab\xc3\xbc"), 3), 2);
    ASSERT_EQ(kin__told_cut(STR("a\xf0\x9f\x90\x9f"), 4), 1);
    ASSERT_EQ(kin__told_cut(STR("a\xf0\x9f\x90\x9f"), 2), 1);
    ASSERT_EQ(kin__told_cut(STR("a\xf0\x9f\x90\x9f"), 5), 5);
    ASSERT_EQ(kin__told_cut(STR("\x80\x80\x80\x80\x80\x80\x80"), 6), 3);
    ASSERT_EQ(kin__told_cut(STR("\xbf\xbf"), 1), 0);
}

TEST_FAILING_ALLOC(series, lack_of_memory_is_told)
{
    AUTO(kin__buf_fini) kin__buf key = { 0 };
    AUTO(kin__buf_fini) kin__buf out = { 0 };
    kin__told told = told_of("shop", "web");
    size_t len = 0;

    if (!kin__told_key(&told, &key, &len)) {
        ASSERT_TRUE(kin__buf_failed(&key));
        return KIN_ERR_NO_MEMORY;
    }
    kin__event_series *series = kin__series_new(&told, kin__str(key.data, key.len), len);
    if (series == NULL) {
        return KIN_ERR_NO_MEMORY;
    }
    kin__series_write_event(series, STR("foo"), STR("foo-1"), &out);
    kin__free(series);
    return kin__buf_failed(&out) ? KIN_ERR_NO_MEMORY : KIN_OK;
}
