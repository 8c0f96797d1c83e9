/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/debounce.h - keys whose change waits for the next one.
 *
 * A change of a key waits for a while; another one meanwhile puts it off for as long again, ten
 * times at most.  Apart from the work queue, so that what a key is to come for later stays as it
 * is.
 *
 * Threading: confined.
 */
#ifndef KIN_CONTROLLER_DEBOUNCE_H
#define KIN_CONTROLLER_DEBOUNCE_H

#include "base/heap.h"
#include "base/map.h"
#include "kin/queue.h"

#define KIN__DEBOUNCE_MAX 10 /* how often a change is put off */

/* All zero: nothing waits. */
typedef struct kin__debounce {
    kin__map keys;
    kin__heap due;
} kin__debounce;

/* Forgets all keys. */
void kin__debounce_clear(kin__debounce *debounce);
KIN__DEFINE_AUTO_FINI(kin__debounce, kin__debounce_clear)

/* A change, which waits until `due_ms`.  Fails with NO_MEMORY. */
kin_err kin__debounce_add(kin__debounce *debounce, kin_str key, kin_priority priority,
                          int64_t due_ms, kin_error *err) KIN_MUST_CHECK;

/* The key that has waited for long enough, borrowed until it is removed; false: none has. */
bool kin__debounce_next(const kin__debounce *debounce, int64_t now_ms, kin_str *out_key,
                        kin_priority *out_priority);
void kin__debounce_remove(kin__debounce *debounce, kin_str key);

/* When the first has; INT64_MAX: none waits. */
int64_t kin__debounce_due_ms(const kin__debounce *debounce);
size_t kin__debounce_count(const kin__debounce *debounce);

#endif /* KIN_CONTROLLER_DEBOUNCE_H */
