/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debounce.c - keys whose change waits for the next one.
 */
#include "controller/debounce.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/str.h"

typedef struct change {
    kin__heap_node node;
    kin_priority priority;
    unsigned times; /* it was put off */
    size_t len;
    char key[];
} change;

static kin_err make(kin__debounce *debounce, kin_str key, change **out, kin_error *err);
static const change *first_of(const kin__debounce *debounce);

void kin__debounce_clear(kin__debounce *debounce)
{
    for (kin__heap_node *node; (node = kin__heap_pop(&debounce->due)) != NULL;) {
        kin__free(KIN__OWNER(node, change, node));
    }
    kin__heap_fini(&debounce->due);
    kin__map_clear(&debounce->keys);
}

kin_err kin__debounce_add(kin__debounce *debounce, kin_str key, kin_priority priority,
                          int64_t due_ms, kin_error *err)
{
    change *waiting = kin__map_get(&debounce->keys, key);

    if (waiting != NULL) {
        if (due_ms > waiting->node.due && waiting->times < KIN__DEBOUNCE_MAX) {
            waiting->times++;
            kin__heap_move(&debounce->due, &waiting->node, due_ms);
        }
        waiting->priority = priority > waiting->priority ? priority : waiting->priority;
        return KIN_OK;
    }
    if (make(debounce, key, &waiting, err) != KIN_OK) {
        return err->code;
    }
    waiting->priority = priority;
    if (kin__heap_push(&debounce->due, &waiting->node, due_ms, err) != KIN_OK) {
        (void) kin__map_remove(&debounce->keys, key);
        kin__free(waiting);
        return err->code;
    }
    return KIN_OK;
}

bool kin__debounce_next(const kin__debounce *debounce, int64_t now_ms, kin_str *out_key,
                        kin_priority *out_priority)
{
    const change *first = first_of(debounce);

    if (first == NULL || first->node.due > now_ms) {
        return false;
    }
    *out_key = kin__str(first->key, first->len);
    *out_priority = first->priority;
    return true;
}

void kin__debounce_remove(kin__debounce *debounce, kin_str key)
{
    change *waiting = kin__map_remove(&debounce->keys, key);

    if (waiting != NULL) {
        kin__heap_remove(&debounce->due, &waiting->node);
        kin__free(waiting);
    }
}

int64_t kin__debounce_due_ms(const kin__debounce *debounce)
{
    const change *first = first_of(debounce);

    return first == NULL ? INT64_MAX : first->node.due;
}

size_t kin__debounce_count(const kin__debounce *debounce)
{
    return debounce->keys.count;
}

static kin_err make(kin__debounce *debounce, kin_str key, change **out, kin_error *err)
{
    change *made = kin__alloc_zero(1, sizeof *made + key.len);

    if (made == NULL) {
        return kin__error_no_memory(err);
    }
    made->len = key.len;
    if (key.len != 0) {
        memcpy(made->key, key.data, key.len);
    }
    if (kin__map_put(&debounce->keys, key, made, NULL, err) != KIN_OK) {
        kin__free(made);
        return err->code;
    }
    *out = made;
    return KIN_OK;
}

static const change *first_of(const kin__debounce *debounce)
{
    kin__heap_node *node = kin__heap_get_first(&debounce->due);

    return node == NULL ? NULL : KIN__OWNER(node, change, node);
}
