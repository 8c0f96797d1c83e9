/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector_fuzz.c - any text as a selector.
 *
 * The first byte, modulo 3, chooses: 0 for a label selector, 1 for a field selector, 2 for the JSON
 * of a LabelSelector.  What is read must be read again from its canonical text, have the same text
 * then, and match the same objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kin/object.h"
#include "kin/selector.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const samples[] = {
    "{\"metadata\":{\"name\":\"a\"}}",
    "{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"default\",\"labels\":{\"a\":\"b\","
    "\"app\":\"web\",\"tier\":\"db\",\"n\":\"5\",\"a.b/c\":\"\",\"in\":\"notin\"}},"
    "\"spec\":{\"a\":\"b\",\"n\":5,\"f\":1.50,\"t\":true,\"x\":null,\"s\":\"a\\u002c\\u003d\\\\\","
    "\"l\":[\"x\",[1],{\"a\":\"y\"}],\"\":\"\"},\"a\":\"b\"}",
};

#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static kin_object *object_of(const char *json)
{
    kin_object *object = NULL;
    CHECK(kin_object_from_json(json, strlen(json), NULL, &object, NULL) == KIN_OK);
    return object;
}

/* A bit for each sample that the selector matches. */
static unsigned label_matches(const kin_selector *selector)
{
    unsigned bits = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        kin_object *object = object_of(samples[i]);
        bits |= kin_selector_matches(selector, object) ? 1u << i : 0;
        kin_object_unref(object);
    }
    return bits;
}

static unsigned field_matches(const kin_field_selector *selector)
{
    unsigned bits = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        kin_object *object = object_of(samples[i]);
        bits |= kin_field_selector_matches(selector, object) ? 1u << i : 0;
        kin_object_unref(object);
    }
    return bits;
}

static void check_failure(kin_err code, const kin_error *err)
{
    CHECK(code == KIN_ERR_MALFORMED || code == KIN_ERR_LIMIT);
    CHECK(err->code == code && err->message[0] != '\0');
}

static void check_again(const kin_selector *selector)
{
    kin_selector *again = NULL;
    CHECK(kin_selector_parse(kin_selector_text(selector), &again, NULL) == KIN_OK);
    CHECK(strcmp(kin_selector_text(selector), kin_selector_text(again)) == 0);
    CHECK(label_matches(selector) == label_matches(again));
    CHECK(kin_selector_is_everything(selector) == (kin_selector_text(selector)[0] == '\0'));
    kin_selector_free(again);
}

static void check_label_selector(const char *chars)
{
    kin_selector *selector = NULL;
    kin_error err;

    kin_err code = kin_selector_parse(chars, &selector, &err);
    if (code != KIN_OK) {
        check_failure(code, &err);
        return;
    }
    check_again(selector);
    kin_selector_free(selector);
}

/* The text may be anything, so it may be no JSON. */
static void check_value(const char *chars)
{
    static const char first[] = "{\"metadata\":{\"name\":\"a\"},\"s\":";
    kin_selector *selector = NULL;
    kin_object *object = NULL;
    kin_error err;
    size_t size = sizeof first + strlen(chars) + 1;
    char *json = malloc(size);

    CHECK(json != NULL);
    size_t len = (size_t) snprintf(json, size, "%s%s}", first, chars);
    if (kin_object_from_json(json, len, NULL, &object, NULL) == KIN_OK) {
        kin_err code = kin_selector_from_value(kin_object_at(object, "s"), &selector, &err);
        if (code != KIN_OK) {
            check_failure(code, &err);
        } else if (kin_selector_is_nothing(selector)) {
            CHECK(label_matches(selector) == 0);
        } else {
            check_again(selector);
        }
    }
    kin_selector_free(selector);
    kin_object_unref(object);
    free(json);
}

static void check_field_selector(const char *chars)
{
    kin_field_selector *selector = NULL;
    kin_field_selector *again = NULL;
    kin_error err;

    kin_err code = kin_field_selector_parse(chars, &selector, &err);
    if (code != KIN_OK) {
        check_failure(code, &err);
        return;
    }
    CHECK(kin_field_selector_parse(kin_field_selector_text(selector), &again, NULL) == KIN_OK);
    CHECK(strcmp(kin_field_selector_text(selector), kin_field_selector_text(again)) == 0);
    CHECK(field_matches(selector) == field_matches(again));
    kin_field_selector_free(selector);
    kin_field_selector_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *chars = malloc(size);
    CHECK(chars != NULL);
    memcpy(chars, data + 1, size - 1);
    chars[size - 1] = '\0';
    switch (data[0] % 3) {
    case 0:
        check_label_selector(chars);
        break;
    case 1:
        check_field_selector(chars);
        break;
    default:
        check_value(chars);
        break;
    }
    free(chars);
    return 0;
}
