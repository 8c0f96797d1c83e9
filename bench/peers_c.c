/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers_c.c - yajl and cJSON.
 */
#include "peers.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>
#include <yajl_parse.h>
#include <yajl_version.h>

typedef struct yajl_counter {
    size_t open; /* containers around what comes next */
    size_t depth;
    uint64_t count;
} yajl_counter;

static int on_start_map(void *context);
static int on_start_array(void *context);
static int on_end(void *context);

const char *peer_yajl_version(void)
{
    static char text[16];

    (void) snprintf(text, sizeof text, "%d.%d.%d", yajl_version() / 10000,
                    yajl_version() / 100 % 100, yajl_version() % 100);
    return text;
}

uint64_t peer_yajl_count(const char *bytes, size_t len, size_t depth)
{
    static const yajl_callbacks callbacks = { .yajl_start_map = on_start_map,
                                              .yajl_end_map = on_end,
                                              .yajl_start_array = on_start_array,
                                              .yajl_end_array = on_end };
    yajl_counter counter = { 0, depth, 0 };

    yajl_handle handle = yajl_alloc(&callbacks, NULL, &counter);
    if (handle == NULL) {
        return 0;
    }
    bool is_right = yajl_parse(handle, (const unsigned char *) bytes, len) == yajl_status_ok &&
                    yajl_complete_parse(handle) == yajl_status_ok;
    yajl_free(handle);
    return is_right ? counter.count : 0;
}

const char *peer_cjson_version(void)
{
    return cJSON_Version();
}

void *peer_cjson_parse(const char *bytes, size_t len)
{
    return cJSON_ParseWithLength(bytes, len);
}

void peer_cjson_free(void *tree)
{
    cJSON_Delete(tree);
}

uint64_t peer_cjson_items(const void *tree)
{
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(tree, "items");
    return (uint64_t) cJSON_GetArraySize(items);
}

uint64_t peer_cjson_field(const void *tree, const char *part, const char *name)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(tree, part);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text == NULL ? 0 : strlen(text);
}

static int on_start_map(void *context)
{
    yajl_counter *counter = context;

    if (counter->open == counter->depth) {
        counter->count++;
    }
    counter->open++;
    return 1;
}

static int on_start_array(void *context)
{
    yajl_counter *counter = context;

    counter->open++;
    return 1;
}

static int on_end(void *context)
{
    yajl_counter *counter = context;

    counter->open--;
    return 1;
}
