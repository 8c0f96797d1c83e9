/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_decode_test.c - what a body says it is, and what it is.
 */
#include "server/codec_decode.h"

#include "decoding.h"

/* The outcome of a body; to be released. */
static kin_err outcome_of(const char *json, kin__codec_outcome *outcome)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    kin__codec_kind kind = kind_of("autoscaling/v2", "HorizontalPodAutoscaler");
    kin__codec_body body = { .bytes = kin_str_of(json) };
    kin_error err;

    return kin__codec_decode_as(&kind, &body, outcome, &tree, &err);
}

TEST(codec_decode, tells_which_version_the_body_names)
{
    AUTO(kin__codec_outcome_fini) kin__codec_outcome outcome = { 0 };

    ASSERT_OK(outcome_of("{\"apiVersion\":\"autoscaling/v1\",\"x\":1}", &outcome));
    ASSERT_SLICE_EQ(kin__str(outcome.api_version.data, outcome.api_version.len), "autoscaling/v1");
    ASSERT_SLICE_EQ(kin__str(outcome.kind.data, outcome.kind.len), "HorizontalPodAutoscaler");
    ASSERT_TRUE(outcome.is_recognized);
    ASSERT_EQ(outcome.notes.count, 1);
}

TEST(codec_decode, finds_kind_and_api_version_in_any_case_and_with_escapes)
{
    AUTO(kin__codec_outcome_fini) kin__codec_outcome outcome = { 0 };

    ASSERT_ERR(outcome_of("{\"K\\u0069nd\":\"Pod\",\"APIVERSION\":\"v1\"}", &outcome),
               KIN_ERR_INVALID);
    ASSERT_SLICE_EQ(kin__str(outcome.words.data, outcome.words.len),
                    "converting (v1.Pod) to (autoscaling.HorizontalPodAutoscaler): unknown "
                    "conversion");
}

TEST(codec_decode, does_not_recognize_what_is_no_object)
{
    AUTO(kin__codec_outcome_fini) kin__codec_outcome outcome = { 0 };

    ASSERT_ERR(outcome_of("true", &outcome), KIN_ERR_INVALID);
    ASSERT_FALSE(outcome.is_recognized);
}

TEST(codec_decode, names_the_internal_packages_of_go)
{
    static const struct {
        const char *api_version;
        const char *kind;
        const char *package;
    } cases[] = {
        { "events.k8s.io/v1", "Event", "(core.Event)" },
        { "rbac.authorization.k8s.io/v1", "Role", "(rbac.Role)" },
        { "internal.apiserver.k8s.io/v1alpha1", "StorageVersion",
          "(apiserverinternal.StorageVersion)" },
        { "apps/v1", "Deployment", "(apps.Deployment)" },
    };
    decoded d;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_CONTAINS(refusal_of(cases[i].api_version, cases[i].kind,
                                   "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", &d),
                        cases[i].package);
    }
}
