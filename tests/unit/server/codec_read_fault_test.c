/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec_read_fault_test.c - what Go's decoder says of values of a wrong type.  Texts are those of a
 * kube-apiserver 1.36.3.
 */
#include "decoding.h"

TEST(codec_read_fault, names_struct_field_and_type)
{
    decoded d;

    ASSERT_CONTAINS(refusal_of("v1", "ConfigMap", "{\"metadata\":{\"name\":5}}", &d),
                    ": json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name "
                    "of type string");
    ASSERT_CONTAINS(refusal_of("v1", "ConfigMap", "{\"data\":{\"a\":5}}", &d),
                    ": json: cannot unmarshal number into Go struct field ConfigMap.data of type "
                    "string");
    ASSERT_CONTAINS(refusal_of("v1", "ConfigMap", "{\"data\":[\"a\"]}", &d),
                    ": json: cannot unmarshal array into Go struct field ConfigMap.data of type "
                    "map[string]string");
    ASSERT_CONTAINS(refusal_of("v1", "Pod", "{\"spec\":{\"containers\":{\"x\":1}}}", &d),
                    ": json: cannot unmarshal object into Go struct field PodSpec.spec.containers "
                    "of type []v1.Container");
    ASSERT_CONTAINS(
        refusal_of("v1", "Pod", "{\"spec\":{\"restartPolicy\":5}}", &d),
        ": json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy "
        "of type v1.RestartPolicy");
}

TEST(codec_read_fault, names_embedded_structs)
{
    decoded d;

    ASSERT_CONTAINS(refusal_of("v1", "Pod", "{\"spec\":{\"volumes\":[{\"configMap\":5}]}}", &d),
                    ": json: cannot unmarshal number into Go struct field "
                    "Volume.spec.volumes.VolumeSource.configMap of type v1.ConfigMapVolumeSource");
    ASSERT_CONTAINS(
        refusal_of("v1", "Pod",
                   "{\"spec\":{\"volumes\":[{\"configMap\":{\"defaultMode\":\"x\"}}]}}", &d),
        ": json: cannot unmarshal string into Go struct field "
        "ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.defaultMode of type int32");
}

TEST(codec_read_fault, names_the_struct_of_kind_and_api_version)
{
    decoded d;

    ASSERT_CONTAINS(refusal_of("apps/v1", "StatefulSet",
                               "{\"spec\":{\"volumeClaimTemplates\":[{\"kind\":5}]}}", &d),
                    ": json: cannot unmarshal number into Go struct field "
                    "PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string");
}

TEST(codec_read_fault, writes_paths_with_indexes_and_keys)
{
    decoded d;

    (void) decode("apps/v1", "Deployment",
                  "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{},{\"env\":[{\"x\":1}]}],"
                  "\"nodeSelector\":{\"a\\u0062\":\"1\",\"ab\":\"2\"}}}}}",
                  &d);
    ASSERT_STR_EQ(d.warnings.chars, "unknown field \"spec.template.spec.containers[1].env[0].x\"\n"
                                    "duplicate field \"spec.template.spec.nodeSelector.ab\"\n");
}
