/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readme.c - the program in the README: a pod, its node, and whether a selector wants it.
 */
#include <kin/kin.h>
#include <stdio.h>

static const char json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\",\"namespace\":"
    "\"shop\","
    "\"labels\":{\"app\":\"web\",\"tier\":\"frontend\"}},\"spec\":{\"nodeName\":\"worker-2\"}}";

int main(void)
{
    kin_object *pod;
    kin_selector *selector;
    kin_error err;
    kin_str node;

    if (kin_object_from_json(json, sizeof json - 1, NULL, &pod, &err) != KIN_OK ||
        kin_selector_parse("app=web,tier in (frontend,api)", &selector, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("pod %.*s\n", KIN_STR_ARG(kin_object_key(pod)));
    if (kin_value_str(kin_object_at(pod, "spec.nodeName"), NULL, 0, &node) == KIN_OK) {
        printf("runs on %.*s\n", KIN_STR_ARG(node));
    }
    printf("%s %s\n", kin_selector_matches(selector, pod) ? "matches" : "does not match",
           kin_selector_text(selector));
    kin_selector_free(selector);
    kin_object_unref(pod);
    return 0;
}
