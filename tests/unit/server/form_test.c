/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form_test.c - the form of an answer.
 *
 * What is refused and with what words was seen on kube-apiserver 1.36.3.
 */
#include "server/form.h"

#include "base/str.h"
#include "support/test.h"

#define ALL "application/json, application/yaml, application/vnd.kubernetes.protobuf"
#define META ";g=meta.k8s.io;v=v1"
#define PROTO "application/vnd.kubernetes.protobuf"

static const kin__served pods = { .traits = 0 };
static const kin__served widgets = { .traits = KIN__IS_CUSTOM };
static const kin__params no_params = { 0 };

static kin__form choose(const kin__served *served, const char *accept)
{
    kin__form form = { 0 };
    kin__refusal no = { 0 };

    ASSERT_TRUE(kin__form_choose(served, KIN__DEED_LIST, kin_str_of(accept), STR(""), STR("x/1"),
                                 &no_params, &form, &no));
    return form;
}

static void assert_refused(const kin__served *served, kin__deed deed, const char *accept,
                           const char *message, bool has_details)
{
    kin__form form;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__form_choose(served, deed, kin_str_of(accept), STR(""), STR(""), &no_params,
                                  &form, &no));
    ASSERT_EQ(no.code, 406);
    ASSERT_STR_EQ(no.reason, "NotAcceptable");
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len), message);
    ASSERT_EQ(no.has_details, has_details);
}

TEST(form, is_plain_json_where_nothing_is_asked_for)
{
    kin__form form = choose(&pods, "");

    ASSERT_EQ(form.encoding, KIN__FORM_JSON);
    ASSERT_EQ(form.shape, KIN__SHAPE_PLAIN);
    ASSERT_FALSE(form.is_pretty);
    ASSERT_FALSE(form.wants_gzip);
}

TEST(form, is_protobuf_of_built_in_kinds_alone)
{
    ASSERT_EQ(choose(&pods, PROTO).encoding, KIN__FORM_PROTO);
    ASSERT_EQ(choose(&pods, PROTO ",application/json").encoding, KIN__FORM_PROTO);
    ASSERT_EQ(choose(&widgets, PROTO ",application/json").encoding, KIN__FORM_JSON);
    assert_refused(&widgets, KIN__DEED_LIST, PROTO,
                   "only the following media types are accepted: " ALL, false);
}

TEST(form, of_metadata_is_protobuf_of_all_kinds)
{
    kin__form form = choose(&widgets, PROTO ";as=PartialObjectMetadataList" META);

    ASSERT_EQ(form.encoding, KIN__FORM_PROTO);
    ASSERT_EQ(form.shape, KIN__SHAPE_PARTIAL_LIST);
    ASSERT_EQ(choose(&pods, "*/*;as=PartialObjectMetadata" META).shape, KIN__SHAPE_PARTIAL);
}

TEST(form, of_a_table_is_json)
{
    kin__form form =
        choose(&pods, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;"
                      "v=v1beta1;g=meta.k8s.io,application/json");

    ASSERT_EQ(form.shape, KIN__SHAPE_TABLE);
    ASSERT_FALSE(form.is_v1beta1);
    ASSERT_TRUE(choose(&pods, "application/json;as=Table;v=v1beta1;g=meta.k8s.io").is_v1beta1);
    ASSERT_EQ(choose(&pods, PROTO ";as=Table" META ",application/json").shape, KIN__SHAPE_PLAIN);
    assert_refused(&pods, KIN__DEED_GET, PROTO ";as=Table" META,
                   "only the following media types are accepted: " ALL, false);
}

TEST(form, of_what_is_never_kept_is_no_table)
{
    static const kin__served reviews = { .traits = KIN__IS_VIRTUAL };

    assert_refused(&reviews, KIN__DEED_CREATE, "application/json;as=Table" META,
                   "only the following media types are accepted: " ALL, false);
    ASSERT_EQ(choose(&reviews, "application/json;as=Table" META ",application/json").shape,
              KIN__SHAPE_PLAIN);
    ASSERT_EQ(choose(&reviews, "application/json;as=PartialObjectMetadata" META).shape,
              KIN__SHAPE_PARTIAL);
}

TEST(form, of_an_unknown_type_is_refused_by_the_router)
{
    assert_refused(&pods, KIN__DEED_GET, "application/xml",
                   "406: Not Acceptable\n\nAvailable representations: " ALL, true);
    assert_refused(&pods, KIN__DEED_LIST, "application/xml",
                   "406: Not Acceptable\n\nAvailable representations: " ALL
                   ", application/json;stream=watch, application/vnd.kubernetes.protobuf;"
                   "stream=watch",
                   true);
    assert_refused(&pods, KIN__DEED_CREATE, "application/*",
                   "406: Not Acceptable\n\nAvailable representations: " ALL, true);
    assert_refused(&widgets, KIN__DEED_LIST, "application/xml",
                   "only the following media types are accepted: " ALL, false);
    ASSERT_EQ(choose(&widgets, "application/*").encoding, KIN__FORM_JSON);
}

TEST(form, that_no_kind_has_is_refused)
{
    static const char *const wishes[] = {
        "application/json;as=Foo;g=meta.k8s.io;v=v1",
        "application/json;as=Table;g=meta.k8s.io;v=v2",
        "application/json;as=Table;g=x;v=v1",
        "application/json;v=v1",
        "application/json;g=meta.k8s.io",
        "application/json;stream=foo",
    };

    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        assert_refused(&pods, KIN__DEED_WATCH, wishes[i],
                       "only the following media types are accepted: " ALL, false);
        assert_refused(&widgets, KIN__DEED_WATCH, wishes[i],
                       "only the following media types are accepted: " ALL, false);
    }
    ASSERT_EQ(choose(&pods, "application/json;as=Foo" META ",application/json").shape,
              KIN__SHAPE_PLAIN);
    ASSERT_EQ(choose(&pods, "application/json;sv=v1").shape, KIN__SHAPE_PLAIN);
    ASSERT_EQ(choose(&pods, "application/json;stream=watch").encoding, KIN__FORM_JSON);
}

