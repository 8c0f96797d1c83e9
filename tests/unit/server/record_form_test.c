/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_form_test.c - the forms that a record keeps.
 */
#include "server/record_form.h"

#include <string.h>

#include "base/str.h"
#include "server/codec.h"
#include "support/test.h"
#include "unit/proto/released.h"

#define STORED                                                                                     \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"    \
    "\"n\",\"resourceVersion\":\"9\"},\"data\":{\"k\":\"v\"}}"

static const kin__form json = { .encoding = KIN__FORM_JSON };
static const kin__form proto = { .encoding = KIN__FORM_PROTO };
static const kin__form partial = { .encoding = KIN__FORM_JSON, .shape = KIN__SHAPE_PARTIAL };

static kin__served config_maps(void)
{
    return (kin__served){ .api_version = STR("v1"),
                          .kind = STR("ConfigMap"),
                          .is_stored = true,
                          .message = kin__pb_message_of(STR("v1"), STR("ConfigMap")) };
}

static kin__record *record_of(const char *stored)
{
    kin_object *object = NULL;
    kin__record *record = NULL;
    kin_error err;

    ASSERT_OK(kin_object_from_json(stored, strlen(stored), NULL, &object, &err));
    ASSERT_OK(kin__record_new(object, 0, 9, &record, &err));
    return record;
}

TEST(record_form, is_the_text_itself_in_json)
{
    kin__served served = config_maps();
    kin__record *record = record_of(STORED);
    kin_str form;

    ASSERT_TRUE(kin__record_form(record, &served, &json, &form));
    ASSERT_SLICE_EQ(form, STORED);
    ASSERT_TRUE(form.data == kin__record_text(record).data);
    kin__record_unref(record);
}

TEST(record_form, is_made_once)
{
    kin__served served = config_maps();
    kin__record *record = record_of(STORED);
    kin_str first, second, metadata;

    ASSERT_TRUE(kin__record_form(record, &served, &proto, &first));
    ASSERT_TRUE(kin__record_form(record, &served, &proto, &second));
    ASSERT_TRUE(first.data == second.data && first.len == second.len && first.len > 0);
    ASSERT_TRUE(kin__record_form(record, &served, &partial, &metadata));
    ASSERT_SLICE_EQ(metadata,
                    "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                    "\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"9\"}}");
    kin__record_unref(record);
}

TEST(record_form, has_the_fields_of_the_release_that_is_played)
{
    kin__served served = { .api_version = STR("storage.k8s.io/v1"),
                           .kind = STR("CSINode"),
                           .is_stored = true,
                           .message =
                               kin__pb_message_of(STR("storage.k8s.io/v1"), STR("CSINode")) };
    kin__record *record = record_of("{\"kind\":\"CSINode\",\"apiVersion\":\"storage.k8s.io/v1\","
                                    "\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"9\"},"
                                    "\"spec\":{\"drivers\":[]}}");
    kin_str message;

    ASSERT_TRUE(kin__record_form(record, &served, &proto, &message));
    ASSERT_TRUE(assert_message_released(served.message, message, KIN__CODEC_RELEASE) > 0);
    kin__record_unref(record);
}

TEST(record_form, can_be_larger_than_it_is)
{
    kin__record *record = record_of(STORED);
    kin__record *larger = kin__record_enlarged(record, 4);

    ASSERT_SLICE_EQ(kin__record_text(larger),
                    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                    "\"namespace\":\"n\",\"resourceVersion\":\"9\",\"annotations\":{"
                    "\"kin.test/oversize\":\"xxxx\"}},\"data\":{\"k\":\"v\"}}");
    ASSERT_EQ(larger->revision, record->revision);
    ASSERT_EQ(larger->head_len, record->head_len);
    kin__record_unref(larger);
    kin__record_unref(record);
}

TEST_FAILING_ALLOC(record_form, is_not_made_without_memory)
{
    kin__served served = config_maps();
    kin_object *object = NULL;
    kin__record *record = NULL;
    kin__record *larger = NULL;
    kin_error err;
    kin_str form;

    kin_err code = kin_object_from_json(STORED, strlen(STORED), NULL, &object, &err);
    if (code == KIN_OK && (code = kin__record_new(object, 0, 9, &record, &err)) != KIN_OK) {
        kin_object_unref(object);
    }
    if (code == KIN_OK && (!kin__record_form(record, &served, &proto, &form) ||
                           !kin__record_form(record, &served, &partial, &form) ||
                           (larger = kin__record_enlarged(record, 4)) == NULL)) {
        code = KIN_ERR_NO_MEMORY;
    }
    kin__record_unref(larger);
    kin__record_unref(record);
    return code;
}
