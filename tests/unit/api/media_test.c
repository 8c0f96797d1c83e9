/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media_test.c - what a Content-Type says.
 */
#include "api/media.h"

#include "base/str.h"
#include "support/test.h"

TEST(media, knows_the_types_of_an_api_server)
{
    ASSERT_EQ(kin__media_of(STR("application/json")), KIN__MEDIA_JSON);
    ASSERT_EQ(kin__media_of(STR("application/vnd.kubernetes.protobuf")), KIN__MEDIA_PROTOBUF);
    ASSERT_EQ(kin__media_of(STR("text/plain")), KIN__MEDIA_TEXT);
    ASSERT_EQ(kin__media_of(STR("text/html")), KIN__MEDIA_HTML);
    ASSERT_EQ(kin__media_of(STR("application/yaml")), KIN__MEDIA_OTHER);
    ASSERT_EQ(kin__media_of(STR("application/jsonp")), KIN__MEDIA_OTHER);
}

TEST(media, pays_no_regard_to_parameters_and_case)
{
    ASSERT_EQ(kin__media_of(STR("application/vnd.kubernetes.protobuf;stream=watch")),
              KIN__MEDIA_PROTOBUF);
    ASSERT_EQ(kin__media_of(STR(" Application/JSON ; charset=utf-8")), KIN__MEDIA_JSON);
    ASSERT_EQ(kin__media_of(STR("text/plain; charset=utf-8")), KIN__MEDIA_TEXT);
}

TEST(media, is_none_when_nothing_is_said)
{
    ASSERT_EQ(kin__media_of(kin__str(NULL, 0)), KIN__MEDIA_NONE);
    ASSERT_EQ(kin__media_of(STR("  ")), KIN__MEDIA_NONE);
    ASSERT_EQ(kin__media_of(STR(";charset=utf-8")), KIN__MEDIA_NONE);
}
