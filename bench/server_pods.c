/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_pods.c - cuts pods out of the list, and writes into their annotations.
 */
#include "server_pods.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "measure.h"

void bench_single_pods_init(bench_single_pods *single, const bench_pods *pods)
{
    kin__json list = kin__json_of(kin__str(pods->document.data, pods->document.len));
    kin__json_iter iter = kin__json_walk(kin__json_member(list, STR("items")));
    size_t count = 0;

    while (count < BENCH_SINGLE_PODS && kin__json_next(&iter)) {
        single->texts[count++] = kin__json_text(iter.value);
    }
    if (count < BENCH_SINGLE_PODS) {
        bench_fail("the list has only %zu pods", count);
    }
}

kin_str bench_marked_pod(const bench_single_pods *single, size_t number, int64_t mark,
                         kin__buf *scratch)
{
    static const char place[] = "\"annotations\":{";
    kin_str text = single->texts[number % BENCH_SINGLE_PODS];
    const char *found = memmem(text.data, text.len, place, sizeof place - 1);
    if (found == NULL) {
        bench_fail("a pod has no annotations");
    }
    size_t before = (size_t) (found - text.data) + sizeof place - 1;

    kin__buf_clear(scratch);
    kin__buf_append_str(scratch, STR("{\"kind\":\"Pod\",\"apiVersion\":\"v1\","));
    kin__buf_append(scratch, text.data + 1, before - 1);
    kin__buf_append_format(scratch, "\"" BENCH_MARK "\":\"%" PRId64 "\",", mark);
    kin__buf_append(scratch, text.data + before, text.len - before);
    if (kin__buf_failed(scratch)) {
        bench_fail("no memory for a pod");
    }
    return kin__str(scratch->data, scratch->len);
}