TEST(form, is_pretty_for_people)
{
    static const struct {
        const char *agent;
        const char *accept;
        kin__tristate pretty;
        bool want;
    } cases[] = {
        { "curl/8", "", KIN__UNSET, true },
        { "Wget/1", "", KIN__UNSET, true },
        { "Mozilla/5.0 (X11)", "", KIN__UNSET, true },
        { "Mozilla/4.0", "", KIN__UNSET, false },
        { "kubectl/1", "", KIN__UNSET, false },
        { "my-curl", "", KIN__UNSET, false },
        { "curl/8", "", KIN__FALSE, false },
        { "kubectl/1", "", KIN__TRUE, true },
        { "kubectl/1", "application/json;pretty=1", KIN__FALSE, true },
        { "kubectl/1", "application/json;pretty=0", KIN__UNSET, false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__params params = { .pretty = cases[i].pretty };
        kin__form form = { 0 };
        kin__refusal no = { 0 };
        kin_str accept = kin_str_of(cases[i].accept);
        kin_str agent = kin_str_of(cases[i].agent);

        ASSERT_TRUE(
            kin__form_choose(&pods, KIN__DEED_GET, accept, STR(""), agent, &params, &form, &no));
        if (form.is_pretty != cases[i].want ||
            kin__form_of_refusal(accept, agent, cases[i].pretty).is_pretty != cases[i].want) {
            FAIL("case %zu", i);
        }
    }
}

TEST(form, is_compressed_for_those_who_say_gzip_and_nothing_else)
{
    static const struct {
        const char *encodings;
        bool want;
    } cases[] = {
        { "", false },
        { "gzip", true },
        { "gzip, deflate, br", true },
        { "br,\tgzip ", true },
        { "gzip;q=1", false },
        { "GZIP", false },
        { "*", false },
        { "x-gzip,gzipped", false },
        { ",", false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kin__form form = { 0 };
        kin__refusal no = { 0 };
        ASSERT_TRUE(kin__form_choose(&pods, KIN__DEED_LIST, STR(""), kin_str_of(cases[i].encodings),
                                     STR(""), &no_params, &form, &no));
        if (form.wants_gzip != cases[i].want) {
            FAIL("\"%s\"", cases[i].encodings);
        }
    }
}

TEST(form, of_an_object_is_no_list_and_of_a_list_no_object)
{
    const kin__served deployments = { .group = STR("apps"), .kind = STR("Deployment") };
    const kin__served events = { .group = STR("events.k8s.io"), .kind = STR("Event") };
    const kin__form partial = { .shape = KIN__SHAPE_PARTIAL };
    const kin__form list = { .shape = KIN__SHAPE_PARTIAL_LIST };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_TRUE(kin__form_check_shape(&partial, &deployments, false, &no));
    ASSERT_TRUE(kin__form_check_shape(&list, &deployments, true, &no));
    ASSERT_FALSE(kin__form_check_shape(&partial, &deployments, true, &no));
    ASSERT_EQ(no.code, 406);
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "you requested PartialObjectMetadata, but the requested object is a list "
                    "(*apps.DeploymentList)");
    ASSERT_FALSE(kin__form_check_shape(&list, &events, false, &no));
    ASSERT_SLICE_EQ(kin__str(no.message.data, no.message.len),
                    "you requested PartialObjectMetadataList, but the requested object is not a "
                    "list (*core.Event)");
    ASSERT_FALSE(kin__form_check_shape(&list, &widgets, false, &no));
    ASSERT_EQ(no.code, 500);
}

TEST(form, of_a_refusal_is_never_transformed)
{
    kin__form plain = kin__form_of_refusal(
        STR("application/json;as=Table" META ",application/json"), STR(""), KIN__UNSET);
    kin__form transformed =
        kin__form_of_refusal(STR("application/json;as=Table" META), STR(""), KIN__FALSE);
    kin__form unknown = kin__form_of_refusal(STR("application/xml"), STR(""), KIN__UNSET);
    kin__form proto = kin__form_of_refusal(STR(PROTO), STR(""), KIN__UNSET);

    ASSERT_FALSE(plain.is_pretty);
    ASSERT_EQ(plain.shape, KIN__SHAPE_PLAIN);
    ASSERT_TRUE(transformed.is_pretty);
    ASSERT_EQ(transformed.encoding, KIN__FORM_JSON);
    ASSERT_TRUE(unknown.is_pretty);
    ASSERT_EQ(proto.encoding, KIN__FORM_PROTO);
}

TEST(form, of_a_path_is_never_refused)
{
    kin__form xml = choose(NULL, "application/xml");
    kin__form proto = choose(NULL, PROTO);

    ASSERT_EQ(xml.encoding, KIN__FORM_JSON);
    ASSERT_EQ(proto.encoding, KIN__FORM_PROTO);
}

TEST_FAILING_ALLOC(form, that_is_refused_without_memory_says_so)
{
    kin__form form;
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    ASSERT_FALSE(kin__form_choose(&pods, KIN__DEED_LIST, STR("application/xml"), STR(""), STR(""),
                                  &no_params, &form, &no));
    ASSERT_EQ(no.has_details, !no.has_no_memory);
    return no.has_no_memory ? KIN_ERR_NO_MEMORY : KIN_OK;
}
