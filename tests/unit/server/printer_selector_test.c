/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_selector_test.c - labels and selectors as text.
 */
#include "server/printer.h"
#include "unit/server/printing.h"

/* That a selector is printed so, by kinds that print "<none>" for nothing. */
static void check_selector(const char *selector, const char *want)
{
    static text json;
    static text cells;

    text_clear(&json);
    text_clear(&cells);
    text_append(&json, "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"podSelector\":%s}}", selector);
    text_append(&cells, "\"n\",\"%s\",\"\\u003cunknown\\u003e\"", want);
    check_cells("networking.k8s.io", "networking.k8s.io/v1", "NetworkPolicy", json.chars,
                cells.chars);
}

TEST(printer_selector, sorts_labels_and_expressions_by_name)
{
    check_selector("{\"matchLabels\":{\"z\":\"1\",\"b\":\"\"},\"matchExpressions\":["
                   "{\"key\":\"c\",\"operator\":\"In\",\"values\":[\"y\",\"x\",\"y\"]},"
                   "{\"key\":\"a.io/x\",\"operator\":\"DoesNotExist\"},"
                   "{\"key\":\"y\",\"operator\":\"Exists\",\"values\":[]},"
                   "{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"q\"]}]}",
                   "a notin (q),!a.io/x,b=,c in (x,y,y),y,z=1");
}

TEST(printer_selector, says_that_it_selects_nothing_in_particular)
{
    check_selector("{}", "\\u003cnone\\u003e");
    check_selector("{\"matchLabels\":{},\"matchExpressions\":[]}", "\\u003cnone\\u003e");
}

TEST(printer_selector, shows_no_selector_that_an_api_server_would_refuse)
{
    static const char *const refused[] = {
        "{\"matchLabels\":{\"a b\":\"c\"}}",
        "{\"matchLabels\":{\"a\":\"c d\"}}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Gt\",\"values\":[\"1\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"1\"]}]}",
        "{\"matchExpressions\":[{\"key\":\"-\",\"operator\":\"Exists\"}]}",
        "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"b\",\"?\"]}]}",
    };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        check_selector(refused[i], "\\u003cerror\\u003e");
    }
}

TEST(printer_selector, is_empty_or_invalid_for_deployments)
{
    check_cells("apps", "apps/v1", "Deployment", "{\"metadata\":{\"name\":\"d\"}}",
                "\"d\",\"0/0\",0,0,\"\\u003cunknown\\u003e\",\"\",\"\",\"\"");
    check_cells(
        "apps", "apps/v1", "Deployment",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"?\":\"\"}}}}",
        "\"d\",\"0/0\",0,0,\"\\u003cunknown\\u003e\",\"\",\"\",\"\\u003cinvalid\\u003e\"");
}

TEST(printer_selector, sorts_the_labels_of_a_map)
{
    check_cells(
        "", "v1", "PodTemplate",
        "{\"metadata\":{\"name\":\"t\"},\"template\":{\"metadata\":{\"labels\":{\"z\":\"1\","
        "\"a\":\"2\"}}}}",
        "\"t\",\"\",\"\",\"a=2,z=1\"");
}
