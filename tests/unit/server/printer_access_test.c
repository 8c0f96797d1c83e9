/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_access_test.c - certificates, policies and API services, where the fixture of
 * printer_test.c says nothing.
 */
#include "unit/server/printing.h"

static void check_request(const char *rest, const char *name, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"r\"}%s}", rest);
    check_cell_named("certificates.k8s.io", "certificates.k8s.io/v1", "CertificateSigningRequest",
                     json.chars, name, want);
}

TEST(printer_access, says_all_that_has_become_of_a_request)
{
    check_request("", "Condition", "Pending");
    check_request(",\"status\":{\"certificate\":\"YQ==\",\"conditions\":[{\"type\":\"Approved\"}]}",
                  "Condition", "Approved,Issued");
    check_request(",\"status\":{\"conditions\":[{\"type\":\"Approved\"},{\"type\":\"Failed\"},"
                  "{\"type\":\"Denied\"}]}",
                  "Condition", "Denied,Failed");
    check_request("", "RequestedDuration", "<none>");
    check_request(",\"spec\":{\"expirationSeconds\":-5}", "RequestedDuration", "<invalid>");
}

TEST(printer_access, says_how_a_pods_request_ended)
{
    static const char *const states[] = { "Issued", "Denied", "Failed", "Pending" };
    static text json;

    for (size_t i = 0; i < 4; i++) {
        text_clear(&json);
        text_append(
            &json,
            "{\"metadata\":{\"name\":\"r\"},\"status\":{\"conditions\":[{\"type\":\"%s\"}]}}",
            states[i]);
        check_cell_named("certificates.k8s.io", "certificates.k8s.io/v1beta1",
                         "PodCertificateRequest", json.chars, "State", states[i]);
    }
}

static void check_binding(const char *ref, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"paramRef\":%s}}", ref);
    check_cell_named("admissionregistration.k8s.io", "admissionregistration.k8s.io/v1",
                     "ValidatingAdmissionPolicyBinding", json.chars, "ParamRef", want);
}

TEST(printer_access, names_the_parameters_of_a_policy)
{
    check_binding("{}", "<unset>");
    check_binding("{\"namespace\":\"a\"}", "<unset>");
    check_binding("{\"name\":\"n\"}", "*/n");
    check_binding("{\"name\":\"n\",\"namespace\":\"a\",\"selector\":{}}", "a/n");
    check_binding("{\"selector\":{}}", "&LabelSelector{MatchLabels:map[string]string{},"
                                       "MatchExpressions:[]LabelSelectorRequirement{},}");
}

static void check_service(const char *rest, const char *name, const char *want)
{
    static text json;

    text_clear(&json);
    text_append(&json, "{\"metadata\":{\"name\":\"s\"}%s}", rest);
    check_cell_named("apiregistration.k8s.io", "apiregistration.k8s.io/v1", "APIService",
                     json.chars, name, want);
}

TEST(printer_access, says_why_an_api_service_is_not_available)
{
    check_service("", "Available", "Unknown");
    check_service("", "Service", "Local");
    check_service(",\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":\"False\","
                  "\"reason\":\"Why\"}]}",
                  "Available", "False (Why)");
    check_service(",\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":\"False\"}]}",
                  "Available", "False");
    check_service(",\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":\"True\","
                  "\"reason\":\"Why\"}]}",
                  "Available", "True");
}
